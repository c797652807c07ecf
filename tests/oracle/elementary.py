#!/usr/bin/env python3
"""Values of elementary functions for src/algebra/ball: writes elementary.tsv beside this file.

Each line: function, arguments as rationals separated by commas, value to 100 significant digits.
The arguments are exact rationals; the values come from mpmath at 130 digits. Needs mpmath; the tests
only read the table.
"""
import random
from fractions import Fraction
from pathlib import Path

import mpmath as mp

mp.mp.dps = 130
random.seed(20240611)


def real(x):
    return mp.mpf(x.numerator) / x.denominator


def sample(kind):
    size = random.choice([Fraction(1), Fraction(1, 1000), Fraction(1, 10**25), Fraction(50), Fraction(10**6)])
    x = Fraction(random.randint(-10**9, 10**9), 10**9) * size
    if kind == "unit":
        x = Fraction(random.randint(-10**9 + 1, 10**9 - 1), 10**9) * min(size, 1)
    if kind == "positive":
        x = abs(x) + Fraction(1, 10**30)
    if kind == "near one":
        x = 1 + Fraction(random.randint(1, 9), 10 ** random.randint(1, 40))
    if kind == "moderate":
        x = Fraction(random.randint(-(10**9), 10**9), 10**7)
    return x


FUNCTIONS = {
    "sin": (mp.sin, ["any"]),
    "cos": (mp.cos, ["any"]),
    "tan": (mp.tan, ["any"]),
    "asin": (mp.asin, ["unit"]),
    "acos": (mp.acos, ["unit"]),
    "atan": (mp.atan, ["any"]),
    "sinh": (mp.sinh, ["moderate"]),
    "cosh": (mp.cosh, ["moderate"]),
    "tanh": (mp.tanh, ["moderate"]),
    "atanh": (mp.atanh, ["unit"]),
    "exp": (mp.exp, ["moderate"]),
    "log": (mp.log, ["positive"]),
    "sqrt": (mp.sqrt, ["positive"]),
    "cbrt": (mp.cbrt, ["positive"]),
    "atan2": (mp.atan2, ["any", "any"]),
    "power": (mp.power, ["positive", "unit"]),
}

rows = []
for name, (f, kinds) in FUNCTIONS.items():
    for _ in range(20):
        x = [sample(k) for k in kinds]
        rows.append((name, x, f(*map(real, x))))
for name in ["log"]:
    for _ in range(15):
        x = sample("near one")
        rows.append((name, [x], mp.log(real(x))))
# Next to a zero of sin and cos: a rational approximation of multiples of pi.
for k in [1, 2, 3, 1000]:
    x = Fraction(int(mp.pi * k * 10**40), 10**40)
    for name, f in [("sin", mp.sin), ("cos", mp.cos)]:
        rows.append((name, [x], f(real(x))))
        rows.append((name, [x / 2], f(real(x / 2))))
# The younger functions, after the others so that their arguments stay as they are.
mp.mp.dps = 300
for name, f, kinds in [
    ("asinh", mp.asinh, ["any", "moderate", "near one"]),
    ("acosh", mp.acosh, ["near one", "above one"]),
    ("erf", mp.erf, ["any", "unit", "near one"]),
]:
    for kind in kinds:
        for _ in range(12):
            x = 1 + sample("positive") if kind == "above one" else sample(kind)
            # Where erf is 1 to a hundred digits nothing is left to compare.
            if name != "erf" or abs(x) < 12:
                rows.append((name, [x], f(real(x))))
for _ in range(12):
    x = sample("any")
    rows.append(("real cube root", [x], mp.sign(x) * mp.cbrt(abs(real(x)))))

out = Path(__file__).with_name("elementary.tsv")
with out.open("w") as file:
    for name, x, value in rows:
        args = ",".join(f"{v.numerator}/{v.denominator}" for v in x)
        file.write(f"{name}\t{args}\t{mp.nstr(value, 100, strip_zeros=False, min_fixed=1, max_fixed=0)}\n")
print(len(rows), "rows")
