//! Taylor steps of many trajectories as C, for the compiler of the system.
//!
//! Cranelift has vectors of two doubles; processors have four or eight. So, when it is asked for, the steps of an ensemble are
//! written as C over vectors as wide as the processor's, compiled by the C compiler that is there, and loaded
//! ([`super::library`]). Lane by lane the operations, their order and their roundings are those of a trajectory alone:
//! recurrences from [`jet_rules`], elementary functions from [`libm`], steps from [`crate::integrate::taylor`], and no
//! contraction that is not written. What makes a table faster changes no bit of it.
//!
//! ```text
//! int64_t lepage_steps(const double *parameters, double *carried, int64_t most)
//!
//! parameters   row by row, a number for each lane
//! carried      the same: y; what rounding took from y; then the rows of [`Row`]
//! result       steps that were made, until some lane was done, or something was not ordinary, or there were enough
//! ```
//!
//! A step that is not ordinary (a guard that declines, a number that is not finite, a coefficient that vanishes) is not made:
//! its lane is marked and the trajectory made alone. Elementary functions without a form that has no branches, tables and
//! systems with exchanges of rows are not written: [`NotWide`] names them.

use std::fmt::Write;

use super::ir::{Bank, Binary, Comparison, Kernel, Op, Unary, Value};
use super::jet::{JetProgram, NodeId, Rule, Series, Slot, SumId};
use super::jet_rules::{self, Arithmetic, Constant};
use super::libm::{self, Math};

/// The rows of the carried array after y and its rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    Time,
    TimeRest,
    End,
    /// 1 for a lane with a run, 0 for one without.
    Active,
    Steps,
    Shortest,
    Longest,
    /// 0, or [`DONE`], or [`NOT_ORDINARY`].
    Status,
}

pub const N_ROWS: usize = Row::Status as usize + 1;

/// The run of the lane reached its end.
pub const DONE: f64 = 1.0;
/// Its next step is for somebody else to make.
pub const NOT_ORDINARY: f64 = 2.0;

/// Why there is no C for these recurrences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotWide(pub String);

/// Longer recurrences would take the compiler minutes.
const MAX_OPERATIONS: usize = 20_000;

/// The name of the function, and of the number of lanes.
pub const STEPS: &std::ffi::CStr = c"lepage_steps";
pub const LANES: &std::ffi::CStr = c"lepage_lanes";

/// What the compiler is told: every rounding as it is written. Of straight lines more optimisation makes no better code, later:
/// `-O1` takes half as long again, and the code is as fast.
pub const FLAGS: [&str; 8] = [
    "-std=gnu11",
    "-Og",
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
];

/// The file for the compiler.
pub fn source(program: &JetProgram) -> Result<String, NotWide> {
    if program.n_operations() > MAX_OPERATIONS {
        return Err(NotWide(format!("its series have {} operations", program.n_operations())));
    }
    let mut writer = Writer::new(program);
    writer.initial(&program.initial)?;
    writer.orders();
    let (n, p) = (program.n, program.order);
    let mut c = HEAD.replace("FUSED", if program.fused { "1" } else { "0" });
    for (name, values) in
        [("SIN", &libm::SIN[..]), ("COS", &libm::COS), ("EXP", &libm::EXP), ("LOG", &libm::LOG), ("LOG2", &libm::LOG2)]
    {
        c += &array(name, values);
    }
    c += &array("EXP2", &libm::EXP2);
    c += &array("HALF_PI", &libm::HALF_PI);
    c += &array("LN_2", &libm::LN_2);
    c += &array("LN_2_SHORT", &libm::LN_2_SHORT);
    for (name, x) in [
        ("ROUND", libm::ROUND),
        ("TWO_OVER_PI", libm::TWO_OVER_PI),
        ("QUARTERS_SQUARED", libm::QUARTERS_SQUARED),
        ("LOG2_E", libm::LOG2_E),
        ("EXPONENT_SQUARED", libm::EXPONENT_SQUARED),
        ("LARGE_AND_BIAS", libm::LARGE_AND_BIAS),
        ("SAFETY", libm::taylor_safety(p)),
        ("OVER_SECOND", 1.0 / (p - 1) as f64),
        ("OVER_LAST", 1.0 / p as f64),
    ] {
        let _ = writeln!(c, "#define {name} {x:?}");
    }
    for (name, bits) in [
        ("TO_ONE", libm::TO_ONE),
        ("MANTISSA", libm::MANTISSA),
        ("LARGE_BITS", libm::LARGE_BITS),
        ("ROOT_HALF_BITS", libm::ROOT_HALF_BITS),
    ] {
        let _ = writeln!(c, "#define {name} {bits:#x}LL");
    }
    let _ = writeln!(c, "#define N {n}\n#define P {p}");
    c += FUNCTIONS;
    c += "\nstatic m coefficients(v t, const v *y, const u *parameters, v c[P + 1][N]) {\n    m declined = same_bits(0);\n";
    c += &writer.text;
    c += "    return declined < 0;\n}\n";
    c += STEP;
    Ok(c)
}

