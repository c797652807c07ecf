"""The linear systems and ideals that the worked cases of the sheets produce, with what SymPy and the sheets say about them.

    python sheets.py FOLDER > ../data/sheets.json        FOLDER holds krupkova-odes.json, nonholonomic.json, …

Systems M y = r are derived from the inputs of the cases: (B|A) and (F|A), the characteristic matrix, base systems with tangency
rows on every branch, Hessians, Jacobians of constraints, multiplier systems, reduced systems, codistributions of constraint
forms, lifted and stacked. Each comes with points of its set, in rational numbers, and the ranks of M and (M|r) there, which are
plain arithmetic. Ideals are constraint sets, their prolongations, unions of branches multiplied out, sets of deficient rank and
loci of vanishing determinants. `dimension` is given where it is proved: the dimension of the complex zero set by a Gröbner basis
of SymPy, attained by real points because the Jacobian has that corank at a rational one; or it is the sheet's. `empty` is given
where the basis is trivial, the sheet says so, or a point was found. `union` lists the branches that the sheet gives.

sin u, cos u, e^u and roots are independent quantities with their relations, in points as in the systems.
"""

import itertools
import json
import random
import re
import signal
import sys
from pathlib import Path

import sympy as sp
from sympy.polys.orderings import grevlex

RNG = random.Random(20261116)
T = sp.Symbol("t")
SYSTEMS, IDEALS = [], []
SHORT = 20  # seconds for one basis


class Late(Exception):
    pass


def within(seconds, f):
    def stop(*_):
        raise Late

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return f()
    except Late:
        return None
    finally:
        signal.alarm(0)


# ----- jets ------------------------------------------------------------------------------------------


class Space:
    """Coordinates with their jets, and parameters."""

    def __init__(self, coordinates, parameters=(), time=True):
        self.names, self.parameters, self.time = list(coordinates), [sp.Symbol(p) for p in parameters], time

    def jet(self, name, k):
        return sp.Symbol(name if k == 0 else f"{name}_{k}")

    def read(self, text):
        words = set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text))
        known = {"sin", "cos", "tan", "exp", "sqrt", "log", "sinh", "cosh", "pi"}
        names = {w: sp.Symbol("mu" if w == "lambda" else w) for w in words - known}
        text = re.sub(r"\blambda\b", "mu", text)
        names.pop("lambda", None)
        names["mu"] = sp.Symbol("mu")
        e = sp.sympify(text.replace("^", "**"), locals=names, rational=True)
        return sp.expand_trig(e.rewrite(sp.tan, sp.sin) if not e.has(sp.tan) else e.replace(sp.tan, lambda u: sp.sin(u) / sp.cos(u)))

    def d(self, e, top=9):
        r = sp.diff(e, T)
        for n in self.names:
            for k in range(top):
                part = sp.diff(e, self.jet(n, k))
                if part != 0:
                    r += part * self.jet(n, k + 1)
        return sp.expand(r)

    def order(self, e):
        found = [k for n in self.names for k in range(10) if sp.expand(e).has(self.jet(n, k))]
        return max(found, default=-1)

    def coordinates(self, k):
        return [self.jet(n, i) for i in range(k + 1) for n in self.names]

    def text(self, e):
        s = sp.sstr(e).replace("**", "^")
        return re.sub(r"\b(" + "|".join(map(re.escape, self.names)) + r")_(\d)\b", lambda m: m[1] + "'" * int(m[2]), s)


def euler_lagrange(l, y):
    r = max(y.order(l), 0)
    result = []
    for n in y.names:
        e = 0
        for k in range(r + 1):
            term = sp.diff(l, y.jet(n, k))
            for _ in range(k):
                term = y.d(term)
            e += (-1) ** k * term
        result.append(sp.expand(e))
    return result


def affine(e, y):
    """True order s, A, B (sheet, section 4)."""
    n = max(y.order(x) for x in e)
    top = [y.jet(c, max(n, 0)) for c in y.names]
    is_affine = all(sp.simplify(sp.diff(x, u, v)) == 0 for x in e for u in top for v in top)
    m = len(y.names)
    if n <= 0:
        return 1, e, sp.zeros(m, m)
    s = n if is_affine else n + 1
    b = sp.Matrix(m, m, lambda i, j: sp.diff(e[i], top[j])) if is_affine else sp.zeros(m, m)
    if s == 1 and (b + b.T).expand() != sp.zeros(m, m):
        return 2, e, sp.zeros(m, m)
    return s, [sp.expand(x.subs(dict.fromkeys(top, 0))) for x in e] if is_affine else e, b


