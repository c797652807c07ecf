"""Constrained systems worked out with SymPy, by the formulas of docs/theory and none of our code, and written as programs whose
assertions are what it found: `python3 tests/oracle/constrained.py tests/cases/constraints/derived`.

Chetaev constraints of any order (docs/theory/nonholonomic.md §6–9): E, the normal form by solving every level, A' = W^T (A + B v0) and
B' = W^T B W, the saddle system, curvature (4.16), constraint momenta (4.10), energy and power. Pairs (A, B) after Barone et al. §7,
constraints (M, Lambda) after Lewis §3 and §5. Jets are written x, x_1, x_2 here."""

import itertools
import random
import re
import sys

import sympy as sp

t = sp.Symbol('t', real=True)

def J(c, k): return sp.Symbol(c if k == 0 else f"{c}_{k}", real=True)

class Case:
    def __init__(s, name, title, coords, cons, L=None, E=None, forces=None, params=(), assume=(), dep=None, branch=None, g=None,
                 kind=None, points=2, degree=None, order=None, assume_sym=None, extra='', sym=True, momenta=None, top=None, nosolve=False, rng=None, levels=None, ham=True):
        s.__dict__.update(locals()); del s.__dict__['s']
    def parse(s, e):
        ns = {'t': t}
        for c in s.coords:
            for k in range(0, 10): ns[J(c,k).name] = J(c,k)
        for p in s.params: ns[p] = sp.Symbol(p, positive=True)
        for n in ('sin','cos','tan','exp','log','sqrt','atan','pi'): ns[n] = getattr(sp, n)
        return sp.sympify(e.replace('^','**'), locals=ns)

def order(e, coords):
    m = -1
    for s in e.free_symbols:
        for c in coords:
            for k in range(0,10):
                if s == J(c,k): m = max(m,k)
    return m

def D(e, coords):
    r = sp.diff(e, t)
    for c in coords:
        for k in range(0, 9):
            d = sp.diff(e, J(c,k))
            if d != 0: r += d*J(c,k+1)
    return r

def Dhat(e, coords, top):
    r = sp.diff(e, t)
    for c in coords:
        for k in range(0, top):
            d = sp.diff(e, J(c,k))
            if d != 0: r += d*J(c,k+1)
    return r

def mech(e, coords):
    x = str(e) if not isinstance(e, str) else e
    x = x.replace('**','^')
    def rep(m):
        k = int(m.group(2))
        return m.group(1)+"'"*k if k <= 3 else f"jet({m.group(1)}, {k})"
    for c in coords:
        x = re.sub(rf"\b({re.escape(c)})_(\d+)\b", rep, x)
    return x

def euler(L, coords):
    l = max(order(L, coords), 0)
    out = []
    for c in coords:
        e = 0
        for j in range(l+1):
            d = sp.diff(L, J(c,j))
            for _ in range(j): d = D(d, coords)
            e += (-1)**j*d
        out.append(sp.expand(e) if e.is_polynomial() else e)
    return out

def rat(r): return sp.Rational(r.randint(-9,9) or 4, r.choice([1,1,2,3,4,5]))

def simp(e):
    e = sp.sympify(e)
    return sp.factor(sp.simplify(e)) if e.count_ops() < 400 else sp.together(e)

