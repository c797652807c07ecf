//! Taylor recurrences as machine code.
//!
//! One function computes all coefficients of a step: first a call of the initial kernel, then order after order, unrolled.
//! Two sums share vector instructions: the coefficients of their operands are stored in pairs, 16 bytes by 16 bytes, and
//! loaded the same way, so that no sum is ever added up across a register and no load waits for two stores. What only the
//! newest coefficients enter is scalar and stays in registers for the duration of an order.
//!
//! Repeated interactions ([`super::jet_groups`]) are a loop inside every order, two groups per turn, each pair of groups with
//! its own stretch of memory: what they use from outside is put there before the loop, and what the outside uses is fetched
//! after it. So the code of an order is that of one pair of groups, and stays in the cache from turn to turn.

use cranelift::codegen::ir;
use cranelift::prelude::{FloatCC, FunctionBuilder, InstBuilder, IntCC, MemFlagsData, types};
use cranelift_module::Module;
use rustc_hash::FxHashMap;

use super::ir::{Bank, Comparison};
use super::jet::{JetProgram, NodeId, Rule, Series, Slot, SumId};
use super::jet_groups::{self, Groups};
use super::jet_rules::{self, Arithmetic, Constant};
use super::jet_steps::{self, Coefficients};
use super::jit::{self, Lanes};
use super::machine::{Assembler, Code, CompileError, Entries, Lengths, Tier};

/// Compiles the recurrences. The outputs of the code are the coefficients, order by order.
pub fn compile(program: &JetProgram, tier: Tier) -> Result<Code, CompileError> {
    let mut assembler = Assembler::new(tier)?;
    let (initial, needs) = jit::assemble(&mut assembler, &program.initial, Lanes::One)?;
    let plan = Plan::new(program, &mut assembler, needs.outputs + needs.scratch);
    let mut parts = Vec::new();
    for (i, orders) in plan.parts.iter().enumerate() {
        let id = assembler.function(&format!("orders{i}"), |fb, _| {
            Emitter::new(fb, program, &plan).emit(orders.clone());
            Ok(())
        })?;
        parts.push(id);
    }
    let n_slots = needs.outputs;
    let steps = match program.n <= super::jet_compiled::SMALL && program.order > 2 {
        true => {
            let functions = Coefficients { initial, parts: &parts, n_slots };
            Some(assembler.loop_function("steps", |fb, module| {
                jet_steps::emit(fb, module, program, &functions);
                Ok(())
            })?)
        }
        false => None,
    };
    let entry = assembler.function("jet", |fb, module| {
        let block = fb.create_block();
        fb.append_block_params_for_function_params(block);
        fb.switch_to_block(block);
        let p = fb.block_params(block).to_vec();
        let scratch_of_initial = fb.ins().iadd_imm_s(p[5], 8 * n_slots as i64);
        let callee = module.declare_func_in_func(initial, fb.func);
        let call = fb.ins().call(callee, &[p[0], p[1], p[2], p[3], p[5], scratch_of_initial]);
        let status = fb.inst_results(call)[0];
        for part in &parts {
            let callee = module.declare_func_in_func(*part, fb.func);
            fb.ins().call(callee, &p);
        }
        fb.ins().return_(&[status]);
        Ok(())
    })?;
    let mut banks = needs.banks;
    banks[Bank::State as usize] = banks[Bank::State as usize].max(program.n);
    let (outputs, carried) = (program.n * (program.order + 1), 2 * program.n + jet_steps::N_CARRIED);
    let lengths = Lengths { banks, outputs, scratch: plan.n_scratch, run: 3, carried };
    assembler.finish(Entries { single: Some(entry), many: steps }, lengths)
}

/// Two sums that are computed together.
#[derive(Clone, Copy, Debug)]
struct Pair {
    sums: [SumId; 2],
    /// Where the operands are.
    a: Place,
    b: Place,
    square: bool,
}

/// Where coefficients are stored: order k at `offset + k · stride` bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Place {
    base: Base,
    offset: i32,
    stride: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    Outputs,
    Scratch,
    /// The memory of the pair of groups whose turn it is.
    Turn,
}

