"""Random singular Lagrangians, and what `dynamics` says about them, checked by formal solutions in floating point.

    python formal.py LEPAGE FROM TO SEED [changed]

asks the program LEPAGE about the systems FROM … TO − 1 and prints a line for each; what the answer says and this file cannot confirm is marked BAD. It
shares nothing with Lepage:

- A motion is a truncated power series q_i = Σ c_{i,n} t^n. The coefficients of the equations along it, and their derivatives with respect to c, come
  from arithmetic of series; c is found by damped Gauss-Newton steps from several starts.
- A branch: points of it are found by the same steps, the differentials of its equations leave its dimension, a motion passes through
  it along which these equations hold, and the kernel of the linearised equations, projected to the highest derivatives, has as many dimensions as functions are said to be free.
- A complete answer: motions that are found from other starts, some with a factor of the answer set to zero, lie on a branch.
- With `changed`, the dimensions and numbers of a complete answer are those of the system in other coordinates, in another order, with a total derivative.

Floating point proves nothing: close to a multiple root a point may seem to have a motion, and what is marked has to be derived by hand. In 201
systems, and others in changed coordinates, nothing that was marked was wrong; what was found by reading the answers beside them is in tests/defects/singular/X05.
"""
import json
import math
import random
import re
import subprocess
import sys
import time
import sympy as sp


class Out(Exception):
    pass


class S:
    __slots__ = ('c',)
    N = 1

    def __init__(s, c):
        s.c = c

    @staticmethod
    def of(x):
        if isinstance(x, S):
            return x
        return S([float(x)] + [0.0] * (S.N - 1))

    def __add__(a, b):
        b = S.of(b)
        return S([x + y for x, y in zip(a.c, b.c)])
    __radd__ = __add__

    def __neg__(a):
        return S([-x for x in a.c])

    def __sub__(a, b):
        return a + -S.of(b)

    def __rsub__(a, b):
        return S.of(b) - a

    def __mul__(a, b):
        if not isinstance(b, S):
            b = float(b)
            return S([x * b for x in a.c])
        n = S.N
        r = [0.0] * n
        for i, x in enumerate(a.c):
            if x:
                for j in range(n - i):
                    r[i + j] += x * b.c[j]
        return S(r)
    __rmul__ = __mul__

    def __truediv__(a, b):
        b = S.of(b)
        if abs(b.c[0]) < 1e-09:
            raise Out
        n = S.N
        r = []
        for i in range(n):
            s = a.c[i] - sum((r[j] * b.c[i - j] for j in range(i)))
            r.append(s / b.c[0])
        return S(r)

    def __rtruediv__(a, b):
        return S.of(b) / a

    def __pow__(a, k):
        if isinstance(k, S):
            raise Out
        if float(k) == int(k):
            k = int(k)
            if k < 0:
                return S.of(1) / a ** (-k)
            r = S.of(1)
            for _ in range(k):
                r = r * a
            return r
        if a.c[0] <= 1e-09:
            raise Out
        n = S.N
        k = float(k)
        r = [a.c[0] ** k]
        for m in range(1, n):
            r.append(sum(((k * j - (m - j)) * a.c[j] * r[m - j] for j in range(1, m + 1))) / (m * a.c[0]))
        return S(r)

    def __rpow__(a, b):
        return fexp(a * math.log(b))


def pair(a, s, c, sg):
    n = S.N
    u = [s]
    v = [c]
    for m in range(1, n):
        u.append(sum((j * a.c[j] * v[m - j] for j in range(1, m + 1))) / m)
        v.append(sg * sum((j * a.c[j] * u[m - j] for j in range(1, m + 1))) / m)
    return (S(u), S(v))


def big(a):
    if abs(a.c[0]) > 30:
        raise Out


def fexp(a):
    if not isinstance(a, S):
        return math.exp(a)
    big(a)
    r = [math.exp(a.c[0])]
    for m in range(1, S.N):
        r.append(sum((j * a.c[j] * r[m - j] for j in range(1, m + 1))) / m)
    return S(r)


def fsin(a):
    a = S.of(a)
    return pair(a, math.sin(a.c[0]), math.cos(a.c[0]), -1)[0]


def fcos(a):
    a = S.of(a)
    return pair(a, math.sin(a.c[0]), math.cos(a.c[0]), -1)[1]


def fsinh(a):
    a = S.of(a)
    big(a)
    return pair(a, math.sinh(a.c[0]), math.cosh(a.c[0]), 1)[0]


def fcosh(a):
    a = S.of(a)
    big(a)
    return pair(a, math.sinh(a.c[0]), math.cosh(a.c[0]), 1)[1]


