"""Lyapunov exponents of a finite time, by another way: the whole derivative of the flow is integrated with the equations
written by hand, in 50 digits, and decomposed once, Phi(T) = Q R. No frame is made orthonormal on the way.

    python3 tests/oracle/lyapunov.py        (needs mpmath)
"""
import mpmath as mp

mp.mp.dps = 50


def exponents(f, jacobian, state, T, steps):
    n = len(state)

    def field(y):
        x = y[:n]
        J = jacobian(x)
        dx = f(x)
        d = [sum(J[i][k] * y[n + k * n + j] for k in range(n)) for i in range(n) for j in range(n)]
        return dx + d

    y = [mp.mpf(v) for v in state] + [mp.mpf(i == j) for i in range(n) for j in range(n)]
    # Gragg's extrapolation in large steps: smooth, without tables, to more digits than are compared.
    H = mp.mpf(T) / steps
    for _ in range(steps):
        table = []
        for k in range(1, 11):
            m = 2 * k
            h = H / m
            z0, z1 = y, [a + h * b for a, b in zip(y, field(y))]
            for _ in range(m - 1):
                z0, z1 = z1, [a + 2 * h * b for a, b in zip(z0, field(z1))]
            end = [(a + b + h * c) / 2 for a, b, c in zip(z0, z1, field(z1))]
            row = [end]
            for j in range(1, k):
                factor = (mp.mpf(2 * k) / (2 * (k - j))) ** 2 - 1
                row.append([a + (a - b) / factor for a, b in zip(row[j - 1], table[-1][j - 1])])
            table.append(row)
        y = table[-1][-1]
    phi = mp.matrix(n, n)
    for i in range(n):
        for j in range(n):
            phi[i, j] = y[n + i * n + j]
    _, r = mp.qr(phi)
    return sorted((mp.log(abs(r[i, i])) / T for i in range(n)), reverse=True), y[:n]


def henon_heiles(x):
    a, b, u, v = x
    return [u, v, -a - 2 * a * b, -b - a * a + b * b]


def henon_heiles_jacobian(x):
    a, b, _, _ = x
    return [[0, 0, 1, 0], [0, 0, 0, 1], [-1 - 2 * b, -2 * a, 0, 0], [-2 * a, -1 + 2 * b, 0, 0]]


def double_pendulum(x):
    # Two rods of length 1, two masses 1, g = 1; angles from below.
    a, b, u, v = x
    c, s = mp.cos(a - b), mp.sin(a - b)
    # [2 c; c 1] (u', v') = (-s v^2 - 2 sin a, s u^2 - sin b)
    p, q = -s * v * v - 2 * mp.sin(a), s * u * u - mp.sin(b)
    d = 2 - c * c
    return [u, v, (p - c * q) / d, (2 * q - c * p) / d]


def numerical_jacobian(f):
    # Central differences of 50 digits with a step of 1e-16: 30 digits.
    def jacobian(x):
        h = mp.mpf(10) ** -16
        columns = []
        for j in range(len(x)):
            up = f([v + h * (i == j) for i, v in enumerate(x)])
            down = f([v - h * (i == j) for i, v in enumerate(x)])
            columns.append([(a - b) / (2 * h) for a, b in zip(up, down)])
        return [[columns[j][i] for j in range(len(x))] for i in range(len(x))]

    return jacobian


if __name__ == "__main__":
    found, last = exponents(henon_heiles, henon_heiles_jacobian, ["0", "-0.25", "0.42", "0"], 100, 200)
    print("Henon-Heiles", [mp.nstr(v, 14) for v in found], [mp.nstr(v, 12) for v in last])
    found, last = exponents(double_pendulum, numerical_jacobian(double_pendulum), ["2", "2.5", "0", "0"], 20, 160)
    print("double pendulum", [mp.nstr(v, 14) for v in found], [mp.nstr(v, 12) for v in last])
