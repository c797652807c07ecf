//! The worked cases of docs/theory/odes.md, field by field, against the functions of this room. The same cases stand as
//! programs of the language in `tests/cases`; here a failure names the function.

use super::classify::{Classification, classify};
use super::constraint_algorithm::{Dynamics, contains_point, dynamics, union_contains_point};
use super::dynamical_form::DynamicalForm;
use super::hamilton::{canonical, hamilton_form};
use super::inverse_problem::{equivalent, helmholtz, tonti};
use super::lagrangian::Lagrangian;
use super::lepage_class::{LepageTwoForm, closed_representative, lepage, with_f, without_f};
use super::{jet, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::number::Rational;
use crate::algebra::stratum::{self, Branch};
use crate::algebra::substitute::substitute;
use crate::algebra::testing::Scope;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, total_derivative};
use rustc_hash::FxHashMap;
use serde_json::Value;

/// A case with its names: the data write q1_2 for q1″ and v1_0 for vel(q1).
pub(super) struct Stage {
    scope: Scope,
    pub manifold: FiberedManifold,
    t: Symbol,
    parameters: Vec<(String, Symbol)>,
}

impl Stage {
    pub fn new(names: &[&str]) -> Stage {
        let mut scope = Scope::new();
        let coordinates: Vec<_> = names.iter().map(|n| scope.symbol(n).as_jet().expect("a jet").0).collect();
        let t = Symbol::base("t");
        Stage { scope, manifold: FiberedManifold::new("Y", t, &coordinates), t, parameters: vec![] }
    }

    pub fn parameter(&mut self, name: &str) -> Expr {
        self.parameters.push((name.into(), Symbol::parameter(name)));
        self.read(name)
    }

    fn of_case(case: &Value) -> Stage {
        let mut stage = Stage::new(&strings(&case["inputs"]["coordinates"]));
        for name in strings(&case["inputs"]["parameters"]) {
            stage.parameter(name);
        }
        stage
    }

