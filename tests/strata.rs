//! Strata of random systems, point by point; ideals whose decomposition is known; tangency systems of random
//! Lagrangians. Everything is seeded. `LEPAGE_LONG=1 cargo test --test strata` runs the whole lot and
//! prints what it counted (with `--nocapture`).

use lepage::workshop::algebra::decide::is_zero;
use lepage::workshop::algebra::generator::Generator;
use lepage::workshop::algebra::normal::write::polynomial_expr;
use lepage::workshop::algebra::polynomial::{Polynomial, modular::Sequence};

use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
use lepage::workshop::algebra::stratum::{Branch, Cell, Frame, components, equal_sets, set, tangent};
use lepage::workshop::algebra::{Coordinate, Expr, Inquiry, Rational, Symbol};
use lepage::workshop::budget::{self, share};
use std::time::Instant;

fn is_long() -> bool {
    std::env::var_os("LEPAGE_LONG").is_some()
}

/// Coordinates by name.
struct Space {
    symbols: Vec<Symbol>,
}

impl Space {
    fn new(names: &[&str]) -> Space {
        Space { symbols: names.iter().map(|n| Coordinate::declare(n, false).jet(0)).collect() }
    }

    fn x(&self, i: usize) -> Expr {
        Expr::symbol(self.symbols[i])
    }

    /// The values as a point of the polynomial ring.
    fn point(&self, values: &[Rational]) -> Vec<(u32, Rational)> {
        self.symbols.iter().map(|s| Generator::of_symbol(*s).0).zip(values.iter().cloned()).collect()
    }
}

fn at(cx: &Inquiry, p: &Polynomial, point: &[(u32, Rational)]) -> Rational {
    p.evaluate_at(cx, point).expect("small numbers").expect("all coordinates have values")
}

/// Whether the polynomial vanishes at the point; it may contain numbers such as √2.
fn vanishes(cx: &Inquiry, p: &Polynomial, point: &[(u32, Rational)]) -> bool {
    let value = p.evaluate(cx, point).expect("small numbers");
    match value.as_constant() {
        Some(c) => c.is_zero(),
        None => is_zero(cx, polynomial_expr(&value)).is_yes(),
    }
}

fn lies_in(cx: &Inquiry, cell: &Cell, point: &[(u32, Rational)]) -> bool {
    cell.equations().iter().all(|e| vanishes(cx, e, point)) && !cell.nonzero().iter().any(|n| vanishes(cx, n, point))
}

/// The rank of a matrix of numbers by plain elimination: the independent check.
fn rank_of(mut rows: Vec<Vec<Rational>>) -> usize {
    let n = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..n {
        let Some(pivot) = (rank..rows.len()).find(|i| !rows[*i][column].is_zero()) else { continue };
        rows.swap(rank, pivot);
        let inverse = rows[rank][column].recip().expect("not zero");
        let (above, below) = rows.split_at_mut(rank + 1);
        for row in below {
            let factor = &row[column] * &inverse;
            for (entry, over) in row.iter_mut().zip(&above[rank]).skip(column) {
                *entry = &*entry - &(&factor * over);
            }
        }
        rank += 1;
    }
    rank
}

/// Small polynomials in which strata of every dimension occur.
fn random_entry(space: &Space, random: &mut Sequence) -> Expr {
    let x = |i: u64| space.x(i as usize);
    let n = space.symbols.len() as u64;
    match random.below(10) {
        0..=2 => Expr::zero(),
        3 => Expr::number(1 + random.below(2) as i64),
        4 => x(random.below(n)),
        5 => x(random.below(n)) * x(random.below(n)),
        6 => x(random.below(n)) - x(random.below(n)),
        7 => x(random.below(n)).pow(2) - Expr::one(),
        8 => x(random.below(n)) + Expr::number(random.below(3) as i64 - 1),
        _ => x(random.below(n)).pow(2) + x(random.below(n)).pow(2) - Expr::number(random.below(3) as i64),
    }
}

