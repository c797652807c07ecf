//! Constants c_i with Σ c_i R_i = 0 for given functions R_i: what every search with an ansatz comes down to.
//!
//! The R_i are brought to numerators over one denominator. These are polynomials in the coordinates and in whatever functions
//! occur (sin θ, √(x² + y²)), reduced by the relations among them, so the sum vanishes exactly when the coefficient of each monomial
//! does: linear equations for the c_i, over the numbers or over the functions of the parameters. They are solved by elimination,
//! and every solution is proved by the zero test. Nothing is sampled.
//!
//! Where parameters occur the solutions are those for general values. Values for which there may be more are zeros of a pivot; there
//! the solutions are counted ([`Ansatz::special`]).

use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::assume::sign_of;
use crate::algebra::derive::partial;
use crate::algebra::factor::factor;
use crate::algebra::generator::{Generator, reduce};
use crate::algebra::linear::Matrix;
use crate::algebra::normal::write::polynomial_expr;
use crate::algebra::normal::{Context, denominator, normal_form_in};
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Rational, Symbol, conditions};
use crate::budget::Budgeted;
use crate::geometry::jet::is_coordinate;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// A basis of the constants with Σ c_i R_i = 0.
#[derive(Clone, Debug, Default)]
pub struct Combinations {
    pub basis: Vec<Vec<Expr>>,
    /// There can be more only where one of these functions of the parameters vanishes.
    pub special: Vec<Expr>,
}

/// One linear equation for the constants: its entries that are not zero, by unknown.
type Equation = BTreeMap<usize, Expr>;

/// The functions R_i, componentwise, and the linear equations that Σ c_i R_i = 0 is for the constants.
#[derive(Clone, Debug)]
pub struct Ansatz {
    rows: Vec<Vec<Expr>>,
    equations: Vec<Equation>,
}

/// Where parameters make room for more.
#[derive(Clone, Debug, Default)]
pub struct Special {
    /// There are more where all functions of one of these lists vanish.
    pub more: Vec<Vec<Expr>>,
    /// There may be more where one of these vanishes; it was not solved for a parameter.
    pub open: Vec<Expr>,
}

/// How many special values of parameters are looked at.
const MAX_CASES: usize = 48;

/// All constants c with Σ c_i R_i = 0, componentwise; `rows[i]` are the components of R_i.
pub fn constant_combinations(cx: &Inquiry, rows: &[Vec<Expr>]) -> Answered<Combinations> {
    Ansatz::new(cx, rows.to_vec())?.combinations(cx, 0)
}

impl Ansatz {
    pub fn new(cx: &Inquiry, rows: Vec<Vec<Expr>>) -> Answered<Ansatz> {
        let equations = conditions::collect(cx, |cx| equations(cx, &rows)).0.map_err(exhausted)?;
        Ok(Ansatz { rows, equations })
    }

    /// All solutions with c_i = 0 for i < `from`.
    pub fn combinations(&self, cx: &Inquiry, from: usize) -> Answered<Combinations> {
        let rows = &self.rows;
        let found = solutions(cx, &self.equations, rows.len(), from).map_err(exhausted)?;
        let width = rows.first().map_or(0, Vec::len);
        let is_solution = |c: &[Expr]| {
            (0..width).all(|j| {
                let terms = c.iter().zip(rows).filter(|(c, _)| !c.is_zero()).map(|(c, row)| *c * row[j]);
                vanishes(cx, Expr::add_all(terms)).is_yes()
            })
        };
        let basis = found.basis.into_iter().filter(|c| is_solution(c)).collect();
        Ok(Combinations { basis, special: found.special })
    }