def generate(cs):
    C = cs.coords; m = len(C); k = len(cs.cons)
    r = random.Random(cs.name)
    f = [cs.parse(x) for x in cs.cons]
    if cs.L is not None:
        L = cs.parse(cs.L); E = euler(L, C)
    else:
        L = None; E = [cs.parse(cs.E[c]) if c in cs.E else sp.Integer(0) for c in C]
    for c, q in (cs.forces or {}).items(): E[C.index(c)] += cs.parse(q)
    s = max(order(e, C) for e in E)
    ri = [order(x, C) for x in f]
    rmax = max(ri)
    dep = cs.dep
    ind = [c for c in C if c not in dep]
    Y = 'Y'
    o = [f"// {cs.name}: {cs.title}"]
    o.append(f"manifold Y over t {{ {', '.join(C)} }}")
    if cs.params: o.append("param "+', '.join(cs.params))
    if cs.params: o.append("assume "+', '.join(f"{p} > 0" for p in cs.params))
    for a in cs.assume: o.append("assume "+mech(a, C))
    if L is not None:
        lo = max(order(L,C),1)
        o.append(f"lagrangian L on J{lo}(Y) = {mech(cs.L, C)}"); base='L'
    else:
        o.append(f"equations N on J{s}(Y) {{ "+'; '.join(f"{c}: {mech(cs.E[c], C)}" for c in cs.E)+" }"); base='N'
    w=''
    if cs.forces:
        fo = max([order(cs.parse(q),C) for q in cs.forces.values()]+[1])
        o.append(f"force F on J{fo}(Y) {{ "+'; '.join(f"{c}: {mech(q, C)}" for c,q in cs.forces.items())+" }"); w=' with F'
    on = 'Y' if rmax==0 else f"J{rmax}(Y)"
    o.append(f"constraint Q on {on} {{")
    for x in cs.cons: o.append(f"    {mech(x, C)} = 0")
    o.append(f"    dependent: {', '.join(dep)}")
    if cs.branch: o.append(f"    branch: {mech(cs.branch, C)}")
    o.append("}")
    o.append(f"system S = {base}{w} subject to Q")
    A_ = lambda lhs, rhs: o.append(f"assert {lhs} = {mech(rhs, C)}")
    # prolongation to s-1 unless r >= s
    level = max(s-1, rmax) if rmax < s else rmax
    allr = []
    fp = []
    for x, rr in zip(f, ri):
        chain = [x]
        while order(chain[-1],C) < level: chain.append(D(chain[-1], C))
        allr.append(chain); fp.append(chain[-1])
    F = sp.Matrix(k, m, lambda i,j: sp.diff(f[i], J(C[j], ri[i])))
    o.append(f"assert reduced(S).coordinates = {m}")
    o.append(f"assert reduced(S).constraints = {k}")
    o.append(f"assert reduced(S).order = {s}")
    o.append(f"assert constraint_type(Q).orders = [{', '.join(map(str,ri))}]")
    if cs.kind:
        o.append(f"assert constraint_type(Q) is {cs.kind}")
    if cs.degree is not None: o.append(f"assert constraint_type(Q).degree = {cs.degree}")
    FD = F.extract(list(range(k)), [C.index(c) for c in dep])
    FI = F.extract(list(range(k)), [C.index(c) for c in ind])
    top = s
    Bm = sp.Matrix(m, m, lambda i,j: sp.diff(E[i], J(C[j], s)))
    Av = [sp.expand(E[i]-sum(Bm[i,j]*J(C[j],s) for j in range(m))) for i in range(m)]
    # substitution onto Q, level by level
    subs = {}
    def on_Q(e):
        e = sp.sympify(e)
        for _ in range(12):
            n = e.subs(subs, simultaneous=True) if subs else e
            if n == e: break
            e = n
        return e
    lowest = {}
    if cs.g is not None:
        for c, x in cs.g.items(): subs[cs.parse(c)] = cs.parse(x)
    else:
        lo = min(ri)
        for lev in range(0, level+1):
            eqs, un = [], []
            for i,(ch,rr) in enumerate(zip(allr, ri)):
                if lev >= rr: eqs.append(ch[lev-rr])
            if not eqs: continue
            # unknown: choose dependents at this level
            un = [J(c, lev) for c in dep]
            if len(eqs) < k:
                un = [J(c, lev) for c in (cs.levels or {}).get(lev, dep[:len(eqs)])]
            sol = sp.solve([on_Q(e) for e in eqs], un, dict=True)
            if len(sol) != 1: raise SystemExit(f"{cs.name}: {len(sol)} branches at level {lev}: give g")
            subs.update(sol[0])
    for e in sum(allr, []):
        z = sp.simplify(on_Q(e))
        assert z == 0, (cs.name, e, z)
    # saddle
    if rmax < s:
        un = [J(c, s) for c in C]; lam = sp.symbols(f'lam1:{k+1}')
        eqs = [E[i] - sum(lam[a]*F[a,i] for a in range(k)) for i in range(m)] + [D(x, C) for x in fp]
        eqs = [on_Q(e) for e in eqs]
        sing = False
        M, rhs = sp.linear_eq_to_matrix(eqs, list(un)+list(lam))
        dM = sp.simplify(M.det())
        W = sp.Matrix(m, m-k, lambda i,j: (1 if C[i]==ind[j] else 0) if C[i] in ind else 0)
        G = -(FD.inv()*FI)
        for i, c in enumerate(dep):
            for j in range(m-k): W[C.index(c), j] = G[i,j]
        v0 = sp.zeros(m,1)
        dg = -FD.inv()*sp.Matrix([Dhat(x, C, s-1) for x in fp])
        for i, c in enumerate(dep): v0[C.index(c)] = dg[i]
        Bp = (W.T*Bm*W).applyfunc(lambda e: simp(on_Q(e)))
        Ap = (W.T*(sp.Matrix(Av)+Bm*v0)).applyfunc(lambda e: simp(on_Q(e)))
        detB = simp(Bp.det())
        for i,c in enumerate(ind):
            A_(f"reduced(S).A[{c}]", Ap[i])
            for j,d in enumerate(ind): A_(f"reduced(S).B[{c}, {d}]", Bp[i,j])
        A_("reduced(S).det_B", detB)
        if detB == 0:
            o.append("assert reduced(S) is not regular")
            return '\n'.join(o)+'\n'+cs.extra
        o.append("assert reduced(S).det_B != 0")
        assert sp.simplify(dM - on_Q(FD.det()**2*detB)*sp.sign(1)) == 0 or sp.simplify(dM + on_Q(FD.det()**2*detB)) == 0, (cs.name, dM)
        sol = M.LUsolve(rhs)
        acc = {C[i]: simp(sol[i]) for i in range(m)}
        mul = [simp(sol[m+a]) for a in range(k)]
    else:
        # r >= s with r == s only here: E_sigma = lambda df/dq_r
        assert rmax == s and all(x == s for x in ri), "mixed r >= s not generated"
        lam = sp.symbols(f'lam1:{k+1}')
        G = -(FD.inv()*FI)
        Ap = [simp(on_Q(E[C.index(c)] + sum(E[C.index(d)]*G[i,j] for i,d in enumerate(dep)))) for j,c in enumerate(ind)]
        for i,c in enumerate(ind): A_(f"reduced(S).A[{c}]", Ap[i])
        o.append("assert reduced(S).B = 0"); o.append("assert reduced(S) is not regular"); o.append("assert reduced(S) is determined")
        for i,c in enumerate(ind):
            for d in ind: A_(f"reduced(S).jacobian[{c}, {d}]", simp(sp.diff(Ap[i], J(d,s))))
        sol = sp.solve(Ap, [J(c,s) for c in ind], dict=True)
        if cs.top: sol = [{J(c,s): cs.parse(x) for c,x in cs.top.items()}]
        assert len(sol) == 1, (cs.name, sol)
        acc = {c: simp(sol[0][J(c,s)]) for c in ind}
        for c in dep: acc[c] = simp(subs[J(c,s)].subs({J(d,s): acc[d] for d in ind}))
        allE = [e.subs({J(c,s): acc[c] for c in C}) for e in E]
        Fv = F.subs({J(c,s): acc[c] for c in C})
        FDv = FD.subs({J(c,s): acc[c] for c in C})
        mul = list((FDv.T.inv()*sp.Matrix([allE[C.index(c)] for c in dep])).applyfunc(simp))
    pr = lambda c: c+"'"*s if s<=3 else None
    key = lambda c: (f"vector_field(S).{c}"+"'"*s) if s<=3 else f"vector_field(S)[jet({c}, {s})]"
    if cs.sym:
        for c in C: A_(key(c), acc[c])
        for a in range(k): A_(f"multipliers(S)[{a+1}]", simp(-mul[a]))
        react = [simp(on_Q(-sum(mul[a]*F[a,i] for a in range(k)).subs({J(c,s): acc[c] for c in C}))) for i in range(m)]
        for i,c in enumerate(C): A_(f"reactions(S)[{c}]", react[i])
    # r = 1, s = 2 Lagrangian things
    if s == 2 and rmax == 1 and min(ri) == 1:
        gs = {c: subs[J(c,1)] for c in dep} if all(J(c,1) in subs for c in dep) else None
        if gs:
            for c in dep: A_(f"normal_form(Q).{c}'", gs[c])
            dQ = lambda e: sp.diff(e,t)+sum(sp.diff(e,J(c,0))*J(c,1) for c in ind)+sum(sp.diff(e,J(c,0))*gs[c] for c in dep)
            for i,c in enumerate(dep):
                form = ' + '.join([f"d{c}"]+[f"(-({mech(simp(sp.diff(gs[c],J(a,1))),C)}))*d{a}" for a in ind]+[f"(-({mech(simp(gs[c]-sum(sp.diff(gs[c],J(a,1))*J(a,1) for a in ind)),C)}))*dt"])
                o.append(f"assert constraint_forms(Q).on_Q[{i+1}] = {form}")
            aff = all(sp.simplify(sp.diff(gs[c],J(a,1),J(b,1)))==0 for c in dep for a in ind for b in ind)
            o.append(f"assert constraint_type(Q) is {'' if aff else 'not '}affine")
            if aff:
                curv = {(c,a): simp(dQ(sp.diff(gs[c],J(a,1)))-sp.diff(gs[c],J(a,0))-sum(sp.diff(gs[c],J(d,0))*sp.diff(gs[d],J(a,1)) for d in dep)) for c in dep for a in ind}
                for (c,a),v in curv.items(): A_(f"constraint_type(Q).curvature[{c}, {a}]", v)
                integrable = all(v==0 for v in curv.values())
                kk = 'semiholonomic' if integrable else 'affine_nonholonomic'
            else: kk='nonlinear_nonholonomic'; integrable=False
            if not cs.kind: o.append(f"assert constraint_type(Q) is {kk}")
            else: assert cs.kind == kk, (cs.name, kk)
            o.append(f"assert constraint_type(Q) is {'' if integrable else 'not '}integrable")
            if L is not None:
                Lb = simp(on_Q(L)); p = {c: on_Q(sp.diff(L,J(c,1))) for c in dep}
                A_("reduced(S).lagrangian", Lb)
                ok = True
                for a,b,c in itertools.product(ind,ind,ind):
                    ia,ib,ic = ind.index(a),ind.index(b),ind.index(c)
                    if sp.simplify(sp.diff(Bp[ia,ib],J(c,1))-sp.diff(Bp[ia,ic],J(b,1)))!=0: ok=False
                o.append(f"assert legendre(S) is {'' if ok else 'not '}integrable")
                P=None
                if ok and cs.momenta != False:
                    if cs.momenta: P = {a: cs.parse(x) for a,x in cs.momenta.items()}
                    elif aff: P = {a: simp(sp.diff(Lb,J(a,1))) for a in ind}
                    else:
                        u = sp.Symbol('u', positive=True); P={}
                        for a in ind:
                            e = sp.diff(Lb,J(a,1))
                            for b in ind:
                                h = sum(p[c]*sp.diff(gs[c],J(a,1),J(b,1)) for c in dep)
                                h = sp.simplify(h.subs({J(x,1): u*J(x,1) for x in ind}, simultaneous=True))
                                e -= J(b,1)*sp.integrate(h,(u,0,1))
                            P[a]=simp(e)
                    for a in ind:
                        for b in ind: assert sp.simplify(sp.diff(P[a],J(b,1))+Bp[ind.index(a),ind.index(b)])==0,(cs.name,a,b)
                        A_(f"legendre(S).momenta[{a}]", P[a])
                        A_(f"legendre(S).eta[{a}]", simp(Ap[ind.index(a)]+dQ(P[a])))
                    if aff:
                        H = simp(sum(P[a]*J(a,1) for a in ind)-Lb)
                        A_("legendre(S).H", H)
                        Psym = {a: sp.Symbol(f'p_{a}', real=True) for a in ind}
                        inv = sp.solve([P[a]-Psym[a] for a in ind],[J(a,1) for a in ind],dict=True)
                        if len(inv)==1 and cs.ham:
                            inv=inv[0]
                            A_("hamilton(S).H", simp(H.subs(inv,simultaneous=True)))
                            for a in ind:
                                A_(f"hamilton(S).{a}", simp(inv[J(a,1)]))
                                A_(f"hamilton(S).p_{a}", simp((Ap[ind.index(a)]+dQ(P[a])).subs(inv,simultaneous=True)))
                            for c in dep: A_(f"hamilton(S).{c}", simp(gs[c].subs(inv,simultaneous=True)))
                        if not cs.forces:
                            ex = all(sp.simplify(sum(p[c]*curv[(c,a)] for c in dep))==0 for a in ind)
                            o.append(f"assert legendre(S) is {'' if ex else 'not '}exact")
    if L is not None and order(L,C)<=1 and s==2:
        En = sum(J(c,1)*sp.diff(L,J(c,1)) for c in C)-L
        A_("energy(S)", simp(on_Q(En)))
        rate = D(En,C).subs({J(c,2): acc[c] for c in C})
        A_("power(S)", simp(on_Q(rate)))
        Q = {c: cs.parse(q) for c,q in (cs.forces or {}).items()}
        pf = simp(on_Q(sum(Q.get(c,0)*J(c,1) for c in C)))
        A_("power(S).forces", pf.subs({J(c,2): acc[c] for c in C}))
        A_("power(S).reactions", simp(on_Q(sum(-mul[a]*F[a,i]*J(C[i],1) for a in range(k) for i in range(m)).subs({J(c,2):acc[c] for c in C}))))
    if s==2: o.append("assert crosscheck(S) is consistent")
    # points
    n=0; tries=0
    while n < cs.points and tries<60:
        tries+=1
        vals = {t: rat(r)} if any(t in sp.sympify(e).free_symbols for e in E+f) else {}
        for c in C:
            for kk in range(0, s): 
                if J(c,kk) not in subs: vals[J(c,kk)] = rat(r)
        if cs.rng:
            for c,x in cs.rng.items(): vals[cs.parse(c)] = sp.Rational(r.choice(x))
        for pn in cs.params: vals[sp.Symbol(pn,positive=True)] = abs(rat(r))
        good=True; st={}
        for c in C:
            for kk in range(0,s):
                if J(c,kk) in subs:
                    v = sp.simplify(on_Q(J(c,kk)).subs(vals))
                    if not v.is_real or v.has(sp.zoo,sp.nan,sp.oo): good=False
                    st[J(c,kk)] = v
        if not good: continue
        try:
            av = {c: sp.N(on_Q(acc[c]).subs(vals), 25) for c in C}; mv=[sp.N(on_Q(x).subs(vals),25) for x in mul]
        except Exception: continue
        if any(not x.is_real or x.has(sp.zoo,sp.nan,sp.oo) for x in list(av.values())+mv): continue
        n+=1
        num = lambda v: str(v) if sp.sympify(v).is_rational else sp.N(v,20).__str__()
        pt = ', '.join(f"{mech(a,C)} = {num(b)}" for a,b in {**vals,**st}.items())
        o.append(f"let point{n} = {{ {pt} }}")
        for c in C: o.append(f"assert {key(c)} at point{n} = {sp.N(av[c],20)} within 1e-10")
        for a in range(k): o.append(f"assert multipliers(S)[{a+1}] at point{n} = {sp.N(-mv[a],20)} within 1e-10")
    if n < cs.points: o.append(f"// only {n} points")
    return re.sub(r'(\d)e([-+]?\d)', r'\1e\2', '\n'.join(o))+'\n'+cs.extra


