"""Answers of python-flint and SymPy for tests/polynomial.rs.

    pip install python-flint==0.9.0 sympy==1.14.0
    python tests/oracle/polynomial.py > tests/data/polynomial.json

Polynomials are written as python-flint prints them, `2*x0^2*x1 - 3`, with x0 > x1 > … lexicographically.
Everything is seeded: the same file comes out every time.
"""

import json
import random

import flint
import sympy

random.seed(20261116)
CONTEXTS = {}


def context(n):
    return CONTEXTS.setdefault(n, flint.fmpz_mpoly_ctx.get([f"x{i}" for i in range(n)], "lex"))


def polynomial(n, terms, degree, size):
    data = {}
    while len(data) < terms:
        monomial = tuple(random.randint(0, degree) for _ in range(n))
        data[monomial] = random.choice([-1, 1]) * random.randint(1, size)
        if len(data) >= (degree + 1) ** n:
            break
    return context(n).from_dict(data)


def primitive(p):
    """Without content, leading coefficient positive."""
    if p == 0:
        return p
    c = p.content() if hasattr(p, "content") else 1
    coefficients = [int(v) for v in p.to_dict().values()]
    g = 0
    for v in coefficients:
        g = sympy.igcd(g, v)
    lead = p.to_dict()[max(p.to_dict())]
    g = int(g) if lead > 0 else -int(g)
    return p.context().from_dict({m: int(v) // g for m, v in p.to_dict().items()})


def gcd_cases():
    shapes = [(1, 8, 6, 20), (2, 6, 4, 50), (3, 8, 3, 9), (4, 6, 3, 10**12), (5, 5, 2, 5), (8, 7, 3, 20), (3, 20, 3, 9)]
    for n, terms, degree, size in shapes:
        for _ in range(8):
            g, a, b = (polynomial(n, random.randint(1, terms), degree, size) for _ in range(3))
            p, q = g * a, g * b
            yield {"a": str(p), "b": str(q), "gcd": str(primitive(p.gcd(q)))}
    # Content in one variable only, different variables, leading coefficients with common factors.
    for _ in range(20):
        c = context(4)
        l, m = polynomial(4, 3, 1, 5), polynomial(4, 3, 1, 5)
        x = c.gen(0)
        p = (l * x**2 + polynomial(4, 3, 2, 5)) * (l * m * x + 1)
        q = (l * x**2 + polynomial(4, 3, 2, 5)) * (l * m * x - c.gen(1))
        yield {"a": str(p), "b": str(q), "gcd": str(primitive(p.gcd(q)))}


def factor_cases():
    shapes = [
        (1, [5, 4, 4], 5, 20), (1, [7, 7], 9, 1000), (2, [4, 4], 3, 9), (2, [5, 3, 3], 2, 9), (3, [5, 5], 3, 20),
        (3, [3, 3, 3], 2, 9), (4, [6, 4], 2, 10**10), (5, [4, 4, 2], 2, 5), (8, [5, 5], 2, 20), (3, [12], 4, 9), (2, [9], 5, 9),
    ]
    for n, parts, degree, size in shapes:
        for _ in range(8):
            p = context(n).from_dict({(0,) * n: 1})
            for terms in parts:
                p *= polynomial(n, terms, degree, size)
            if random.random() < 0.3:
                p *= polynomial(n, 2, 1, 3) ** 2
            yield factored(p)
    x, y, z = context(3).gens()
    special = [
        x**4 + 4 * y**4, x**8 - y**8, x**6 + y**6, x**12 - 1, x**4 + 1, x**4 - 10 * x**2 + 1, x**2 - 3 * y**2, x**3 + y**3 + z**3 - 3 * x * y * z,
        x**2 + y**2 + z**2, (x * y * z - 1) ** 3 * (x + y + z) ** 2, x**16 - 1, x**8 + x**4 * y**4 + y**8, x**5 - y**5 * z**5,
        (x**2 + y**2 - 1) ** 2 * (x * y - z), x**9 * y**3 * z, x**4 - 2 * x**2 * y**2 + y**4 - z**4, x**7 - 7 * x + 3, 6 * x**2 * y - 6 * y**3,
        x**8 - 40 * x**6 + 352 * x**4 - 960 * x**2 + 576, (x + y + z + 1) * (x + y + z + 2) * (x + y + z + 3) + 0 * x,
        x**6 * y - 2 * x**3 * y**2 + y**3 + z**2, x**30 - 1, x**24 + x**12 + 1,
    ]
    for p in special:
        yield factored(p)


def factored(p):
    unit, factors = p.factor()
    unit, out = int(unit), []
    for f, e in factors:
        g = primitive(f)
        if g != f:
            assert g == -f, (g, f)
            unit *= (-1) ** int(e)
        out.append([str(g), int(e)])
    return {"p": str(p), "unit": str(unit), "factors": sorted(out)}


def resultant_cases():
    for n, terms, degree in [(1, 5, 5), (2, 4, 3), (2, 5, 4), (3, 4, 3), (4, 4, 2)]:
        for _ in range(6):
            p, q = polynomial(n, terms, degree, 9), polynomial(n, terms, degree, 9)
            yield {"a": str(p), "b": str(q), "resultant": str(p.resultant(q, "x0")), "discriminant": str(p.discriminant("x0"))}


def root_cases():
    X = sympy.Symbol("x0")
    lists = [[random.randint(-30, 30) for _ in range(random.randint(3, 9))] + [random.randint(1, 5)] for _ in range(30)]
    lists += [[-2, 0, 1], [0, 0, 1], [1, 0, 1], [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [-2, 40, -200, 0, 0, 1]]
    for i in range(1, 4):
        wilkinson = sympy.Poly(sympy.prod([X - k for k in range(1, 4 * i)]), X).all_coeffs()[::-1]
        lists.append([int(c) for c in wilkinson])
    for c in lists:
        p = sympy.Poly(sum(a * X**i for i, a in enumerate(c)), X)
        roots = sorted(set(p.real_roots()), key=lambda r: r.evalf(60))
        scaled = [str(int(sympy.floor(r.evalf(60) * 10**20))) for r in roots]
        # Rational roots fall on the boundary of floor; mark them so that the test compares exactly.
        exact = [str(r) if r.is_Rational else None for r in roots]
        yield {"p": [str(a) for a in c], "floors_e20": scaled, "exact": exact}


def groebner_cases():
    systems = [
        ("x0^2 + x1^2 - 1, x0 - x1", 2), ("x0*x1 - 1, x0^2 - x1", 2), ("x0^2 + x1*x2, x1^2 - x0*x2, x2^2 - x0", 3),
        ("x0 + x1 + x2, x0*x1 + x1*x2 + x2*x0, x0*x1*x2 - 1", 3), ("x0*x1, x1*x2, x2*x0", 3), ("x0^2, x0*x1, x1^3 - x1", 2),
        ("x0^2*x1 - 1, x0*x1^2 - x0", 2), ("x0^2 + x1^2 + x2^2 - 4, x0*x1*x2 - 1, x0 + x1 - x2", 3),
        ("x0*x3 - x1*x2, x0^2 + x1^2 - 1, x2^2 + x3^2 - 1", 4), ("x0^3 - 2*x0*x1, x0^2*x1 - 2*x1^2 + x0", 2),
        ("x0^2 + 2*x1^2 - 3*x2, x0*x2 - 5*x1, 7*x1*x2 - x0 + 1", 3), ("x0 - 1, x0 - 2", 1), ("x0^2 - x1^2, x0^3 - x1^3, x0*x1^2 - x2", 3),
        ("x0 + 2*x1 + 2*x2 - 1, x0^2 + 2*x1^2 + 2*x2^2 - x0, 2*x0*x1 + 2*x1*x2 - x1", 3),
    ]
    for text, n in systems:
        gens = sympy.symbols(f"x0:{n}")
        polys = [sympy.sympify(s.replace("^", "**")) for s in text.split(",")]
        for order in ("grevlex", "lex"):
            basis = sympy.groebner(polys, *gens, order=order, domain=sympy.QQ)
            out = []
            for g in basis.exprs:
                g = sympy.Poly(g, *gens).clear_denoms(convert=True)[1].primitive()[1]
                if g.LC() < 0:
                    g = -g
                out.append(str(g.as_expr()).replace("**", "^"))
            yield {"generators": text.split(", "), "n": n, "order": order, "basis": out}


def normalised(g, gens):
    """Integer coefficients without common factor, leading coefficient positive; as text."""
    g = sympy.Poly(g, *gens).clear_denoms(convert=True)[1].primitive()[1]
    if g.LC() < 0:
        g = -g
    return str(g.as_expr()).replace("**", "^")


def reduced(polys, gens):
    return [normalised(g, gens) for g in sympy.groebner(polys, *gens, order="grevlex", domain=sympy.QQ).exprs]


def eliminated(polys, out, keep):
    """The reduced grevlex basis of the elimination ideal; empty if it is zero."""
    lexicographic = sympy.groebner(polys, *out, *keep, order="lex", domain=sympy.QQ).exprs
    free = [g for g in lexicographic if not (g.free_symbols & set(out))]
    return reduced(free, keep) if free else []


IDEALS = [
    ("x0 - x2^2, x1 - x2^3", 3), ("x0*x1 - x2, x0^2 + x1^2 - 1", 3), ("x0^2*x1, x0*x1^2", 2), ("x0*x2 - x1^2, x0^3 - x1*x2", 3),
    ("x0 - x3^2, x1 - x3^3, x2 - x3^4", 4), ("x0*x3 - x1*x2, x0^2 - x1*x3", 4), ("x0^2 - x1^2, x0*x2 - x1", 3),
    ("x0^2 + x1^2 + x2^2 - 4, x0 - x1*x2", 3), ("x0*x1 - 1, x1*x2 - 1, x0 + x1 + x2", 3), ("x0^3 - x1^2, x1^3 - x2^2", 3),
    ("x0*x1*x2, x0^2 - x0*x1", 3), ("x0 + x1 + x2, x0*x1 + x1*x2 + x2*x0", 3),
]


def ideal_cases():
    for text, n in IDEALS:
        gens = sympy.symbols(f"x0:{n}")
        polys = [sympy.sympify(s.replace("^", "**")) for s in text.split(",")]
        t = sympy.Symbol("t")
        for k in range(n):
            keep = [g for i, g in enumerate(gens) if i != k]
            case = {"generators": text.split(", "), "n": n, "variable": k}
            case["eliminated"] = eliminated(polys, [gens[k]], keep)
            f = gens[k] - (1 if k == 0 else 0) * gens[-1]
            case["f"] = str(f).replace("**", "^")
            case["saturated"] = eliminated(polys + [1 - t * f], [t], list(gens))
            case["radical_contains"] = sympy.groebner(polys + [1 - t * f], t, *gens, order="grevlex").exprs == [1]
            case["contains"] = bool(sympy.groebner(polys, *gens, order="grevlex").contains(f))
            yield case


def quadratic_cases():
    """Over ℚ(√d): how many factors, and whether the polynomial is irreducible over ℚ."""
    X, Y, Z = sympy.symbols("x0:3")
    for d in (2, 3, 5, 6, 7):
        for p in [X**2 - d * Y**2, X**2 + 2 * X * Y + (1 - d) * Y**2, d * X**2 - Y**2 * Z**2, X**2 - 2 * X - (d - 1), X**2 - d * Y**2 - Z, (X + Z) ** 2 - d * (Y - 1) ** 2]:
            p = sympy.expand(p)
            rational = sympy.factor_list(p)[1]
            extended = sympy.factor_list(p, extension=sympy.sqrt(d))[1]
            yield {"p": str(p).replace("**", "^"), "d": d, "over_Q": sum(e for _, e in rational), "over_root": sum(e for _, e in extended)}


def main():
    # SymPy as a second opinion on flint's gcds and factorisations.
    for case in [next(gcd_cases()) for _ in range(3)]:
        to = lambda s: sympy.sympify(s.replace("^", "**"))
        difference = sympy.gcd(to(case["a"]), to(case["b"])) - to(case["gcd"])
        assert sympy.expand(difference) == 0 or sympy.expand(sympy.gcd(to(case["a"]), to(case["b"])) / to(case["gcd"])).is_number
    random.seed(20261116)
    data = {
        "gcd": list(gcd_cases()), "factor": list(factor_cases()), "resultant": list(resultant_cases()),
        "roots": list(root_cases()), "groebner": list(groebner_cases()), "ideal": list(ideal_cases()),
        "quadratic": list(quadratic_cases()),
    }
    print("{")
    for i, (name, cases) in enumerate(data.items()):
        print(f'"{name}": [')
        print(",\n".join(json.dumps(case) for case in cases))
        print("]" + ("," if i + 1 < len(data) else ""))
    print("}")


main()