    /// Where there are more solutions than for general values of the parameters: each pivot that can vanish is solved for a
    /// parameter, and the solutions there are counted; where there are as many as before, the pivots met there are looked at in turn.
    /// One condition comes before two, and what follows from one that was found is not looked at again.
    pub fn special(&self, cx: &Inquiry, general: &Combinations) -> Answered<Special> {
        let mut found = Special::default();
        let mut seen: Vec<FxHashMap<Symbol, Expr>> = vec![];
        let mut cases = VecDeque::from([Case { pivots: general.special.clone(), ..Case::default() }]);
        while let Some(case) = cases.pop_front() {
            let factors = case.pivots.iter().map(|e| irreducible(cx, *e)).collect::<Budgeted<Vec<_>>>();
            let mut factors = VecDeque::from(factors.map_err(exhausted)?.concat());
            while let Some(f) = factors.pop_front() {
                cx.check().map_err(exhausted)?;
                if sign_of(cx, f).is_nonzero() {
                    continue;
                }
                let solved = solved_for_a_parameter(cx, f).filter(|_| seen.len() < MAX_CASES);
                let Some(Solved { parameter, value, slope }) = solved else {
                    if !found.open.contains(&f) {
                        found.open.push(f);
                    }
                    continue;
                };
                // Where the slope vanishes f was not solved: that is a case by itself.
                factors.extend(irreducible(cx, slope).map_err(exhausted)?);
                let Some(values) = case.with(cx, parameter, value) else { continue };
                let holds = |e: &Expr| vanishes(cx, substitute(*e, &values)).is_yes();
                if seen.contains(&values) || found.more.iter().any(|known| known.iter().all(holds)) {
                    continue;
                }
                seen.push(values.clone());
                let there = solutions(cx, &self.equations_at(cx, &values), self.rows.len(), 0).map_err(exhausted)?;
                let zeros: Vec<Expr> = case.zeros.iter().copied().chain([f]).collect();
                match there.basis.len() > general.basis.len() {
                    true => found.more.push(zeros),
                    false => cases.push_back(Case { zeros, values, pivots: there.special }),
                }
            }
        }
        Ok(found)
    }

    /// The equations at values of some parameters.
    fn equations_at(&self, cx: &Inquiry, values: &FxHashMap<Symbol, Expr>) -> Vec<Equation> {
        let at = |cx: &Inquiry, e: &Equation| {
            let mut e: Equation = e.iter().map(|(i, c)| (*i, tidy(cx, substitute(*c, values)))).collect();
            e.retain(|_, c| !c.is_zero());
            e
        };
        let all = |cx: &Inquiry| self.equations.iter().map(|e| at(cx, e)).filter(|e| !e.is_empty()).collect::<Vec<_>>();
        conditions::collect(cx, all).0
    }
}

/// Values of parameters where there are as many solutions as in general.
#[derive(Default)]
struct Case {
    /// The functions that were put to 0.
    zeros: Vec<Expr>,
    values: FxHashMap<Symbol, Expr>,
    /// There can be more only where one of these vanishes.
    pivots: Vec<Expr>,
}

impl Case {
    /// One value more. `None` where an earlier one has none then: that is the case in which its slope vanishes.
    fn with(&self, cx: &Inquiry, parameter: Symbol, value: Expr) -> Option<FxHashMap<Symbol, Expr>> {
        let one = FxHashMap::from_iter([(parameter, value)]);
        let mut all: FxHashMap<Symbol, Expr> =
            self.values.iter().map(|(s, e)| (*s, tidy(cx, substitute(*e, &one)))).collect();
        all.insert(parameter, value);
        all.values().all(|e| e.as_undefined().is_none()).then_some(all)
    }
}

/// The factors of a function of the parameters.
fn irreducible(cx: &Inquiry, e: Expr) -> Budgeted<Vec<Expr>> {
    let (numerator, _) = conditions::collect(cx, |cx| normal_form_in(cx, Context::of(cx, &[e])?, e)?.fraction(cx)).0?;
    Ok(factor(cx, &numerator).factors.iter().map(|(p, _)| polynomial_expr(p)).filter(|e| !e.is_number()).collect())
}

/// f = slope · (parameter − value), where the slope does not vanish.
struct Solved {
    parameter: Symbol,
    value: Expr,
    slope: Expr,
}

/// A function that is linear in one of its parameters, preferably with a number in front, solved for it.
fn solved_for_a_parameter(cx: &Inquiry, f: Expr) -> Option<Solved> {
    let solve = |parameter: Symbol| {
        let slope = tidy(cx, partial(cx, f, parameter));
        if slope.is_zero() || slope.contains(parameter) {
            return None;
        }
        let zero = FxHashMap::from_iter([(parameter, Expr::zero())]);
        Some(Solved { parameter, value: tidy(cx, -substitute(f, &zero) / slope), slope })
    };
    let all = || f.symbols().into_iter().filter(|s| s.is_parameter()).filter_map(solve);
    let simple = all().find(|found| found.slope.is_number());
    simple.or_else(|| all().next())
}

/// The solutions with zeros before `from`.
fn solutions(cx: &Inquiry, equations: &[Equation], n: usize, from: usize) -> Budgeted<Combinations> {
    let behind = |e: &Equation| e.range(from..).map(|(i, c)| (*i, *c)).collect::<Equation>();
    let equations: Vec<Equation> = equations.iter().map(behind).filter(|e| !e.is_empty()).collect();
    let (mut kept, equations) = without_zeros(n, equations);
    kept.retain(|i| *i >= from);
    match numbers(&equations) {
        Some(numeric) => Ok(Combinations { basis: null_space(cx, numeric, n, &kept)?, special: vec![] }),
        None => over_parameters(cx, &equations, n, &kept),
    }
}

