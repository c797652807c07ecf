"""Mixed systems of first and second order, worked out with SymPy by the formulas of docs/theory/mixed.md and none of our code:

    python3 tests/oracle/mixed.py tests/cases/more-mixed

x'' = f(t, x, y, x'), y' = g(t, x, y, x'). Jets are written x, x_1 here."""

import random
import re
import sys

import sympy as sp

t = sp.Symbol('t', real=True)


def J(c, k): return sp.Symbol(c if k == 0 else f"{c}_{k}", real=True)


def mech(e):
    return re.sub(r"\b([A-Za-z]\w*?)_1\b", r"\1'", str(e).replace('**', '^'))


def simp(e):
    return sp.factor(sp.simplify(e))


class Mixed:
    def __init__(s, name, title, second, first, f, g, params=(), assume=()):
        s.name, s.title, s.xs, s.ys, s.params, s.assume = name, title, second.split(), first.split(), params, assume
        ns = {'t': t} | {J(c, k).name: J(c, k) for c in s.xs + s.ys for k in (0, 1)}
        ns |= {p: sp.Symbol(p, positive=True) for p in params}
        s.parse = lambda e: sp.sympify(str(e).replace('^', '**'), locals=ns)
        s.f = {c: s.parse(e) for c, e in zip(s.xs, f)}
        s.g = {c: s.parse(e) for c, e in zip(s.ys, g)}
        s.f_typed, s.g_typed = f, g
        v = {c: J(c, 1) for c in s.xs}
        s.v = v
        s.q = {c: J(c, 0) for c in s.xs + s.ys}
        s.order = [t] + [s.q[c] for c in s.xs + s.ys] + [v[c] for c in s.xs]
        s.field = [sp.Integer(1)] + [v[c] for c in s.xs] + [s.g[c] for c in s.ys] + [s.f[c] for c in s.xs]
        s.B = {(a, c): sp.diff(s.g[a], v[c]) for a in s.ys for c in s.xs}
        s.B0 = {a: s.g[a] - sum(v[c]*s.B[a, c] for c in s.xs) for a in s.ys}
        s.K = {(b, a): -sp.diff(s.f[b], v[a])/2 for b in s.xs for a in s.xs}

    def G(s, h): return sum(c*sp.diff(h, z) for c, z in zip(s.field, s.order))

    def X(s, c, h): return sp.diff(h, s.q[c]) + sum(s.B[a, c]*sp.diff(h, s.q[a]) for a in s.ys)

    def C(s, a, b): return s.G(s.B[a, b]) - s.X(b, s.g[a])

    def Phi(s, b, a): return -s.X(a, s.f[b]) - sum(s.K[c, a]*s.K[b, c] for c in s.xs) - s.G(s.K[b, a])

    def tensors(s):
        n, p = len(s.order), {z: i for i, z in enumerate(s.order)}
        eta = {}
        for a in s.ys:
            row = [sp.Integer(0)]*n
            row[p[s.q[a]]] = sp.Integer(1)
            for c in s.xs: row[p[s.q[c]]] -= s.B[a, c]
            row[0] -= s.B0[a]
            eta[a] = row
        theta = {}
        for c in s.xs:
            row = [sp.Integer(0)]*n
            row[p[s.q[c]]], row[0] = sp.Integer(1), -s.v[c]
            theta[c] = row
        N, S = sp.zeros(n, n), sp.zeros(n, n)
        for a in s.ys: N[p[s.q[a]], :] = sp.Matrix([eta[a]])
        for c in s.xs: S[p[s.v[c]], :] = sp.Matrix([theta[c]])
        JG = sp.Matrix(n, n, lambda i, j: sp.diff(s.field[i], s.order[j]))
        LS = S.applyfunc(s.G) - JG*S + S*JG
        gdt = sp.zeros(n, n)
        for i in range(n): gdt[i, 0] = s.field[i]
        PH = (sp.eye(n) - LS + gdt + N)/2
        PV = (sp.eye(n) + LS - gdt - N)/2
        assert (LS*LS - sp.eye(n) + gdt + N).applyfunc(sp.simplify) == sp.zeros(n, n)
        return N, S, PH, PV, eta

    def program(s, symmetries=(), adjoints=()):
        o = [f"// {s.name}: {s.title}", f"manifold M over t {{ {', '.join(s.xs)} }}", f"manifold E over M {{ {', '.join(s.ys)} }}"]
        if s.params: o += ["param " + ', '.join(s.params), "assume " + ', '.join(f"{p} > 0" for p in s.params)]
        for a in s.assume: o.append("assume " + mech(a))
        o.append("mixed S on E { " + '; '.join([f"{c}'' = {mech(e)}" for c, e in zip(s.xs, s.f_typed)] + [f"{c}' = {mech(e)}" for c, e in zip(s.ys, s.g_typed)]) + " }")
        o += ["let K = connection(S)", "let R = curvature(S)"]
        A = lambda lhs, rhs: o.append(f"assert {lhs} = {mech(simp(rhs))}")
        T = lambda x: o.append("assert " + x)
        N, S, PH, PV, eta = s.tensors()
        names = ['t'] + s.xs + s.ys + [c + "'" for c in s.xs]
        matrix = lambda M: '[' + ', '.join('[' + ', '.join(mech(simp(e)) for e in M.row(i)) + ']' for i in range(M.rows)) + ']'
        for a in s.ys:
            for c in s.xs: A(f"K.B[{a}, {c}]", s.B[a, c])
            A(f"K.B0[{a}]", s.B0[a])
            T(f"K.eta[{a}] = " + ' + '.join(f"({mech(simp(e))})*d{n}" for e, n in zip(eta[a], names) if e != 0))
        for b in s.xs:
            for a in s.xs: A(f"K[{b}, {a}]", s.K[b, a])
            T(f"K.X[{b}] = " + ' + '.join([f"@{b}"] + [f"({mech(simp(s.B[a, b]))})*@{a}" for a in s.ys]))
            lift = ' + '.join([f"@{b}"] + [f"({mech(simp(s.B[a, b]))})*@{a}" for a in s.ys] + [f"({mech(simp(-s.K[c, b]))})*@{c}'" for c in s.xs])
            T(f"K.lift(K.X[{b}]) = {lift}")
        T("K.Gamma = " + ' + '.join(f"({mech(simp(e))})*@{n}" for e, n in zip(s.field, names)))
        for w, M in (('N', N), ('S', S), ('PH', PH), ('PV', PV)): T(f"K.{w} = {matrix(M)}")
        T("K is verified"); T("R is verified")
        flat = True
        for a in s.ys:
            for b in s.xs:
                c = simp(s.C(a, b)); flat &= c == 0
                A(f"R.Psi[{a}, {b}]", c)
        for b in s.xs:
            for a in s.xs: A(f"R.Phi[{b}, {a}]", s.Phi(b, a))
            for a in s.ys: A(f"R.Phi_eta[{b}, {a}]", -sp.diff(s.f[b], s.q[a]))
        for a in s.ys:
            T(f"covariant(S, @{a}) = " + (' + '.join(f"({mech(simp(-sp.diff(s.g[b], s.q[a])))})*@{b}" for b in s.ys)))
            for b in s.ys: A(f"R.nabla[{a}, {b}]", -sp.diff(s.g[b], s.q[a]))
        for a in s.xs:
            T(f"covariant(S, K.X[{a}]) = " + ' + '.join(f"({mech(simp(s.K[b, a]))})*K.X[{b}]" for b in s.xs))
        T(f"R is {'' if flat else 'not '}flat")
        for i, (mu, nu) in enumerate(symmetries, 1):
            mu = {c: s.parse(e) for c, e in zip(s.xs, mu)}; nu = {a: s.parse(e) for a, e in zip(s.ys, nu)}
            field = ' + '.join([f"({mech(mu[c])})*K.X[{c}]" for c in s.xs] + [f"({mech(nu[a])})*@{a}" for a in s.ys])
            o.append(f"let sym{i} = symmetry(S, {field})")
            second = {b: s.G(s.G(mu[b])) - sum(sp.diff(s.f[b], s.v[c])*s.G(mu[c]) + s.X(c, s.f[b])*mu[c] for c in s.xs) - sum(sp.diff(s.f[b], s.q[a])*nu[a] for a in s.ys) for b in s.xs}
            first = {a: s.G(nu[a]) - sum(sp.diff(s.g[a], s.q[b])*nu[b] for b in s.ys) + sum(s.C(a, c)*mu[c] for c in s.xs) for a in s.ys}
            good = all(simp(e) == 0 for e in [*second.values(), *first.values()])
            T(f"{'' if good else 'not '}sym{i}")
            for b in s.xs: A(f"sym{i}.second[{b}]", second[b]); A(f"sym{i}.rate[{b}]", s.G(mu[b]))
            for a in s.ys: A(f"sym{i}.first[{a}]", first[a])
        for i, (al, ga, potential, kind, extra) in enumerate(adjoints, 1):
            al = {c: s.parse(e) for c, e in zip(s.xs, al)}; ga = {a: s.parse(e) for a, e in zip(s.ys, ga)}
            form = ' + '.join([f"({mech(al[c])})*omega({c})" for c in s.xs] + [f"({mech(ga[a])})*K.eta[{a}]" for a in s.ys])
            o.append(f"let adj{i} = adjoint_symmetry(S, {form}" + (f", potential = {mech(s.parse(potential))}" if potential else '') + ")")
            th = {b: s.G(s.G(al[b])) - 2*s.G(sum(al[c]*s.K[c, b] for c in s.xs)) - sum(al[c]*s.X(b, s.f[c]) for c in s.xs) + sum(ga[a]*s.C(a, b) for a in s.ys) for b in s.xs}
            et = {b: -s.G(ga[b]) - sum(ga[a]*sp.diff(s.g[a], s.q[b]) for a in s.ys) - sum(al[c]*sp.diff(s.f[c], s.q[b]) for c in s.xs) for b in s.ys}
            good = all(simp(e) == 0 for e in [*th.values(), *et.values()])
            T(f"{'' if good else 'not '}adj{i}")
            for b in s.xs:
                A(f"adj{i}.theta[{b}]", th[b]); A(f"adj{i}.b[{b}]", -s.G(al[b]) + 2*sum(al[c]*s.K[c, b] for c in s.xs))
            for a in s.ys: A(f"adj{i}.eta[{a}]", et[a])
            if potential:
                F = s.parse(potential)
                assert all(simp(sp.diff(F, s.v[c]) - al[c]) == 0 for c in s.xs) and all(simp(sp.diff(F, s.q[a]) - ga[a]) == 0 for a in s.ys)
                A(f"adj{i}.rate", s.G(F))
            if kind: T(f"adj{i} is {kind}")
            for line in extra: T(f"adj{i}.{line}")
        return '\n'.join(o) + '\n'