def closed_matrix(e, y, s):
    """G^{jk} = Σ_l (−1)^{j+l} C(j+l, l) d^l/dt^l ∂E_σ/∂q^ν_{j+k+l+1}, (8.3)."""
    m = len(y.names)
    g = sp.zeros(m * s, m * s)
    for j, k in itertools.product(range(s), range(s)):
        if j + k > s - 1:
            continue
        for a, b in itertools.product(range(m), range(m)):
            total = 0
            for l in range(s - j - k):
                term = sp.diff(e[a], y.jet(y.names[b], j + k + l + 1))
                for _ in range(l):
                    term = y.d(term)
                total += (-1) ** (j + l) * sp.binomial(j + l, l) * term
            g[j * m + a, k * m + b] = sp.expand(total)
    return g


def given_matrix(twof, b, s, y):
    m = len(y.names)
    g = sp.zeros(m * s, m * s)
    if s == 1:
        return b
    for key, value in twof.items():
        i, k, a, c = map(int, key.split(","))
        g[i * m + a - 1, k * m + c - 1] = y.read(value)
        g[k * m + c - 1, i * m + a - 1] = -y.read(value)
    for a, c in itertools.product(range(m), range(m)):
        g[a, (s - 1) * m + c] = b[a, c]
        g[(s - 1) * m + c, a] = -b[a, c]
    return g


# ----- generators, points, ranks ------------------------------------------------------------------------


class Ring:
    """Functions as symbols: every sin, cos, exp and root is one, with its relation."""

    def __init__(self, expressions):
        self.of, self.pairs, self.positive, self.roots = {}, [], [], []
        atoms = set().union(*[sp.sympify(e).atoms(sp.Function, sp.Pow) for e in expressions], set())
        for u in sorted({a.args[0] for a in atoms if isinstance(a, (sp.sin, sp.cos))}, key=str):
            s, c = sp.Symbol(f"S[{u}]"), sp.Symbol(f"C[{u}]")
            self.of[sp.sin(u)], self.of[sp.cos(u)] = s, c
            self.pairs.append((s, c))
        for a in sorted((a for a in atoms if isinstance(a, sp.exp)), key=str):
            self.of[a] = sp.Symbol(f"E[{a.args[0]}]")
            self.positive.append(self.of[a])
        for a in sorted((a for a in atoms if isinstance(a, sp.Pow) and a.exp.is_Rational and not a.exp.is_Integer), key=str):
            root = sp.sqrt(a.base)
            if root not in self.of:
                self.of[root] = sp.Symbol(f"R[{a.base}]")
                self.roots.append((self.of[root], a.base))

    def encode(self, e):
        e = sp.sympify(e)
        for root, base in self.roots:
            e = e.replace(lambda x: isinstance(x, sp.Pow) and x.base == base and not x.exp.is_Integer, lambda x: root ** (2 * x.exp))
        return e.xreplace({k: v for k, v in self.of.items() if not isinstance(k, sp.Pow)})

    def relations(self):
        return [s**2 + c**2 - 1 for s, c in self.pairs] + [r**2 - self.encode(b) for r, b in self.roots]

    def name(self, symbol, y):
        for k, v in self.of.items():
            if v == symbol:
                return y.text(k)
        return y.text(symbol)


CIRCLE = [(sp.Rational(a, b), sp.Rational(c, b)) for a, c, b in [(3, 4, 5), (-4, 3, 5), (5, -12, 13), (-8, -15, 17), (0, 1, 1), (1, 0, 1), (0, -1, 1)]]
SPECIAL = [sp.Integer(x) for x in (0, 0, 1, -1)]
PLAIN = [sp.Rational(a, b) for a, b in [(1, 1), (2, 1), (-1, 1), (3, 2), (-2, 3), (5, 1), (-3, 1), (1, 2), (4, 3), (7, 5), (3, 5), (4, 5)]]


def rational_roots(p, v):
    roots = []
    for f, _ in sp.Poly(p, v).factor_list()[1]:
        if f.degree() == 1:
            a, b = f.all_coeffs()
            roots.append(-b / a)
    return roots