/// A set on which a system is studied: everything, or something small with many points on the grid.
fn random_branch(space: &Space, random: &mut Sequence) -> Branch {
    let equation = match random.below(5) {
        0 => space.x(0) * space.x(1),
        1 => space.x(0).pow(2) - space.x(1).pow(2),
        2 => space.x(0).pow(2) + space.x(1).pow(2) - Expr::one(),
        _ => return Branch::everything(),
    };
    let nonzero = if random.below(3) == 0 { vec![space.x(2) - Expr::one()] } else { vec![] };
    Branch { equations: vec![equation], nonzero }
}

/// Every leaf of a random system M y = r, at every point of a grid: the point lies in a leaf if it lies in the set,
/// and there the rank and solvability are those of the matrix of numbers.
#[test]
fn leaves_agree_with_exact_ranks_at_rational_points() {
    let cx = &Inquiry::free();
    let space = Space::new(&["x", "y", "z"]);
    let mut random = Sequence::new(20261116);
    let (systems, most) = if is_long() { (1500, share::SEARCH) } else { (30, share::COMPONENTS) };
    let (mut points, mut unfinished) = (0usize, 0usize);
    let half = Rational::ratio(1, 2);
    for _ in 0..systems {
        let (n_rows, n_columns) = (1 + random.below(3) as usize, 1 + random.below(3) as usize);
        let matrix: Vec<Vec<Expr>> =
            (0..n_rows).map(|_| (0..=n_columns).map(|_| random_entry(&space, &mut random)).collect()).collect();
        let branch = random_branch(&space, &mut random);
        let mut functions: Vec<Expr> = matrix.concat();
        functions.extend(branch.equations.iter().chain(&branch.nonzero));
        let frame = Frame::new(cx, &space.symbols, &functions).expect("small");
        let mut system = LinearSystem::new(n_columns);
        for row in &matrix {
            let mut entries = frame.read_row(cx, row).expect("small");
            let right = entries.pop().expect("a right side");
            system.push(entries, right);
        }
        let given: Vec<Polynomial> = branch.equations.iter().map(|e| frame.read_numerator(cx, *e).unwrap()).collect();
        let avoided: Vec<Polynomial> = branch.nonzero.iter().map(|e| frame.read_numerator(cx, *e).unwrap()).collect();
        let found: Result<Vec<Leaf>, _> = cx.within(most, || {
            let mut list = Vec::new();
            for cell in frame.cells(cx, &branch)? {
                list.extend(leaves(cx, &frame, &system, &cell)?);
            }
            Ok::<_, budget::Exhausted>(list)
        });
        let Ok(found) = found else {
            unfinished += 1;
            continue;
        };
        for k in 0..125i64 {
            let mut values: Vec<Rational> = [k % 5, k / 5 % 5, k / 25].map(|c| Rational::from(c - 2)).to_vec();
            if k % 7 == 3 {
                values[2] = &values[2] + &half;
            }
            let point = space.point(&values);
            let in_set = given.iter().all(|e| at(cx, e, &point).is_zero())
                && avoided.iter().all(|n| !at(cx, n, &point).is_zero());
            let here: Vec<&Leaf> = found.iter().filter(|leaf| lies_in(cx, &leaf.cell, &point)).collect();
            // Leaves fill the set. Where pieces of it meet a point may lie in several, which then agree.
            assert_eq!(here.is_empty(), !in_set, "{matrix:?} {branch:?} {values:?}");
            if !in_set {
                continue;
            }
            let numbers: Vec<Vec<Rational>> = (system.rows.iter())
                .map(|r| r.coefficients.iter().chain([&r.right]).map(|p| at(cx, p, &point)).collect())
                .collect();
            let without: Vec<Vec<Rational>> = numbers.iter().map(|r: &Vec<Rational>| r[..n_columns].to_vec()).collect();
            let (augmented, rank) = (rank_of(numbers), rank_of(without));
            for leaf in here {
                assert_eq!(
                    (leaf.rank, leaf.is_solvable),
                    (rank, rank == augmented),
                    "{matrix:?} {branch:?} {values:?}"
                );
            }
            points += 1;
        }
    }
    println!("{systems} systems, {points} points, {unfinished} at the budget");
    assert!(points > if is_long() { 90_000 } else { 1500 });
    assert!(unfinished * 50 <= systems);
}

