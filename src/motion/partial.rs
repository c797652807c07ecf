//! The table of a sweep as it grows, its shards, and what puts them together.
//!
//! Rows are appended to `table.csv.partial` in their order, a few at a time. When the last one is there the file gets its name:
//! so a file called `table.csv` is always whole, and what a stop or a power cut leaves is a beginning of the table, with at most
//! one torn line. To go on, the head is compared byte for byte with the one that would be written now (it has the
//! version and the hash of the input, so other equations are never mixed), all lines are read, and what follows the last one
//! that is the next row is cut off. Other formats are made of the finished rows at the end. A table that grows is claimed: of two
//! processes that were started for it, as by a scheduler that believes the first to be dead, one writes.
//!
//! Shard i of N has the rows from ⌊(i−1)n/N⌋ to ⌊in/N⌋ of n, in a table of any format. What it says about itself says which one
//! it is, and has a digest of the table; without these entries all shards say the same, and the same as the whole table. [`merge`]
//! reads every row of every shard before it puts them behind it: one that stands in another place, is missing or was changed
//! on its way is seen.

use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::report::provenance::{Provenance, beside};
use crate::report::rows::{BLOCK, Cell, File, Heading, Rows, Visitor};
use crate::report::{self, csv};
use crate::world::{Claim, Trouble, World};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Part i of N, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    pub index: u64,
    pub count: u64,
}

impl Shard {
    /// `2/8`.
    pub fn read(text: &str) -> Option<Shard> {
        let (index, count) = text.split_once('/')?;
        let shard = Shard { index: index.trim().parse().ok()?, count: count.trim().parse().ok()? };
        (1..=shard.count).contains(&shard.index).then_some(shard)
    }

    /// Its rows, counted from 0, of so many.
    pub fn rows(&self, n: u64) -> Range<u64> {
        let cut = |i: u64| (u128::from(i) * u128::from(n) / u128::from(self.count)) as u64;
        cut(self.index - 1)..cut(self.index)
    }

    /// `reach.csv` becomes `reach-2-of-8.csv`.
    pub fn name(&self, path: &Path) -> PathBuf {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let ending = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
        path.with_file_name(format!("{stem}-{}-of-{}{ending}", self.index, self.count))
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The keys that [`merge`] reads.
pub const ROWS: &str = "rows";
pub const SHARD: &str = "shard";
pub const DIGEST: &str = "digest";
pub const INPUT: &str = "input";
pub const VERSION: &str = "lepage";
pub const ARITHMETIC: &str = "arithmetic";

/// A table of which some rows are there.
pub struct Partial<'w> {
    world: &'w dyn World,
    /// The file that grows, and the one that it becomes.
    growing: PathBuf,
    whole: PathBuf,
    head: String,
    rows: Range<u64>,
    /// Bytes that are written.
    at: u64,
    /// The next row.
    pub next: u64,
    /// No other process writes to the file that grows.
    _claim: Claim,
}

/// What there was when a table was begun.
pub enum Found<'w> {
    /// Rows are missing, perhaps all.
    Open(Partial<'w>),
    /// The whole table, made by the same program.
    Complete,
}

impl<'w> Partial<'w> {
    /// Begins the table with these columns and rows, or goes on with what is there. Nothing is written if it cannot be. To go on
    /// with what another process writes, one waits until that has ended; `wait` lets some time pass, or refuses to.
    pub fn begin(
        world: &'w dyn World,
        whole: &Path,
        about: &dyn Rows,
        rows: Range<u64>,
        resume: bool,
        wait: &mut dyn FnMut(&Path) -> Fallible<()>,
    ) -> Fallible<Found<'w>> {
        let head = csv::head(about);
        let mut growing = whole.as_os_str().to_owned();
        growing.push(".partial");
        let growing = PathBuf::from(growing);
        let cannot = |trouble: Trouble| Box::new(cannot_write(&growing, trouble));
        if let Some(folder) = whole.parent().filter(|p| !p.as_os_str().is_empty()) {
            world.make_folder(folder).map_err(cannot)?;
        }
        if world.size(whole).is_none() && world.exists(whole) {
            return Err(Box::new(cannot_write(whole, Trouble::because("there is something that is no file"))));
        }
        let is_there = || resume && is_whole(world, whole, about, &rows);
        if is_there() {
            return Ok(Found::Complete);
        }
        let mut has_waited = false;
        let claim = loop {
            if let Some(claim) = world.claim(&growing).map_err(cannot)? {
                break claim;
            }
            if !resume {
                let busy = cannot_write(&growing, Trouble::because("another process writes it now"));
                return Err(Box::new(busy.help("with `--resume` one waits until that has ended")));
            }
            has_waited = true;
            wait(&growing)?;
        };
        if has_waited && is_there() {
            // The claim has made an empty file.
            world.remove(&growing).map_err(cannot)?;
            return Ok(Found::Complete);
        }
        let (at, next) = (head.len() as u64, rows.start);
        let whole = whole.to_path_buf();
        let mut partial = Partial { world, growing: growing.clone(), whole, head, rows, at, next, _claim: claim };
        if resume && world.size(&growing).is_some_and(|size| size > 0) {
            partial.go_on(about.columns()).map_err(cannot)??;
        }
        let head = if partial.next == partial.rows.start { partial.head.as_bytes() } else { &[] };
        let at = if head.is_empty() { partial.at } else { 0 };
        world.append(&growing, at, head).map_err(cannot)?;
        Ok(Found::Open(partial))
    }