impl Place {
    fn at(self, k: usize) -> i32 {
        self.offset + k as i32 * self.stride
    }

    fn lane(self, lane: usize) -> Place {
        Place { offset: self.offset + 8 * lane as i32, ..self }
    }
}

struct Plan {
    parts: Vec<std::ops::Range<usize>>,
    /// For every sum: the pair it belongs to.
    pair_of: Vec<usize>,
    pairs: Vec<Pair>,
    /// Pairs of series that are stored together.
    streams: Vec<((Series, Series), Place)>,
    /// Where each of them is, and which of them a quantity is part of.
    place_of: FxHashMap<(Series, Series), Place>,
    streams_of: FxHashMap<NodeId, Vec<usize>>,
    /// Series that are stored alone.
    singles: Vec<(Series, Place)>,
    /// Where one coefficient of a series can be loaded.
    lanes: FxHashMap<Series, Place>,
    n_scratch: usize,
    constants: i64,
    repeated: Option<Repeated>,
}

/// Groups that are a loop, and where their numbers are. Quantities, sums and slots have the names of the first group.
struct Repeated {
    groups: Groups,
    /// Turns of the loop: pairs of groups. The last may be one group twice.
    n_turns: usize,
    /// Bytes from the scratch array to the memory of the first turn, and from turn to turn.
    start: i32,
    stride: i32,
    /// Places in the memory of a turn: coefficients, slots, and what is passed in and out at the current order.
    series: FxHashMap<Series, i32>,
    slots: FxHashMap<Slot, i32>,
    passed: FxHashMap<NodeId, i32>,
}

impl Repeated {
    fn new(program: &JetProgram, groups: Groups, start: usize) -> Repeated {
        let (mut series, mut slots, mut passed) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        let mut bytes = 0;
        let mut reserve = |pairs: usize| {
            bytes += 16 * pairs as i32;
            bytes - 16 * pairs as i32
        };
        for slot in &groups.slots[0] {
            slots.entry(*slot).or_insert_with(|| reserve(1));
        }
        for sum in &groups.sums[0] {
            let sum = program.sums[*sum as usize];
            for s in [sum.a, sum.b] {
                series.entry(s).or_insert_with(|| reserve(program.order + 1));
            }
        }
        for input in &groups.inputs[0] {
            passed.entry(*input).or_insert_with(|| reserve(1));
        }
        for (place, member) in groups.members[0].iter().enumerate() {
            if groups.used_outside[place] {
                passed.entry(*member).or_insert_with(|| reserve(1));
            }
        }
        let n_turns = groups.members.len().div_ceil(2);
        Repeated { groups, n_turns, start: 8 * start as i32, stride: bytes, series, slots, passed }
    }

    /// The two groups of a turn.
    fn lanes(&self, turn: usize) -> [usize; 2] {
        [2 * turn, (2 * turn + 1).min(self.groups.members.len() - 1)]
    }

    fn turn(&self, turn: usize) -> i32 {
        self.start + turn as i32 * self.stride
    }

    /// Where a member that is used outside can be loaded at the current order.
    fn outside(&self, group: usize, place: usize) -> i32 {
        let template = self.groups.members[0][place];
        self.turn(group / 2) + self.passed[&template] + 8 * (group % 2) as i32
    }
}

/// About how many instructions the recurrences become: what is unrolled, and one turn of the loop over repeated interactions.
pub fn n_instructions(program: &JetProgram) -> usize {
    let (nodes, pairs) = match jet_groups::find(program) {
        None => (program.nodes.len(), program.sums.len().div_ceil(2)),
        Some(groups) => {
            let n_turns = groups.members.len().div_ceil(2);
            let outer = groups.outer_sums.iter().filter(|outer| **outer).count();
            (nodes_of_order(program, &groups, n_turns), outer.div_ceil(2) + groups.sums[0].len())
        }
    };
    (1..program.order).map(|k| instructions_of_order(nodes, pairs, k)).sum()
}

