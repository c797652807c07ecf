//! The table of methods.
//!
//! A method is one row of [`METHODS`]: its name, what it is, what it preserves, when `auto` takes it. Language, driver, help and
//! tests read the rows, so that adding an explicit method is adding a row with its tableau. Order, step control and dense
//! output follow from the tableau; nothing else says them again.

use super::collocation;
use super::splitting::{self, Composition};
use super::tableau::{self, Estimate, Tableau};
use super::variational::Discretisation;

/// How a problem is integrated: a row of the table, and what stands in brackets after its name.
#[derive(Clone, Copy)]
pub struct Method {
    row: &'static MethodRow,
    word: Option<&'static str>,
    number: Option<u32>,
}

/// One row: everything that is said about a method.
pub struct MethodRow {
    pub name: &'static str,
    pub family: Family,
    /// What may stand in brackets after the name.
    pub takes: Takes,
    /// What of the motion it keeps, whatever the step.
    pub preserves: &'static [(Quantity, Kept)],
    /// When `auto` takes it.
    pub suits: Option<Suits>,
    pub help: &'static str,
}

/// How the steps of a method are made.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    /// One of the others is chosen from tolerance, size and length of the run; the trajectory says which and why.
    Choice,
    /// Taylor series of an order that follows from the tolerance: [`super::taylor`].
    Series,
    /// Explicit Runge–Kutta: [`super::explicit`].
    Explicit(&'static Tableau),
    /// Verlet's method and its compositions, for separable motions: [`super::splitting`].
    Splitting(&'static Composition),
    /// Collocation at the points of Gauss, of the order in brackets, or 2: [`super::gauss`].
    Gauss,
    /// Radau IIA, of the order in brackets: [`super::radau`].
    Radau,
    /// Backward differentiation of variable order: [`super::bdf`].
    Differentiation,
    /// The discrete Euler–Lagrange equations of a Lagrangian, by the word in brackets: [`super::variational`].
    Variational,
    /// The same on the rotation group, of the order in brackets: [`super::lie`].
    LieVariational,
    /// Collocation on the rotation group, of the order in brackets: [`super::lie_gauss`].
    LieGauss,
}

/// What may stand in brackets after the name of a method: `gauss(4)`.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    Nothing,
    Number(Numbers),
    /// One of these words, and after some of them a number. Without brackets it is the first.
    Word(&'static [(&'static str, Option<Numbers>)]),
}

/// The numbers that a method takes.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {
    /// Without brackets it is the first.
    OneOf(&'static [u32]),
    /// Even numbers from 2 on.
    Even { usual: u32, most: u32 },
}

/// Something in brackets after the name of a method, as it was written.
#[derive(Clone, PartialEq, Debug)]
pub enum Written {
    Word(String),
    Number(i64),
    Other,
}

/// Why no method is meant by what was written.
#[derive(Clone, PartialEq, Debug)]
pub enum BadMethod {
    NoSuchName,
    /// The method takes nothing, or not so much.
    TooMuch,
    /// What it takes instead, in words, and one that can be written.
    Misfit {
        takes: String,
        example: String,
    },
}

/// What of a motion a method may keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// First integrals that are sums of states with constant factors, like a total momentum.
    Linear,
    /// First integrals that are quadratic in the states, like an angular momentum.
    Quadratic,
    /// Momenta of symmetries that move the positions by an affine map.
    Momenta,
    /// The symplectic form dq ∧ dp of canonical coordinates.
    SymplecticForm,
    /// The energy of a Hamiltonian system, over long runs.
    Energy,
    /// A run, and the run back from its end, cancel.
    Reversal,
}

/// How well it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Not changed by a single bit.
    Exactly,
    /// Up to rounding errors, whatever the step.
    ToRounding,
    /// It swings about a mean that does not move.
    InTheMean,
}

/// What a problem asks of its method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suits {
    Loose,
    Moderate,
    Tight,
}