    /// Finds the row after the last one that is there.
    fn go_on(&mut self, columns: &[Heading]) -> Result<Fallible<()>, Trouble> {
        let size = self.world.size(&self.growing).unwrap_or(0);
        let there = self.world.read_part(&self.growing, 0, self.head.len())?;
        if size < self.head.len() as u64 && self.head.as_bytes().starts_with(&there) {
            return Ok(Ok(()));
        }
        if there != self.head.as_bytes() {
            let (old, _) = Provenance::read_comments(std::str::from_utf8(&there).unwrap_or_default());
            let (new, _) = Provenance::read_comments(&self.head);
            return Ok(Err(Box::new(other_table(&self.growing, &old, &new))));
        }
        let (row, end) = csv::rows_there(&File::new(self.world, &self.growing), columns, self.at, self.next)?;
        if row > self.rows.end {
            let title = format!("`{}` has a row {row}, which this table does not have", self.growing.display());
            let refused = Diagnostic::error(&codes::CANNOT_READ, title);
            return Ok(Err(Box::new(refused.help("run without `--resume` to begin again"))));
        }
        (self.next, self.at) = (row, end);
        Ok(Ok(()))
    }

    /// Appends the lines of some rows.
    pub fn append(&mut self, lines: &str, n_rows: u64) -> Result<(), Trouble> {
        if self.world.size(&self.growing) != Some(self.at) {
            return Err(Trouble::because(format!("`{}` was changed by somebody else", self.growing.display())));
        }
        self.world.append(&self.growing, self.at, lines.as_bytes())?;
        self.at += lines.len() as u64;
        self.next += n_rows;
        Ok(())
    }

    pub fn growing(&self) -> &Path {
        &self.growing
    }

    /// Gives the finished table its name and format.
    pub fn finish(self) -> Fallible<()> {
        let cannot = |trouble: Trouble| Box::new(cannot_write(&self.whole, trouble));
        let (format, write) = report::format(&self.whole).map_err(Box::new)?;
        let rows = csv::read(File::new(self.world, &self.growing)).map_err(cannot)?;
        let mut about = rows.provenance().clone();
        if about.get(SHARD).is_some() {
            about = about.with(DIGEST, checked(&*rows, self.rows.start + 1).map_err(cannot)?);
        }
        if format.grows {
            if let Some(digest) = about.get(DIGEST) {
                let line = Provenance::default().with(DIGEST, digest).comments();
                self.world.append(&self.growing, self.at, line.as_bytes()).map_err(cannot)?;
            }
            return self.world.rename(&self.growing, &self.whole).map_err(cannot);
        }
        // What stands beside a table comes first: where the table is, its description is there.
        if !format.describes_itself {
            describe(self.world, &self.whole, &about).map_err(cannot)?;
        }
        let rows = Retold { rows: &*rows, provenance: about };
        write_file(self.world, &self.whole, &rows, write).map_err(cannot)?;
        self.world.remove(&self.growing).map_err(cannot)
    }
}

