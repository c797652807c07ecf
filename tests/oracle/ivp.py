"""Mechanical problems of the test set for initial value problem solvers (Mazzia and Magherini, release 2.4; Hairer and Wanner,
Solving Ordinary Differential Equations II, VI.9 and VII.7), solved by another program: equations of motion by sympy in the form

    M a = Q + G^T lambda,   G a = -(dG/dt) v,

integrated by Gragg's extrapolation of order 24 in 32 digits (mpmath), with two tolerances, whose agreement is printed.

    python3 tests/oracle/ivp.py pleiades car_axis squeezer slider_crank flexible_crank governor rattleback bricard pendulum fekete
"""
import sys
import sympy as sp
from mpmath import mp, mpf, matrix, lu_solve

mp.dps = 32


def equations(q, v, kinetic, potential, force, constraints, t):
    """A function (t, q, v) -> accelerations, by sympy."""
    n, m = len(q), len(constraints)
    M = sp.hessian(kinetic, v)
    p = sp.Matrix([sp.diff(kinetic, x) for x in v])
    right = sp.Matrix([sp.diff(kinetic - potential, x) for x in q]) + sp.Matrix(force)
    right -= p.jacobian(q) * sp.Matrix(v) + p.diff(t)
    G = sp.Matrix(constraints).jacobian(q) if m else sp.zeros(0, n)
    rate = G * sp.Matrix(v) + sp.Matrix([sp.diff(g, t) for g in constraints]) if m else sp.zeros(0, 1)
    gamma = -(rate.jacobian(q) * sp.Matrix(v) + rate.diff(t)) if m else sp.zeros(0, 1)
    exprs = list(M) + list(right) + list(G) + list(gamma)
    f = sp.lambdify([t, *q, *v], exprs, modules="mpmath", cse=True)

    def accelerations(time, x):
        values = f(time, *x)
        K = matrix(n + m, n + m)
        b = matrix(n + m, 1)
        at = 0
        for i in range(n):
            for j in range(n):
                K[i, j] = values[at]
                at += 1
        for i in range(n):
            b[i] = values[at]
            at += 1
        for k in range(m):
            for j in range(n):
                K[n + k, j] = K[j, n + k] = values[at]
                at += 1
        for k in range(m):
            b[n + k] = values[at]
            at += 1
        return list(lu_solve(K, b))[:n]

    return accelerations


SEQUENCE = [2 * k for k in range(1, 13)]


def midpoint(f, t, y, h, n):
    d = h / n
    a, b = y, [u + d * w for u, w in zip(y, f(t, y))]
    for k in range(1, n):
        s = f(t + k * d, b)
        a, b = b, [u + 2 * d * w for u, w in zip(a, s)]
    s = f(t + h, b)
    return [(u + w + d * x) / 2 for u, w, x in zip(a, b, s)]


def integrate(f, t, y, end, h, tol):
    steps = 0
    while t < end:
        h = min(h, end - t)
        rows = []
        for j, n in enumerate(SEQUENCE):
            row = [midpoint(f, t, y, h, n)]
            for k in range(j):
                r = mpf(n) / SEQUENCE[j - k - 1]
                row.append([u + (u - w) / (r * r - 1) for u, w in zip(row[k], rows[j - 1][k])])
            rows.append(row)
        best, other = rows[-1][-1], rows[-1][-2]
        error = max(abs(u - w) / (1 + abs(u)) for u, w in zip(best, other))
        factor = (tol / (error + mpf(10) ** -40)) ** (mpf(1) / (2 * len(SEQUENCE) - 1))
        if error > tol:
            h *= max(mpf("0.3"), mpf("0.9") * factor)
            continue
        t, y, steps = t + h, best, steps + 1
        h *= min(2, mpf("0.9") * factor)
    return y, steps


def pleiades():
    x = [3, 3, -1, -3, 2, -2, 2]
    y = [3, -3, 2, 0, 0, -4, 4]
    u = [0, 0, 0, 0, 0, mpf("1.75"), mpf("-1.5")]
    v = [0, 0, 0, mpf("-1.25"), 1, 0, 0]

    def f(t, s):
        a = [mpf(0)] * 7
        b = [mpf(0)] * 7
        for i in range(7):
            for j in range(i):
                dx, dy = s[j] - s[i], s[7 + j] - s[7 + i]
                r2 = dx * dx + dy * dy
                w = 1 / (r2 * mp.sqrt(r2))
                a[i] += (j + 1) * w * dx
                b[i] += (j + 1) * w * dy
                a[j] -= (i + 1) * w * dx
                b[j] -= (i + 1) * w * dy
        return s[14:] + a + b

    return f, [mpf(z) for z in x + y + u + v], mpf(3), mpf("0.01"), ["x[1..7]", "y[1..7]", "x'", "y'"]


