//! Rewrites from the kernel that says what is meant to the kernel that is executed.
//!
//! | pass | what it does | how far results move |
//! |---|---|---|
//! | [`expand`] | powers become multiplications and a root, small linear systems become guarded elimination | a power xⁿ: n/2 + 1 ulp; an elimination: as backward stable as the pivoted one, or the guard declines |
//! | [`expand_angle_sums`] | sines of sums become products when that leaves fewer sines | as much as moving the angles by half an ulp |
//! | [`share_reciprocals`] | `a/d`, `b/d` become `a·r`, `b·r` with `r = 1/d` | 1.5 ulp per quotient instead of 0.5 |
//! | [`products::share_products`] | products of common factors are bracketed alike | less than n ulp for n factors |
//! | [`share_signs`] | factors are negated instead of several products | not at all |
//! | [`contract`] | `a·b + c` is rounded once | never farther from the exact value of the sum |
//!
//! Each pass is a function from kernel to kernel; the last one drops what became unused. The order of
//! operations stays the order of their making: measured, it is as good as any schedule we tried (see the essay
//! of [`super::jit`]).

use rustc_hash::{FxHashMap, FxHashSet};

use super::ir::{Binary, Kernel, KernelBuilder, Op, Shape, Solve, Unary, Value};
use super::libm::Math;
use super::linear;
use super::products;
use super::simd;
use super::sparsity;

/// What the executed kernel may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rewrites {
    /// Fused multiply-add and the inlined sine and cosine.
    pub fused: bool,
    pub angle_sums: bool,
    /// Quotients and products are shared.
    pub reciprocals: bool,
    /// Small linear systems become elimination without exchanges; otherwise they stay calls that exchange rows.
    pub elimination: bool,
}

impl Rewrites {
    /// Everything this machine does well.
    pub fn native() -> Rewrites {
        Rewrites { fused: simd::has_fma(), angle_sums: true, reciprocals: true, elimination: true }
    }

    /// The same bits on every machine: no contraction, libm only.
    pub fn portable() -> Rewrites {
        Rewrites { fused: false, angle_sums: true, reciprocals: true, elimination: true }
    }

    /// The same with linear systems solved by exchanging rows: for matrices that are not definite.
    pub fn pivoted(self) -> Rewrites {
        Rewrites { elimination: false, ..self }
    }
}

/// The kernel that is executed.
pub fn optimise(kernel: &Kernel, rewrites: Rewrites) -> Kernel {
    let mut k = expand(kernel, if rewrites.fused { Math::Inline } else { Math::Library }, rewrites.elimination);
    if rewrites.angle_sums {
        k = expand_angle_sums(&k);
    }
    if rewrites.reciprocals && k.ops().iter().any(|op| matches!(op, Op::Binary(Binary::Div, ..))) {
        k = share_reciprocals(&k);
    }
    let finished = |k: &Kernel| {
        let k = share_signs(k);
        live(&if rewrites.fused { contract(&k) } else { k })
    };
    let as_written = finished(&k);
    if !rewrites.reciprocals {
        return as_written;
    }
    // Other brackets for clearly fewer operations only: the order in which products were written is often a good one.
    match products::share_products(&k).map(|shared| finished(&shared)) {
        Some(shared) if 20 * shared.n_operations() <= 19 * as_written.n_operations() => shared,
        _ => as_written,
    }
}

/// Rewrites every live operation by `rule`, which may return `None` to copy it. Inputs stay where they are.
pub(super) fn rewrite(
    kernel: &Kernel,
    math: Math,
    mut rule: impl FnMut(&mut KernelBuilder, &dyn Fn(Value) -> Value, Value) -> Option<Value>,
) -> Kernel {
    let alive = liveness(kernel);
    let (mut b, _) = KernelBuilder::like(kernel);
    b.set_math(math);
    let mut map = vec![Value(0); kernel.ops().len()];
    for value in kernel.values() {
        if alive[value.index()] {
            let at = |v: Value| map[v.index()];
            let new = rule(&mut b, &at, value).unwrap_or_else(|| b.copy(kernel, value, &at));
            map[value.index()] = new;
        }
    }
    for output in kernel.outputs() {
        b.output(output.name.clone(), map[output.value.index()]);
    }
    b.finish()
}

