"""References for stiff equations: Radau IIA with nine stages in 30 digits (mpmath), full Newton, steps by comparison with two halves.
Independent of src/integrate: other arithmetic, other number of stages, no transformation, other step control.

    python3 tests/oracle/stiff.py            # Van der Pol, Robertson, the stiff spring
"""
import sys
from mpmath import mp, mpf, matrix, lu_solve, inverse, polyroots, taylor, legendre, re, sqrt, sin, cos

mp.dps = 30


def radau(s):
    p = lambda x: legendre(s, 2 * x - 1) - legendre(s - 1, 2 * x - 1)
    c = sorted(re(r) for r in polyroots(taylor(p, 0, s)[::-1], maxsteps=500, extraprec=300))
    c[-1] = mpf(1)
    V = matrix(s, s)
    C = matrix(s, s)
    for i in range(s):
        for k in range(s):
            V[i, k] = c[i] ** k
            C[i, k] = c[i] ** (k + 1) / (k + 1)
    return c, C * inverse(V)


S = 9
C, A = radau(S)


def step(f, jac, t, y, h):
    """Newton for z = h A f(y + z); None when it does not converge."""
    n = len(y)
    z = [mpf(0)] * (S * n)
    last = None
    for iteration in range(25):
        F = [f(t + C[i] * h, [y[l] + z[i * n + l] for l in range(n)]) for i in range(S)]
        r = matrix(S * n, 1)
        M = matrix(S * n, S * n)
        J = [jac(t + C[i] * h, [y[l] + z[i * n + l] for l in range(n)]) for i in range(S)]
        for i in range(S):
            for l in range(n):
                r[i * n + l] = z[i * n + l] - h * sum(A[i, j] * F[j][l] for j in range(S))
                M[i * n + l, i * n + l] += 1
                for j in range(S):
                    for m in range(n):
                        M[i * n + l, j * n + m] -= h * A[i, j] * J[j][l][m]
        d = lu_solve(M, r)
        size = max(abs(d[e]) / (abs(y[e % n]) + mpf(10) ** -20) for e in range(S * n))
        z = [z[e] - d[e] for e in range(S * n)]
        if size < mpf(10) ** -24:
            return [y[l] + z[(S - 1) * n + l] for l in range(n)]
        if last is not None and size > 2 * last and iteration > 6:
            return None
        last = size
    return None


def integrate(f, jac, y, end, h, tol):
    t = mpf(0)
    count = 0
    while t < end:
        h = min(h, end - t)
        whole = step(f, jac, t, y, h)
        half = whole and step(f, jac, t, y, h / 2)
        both = half and step(f, jac, t + h / 2, half, h / 2)
        if not both:
            h /= 4
            continue
        error = max(abs(a - b) / (abs(b) + mpf(10) ** -16) for a, b in zip(whole, both))
        if error > tol:
            h *= mpf("0.5")
            continue
        t, y = t + h, both
        count += 1
        h *= min(4, mpf("0.8") * (tol / (error + mpf(10) ** -40)) ** (mpf(1) / (2 * S)))
    return y, count


def van_der_pol():
    e = mpf(10) ** -6
    f = lambda t, y: [y[1], ((1 - y[0] ** 2) * y[1] - y[0]) / e]
    jac = lambda t, y: [[0, 1], [(-2 * y[0] * y[1] - 1) / e, (1 - y[0] ** 2) / e]]
    return f, jac, [mpf(2), mpf("-0.66")], mpf(2), mpf(10) ** -7


def robertson(end=mpf(10) ** 11):
    a, b, c = mpf("0.04"), mpf(10) ** 4, 3 * mpf(10) ** 7
    f = lambda t, y: [b * y[1] * y[2] - a * y[0], a * y[0] - b * y[1] * y[2] - c * y[1] ** 2, c * y[1] ** 2]
    jac = lambda t, y: [[-a, b * y[2], b * y[1]], [a, -b * y[2] - 2 * c * y[1], -b * y[1]], [0, 2 * c * y[1], 0]]
    return f, jac, [mpf(1), mpf(0), mpf(0)], end, mpf(10) ** -6


def spring(k):
    k, g = mpf(k), mpf("9.81")
    c = 2 * sqrt(k)

    def f(t, s):
        x, y, u, v = s
        r = sqrt(x * x + y * y)
        p = (k * (r - 1) + c * (x * u + y * v) / r) / r
        return [u, v, -p * x, -p * y - g]

    def jac(t, s):
        x, y, u, v = s
        r2 = x * x + y * y
        r = sqrt(r2)
        w = x * u + y * v
        p = k * (1 - 1 / r) + c * w / r2
        px = k * x / r**3 + c * u / r2 - 2 * c * w * x / r2**2
        py = k * y / r**3 + c * v / r2 - 2 * c * w * y / r2**2
        pu, pv = c * x / r2, c * y / r2
        return [[0, 0, 1, 0], [0, 0, 0, 1], [-p - x * px, -x * py, -x * pu, -x * pv], [-y * px, -p - y * py, -y * pu, -y * pv]]

    return f, jac, [sin(mpf(1)), -cos(mpf(1)), mpf(0), mpf(0)], mpf(10), mpf(10) ** -4


if __name__ == "__main__":
    cases = {"vdp": van_der_pol, "robertson": robertson, "robertson40": lambda: robertson(mpf(40)), "spring": lambda: spring(10**6)}
    for name in sys.argv[1:] or cases:
        f, jac, y, end, h = cases[name]()
        y, count = integrate(f, jac, y, end, h, mpf(10) ** -17)
        print(name, count, "steps:", *(mp.nstr(x, 17) for x in y), flush=True)
