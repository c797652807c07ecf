use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::testing::Scope;
use super::leaves::{LinearSystem, leaves};
use super::set;
use super::*;
use crate::algebra::Inquiry;
use crate::algebra::{Symbol, Verdict};
use crate::budget::Share;

/// A frame whose coordinates are named in a list; everything else is a parameter.
struct Stage {
    scope: Scope,
    coordinates: Vec<Symbol>,
}

impl Stage {
    fn new(coordinates: &str) -> Stage {
        let mut scope = Scope::new();
        let coordinates = coordinates.split_whitespace().map(|name| scope.symbol(name)).collect();
        Stage { scope, coordinates }
    }

    fn branch(&mut self, text: &str) -> Branch {
        let mut branch = Branch::everything();
        for entry in text.split(';').map(str::trim).filter(|e| !e.is_empty()) {
            match entry.split_once("!=") {
                Some((left, _)) => branch.nonzero.push(self.scope.read(left)),
                None => {
                    let (left, right) = entry.split_once('=').unwrap_or((entry, "0"));
                    branch.equations.push(self.scope.read(left) - self.scope.read(right));
                }
            }
        }
        branch
    }

    fn frame(&self, cx: &Inquiry, branches: &[&Branch]) -> Frame {
        let all: Vec<Expr> = branches.iter().flat_map(|b| b.equations.iter().chain(&b.nonzero)).copied().collect();
        Frame::new(cx, &self.coordinates, &all).unwrap()
    }

    /// The pieces of a set, one line each.
    fn pieces(&mut self, cx: &Inquiry, text: &str) -> Vec<String> {
        let branch = self.branch(text);
        let frame = self.frame(cx, &[&branch]);
        frame.cells(cx, &branch).unwrap().iter().map(|cell| show(&frame.branch(cx, cell).unwrap())).collect()
    }

    /// Whether two unions are the same set: branches separated by `|`.
    fn equal(&mut self, cx: &Inquiry, left: &str, right: &str) -> Verdict {
        let left: Vec<Branch> = left.split('|').map(|b| self.branch(b)).collect();
        let right: Vec<Branch> = right.split('|').map(|b| self.branch(b)).collect();
        let frame = self.frame(cx, &left.iter().chain(&right).collect::<Vec<_>>());
        let cells = |list: &[Branch]| list.iter().flat_map(|b| frame.cells(cx, b).unwrap()).collect::<Vec<_>>();
        set::equals(cx, &frame, &cells(&left), &cells(&right)).unwrap()
    }
}

fn show(branch: &Branch) -> String {
    let equations = branch.equations.iter().map(|e| format!("{e}"));
    let nonzero = branch.nonzero.iter().map(|e| format!("{e} != 0"));
    equations.chain(nonzero).collect::<Vec<_>>().join("; ")
}

#[test]
fn equations_mean_what_they_mean_for_real_numbers() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("x y z");
    assert_eq!(s.pieces(cx, "x^2 = 0"), ["x"]);
    assert_eq!(s.pieces(cx, "x^2 + y^2 = 0"), ["x; y"]);
    assert_eq!(s.pieces(cx, "x^4 + y^2 + 2 = 0"), [""; 0]);
    assert_eq!(s.pieces(cx, "x^2 - 2*x*y + y^2 + z^2 = 0"), ["x - y; z"]);
    assert_eq!(s.pieces(cx, "x^2 + 2*x*y^2 + y^4 + y^2 = 0"), ["x; y"]);
    assert_eq!(s.pieces(cx, "(x - 1)*(x^2 + 1) = 0"), ["x - 1"]);
    assert_eq!(s.pieces(cx, "x*y = 0").len(), 2);
    assert_eq!(s.pieces(cx, "x^2 = 3*y^2").len(), 2);
    assert_eq!(s.pieces(cx, "x^2 = 3*y^2; y != 0; x = 0"), [""; 0]);
    assert_eq!(s.pieces(cx, "x*y = 0; x != 0"), ["y; x != 0"]);
    assert_eq!(s.pieces(cx, "x*y - x*z = 0; x != 0; y - z != 0"), [""; 0]);
}

