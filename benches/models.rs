//! The systems of the benchmarks as kernels, written like their equations: dp, nl8, kepler, hh, oss, disk.
//! Also used by `tests/numerics.rs`. Reference states: a Taylor integrator in 128-bit arithmetic at tolerance 1e-24,
//! checked against 80-bit arithmetic (the outer solar system: 80-bit only).
#![allow(dead_code)]

use lepage::workshop::codegen::ir::{Bank, Kernel, KernelBuilder, Shape, Value};

pub struct Model {
    pub name: &'static str,
    pub field: Kernel,
    pub energy: Kernel,
    pub state: Vec<f64>,
    pub end: f64,
    /// The state at the end.
    pub reference: Vec<f64>,
}

pub fn all() -> Vec<Model> {
    ["dp", "nl8", "kepler", "hh", "oss", "disk"].into_iter().filter_map(named).collect()
}

pub fn named(name: &str) -> Option<Model> {
    Some(match name {
        "dp" => double_pendulum(),
        "nl8" => links(8),
        "kepler" => kepler(),
        "hh" => henon_heiles(),
        "oss" => solar_system(),
        "disk" => disk(),
        _ => return None,
    })
}

struct B(KernelBuilder);

/// Arithmetic on values, so that equations read like equations.
impl B {
    fn new(name: &str) -> B {
        B(KernelBuilder::new(name))
    }
    fn states(&mut self, n: usize) -> Vec<Value> {
        (0..n).map(|i| self.0.input(&format!("y{i}"), Bank::State)).collect()
    }
    fn c(&mut self, x: f64) -> Value {
        self.0.constant(x)
    }
    fn add(&mut self, xs: &[Value]) -> Value {
        xs[1..].iter().fold(xs[0], |s, x| self.0.add(s, *x))
    }
    fn sub(&mut self, x: Value, y: Value) -> Value {
        self.0.sub(x, y)
    }
    fn mul(&mut self, xs: &[Value]) -> Value {
        xs[1..].iter().fold(xs[0], |s, x| self.0.mul(s, *x))
    }
    fn scale(&mut self, c: f64, x: Value) -> Value {
        let c = self.0.constant(c);
        self.0.mul(c, x)
    }
    fn neg(&mut self, x: Value) -> Value {
        self.0.neg(x)
    }
    fn div(&mut self, x: Value, y: Value) -> Value {
        self.0.div(x, y)
    }
    fn sq(&mut self, x: Value) -> Value {
        self.0.mul(x, x)
    }
    fn finish(mut self, outputs: &[Value]) -> Kernel {
        for (i, v) in outputs.iter().enumerate() {
            self.0.output(format!("o{i}"), *v);
        }
        self.0.finish()
    }
}

const G: f64 = 9.81;

fn double_pendulum() -> Model {
    let mut b = B::new("dp");
    let y = b.states(4);
    let d = b.sub(y[0], y[1]);
    let (s, c) = (b.0.sin(d), b.0.cos(d));
    let (s1, s2) = (b.0.sin(y[0]), b.0.sin(y[1]));
    let (p, q) = (b.mul(&[s, y[3], y[3]]), b.scale(2.0 * G, s1));
    let r1 = b.add(&[p, q]);
    let r1 = b.neg(r1);
    let (p, q) = (b.mul(&[s, y[2], y[2]]), b.scale(G, s2));
    let r2 = b.sub(p, q);
    let two = b.c(2.0);
    let cc = b.sq(c);
    let det = b.sub(two, cc);
    let p = b.mul(&[c, r2]);
    let n1 = b.sub(r1, p);
    let (p, q) = (b.mul(&[two, r2]), b.mul(&[c, r1]));
    let n2 = b.sub(p, q);
    let (a1, a2) = (b.div(n1, det), b.div(n2, det));
    let field = b.finish(&[y[2], y[3], a1, a2]);

    let mut b = B::new("dp energy");
    let y = b.states(4);
    let d = b.sub(y[0], y[1]);
    let (c, c1, c2) = (b.0.cos(d), b.0.cos(y[0]), b.0.cos(y[1]));
    let (v1, v2) = (b.sq(y[2]), b.sq(y[3]));
    let half = b.scale(0.5, v2);
    let cross = b.mul(&[y[2], y[3], c]);
    let (p1, p2) = (b.scale(-2.0 * G, c1), b.scale(-G, c2));
    let e = b.add(&[v1, half, cross, p1, p2]);
    let energy = b.finish(&[e]);
    Model {
        name: "dp",
        field,
        energy,
        state: vec![1.5, 1.0, 0.0, 0.0],
        end: 100.0,
        reference: vec![-0.7428302076952399, -1.3701524036462975, 2.718494185110601, 0.8812845238308062],
    }
}

