"""exp at random doubles, to 200 bits: argument, nearest double, rest; as bit patterns. Writes tests/data/exp.txt."""
import random
import struct
from mpmath import exp, mp, mpf

mp.prec = 200
random.seed(1)
bits = lambda x: struct.pack(">d", x).hex()
with open("tests/data/exp.txt", "w") as out:
    points = [random.uniform(-1, 1) * size for size in (1e-9, 1e-3, 0.3, 1, 3, 40, 708) for _ in range(150)]
    for x in points + [0.34657359027997264, -0.34657359027997264, 708.0, -708.0, 184.73656006985101]:
        y = exp(mpf(x))
        hi = float(y)
        out.write(f"{bits(x)} {bits(hi)} {bits(float(y - mpf(hi)))}\n")