def ftan(a):
    return fsin(a) / fcos(a)


def ftanh(a):
    return fsinh(a) / fcosh(a)


def fabs(a):
    a = S.of(a)
    if abs(a.c[0]) < 1e-06:
        raise Out
    return a if a.c[0] > 0 else -a


def fsign(a):
    a = S.of(a)
    if abs(a.c[0]) < 1e-06:
        raise Out
    return S.of(1 if a.c[0] > 0 else -1)


def flog(a):
    a = S.of(a)
    if a.c[0] <= 1e-09:
        raise Out
    n = S.N
    r = [math.log(a.c[0])]
    for m in range(1, n):
        r.append((a.c[m] - sum((j * r[j] * a.c[m - j] for j in range(1, m))) / m) / a.c[0])
    return S(r)
MOD = {'sin': fsin, 'cos': fcos, 'exp': fexp, 'tan': ftan, 'sinh': fsinh, 'cosh': fcosh, 'tanh': ftanh, 'Abs': fabs, 'sign': fsign, 'log': flog, 'ABS': fabs, 'SIGN': fsign, 'sqrt': lambda a: S.of(a) ** 0.5, 'pi': math.pi, 'E': math.e}


def rank(M, tol=1e-07):
    """By complete pivoting, rows scaled; and the ratio of the gap."""
    M = [r[:] for r in M if any((abs(v) > 1e-09 for v in r))]
    for r in M:
        s = max((abs(x) for x in r))
        for j in range(len(r)):
            r[j] /= s
    k = 0
    if not M:
        return 0
    n = len(M[0])
    cols = list(range(n))
    first = None
    while k < len(M) and k < n:
        best, bi, bj = (0, -1, -1)
        for i in range(k, len(M)):
            for j in range(k, n):
                if abs(M[i][j]) > best:
                    best, bi, bj = (abs(M[i][j]), i, j)
        if first is None:
            first = best
        if best < tol:
            break
        M[k], M[bi] = (M[bi], M[k])
        for r in M:
            r[k], r[bj] = (r[bj], r[k])
        for i in range(k + 1, len(M)):
            f = M[i][k] / M[k][k]
            if f:
                for j in range(k, n):
                    M[i][j] -= f * M[k][j]
        k += 1
    return k


def solve_spd(A, b):
    n = len(b)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = A[i][j] - sum((L[i][k] * L[j][k] for k in range(j)))
            if i == j:
                if s <= 0:
                    return None
                L[i][i] = math.sqrt(s)
            else:
                L[i][j] = s / L[j][j]
    y = [0.0] * n
    for i in range(n):
        y[i] = (b[i] - sum((L[i][k] * y[k] for k in range(i)))) / L[i][i]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (y[i] - sum((L[k][i] * x[k] for k in range(i + 1, n)))) / L[i][i]
    return x


def lm(fun, x, steps=60, goal=1e-30):
    """Damped Gauss-Newton, minimum norm steps: fun(x) -> (residuals, jacobian)."""
    lam = 0.01
    try:
        r, J = fun(x)
    except (Out, OverflowError, ValueError):
        return None
    f = sum((v * v for v in r))
    for _ in range(steps):
        if f < goal:
            break
        m, n = (len(r), len(x))
        ok = False
        for _try in range(6):
            if m <= n:
                A = [[sum((a * b for a, b in zip(J[i], J[j]))) for j in range(m)] for i in range(m)]
                for i in range(m):
                    A[i][i] += lam + 1e-15
                w = solve_spd(A, [-v for v in r])
                d = None if w is None else [sum((J[i][k] * w[i] for i in range(m))) for k in range(n)]
            else:
                A = [[sum((J[i][a] * J[i][b] for i in range(m))) for b in range(n)] for a in range(n)]
                for i in range(n):
                    A[i][i] += lam + 1e-15
                d = solve_spd(A, [-sum((J[i][k] * r[i] for i in range(m))) for k in range(n)])
            if d is None:
                lam = lam * 10 + 1e-12
                continue
            y = [a + b for a, b in zip(x, d)]
            try:
                r2, J2 = fun(y)
                f2 = sum((v * v for v in r2))
            except (Out, OverflowError, ValueError):
                f2 = float('inf')
            if f2 < f:
                x, r, J, f = (y, r2, J2, f2)
                lam = lam * 0.05
                ok = True
                break
            lam = max(lam, 1e-12) * 10
        if not ok:
            break
    return (x, f)