/// The double pendulum at t = 10.
pub const DP_AT_10: [f64; 4] = [-1.2276732303126328, -1.4212021098331344, -1.437530371883816, 0.6320928897731513];

fn kepler() -> Model {
    let mut b = B::new("kepler");
    let y = b.states(4);
    let (xx, yy) = (b.sq(y[0]), b.sq(y[1]));
    let r2 = b.add(&[xx, yy]);
    let e = b.c(-1.5);
    let k = b.0.pow(r2, e);
    let k = b.neg(k);
    let (ax, ay) = (b.mul(&[y[0], k]), b.mul(&[y[1], k]));
    let field = b.finish(&[y[2], y[3], ax, ay]);

    let mut b = B::new("kepler energy");
    let y = b.states(4);
    let squares: Vec<Value> = y.iter().map(|&v| b.sq(v)).collect();
    let (v2, r2) = (b.add(&squares[2..]), b.add(&squares[..2]));
    let r = b.0.sqrt(r2);
    let half = b.scale(0.5, v2);
    let one = b.c(1.0);
    let potential = b.div(one, r);
    let e = b.sub(half, potential);
    let energy = b.finish(&[e]);
    Model {
        name: "kepler",
        field,
        energy,
        state: vec![0.4, 0.0, 0.0, 2.0],
        end: 6283.185307179586,
        reference: vec![0.4, -6.5174688293438475e-12, 2.0367090091684538e-11, 2.0],
    }
}

fn henon_heiles() -> Model {
    let mut b = B::new("hh");
    let y = b.states(4);
    let xy = b.mul(&[y[0], y[1]]);
    let two = b.scale(2.0, xy);
    let sum = b.add(&[y[0], two]);
    let ax = b.neg(sum);
    let (xx, yy) = (b.sq(y[0]), b.sq(y[1]));
    let sum = b.add(&[y[1], xx]);
    let ay = b.sub(yy, sum);
    let field = b.finish(&[y[2], y[3], ax, ay]);

    let mut b = B::new("hh energy");
    let y = b.states(4);
    let squares: Vec<Value> = y.iter().map(|&v| b.sq(v)).collect();
    let sum = b.add(&squares);
    let half = b.scale(0.5, sum);
    let cubic = b.mul(&[squares[0], y[1]]);
    let third = b.mul(&[squares[1], y[1]]);
    let third = b.scale(-1.0 / 3.0, third);
    let e = b.add(&[half, cubic, third]);
    let energy = b.finish(&[e]);
    Model {
        name: "hh",
        field,
        energy,
        state: vec![0.0, 0.1, 0.35, 0.1],
        end: 10000.0,
        reference: vec![0.02895415410512083, -0.06305495594921466, -0.25133745502458527, -0.2716378752518324],
    }
}

/// The planar n-link pendulum; the mass matrix is left to the compiled code.
pub fn links(n: usize) -> Model {
    let mut b = B::new("links");
    let y = b.states(2 * n);
    let mut matrix = vec![y[0]; n * n];
    let mut rhs: Vec<Value> = Vec::new();
    for i in 0..n {
        let s = b.0.sin(y[i]);
        let p = b.scale(-((n - i) as f64) * G, s);
        rhs.push(p);
        matrix[i * n + i] = b.c((n - i) as f64);
    }
    for i in 0..n {
        for j in 0..i {
            let w = (n - i) as f64;
            let d = b.sub(y[i], y[j]);
            let (s, c) = (b.0.sin(d), b.0.cos(d));
            matrix[i * n + j] = b.scale(w, c);
            matrix[j * n + i] = matrix[i * n + j];
            let e = b.scale(w, s);
            let vj = b.mul(&[e, y[n + j], y[n + j]]);
            rhs[i] = b.sub(rhs[i], vj);
            let vi = b.mul(&[e, y[n + i], y[n + i]]);
            rhs[j] = b.add(&[rhs[j], vi]);
        }
    }
    let a = b.0.solve(Shape::Symmetric, matrix, rhs);
    let field = b.finish(&[&y[n..], &a[..]].concat());

    let mut b = B::new("links energy");
    let y = b.states(2 * n);
    let mut e = b.c(0.0);
    for i in 0..n {
        let c = b.0.cos(y[i]);
        let p = b.scale(-((n - i) as f64) * G, c);
        e = b.add(&[e, p]);
        for j in 0..n {
            let d = b.sub(y[i], y[j]);
            let c = b.0.cos(d);
            let p = b.mul(&[c, y[n + i], y[n + j]]);
            let p = b.scale(0.5 * (n - i.max(j)) as f64, p);
            e = b.add(&[e, p]);
        }
    }
    let energy = b.finish(&[e]);
    let state = (0..n).map(|i| 0.3 + 0.1 * i as f64).chain((0..n).map(|i| 0.05 * i as f64)).collect();
    Model { name: "nl8", field, energy, state, end: 10.0, reference: Vec::new() }
}

