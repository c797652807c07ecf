"""The benchmark bicycle (Whipple's), nonlinear, by the equations of Newton and Euler of its four bodies, projected on the motions that
roll. Numbers of the bodies: Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955. Jacobian matrices are central
differences with 70 digits, good to 45.

    python3 tests/oracle/bicycle.py

prints the accelerations in the state of table 1 of Basu-Mandal, Chatterjee and Papadopoulos, Proc. R. Soc. A 463 (2007) 1983, beside the published
ones; the same where pitch and dependent velocities are computed; the matrix of the motion near straight running at 5 m/s; and the speeds
between which that is stable.
"""
from mpmath import mp, mpf, matrix, cos, sin, sqrt, pi, lu_solve, findroot, eig

mp.dps = 70
H = mpf(10) ** -25
w, c, lam, g = mpf("1.02"), mpf("0.08"), pi / 10, mpf("9.81")
EZ = matrix([0, 0, 1])


def diagonal(xx, yy, zz, xz="0"):
    return matrix([[mpf(xx), 0, mpf(xz)], [0, mpf(yy), 0], [mpf(xz), 0, mpf(zz)]])


# Rear wheel, rear body with rider, fork with handlebar, front wheel: mass, inertia, and the places of their centres below.
BODIES = {
    "R": (mpf(2), diagonal("0.0603", "0.12", "0.0603")),
    "B": (mpf(85), diagonal("9.2", "11", "2.8", "2.4")),
    "H": (mpf(4), diagonal("0.05892", "0.06", "0.00708", "-0.00756")),
    "F": (mpf(3), diagonal("0.1405", "0.28", "0.1405")),
}
rR, rF = mpf("0.3"), mpf("0.35")


def turn(axis, a):
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    m = matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    m[i, i] = m[j, j] = cos(a)
    m[i, j], m[j, i] = -sin(a), sin(a)
    return m


def cross(a, b):
    return matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def places(q):
    """Centre and attitude of each body, the contact of the front wheel. z points down, x and y are the rear contact."""
    x, y, yaw, roll, pitch, steer, rear, front = q
    A = turn("z", yaw) * turn("x", roll)
    B = A * turn("y", pitch)
    F = B * turn("y", lam) * turn("z", steer) * turn("y", -lam)
    rear_centre = matrix([x, y, 0]) + A * matrix([0, 0, -rR])
    axis = rear_centre + B * matrix([w + c, 0, rR])
    front_centre = axis + F * matrix([-c, 0, -rF])
    found = {
        "R": (rear_centre, B * turn("y", rear)),
        "B": (rear_centre + B * matrix([mpf("0.3"), 0, mpf("-0.9") + rR]), B),
        "H": (axis + F * matrix([mpf("0.9") - w - c, 0, mpf("-0.7")]), F),
        "F": (front_centre, F * turn("y", front)),
    }
    n = F * matrix([0, 1, 0])
    down = EZ - n * n[2]
    return found, front_centre + rF * down / sqrt((down.T * down)[0])


def shifted(q, i, h):
    return [x + h if j == i else x for j, x in enumerate(q)]


def jacobians(key, q):
    Jv, Jw = matrix(3, 8), matrix(3, 8)
    R = places(q)[0][key][1]
    for i in range(8):
        (p1, R1), (p0, R0) = places(shifted(q, i, H))[0][key], places(shifted(q, i, -H))[0][key]
        S = (R1 - R0) * R.T / (2 * H)
        spin = [(S[2, 1] - S[1, 2]) / 2, (S[0, 2] - S[2, 0]) / 2, (S[1, 0] - S[0, 1]) / 2]
        for k in range(3):
            Jv[k, i], Jw[k, i] = (p1[k] - p0[k]) / (2 * H), spin[k]
    return Jv, Jw


def rolling(q):
    """Velocities of the material points at the two contacts, without the rear vertical one, which is 0 in these coordinates."""
    found, contact = places(q)
    rows = matrix(5, 8)
    for key, place, at in (("R", matrix([q[0], q[1], 0]), (0, 1)), ("F", contact, (2, 3, 4))):
        Jv, Jw = jacobians(key, q)
        for i in range(8):
            v = Jv[:, i] + cross(Jw[:, i], place - found[key][0])
            for k, row in enumerate(at):
                rows[row, i] = v[k]
    return rows


def along(f, q, u):
    return (f([a + H * b for a, b in zip(q, u)]) - f([a - H * b for a, b in zip(q, u)])) / (2 * H)