/// A random union of intersections, multiplied out: SPLIT finds the same points again.
#[test]
fn splitting_keeps_the_points() {
    let cx = &Inquiry::free();
    let space = Space::new(&["x", "y", "z"]);
    let mut random = Sequence::new(4);
    let n = if is_long() { 400 } else { 25 };
    let mut points = 0;
    for _ in 0..n {
        // (f1, f2) · (g1, g2): the zero set is the union.
        let mut pieces: Vec<Vec<Expr>> = Vec::new();
        for _ in 0..2 + random.below(2) {
            pieces.push((0..1 + random.below(2)).map(|_| random_entry(&space, &mut random)).collect());
        }
        let mut products = vec![Expr::one()];
        for piece in &pieces {
            products = products.iter().flat_map(|p| piece.iter().map(move |f| *p * *f)).collect();
        }
        let branch = Branch { equations: products.clone(), nonzero: vec![] };
        let frame = Frame::new(cx, &space.symbols, &products).unwrap();
        let Ok(cells) = cx.within(share::COMPONENTS, || frame.cells(cx, &branch)) else { continue };
        let equations: Vec<Polynomial> = products.iter().map(|e| frame.read_numerator(cx, *e).unwrap()).collect();
        for k in 0..125i64 {
            let values: Vec<Rational> = [k % 5, k / 5 % 5, k / 25].map(|c| Rational::from(c - 2)).to_vec();
            let point = space.point(&values);
            let inside = equations.iter().all(|e| at(cx, e, &point).is_zero());
            let found = cells.iter().any(|cell| lies_in(cx, cell, &point));
            assert_eq!(inside, found, "{pieces:?} at {values:?}");
            points += 1;
        }
    }
    assert!(points >= 100 * n);
}

/// Ideals from textbooks with their components: (name, coordinates, equations, components, dimensions).
type Known = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static [&'static str]],
    &'static [usize],
);

const KNOWN: &[Known] = &[
    ("a plane and a line", &["x", "y", "z"], &["x*y", "x*z"], &[&["x"], &["y", "z"]], &[2, 1]),
    // Cox, Little, O'Shea, Ideals, Varieties, and Algorithms, §4.6: a line and a space curve.
    (
        "a line and the curve (t³, t⁴, t⁵)",
        &["x", "y", "z"],
        &["x*z - y^2", "x^3 - y*z"],
        &[&["x", "y"], &["x*z - y^2", "x^3 - y*z", "z^2 - x^2*y"]],
        &[1, 1],
    ),
    (
        "two quadrics through the twisted cubic",
        &["a", "b", "c", "d"],
        &["a*c - b^2", "a*d - b*c"],
        &[&["a", "b"], &["a*c - b^2", "a*d - b*c", "b*d - c^2"]],
        &[2, 2],
    ),
    // The binomial edge ideal of a path with four vertices: three minimal primes.
    (
        "adjacent minors of a 2×4 matrix",
        &["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"],
        &["a1*b2 - a2*b1", "a2*b3 - a3*b2", "a3*b4 - a4*b3"],
        &[
            &["a1*b2 - a2*b1", "a1*b3 - a3*b1", "a1*b4 - a4*b1", "a2*b3 - a3*b2", "a2*b4 - a4*b2", "a3*b4 - a4*b3"],
            &["a2", "b2", "a3*b4 - a4*b3"],
            &["a3", "b3", "a1*b2 - a2*b1"],
        ],
        &[5, 5, 5],
    ),
    ("a radical", &["x", "y"], &["x^2", "x*y"], &[&["x"]], &[1]),
    ("an embedded point", &["x", "y"], &["x^2*y", "x*y^2"], &[&["x"], &["y"]], &[1, 1]),
    ("three lines", &["x", "y", "z"], &["x*y", "y*z", "x*z"], &[&["x", "y"], &["y", "z"], &["x", "z"]], &[1, 1, 1]),
    (
        "a circle and a point off it",
        &["x", "y"],
        &["(x^2 + y^2 - 1)*(x - 2)", "(x^2 + y^2 - 1)*y"],
        &[&["x^2 + y^2 - 1"], &["x - 2", "y"]],
        &[1, 0],
    ),
    // Over the reals: the second factor of each is empty, or a point on the first.
    ("no imaginary component", &["x", "y"], &["(x - y)*(x^2 + y^2 + 1)"], &[&["x - y"]], &[1]),
    ("a sphere of radius zero", &["x", "y", "z"], &["x*(x^2 + y^2 + z^2)"], &[&["x"]], &[2]),
    ("Whitney's umbrella", &["x", "y", "z"], &["x^2 - y^2*z"], &[&["x^2 - y^2*z"]], &[2]),
    // Conjugate points in special position: every coordinate has an irreducible eliminant.
    (
        "√2 times itself",
        &["x", "y", "z"],
        &["x^2 - 2", "y^2 - 2", "z*(x - y)"],
        &[&["x - y", "x^2 - 2"], &["x + y", "x^2 - 2", "z"]],
        &[1, 0],
    ),
    (
        "cyclic roots of order three",
        &["x", "y", "z"],
        &["x + y + z", "x*y + y*z + z*x", "x*y*z"],
        &[&["x", "y", "z"]],
        &[0],
    ),
];