pub const MASSES: [f64; 6] =
    [1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546, 0.0000517759138449, 1.0 / 1.3e8];
const GRAVITY: f64 = 2.95912208286e-4;

fn solar_system() -> Model {
    let mut b = B::new("oss");
    let y = b.states(36);
    let zero = b.c(-0.0);
    let mut a = [zero; 18];
    for i in 0..6 {
        for j in i + 1..6 {
            let d: Vec<Value> = (0..3).map(|k| b.sub(y[3 * j + k], y[3 * i + k])).collect();
            let squares: Vec<Value> = d.iter().map(|&x| b.sq(x)).collect();
            let r2 = b.add(&squares);
            let e = b.c(-1.5);
            let inverse = b.0.pow(r2, e);
            for k in 0..3 {
                let pull = b.mul(&[d[k], inverse]);
                let on_i = b.scale(GRAVITY * MASSES[j], pull);
                let on_j = b.scale(GRAVITY * MASSES[i], pull);
                a[3 * i + k] = b.add(&[a[3 * i + k], on_i]);
                a[3 * j + k] = b.sub(a[3 * j + k], on_j);
            }
        }
    }
    let field = b.finish(&[&y[18..], &a[..]].concat());

    let mut b = B::new("oss energy");
    let y = b.states(36);
    let mut e = b.c(0.0);
    for i in 0..6 {
        for k in 0..3 {
            let v = b.sq(y[18 + 3 * i + k]);
            let v = b.scale(0.5 * MASSES[i], v);
            e = b.add(&[e, v]);
        }
        for j in 0..i {
            let squares: Vec<Value> = (0..3)
                .map(|k| {
                    let d = b.sub(y[3 * j + k], y[3 * i + k]);
                    b.sq(d)
                })
                .collect();
            let r2 = b.add(&squares);
            let r = b.0.sqrt(r2);
            let m = b.c(GRAVITY * MASSES[i] * MASSES[j]);
            let p = b.div(m, r);
            e = b.sub(e, p);
        }
    }
    let energy = b.finish(&[e]);
    #[rustfmt::skip]
    let state = vec![
        0.0, 0.0, 0.0, -3.5023653, -3.8169847, -1.5507963, 9.0755314, -3.0458353, -1.6483708, 8.3101420, -16.2901086,
        -7.2521278, 11.4707666, -25.7294829, -10.8169456, -15.5387357, -25.2225594, -3.1902382,
        0.0, 0.0, 0.0, 0.00565429, -0.00412490, -0.00190589, 0.00168318, 0.00483525, 0.00192462, 0.00354178, 0.00137102,
        0.00055029, 0.00288930, 0.00114527, 0.00039677, 0.00276725, -0.00170702, -0.00136504,
    ];
    #[rustfmt::skip]
    let reference = vec![
        22.5623512100577, -8.896735119753163, -4.47153288884616, 19.86790556016597, -13.330504163446385, -6.267585187030518,
        14.397786873239626, -4.804408516762966, -2.332805631415576, 32.572818557738465, -24.251234040169198, -11.269897085714803,
        -7.690520176816513, -9.196262538041283, -3.8226663656406537, 66.40839022751885, 3.500792211338269, -13.869880472503676,
        8.098739721433864e-07, 1.8578571291528825e-06, 7.091844577302959e-07, 0.006293933805924477, -0.003047311803647753,
        -0.001431809221192983, -0.0027420802487178823, -0.004591548711561284, -0.0018797287483417898, 0.003396708614794027,
        0.001698064399014693, 0.0006961819949219705, -1.6572665276480714e-05, -0.002889900886822401, -0.0011825298704363685,
        -5.2830070572903804e-05, 0.0021650270670955, 0.0007032807534904979,
    ];
    Model { name: "oss", field, energy, state, end: 3652500.0, reference }
}