    pub fn read(&mut self, text: &str) -> Expr {
        let m = self.manifold.n_coordinates();
        let names: Vec<String> = self.manifold.fibres().iter().map(|f| f.coordinate.name()).collect();
        let mut map = FxHashMap::default();
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            if let Some((name, order)) = word.rsplit_once('_')
                && let Ok(order) = order.parse::<u32>()
            {
                if names.iter().any(|n| n == name) {
                    word = format!("{name}{}", "'".repeat(order as usize));
                } else if let Some(sigma) = name.strip_prefix('v').and_then(|i| i.parse::<usize>().ok()) {
                    assert!((1..=m).contains(&sigma));
                    let velocity = Symbol::velocity(jet(&self.manifold, sigma - 1, order));
                    map.insert(self.scope.symbol(&word), Expr::symbol(velocity));
                }
            }
            out.push_str(&word);
            word.clear();
            out.push(c);
        }
        map.insert(self.scope.symbol("t"), Expr::symbol(self.t));
        for (name, symbol) in self.parameters.clone() {
            map.insert(self.scope.symbol(&name), Expr::symbol(symbol));
        }
        let e = self.scope.read(out.trim());
        substitute(e, &map)
    }

    pub fn symbol(&mut self, name: &str) -> Symbol {
        self.read(name).as_symbol().expect("a symbol")
    }

    pub fn point(&mut self, at: &Value) -> FxHashMap<Symbol, Expr> {
        let entries: Vec<(String, String)> =
            at.as_object().expect("a point").iter().map(|(k, v)| (k.clone(), text(v))).collect();
        entries.iter().map(|(name, value)| (self.symbol(name), self.read(value))).collect()
    }

    pub fn lagrangian(&mut self, cx: &Inquiry, text: &str) -> Lagrangian {
        let l = self.read(text);
        Lagrangian::new(cx, &self.manifold, l).expect("decided")
    }

    pub fn equations(&mut self, cx: &Inquiry, list: &[&str]) -> DynamicalForm {
        let components = list.iter().map(|e| self.read(e)).collect();
        DynamicalForm::new(cx, &self.manifold, components).expect("decided")
    }

    pub fn branch(&mut self, equations: &[&str], nonzero: &[&str]) -> Branch {
        Branch {
            equations: equations.iter().map(|e| self.read(e)).collect(),
            nonzero: nonzero.iter().map(|e| self.read(e)).collect(),
        }
    }

    /// The equations of a case, from its Lagrangian or as given.
    fn form(&mut self, cx: &Inquiry, case: &Value) -> DynamicalForm {
        match case["inputs"]["lagrangian"].as_str() {
            Some(l) => self.lagrangian(cx, l).dynamical_form(cx).expect("decided"),
            None => self.equations(cx, &strings(&case["inputs"]["E"])),
        }
    }

    /// The representative of a case: with given 2F, the closed one, or F = 0.
    fn alpha(&mut self, cx: &Inquiry, case: &Value) -> LepageTwoForm {
        let form = self.form(cx, case);
        if let Some(entries) = case["inputs"]["twoF"].as_object() {
            let mut terms = Vec::new();
            for (key, value) in entries.clone() {
                let k: Vec<usize> = key.split(',').map(|n| n.parse().expect("a number")).collect();
                let omega = |i: usize, sigma: usize| Form::omega(jet(&self.manifold, sigma - 1, i as u32));
                let pair = omega(k[0], k[2]).wedge(&omega(k[1], k[3]));
                terms.push(pair.scale(self.read(&text(&value))));
            }
            return with_f(cx, &form, &Form::sum(2, &terms)).expect("2-contact");
        }
        match case["inputs"]["alpha"].as_str() {
            Some("lepagean_equivalent") => closed_representative(cx, &form),
            Some("F=0") => without_f(cx, &form),
            _ => lepage(cx, &form).expect("decided"),
        }
    }

    fn sets(&mut self, list: &Value) -> Vec<Branch> {
        list.as_array()
            .expect("a list of branches")
            .iter()
            .map(|b| self.branch(&strings(&b["equations"]), &strings(&b["nonzero"])))
            .collect()
    }
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().map(|l| l.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

fn text(v: &Value) -> String {
    v.as_str().map_or_else(|| v.to_string(), str::to_string)
}

fn cases(kind: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../tests/data/krupkova-odes.json")).expect("JSON");
    let all = file["cases"].as_array().expect("cases").clone();
    all.into_iter().filter(|c| c["kind"] == kind).collect()
}

/// Runs every case of a kind; a failing check names the case.
fn each(kind: &str, check: impl Fn(&Value, &mut Stage)) {
    let list = cases(kind);
    assert!(!list.is_empty(), "no case of the kind {kind}");
    for case in list {
        eprintln!("{} {}", case["id"], case["title"]);
        check(&case, &mut Stage::of_case(&case));
    }
}

pub(super) fn assert_equal(cx: &Inquiry, found: Expr, expected: Expr) {
    assert!(vanishes(cx, found - expected).is_yes(), "found {found}, expected {expected}");
}

pub(super) fn assert_verdict(verdict: &Verdict, expected: bool, what: &str) {
    let right = if expected { verdict.is_yes() } else { verdict.is_no() };
    assert!(right, "{what}: {verdict}, expected {expected}");
}

fn check_expressions(cx: &Inquiry, stage: &mut Stage, found: &[Expr], expected: &Value) {
    if expected.is_null() {
        return;
    }
    let expected = strings(expected);
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        let e = stage.read(e);
        assert_equal(cx, *f, e);
    }
}

fn check_matrix(cx: &Inquiry, stage: &mut Stage, found: &[Vec<Expr>], expected: &Value) {
    for (row, e) in found.iter().zip(expected.as_array().expect("rows")) {
        check_expressions(cx, stage, row, e);
    }
}

