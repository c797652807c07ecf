"""log at random doubles, to 200 bits: argument, nearest double, rest; as bit patterns. Writes tests/data/log.txt."""
import math
import random
import struct
from mpmath import log, mp, mpf

mp.prec = 200
random.seed(1)
bits = lambda x: struct.pack(">d", x).hex()
with open("tests/data/log.txt", "w") as out:
    points = [1 + random.uniform(-1, 1) * size for size in (1e-15, 1e-9, 1e-3, 0.1, 0.29, 0.4) for _ in range(150)]
    points += [2.0 ** random.uniform(-1022, 1023) for _ in range(300)] + [random.uniform(0.5, 4) for _ in range(300)]
    edge = math.sqrt(0.5)
    points += [edge, math.nextafter(edge, 0), math.nextafter(edge, 1), 2 * edge, 1.0, 2.0, 2.2250738585072014e-308, 1.7976931348623157e308]
    for x in points:
        y = log(mpf(x))
        hi = float(y)
        out.write(f"{bits(x)} {bits(hi)} {bits(float(y - mpf(hi)))}\n")
