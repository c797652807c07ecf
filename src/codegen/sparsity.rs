//! Which entries of a linear system are there, and what follows for its elimination.
//!
//! The mass matrix of a chain of n masses has some 3n entries and not n², that of free particles is diagonal, and that of a
//! cart with many pendulums has one full row. Unknowns that share no equation are solved apart ([`blocks`]). Inside a block
//! an elimination joins the neighbours of every unknown that it removes: the fill-in. Removing unknowns with few neighbours
//! first keeps it small (the minimum degree algorithm; George and Liu, *Computer Solution of Large Sparse Positive Definite
//! Systems*, chapter 5), and what is left to do is counted before anything is done.

use std::collections::BTreeSet;

/// The unknowns, sorted into sets without entries between them; both by their smallest unknowns.
pub fn blocks(n: usize, there: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut parent: Vec<usize> = (0..n).collect();
    for i in 0..n {
        for j in 0..n {
            if i != j && there(i, j) {
                let (a, b) = (root(&mut parent, i), root(&mut parent, j));
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    // The smallest unknown of a set is its root.
    let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); n];
    for i in 0..n {
        let first = root(&mut parent, i);
        blocks[first].push(i);
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Multiply-adds up to which an order is looked for.
const MOST: usize = 20_000;
const MOST_PER_UNKNOWN: usize = 64;

/// What the elimination of a symmetric matrix takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    pub multiply_adds: usize,
    /// Entries below the diagonal, fill-in included: so many multiply-adds for each of two substitutions.
    pub entries: usize,
}

/// The order in which the unknowns of a symmetric matrix should be eliminated: as they come, or those with few neighbours
/// first when that takes clearly fewer operations.
pub fn order(n: usize, there: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let neighbours = neighbours(n, there);
    let as_they_come = || (0..n).collect();
    if neighbours.iter().all(|others| others.len() + 1 == n) {
        return as_they_come();
    }
    // What is not sparse is not looked at to its end.
    let most = MOST + MOST_PER_UNKNOWN * n;
    match fill_in(neighbours.clone(), true, most) {
        Some((few_first, few)) if fill_in(neighbours, false, 5 * few.multiply_adds / 4).is_none() => few_first,
        _ => as_they_come(),
    }
}

/// What the elimination of a symmetric matrix takes, its unknowns as they come, if no more than `most` multiply-adds.
pub fn cost(n: usize, there: impl Fn(usize, usize) -> bool, most: usize) -> Option<Cost> {
    fill_in(neighbours(n, there), false, most).map(|(_, cost)| cost)
}

/// Only the lower triangle is looked at.
fn neighbours(n: usize, there: impl Fn(usize, usize) -> bool) -> Vec<BTreeSet<usize>> {
    let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for i in 0..n {
        for j in 0..i {
            if there(i, j) {
                neighbours[i].insert(j);
                neighbours[j].insert(i);
            }
        }
    }
    neighbours
}

/// Eliminates symbolically: the order, and what that takes, if no more than `most` multiply-adds.
fn fill_in(mut neighbours: Vec<BTreeSet<usize>>, few_first: bool, most: usize) -> Option<(Vec<usize>, Cost)> {
    let n = neighbours.len();
    let mut left: BTreeSet<(usize, usize)> = neighbours.iter().map(BTreeSet::len).zip(0..n).collect();
    let (mut order, mut cost) = (Vec::with_capacity(n), Cost::default());
    for next in 0..n {
        let j = if few_first { left.first()?.1 } else { next };
        left.remove(&(neighbours[j].len(), j));
        let around = std::mem::take(&mut neighbours[j]);
        cost.multiply_adds += around.len() * (around.len() + 1) / 2;
        cost.entries += around.len();
        if cost.multiply_adds > most {
            return None;
        }
        for &i in &around {
            left.remove(&(neighbours[i].len(), i));
            neighbours[i].remove(&j);
            neighbours[i].extend(around.iter().copied().filter(|&k| k != i));
            left.insert((neighbours[i].len(), i));
        }
        order.push(j);
    }
    Some((order, cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_no_entry() {
        let pairs = [(0, 3), (3, 5), (1, 4)];
        let there = |i: usize, j: usize| i == j || pairs.contains(&(i, j)) || pairs.contains(&(j, i));
        assert_eq!(blocks(6, there), [vec![0, 3, 5], vec![1, 4], vec![2]]);
        // One of two entries is enough.
        assert_eq!(blocks(2, |i, j| i > j), [vec![0, 1]]);
    }

    /// Eliminating the hub of a wheel first joins all of its spokes: (n−1)n(n+1)/6 multiply-adds against one for each spoke.
    #[test]
    fn a_hub_is_eliminated_last() {
        let n = 30;
        let there = |i: usize, j: usize| i == j || i.min(j) == 0;
        let order = order(n, there);
        assert!(order.iter().position(|&i| i == 0) >= Some(n - 2));
        let full = Cost { multiply_adds: (n - 1) * n * (n + 1) / 6, entries: n * (n - 1) / 2 };
        assert_eq!(cost(n, there, usize::MAX), Some(full));
        let sparse = Cost { multiply_adds: n - 1, entries: n - 1 };
        assert_eq!(cost(n, |i, j| there(order[i], order[j]), usize::MAX), Some(sparse));
        assert_eq!(cost(n, there, 1000), None);
    }

    /// What is as good as it comes stays as it comes: a band, and a full matrix.
    #[test]
    fn bands_and_full_matrices_keep_their_order() {
        let n = 40;
        let sorted: Vec<usize> = (0..n).collect();
        assert_eq!(order(n, |i, j| i.abs_diff(j) <= 1), sorted);
        assert_eq!(cost(n, |i, j| i.abs_diff(j) <= 1, usize::MAX), Some(Cost { multiply_adds: n - 1, entries: n - 1 }));
        assert_eq!(order(n, |_, _| true), sorted);
    }
}
