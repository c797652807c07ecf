//! The law of a motion: which numbers are its state, and how their derivatives follow from them.
//!
//! Three kinds of systems have one.
//!
//! ```text
//! regular       states q, …, q_{s−1};        B q_s = −A, solved in the compiled code at every evaluation     Krupková (6.2)
//! on a branch   states q, …, q_{s−1};        the field that spans the dynamics of rank one on it            Krupková §7
//! canonical     states q_k, p^k, k < s/2;    dq/dt = ∂H/∂p, dp/dt = −∂H/∂q                                  Krupková §8
//! ```
//!
//! What is recorded or watched may contain more than the states: higher jets, and momenta. A [`Law`] reads them
//! along its motion. Where the field is explicit, q_{k+1} is the derivative of q_k along it; where it is the
//! solution of a linear system, q_{s+j} solves the j-th total derivative of the equations, again a linear system with
//! the same matrix B.

use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::substitute::{define_function, substitute, substitute_all};
use crate::algebra::{Coordinate, Expr, Function, Node, Symbol, SymbolKind};
use crate::codegen::ir::Kernel;
use crate::codegen::lower::{Equations, Obstacle, Signature, Stage, expressions_in_stages, vector_field};
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{FiberedManifold, total_derivatives};
use crate::mechanics::constrained_form::ConstrainedEquations;
use crate::mechanics::constraint_algorithm::DynamicBranch;
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::mechanics::{legendre, regular};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How far above the states a recorded jet may lie.
const MAX_EXTRA_ORDER: u32 = 12;

/// States and their derivatives.
#[derive(Clone)]
pub struct Law {
    pub manifold: FiberedManifold,
    pub states: Vec<Symbol>,
    pub derivatives: Derivatives,
    /// The equations, for momenta of runs in Lagrangian coordinates.
    pub(super) form: Option<Rc<DynamicalForm>>,
    /// What jets are on the canonical phase space, and what momenta are on the jets.
    pub(super) inverse: Vec<(Symbol, Expr)>,
    pub momenta: Vec<(Symbol, Expr)>,
}

#[derive(Clone)]
pub enum Derivatives {
    /// q_{k+1} for the leading states; B y = −A for the others, whose derivatives are the jets `highest`.
    Implicit { chain: Vec<Expr>, a: Vec<Expr>, b: Vec<Vec<Expr>>, symmetric: bool, highest: Vec<Symbol> },
    /// One expression for each state.
    Explicit(Vec<Expr>),
    /// The same, in which the unknowns of linear systems occur: the law `of` with `count` variations.
    Staged { of: Rc<Law>, count: u32, stages: Vec<Stage>, right: Vec<Expr> },
}

/// The body that a run gives to an unspecified function: its formal arguments and its value.
#[derive(Clone)]
pub struct Body {
    pub function: Function,
    pub arguments: Vec<Symbol>,
    pub value: Expr,
}

/// Expressions in the states, and the linear systems that give the other symbols in them their values.
pub struct Reading {
    pub list: Vec<(String, Expr)>,
    pub stages: Vec<Stage>,
}

impl Law {
    /// The law B q_s = −A of the equations as they stand. Whether B is invertible is seen at the initial state.
    pub fn of_equations(cx: &Inquiry, form: &Rc<DynamicalForm>) -> Law {
        let manifold = form.manifold().clone();
        let (matrix, right, order) = regular::leading_part(cx, form);
        let jets = |k: u32| manifold.fibres().iter().map(move |f| f.coordinate.jet(k)).collect::<Vec<_>>();
        let states = (0..order).flat_map(jets).collect();
        let chain = (1..order).flat_map(jets).map(Expr::symbol).collect();
        let b = matrix.to_rows();
        let symmetric = b.iter().enumerate().all(|(i, row)| (0..i).all(|j| row[j] == b[j][i]));
        let a = right.iter().map(|e| -*e).collect();
        let highest = jets(order);
        let derivatives = Derivatives::Implicit { chain, a, b, symmetric, highest };
        Law { states, derivatives, form: Some(form.clone()), inverse: vec![], momenta: vec![], manifold }
    }

