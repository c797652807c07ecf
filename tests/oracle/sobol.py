"""Points 0 to 69 of the Sobol sequence in 21 dimensions, unscrambled (SciPy 1.11 or later): python3 sobol.py > sobol.txt"""
from scipy.stats import qmc

for i, point in enumerate(qmc.Sobol(21, scramble=False, bits=53).random(70)):
    print(i, *map(repr, map(float, point)))
