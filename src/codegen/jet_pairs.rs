//! Taylor recurrences of two trajectories as machine code.
//!
//! Every number is a pair, one of each trajectory, so nothing has to be paired up as in [`super::jet_jit`]: an operation of
//! the recurrences is an instruction, and a sum S is a chain of multiply-adds over two stretches of memory. Lane by lane the
//! operations, their order and their roundings are those of a trajectory alone.
//!
//! Arrays are interleaved as for kernels with two lanes: entry i of lane l is at `2 i + l`.
//!
//! Every order needs the one before it. So that a processor has something else to do meanwhile, two pairs take their turns in
//! small systems: a loop around the code of each order, so that the code is no longer than for one pair and stays where a
//! processor keeps what it has decoded. The arrays of the second lie behind those of the first.

use cranelift::codegen::ir;
use cranelift::prelude::{FloatCC, FunctionBuilder, InstBuilder, IntCC, MemFlagsData, types};
use cranelift_module::Module;
use rustc_hash::FxHashMap;

use super::ir::{Bank, Comparison};
use super::jet::{JetProgram, NodeId, Rule, Series, Slot, SumId};
use super::jet_compiled::SMALL;
use super::jet_pair_steps;
use super::jet_rules::{self, Arithmetic, Constant};
use super::jet_steps::Coefficients;
use super::jit::{self, Lanes};
use super::machine::{Assembler, Code, CompileError, Entries, Lengths, Tier};
use super::wide::N_ROWS;

/// Longer recurrences are left to trajectories alone, which know how to repeat interactions.
pub const MAX_OPERATIONS: usize = 30_000;

/// More instructions than this in one function make register allocation slow.
const PART: usize = 12_000;

/// Compiles the recurrences: of small systems a loop of steps for two pairs, of others the coefficients of one.
pub fn compile(program: &JetProgram, tier: Tier) -> Result<Code, CompileError> {
    let mut assembler = Assembler::new(tier)?;
    let (initial, needs) = jit::assemble(&mut assembler, &program.initial, Lanes::Two)?;
    let is_small = program.n <= SMALL && program.order > 2;
    let turns = if is_small { N_TURNS } else { 1 };
    let plan = Plan::new(program, &mut assembler, needs.outputs + needs.scratch, turns);
    let mut parts = Vec::new();
    for (i, orders) in plan.parts.iter().enumerate() {
        let id = assembler.function(&format!("orders{i}"), |fb, _| {
            Emitter::new(fb, program, &plan).emit(orders.clone());
            Ok(())
        })?;
        parts.push(id);
    }
    let mut banks = needs.banks.map(|length| turns * length);
    let state = &mut banks[Bank::State as usize];
    *state = turns * (2 * program.n).max(*state / turns);
    let lengths = Lengths {
        banks,
        outputs: turns * 2 * program.n * (program.order + 1),
        scratch: turns * plan.n_scratch,
        run: 0,
        carried: turns * 2 * (2 * program.n + N_ROWS),
    };
    if is_small {
        let n_parameters = needs.banks[Bank::Parameter as usize];
        let functions = Coefficients { initial, parts: &parts, n_slots: needs.outputs };
        let apart = [jet_pair_steps::apart(program), plan.n_scratch, n_parameters].map(|numbers| 8 * numbers as i64);
        let steps = assembler.loop_function("pair_steps", |fb, module| {
            jet_pair_steps::emit(fb, module, program, &functions, apart, plan.constants);
            Ok(())
        })?;
        return assembler.finish(Entries { single: None, many: Some(steps) }, lengths);
    }
    let entry = assembler.function("jets", |fb, module| {
        let block = fb.create_block();
        fb.append_block_params_for_function_params(block);
        fb.switch_to_block(block);
        let p = fb.block_params(block).to_vec();
        let scratch_of_initial = fb.ins().iadd_imm_s(p[5], 8 * needs.outputs as i64);
        let callee = module.declare_func_in_func(initial, fb.func);
        let call = fb.ins().call(callee, &[p[0], p[1], p[2], p[3], p[5], scratch_of_initial]);
        let status = fb.inst_results(call)[0];
        let constants = fb.ins().iconst(types::I64, plan.constants);
        let arguments = [p[0], p[1], p[2], constants, p[4], p[5]];
        for part in &parts {
            let callee = module.declare_func_in_func(*part, fb.func);
            fb.ins().call(callee, &arguments);
        }
        fb.ins().return_(&[status]);
        Ok(())
    })?;
    assembler.finish(Entries { single: Some(entry), many: None }, lengths)
}

