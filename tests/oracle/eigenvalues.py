"""Roots of polynomials and eigenvalues of matrices, by mpmath; the tests of src/algebra/roots/complex.rs and
tests/cases/geometry/eigenvalues.mech hold the digits that it prints."""

from mpmath import mp, polyroots, matrix, eig, nstr

mp.dps = 40

for c in [[1, 0, -1, -1], [1, 0, 0, 0, -1, -1], [1, 0, -3, 1], [1, -2000000, 4000, -2]]:
    print(c)
    for z in polyroots(c, maxsteps=2000, extraprec=800):
        print("   ", nstr(z.real, 30), nstr(z.imag, 30))

for rows in [
    [[0, 0, 1, 0], [0, 0, 0, 1], [-20, 10, 0, 0], [20, -20, 0, 0]],
    [[1, 2, 3], [4, 5, 6], [7, 8, 10]],
    [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1], [-2, 1, 0, -1, 0, 0], [1, -2, 1, 0, 0, 0], [0, 1, -2, 0, 0, 0]],
    [[2**mp.mpf(0.5), 1, 0], [1, 0, 1], [0, 1, 3]],
]:
    print(rows)
    for z in eig(matrix(rows), left=False, right=False):
        print("   ", nstr(mp.re(z), 30), nstr(mp.im(z), 30))