/// Which operations an output or a guard depends on.
pub fn liveness(kernel: &Kernel) -> Vec<bool> {
    let mut alive = vec![false; kernel.ops().len()];
    for output in kernel.outputs() {
        alive[output.value.index()] = true;
    }
    for value in kernel.values().rev() {
        let op = kernel.op(value);
        if matches!(op, Op::Guard(_)) {
            alive[value.index()] = true;
        }
        if alive[value.index()] {
            for operand in kernel.operands(op) {
                alive[operand.index()] = true;
            }
        }
    }
    alive
}

/// Drops what nothing depends on.
pub fn live(kernel: &Kernel) -> Kernel {
    let compacted = kernel.compacted(&liveness(kernel));
    compacted.unwrap_or_else(|| rewrite(kernel, kernel.math, |_, _, _| None))
}

/// Powers as multiplications, half-integer powers by a square root, and with `elimination` small linear systems as guarded
/// elimination.
pub fn expand(kernel: &Kernel, math: Math, elimination: bool) -> Kernel {
    let mut solutions: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    rewrite(kernel, math, |b, at, value| match kernel.op(value) {
        Op::PowI(a, n) => Some(power(b, at(a), n)),
        Op::Binary(Binary::Pow, a, e) => {
            let twice = kernel.constant(e).map(|e| 2.0 * e).filter(|t| *t == t.trunc() && t.abs() <= 64.0)? as i32;
            let x = at(a);
            let root = b.sqrt(x);
            // Root and reciprocal do not wait for each other: x^{−m−1/2} = √x (1/x)^{m+1}.
            let (base, whole) = if twice < 0 {
                let one = b.constant(1.0);
                (b.div(one, x), twice.abs() / 2 + 1)
            } else {
                (x, twice / 2)
            };
            let whole = power(b, base, whole);
            Some(b.mul(whole, root))
        }
        Op::Solve(number) if elimination => {
            let solve = &kernel.solves()[number as usize];
            let mapped = Solve {
                shape: solve.shape,
                matrix: solve.matrix.iter().map(|&v| at(v)).collect(),
                rhs: solve.rhs.iter().map(|&v| at(v)).collect(),
            };
            let x = eliminate(b, &mapped)?;
            solutions.insert(value, x);
            Some(b.constant(1.0))
        }
        Op::Solution(solve, item) => Some(solutions.get(&solve)?[item as usize]),
        _ => None,
    })
}

/// The multiplication chain of [`super::libm::powi`].
fn power(b: &mut KernelBuilder, x: Value, n: i32) -> Value {
    let m = n.unsigned_abs();
    let Some(top) = m.checked_ilog2() else { return b.constant(1.0) };
    let mut y = x;
    for bit in (0..top).rev() {
        y = b.mul(y, y);
        if m >> bit & 1 == 1 {
            y = b.mul(y, x);
        }
    }
    if n < 0 {
        let one = b.constant(1.0);
        b.div(one, y)
    } else {
        y
    }
}

/// Eliminations longer than this stay a call of [`linear::solve`], unless the matrix is sparse.
const MAX_UNROLLED: usize = 1200;
/// A matrix is sparse when its elimination takes no more multiply-adds per unknown, as for chains and bands. It stays so
/// however many unknowns there are.
const MAX_PER_UNKNOWN: usize = 12;
/// Without symmetry every pivot is compared with its column, which pays for small systems only.
const MAX_GENERAL: usize = 6;
/// A general pivot may be this much smaller than the rest of its column.
const GENERAL_PIVOT: f64 = 1.0 / 1024.0;

/// The solution by elimination without exchanges, guarded; `None` when that is not worth while.
fn eliminate(b: &mut KernelBuilder, solve: &Solve) -> Option<Vec<Value>> {
    match solve.shape {
        Shape::Symmetric if !is_worth_unrolling(b, solve.n(), &solve.matrix, solve.n_columns()) => None,
        Shape::Symmetric => eliminate_symmetric(b, solve),
        Shape::General if solve.n() > MAX_GENERAL => None,
        Shape::General => eliminate_general(b, solve),
    }
}