/// Sums of states: Hairer–Lubich–Wanner, *Geometric Numerical Integration*, theorem IV.1.5 for Runge–Kutta methods; every
/// coefficient of a series satisfies the linear relation too.
const ONLY_LINEAR: &[(Quantity, Kept)] = &[(Quantity::Linear, Kept::ToRounding)];

/// Collocation at the points of Gauss: the same, theorems IV.2.1 (quadratic), VI.4.2 (symplectic), V.2.1 (symmetric) and
/// IX.8.1 (energy, for exponentially long times).
const GEOMETRIC: &[(Quantity, Kept)] = &[
    (Quantity::Linear, Kept::ToRounding),
    (Quantity::Quadratic, Kept::ToRounding),
    (Quantity::Momenta, Kept::ToRounding),
    (Quantity::SymplecticForm, Kept::ToRounding),
    (Quantity::Energy, Kept::InTheMean),
    (Quantity::Reversal, Kept::ToRounding),
];

/// Discrete Lagrangians: Marsden–West, §1.3 (the form), §1.3.3 (momenta of symmetries that an interpolating polynomial shares,
/// which are the affine ones); reversal holds for the symmetric quadratures that are taken.
const DISCRETE: &[(Quantity, Kept)] = &[
    (Quantity::Linear, Kept::ToRounding),
    (Quantity::Momenta, Kept::ToRounding),
    (Quantity::SymplecticForm, Kept::ToRounding),
    (Quantity::Energy, Kept::InTheMean),
    (Quantity::Reversal, Kept::ToRounding),
];

/// Verlet's method and its symmetric compositions: explicit, so that nothing is solved, and symplectic for separable systems
/// (Hairer–Lubich–Wanner, theorem VI.3.4); of quadratic integrals they keep some only.
const SPLIT: &[(Quantity, Kept)] = &[
    (Quantity::Linear, Kept::ToRounding),
    (Quantity::Momenta, Kept::ToRounding),
    (Quantity::SymplecticForm, Kept::ToRounding),
    (Quantity::Energy, Kept::InTheMean),
    (Quantity::Reversal, Kept::ToRounding),
];

/// Collocation in a chart of the group, symmetric: linear integrals of the numbers among the coordinates; the motions of a
/// reversible system go around in its energy (HLW theorem XI.3.1).
const ON_GROUPS: &[(Quantity, Kept)] = &[(Quantity::Linear, Kept::ToRounding), (Quantity::Reversal, Kept::ToRounding)];

/// Equations of a step on a group are compiled as a whole, with their derivatives.
const MOST_ON_GROUPS: u32 = 12;

/// Orders of Galerkin's methods, with points of Gauss or Lobatto.
const GALERKIN: Numbers = Numbers::Even { usual: 4, most: 2 * collocation::MOST_STAGES as u32 };