class System:
    """Equations in symbols name_k; order s; q the names."""

    def __init__(self, q, eqs, s):
        A, G = (sp.Function('ABS'), sp.Function('SIGN'))
        code = lambda e: e.replace(sp.Derivative, lambda *a: 0).replace(sp.DiracDelta, lambda *a: 0).replace(sp.Abs, A).replace(sp.sign, G)
        self.q, self.s, self.eqs = (q, s, eqs)
        self.t = sp.Symbol('t', real=True)
        self.explicit_t = any((self.t in e.free_symbols for e in eqs))
        self.args = [self.t] + [sp.Symbol(f'{n}_{k}', real=True) for n in q for k in range(s + 1)]
        self.f = [sp.lambdify(self.args, code(e), modules=[MOD]) for e in eqs]
        self.P = [[[(lambda d: None if d == 0 else sp.lambdify(self.args, code(d), modules=[MOD]))(sp.diff(e, sp.Symbol(f'{n}_{k}', real=True))) for k in range(s + 1)] for n in q] for e in eqs]

    def series(self, c, t0, K):
        S.N = K + 1
        a = [S([t0, 1.0] + [0.0] * K) if K else S([t0])]
        a[0].c = a[0].c[:K + 1]
        for i in range(len(self.q)):
            for k in range(self.s + 1):
                a.append(S([c[i][m + k] * math.perm(m + k, k) for m in range(K + 1)]))
        return a

    def residual(self, c, t0, K, which=None):
        """Coefficients e_m, m = 0..K and Jacobian with respect to all c_{i,n}."""
        a = self.series(c, t0, K)
        n = self.s + K + 1
        m = len(self.q)
        r, J = ([], [])
        for e in range(len(self.f)):
            v = S.of(self.f[e](*a)).c
            P = [[None if p is None else S.of(p(*a)).c for p in row] for row in self.P[e]]
            for k in range(K + 1):
                r.append(v[k])
                row = [0.0] * (m * n)
                for i in range(m):
                    for o in range(self.s + 1):
                        p = P[i][o]
                        if p is None:
                            continue
                        for j in range(o, o + k + 1):
                            row[i * n + j] += p[k - (j - o)] * math.perm(j, o)
                J.append(row)
        return (r, J)


def sym(n, k):
    return sp.Symbol(f'{n}_{k}', real=True)


def parse(text, q):

    def rep(m):
        name, p = (m.group(1), m.group(2))
        if name in q:
            return f'{name}_{len(p)}'
        return name + p
    t = re.sub("([A-Za-z]\\w*)('*)", rep, text.replace('^', '**'))
    loc = {f'{n}_{k}': sym(n, k) for n in q for k in range(9)}
    loc['t'] = sp.Symbol('t', real=True)
    loc['abs'] = sp.Abs
    loc['sgn'] = sp.sign
    for p in PARAMS:
        loc[p] = sp.Symbol(p, real=True)
    return sp.sympify(t, locals=loc)
PARAMS = ['a', 'b']


def D(e, q, top=8):
    return sp.diff(e, sp.Symbol('t', real=True)) + sum((sp.diff(e, sym(n, k)) * sym(n, k + 1) for n in q for k in range(top)))


def euler(l, q, r):
    out = []
    for n in q:
        e = 0
        for k in range(r + 1):
            term = sp.diff(l, sym(n, k))
            for _ in range(k):
                term = D(term, q)
            e += (-1) ** k * term
        out.append(sp.expand(e) if not e.has(sp.Abs) else e)
    return out


def order(eqs, q):
    return max([k for e in eqs for n in q for k in range(9) if sym(n, k) in e.free_symbols] + [0])


def run(program, extra=()):
    begin = time.time()
    try:
        p = subprocess.run([sys.argv[1], 'run', '--format', 'json', '--time', '30', '-', *extra], input=program, capture_output=True, text=True, timeout=150)
    except subprocess.TimeoutExpired:
        return (None, 'HANG', 150)
    took = time.time() - begin
    lines = []
    for l in p.stdout.splitlines():
        try:
            lines.append(json.loads(l))
        except ValueError:
            pass
    if 'panic' in p.stderr or p.returncode not in (0, 1):
        return (lines, f'rc {p.returncode} {p.stderr[-600:]}', took)
    return (lines, p.stderr, took)


def verdict(v):
    return (v.get('answer'), v.get('ground')) if isinstance(v, dict) else (v, None)


