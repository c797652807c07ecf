//! The linear systems and ideals that the worked cases of the sheets produce (`tests/data/sheets.json`, made by
//! `tests/oracle/sheets.py`), and what is done with each: rank, solvability and solution by strata; components with their
//! dimensions, and whether there is a real point. The test checks the outcome, the benchmark takes the time.

use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::algebra::stratum::components::components;
use lepage::workshop::algebra::stratum::leaves::{Leaf, leaves_as_far_as_possible};
use lepage::workshop::algebra::stratum::rank::system_of;
use lepage::workshop::algebra::stratum::{Branch, Cell, Frame, set, tangent};
use lepage::workshop::algebra::{Expr, Inquiry, Rational, Symbol, Verdict};
use lepage::workshop::budget::{Budgeted, Share, share};
use lepage::workshop::model::operate;
use serde_json::Value as Json;

/// Values of coordinates, parameters and functions of them.
pub type Place = Vec<(Expr, Rational)>;

/// M y = r on a set, and what the ranks of M and (M|r) are at some of its points.
pub struct SystemCase {
    pub title: String,
    pub symbols: Vec<Symbol>,
    pub matrix: Vec<Vec<Expr>>,
    pub right: Vec<Expr>,
    pub set: Branch,
    pub ranks: Vec<(Place, usize, usize)>,
}

/// A set, and what is known of it.
pub struct IdealCase {
    pub title: String,
    pub symbols: Vec<Symbol>,
    pub set: Branch,
    /// Jets that are projected away.
    pub eliminated: Vec<Symbol>,
    pub dimension: Option<usize>,
    pub is_empty: Option<bool>,
    pub points: Vec<Place>,
    /// The branches that the sheet gives.
    pub union: Option<Vec<Branch>>,
}

pub fn read() -> (Vec<SystemCase>, Vec<IdealCase>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sheets.json");
    let text = std::fs::read_to_string(path).expect("the data file is there");
    let all: Json = serde_json::from_str(&text).expect("the data file is JSON");
    let list = |name: &str| all[name].as_array().expect("a list of cases");
    (list("systems").iter().map(system_case).collect(), list("ideals").iter().map(ideal_case).collect())
}

/// The program's own reader of expressions, with the names of a case.
struct Reader(Session);

impl Reader {
    fn of(case: &Json) -> Reader {
        let mut program = format!("manifold Y over t {{ {} }}\n", words(&case["coordinates"]).join(", "));
        let parameters = words(&case["parameters"]);
        if !parameters.is_empty() {
            program += &format!("param {}\n", parameters.join(", "));
        }
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("names.mech", &program, Mode::File);
        assert!(outcomes.iter().all(|o| o.held()), "{program}: {outcomes:?}");
        Reader(session)
    }

    fn exprs(&mut self, texts: &[&str]) -> Vec<Expr> {
        if texts.is_empty() {
            return vec![];
        }
        let question = format!("[{}]\n", texts.join(", "));
        let outcomes = self.0.feed("case.mech", &question, Mode::File);
        let answer = outcomes.last().and_then(|o| o.answer.as_ref());
        let value = answer.unwrap_or_else(|| panic!("{question}: {outcomes:?}")).value().main();
        let lepage::workshop::model::value::Value::List(items) = value else { panic!("{question} is no list") };
        items.iter().map(|v| operate::as_expr(&Inquiry::free(), v).unwrap_or_else(|_| panic!("{question}"))).collect()
    }

    fn list(&mut self, list: &Json) -> Vec<Expr> {
        self.exprs(&words(list))
    }

    fn branch(&mut self, case: &Json) -> Branch {
        Branch { equations: self.list(&case["equations"]), nonzero: self.list(&case["nonzero"]) }
    }

    fn place(&mut self, at: &Json) -> Place {
        let entries = at.as_object().expect("a point");
        let names: Vec<&str> = entries.keys().map(String::as_str).collect();
        let values = entries.values().map(|v| number(v.as_str().expect("a number")));
        self.exprs(&names).into_iter().zip(values).collect()
    }

    /// Time and all jets up to an order.
    fn symbols(&mut self, case: &Json, order: usize) -> Vec<Symbol> {
        let jets = (0..=order)
            .flat_map(|k| words(&case["coordinates"]).into_iter().map(move |c| format!("{c}{}", "'".repeat(k))));
        let names: Vec<String> = ["t".to_string()].into_iter().chain(jets).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.exprs(&names).iter().map(|e| e.as_symbol().expect("a coordinate")).collect()
    }
}

fn words(list: &Json) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|t| t.as_str().expect("a text")).collect()
}

fn number(text: &str) -> Rational {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (n, d) = digits.split_once('/').unwrap_or((digits, "1"));
    let value = |t: &str| Rational::parse(t).expect("a number").expect("of moderate size");
    &(&value(n) / &value(d)) * &Rational::from(sign)
}

