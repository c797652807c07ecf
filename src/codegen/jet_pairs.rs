//! Taylor recurrences of two trajectories as machine code.
//!
//! Every number is a pair, one of each trajectory, so nothing has to be paired up as in [`super::jet_jit`]: an operation of
//! the recurrences is an instruction, and a sum S is a chain of multiply-adds over two stretches of memory. Lane by lane the
//! operations, their order and their roundings are those of a trajectory alone.
//!
//! Arrays are interleaved as for kernels with two lanes: entry i of lane l is at `2 i + l`.

use cranelift::codegen::ir;
use cranelift::prelude::{FloatCC, FunctionBuilder, InstBuilder, MemFlagsData, types};
use cranelift_module::Module;
use rustc_hash::FxHashMap;

use super::ir::{Bank, Comparison};
use super::jet::{JetProgram, NodeId, Rule, Series, Slot, SumId};
use super::jet_rules::{self, Arithmetic, Constant};
use super::jit::{self, Lanes};
use super::machine::{Assembler, Code, CompileError, Entries, Lengths, Tier};

/// Longer recurrences are left to trajectories alone, which know how to repeat interactions.
pub const MAX_OPERATIONS: usize = 30_000;

/// More instructions than this in one function make register allocation slow.
const PART: usize = 12_000;

/// Compiles the recurrences. The outputs of the code are the coefficients, order by order.
pub fn compile(program: &JetProgram, tier: Tier) -> Result<Code, CompileError> {
    let mut assembler = Assembler::new(tier)?;
    let (initial, needs) = jit::assemble(&mut assembler, &program.initial, Lanes::Two)?;
    let plan = Plan::new(program, &mut assembler, needs.outputs + needs.scratch);
    let mut parts = Vec::new();
    for (i, orders) in plan.parts.iter().enumerate() {
        let id = assembler.function(&format!("orders{i}"), |fb, _| {
            Emitter::new(fb, program, &plan).emit(orders.clone());
            Ok(())
        })?;
        parts.push(id);
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
        for part in &parts {
            let callee = module.declare_func_in_func(*part, fb.func);
            fb.ins().call(callee, &p);
        }
        fb.ins().return_(&[status]);
        Ok(())
    })?;
    let mut banks = needs.banks;
    banks[Bank::State as usize] = banks[Bank::State as usize].max(2 * program.n);
    let lengths = Lengths { banks, outputs: 2 * program.n * (program.order + 1), scratch: plan.n_scratch };
    assembler.finish(Entries { single: Some(entry), many: None }, lengths)
}

/// What all functions agree on.
struct Plan {
    /// The orders of each function.
    parts: Vec<std::ops::Range<usize>>,
    /// Where the coefficients of a series are, in bytes of the scratch array; states that are not weighted are outputs.
    places: FxHashMap<Series, i32>,
    n_scratch: usize,
    constants: i64,
}

impl Plan {
    fn new(program: &JetProgram, assembler: &mut Assembler, reserved: usize) -> Plan {
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
        Plan { parts, places, n_scratch, constants }
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
        let constants = fb.ins().iconst(types::I64, plan.constants);
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
        }
    }

    fn emit(mut self, orders: std::ops::Range<usize>) {
        let n = self.program.n;
        if orders.start == 1 {
            for i in 0..n {
                let y = self.fb.ins().load(types::F64X2, flags(), self.state, 16 * i as i32);
                self.fb.ins().store(flags(), y, self.outputs, 16 * i as i32);
                let slope = self.slot(self.program.derivatives[i].slot);
                self.fb.ins().store(flags(), slope, self.outputs, 16 * (n + i) as i32);
            }
        }
        for k in orders {
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
                let inverse = self.fb.ins().load(types::F64X2, settled(), self.constants, offset);
                let x = self.fb.ins().fmul(f, inverse);
                self.fb.ins().store(flags(), x, self.outputs, 16 * ((k + 1) * n + i) as i32);
            }
        }
        let zero = self.fb.ins().iconst(types::I64, 0);
        self.fb.ins().return_(&[zero]);
    }

    /// Computes and stores the coefficient of a node; [`jet_rules`] says what it is.
    fn node(&mut self, node: NodeId) {
        match self.program.nodes[node as usize] {
            Rule::State(i) => {
                let place = 16 * (self.order * self.program.n + i as usize) as i32;
                let x = self.fb.ins().load(types::F64X2, settled(), self.outputs, place);
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
                    self.fb.ins().fmul(x, k)
                } else {
                    x
                };
                self.fb.ins().store(flags(), x, self.scratch, place + 16 * self.order as i32);
            }
        }
    }

    /// The coefficient of order j of a series.
    fn term(&mut self, series: Series, j: usize) -> ir::Value {
        let (base, place) = match state(self.program, series) {
            Some(i) => (self.outputs, 16 * (j * self.program.n + i) as i32),
            None => (self.scratch, self.plan.places[&series] + 16 * j as i32),
        };
        self.fb.ins().load(types::F64X2, settled(), base, place)
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
        self.fb.ins().load(types::F64X2, settled(), self.scratch, 16 * slot as i32)
    }

    fn sum(&mut self, id: SumId) -> ir::Value {
        if let Some(x) = self.sums[id as usize] {
            return x;
        }
        let sum = self.program.sums[id as usize];
        let mut terms = |x: &mut Self, j: usize| {
            let (a, b) = (x.term(sum.a, j), x.term(sum.b, x.order - j));
            (a, b)
        };
        let total = jet_rules::sum(self, sum.is_square(), self.program.accumulators, &mut terms);
        self.sums[id as usize] = Some(total);
        total
    }

    fn number(&mut self, x: f64) -> ir::Value {
        let scalar = self.fb.ins().f64const(x);
        self.fb.ins().splat(types::F64X2, scalar)
    }

    fn constant(&mut self, which: Constant) -> ir::Value {
        let offset = 48 * self.order as i32 + 16 * which as i32;
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
        let mask = self.fb.ins().load(types::F64X2, settled(), self.constants, 0);
        self.fb.ins().bxor(x, mask)
    }

    fn multiply_add(&mut self, a: ir::Value, b: ir::Value, c: ir::Value) -> ir::Value {
        if self.program.fused {
            return self.fb.ins().fma(a, b, c);
        }
        let product = self.fb.ins().fmul(a, b);
        self.fb.ins().fadd(product, c)
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
        let [then, otherwise] = [then, otherwise].map(|x| self.fb.ins().bitcast(types::I64X2, jit::little(), x));
        let bits = self.fb.ins().bitselect(mask, then, otherwise);
        self.fb.ins().bitcast(types::F64X2, jit::little(), bits)
    }
}