class Checker:

    def __init__(self, q, eqs, values, rng):
        self.q, self.rng = (q, rng)
        self.values = values
        self.eqs = [e.xreplace(values) for e in eqs]
        self.s = order(self.eqs, q)
        self.sys = System(q, self.eqs, self.s) if self.s else None
        self.cache = {}

    def exprs(self, texts):
        return [parse(t, self.q).xreplace(self.values) for t in texts]

    def system_of(self, exprs):
        key = tuple(map(str, exprs))
        if key not in self.cache:
            self.cache[key] = System(self.q, exprs, self.s - 1)
        return self.cache[key]

    def start(self, zero=0.25):
        g = self.rng
        v = lambda: 0.0 if g.random() < zero else g.choice([1.0, -1.0, 0.5, 2.0]) if g.random() < 0.3 else g.uniform(-1.7, 1.7)
        return [[v() for _ in range(self.s)] for _ in self.q]

    def on(self, eqs, start, t0, fixed=()):
        """Project a start to the set."""
        sy = self.system_of(eqs)
        s = self.s
        m = len(self.q)

        def fun(x):
            c = [[x[i * s + k] / math.factorial(k) for k in range(s)] for i in range(m)]
            r, J = sy.residual(c, t0, 0)
            for row in J:
                for i in range(m):
                    for k in range(s):
                        row[i * s + k] /= math.factorial(k)
            return (r, J)
        res = lm(fun, [x for row in start for x in row])
        if res is None:
            return None
        x, f = res
        if max(map(abs, x)) > 60:
            return None
        return ([[x[i * s + k] for k in range(s)] for i in range(m)], f, fun(x)[1])

    def value(self, e, p, t0):
        sub = {self.sys.t: t0}
        for i, n in enumerate(self.q):
            for k in range(self.s):
                sub[sym(n, k)] = p[i][k]
        try:
            return float(e.xreplace({k: sp.Float(v) for k, v in sub.items()}))
        except Exception:
            return float('nan')

    def member(self, p, t0, branches, tol):
        for eqs, non in branches:
            if all((abs(self.value(e, p, t0)) < tol for e in eqs)) and all((abs(self.value(g, p, t0)) > 1e-05 for g in non)):
                return True
        return False

    def formal(self, p, t0, K, more=(), tries=6):
        """A formal solution through p, with equations `more` along it; (c, residual)."""
        s, m = (self.s, len(self.q))
        best = None
        n = s + K + 1
        sy = [self.sys] + [self.system_of(list(more))] * bool(more)
        h = 1.0

        def split(x):
            return [[p[i][k] / math.factorial(k) for k in range(s)] + [v / h ** (k + 1) for k, v in enumerate(x[i * (K + 1):(i + 1) * (K + 1)])] for i in range(m)]

        def fun(x):
            c = split(x)
            r, J = ([], [])
            for y in sy:
                kk = K + self.s - y.s
                rr, JJ = y.residual(c, t0, kk)
                rr = [v * h ** (k % (kk + 1)) for k, v in enumerate(rr)]
                r += rr
                w = y.s + kk + 1
                J += [[row[i * w + j] * h ** (k % (kk + 1) - (j - s + 1)) for i in range(m) for j in range(s, n)] for k, row in enumerate(JJ)]
            return (r, J)
        KK = K
        for attempt in range(tries):
            h = [1.0, 0.2, 0.05, 0.5, 0.1, 0.3][attempt % 6]
            x = [[h * self.rng.uniform(-1, 1) * (attempt > 2)] for i in range(m)]
            for K in range(KK + 1):
                n = s + K + 1
                x = [r + [0.0] * (K + 1 - len(r)) for r in x]
                res = lm(fun, [v for r in x for v in r], steps=80 if K == KK else 25)
                if res is None:
                    break
                x = [res[0][i * (K + 1):(i + 1) * (K + 1)] for i in range(m)]
            K = KK
            n = s + K + 1
            if res and (best is None or res[1] * h ** (-2 * K) < best[1]):
                best = (res[0], res[1] * h ** (-2 * K), h)
            if best and best[1] < 1e-17:
                break
        if best is None:
            return None
        h = best[2]
        return (split(best[0]), best[1], fun(best[0])[1])

    def free(self, J, K):
        m = len(self.q)
        w = K + 1
        A = [i * w for i in range(m)]
        top = [j for j in range(m * w) if j % w]
        return m - (rank(J) - rank([[r[j] for j in top] for r in J]))

    def branch(self, b, K=4):
        eqs, non = (self.exprs(b['equations']), self.exprs(b['nonzero']))
        dim = b['dim']
        if not isinstance(dim, int):
            return ['dim unknown']
        eqs = [e for e in eqs if e != 0]
        total = 1 + len(self.q) * self.s
        bad, seen, ranks = ([], 0, [])
        freedoms, worst = ([], [])
        for attempt in range(14):
            t0 = self.rng.uniform(-1, 1)
            st = self.start(0.0 if attempt < 5 else 0.3)
            if eqs:
                r = self.on(eqs, st, t0)
                if r is None or r[1] > 1e-20:
                    continue
                p, J = (r[0], r[2])
            else:
                p, J = (st, [])
            if any((not abs(self.value(g, p, t0)) > 0.001 for g in non)):
                continue
            seen += 1
            ranks.append(rank(J) if J else 0)
            if total - ranks[-1] != dim:
                continue
            res = self.formal(p, t0, K, eqs)
            if res is None:
                continue
            worst.append((res[1], p))
            if res[1] < 1e-16:
                freedoms.append(self.free(res[2], K))
            if len(worst) >= 3:
                break
        if not seen:
            return ['no point']
        t_in = any((self.sys.t in e.free_symbols for e in eqs))
        if not worst:
            return [f"BAD dimension {dim} but {total - max(ranks)} {total - min(ranks)} at {seen} points of {b['equations']} {b['nonzero']}"]
        if min((w[0] for w in worst)) > 1e-14:
            bad.append(f"BAD no formal solution {['%.1e' % w[0] for w in worst]} at {worst[0][1]} of {b['equations']}")
        elif max((w[0] for w in worst)) > 1e-10:
            bad.append(f"? some points without: {['%.1e' % w[0] for w in worst]} of {b['equations']}")
        if freedoms and b['free'] not in freedoms:
            bad.append(f"BAD free {b['free']} but {freedoms} on {b['equations']}")
        return bad

    def coverage(self, branches, hints, K=4, tries=24):
        """Formal solutions off all branches."""
        s, m = (self.s, len(self.q))
        n = s + K + 1
        out = []
        found = 0
        for attempt in range(tries):
            t0 = self.rng.uniform(-1, 1)
            st = self.start([0.0, 0.3, 0.6][attempt % 3])
            add = []
            if hints and attempt % 2:
                add = self.rng.sample(hints, min(len(hints), self.rng.choice([1, 1, 2])))
            hold = [(i, k) for i in range(m) for k in range(s) if self.rng.random() < 0.35] if attempt % 4 == 2 else []
            sa = self.system_of(add) if add else None

            def c_of(x):
                return [x[i * n:(i + 1) * n] for i in range(m)]

            def fun(x):
                c = c_of(x)
                r, J = self.sys.residual(c, t0, K)
                if sa:
                    rr, JJ = sa.residual(c, t0, 0)
                    r = r + rr
                    w = sa.s + 1
                    J = J + [[row[i * w + j] if j < w else 0.0 for i in range(m) for j in range(n)] for row in JJ]
                for i, k in hold:
                    for row in J:
                        row[i * n + k] = 0.0
                return (r, J)
            x = []
            for i in range(m):
                x += [st[i][k] / math.factorial(k) for k in range(s)] + [self.rng.uniform(-1, 1) * (attempt % 5 > 0) / math.factorial(k + s) for k in range(K + 1)]
            res = lm(fun, x, steps=70)
            if not res or res[1] > 1e-24 or max(map(abs, res[0])) > 40:
                continue
            found += 1
            c = c_of(res[0])
            p = [[c[i][k] * math.factorial(k) for k in range(s)] for i in range(m)]
            if self.member(p, t0, branches, 0.03):
                continue
            more = self.formal(p, t0, K + 9, (), 6)
            if more and more[1] < 1e-15:
                out.append((t0, p, more[1], list(map(str, add))))
        return (found, out)