fn is_zero(b: &KernelBuilder, v: Value) -> bool {
    b.as_constant(v) == Some(0.0)
}

/// Whether the elimination of a symmetric matrix, its unknowns as they come, is short or sparse.
fn is_worth_unrolling(b: &KernelBuilder, n: usize, matrix: &[Value], columns: usize) -> bool {
    let most = MAX_UNROLLED.max(MAX_PER_UNKNOWN * n);
    let cost = sparsity::cost(n, |i, j| !is_zero(b, matrix[i * n + j]), most);
    cost.is_some_and(|cost| cost.multiply_adds + 2 * cost.entries * columns <= 2 * most)
}

/// `x − l·y`, with nothing done for structural zeros.
fn subtract_product(b: &mut KernelBuilder, x: Value, l: Value, y: Value) -> Value {
    if is_zero(b, l) || is_zero(b, y) {
        return x;
    }
    let product = b.mul(l, y);
    if is_zero(b, x) { b.neg(product) } else { b.sub(x, product) }
}

/// M = L D Lᵀ by columns, then substitution.
fn eliminate_symmetric(b: &mut KernelBuilder, solve: &Solve) -> Option<Vec<Value>> {
    let n = solve.n();
    let (lower, pivots) = factorise_symmetric(b, n, &solve.matrix)?;
    let mut x = solve.rhs.clone();
    for x in x.chunks_exact_mut(n) {
        for i in 0..n {
            for j in 0..i {
                if let Some(l) = lower[i * n + j] {
                    x[i] = subtract_product(b, x[i], l, x[j]);
                }
            }
        }
        for i in (0..n).rev() {
            x[i] = b.mul(x[i], pivots[i]);
            for k in i + 1..n {
                if let Some(l) = lower[k * n + i] {
                    x[i] = subtract_product(b, x[i], l, x[k]);
                }
            }
        }
    }
    Some(x)
}

/// L below the diagonal (`None` is a structural zero) and the reciprocals of D, for M = L D Lᵀ. The guards demand what
/// [`linear`] calls definite: pivots of one sign that do not vanish against their diagonal entries. `None` when the
/// structure shows that the matrix is not definite, or the elimination is too long.
#[allow(clippy::type_complexity)]
pub(super) fn factorise_symmetric(
    b: &mut KernelBuilder,
    n: usize,
    matrix: &[Value],
) -> Option<(Vec<Option<Value>>, Vec<Value>)> {
    if !is_worth_unrolling(b, n, matrix, 1) {
        return None;
    }
    let mut m = matrix.to_vec();
    let mut lower = vec![None; n * n];
    let mut reciprocal = Vec::with_capacity(n);
    let one = b.constant(1.0);
    // The pivot whose sign the others must have.
    let mut first: Option<Value> = None;
    let threshold = b.constant(linear::DEFINITE);
    for j in 0..n {
        let pivot = m[j * n + j];
        if is_zero(b, pivot) {
            return None;
        }
        let original = matrix[j * n + j];
        // An equation for one unknown alone: any sign will do, as for the time of a relativistic motion.
        let alone = (0..n).all(|i| i == j || is_zero(b, m[i.max(j) * n + i.min(j)]) && lower[j * n + i].is_none());
        match first {
            _ if alone && pivot == original => {}
            None => first = Some(pivot),
            Some(first) if pivot != original => {
                let least = b.mul(threshold, original);
                let margin = b.sub(pivot, least);
                match b.as_constant(first) {
                    Some(f) if f > 0.0 => b.guard(margin),
                    Some(_) => {
                        let negative = b.neg(margin);
                        b.guard(negative)
                    }
                    None => {
                        let same_sign = b.mul(margin, first);
                        b.guard(same_sign)
                    }
                };
            }
            Some(first) if b.as_constant(pivot).is_none() || b.as_constant(first).is_none() => {
                let same_sign = b.mul(pivot, first);
                b.guard(same_sign);
            }
            Some(first) if b.as_constant(pivot).map(f64::signum) != b.as_constant(first).map(f64::signum) => {
                return None;
            }
            Some(_) => {}
        }
        reciprocal.push(b.div(one, pivot));
        for i in j + 1..n {
            if is_zero(b, m[i * n + j]) {
                continue;
            }
            let l = b.mul(m[i * n + j], reciprocal[j]);
            lower[i * n + j] = Some(l);
            for k in j + 1..=i {
                m[i * n + k] = subtract_product(b, m[i * n + k], l, m[k * n + j]);
            }
        }
    }
    Some((lower, reciprocal))
}

