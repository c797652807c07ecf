//! Repeated interactions in Taylor recurrences: the same rules again and again, on other quantities.
//!
//! Six bodies attract each other in fifteen pairs; unrolled, the recurrences of all pairs do not fit into the instruction
//! cache, and the processor waits for code. Here the pairs are recognised: groups of quantities with the same rules in the
//! same places, each fed by quantities that are linear in the states (the differences of coordinates) and each used by
//! nothing but itself and what comes after all groups. [`super::jet_jit`] makes one loop of them, two groups per turn.
//!
//! A group grows from a seed: downwards to everything nonlinear the seed depends on, upwards to everything whose nonlinear
//! operands lie in the group. Of all classes of equal rules, the seeds are those that cover most of the work with groups that
//! have nothing in common. Whether groups are really alike is then checked place by place, so a wrong guess costs nothing.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::jet::{JetProgram, NodeId, Rule, Series, Slot, Sum, SumId};

/// Groups of quantities with the same rules. Lists are by group, then by place.
#[derive(Clone, Debug)]
pub struct Groups {
    pub members: Vec<Vec<NodeId>>,
    /// What the rules use from outside.
    pub inputs: Vec<Vec<NodeId>>,
    /// Their values of order 0. Equal slots of the first group are equal in every group.
    pub slots: Vec<Vec<Slot>>,
    pub sums: Vec<Vec<SumId>>,
    /// Group and place of a quantity that is a member.
    pub place_of: FxHashMap<NodeId, (usize, usize)>,
    /// Per quantity: whether it is a member or depends on one.
    pub after: Vec<bool>,
    /// Per place: whether something outside uses the member, in some group.
    pub used_outside: Vec<bool>,
    /// Per sum: whether something outside the groups uses it.
    pub outer_sums: Vec<bool>,
}

/// Fewer groups than this are unrolled.
const MIN_GROUPS: usize = 4;
/// Shorter programs are unrolled: they fit into the cache.
const MIN_OPERATIONS: usize = 2500;

/// The repeated interactions of a program, if it is long and mostly made of them.
pub fn find(program: &JetProgram) -> Option<Groups> {
    if program.n_operations() < MIN_OPERATIONS {
        return None;
    }
    let search = Search::new(program);
    let mut classes: Vec<&Vec<NodeId>> = search.classes.iter().filter(|c| c.len() >= MIN_GROUPS).collect();
    classes.sort_by_key(|c| c[0]);
    let mut best: Option<(usize, Groups)> = None;
    for class in classes {
        for with_linear in [true, false] {
            let Some(owner) = search.grow(class, with_linear) else { break };
            if let Some(groups) = search.verify(&owner, class.len()) {
                let covered = groups.sums.iter().map(Vec::len).sum();
                if best.as_ref().is_none_or(|(known, _)| covered > *known) {
                    best = Some((covered, groups));
                }
                break;
            }
        }
    }
    let (covered, groups) = best?;
    (2 * covered >= program.sums.len()).then_some(groups)
}

/// The same rule with other slots.
fn with_slots(rule: Rule, s: &mut dyn FnMut(Slot) -> Slot) -> Rule {
    match rule {
        Rule::Scale(c, a) => Rule::Scale(s(c), a),
        Rule::Product { a, b, a0, b0, sum } => Rule::Product { a, b, a0: s(a0), b0: s(b0), sum },
        Rule::Square { a, twice_a0, sum } => Rule::Square { a, twice_a0: s(twice_a0), sum },
        Rule::Quotient { a, b, inverse, ratio, sum } => {
            Rule::Quotient { a, b, inverse: s(inverse), ratio: s(ratio), sum }
        }
        Rule::Root { a, half_inverse, sum } => Rule::Root { a, half_inverse: s(half_inverse), sum },
        Rule::Power { a, alpha, alpha_plus_one, factor, inverse, sum, weighted } => Rule::Power {
            a,
            alpha: s(alpha),
            alpha_plus_one: s(alpha_plus_one),
            factor: s(factor),
            inverse: s(inverse),
            sum,
            weighted,
        },
        Rule::Integral { a, factor, negative, sum } => Rule::Integral { a, factor: s(factor), negative, sum },
        Rule::Inverse { a, negative, inverse, sum } => Rule::Inverse { a, negative, inverse: s(inverse), sum },
        other => other,
    }
}

/// Whether a rule may be part of a loop.
fn is_loopable(rule: &Rule) -> bool {
    !matches!(rule, Rule::State(_) | Rule::Time | Rule::Atan2 { .. } | Rule::Select { .. } | Rule::Unknown(..))
}