def check(name, program, q, eqs, params, rng, log, dirac=True):
    lines, err, took = run(program)
    rep = {'name': name, 'took': round(took, 1)}
    if lines is None or err.startswith('rc'):
        log(f'{name}: FAULT {err}\n{program}')
        return None
    d = next((l for l in lines if l.get('type') == 'dynamics'), None)
    if d is None or 'value' not in d:
        rep['status'] = 'none'
        log(f'{name}: no answer {err[:300]}')
        return None
    v = d['value']
    full = verdict(v['complete']) == ('yes', 'proved')
    empty = verdict(v['empty'])
    values = {}
    for prm, fact in params.items():
        x = rng.choice([1, 2, sp.Rational(3, 2), sp.Rational(1, 3)])
        if fact is None:
            x *= rng.choice([1, -1])
        values[sp.Symbol(prm, real=True)] = sp.S(x)
    ck = Checker(q, eqs, values, rng)
    notes = []
    inv = None
    if ck.s:
        for i, b in enumerate(v['branches']):
            try:
                notes += [f'[{i + 1}] {x}' for x in ck.branch(b)]
            except Out:
                notes.append('out')
        if full or empty[0] == 'yes':
            brs = [(ck.exprs(b['equations']), ck.exprs(b['nonzero'])) for b in v['final']]
            hints = [g for _, non in brs for g in non] + [sym(n, k) for n in q for k in range(ck.s)]
            for pb in v['primary']:
                hints += ck.exprs(pb['equations'])
            hints = [h for h in set(hints) if not h.is_number]
            try:
                found, off = ck.coverage(brs, hints)
            except RecursionError:
                found, off = (0, [])
            rep['formal'] = found
            for o in off[:2]:
                notes.append(f'BAD not covered {o}')
        if empty[0] == 'yes' and v['branches']:
            notes.append('BAD empty with branches')
    if full:
        inv = tuple(sorted(((b['dim'] if isinstance(b['dim'], int) else -1, b['free']) for b in v['branches'])))
    rep['full'] = full
    rep['certificates'] = [b.get('certificate', {}).get('outcome') for b in v['branches']]
    di = next((l for l in lines if l.get('type') == 'dirac'), None)
    if di and 'value' in di:
        w = di['value']
        rep['agrees'] = verdict(w.get('agrees'))
        rep['dcomplete'] = verdict(w.get('complete'))
        if rep['agrees'][0] == 'no':
            notes.append(f"DISAGREE dirac {w.get('agrees')}")
        nb = w.get('branches')
        if rep['dcomplete'][0] == 'yes' and rep['agrees'][0] != 'yes':
            notes.append(f"? dirac complete, agrees {w['agrees']}")
    elif dirac:
        notes.append('? no dirac')
    for f in re.findall('error\\[\\w+\\]: .*', err):
        notes.append('? ' + f)
    rep['notes'] = notes
    rep['inv'] = inv
    log(f"{name}: {('complete' if full else 'open')} {rep['took']}s inv {inv} cert {rep['certificates']} formal {rep.get('formal')} dirac {rep.get('dcomplete')} agrees {rep.get('agrees')}" + ''.join(('\n    ' + str(x) for x in notes)) + (f'\n{program}' if any(('BAD' in str(x) or 'DISAGREE' in str(x) for x in notes)) else ''))
    return rep