/// A table of constants.
fn array(name: &str, values: &[f64]) -> String {
    let list: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
    format!("static const double {name}[] = {{ {} }};\n", list.join(", "))
}

/// Vectors as wide as the processor's, and multiply-add with one rounding. The header with all instructions of a processor is
/// longer than what is made here and takes longer to compile, so it is read only where a compiler does not know three of them by
/// name; short functions are macros for the same reason.
const HEAD: &str = r"#include <stdint.h>
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define W 8
#define HAS_FMA 1
#elif defined(__AVX2__) && defined(__FMA__)
#define W 4
#define HAS_FMA 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define W 2
#define HAS_FMA 1
#else
#define W 2
#define HAS_FMA 0
#endif
#if FUSED && !HAS_FMA
#error the processor was said to have fused multiply-add
#endif
typedef double v __attribute__((vector_size(8 * W)));
typedef double u __attribute__((vector_size(8 * W), aligned(8)));
typedef int64_t m __attribute__((vector_size(8 * W)));
typedef long long b __attribute__((vector_size(8 * W)));
const int64_t lepage_lanes = W;
#ifdef __has_builtin
#if W == 8 && __has_builtin(__builtin_ia32_vfmaddpd512_mask) && __has_builtin(__builtin_ia32_sqrtpd512_mask) && __has_builtin(__builtin_ia32_cvtq2mask512)
#define FMA(x, y, z) __builtin_ia32_vfmaddpd512_mask(x, y, z, -1, 4)
#define ROOT(x) __builtin_ia32_sqrtpd512_mask(x, x, -1, 4)
#define SIGNS(x) __builtin_ia32_cvtq2mask512((b)(x))
#elif W == 4 && __has_builtin(__builtin_ia32_vfmaddpd256) && __has_builtin(__builtin_ia32_sqrtpd256) && __has_builtin(__builtin_ia32_movmskpd256)
#define FMA(x, y, z) __builtin_ia32_vfmaddpd256(x, y, z)
#define ROOT(x) __builtin_ia32_sqrtpd256(x)
#define SIGNS(x) __builtin_ia32_movmskpd256((v)(x))
#endif
#endif
#if W == 2
#define FMA(x, y, z) (v)vfmaq_f64((float64x2_t)(z), (float64x2_t)(x), (float64x2_t)(y))
static inline v ROOT(v x) { return (v){__builtin_sqrt(x[0]), __builtin_sqrt(x[1])}; }
static inline int SIGNS(m x) { return (x[0] | x[1]) < 0; }
#elif !defined(FMA)
#include <immintrin.h>
#if W == 8
#define FMA(x, y, z) (v)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z))
#define ROOT(x) (v)_mm512_sqrt_pd((__m512d)(x))
#define SIGNS(x) _mm512_movepi64_mask((__m512i)(x))
#else
#define FMA(x, y, z) (v)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z))
#define ROOT(x) (v)_mm256_sqrt_pd((__m256d)(x))
#define SIGNS(x) _mm256_movemask_pd((__m256d)(x))
#endif
#endif
#if FUSED
#define multiply_add(x, y, z) FMA(x, y, z)
#else
#define multiply_add(x, y, z) ((x) * (y) + (z))
#endif
";

