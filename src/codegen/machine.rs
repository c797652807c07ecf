//! Code memory: functions are put into it, it becomes executable, it is called, it is freed. All contact with
//! the unsafe side of Cranelift's JIT is in this file, and nothing else is.
//!
//! - Pages are written first and executable afterwards, never both (`finalize_definitions` switches them).
//! - [`Code`] owns its pages. A call borrows it, so the pages outlive every call; dropping it frees them, which
//!   a dropped `JITModule` by itself does not.
//! - Compiled functions write only through their arguments, so one `Code` may be called from many threads.
//! - Functions called from compiled code are registered by address and never unwind.

use std::sync::{Arc, Mutex, OnceLock};

use cranelift::codegen::Context;
use cranelift::codegen::ir;
use cranelift::codegen::isa::OwnedTargetIsa;
use cranelift::prelude::*;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};

use super::interpret::Banks;
use super::ir::{Bank, N_BANKS, Shape};
use super::linear;
use super::simd;
use super::table::Table;

/// How much time compilation may take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tier {
    /// Single-pass register allocation: for the prompt, and for code that runs a few thousand times.
    Instant,
    /// Backtracking register allocation: for runs.
    Optimised,
}

/// Code that could not be made: the host forbids it, or it is too large.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError(pub String);

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "no machine code: {}", self.0)
    }
}

impl<E: std::error::Error> From<E> for CompileError {
    fn from(error: E) -> Self {
        CompileError(error.to_string())
    }
}

type Entry = unsafe extern "C" fn(*const f64, *const f64, *const f64, *const f64, *mut f64, *mut f64) -> u64;

/// The same with a number of states.
type LoopEntry = unsafe extern "C" fn(*const f64, *const f64, *const f64, *const f64, *mut f64, *mut f64, u64) -> u64;

/// Executable functions of one signature: banks, outputs, scratch; the result is 0 when all guards held.
pub struct Code {
    entry: Option<Entry>,
    loop_entry: Option<LoopEntry>,
    clear_upper: bool,
    n_bytes: usize,
    bank_lens: [usize; N_BANKS],
    n_outputs: usize,
    n_scratch: usize,
    n_run: usize,
    n_carried: usize,
    /// Constants and tables that the code refers to by address.
    _constants: Vec<Vec<f64>>,
    _tables: Vec<Arc<Table>>,
    /// `None` only while dropping.
    module: Mutex<Option<JITModule>>,
}

impl Code {
    /// Whether all guards held; if not, the outputs mean nothing.
    #[inline(always)]
    pub fn call(&self, banks: &Banks, outputs: &mut [f64], scratch: &mut [f64]) -> bool {
        let long_enough = (0..N_BANKS).all(|i| banks[i].len() >= self.bank_lens[i]);
        let Some(entry) = self.entry else { unreachable!("this code is a loop") };
        assert!(long_enough && outputs.len() >= self.n_outputs && scratch.len() >= self.n_scratch);
        if self.clear_upper {
            simd::clear_upper();
        }
        // SAFETY: the function was compiled for arrays of the lengths just checked; `outputs` and `scratch` are
        // borrowed mutably and so overlap nothing; the pages live as long as `self`.
        let status = unsafe {
            entry(
                banks[0].as_ptr(),
                banks[1].as_ptr(),
                banks[2].as_ptr(),
                banks[3].as_ptr(),
                outputs.as_mut_ptr(),
                scratch.as_mut_ptr(),
            )
        };
        status == 0
    }

