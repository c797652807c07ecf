"""Sines and cosines of selected doubles to 106 bits (mpmath, 400-bit arithmetic), for the accuracy test of
codegen/libm.rs.  usage: python sincos.py > ../data/sincos.txt
Columns: bits of x, then sin and cos as a sum of two doubles each, all in hexadecimal bits."""
import random, struct
from mpmath import mp, mpf, sin, cos, pi, nint
mp.prec = 400
random.seed(1)
def bits(x): return "%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]
def parts(v):
    hi = float(v)
    return bits(hi) + " " + bits(float(v - mpf(hi)))
xs = [0.0, 1e-300, 1e-9, 0.5, 1.0, 3.0, 1e9, -1e9]
for d in range(-4, 9):
    for _ in range(24): xs.append(random.choice((-1, 1)) * 10.0**d * (1 + 9 * random.random()))
for k in list(range(1, 120)) + [random.randrange(1, 2000) for _ in range(60)] + [random.randrange(2000, 636619772) for _ in range(120)]:
    x = float(k * pi / 2)
    xs.append(x)
# the doubles below 1e9 that come nearest to a multiple of pi/2, among 200000 random multiples
best = sorted((abs(mpf(float(k * pi / 2)) - k * pi / 2), float(k * pi / 2)) for k in (random.randrange(1, 636619772) for _ in range(200000)))
xs += [x for _, x in best[:60]]
# boundaries of the reduction: odd multiples of pi/4
for k in [random.randrange(0, 10**8) for _ in range(40)]: xs.append(float((2 * k + 1) * pi / 4))
for x in xs:
    if abs(x) <= 1e9: print(bits(x), parts(sin(mpf(x))), parts(cos(mpf(x))))