def num(g):
    return g.choice(['1', '-1', '2', '-2', '3', '1/2'])


def poly(g, names, deg, terms, funcs=False):
    out = []
    for _ in range(terms):
        t = [num(g)]
        for _ in range(g.randint(1, deg)):
            x = g.choice(names)
            if funcs and g.random() < 0.35:
                x = g.choice(['sin({})', 'exp({})', 'cos({})', 'sinh({})', '(1 + abs({}))', 'cosh({})', '(2 + sin({}))', 'sqrt(1 + {}^2)']).format(x)
            t.append(x)
        out.append('(' + '*'.join(t) + ')')
    return ' + '.join(out)


def coef(g, x):
    return g.choice(['(2 + sin({}))', '(1 + {}^2)', 'exp({})', 'cosh({})', '(1 + abs({}))', 'sqrt(1 + {}^2)', 'cos({})', '{}', 'sin({})', '({} - sin({}))', '{}^2', '(1 - {}^2)', 'sinh({})', '(1 - cos({}))']).replace('{}', x)


def form(g, x, y):
    a = g.choice(['', '2*', 'a*', 'b*']) if g.random() < 0.4 else ''
    return g.choice([f'{x}^2 + {a}{y}^2', f'{x}^2 - {y}^2', f'({x} - {y})^2', f'{x}*{y}', f'{x}^3 - {y}^2', f'{x}^2*{y}', f'{x}^4 + {a}{y}^4', f'{x}^2 + {y}^2 - 1', f'{x}^2 + {a}{y}', f'({x} - {y})^2*({x} + {y})', f'{x}^2 + {x}*{y} + {y}^2', f'{x}^3', f'{x}^2', f'sin({x})^2 + {y}^2', f'{x} - sin({x})', f'{x}^2 + (2 + sin({y}))*{y}^2', f'sin({x})*{y}', f'exp({x}) - 1 - {y}^2', f'1 - cos({x})', f'sinh({x})^2 + {y}^2', f'{y}*({x}^2+1)', f'{x}^2 + abs({y})', f'cosh({x}) - 1 + {y}^2', f'sin({x} - {y})', f'{x}^2*{y}^2 + {x}^4', f'{x}^2 - sin({y})^2'])