    /// Evaluates `count` states that follow each other in the bank of states; their outputs follow each other too. Whether
    /// all guards held.
    pub fn call_loop(&self, banks: &Banks, count: usize, outputs: &mut [f64], scratch: &mut [f64]) -> bool {
        let Some(entry) = self.loop_entry else { unreachable!("this code has no loop") };
        let states = |i: usize| if i == Bank::State as usize { count } else { 1 };
        let needed = |i: usize| self.bank_lens[i].checked_mul(states(i));
        let long_enough = (0..N_BANKS).all(|i| needed(i).is_some_and(|n| banks[i].len() >= n));
        let room = self.n_outputs.checked_mul(count).is_some_and(|n| outputs.len() >= n);
        assert!(long_enough && room && scratch.len() >= self.n_scratch);
        if self.clear_upper {
            simd::clear_upper();
        }
        // SAFETY: the function was compiled for arrays of the lengths just checked; `outputs` and `scratch` are borrowed
        // mutably and so overlap nothing; the pages live as long as `self`.
        let status = unsafe {
            entry(
                banks[0].as_ptr(),
                banks[1].as_ptr(),
                banks[2].as_ptr(),
                banks[3].as_ptr(),
                outputs.as_mut_ptr(),
                scratch.as_mut_ptr(),
                count as u64,
            )
        };
        status == 0
    }

    pub fn has_loop(&self) -> bool {
        self.loop_entry.is_some()
    }

    /// Makes up to `most` Taylor steps; the result is how many were made. The arrays are those of [`super::jet_steps`]
    /// or [`super::jet_pair_steps`].
    pub fn call_steps(&self, banks: &Banks, most: u64, carried: &mut [f64], scratch: &mut [f64]) -> u64 {
        let Some(entry) = self.loop_entry else { unreachable!("this code has no loop") };
        let numbers = [Bank::Parameter, Bank::Extra].map(|b| b as usize);
        let has = |i: usize| banks[i].len() >= self.bank_lens[i];
        let long_enough = numbers.into_iter().all(has) && banks[0].len() >= self.n_run;
        let room = carried.len() >= self.n_outputs + self.n_carried;
        assert!(long_enough && room && scratch.len() >= self.n_scratch);
        if self.clear_upper {
            simd::clear_upper();
        }
        // SAFETY: the function was compiled for arrays of the lengths just checked; the state is part of `carried`, which like
        // `scratch` is borrowed mutably and so overlaps nothing; the pages live as long as `self`.
        unsafe {
            entry(
                banks[0].as_ptr(),
                banks[1].as_ptr(),
                banks[2].as_ptr(),
                banks[3].as_ptr(),
                carried.as_mut_ptr(),
                scratch.as_mut_ptr(),
                most,
            )
        }
    }

    pub fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    pub fn n_scratch(&self) -> usize {
        self.n_scratch
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(module) = module {
            // SAFETY: `self` is the only owner of the entry point, and no call borrows it any more.
            unsafe { module.free_memory() };
        }
    }
}

/// What Rust calls: a function for one state, a function with a loop in it, or both.
#[derive(Clone, Copy, Debug)]
pub struct Entries {
    pub single: Option<FuncId>,
    pub many: Option<FuncId>,
}

/// The lengths of the arrays a function is compiled for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lengths {
    pub banks: [usize; N_BANKS],
    pub outputs: usize,
    pub scratch: usize,
    /// Of a loop over steps: the numbers about the run in the place of the time, and what is carried beside the outputs.
    pub run: usize,
    pub carried: usize,
}

/// Collects functions, then makes them executable.
pub struct Assembler {
    pub tier: Tier,
    module: JITModule,
    context: Context,
    frontend: FunctionBuilderContext,
    n_bytes: usize,
    constants: Vec<Vec<f64>>,
    tables: Vec<Arc<Table>>,
    /// Functions that take a number of states.
    loops: Vec<FuncId>,
    /// The text of every function, when asked for.
    pub listing: Option<String>,
}

/// The instruction set of this machine, described once per tier.
fn isa(tier: Tier) -> Result<OwnedTargetIsa, CompileError> {
    static KNOWN: [OnceLock<OwnedTargetIsa>; 2] = [const { OnceLock::new() }; 2];
    let known = &KNOWN[tier as usize];
    if let Some(isa) = known.get() {
        return Ok(isa.clone());
    }
    let isa = make_isa(tier)?;
    Ok(known.get_or_init(|| isa).clone())
}