def point_on(ring, equations, nonzero, variables, parameters, is_special):
    """Values of all variables that satisfy the equations; None if this try fails."""
    value = {}
    pending = [sp.numer(sp.together(e)) for e in equations]
    avoid = list(nonzero) + [sp.denom(sp.together(e)) for e in equations]

    def put(more):
        value.update(more)
        rest = []
        for e in pending:
            e = sp.expand(e.xreplace(more)) if e.free_symbols & set(more) else e
            if e == 0:
                continue
            if not e.free_symbols:
                return False
            rest.append(e)
        pending[:] = rest
        return all(n.xreplace(value).free_symbols or sp.expand(n.xreplace(value)) != 0 for n in avoid)

    for p in parameters:
        if not put({p: RNG.choice([x for x in PLAIN if x > 0])}):
            return None
    for p in ring.positive:
        if not put({p: RNG.choice([x for x in PLAIN if x > 0])}):
            return None
    order = [("pair", p) for p in ring.pairs] + [("one", v) for v in variables]
    RNG.shuffle(order)
    while True:
        # What an equation in one variable says comes first.
        single = next((e for e in pending if len(e.free_symbols) == 1), None)
        if single is not None:
            (v,) = single.free_symbols
            roots = [r for r in rational_roots(single, v) if v not in ring.positive or r > 0]
            if not roots or not put({v: RNG.choice(roots)}):
                return None
            for s, c in ring.pairs:
                for a, b in ((s, c), (c, s)):
                    if a in value and b not in value:
                        root = sp.sqrt(1 - value[a] ** 2)
                        if not root.is_Rational or not put({b: RNG.choice([root, -root])}):
                            return None
            continue
        if not order:
            break
        kind, what = order.pop()
        if kind == "pair":
            if what[0] not in value and not put(dict(zip(what, RNG.choice(CIRCLE)))):
                return None
        elif what not in value and not put({what: RNG.choice(SPECIAL if is_special else PLAIN)}):
            return None
    for r, b in ring.roots:
        root = sp.sqrt(ring.encode(b).xreplace(value))
        if not root.is_Rational or (r in value and value[r] != root):
            return None
        value[r] = root
    ok = all(sp.expand(sp.sympify(e).xreplace(value)) == 0 for e in equations) and all(sp.sympify(n).xreplace(value) != 0 for n in nonzero)
    return value if ok and not pending else None


def points(ring, equations, nonzero, variables, parameters, count, tries=60):
    found = []
    for k in range(tries):
        if len(found) == count:
            break
        try:
            p = within(2, lambda: point_on(ring, equations, nonzero, variables, parameters, k % 2 == 0))
        except (ZeroDivisionError, sp.PolynomialError, TypeError):
            p = None
        if p is not None and p not in found:
            found.append(p)
    return found


def ring_variables(expressions, ring, parameters):
    symbols = set().union(*[sp.sympify(e).free_symbols for e in list(expressions) + ring.relations()], set())
    functions = {v for v in ring.of.values()}
    return sorted(symbols - functions - set(parameters), key=str)


def shown(point, ring, y, used):
    return {ring.name(k, y): str(v) for k, v in sorted(point.items(), key=lambda kv: str(kv[0])) if k in used}


SEEN = set()


def is_new(*data):
    key = str(data)
    return not (key in SEEN or SEEN.add(key))


# Points of strata that chance does not meet. Two links of lengths 2 and 3 with 5·cos(angle) = 3: the multipliers of the double
# pendulum are undetermined or do not exist where m1 = −m2·sin²(angle).
MORE_POINTS = {
    ("nh-double-pendulum-redundant", "multipliers"): [
        {"m1": -16, "m2": 25, "G": 75, "l1": 2, "l2": 3, "x1": "8/5", "y1": "6/5", "x2": "8/5", "y2": "21/5",
         "x1_1": 0, "y1_1": 0, "x2_1": velocity, "y2_1": 0} for velocity in (-9, -6, 0)
    ],
}


def system(case, name, y, matrix, right, equations=(), nonzero=()):
    rows = [[sp.sympify(x) for x in row] for row in matrix]
    right = [sp.sympify(x) for x in right]
    if not rows or not rows[0]:
        return
    equations = [sp.sympify(e) for e in equations if sp.sympify(e) != 0]
    if not is_new(y.names, rows, right, equations, list(nonzero)):
        return
    everything = [x for row in rows for x in row] + right + equations + list(nonzero)
    ring = Ring(everything)
    enc = [[ring.encode(x) for x in row] for row in rows]
    rhs, eqs, neq = [ring.encode(x) for x in right], [ring.encode(e) for e in equations], [ring.encode(n) for n in nonzero]
    entries = [x for row in enc for x in row] + rhs + eqs + neq
    variables = ring_variables(entries, ring, y.parameters)
    denominators = {d for d in (sp.denom(sp.together(x)) for row in enc for x in row + rhs) if d.free_symbols}
    used = set().union(*[x.free_symbols for x in entries], set()) | {s for p in ring.pairs for s in p}
    checks = []
    found = list(points(ring, eqs, neq + sorted(denominators, key=str), variables, y.parameters, 4))
    found += [{sp.Symbol(k): sp.Rational(v) for k, v in p.items()} for p in MORE_POINTS.get((case, name), [])]
    assert all(e.xreplace(p) == 0 for e in eqs for p in found)
    for p in found:
        m = sp.Matrix([[x.xreplace(p) for x in row] for row in enc])
        a = m.row_join(sp.Matrix([x.xreplace(p) for x in rhs]))
        if all(x.is_Rational for x in a):
            checks.append({"at": shown(p, ring, y, used), "rank": m.rank(), "augmented": a.rank()})
    t = y.text
    SYSTEMS.append({
        "case": case, "name": name, "coordinates": y.names, "parameters": [str(p) for p in y.parameters],
        "matrix": [[t(x) for x in row] for row in rows], "right": [t(x) for x in right],
        "equations": [t(e) for e in equations], "nonzero": [t(n) for n in nonzero], "points": checks,
    })