/// Quantities that are computed one by one at every order.
fn nodes_of_order(program: &JetProgram, groups: &Groups, n_turns: usize) -> usize {
    let members = groups.members[0].len();
    let unrolled = program.nodes.len() - members * groups.members.len();
    unrolled + members + groups.inputs[0].len() * n_turns
}

fn instructions_of_order(nodes: usize, pairs: usize, k: usize) -> usize {
    nodes * 3 + pairs * 2 * k
}

/// More instructions than this in one function make register allocation slow.
const PART: usize = 12_000;

impl Plan {
    fn new(program: &JetProgram, assembler: &mut Assembler, reserved: usize) -> Plan {
        let mut plan = Plan {
            parts: Vec::new(),
            pair_of: vec![usize::MAX; program.sums.len()],
            pairs: Vec::new(),
            streams: Vec::new(),
            place_of: FxHashMap::default(),
            streams_of: FxHashMap::default(),
            singles: Vec::new(),
            lanes: FxHashMap::default(),
            n_scratch: reserved.next_multiple_of(2),
            constants: 0,
            repeated: None,
        };
        if let Some(groups) = jet_groups::find(program) {
            let repeated = Repeated::new(program, groups, plan.n_scratch);
            plan.n_scratch += repeated.n_turns * repeated.stride as usize / 8;
            plan.repeated = Some(repeated);
        }
        let unrolled = |s: SumId| plan.repeated.as_ref().is_none_or(|r| r.groups.outer_sums[s as usize]);
        let ids: Vec<SumId> = (0..program.sums.len() as SumId).filter(|&s| unrolled(s)).collect();
        for square in [true, false] {
            let alike = ids.iter().copied().filter(|&s| program.sums[s as usize].is_square() == square).collect();
            plan.pair_up(program, alike, square);
        }
        // 1/k, −1/k and k, each twice, for every order; at order 0, the sign.
        let mut constants = vec![-0.0; 6];
        for k in 1..=program.order + 1 {
            let k = k as f64;
            constants.extend([1.0 / k, 1.0 / k, -1.0 / k, -1.0 / k, k, k]);
        }
        plan.constants = assembler.constants(constants);
        // What is unrolled, and one turn of the loop.
        let (nodes, sums) = match &plan.repeated {
            None => (program.nodes.len(), plan.pairs.len()),
            Some(r) => (nodes_of_order(program, &r.groups, r.n_turns), plan.pairs.len() + r.groups.sums[0].len()),
        };
        let mut start = 1;
        let mut length = 0;
        for k in 1..program.order {
            length += instructions_of_order(nodes, sums, k);
            if length > PART {
                plan.parts.push(start..k + 1);
                (start, length) = (k + 1, 0);
            }
        }
        plan.parts.push(start..program.order.max(start));
        plan
    }

    /// Pairs sums so that few new streams are needed.
    fn pair_up(&mut self, program: &JetProgram, mut ids: Vec<SumId>, square: bool) {
        ids.reverse();
        while let Some(first) = ids.pop() {
            let s = program.sums[first as usize];
            let mut best: Option<(u32, usize, usize, (Series, Series))> = None;
            // Looking back from the end of the reversed list: the nearest sums in the order of use.
            for (distance, i) in (0..ids.len()).rev().take(64).enumerate() {
                let t = program.sums[ids[i] as usize];
                // Never the other way round: the terms would be added in another order than the interpreter adds them.
                let (x, y) = (t.a, t.b);
                let cost = self.cost(program, (s.a, x)) + self.cost(program, (s.b, y));
                if best.is_none_or(|(c, d, ..)| (cost, distance) < (c, d)) {
                    best = Some((cost, distance, i, (x, y)));
                }
            }
            let number = self.pairs.len();
            match best {
                Some((_, _, i, (x, y))) => {
                    let second = ids.remove(i);
                    let a = self.stream(program, (s.a, x));
                    let b = self.stream(program, (s.b, y));
                    self.pairs.push(Pair { sums: [first, second], a, b, square });
                    self.pair_of[first as usize] = number;
                    self.pair_of[second as usize] = number;
                }
                None => {
                    let a = self.single(program, s.a);
                    let b = self.single(program, s.b);
                    self.pairs.push(Pair { sums: [first, first], a, b, square });
                    self.pair_of[first as usize] = number;
                }
            }
        }
    }