def accelerations(q, u):
    U, K, r = matrix(u), matrix(13, 13), matrix(13, 1)
    found = places(q)[0]
    for key, (m, I) in BODIES.items():
        Jv, Jw = jacobians(key, q)
        dJv, dJw = along(lambda z: jacobians(key, z)[0], q, u), along(lambda z: jacobians(key, z)[1], q, u)
        R = found[key][1]
        Is, spin = R * I * R.T, Jw * U
        K[:8, :8] += m * Jv.T * Jv + Jw.T * Is * Jw
        r[:8, 0] += Jv.T * (m * g * EZ - m * dJv * U) - Jw.T * (Is * (dJw * U) + cross(spin, Is * spin))
    A, drift = rolling(q), -(along(rolling, q, u) * U)
    for i in range(5):
        r[8 + i] = drift[i]
        for j in range(8):
            K[8 + i, j] = K[j, 8 + i] = A[i, j]
    return list(lu_solve(K, r))[:8]


def consistent(roll, steer, roll1, steer1, rear1):
    """The state with these values: pitch and the other velocities follow."""
    height = lambda pitch: places([mpf(0), mpf(0), mpf(0), roll, pitch, steer, mpf(0), mpf(0)])[1][2]
    pitch = findroot(height, (mpf(0), mpf("0.01")), tol=mpf(10) ** -55)
    q = [mpf(0), mpf(0), mpf(0), roll, pitch, steer, mpf(0), mpf(0)]
    A, given, free = rolling(q), {3: roll1, 5: steer1, 6: rear1}, [0, 1, 2, 4, 7]
    K, r = matrix(5, 5), matrix(5, 1)
    for i in range(5):
        r[i] = -sum(A[i, j] * value for j, value in given.items())
        for k, j in enumerate(free):
            K[i, k] = A[i, j]
    for j, value in zip(free, lu_solve(K, r)):
        given[j] = value
    return q, [given[i] for i in range(8)]


def linear(v):
    """d(roll'', steer'')/d(roll, steer, roll', steer') in straight running with the speed v."""
    A, h = matrix(2, 4), mpf(10) ** -12
    for k in range(4):
        def at(e):
            z = [e if i == k else mpf(0) for i in range(4)]
            a = accelerations(*consistent(*z, -v / rR))
            return a[3], a[5]
        up, down, up2, down2 = at(h), at(-h), at(2 * h), at(-2 * h)
        for i in range(2):
            A[i, k] = (8 * (up[i] - down[i]) - (up2[i] - down2[i])) / (12 * h)
    return A


if __name__ == "__main__":
    names = ["x", "y", "yaw", "roll", "pitch", "steer", "rear", "front"]
    roll, steer = pi / 2 - mpf("0.9501292851472"), -mpf("0.2311385135743")
    rates = [-mpf("0.6068425835418"), -mpf("0.4859824687093"), -mpf("8.9129896614890")]
    # In their coordinates x is that of the rear wheel's centre, backwards.
    psi = mpf("0.9501292851472")
    q = [mpf(0), mpf(0), mpf(0), roll, pi - mpf("3.1257073014894"), steer, mpf(0), mpf(0)]
    u = [
        -rR * mpf("0.7830033527065") * cos(psi) + mpf("2.8069345714545"),
        -mpf("0.1480982396001") + rR * mpf("0.6068425835418") * sin(psi),
        -mpf("0.7830033527065"), rates[0], mpf("0.0119185528069"), rates[1], rates[2], -mpf("8.0133620584155"),
    ]
    published = ["", "", "0.8353281706379", "-7.8555281128244", "0.1205543897884", "-4.6198904039403", "1.8472554144217", "2.4548072904550"]
    for name, a, b in zip(names, accelerations(q, u), published):
        print(name + "''", mp.nstr(a, 17), "published", b, "with the other sign")
    q, u = consistent(roll, steer, *rates)
    for name, x, v, a in zip(names, q, u, accelerations(q, u)):
        print(name, mp.nstr(x, 18), mp.nstr(v, 18), mp.nstr(a, 18))
    A = linear(mpf(5))
    for i in range(2):
        print([mp.nstr(A[i, k], 18) for k in range(4)])
    print([mp.nstr(x, 16) for x in eig(matrix([[0, 0, 1, 0], [0, 0, 0, 1], list(A[0, :]), list(A[1, :])]), right=False)])
    mp.dps = 50

    def stable(v):
        A = linear(v)
        M = matrix([[0, 0, 1, 0], [0, 0, 0, 1], list(A[0, :]), list(A[1, :])])
        return max(x.real for x in eig(M, right=False))

    print("weave", mp.nstr(findroot(stable, (mpf("4.29"), mpf("4.295")), solver="secant", tol=1e-30), 15))
    print("capsize", mp.nstr(findroot(stable, (mpf("6.02"), mpf("6.03")), solver="secant", tol=1e-30), 15))