def product(p, q):
    """Of two functions of (a, b), each with its derivatives by a, b, aa, ab, bb."""
    return [
        p[0] * q[0], p[1] * q[0] + p[0] * q[1], p[2] * q[0] + p[0] * q[2], p[3] * q[0] + 2 * p[1] * q[1] + p[0] * q[3],
        p[4] * q[0] + p[1] * q[2] + p[2] * q[1] + p[0] * q[4], p[5] * q[0] + 2 * p[2] * q[2] + p[0] * q[5],
    ]


def sum_of(*terms):
    return [sum(x) for x in zip(*terms)]


def cross(u, v):
    pairs = [(1, 2), (2, 0), (0, 1)]
    return [sum_of(product(u[i], v[j]), [-x for x in product(u[j], v[i])]) for i, j in pairs]


def bricard_rods(a, b):
    """Masses with their vectors, the potential, and the third joint."""
    c, s, e, f = mp.cos(a), mp.sin(a), mp.cos(b), mp.sin(b)
    trig = [([c, -s, 0, -c, 0, 0], [s, c, 0, -s, 0, 0]), ([e, 0, -f, 0, 0, -e], [f, 0, e, 0, 0, -f])]
    constant = lambda *list: [[mpf(x), 0, 0, 0, 0, 0] for x in list]
    d, u, place = constant(0, 0, -1), constant(0, 1, 0), constant(0, 0, 0)
    vectors, potential = [], [0] * 6
    for k in range(5):
        across = cross(u, d)
        d = [sum_of(product(trig[k % 2][0], d[i]), product(trig[k % 2][1], across[i])) for i in range(3)]
        w = [[(-1) ** k * x for x in t] for t in cross(d, u)]
        centre = [sum_of(place[i], [x / 2 for x in d[i]]) for i in range(3)]
        vectors += [(mpf(1), centre), (mpf(1) / 12, d), (mpf(1) / 1200, u), (mpf(1) / 1200, w)]
        potential = sum_of(potential, [mpf("9.81") * x for x in centre[1]])
        u, place = w, [sum_of(place[i], d[i]) for i in range(3)]
        if k == 2:
            joint = [x[0] for x in place]
    return vectors, potential, joint


def bricard():
    """Bricard's mechanism of six rods with six hinges, one rod fixed (benchmark A04 of the IFToMM library), in its hinge angles a, b, a,
    b, …, which close the ring where cos a + cos b + cos a cos b = 0. Each rod has the direction d and hinges along u at its ends, all
    orthogonal; 1 kg, 1 m, a square section of 0.1 m. Printed are the state and the third joint at t = 2."""

    def f(t, y):
        a, b, p, q = y
        vectors, potential, _ = bricard_rods(a, b)
        M = [mpf(0)] * 3
        force = [-potential[1], -potential[2]]
        for m, v in vectors:
            for x in v:
                M = [M[0] + m * x[1] * x[1], M[1] + m * x[1] * x[2], M[2] + m * x[2] * x[2]]
                z = x[3] * p * p + 2 * x[4] * p * q + x[5] * q * q
                force = [force[0] - m * x[1] * z, force[1] - m * x[2] * z]
        c, s, e, g = mp.cos(a), mp.sin(a), mp.cos(b), mp.sin(b)
        G = [-s * (1 + e), -g * (1 + c)]
        gamma = c * (1 + e) * p * p - 2 * s * g * p * q + e * (1 + c) * q * q
        K = matrix([[M[0], M[1], G[0]], [M[1], M[2], G[1]], [G[0], G[1], 0]])
        x = lu_solve(K, matrix([force[0], force[1], gamma]))
        return [p, q, x[0], x[1]]

    return f, [-mp.pi / 2, -mp.pi / 2, mpf(0), mpf(0)], mpf(2), mpf("0.05"), ["a", "b", "a'", "b'"]


