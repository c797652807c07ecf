//! Kernel → source text: C, Rust, Python, Julia, and the intermediate representation of the code generator.
//!
//! The text is the kernel, operation by operation, so it computes what Lepage computes, up to the last bits of the
//! elementary functions of its language. Linear systems come with a small elimination with partial pivoting, tables with
//! their pieces. A function takes the banks of the kernel as arrays and writes an array of outputs; C and Rust functions
//! say whether all results are finite. What a function needs besides carries its name, so that several texts are one file.

use super::ir::{Bank, Binary, Kernel, Op, Unary, Value};
use super::optimise;
use crate::algebra::function::Elementary;

/// What a kernel can be written as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    C,
    Rust,
    Python,
    /// Python whose arguments may be arrays: a column of states for each state.
    Numpy,
    Julia,
    Clif,
}

/// The kernel as source text, behind lines that say what it is.
pub fn emit(kernel: &Kernel, about: &[String], language: Language) -> Result<String, String> {
    match language {
        Language::C | Language::Rust | Language::Python | Language::Julia => {
            Ok(Writer::new(kernel, language).program(about))
        }
        Language::Numpy => match kernel.ops().iter().find_map(|op| lacking(*op, language)) {
            Some(f) => Err(format!("NumPy has no function `{}`", f.name())),
            None => Ok(Writer::new(kernel, language).program(about)),
        },
        #[cfg(feature = "jit")]
        Language::Clif => {
            let code = super::jit::clif(kernel, super::jit::Lanes::One).map_err(|e| e.to_string())?;
            let mut writer = Writer::new(kernel, language);
            writer.head(about);
            writer.comment("addresses of constants and functions are numbered: 0x1000, 0x2000, ...");
            Ok(writer.out + &numbered_addresses(&code))
        }
        #[cfg(not(feature = "jit"))]
        Language::Clif => Err("this build has no code generator".to_string()),
    }
}

/// The function of an operation, if the language has none.
fn lacking(op: Op, language: Language) -> Option<Elementary> {
    match op {
        Op::Unary(unary @ Unary::Function(f), _) if unary.source(language).is_empty() => Some(f),
        _ => None,
    }
}

/// A name that every language accepts.
fn identifier(name: &str) -> String {
    let mut id: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if id.is_empty() || id.starts_with(|c: char| c.is_ascii_digit()) {
        id.insert(0, 'k');
    }
    id
}

struct Writer<'a> {
    kernel: &'a Kernel,
    language: Language,
    out: String,
}