def system(n, g):
    k = n % 16
    N = ['x', 'y', 'z']
    r = 1
    if k == 0:
        q = ['x', 'y', 'z']
        l = f"(x'^2 + {g.choice(['y', '2*y', '-y', '0*y'])}'^2)/2 + z*({form(g, 'x', 'y')})"
        l = f"(x'^2 {g.choice(['+', '-', '+ 0*'])} y'^2)/2 + z*({form(g, 'x', 'y')})"
        if g.random() < 0.4:
            l += f' + {poly(g, q[:2], 2, 1)}'
    elif k == 1:
        q = ['x', 'y', 'z']
        l = f"({form(g, chr(120) + chr(39), 'y' + chr(39))})/(2*z)"
        if 'sin' in l or 'exp' in l or 'cosh' in l or ('abs' in l):
            l = f"(x'^2 {g.choice(['+', '-'])} {coef(g, 'y')}*y'^2)/(2*z)"
        if g.random() < 0.4:
            l += f" + {g.choice(['z', 'z*y', 'z*x^2', 'z/2', '-z*y^2'])}"
    elif k == 2:
        q = ['x', 'y', 'z']
        l = f"x'*z' {g.choice(['+', '-'])} y*z^2/2 + {(poly(g, q, 2, g.choice([0, 1])) if g.random() < 0.5 else '0')}"
        if g.random() < 0.4:
            l = f"x'*z' + {g.choice(['y', 'exp(y)', 'sin(y)', 'y^2'])}*{g.choice(['z^2', 'z^3', 'z*x', '(z-x)^2', 'sin(z)^2', '(1-cos(z))'])}"
    elif k == 3:
        q = N[:g.choice([2, 3])]
        l = f"({num(g)}*x' + {coef(g, 'y')}*y' + {poly(g, q, 2, 1)})^2/2 + {poly(g, q, 3, g.choice([1, 2]), g.random() < 0.3)}"
    elif k == 4:
        q = ['x', 'y']
        l = f"{coef(g, 'y')}*x'^2/2 + {poly(g, q, 3, g.choice([1, 2]), g.random() < 0.3)}"
    elif k == 5:
        q = ['x', 'y']
        l = f"{coef(g, g.choice(q))}*x'^2/2 {g.choice(['+', '-', '+ 0*'])} {coef(g, g.choice(q))}*y'^2/2 + {poly(g, q, 2, 1)}"
    elif k == 6:
        q = N
        l = ' + '.join((f"({poly(g, q, 2, 1, g.random() < 0.3)})*{n}'" for n in q[:2])) + ' + ' + poly(g, q, 3, 2)
    elif k == 7:
        q = N[:g.choice([2, 3])]
        inside = ' + '.join((f"{n}'^2" for n in q)) if g.random() < 0.5 else "x'^2 - " + ' - '.join((f"{n}'^2" for n in q[1:]))
        l = f"{g.choice(['', '(1 + x^2)*', 'exp(y)*', '2*'])}sqrt({inside})" + (f" + {poly(g, q, 1, 1)}*y'" if g.random() < 0.3 else '')
    elif k == 8:
        q = N
        l = f"({num(g)}*x' - y)^2/2 + (y' - z)^2/2*{g.choice(['0', '1'])} + {g.choice(['0', 'x^2', '(x-y)^2', 'x*y'])}"
    elif k == 9:
        r = 2
        q = ['x', 'y']
        l = f"{g.choice([chr(120) + 2 * chr(39) + '^2/2', 'y*x' + 2 * chr(39) + '^2/2', '(x' + 2 * chr(39) + ' - y' + chr(39) + ')^2/2', 'x' + 2 * chr(39) + '*y' + chr(39)])} + {poly(g, q, 3, g.choice([1, 2]))}"
    elif k == 10:
        q = N
        l = f"x'*y' + z*({form(g, 'x', 'y')})" if g.random() < 0.5 else f"z*x'*y' + {poly(g, q, 2, 2)}"
    elif k == 11:
        q = ['x', 'y', 'z', 'w']
        l = f"(x'^2 + y'^2)/2 + z*({form(g, 'x', 'y')}) + w*({form(g, 'y', 'x')})"
    elif k == 12:
        q = N[:2]
        l = f"{g.choice([chr(120) + chr(39) + '^4/4', '(x' + chr(39) + '^2 - 1)^2/4', 'x' + chr(39) + '^3/3', '(x' + chr(39) + '^2 - y^2)^2/4', 'x' + chr(39) + '^2*y' + chr(39) + '/2'])} + {poly(g, q, 2, g.choice([1, 2]))}"
    elif k == 13:
        q = N[:2]
        l = f"{form(g, 'x', 'y')} + {g.choice(['x*y' + chr(39), 'y' + chr(39) + '^2/2', 'x^2*y' + chr(39), 'x' + chr(39) + '^2/2'])}"
    elif k == 14:
        q = N
        l = f"(x'^2 {g.choice(['+', '-'])} a*y'^2)/2 + z*({g.choice(['x^2 + b*y^2', 'a*x + y^2', 'x*y - b', 'x^2+y^2-a', 'x^2-a*y^2', 'b*(x-y)^2', 'sin(x) + a*y'])})"
    else:
        q = N
        l = f"(x'^2 + y'^2)/2 + z*({g.choice(['x' + chr(39) + ' - y', 'x' + chr(39) + '^2 - y' + chr(39) + '^2', 'x' + chr(39) + '^2 + y' + chr(39) + '^2', 'y*x' + chr(39), 'x' + chr(39) + ' - y*y' + chr(39), '(x' + chr(39) + ' - y)^2', 'sin(y)*x' + chr(39), 'x' + chr(39) + '^2 + y^2'])})" + (f' + {poly(g, q, 2, 1)}' if g.random() < 0.4 else '')
    return (q, r, l)