#[test]
fn parameters_of_known_sign_decide() {
    let mut s = Stage::new("x y");
    s.scope.assume("a > 0");
    s.scope.assume("b < 0");
    let cx = &s.scope.cx();
    assert_eq!(s.pieces(cx, "x^2 = a*y^2").len(), 2);
    assert_eq!(s.pieces(cx, "x^2 = b*y^2"), ["x; y"]);
    assert_eq!(s.pieces(cx, "a*x^2 + y^2 = 0"), ["x; y"]);
    assert_eq!(s.pieces(cx, "x^2 + a = 0"), [""; 0]);
    // Without a known sign nothing is split, and nothing is called empty.
    assert_eq!(s.pieces(cx, "x^2 = k*y^2").len(), 1);
    // A generic parameter is not zero.
    assert_eq!(s.pieces(cx, "k*x = 0"), ["x"]);
    assert_eq!(s.pieces(cx, "k = 0"), [""; 0]);
}

#[test]
fn functions_are_generators_with_their_relations() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("q x");
    assert_eq!(s.pieces(cx, "sin(q) = 2"), [""; 0]);
    assert_eq!(s.pieces(cx, "cos(q) = 0"), ["cos(q)"]);
    assert_eq!(s.pieces(cx, "exp(q)*x = 0"), ["x"]);
    assert_eq!(s.pieces(cx, "cos(q) = 0; sin(q)*x = 0").len(), 1);
    assert_eq!(s.pieces(cx, "sin(q)^2 + x^2 = 0").len(), 1);
    assert_eq!(s.pieces(cx, "V(q)*x = 0").len(), 2);
    assert!(s.equal(cx, "cos(q) = 0", "cos(q) = 0; sin(q) = 1 | cos(q) = 0; sin(q) = -1").is_yes());
}

#[test]
fn unions_are_compared_as_sets_of_points() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("x y z");
    assert!(s.equal(cx, "x = 0 | x != 0", "").is_yes());
    assert!(s.equal(cx, "x*y = 0", "x = 0 | y = 0").is_yes());
    assert!(s.equal(cx, "x*y = 0", "x = 0").is_no());
    assert!(s.equal(cx, "x^2 + y^2 = 0", "x = 0; y = 0").is_yes());
    assert!(s.equal(cx, "x^2 - 3*y^2 = 0; y != 0", "x^2 - 3*y^2 = 0").is_no());
    assert!(s.equal(cx, "x^2 + y^2 - 1 = 0; z = 0", "z = 0; z^2 + x^2 + y^2 = 1").is_yes());
    assert!(s.equal(cx, "x^2 + y^2 - 2 = 0; x = y; z != 0", "x = y; x^2 = 1; z != 0").is_yes());
}

#[test]
fn merging_finds_the_short_form() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("x y");
    let list: Vec<Branch> = ["x = 0; y = 0", "x != 0", "x = 0; y != 0"].iter().map(|b| s.branch(b)).collect();
    let frame = s.frame(cx, &list.iter().collect::<Vec<_>>());
    let cells: Vec<Cell> = list.iter().flat_map(|b| frame.cells(cx, b).unwrap()).collect();
    let merged = set::merged(cx, &frame, cells).unwrap();
    assert_eq!(merged.len(), 1);
    assert!(frame.branch(cx, &merged[0]).unwrap().is_everything());
}

/// The rank of a matrix of numbers by plain elimination: the independent check of the leaves.
fn rank_of(mut rows: Vec<Vec<Rational>>) -> usize {
    let mut rank = 0;
    let n = rows.first().map_or(0, Vec::len);
    for column in 0..n {
        let Some(pivot) = (rank..rows.len()).find(|i| !rows[*i][column].is_zero()) else { continue };
        rows.swap(rank, pivot);
        for i in rank + 1..rows.len() {
            let factor = &rows[i][column] * &rows[rank][column].recip().unwrap();
            for k in column..n {
                let value = &rows[i][k] - &(&factor * &rows[rank][k]);
                rows[i][k] = value;
            }
        }
        rank += 1;
    }
    rank
}