/// A table that says something else about itself.
struct Retold<'a> {
    rows: &'a dyn Rows,
    provenance: Provenance,
}

impl Rows for Retold<'_> {
    fn columns(&self) -> &[Heading] {
        self.rows.columns()
    }

    fn n_rows(&self) -> u64 {
        self.rows.n_rows()
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn each(&self, visit: &mut Visitor) -> Result<(), Trouble> {
        self.rows.each(visit)
    }
}

/// Reads every row of a table, of which the first has this number, and gives a digest of them and of what the table says about
/// itself: that of its CSV file, whatever format it is in.
fn checked(table: &dyn Rows, first: u64) -> Result<String, Trouble> {
    let (mut hasher, mut next, mut line) = (blake3::Hasher::new(), first, String::new());
    let about = table.provenance().without(DIGEST);
    hasher.update(csv::head(&Retold { rows: table, provenance: about }).as_bytes());
    table.each(&mut |cells| {
        if cells.first() != Some(&Cell::Count(next)) {
            return Err(Trouble::because(format!("row {next} is not in its place")));
        }
        next += 1;
        line.clear();
        csv::push_line(&mut line, cells);
        hasher.update(line.as_bytes());
        Ok(())
    })?;
    if next - first != table.n_rows() {
        return Err(Trouble::because(format!("row {next} is not there")));
    }
    Ok(format!("blake3:{}", hasher.finalize()))
}

/// Reads a whole table and compares it with the digest that it has, as a shard.
fn intact(table: &dyn Rows, first: u64) -> Result<(), Trouble> {
    let digest = checked(table, first)?;
    let about = table.provenance();
    match about.get(DIGEST) {
        None if about.get(SHARD).is_some() => Err(Trouble::because("it has no digest")),
        Some(written) if written != digest => Err(Trouble::because("it is not as it was written")),
        _ => Ok(()),
    }
}

/// Whether the file of this name is this table, with all of these rows.
fn is_whole(world: &dyn World, path: &Path, about: &dyn Rows, rows: &Range<u64>) -> bool {
    let there = report::open(File::new(world, path));
    there.is_ok_and(|there| {
        let same = there.provenance().without(DIGEST) == *about.provenance() && there.columns() == about.columns();
        same && there.n_rows() == rows.end - rows.start && intact(&*there, rows.start + 1).is_ok()
    })
}

/// Writes a table beside its place, piece by piece, and then gives it its name.
fn write_file(world: &dyn World, path: &Path, rows: &dyn Rows, write: report::rows::Write) -> Result<(), Trouble> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".unfinished");
    let beside = PathBuf::from(beside);
    let Some(_claim) = world.claim(&beside)? else {
        return Err(Trouble::because("another process writes it now"));
    };
    let (mut at, mut held) = (0, vec![]);
    world.append(&beside, 0, &[])?;
    let written = write(rows, &mut |bytes| {
        held.extend_from_slice(bytes);
        if held.len() >= BLOCK {
            world.append(&beside, at, &held)?;
            at += held.len() as u64;
            held.clear();
        }
        Ok(())
    });
    let written = written.and_then(|()| world.append(&beside, at, &held)).and_then(|()| world.rename(&beside, path));
    if written.is_err() {
        // The reason for the failure is the one to tell.
        let _ = world.remove(&beside);
    }
    written
}

/// Writes what a table says about itself beside it.
pub fn describe(world: &dyn World, table: &Path, provenance: &Provenance) -> Result<(), Trouble> {
    world.write(&beside(table), format!("{}\n", provenance.json()).as_bytes())
}

fn cannot_write(path: &Path, trouble: Trouble) -> Diagnostic {
    Diagnostic::error(&codes::CANNOT_WRITE, format!("`{}` cannot be written", path.display())).note(trouble.reason)
}

/// The refusal to go on with a table of another program.
fn other_table(path: &Path, old: &Provenance, new: &Provenance) -> Diagnostic {
    let title = format!("`{}` was begun by another program, and cannot be gone on with", path.display());
    let mut refused = Diagnostic::error(&codes::CANNOT_READ, title);
    for (key, value) in new.entries() {
        if let Some(before) = old.get(key).filter(|before| *before != value) {
            refused = refused.note(format!("{key} was `{before}` and is `{value}`"));
        }
    }
    refused.help("run without `--resume` to begin again")
}

