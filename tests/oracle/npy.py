"""Writes the NPY file that `report::npy` must reproduce byte for byte, with NumPy itself.

    python3 tests/oracle/npy.py > tests/oracle/table.npy
"""

import io
import sys

import numpy

names = ["t", "theta'", 'a"b']
rows = [(0.0, 1.0, -0.0), (0.5, -2.0, 1e300), (1.0, 1e-300, float("inf"))]
table = numpy.array(rows, dtype=[(name, "<f8") for name in names])
file = io.BytesIO()
numpy.save(file, table)
sys.stdout.buffer.write(file.getvalue())