def second_order(accelerations, n):
    return lambda t, s: s[n:] + accelerations(t, s)


def car_axis():
    t = sp.Symbol("t")
    q = sp.symbols("xl yl xr yr")
    v = sp.symbols("ul vl ur vr")
    R = sp.Rational
    mass, l0, r, w = R(1, 2000), R(1, 2), R(1, 10), 10
    yb = r * sp.sin(w * t)
    xb = sp.sqrt(1 - yb**2)
    ll = sp.sqrt(q[0] ** 2 + q[1] ** 2)
    lr = sp.sqrt((q[2] - xb) ** 2 + (q[3] - yb) ** 2)
    kinetic = mass * sum(x**2 for x in v) / 2
    potential = (ll - l0) ** 2 / 2 + (lr - l0) ** 2 / 2 + mass * (q[1] + q[3])
    constraints = [q[0] * xb + q[1] * yb, (q[0] - q[2]) ** 2 + (q[1] - q[3]) ** 2 - 1]
    a = equations(q, v, kinetic, potential, [0] * 4, constraints, t)
    start = [mpf(0), mpf("0.5"), mpf(1), mpf("0.5"), mpf("-0.5"), mpf(0), mpf("-0.5"), mpf(0)]
    return second_order(a, 4), start, mpf(3), mpf("0.005"), ["xl yl xr yr", "velocities"]


def squeezer():
    t = sp.Symbol("t")
    q = sp.symbols("beta theta gamma phi delta omega epsilon")
    v = sp.symbols("b1 t1 g1 p1 d1 o1 e1")
    R = sp.Rational
    be, th, ga, ph, de, om, ep = q
    m = [R(x) for x in ("0.04325", "0.00365", "0.02373", "0.00706", "0.07050", "0.00706", "0.05498")]
    inertia = [R(x) for x in ("2.194e-6", "4.410e-7", "5.255e-6", "5.667e-7", "1.169e-5", "5.667e-7", "1.912e-5")]
    xa, ya, xb, yb, xc, yc = (R(x) for x in ("-0.06934", "-0.00227", "-0.03635", "0.03273", "0.014", "0.072"))
    d, da, e, ea = (R(x) for x in ("0.028", "0.0115", "0.02", "0.01421"))
    rr, ra, l0 = (R(x) for x in ("0.007", "0.00092", "0.07785"))
    ss, sa, sb, sc, sd = (R(x) for x in ("0.035", "0.01874", "0.01043", "0.018", "0.02"))
    ta, tb, u, ua, ub = (R(x) for x in ("0.02308", "0.00916", "0.04", "0.01228", "0.00449"))
    zf, zt, fa, mom, c0 = R("0.02"), R("0.04"), R("0.01421"), R("0.033"), 4530
    s, c = sp.sin, sp.cos
    centres = [
        (ra * c(be), ra * s(be), be),
        (rr * c(be) - da * c(be + th), rr * s(be) - da * s(be + th), be + th),
        (xb + sa * s(ga) + sb * c(ga), yb - sa * c(ga) + sb * s(ga), ga),
        (xa + zt * c(de) + (e - ea) * s(ph + de), ya + zt * s(de) - (e - ea) * c(ph + de), ph + de),
        (xa + ta * c(de) - tb * s(de), ya + ta * s(de) + tb * c(de), de),
        (xa + u * s(ep) + (zf - fa) * c(om + ep), ya - u * c(ep) + (zf - fa) * s(om + ep), om + ep),
        (xa + ua * s(ep) - ub * c(ep), ya - ua * c(ep) - ub * s(ep), ep),
    ]
    rate = lambda f: sum(sp.diff(f, x) * w for x, w in zip(q, v))
    kinetic = sum(
        mm * (rate(x) ** 2 + rate(y) ** 2) / 2 + i * rate(angle) ** 2 / 2
        for mm, i, (x, y, angle) in zip(m, inertia, centres)
    )
    xd, yd = sd * c(ga) + sc * s(ga) + xb, sd * s(ga) - sc * c(ga) + yb
    length = sp.sqrt((xd - xc) ** 2 + (yd - yc) ** 2)
    potential = c0 * (length - l0) ** 2 / 2
    kx, ky = rr * c(be) - d * c(be + th), rr * s(be) - d * s(be + th)
    constraints = [
        kx - ss * s(ga) - xb,
        ky + ss * c(ga) - yb,
        kx - e * s(ph + de) - zt * c(de) - xa,
        ky + e * c(ph + de) - zt * s(de) - ya,
        kx - zf * c(om + ep) - u * s(ep) - xa,
        ky - zf * s(om + ep) + u * c(ep) - ya,
    ]
    a = equations(q, v, kinetic, potential, [mom, 0, 0, 0, 0, 0, 0], constraints, t)
    start = [
        "-0.0617138900142764496358948458001", "0", "0.455279819163070380255912382449",
        "0.222668390165885884674473185609", "0.487364979543842550225598953530",
        "-0.222668390165885884674473185609", "1.23054744454982119249735015568",
    ]
    start = [mpf(x) for x in start] + [mpf(0)] * 7
    return second_order(a, 7), start, mpf("0.03"), mpf("0.0001"), ["angles", "velocities"]