fn make_isa(tier: Tier) -> Result<OwnedTargetIsa, CompileError> {
    let mut flags = settings::builder();
    let allocator = match tier {
        Tier::Instant => "single_pass",
        Tier::Optimised => "backtracking",
    };
    let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
    for (name, value) in [
        ("opt_level", "none"),
        ("regalloc_algorithm", allocator),
        ("enable_verifier", verifier),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("unwind_info", "false"),
        ("enable_alias_analysis", "false"),
        ("preserve_frame_pointers", "false"),
    ] {
        flags.set(name, value)?;
    }
    let builder = cranelift_native::builder().map_err(|text| CompileError(text.to_string()))?;
    Ok(builder.finish(settings::Flags::new(flags))?)
}

impl Assembler {
    pub fn new(tier: Tier) -> Result<Assembler, CompileError> {
        let builder = JITBuilder::with_isa(isa(tier)?, cranelift_module::default_libcall_names());
        let module = JITModule::new(builder);
        let context = module.make_context();
        Ok(Assembler {
            tier,
            module,
            context,
            frontend: FunctionBuilderContext::new(),
            n_bytes: 0,
            constants: Vec::new(),
            tables: Vec::new(),
            loops: Vec::new(),
            listing: None,
        })
    }

    /// The signature of every function that Rust or compiled code may call.
    pub fn signature(&self) -> Signature {
        let mut signature = self.module.make_signature();
        for _ in 0..N_BANKS + 2 {
            signature.params.push(AbiParam::new(types::I64));
        }
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    /// Compiles one function. `emit` must fill and terminate every block it makes.
    pub fn function(
        &mut self,
        name: &str,
        emit: impl FnOnce(&mut FunctionBuilder, &mut JITModule) -> Result<(), CompileError>,
    ) -> Result<FuncId, CompileError> {
        let signature = self.signature();
        self.function_with(signature, name, emit)
    }

    /// Compiles a function that takes a number of states after its arrays: an entry for [`Code::call_loop`].
    pub fn loop_function(
        &mut self,
        name: &str,
        emit: impl FnOnce(&mut FunctionBuilder, &mut JITModule) -> Result<(), CompileError>,
    ) -> Result<FuncId, CompileError> {
        let mut signature = self.signature();
        signature.params.push(AbiParam::new(types::I64));
        let id = self.function_with(signature, name, emit)?;
        self.loops.push(id);
        Ok(id)
    }

    fn function_with(
        &mut self,
        signature: Signature,
        name: &str,
        emit: impl FnOnce(&mut FunctionBuilder, &mut JITModule) -> Result<(), CompileError>,
    ) -> Result<FuncId, CompileError> {
        let id = self.module.declare_function(name, Linkage::Local, &signature)?;
        self.context.func.signature = signature;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.frontend);
        emit(&mut builder, &mut self.module)?;
        builder.seal_all_blocks();
        builder.finalize(self.module.target_config());
        if let Some(listing) = &mut self.listing {
            listing.push_str(&self.context.func.display().to_string());
        }
        self.module
            .define_function(id, &mut self.context)
            .map_err(|error| CompileError(error.to_string().lines().next().unwrap_or_default().to_string()))?;
        self.n_bytes += self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        self.module.clear_context(&mut self.context);
        Ok(id)
    }

    /// Keeps constants alive as long as the code, and says where they are.
    pub fn constants(&mut self, constants: Vec<f64>) -> i64 {
        // Moving the vector does not move its elements.
        let address = constants.as_ptr() as i64;
        self.constants.push(constants);
        address
    }

    /// Keeps a table alive as long as the code, and says where it is.
    pub fn table(&mut self, table: &Arc<Table>) -> i64 {
        self.tables.push(table.clone());
        Arc::as_ptr(table) as i64
    }