/// All methods, in the order in which help lists them.
pub const METHODS: &[MethodRow] = &[
    MethodRow {
        name: "auto",
        family: Family::Choice,
        takes: Takes::Nothing,
        preserves: ONLY_LINEAR,
        suits: None,
        help: "chosen from tolerance, size and length of the run",
    },
    MethodRow {
        name: "taylor",
        family: Family::Series,
        takes: Takes::Nothing,
        preserves: ONLY_LINEAR,
        suits: Some(Suits::Tight),
        help: "Taylor series of an order that follows from the tolerance; best for tight tolerances",
    },
    MethodRow {
        name: "dop853",
        family: Family::Explicit(&tableau::DOP853),
        takes: Takes::Nothing,
        preserves: ONLY_LINEAR,
        suits: Some(Suits::Moderate),
        help: "Dormand–Prince 8(5,3), dense output of order 7",
    },
    MethodRow {
        name: "tsit5",
        family: Family::Explicit(&tableau::TSIT5),
        takes: Takes::Nothing,
        preserves: ONLY_LINEAR,
        suits: Some(Suits::Loose),
        help: "Tsitouras 5(4); best for loose tolerances",
    },
    MethodRow {
        name: "rk4",
        family: Family::Explicit(&tableau::RK4),
        takes: Takes::Nothing,
        preserves: ONLY_LINEAR,
        suits: None,
        help: "the classical Runge–Kutta method with a fixed step",
    },
    MethodRow {
        name: "verlet",
        family: Family::Splitting(&splitting::VERLET),
        takes: Takes::Nothing,
        preserves: SPLIT,
        suits: None,
        help: "Verlet's method with a fixed step; symplectic, for separable systems",
    },
    MethodRow {
        name: "suzuki4",
        family: Family::Splitting(&splitting::SUZUKI),
        takes: Takes::Nothing,
        preserves: SPLIT,
        suits: None,
        help: "Verlet's method composed to order 4 by Suzuki",
    },
    MethodRow {
        name: "kahan_li6",
        family: Family::Splitting(&splitting::KAHAN_LI_6),
        takes: Takes::Nothing,
        preserves: SPLIT,
        suits: None,
        help: "Verlet's method composed to order 6 by Kahan and Li",
    },
    MethodRow {
        name: "kahan_li8",
        family: Family::Splitting(&splitting::KAHAN_LI_8),
        takes: Takes::Nothing,
        preserves: SPLIT,
        suits: None,
        help: "Verlet's method composed to order 8 by Kahan and Li",
    },
    MethodRow {
        name: "gauss",
        family: Family::Gauss,
        takes: Takes::Number(Numbers::Even { usual: 4, most: 2 * collocation::MOST_STAGES as u32 }),
        preserves: GEOMETRIC,
        suits: None,
        help: "Gauss collocation of an even order, `gauss(6)`, with a fixed step; symplectic for every Hamiltonian",
    },
    MethodRow {
        name: "midpoint",
        family: Family::Gauss,
        takes: Takes::Nothing,
        preserves: GEOMETRIC,
        suits: None,
        help: "the implicit midpoint rule, which is gauss(2)",
    },
    MethodRow {
        name: "radau",
        family: Family::Radau,
        takes: Takes::Number(Numbers::OneOf(&[5, 9, 13])),
        preserves: ONLY_LINEAR,
        suits: None,
        help: "Radau IIA of order 5, 9 or 13, `radau(9)`; for stiff equations",
    },
    MethodRow {
        name: "bdf",
        family: Family::Differentiation,
        takes: Takes::Nothing,
        preserves: ONLY_LINEAR,
        suits: None,
        help: "backward differentiation of order 1 to 5; for stiff equations that are large, under loose tolerances",
    },
    MethodRow {
        name: "variational",
        family: Family::Variational,
        takes: Takes::Word(&[
            ("midpoint", None),
            ("trapezoidal", None),
            ("galerkin", Some(GALERKIN)),
            ("lobatto", Some(GALERKIN)),
        ]),
        preserves: DISCRETE,
        suits: None,
        help: "discrete Euler–Lagrange equations, on constraints too, `variational(galerkin, 4)`; symplectic, fixed step",
    },
    MethodRow {
        name: "lie_variational",
        family: Family::LieVariational,
        takes: Takes::Number(Numbers::Even { usual: 2, most: MOST_ON_GROUPS }),
        preserves: DISCRETE,
        suits: None,
        help: "discrete Euler–Lagrange equations on the rotation group, for attitudes by unit quaternions; symplectic, fixed step",
    },
    MethodRow {
        name: "lie_gauss",
        family: Family::LieGauss,
        takes: Takes::Number(Numbers::Even { usual: 4, most: MOST_ON_GROUPS }),
        preserves: ON_GROUPS,
        suits: None,
        help: "Gauss collocation on the rotation group, for attitudes by unit quaternions, with any force; fixed step",
    },
];