    /// What storing a pair of series would cost per order.
    fn cost(&self, program: &JetProgram, pair: (Series, Series)) -> u32 {
        if self.place_of.contains_key(&pair) || states_in_a_row(program, pair).is_some() {
            0
        } else if pair.0 == pair.1 {
            2
        } else {
            3
        }
    }

    fn stream(&mut self, program: &JetProgram, pair: (Series, Series)) -> Place {
        if let Some(place) = states_in_a_row(program, pair) {
            return place;
        }
        if let Some(place) = self.place_of.get(&pair) {
            return *place;
        }
        let place = Place { base: Base::Scratch, offset: 8 * self.n_scratch as i32, stride: 16 };
        self.n_scratch += 2 * (program.order + 1);
        self.streams_of.entry(pair.0.node).or_default().push(self.streams.len());
        if pair.1.node != pair.0.node {
            self.streams_of.entry(pair.1.node).or_default().push(self.streams.len());
        }
        self.streams.push((pair, place));
        self.place_of.insert(pair, place);
        self.lanes.entry(pair.0).or_insert(place);
        self.lanes.entry(pair.1).or_insert(place.lane(1));
        place
    }

    fn single(&mut self, program: &JetProgram, series: Series) -> Place {
        if let Some(place) = self.lane(program, series) {
            return place;
        }
        let place = Place { base: Base::Scratch, offset: 8 * self.n_scratch as i32, stride: 8 };
        self.n_scratch += program.order + 1;
        self.singles.push((series, place));
        self.lanes.insert(series, place);
        place
    }

    /// Where single coefficients of a series are.
    fn lane(&self, program: &JetProgram, series: Series) -> Option<Place> {
        if let (Rule::State(i), false) = (program.nodes[series.node as usize], series.weighted) {
            return Some(Place { base: Base::Outputs, offset: 8 * i as i32, stride: 8 * program.n as i32 });
        }
        self.lanes.get(&series).copied()
    }
}

/// Two neighbouring states are stored together already: in the result.
fn states_in_a_row(program: &JetProgram, (a, b): (Series, Series)) -> Option<Place> {
    match (program.nodes[a.node as usize], program.nodes[b.node as usize]) {
        (Rule::State(i), Rule::State(j)) if j == i + 1 && i % 2 == 0 && !a.weighted && !b.weighted => {
            Some(Place { base: Base::Outputs, offset: 8 * i as i32, stride: 8 * program.n as i32 })
        }
        _ => None,
    }
}

struct Emitter<'a, 'b> {
    fb: &'a mut FunctionBuilder<'b>,
    program: &'a JetProgram,
    plan: &'a Plan,
    outputs: ir::Value,
    scratch: ir::Value,
    constants: ir::Value,
    order: usize,
    /// Coefficients of the current order.
    values: Vec<Option<ir::Value>>,
    /// Sums of the current order.
    sums: Vec<Option<ir::Value>>,
    /// The address of the initial state.
    state: ir::Value,
    /// Coefficients of the states of the next order, in pairs; the last may be alone.
    next: Vec<ir::Value>,
    /// The same of the current order.
    states: Vec<ir::Value>,
    turn: Option<Turn>,
}

/// One turn of the loop over groups, all values pairs.
struct Turn {
    memory: ir::Value,
    values: FxHashMap<NodeId, ir::Value>,
    sums: FxHashMap<SumId, ir::Value>,
}

fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Loads that may become the memory operand of their use. Coefficients and slots are stored once in a call, before they are
/// loaded, and a load only ever moves down to its use; so it finds the same number there.
fn settled() -> MemFlagsData {
    flags().with_readonly().with_can_move()
}