/// The elementary functions of [`libm`], operation by operation.
const FUNCTIONS: &str = r"
#define same(x) ((x) - (v){0})
#define same_bits(x) ((x) - (m){0})
#define root(x) ROOT(x)
#define any(mask) (SIGNS(mask) != 0)
static inline v choose(m mask, v a, v b) { return (v)(((m)a & mask) | ((m)b & ~mask)); }
static inline v magnitude(v a) { return (v)((m)a & same_bits(INT64_MAX)); }
static inline v larger(v a, v b) { return choose(a > b, a, b); }
static inline v smaller(v a, v b) { return choose(a < b, a, b); }
static inline void sin_cos(v x, v *sin, v *cos, m *declined) {
    v shifted = multiply_add(x, same(TWO_OVER_PI), same(ROUND)), k = shifted - same(ROUND);
    v r = multiply_add(-k, same(HALF_PI[0]), x);
    r = multiply_add(-k, same(HALF_PI[1]), r);
    v nearest = multiply_add(-k, same(HALF_PI[2]), r);
    *declined |= (m)multiply_add(-k, k, same(QUARTERS_SQUARED));
    v z = r * r, w = z * z, p[2];
    for (int i = 0; i < 2; i++) {
        const double *a = i ? COS : SIN;
        v p01 = multiply_add(same(a[1]), z, same(a[0])), p23 = multiply_add(same(a[3]), z, same(a[2]));
        v p45 = multiply_add(same(a[5]), z, same(a[4]));
        p[i] = multiply_add(multiply_add(p45, w, p23), w, p01);
    }
    v s = multiply_add(z * r, p[0], nearest), c = multiply_add(w, p[1], multiply_add(z, same(-0.5), same(1.0)));
    m bits = (m)shifted, odd = -(bits & 1);
    m swap = odd & ((m)s ^ (m)c), sign_of_sin = (bits >> 1) << 63, sign_of_cos = sign_of_sin ^ (bits << 63);
    *sin = (v)((m)s ^ swap ^ sign_of_sin);
    *cos = (v)((m)c ^ swap ^ sign_of_cos);
}
static inline v exponential(v x, m *declined) {
    v shifted = multiply_add(x, same(LOG2_E), same(ROUND)), k = shifted - same(ROUND);
    v r = multiply_add(-k, same(LN_2[0]), x);
    r = multiply_add(-k, same(LN_2[1]), r);
    *declined |= (m)multiply_add(-k, k, same(EXPONENT_SQUARED));
    v q = same(EXP[11]);
    for (int i = 10; i >= 0; i--) q = multiply_add(q, r, same(EXP[i]));
    v y = same(1.0) + multiply_add(r * r, q, r);
    return (v)((m)y + ((m)shifted << 52));
}
static inline v logarithm(v x, m *declined) {
    *declined |= ~((x >= same(0x1p-1022)) & (x <= same(0x1.fffffffffffffp1023)));
    m moved = (m)x + TO_ONE;
    v k = (v)(((moved >> 52) & 0xFFF) | LARGE_BITS) - same(LARGE_AND_BIAS);
    v f = (v)((moved & MANTISSA) + ROOT_HALF_BITS) - same(1.0);
    v s = f / (same(2.0) + f), z = s * s, w = z * z;
    v even = multiply_add(multiply_add(same(LOG[5]), w, same(LOG[3])), w, same(LOG[1]));
    v odd = multiply_add(multiply_add(multiply_add(same(LOG[6]), w, same(LOG[4])), w, same(LOG[2])), w, same(LOG[0]));
    v r = multiply_add(w, even, z * odd), half = same(0.5) * f * f;
    v rest = multiply_add(s, half + r, multiply_add(k, same(LN_2_SHORT[1]), x - x));
    return multiply_add(k, same(LN_2_SHORT[0]), f - (half - rest));
}
static inline v quick_log2(v x) {
    m bits = (m)x, offset = bits - ROOT_HALF_BITS;
    /* The exponent as a number, by way of 1.5 2^52 + 2048. */
    m e = (m)((uint64_t __attribute__((vector_size(8 * W))))(offset + (2048LL << 52)) >> 52);
    v exponent = (v)(e + (m)same(ROUND)) - same(ROUND + 2048.0);
    v w = (v)(bits - (offset & (int64_t)0xFFF0000000000000ULL)) - same(1.0), w2 = w * w;
    v p01 = multiply_add(same(LOG2[1]), w, same(LOG2[0])), p23 = multiply_add(same(LOG2[3]), w, same(LOG2[2]));
    v p45 = multiply_add(same(LOG2[5]), w, same(LOG2[4]));
    return multiply_add(multiply_add(multiply_add(p45, w2, p23), w2, p01), w, exponent);
}
static inline v quick_exp2(v x) {
    v shifted = x + same(ROUND), z = x - (shifted - same(ROUND)), z2 = z * z;
    v p01 = multiply_add(same(EXP2[1]), z, same(EXP2[0])), p23 = multiply_add(same(EXP2[3]), z, same(EXP2[2]));
    v series = multiply_add(multiply_add(same(EXP2[4]), z2, p23), z2, p01);
    return (v)((m)series + ((m)shifted << 52));
}
";