impl MethodRow {
    /// Whether the tolerance controls the step. Without that, the step is given and fixed.
    pub fn adaptive(&self) -> bool {
        match self.family {
            Family::Choice | Family::Series => true,
            Family::Explicit(tableau) => !matches!(tableau.estimate, Estimate::None),
            Family::Splitting(_) | Family::Gauss => false,
            Family::Variational | Family::LieVariational | Family::LieGauss => false,
            Family::Radau | Family::Differentiation => true,
        }
    }

    pub fn keeps(&self, quantity: Quantity) -> Option<Kept> {
        self.preserves.iter().find(|(q, _)| *q == quantity).map(|(_, kept)| *kept)
    }
}

impl Numbers {
    const fn usual(self) -> u32 {
        match self {
            Numbers::OneOf(list) => list[0],
            Numbers::Even { usual, .. } => usual,
        }
    }

    fn holds(self, n: i64) -> Option<u32> {
        let n = u32::try_from(n).ok()?;
        let fits = match self {
            Numbers::OneOf(list) => list.contains(&n),
            Numbers::Even { most, .. } => n >= 2 && n <= most && n.is_multiple_of(2),
        };
        fits.then_some(n)
    }
}

impl std::fmt::Display for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Numbers::OneOf(list) => {
                let words: Vec<String> = list.iter().map(u32::to_string).collect();
                f.write_str(&words.join(", "))
            }
            Numbers::Even { most, .. } => write!(f, "an even number from 2 to {most}"),
        }
    }
}

impl Method {
    /// Methods that are called by name inside the program. A name without a row does not compile.
    pub const AUTO: Method = Method::called("auto");
    pub const TAYLOR: Method = Method::called("taylor");
    pub const DOP853: Method = Method::called("dop853");
    pub const TSIT5: Method = Method::called("tsit5");
    pub const RK4: Method = Method::called("rk4");
    pub const GAUSS: Method = Method::called("gauss");
    pub const MIDPOINT: Method = Method::called("midpoint");
    pub const RADAU: Method = Method::called("radau");
    pub const BDF: Method = Method::called("bdf");

    const fn called(name: &str) -> Method {
        let mut i = 0;
        while !same(METHODS[i].name.as_bytes(), name.as_bytes()) {
            i += 1;
        }
        Method::usual(&METHODS[i])
    }

    /// A row without brackets.
    const fn usual(row: &'static MethodRow) -> Method {
        match row.takes {
            Takes::Nothing => Method { row, word: None, number: None },
            Takes::Number(numbers) => Method { row, word: None, number: Some(numbers.usual()) },
            Takes::Word(words) => {
                let number = match words[0].1 {
                    Some(numbers) => Some(numbers.usual()),
                    None => None,
                };
                Method { row, word: Some(words[0].0), number }
            }
        }
    }