def slider_crank():
    """A rigid crank and a rigid rod with the lengths, masses and inertias of the test set's slider crank, under gravity, and
    with a crank that is free."""
    t = sp.Symbol("t")
    q = sp.symbols("phi1 phi2 x")
    v = sp.symbols("w1 w2 u")
    R = sp.Rational
    l1, l2, j1, m2, j2, m3, g = (R(x) for x in ("0.15", "0.3", "0.002727", "0.151104", "0.0045339259", "0.075552", "9.81"))
    cx = l1 * sp.cos(q[0]) + l2 * sp.cos(q[1]) / 2
    cy = l1 * sp.sin(q[0]) + l2 * sp.sin(q[1]) / 2
    rate = lambda f: sum(sp.diff(f, x) * w for x, w in zip(q, v))
    kinetic = j1 * v[0] ** 2 / 2 + m2 * (rate(cx) ** 2 + rate(cy) ** 2) / 2 + j2 * v[1] ** 2 / 2 + m3 * v[2] ** 2 / 2
    constraints = [l1 * sp.sin(q[0]) + l2 * sp.sin(q[1]), q[2] - l1 * sp.cos(q[0]) - l2 * sp.cos(q[1])]
    a = equations(q, v, kinetic, g * m2 * cy, [0] * 3, constraints, t)
    start = [mpf(0), mpf(0), mpf("0.45"), mpf(150), mpf(-75), mpf(0)]
    return second_order(a, 3), start, mpf("0.1"), mpf("0.001"), ["phi1 phi2 x", "velocities"]


