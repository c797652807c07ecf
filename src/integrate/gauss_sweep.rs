//! One substitution of a Gauss method as one kernel: all its stages from those before.
//!
//! ```text
//! kᵢ ← f(t + cᵢ h, y + h Σⱼ aᵢⱼ kⱼ),      i = 1, …, s, one after the other
//! ```
//!
//! Stage by stage, every slope passes through memory and every sum is a loop over stages and states; for a small field that costs
//! more than the field. The kernel does the operations of [`super::gauss`], in the same order, so that it makes no difference to a
//! result which of the two was used; a test compares the bits.
//!
//! ```text
//! bank       entries
//! time       t, h
//! state      y, k₁, …, kₛ
//! parameter  those of the field
//! extra      the decisions of the field
//! outputs    k₁, …, kₛ
//! ```

use crate::codegen::compiled::{self, CompiledKernel};
use crate::codegen::ir::{Bank, Input, Kernel, KernelBuilder, Value};

use super::gauss::Coefficients;
use super::whole_step::MAX_BYTES;

/// Steps that make the time of compiling worth while.
pub const MANY: f64 = 2000.0;

/// Whether the substitution is small enough to be compiled as a whole.
fn worth_while(s: usize, field: &CompiledKernel) -> bool {
    let n = field.kernel().outputs().len();
    field.code_size() > 0 && field.executed().solves().is_empty() && s * field.code_size() + 40 * n * s * s <= MAX_BYTES
}

/// Compiles the substitution of the method with so many stages, for a field that is small enough.
pub fn compile(s: usize, field: &CompiledKernel) -> Option<CompiledKernel> {
    worth_while(s, field)
        .then(|| compiled::compile_as_it_is(sweep_kernel(&Coefficients::new(s), field.executed()), field.options()))
}

fn sweep_kernel(coefficients: &Coefficients, field: &Kernel) -> Kernel {
    let (n, s) = (field.outputs().len(), coefficients.s);
    let mut b = KernelBuilder::new("sweep");
    b.set_math(field.math);
    let (t, h) = (b.input_at("t", Bank::Time, 0), b.input_at("h", Bank::Time, 1));
    let mut states = |name: &str, first: usize| -> Vec<Value> {
        (0..n).map(|l| b.input_at(&format!("{name}{l}"), Bank::State, (first + l) as u32)).collect()
    };
    let y = states("y", 0);
    let mut k: Vec<Vec<Value>> = (0..s).map(|j| states(&format!("k{j}_"), (j + 1) * n)).collect();
    let mut neighbours: Vec<(Value, Value)> = vec![];
    let mut together = |values: &[Value]| neighbours.extend(values.chunks_exact(2).map(|pair| (pair[0], pair[1])));
    for i in 0..s {
        let mut sum = |weights: &[f64]| -> Vec<Value> {
            let mut sums: Vec<Value> = vec![];
            for (j, (&weight, k)) in weights.iter().zip(&k).enumerate() {
                let weight = b.constant(weight);
                let products: Vec<Value> = k.iter().map(|k| b.mul(weight, *k)).collect();
                together(&products);
                sums = match j {
                    0 => products,
                    _ => sums.iter().zip(&products).map(|(sum, product)| b.add(*sum, *product)).collect(),
                };
                together(&sums);
            }
            sums
        };
        let row = i * s..(i + 1) * s;
        let (high, low) = (sum(&coefficients.a[row.clone()]), sum(&coefficients.a_low[row]));
        let mut each = |f: &mut dyn FnMut(usize) -> Value| -> Vec<Value> {
            let values: Vec<Value> = (0..n).map(f).collect();
            together(&values);
            values
        };
        let slopes = each(&mut |l| b.add(high[l], low[l]));
        let moved = each(&mut |l| b.mul(h, slopes[l]));
        let stage = each(&mut |l| b.add(y[l], moved[l]));
        let offset = b.constant(coefficients.c[i]);
        let offset = b.mul(offset, h);
        let time = b.add(t, offset);
        k[i] = b.inline(field, &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
            Bank::Time => time,
            Bank::State => stage[input.slot as usize],
            bank => b.input_at(&input.name, bank, input.slot),
        });
        together(&k[i]);
    }
    for (j, values) in k.iter().enumerate() {
        for (l, value) in values.iter().enumerate() {
            b.output(format!("k{j}_{l}"), *value);
        }
    }
    let mut kernel = b.finish();
    kernel.one_chain = true;
    kernel.neighbours = neighbours;
    kernel
}
