//! The table of methods.
//!
//! A method is one row of [`METHODS`]: its name, what it is, what it preserves, when `auto` takes it. Language, driver, help and
//! tests read the rows, so that adding an explicit method is adding a row with its tableau. Order, step control and dense
//! output follow from the tableau; nothing else says them again.

use super::splitting::{self, Composition};
use super::tableau::{self, Estimate, Tableau};

/// How a problem is integrated: a row of the table. Two are equal when they have the same name.
#[derive(Clone, Copy)]
pub struct Method(&'static MethodRow);

/// One row: everything that is said about a method.
pub struct MethodRow {
    pub name: &'static str,
    pub family: Family,
    /// First integrals of the motion that stay constant up to rounding, whatever the step.
    pub preserves: &'static [Invariants],
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
}

/// A class of first integrals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Invariants {
    /// Sums of states with constant factors, like a total momentum (Hairer–Lubich–Wanner, *Geometric Numerical Integration*,
    /// theorem IV.1.5 for Runge–Kutta methods; every coefficient of a series satisfies the linear relation too).
    Linear,
}

/// What a tolerance asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suits {
    Loose,
    Moderate,
    Tight,
}

/// All methods, in the order in which help lists them.
pub const METHODS: &[MethodRow] = &[
    MethodRow {
        name: "auto",
        family: Family::Choice,
        preserves: &[Invariants::Linear],
        suits: None,
        help: "chosen from tolerance, size and length of the run",
    },
    MethodRow {
        name: "taylor",
        family: Family::Series,
        preserves: &[Invariants::Linear],
        suits: Some(Suits::Tight),
        help: "Taylor series of an order that follows from the tolerance; best for tight tolerances",
    },
    MethodRow {
        name: "dop853",
        family: Family::Explicit(&tableau::DOP853),
        preserves: &[Invariants::Linear],
        suits: Some(Suits::Moderate),
        help: "Dormand–Prince 8(5,3), dense output of order 7",
    },
    MethodRow {
        name: "tsit5",
        family: Family::Explicit(&tableau::TSIT5),
        preserves: &[Invariants::Linear],
        suits: Some(Suits::Loose),
        help: "Tsitouras 5(4); best for loose tolerances",
    },
    MethodRow {
        name: "rk4",
        family: Family::Explicit(&tableau::RK4),
        preserves: &[Invariants::Linear],
        suits: None,
        help: "the classical Runge–Kutta method with a fixed step",
    },
    MethodRow {
        name: "verlet",
        family: Family::Splitting(&splitting::VERLET),
        preserves: &[Invariants::Linear],
        suits: None,
        help: "Verlet's method with a fixed step; symplectic, for separable systems",
    },
    MethodRow {
        name: "suzuki4",
        family: Family::Splitting(&splitting::SUZUKI),
        preserves: &[Invariants::Linear],
        suits: None,
        help: "Verlet's method composed to order 4 by Suzuki",
    },
    MethodRow {
        name: "kahan_li6",
        family: Family::Splitting(&splitting::KAHAN_LI_6),
        preserves: &[Invariants::Linear],
        suits: None,
        help: "Verlet's method composed to order 6 by Kahan and Li",
    },
    MethodRow {
        name: "kahan_li8",
        family: Family::Splitting(&splitting::KAHAN_LI_8),
        preserves: &[Invariants::Linear],
        suits: None,
        help: "Verlet's method composed to order 8 by Kahan and Li",
    },
];

impl MethodRow {
    /// `None`: chosen by the tolerance.
    pub fn order(&self) -> Option<u32> {
        match self.family {
            Family::Choice | Family::Series => None,
            Family::Explicit(tableau) => Some(tableau.order),
            Family::Splitting(composition) => Some(composition.order),
        }
    }

    /// Whether the tolerance controls the step. Without that, the step is given and fixed.
    pub fn adaptive(&self) -> bool {
        match self.family {
            Family::Choice | Family::Series => true,
            Family::Explicit(tableau) => !matches!(tableau.estimate, Estimate::None),
            Family::Splitting(_) => false,
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

    const fn called(name: &str) -> Method {
        let mut i = 0;
        while !same(METHODS[i].name.as_bytes(), name.as_bytes()) {
            i += 1;
        }
        Method(&METHODS[i])
    }

    pub fn row(self) -> &'static MethodRow {
        self.0
    }

    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub fn named(name: &str) -> Option<Method> {
        Method::all().find(|method| method.name() == name)
    }

    /// Every method, in the order of the table.
    pub fn all() -> impl Iterator<Item = Method> {
        METHODS.iter().map(Method)
    }

    /// The first method that suits a tolerance of this kind.
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
        self.name() == other.name()
    }
}

impl Eq for Method {}

impl std::hash::Hash for Method {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::compiled::Options;
    use crate::codegen::ir::{Bank, KernelBuilder};
    use crate::integrate::problem::{InitialValueProblem, Motion, MotionSpec};
    use crate::integrate::{run, taylor};

    #[test]
    fn every_method_has_one_row() {
        for row in METHODS {
            assert_eq!(METHODS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
            assert_eq!(Method::named(row.name).map(|m| m.row().help), Some(row.help));
            assert!(listing().contains(row.name));
        }
        assert_eq!(Method::named("euler"), None);
        for suits in [Suits::Loose, Suits::Moderate, Suits::Tight] {
            assert!(Method::suiting(suits).is_some(), "{suits:?}");
        }
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
        Motion::new(MotionSpec::field(b.finish()), Options::default())
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
            if row.preserves.contains(&Invariants::Linear) {
                assert!((made.last()[2] + made.last()[3] - 0.5).abs() < 1e-14, "{method}");
            }
            match row.family {
                Family::Choice => assert!(made.method != method && made.choice.is_some(), "{method}"),
                Family::Series => {
                    assert_eq!(made.method, method);
                    assert_eq!(made.statistics.order as usize, taylor::order(&problem().tolerance(1e-9)));
                }
                Family::Explicit(tableau) => {
                    assert_eq!((made.method, made.statistics.order), (method, tableau.order));
                    assert_eq!(row.order(), Some(tableau.order));
                    let measured = measured_order(cx, method);
                    assert!((measured - f64::from(tableau.order)).abs() < 0.7, "{method}: order {measured}");
                }
                // The order is measured beside their file: y′ = y cos t is not separable.
                Family::Splitting(composition) => {
                    assert_eq!((made.method, made.statistics.order), (method, composition.order));
                }
            }
        }
    }
}
