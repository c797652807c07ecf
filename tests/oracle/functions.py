#!/usr/bin/env python3
"""Elementary functions of one argument and their derivatives, by another program: writes functions.tsv beside this file.

Each line: function, argument as a rational, then the Taylor coefficients 0 to 8 there, to 40 significant digits. They come
from mpmath at 150 digits; a second computation at 220 digits must give the same 40. Needs mpmath; the tests only read the
table.
"""
from fractions import Fraction
from pathlib import Path

import mpmath as mp

ORDER = 8
REAL_ROOT = lambda x: mp.sign(x) * mp.cbrt(abs(x))
ANY = ["1/3", "-7/5", "9/4"]
UNIT = ["1/3", "-3/5", "9/10"]
FUNCTIONS = {
    "sin": (mp.sin, ANY),
    "cos": (mp.cos, ANY),
    "tan": (mp.tan, ANY),
    "asin": (mp.asin, UNIT),
    "acos": (mp.acos, UNIT),
    "atan": (mp.atan, ANY),
    "sinh": (mp.sinh, ANY),
    "cosh": (mp.cosh, ANY),
    "tanh": (mp.tanh, ANY),
    "asinh": (mp.asinh, ANY + ["-40"]),
    "acosh": (mp.acosh, ["11/10", "5/2", "40"]),
    "atanh": (mp.atanh, UNIT),
    "exp": (mp.exp, ANY),
    "log": (mp.log, ["1/3", "7/5", "40"]),
    "erf": (mp.erf, ANY + ["1/100", "-4"]),
    "cbrt": (REAL_ROOT, ANY + ["-40"]),
    "abs": (abs, ANY),
    "sign": (mp.sign, ANY),
}


def coefficients(f, x, digits):
    mp.mp.dps = digits
    at = mp.mpf(x.numerator) / x.denominator
    # Cauchy's formula on a circle that no singular point meets, by 256 points: the error is below (radius/distance)^248.
    n, radius = 256, mp.mpf(1) / 20
    if f in (abs, mp.sign, REAL_ROOT):
        # Not analytic across 0: the side on which the point lies.
        side = 1 if at > 0 else -1
        g = {abs: lambda z: side * z, mp.sign: lambda z: mp.mpf(side), REAL_ROOT: lambda z: side * mp.cbrt(side * z)}[f]
    else:
        g = f
    roots = [mp.expjpi(mp.mpf(2 * k) / n) for k in range(n)]
    samples = [g(at + radius * w) for w in roots]
    return [mp.re(sum(s * w ** (-k) for s, w in zip(samples, roots)) / n / radius**k) for k in range(ORDER + 1)]


rows = []
for name, (f, points) in FUNCTIONS.items():
    for text in points:
        x = Fraction(text)
        fine = [mp.nstr(c, 40) if abs(c) > mp.mpf(10) ** -60 else "0.0" for c in coefficients(f, x, 220)]
        coarse = [mp.nstr(c, 40) if abs(c) > mp.mpf(10) ** -60 else "0.0" for c in coefficients(f, x, 150)]
        assert fine == coarse, (name, x, fine, coarse)
        direct = mp.nstr(f(mp.mpf(x.numerator) / x.denominator), 40)
        slope = mp.diff(f, mp.mpf(x.numerator) / x.denominator)
        assert fine[0] == direct or mp.mpf(fine[0]) == mp.mpf(direct), (name, x, fine[0], direct)
        assert abs(slope - mp.mpf(fine[1])) < mp.mpf(10) ** -35 * max(1, abs(slope)), (name, x)
        rows.append("\t".join([name, text, *fine]))

out = Path(__file__).with_name("functions.tsv")
out.write_text("\n".join(rows) + "\n")
print(len(rows), "rows")