def complex_dimension(ring, equations, nonzero, variables, parameters):
    """Of the closure of {equations = 0, nonzero ≠ 0} in the space of the variables and functions."""
    z = sp.Symbol("zz")
    all_of = [sp.numer(sp.together(e)) for e in equations] + ring.relations()
    gens = list(variables) + sorted(set(ring.of.values()), key=str)
    if nonzero:
        all_of, gens = all_of + [z * sp.prod(nonzero) - 1], gens + [z]
    all_of = [e for e in all_of if e != 0]
    if not gens:
        return None
    if not all_of:
        return len(gens)
    free = [p for p in parameters if any(e.has(p) for e in all_of)]
    domain = sp.QQ.frac_field(*free) if free else sp.QQ
    g = sp.groebner(all_of, *gens, order="grevlex", domain=domain)
    if g.exprs == [1]:
        return -1
    leads = [{i for i, e in enumerate(p.monoms(order=grevlex)[0]) if e} for p in g.polys]
    n = len(gens)
    for size in range(n, -1, -1):
        for chosen in itertools.combinations(range(n), size):
            if all(not lead <= set(chosen) for lead in leads):
                return size
    return None


def is_positive(p, gens):
    """Whether a polynomial has one sign and no zero, seen from its terms: even powers, a constant, one sign."""
    terms = sp.Poly(p, *gens).terms()
    signs = {sp.sign(c) for _, c in terms}
    return len(signs) == 1 and all(k % 2 == 0 for m, _ in terms for k in m) and any(not any(m) for m, _ in terms)


def has_no_real_zero(e, moving, parameters, positive):
    """One equation without real zeros, for generic parameters: shown by its factors."""
    for f, _ in sp.factor_list(sp.numer(sp.together(e)))[1]:
        if not f.free_symbols & moving or f in positive:
            continue
        symbols = sorted(f.free_symbols, key=str)
        is_definite = is_positive(f, symbols)
        is_univariate = len(symbols) == 1 and sp.Poly(f, symbols[0]).count_roots() == 0
        if not is_definite and not is_univariate:
            return False
    return True


def real_radical(e, moving):
    """Equations with the same real zeros: powers dropped, sums of even terms of one sign taken apart."""
    e = sp.numer(sp.together(e))
    factors = [f for f, _ in sp.factor_list(e)[1] if f.free_symbols & moving]
    if len(factors) == 1:
        terms = sp.Poly(factors[0], *sorted(factors[0].free_symbols, key=str)).terms()
        if len(terms) > 1 and len({sp.sign(c) for _, c in terms}) == 1 and all(k % 2 == 0 for m, _ in terms for k in m):
            names = sorted(factors[0].free_symbols, key=str)
            return [sp.prod([v for v, k in zip(names, m) if k and v in moving]) for m, _ in terms]
    return [sp.prod(factors)]


def ideal(case, name, y, order, equations, nonzero=(), dimension=None, empty=None, union=None, eliminated=()):
    equations = [sp.sympify(e) for e in equations if sp.sympify(e) != 0]
    nonzero = list(nonzero)
    if not is_new(y.names, order, equations, nonzero, union, list(eliminated)):
        return
    ring = Ring(equations + nonzero)
    eqs, neq = [ring.encode(e) for e in equations], [ring.encode(n) for n in nonzero]
    variables = ring_variables(eqs + neq, ring, y.parameters)
    moving = set(variables) | set(ring.of.values())
    if any(has_no_real_zero(e, moving, y.parameters, ring.positive) for e in eqs):
        empty = True
    eqs = [f for e in eqs for f in real_radical(e, moving)] if empty is not True else eqs
    found = points(ring, eqs, neq, variables, y.parameters, 3) if empty is not True else []
    if found:
        empty = False
    space = 1 + len(y.names) * (order + 1)
    if not eqs:
        dimension, empty = space, False
    complex_dim = within(SHORT, lambda: complex_dimension(ring, eqs, neq, variables, y.parameters)) if not eliminated else None
    if complex_dim == -1:
        empty = True
    if dimension is None and complex_dim is not None and complex_dim >= 0 and found:
        gens = list(variables) + sorted(set(ring.of.values()), key=str)
        corank = len(gens) - complex_dim
        jac = sp.Matrix([[sp.diff(sp.numer(sp.together(e)), v) for v in gens] for e in eqs + ring.relations()] or [[0] * max(len(gens), 1)])
        if any(jac.xreplace(p).rank() == corank for p in found):
            # The relations of sines and cosines cut out what an angle already is.
            dimension = space - (corank - len(ring.pairs) - len(ring.roots))
    t = y.text
    used = set().union(*[x.free_symbols for x in eqs + neq], set())
    IDEALS.append({
        "case": case, "name": name, "coordinates": y.names, "parameters": [str(p) for p in y.parameters], "order": order,
        "equations": [t(e) for e in equations], "nonzero": [t(n) for n in nonzero], "eliminated": [t(e) for e in eliminated],
        "dimension": dimension, "empty": empty, "points": [shown(p, ring, y, used) for p in found],
        "union": None if union is None else [{"equations": [t(e) for e in b[0]], "nonzero": [t(n) for n in b[1]]} for b in union],
    })