def flexible_crank():
    """The slider crank with a flexible rod, as the test set has it: the shapes of the rod are two sines across and two parabolas
    along it, pi has eight digits, and the mass matrix of the parabolas lacks the factor 1/15. In the four elastic coordinates
    alone: the crank turns evenly, so that the other angle and the slider follow. Numbers of 64 bits (long double), with
    constants that are made in them; Gragg's extrapolation of order 16."""
    import numpy as np

    number = np.longdouble
    t, l1, l2, j1, j2, m2, m3, pi, stiff, ratio, w1 = names = sp.symbols("t l1 l2 j1 j2 m2 m3 pi stiff ratio w1")
    q, v = sp.symbols("q1:5"), sp.symbols("v1:5")
    third = sp.Symbol("third")
    rate = lambda f: sum(sp.diff(f, x) * w for x, w in zip(q, v)) + sp.diff(f, t)
    length = l2 + q[3]
    s1, c1 = sp.sin(w1 * t), sp.cos(w1 * t)
    s2 = -l1 * s1 / length
    c2 = sp.sqrt(1 - s2**2)
    w2 = rate(s2) / c2
    slide = rate(l1 * c1 + length * c2)
    # integrals along the rod: of the squares of the shapes, of the shapes along it, and of their moments
    cross = lambda a, b: (
        16 / pi**3 * (a[2] * b[0] - a[0] * b[2]) + (1 / pi - 8 / pi**3) * (a[3] * b[0] - a[0] * b[3]) - (a[3] * b[1] - a[1] * b[3]) / (2 * pi)
    )
    square = lambda a: (a[0] ** 2 + a[1] ** 2) / 2 + 8 * a[2] ** 2 + 2 * a[2] * a[3] + 2 * a[3] ** 2
    along = lambda a: 2 * third * a[2] + third / 2 * a[3]
    moment = lambda a: l2 * (a[0] - a[1] / 2) / pi
    sine, cosine = s1 * c2 - c1 * s2, c1 * c2 + s1 * s2
    kinetic = m3 * slide**2 / 2 + (j2 + m2 * (square(q) + 2 * l2 * third * (q[2] + q[3] / 2))) * w2**2 / 2
    kinetic += m2 * (square(v) / 2 + w2 * (moment(v) + cross(q, v)))
    kinetic += m2 * l1 * w1 * (cosine * (w2 * (l2 / 2 + along(q)) + 2 / pi * v[0]) - sine * (along(v) - 2 / pi * w2 * q[0]))
    bending = pi**4 * ratio**2 / 24 * (q[0] ** 2 + 16 * q[1] ** 2)
    potential = stiff * third * (bending * 3 + 16 * q[2] ** 2 - 16 * q[2] * q[3] + 7 * q[3] ** 2) / 2
    momenta = sp.Matrix([sp.diff(kinetic, w) for w in v])
    right = sp.Matrix([sp.diff(kinetic - potential, x) for x in q]) - momenta.jacobian(q) * sp.Matrix(v) - momenta.diff(t)
    expressions = [*sp.hessian(kinetic, v), *right]
    f = sp.lambdify([*names, third, *q, *v], expressions, modules="numpy", cse=True)
    text = {l1: "0.15", l2: "0.3", j1: "0.002727", j2: "0.0045339259", m2: "0.151104", m3: "0.075552", pi: "3.1415927", w1: "150"}
    values = {key: number(x) for key, x in text.items()}
    values[ratio] = number("0.008") / values[l2]
    values[stiff] = number("2e11") * number("0.008") ** 2 / values[l2]
    constants = [values[x] for x in names[1:]] + [number(1) / 3]

    def derivative(time, y):
        numbers = f(time, *constants, *y)
        rows = [[*numbers[4 * i : 4 * i + 4], numbers[16 + i]] for i in range(4)]
        for i in range(4):
            for k in range(i + 1, 4):
                factor = rows[k][i] / rows[i][i]
                for j in range(i, 5):
                    rows[k][j] = rows[k][j] - factor * rows[i][j]
        a = [None] * 4
        for i in (3, 2, 1, 0):
            a[i] = (rows[i][4] - sum(rows[i][j] * a[j] for j in range(i + 1, 4))) / rows[i][i]
        return np.concatenate([y[4:], a])

    start = "0 0 1.03339863e-5 1.69327969e-5 0.444896112581599 4.63433931923867e-3 -1.78591076000055e-6 -2.68938671997904e-6"

    def state(steps):
        """At t = 1/10, after so many steps of order 16."""
        y, h = np.array([number(x) for x in start.split()]), number(1) / (10 * steps)
        for step in range(steps):
            time, rows = step * h, []
            for j, n in enumerate(range(2, 18, 2)):
                d = h / n
                a, b = y, y + d * derivative(time, y)
                for k in range(1, n):
                    a, b = b, a + 2 * d * derivative(time + k * d, b)
                row = [(a + b + d * derivative(time + h, b)) / 2]
                for k in range(j):
                    r = (number(n) / (2 * (j - k))) ** 2
                    row.append(row[k] + (row[k] - rows[j - 1][k]) / (r - 1))
                rows.append(row)
            y = rows[-1][-1]
        angle = f_place(number(1) / 10, *constants, *y)
        return [*angle, *y]

    f_place = sp.lambdify([*names, third, *q, *v], [sp.asin(s2), l1 * c1 + length * c2, w2, slide], modules="numpy")
    return state