/// The coefficients of all monomials of all components.
fn equations(cx: &Inquiry, rows: &[Vec<Expr>]) -> Budgeted<Vec<Equation>> {
    let width = rows.first().map_or(0, Vec::len);
    let all: Vec<Expr> = rows.iter().flatten().copied().collect();
    let context = Context::of(cx, &all)?;
    let mut found = vec![];
    for j in 0..width {
        let mut fractions = Vec::with_capacity(rows.len());
        let mut common = Polynomial::one();
        for row in rows {
            let (above, below) = normal_form_in(cx, context, row[j])?.fraction(cx)?;
            if !below.is_constant() {
                common = common.mul(cx, &common.gcd_cofactors(cx, &below)?.right)?;
            }
            fractions.push((above, below));
        }
        let mut by_monomial: BTreeMap<Monomial, Equation> = BTreeMap::new();
        for (i, (above, below)) in fractions.into_iter().enumerate() {
            cx.check()?;
            let factor = common.gcd_cofactors(cx, &below)?.left;
            for (monomial, coefficient) in reduce(cx, above.mul(cx, &factor)?)?.terms() {
                let (moving, constant): (Monomial, Monomial) =
                    monomial.into_iter().partition(|(g, _)| moves(Generator(*g)));
                let powers = constant.iter().map(|(g, e)| Generator(*g).meaning().pow(i64::from(*e)));
                let value = Expr::multiply_all(powers.chain([Expr::number(coefficient)]));
                let entry = by_monomial.entry(moving).or_default().entry(i).or_insert_with(Expr::zero);
                *entry = *entry + value;
            }
        }
        for mut equation in by_monomial.into_values() {
            equation.retain(|_, e| !e.is_zero());
            if !equation.is_empty() && !found.contains(&equation) {
                found.push(equation);
            }
        }
    }
    Ok(found)
}

/// Whether a generator changes along motions; parameters, π and functions of them do not.
fn moves(g: Generator) -> bool {
    g.meaning().symbols().into_iter().any(is_coordinate)
}

/// An equation with one unknown and a number in front of it says that this one is 0. What is left, and for which unknowns.
fn without_zeros(n: usize, mut equations: Vec<Equation>) -> (Vec<usize>, Vec<Equation>) {
    let mut kept: Vec<usize> = (0..n).collect();
    loop {
        let single = |e: &Equation| match e.iter().next() {
            Some((i, c)) if e.len() == 1 && c.is_number() => Some(*i),
            _ => None,
        };
        let zeros: Vec<usize> = equations.iter().filter_map(single).collect();
        if zeros.is_empty() {
            return (kept, equations);
        }
        kept.retain(|i| !zeros.contains(i));
        equations.iter_mut().for_each(|e| e.retain(|i, _| !zeros.contains(i)));
        equations.retain(|e| !e.is_empty());
    }
}

fn numbers(equations: &[Equation]) -> Option<Vec<BTreeMap<usize, Rational>>> {
    let row =
        |e: &Equation| e.iter().map(|(i, c)| Some((*i, c.as_number()?.clone()))).collect::<Option<BTreeMap<_, _>>>();
    equations.iter().map(row).collect()
}

/// The unknowns that lead an equation, with the equation that is left of each.
type Echelon = BTreeMap<usize, BTreeMap<usize, Rational>>;

/// Adds an equation to those that are independent; whether it was.
fn insert(echelon: &mut Echelon, mut row: BTreeMap<usize, Rational>) -> bool {
    while let Some((lead, value)) = row.iter().next().map(|(i, c)| (*i, c.clone())) {
        let Some(pivot) = echelon.get(&lead) else {
            row.values_mut().for_each(|c| *c = &*c / &value);
            echelon.insert(lead, row);
            return true;
        };
        subtract(&mut row, &value, pivot);
    }
    false
}

fn subtract(row: &mut BTreeMap<usize, Rational>, factor: &Rational, pivot: &BTreeMap<usize, Rational>) {
    for (i, c) in pivot {
        let entry = row.entry(*i).or_insert(Rational::ZERO);
        *entry = &*entry - &(factor * c);
        if entry.is_zero() {
            row.remove(i);
        }
    }
}

