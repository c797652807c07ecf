//! Kernel → Cranelift → machine code.
//!
//! What was measured, and so how this file is written:
//!
//! - Cranelift's optimiser reorders pure code and loses the order we chose: `opt_level=none`, all algebra before.
//! - Outputs are stored where they are defined. Stored at the end they keep everything alive, and register
//!   allocation becomes quadratic.
//! - Inputs and constants are loaded where they are used, there being only sixteen registers, and stay for the few
//!   operations that follow. A scalar constant as last operand is part of its instruction; elsewhere it would be made
//!   in two instructions, and is loaded.
//! - Square roots, quotients, and sines of independent arguments go in pairs ([`super::schedule`]).
//! - A processor sees some tens of waiting operations, so what does not depend on each other stands close together: with
//!   pairs of states the sines of two angles take turns, and in [`loops`] two pairs do.
//! - In the stages of a step an output is fetched from where it was stored instead of being spilled.
//! - Guards are or-ed into one register whose sign bits are the result of the call.
//! - Long kernels are cut into functions of [`CHUNK`] operations that pass values through the scratch array, so that
//!   the time of the allocator stays linear.
//!
//! With [`Lanes::Two`] every value is a pair of doubles and one call evaluates two states; arrays are interleaved,
//! entry i of lane l at `2 i + l`.

mod elementary;
mod loops;

pub use loops::compile_loop;

use cranelift::codegen::ir;
use cranelift::prelude::{FloatCC, FunctionBuilder, InstBuilder, MemFlagsData, types};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use rustc_hash::FxHashMap;

use super::ir::{Bank, Binary, Comparison, Kernel, N_BANKS, Op, Shape, Solve, Unary, Value};
use super::libm::{self, Math};
use super::linear;
use super::machine::{Assembler, Callee, Code, CompileError, Entries, Lengths, Tier};
use super::schedule::{self, Item};

/// How many states one call evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lanes {
    One,
    Two,
}

impl Lanes {
    pub fn count(self) -> usize {
        match self {
            Lanes::One => 1,
            Lanes::Two => 2,
        }
    }
}

/// The number of operations per function of a long kernel.
const CHUNK: usize = 2000;
/// Kernels up to this length are one function.
const WHOLE: usize = 20_000;

/// Compiles a kernel, which should have been through [`super::optimise`].
pub fn compile(kernel: &Kernel, tier: Tier, lanes: Lanes) -> Result<Code, CompileError> {
    let mut assembler = Assembler::new(tier)?;
    let (entry, lengths) = assemble(&mut assembler, kernel, lanes)?;
    assembler.finish(Entries { single: Some(entry), many: None }, lengths)
}

/// Looking for pairs takes longer than single-pass code generation where values have many users, as the sines of a long
/// chain do.
const MAX_PAIRED_AT_ONCE: usize = 4000;

/// The order in which operations are emitted. Large kernels for the prompt wait for nothing.
fn scheduled(kernel: &Kernel, lanes: Lanes, tier: Tier) -> Vec<Item> {
    match lanes {
        Lanes::One if tier == Tier::Instant && kernel.ops().len() > MAX_PAIRED_AT_ONCE => schedule::plain(kernel),
        Lanes::One => schedule::paired(kernel),
        Lanes::Two => schedule::plain(kernel),
    }
}

/// The text of the functions that [`compile`] would make.
pub fn clif(kernel: &Kernel, lanes: Lanes) -> Result<String, CompileError> {
    let mut assembler = Assembler::new(Tier::Instant)?;
    assembler.listing = Some(String::new());
    assemble(&mut assembler, kernel, lanes)?;
    Ok(assembler.listing.unwrap_or_default())
}

pub(super) fn assemble(
    assembler: &mut Assembler,
    kernel: &Kernel,
    lanes: Lanes,
) -> Result<(cranelift_module::FuncId, Lengths), CompileError> {
    let items = scheduled(kernel, lanes, assembler.tier);
    let plan = Plan::new(assembler, kernel, lanes, &items);
    let lengths = plan.lengths(kernel);
    let mut parts = Vec::new();
    for (i, chunk) in plan.chunks.iter().enumerate() {
        let id = assembler.function(&format!("part{i}"), |fb, module| {
            let block = fb.create_block();
            fb.append_block_params_for_function_params(block);
            fb.switch_to_block(block);
            let arrays = [0, 1, 2, 3, 4, 5].map(|i| fb.block_params(block)[i]);
            let constants = fb.ins().iconst(types::I64, plan.constants);
            let emitter = Emitter::new(fb, module, kernel, &plan, i, arrays, constants);
            let status = emitter.emit(&items[chunk.clone()]);
            fb.ins().return_(&[status]);
            Ok(())
        })?;
        parts.push(id);
    }
    if parts.len() == 1 {
        return Ok((parts[0], lengths));
    }
    let entry = assembler.function("entry", |fb, module| {
        let block = fb.create_block();
        fb.append_block_params_for_function_params(block);
        fb.switch_to_block(block);
        let arguments = fb.block_params(block).to_vec();
        let mut status = fb.ins().iconst(types::I64, 0);
        for part in parts {
            let callee = module.declare_func_in_func(part, fb.func);
            let call = fb.ins().call(callee, &arguments);
            let result = fb.inst_results(call)[0];
            status = fb.ins().bor(status, result);
        }
        fb.ins().return_(&[status]);
        Ok(())
    })?;
    Ok((entry, lengths))
}