def governor():
    """A governor of two balls: the spindle turns by phi, the arms have the angle alpha to it, the sleeve hangs on two more rods
    and on a spring with a damper. In two coordinates, without constraints."""
    t = sp.Symbol("t")
    q = sp.symbols("phi alpha")
    v = sp.symbols("w b")
    R = sp.Rational
    ball, sleeve, rod, length, g = R(5), R(2), R(3), R(1), R("9.81")
    stiffness, damping, rest, spindle = 8000, 40, R(1, 2), R(1, 5)
    x, z = length * sp.sin(q[1]), -length * sp.cos(q[1])
    s = 2 * z
    rate = lambda f: sum(sp.diff(f, a) * w for a, w in zip(q, v))
    at = lambda c: sp.Matrix([c * x, z])
    speed2 = lambda a, b: rate(a) ** 2 + rate(b) ** 2 + a**2 * v[0] ** 2
    # A uniform rod from A to B has the kinetic energy m (A'.A' + A'.B' + B'.B')/6; here A' = 0 above, and B is the ball.
    upper = rod * speed2(x, z) / 6
    lower = rod * (speed2(x, z) + rate(s) ** 2 + rate(z) * rate(s)) / 6
    kinetic = 2 * (ball * speed2(x, z) / 2 + upper + lower) + sleeve * rate(s) ** 2 / 2 + spindle * v[0] ** 2 / 2
    spring = stiffness * (s + 2 * length - rest) ** 2 / 2
    potential = 2 * (ball * g * z + rod * g * z / 2 + rod * g * (z + s) / 2) + sleeve * g * s + spring
    a = equations(q, v, kinetic, potential, [0, -damping * rate(s) * sp.diff(s, q[1])], [], t)
    start = [mpf(0), mp.pi / 6, 2 * mp.pi, mpf(0)]
    return second_order(a, 2), start, mpf(10), mpf("0.01"), ["phi alpha", "velocities"]


def rattleback():
    """An ellipsoid that rolls, by the equations of Newton and Euler in the frame of the body. States: the upward vertical n and
    the angular velocity w, both in the body; the centre of mass lies h below the centre of the ellipsoid:

        I w' + w x I w = rho x F,   m (v' + w x v) = F - m g n,   v = -w x rho,   n' = n x w.
    """
    A, B, C, D = (mpf(x) for x in ("0.0002", "0.0016", "0.0017", "-0.00002"))
    axes = [mpf("0.2"), mpf("0.03"), mpf("0.02")]
    mass, g, h = mpf(1), mpf("9.81"), mpf("0.01")
    inertia = matrix([[A, D, 0], [D, B, 0], [0, 0, C]])
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    squares = [a * a for a in axes]

    def f(t, y):
        n, w = y[:3], y[3:6]
        n1 = cross(n, w)
        root = mp.sqrt(dot(squares, [x * x for x in n]))
        root1 = sum(s * x * x1 for s, x, x1 in zip(squares, n, n1)) / root
        rho = [-s * x / root for s, x in zip(squares, n)]
        rho1 = [-s * (x1 / root - x * root1 / root**2) for s, x, x1 in zip(squares, n, n1)]
        rho[2] += h
        iw = list(inertia * matrix(w))
        # F = m (v' + w x v) + m g n with v' = -w' x rho - w x rho', so that I w' + m rho x (w' x rho) = right.
        v = [-x for x in cross(w, rho)]
        rest = [mass * (-a + b + g * c) for a, b, c in zip(cross(w, rho1), cross(w, v), n)]
        right = [a - b for a, b in zip(cross(rho, rest), cross(w, iw))]
        r2 = dot(rho, rho)
        K = matrix(3, 3)
        for i in range(3):
            for j in range(3):
                K[i, j] = inertia[i, j] + mass * ((r2 if i == j else 0) - rho[i] * rho[j])
        return n1 + list(lu_solve(K, matrix(right)))

    # The angles of the program: n = R^T e3 for R = Rz(psi) Rx(theta) Ry(phi).
    theta, phi = mpf(1) / 100, mpf(1) / 100
    n = [-mp.cos(theta) * mp.sin(phi), mp.sin(theta), mp.cos(theta) * mp.cos(phi)]
    start = n + [-5 * x for x in n]
    return f, start, mpf(2), mpf("0.01"), ["n", "angular velocity in the body"]


def pendulum():
    """From the horizontal: the angle from below is -2 asin(k cd(w t, k)). In closed form, so that nothing is integrated."""
    k, w, t = mp.sin(mp.pi / 4), mp.sqrt(mpf("9.81")), mpf(10)
    angle = lambda s: -2 * mp.asin(k * mp.ellipfun("cd", w * s, m=k * k))
    rate = mp.diff(angle, t)
    return [mp.sin(angle(t)), -mp.cos(angle(t)), rate * mp.cos(angle(t)), rate * mp.sin(angle(t))]


