//! What the parts of a computation may cost: one table of named shares, in terms combined. A part that has a share of its own
//! may be left out, or be unknown, when its share is used up; an answer says so. Nothing else in the house has a number for
//! work: [`super::Budget::within`] takes a [`Share`], and only this table makes one. `--effort` multiplies them all.

/// An amount of work with a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Share(u64);

impl Share {
    /// In terms combined.
    pub const fn work(self) -> u64 {
        self.0
    }

    /// One of so many equal parts.
    pub const fn divided_by(self, parts: u64) -> Share {
        Share(self.0 / parts)
    }

    /// What is left when so much is spent.
    pub const fn without(self, spent: Share) -> Share {
        Share(self.0.saturating_sub(spent.0))
    }

    /// As much as whoever opens a session allows for a statement.
    pub const fn given(work: u64) -> Share {
        Share(work)
    }

    /// What is left of one, or was spent; see [`super::Budget::left_of`].
    pub(super) const fn rest(work: u64) -> Share {
        Share(work)
    }

    /// A share of any size, to be used up in a test.
    #[cfg(test)]
    pub const fn of(work: u64) -> Share {
        Share(work)
    }
}

macro_rules! shares {
    ($($name:ident = $work:expr, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: Share = Share($work);)*

        /// All of them, with what each is for.
        #[cfg(test)]
        pub const ALL: &[(&str, Share, &str)] = &[$((stringify!($name), $name, $meaning)),*];
    };
}

shares! {
    // Statements.
    UNBOUNDED = u64::MAX, "A run: as long as the user wants to wait.";
    STATEMENT = 400_000_000, "One question or declaration, all in all.";
    CHECK = 16_000_000, "Judging the promises of one declaration when a program is only checked.";
    PRINT = 120_000_000, "Writing an answer down in its best form.";
    SEARCH = 120_000_000, "One search whose outcome an answer needs: a basis, a decomposition, the solutions of a system.";
    CLASSIFICATION = 100_000_000, "Telling all strata of a classification apart; after that a few are looked at.";
    DERIVATION = 400_000_000, "The constraint algorithm of a system that is to run.";
    GRACE = 8_000_000, "Putting together what is known after a limit was reached.";
    MOMENT = 500_000, "The same after Ctrl-C: somebody waits. What takes longer is left out.";

    NOTHING = 0, "Whatever needs no work at all.";

    // Side questions, whose answers make another one shorter or sharper.
    SIDE = 8_000_000, "A side question about sets: whether a union can be written shortly, whether a part is empty.";
    SMALL_SIDE = 2_000_000, "A side question about one solution.";
    MINOR = 400_000, "One of many small questions: whether a minor, a block, a condition vanishes.";
    RANK = 1_000_000, "The rank of the constraints of a run, which is followed by numbers if it is not decided.";
    CHART = 4_000_000, "A chart of the constraints of a run.";
    REDUCED = 2_000_000, "The reduced equations of a constrained system, beside those with multipliers.";
    INDEPENDENCE = 4_000_000, "The rank of the differentials of functions.";

    // Strata.
    COMPONENTS = 8_000_000, "Finding the components of one set.";
    COMPONENT_STEP = 250_000, "One basis on the way to components.";
    REGULARITY = 4_000_000, "Whether the equations of a set span its conormal space.";
    GRAPH = 1_000_000, "Whether a set that looks like a graph is one.";
    REGULAR_COMPONENTS = 1_500_000, "The components of a set whose equations do not span.";
    FIRST_BASIS = 2_000_000, "The first attempt at a basis, before other coordinates and orders are tried.";
    SHORT_BASIS = 50_000, "An attempt at a basis that comes to its end at once, if at all.";
    DEPENDENCE = 100_000, "Whether one equation follows from the others.";
    CRITICAL = 150_000, "The critical points of a function on a set.";
    FAMILIES = 2_000_000, "The families of solutions in functions of unknowns.";
    NEAREST = 5_000_000, "The nearest point of a set, by which it is known not to be empty.";
    CONTRADICTION = 60_000, "Whether equations contradict each other, when they are met together.";

    // The constraint algorithm.
    ROUNDS = 40_000_000, "All branches of the algorithm; after that each has only its least share.";
    BRANCH = 15_000_000, "One branch in one round.";
    LEAST_BRANCH = 1_000_000, "One branch, whatever the others have cost.";
    INVARIANCE = 2_000_000, "The invariant sets in an open part with a boundary.";
    BOUNDARY = 10_000_000, "All boundary strata.";
    STRATUM = 3_000_000, "One question about a boundary stratum.";
    CROSSING = 1_000_000, "Whether a smooth curve passes through a stratum. Where it can be excluded it is excluded soon.";
    COMPARISON = 20_000_000, "The comparison of the final set with the primary one.";
    DESCENT = 12_000_000, "Following a sparse system to its end by blocks.";
    DETERMINANT = 2_000_000, "One determinant of a block.";

    // Certificates, and the comparison of two algorithms.
    CERTIFICATE = 400_000, "The certificates of an answer that cost nothing to speak of.";
    DESCENT_CERTIFICATE = 8_000_000, "Certificates of a descent may cost as if it had cost so much: the point that they find is the only one.";
    AGREEMENT_DYNAMICS = 12_000_000, "The constraint algorithm beside Dirac's.";
    AGREEMENT_DIRAC = 6_000_000, "Dirac's algorithm beside the constraint algorithm.";
    AGREEMENT = 4_000_000, "Whether both found the same.";
}

/// Certificates may cost this part of what the answer cost.
pub const CERTIFICATE_PART: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_share_has_a_name_of_its_own_and_a_meaning() {
        for (i, (name, share, meaning)) in ALL.iter().enumerate() {
            assert!((share.work() > 0) == (*share != NOTHING) && meaning.ends_with('.'), "{name}");
            assert!(ALL[..i].iter().all(|(other, ..)| other != name), "{name}");
        }
    }

    #[test]
    fn parts_fit_into_the_whole() {
        let fits = |parts: &[Share], whole: Share| parts.iter().all(|part| *part <= whole);
        assert!(fits(&[SEARCH, PRINT, ROUNDS, COMPARISON, BOUNDARY, DESCENT], STATEMENT));
        assert!(fits(&[BRANCH, LEAST_BRANCH], ROUNDS) && fits(&[STRATUM, CROSSING], BOUNDARY));
        assert!(fits(&[SHORT_BASIS, DEPENDENCE], FIRST_BASIS) && fits(&[COMPONENT_STEP], COMPONENTS));
    }
}