def head(name,title,C,params,L,forces,extra_assume=()):
    o=[f"// {name}: {title}", f"manifold Y over t {{ {', '.join(C)} }}"]
    if params: o+= ["param "+', '.join(params), "assume "+', '.join(f"{p} > 0" for p in params)]
    for a in extra_assume: o.append("assume "+mech(a,C))
    o.append(f"lagrangian L on J1(Y) = {mech(L,C)}")
    if forces: o.append("force F on J1(Y) { "+'; '.join(f"{c}: {mech(q,C)}" for c,q in forces.items())+" }")
    return o

def data(C,params,L,forces):
    P=Case('', '', C, [], params=params)
    L=P.parse(L); q=[J(c,0) for c in C]; v=[J(c,1) for c in C]
    F=sp.Matrix([P.parse((forces or {}).get(c,'0')) for c in C])
    W=sp.Matrix(len(C),len(C),lambda i,j: sp.diff(L,v[i],v[j]))
    xi=sp.Matrix([sum(sp.diff(L,v[i],q[j])*v[j] for j in range(len(C)))+sp.diff(L,v[i],t)-sp.diff(L,q[i]) for i in range(len(C))])
    return P,L,q,v,F,W,xi

def pairs(name,title,C,L,B,A,dep,params=(),forces=None,g=None,branch=None,reducible=True,chetaev=None,rng=None,extra=''):
    P,Ls,q,v,F,W,xi=data(C,params,L,forces); n=len(C); r=random.Random(name)
    o=head(name,title,C,params,L,forces)
    Bs=[P.parse(b) for b in B]; As=sp.Matrix([[P.parse(a) for a in row] for row in A])
    forms=', '.join(' + '.join(f"({mech(a,C)})*omega({c})" for a,c in zip(row,C) if a!='0') for row in A)
    o.append("constraint Q on J1(Y) { "+'; '.join(mech(b,C)+" = 0" for b in B)+f"; reactions: {forms}; dependent: {', '.join(dep)}"+(f"; branch: {mech(branch,C)}" if branch else '')+" }")
    o.append("system S = L"+(" with F" if forces else "")+" subject to Q"); o.append("let R = reduction(S)")
    if g: sub={P.parse(a):P.parse(b) for a,b in g.items()}
    else:
        s=sp.solve(Bs,[J(c,1) for c in dep],dict=True); assert len(s)==1; sub=s[0]
    on=lambda e: simp(sp.sympify(e).subs(sub,simultaneous=True))
    Wi=W.inv(); X=Wi*(F-xi); Z=[-Wi*As[a,:].T for a in range(len(A))]
    XB=[sp.diff(b,t)+sum(v[i]*sp.diff(b,q[i])+X[i]*sp.diff(b,v[i]) for i in range(n)) for b in Bs]
    M=sp.Matrix(len(A),len(B),lambda a,b: sum(Z[a][i]*sp.diff(Bs[b],v[i]) for i in range(n)))
    a=lambda l,rr: o.append(f"assert {l} = {mech(rr,C)}")
    o.append("assert R is mechanical")
    for i,c in enumerate(C):
        a(f"R.X[@{c}']",on(X[i]))
        for k,z in enumerate(Z): a(f"R.Z[{k+1}][@{c}']",on(z[i]))
    for k,x in enumerate(XB): a(f"R.XB[{k+1}]",on(x))
    for k in range(len(A)):
        for l in range(len(B)): a(f"R.M[{k+1}, {l+1}]",on(M[k,l]))
    dM=on(M.det()); a("R.det_M",dM)
    o.append(f"assert R is {'' if chetaev else 'not '}chetaev")
    if dM==0: o.append("assert R is not reducible"); return '\n'.join(o)+'\n'+extra
    Lam=(sp.Matrix([XB])*M.inv()).applyfunc(on); Gam=[on(X[i]-sum(Lam[k]*Z[k][i] for k in range(len(A)))) for i in range(n)]
    for k in range(len(A)): a(f"multipliers(S)[{k+1}]",Lam[k]); a(f"R.Lambda[{k+1}]",Lam[k])
    for i,c in enumerate(C): a(f"R.Gamma.{c}''",Gam[i]); a(f"vector_field(S).{c}''",Gam[i])
    a("power(S).reactions", on(sum(Lam[k]*As[k,i]*v[i] for k in range(len(A)) for i in range(n))))
    a("power(S).forces", on(sum(F[i]*v[i] for i in range(n))))
    a("power(S)", on(sum((Lam[k]*As[k,i])*v[i] for k in range(len(A)) for i in range(n))+sum(F[i]*v[i] for i in range(n))-sp.diff(Ls,t)))
    a("energy(S)", on(sum(v[i]*sp.diff(Ls,v[i]) for i in range(n))-Ls))
    if reducible is not None: o.append(f"assert R is {'' if reducible else 'not '}reducible")
    return '\n'.join(o)+'\n'+extra