#[test]
fn ideals_with_known_decompositions() {
    let cx = &Inquiry::free();
    for (name, coordinates, equations, pieces_of, dimensions) in KNOWN {
        let space = Space::new(coordinates);
        let read = |list: &[&str]| list.iter().map(|text| read(text, coordinates, &space)).collect::<Vec<Expr>>();
        let branch = |list: &[&str]| Branch { equations: read(list), nonzero: vec![] };
        let given = branch(equations);
        let frame = Frame::new(cx, &space.symbols, &given.equations).unwrap();
        let pieces = frame.cells(cx, &given).unwrap();
        let apart: Vec<Cell> =
            pieces.iter().flat_map(|cell| components::components(cx, &frame, cell).unwrap()).collect();
        let cells = set::maximal(cx, &frame, apart).unwrap();
        let found: Vec<Branch> = cells.iter().map(|c| frame.branch(cx, c).unwrap()).collect();
        let expected: Vec<Branch> = pieces_of.iter().map(|c| branch(c)).collect();
        assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
        let mut missing: Vec<usize> = dimensions.to_vec();
        for (cell, one) in cells.iter().zip(&found) {
            let same = |e: &&Branch| {
                equal_sets(cx, &space.symbols, std::slice::from_ref(one), std::slice::from_ref(e)).unwrap().is_yes()
            };
            let at =
                expected.iter().position(|e| same(&e)).unwrap_or_else(|| panic!("{name}: {one:?} is no component"));
            assert_eq!(tangent::dimension(cx, &frame, cell).unwrap(), dimensions[at], "{name}: {one:?}");
            missing.pop();
        }
        assert!(missing.is_empty(), "{name}");
    }
}

/// Reads sums of products of powers of names and brackets: enough for the table above.
fn read(text: &str, names: &[&str], space: &Space) -> Expr {
    let mut reader = Reader { rest: text, names, space };
    let e = reader.sum();
    assert!(reader.rest.is_empty(), "{text}");
    e
}

struct Reader<'a> {
    rest: &'a str,
    names: &'a [&'a str],
    space: &'a Space,
}