/// The thin disk rolling without slipping: m = R = 1, A = 1/4, C = 1/2, the multipliers eliminated by the Schur complement.
fn disk() -> Model {
    let (ia, ic) = (0.25, 0.5);
    let mut b = B::new("disk");
    let y = b.states(10);
    let (s, c, sp, cp) = (b.0.sin(y[2]), b.0.cos(y[2]), b.0.sin(y[3]), b.0.cos(y[3]));
    let (t1, f1, p1) = (y[7], y[8], y[9]);
    let fs = b.mul(&[f1, s]);
    let w = b.add(&[p1, fs]);
    // F2 = −(s c t1² + A f1² s c − C w f1 c − g s)
    let x1 = b.mul(&[s, c, t1, t1]);
    let x2 = b.mul(&[f1, f1, s, c]);
    let x2 = b.scale(ia, x2);
    let x3 = b.mul(&[w, f1, c]);
    let x3 = b.scale(ic, x3);
    let x4 = b.scale(G, s);
    let sum = b.add(&[x1, x2]);
    let sum = b.sub(sum, x3);
    let sum = b.sub(sum, x4);
    let f2 = b.neg(sum);
    // F3 = −t1 c ((C − 2A) s f1 + C w)
    let x1 = b.mul(&[s, f1]);
    let x1 = b.scale(ic - 2.0 * ia, x1);
    let x2 = b.scale(ic, w);
    let sum = b.add(&[x1, x2]);
    let x = b.mul(&[t1, c, sum]);
    let f3 = b.neg(x);
    let x = b.mul(&[f1, c, t1]);
    let f4 = b.scale(-ic, x);
    let (a2, a3, a4) = (b.mul(&[c, sp]), b.mul(&[s, cp]), cp);
    let x = b.mul(&[c, cp]);
    let (b2, b3, b4) = (b.neg(x), b.mul(&[s, sp]), sp);
    let ct = b.mul(&[c, t1]);
    let st = b.mul(&[s, t1]);
    let sf = b.mul(&[s, f1]);
    let cf = b.mul(&[c, f1]);
    let term = |b: &mut B, p: (Value, Value), q: (Value, Value), minus: bool| {
        let (x, y) = (b.mul(&[p.0, p.1]), b.mul(&[q.0, q.1]));
        if minus { b.sub(x, y) } else { b.add(&[x, y]) }
    };
    let u1 = term(&mut b, (ct, cp), (sf, sp), true);
    let u2 = term(&mut b, (cf, cp), (st, sp), true);
    let x1 = b.mul(&[sp, f1, p1]);
    let (x2, x3) = (b.mul(&[u1, f1]), b.mul(&[u2, t1]));
    let g1 = b.add(&[x2, x3]);
    let g1 = b.sub(g1, x1);
    let u1 = term(&mut b, (ct, sp), (sf, cp), false);
    let u2 = term(&mut b, (st, cp), (cf, sp), false);
    let x1 = b.mul(&[cp, f1, p1]);
    let (x2, x3) = (b.mul(&[u1, f1]), b.mul(&[u2, t1]));
    let g2 = b.add(&[x1, x2, x3]);
    let one = b.c(1.0);
    let ss = b.sq(s);
    let quarter = b.c(ia);
    let x = b.add(&[quarter, ss]);
    let it = b.div(one, x);
    let x = b.sq(c);
    let x = b.scale(ia, x);
    let id = b.div(one, x);
    let x = b.mul(&[s, id]);
    let i34 = b.neg(x);
    let x = b.mul(&[ss, id]);
    let inverse = b.c(1.0 / ic);
    let i44 = b.add(&[inverse, x]);
    let pair = |b: &mut B, p: (Value, Value), q: (Value, Value)| {
        let (x, y) = (b.mul(&[p.0, p.1]), b.mul(&[q.0, q.1]));
        b.add(&[x, y])
    };
    let (v2, v3, v4) = (b.mul(&[it, f2]), pair(&mut b, (id, f3), (i34, f4)), pair(&mut b, (i34, f3), (i44, f4)));
    let (ma2, ma3, ma4) = (b.mul(&[it, a2]), pair(&mut b, (id, a3), (i34, a4)), pair(&mut b, (i34, a3), (i44, a4)));
    let (mb2, mb3, mb4) = (b.mul(&[it, b2]), pair(&mut b, (id, b3), (i34, b4)), pair(&mut b, (i34, b3), (i44, b4)));
    let triple = |b: &mut B, p: [Value; 3], q: [Value; 3]| {
        let x: Vec<Value> = p.iter().zip(q).map(|(&x, y)| b.mul(&[x, y])).collect();
        b.add(&x)
    };
    let x = triple(&mut b, [a2, a3, a4], [ma2, ma3, ma4]);
    let s11 = b.add(&[one, x]);
    let s12 = triple(&mut b, [a2, a3, a4], [mb2, mb3, mb4]);
    let x = triple(&mut b, [b2, b3, b4], [mb2, mb3, mb4]);
    let s22 = b.add(&[one, x]);
    let x = triple(&mut b, [a2, a3, a4], [v2, v3, v4]);
    let x = b.add(&[g1, x]);
    let r1 = b.neg(x);
    let x = triple(&mut b, [b2, b3, b4], [v2, v3, v4]);
    let x = b.add(&[g2, x]);
    let r2 = b.neg(x);
    let (x1, x2) = (b.mul(&[s11, s22]), b.sq(s12));
    let x = b.sub(x1, x2);
    let det = b.div(one, x);
    let (x1, x2) = (b.mul(&[s22, r1]), b.mul(&[s12, r2]));
    let x = b.sub(x1, x2);
    let l1 = b.mul(&[x, det]);
    let (x1, x2) = (b.mul(&[s11, r2]), b.mul(&[s12, r1]));
    let x = b.sub(x1, x2);
    let l2 = b.mul(&[x, det]);
    let acc = |b: &mut B, u: Value, ma: Value, mb: Value| {
        let (x, y) = (b.mul(&[ma, l1]), b.mul(&[mb, l2]));
        b.add(&[u, x, y])
    };
    let (d2, d3, d4) = (acc(&mut b, v2, ma2, mb2), acc(&mut b, v3, ma3, mb3), acc(&mut b, v4, ma4, mb4));
    let field = b.finish(&[y[5], y[6], y[7], y[8], y[9], l1, l2, d2, d3, d4]);

    let mut b = B::new("disk energy");
    let y = b.states(10);
    let (s, c) = (b.0.sin(y[2]), b.0.cos(y[2]));
    let fs = b.mul(&[y[8], s]);
    let w = b.add(&[y[9], fs]);
    let st = b.mul(&[s, y[7]]);
    let fc = b.mul(&[y[8], c]);
    let mut e = b.scale(G, c);
    for (weight, x) in [(0.5, y[5]), (0.5, y[6]), (0.5, st), (0.125, y[7]), (0.125, fc), (0.25, w)] {
        let x = b.sq(x);
        let x = b.scale(weight, x);
        e = b.add(&[e, x]);
    }
    let energy = b.finish(&[e]);
    let (th, ph, dth, dph, dps) = (0.3f64, 0.2f64, 0.1, 0.5, -4.0);
    let w = dps + dph * th.sin();
    let vx = -w * ph.cos() - dth * th.cos() * ph.sin();
    let vy = -w * ph.sin() + dth * th.cos() * ph.cos();
    Model {
        name: "disk",
        field,
        energy,
        state: vec![0.0, 0.0, th, ph, 0.0, vx, vy, dth, dph, dps],
        end: 10.0,
        reference: Vec::new(),
    }
}

/// The relative error of a state: ‖y − y_ref‖ / ‖y_ref‖.
pub fn error(y: &[f64], reference: &[f64]) -> f64 {
    let norm = |xs: &mut dyn Iterator<Item = f64>| xs.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut y.iter().zip(reference).map(|(a, b)| a - b)) / norm(&mut reference.iter().copied())
}
