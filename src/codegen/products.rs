//! Products that have factors in common share their multiplications.
//!
//! ```text
//! p = a·b,   q = (a·c)·b,   r = a·(b·d)     become     p = a·b,   q = p·c,   r = p·d.
//! ```
//!
//! The products of a kernel are lists of factors: a product that only another product uses is part of that one's list. Again
//! and again the pair of factors that saves most multiplications is made a factor of its own (Breuer, *Generation of optimal
//! code for expressions via factorization*, 1969, greedily). A product that only a sum uses costs nothing beside it, being
//! part of a fused multiply-add.
//!
//! However it is bracketed, a product of n factors has n − 1 roundings, so the results move by less than n ulp.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::ir::{Binary, Kernel, KernelBuilder, Op, Value};
use super::optimise::rewrite;

/// Kernels longer than this keep their products: every pair of factors is looked at.
const MAX_OPERATIONS: usize = 6000;
/// Longer lists keep their brackets.
const MAX_FACTORS: usize = 12;
/// Pairs that are looked at before the search for better brackets is given up.
const MAX_WORK: usize = 4_000_000;

/// A factor: a value of the kernel, or a pair that was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Factor {
    Value(Value),
    Pair(usize),
}

struct Product {
    factors: Vec<Factor>,
    /// The last multiplication is part of a sum.
    fused: bool,
}

/// The kernel with its products bracketed anew; `None` if no brackets are better.
pub fn share_products(kernel: &Kernel) -> Option<Kernel> {
    if kernel.ops().len() > MAX_OPERATIONS {
        return None;
    }
    let uses = kernel.use_counts();
    let (absorbed, added) = users(kernel, &uses);
    // Lists of the products that are not part of another.
    let mut roots: Vec<(Value, Product)> = Vec::new();
    for value in kernel.values().filter(|v| uses[v.index()] > 0 && is_product(kernel, *v) && !absorbed[v.index()]) {
        let factors = factors_of(kernel, value, &absorbed);
        if factors.len() <= MAX_FACTORS {
            roots.push((value, Product { factors, fused: added[value.index()] }));
        }
    }
    let pairs = choose_pairs(&mut roots);
    if pairs.is_empty() {
        return None;
    }
    let depth = depths(kernel);
    let lists: FxHashMap<Value, Product> = roots.into_iter().collect();
    let mut made: Vec<Option<Value>> = vec![None; pairs.len()];
    Some(rewrite(kernel, kernel.math, |b, at, value| {
        let product = lists.get(&value)?;
        let mut rest = product.factors.clone();
        // What is known first is multiplied first.
        rest.sort_by_key(|&f| (depth_of(f, &pairs, &depth), f));
        let mut values = rest.into_iter().map(|f| build(b, at, f, &pairs, &mut made));
        let first = values.next()?;
        let values: Vec<Value> = values.collect();
        Some(values.into_iter().fold(first, |p, x| b.mul(p, x)))
    }))
}

fn is_product(kernel: &Kernel, v: Value) -> bool {
    matches!(kernel.op(v), Op::Binary(Binary::Mul, ..))
}

/// Which products only another product uses, and which only sums use.
fn users(kernel: &Kernel, uses: &[u32]) -> (Vec<bool>, Vec<bool>) {
    let mut by_products = vec![0; kernel.ops().len()];
    let mut by_sums = vec![0; kernel.ops().len()];
    for value in kernel.values().filter(|v| uses[v.index()] > 0) {
        match kernel.op(value) {
            Op::Binary(Binary::Mul, x, y) if x != y => {
                by_products[x.index()] += 1;
                by_products[y.index()] += 1;
            }
            Op::Binary(Binary::Add | Binary::Sub, x, y) => {
                by_sums[x.index()] += 1;
                by_sums[y.index()] += 1;
            }
            _ => {}
        }
    }
    let absorbed = |v: Value| is_product(kernel, v) && uses[v.index()] == 1 && by_products[v.index()] == 1;
    let added = |v: Value| uses[v.index()] == by_sums[v.index()] && uses[v.index()] <= 2;
    (kernel.values().map(absorbed).collect(), kernel.values().map(added).collect())
}