impl Reader<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Expr {
        let mut sum = self.product();
        loop {
            if self.eat("+") {
                sum = sum + self.product();
            } else if self.eat("-") {
                sum = sum - self.product();
            } else {
                return sum;
            }
        }
    }

    fn product(&mut self) -> Expr {
        let mut product = self.power();
        while self.eat("*") {
            product = product * self.power();
        }
        product
    }

    fn power(&mut self) -> Expr {
        let base = if self.eat("(") {
            let inner = self.sum();
            assert!(self.eat(")"));
            inner
        } else {
            let end = self.rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            match self.names.iter().position(|n| *n == word) {
                Some(i) => self.space.x(i),
                None => Expr::number(word.parse::<i64>().expect("a number")),
            }
        };
        if !self.eat("^") {
            return base;
        }
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        base.pow(word.parse::<i64>().expect("an exponent"))
    }
}

/// A Lagrangian of pendulums: Cartesian ones held by a multiplier, angular ones, coordinates without mass.
fn random_lagrangian(random: &mut Sequence) -> String {
    let mut pick = |list: &[&str]| list[random.below(list.len() as u64) as usize].to_string();
    let kinetic = pick(&[
        "(x'^2 + y'^2)/2",
        "x'^2/2",
        "x'*y'",
        "(x' + cos(a)*y')^2/2",
        "(x'^2 + a'^2)/2 + cos(a)*x'*a'",
        "a'^2/2",
        "(a'^2 + 2*cos(a)*a'*x' + x'^2)/2",
        "(x' - y*a')^2/2",
        "x^2*a'^2/2",
        "(x'^2 + x^2*a'^2)/2",
        "a'^2/2 + b'^2/2 + cos(a - b)*a'*b'",
        "(a' + b')^2/2",
        "y*x'",
        "x'^2/2 + y*a'",
    ]);
    let potential = pick(&[
        "y",
        "-cos(a)",
        "x^2/2",
        "x*y",
        "x*(1 - cos(a))",
        "y*sin(a)",
        "x^2*y/2",
        "0",
        "x*y*z",
        "cos(a) + cos(b)",
    ]);
    let constraint = pick(&[
        "0",
        "z*(x^2 + y^2 - 1)",
        "z*(x - cos(a))",
        "z*x*y",
        "z*(y - sin(a)) ",
        "z*(x^2 - y^2)",
        "z*(x - y)",
        "z^2*x/2",
        "z*sin(a)",
        "z*(x^2 + y^2 - 1) + b*(x - y)",
        "z*(x - cos(a)) + b*(y - sin(a))",
    ]);
    format!("{kinetic} - ({potential}) + {constraint}")
}

/// 200 random singular Lagrangians: the constraint algorithm comes to its end, or stops at its budget and says
/// what it knows. None is refused. In the short run a sample.
#[test]
fn tangency_systems_of_pendulums_finish_or_say_what_is_known() {
    let mut random = Sequence::new(200);
    let all: Vec<String> = (0..200).map(|_| random_lagrangian(&mut random)).collect();
    let step = if is_long() { 1 } else { 25 };
    let (mut finished, mut undecided, mut at_budget) = (0, 0, 0);
    for (i, lagrangian) in all.iter().enumerate().step_by(step) {
        let start = Instant::now();
        let mut session = pendulum(lagrangian);
        let known = known_of_dynamics(&mut session);
        let word = known.complete.clone();
        match word.split([' ', ',', ':', '(']).next() {
            Some("yes") => finished += 1,
            Some("no") => undecided += 1,
            Some("unknown") => at_budget += 1,
            other => panic!("{lagrangian}: {other:?}"),
        }
        assert!(!word.starts_with("unknown") || known.names_a_set(), "{lagrangian}: {known:?}");
        if is_long() {
            println!("{i:3} {:6.2} s  {word:40.40}  {lagrangian}", start.elapsed().as_secs_f64());
        }
    }
    println!("{finished} finished, {undecided} with undecided strata, {at_budget} stopped at the budget");
    assert!(finished + undecided >= 12 * at_budget, "{finished} finished, {undecided} undecided, {at_budget} stopped");
}

