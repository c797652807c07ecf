"""Random singular Lagrangians and their final constraint sets, by elimination (docs/theory/odes.md §9.4), independent of the
constraint algorithm: the real zero set of ideal(E, dE/dt, …, d^kE/dt^k) ∩ Q[t, q, q'] is the final set of the proper
dynamics, once k is large enough. Writes one program for each system into the folder given.

    python singular.py FOLDER [COUNT [SEED]]

A program asserts that what `dynamics` finds lies in that set, and is all of it unless strata were left undecided. (The ideal gives closures: a final set
that is not closed is smaller without a stratum being undecided, as for L = −xy − 2x'² − y³, where y = 0 needs y' = 0. Such
programs were not kept.) Systems whose elimination takes too long, or whose
ideal does not become stationary, are left out.
"""

import random
import signal
import sys
from pathlib import Path

import sympy as sp

ORDER = 7


def jets(names):
    return {n: [sp.Symbol(n + "_" + str(k)) for k in range(ORDER + 3)] for n in names}


def d(e, q):
    return sp.expand(sum(sp.diff(e, j[k]) * j[k + 1] for j in q.values() for k in range(ORDER + 2)))


def euler_lagrange(l, q, r):
    result = []
    for j in q.values():
        e, sign = 0, 1
        for k in range(r + 1):
            term = sp.diff(l, j[k])
            for _ in range(k):
                term = d(term, q)
            e, sign = e + sign * term, -sign
        result.append(sp.expand(e))
    return result


def random_lagrangian(q, rng):
    names = list(q)
    m = len(names)
    v = [q[n][1] for n in names]
    x = [q[n][0] for n in names]
    rank = rng.randint(1, m - 1)
    l = 0
    for i in range(rank):
        form = sum(rng.choice([0, 0, 1, -1]) * w for w in v) + v[i]
        if rng.random() < 0.4:
            form += rng.choice([1, -1, 2]) * rng.choice(x)
        l += rng.choice([1, 1, -1]) * form**2 / 2
    for _ in range(rng.randint(1, 3)):
        term = rng.choice([1, -1, 2])
        for _ in range(rng.randint(1, 3)):
            term *= rng.choice(x)
        l += term
    return sp.expand(l)


def final_ideal(e, q, s):
    """The elimination ideal, for growing k, until it is stationary."""
    phase = [j[k] for k in range(s) for j in q.values()]
    equations, last = list(e), None
    level = list(e)
    for k in range(ORDER - 1):
        high = [j[n] for n in range(ORDER + 2, s - 1, -1) for j in q.values()]
        used = [h for h in high if any(h in f.free_symbols for f in equations)]
        basis = sp.groebner(equations, *used, *phase, order="lex")
        low = [g for g in basis.exprs if g.free_symbols <= set(phase)]
        # The squarefree parts of what factors: closer to the radical, and the same real points.
        if last is not None and k >= 2 and set(low) == set(last):
            return low
        last = low
        if low == [sp.Integer(1)]:
            return low
        level = [d(f, q) for f in level]
        equations = list(basis.exprs) + level
    return None


def text(e):
    out = sp.sstr(e).replace("**", "^")
    return out


def jet_text(e, q):
    table = {}
    for n, j in q.items():
        for k, s in enumerate(j):
            table[s] = sp.Symbol(n + "'" * k)
    return text(e.xreplace(table))


def main():
    folder = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)

    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    made = 0
    while made < count:
        m = rng.choice([2, 2, 3])
        q = jets(["x", "y", "z"][:m])
        l = random_lagrangian(q, rng)
        e = euler_lagrange(l, q, 1)
        if not any(j[2] in f.free_symbols for f in e for j in q.values()):
            continue
        signal.alarm(20)
        try:
            low = final_ideal(e, q, 2)
        except TimeoutError:
            continue
        finally:
            signal.alarm(0)
        if low is None:
            continue
        made += 1
        lines = [
            "// A random singular Lagrangian; the set is the elimination ideal of the prolonged equations.",
            "manifold Y over t { " + ", ".join(q) + " }",
            "lagrangian L on J1(Y) = " + jet_text(l, q),
            "let D = dynamics(L)",
        ]
        if low == [sp.Integer(1)]:
            lines.append("assert D is empty")
        elif not low:
            lines.append("assert D.final = everything(J1(Y))")
        else:
            lines.append("submanifold K on J1(Y) { " + "; ".join(jet_text(g, q) + " = 0" for g in low) + " }")
            # Strata on the boundary of an open branch may be left out, and are then said to be undecided.
            lines.append("assert union(D.final, K) = K")
            lines.append("assert D is not complete or D.final = K")
        (folder / f"R{made:03}.mech").write_text("\n".join(lines) + "\n")


main()