fn factors_of(kernel: &Kernel, value: Value, absorbed: &[bool]) -> Vec<Factor> {
    let mut factors = Vec::new();
    let mut stack = vec![value];
    while let Some(v) = stack.pop() {
        match kernel.op(v) {
            Op::Binary(Binary::Mul, x, y) if v == value || absorbed[v.index()] => stack.extend([y, x]),
            _ => factors.push(Factor::Value(v)),
        }
    }
    factors.sort();
    factors
}

/// Makes pairs as long as one saves a multiplication; the lists get the pairs in place of their members. Of the pairs in most
/// lists that of the earliest list comes first. Empty when there is nothing to gain, or too much to look at.
fn choose_pairs(roots: &mut [(Value, Product)]) -> Vec<[Factor; 2]> {
    let mut occurrences = Occurrences::default();
    for (number, (_, product)) in roots.iter().enumerate() {
        occurrences.add(number, product);
    }
    let mut pairs = Vec::new();
    while let Some(pair) = occurrences.best() {
        if occurrences.work > MAX_WORK {
            return Vec::new();
        }
        let new = Factor::Pair(pairs.len());
        pairs.push(pair);
        for number in occurrences.lists_with(pair) {
            let product = &mut roots[number].1;
            if let Some(without) = take(&product.factors, pair) {
                occurrences.remove(number, product);
                product.factors = without;
                product.factors.push(new);
                occurrences.add(number, product);
            }
        }
    }
    pairs
}

/// In which lists each pair of factors stands.
#[derive(Default)]
struct Occurrences {
    lists: FxHashMap<[Factor; 2], BTreeSet<usize>>,
    /// The same without products of two in a sum: these cost nothing, and cannot cost less.
    saving: FxHashMap<[Factor; 2], BTreeSet<usize>>,
    /// Pairs with the number of lists they would save a multiplication in, and the first of these. Entries are not taken
    /// back: one that is out of date is passed over.
    queue: BinaryHeap<(usize, Reverse<(usize, [Factor; 2])>)>,
    /// How many pairs were looked at.
    work: usize,
}

impl Occurrences {
    fn best(&mut self) -> Option<[Factor; 2]> {
        while let Some((n, Reverse((first, pair)))) = self.queue.pop() {
            let now = self.saving.get(&pair);
            if now.is_some_and(|now| now.len() == n && now.first() == Some(&first)) {
                return Some(pair);
            }
        }
        None
    }

    fn lists_with(&self, pair: [Factor; 2]) -> Vec<usize> {
        self.lists.get(&pair).into_iter().flatten().copied().collect()
    }

    fn add(&mut self, number: usize, product: &Product) {
        for pair in pairs_of(&product.factors) {
            self.work += 1;
            self.lists.entry(pair).or_default().insert(number);
            if product.can_cost_less() {
                self.saving.entry(pair).or_default().insert(number);
                self.enqueue(pair);
            }
        }
    }

    fn remove(&mut self, number: usize, product: &Product) {
        for pair in pairs_of(&product.factors) {
            self.lists.entry(pair).or_default().remove(&number);
            if self.saving.entry(pair).or_default().remove(&number) {
                self.enqueue(pair);
            }
        }
    }

    fn enqueue(&mut self, pair: [Factor; 2]) {
        if let Some(lists) = self.saving.get(&pair)
            && lists.len() > 1
            && let Some(&first) = lists.first()
        {
            self.queue.push((lists.len(), Reverse((first, pair))));
        }
    }
}

impl Product {
    fn can_cost_less(&self) -> bool {
        self.factors.len() > 2 || self.factors.len() == 2 && !self.fused
    }
}

/// Every pair of factors once.
fn pairs_of(factors: &[Factor]) -> Vec<[Factor; 2]> {
    let mut seen: Vec<[Factor; 2]> = Vec::new();
    for (i, &x) in factors.iter().enumerate() {
        for &y in &factors[i + 1..] {
            if !seen.contains(&[x, y]) {
                seen.push([x, y]);
            }
        }
    }
    seen
}