impl<'a, 'b> Emitter<'a, 'b> {
    fn new(fb: &'a mut FunctionBuilder<'b>, program: &'a JetProgram, plan: &'a Plan) -> Self {
        let block = fb.create_block();
        fb.append_block_params_for_function_params(block);
        fb.switch_to_block(block);
        let p = fb.block_params(block).to_vec();
        let constants = fb.ins().iconst(types::I64, plan.constants);
        Emitter {
            fb,
            program,
            plan,
            outputs: p[4],
            scratch: p[5],
            constants,
            order: 0,
            values: Vec::new(),
            sums: Vec::new(),
            state: p[Bank::State as usize],
            next: Vec::new(),
            states: Vec::new(),
            turn: None,
        }
    }

    fn emit(mut self, orders: std::ops::Range<usize>) {
        let n = self.program.n;
        if orders.start == 1 {
            self.first_orders();
        } else {
            for i in (0..n).step_by(2) {
                let ty = if i + 1 < n { types::F64X2 } else { types::F64 };
                let x = self.fb.ins().load(ty, flags(), self.outputs, 8 * (orders.start * n + i) as i32);
                self.next.push(x);
            }
        }
        for k in orders {
            self.order = k;
            self.values = vec![None; self.program.nodes.len()];
            self.sums = vec![None; self.program.sums.len()];
            self.states = std::mem::take(&mut self.next);
            for i in 0..n {
                let x = self.states[i / 2];
                let alone = i + 1 == n && n % 2 == 1;
                self.values[i] = Some(if alone { x } else { self.fb.ins().extractlane(x, (i % 2) as u8) });
                self.store(i as NodeId);
            }
            let nodes = n as NodeId..self.program.nodes.len() as NodeId;
            match &self.plan.repeated {
                None => nodes.for_each(|node| self.node(node)),
                Some(repeated) => {
                    nodes.clone().filter(|n| !repeated.groups.after[*n as usize]).for_each(|node| self.node(node));
                    self.pass_inputs(repeated);
                    self.turns(repeated);
                    nodes.filter(|n| repeated.groups.after[*n as usize]).for_each(|node| self.node(node));
                }
            }
            self.next_states();
        }
        let zero = self.fb.ins().iconst(types::I64, 0);
        self.fb.ins().return_(&[zero]);
    }

    /// Orders 0 and 1: the state and its derivative.
    fn first_orders(&mut self) {
        let n = self.program.n;
        for i in 0..n {
            let x = self.fb.ins().load(types::F64, flags(), self.state, 8 * i as i32);
            self.fb.ins().store(flags(), x, self.outputs, 8 * i as i32);
        }
        for i in (0..n).step_by(2) {
            let slots: Vec<Slot> = self.program.derivatives[i..(i + 2).min(n)].iter().map(|d| d.slot).collect();
            let xs: Vec<ir::Value> = slots.iter().map(|&s| self.slot(s)).collect();
            let x = if let [x, y] = xs[..] { self.join(x, y) } else { xs[0] };
            self.store_states(1, i, x);
        }
        let Some(repeated) = &self.plan.repeated else { return };
        for turn in 0..repeated.n_turns {
            for (place, template) in repeated.groups.slots[0].iter().enumerate() {
                let [x, y] = repeated.lanes(turn).map(|g| self.slot(repeated.groups.slots[g][place]));
                let pair = self.join(x, y);
                let offset = repeated.turn(turn) + repeated.slots[template];
                self.fb.ins().store(flags(), pair, self.scratch, offset);
            }
        }
    }

    /// Gives every group what it uses from outside.
    fn pass_inputs(&mut self, repeated: &Repeated) {
        for turn in 0..repeated.n_turns {
            for (place, &template) in repeated.groups.inputs[0].iter().enumerate() {
                let [x, y] = repeated.lanes(turn).map(|g| self.at(repeated.groups.inputs[g][place]));
                let pair = self.join(x, y);
                let offset = repeated.turn(turn) + repeated.passed[&template];
                self.fb.ins().store(flags(), pair, self.scratch, offset);
            }
        }
    }

