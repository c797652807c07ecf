"""Radau IIA with 3, 5, 7 stages: the real Jordan form of the inverse coefficient matrix and the weights of the error
estimate, computed with 60 digits (mpmath). Prints the tables of src/integrate/radau_tables.rs.

A⁻¹ T = T Λ, Λ = diag(γ, (α₁ β₁; −β₁ α₁), …);  (ŷ − y)/γ₀ = h f₀ + Σ dᵢ zᵢ with γ₀ = 1/γ, where ŷ is the formula of order s with the
further slope f₀ and its weight γ₀ (Hairer and Wanner, Solving Ordinary Differential Equations II, §IV.8)."""
from mpmath import mp, mpf, matrix, polyroots, quad, eig, lu_solve, taylor, legendre, inverse, re, im, fabs

mp.dps = 60


def nodes(s):
    p = lambda x: legendre(s, 2 * x - 1) - legendre(s - 1, 2 * x - 1)
    c = taylor(p, 0, s)
    roots = sorted(re(r) for r in polyroots(c[::-1], maxsteps=500, extraprec=400))
    roots[-1] = mpf(1)
    return roots


def method(s):
    c = nodes(s)
    V = matrix(s, s)
    for i in range(s):
        for k in range(s):
            V[i, k] = c[i] ** k
    Vi = inverse(V)
    C = matrix(s, s)
    for i in range(s):
        for k in range(s):
            C[i, k] = c[i] ** (k + 1) / (k + 1)
    A = C * Vi
    b = [A[s - 1, j] for j in range(s)]
    Ai = inverse(A)
    E, ER = eig(Ai)
    order = sorted(range(s), key=lambda k: (fabs(im(E[k])) > mpf(10) ** -40, im(E[k])))
    real = [k for k in order if fabs(im(E[k])) < mpf(10) ** -40]
    pairs = sorted([k for k in order if im(E[k]) > mpf(10) ** -40], key=lambda k: im(E[k]))
    assert len(real) == 1 and len(pairs) == (s - 1) // 2
    gamma = re(E[real[0]])
    T = matrix(s, s)
    # Last components 1, as in radau5.f.
    v = [ER[i, real[0]] / ER[s - 1, real[0]] for i in range(s)]
    for i in range(s):
        T[i, 0] = re(v[i])
    for q, k in enumerate(pairs):
        v = [ER[i, k] / ER[s - 1, k] for i in range(s)]
        for i in range(s):
            T[i, 2 * q + 1], T[i, 2 * q + 2] = re(v[i]), im(v[i])
    TI = inverse(T)
    g0 = 1 / gamma
    # Weights of order s with the slope at 0.
    rhs = matrix([mpf(1) / k - (g0 if k == 1 else 0) for k in range(1, s + 1)])
    bh = lu_solve(V.T, rhs)
    d = [sum((bh[i] - b[i]) * Ai[i, j] for i in range(s)) / g0 for j in range(s)]
    return gamma, [(re(E[k]), im(E[k])) for k in pairs], T, TI, d


def show(x):
    text = mp.nstr(x, 20, strip_zeros=True)
    return text if "." in text or "e" in text else text + ".0"


if __name__ == "__main__":
    for s in (3, 5, 7):
        gamma, pairs, T, TI, d = method(s)
        rows = lambda M: "\n".join("        " + " ".join(show(M[i, j]) + "," for j in range(s)) for i in range(s))
        print(f"/// Order {2 * s - 1}.\npub static STAGES{s}: Transformation = Transformation {{")
        print(f"    gamma: {show(gamma)},")
        print("    pairs: &[" + ", ".join(f"({show(a)}, {show(b)})" for a, b in pairs) + "],")
        print("    t: &[\n" + rows(T) + "\n    ],")
        print("    inverse: &[\n" + rows(TI) + "\n    ],")
        print("    estimate: &[" + ", ".join(show(x) for x in d) + "],")
        print("};\n")