/// A rational value; those given in decimals are implied by the expressions.
fn check_value(cx: &Inquiry, found: Expr, expected: &str) {
    if !expected.contains('.') {
        let expected = Scope::new().read(expected);
        assert_equal(cx, found, expected);
    }
}

#[test]
fn dynamical_forms() {
    let cx = &Inquiry::free();
    each("dynamical_form", |case, stage| {
        let expected = &case["expected"];
        let form = stage.form(cx, case);
        assert_eq!(form.jet_order() as u64, expected["jet_order_of_E"]);
        assert_verdict(form.is_affine(), expected["affine_in_jet_order"] == true, "affine");
        assert_eq!(form.order() as u64, expected["true_order_s"]);
        assert_eq!(form.phase_space().dimension() as u64, expected["phase_space_dim"]);
        check_expressions(cx, stage, form.a(), &expected["A"]);
        check_matrix(cx, stage, form.b(), &expected["B"]);
        let class = lepage(cx, &form).expect("decided");
        assert_eq!(class.order() == 0, expected["zero_order_lepage_class"] == true);
    });
}

#[test]
fn zero_order_lepage_forms() {
    let cx = &Inquiry::free();
    each("zero_order_lepage", |case, stage| {
        let expected = &case["expected"];
        let form = stage.form(cx, case);
        let alpha = lepage(cx, &form).expect("decided");
        assert_eq!(alpha.order(), 0);
        check_two_form(cx, stage, &alpha.form(cx), &expected["alpha"]);
        assert_verdict(alpha.is_closed(), expected["closed"] == true, "closed");
        assert_verdict(&helmholtz(cx, &form).variational, expected["variational"] == true, "variational");
    });
}

fn check_two_form(cx: &Inquiry, stage: &mut Stage, form: &Form, expected: &Value) {
    let mut rest = form.clone();
    for (key, value) in expected.as_object().expect("components").clone() {
        let symbols: Vec<Symbol> = key.split('^').map(|d| stage.symbol(&d[1..])).collect();
        let value = stage.read(&text(&value));
        assert_equal(cx, form.coefficient(&symbols), value);
        rest = &rest - &Form::term(value, &symbols);
    }
    assert!(rest.is_zero(cx).is_yes(), "further components");
}

#[test]
fn lepage_classes() {
    let cx = &Inquiry::free();
    each("lepage_class", |case, stage| {
        let alpha = stage.alpha(cx, case);
        let columns: Vec<Symbol> =
            strings(&case["expected"]["coordinate_order"]).into_iter().map(|n| stage.symbol(n)).collect();
        let rows: Vec<Vec<Expr>> =
            alpha.rows(cx).iter().map(|row| columns.iter().map(|c| row.coefficient(&[*c])).collect()).collect();
        check_matrix(cx, stage, &rows, &case["expected"]["codistribution_rows"]);
        let c = classify(cx, &alpha).expect("within the budget");
        for value in case["expected"]["values"].as_array().expect("values") {
            let point = stage.point(&value["at"]);
            check_ranks_at(cx, &c, &point, value);
            let numbers = rows.iter().map(|r| r.iter().map(|e| number_at(cx, *e, &point)).collect()).collect();
            assert_eq!(rref(numbers), value["codistribution_rref"]);
        }
    });
}

fn number_at(cx: &Inquiry, e: Expr, point: &FxHashMap<Symbol, Expr>) -> Rational {
    super::tidy(cx, substitute(e, point)).as_number().expect("a rational number").clone()
}

/// The reduced row echelon form, as lists of strings.
fn rref(mut rows: Vec<Vec<Rational>>) -> Value {
    let n = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..n {
        let Some(pivot) = (rank..rows.len()).find(|i| !rows[*i][column].is_zero()) else { continue };
        rows.swap(rank, pivot);
        let inverse = rows[rank][column].recip().expect("nonzero");
        rows[rank] = rows[rank].iter().map(|x| x * &inverse).collect();
        for i in (0..rows.len()).filter(|i| *i != rank) {
            let factor = rows[i][column].clone();
            rows[i] = rows[i].iter().zip(&rows[rank]).map(|(a, b)| a - &(&factor * b)).collect();
        }
        rank += 1;
    }
    rows.truncate(rank);
    rows.into_iter().map(|r| r.iter().map(|x| Value::from(x.to_string())).collect::<Value>()).collect()
}