/// A basis of what all equations annihilate, one vector for each unknown that leads none.
fn null_space(
    cx: &Inquiry,
    equations: Vec<BTreeMap<usize, Rational>>,
    n: usize,
    kept: &[usize],
) -> Budgeted<Vec<Vec<Expr>>> {
    let mut echelon = Echelon::new();
    for row in equations {
        cx.check()?;
        insert(&mut echelon, row);
    }
    let free: Vec<usize> = kept.iter().copied().filter(|i| !echelon.contains_key(i)).collect();
    let vector = |j: usize| {
        // From the last pivot up: each unknown from those after it.
        let mut values: BTreeMap<usize, Rational> = BTreeMap::from([(j, Rational::ONE)]);
        for (lead, row) in echelon.iter().rev() {
            let mut sum = Rational::ZERO;
            for (i, c) in row.iter().filter(|(i, _)| **i != *lead) {
                if let Some(value) = values.get(i) {
                    sum = &sum - &(c * value);
                }
            }
            if !sum.is_zero() {
                values.insert(*lead, sum);
            }
        }
        (0..n).map(|i| values.get(&i).map_or_else(Expr::zero, |v| Expr::number(v.clone()))).collect()
    };
    Ok(free.into_iter().map(vector).collect())
}

/// The same where parameters occur. Independent equations are chosen at values of the parameters, and only these are eliminated
/// with symbols. An equation that their solutions do not satisfy was independent of them after all, and joins them.
fn over_parameters(cx: &Inquiry, equations: &[Equation], n: usize, kept: &[usize]) -> Budgeted<Combinations> {
    let mut chosen = independent(cx, equations);
    loop {
        let found = eliminate(cx, &chosen, n, kept)?;
        let fails = |e: &&Equation| {
            let value = |c: &Vec<Expr>| Expr::add_all(e.iter().map(|(i, e)| *e * c[*i]));
            found.basis.iter().any(|c| vanishes(cx, value(c)).is_no())
        };
        let rest = equations.iter().filter(|e| !chosen.contains(e));
        match rest.collect::<Vec<_>>().into_iter().find(fails) {
            Some(missed) => chosen.push(missed),
            None => return Ok(found),
        }
    }
}

/// The solutions of equations over the functions of the parameters, and the pivots on the way.
fn eliminate(cx: &Inquiry, equations: &[&Equation], n: usize, kept: &[usize]) -> Budgeted<Combinations> {
    let place: FxHashMap<usize, usize> = kept.iter().enumerate().map(|(k, i)| (*i, k)).collect();
    let row = |e: &&Equation| {
        let mut row = vec![Expr::zero(); kept.len()];
        e.iter().for_each(|(i, c)| row[place[i]] = *c);
        row
    };
    let matrix = Matrix::with_columns(equations.iter().map(row).collect(), kept.len());
    let (echelon, recorded) = conditions::collect(cx, |cx| matrix.echelon(cx));
    let echelon = echelon?;
    let mut special = echelon.conditions.clone();
    special.extend(recorded);
    let depends = |e: &Expr| e.symbols().iter().any(|s| s.is_parameter());
    let special = conditions::without_repetition(special.into_iter().filter(depends).collect());
    let free = (0..kept.len()).filter(|j| !echelon.pivots.contains(j));
    let vector = |j: usize| {
        let mut v = vec![Expr::zero(); n];
        v[kept[j]] = Expr::one();
        for (row, column) in echelon.pivots.iter().enumerate() {
            v[kept[*column]] = tidy(cx, -echelon.matrix[(row, j)]);
        }
        v
    };
    let basis = free.map(|j| without_denominators(cx, vector(j))).collect::<Budgeted<Vec<_>>>()?;
    Ok(Combinations { basis, special })
}

/// A multiple of the vector that has a value for all parameters.
fn without_denominators(cx: &Inquiry, vector: Vec<Expr>) -> Budgeted<Vec<Expr>> {
    let mut common = Expr::one();
    for e in vector.iter().filter(|e| !e.is_zero()) {
        common = common * conditions::collect(cx, |cx| denominator(cx, *e * common)).0?;
    }
    Ok(conditions::collect(cx, |cx| vector.into_iter().map(|e| tidy(cx, e * common)).collect()).0)
}