/// The loop of steps, after [`crate::integrate::taylor`].
const STEP: &str = r"
static inline v norm(const v *x, v *nothing) {
    v largest = magnitude(x[0]), zero = x[0] * same(0.0);
    for (int i = 1; i < N; i++) {
        largest = larger(largest, magnitude(x[i]));
        zero += x[i] * same(0.0);
    }
    *nothing += zero;
    return largest;
}
static inline void plus(v *value, v *rest, v x) {
    x += *rest;
    v sum = *value + x, back = sum - *value;
    *rest = (*value - (sum - back)) + (x - back);
    *value = sum;
}
int64_t lepage_steps(const double *parameters, double *carried, int64_t most) {
    u *rows = (u *)carried;
    v y[N], rest[N], c[P + 1][N];
    for (int i = 0; i < N; i++) {
        y[i] = rows[i];
        rest[i] = rows[N + i];
    }
    u *numbers = rows + 2 * N;
    v t = numbers[0], t_rest = numbers[1], end = numbers[2], steps = numbers[4], shortest = numbers[5], longest = numbers[6];
    m active = numbers[3] != same(0.0);
    v status = same(0.0);
    int64_t made = 0;
    while (made < most) {
        m declined = coefficients(t, y, (const u *)parameters, c);
        v nothing = same(0.0);
        v size = norm(y, &nothing), second = norm(c[P - 1], &nothing), last = norm(c[P], &nothing);
        v s = quick_log2(larger(size, same(1.0)));
        v rho = smaller((s - quick_log2(second)) * same(OVER_SECOND), (s - quick_log2(last)) * same(OVER_LAST));
        m ordinary = (nothing == same(0.0)) & (smaller(second, last) >= same(0x1p-1022));
        ordinary &= (magnitude(rho) <= same(1000.0)) & ~declined;
        v length = quick_exp2(rho) * same(SAFETY), remaining = end - t;
        m reaches = length >= magnitude(remaining);
        v h = choose(reaches, remaining, (v)((m)length | ((m)remaining & ~same_bits(INT64_MAX))));
        ordinary &= reaches | (t + same(0.1) * h != t);
        m bad = active & ~ordinary;
        if (any(bad)) {
            status = choose(bad, same(2.0), status);
            break;
        }
        /* Lanes without a run stay where they are. */
        h = choose(active, h, same(0.0));
        v h2 = h * h, h4 = h2 * h2;
        for (int i = 0; i < N; i++) {
            v part[4];
            int k = (P - 1) / 4 * 4 + 1;
            for (int r = 0; r < 4; r++) part[r] = k + r <= P ? c[k + r][i] : same(0.0);
            while (k > 4) {
                k -= 4;
                for (int r = 0; r < 4; r++) part[r] = multiply_add(part[r], h4, c[k + r][i]);
            }
            v low = multiply_add(part[1], h, part[0]), high = multiply_add(part[3], h, part[2]);
            plus(&y[i], &rest[i], multiply_add(high, h2, low) * h);
        }
        plus(&t, &t_rest, h);
        m done = active & reaches;
        t = choose(done, end, t);
        t_rest = choose(done, same(0.0), t_rest);
        v length_made = magnitude(h);
        shortest = smaller(length_made, shortest);
        longest = larger(length_made, longest);
        steps += same(1.0);
        made++;
        if (any(done)) {
            status = choose(done, same(1.0), status);
            break;
        }
    }
    for (int i = 0; i < N; i++) {
        rows[i] = y[i];
        rows[N + i] = rest[i];
    }
    numbers[0] = t;
    numbers[1] = t_rest;
    numbers[4] = steps;
    numbers[5] = shortest;
    numbers[6] = longest;
    numbers[7] = status;
    return made;
}
";