    /// The law of a constrained system: its saddle system is factorised inside the compiled code, multipliers with it.
    pub fn constrained(manifold: &FiberedManifold, equations: &ConstrainedEquations) -> Law {
        let manifold = manifold.unfolded();
        let jets = |k: u32| manifold.fibres().iter().map(move |f| f.coordinate.jet(k)).collect::<Vec<_>>();
        let states = (0..equations.order).flat_map(jets).collect();
        let chain = (1..equations.order).flat_map(jets).map(Expr::symbol).collect();
        let derivatives = Derivatives::Implicit {
            chain,
            a: equations.a.clone(),
            b: equations.b.clone(),
            symmetric: false,
            highest: equations.unknowns.clone(),
        };
        Law { states, derivatives, form: None, inverse: vec![], momenta: vec![], manifold }
    }

    /// The law on a final constraint submanifold whose dynamics has rank one.
    pub fn on_branch(form: &Rc<DynamicalForm>, branch: &DynamicBranch) -> Option<Law> {
        let field: &VectorField = branch.fields.first()?;
        let states = form.phase_jets();
        let derivatives = Derivatives::Explicit(states.iter().map(|s| field.component(*s)).collect());
        Some(Law {
            manifold: form.manifold().clone(),
            states,
            derivatives,
            form: Some(form.clone()),
            inverse: vec![],
            momenta: vec![],
        })
    }

    /// Hamilton's equations in canonical coordinates.
    pub fn canonical(cx: &Inquiry, form: &DynamicalForm, gauge: Option<Expr>) -> Fallible<Law> {
        let transformation = legendre::legendre(cx, form, legendre::Naming { gauge, ..Default::default() })?;
        let inverse = transformation.inverse()?.to_vec();
        let momenta = transformation.momenta.iter().map(|p| (p.symbol, p.function)).collect();
        let equations = legendre::hamilton_equations(cx, &transformation, &[])?;
        let (states, right) = equations.right_sides.into_iter().unzip();
        Ok(Law {
            manifold: form.manifold().clone(),
            states,
            derivatives: Derivatives::Explicit(right),
            form: None,
            inverse,
            momenta,
        })
    }

    /// First-order equations that are already solved: the answer of `hamilton(S)`.
    pub fn explicit(manifold: &FiberedManifold, right_sides: Vec<(Symbol, Expr)>) -> Law {
        let (states, right) = right_sides.into_iter().unzip();
        let manifold = manifold.clone();
        Law {
            manifold,
            states,
            derivatives: Derivatives::Explicit(right),
            form: None,
            inverse: vec![],
            momenta: vec![],
        }
    }

    pub fn time(&self) -> Symbol {
        self.manifold.base()
    }

    /// The term by which the slope of one state depends on another, both by name.
    pub fn term_with(&self, slope_of: &str, other: &str) -> Option<Expr> {
        let index = self.states.iter().position(|s| s.name() == slope_of)?;
        let symbol = *self.states.iter().find(|s| s.name() == other)?;
        let term = |e: &Expr| match e.node() {
            Node::Sum { terms, .. } => {
                terms.iter().find(|(t, _)| t.contains(symbol)).map(|(t, c)| *t * Expr::number(c.clone()))
            }
            _ => Some(*e).filter(|e| e.contains(symbol)),
        };
        match &self.derivatives {
            Derivatives::Explicit(right) => term(right.get(index)?),
            Derivatives::Implicit { chain, a, b, highest, .. } => match chain.get(index) {
                Some(e) => term(e),
                None => a.iter().find_map(term).or_else(|| {
                    let inertia = b.iter().flat_map(|row| row.iter().zip(highest));
                    inertia.filter(|(e, _)| e.contains(symbol)).map(|(e, q)| *e * Expr::symbol(*q)).next()
                }),
            },
            Derivatives::Staged { of, right, .. } => {
                right.get(index).and_then(term).or_else(|| of.term_with(slope_of, other))
            }
        }
    }