def first_integral(s, F):
    "the adjoint symmetry dF of a first integral"
    F = s.parse(F)
    assert simp(s.G(F)) == 0, (s.name, simp(s.G(F)))
    return [sp.diff(F, s.v[c]) for c in s.xs], [sp.diff(F, s.q[a]) for a in s.ys], F, 'first_integral', []


def all_programs():
    m = Mixed('x01-disk', 'Vertical disk with unequal inertias', 'theta phi', 'x y', ['0', '0'], ['r*cos(theta)*phi_1', 'r*sin(theta)*phi_1'], params=['r'])
    yield m, m.program([(['1', '0'], ['0', '0']), (['0', '1'], ['0', '0']), (['0', '0'], ['1', '0']), (['0', '1'], ['-r*cos(theta)', '-r*sin(theta)'])],
                       [first_integral(m, 'theta_1*phi_1'), first_integral(m, 'x*theta_1 - r*sin(theta)*phi_1'), (['phi', '0'], ['0', '0'], None, None, [])])
    m = Mixed('x02-nonlinear', 'Everything depends on everything', 'x y', 'z', ['x_1*y_1 - z', 'y_1^2 + t*x'], ['x_1^2*y_1 + z*y'])
    yield m, m.program([(['1', 'x'], ['z']), (['y_1', 't'], ['0'])], [(['x_1', 'z'], ['y'], None, 'not_adjoint_symmetry', [])])
    m = Mixed('x03-two-first', 'One second order, two first order', 'x', 'y z', ['-x + y*z - x_1'], ['z + x_1', '-y + x*x_1^2'])
    yield m, m.program([(['x_1'], ['0', '0'])], [(['y'], ['x_1', '1'], None, None, [])])
    m = Mixed('x04-time', 'Explicit time', 'x', 'y', ['-t*x_1 + exp(t)*y'], ['t*x_1^2 + cos(t)*y'])
    yield m, m.program([(['t'], ['0']), (['0'], ['exp(sin(t))'])], [])
    m = Mixed('x05-integrable', 'An integrable linear constraint', 'x y', 'z', ['-x*z', '-y'], ['2*x*x_1 + y_1'])
    yield m, m.program([(['0', '0'], ['1'])], [first_integral(m, 'z - x^2 - y'), first_integral(m, '(z - x^2 - y)*(y_1^2 + y^2)/2')])
    m = Mixed('x06-decoupled', 'Oscillator with a slave: a Lagrangian of the second order part', 'x', 'y', ['-w^2*x'], ['y*x'], params=['w'])
    # a = x' is the adjoint symmetry of F = x'^2/2 with Gamma(F) = -w^2 x x' = d(-w^2 x^2/2)/dt
    yield m, m.program([(['x'], ['0']), (['0'], ['y'])],
                       [(['x_1'], ['0'], 'x_1^2/2', 'first_integral_after_gauge', ['integral = (x\'^2 + w^2*x^2)/2']),
                        (['x'], ['0'], 'x*x_1', 'lagrangian_for_second_order_part', ["lagrangian = x'^2 - w^2*x^2"])])
    m = Mixed('x07-only-first', 'Two coordinates of first order beside a free one', 'x', 'y z', ['0'], ['-z', 'y'])
    yield m, m.program([(['0'], ['y', 'z']), (['0'], ['-z', 'y']), (['t'], ['0', '0'])],
                       [first_integral(m, '(y^2 + z^2)/2'), first_integral(m, 'x_1^3')])
    m = Mixed('x08-root', 'Functions with a root and a logarithm', 'x', 'y', ['-sqrt(1 + x_1^2)'], ['log(1 + x_1^2) - y'])
    yield m, m.program([(['1'], ['0'])], [])
    m = Mixed('x09-heisenberg-time', 'Driven z\' = y x\' - sin t', 'x y', 'z', ['0', '0'], ['y*x_1 - sin(t)'])
    yield m, m.program([(['0', '0'], ['1']), (['1', '0'], ['-y']), (['0', '1'], ['x - 2*x'])],
                       [first_integral(m, 'y_1*x_1'), first_integral(m, 'x_1*(x - t*x_1)')])


if __name__ == '__main__':
    for m, text in all_programs():
        with open(f'{sys.argv[1]}/{m.name}.mech', 'w') as f:
            f.write(text)