/// M = L U by columns, the pivot of each column not much smaller than what is below it. Rows are exchanged
/// beforehand where a diagonal entry is structurally zero.
fn eliminate_general(b: &mut KernelBuilder, solve: &Solve) -> Option<Vec<Value>> {
    let n = solve.n();
    let mut m = solve.matrix.clone();
    let mut x = solve.rhs.clone();
    let mut reciprocal = Vec::with_capacity(n);
    let one = b.constant(1.0);
    let fraction = b.constant(GENERAL_PIVOT);
    for j in 0..n {
        let row = (j..n).find(|&i| !is_zero(b, m[i * n + j]))?;
        if row != j {
            for k in 0..n {
                m.swap(j * n + k, row * n + k);
            }
            x.chunks_exact_mut(n).for_each(|x| x.swap(j, row));
        }
        let pivot = m[j * n + j];
        let size = b.unary(Unary::Abs, pivot);
        for i in j + 1..n {
            if !is_zero(b, m[i * n + j]) {
                let other = b.unary(Unary::Abs, m[i * n + j]);
                let least = b.mul(fraction, other);
                let margin = b.sub(size, least);
                b.guard(margin);
            }
        }
        reciprocal.push(b.div(one, pivot));
        for i in j + 1..n {
            if is_zero(b, m[i * n + j]) {
                continue;
            }
            let l = b.mul(m[i * n + j], reciprocal[j]);
            for k in j + 1..n {
                m[i * n + k] = subtract_product(b, m[i * n + k], l, m[j * n + k]);
            }
            for x in x.chunks_exact_mut(n) {
                x[i] = subtract_product(b, x[i], l, x[j]);
            }
        }
    }
    // A pivot that has cancelled to rounding level is the careful kernel's business.
    for j in 1..n {
        let pivot = m[j * n + j];
        let original = solve.matrix.chunks(n).map(|r| r[j]).filter(|&v| !is_zero(b, v)).collect::<Vec<_>>();
        if original.contains(&pivot) {
            continue;
        }
        let mut largest = b.unary(Unary::Abs, original[0]);
        for &v in &original[1..] {
            let size = b.unary(Unary::Abs, v);
            largest = b.binary(Binary::Max, largest, size);
        }
        let threshold = b.constant(linear::DEFINITE * 64.0);
        let least = b.mul(threshold, largest);
        let size = b.unary(Unary::Abs, pivot);
        let margin = b.sub(size, least);
        b.guard(margin);
    }
    for x in x.chunks_exact_mut(n) {
        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] = subtract_product(b, x[i], m[i * n + k], x[k]);
            }
            x[i] = b.mul(x[i], reciprocal[i]);
        }
    }
    Some(x)
}