/// Pairs that take turns.
pub const N_TURNS: usize = 2;

/// What all functions agree on.
struct Plan {
    turns: usize,
    /// Bytes between the arrays of the pairs: states and outputs, scratch.
    apart: [i64; 2],
    /// The orders of each function.
    parts: Vec<std::ops::Range<usize>>,
    /// Where the coefficients of a series are, in bytes of the scratch array; states that are not weighted are outputs.
    places: FxHashMap<Series, i32>,
    /// Where the older terms of the next order of each sum are, likewise.
    older: i32,
    n_scratch: usize,
    constants: i64,
}

impl Plan {
    fn new(program: &JetProgram, assembler: &mut Assembler, reserved: usize, turns: usize) -> Plan {
        let mut n_scratch = reserved.next_multiple_of(2);
        let mut places = FxHashMap::default();
        for series in program.sums.iter().flat_map(|sum| [sum.a, sum.b]) {
            if state(program, series).is_none() {
                places.entry(series).or_insert_with(|| {
                    n_scratch += 2 * (program.order + 1);
                    8 * (n_scratch - 2 * (program.order + 1)) as i32
                });
            }
        }
        let older = 8 * n_scratch as i32;
        n_scratch += 2 * program.sums.len();
        // The sign; then 1/k, −1/k and k for every order, each twice.
        let mut constants = vec![-0.0; 6];
        for k in 1..=program.order + 1 {
            let k = k as f64;
            constants.extend([1.0 / k, 1.0 / k, -1.0 / k, -1.0 / k, k, k]);
        }
        let constants = assembler.constants(constants);
        let (mut parts, mut start, mut length) = (Vec::new(), 1, 0);
        for k in 1..program.order {
            length += 3 * program.nodes.len() + 2 * k * program.sums.len();
            if length > PART {
                parts.push(start..k + 1);
                (start, length) = (k + 1, 0);
            }
        }
        parts.push(start..program.order.max(start));
        let apart = [jet_pair_steps::apart(program), n_scratch].map(|numbers| 8 * numbers as i64);
        Plan { turns, apart, parts, places, older, n_scratch, constants }
    }
}

/// The number of the state whose coefficients a series is.
fn state(program: &JetProgram, series: Series) -> Option<usize> {
    match program.nodes[series.node as usize] {
        Rule::State(i) if !series.weighted => Some(i as usize),
        _ => None,
    }
}

struct Emitter<'a, 'b> {
    fb: &'a mut FunctionBuilder<'b>,
    program: &'a JetProgram,
    plan: &'a Plan,
    state: ir::Value,
    outputs: ir::Value,
    scratch: ir::Value,
    constants: ir::Value,
    order: usize,
    /// Coefficients and sums of the current order.
    values: Vec<Option<ir::Value>>,
    sums: Vec<Option<ir::Value>>,
    /// Coefficients that were read for the sum that is being made.
    recent: Vec<((Series, usize), ir::Value)>,
}

fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Loads that may become the memory operand of their use: what they read is stored once in a call, before.
fn settled() -> MemFlagsData {
    flags().with_readonly().with_can_move()
}

impl<'a, 'b> Emitter<'a, 'b> {
    fn new(fb: &'a mut FunctionBuilder<'b>, program: &'a JetProgram, plan: &'a Plan) -> Self {
        let block = fb.create_block();
        fb.append_block_params_for_function_params(block);
        fb.switch_to_block(block);
        let p = fb.block_params(block).to_vec();
        // These functions have no other use for the fourth bank.
        let constants = p[Bank::Extra as usize];
        let (state, outputs, scratch) = (p[Bank::State as usize], p[4], p[5]);
        Emitter {
            fb,
            program,
            plan,
            state,
            outputs,
            scratch,
            constants,
            order: 0,
            values: Vec::new(),
            sums: Vec::new(),
            recent: Vec::new(),
        }
    }