fn count(value: &Json) -> Option<usize> {
    value.as_u64().map(|n| n as usize)
}

fn title(case: &Json) -> String {
    format!("{}, {}", case["case"].as_str().unwrap_or(""), case["name"].as_str().unwrap_or(""))
}

fn system_case(case: &Json) -> SystemCase {
    let mut reader = Reader::of(case);
    let matrix: Vec<Vec<Expr>> = case["matrix"].as_array().expect("rows").iter().map(|row| reader.list(row)).collect();
    let points = case["points"].as_array().expect("points").clone();
    let rank = |p: &Json, name: &str| count(&p[name]).expect("a rank");
    SystemCase {
        title: title(case),
        symbols: reader.symbols(case, 4),
        matrix,
        right: reader.list(&case["right"]),
        set: reader.branch(case),
        ranks: points.iter().map(|p| (reader.place(&p["at"]), rank(p, "rank"), rank(p, "augmented"))).collect(),
    }
}

fn ideal_case(case: &Json) -> IdealCase {
    let mut reader = Reader::of(case);
    let union = case["union"].as_array().map(|list| list.iter().map(|b| reader.branch(b)).collect());
    let points = case["points"].as_array().expect("points").clone();
    let eliminated = reader.list(&case["eliminated"]);
    IdealCase {
        title: title(case),
        symbols: reader.symbols(case, count(&case["order"]).expect("an order")),
        set: reader.branch(case),
        eliminated: eliminated.iter().map(|e| e.as_symbol().expect("a jet")).collect(),
        dimension: count(&case["dimension"]),
        is_empty: case["empty"].as_bool(),
        points: points.iter().map(|p| reader.place(p)).collect(),
        union,
    }
}

/// The strata of a system.
pub struct Strata {
    pub frame: Frame,
    pub leaves: Vec<Leaf>,
    /// Parts of the set at which the elimination was stopped: none.
    pub open: Vec<Cell>,
}

/// For one system. Most take less than a millisecond; the double pendulum in Cartesian coordinates, where two masses of
/// opposite signs would make the multipliers undetermined, takes half a second.
const PATIENCE: Share = share::SEARCH;

/// Rank, solvability and solution on every leaf.
pub fn solve(cx: &Inquiry, case: &SystemCase) -> Budgeted<Strata> {
    let mut functions: Vec<Expr> = case.matrix.concat();
    functions.extend(case.right.iter().chain(&case.set.equations).chain(&case.set.nonzero));
    let frame = Frame::new(cx, &case.symbols, &functions)?;
    let system = system_of(cx, &frame, &case.matrix, &case.right)?;
    let (mut leaves, mut open) = (Vec::new(), Vec::new());
    for cell in frame.cells(cx, &case.set)? {
        let found = cx.within(PATIENCE, || leaves_as_far_as_possible(cx, &frame, &system, &cell));
        leaves.extend(found.leaves);
        open.extend(found.open);
    }
    for leaf in &leaves {
        leaf.solution(cx, &frame, system.n_columns)?;
    }
    Ok(Strata { frame, leaves, open })
}

/// The pieces of a set.
pub struct Decomposition {
    pub frame: Frame,
    pub cells: Vec<Cell>,
    /// The largest.
    pub dimension: Option<usize>,
    pub is_empty: Verdict,
}

/// A basis of the ideal, its components with their dimensions, and whether there is a real point.
pub fn decompose(cx: &Inquiry, case: &IdealCase) -> Budgeted<Decomposition> {
    let functions: Vec<Expr> = case.set.equations.iter().chain(&case.set.nonzero).copied().collect();
    let frame = Frame::new(cx, &case.symbols, &functions)?;
    let mut pieces = frame.cells(cx, &case.set)?;
    if !case.eliminated.is_empty() {
        // Piece by piece: the projection of a union is the union of the projections.
        let mut projected = Vec::new();
        for piece in &pieces {
            let equations = tangent::projection(cx, &frame, piece, |s| !case.eliminated.contains(&s))?;
            projected.extend(frame.split(cx, &equations, &[])?);
        }
        pieces = projected;
    }
    let mut apart = Vec::new();
    for cell in &pieces {
        apart.extend(components(cx, &frame, cell)?);
    }
    let cells = set::maximal(cx, &frame, apart)?;
    let dimensions = cells.iter().map(|cell| tangent::dimension(cx, &frame, cell)).collect::<Budgeted<Vec<usize>>>()?;
    let is_empty = set::is_union_empty(cx, &frame, &cells)?;
    Ok(Decomposition { frame, cells, dimension: dimensions.into_iter().max(), is_empty })
}