# ----- the sheets ------------------------------------------------------------------------------------------


def krupkova(cases):
    for case in cases:
        inputs, expected, ident = case["inputs"], case["expected"], case["id"]
        if "E" not in inputs and "lagrangian" not in inputs:
            continue
        y = Space(inputs["coordinates"], inputs.get("parameters", []))
        m = len(y.names)
        e = [y.read(x) for x in inputs["E"]] if "E" in inputs else euler_lagrange(y.read(inputs["lagrangian"]), y)
        s, a, b = affine(e, y)
        system(ident, "(B|A)", y, b.tolist(), [-x for x in a])
        is_closed = "E" not in inputs and inputs.get("alpha", "lepagean_equivalent") == "lepagean_equivalent"
        g = closed_matrix(e, y, s) if is_closed else given_matrix(inputs.get("twoF", {}), b, s, y)
        column = list(a) + [0] * (m * s - m)
        system(ident, "(F|A)", y, g.tolist(), [-x for x in column])
        square = g.row_join(sp.Matrix(column)).col_join(sp.Matrix([[-x for x in column] + [0]]))
        system(ident, "characteristic matrix", y, square.tolist(), [0] * (m * s + 1))
        if sp.det(b) != 0:
            ideal(ident, "det B = 0", y, s - 1, [sp.expand(sp.det(b))])
        if case["kind"] != "constraint_algorithm":
            continue
        phase = y.coordinates(s - 1)
        minors = [sp.expand(x) for x in augmented_minors(b, a)]
        ideal(ident, "minors of (B|A)", y, s - 1, minors)
        semispray = [[sp.Integer(u == v) for v in phase] for u in phase[: m * (s - 1)]]
        semispray += [[0] * (m * (s - 1)) + list(b.row(i)) for i in range(m)]
        semispray_right = [successor(y, u) for u in phase[: m * (s - 1)]] + [-x for x in a]
        extended = [list(g.row(i)) for i in range(m * s)]
        extended_right = []
        for i in range(m * s):
            shift = sum(g[i, j] * successor(y, phase[j]) for j in range(m * (s - 1)))
            extended_right.append(sp.expand(shift - column[i]))
        for which, rows, right in (("extended", extended, extended_right), ("proper", semispray, semispray_right)):
            answer = expected.get(which)
            if answer is None:
                continue
            branches = [("primary", x) for x in answer["primary_set"]] + [("final", x) for x in answer["final"]]
            for k, (stage, branch) in enumerate(branches):
                eqs, neq = [y.read(x) for x in branch["equations"]], [y.read(x) for x in branch["nonzero"]]
                tangency = [[sp.diff(f, u) for u in phase] for f in eqs]
                system(ident, f"{which}, tangent to {stage} branch {k + 1}", y, rows + tangency, right + [-sp.diff(f, T) for f in eqs], eqs, neq)
                ideal(ident, f"{which}, {stage} branch {k + 1}", y, s - 1, eqs, neq, dimension=branch.get("dim"))
            for stage in ("primary_set", "final"):
                union = [([y.read(x) for x in b["equations"]], [y.read(x) for x in b["nonzero"]]) for b in answer[stage]]
                if len(union) > 1 and all(not n for _, n in union):
                    products = [sp.expand(sp.prod(c)) for c in itertools.product(*[eqs for eqs, _ in union])]
                    ideal(ident, f"{which}, {stage} multiplied out", y, s - 1, products, union=union)
        # Sheet 9.4: E and its derivatives, the higher jets eliminated, cut out the closure of the final set.
        # V26 is left out: where q1 vanishes to high order it takes ten derivatives to see that q2 does too.
        if "proper" in expected and ident != "V26":
            final = expected["proper"]["final"]
            rounds = expected["proper"]["tangency_rounds_until_stable"] + 1
            chain, last = list(e), list(e)
            for _ in range(rounds):
                last = [y.d(x) for x in last]
                chain += last
            top = max(y.order(x) for x in chain)
            high = [u for u in y.coordinates(top) if u not in phase]
            union = [([y.read(x) for x in b["equations"]], []) for b in final]
            ideal(ident, "prolonged and projected", y, top, chain, union=union, eliminated=high, empty=expected["proper"]["no_dynamics"] or None)


def successor(y, u):
    name, k = (str(u).rsplit("_", 1) + ["0"])[:2] if str(u) not in y.names else (str(u), "0")
    return y.jet(name, int(k) + 1)