    /// The rules of the first group, for all pairs of groups.
    fn turns(&mut self, repeated: &Repeated) {
        let body = self.fb.create_block();
        let exit = self.fb.create_block();
        self.fb.append_block_param(body, types::I64);
        let first = self.fb.ins().iadd_imm_s(self.scratch, i64::from(repeated.start));
        let end = self.fb.ins().iadd_imm_s(self.scratch, i64::from(repeated.turn(repeated.n_turns)));
        self.fb.ins().jump(body, &[first.into()]);
        self.fb.switch_to_block(body);
        let memory = self.fb.block_params(body)[0];
        self.turn = Some(Turn { memory, values: FxHashMap::default(), sums: FxHashMap::default() });
        for &input in &repeated.groups.inputs[0] {
            let x = self.fb.ins().load(types::F64X2, flags(), memory, repeated.passed[&input]);
            self.remember(repeated, input, x);
        }
        for &member in &repeated.groups.members[0] {
            let rule = self.program.nodes[member as usize];
            let Some(x) = jet_rules::coefficient(self, rule) else { unreachable!("groups have no states and systems") };
            if let Some(&place) = repeated.passed.get(&member) {
                self.fb.ins().store(flags(), x, memory, place);
            }
            self.remember(repeated, member, x);
        }
        self.turn = None;
        let next = self.fb.ins().iadd_imm_s(memory, i64::from(repeated.stride));
        let more = self.fb.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.fb.ins().brif(more, body, &[next.into()], exit, &[]);
        self.fb.switch_to_block(exit);
    }

    /// The newest coefficients of a quantity of a turn, stored where later orders will look for them.
    fn remember(&mut self, repeated: &Repeated, node: NodeId, x: ir::Value) {
        let Some(turn) = &mut self.turn else { return };
        turn.values.insert(node, x);
        let memory = turn.memory;
        if self.order + 2 > self.program.order {
            return;
        }
        for weighted in [false, true] {
            if let Some(&offset) = repeated.series.get(&Series { node, weighted }) {
                let x = if weighted && self.order > 1 {
                    let k = self.constant(Constant::K);
                    self.fb.ins().fmul(x, k)
                } else {
                    x
                };
                self.fb.ins().store(flags(), x, memory, offset + 16 * self.order as i32);
            }
        }
    }

    /// One or two coefficients of neighbouring states, in one store.
    fn store_states(&mut self, order: usize, i: usize, x: ir::Value) {
        self.fb.ins().store(flags(), x, self.outputs, 8 * (order * self.program.n + i) as i32);
        self.next.push(x);
    }

    /// yₖ₊₁ = fₖ/(k+1), two at a time.
    fn next_states(&mut self) {
        let n = self.program.n;
        for i in (0..n).step_by(2) {
            let nodes: Vec<Option<NodeId>> =
                self.program.derivatives[i..(i + 2).min(n)].iter().map(|d| d.node).collect();
            let f = match nodes[..] {
                // The derivatives are two states that are a pair already.
                [Some(a), Some(b)] if b == a + 1 && a % 2 == 0 && (b as usize) < n => self.states[a as usize / 2],
                [a, b] => {
                    let [a, b] = [a, b].map(|node| self.derivative(node));
                    self.join(a, b)
                }
                _ => self.derivative(nodes[0]),
            };
            let ty = self.fb.func.dfg.value_type(f);
            let offset = 48 * (self.order + 1) as i32 + 16 * Constant::OverK as i32;
            let inverse = self.fb.ins().load(ty, settled(), self.constants, offset);
            let x = self.fb.ins().fmul(f, inverse);
            self.store_states(self.order + 1, i, x);
        }
    }

    fn derivative(&mut self, node: Option<NodeId>) -> ir::Value {
        match node {
            Some(node) => self.at(node),
            None => self.fb.ins().f64const(0.0),
        }
    }