/// Writes assignments; a number is that of its variable.
struct Writer<'a> {
    program: &'a JetProgram,
    text: String,
    variables: usize,
    slots: Vec<usize>,
    /// Node by node, order by order, and the same times the order.
    coefficients: Vec<Vec<usize>>,
    weighted: Vec<Vec<usize>>,
    sums: Vec<Option<usize>>,
    order: usize,
}

impl<'a> Writer<'a> {
    fn new(program: &'a JetProgram) -> Writer<'a> {
        let none = || vec![Vec::new(); program.nodes.len()];
        Writer {
            program,
            text: String::new(),
            variables: 0,
            slots: Vec::new(),
            coefficients: none(),
            weighted: none(),
            sums: Vec::new(),
            order: 0,
        }
    }

    fn assign(&mut self, formula: &str) -> usize {
        self.variables += 1;
        let _ = writeln!(self.text, "    v x{} = {formula};", self.variables);
        self.variables
    }

    /// Everything of order 0.
    fn initial(&mut self, kernel: &Kernel) -> Result<(), NotWide> {
        let mut values: Vec<usize> = Vec::with_capacity(kernel.ops().len());
        let mut angles: Vec<(Value, [usize; 2])> = Vec::new();
        let inline = kernel.math == Math::Inline;
        for &op in kernel.ops() {
            let at = |a: Value| format!("x{}", values[a.index()]);
            let formula = match op {
                Op::Const(bits) => literal(f64::from_bits(bits))?,
                Op::Input(n) => {
                    let input = &kernel.inputs()[n as usize];
                    match input.bank {
                        Bank::Time => "t".to_string(),
                        Bank::State => format!("y[{}]", input.slot),
                        Bank::Parameter => format!("parameters[{}]", input.slot),
                        Bank::Extra => return Err(NotWide("a case distinction".to_string())),
                    }
                }
                Op::Unary(Unary::Neg, a) => format!("-{}", at(a)),
                Op::Unary(Unary::Sqrt, a) => format!("root({})", at(a)),
                Op::Unary(Unary::Abs, a) => format!("magnitude({})", at(a)),
                Op::Unary(f @ (Unary::Sin | Unary::Cos), a) if inline => {
                    let known = angles.iter().find(|(angle, _)| *angle == a).map(|(_, pair)| *pair);
                    let pair = known.unwrap_or_else(|| {
                        self.variables += 2;
                        let [sin, cos] = [self.variables - 1, self.variables];
                        let angle = values[a.index()];
                        let _ = writeln!(
                            self.text,
                            "    v x{sin}, x{cos};\n    sin_cos(x{angle}, &x{sin}, &x{cos}, &declined);"
                        );
                        angles.push((a, [sin, cos]));
                        [sin, cos]
                    });
                    values.push(pair[usize::from(f == Unary::Cos)]);
                    continue;
                }
                Op::Unary(Unary::Exp, a) if inline => format!("exponential({}, &declined)", at(a)),
                Op::Unary(Unary::Log, a) if inline => format!("logarithm({}, &declined)", at(a)),
                Op::Unary(f, _) => return Err(NotWide(f.name().to_string())),
                Op::Binary(Binary::Add, a, b) => format!("{} + {}", at(a), at(b)),
                Op::Binary(Binary::Sub, a, b) => format!("{} - {}", at(a), at(b)),
                Op::Binary(Binary::Mul, a, b) => format!("{} * {}", at(a), at(b)),
                Op::Binary(Binary::Div, a, b) => format!("{} / {}", at(a), at(b)),
                Op::Binary(f, ..) => return Err(NotWide(f.name().to_string())),
                Op::Fma(a, b, c) => {
                    let name =
                        if self.program.fused { "multiply_add" } else { return Err(NotWide("fma".to_string())) };
                    format!("{name}({}, {}, {})", at(a), at(b), at(c))
                }
                Op::PowI(a, n) => {
                    let x = values[a.index()];
                    values.push(self.power(x, n));
                    continue;
                }
                Op::Select(comparison, [a, b, then, otherwise]) => {
                    format!("choose({} {} {}, {}, {})", at(a), sign(comparison), at(b), at(then), at(otherwise))
                }
                Op::Solve(_) | Op::Solution(..) => return Err(NotWide("a linear system with exchanges".to_string())),
                Op::Table(..) => return Err(NotWide("a table".to_string())),
                Op::Guard(a) => {
                    let _ = writeln!(self.text, "    declined |= (m){};", at(a));
                    values.push(values[a.index()]);
                    continue;
                }
            };
            values.push(self.assign(&formula));
        }
        self.slots = kernel.outputs().iter().map(|output| values[output.value.index()]).collect();
        Ok(())
    }

    /// [`libm::powi`], multiplication by multiplication.
    fn power(&mut self, x: usize, n: i32) -> usize {
        let degree = n.unsigned_abs();
        let Some(top) = degree.checked_ilog2() else { return self.assign("same(1.0)") };
        let mut y = x;
        for bit in (0..top).rev() {
            y = self.assign(&format!("x{y} * x{y}"));
            if degree >> bit & 1 == 1 {
                y = self.assign(&format!("x{y} * x{x}"));
            }
        }
        if n < 0 { self.assign(&format!("same(1.0) / x{y}")) } else { y }
    }

    /// All coefficients, order after order.
    fn orders(&mut self) {
        let program = self.program;
        let n = program.n;
        for i in 0..n {
            let slope = self.slots[program.derivatives[i].slot as usize];
            let _ = writeln!(self.text, "    c[0][{i}] = y[{i}];\n    c[1][{i}] = x{slope};");
        }
        for list in self.coefficients.iter_mut().chain(&mut self.weighted) {
            list.push(0);
        }
        let mut states: Vec<usize> = program.derivatives.iter().map(|d| self.slots[d.slot as usize]).collect();
        for k in 1..program.order {
            self.order = k;
            self.sums = vec![None; program.sums.len()];
            for (node, rule) in program.nodes.iter().enumerate() {
                match *rule {
                    Rule::State(i) => self.keep(node as NodeId, states[i as usize]),
                    Rule::Unknown(number, 0) => {
                        let system = &program.systems[number as usize];
                        for (i, x) in jet_rules::unknowns(self, system).into_iter().enumerate() {
                            self.keep(system.first + i as NodeId, x);
                        }
                    }
                    rule => {
                        if let Some(x) = jet_rules::coefficient(self, rule) {
                            self.keep(node as NodeId, x);
                        }
                    }
                }
            }
            for i in 0..n {
                let f = match program.derivatives[i].node {
                    Some(node) => self.at(node),
                    None => self.number(0.0),
                };
                let inverse = 1.0 / (k + 1) as f64;
                states[i] = self.assign(&format!("x{f} * same({inverse:?})"));
                let _ = writeln!(self.text, "    c[{}][{i}] = x{};", k + 1, states[i]);
            }
        }
    }

    /// Remembers the newest coefficient of a node.
    fn keep(&mut self, node: NodeId, x: usize) {
        self.coefficients[node as usize].push(x);
        let is_weighted = |s: Series| s.node == node && s.weighted;
        if self.program.sums.iter().any(|sum| is_weighted(sum.a) || is_weighted(sum.b)) {
            let times = self.assign(&format!("x{x} * same({:?})", self.order as f64));
            self.weighted[node as usize].push(times);
        }
    }
}

/// A constant in every lane.
fn literal(x: f64) -> Result<String, NotWide> {
    if x.is_finite() { Ok(format!("same({x:?})")) } else { Err(NotWide(format!("the number {x}"))) }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Eq => "==",
        Comparison::Ne => "!=",
    }
}