/// What came of putting shards together.
pub struct Merged {
    pub n_rows: u64,
    /// The arithmetics of the parts, when they are not all the same.
    pub arithmetics: Vec<String>,
}

/// Puts the shards of one sweep together, if they are all there. Otherwise the refusal says which have to be run again.
pub fn merge(world: &dyn World, parts: &[PathBuf], whole: &Path) -> Fallible<Merged> {
    let (format, write) = report::format(whole).map_err(Box::new)?;
    if let Some(part) = parts.iter().find(|part| is_same_file(world, part, whole)) {
        let part = Trouble::because(format!("`{}` is one of the shards", part.display()));
        return Err(Box::new(cannot_write(whole, part).help("name another file with `--out`")));
    }
    let mut shards: Vec<Part> = vec![];
    let mut problems: Vec<Problem> = vec![];
    for path in parts {
        let name = path.display();
        let stored = report::open(File::new(world, path)).map_err(|trouble| cannot_read(path, &trouble.reason))?;
        let about = stored.provenance();
        let shard = about.get(SHARD).and_then(|text| Shard::read(text.split(' ').next().unwrap_or(text)));
        let Some(shard) = shard else {
            return Err(cannot_read(path, "its head does not say which shard it is"));
        };
        let Some(n_rows) = about.get(ROWS).and_then(|n| n.parse().ok()) else {
            return Err(cannot_read(path, "its head does not say how many rows the sweep has"));
        };
        let rows = shard.rows(n_rows);
        if stored.n_rows() != rows.end - rows.start {
            let what = format!("{} of {} rows are there", stored.n_rows(), rows.end - rows.start);
            problems.push(Problem { shard, path, what });
            continue;
        }
        if let Some(one) = shards.first() {
            let (a, b) = (one.rows.provenance(), about);
            let differs = |key: &&str| a.get(key) != b.get(key);
            let keys: Vec<&str> = a.entries().chain(b.entries()).map(|(key, _)| key).collect();
            let key = keys.into_iter().filter(|k| ![SHARD, DIGEST, ARITHMETIC].contains(k)).find(differs);
            if let Some(key) = key {
                let value = |m: &Provenance| m.get(key).unwrap_or("nothing").to_string();
                let title = format!("`{name}` belongs to another sweep");
                return Err(Box::new(
                    Diagnostic::error(&codes::CANNOT_READ, title)
                        .note(format!(
                            "its {key} is `{}`, that of `{}` is `{}`",
                            value(b),
                            one.path.display(),
                            value(a)
                        ))
                        .help("make all shards with the same program, settings and version"),
                ));
            }
            if one.shard.count != shard.count {
                let title = format!(
                    "`{name}` is one of {} shards, `{}` of {}",
                    shard.count,
                    one.path.display(),
                    one.shard.count
                );
                return Err(Box::new(Diagnostic::error(&codes::CANNOT_READ, title)));
            }
        }
        if let Some(twin) = shards.iter().find(|known| known.shard == shard) {
            let title = format!("shard {shard} is there twice: `{}` and `{name}`", twin.path.display());
            return Err(Box::new(Diagnostic::error(&codes::CANNOT_READ, title).help("leave one of them out")));
        }
        shards.push(Part { shard, path, first: rows.start + 1, rows: stored });
    }
    // Everything is read before anything is written.
    shards.retain(|part| match intact(&*part.rows, part.first) {
        Ok(()) => true,
        Err(trouble) => {
            problems.push(Problem { shard: part.shard, path: part.path, what: trouble.reason });
            false
        }
    });
    shards.sort_by_key(|part| part.shard.index);
    let count = shards.first().map_or(0, |part| part.shard.count);
    let missing: Vec<u64> = (1..=count).filter(|i| shards.iter().all(|part| part.shard.index != *i)).collect();
    if !missing.is_empty() || !problems.is_empty() {
        let program = shards.first().and_then(|part| part.rows.provenance().get("program")).unwrap_or("FILE");
        let missing = if shards.is_empty() { None } else { Some(&*missing) };
        return Err(incomplete(missing, count, &problems, program));
    }
    let Some(first) = shards.first() else {
        return Err(Box::new(Diagnostic::error(&codes::CANNOT_READ, "no shard was named")));
    };
    let mut arithmetics: Vec<String> =
        shards.iter().filter_map(|part| part.rows.provenance().get(ARITHMETIC)).map(str::to_string).collect();
    arithmetics.sort();
    arithmetics.dedup();
    let about = first.rows.provenance().without(SHARD).without(DIGEST);
    let all = All { provenance: about, columns: first.rows.columns().to_vec(), parts: &shards };
    let n_rows = all.n_rows();
    let described = if format.describes_itself { Ok(()) } else { describe(world, whole, &all.provenance) };
    described
        .and_then(|()| write_file(world, whole, &all, write))
        .map_err(|trouble| Box::new(cannot_write(whole, trouble)))?;
    Ok(Merged { n_rows, arithmetics: if arithmetics.len() > 1 { arithmetics } else { vec![] } })
}