    fn load(&mut self, flags: MemFlagsData, base: ir::Value, place: i32) -> ir::Value {
        self.fb.ins().load(types::F64X2, flags, base, place)
    }

    fn store(&mut self, x: ir::Value, base: ir::Value, place: i32) {
        self.fb.ins().store(flags(), x, base, place);
    }

    fn emit(mut self, orders: std::ops::Range<usize>) {
        let first = [self.outputs, self.scratch, self.state];
        for k in orders {
            if self.plan.turns == 1 {
                self.of_order(k);
                continue;
            }
            // One pair after the other makes this order.
            let [turn, after] = [(); 2].map(|()| self.fb.create_block());
            for _ in first {
                self.fb.append_block_param(turn, types::I64);
            }
            self.fb.ins().jump(turn, &first.map(Into::into));
            self.fb.switch_to_block(turn);
            let here: [ir::Value; 3] = std::array::from_fn(|i| self.fb.block_params(turn)[i]);
            [self.outputs, self.scratch, self.state] = here;
            self.of_order(k);
            let [array, scratch] = self.plan.apart;
            let last = self.fb.ins().iadd_imm_s(first[1], (self.plan.turns as i64 - 1) * scratch);
            let next =
                [(0, array), (1, scratch), (2, array)].map(|(i, bytes)| self.fb.ins().iadd_imm_s(here[i], bytes));
            let is_last = self.fb.ins().icmp(IntCC::Equal, here[1], last);
            self.fb.ins().brif(is_last, after, &[], turn, &next.map(Into::into));
            self.fb.switch_to_block(after);
        }
        let zero = self.fb.ins().iconst(types::I64, 0);
        self.fb.ins().return_(&[zero]);
    }

    /// The coefficients of an order, and with the first those of order 0.
    fn of_order(&mut self, k: usize) {
        let n = self.program.n;
        if k == 1 {
            for i in 0..n {
                let y = self.load(flags(), self.state, 16 * i as i32);
                self.store(y, self.outputs, 16 * i as i32);
                let slope = self.slot(self.program.derivatives[i].slot);
                self.store(slope, self.outputs, 16 * (n + i) as i32);
            }
        }
        self.order = k;
        self.values = vec![None; self.program.nodes.len()];
        self.sums = vec![None; self.program.sums.len()];
        for node in 0..self.program.nodes.len() as NodeId {
            self.node(node);
        }
        for i in 0..n {
            let f = match self.program.derivatives[i].node {
                Some(node) => self.at(node),
                None => self.number(0.0),
            };
            let offset = 48 * (k + 1) as i32 + 16 * Constant::OverK as i32;
            let inverse = self.load(flags(), self.constants, offset);
            let x = self.mul(f, inverse);
            self.store(x, self.outputs, 16 * ((k + 1) * n + i) as i32);
        }
    }

    /// Computes and stores the coefficient of a node; [`jet_rules`] says what it is.
    fn node(&mut self, node: NodeId) {
        match self.program.nodes[node as usize] {
            Rule::State(i) => {
                let place = 16 * (self.order * self.program.n + i as usize) as i32;
                let x = self.load(settled(), self.outputs, place);
                self.keep(node, x);
            }
            // The first unknown solves the system.
            Rule::Unknown(number, 0) => {
                let system = &self.program.systems[number as usize];
                for (i, x) in jet_rules::unknowns(self, system).into_iter().enumerate() {
                    self.keep(system.first + i as NodeId, x);
                }
            }
            rule => {
                if let Some(x) = jet_rules::coefficient(self, rule) {
                    self.keep(node, x);
                }
            }
        }
    }