/// What all functions of a kernel agree on.
struct Plan {
    lanes: Lanes,
    chunks: Vec<std::ops::Range<usize>>,
    /// Where in the scratch array a value lies that another function needs.
    shared: FxHashMap<Value, usize>,
    /// Where in the scratch array the systems lie, by number and lane.
    systems: Vec<usize>,
    n_scratch: usize,
    /// The address of the constants, and the place of each, in doubles.
    constants: i64,
    constant_slots: FxHashMap<[u64; 2], i32>,
    tables: Vec<i64>,
    outputs_of: FxHashMap<Value, Vec<usize>>,
    /// How often each value is used.
    uses: Vec<u32>,
    /// Values that only fused multiply-adds use, which can negate their operands.
    negated_in_place: Vec<bool>,
}

/// All bits but the sign.
const MAGNITUDE: f64 = f64::from_bits(u64::MAX >> 1);

impl Plan {
    fn new(assembler: &mut Assembler, kernel: &Kernel, lanes: Lanes, items: &[Item]) -> Plan {
        let size = if items.len() <= WHOLE { items.len().max(1) } else { CHUNK };
        let mut chunks: Vec<_> = (0..items.len()).step_by(size).map(|lo| lo..(lo + size).min(items.len())).collect();
        if chunks.is_empty() {
            chunks.push(0..0);
        }
        let mut chunk_of = vec![0; kernel.ops().len()];
        for (c, chunk) in chunks.iter().enumerate() {
            for item in &items[chunk.clone()] {
                match *item {
                    Item::One(v) => chunk_of[v.index()] = c as u32,
                    Item::Two(a, b) => (chunk_of[a.index()], chunk_of[b.index()]) = (c as u32, c as u32),
                }
            }
        }
        let mut n_scratch = 0;
        let mut shared = FxHashMap::default();
        for value in kernel.values() {
            let op = kernel.op(value);
            if matches!(op, Op::Const(_) | Op::Input(_)) {
                continue;
            }
            for operand in kernel.operands(op) {
                let leaf = matches!(kernel.op(operand), Op::Const(_) | Op::Input(_) | Op::Solve(_));
                if !leaf && chunk_of[operand.index()] != chunk_of[value.index()] {
                    shared.entry(operand).or_insert_with(|| {
                        n_scratch += lanes.count();
                        n_scratch - lanes.count()
                    });
                }
            }
        }
        let systems = kernel
            .solves()
            .iter()
            .map(|solve| {
                let start = n_scratch;
                n_scratch += lanes.count() * system_len(solve);
                start
            })
            .collect();
        let mut plan = Plan {
            lanes,
            chunks,
            shared,
            systems,
            n_scratch,
            constants: 0,
            constant_slots: FxHashMap::default(),
            tables: Vec::new(),
            outputs_of: FxHashMap::default(),
            uses: kernel.use_counts(),
            negated_in_place: negated_in_place(kernel),
        };
        plan.place_constants(assembler, kernel, items);
        plan.tables = kernel.tables().iter().map(|t| assembler.table(t)).collect();
        for (i, output) in kernel.outputs().iter().enumerate() {
            plan.outputs_of.entry(output.value).or_default().push(i);
        }
        plan
    }

    /// The factors of a fused multiply-add, of which the instruction overwrites the first: one that is loaded for it, or one
    /// that nothing else uses, need not be copied beforehand.
    fn overwritten_first(&self, kernel: &Kernel, a: Value, b: Value) -> (Value, Value) {
        let is_loaded = |v: Value| matches!(kernel.op(v), Op::Const(_) | Op::Input(_));
        let is_free = |v: Value| is_loaded(v) || self.uses[v.index()] == 1;
        if !is_free(a) && is_free(b) { (b, a) } else { (a, b) }
    }

    fn lengths(&self, kernel: &Kernel) -> Lengths {
        let lanes = self.lanes.count();
        Lengths {
            banks: Bank::ALL.map(|bank| kernel.bank_len(bank) * lanes),
            outputs: kernel.outputs().len() * lanes,
            scratch: self.n_scratch,
            ..Lengths::default()
        }
    }