/// A shard that is there and cannot be used.
struct Problem<'a> {
    shard: Shard,
    path: &'a Path,
    what: String,
}

/// The refusal to make a table without some of its rows, with what has to be run again. Where no shard is whole, nothing says which
/// are missing.
fn incomplete(missing: Option<&[u64]>, count: u64, problems: &[Problem], program: &str) -> Box<Diagnostic> {
    let damaged = if problems.is_empty() { "" } else { " or damaged" };
    let title = match missing.map(<[u64]>::len) {
        None => "no shard is whole".to_string(),
        Some(0) => "every shard is there, and besides what is none".to_string(),
        Some(1) => format!("one of {count} shards is missing{damaged}"),
        Some(n) => format!("{n} of {count} shards are missing{damaged}"),
    };
    let mut refused = Diagnostic::error(&codes::CANNOT_READ, title);
    for Problem { shard, path, what } in problems {
        refused = refused.note(format!("shard {shard} in `{}`: {what}", path.display()));
    }
    if missing.is_some_and(<[u64]>::is_empty) {
        return Box::new(refused.help("leave the other files out"));
    }
    let again = missing.map_or_else(|| problems.iter().map(|p| p.shard.index).collect(), <[u64]>::to_vec);
    for index in again {
        let there = problems.iter().find(|problem| problem.shard.index == index);
        let count = there.map_or(count, |problem| problem.shard.count);
        let out = there.map_or(String::new(), |problem| format!(" --out {}", problem.path.display()));
        refused = refused.help(format!("run again: lepage sweep {program} --shard {index}/{count} --resume{out}"));
    }
    Box::new(refused)
}

/// Whether two paths lead to one file.
fn is_same_file(world: &dyn World, a: &Path, b: &Path) -> bool {
    let there = world.canonical(a);
    there.is_some() && there == world.canonical(b)
}

fn cannot_read(path: &Path, why: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::CANNOT_READ, format!("`{}` cannot be merged: {why}", path.display())))
}

/// A shard in its file.
struct Part<'a> {
    shard: Shard,
    path: &'a Path,
    /// The number of its first row.
    first: u64,
    rows: Box<dyn Rows + 'a>,
}

/// Several tables, one behind the other.
struct All<'a> {
    provenance: Provenance,
    columns: Vec<Heading>,
    parts: &'a [Part<'a>],
}

impl Rows for All<'_> {
    fn columns(&self) -> &[Heading] {
        &self.columns
    }

    fn n_rows(&self) -> u64 {
        self.parts.iter().map(|part| part.rows.n_rows()).sum()
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn each(&self, visit: &mut Visitor) -> Result<(), Trouble> {
        self.parts.iter().try_for_each(|part| part.rows.each(visit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_every_row_once() {
        for n in [0, 1, 7, 100, 101] {
            for count in 1..=9 {
                let rows: Vec<u64> = (1..=count).flat_map(|index| Shard { index, count }.rows(n)).collect();
                assert_eq!(rows, (0..n).collect::<Vec<_>>(), "{n} rows, {count} shards");
            }
        }
        assert_eq!(Shard::read("2/8"), Some(Shard { index: 2, count: 8 }));
        assert!(["0/4", "5/4", "1", "a/b", "1/0", "-1/4"].iter().all(|text| Shard::read(text).is_none()));
        let name = Shard { index: 2, count: 8 }.name(Path::new("out/reach.csv"));
        assert_eq!(name, Path::new("out/reach-2-of-8.csv"));
    }
}