    /// Makes everything executable.
    pub fn finish(mut self, entries: Entries, lengths: Lengths) -> Result<Code, CompileError> {
        self.module.finalize_definitions()?;
        let pointer = |id: FuncId| self.module.get_finalized_function(id);
        assert!(
            entries.many.is_none_or(|id| self.loops.contains(&id))
                && entries.single.is_none_or(|id| !self.loops.contains(&id))
        );
        // SAFETY: the function was declared with `signature`, which is this type in the C convention of the host.
        let entry = entries.single.map(|id| unsafe { std::mem::transmute::<*const u8, Entry>(pointer(id)) });
        // SAFETY: the function was declared by `loop_function`, with `signature` and one number more, which is this type.
        let loop_entry = entries.many.map(|id| unsafe { std::mem::transmute::<*const u8, LoopEntry>(pointer(id)) });
        Ok(Code {
            entry,
            loop_entry,
            clear_upper: simd::width() != simd::Width::Baseline,
            n_bytes: self.n_bytes,
            bank_lens: lengths.banks,
            n_outputs: lengths.outputs,
            n_scratch: lengths.scratch,
            n_run: lengths.run,
            n_carried: lengths.carried,
            _constants: self.constants,
            _tables: self.tables,
            module: Mutex::new(Some(self.module)),
        })
    }
}

/// Functions that compiled code calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// f64 → f64.
    Unary(super::ir::Unary),
    /// f64, f64 → f64.
    Binary(super::ir::Binary),
    /// address of a table, derivative, f64 → f64.
    Table,
    /// address of matrix, right-hand sides and scratch, n, number of right-hand sides, 1 when symmetric.
    Solve,
}

impl Callee {
    pub fn signature(self, template: &Signature) -> Signature {
        let mut signature = Signature::new(template.call_conv);
        let mut add = |params: &[ir::Type], result: Option<ir::Type>| {
            signature.params.extend(params.iter().map(|&t| AbiParam::new(t)));
            signature.returns.extend(result.map(AbiParam::new));
        };
        match self {
            Callee::Unary(_) => add(&[types::F64], Some(types::F64)),
            Callee::Binary(_) => add(&[types::F64, types::F64], Some(types::F64)),
            Callee::Table => add(&[types::I64, types::I64, types::F64], Some(types::F64)),
            Callee::Solve => add(&[types::I64; 4], None),
        }
        signature
    }

    pub fn address(self) -> i64 {
        let address = match self {
            Callee::Unary(f) => f.value() as usize,
            Callee::Binary(f) => f.value() as usize,
            Callee::Table => table as extern "C" fn(*const Table, u64, f64) -> f64 as usize,
            Callee::Solve => solve as extern "C" fn(*mut f64, u64, u64, u64) as usize,
        };
        address as i64
    }
}

extern "C" fn table(table: *const Table, derivative: u64, x: f64) -> f64 {
    // SAFETY: the address was taken from an `Arc<Table>` that the calling code keeps alive.
    let table = unsafe { &*table };
    table.evaluate(derivative as u8, x)
}

/// The area holds the matrix, the right-hand sides, and then the scratch of [`linear::solve`].
extern "C" fn solve(area: *mut f64, n: u64, columns: u64, symmetric: u64) {
    let (n, columns) = (n as usize, columns as usize);
    // SAFETY: compiled code reserves this many doubles of its scratch array for every system.
    let area = unsafe { std::slice::from_raw_parts_mut(area, n * n + n * columns + linear::scratch_len(n)) };
    let (matrix, rest) = area.split_at_mut(n * n);
    let (rhs, scratch) = rest.split_at_mut(n * columns);
    let shape = if symmetric != 0 { Shape::Symmetric } else { Shape::General };
    simd::fused(System { shape, n, matrix, rhs, scratch });
}

/// A linear system that is to be solved.
struct System<'a> {
    shape: Shape,
    n: usize,
    matrix: &'a mut [f64],
    rhs: &'a mut [f64],
    scratch: &'a mut [f64],
}

impl simd::Work for System<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        linear::solve(self.shape, self.n, self.matrix, self.rhs, self.scratch);
    }
}