    fn join(&mut self, low: ir::Value, high: ir::Value) -> ir::Value {
        if low == high {
            return self.fb.ins().splat(types::F64X2, low);
        }
        // Twice the low one, which is one instruction; clearing the other half would be two.
        let pair = self.fb.ins().splat(types::F64X2, low);
        self.fb.ins().insertlane(pair, high, 1)
    }

    fn load(&mut self, place: Place, k: usize, ty: ir::Type) -> ir::Value {
        let base = match place.base {
            Base::Outputs => self.outputs,
            Base::Scratch => self.scratch,
            Base::Turn => self.turn.as_ref().map_or(self.scratch, |turn| turn.memory),
        };
        self.fb.ins().load(ty, settled(), base, place.at(k))
    }

    fn total(&mut self, pair: &Pair, ty: ir::Type) -> ir::Value {
        let accumulators = self.program.accumulators;
        let mut term = |x: &mut Self, j: usize, i: usize| (x.load(pair.a, j, ty), x.load(pair.b, i, ty));
        let mut older_term = |x: &mut Self, _, j: usize, i: usize| term(x, j, i);
        let older = jet_rules::older(self, &[self.order], pair.square, accumulators, &mut older_term);
        jet_rules::sum(self, pair.square, older[0], &mut term)
    }

    /// Computes and stores the coefficient of a node; [`jet_rules`] says what it is.
    fn node(&mut self, node: NodeId) {
        if let Some(repeated) = &self.plan.repeated
            && let Some((_, place)) = repeated.groups.place_of.get(&node)
        {
            // Computed in a turn; sums outside may need its coefficients.
            if repeated.groups.used_outside[*place] {
                self.at(node);
                self.store(node);
            }
            return;
        }
        if self.values[node as usize].is_some() {
            return;
        }
        let rule = self.program.nodes[node as usize];
        if let Rule::Unknown(system, _) = rule {
            return self.substitute(system);
        }
        if let Some(x) = jet_rules::coefficient(self, rule) {
            self.values[node as usize] = Some(x);
            self.store(node);
        }
    }

    /// Stores the newest coefficient wherever later orders will look for it.
    fn store(&mut self, node: NodeId) {
        // The newest sum of the last order uses coefficients up to two orders below it.
        if self.order + 2 > self.program.order {
            return;
        }
        let plan = self.plan;
        for &i in plan.streams_of.get(&node).into_iter().flatten() {
            let ((a, b), place) = plan.streams[i];
            if self.values[a.node as usize].is_some() && self.values[b.node as usize].is_some() {
                let (x, y) = (self.weigh(a), self.weigh(b));
                let pair = self.join(x, y);
                self.fb.ins().store(flags(), pair, self.scratch, place.at(self.order));
            }
        }
        for i in 0..self.plan.singles.len() {
            let (series, place) = self.plan.singles[i];
            if series.node == node {
                let x = self.weigh(series);
                self.fb.ins().store(flags(), x, self.scratch, place.at(self.order));
            }
        }
    }

    fn weigh(&mut self, series: Series) -> ir::Value {
        let x = self.at(series.node);
        if series.weighted && self.order > 1 {
            let k = self.constant(Constant::K);
            self.fb.ins().fmul(x, k)
        } else {
            x
        }
    }

    /// All unknowns of a system at the current order.
    fn substitute(&mut self, number: u32) {
        let system = &self.program.systems[number as usize];
        for (i, x) in jet_rules::unknowns(self, system).into_iter().enumerate() {
            let node = system.first + i as NodeId;
            self.values[node as usize] = Some(x);
            self.store(node);
        }
    }
}

impl Arithmetic for Emitter<'_, '_> {
    type Number = ir::Value;

    fn order(&self) -> usize {
        self.order
    }

    fn at(&mut self, node: NodeId) -> ir::Value {
        if let Some(turn) = &self.turn {
            return turn.values[&node];
        }
        if let (None, Some(repeated)) = (self.values[node as usize], &self.plan.repeated)
            && let Some(&(group, place)) = repeated.groups.place_of.get(&node)
        {
            let x = self.fb.ins().load(types::F64, flags(), self.scratch, repeated.outside(group, place));
            self.values[node as usize] = Some(x);
        }
        self.values[node as usize].expect("nodes are computed in order")
    }