    /// Every constant is kept as a pair, so that one place serves scalar and paired use.
    fn place_constants(&mut self, assembler: &mut Assembler, kernel: &Kernel, items: &[Item]) {
        let mut pool: Vec<f64> = Vec::new();
        let mut slots: FxHashMap<[u64; 2], i32> = FxHashMap::default();
        let mut place = |pair: [u64; 2]| {
            slots.entry(pair).or_insert_with(|| {
                pool.extend(pair.map(f64::from_bits));
                pool.len() as i32 - 2
            });
        };
        for op in kernel.ops() {
            if let Op::Const(bits) = *op {
                place([bits, bits]);
            }
        }
        for item in items {
            if let Item::Two(a, b) = *item {
                let pairs = kernel.operands(kernel.op(a)).into_iter().zip(kernel.operands(kernel.op(b)));
                for (x, y) in pairs {
                    if let (Op::Const(x), Op::Const(y)) = (kernel.op(x), kernel.op(y)) {
                        place([x, y]);
                    }
                }
            }
        }
        let fixed = libm::SIN.iter().chain(&libm::COS).chain(&libm::EXP).chain(&libm::LOG).chain(&libm::LN_2_SHORT);
        let fixed = fixed.copied().chain([libm::LOG2_E]);
        let minus = libm::HALF_PI.iter().chain(&libm::LN_2).map(|x| -x);
        let limits = [libm::QUARTERS_SQUARED, libm::EXPONENT_SQUARED];
        let more = [1.0, 2.0, 0.5, -1.0, 0.0, -0.0, -0.5, MAGNITUDE, libm::ROUND, libm::TWO_OVER_PI];
        let of_log = [f64::MIN_POSITIVE, f64::MAX, libm::LARGE_AND_BIAS];
        let masks = [libm::TO_ONE, libm::LARGE_BITS, libm::MANTISSA, libm::ROOT_HALF_BITS].map(f64::from_bits);
        for x in fixed.chain(minus).chain(limits).chain(more).chain(of_log).chain(masks) {
            place([x.to_bits(); 2]);
        }
        self.constants = assembler.constants(pool);
        self.constant_slots = slots;
    }
}

/// Which values are used by fused multiply-adds and nothing else.
fn negated_in_place(kernel: &Kernel) -> Vec<bool> {
    let mut only = vec![true; kernel.ops().len()];
    for &op in kernel.ops() {
        if !matches!(op, Op::Fma(..)) {
            kernel.operands(op).iter().for_each(|v| only[v.index()] = false);
        }
    }
    kernel.outputs().iter().for_each(|o| only[o.value.index()] = false);
    only
}

/// The doubles that one system occupies in the scratch array.
fn system_len(solve: &Solve) -> usize {
    solve.matrix.len() + solve.rhs.len() + linear::scratch_len(solve.n())
}

/// Where a computed value is.
#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    /// A register of the type of the kernel.
    Register(ir::Value),
    /// A half of a pair.
    Half(ir::Value, u8),
}

struct Emitter<'a, 'b> {
    fb: &'a mut FunctionBuilder<'b>,
    module: &'a JITModule,
    kernel: &'a Kernel,
    plan: &'a Plan,
    chunk: u32,
    places: Vec<Place>,
    /// Packed pairs of values.
    pairs: FxHashMap<(Value, Value), ir::Value>,
    /// Sine and cosine of an angle, as halves of pairs.
    angles: FxHashMap<Value, (ir::Value, ir::Value, u8)>,
    banks: [ir::Value; N_BANKS],
    outputs: ir::Value,
    scratch: ir::Value,
    constants: ir::Value,
    /// Sign bits of failed guards.
    declined: Option<ir::Value>,
    callees: FxHashMap<Callee, (ir::SigRef, ir::Value)>,
    /// Loaded constants, and when.
    recent: FxHashMap<Value, (ir::Value, usize)>,
    emitted: usize,
    current: Value,
    /// When an output of a chain was last used, in operations.
    touched: FxHashMap<Value, usize>,
    n_defined: usize,
    /// Pairs of outputs that were stored together: where, and when they were last used.
    stored_pairs: FxHashMap<(Value, Value), (usize, usize)>,
}
/// After how many operations an output of a chain is fetched again.
const FRESH: usize = 24;

/// How many operations ahead a second angle is looked for.
const AHEAD: usize = 40;

/// For how many loads a constant or an input stays in its register.
const STAYS: usize = 8;