#[test]
fn leaves_agree_with_ranks_at_points() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("x y z");
    let variables: Vec<u32> =
        s.coordinates.iter().map(|c| crate::algebra::generator::Generator::of_symbol(*c).0).collect();
    let entries = ["x", "y", "z", "x*y", "x^2", "0", "0", "1", "x - y", "y*z", "x + 1", "2"];
    let mut state = 11u64;
    let mut roll = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut points_checked = 0;
    for _ in 0..24 {
        let (rows, columns) = (2 + roll(2) as usize, 2 + roll(2) as usize);
        let mut frame_functions = Vec::new();
        let matrix: Vec<Vec<Expr>> =
            (0..rows).map(|_| (0..=columns).map(|_| s.scope.read(entries[roll(12) as usize])).collect()).collect();
        frame_functions.extend(matrix.iter().flatten().copied());
        let frame = Frame::new(cx, &s.coordinates, &frame_functions).unwrap();
        let mut system = LinearSystem::new(columns);
        for row in &matrix {
            let mut all = frame.read_row(cx, row).unwrap();
            let right = all.pop().unwrap();
            system.push(all, right);
        }
        let found = leaves(cx, &frame, &system, &frame.everything()).unwrap();
        for i in 0..60 {
            let value = |k: u64| Rational::from(((i + k * 7) * (k + 3) % 5) as i64 - 2);
            let point: Vec<(u32, Rational)> = variables.iter().zip(0..).map(|(v, k)| (*v, value(k))).collect();
            let at = |p: &Polynomial| p.evaluate(cx, &point).unwrap().as_constant().unwrap();
            let numbers: Vec<Vec<Rational>> =
                system.rows.iter().map(|r| r.coefficients.iter().chain([&r.right]).map(at).collect()).collect();
            let without: Vec<Vec<Rational>> = numbers.iter().map(|r| r[..columns].to_vec()).collect();
            let (augmented, rank) = (rank_of(numbers), rank_of(without));
            let here: Vec<&super::leaves::Leaf> = found
                .iter()
                .filter(|leaf| {
                    leaf.cell.equations().iter().all(|e| at(e).is_zero())
                        && leaf.cell.nonzero().iter().all(|n| !at(n).is_zero())
                })
                .collect();
            assert_eq!(here.len(), 1, "the leaves fill the space and do not overlap");
            assert_eq!((here[0].rank, here[0].is_solvable), (rank, rank == augmented));
            points_checked += 1;
        }
    }
    assert!(points_checked >= 1000);
}

#[test]
fn solutions_solve() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("x y z");
    let rows = [["x", "1", "0", "y"], ["0", "x", "y", "z"]];
    let matrix: Vec<Vec<Expr>> = rows.iter().map(|r| r.iter().map(|e| s.scope.read(e)).collect()).collect();
    let frame = Frame::new(cx, &s.coordinates, &matrix.iter().flatten().copied().collect::<Vec<_>>()).unwrap();
    let mut system = LinearSystem::new(3);
    for row in &matrix {
        let mut all = frame.read_row(cx, row).unwrap();
        let right = all.pop().unwrap();
        system.push(all, right);
    }
    for leaf in leaves(cx, &frame, &system, &frame.everything()).unwrap().iter().filter(|l| l.is_solvable) {
        let solution = leaf.solution(cx, &frame, 3).unwrap();
        assert_eq!(solution.kernel.len(), 3 - leaf.rank);
        for row in &system.rows {
            let zero = Polynomial::zero();
            let vectors = solution.kernel.iter().map(|k| (k, &zero));
            for (vector, right) in vectors.chain([(&solution.particular, &row.right)]) {
                let sum: Expr =
                    Expr::add_all(row.coefficients.iter().zip(vector).map(|(a, f)| frame.write(a) * f.to_expr(&frame)))
                        - frame.write(right);
                let numerator = frame.read_numerator(cx, sum).unwrap();
                assert!(leaf.cell.reduce(cx, &frame, &numerator).unwrap().is_zero());
            }
        }
    }
}