    fn slot(&mut self, slot: Slot) -> ir::Value {
        if let (Some(turn), Some(repeated)) = (&self.turn, &self.plan.repeated) {
            return self.fb.ins().load(types::F64X2, settled(), turn.memory, repeated.slots[&slot]);
        }
        self.fb.ins().load(types::F64, settled(), self.scratch, 8 * slot as i32)
    }

    fn sum(&mut self, id: SumId) -> ir::Value {
        if let (Some(turn), Some(repeated)) = (&self.turn, &self.plan.repeated) {
            if let Some(&x) = turn.sums.get(&id) {
                return x;
            }
            let sum = self.program.sums[id as usize];
            let [a, b] = [sum.a, sum.b].map(|s| Place { base: Base::Turn, offset: repeated.series[&s], stride: 16 });
            let total = self.total(&Pair { sums: [id, id], a, b, square: sum.is_square() }, types::F64X2);
            self.turn.as_mut().expect("in a turn").sums.insert(id, total);
            return total;
        }
        if let Some(x) = self.sums[id as usize] {
            return x;
        }
        let number = self.plan.pair_of[id as usize];
        let pair = self.plan.pairs[number];
        let alone = pair.sums[0] == pair.sums[1];
        let total = self.total(&pair, if alone { types::F64 } else { types::F64X2 });
        if alone {
            self.sums[id as usize] = Some(total);
        } else {
            for (l, sum) in pair.sums.into_iter().enumerate() {
                self.sums[sum as usize] = Some(self.fb.ins().extractlane(total, l as u8));
            }
        }
        self.sums[id as usize].expect("just computed")
    }

    fn number(&mut self, x: f64) -> ir::Value {
        self.fb.ins().f64const(x)
    }

    fn constant(&mut self, which: Constant) -> ir::Value {
        let k = self.order;
        if self.turn.is_none() {
            let inverse = 1.0 / k as f64;
            return self.fb.ins().f64const(match which {
                Constant::OverK => inverse,
                Constant::MinusOverK => -inverse,
                Constant::K => k as f64,
            });
        }
        let offset = 48 * k as i32 + 16 * which as i32;
        self.fb.ins().load(types::F64X2, settled(), self.constants, offset)
    }

    fn add(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        self.fb.ins().fadd(a, b)
    }

    fn sub(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        self.fb.ins().fsub(a, b)
    }

    fn mul(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        self.fb.ins().fmul(a, b)
    }

    /// −x by a mask from memory; the instruction for it would make the mask every time.
    fn negate(&mut self, x: ir::Value) -> ir::Value {
        let mask = match self.turn {
            None => self.fb.ins().f64const(-0.0),
            Some(_) => self.fb.ins().load(types::F64X2, settled(), self.constants, 0),
        };
        self.fb.ins().bxor(x, mask)
    }

    fn multiply_add(&mut self, a: ir::Value, b: ir::Value, c: ir::Value) -> ir::Value {
        if self.program.fused {
            self.fb.ins().fma(a, b, c)
        } else {
            let product = self.fb.ins().fmul(a, b);
            self.fb.ins().fadd(product, c)
        }
    }

    fn multiply_sub(&mut self, a: ir::Value, b: ir::Value, c: ir::Value) -> ir::Value {
        let minus = self.fb.ins().fneg(a);
        self.multiply_add(minus, b, c)
    }

    fn select(&mut self, comparison: Comparison, [p, q, then, otherwise]: [ir::Value; 4]) -> ir::Value {
        let cc = match comparison {
            Comparison::Lt => FloatCC::LessThan,
            Comparison::Le => FloatCC::LessThanOrEqual,
            Comparison::Eq => FloatCC::Equal,
            Comparison::Ne => FloatCC::NotEqual,
        };
        let condition = self.fb.ins().fcmp(cc, p, q);
        self.fb.ins().select(condition, then, otherwise)
    }
}