/// `sin(a ± b)` and `cos(a ± b)` from the sines and cosines of a and b, when that leaves fewer angles.
///
/// The n-link pendulum has n(n−1)/2 angle differences but n angles. The absolute error is of the order of an
/// ulp of 1, like the effect of rounding a and b themselves; relative accuracy near the zeros of the sine is
/// that of the angles, not of their difference.
pub fn expand_angle_sums(kernel: &Kernel) -> Kernel {
    let angles: FxHashSet<Value> = kernel
        .ops()
        .iter()
        .filter_map(|op| match *op {
            Op::Unary(Unary::Sin | Unary::Cos, a) => Some(a),
            _ => None,
        })
        .collect();
    let parts = |a: Value| match kernel.op(a) {
        Op::Binary(f @ (Binary::Add | Binary::Sub), x, y) => {
            let is_angle = |v: Value| kernel.constant(v).is_none();
            (is_angle(x) && is_angle(y)).then_some((f, x, y))
        }
        _ => None,
    };
    let mut remaining: FxHashSet<Value> = angles.iter().copied().filter(|&a| parts(a).is_none()).collect();
    for &a in &angles {
        if let Some((_, x, y)) = parts(a) {
            remaining.insert(x);
            remaining.insert(y);
        }
    }
    // A part may itself be a sum that is expanded; one level is what mechanisms have.
    let nested = remaining.iter().any(|&a| angles.contains(&a) && parts(a).is_some());
    if nested || remaining.len() >= angles.len() {
        return kernel.clone();
    }
    rewrite(kernel, kernel.math, |b, at, value| {
        let Op::Unary(f @ (Unary::Sin | Unary::Cos), a) = kernel.op(value) else { return None };
        let (sum, x, y) = parts(a)?;
        let (sx, cx, sy, cy) = (b.sin(at(x)), b.cos(at(x)), b.sin(at(y)), b.cos(at(y)));
        let (p, q) = if f == Unary::Sin { (b.mul(sx, cy), b.mul(cx, sy)) } else { (b.mul(cx, cy), b.mul(sx, sy)) };
        // sin(x ± y) = sx cy ± cx sy, cos(x ± y) = cx cy ∓ sx sy
        Some(if (f == Unary::Sin) == (sum == Binary::Add) { b.add(p, q) } else { b.sub(p, q) })
    })
}

/// One division per denominator; constants are inverted now.
pub fn share_reciprocals(kernel: &Kernel) -> Kernel {
    let mut quotients: FxHashMap<Value, u32> = FxHashMap::default();
    for op in kernel.ops() {
        if let Op::Binary(Binary::Div, _, d) = *op {
            *quotients.entry(d).or_default() += 1;
        }
    }
    rewrite(kernel, kernel.math, |b, at, value| {
        let Op::Binary(Binary::Div, a, d) = kernel.op(value) else { return None };
        let invertible = kernel.constant(d).is_some_and(|c| (1.0 / c).is_normal());
        if quotients[&d] < 2 && !invertible || kernel.constant(a) == Some(1.0) {
            return None;
        }
        let one = b.constant(1.0);
        let r = b.div(one, at(d));
        Some(b.mul(at(a), r))
    })
}

/// −(x·p), −(y·p) become x·q, y·q with q = −p; and when p is a product itself that nothing else uses, the sign goes on to
/// the factor of p that is known first, where nothing waits for it. Signs never change a rounding.
pub fn share_signs(kernel: &Kernel) -> Kernel {
    let uses = kernel.use_counts();
    let product = |v: Value| match kernel.op(v) {
        Op::Binary(Binary::Mul, a, b) => Some((a, b)),
        _ => None,
    };
    // Products that are negated and not used otherwise.
    let negated = |value: Value| match kernel.op(value) {
        Op::Unary(Unary::Neg, v) if uses[v.index()] == 1 => product(v),
        _ => None,
    };
    let mut votes: FxHashMap<Value, u32> = FxHashMap::default();
    for (a, b) in kernel.values().filter_map(negated) {
        *votes.entry(a).or_default() += 1;
        *votes.entry(b).or_default() += u32::from(a != b);
    }
    if votes.values().all(|n| *n < 2) {
        return kernel.clone();
    }
    let mut depth = vec![0u32; kernel.ops().len()];
    for value in kernel.values() {
        let op = kernel.op(value);
        let own = match op {
            Op::Const(_) | Op::Input(_) => 0,
            Op::Unary(Unary::Neg | Unary::Abs, _) => 1,
            Op::Unary(..) => 20,
            Op::Binary(Binary::Div | Binary::Pow | Binary::Atan2, ..) => 13,
            _ => 4,
        };
        depth[value.index()] = own + kernel.operands(op).iter().map(|v| depth[v.index()]).max().unwrap_or(0);
    }
    rewrite(kernel, kernel.math, |b, at, value| {
        let (x, y) = negated(value)?;
        let shared = |v: Value| kernel.constant(v).is_none() && votes[&v] > 1;
        let (other, p) = if shared(y) && (!shared(x) || votes[&y] >= votes[&x]) { (x, y) } else { (y, x) };
        if !shared(p) {
            return None;
        }
        let q = match product(p) {
            Some((u, v)) if uses[p.index()] == votes[&p] => {
                let (late, early) = if depth[u.index()] > depth[v.index()] { (u, v) } else { (v, u) };
                let sign = b.neg(at(early));
                b.mul(at(late), sign)
            }
            _ => b.neg(at(p)),
        };
        Some(b.mul(at(other), q))
    })
}