def fekete():
    """Twenty particles on a sphere that repel each other and are slowed down, in numbers of 120 bits after the point."""
    bits = 120
    one = 1 << bits
    angles = [(2 * mpf(i) / 3 * mp.pi + 2 * mp.pi / 13, 3 * mp.pi / 8) for i in range(1, 4)]
    angles += [(2 * mpf(i - 3) / 7 * mp.pi + 2 * mp.pi / 29, mp.pi / 8) for i in range(4, 11)]
    angles += [(2 * mpf(i - 10) / 6 * mp.pi + 2 * mp.pi / 7, -2 * mp.pi / 15) for i in range(11, 17)]
    angles += [(2 * mpf(i - 17) / 4 * mp.pi + 2 * mp.pi / 17, -3 * mp.pi / 10) for i in range(17, 21)]
    points = [(mp.cos(w) * mp.cos(b), mp.sin(w) * mp.cos(b), mp.sin(b)) for w, b in angles]
    start = [int(mp.nint(p[k] * one)) for k in range(3) for p in points] + [0] * 60

    def f(s):
        x, y, z, u, v, w = (s[20 * k : 20 * k + 20] for k in range(6))
        a, b, c = [0] * 20, [0] * 20, [0] * 20
        for i in range(20):
            xi, yi, zi = x[i], y[i], z[i]
            for j in range(i):
                dx, dy, dz = xi - x[j], yi - y[j], zi - z[j]
                # 1/r^2, in the same units
                r = (1 << (3 * bits)) // (dx * dx + dy * dy + dz * dz)
                fx, fy, fz = dx * r >> bits, dy * r >> bits, dz * r >> bits
                a[i] += fx
                b[i] += fy
                c[i] += fz
                a[j] -= fx
                b[j] -= fy
                c[j] -= fz
        for i in range(20):
            a[i] -= u[i] >> 1
            b[i] -= v[i] >> 1
            c[i] -= w[i] >> 1
            # p.a = -v.v: the reaction along p
            pa = x[i] * a[i] + y[i] * b[i] + z[i] * c[i] + u[i] * u[i] + v[i] * v[i] + w[i] * w[i]
            reaction = (pa << bits) // (x[i] * x[i] + y[i] * y[i] + z[i] * z[i])
            a[i] -= reaction * x[i] >> bits
            b[i] -= reaction * y[i] >> bits
            c[i] -= reaction * z[i] >> bits
        return u + v + w + a + b + c

    return f, start, bits


def fekete_at(end, steps):
    """The state at an integer time, by Gragg's extrapolation of order 20 with steps of 1/steps. With 2 and with 4 steps in each
    unit of time the values at 20 agree to 13 digits."""
    f, y, bits = fekete()
    sequence = [2 * k for k in range(1, 11)]
    for _ in range(end * steps):
        rows = []
        for j, n in enumerate(sequence):
            m = n * steps
            a, b = y, [u + w // m for u, w in zip(y, f(y))]
            for _ in range(1, n):
                a, b = b, [u + 2 * w // m for u, w in zip(a, f(b))]
            row = [[(u + w + x // m) // 2 for u, w, x in zip(a, b, f(b))]]
            for k in range(j):
                p, r = n * n, sequence[j - k - 1] ** 2
                row.append([u + (u - w) * r // (p - r) for u, w in zip(row[k], rows[j - 1][k])])
            rows.append(row)
        y = rows[-1][-1]
    return [mpf(x) / (1 << bits) for x in y]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if name in ("pendulum", "fekete"):
            for x in pendulum() if name == "pendulum" else fekete_at(20, 4):
                print("   ", mp.nstr(x, 18), flush=True)
            continue
        if name == "flexible_crank":
            state = flexible_crank()
            coarse, fine = state(3000), state(4000)
            print(name, "two runs agree to", max(abs(a - b) / abs(b) for a, b in zip(coarse, fine)))
            for x in fine:
                print("   ", x, flush=True)
            continue
        f, y, end, h, _ = globals()[name]()
        coarse, _ = integrate(f, mpf(0), y, end, h, mpf(10) ** -15)
        fine, steps = integrate(f, mpf(0), y, end, h, mpf(10) ** -20)
        agree = max(abs(a - b) / (1 + abs(b)) for a, b in zip(coarse, fine))
        print(name, steps, "steps, two runs agree to", mp.nstr(agree, 2))
        for x in fine + (bricard_rods(fine[0], fine[1])[2] if name == "bricard" else []):
            print("   ", mp.nstr(x, 18), flush=True)