impl<'a> Writer<'a> {
    fn new(kernel: &'a Kernel, language: Language) -> Writer<'a> {
        Writer { kernel, language, out: String::new() }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn comment(&mut self, text: &str) {
        match self.language {
            Language::C => self.line(format!("/* {text} */")),
            Language::Python | Language::Numpy | Language::Julia => self.line(format!("# {text}")),
            Language::Rust => self.line(format!("// {text}")),
            Language::Clif => self.line(format!("; {text}")),
        }
    }

    /// Where the language begins to count.
    fn first(&self) -> usize {
        usize::from(self.language == Language::Julia)
    }

    /// Which kernel it is, and the order of its arguments and results.
    fn head(&mut self, about: &[String]) {
        let kernel = self.kernel;
        let first = self.first();
        self.comment(&format!("{}, written by Lepage {}", kernel.name, env!("CARGO_PKG_VERSION")));
        about.iter().for_each(|line| self.comment(line));
        for bank in Bank::ALL {
            let mut names: Vec<(u32, &str)> =
                kernel.inputs().iter().filter(|i| i.bank == bank).map(|i| (i.slot, i.name.as_str())).collect();
            names.sort();
            if !names.is_empty() {
                let list: Vec<String> =
                    names.iter().map(|(slot, name)| format!("[{}] {name}", *slot as usize + first)).collect();
                self.comment(&format!("{}: {}", bank.name(), list.join(", ")));
            }
        }
        let list: Vec<String> =
            kernel.outputs().iter().zip(first..).map(|(o, i)| format!("[{i}] {}", o.name)).collect();
        self.comment(&format!("out: {}", list.join(", ")));
    }

    fn program(mut self, about: &[String]) -> String {
        let kernel = self.kernel;
        self.head(about);
        self.support();
        let name = identifier(&kernel.name);
        match self.language {
            Language::C => {
                self.line(format!(
                    "int {name}(const double *time, const double *state, const double *parameter, const double *extra, double *out)\n{{"
                ));
                self.line("    (void)time; (void)state; (void)parameter; (void)extra;");
            }
            Language::Rust => {
                self.line("#[allow(non_snake_case, unused_variables)]");
                self.line(format!(
                    "pub fn {name}(time: &[f64], state: &[f64], parameter: &[f64], extra: &[f64], out: &mut [f64]) -> bool {{"
                ));
            }
            Language::Julia => self.line(format!("function {name}(time, state, parameter=Float64[], extra=Float64[])")),
            Language::Python | Language::Numpy | Language::Clif => {
                self.line(format!("def {name}(time, state, parameter=(), extra=()):"))
            }
        }
        if self.language == Language::Rust {
            self.declarations();
        }
        // What only something unused is made of is unused, too.
        let alive = optimise::liveness(kernel);
        for value in kernel.values().filter(|v| alive[v.index()]) {
            self.operation(value);
        }
        self.results();
        self.out
    }

    /// What the functions need that the language does not know; of Rust inside the function.
    fn declarations(&mut self) {
        let mut declared: Vec<&str> = Vec::new();
        for op in self.kernel.ops() {
            if let Op::Unary(f, _) = op
                && let Some(text) = f.declaration(self.language)
                && !declared.contains(&text)
            {
                declared.push(text);
            }
        }
        declared.into_iter().for_each(|text| self.line(text));
    }

    fn results(&mut self) {
        let values: Vec<String> = self.kernel.outputs().iter().map(|o| v(o.value)).collect();
        match self.language {
            Language::Python => self.line(format!("    return [{}]", values.join(", "))),
            Language::Numpy => self.line(format!("    return np.stack(np.broadcast_arrays({}))", values.join(", "))),
            Language::Julia => self.line(format!("    return [{}]\nend", values.join(", "))),
            Language::C | Language::Rust | Language::Clif => {
                for (i, x) in values.iter().enumerate() {
                    self.line(format!("    out[{i}] = {x};"));
                }
                let n = values.len();
                if self.language == Language::C {
                    self.line(format!(
                        "    for (int i = 0; i < {n}; i++)\n        if (!isfinite(out[i])) return 0;\n    return 1;\n}}"
                    ));
                } else {
                    self.line(format!("    out[..{n}].iter().all(|x| x.is_finite())\n}}"));
                }
            }
        }
    }

    fn operation(&mut self, value: Value) {
        let kernel = self.kernel;
        let name = v(value);
        let text = match kernel.op(value) {
            // Alone it needs no brackets.
            Op::Const(bits) => number(f64::from_bits(bits), self.language).trim_matches(['(', ')']).to_string(),
            Op::Input(i) => {
                let input = &kernel.inputs()[i as usize];
                // Julia counts from 1.
                let first = u32::from(self.language == Language::Julia);
                format!("{}[{}]", input.bank.name(), input.slot + first)
            }
            Op::Unary(f, a) => self.unary(f, &v(a)),
            Op::Binary(f, a, b) => self.binary(f, &v(a), &v(b)),
            Op::Fma(a, b, c) => {
                let (a, b, c) = (v(a), v(b), v(c));
                match self.language {
                    Language::C => format!("fma({a}, {b}, {c})"),
                    Language::Rust => format!("{a}.mul_add({b}, {c})"),
                    Language::Julia => format!("fma({a}, {b}, {c})"),
                    Language::Python | Language::Numpy | Language::Clif => format!("{a} * {b} + {c}"),
                }
            }
            Op::PowI(a, n) => match self.language {
                Language::C => format!("pow({}, {n})", v(a)),
                Language::Rust => format!("{}.powi({n})", v(a)),
                Language::Julia => format!("{}^({n})", v(a)),
                Language::Python | Language::Numpy | Language::Clif => {
                    format!("{} ** {}", v(a), if n < 0 { format!("({n})") } else { n.to_string() })
                }
            },
            Op::Select(cmp, args) => {
                let [a, b, then, otherwise] = args.map(v);
                match self.language {
                    Language::C | Language::Julia => format!("{a} {} {b} ? {then} : {otherwise}", cmp.name()),
                    Language::Rust => format!("if {a} {} {b} {{ {then} }} else {{ {otherwise} }}", cmp.name()),
                    Language::Python | Language::Clif => format!("{then} if {a} {} {b} else {otherwise}", cmp.name()),
                    Language::Numpy => format!("np.where({a} {} {b}, {then}, {otherwise})", cmp.name()),
                }
            }
            Op::Solve(number) => return self.solve(value, number),
            Op::Solution(solve, item) => {
                format!("x{}[{}]", solve.index(), item as usize + usize::from(self.language == Language::Julia))
            }
            Op::Table(table, derivative, a) => {
                format!("{}_table{table}({}, {derivative})", identifier(&kernel.name), v(a))
            }
            Op::Guard(a) => v(a),
        };
        self.assign(&name, &text);
    }

    fn assign(&mut self, name: &str, text: &str) {
        match self.language {
            Language::C => self.line(format!("    const double {name} = {text};")),
            Language::Rust => self.line(format!("    let {name}: f64 = {text};")),
            Language::Python | Language::Numpy | Language::Julia | Language::Clif => {
                self.line(format!("    {name} = {text}"))
            }
        }
    }

    fn unary(&self, f: Unary, a: &str) -> String {
        f.source(self.language).replace('#', a)
    }

    fn binary(&self, f: Binary, a: &str, b: &str) -> String {
        match (f, self.language) {
            (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div, _) => format!("{a} {} {b}", f.name()),
            (Binary::Pow, Language::C) => format!("pow({a}, {b})"),
            (Binary::Pow, Language::Rust) => format!("{a}.powf({b})"),
            (Binary::Pow, Language::Julia) => format!("{a}^{b}"),
            (Binary::Pow, Language::Python | Language::Numpy | Language::Clif) => format!("{a} ** {b}"),
            (Binary::Atan2, Language::C) => format!("atan2({a}, {b})"),
            (Binary::Atan2, Language::Rust) => format!("{a}.atan2({b})"),
            (Binary::Atan2, Language::Julia) => format!("atan({a}, {b})"),
            (Binary::Atan2, Language::Python | Language::Clif) => format!("math.atan2({a}, {b})"),
            (Binary::Atan2, Language::Numpy) => format!("np.arctan2({a}, {b})"),
            (Binary::Min | Binary::Max, Language::Numpy) => format!("np.{}imum({a}, {b})", f.name()),
            (Binary::Min | Binary::Max, Language::C) => format!("f{}({a}, {b})", f.name()),
            (Binary::Min | Binary::Max, Language::Rust) => format!("{a}.{}({b})", f.name()),
            (Binary::Min | Binary::Max, Language::Python | Language::Julia | Language::Clif) => {
                format!("{}({a}, {b})", f.name())
            }
        }
    }

    fn solve(&mut self, value: Value, number: u32) {
        let solve = &self.kernel.solves()[number as usize];
        let (n, columns) = (solve.n(), solve.n_columns());
        let list = |values: &[Value]| values.iter().map(|x| v(*x)).collect::<Vec<_>>().join(", ");
        let (matrix, rhs) = (list(&solve.matrix), list(&solve.rhs));
        let (id, name) = (value.index(), identifier(&self.kernel.name));
        match self.language {
            Language::C => {
                self.line(format!("    double m{id}[] = {{{matrix}}}, x{id}[] = {{{rhs}}};"));
                self.line(format!("    {name}_solve({n}, {columns}, m{id}, x{id});"));
            }
            Language::Rust => {
                self.line(format!("    let (mut m{id}, mut x{id}) = ([{matrix}], [{rhs}]);"));
                self.line(format!("    {name}_solve({n}, &mut m{id}, &mut x{id});"));
            }
            // Row by row is column by column of the transposed matrix.
            Language::Julia => self.line(format!(
                "    x{id} = transpose(reshape([{matrix}], {n}, {n})) \\ reshape([{rhs}], {n}, {columns})"
            )),
            Language::Python | Language::Numpy | Language::Clif => {
                self.line(format!("    x{id} = {name}_solve({n}, [{matrix}], [{rhs}])"))
            }
        }
    }

    /// What the function needs besides arithmetic.
    fn support(&mut self) {
        let solves = !self.kernel.solves().is_empty();
        let name = identifier(&self.kernel.name);
        match self.language {
            Language::C => {
                self.line("#include <math.h>\n");
                if solves {
                    self.line(C_SOLVE.replace("lepage", &name));
                }
            }
            Language::Rust => {
                if solves {
                    self.line(RUST_SOLVE.replace("lepage", &name));
                }
            }
            Language::Julia => self.declarations(),
            Language::Python => {
                self.line("import math\n");
                if solves {
                    self.line(PYTHON_SOLVE.replace("lepage", &name));
                }
            }
            Language::Numpy => {
                self.line("import numpy as np\n");
                self.declarations();
                if solves {
                    self.line(NUMPY_SOLVE.replace("lepage", &name));
                }
            }
            Language::Clif => {}
        }
        for (i, table) in self.kernel.tables().iter().enumerate() {
            let pieces: Vec<(f64, [f64; 4])> =
                table.knots()[..table.knots().len() - 1].iter().map(|&x| table.piece(x)).collect();
            let language = self.language;
            let row = |(x, c): &(f64, [f64; 4])| {
                let numbers: Vec<String> = std::iter::once(x).chain(c).map(|x| number(*x, language)).collect();
                numbers.join(", ")
            };
            let (first, last) = table.range();
            let (first, last) = (number(first, language), number(last, language));
            let n = pieces.len();
            match language {
                Language::C => {
                    let rows: Vec<String> = pieces.iter().map(|p| format!("{{{}}}", row(p))).collect();
                    self.line(format!("/* {}: its range is [{first}, {last}] */", table.name));
                    self.line(format!("static double {name}_table{i}(double x, int derivative)\n{{\n    static const double p[{n}][5] = {{{}}};", rows.join(", ")));
                    self.line(format!("    int i = 0;\n    if (!(x >= {first} && x <= {last})) return NAN;\n    while (i + 1 < {n} && p[i + 1][0] <= x) i++;"));
                    self.line("    const double u = x - p[i][0], a = p[i][1], b = p[i][2], c = p[i][3], d = p[i][4];");
                    self.line("    switch (derivative) {\n    case 0: return a + u * (b + u * (c + u * d));\n    case 1: return b + u * (2 * c + 3 * u * d);\n    case 2: return 2 * c + 6 * u * d;\n    case 3: return 6 * d;\n    }\n    return 0;\n}\n");
                }
                Language::Rust => {
                    let rows: Vec<String> = pieces.iter().map(|p| format!("[{}]", row(p))).collect();
                    self.line(format!("/// {}: its range is [{first}, {last}].", table.name));
                    self.line(format!(
                        "#[allow(non_snake_case)]\nfn {name}_table{i}(x: f64, derivative: u8) -> f64 {{\n    const P: [[f64; 5]; {n}] = [{}];",
                        rows.join(", ")
                    ));
                    self.line(format!("    if !(x >= {first} && x <= {last}) {{\n        return f64::NAN;\n    }}\n    let i = P.partition_point(|p| p[0] <= x).max(1) - 1;"));
                    self.line("    let [left, a, b, c, d] = P[i];\n    let u = x - left;\n    match derivative {\n        0 => a + u * (b + u * (c + u * d)),\n        1 => b + u * (2.0 * c + 3.0 * u * d),\n        2 => 2.0 * c + 6.0 * u * d,\n        3 => 6.0 * d,\n        _ => 0.0,\n    }\n}\n");
                }
                Language::Julia => {
                    let rows: Vec<String> = pieces.iter().map(|p| format!("({})", row(p))).collect();
                    self.line(format!("# {}: its range is [{first}, {last}]", table.name));
                    self.line(format!("function {name}_table{i}(x, derivative)\n    p = [{}]", rows.join(", ")));
                    self.line(format!("    {first} <= x <= {last} || return NaN\n    (left, a, b, c, d) = p[findlast(q -> q[1] <= x, p)]\n    u = x - left"));
                    self.line("    return (a + u * (b + u * (c + u * d)), b + u * (2 * c + 3 * u * d), 2 * c + 6 * u * d, 6 * d, 0.0)[min(derivative, 4) + 1]\nend\n");
                }
                Language::Numpy => {
                    let rows: Vec<String> = pieces.iter().map(|p| format!("({})", row(p))).collect();
                    self.line(format!("def {name}_table{i}(x, derivative):\n    \"\"\"{}: its range is [{first}, {last}].\"\"\"\n    p = np.array([{}])", table.name, rows.join(", ")));
                    self.line("    left, a, b, c, d = p[np.clip(np.searchsorted(p[:, 0], x, side=\"right\") - 1, 0, None)].T\n    u = x - left");
                    self.line("    y = (a + u * (b + u * (c + u * d)), b + u * (2 * c + 3 * u * d), 2 * c + 6 * u * d, 6 * d, 0 * u)[min(derivative, 4)]");
                    self.line(format!("    return np.where((x >= {first}) & (x <= {last}), y, np.nan)\n"));
                }
                Language::Python | Language::Clif => {
                    let rows: Vec<String> = pieces.iter().map(|p| format!("({})", row(p))).collect();
                    self.line(format!("def {name}_table{i}(x, derivative):\n    \"\"\"{}: its range is [{first}, {last}].\"\"\"\n    p = [{}]", table.name, rows.join(", ")));
                    self.line(format!("    if not {first} <= x <= {last}:\n        return math.nan\n    left, a, b, c, d = [q for q in p if q[0] <= x][-1]\n    u = x - left"));
                    self.line("    return (a + u * (b + u * (c + u * d)), b + u * (2 * c + 3 * u * d), 2 * c + 6 * u * d, 6 * d, 0.0)[min(derivative, 4)]\n");
                }
            }
        }
    }
}

/// The text of the code with the addresses of this process replaced by numbers, so that equal inputs give equal texts. Kernels have
/// no other integers that are large enough to be written in hexadecimal.
#[cfg(feature = "jit")]
fn numbered_addresses(code: &str) -> String {
    let digits = |piece: &str| piece.find(|c: char| !(c.is_ascii_hexdigit() || c == '_')).unwrap_or(piece.len());
    let mut known: Vec<&str> = vec![];
    for piece in code.split("iconst.i64 0x").skip(1) {
        let address = &piece[..digits(piece)];
        if !known.contains(&address) {
            known.push(address);
        }
    }
    let mut pieces = code.split("0x");
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let (number, rest) = piece.split_at(digits(piece));
        text.push_str("0x");
        // Floats have a point.
        match known.iter().position(|address| *address == number) {
            Some(place) if !rest.starts_with('.') => text.push_str(&format!("{:x}000", place + 1)),
            _ => text.push_str(number),
        }
        text.push_str(rest);
    }
    text
}

fn v(value: Value) -> String {
    format!("v{}", value.index())
}

fn number(x: f64, language: Language) -> String {
    if x.is_finite() {
        return if x.is_sign_negative() { format!("({x:?})") } else { format!("{x:?}") };
    }
    let sign = if x < 0.0 { "-" } else { "" };
    let (infinity, nan) = match language {
        Language::C => ("INFINITY", "NAN"),
        Language::Rust => ("f64::INFINITY", "f64::NAN"),
        Language::Julia => ("Inf", "NaN"),
        Language::Numpy => ("np.inf", "np.nan"),
        Language::Python | Language::Clif => ("math.inf", "math.nan"),
    };
    if x.is_nan() { nan.to_string() } else { format!("{sign}{infinity}") }
}

const C_SOLVE: &str = "\
/* Gaussian elimination with partial pivoting; NaN without a unique solution. */
static void lepage_solve(int n, int columns, double *m, double *x)
{
    for (int j = 0; j < n; j++) {
        int p = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(m[i * n + j]) > fabs(m[p * n + j])) p = i;
        if (m[p * n + j] == 0) {
            for (int i = 0; i < n * columns; i++) x[i] = NAN;
            return;
        }
        for (int k = 0; k < n; k++) { double t = m[j * n + k]; m[j * n + k] = m[p * n + k]; m[p * n + k] = t; }
        for (int c = 0; c < columns; c++) { double t = x[c * n + j]; x[c * n + j] = x[c * n + p]; x[c * n + p] = t; }
        for (int i = j + 1; i < n; i++) {
            double l = m[i * n + j] / m[j * n + j];
            for (int k = j + 1; k < n; k++) m[i * n + k] -= l * m[j * n + k];
            for (int c = 0; c < columns; c++) x[c * n + i] -= l * x[c * n + j];
        }
    }
    for (int c = 0; c < columns; c++)
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) x[c * n + i] -= m[i * n + k] * x[c * n + k];
            x[c * n + i] /= m[i * n + i];
        }
}
";

