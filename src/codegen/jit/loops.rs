//! A kernel with a loop around it: one call evaluates many states.
//!
//! A processor has some tens of instructions in view. While the end of one evaluation waits for its quotients, the beginning
//! of the next is out of sight; so small kernels on pairs are written twice, the operations of two neighbouring pairs
//! taking turns. With 16 registers that pays up to some hundred operations, as measured on 17 models.

use cranelift::codegen::ir;
use cranelift::prelude::{FunctionBuilder, InstBuilder, IntCC, types};
use cranelift_jit::JITModule;

use super::super::ir::{Bank, Kernel, KernelBuilder, Op, Value};
use super::super::machine::{Assembler, Code, CompileError, Entries, Tier};
use super::{Emitter, Item, Lanes, Plan, any_sign, scheduled};

/// Compiles a kernel with a loop around it: one call evaluates many states, or pairs of states, that follow each other in
/// memory, all with the same time, parameters and extra numbers. `None` for kernels of several functions.
pub fn compile_loop(kernel: &Kernel, tier: Tier, lanes: Lanes) -> Result<Option<Code>, CompileError> {
    let mut assembler = Assembler::new(tier)?;
    let single = Body::new(&mut assembler, kernel.clone(), lanes, 1);
    if single.plan.chunks.len() > 1 {
        return Ok(None);
    }
    let lengths = single.plan.lengths(kernel);
    let mut bodies = vec![single];
    if lanes == Lanes::Two && tier == Tier::Optimised && worth_doubling(kernel) {
        let double = Body::new(&mut assembler, doubled(kernel), lanes, 2);
        bodies.insert(0, double);
    }
    let entry = assembler.loop_function("many", |fb, module| {
        let start = fb.create_block();
        fb.append_block_params_for_function_params(start);
        fb.switch_to_block(start);
        let p = fb.block_params(start).to_vec();
        let zero = fb.ins().f64const(0.0);
        let signs = fb.ins().splat(types::F64X2, zero);
        let mut at = At { state: p[Bank::State as usize], outputs: p[4], left: p[6], signs };
        for body in &bodies {
            at = body.repeat(fb, module, &p, at);
        }
        let status = any_sign(fb, at.signs);
        fb.ins().return_(&[status]);
        Ok(())
    })?;
    assembler.finish(Entries { single: None, many: Some(entry) }, lengths).map(Some)
}

/// Where a loop is: addresses, how many are left, the signs of the guards so far.
#[derive(Clone, Copy)]
struct At {
    state: ir::Value,
    outputs: ir::Value,
    left: ir::Value,
    signs: ir::Value,
}

/// What is repeated.
struct Body {
    kernel: Kernel,
    items: Vec<Item>,
    plan: Plan,
    /// How many states, or pairs of states, it takes.
    takes: i64,
}

impl Body {
    fn new(assembler: &mut Assembler, kernel: Kernel, lanes: Lanes, takes: i64) -> Body {
        let items = scheduled(&kernel, lanes, assembler.tier);
        let plan = Plan::new(assembler, &kernel, lanes, &items);
        Body { kernel, items, plan, takes }
    }

    /// Repeats it as long as enough are left.
    fn repeat(&self, fb: &mut FunctionBuilder, module: &JITModule, p: &[ir::Value], at: At) -> At {
        let (body, exit) = (fb.create_block(), fb.create_block());
        for block in [body, exit] {
            for ty in [types::I64, types::I64, types::I64, types::F64X2] {
                fb.append_block_param(block, ty);
            }
        }
        let branch = |fb: &mut FunctionBuilder, at: At| {
            let arguments = [at.state, at.outputs, at.left, at.signs].map(Into::into);
            let enough = match self.takes {
                1 => at.left,
                takes => fb.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, at.left, takes),
            };
            fb.ins().brif(enough, body, &arguments, exit, &arguments);
        };
        let parameters = |fb: &FunctionBuilder, block| {
            let p = fb.block_params(block);
            At { state: p[0], outputs: p[1], left: p[2], signs: p[3] }
        };
        let constants = fb.ins().iconst(types::I64, self.plan.constants);
        branch(fb, at);
        fb.switch_to_block(body);
        let At { state, outputs, left, signs } = parameters(fb, body);
        let mut arrays = [p[0], p[1], p[2], p[3], outputs, p[5]];
        arrays[Bank::State as usize] = state;
        let mut emitter = Emitter::new(fb, module, &self.kernel, &self.plan, 0, arrays, constants);
        emitter.declined = Some(signs);
        let signs = emitter.emit_all(&self.items).unwrap_or(signs);
        let lengths = self.plan.lengths(&self.kernel);
        let state = fb.ins().iadd_imm_s(state, 8 * lengths.banks[Bank::State as usize] as i64);
        let outputs = fb.ins().iadd_imm_s(outputs, 8 * lengths.outputs as i64);
        let left = fb.ins().iadd_imm_s(left, -self.takes);
        branch(fb, At { state, outputs, left, signs });
        fb.switch_to_block(exit);
        parameters(fb, exit)
    }
}

/// Operations up to which two pairs of states take turns.
const MAX_DOUBLED: usize = 110;

fn worth_doubling(kernel: &Kernel) -> bool {
    let plain = |op: &Op| !matches!(op, Op::Solve(_) | Op::Table(..) | Op::PowI(..));
    kernel.n_operations() <= MAX_DOUBLED && kernel.ops().iter().all(plain)
}

/// The kernel for two neighbouring states: entries of the second follow those of the first. Its operations come a little
/// later than those of the first, so that what is ready alternates with what has just begun to wait.
fn doubled(kernel: &Kernel) -> Kernel {
    let n = kernel.bank_len(Bank::State) as u32;
    let mut b = KernelBuilder::new(kernel.name.clone());
    b.set_math(kernel.math);
    let values: Vec<Value> = kernel.values().collect();
    let mut made = [0, 1].map(|_| Vec::with_capacity(values.len()));
    let lag = values.len() / 10;
    for i in 0..values.len() + lag {
        for (copy, made) in made.iter_mut().enumerate() {
            let Some(&value) = i.checked_sub(copy * lag).and_then(|i| values.get(i)) else { continue };
            let new = match kernel.op(value) {
                Op::Input(number) => {
                    let input = &kernel.inputs()[number as usize];
                    match input.bank {
                        Bank::State => {
                            b.input_at(&format!("{} {copy}", input.name), Bank::State, input.slot + copy as u32 * n)
                        }
                        bank => b.input_at(&input.name, bank, input.slot),
                    }
                }
                _ => b.copy(kernel, value, &|v: Value| made[v.index()]),
            };
            made.push(new);
        }
    }
    for (copy, made) in made.iter().enumerate() {
        for output in kernel.outputs() {
            b.output(format!("{} {copy}", output.name), made[output.value.index()]);
        }
    }
    b.finish()
}