    /// Every expression of the law.
    pub fn expressions(&self) -> Vec<Expr> {
        match &self.derivatives {
            Derivatives::Implicit { chain, a, b, .. } => {
                let mut all: Vec<Expr> = chain.iter().chain(a).copied().collect();
                // How many zeros there are before each entry of B: a long chain has little else.
                let mut zeros = 0;
                for e in b.iter().flatten() {
                    if e.is_zero() {
                        zeros += 1;
                    } else {
                        all.extend([Expr::from(zeros), *e]);
                        zeros = 0;
                    }
                }
                all
            }
            Derivatives::Explicit(right) => right.clone(),
            Derivatives::Staged { stages, right, .. } => {
                let inside = stages.iter().flat_map(|s| s.a.iter().chain(s.b.iter().flatten()));
                right.iter().chain(inside).copied().collect()
            }
        }
    }

    /// The same law with unspecified functions replaced by their bodies.
    pub fn with_bodies(&self, cx: &Inquiry, bodies: &[Body]) -> Law {
        if bodies.is_empty() {
            return self.clone();
        }
        let put = |e: &Expr| with_bodies(cx, *e, bodies);
        let derivatives = match &self.derivatives {
            Derivatives::Implicit { chain, a, b, symmetric, highest } => Derivatives::Implicit {
                chain: chain.iter().map(put).collect(),
                a: a.iter().map(put).collect(),
                b: b.iter().map(|row| row.iter().map(put).collect()).collect(),
                symmetric: *symmetric,
                highest: highest.clone(),
            },
            Derivatives::Explicit(right) => Derivatives::Explicit(right.iter().map(put).collect()),
            Derivatives::Staged { of, count, .. } => return of.with_bodies(cx, bodies).varied(cx, *count),
        };
        let inverse = self.inverse.iter().map(|(s, e)| (*s, put(e))).collect();
        let momenta = self.momenta.iter().map(|(s, e)| (*s, put(e))).collect();
        Law { derivatives, inverse, momenta, ..self.clone() }
    }

    /// The vector field as a kernel.
    pub fn field(&self, signature: &Signature) -> Result<Kernel, Obstacle> {
        match &self.derivatives {
            Derivatives::Implicit { chain, a, b, symmetric, .. } => {
                vector_field(signature, &Equations { chain, b, a, symmetric: *symmetric })
            }
            Derivatives::Explicit(right) => {
                vector_field(signature, &Equations { chain: right, b: &[], a: &[], symmetric: true })
            }
            Derivatives::Staged { stages, right, .. } => {
                let names = self.states.iter().map(|s| format!("d({})/dt", s.name()));
                let list: Vec<(String, Expr)> = names.zip(right.iter().copied()).collect();
                expressions_in_stages("vector field", signature, stages, &list)
            }
        }
    }