/// Products that are only added become part of a fused multiply-add.
pub fn contract(kernel: &Kernel) -> Kernel {
    let uses = kernel.use_counts();
    let mut added = vec![0u32; kernel.ops().len()];
    for op in kernel.ops() {
        if let Op::Binary(Binary::Add | Binary::Sub, a, b) = *op {
            added[a.index()] += 1;
            added[b.index()] += 1;
        }
    }
    let product = |v: Value| match kernel.op(v) {
        Op::Binary(Binary::Mul, x, y) if added[v.index()] == uses[v.index()] && uses[v.index()] <= 2 => Some((x, y)),
        _ => None,
    };
    rewrite(kernel, kernel.math, |b, at, value| {
        let Op::Binary(f @ (Binary::Add | Binary::Sub), left, right) = kernel.op(value) else { return None };
        let fuse_right = match (product(left), product(right)) {
            (None, None) => return None,
            (Some(_), None) => false,
            (None, Some(_)) => true,
            // Keep the product that has other uses; else fuse the later one, which is on the longer path.
            (Some(_), Some(_)) => (uses[right.index()], left) <= (uses[left.index()], right),
        };
        let (fused, kept) = if fuse_right { (right, left) } else { (left, right) };
        let (x, y) = product(fused)?;
        let (x, y, c) = (at(x), at(y), at(kept));
        Some(match (f, fuse_right) {
            (Binary::Add, _) => b.fma(x, y, c),
            (_, true) => {
                let (x, y) = negate_cheaper(b, x, y);
                b.fma(x, y, c)
            }
            (_, false) => {
                let c = b.neg(c);
                b.fma(x, y, c)
            }
        })
    })
}