/// The rank at a point, read off the strata.
fn rank_at(cx: &Inquiry, rank: &crate::algebra::stratum::rank::Rank, point: &FxHashMap<Symbol, Expr>) -> usize {
    let here: Vec<usize> =
        rank.strata.iter().filter(|(b, _)| contains_point(cx, b, point).is_yes()).map(|(_, v)| *v).collect();
    assert_eq!(here.len(), 1, "one stratum through each point, found {here:?} in {:?}", rank.strata);
    here[0]
}

fn check_ranks_at(cx: &Inquiry, c: &Classification, point: &FxHashMap<Symbol, Expr>, expected: &Value) {
    let ranks = [
        ("rank_F", &c.rank_f),
        ("rank_FA", &c.rank_fa),
        ("rank_B", &c.rank_b),
        ("rank_BA", &c.rank_ba),
        ("rank_Delta", &c.rank_delta),
        ("rank_D", &c.rank_d),
    ];
    for (name, rank) in ranks {
        if let Some(n) = expected[name].as_u64() {
            assert_eq!(rank_at(cx, rank, point) as u64, n, "{name}");
        }
    }
}

#[test]
fn hamilton_forms() {
    let cx = &Inquiry::free();
    each("hamilton_form", |case, stage| {
        let alpha = stage.alpha(cx, case);
        let h = hamilton_form(cx, &alpha);
        let m = stage.manifold.n_coordinates();
        for (i, e) in h.components.iter().enumerate() {
            let key = format!("H_{}_{}", i / m, i % m + 1);
            let expected = stage.read(&text(&case["expected"]["components"][&key]));
            assert_equal(cx, *e, expected);
        }
    });
}

#[test]
fn classifications() {
    let cx = &Inquiry::free();
    each("classification", |case, stage| {
        let expected = &case["expected"];
        let alpha = stage.alpha(cx, case);
        let form = alpha.dynamical_form().clone();
        let c = classify(cx, &alpha).expect("within the budget");
        assert_eq!(c.order as u64, expected["true_order_s"]);
        assert_eq!(c.size as u64, expected["ms"]);
        assert_verdict(&c.variational, expected["variational"] == true, "variational");
        assert_verdict(&c.regular, expected["regular"] == true, "regular");
        assert_verdict(&c.singular, expected["singular"] == true, "singular");
        assert_verdict(&c.semiregular, expected["semiregular"] == true, "semiregular");
        assert_verdict(&c.rank_one, expected["Delta_is_rank_one"] == true, "rank one");
        let weak = c.weakly_regular.clone().expect("s ≥ 2");
        assert_verdict(&weak, expected["weakly_regular"] == true, "weakly regular");
        let strong = c.strongly_semiregular.clone().expect("s ≥ 2");
        assert_verdict(&strong, expected["strongly_semiregular"] == true, "strongly semiregular");
        assert_eq!(values(&c.rank_b), numbers(&expected["rank_B_values"]));
        assert_eq!(values(&c.rank_f), numbers(&expected["rank_F_values"]));
        if let Some(n) = expected["rank_Delta"].as_u64() {
            assert_eq!(values(&c.rank_delta), [n]);
        }
        let space = form.phase_space().symbols();
        let everything = [Branch::everything()];
        for (set, key) in
            [(&c.primary, "primary_dynamical_constraints"), (&c.primary_semispray, "primary_semispray_constraints")]
        {
            let set = set.as_deref().expect("few strata");
            let equal = stratum::equal_sets(cx, &space, set, &everything).expect("within the budget");
            assert_verdict(&equal.negate(), expected[key] == true, key);
        }
        for value in expected["values"].as_array().expect("values") {
            let point = stage.point(&value["at"]);
            check_ranks_at(cx, &c, &point, value);
        }
        if let Some(integrable) = expected["Delta_completely_integrable"].as_bool() {
            assert_verdict(&c.integrable, integrable, "integrable");
        }
    });
}

