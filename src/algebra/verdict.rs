//! Verdicts. Every test of fact is answered yes or no with its ground, or unknown with the reason.
//! Unknown is never counted as no.

use std::fmt;

/// What an answer rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ground {
    /// A rule, a computation or a witness that settles it; in words.
    Proved(String),
    /// Agreement at so many points with so many bits: evidence, not proof.
    Sampled { points: u32, bits: u32 },
}

/// The answer to a question of fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Yes(Ground),
    No(Ground),
    /// Neither could be shown, for this reason.
    Unknown(String),
}

impl Ground {
    pub fn proved(by: impl Into<String>) -> Ground {
        Ground::Proved(by.into())
    }

    pub fn is_proved(&self) -> bool {
        matches!(self, Ground::Proved(_))
    }

    /// What two facts together rest on: the weaker ground.
    pub fn weaker(self, other: Ground) -> Ground {
        match (&self, &other) {
            (Ground::Proved(_), Ground::Sampled { .. }) => other,
            (Ground::Sampled { points: a, bits: x }, Ground::Sampled { points: b, bits: y }) => {
                Ground::Sampled { points: *a.min(b), bits: *x.min(y) }
            }
            _ => self,
        }
    }
}

impl Verdict {
    pub fn yes(by: impl Into<String>) -> Verdict {
        Verdict::Yes(Ground::proved(by))
    }

    pub fn no(by: impl Into<String>) -> Verdict {
        Verdict::No(Ground::proved(by))
    }

    pub fn unknown(why: impl Into<String>) -> Verdict {
        Verdict::Unknown(why.into())
    }

    /// Yes or no, both proved.
    pub fn from_bool(value: bool, by: impl Into<String>) -> Verdict {
        if value { Verdict::yes(by) } else { Verdict::no(by) }
    }

    pub fn is_yes(&self) -> bool {
        matches!(self, Verdict::Yes(_))
    }

    pub fn is_no(&self) -> bool {
        matches!(self, Verdict::No(_))
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Verdict::Unknown(_))
    }

    pub fn ground(&self) -> Option<&Ground> {
        match self {
            Verdict::Yes(g) | Verdict::No(g) => Some(g),
            Verdict::Unknown(_) => None,
        }
    }

    pub fn negate(self) -> Verdict {
        match self {
            Verdict::Yes(g) => Verdict::No(g),
            Verdict::No(g) => Verdict::Yes(g),
            unknown => unknown,
        }
    }

    /// Both hold. One proved no settles it, whatever the other.
    pub fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Yes(a), Verdict::Yes(b)) => Verdict::Yes(a.weaker(b)),
            (Verdict::No(a), Verdict::No(b)) => Verdict::No(if a.is_proved() { a } else { b }),
            (no @ Verdict::No(_), _) | (_, no @ Verdict::No(_)) => no,
            (unknown, Verdict::Yes(_)) | (_, unknown) => unknown,
        }
    }

    /// At least one holds.
    pub fn or(self, other: Verdict) -> Verdict {
        self.negate().and(other.negate()).negate()
    }

    /// All hold; yes for none.
    pub fn all(verdicts: impl IntoIterator<Item = Verdict>, if_empty: &str) -> Verdict {
        verdicts.into_iter().reduce(Verdict::and).unwrap_or_else(|| Verdict::yes(if_empty))
    }

    /// yes, no or unknown.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Yes(_) => "yes",
            Verdict::No(_) => "no",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Ground::Proved(by) if by.is_empty() => f.write_str("proved"),
            Ground::Proved(by) => write!(f, "proved: {by}"),
            Ground::Sampled { points: 1, bits } => write!(f, "sampled at one point with {bits} bits"),
            Ground::Sampled { points, bits } => write!(f, "sampled at {points} points with {bits} bits"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Verdict::Yes(g) => write!(f, "yes ({g})"),
            Verdict::No(g) => write!(f, "no ({g})"),
            Verdict::Unknown(why) => write!(f, "unknown ({why})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_never_counted_as_no() {
        let unknown = Verdict::unknown("budget");
        assert!(unknown.clone().negate().is_unknown());
        assert!(unknown.clone().and(Verdict::yes("")).is_unknown());
        assert!(unknown.clone().and(Verdict::no("")).is_no());
        assert!(unknown.clone().or(Verdict::no("")).is_unknown());
        assert!(unknown.or(Verdict::yes("")).is_yes());
    }

    #[test]
    fn the_weaker_ground_wins() {
        let sampled = Verdict::Yes(Ground::Sampled { points: 8, bits: 200 });
        assert_eq!(Verdict::yes("rule").and(sampled.clone()), sampled);
    }
}