def lewis(name,title,C,L,B,beta,dep,params=(),forces=None,g=None,branch=None,IC=(True,True,True),ranks=None,extra='',sub=None,parametrised=None):
    """beta rows: (b0, [b_i], [hat_i]) as strings"""
    P,Ls,q,v,F,W,xi=data(C,params,L,forces); n=len(C)
    o=head(name,title,C,params,L,forces)
    bs=[(P.parse(b0),[P.parse(x) for x in bi],[P.parse(x) for x in h]) for b0,bi,h in beta]
    forms=', '.join(' + '.join([f"({mech(b0,C)})*dt"]*(b0!='0')+[f"({mech(x,C)})*d{c}" for x,c in zip(bi,C) if x!='0']+[f"({mech(x,C)})*d{c}'" for x,c in zip(h,C) if x!='0']) for b0,bi,h in beta)
    body=[mech(b,C)+" = 0" for b in B]
    if parametrised: o.append(parametrised[0]); body=[parametrised[1]]
    o.append("constraint Q on J1(Y) { "+'; '.join(body+[f"forms: {forms}"]+([f"dependent: {', '.join(dep)}"] if dep else [])+([f"branch: {mech(branch,C)}"] if branch else []))+" }")
    o.append("system S = L"+(" with F" if forces else "")+" subject to Q"); o.append("let I = ideal_conditions(Q)")
    Bs=[P.parse(b) for b in B]
    if g is not None: s={P.parse(a):P.parse(b) for a,b in g.items()}
    elif B:
        s=sp.solve(Bs,[J(c,1) for c in dep],dict=True); assert len(s)==1; s=s[0]
    else: s={}
    on=lambda e: simp(sp.sympify(e).subs(s,simultaneous=True))
    H=sp.Matrix([[on(x) for x in h] for _,_,h in bs]); c=sp.Matrix([on(-(b0+sum(x*vv for x,vv in zip(bi,v)))) for b0,bi,_ in bs])
    N=sp.Matrix([[on(sp.diff(b,vv)) for vv in v] for b in Bs]) if Bs else sp.zeros(0,n)
    d=sp.Matrix([on(-(sp.diff(b,t)+sum(sp.diff(b,q[i])*v[i] for i in range(n)))) for b in Bs]) if Bs else sp.zeros(0,1)
    full=sp.Matrix([[on(b0)]+[on(x) for x in bi]+[on(x) for x in h] for b0,bi,h in bs])
    for x,w in zip(('IC1','IC2','IC3'),IC):
        if w is not None: o.append(f"assert I is {'' if w else 'not '}{x}")
    if None not in IC: o.append(f"assert I is {'' if all(IC) else 'not '}ideal")
    stacked=H.col_join(N); aug=H.row_join(c).col_join(N.row_join(d))
    if IC[0]:
        o.append(f"assert I.rank_F.values = [{H.rank(simplify=True)}]")
        if IC[2]:
            o.append(f"assert I.rank_stacked.values = [{stacked.rank(simplify=True)}]"); o.append(f"assert I.rank_augmented.values = [{aug.rank(simplify=True)}]")
        o.append(f"assert I.rank_Lambda.values = [{full.rank(simplify=True)}]")
        mt=H.rank(simplify=True)
        mn=sum(H.extract(list(rr),list(cc)).det()**2 for rr in itertools.combinations(range(H.rows),mt) for cc in itertools.combinations(range(n),mt))
        o.append(f"assert I.minors = {mech(simp(mn),C)}")
    o.append("assert I.F = span("+', '.join(' + '.join(f"({mech(H[k,i],C)})*omega({C[i]})" for i in range(n)) for k in range(H.rows) if any(H[k,i]!=0 for i in range(n)))+")")
    if all(x for x in IC):
        # adapted rows: independent hats
        rows=[]; 
        for k in range(H.rows):
            if H.extract(rows+[k],list(range(n))).rank(simplify=True)==len(rows)+1: rows.append(k)
        h=H.extract(rows,list(range(n))); cc=c.extract(rows,[0]); gi=W.inv()
        gi=gi.applyfunc(on); xif=(xi-F).applyfunc(on)
        G=(h*gi*h.T).applyfunc(simp)
        o.append("let D = balance(S)")
        for i in range(len(rows)):
            for j in range(len(rows)): o.append(f"assert D.G[{i+1}, {j+1}] = {mech(G[i,j],C)}")
        dG=simp(G.det()); o.append(f"assert D.det_G = {mech(dG,C)}")
        if dG==0:
            o.append("assert D is not nondegenerate"); o.append("assert vector_field(S) fails with degenerate")
        else:
            lam=(G.inv()*(h*gi*xif+cc)).applyfunc(simp); acc=(gi*(-xif+h.T*lam)).applyfunc(simp)
            for i in range(len(rows)): o.append(f"assert D.multipliers[{i+1}] = {mech(lam[i],C)}")
            for i,x in enumerate(C): o.append(f"assert D[@{x}'] = {mech(acc[i],C)}"); o.append(f"assert vector_field(S).{x}'' = {mech(acc[i],C)}")
            o.append(f"assert energy(S) = {mech(on(sum(v[i]*sp.diff(Ls,v[i]) for i in range(n))-Ls),C)}")
            o.append(f"assert power(S).reactions = {mech(on((h.T*lam).dot(sp.Matrix(v))),C)}")
    return '\n'.join(o)+'\n'+extra


