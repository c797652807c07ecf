#!/usr/bin/env python3
"""Equal pairs for the algebra, made by SymPy: writes tests/data/sympy_equal.txt and sympy_unequal.txt.

Each line of the first: how the pair was made | left | right. The right side is the left one after a rewriting of
SymPy that is valid on the common real domain; the kernel must prove the two equal. Lines of the second hold pairs that
differ: the right side was changed in one place, and SymPy's value at a point shows the difference.
Also: derivatives (`diff x`, `diff y`), determinants and integrals over [0, 1] of the variable u.
The tests only read the files. Needs SymPy 1.14.
"""
import random
import re
from pathlib import Path

import sympy as sp

random.seed(20240617)
x, y, z, a, b = sp.symbols("x y z a b", real=True)
u = sp.Symbol("u", real=True)
VARS = [x, y, z, a, b]
HERE = Path(__file__).resolve().parent.parent / "data"


def number():
    return random.choice([sp.Integer(n) for n in (-3, -2, -1, 1, 2, 3, 5)] + [sp.Rational(1, 2), sp.Rational(-2, 3)])


def monomial(variables, degree=3):
    m = number()
    for _ in range(random.randint(0, degree)):
        m *= random.choice(variables)
    return m


def polynomial(variables, terms=3, degree=3):
    return sum(monomial(variables, degree) for _ in range(random.randint(2, terms + 1)))


def rational(variables):
    d = polynomial(variables, 2, 2)
    return polynomial(variables) / (d if d != 0 else sp.Integer(1))


def angle():
    return random.choice([x, y, x + y, 2 * x, x - y, 3 * x, x / 2, x + sp.pi / 3, a * x, 2 * x - 3 * y])


def trigonometric():
    f = [sp.sin, sp.cos]
    e = sum(number() * random.choice(f)(angle()) * random.choice(f)(angle()) ** random.randint(0, 2) for _ in range(3))
    return e + random.choice([0, x, a * y])


def exponential():
    f = [sp.exp, sp.exp, sp.sinh, sp.cosh]
    arguments = [x, -x, x + y, 2 * x, x / 2, a * x, y - 3 * x]
    return sum(number() * random.choice(f)(random.choice(arguments)) * random.choice([1, x, y]) for _ in range(3))


def radical():
    base = random.choice([x**2 + 1, x**2 + y**2 + 1, 4 * x**2 + 4, x**2 + 2])
    r = sp.sqrt(base)
    return (number() + number() * r) ** random.randint(1, 3) / random.choice([1, r, base, r + 2])


def text(e):
    return re.sub(r"\bE\b", "exp(1)", sp.sstr(e).replace("**", "^"))


def emit(lines, how, left, right):
    t = f"{how} | {text(left)} | {text(right)}"
    if len(t) < 900 and left != right and not any(w in t for w in ("I", "zoo", "nan", "Piecewise", "sec", "csc", "cot", "asinh")):
        lines.append(t)


equal, unequal = [], []
for i in range(40):
    p, q = polynomial(VARS), polynomial(VARS)
    e = p * q + p**2
    emit(equal, "expand", e, sp.expand(e))
    emit(equal, "factor", sp.expand(p * q), sp.factor(sp.expand(p * q)))
    emit(unequal, "expand", e, sp.expand(e) + monomial(VARS))
for i in range(40):
    e = rational(VARS) + rational([x, y])
    emit(equal, "together", e, sp.together(e))
    emit(equal, "cancel", e, sp.cancel(e))
    f = rational([x]) + rational([x])
    emit(equal, "apart", f, sp.apart(sp.together(f), x))
    emit(unequal, "together", e, sp.together(e) + sp.Rational(1, 10**30))
for i in range(40):
    e = trigonometric()
    emit(equal, "expand_trig", e, sp.expand(sp.expand_trig(e)))
    emit(equal, "fu", e, sp.fu(e))
    emit(unequal, "trig", e, sp.expand(sp.expand_trig(e)) + sp.Rational(1, 10**40) * sp.sin(x))
for i in range(30):
    e = exponential() * exponential()
    emit(equal, "rewrite exp", e, sp.expand(e.rewrite(sp.exp)))
    emit(unequal, "exp", e, sp.expand(e.rewrite(sp.exp)) + sp.Rational(1, 10**40))
for i in range(30):
    e = radical()
    emit(equal, "radsimp", e, sp.radsimp(sp.expand(e)))
for i in range(40):
    e = random.choice([rational([x, y]), trigonometric(), exponential() / polynomial([x, y]), radical() * sp.sin(x * y)])
    v = random.choice([x, y])
    d = sp.diff(e, v)
    if d != 0:
        emit(equal, f"diff {v}", e, d)
for f in (sp.tan(x), sp.atan(x * y), sp.asin(x / 3), sp.acos(x / 2), sp.atan2(x, y), sp.tanh(x * y), sp.atanh(x / 3),
          sp.log(x**2 + 1), x**3 * sp.exp(-(x**2)), sp.sqrt(x**2 + y**2 + 1), (x**2 + 1) ** sp.Rational(-3, 2), 2**x, (x**2 + 1)**y,
          sp.sin(sp.cos(x)), sp.exp(sp.sin(x) * y), sp.log(sp.exp(x) + 1), sp.tan(x)**3):
    emit(equal, "diff x", f, sp.diff(f, x))
for i in range(20):
    n = random.choice([2, 3, 3])
    m = sp.Matrix(n, n, lambda i, j: random.choice([polynomial(VARS, 1, 2), number(), sp.sin(x), sp.cos(x), sp.Integer(0)]))
    rows = "; ".join(", ".join(text(e) for e in m.row(i)) for i in range(n))
    equal.append(f"det | {rows} | {text(m.det())}")
for i in range(25):
    e = random.choice([
        polynomial([u, x, y]),
        u * sp.exp(2 * u * (x**2 + 1)),
        (u * x + y) ** 3,
        u**2 * sp.cos(3 * u),
        sp.sin(u) * x + u,
        1 / (u + x**2 + 1) ** 2,
        sp.exp(-u) * (u + y),
        u / sp.sqrt(u * x**2 + 1 + y**2) if i < 0 else (u + 1) * sp.sinh(u),
    ])
    value = sp.integrate(e, (u, 0, 1))
    if not value.has(sp.Integral):
        emit(equal, "integral", e, sp.simplify(value))

(HERE / "sympy_equal.txt").write_text("\n".join(dict.fromkeys(equal)) + "\n")
(HERE / "sympy_unequal.txt").write_text("\n".join(dict.fromkeys(unequal)) + "\n")
print(len(equal), len(unequal))