def augmented_minors(b, a):
    """Minors of (B|A) one larger than the generic rank of B: they vanish where a semispray exists."""
    full = b.row_join(sp.Matrix(a))
    r = b.rank() + 1
    rows, columns = full.shape
    found = []
    for i in itertools.combinations(range(rows), r):
        for j in itertools.combinations(range(columns), r):
            minor = sp.expand(full.extract(list(i), list(j)).det())
            if minor != 0 and minor not in found:
                found.append(minor)
    return found


def constrained(ident, y, e, constraints, reactions=None, on=None, names=""):
    """Systems of a constrained motion: Hessian, Jacobian, multipliers, on the set where everything needed is consistent."""
    m, k = len(y.names), len(constraints)
    s, a, b = affine(e, y)
    system(ident, "(B|A)" + names, y, b.tolist(), [-x for x in a])
    if k == 0:
        return
    orders = [max(y.order(f), 0) for f in constraints]
    jacobian = sp.Matrix(k, m, lambda i, j: sp.diff(constraints[i], y.jet(y.names[j], orders[i])))
    # Brought to the order of the equations by differentiation; what was passed on the way has to hold.
    top, passed, rows, right = max(s, max(orders)), [], [], []
    for f, r in zip(constraints, orders):
        chain = [f]
        for _ in range(s - r):
            chain.append(y.d(chain[-1]))
        passed += chain[:-1] if r < s else chain
        last = chain[-1] if r <= s else f
        jets = [y.jet(n, max(r, s)) for n in y.names]
        rows.append([sp.diff(last, u) for u in jets])
        right.append(sp.expand(-last.subs(dict.fromkeys(jets, 0))))
    base = constraints if on is None else on
    system(ident, "Jacobian of the constraints" + names, y, jacobian.tolist(), [0] * k, base)
    order = max(y.order(f) for f in passed)
    ideal(ident, "constraints" + names, y, max(orders), constraints)
    if passed != constraints:
        ideal(ident, "constraints with derivatives" + names, y, order, passed)
    maximal = []
    for j in itertools.combinations(range(m), k):
        if k <= m:
            minor = sp.expand(jacobian.extract(list(range(k)), list(j)).det())
            if minor != 0:
                maximal.append(minor)
    if maximal and all(not x.is_number for x in maximal):
        ideal(ident, "constraints of deficient rank" + names, y, max(orders), constraints + maximal)
    if max(orders) <= s:
        force = sp.Matrix(reactions).T if reactions else jacobian.T
        top_rows = b.row_join(force).tolist()
        system(ident, "multipliers" + names, y, top_rows + [r + [0] * force.shape[1] for r in rows], [-x for x in a] + right, passed)


def nonholonomic(cases):
    for case in cases:
        inputs, expected, ident = case["inputs"], case["expected"], case["id"]
        y = Space(inputs["coordinates"], inputs.get("parameters", []))
        if "E" in inputs:
            e = [y.read(inputs["E"][n]) for n in y.names]
        else:
            e = euler_lagrange(y.read(inputs["lagrangian"]), y)
        constraints = [y.read(f) for f in inputs["constraints"]]
        constrained(ident, y, e, constraints)
        if expected.get("B_bar") and expected.get("A_bar"):
            rows = [[y.read(x) for x in row] for row in expected["B_bar"]]
            system(ident, "reduced", y, rows, [-y.read(x) for x in expected["A_bar"].values()])
        if expected.get("det_B_bar") not in (None, "0"):
            det = y.read(expected["det_B_bar"])
            ideal(ident, "reduced determinant", y, max(y.order(det), 0), [sp.numer(sp.together(det))])