CASES = [
 # affine
 Case('a01-knife-wind','Knife edge on an incline with drag and a wind','x y a'.split(), ["x_1*sin(a)-y_1*cos(a)"], L="M*(x_1^2+y_1^2)/2+J*a_1^2/2-M*G*x", params=['M','J','G','c'], forces={'x':'-c*(x_1-1)','y':'-c*y_1'}, dep=['y'], assume=['cos(a) > 0']),
 Case('a02-time-drift','Time-dependent drift','x y z'.split(), ["z_1 - t*y*x_1 - x"], L="(x_1^2+y_1^2+z_1^2)/2 - k*z^2/2", params=['k'], dep=['z']),
 Case('a04-integrable-factor','Integrating factor needed, dependence on t','x y z'.split(), ["exp(t)*(z_1*x - z*x_1) + exp(t)*x*z"], L="(x_1^2+y_1^2+z_1^2)/2", dep=['z'], assume=['x > 0']),
 Case('a05-oscillating-table','Rolling on an oscillating table','x y a b'.split(), ["x_1 - R*a_1 - w*cos(w*t)", "y_1 - R*b_1"], L="m*(x_1^2+y_1^2)/2 + J*(a_1^2+b_1^2)/2", params=['m','J','R','w'], dep=['a','b']),
 Case('a06-sleigh-offset','Chaplygin sleigh with an offset blade, body with cart velocity mass matrix dependent on angle','x y a'.split(), ["-sin(a)*x_1 + cos(a)*y_1 - d*a_1"], L="M*(x_1^2+y_1^2)/2 + J*a_1^2/2", params=['M','J','d'], dep=['a']),
 Case('a07-martinet','Martinet constraint','x y z'.split(), ["z_1 - y^2*x_1"], L="(x_1^2+y_1^2+z_1^2)/2 - x*z", dep=['z']),
 Case('a08-nonsym','Non-Lagrangian equations with a mass matrix that is not symmetric','x y z'.split(), ["z_1 - x*y_1 - t"], E={'x':"-2*x_2 - y_2 + z_2 - x","y":"x_2 - 3*y_2 - y*y_1","z":"-z_2*(1+x^2) + 2*y_2 - t*z"}, dep=['z']),
 Case('a09-nonsym2','Non-symmetric, two constraints','x y z u'.split(), ["z_1 - y*x_1", "u_1 - z*y_1 - x"], E={'x':"-2*x_2 - y_2 - x","y":"x_2 - 3*y_2 + u_2 - y*y_1","z":"-z_2 + 2*y_2 - t*z","u":"-u_2 + z_2 + x_1^2"}, dep=['z','u']),
 # nonlinear
 Case('n01-paraboloid','z_1 = (x_1^2+y_1^2)/2','x y z'.split(), ["z_1 - (x_1^2+y_1^2)/2"], L="(x_1^2+y_1^2+z_1^2)/2 - G*z", params=['G'], dep=['z']),
 Case('n02-cubic','Cubic constraint, one degree','x y'.split(), ["y_1 - x_1^3/3 - x"], L="(x_1^2+y_1^2)/2 - x*y", dep=['y']),
 Case('n03-product','y_1 z_1 product constraint','x y z'.split(), ["y_1*z_1 - x_1 - t"], L="(x_1^2+y_1^2+z_1^2)/2", dep=['x']),
 Case('n05-appell-force','Appell cone with drag','x y z'.split(), ["z_1^2-a^2*(x_1^2+y_1^2)"], L="M*(x_1^2+y_1^2+z_1^2)/2-M*G*z", forces={'x':'-c*x_1'}, params=['M','G','a','c'], dep=['z'], branch='z_1 > 0', g={'z_1':'a*sqrt(x_1^2+y_1^2)'}, rng={'x_1':['3/5','5'],'y_1':['4/5','12']}),
 Case('n08-nonlag-nonlinear','Nonlinear with non-Lagrangian E','x y z'.split(), ["z_1 - x_1*y_1 - x"], E={'x':"-x_2 + y_2 - x*t","y":"-2*y_2 - y_1","z":"-z_2 + x_1"}, dep=['z']),
 # r < s-1
 Case('h01-fourth-order','s = 4, r = 1','x y'.split(), ["y_1 - x*x_1 - t"], L="(x_2^2+y_2^2)/2 - x*y", dep=['y']),
 Case('h02-fourth-hol','s = 4, holonomic','x y'.split(), ["y - x^2/2"], L="(x_2^2+y_2^2)/2 - y", dep=['y'], kind='holonomic'),
 Case('h03-third-order','s = 3 non-Lagrangian, r = 1','x y'.split(), ["y_1 - x*x_1^2"], E={'x':"-x_3 - 2*y_3 - x_1","y":"x_3 - y_3 + t*y"}, dep=['y']),
 Case('h04-third-r2','s = 3, r = 2 = s-1','x y z'.split(), ["z_2 - y*x_2 - x_1^2"], E={'x':"-x_3 - x_1","y":"- y_3 + z_3+ t*y", "z":"-2*z_3 + x_2"}, dep=['z']),
 Case('h05-fourth-r2','s = 4, r = 2','x y z'.split(), ["z_2 - y*x_2"], L="(x_2^2+y_2^2+z_2^2)/2 - z*x_1", dep=['z']),
 Case('h06-fourth-r3','s = 4, r = 3','x y'.split(), ["y_3 - x*x_3 - y_1"], L="(x_2^2+y_2^2)/2", dep=['y']),
 # r = 0
 Case('o01-moving-rod','Bead on a parabola moving in time','x y'.split(), ["y - x^2/2 - sin(t)"], L="(x_1^2+y_1^2)/2 - G*y", params=['G'], dep=['y'], kind='holonomic', ham=False),
 Case('o02-surface','On a saddle surface, with drag','x y z'.split(), ["z - x*y"], L="(x_1^2+y_1^2+z_1^2)/2 - G*z", forces={'x':'-c*x_1','z':'-c*z_1'}, params=['G','c'], dep=['z'], kind='holonomic'),
 Case('o03-nonlag','Holonomic, non-symmetric E','x y z'.split(), ["z - x^2 + y"], E={'x':"-2*x_2 - y_2 + z_2 - x","y":"x_2 - 3*y_2 - y*y_1","z":"-z_2 + 2*y_2 - t*z"}, dep=['z'], kind='holonomic'),
 # r = s
 Case('r01-acc','Affine acceleration constraint','x y z'.split(), ["z_2 - y*x_2 - t*x_1"], L="(x_1^2+y_1^2+z_1^2)/2 - G*z", params=['G'], dep=['z']),
 Case('r02-acc2','Two acceleration constraints','x y z'.split(), ["z_2 - x*x_2 - x_1^2","y_2 - t*x_2"], L="(x_1^2+y_1^2+z_1^2)/2 - x*y", dep=['z','y'], kind='semiholonomic', degree=1),
 Case('r03-degree2','Degree 2 with time','x y'.split(), ["y_2 - 2*x*x_2 - 2*x_1^2 + sin(t)"], L="(x_1^2+y_1^2)/2 - G*y", params=['G'], dep=['y'], kind='semiholonomic', degree=2),
 Case('r04-degree1','Degree 1 of order 2','x y'.split(), ["y_2 - x*x_2 - x_1^2 - x_1"], L="(x_1^2+y_1^2)/2 - y", dep=['y'], kind='semiholonomic', degree=1),
 Case('r05-degree1b','Degree 1 of order 2, u of order one that is not integrable','x y z'.split(), ["z_2 - y*x_2 - y_1*x_1"], L="(x_1^2+y_1^2+z_1^2)/2 - z", dep=['z'], kind='semiholonomic', degree=1),
 Case('r06-first-order','s = 1: Lagrangian affine in velocities, r = 1','x y z'.split(), ["z_1 - y*x_1"], L="y*x_1 - x*z_1 - (x^2+y^2+z^2)/2", dep=['z']),
 Case('r07-s4-r4','s = 4, r = 4','x y'.split(), ["y_4 - x*x_4 - t"], L="(x_2^2+2*y_2^2)/2 - x*y", dep=['y']),
 # mixed orders
 Case('m01-mixed','Holonomic and nonholonomic','x y z u'.split(), ["u - x^2/2 - y", "z_1 - y*x_1"], L="(x_1^2+y_1^2+z_1^2+u_1^2)/2 - G*u", params=['G'], dep=['u','z'], levels={0:['u']}, kind=None),
 Case('m02-mixed-t','Moving sphere and rolling','x y z u'.split(), ["z - x*y - t", "u_1 - z*x_1"], L="(x_1^2+y_1^2+z_1^2+2*u_1^2)/2 - z", dep=['z','u'], levels={0:['z']}),
 Case('s01-sing','Indefinite becomes singular','x y z'.split(), ["y_1 - x_1 - z"], L="(x_1^2-y_1^2+z_1^2)/2 - x*y", dep=['y']),
 Case('s02-sing-to-reg','Singular L becomes regular','x y z'.split(), ["z_1 - x*y_1 - x_1"], L="(x_1^2+z_1^2)/2 - y^2/2", dep=['x']),

 Case('s03-degree3','Semiholonomic of degree 3: third derivative of u','x y'.split(), ["y_3 - x*x_3 - 3*x_1*x_2"], L="(x_2^2+y_2^2)/2 - x*y", dep=['y'], kind='semiholonomic', degree=3),
 Case('s04-degree1of3','Order 3, degree 1','x y'.split(), ["y_3 - x*x_3"], L="(x_2^2+y_2^2)/2", dep=['y'], kind='semiholonomic', degree=1),
 Case('b01-turntable','Ball on a turntable, rolling with a drift','x y a b'.split(), ["x_1 - R*a_1 + w*y", "y_1 + R*b_1 - w*x"], L="m*(x_1^2+y_1^2)/2 + J*(a_1^2+b_1^2)/2", params=['m','J','R','w'], dep=['a','b']),
 Case('b02-polar-spring','Polar coordinates and a logarithmic velocity','r a'.split(), ["r_1 - k*r*a_1"], L="(r_1^2+r^2*a_1^2)/2 - r^2/2", params=['k'], dep=['r'], assume=['r > 0']),
  Case('b03-r2-sym','Acceleration constraint for non-symmetric equations','x y z'.split(), ["z_2 + t*y_2 - x*y_1"], E={'x':"-2*x_2 - y_2 + z_2 - x","y":"x_2 - 3*y_2 - y*y_1","z":"-z_2*(1+x^2) + 2*y_2 - t*z"}, dep=['z']),
 Case('b04-mixed-3','s = 4 with orders 0 and 2','x y z'.split(), ["y - x^2/2", "z_2 - x*x_2"], L="(x_2^2+y_2^2+z_2^2)/2 - z", dep=['y','z'], levels={0:['y'],1:['y']}),
 Case('b05-speed-ratio','Nonlinear, velocity ratio with time','x y z'.split(), ["z_1 - t*y_1^2 - x*x_1"], L="(x_1^2+y_1^2+z_1^2)/2 - k*x^2/2", params=['k'], dep=['z']),
 Case('b06-hyperbolic','Product of velocities, dependent in the denominator','x y z'.split(), ["x_1*z_1 - y_1"], L="(x_1^2+y_1^2+z_1^2)/2", dep=['z'], g={'z_1':'y_1/x_1'}, momenta=False, assume=['x_1 > 0'], rng={'x_1':[1,2,'1/2']}),
 Case('b07-variable-metric','Curved metric, drift and force with t','x y z'.split(), ["z_1 - y*x_1 - cos(t)"], L="((1+z^2)*x_1^2+y_1^2+z_1^2)/2 - x*y", forces={'y':'sin(t)-y_1'}, dep=['z'], ham=False),
 Case('b08-three-of-five','Three constraints in five coordinates','x y z u v'.split(), ["z_1 - y*x_1","u_1 - x*y_1","v_1 - x_1 - y_1"], L="(x_1^2+y_1^2+z_1^2+u_1^2+v_1^2)/2", dep=['z','u','v']),
 Case('b09-hol-two','Two holonomic constraints in four coordinates with time','x y z u'.split(), ["z - x*y","u - x - t^2"], L="(x_1^2+y_1^2+z_1^2+u_1^2)/2 - G*z", params=['G'], dep=['z','u'], kind='holonomic'),
]