/// A session with the Lagrangian, its equations derived.
fn pendulum(lagrangian: &str) -> Session {
    let program =
        format!("manifold Y over t {{ x, y, z, a, b }}\nlagrangian L on J1(Y) = {lagrangian}\nlepage(L).closed\n");
    let mut session = Session::new(SessionOptions::default());
    let outcomes = session.feed("pendulum.mech", &program, Mode::File);
    assert!(outcomes.iter().all(|o| o.held()), "{lagrangian}");
    session
}

/// What the answer says about an algorithm that may have been cut off.
#[derive(Debug)]
struct Progress {
    complete: String,
    primary: String,
    last: String,
    undecided: String,
    rounds: String,
    kind: String,
}

impl Progress {
    /// Whether something is known of where the system moves, or what was still to be looked at is named.
    fn names_a_set(&self) -> bool {
        [&self.primary, &self.last, &self.undecided].iter().any(|set| set.contains('{') || set.contains("everywhere"))
    }
}

fn known_of_dynamics(session: &mut Session) -> Progress {
    let mut part = |name: &str| {
        let outcomes = session.feed("question.mech", &format!("dynamics(L).{name}\n"), Mode::File);
        let last = outcomes.last().expect("an outcome");
        let answer = last.answer.as_ref().unwrap_or_else(|| panic!("{name} is refused: {:?}", last.diagnostics));
        answer.text(100)
    };
    Progress {
        complete: part("complete"),
        primary: part("primary"),
        last: part("final"),
        undecided: part("undecided"),
        rounds: part("rounds"),
        kind: part("kind"),
    }
}

/// Whenever the budget ends, the answer is the state at that moment.
#[test]
fn an_algorithm_that_is_cut_off_says_how_far_it_came() {
    let hard = "a'^2/2 + b'^2/2 + cos(a - b)*a'*b' - x^2*y/2 + z*(x^2 + y^2 - 1) + b*(x - y)";
    for limit in [5, 20, 100, 400] {
        let mut session = pendulum(hard);
        session.set_work(Some(limit * 20_000));
        let known = known_of_dynamics(&mut session);
        assert!(known.complete.starts_with("unknown") && known.complete.contains("while"), "{known:?}");
        assert_eq!(known.kind, "cut_off", "{known:?}");
        assert!(known.names_a_set() && known.rounds.parse::<usize>().is_ok(), "{known:?}");
        let json = session.feed("question.mech", "dynamics(L)\n", Mode::File);
        assert!(json.last().is_some_and(|o| o.answer.is_some()));
    }
}

/// Bases and splittings that do not finish show what they have, and say that it is incomplete.
#[test]
fn an_unfinished_answer_says_what_is_known() {
    let names: Vec<String> = (1..=7).map(|i| format!("c{i}")).collect();
    let window = |i: usize, k: usize| (0..k).map(|j| names[(i + j) % 7].clone()).collect::<Vec<_>>().join("*");
    let mut cyclic: Vec<String> =
        (1..7).map(|k| (0..7).map(|i| window(i, k)).collect::<Vec<_>>().join(" + ")).collect();
    cyclic.push(format!("{} - 1", window(0, 7)));
    let cyclic = cyclic.join(", ");
    for question in ["groebner", "branches", "eliminate", "solve", "saturate", "quotient", "member"] {
        let arguments = match question {
            "eliminate" => format!("[{cyclic}], c1"),
            "solve" => format!("[{cyclic}], [{}]", names.join(", ")),
            "saturate" | "quotient" => format!("[{cyclic}], c1 - c2"),
            "member" => format!("c1^3 - c2, [{cyclic}]"),
            _ => format!("[{cyclic}]"),
        };
        let program = format!("manifold Y over t {{ {} }}\n{question}({arguments})\n", names.join(", "));
        let mut session =
            Session::new(SessionOptions { work: Some(share::COMPONENTS.work()), ..SessionOptions::default() });
        let outcomes = session.feed("cyclic.mech", &program, Mode::File);
        let last = outcomes.last().expect("an outcome");
        let shown = last.answer.as_ref().map(|a| a.text(100));
        let shown = shown.unwrap_or_else(|| panic!("{question}: {:?}", last.diagnostics));
        assert!(shown.contains("incomplete"), "{question}: {shown}");
        let has_list = ["groebner", "branches", "solve"].contains(&question);
        assert!(!has_list || shown.contains("c1"), "{question}: what is known is shown");
        let json = last.answer.as_ref().map(|a| a.json().to_string()).unwrap_or_default();
        assert!(json.contains("incomplete"), "{question}: {json}");
    }
}