def program(q, r, l, params, dirac=True):
    p = f"manifold Y over t {{ {', '.join(q)} }}\n"
    if params:
        p += 'param ' + ', '.join(params) + '\n'
        for k, f in params.items():
            if f:
                p += f'assume {k} {f}\n'
    p += f'lagrangian L on J{r}(Y) = {l}\ndynamics(L)\n'
    if r == 1 and dirac:
        p += 'dirac(L)\n'
    return p


def change(q, l, g, how):
    """The text of L in other coordinates."""
    e = parse(l, q)
    if how == 'perm':
        m = {n: sym(q[(i + 1) % len(q)], 0) for i, n in enumerate(q)}
    elif how == 'linear':
        m = {n: sym(n, 0) + (g.choice([1, -1, 2]) * sym(q[i - 1], 0) if i else 0) for i, n in enumerate(q)}
        m[q[0]] = m[q[0]] + g.choice([1, -1]) * m[q[-1]]
    elif how == 'tri':
        m = {n: sym(n, 0) + (g.choice([1, -1, 2]) * sym(g.choice(q[:i]), 0) ** 2 if i else 0) for i, n in enumerate(q)}
    elif how == 'total':
        f = g.choice([1, 2]) * sym(q[0], 0) * sym(q[1], 0) + sym(q[-1], 0) ** 2 * sym(q[0], 0)
        e = e + D(f, q)
        m = None
    if m:
        sub = {}
        for n in q:
            v = m[n]
            for k in range(3):
                sub[sym(n, k)] = sp.expand(v)
                v = D(v, q)
        e = e.subs(sub, simultaneous=True)
    t = str(e).replace('**', '^').replace('Abs', 'abs')
    return re.sub('\\b([xyzw])_(\\d)', lambda mm: mm.group(1) + "'" * int(mm.group(2)), t)
if __name__ == '__main__':
    a, b, seed = map(int, sys.argv[2:5])
    meta = len(sys.argv) > 5

    def log(t):
        print(t, flush=True)
    for n in range(a, b):
        g = random.Random(seed * 10007 + n)
        q, r, l = system(n, g)
        params = {}
        for p in 'ab':
            if re.search(f'\\b{p}\\b', l):
                params[p] = g.choice(['> 0', '!= 0', None, '> 0'])
        try:
            e = euler(parse(l, q), q, r)
        except Exception as x:
            log(f'{n}: skip {x}')
            continue
        if all((sp.simplify(f) == 0 for f in e)):
            continue
        prog = program(q, r, l, params)
        try:
            rep = check(f'#{n} {l}', prog, q, e, params, g, log)
        except Exception as x:
            log(f'#{n} {l}: ORACLE {type(x).__name__} {x}')
            continue
        if meta and rep and (rep['inv'] is not None):
            for how in g.sample(['perm', 'linear', 'tri', 'total'], 2):
                l2 = change(q, l, g, how)
                lines, err, took = run(program(q, r, l2, params, True))
                if lines is None:
                    log(f'   FAULT {how} {err}')
                    continue
                d = next((x for x in lines if x.get('type') == 'dynamics'), None)
                if not d or 'value' not in d:
                    log(f'    {how}: none')
                    continue
                v = d['value']
                di = next((x for x in lines if x.get('type') == 'dirac'), None)
                if di and 'value' in di and (verdict(di['value'].get('agrees'))[0] == 'no'):
                    log(f'   DISAGREE dirac {how} {l2}')
                if verdict(v['complete'])[0] != 'yes':
                    log(f'    {how}: open {took:.1f}s')
                    continue
                inv = tuple(sorted(((b['dim'] if isinstance(b['dim'], int) else -1, b['free']) for b in v['branches'])))
                if inv != rep['inv']:
                    log(f"    META {how}: {rep['inv']} became {inv}\n{program(q, r, l2, params)}")
                else:
                    log(f'    {how}: same {took:.1f}s')