def force_balance(cases):
    for case in cases:
        inputs, expected, ident = case["inputs"], case["expected"], case["id"]
        for k, one in enumerate(inputs.get("lagrangians", [inputs] if "lagrangian" in inputs else [])):
            y = Space(one["coordinates"], one.get("parameters", []))
            l = y.read(one["lagrangian"])
            force = [y.read(x) for x in one.get("force_Phi", ["0"] * len(y.names))]
            e = [u + f for u, f in zip(euler_lagrange(l, y), force)]
            m_equations = [y.read(x) for x in one.get("M_equations", [])]
            s, a, b = affine(e, y)
            system(ident, f"balance {k + 1}", y, (-b).tolist(), list(a))
            if sp.det(b) != 0:
                ideal(ident, f"degenerate {k + 1}", y, 1, [sp.numer(sp.together(sp.simplify(sp.det(b))))])
            basis = [[y.read(f["dt"])] + [y.read(x) for x in f["dq"] + f["dv"]] for f in one.get("Lambda_basis", [])]
            if basis:
                n = len(y.names)
                system(ident, "Lambda", y, basis, [0] * len(basis), m_equations)
                beta = [row[1 + n:] for row in basis]
                system(ident, "beta", y, beta, [0] * len(beta), m_equations)
                coordinates = [T] + y.coordinates(1)
                differentials = [[sp.diff(f, u) for u in coordinates] for f in m_equations]
                system(ident, "Lambda and dM", y, basis + differentials, [0] * (len(basis) + len(differentials)), m_equations)
                speeds = [1] + [y.jet(c, 1) for c in y.names]
                # Constraint forces are spanned by S*Λ = β; λ and the accelerations together.
                accelerations = [-sum(c * v for c, v in zip(row[: 1 + n], speeds)) for row in basis]
                used = [i for i, row in enumerate(beta) if any(x != 0 for x in row)]
                forces = sp.Matrix([beta[i] for i in used]).T if used else sp.zeros(n, 0)
                rows = b.row_join(forces).tolist() + [beta[i] + [0] * len(used) for i in range(len(beta))]
                system(ident, "balance with multipliers", y, rows, [-x for x in a] + accelerations, m_equations)
            if m_equations:
                ideal(ident, "M", y, 1, m_equations)
        for k, forms in enumerate(inputs.get("codistributions", [])):
            y = Space(inputs["coordinates"])
            rows = [[y.read(x) for x in f["dq"]] for f in forms]
            system(ident, f"codistribution {k + 1}", y, rows, [-y.read(f["dt"]) for f in forms])
            velocities = [sum(c * y.jet(n, 1) for c, n in zip(row, y.names)) + y.read(f["dt"]) for row, f in zip(rows, forms)]
            ideal(ident, f"velocities {k + 1}", y, 1, velocities)


def implicit(cases):
    for case in cases:
        inputs, expected, ident = case["inputs"], case["expected"], case["id"]
        y = Space(inputs["coordinates"], inputs.get("parameters", []))
        n = y.names
        if "theta_v" in inputs:
            theta_q, theta_v = ([y.read(x) for x in inputs[k]] for k in ("theta_q", "theta_v"))
            rows = [[sp.diff(x, y.jet(c, 1)) for c in n] for x in theta_v]
            system(ident, "accelerations", y, rows, [q - (y.d(v).subs({y.jet(c, 2): 0 for c in n})) for q, v in zip(theta_q, theta_v)])
            square = presymplectic(y, theta_q, theta_v)
            system(ident, "presymplectic form", y, square, [0] * len(square))
        elif "Theta_potential" in inputs:
            full = Space(n + ["mu"], [])
            p = full.read(inputs["Theta_potential"])
            constraint = sp.diff(p, sp.Symbol("mu"))
            momenta = [sp.diff(p, full.jet(c, 1)) for c in n]
            system(ident, "fibres of the Legendre map", full, [[sp.diff(x, v) for v in [full.jet(c, 1) for c in n] + [sp.Symbol("mu")]] for x in momenta], [0] * len(momenta), [constraint])
            ideal(ident, "critical set", full, 1, [constraint])
            chain = [constraint] + [full.d(x) - sp.diff(p, sp.Symbol(c)) for x, c in zip(momenta, n)]
            ideal(ident, "critical set with the equations", full, 2, chain)
        else:
            if "lagrangian" in inputs:
                l, force = y.read(inputs["lagrangian"]), [y.read(x) for x in inputs["force"]]
            else:
                l, force = y.read(inputs["K"]), [y.read(x) for x in inputs["Psi"]]
            e = [u + f for u, f in zip(euler_lagrange(l, y), force)]
            text = [b.replace("K", f"({inputs['K']})") if "K" in inputs else b for b in inputs.get("B", [])]
            constraints = [y.read(b) for b in text]
            theta_q = [sp.diff(l, y.jet(c, 0)) + f for c, f in zip(n, force)]
            square = presymplectic(y, theta_q, [sp.diff(l, y.jet(c, 1)) for c in n])
            system(ident, "presymplectic form", y, square, [0] * len(square), constraints)
            if constraints and inputs.get("A"):
                constrained(ident, y, e, constraints, [[y.read(x) for x in row] for row in inputs["A"]])
            else:
                # Without reactions the motion has to be tangent by itself.
                s, a, b = affine(e, y)
                system(ident, "(B|A)", y, b.tolist(), [-x for x in a])
                if constraints:
                    accelerations = [y.jet(c, 2) for c in n]
                    chain = list(constraints)
                    for f in constraints:
                        while y.order(chain[-1]) < 2:
                            chain.append(y.d(chain[-1]))
                    tangent = [f for f in chain if y.order(f) == 2]
                    below = [f for f in chain if y.order(f) < 2]
                    rows = b.tolist() + [[sp.diff(f, u) for u in accelerations] for f in tangent]
                    right = [-x for x in a] + [-f.subs(dict.fromkeys(accelerations, 0)) for f in tangent]
                    system(ident, "tangent to C", y, rows, right, below)
                    ideal(ident, "C", y, 1, constraints)
                if y.order(l) >= 0 and sp.det(b) == 0:
                    ideal(ident, "minors of (B|A)", y, 1, augmented_minors(b, a))
        for step in expected.get("constraint_sequence_C_n") or []:
            eqs = [y.read(x) for x in step["equations"]]
            ideal(ident, f"C{step['n']}", y, 1, eqs)
            phase = y.coordinates(1)
            system(ident, f"tangent to C{step['n']}", y, [[sp.diff(f, u) for u in phase] for f in eqs], [-sp.diff(f, T) for f in eqs], eqs)