const NUMPY_SOLVE: &str = "\
def lepage_solve(n, m, x):
    \"\"\"One linear system for each entry of the arrays, by LAPACK.\"\"\"
    entries = np.stack(np.broadcast_arrays(*m, *x), axis=-1)
    m, x = entries[..., :n * n], entries[..., n * n:]
    x = x.reshape(x.shape[:-1] + (-1, n)).swapaxes(-1, -2)
    y = np.linalg.solve(m.reshape(m.shape[:-1] + (n, n)), x).swapaxes(-1, -2)
    return np.moveaxis(y.reshape(y.shape[:-2] + (-1,)), -1, 0)
";

const RUST_SOLVE: &str = "\
/// Gaussian elimination with partial pivoting; NaN without a unique solution.
#[allow(non_snake_case)]
fn lepage_solve(n: usize, m: &mut [f64], x: &mut [f64]) {
    for j in 0..n {
        let mut p = j;
        for i in j + 1..n {
            if m[i * n + j].abs() > m[p * n + j].abs() {
                p = i;
            }
        }
        if m[p * n + j] == 0.0 {
            x.fill(f64::NAN);
            return;
        }
        for k in 0..n {
            m.swap(j * n + k, p * n + k);
        }
        x.chunks_exact_mut(n).for_each(|x| x.swap(j, p));
        for i in j + 1..n {
            let l = m[i * n + j] / m[j * n + j];
            for k in j + 1..n {
                m[i * n + k] -= l * m[j * n + k];
            }
            x.chunks_exact_mut(n).for_each(|x| x[i] -= l * x[j]);
        }
    }
    for x in x.chunks_exact_mut(n) {
        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] -= m[i * n + k] * x[k];
            }
            x[i] /= m[i * n + i];
        }
    }
}
";