struct Search<'a> {
    program: &'a JetProgram,
    linear: Vec<bool>,
    /// Per quantity: the nonlinear ones it depends on, itself excluded.
    operands: Vec<Vec<NodeId>>,
    classes: Vec<Vec<NodeId>>,
}

impl<'a> Search<'a> {
    fn new(program: &'a JetProgram) -> Search<'a> {
        let mut linear = Vec::with_capacity(program.nodes.len());
        for rule in &program.nodes {
            linear.push(match *rule {
                Rule::State(_) | Rule::Time => true,
                Rule::Add(a, b) | Rule::Sub(a, b) => linear[a as usize] && linear[b as usize],
                Rule::Neg(a) | Rule::Scale(_, a) => linear[a as usize],
                _ => false,
            });
        }
        let mut signatures: Vec<u64> = Vec::with_capacity(program.nodes.len());
        let mut classes: FxHashMap<u64, Vec<NodeId>> = FxHashMap::default();
        let mut operands = Vec::with_capacity(program.nodes.len());
        for (i, rule) in program.nodes.iter().enumerate() {
            operands.push(all_operands(program, i as NodeId).into_iter().filter(|o| !linear[*o as usize]).collect());
            let mut hasher = FxHasher::default();
            if linear[i] {
                0u8.hash(&mut hasher);
            } else if is_loopable(rule) {
                std::mem::discriminant(rule).hash(&mut hasher);
                matches!(rule, Rule::Integral { negative: true, .. }).hash(&mut hasher);
                rule.uses().0.iter().for_each(|n| signatures[*n as usize].hash(&mut hasher));
            } else {
                (1u8, i).hash(&mut hasher);
            }
            let signature = hasher.finish();
            signatures.push(signature);
            if !linear[i] && is_loopable(rule) && !rule.uses().1.is_empty() {
                classes.entry(signature).or_default().push(i as NodeId);
            }
        }
        Search { program, linear, operands, classes: classes.into_values().collect() }
    }

    /// The group of every quantity, grown from seeds; `None` when groups meet or contain what no loop can.
    fn grow(&self, seeds: &[NodeId], with_linear: bool) -> Option<Vec<Option<usize>>> {
        let mut owner: Vec<Option<usize>> = vec![None; self.program.nodes.len()];
        for (group, &seed) in seeds.iter().enumerate() {
            let mut stack = vec![seed];
            while let Some(node) = stack.pop() {
                match owner[node as usize] {
                    Some(known) if known == group => continue,
                    Some(_) => return None,
                    None if !is_loopable(&self.program.nodes[node as usize]) => return None,
                    None => owner[node as usize] = Some(group),
                }
                stack.extend(&self.operands[node as usize]);
            }
        }
        for node in 0..self.program.nodes.len() {
            let rule = &self.program.nodes[node];
            if owner[node].is_some() || self.linear[node] || !is_loopable(rule) {
                continue;
            }
            if !with_linear && rule.uses().1.is_empty() {
                continue;
            }
            let mut groups = self.operands[node].iter().map(|o| owner[*o as usize]);
            let first = groups.next().flatten();
            if first.is_some() && groups.all(|g| g == first) {
                owner[node] = first;
            }
        }
        Some(owner)
    }

    /// Checks that all groups are alike, place by place.
    fn verify(&self, owner: &[Option<usize>], n_groups: usize) -> Option<Groups> {
        let program = self.program;
        let mut members: Vec<Vec<NodeId>> = vec![Vec::new(); n_groups];
        for (node, group) in owner.iter().enumerate() {
            if let Some(group) = group {
                members[*group].push(node as NodeId);
            }
        }
        let mut groups = Groups {
            members: Vec::new(),
            inputs: Vec::new(),
            slots: Vec::new(),
            sums: Vec::new(),
            place_of: FxHashMap::default(),
            after: Vec::new(),
            used_outside: vec![false; members[0].len()],
            outer_sums: vec![false; program.sums.len()],
        };
        let mut template: Option<(Vec<Rule>, Vec<Sum>)> = None;
        for (g, nodes) in members.into_iter().enumerate() {
            let list = Places::new(program, &nodes);
            match &template {
                None => template = Some((list.rules, list.canonical_sums)),
                Some((rules, sums)) if *rules == list.rules && *sums == list.canonical_sums => {}
                Some(_) => return None,
            }
            nodes.iter().enumerate().for_each(|(place, n)| {
                groups.place_of.insert(*n, (g, place));
            });
            groups.members.push(nodes);
            groups.inputs.push(list.inputs);
            groups.slots.push(list.slots);
            groups.sums.push(list.sums);
        }
        self.slots_agree(&groups)?;
        self.surroundings(&mut groups)?;
        Some(groups)
    }

    /// A slot that the first group uses twice is used twice by every group.
    fn slots_agree(&self, groups: &Groups) -> Option<()> {
        for slots in &groups.slots {
            let mut known: FxHashMap<Slot, Slot> = FxHashMap::default();
            for (template, own) in groups.slots[0].iter().zip(slots) {
                if *known.entry(*template).or_insert(*own) != *own {
                    return None;
                }
            }
        }
        Some(())
    }

    /// What comes after the groups, and what it uses of them.
    fn surroundings(&self, groups: &mut Groups) -> Option<()> {
        let program = self.program;
        let is_member = |n: NodeId| groups.place_of.contains_key(&n);
        let mut after: Vec<bool> = (0..program.nodes.len() as NodeId).map(is_member).collect();
        // Sums may refer to later quantities, sine and cosine to each other: until nothing changes.
        loop {
            let mut changed = false;
            for node in 0..program.nodes.len() {
                if !after[node] && all_operands(program, node as NodeId).iter().any(|o| after[*o as usize]) {
                    after[node] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        if groups.inputs.iter().flatten().any(|n| after[*n as usize]) {
            return None;
        }
        let mut used: Vec<NodeId> = program.derivatives.iter().filter_map(|d| d.node).collect();
        for node in (0..program.nodes.len() as NodeId).filter(|n| !is_member(*n)) {
            used.extend(all_operands(program, node));
            program.nodes[node as usize].uses().1.iter().for_each(|s| groups.outer_sums[*s as usize] = true);
        }
        for (_, sum) in program.systems.iter().flat_map(|s| s.matrix.iter().flatten()) {
            groups.outer_sums[*sum as usize] = true;
        }
        for node in used {
            if let Some((_, place)) = groups.place_of.get(&node) {
                groups.used_outside[*place] = true;
            }
        }
        groups.after = after;
        Some(())
    }
}

/// Everything the coefficients of a quantity depend on, itself excluded.
fn all_operands(program: &JetProgram, node: NodeId) -> Vec<NodeId> {
    let rule = &program.nodes[node as usize];
    let (nodes, sums) = rule.uses();
    let mut list: Vec<NodeId> = nodes.to_vec();
    let add_sum = |list: &mut Vec<NodeId>, sum: SumId| {
        let Sum { a, b } = program.sums[sum as usize];
        list.extend([a.node, b.node]);
    };
    sums.iter().for_each(|s| add_sum(&mut list, *s));
    if let Rule::Unknown(system, _) = rule {
        let system = &program.systems[*system as usize];
        list.extend(system.rhs.iter().flatten());
        for (entry, sum) in system.matrix.iter().flatten() {
            list.push(*entry);
            add_sum(&mut list, *sum);
        }
    }
    list.retain(|n| *n != node);
    list
}

/// A group with names for what it uses: members by place, inputs and sums in the order of their first use.
struct Places {
    inputs: Vec<NodeId>,
    slots: Vec<Slot>,
    sums: Vec<SumId>,
    rules: Vec<Rule>,
    canonical_sums: Vec<Sum>,
}

impl Places {
    fn new(program: &JetProgram, members: &[NodeId]) -> Places {
        let mut names: FxHashMap<NodeId, NodeId> =
            members.iter().enumerate().map(|(place, n)| (*n, place as NodeId)).collect();
        let (mut inputs, mut sums, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        let mut sum_names: FxHashMap<SumId, SumId> = FxHashMap::default();
        for node in members {
            let rule = program.nodes[*node as usize];
            let (mut nodes, used) = rule.uses();
            for sum in used {
                let next = sums.len() as SumId;
                if *sum_names.entry(sum).or_insert(next) == next {
                    sums.push(sum);
                }
                let Sum { a, b } = program.sums[sum as usize];
                nodes.extend([a.node, b.node]);
            }
            for n in nodes {
                names.entry(n).or_insert_with(|| {
                    inputs.push(n);
                    (members.len() + inputs.len()) as NodeId
                });
            }
            with_slots(rule, &mut |s| {
                slots.push(s);
                s
            });
        }
        let rules = members
            .iter()
            .map(|n| {
                let rule = with_slots(program.nodes[*n as usize], &mut |_| 0);
                rule.renamed(&|n| names[&n], &mut |s| sum_names[&s])
            })
            .collect();
        let rename = |s: Series| Series { node: names[&s.node], ..s };
        let canonical_sums = sums
            .iter()
            .map(|s| {
                let Sum { a, b } = program.sums[*s as usize];
                Sum { a: rename(a), b: rename(b) }
            })
            .collect();
        Places { inputs, slots, sums, rules, canonical_sums }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::compiled::{Backend, Options};
    use crate::codegen::ir::{Bank, Kernel, KernelBuilder, Value};
    use crate::codegen::jet_compiled;

    /// Bodies in space that attract each other.
    fn bodies(n: usize) -> Kernel {
        let mut b = KernelBuilder::new("bodies");
        let y: Vec<Value> = (0..6 * n).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
        let mut a: Vec<Option<Value>> = vec![None; 3 * n];
        for i in 0..n {
            for j in i + 1..n {
                let d = [0, 1, 2].map(|k| b.sub(y[3 * j + k], y[3 * i + k]));
                let squares = d.map(|d| b.mul(d, d));
                let sum = b.add(squares[0], squares[1]);
                let r2 = b.add(sum, squares[2]);
                let exponent = b.constant(-1.5);
                let w = b.pow(r2, exponent);
                for (k, d) in d.into_iter().enumerate() {
                    let p = b.mul(d, w);
                    for (body, mass) in [(i, 1.0 + j as f64), (j, -1.0 - i as f64)] {
                        let mass = b.constant(0.25 * mass);
                        let pull = b.mul(mass, p);
                        let slot = &mut a[3 * body + k];
                        *slot = Some(slot.map_or(pull, |s| b.add(s, pull)));
                    }
                }
            }
        }
        y[3 * n..].iter().enumerate().for_each(|(i, v)| b.output(format!("v{i}"), *v));
        a.iter().enumerate().for_each(|(i, a)| b.output(format!("a{i}"), a.unwrap()));
        b.finish()
    }

    fn state(n: usize) -> Vec<f64> {
        (0..6 * n).map(|i| (1.7 * i as f64).sin() * 3.0 + 0.1 * i as f64).collect()
    }

    fn coefficients(kernel: &Kernel, order: usize, state: &[f64], backend: Backend) -> (Vec<f64>, usize) {
        let jet = jet_compiled::compile(kernel, order, Options { backend, portable: false }, false).unwrap();
        assert_eq!(jet.backend(), backend, "{:?}", jet.obstacle());
        let mut out = vec![0.0; (order + 1) * state.len()];
        assert!(jet.caller().call_fast([&[0.0], state, &[], &[]], &mut out));
        (out, jet.code_size())
    }

    /// Fifteen pairs are one loop, and the loop computes what the interpreter computes, bit for bit.
    #[test]
    fn pairs_of_bodies_are_a_loop() {
        for n in [5, 6] {
            let kernel = bodies(n);
            let order = 12;
            let program =
                JetProgram::new(&kernel, order, Options::default().rewrites(), false).expect("a field with series");
            let groups = find(&program).expect("groups");
            assert_eq!(groups.members.len(), n * (n - 1) / 2);
            assert_eq!(groups.inputs[0].len(), 3);
            let (interpreted, _) = coefficients(&kernel, order, &state(n), Backend::Interpreter);
            let (compiled, bytes) = coefficients(&kernel, order, &state(n), Backend::OptimisedCode);
            assert!(interpreted.iter().all(|x| x.is_finite()));
            let same = interpreted.iter().zip(&compiled).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{n} bodies");
            assert!(bytes < 100_000, "{bytes} bytes");
        }
    }

    /// A ring of sines: groups whose members refer to each other, and whose results enter products outside.
    #[test]
    fn sines_and_cosines_are_a_loop() {
        let n = 9;
        let mut b = KernelBuilder::new("ring");
        let y: Vec<Value> = (0..2 * n).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
        let s: Vec<Value> = (0..n)
            .map(|i| {
                let d = b.sub(y[(i + 1) % n], y[i]);
                let (s, c) = (b.sin(d), b.cos(d));
                b.mul(s, c)
            })
            .collect();
        y[n..].iter().for_each(|v| b.output("v", *v));
        for i in 0..n {
            let force = b.sub(s[i], s[(i + n - 1) % n]);
            // Products across groups stay outside.
            let product = b.mul(s[i], s[(i + 1) % n]);
            let a = b.add(force, product);
            b.output("a", a);
        }
        let kernel = b.finish();
        let state: Vec<f64> = (0..2 * n).map(|i| (0.7 * i as f64).cos()).collect();
        let order = 20;
        let program = JetProgram::new(&kernel, order, Options::default().rewrites(), false).expect("series");
        assert_eq!(find(&program).expect("groups").members.len(), n);
        let (interpreted, _) = coefficients(&kernel, order, &state, Backend::Interpreter);
        let (compiled, _) = coefficients(&kernel, order, &state, Backend::OptimisedCode);
        let same = interpreted.iter().zip(&compiled).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same);
    }
}