/// −(x·y) as a product: the sign goes to a constant or to a factor that already has one.
fn negate_cheaper(b: &mut KernelBuilder, x: Value, y: Value) -> (Value, Value) {
    let free = |b: &KernelBuilder, v: Value| b.as_constant(v).is_some() || matches!(b.op(v), Op::Unary(Unary::Neg, _));
    if !free(b, x) && free(b, y) {
        let y = b.neg(y);
        return (x, y);
    }
    let x = b.neg(x);
    (x, y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::interpret;
    use crate::codegen::ir::Bank;

    /// Values before and after at fixed points differ by at most `ulps` of the largest result.
    fn check_close(kernel: &Kernel, rewritten: &Kernel, ulps: f64) {
        let n = kernel.bank_len(Bank::State);
        for seed in 0..50u64 {
            let y: Vec<f64> = (0..n as u64).map(|i| ((seed * 7919 + i * 104729) % 1000) as f64 / 400.0 + 0.3).collect();
            let mut before = vec![0.0; kernel.outputs().len()];
            let mut after = before.clone();
            interpret::evaluate(kernel, [&[], &y, &[], &[]], &mut before).unwrap();
            interpret::evaluate(rewritten, [&[], &y, &[], &[]], &mut after).unwrap();
            for (b, a) in before.iter().zip(&after) {
                assert!((b - a).abs() <= ulps * f64::EPSILON * b.abs().max(1.0), "{b} became {a}\n{rewritten:?}");
            }
        }
    }

    fn states(b: &mut KernelBuilder, n: usize) -> Vec<Value> {
        (0..n).map(|i| b.input(&format!("y{i}"), Bank::State)).collect()
    }

    #[test]
    fn powers_and_quotients_keep_their_values() {
        let mut b = KernelBuilder::new("r^-3");
        let y = states(&mut b, 2);
        let x2 = b.powi(y[0], 2);
        let y2 = b.powi(y[1], 2);
        let r2 = b.add(x2, y2);
        let e = b.constant(-1.5);
        let k = b.pow(r2, e);
        let (fx, fy) = (b.mul(y[0], k), b.mul(y[1], k));
        let seventh = b.powi(y[0], -7);
        let (q1, q2) = (b.div(fx, r2), b.div(fy, r2));
        for (i, v) in [fx, fy, seventh, q1, q2].into_iter().enumerate() {
            b.output(format!("o{i}"), v);
        }
        let kernel = b.finish();
        let fast = optimise(&kernel, Rewrites::native());
        let divisions = fast.ops().iter().filter(|op| matches!(op, Op::Binary(Binary::Div, ..))).count();
        // One for r², shared by r⁻³ and both quotients, and one for the seventh power.
        assert_eq!(divisions, 2, "{fast:?}");
        assert!(!fast.ops().iter().any(|op| matches!(op, Op::Binary(Binary::Pow, ..) | Op::PowI(..))));
        check_close(&kernel, &fast, 16.0);
    }

    #[test]
    fn angle_differences_need_only_the_angles() {
        let mut b = KernelBuilder::new("links");
        let y = states(&mut b, 4);
        for i in 0..4 {
            for j in 0..i {
                let d = b.sub(y[i], y[j]);
                let (s, c) = (b.sin(d), b.cos(d));
                b.output(format!("s{i}{j}"), s);
                b.output(format!("c{i}{j}"), c);
            }
        }
        let kernel = b.finish();
        let fast = optimise(&kernel, Rewrites::native());
        let sines = fast.ops().iter().filter(|op| matches!(op, Op::Unary(Unary::Sin, _))).count();
        assert_eq!(sines, 4);
        check_close(&kernel, &fast, 4.0);
    }

    #[test]
    fn small_systems_are_eliminated_in_line() {
        for shape in [Shape::Symmetric, Shape::General] {
            let mut b = KernelBuilder::new("mass");
            let y = states(&mut b, 3);
            let four = b.constant(40.0);
            let zero = b.constant(0.0);
            let s: Vec<Value> = y.iter().map(|&v| b.add(v, four)).collect();
            let x = b.solve(shape, vec![s[0], y[1], zero, y[1], s[1], y[0], zero, y[0], s[2]], vec![y[0], y[1], y[2]]);
            for (i, v) in x.into_iter().enumerate() {
                b.output(format!("x{i}"), v);
            }
            let kernel = b.finish();
            let fast = optimise(&kernel, Rewrites::native());
            assert!(fast.solves().is_empty() && fast.ops().iter().any(|op| matches!(op, Op::Guard(_))));
            check_close(&kernel, &fast, 32.0);
        }
    }

    /// A chain of sixty, a cart with fifty pendulums whose row is full, and ten masses that stand alone, as one matrix: the
    /// elimination grows like the number of unknowns, and its result is that of the whole matrix with exchanges.
    #[test]
    fn sparse_systems_are_eliminated_by_blocks() {
        let (chain, cart, alone) = (60, 51, 10);
        let n = chain + cart + alone;
        let build = |solve: fn(&mut KernelBuilder, &[Value], &[Value]) -> Vec<Value>| {
            let mut b = KernelBuilder::new("sparse");
            let y = states(&mut b, 3);
            let [zero, forty, thousand] = [0.0, 40.0, 1000.0].map(|x| b.constant(x));
            let mut matrix = vec![zero; n * n];
            for i in 0..n {
                let diagonal = if i == chain { thousand } else { forty };
                matrix[i * n + i] = b.add(diagonal, y[i % 3]);
            }
            let links = (1..chain).map(|i| (i, i - 1)).chain((1..cart).map(|i| (chain + i, chain)));
            for (i, j) in links {
                (matrix[i * n + j], matrix[j * n + i]) = (y[i % 3], y[i % 3]);
            }
            let rhs: Vec<Value> = (0..n).map(|i| y[(i + 1) % 3]).collect();
            for (i, v) in solve(&mut b, &matrix, &rhs).into_iter().enumerate() {
                b.output(format!("x{i}"), v);
            }
            b.finish()
        };
        let whole = build(|b, matrix, rhs| b.solve(Shape::General, matrix.to_vec(), rhs.to_vec()));
        let by_blocks = build(|b, matrix, rhs| b.solve_by_blocks(Shape::Symmetric, matrix, rhs));
        check_close(&whole, &by_blocks, 8.0);
        let fast = optimise(&by_blocks, Rewrites::native());
        assert!(fast.solves().is_empty(), "{} systems are left", fast.solves().len());
        assert!(fast.n_operations() < 12 * n, "{} operations", fast.n_operations());
        check_close(&whole, &fast, 8.0);
    }

    /// The matrix [[y0, 1], [1, 0]] is indefinite: the guard must decline, not divide by a wrong pivot.
    #[test]
    fn indefinite_systems_decline() {
        let mut b = KernelBuilder::new("indefinite");
        let y = states(&mut b, 3);
        let x = b.solve(Shape::Symmetric, vec![y[0], y[1], y[1], y[2]], vec![y[0], y[1]]);
        b.output("x0", x[0]);
        let kernel = b.finish();
        let fast = optimise(&kernel, Rewrites::native());
        let mut out = [0.0];
        assert!(interpret::evaluate(&fast, [&[], &[2.0, 1.0, 2.0], &[], &[]], &mut out).is_ok());
        assert!(interpret::evaluate(&fast, [&[], &[1.0, 2.0, 1.0], &[], &[]], &mut out).is_err());
        // A first pivot of zero shows as an infinity or NaN, which callers treat like a declined call.
        let zero = interpret::evaluate(&fast, [&[], &[0.0, 2.0, 0.0], &[], &[]], &mut out);
        assert!(zero.is_err() || !out[0].is_finite());
    }

    /// −x r⁻³, −y r⁻³: one negation, and the root does not wait for it. The bits stay.
    #[test]
    fn signs_of_products_go_to_their_common_factor() {
        let mut b = KernelBuilder::new("attraction");
        let y = states(&mut b, 4);
        let root = b.sqrt(y[2]);
        let square = b.mul(y[3], y[3]);
        let p = b.mul(square, root);
        for i in 0..2 {
            let product = b.mul(y[i], p);
            let minus = b.neg(product);
            b.output(format!("f{i}"), minus);
        }
        let kernel = b.finish();
        let fast = live(&share_signs(&kernel));
        let negations: Vec<Value> = fast.values().filter(|v| matches!(fast.op(*v), Op::Unary(Unary::Neg, _))).collect();
        assert_eq!(negations.len(), 1, "{fast:?}");
        let Op::Unary(_, operand) = fast.op(negations[0]) else { unreachable!() };
        assert!(matches!(fast.op(operand), Op::Binary(Binary::Mul, ..)), "{fast:?}");
        check_close(&kernel, &fast, 0.0);
    }

    #[test]
    fn products_that_are_only_added_are_fused() {
        let mut b = KernelBuilder::new("dot");
        let y = states(&mut b, 4);
        let p = b.mul(y[0], y[1]);
        let q = b.mul(y[2], y[3]);
        let s = b.add(p, q);
        let d = b.sub(p, q);
        b.output("s", s);
        b.output("d", d);
        let kernel = b.finish();
        let fast = live(&contract(&kernel));
        let count = |want: fn(&Op) -> bool| fast.ops().iter().filter(|op| want(op)).count();
        assert_eq!(count(|op| matches!(op, Op::Fma(..))), 2, "{fast:?}");
        assert_eq!(count(|op| matches!(op, Op::Binary(..))), 1, "{fast:?}");
        check_close(&kernel, &fast, 1.0);
    }
}