    /// Expressions of jets and momenta as expressions of the motion.
    pub fn read(&self, cx: &Inquiry, list: &[(String, Expr)], bodies: &[Body]) -> Fallible<Reading> {
        if let Derivatives::Staged { of, stages, .. } = &self.derivatives {
            // Jets, momenta and multipliers are those of the motion itself; variations of its highest derivatives are there too.
            let mut reading = of.read(cx, list, bodies)?;
            let found: Vec<Expr> = reading.list.iter().map(|(_, e)| *e).collect();
            if crate::algebra::expr::symbols_of(&found).iter().any(|s| stages[1].unknowns.contains(s)) {
                reading.stages.splice(0..reading.stages.len().min(1), stages.iter().cloned());
            }
            return Ok(reading);
        }
        let (names, values): (Vec<String>, Vec<Expr>) = list.iter().cloned().unzip();
        let values = self.without_momenta(cx, values, bodies)?;
        let wanted = self.foreign_jets(&values);
        let limit = |order: u32, coordinate: Coordinate| {
            let top = self.top_order(coordinate);
            match order.saturating_sub(top) > MAX_EXTRA_ORDER {
                false => Ok(()),
                true => Err(Box::new(
                    Diagnostic::error(
                        &codes::ORDER_TOO_HIGH,
                        format!("`{}` lies too far above the states of this motion", coordinate.jet(order)),
                    )
                    .note(format!("derivatives up to order {} are computed along it", top + MAX_EXTRA_ORDER)),
                )),
            }
        };
        for (coordinate, order) in &wanted {
            limit(*order, *coordinate)?;
        }
        let with_names = |values: Vec<Expr>| names.iter().cloned().zip(values).collect();
        let is_multiplier = |s: &Symbol| matches!(s.kind(), SymbolKind::Multiplier(_));
        let asks_multipliers = crate::algebra::expr::symbols_of(&values).iter().any(is_multiplier);
        if wanted.is_empty() && !asks_multipliers {
            return Ok(Reading { list: with_names(values), stages: vec![] });
        }
        match &self.derivatives {
            Derivatives::Implicit { a, b, symmetric, highest, .. } => {
                let first = highest.first().and_then(|s| s.as_jet()).map_or(0, |(_, order)| order);
                let last = wanted.iter().map(|(_, order)| *order).max().unwrap_or(first);
                // The second derivatives of the equations contain those of the multipliers.
                if last > first + 1 && highest.iter().any(is_multiplier) {
                    return Err(Box::new(
                        Diagnostic::error(&codes::ORDER_TOO_HIGH, "this lies too far above the states of this motion")
                            .note(format!("under constraints derivatives up to order {} are computed", first + 1)),
                    ));
                }
                let stages = stages(cx, a, b, *symmetric, highest, last.saturating_sub(first));
                Ok(Reading { list: with_names(values), stages })
            }
            Derivatives::Explicit(right) => {
                let mut map: FxHashMap<Symbol, Expr> = self.inverse.iter().copied().collect();
                for (coordinate, order) in wanted {
                    let known = (0..=order).rev().find(|k| self.meaning(&map, coordinate.jet(*k)).is_some());
                    let Some(known) = known else { continue };
                    let mut value = self.meaning(&map, coordinate.jet(known)).expect("just found");
                    for k in known + 1..=order {
                        value = self.along(cx, right, value);
                        map.insert(coordinate.jet(k), value);
                    }
                }
                Ok(Reading { list: with_names(substitute_all(&values, &map)), stages: vec![] })
            }
            Derivatives::Staged { .. } => unreachable!("read above, by the law that it varies"),
        }
    }

    /// A state itself, or a jet that has been expressed in states.
    fn meaning(&self, map: &FxHashMap<Symbol, Expr>, jet: Symbol) -> Option<Expr> {
        if self.states.contains(&jet) {
            return Some(Expr::symbol(jet));
        }
        map.get(&jet).copied()
    }

    /// The highest jet of a coordinate among the states.
    fn top_order(&self, coordinate: Coordinate) -> u32 {
        let orders = self.states.iter().filter_map(|s| s.as_jet()).filter(|(c, _)| *c == coordinate);
        orders.map(|(_, order)| order).max().unwrap_or(0)
    }

    /// Jets of the manifold that are not states, by coordinate with the highest order that occurs.
    fn foreign_jets(&self, values: &[Expr]) -> Vec<(Coordinate, u32)> {
        let mut found: Vec<(Coordinate, u32)> = vec![];
        for symbol in crate::algebra::expr::symbols_of(values) {
            let Some((coordinate, order)) = symbol.as_jet() else { continue };
            if self.states.contains(&symbol) || self.manifold.fibre(coordinate).is_none() {
                continue;
            }
            match found.iter_mut().find(|(c, _)| *c == coordinate) {
                Some(entry) => entry.1 = entry.1.max(order),
                None => found.push((coordinate, order)),
            }
        }
        found
    }

    /// Momenta in Lagrangian coordinates are functions of the jets.
    fn without_momenta(&self, cx: &Inquiry, values: Vec<Expr>, bodies: &[Body]) -> Fallible<Vec<Expr>> {
        let values: Vec<Expr> = values.into_iter().map(|e| with_bodies(cx, e, bodies)).collect();
        let is_momentum = |s: &Symbol| matches!(s.kind(), SymbolKind::Momentum { .. }) && !self.states.contains(s);
        let Some(form) =
            self.form.as_ref().filter(|_| crate::algebra::expr::symbols_of(&values).iter().any(is_momentum))
        else {
            return Ok(values);
        };
        let momenta = legendre::legendre(cx, form, legendre::Naming::default())?.momenta;
        let map = momenta.into_iter().map(|p| (p.symbol, with_bodies(cx, p.function, bodies))).collect();
        Ok(substitute_all(&values, &map))
    }