def presymplectic(y, theta_q, theta_v):
    z = y.coordinates(1)
    theta = list(theta_v)
    n = len(y.names)
    w = sp.zeros(2 * n, 2 * n)
    for i in range(n):
        for j in range(2 * n):
            part = sp.diff(theta[i], z[j])
            w[j, i] += part
            w[i, j] -= part
    return w.tolist()


def mixed(cases):
    for case in cases:
        inputs, expected, ident = case["inputs"], case["expected"], case["id"]
        second, first = inputs["second_order_coordinates"], inputs["first_order_coordinates"]
        y = Space(second + first, inputs.get("parameters", []))
        g = {k: y.read(v) for k, v in inputs["g"].items()}
        phase = [T] + [sp.Symbol(c) for c in second + first] + [y.jet(c, 1) for c in second]
        # Rows dt, θ, η of the coframe on the constraint: independent everywhere.
        eta = []
        for c in first:
            f = g[f"{c}_1"]
            slopes = [sp.diff(f, y.jet(x, 1)) for x in second]
            drift = f - sum(b * y.jet(x, 1) for b, x in zip(slopes, second))
            eta.append([-drift] + [-b for b in slopes] + [sp.Integer(c == d) for d in first] + [0] * len(second))
        system(ident, "constraint forms", y, eta, [0] * len(eta))
        # Whether the constraint connection is flat, and where; its other tensors are answers that nobody solves.
        for key, name in (("C_a_beta (Psi)", "curvature"), ("C_a_beta", "curvature")):
            if key in expected:
                rows = [[y.read(x) for x in row] for row in expected[key]]
                system(ident, name, y, rows, [0] * len(rows))
                ideal(ident, name + " vanishes", y, 1, [sp.numer(sp.together(x)) for row in rows for x in row])
        if "f" in inputs:
            f = {k: y.read(v) for k, v in inputs["f"].items()}
            ideal(ident, "equilibria", y, 1, [sp.numer(sp.together(x)) for x in list(f.values()) + list(g.values())] + [y.jet(c, 1) for c in second + first])
        if "acceleration_matrix" in expected:
            rows = [[y.read(x) for x in row] for row in expected["acceleration_matrix"]]
            l = y.read(inputs["lagrangian"])
            e = euler_lagrange(l, y)
            system(ident, "accelerations", y, rows, [0] * len(rows))
            hessian = [[y.read(x) for x in row] for row in expected["hessian_Lbar"]]
            system(ident, "Hessian of the restricted Lagrangian", y, hessian, [0] * len(hessian))
            constrained(ident, y, e, [sp.Symbol(k) - v for k, v in g.items()])


def cross(cases):
    for case in cases:
        inputs, expected, ident = case["inputs"], case["expected"], case["id"]
        y = Space(inputs["coordinates"], inputs.get("parameters", []))
        e = [u + y.read(f) for u, f in zip(euler_lagrange(y.read(inputs["lagrangian"]), y), inputs["force"])]
        constrained(ident, y, e, [y.read(b) for b in inputs["constraints_B"]])
        rows = [[y.read(x) for x in row] for row in expected["krupkova_Bprime"]]
        system(ident, "reduced", y, rows, [-y.read(x) for x in expected["krupkova_Aprime"]])
        inverse = [[y.read(x) for x in row] for row in expected["lewis_Cinverse_on_M"]]
        system(ident, "metric of the constraints", y, inverse, [0] * len(inverse))
        ideal(ident, "reduced determinant", y, 1, [sp.numer(sp.together(y.read(expected["det_Bprime"])))])


def main(folder):
    sheets = [("krupkova-odes", krupkova), ("nonholonomic", nonholonomic), ("force-balance", force_balance),
              ("implicit-dalembert", implicit), ("mixed-systems", mixed), ("cross-formalism", cross)]
    for name, derive in sheets:
        data = json.loads((Path(folder) / f"{name}.json").read_text())
        before = len(SYSTEMS), len(IDEALS)
        derive(data["cases"] if isinstance(data, dict) else data)
        print(f"{name}: {len(SYSTEMS) - before[0]} systems, {len(IDEALS) - before[1]} ideals", file=sys.stderr)
    lines = ",\n".join(json.dumps(x) for x in SYSTEMS), ",\n".join(json.dumps(x) for x in IDEALS)
    print('{"systems": [\n' + lines[0] + '\n],\n"ideals": [\n' + lines[1] + "\n]}")


if __name__ == "__main__":
    main(sys.argv[1])