/// sin 0 = 0 and cos 0 = 1; sin r and eʳ are transcendental for every other rational r (Lindemann).
#[test]
fn a_fixed_coordinate_fixes_its_functions() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("x b");
    assert_eq!(s.pieces(cx, "b = 0; sin(b) = 1"), [""; 0]);
    assert_eq!(s.pieces(cx, "b = 1; cos(b) = 0"), [""; 0]);
    assert_eq!(s.pieces(cx, "2*b = 3; sin(b)^2 = 1/2"), [""; 0]);
    assert_eq!(s.pieces(cx, "b = 1; exp(b) = 3"), [""; 0]);
    assert!(s.equal(cx, "b = 0; x = cos(b)", "b = 0; x = 1").is_yes());
    assert!(s.equal(cx, "b = 0; x = exp(2*b) + sin(b)", "b = 0; x = 1").is_yes());
    // What is not fixed stays a family.
    assert_eq!(s.pieces(cx, "sin(b) = 0"), ["sin(b)"]);
}

/// A budget that ends leaves what was proved and what was still to be looked at.
#[test]
fn leaves_that_are_not_finished_say_what_is_open() {
    let cx = &Inquiry::free();
    let mut s = Stage::new("x y");
    let (m, r) = (s.scope.read("x*y"), s.scope.read("x - y"));
    let frame = Frame::new(cx, &s.coordinates, &[m, r]).unwrap();
    let mut system = LinearSystem::new(1);
    system.push(vec![frame.read_numerator(cx, m).unwrap()], frame.read_numerator(cx, r).unwrap());
    let whole = frame.everything();
    let all = leaves::leaves_as_far_as_possible(cx, &frame, &system, &whole);
    assert!(all.stopped.is_none() && all.open.is_empty() && all.leaves.len() > 2);
    let none = cx.within(Share::of(0), || leaves::leaves_as_far_as_possible(cx, &frame, &system, &whole));
    assert!(none.stopped.is_some());
    assert!(!none.open.is_empty() && none.leaves.len() < all.leaves.len());
}

/// Real points of positive polynomials that are no sums of even terms, against the inequality of means and by hand.
#[test]
fn nearest_points_decide_whether_a_set_is_empty() {
    let cx = &Inquiry::free();
    let cases = [
        // Motzkin: zero exactly where x² = y² = 1.
        ("x^4*y^2 + x^2*y^4 - 3*x^2*y^2 + 1", false),
        ("x^4*y^2 + x^2*y^4 - 3*x^2*y^2 + 2", true),
        // Two points on the diagonal, x² = 1/2, and none.
        ("x^4 + 2*x^2*y^2 + y^4 - x^2 - 2*x*y - y^2 + 1", false),
        ("x^4 + 2*x^2*y^2 + y^4 - x^2 - 2*x*y - y^2 + 3", true),
        // x² + y² = 1 and xy = 1 do not meet, x² + y² = 3 and xy = 1 do.
        ("x^2 + y^2 - 1; x*y - 1", true),
        ("x^2 + y^2 - 3; x*y - 1", false),
        // An inequation on a curve without the excluded points.
        ("x^2 + y^2 - 3; x*y - 1; x - y != 0", false),
    ];
    for (text, is_empty) in cases {
        let mut stage = Stage::new("x y");
        let branch = stage.branch(text);
        let frame = stage.frame(cx, &[&branch]);
        let cells = frame.cells(cx, &branch).unwrap();
        let found = set::is_union_empty(cx, &frame, &cells).unwrap();
        assert!(if is_empty { found.is_yes() } else { found.is_no() }, "{text}: {found:?}");
    }
}