    /// df/dt along an explicit field.
    fn along(&self, cx: &Inquiry, right: &[Expr], f: Expr) -> Expr {
        let moving = self.states.iter().zip(right).map(|(s, speed)| partial(cx, f, *s) * *speed);
        partial(cx, f, self.time()) + Expr::add_all(moving)
    }
}

/// q_s, …, q_{s+extra} from the total derivatives of A + B q_s = 0.
fn stages(cx: &Inquiry, a: &[Expr], b: &[Vec<Expr>], symmetric: bool, highest: &[Symbol], extra: u32) -> Vec<Stage> {
    let product = |row: &[Expr]| Expr::add_all(row.iter().zip(highest).map(|(e, q)| *e * Expr::symbol(*q)));
    let equations: Vec<Expr> = a.iter().zip(b).map(|(a, row)| *a + product(row)).collect();
    let stage = |k: u32| {
        let raised = |q: &Symbol| match q.as_jet() {
            Some((c, s)) => c.jet(s + k),
            // A multiplier, and its derivative.
            None if k == 0 => *q,
            None => Symbol::velocity(*q),
        };
        let unknowns: Vec<Symbol> = highest.iter().map(raised).collect();
        let zeros: FxHashMap<Symbol, Expr> = unknowns.iter().map(|q| (*q, Expr::zero())).collect();
        let a = match k {
            0 => a.to_vec(),
            _ => equations.iter().map(|e| substitute(total_derivatives(cx, *e, k), &zeros)).collect(),
        };
        Stage { unknowns, b: b.to_vec(), a, symmetric }
    };
    (0..=extra).map(stage).collect()
}

/// An expression with the bodies of its unspecified functions put in.
pub fn with_bodies(cx: &Inquiry, e: Expr, bodies: &[Body]) -> Expr {
    bodies.iter().fold(e, |e, body| define_function(cx, e, body.function, &body.arguments, body.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::function::Elementary;
    use crate::codegen::interpret;
    use crate::mechanics::lagrangian::Lagrangian;

    /// For the pendulum θ″ = −sin θ, θ‴ = −θ′ cos θ and θ⁗ = θ′² sin θ + sin θ cos θ.
    #[test]
    fn higher_jets_are_those_of_the_motion() {
        let cx = &Inquiry::free();
        let theta = Coordinate::declare("theta", true);
        let y = FiberedManifold::new("Q", Symbol::base("t"), &[theta]);
        let jet = |k: u32| Expr::symbol(theta.jet(k));
        let l = jet(1).pow(2) / 2 + Expr::apply(Elementary::Cos, &[jet(0)]);
        let form = Rc::new(Lagrangian::new(cx, &y, l).unwrap().dynamical_form(cx).unwrap());
        let law = Law::of_equations(cx, &form);
        let list: Vec<(String, Expr)> = (2..=4).map(|k| (format!("q{k}"), jet(k))).collect();
        let (theta0, omega) = (0.7f64, 1.3f64);
        let (sin, cos) = theta0.sin_cos();
        let expected = [-sin, -omega * cos, omega * omega * sin + sin * cos];
        let explicit =
            Law::explicit(&y, vec![(theta.jet(0), jet(1)), (theta.jet(1), -Expr::apply(Elementary::Sin, &[jet(0)]))]);
        for law in [law, explicit] {
            let reading = law.read(cx, &list, &[]).unwrap();
            let signature = Signature { time: Some(law.time()), states: law.states.clone(), ..Signature::default() };
            let kernel = expressions_in_stages("test", &signature, &reading.stages, &reading.list).unwrap();
            let mut out = [0.0; 3];
            interpret::evaluate(&kernel, [&[0.0], &[theta0, omega], &[], &[]], &mut out).unwrap();
            for (found, expected) in out.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-14, "{found} and {expected}");
            }
        }
    }
}