fn values(rank: &crate::algebra::stratum::rank::Rank) -> Vec<u64> {
    rank.values.iter().map(|v| *v as u64).collect()
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().expect("numbers").iter().filter_map(Value::as_u64).collect()
}

#[test]
fn constraint_algorithms() {
    let cx = &Inquiry::free();
    each("constraint_algorithm", |case, stage| {
        let expected = &case["expected"];
        let alpha = stage.alpha(cx, case);
        let form = alpha.dynamical_form().clone();
        assert_eq!(form.order() as u64, expected["true_order_s"]);
        check_expressions(cx, stage, form.components(), &expected["E"]);
        check_expressions(cx, stage, form.a(), &expected["A"]);
        check_matrix(cx, stage, form.b(), &expected["B"]);
        let found = dynamics(cx, &alpha).expect("within the budget");
        check_dynamics(cx, stage, &form, &found.extended, &expected["extended"], "distribution_rank");
        if form.order() > 1 {
            check_dynamics(cx, stage, &form, &found.proper, &expected["proper"], "semispray_distribution_rank");
        }
        let c = classify(cx, &alpha).expect("within the budget");
        for row in expected["point_table"].as_array().expect("points") {
            let point = stage.point(&row["at"]);
            check_ranks_at(cx, &c, &point, row);
            for (set, key) in [
                (&found.extended.primary, "in_primary_extended"),
                (&found.extended.final_set(), "in_final_extended"),
                (&found.proper.primary, "in_primary_semispray"),
                (&found.proper.final_set(), "in_final_proper"),
            ] {
                if let Some(inside) = row[key].as_bool() {
                    assert_verdict(&union_contains_point(cx, set, &point), inside, key);
                }
            }
        }
    });
}

fn check_dynamics(
    cx: &Inquiry,
    stage: &mut Stage,
    form: &DynamicalForm,
    found: &Dynamics,
    expected: &Value,
    rank_key: &str,
) {
    let space = form.phase_space().symbols();
    let primary = stage.sets(&expected["primary_set"]);
    let same = |a: &[Branch], b: &[Branch]| stratum::equal_sets(cx, &space, a, b).expect("within the budget");
    assert_verdict(&same(&found.primary, &primary), true, "primary set");
    let everything = [Branch::everything()];
    let constrained = same(&found.primary, &everything).negate();
    assert_verdict(&constrained, expected["primary_constraints"] == true, "primary constraints");
    assert_verdict(&found.secondary, expected["secondary_constraints"] == true, "secondary constraints");
    assert_verdict(&found.empty, expected["no_dynamics"] == true, "no dynamics");
    assert!(found.complete.is_yes(), "{:?}", found.undecided);
    let finals = stage.sets(&expected["final"]);
    assert_verdict(&same(&found.final_set(), &finals), true, "final set");
    for (branch, data) in finals.iter().zip(expected["final"].as_array().expect("branches")) {
        let mut matching = found
            .branches
            .iter()
            .filter(|b| same(std::slice::from_ref(&b.branch), std::slice::from_ref(branch)).is_yes());
        let b = matching.next().unwrap_or_else(|| panic!("no branch {branch:?} among {:?}", found.final_set()));
        assert_eq!(b.dim as u64, data["dim"], "dim");
        assert_eq!(b.rank.values[0] as u64, data[rank_key], "rank");
        assert_eq!(b.free as u64 + 1, data[rank_key]);
        assert_eq!(b.determined.is_yes(), data[rank_key] == 1);
        assert_verdict(&b.integrable, data["completely_integrable"] == true, "integrable");
        for point in data["points"].as_array().into_iter().flatten() {
            let at = stage.point(&point["at"]);
            // Special angles leave no rational point; the span is compared where all values are rational.
            let rows: Vec<Vec<Rational>> =
                b.fields.iter().map(|f| space.iter().map(|s| number_at(cx, f.component(*s), &at)).collect()).collect();
            assert_eq!(rref(rows), point["span_rref"]);
        }
    }
}