/// The address is aligned for doubles, not for pairs.
fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a, 'b> Emitter<'a, 'b> {
    fn new(
        fb: &'a mut FunctionBuilder<'b>,
        module: &'a JITModule,
        kernel: &'a Kernel,
        plan: &'a Plan,
        chunk: usize,
        [time, state, parameter, extra, outputs, scratch]: [ir::Value; N_BANKS + 2],
        constants: ir::Value,
    ) -> Self {
        Emitter {
            fb,
            module,
            kernel,
            plan,
            chunk: chunk as u32,
            places: vec![Place::Nowhere; kernel.ops().len()],
            pairs: FxHashMap::default(),
            angles: FxHashMap::default(),
            banks: [time, state, parameter, extra],
            outputs,
            scratch,
            constants,
            declined: None,
            callees: FxHashMap::default(),
            recent: FxHashMap::default(),
            emitted: 0,
            current: Value(0),
            touched: FxHashMap::default(),
            n_defined: 0,
            stored_pairs: FxHashMap::default(),
        }
    }

    /// Emits the operations; the result is not 0 when a guard failed.
    fn emit(mut self, items: &[Item]) -> ir::Value {
        match self.emit_all(items) {
            None => self.fb.ins().iconst(types::I64, 0),
            Some(signs) => any_sign(self.fb, signs),
        }
    }

    /// Emits the operations; the result has the signs of the guards.
    fn emit_all(&mut self, items: &[Item]) -> Option<ir::Value> {
        if self.chunk == 0 {
            self.store_trivial_outputs();
        }
        for &item in items {
            match item {
                Item::One(v) => self.emit_one(v),
                Item::Two(a, b) => self.emit_two(a, b),
            }
        }
        self.declined
    }

    /// Outputs that are inputs or constants.
    fn store_trivial_outputs(&mut self) {
        for (i, output) in self.kernel.outputs().iter().enumerate() {
            if matches!(self.kernel.op(output.value), Op::Const(_) | Op::Input(_)) {
                let x = self.get(output.value);
                self.store_output(i, x);
            }
        }
    }

    fn ty(&self) -> ir::Type {
        match self.plan.lanes {
            Lanes::One => types::F64,
            Lanes::Two => types::F64X2,
        }
    }

    fn byte_offset(&self, index: usize) -> i32 {
        (index * self.plan.lanes.count() * 8) as i32
    }

    fn store_output(&mut self, index: usize, x: ir::Value) {
        let offset = self.byte_offset(index);
        self.fb.ins().store(flags(), x, self.outputs, offset);
    }

    /// Records a value and stores it where it is an output or another function needs it.
    fn define(&mut self, v: Value, place: Place) {
        self.places[v.index()] = place;
        self.n_defined += 1;
        self.touched.insert(v, self.n_defined);
        let stored = self.plan.outputs_of.get(&v);
        let shared = self.plan.shared.get(&v).copied();
        if stored.is_none() && shared.is_none() {
            return;
        }
        let x = self.get(v);
        for &i in stored.into_iter().flatten() {
            self.store_output(i, x);
        }
        if let Some(slot) = shared {
            self.fb.ins().store(flags(), x, self.scratch, 8 * slot as i32);
        }
    }

    /// A constant in the type of the kernel, from memory: to make it would take two instructions.
    fn constant(&mut self, x: f64) -> ir::Value {
        self.constant_pair([x.to_bits(); 2], self.ty())
    }

    fn constant_pair(&mut self, pair: [u64; 2], ty: ir::Type) -> ir::Value {
        let slot = self.plan.constant_slots[&pair];
        let flags = flags().with_readonly().with_can_move();
        self.fb.ins().load(ty, flags, self.constants, 8 * slot)
    }

    /// The value in a register of the type of the kernel.
    fn get(&mut self, v: Value) -> ir::Value {
        let ty = self.ty();
        if let Op::Const(_) | Op::Input(_) = self.kernel.op(v) {
            return self.load_leaf(v);
        }
        match self.places[v.index()] {
            Place::Register(x) => self.again(v, x),
            Place::Half(pair, lane) => {
                let x = self.fb.ins().extractlane(pair, lane);
                self.places[v.index()] = Place::Register(x);
                x
            }
            Place::Nowhere => {
                let slot = self.plan.shared[&v];
                let x = self.fb.ins().load(ty, flags(), self.scratch, 8 * slot as i32);
                self.places[v.index()] = Place::Register(x);
                x
            }
        }
    }

    /// The value as the last operand of an instruction, which may lie in memory: there a scalar constant costs nothing.
    fn get_last(&mut self, v: Value) -> ir::Value {
        match (self.kernel.op(v), self.plan.lanes) {
            (Op::Const(bits), Lanes::One) => self.fb.ins().f64const(f64::from_bits(bits)),
            _ => self.get(v),
        }
    }

    /// A value that was used before. In a long chain an output is fetched from where it was stored, unless it is fresh, and
    /// the register allocator need not store it once more.
    fn again(&mut self, v: Value, x: ir::Value) -> ir::Value {
        if !self.kernel.one_chain {
            return x;
        }
        let Some(&i) = self.plan.outputs_of.get(&v).and_then(|list| list.first()) else { return x };
        let (now, last) = (self.n_defined, self.touched.insert(v, self.n_defined).unwrap_or(0));
        if now - last <= FRESH {
            return x;
        }
        let offset = self.byte_offset(i);
        let ty = self.ty();
        let x = self.fb.ins().load(ty, flags(), self.outputs, offset);
        self.places[v.index()] = Place::Register(x);
        x
    }

    /// The same for a pair that was stored as one.
    fn pair_again(&mut self, pair: (Value, Value), x: ir::Value) -> ir::Value {
        let now = self.n_defined;
        let Some((i, last)) = self.stored_pairs.get_mut(&pair) else { return x };
        let (i, last) = (*i, std::mem::replace(last, now));
        if !self.kernel.one_chain || now - last <= FRESH {
            return x;
        }
        let offset = self.byte_offset(i);
        let x = self.fb.ins().load(types::F64X2, flags(), self.outputs, offset);
        self.pairs.insert(pair, x);
        x
    }

    /// A constant or an input, which stays in its register for the operations that follow.
    fn load_leaf(&mut self, v: Value) -> ir::Value {
        self.emitted += 1;
        if let Some(&(x, at)) = self.recent.get(&v)
            && self.emitted - at <= STAYS
        {
            return x;
        }
        let ty = self.ty();
        let x = match self.kernel.op(v) {
            Op::Const(bits) => self.constant_pair([bits; 2], ty),
            Op::Input(n) => {
                let input = &self.kernel.inputs()[n as usize];
                let offset = self.byte_offset(input.slot as usize);
                let flags = flags().with_readonly().with_can_move();
                self.fb.ins().load(ty, flags, self.banks[input.bank as usize], offset)
            }
            _ => unreachable!("a leaf"),
        };
        self.recent.insert(v, (x, self.emitted));
        x
    }

    /// Two scalars in one register.
    fn get_pair(&mut self, a: Value, b: Value) -> ir::Value {
        if let (Op::Const(x), Op::Const(y)) = (self.kernel.op(a), self.kernel.op(b)) {
            return self.constant_pair([x, y], types::F64X2);
        }
        if let Some(&x) = self.pairs.get(&(a, b)) {
            return self.pair_again((a, b), x);
        }
        if let (Op::Input(m), Op::Input(n)) = (self.kernel.op(a), self.kernel.op(b)) {
            let (i, j) = (&self.kernel.inputs()[m as usize], &self.kernel.inputs()[n as usize]);
            if i.bank == j.bank && j.slot == i.slot + 1 {
                let flags = flags().with_readonly().with_can_move();
                return self.fb.ins().load(types::F64X2, flags, self.banks[i.bank as usize], 8 * i.slot as i32);
            }
        }
        let x = self.get(a);
        let pair = if a == b {
            self.fb.ins().splat(types::F64X2, x)
        } else {
            let y = self.get(b);
            self.join([x, y])
        };
        self.pairs.insert((a, b), pair);
        pair
    }

    fn emit_two(&mut self, a: Value, b: Value) {
        let (op, other) = (self.kernel.op(a), self.kernel.op(b));
        if let (Op::Unary(Unary::Sin | Unary::Cos, x), Op::Unary(_, y)) = (op, other) {
            if !self.angles.contains_key(&x) && !self.angles.contains_key(&y) {
                let angles = self.get_pair(x, y);
                let [(sin, cos)] = self.sin_cos([angles]);
                self.angles.insert(x, (sin, cos, 0));
                self.angles.insert(y, (sin, cos, 1));
            }
            self.emit_one(a);
            self.emit_one(b);
            return;
        }
        let x: Vec<ir::Value> = self
            .kernel
            .operands(op)
            .into_iter()
            .zip(self.kernel.operands(other))
            .map(|(x, y)| self.get_pair(x, y))
            .collect();
        let pair = match op {
            Op::Unary(Unary::Neg, _) => {
                let mask = self.constant_pair([(-0.0f64).to_bits(); 2], types::F64X2);
                self.fb.ins().bxor(x[0], mask)
            }
            Op::Unary(Unary::Abs, _) => {
                let mask = self.constant_pair([MAGNITUDE.to_bits(); 2], types::F64X2);
                self.fb.ins().band(x[0], mask)
            }
            Op::Unary(Unary::Sqrt, _) => self.fb.ins().sqrt(x[0]),
            Op::Unary(Unary::Exp, _) => self.exp(x[0]),
            Op::Unary(Unary::Log, _) => self.log(x[0]),
            Op::Binary(Binary::Add, ..) => self.fb.ins().fadd(x[0], x[1]),
            Op::Binary(Binary::Sub, ..) => self.fb.ins().fsub(x[0], x[1]),
            Op::Binary(Binary::Mul, ..) => self.fb.ins().fmul(x[0], x[1]),
            Op::Binary(Binary::Div, ..) => self.fb.ins().fdiv(x[0], x[1]),
            Op::Fma(..) => self.fb.ins().fma(x[0], x[1], x[2]),
            _ => unreachable!("the schedule pairs arithmetic only"),
        };
        self.pairs.insert((a, b), pair);
        if let [Some([i]), Some([j])] = [a, b].map(|v| self.plan.outputs_of.get(&v).map(Vec::as_slice))
            && *j == *i + 1
            && !self.plan.shared.contains_key(&a)
            && !self.plan.shared.contains_key(&b)
        {
            // Neighbours are stored together.
            self.store_output(*i, pair);
            self.places[a.index()] = Place::Half(pair, 0);
            self.places[b.index()] = Place::Half(pair, 1);
            self.n_defined += 2;
            self.stored_pairs.insert((a, b), (*i, self.n_defined));
            return;
        }
        self.define(a, Place::Half(pair, 0));
        self.define(b, Place::Half(pair, 1));
    }

    fn emit_one(&mut self, v: Value) {
        self.current = v;
        let op = self.kernel.op(v);
        let x = match op {
            Op::Const(_) | Op::Input(_) => return,
            Op::Unary(f @ (Unary::Sin | Unary::Cos), a) if self.kernel.math == Math::Inline => {
                let place = self.angle(f, a);
                return self.define(v, place);
            }
            Op::Unary(f @ (Unary::Exp | Unary::Log), a) if self.kernel.math == Math::Inline => {
                let x = self.get(a);
                let inlined = if f == Unary::Exp { Self::exp } else { Self::log };
                let place = match self.plan.lanes {
                    Lanes::One => {
                        let x = self.fb.ins().splat(types::F64X2, x);
                        Place::Half(inlined(self, x), 0)
                    }
                    Lanes::Two => Place::Register(inlined(self, x)),
                };
                return self.define(v, place);
            }
            Op::Unary(Unary::Neg, a) => {
                let a = self.get(a);
                // An operand of a fused multiply-add is negated there.
                if self.plan.negated_in_place[v.index()] { self.fb.ins().fneg(a) } else { self.negate(a) }
            }
            Op::Unary(f, a) => {
                let a = self.get(a);
                self.unary(f, a)
            }
            Op::Binary(f, a, b) => {
                let constant_first = f.is_commutative() && self.kernel.constant(a).is_some();
                let (a, b) = if constant_first { (b, a) } else { (a, b) };
                let (x, y) = match f {
                    Binary::Add | Binary::Sub | Binary::Mul | Binary::Div => (self.get(a), self.get_last(b)),
                    _ => (self.get(a), self.get(b)),
                };
                self.binary(f, x, y)
            }
            Op::Fma(a, b, c) => {
                let (a, b) = self.plan.overwritten_first(self.kernel, a, b);
                let (a, b, c) = (self.get(a), self.get(b), self.get_last(c));
                self.fb.ins().fma(a, b, c)
            }
            Op::PowI(a, n) => {
                let a = self.get(a);
                self.powi(a, n)
            }
            Op::Select(cmp, args) => {
                let [a, b, then, otherwise] = args.map(|v| self.get(v));
                self.select(cmp, a, b, then, otherwise)
            }
            Op::Solve(number) => return self.solve(v, number),
            Op::Solution(solve, item) => self.solution(solve, item),
            Op::Table(table, derivative, a) => {
                let x = self.get(a);
                let address = self.plan.tables[table as usize];
                self.per_lane(x, |e, x| {
                    let table = e.fb.ins().iconst(types::I64, address);
                    let derivative = e.fb.ins().iconst(types::I64, i64::from(derivative));
                    e.call(Callee::Table, &[table, derivative, x])
                })
            }
            Op::Guard(a) => {
                let x = self.get(a);
                self.guard(x);
                x
            }
        };
        self.define(v, Place::Register(x));
    }

    /// −x by a mask from memory; the instruction for it would make the mask every time.
    fn negate(&mut self, x: ir::Value) -> ir::Value {
        let mask = self.constant(-0.0);
        self.fb.ins().bxor(x, mask)
    }

    fn unary(&mut self, f: Unary, x: ir::Value) -> ir::Value {
        match f {
            Unary::Neg => self.negate(x),
            Unary::Abs => {
                let mask = self.constant(MAGNITUDE);
                self.fb.ins().band(x, mask)
            }
            Unary::Sqrt => self.fb.ins().sqrt(x),
            Unary::Sign => {
                let [zero, one, minus] = [0.0, 1.0, -1.0].map(|c| self.constant(c));
                let negative = self.select(Comparison::Lt, x, zero, minus, x);
                self.select(Comparison::Lt, zero, x, one, negative)
            }
            _ => self.per_lane(x, |e, x| e.call(Callee::Unary(f), &[x])),
        }
    }

    fn binary(&mut self, f: Binary, x: ir::Value, y: ir::Value) -> ir::Value {
        match f {
            Binary::Add => self.fb.ins().fadd(x, y),
            Binary::Sub => self.fb.ins().fsub(x, y),
            Binary::Mul => self.fb.ins().fmul(x, y),
            Binary::Div => self.fb.ins().fdiv(x, y),
            Binary::Min => self.fb.ins().fmin(x, y),
            Binary::Max => self.fb.ins().fmax(x, y),
            Binary::Pow | Binary::Atan2 => {
                let callee = Callee::Binary(f);
                match self.plan.lanes {
                    Lanes::One => self.call(callee, &[x, y]),
                    Lanes::Two => {
                        let halves = [0u8, 1].map(|lane| {
                            let (a, b) = (self.fb.ins().extractlane(x, lane), self.fb.ins().extractlane(y, lane));
                            self.call(callee, &[a, b])
                        });
                        self.join(halves)
                    }
                }
            }
        }
    }

    fn join(&mut self, [low, high]: [ir::Value; 2]) -> ir::Value {
        // Twice the low one, which is one instruction; clearing the other half would be two.
        let pair = self.fb.ins().splat(types::F64X2, low);
        self.fb.ins().insertlane(pair, high, 1)
    }

    /// Applies a scalar function to every lane.
    fn per_lane(&mut self, x: ir::Value, f: impl Fn(&mut Self, ir::Value) -> ir::Value) -> ir::Value {
        match self.plan.lanes {
            Lanes::One => f(self, x),
            Lanes::Two => {
                let low = self.fb.ins().extractlane(x, 0);
                let high = self.fb.ins().extractlane(x, 1);
                let halves = [f(self, low), f(self, high)];
                self.join(halves)
            }
        }
    }

    fn call(&mut self, callee: Callee, arguments: &[ir::Value]) -> ir::Value {
        let (signature, address) = match self.callees.get(&callee) {
            Some(&known) => known,
            None => {
                let signature = callee.signature(&self.module.make_signature());
                let signature = self.fb.import_signature(signature);
                let address = self.fb.ins().iconst(types::I64, callee.address());
                self.callees.insert(callee, (signature, address));
                (signature, address)
            }
        };
        let call = self.fb.ins().call_indirect(signature, address, arguments);
        self.fb.inst_results(call).first().copied().unwrap_or(address)
    }

    fn powi(&mut self, x: ir::Value, n: i32) -> ir::Value {
        let m = n.unsigned_abs();
        let Some(top) = m.checked_ilog2() else { return self.constant(1.0) };
        let mut y = x;
        for bit in (0..top).rev() {
            y = self.fb.ins().fmul(y, y);
            if m >> bit & 1 == 1 {
                y = self.fb.ins().fmul(y, x);
            }
        }
        if n < 0 {
            let one = self.constant(1.0);
            self.fb.ins().fdiv(one, y)
        } else {
            y
        }
    }

    fn select(
        &mut self,
        cmp: Comparison,
        a: ir::Value,
        b: ir::Value,
        then: ir::Value,
        otherwise: ir::Value,
    ) -> ir::Value {
        let cc = match cmp {
            Comparison::Lt => FloatCC::LessThan,
            Comparison::Le => FloatCC::LessThanOrEqual,
            Comparison::Eq => FloatCC::Equal,
            Comparison::Ne => FloatCC::NotEqual,
        };
        let condition = self.fb.ins().fcmp(cc, a, b);
        match self.plan.lanes {
            Lanes::One => self.fb.ins().select(condition, then, otherwise),
            Lanes::Two => {
                let mask = self.fb.ins().bitcast(types::F64X2, little(), condition);
                self.fb.ins().bitselect(mask, then, otherwise)
            }
        }
    }

    /// Declines the call when the sign bit of `x` is set.
    fn guard(&mut self, x: ir::Value) {
        let x = match self.plan.lanes {
            Lanes::One => self.fb.ins().splat(types::F64X2, x),
            Lanes::Two => x,
        };
        self.guard_pair(x);
    }

    /// Declines the call when k² exceeds a limit.
    fn guard_square(&mut self, k: ir::Value, limit: f64) {
        let limit = self.constant_pair([limit.to_bits(); 2], types::F64X2);
        let minus = self.fb.ins().fneg(k);
        let margin = self.fb.ins().fma(minus, k, limit);
        self.guard_pair(margin);
    }

    fn guard_pair(&mut self, x: ir::Value) {
        self.declined = Some(match self.declined {
            None => x,
            Some(before) => self.fb.ins().bor(before, x),
        });
    }

    /// The sine or cosine of an angle; both are computed at the first request.
    fn angle(&mut self, f: Unary, a: Value) -> Place {
        if !self.angles.contains_key(&a) {
            match self.plan.lanes {
                Lanes::One => {
                    let x = self.get(a);
                    let x = self.fb.ins().splat(types::F64X2, x);
                    let [(sin, cos)] = self.sin_cos([x]);
                    self.angles.insert(a, (sin, cos, 0));
                }
                Lanes::Two => match self.next_angle(a) {
                    None => {
                        let x = self.get(a);
                        let [(sin, cos)] = self.sin_cos([x]);
                        self.angles.insert(a, (sin, cos, 0));
                    }
                    Some(b) => {
                        let x = [self.get(a), self.get(b)];
                        let [(sin, cos), (sin_b, cos_b)] = self.sin_cos(x);
                        self.angles.insert(a, (sin, cos, 0));
                        self.angles.insert(b, (sin_b, cos_b, 0));
                    }
                },
            }
        }
        let (sin, cos, lane) = self.angles[&a];
        let pair = if f == Unary::Sin { sin } else { cos };
        match self.plan.lanes {
            Lanes::One => Place::Half(pair, lane),
            Lanes::Two => Place::Register(pair),
        }
    }

    /// Another angle whose sine or cosine is needed soon, and that is known already.
    fn next_angle(&mut self, a: Value) -> Option<Value> {
        let known =
            |v: Value| matches!(self.kernel.op(v), Op::Input(_)) || !matches!(self.places[v.index()], Place::Nowhere);
        let from = self.current.index();
        (from..(from + AHEAD).min(self.kernel.ops().len())).find_map(|i| match self.kernel.ops()[i] {
            Op::Unary(Unary::Sin | Unary::Cos, b) if b != a && !self.angles.contains_key(&b) && known(b) => Some(b),
            _ => None,
        })
    }

    /// Stores the system, lane by lane, and calls [`linear::solve`].
    fn solve(&mut self, v: Value, number: u32) {
        let solve = &self.kernel.solves()[number as usize];
        for (i, &entry) in solve.matrix.iter().chain(&solve.rhs).enumerate() {
            let x = self.get(entry);
            for lane in 0..self.plan.lanes.count() {
                let x = match self.plan.lanes {
                    Lanes::One => x,
                    Lanes::Two => self.fb.ins().extractlane(x, lane as u8),
                };
                let place = self.system(number, lane) + i;
                self.fb.ins().store(flags(), x, self.scratch, 8 * place as i32);
            }
        }
        for lane in 0..self.plan.lanes.count() {
            let offset = 8 * self.system(number, lane) as i64;
            let area = self.fb.ins().iadd_imm_s(self.scratch, offset);
            let size = self.fb.ins().iconst(types::I64, solve.n() as i64);
            let columns = self.fb.ins().iconst(types::I64, solve.n_columns() as i64);
            let symmetric = self.fb.ins().iconst(types::I64, i64::from(solve.shape == Shape::Symmetric));
            self.call(Callee::Solve, &[area, size, columns, symmetric]);
        }
        let one = self.constant(1.0);
        self.define(v, Place::Register(one));
    }

    /// Where the system of a lane begins in the scratch array.
    fn system(&self, number: u32, lane: usize) -> usize {
        self.plan.systems[number as usize] + lane * system_len(&self.kernel.solves()[number as usize])
    }

    fn solution(&mut self, solve: Value, item: u32) -> ir::Value {
        let Op::Solve(number) = self.kernel.op(solve) else { unreachable!("a solution belongs to a solve") };
        let matrix_len = self.kernel.solves()[number as usize].matrix.len();
        let load = |e: &mut Self, lane: usize| {
            let place = e.system(number, lane) + matrix_len + item as usize;
            e.fb.ins().load(types::F64, flags(), e.scratch, 8 * place as i32)
        };
        match self.plan.lanes {
            Lanes::One => load(self, 0),
            Lanes::Two => {
                let halves = [load(self, 0), load(self, 1)];
                self.join(halves)
            }
        }
    }
}

/// Not 0 when a half has its sign bit set.
fn any_sign(fb: &mut FunctionBuilder, pair: ir::Value) -> ir::Value {
    let bits = fb.ins().bitcast(types::I64X2, little(), pair);
    let high = fb.ins().vhigh_bits(types::I32, bits);
    fb.ins().uextend(types::I64, high)
}

pub(super) fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(ir::Endianness::Little)
}