    pub fn row(self) -> &'static MethodRow {
        self.row
    }

    pub fn name(self) -> &'static str {
        self.row.name
    }

    /// The word in brackets.
    pub fn word(self) -> Option<&'static str> {
        self.word
    }

    /// The number in brackets.
    pub fn number(self) -> Option<u32> {
        self.number
    }

    /// `None`: chosen by the tolerance.
    pub fn order(self) -> Option<u32> {
        match self.row.family {
            Family::Choice | Family::Series => None,
            Family::Explicit(tableau) => Some(tableau.order),
            Family::Splitting(composition) => Some(composition.order),
            Family::Gauss => Some(self.number.unwrap_or(2)),
            Family::Variational => Some(self.discretisation().order()),
            Family::Radau | Family::LieVariational | Family::LieGauss => self.number,
            Family::Differentiation => None,
        }
    }

    /// How a variational method discretises the action.
    pub fn discretisation(self) -> Discretisation {
        match (self.word, self.number) {
            (Some("galerkin"), order) => Discretisation::Galerkin { order: order.unwrap_or(4) },
            (Some("lobatto"), order) => Discretisation::Lobatto { order: order.unwrap_or(4) },
            (Some("trapezoidal"), _) => Discretisation::Trapezoidal,
            _ => Discretisation::Midpoint,
        }
    }

    /// The method with this name, without brackets.
    pub fn named(name: &str) -> Option<Method> {
        Method::all().find(|method| method.name() == name)
    }

    /// The method with this name and these things in brackets.
    pub fn written(name: &str, brackets: &[Written]) -> Result<Method, BadMethod> {
        let method = Method::named(name).ok_or(BadMethod::NoSuchName)?;
        let Some(first) = brackets.first() else { return Ok(method) };
        let with_number = |method: Method, numbers: Numbers, written: Option<&Written>, before: &str| {
            let Some(written) = written else { return Ok(Method { number: Some(numbers.usual()), ..method }) };
            let number = match written {
                Written::Number(n) => numbers.holds(*n),
                _ => None,
            };
            let misfit = || BadMethod::Misfit {
                takes: numbers.to_string(),
                example: format!("{name}({before}{})", numbers.usual()),
            };
            Ok(Method { number: Some(number.ok_or_else(misfit)?), ..method })
        };
        let (method, used) = match method.row.takes {
            Takes::Nothing => return Err(BadMethod::TooMuch),
            Takes::Number(numbers) => (with_number(method, numbers, Some(first), "")?, 1),
            Takes::Word(words) => {
                let found = words.iter().find(|(word, _)| *first == Written::Word(word.to_string()));
                let Some((word, numbers)) = found else {
                    let takes: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                    let example = format!("{name}({})", takes[0]);
                    return Err(BadMethod::Misfit { takes: takes.join(", "), example });
                };
                let method = Method { word: Some(word), number: None, ..method };
                match numbers {
                    None => (method, 1),
                    Some(numbers) => (with_number(method, *numbers, brackets.get(1), &format!("{word}, "))?, 2),
                }
            }
        };
        if brackets.len() > used { Err(BadMethod::TooMuch) } else { Ok(method) }
    }

    /// Every row without brackets, in the order of the table.
    pub fn all() -> impl Iterator<Item = Method> {
        METHODS.iter().map(Method::usual)
    }

    /// The first method that suits a problem of this kind.
    pub fn suiting(suits: Suits) -> Option<Method> {
        Method::all().find(|method| method.row().suits == Some(suits))
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// One line for each method, for help.
pub fn listing() -> String {
    let wide = METHODS.iter().map(|row| row.name.len()).max().unwrap_or(0);
    METHODS.iter().map(|row| format!("\n  {:wide$}  {}", row.name, row.help)).collect()
}

impl Default for Method {
    fn default() -> Method {
        Method::AUTO
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        (self.name(), self.word, self.number) == (other.name(), other.word, other.number)
    }
}

impl Eq for Method {}

impl std::hash::Hash for Method {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.name(), self.word, self.number).hash(state);
    }
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())?;
        match (self.word, self.number) {
            (None, None) => Ok(()),
            (Some(word), None) => write!(f, "({word})"),
            (None, Some(number)) => write!(f, "({number})"),
            (Some(word), Some(number)) => write!(f, "({word}, {number})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::compiled::Options;
    use crate::codegen::ir::{Bank, KernelBuilder};
    use crate::integrate::problem::{InitialValueProblem, Motion, MotionSpec};
    use crate::integrate::variational::Action;
    use crate::integrate::{run, taylor};

    #[test]
    fn every_method_has_one_row() {
        for row in METHODS {
            assert_eq!(METHODS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
            assert_eq!(Method::named(row.name).map(|m| m.row().help), Some(row.help));
            assert!(listing().contains(row.name));
        }
        assert_eq!(Method::named("euler"), None);
        use Written::{Number, Word};
        let written = |name: &str, brackets: &[Written]| Method::written(name, brackets);
        assert_eq!(
            written("gauss", &[Number(6)]).map(|m| (m.to_string(), m.order())),
            Ok(("gauss(6)".into(), Some(6)))
        );
        assert_eq!(written("gauss", &[]), Ok(Method::GAUSS));
        assert_ne!(written("gauss", &[Number(6)]), Ok(Method::GAUSS));
        assert_eq!(written("midpoint", &[Number(6)]), Err(BadMethod::TooMuch));
        assert_eq!(written("gauss", &[Number(6), Number(6)]), Err(BadMethod::TooMuch));
        assert!(matches!(written("gauss", &[Number(3)]), Err(BadMethod::Misfit { .. })));
        assert!(matches!(written("gauss", &[Word("lobatto".into())]), Err(BadMethod::Misfit { .. })));
        for suits in [Suits::Loose, Suits::Moderate, Suits::Tight] {
            assert!(Method::suiting(suits).is_some(), "{suits:?}");
        }
    }

    /// As the reference calls it.
    fn name_of(quantity: Quantity) -> &'static str {
        match quantity {
            Quantity::Linear => "linear integrals",
            Quantity::Quadratic => "quadratic integrals",
            Quantity::Momenta => "momenta of affine symmetries",
            Quantity::SymplecticForm => "the symplectic form",
            Quantity::Energy => "the energy",
            Quantity::Reversal => "reversal",
        }
    }

    /// The table of the reference: what each method is, and what it keeps exactly, to rounding, in the mean.
    fn table() -> String {
        let head = "| method | order | step | exactly | to rounding | in the mean |\n|---|---|---|---|---|---|\n";
        let row = |row: &'static MethodRow| {
            let method = Method::usual(row);
            let kept = |how: Kept| {
                let names: Vec<&str> =
                    row.preserves.iter().filter(|(_, k)| *k == how).map(|(q, _)| name_of(*q)).collect();
                if names.is_empty() { "–".to_string() } else { names.join(", ") }
            };
            let order = match (row.takes, method.order()) {
                (Takes::Number(numbers), _) => numbers.to_string(),
                (_, Some(order)) => order.to_string(),
                (_, None) => "varies".to_string(),
            };
            let step = if row.adaptive() { "by the tolerance" } else { "fixed" };
            let [exactly, rounding, mean] = [Kept::Exactly, Kept::ToRounding, Kept::InTheMean].map(kept);
            format!("| `{}` | {order} | {step} | {exactly} | {rounding} | {mean} |\n", row.name)
        };
        METHODS.iter().map(row).fold(head.to_string(), |table, row| table + &row)
    }

    /// The reference prints the table as the rows have it; tests/numerics measures every entry.
    #[test]
    fn the_reference_has_this_table() {
        let reference = include_str!("../../docs/language.md");
        assert!(reference.contains(&table()), "docs/language.md needs this table:\n{}", table());
    }

    /// Two oscillators that pull at each other, so that x₁′ + x₂′ is constant: x₁″ = x₂ − x₁ = −x₂″.
    fn coupled() -> Motion {
        let mut b = KernelBuilder::new("coupled");
        let y: Vec<_> = ["x1", "x2", "v1", "v2"].map(|name| b.input(name, Bank::State)).to_vec();
        let pull = b.sub(y[1], y[0]);
        let back = b.neg(pull);
        for (i, v) in [y[2], y[3], pull, back].into_iter().enumerate() {
            b.output(format!("d{i}"), v);
        }
        // L = (v₁² + v₂² − (x₁ − x₂)²)/2: forces, momenta, and their slopes in positions and velocities.
        let mut l = KernelBuilder::new("action");
        let y: Vec<_> = ["x1", "x2", "v1", "v2"].map(|name| l.input(name, Bank::State)).to_vec();
        let pull = l.sub(y[1], y[0]);
        let back = l.neg(pull);
        let [zero, one, minus] = [0.0, 1.0, -1.0].map(|x| l.constant(x));
        let slopes = [[minus, one, one, minus], [zero; 4], [zero; 4], [one, zero, zero, one]].concat();
        for (i, v) in [pull, back, y[2], y[3]].into_iter().chain(slopes).enumerate() {
            l.output(format!("o{i}"), v);
        }
        let action = Action { kernel: l.finish(), m: 2, holonomic: 0, constraints: 0 };
        Motion::new(MotionSpec::field(b.finish()), Options::default()).with_action(action)
    }

    /// Halving the step divides the error by 2 to the order, once steps are short: for y′ = y cos t, which has y = exp(sin t).
    fn measured_order(cx: &crate::budget::Budget, method: Method) -> f64 {
        let mut b = KernelBuilder::new("growth");
        let (y, t) = (b.input("y", Bank::State), b.input("t", Bank::Time));
        let rate = b.cos(t);
        let slope = b.mul(y, rate);
        b.output("y'", slope);
        let motion = Motion::new(MotionSpec::field(b.finish()), Options::default());
        let error = |steps: u32| {
            let problem = InitialValueProblem::new(vec![1.0], vec![], 2.0).method(method);
            let made = run(cx, &motion, &problem.fixed_step(2.0 / f64::from(steps))).unwrap();
            (made.last()[0] - 2f64.sin().exp()).abs()
        };
        let errors: Vec<f64> = (2..10).map(|k| error(1 << k)).take_while(|e| *e > 1e-12).collect();
        let [.., coarse, fine] = errors[..] else { return f64::NAN };
        (coarse / fine).log2()
    }

    /// Every row runs as itself: under its name, with its order, with the step control that it states, and with that order
    /// measured. The difference x = x₁ − x₂ swings with x″ = −2 x, and the sum of the velocities stays.
    #[test]
    fn every_row_runs_under_its_own_name_with_its_own_order() {
        let cx = &crate::budget::Budget::unlimited();
        let motion = coupled();
        let state = vec![1.0, 0.0, 0.3, 0.2];
        let end = 4.0;
        // x = cos(√2 t) + (0.1/√2) sin(√2 t)
        let w = 2f64.sqrt();
        let exact = (w * end).cos() + 0.1 / w * (w * end).sin();
        for method in Method::all() {
            let row = method.row();
            // Made from a Lagrangian, or on a group: their orders are measured in tests/numerics.
            if matches!(row.family, Family::Variational | Family::LieVariational | Family::LieGauss) {
                continue;
            }
            let problem = || InitialValueProblem::new(state.clone(), vec![], end).method(method);
            let made = match row.adaptive() {
                true => run(cx, &motion, &problem().tolerance(1e-9)).unwrap(),
                // Of order 2 and more: the error of Verlet's method is about h².
                false => run(cx, &motion, &problem().fixed_step(5e-4)).unwrap(),
            };
            let error = |made: &crate::integrate::trajectory::Trajectory| {
                let last = made.last();
                (last[0] - last[1] - exact).abs()
            };
            assert!(error(&made) < 1e-6, "{method}: {}", error(&made));
            if row.keeps(Quantity::Linear).is_some() {
                assert!((made.last()[2] + made.last()[3] - 0.5).abs() < 1e-14, "{method}");
            }
            match row.family {
                Family::Choice => assert!(made.method != method && made.choice.is_some(), "{method}"),
                Family::Series => {
                    assert_eq!(made.method, method);
                    assert_eq!(made.statistics.order as usize, taylor::order(&problem().tolerance(1e-9)));
                }
                Family::Differentiation => assert_eq!(made.method, method),
                Family::Explicit(_) | Family::Gauss | Family::Radau => {
                    let order = method.order().unwrap();
                    assert_eq!((made.method, made.statistics.order), (method, order));
                    let measured = measured_order(cx, method);
                    assert!((measured - f64::from(order)).abs() < 0.7, "{method}: order {measured}");
                }
                // The order is measured beside their file: y′ = y cos t is not separable.
                Family::Splitting(composition) => {
                    assert_eq!((made.method, made.statistics.order), (method, composition.order));
                }
                Family::Variational | Family::LieVariational | Family::LieGauss => unreachable!("left out"),
            }
        }
    }
}