OTHERS = {
    'd02-nonchetaev': lambda: pairs('d02-nonchetaev','Reaction along another direction','x y z'.split(),"(x_1^2+2*y_1^2+z_1^2)/2 - k*x*z",["z_1 - y*x_1"],[['x','1','2']],['z'],params=['k'],forces={'y':'-y_1'},reducible=None),
    'd03-two': lambda: pairs('d03-two','Two pairs, reactions mixed','x y z u'.split(),"(x_1^2+y_1^2+z_1^2+u_1^2)/2 - x*u",["z_1-y*x_1","u_1-x*y_1"],[['0','0','1','1'],['1','0','0','1']],['z','u'],reducible=None),
    'd04-chetaev-scaled': lambda: pairs('d04-chetaev-scaled','A is an invertible combination of d_S B','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2 - z",["z_1-y*x_1"],[['-y*(1+x^2)','0','1+x^2']],['z'],chetaev=True),
    'd05-nonlinear': lambda: pairs('d05-nonlinear','Nonlinear B with a vertical reaction','x y'.split(),"(x_1^2+y_1^2)/2 - k*x^2",["y_1 - x_1^2/2"],[['0','1']],['y'],params=['k']),
    'd06-degenerate': lambda: pairs('d06-degenerate','Reaction that cannot hold the constraint','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2",["z_1 - x"],[['1','0','0']],['z']),
    'd07-variable-mass': lambda: pairs('d07-variable-mass','Metric that depends on positions','x y'.split(),"((1+y^2)*x_1^2+y_1^2)/2",["y_1 - x*x_1"],[['1','1']],['y'],reducible=None),
    'd08-chetaev-nonlinear': lambda: pairs('d08-chetaev-nonlinear','Chetaev reactions written by hand for a nonlinear constraint','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2 - G*z",["z_1 - x_1*y_1"],[['-y_1','-x_1','1']],['z'],params=['G'],chetaev=True),
    'f01-nonlinear-time': lambda: lewis('f01-nonlinear-time','Nonlinear constraint with time, Lambda = dB','x y'.split(),"(x_1^2+y_1^2)/2 - k*y",["y_1 - x_1^2/2 - t*x"],[('-x',['-t','0'],['-x_1','1'])],['y'],params=['k']),
    'f02-acc-two': lambda: lewis('f02-acc-two','Two acceleration forms with M everything','x y z'.split(),"(x_1^2+2*y_1^2+z_1^2)/2 - x*y",[],[('-t',['0','x_1','0'],['1','0','y']),('0',['1','0','0'],['0','1','-x'])],[],forces={'z':'-z_1'}),
    'f03-IC1': lambda: lewis('f03-IC1','IC1 fails where x = 0','x y'.split(),"(x_1^2+y_1^2)/2",[],[('0',['0','1'],['x','0'])],[],IC=(False,False,None)),
    'f04-IC3-first': lambda: lewis('f04-IC3-first','The forces do not contain the directions of M','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2",["z_1 - y*x_1"],[('0',['0','0','0'],['0','1','0'])],['z'],IC=(True,True,False)),
    'f05-IC3-second': lambda: lewis('f05-IC3-second','A form without dv that does not vanish on motions','x y'.split(),"(x_1^2+y_1^2)/2",[],[('0',['0','1'],['1','0']),('-1',['1','0'],['0','0'])],[],IC=(True,True,False)),
    'f06-redundant-rows': lambda: lewis('f06-redundant-rows','A form without dv that vanishes on M','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2 - k*z",["z_1 - y*x_1 - t"],[('-1',['0','-x_1','0'],['-y','0','1']),('-t',['-y','0','1'],['0','0','0'])],['z'],params=['k']),
    'f07-degenerate': lambda: lewis('f07-degenerate','Indefinite metric, nondegeneracy fails','x y z'.split(),"(x_1^2-y_1^2+z_1^2)/2",["z_1 - x"],[('0',['-1','0','0'],['0','0','1']),('0',['0','0','0'],['1','-1','0'])],['z'],IC=(True,True,True)),
    'f08-two-nonlinear': lambda: lewis('f08-two-nonlinear','Two nonlinear constraints, Lambda = dB','x y z u'.split(),"(x_1^2+y_1^2+z_1^2+u_1^2)/2 - z",["z_1 - x_1*y_1","u_1 - x*x_1"],[('0',['0','0','0','0'],['-y_1','-x_1','1','0']),('0',['-x_1','0','0','0'],['-x','0','0','1'])],['z','u']),
    'f09-parametrised': lambda: lewis('f09-parametrised','M by a parametrisation: velocity on a moving parabola','x y'.split(),"(x_1^2+y_1^2)/2 - k*y",["y_1 - x_1^2/2 - t"],[('-1',['0','0'],['-x_1','1'])],['y'],params=['k'], parametrised=("manifold P over t { x0, y0, w }\nmap c : P -> J1(Y) { x = x0; y = y0; x' = w; y' = w^2/2 + t }\nsubmanifold K on J1(Y) { y' = x'^2/2 + t }\nassert image(c) = K","image(c)")),
}


if __name__ == '__main__':
    folder, want = sys.argv[1], sys.argv[2:]
    programs = {c.name: lambda c=c: generate(c) for c in CASES} | OTHERS
    for name, write in programs.items():
        if not want or any(w in name for w in want):
            with open(f'{folder}/{name}.mech', 'w') as f:
                f.write(write())