#[test]
fn helmholtz_conditions() {
    let cx = &Inquiry::free();
    each("helmholtz", |case, stage| {
        let expected = &case["expected"];
        let form = stage.form(cx, case);
        let h = helmholtz(cx, &form);
        assert_verdict(&h.variational, expected["variational"] == true, "variational");
        for r in &h.residuals {
            let key = format!("{},{},{}", r.l, r.sigma + 1, r.nu + 1);
            let value = expected["nonzero_residuals"][&key].as_str().map_or("0", |s| s).to_string();
            let value = stage.read(&value);
            assert_equal(cx, r.value, value);
        }
        if let Some(factor) = case["inputs"]["multiplier"].as_str() {
            let factor = stage.read(factor);
            let scaled = form.scaled(cx, factor).expect("decided");
            assert_verdict(&helmholtz(cx, &scaled).variational, expected["multiplier_makes_variational"] == true, "");
            let l = tonti(cx, &scaled).expect("variational").lagrangian.function();
            let e = stage.read(&text(&expected["vainberg_tonti_of_multiplied"]));
            assert_equal(cx, l, e);
            let found = super::inverse_problem::integrating_factor(cx, &form).expect("decided").expect("found");
            assert!(found.variational.is_yes());
            assert!(
                vanishes(
                    cx,
                    crate::algebra::derive::partial(cx, found.common().expect("one factor") / factor, stage.t)
                )
                .is_yes()
            );
        }
    });
}

#[test]
fn lepagean_equivalents() {
    let cx = &Inquiry::free();
    each("lepagean_equivalent", |case, stage| {
        let expected = &case["expected"];
        let form = stage.form(cx, case);
        check_expressions(cx, stage, form.components(), &expected["E"]);
        let alpha = closed_representative(cx, &form);
        let m = stage.manifold.n_coordinates();
        for row in 0..form.size() {
            for column in row + 1..form.size() {
                let key = format!("{},{},{},{}", row / m, column / m, row % m + 1, column % m + 1);
                let value = stage.read(expected["twoF_nonzero"][&key].as_str().unwrap_or("0"));
                assert_equal(cx, alpha.matrix()[row][column], value);
            }
        }
        check_two_form(cx, stage, &alpha.form(cx), &expected["alpha_coordinate"]);
        assert!(crate::geometry::contact::is_closed(cx, &alpha.form(cx)).verdict.is_yes());
    });
}

#[test]
fn vainberg_tonti_lagrangians() {
    let cx = &Inquiry::free();
    each("vainberg_tonti", |case, stage| {
        let expected = &case["expected"];
        let form = stage.form(cx, case);
        check_expressions(cx, stage, form.components(), &expected["E"]);
        let l = tonti(cx, &form).expect("variational").lagrangian;
        let e = stage.read(&text(&expected["vainberg_tonti"]));
        assert_equal(cx, l.function(), e);
        assert_eq!(l.order() as u64, expected["order"]);
    });
}

#[test]
fn cartan_forms() {
    let cx = &Inquiry::free();
    use crate::geometry::contact::{Covector, coefficient};
    each("cartan_form", |case, stage| {
        let expected = &case["expected"];
        let lagrangian = stage.lagrangian(cx, case["inputs"]["lagrangian"].as_str().expect("text"));
        assert_eq!(lagrangian.order() as u64, expected["order_r"]);
        check_expressions(cx, stage, &lagrangian.euler_lagrange(cx), &expected["E"]);
        let theta = lagrangian.cartan_form(cx);
        for (key, value) in expected["theta"].as_object().expect("components").clone() {
            let value = stage.read(&text(&value));
            if let Some((sigma, k)) = key.strip_prefix('w').and_then(|w| w.split_once('_')) {
                let sigma: usize = sigma.parse().expect("a number");
                let q = jet(&stage.manifold, sigma - 1, k.parse().expect("a number"));
                assert_equal(cx, coefficient(&theta, &[Covector::Contact(q)]).expect("a key"), value);
            }
        }
    });
}