impl Arithmetic for Writer<'_> {
    type Number = usize;

    fn order(&self) -> usize {
        self.order
    }

    fn at(&mut self, node: NodeId) -> usize {
        self.coefficients[node as usize][self.order]
    }

    fn slot(&mut self, slot: Slot) -> usize {
        self.slots[slot as usize]
    }

    fn sum(&mut self, id: SumId) -> usize {
        if let Some(x) = self.sums[id as usize] {
            return x;
        }
        let sum = self.program.sums[id as usize];
        let series = |x: &Self, s: Series, j: usize| {
            let list = if s.weighted { &x.weighted } else { &x.coefficients };
            list[s.node as usize][j]
        };
        let (k, is_square, accumulators) = (self.order, sum.is_square(), self.program.accumulators);
        let mut terms = |x: &mut Self, j: usize, i: usize| (series(x, sum.a, j), series(x, sum.b, i));
        let mut older_terms = |x: &mut Self, _, j: usize, i: usize| terms(x, j, i);
        let older = jet_rules::older(self, &[k], is_square, accumulators, &mut older_terms);
        let total = jet_rules::sum(self, is_square, older[0], &mut terms);
        self.sums[id as usize] = Some(total);
        total
    }

    fn number(&mut self, x: f64) -> usize {
        self.assign(&format!("same({x:?})"))
    }

    fn constant(&mut self, which: Constant) -> usize {
        let k = self.order as f64;
        let x = match which {
            Constant::OverK => 1.0 / k,
            Constant::MinusOverK => -(1.0 / k),
            #[cfg(feature = "jit")]
            Constant::K => k,
        };
        self.number(x)
    }

    fn add(&mut self, a: usize, b: usize) -> usize {
        self.assign(&format!("x{a} + x{b}"))
    }

    fn sub(&mut self, a: usize, b: usize) -> usize {
        self.assign(&format!("x{a} - x{b}"))
    }

    fn mul(&mut self, a: usize, b: usize) -> usize {
        self.assign(&format!("x{a} * x{b}"))
    }

    fn negate(&mut self, a: usize) -> usize {
        self.assign(&format!("-x{a}"))
    }

    fn multiply_add(&mut self, a: usize, b: usize, c: usize) -> usize {
        self.assign(&format!("multiply_add(x{a}, x{b}, x{c})"))
    }

    fn multiply_sub(&mut self, a: usize, b: usize, c: usize) -> usize {
        self.assign(&format!("multiply_add(-x{a}, x{b}, x{c})"))
    }

    fn select(&mut self, comparison: Comparison, [p, q, then, otherwise]: [usize; 4]) -> usize {
        self.assign(&format!("choose(x{p} {} x{q}, x{then}, x{otherwise})", sign(comparison)))
    }
}