const PYTHON_SOLVE: &str = "\
def lepage_solve(n, m, x):
    \"\"\"Gaussian elimination with partial pivoting; NaN without a unique solution.\"\"\"
    m = [m[i * n:(i + 1) * n] for i in range(n)]
    x = [x[i:i + n] for i in range(0, len(x), n)]
    for j in range(n):
        p = max(range(j, n), key=lambda i: abs(m[i][j]))
        if m[p][j] == 0:
            return [math.nan] * (n * len(x))
        m[j], m[p] = m[p], m[j]
        for c in x:
            c[j], c[p] = c[p], c[j]
        for i in range(j + 1, n):
            l = m[i][j] / m[j][j]
            for k in range(j + 1, n):
                m[i][k] -= l * m[j][k]
            for c in x:
                c[i] -= l * c[j]
    for c in x:
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                c[i] -= m[i][k] * c[k]
            c[i] /= m[i][i]
    return [y for c in x for y in c]
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::interpret;
    use crate::codegen::ir::{Comparison, KernelBuilder, Shape};
    use crate::codegen::table::{Outside, Table};
    use std::process::Command;
    use std::sync::Arc;

    fn everything() -> Kernel {
        let mut b = KernelBuilder::new("every operation");
        let (x, y) = (b.input("x", Bank::State), b.input("y'", Bank::State));
        let p = b.input("p", Bank::Parameter);
        let points: Vec<_> = (0..5).map(|i| (f64::from(i), f64::from(i * i % 3))).collect();
        let table = Arc::new(Table::spline("V", &points, Outside::Undefined).unwrap());
        let mut outputs = Vec::new();
        for f in Unary::all() {
            let one = b.constant(1.0);
            let argument = if f == Unary::Acosh { b.add(x, one) } else { x };
            outputs.push(b.unary(f, argument));
        }
        for f in Binary::ALL {
            outputs.push(b.binary(f, x, y));
        }
        outputs.push(b.fma(x, y, p));
        outputs.push(b.powi(x, -3));
        outputs.push(b.select(Comparison::Le, x, y, p, x));
        outputs.extend(b.solve(Shape::General, vec![x, y, p, x], vec![y, x, p, p]));
        outputs.push(b.table(&table, 1, y));
        for (i, v) in outputs.into_iter().enumerate() {
            b.output(format!("o{i}"), v);
        }
        b.finish()
    }

    fn expected(kernel: &Kernel) -> Vec<f64> {
        let mut out = vec![0.0; kernel.outputs().len()];
        interpret::evaluate(kernel, [&[], &[0.4, 1.7], &[0.9], &[]], &mut out).unwrap();
        out
    }

    fn same(kernel: &Kernel, text: &str) {
        let got: Vec<f64> = text.split_whitespace().map(|x| x.parse().unwrap()).collect();
        let expected = expected(kernel);
        assert_eq!(got.len(), expected.len());
        for (i, (g, e)) in got.iter().zip(&expected).enumerate() {
            assert!((g - e).abs() <= 1e-14 * e.abs().max(1.0), "output {i}: {g} and {e}");
        }
    }

    /// The emitted C, compiled by the C compiler of the machine if there is one, computes the same.
    #[test]
    fn c_computes_the_same() {
        if Command::new("cc").arg("--version").output().is_err() {
            return;
        }
        let kernel = everything();
        let n = kernel.outputs().len();
        let directory = std::env::temp_dir().join(format!("lepage-emit-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let (source, program) = (directory.join("kernel.c"), directory.join("kernel"));
        let main = format!(
            "#include <stdio.h>\nint main(void) {{ double y[] = {{0.4, 1.7}}, p[] = {{0.9}}, out[{n}]; every_operation(0, y, p, 0, out); for (int i = 0; i < {n}; i++) printf(\"%.17g\\n\", out[i]); return 0; }}\n"
        );
        std::fs::write(&source, emit(&kernel, &[], Language::C).unwrap() + &main).unwrap();
        let compiled = Command::new("cc")
            .args(["-std=c99", "-pedantic", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&program)
            .arg(&source)
            .arg("-lm")
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&program).output().unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        same(&kernel, &String::from_utf8_lossy(&output.stdout));
    }

    /// The same for Rust.
    #[test]
    fn rust_computes_the_same() {
        if Command::new("rustc").arg("--version").output().is_err() {
            return;
        }
        let kernel = everything();
        let n = kernel.outputs().len();
        let directory = std::env::temp_dir().join(format!("lepage-emit-rust-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let (source, program) = (directory.join("kernel.rs"), directory.join("kernel"));
        let main = format!(
            "fn main() {{ let mut out = [0.0; {n}]; every_operation(&[], &[0.4, 1.7], &[0.9], &[], &mut out); for x in out {{ println!(\"{{x:?}}\"); }} }}\n"
        );
        std::fs::write(&source, emit(&kernel, &[], Language::Rust).unwrap() + &main).unwrap();
        let compiled = Command::new("rustc")
            .args(["--edition", "2024", "-D", "warnings", "-o"])
            .arg(&program)
            .arg(&source)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&program).output().unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        same(&kernel, &String::from_utf8_lossy(&output.stdout));
    }

    #[test]
    fn python_computes_the_same() {
        if Command::new("python3").arg("--version").output().is_err() {
            return;
        }
        let kernel = everything();
        let program = emit(&kernel, &[], Language::Python).unwrap()
            + "\nprint(*map(repr, map(float, every_operation([], [0.4, 1.7], [0.9]))))\n";
        let output = Command::new("python3").arg("-c").arg(program).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        same(&kernel, &String::from_utf8_lossy(&output.stdout));
    }

    #[test]
    fn julia_computes_the_same() {
        if Command::new("julia").arg("--version").output().is_err() {
            eprintln!("skipped: there is no julia on this machine");
            return;
        }
        let kernel = everything();
        let program = emit(&kernel, &[], Language::Julia).unwrap()
            + "\nforeach(println, every_operation(Float64[], [0.4, 1.7], [0.9]))\n";
        let output = Command::new("julia").arg("-e").arg(program).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        same(&kernel, &String::from_utf8_lossy(&output.stdout));
    }

    #[test]
    fn text_of_a_small_kernel() {
        let mut b = KernelBuilder::new("fall");
        let (y, v) = (b.input("y", Bank::State), b.input("v", Bank::State));
        let g = b.input("g", Bank::Parameter);
        let s = b.sqrt(y);
        let d = b.mul(g, s);
        let a = b.neg(d);
        b.output("y'", v);
        b.output("v'", a);
        let kernel = b.finish();
        let rust = emit(&kernel, &[], Language::Rust).unwrap();
        assert!(rust.contains("pub fn fall(") && rust.contains("let v3: f64 = v0.sqrt();"), "{rust}");
        let julia = emit(&kernel, &[], Language::Julia).unwrap();
        assert!(
            julia.contains("function fall(") && julia.contains("v0 = state[1]") && julia.ends_with("end\n"),
            "{julia}"
        );
        #[cfg(feature = "jit")]
        assert!(emit(&kernel, &[], Language::Clif).unwrap().contains("sqrt"));
    }

    #[test]
    fn what_numpy_lacks_is_named_whatever_the_model_is_called() {
        let of = |f: Elementary| {
            let mut b = KernelBuilder::new("one function");
            let x = b.input("x", Bank::State);
            let y = b.unary(Unary::Function(f), x);
            b.output("y", y);
            emit(&b.finish(), &["math.mech".to_string()], Language::Numpy)
        };
        assert_eq!(of(Elementary::Erf).unwrap_err(), "NumPy has no function `erf`");
        assert!(of(Elementary::Tanh).unwrap().contains("np.tanh("));
    }
}