#[test]
fn equivalent_lagrangians() {
    let cx = &Inquiry::free();
    each("equivalent_lagrangians", |case, stage| {
        let expected = &case["expected"];
        let left = stage.lagrangian(cx, case["inputs"]["L1"].as_str().expect("text"));
        let right = stage.read(case["inputs"]["L2"].as_str().expect("text"));
        let found = equivalent(cx, &left, right).expect("decided");
        assert_verdict(&found.equivalent, expected["equivalent"] == true, "equivalent");
        check_expressions(cx, stage, &found.euler_lagrange, &expected["EL_of_difference"]);
        if found.equivalent.is_yes() {
            let f = found.primitive.expect("a primitive");
            assert_equal(cx, total_derivative(cx, f), left.function() - right);
        }
    });
}

#[test]
fn regularity_of_the_class() {
    let cx = &Inquiry::free();
    each("regularity_class", |case, stage| {
        let expected = &case["expected"];
        let lagrangian = stage.lagrangian(cx, case["inputs"]["lagrangian"].as_str().expect("text"));
        assert_eq!(lagrangian.order() as u64, expected["order_r"]);
        let form = lagrangian.dynamical_form(cx).expect("decided");
        check_expressions(cx, stage, form.components(), &expected["E"]);
        assert_eq!(form.order() as u64, expected["true_order_s"]);
        let alpha = lepage(cx, &form).expect("decided");
        assert_eq!(alpha.order() as u64, expected["order_of_lagrangian_system"]);
        let c = classify(cx, &alpha).expect("within the budget");
        assert_verdict(&c.regular, expected["regular_as_class"] == true, "regular");
        assert_eq!(values(&c.rank_delta), [expected["rank_Delta"].as_u64().expect("a number")]);
        let minimal = canonical(cx, &form, None).expect("variational").minimal;
        assert_eq!(minimal.order() as u64, expected["minimal_lagrangian_order"]);
    });
}

#[test]
fn momenta_and_hamiltonians() {
    let cx = &Inquiry::free();
    each("momenta_hamiltonian", |case, stage| {
        let expected = &case["expected"];
        let form = stage.form(cx, case);
        check_expressions(cx, stage, form.components(), &expected["E"]);
        assert_eq!(form.order() as u64, expected["true_order_s"]);
        let phi = stage.read(case["inputs"]["gauge_phi"].as_str().unwrap_or("0"));
        let c = canonical(cx, &form, Some(phi)).expect("variational");
        let mut compare = |found: Expr, key: &str| {
            let e = stage.read(&text(&expected[key]));
            assert_equal(cx, found, e);
        };
        compare(c.f, "f_8_9");
        compare(c.hamiltonian, "H_8_11");
        compare(c.minimal.function(), "L_min_8_14");
        compare(tonti(cx, &form).expect("variational").lagrangian.function(), "vainberg_tonti");
        for (k, row) in c.momenta.iter().enumerate() {
            for (nu, p) in row.iter().enumerate() {
                let e = stage.read(&text(&expected["momenta"][&format!("p_{k}_{}", nu + 1)]));
                assert_equal(cx, *p, e);
            }
        }
        assert_eq!(c.minimal.order() as u64, expected["L_min_order"]);
        assert_verdict(&c.autonomous, expected["autonomous"] == true, "autonomous");
        assert!(c.is_canonical_form_of(cx, &closed_representative(cx, &form)).is_yes());
        for value in expected["values"].as_array().expect("values") {
            let at = stage.point(&value["at"]);
            check_value(cx, substitute(c.hamiltonian, &at), &text(&value["value"]["H"]));
        }
    });
}