/// (question, what is shown, in any order): values by hand, or from the textbooks named.
const SHOWN: &[(&str, &str)] = &[
    // Rational points where there are any, else algebraic ones.
    ("branches([x^2 + y^2 = 1, x = 3/5]).branches[1].point", "{ y = -4/5, x = 3/5 }"),
    ("branches([x^2 = 2, y^2 = 3]).branches[1].point", "{ x = -sqrt(2), y = -sqrt(3) }"),
    ("branches([x^2 - x - 1 = 0, x*y = 1]).empty", "no (proved: it has a point at x = 1/2 - sqrt(5)/2"),
    ("branches([x^3 - x - 1]).branches[1].point.equations", "[x^3 - x - 1]"),
    ("branches([x^5 - x - 1, y^2 - x]).empty", "no (proved: it has a point"),
    ("branches([x^4 + x^2*y^2 + y^4 + x + 1 - x]).empty", "yes"),
    // Motzkin's polynomial vanishes at (±1, ±1); with 2 for 1 it is positive, though no sum of squares.
    ("branches(x^4*y^2 + x^2*y^4 - 3*x^2*y^2 + 1).empty", "no (proved: it has a point at"),
    ("branches(x^4*y^2 + x^2*y^4 - 3*x^2*y^2 + 2).empty", "yes"),
    ("branches(x^4*y^2 + x^2*y^4 - 3*x^2*y^2 + 2)", "empty"),
    // A sum of squares multiplied out: two points on a circle.
    ("branches((x^2 + y^2 - 1)^2 + (x - y)^2).empty", "no (proved: it has a point at"),
    ("branches((x^2 + y^2 + x*y + 1)^2 + (x - y)^4).empty", "yes"),
    // The real branches of irreducible polynomials, with numbers and with a parameter of known sign.
    ("branches(x^4 - 5*x^2*y^2 + 6*y^4)", "sqrt(2)*y = 0 }"),
    ("branches(x^2 = m*y^2)", "+ sqrt(m)*y = 0 } & - sqrt(m)*y = 0 }"),
    ("branches(x^2 + m*y^2)", "{ x = 0; y = 0 }"),
    ("branches(x^4 + m*y^2 + 2)", "empty"),
    // What was taken to be nonzero is said; a fork takes nothing.
    ("rank([[m, x], [0, c]])", "2 & where c != 0"),
    ("branches([c*x = c*y], fork = c)", "{ x - y = 0 } & { c = 0 }"),
    ("rank([[V(x), 1], [y, V(x)]])", "1 or 2 & V(x)^2 & != 0 }"),
    // Periodic families stay families; a coordinate beside its own sine is one number.
    ("branches(sin(x)*y = 0)", "{ sin(x) = 0 } & { y = 0 }"),
    ("branches([x = 0, cos(x) = y])", "{ x = 0; y - 1 = 0 }"),
    ("branches([x = 1, sin(x) = 0])", "empty"),
];

#[test]
fn answers_about_branches_are_real_and_say_their_ground() {
    for (question, shown) in SHOWN {
        let declared = "manifold Y over t { x, y, z }\nparam m, c\nassume m > 0\nfunction V(x)\n";
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("shown.mech", &format!("{declared}{question}\n"), Mode::File);
        let last = outcomes.last().expect("an outcome");
        let text = last.answer.as_ref().unwrap_or_else(|| panic!("{question}: {:?}", last.diagnostics)).text(100);
        assert!(shown.split(" & ").all(|part| text.contains(part)), "{question}: {text}");
        assert!(!question.contains("6*y^4") || !text.contains("where"), "{text}: no condition on numbers");
    }
}