    /// Remembers the newest coefficient, and stores it where later orders will look for it.
    fn keep(&mut self, node: NodeId, x: ir::Value) {
        self.values[node as usize] = Some(x);
        // The newest sum of the last order uses coefficients up to two orders below it.
        if self.order + 2 > self.program.order {
            return;
        }
        for weighted in [false, true] {
            if let Some(&place) = self.plan.places.get(&Series { node, weighted }) {
                let x = if weighted && self.order > 1 {
                    let k = self.constant(Constant::K);
                    self.mul(x, k)
                } else {
                    x
                };
                self.store(x, self.scratch, place + 16 * self.order as i32);
            }
        }
    }

    /// The coefficient of order j of a series, which is read once for the sum that is being made.
    fn term(&mut self, series: Series, j: usize) -> ir::Value {
        let (base, place) = match state(self.program, series) {
            Some(i) => (self.outputs, 16 * (j * self.program.n + i) as i32),
            None => (self.scratch, self.plan.places[&series] + 16 * j as i32),
        };
        if let Some((_, x)) = self.recent.iter().find(|(known, _)| *known == (series, j)) {
            return *x;
        }
        let x = self.load(flags(), base, place);
        self.recent.push(((series, j), x));
        x
    }
}

impl Arithmetic for Emitter<'_, '_> {
    type Number = ir::Value;

    fn order(&self) -> usize {
        self.order
    }

    fn at(&mut self, node: NodeId) -> ir::Value {
        self.values[node as usize].expect("nodes are computed in order")
    }

    fn slot(&mut self, slot: Slot) -> ir::Value {
        self.load(settled(), self.scratch, 16 * slot as i32)
    }

    fn sum(&mut self, id: SumId) -> ir::Value {
        if let Some(x) = self.sums[id as usize] {
            return x;
        }
        let sum = self.program.sums[id as usize];
        let (k, is_square) = (self.order, sum.is_square());
        let mut terms = |x: &mut Self, j: usize, i: usize| (x.term(sum.a, j), x.term(sum.b, i));
        // Every second order makes the older terms of the next as well.
        let place = self.plan.older + 16 * id as i32;
        self.recent.clear();
        let older = if k % 2 == 1 {
            jet_rules::has_older(k, is_square).then(|| self.load(flags(), self.scratch, place))
        } else {
            let orders: Vec<usize> = (k..(k + 2).min(self.program.order)).collect();
            let mut older_terms = |x: &mut Self, _, j: usize, i: usize| terms(x, j, i);
            let made = jet_rules::older(self, &orders, is_square, self.program.accumulators, &mut older_terms);
            if let Some(next) = made.get(1).copied().flatten() {
                self.store(next, self.scratch, place);
            }
            self.recent.clear();
            made[0]
        };
        let total = jet_rules::sum(self, is_square, older, &mut terms);
        self.sums[id as usize] = Some(total);
        total
    }

    fn number(&mut self, x: f64) -> ir::Value {
        let scalar = self.fb.ins().f64const(x);
        self.fb.ins().splat(types::F64X2, scalar)
    }

    fn constant(&mut self, which: Constant) -> ir::Value {
        let offset = 48 * self.order as i32 + 16 * which as i32;
        self.load(flags(), self.constants, offset)
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
    fn negate(&mut self, a: ir::Value) -> ir::Value {
        let mask = self.load(flags(), self.constants, 0);
        self.fb.ins().bxor(a, mask)
    }

    fn multiply_add(&mut self, a: ir::Value, b: ir::Value, c: ir::Value) -> ir::Value {
        if self.program.fused {
            return self.fb.ins().fma(a, b, c);
        }
        let product = self.mul(a, b);
        self.add(product, c)
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
        let mask = self.fb.ins().fcmp(cc, p, q);
        let [then, otherwise] = [then, otherwise].map(|y| self.fb.ins().bitcast(types::I64X2, jit::little(), y));
        let chosen = self.fb.ins().bitselect(mask, then, otherwise);
        self.fb.ins().bitcast(types::F64X2, jit::little(), chosen)
    }
}