/// Equations that are independent at some values of the parameters, as many as there are.
fn independent<'e>(cx: &Inquiry, equations: &'e [Equation]) -> Vec<&'e Equation> {
    let entries: Vec<Expr> = equations.iter().flat_map(|e| e.values().copied()).collect();
    let parameters = crate::algebra::expr::symbols_of(&entries);
    let values: FxHashMap<Symbol, Expr> = parameters
        .iter()
        .enumerate()
        .map(|(i, s)| (*s, Expr::number(Rational::ratio(101 + 37 * i as i64 * i as i64, 7 + 2 * i as i64))))
        .collect();
    let mut echelon = Echelon::new();
    let mut chosen = vec![];
    for equation in equations {
        let there = equation.iter().map(|(i, e)| {
            let (value, _) = conditions::collect(cx, |cx| tidy(cx, substitute(*e, &values)));
            Some((*i, value.as_number()?.clone()))
        });
        match there.collect::<Option<BTreeMap<usize, Rational>>>() {
            Some(mut row) => {
                row.retain(|_, c| !c.is_zero());
                if insert(&mut echelon, row) {
                    chosen.push(equation);
                }
            }
            // A value that is no rational number: this equation stays.
            None => chosen.push(equation),
        }
    }
    chosen
}

/// Independent vectors, each with a place in which all later ones are 0.
#[derive(Clone, Debug, Default)]
pub struct Independent {
    vectors: Vec<(Vec<Expr>, usize)>,
}

impl Independent {
    /// What a vector adds to the ones before, without their leading places and without common factors; `None` if it is a combination
    /// of them.
    pub fn add(&mut self, cx: &Inquiry, vector: &[Expr]) -> Budgeted<Option<Vec<Expr>>> {
        let mut v = vector.to_vec();
        for (known, place) in &self.vectors {
            let (mine, theirs) = (v[*place], known[*place]);
            if !mine.is_zero() {
                v = v.iter().zip(known).map(|(a, b)| tidy(cx, *a * theirs - *b * mine)).collect();
            }
        }
        if v.iter().all(|e| vanishes(cx, *e).is_yes()) {
            return Ok(None);
        }
        let v = primitive(cx, v)?;
        // A place whose entry is never 0 keeps the vectors independent for all values of the parameters.
        let place = v.iter().position(|e| e.is_number() && !e.is_zero());
        let place = place.or_else(|| v.iter().position(|e| sign_of(cx, *e).is_nonzero()));
        let Some(place) = place.or_else(|| v.iter().position(|e| vanishes(cx, *e).is_no())) else { return Ok(None) };
        self.vectors.push((v.clone(), place));
        Ok(Some(v))
    }
}

/// The vector without the common factor of its entries.
fn primitive(cx: &Inquiry, vector: Vec<Expr>) -> Budgeted<Vec<Expr>> {
    if vector.iter().all(|e| e.is_number()) {
        return Ok(vector);
    }
    let vector = without_denominators(cx, vector)?;
    let mut common: Option<Polynomial> = None;
    for e in vector.iter().filter(|e| !e.is_zero()) {
        let (above, _) =
            conditions::collect(cx, |cx| normal_form_in(cx, Context::of(cx, &[*e])?, *e)?.fraction(cx)).0?;
        common = Some(match common {
            None => above,
            Some(p) => p.gcd_cofactors(cx, &above)?.gcd,
        });
    }
    let vector = match common.filter(|p| !p.is_constant()) {
        None => vector,
        Some(common) => {
            let common = polynomial_expr(&common);
            conditions::collect(cx, |cx| vector.into_iter().map(|e| tidy(cx, e / common)).collect()).0
        }
    };
    without_content(cx, vector)
}

/// The vector without the number that all coefficients share; its first number is positive.
fn without_content(cx: &Inquiry, vector: Vec<Expr>) -> Budgeted<Vec<Expr>> {
    let mut shared = Rational::ZERO;
    for e in vector.iter().filter(|e| !e.is_zero()) {
        let read = |cx: &Inquiry| normal_form_in(cx, Context::of(cx, &[*e])?, *e)?.fraction(cx);
        let content = conditions::collect(cx, read).0?.0.content();
        // gcd(a/b, c/d) = gcd(ad, cb)/bd.
        let left = shared.numerator() * content.denominator();
        let right = content.numerator() * shared.denominator();
        shared = Rational::new(left.gcd(&right), shared.denominator() * content.denominator());
    }
    let is_turned = vector.iter().find(|e| e.is_number() && !e.is_zero()).and_then(|e| e.as_number());
    if is_turned.is_some_and(Rational::is_negative) {
        shared = -&shared;
    }
    if shared.is_zero() || shared == Rational::ONE {
        return Ok(vector);
    }
    let factor = Expr::number(&Rational::ONE / &shared);
    Ok(conditions::collect(cx, |cx| vector.into_iter().map(|e| tidy(cx, e * factor)).collect()).0)
}