/// The list without both members of a pair.
fn take(factors: &[Factor], pair: [Factor; 2]) -> Option<Vec<Factor>> {
    let mut rest = factors.to_vec();
    for member in pair {
        let at = rest.iter().position(|f| *f == member)?;
        rest.remove(at);
    }
    Some(rest)
}

/// The number of operations on the longest way to each value; slow ones count more.
fn depths(kernel: &Kernel) -> Vec<u32> {
    let mut depth = vec![0u32; kernel.ops().len()];
    for value in kernel.values() {
        let op = kernel.op(value);
        let own = match op {
            Op::Const(_) | Op::Input(_) => 0,
            Op::Unary(..) | Op::Binary(Binary::Div | Binary::Pow | Binary::Atan2, ..) => 4,
            _ => 1,
        };
        depth[value.index()] = own + kernel.operands(op).iter().map(|v| depth[v.index()]).max().unwrap_or(0);
    }
    depth
}

fn depth_of(factor: Factor, pairs: &[[Factor; 2]], depth: &[u32]) -> u32 {
    let mut deepest = 0;
    let mut stack = vec![(factor, 0)];
    while let Some((factor, above)) = stack.pop() {
        match factor {
            Factor::Value(v) => deepest = deepest.max(above + depth[v.index()]),
            Factor::Pair(i) => stack.extend(pairs[i].map(|f| (f, above + 1))),
        }
    }
    deepest
}

fn build(
    b: &mut KernelBuilder,
    at: &dyn Fn(Value) -> Value,
    factor: Factor,
    pairs: &[[Factor; 2]],
    made: &mut [Option<Value>],
) -> Value {
    match factor {
        Factor::Value(v) => at(v),
        Factor::Pair(i) => {
            if let Some(v) = made[i] {
                return v;
            }
            // Members are older pairs, so the recursion ends; its depth is below the number of factors of a list.
            let [x, y] = pairs[i].map(|f| build(b, at, f, pairs, made));
            let v = b.mul(x, y);
            made[i] = Some(v);
            v
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::interpret;
    use crate::codegen::ir::Bank;
    use crate::codegen::optimise::live;

    /// a·b, (a·c)·b, a·(b·d), a²·b: seven multiplications become four.
    #[test]
    fn common_factors_are_multiplied_once() {
        let mut k = KernelBuilder::new("products");
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| k.input(name, Bank::State));
        let (ab, ac, bd, aa) = (k.mul(a, b), k.mul(a, c), k.mul(b, d), k.mul(a, a));
        let (acb, abd, aab) = (k.mul(ac, b), k.mul(a, bd), k.mul(aa, b));
        for (name, v) in [("ab", ab), ("acb", acb), ("abd", abd), ("aab", aab)] {
            k.output(name, v);
        }
        let kernel = k.finish();
        let shared = live(&share_products(&kernel).expect("shared factors"));
        let count = |k: &Kernel| k.values().filter(|v| is_product(k, *v)).count();
        assert_eq!((count(&kernel), count(&shared)), (7, 4), "{shared:?}");
        let y = [1.7, -0.3, 2.9, 5.1];
        let (mut before, mut after) = ([0.0; 4], [0.0; 4]);
        interpret::evaluate(&kernel, [&[], &y, &[], &[]], &mut before).unwrap();
        interpret::evaluate(&shared, [&[], &y, &[], &[]], &mut after).unwrap();
        for (b, a) in before.iter().zip(&after) {
            // Three factors: two roundings on either side.
            assert!((b - a).abs() <= 2.0 * f64::EPSILON * b.abs(), "{b} became {a}");
        }
    }

    /// Products that are part of sums gain nothing from a pair that only one longer product shares.
    #[test]
    fn products_in_sums_stay() {
        let mut k = KernelBuilder::new("sums");
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| k.input(name, Bank::State));
        let (ab, cd) = (k.mul(a, b), k.mul(c, d));
        let abc = k.mul(ab, c);
        let first = k.add(cd, d);
        let second = k.add(abc, d);
        k.output("first", first);
        k.output("second", second);
        let kernel = k.finish();
        assert!(share_products(&kernel).is_none());
    }
}
