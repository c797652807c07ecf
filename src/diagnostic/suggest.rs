//! "Did you mean": the nearest names.

/// The candidate nearest to `name`, if it is near enough to be a slip of the pen: at most a third of
/// the letters differ, by insertion, deletion, replacement or swapping of neighbours, and at least one
/// agrees (every letter is near `m` otherwise).
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    candidates
        .into_iter()
        .filter(|c| *c != name)
        .map(|c| (distance(name, c), c))
        .filter(|(d, c)| *d <= limit && *d < length.max(c.chars().count()))
        .min_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(b.1)))
        .map(|(_, c)| c)
}

/// The candidates that have a word of `name` which the others have not: `cartan` for `cartan_form`, and both
/// `find_symmetries` and `find_adjoint_symmetries` for `symmetries`. Words of one or two letters say nothing.
pub fn of_these_words<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let words = |name: &'_ str| name.to_lowercase().split('_').map(String::from).collect::<Vec<_>>();
    let asked = words(name);
    let is_near = |candidate: &&str| {
        let theirs = words(candidate);
        let shared = theirs.iter().filter(|w| w.len() > 2 && asked.contains(w)).count();
        shared > 0 && (shared == theirs.len() || shared == asked.len())
    };
    candidates.into_iter().filter(|c| *c != name).filter(is_near).collect()
}

/// A name that spells a derivative, `xdot`, `theta_ddot`, and the number of its dots.
pub fn dotted(name: &str) -> Option<(&str, usize)> {
    for (ending, dots) in [("ddot", 2), ("dot", 1)] {
        if let Some(base) = name.strip_suffix(ending).map(|b| b.trim_end_matches('_')).filter(|b| !b.is_empty()) {
            return Some((base, dots));
        }
    }
    None
}

/// What a name spells elsewhere if `base` is a coordinate: `x_t`, `xd`, `vx`, `Dx` are velocities, `x_tt`, `xdd`, `ax`
/// accelerations. Each candidate is a base and the number of its dots.
pub fn rates(name: &str) -> impl Iterator<Item = (&str, usize)> {
    let behind = [("_tt", 2), ("_t", 1), ("dd", 2), ("d", 1), ("pp", 2), ("p", 1), ("_prime", 1), ("prime", 1)];
    let before = [("v_", 1), ("v", 1), ("a_", 2), ("a", 2), ("D2", 2), ("D", 1)];
    let behind = behind.into_iter().filter_map(move |(end, dots)| Some((name.strip_suffix(end)?, dots)));
    let before = before.into_iter().filter_map(move |(start, dots)| Some((name.strip_prefix(start)?, dots)));
    behind.chain(before).map(|(base, dots)| (base.trim_end_matches('_'), dots)).filter(|(base, _)| !base.is_empty())
}

/// Damerau–Levenshtein distance (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (previous[j] + 1).min(row[j - 1] + 1).min(previous[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{dotted, nearest, of_these_words, rates};

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        assert_eq!(nearest("thteta", ["theta", "phi"]), Some("theta"));
        assert_eq!(nearest("x", ["theta", "phi"]), None);
        assert_eq!(nearest("m", ["Y", "x"]), None);
        assert_eq!(nearest("m", ["m1", "x"]), Some("m1"));
        assert_eq!(of_these_words("cartan_form", ["cartan", "poincare_cartan", "d", "hamilton_form"]), ["cartan"]);
        assert_eq!(of_these_words("symmetries", ["find_symmetries", "symmetry"]), ["find_symmetries"]);
        assert_eq!(of_these_words("d_x", ["d", "x"]), [""; 0]);
        assert_eq!(rates("theta_t").next(), Some(("theta", 1)));
        assert_eq!((rates("vx").next(), rates("add").next()), (Some(("x", 1)), Some(("a", 2))));
        assert_eq!((dotted("theta_ddot"), dotted("xdot"), dotted("dot")), (Some(("theta", 2)), Some(("x", 1)), None));
    }
}
