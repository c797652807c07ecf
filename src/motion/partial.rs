//! The table of a sweep as it grows, its shards, and what puts them together.
//!
//! Rows are appended to `table.csv.partial` in their order, a few at a time. When the last one is there the file gets its name:
//! so a file called `table.csv` is always whole, and what a stop or a power cut leaves is a beginning of the table, with at most
//! one torn line. To go on, the head is compared byte for byte with the one that would be written now (it has the
//! version and the hash of the input, so other equations are never mixed), the torn line is cut off, and the row after
//! the last whole line is the next one. Other formats are made of the finished rows at the end.
//!
//! Shard i of N has the rows from ⌊(i−1)n/N⌋ to ⌊in/N⌋ of n, in a table of any format. What it says about itself says which one
//! it is; without that entry all shards say the same, and the same as the whole table. [`merge`] puts the rows of all shards
//! behind it, and reads every one of them: a row that stands in another place is seen.

use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::report::provenance::{Provenance, beside};
use crate::report::rows::{BLOCK, Cell, File, Heading, Rows, Visitor};
use crate::report::{self, csv};
use crate::world::{Trouble, World};
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
}

/// What there was when a table was begun.
pub enum Found<'w> {
    /// Rows are missing, perhaps all.
    Open(Partial<'w>),
    /// The whole table, made by the same program.
    Complete,
}

impl<'w> Partial<'w> {
    /// Begins the table with these columns and rows, or goes on with what is there. Nothing is written if it cannot be.
    pub fn begin(
        world: &'w dyn World,
        whole: &Path,
        about: &dyn Rows,
        rows: Range<u64>,
        resume: bool,
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
        let whole = whole.to_path_buf();
        let (at, next) = (head.len() as u64, rows.start);
        let mut partial = Partial { world, growing: growing.clone(), whole, head, rows, at, next };
        if resume && is_whole(world, &partial.whole, about, &partial.rows) {
            return Ok(Found::Complete);
        }
        if resume && world.size(&growing).is_some_and(|size| size > 0) {
            partial.go_on().map_err(cannot)??;
        }
        let head = if partial.next == partial.rows.start { partial.head.as_bytes() } else { &[] };
        let at = if head.is_empty() { partial.at } else { 0 };
        world.append(&growing, at, head).map_err(cannot)?;
        Ok(Found::Open(partial))
    }

    /// Finds the row after the last whole line.
    fn go_on(&mut self) -> Result<Fallible<()>, Trouble> {
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
        if let Some((row, end)) = csv::last_row(&File::new(self.world, &self.growing), self.at)? {
            if !(self.rows.start + 1..=self.rows.end).contains(&row) {
                let title = format!("`{}` has a row {row}, which this table does not have", self.growing.display());
                let refused = Diagnostic::error(&codes::CANNOT_READ, title);
                return Ok(Err(Box::new(refused.help("run without `--resume` to begin again"))));
            }
            (self.next, self.at) = (row, end);
        }
        Ok(Ok(()))
    }

    /// Appends the lines of some rows.
    pub fn append(&mut self, lines: &str, n_rows: u64) -> Result<(), Trouble> {
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
        if format.grows {
            return self.world.rename(&self.growing, &self.whole).map_err(cannot);
        }
        let rows = csv::read(File::new(self.world, &self.growing)).map_err(cannot)?;
        // What stands beside a table comes first: where the table is, its description is there.
        if !format.describes_itself {
            describe(self.world, &self.whole, rows.provenance()).map_err(cannot)?;
        }
        write_file(self.world, &self.whole, &*rows, write).map_err(cannot)?;
        self.world.remove(&self.growing).map_err(cannot)
    }
}

/// Whether the file of this name is this table, with all of these rows.
fn is_whole(world: &dyn World, path: &Path, about: &dyn Rows, rows: &Range<u64>) -> bool {
    let there = report::open(File::new(world, path));
    there.is_ok_and(|there| {
        let same = there.provenance() == about.provenance() && there.columns() == about.columns();
        same && there.n_rows() == rows.end - rows.start
    })
}

/// Writes a table beside its place, piece by piece, and then gives it its name.
fn write_file(world: &dyn World, path: &Path, rows: &dyn Rows, write: report::rows::Write) -> Result<(), Trouble> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".unfinished");
    let beside = PathBuf::from(beside);
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
    let mut shards: Vec<Part> = vec![];
    let mut problems: Vec<String> = vec![];
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
            problems.push(format!("shard {shard} in `{name}`: {what}"));
            continue;
        }
        if let Some(one) = shards.first() {
            let (a, b) = (one.rows.provenance(), about);
            let differs = |key: &&str| a.get(key) != b.get(key);
            let keys: Vec<&str> = a.entries().chain(b.entries()).map(|(key, _)| key).collect();
            let key = keys.into_iter().filter(|k| *k != SHARD && *k != ARITHMETIC).find(differs);
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
    shards.sort_by_key(|part| part.shard.index);
    let count = shards.first().map_or(0, |part| part.shard.count);
    let missing: Vec<u64> = (1..=count).filter(|i| shards.iter().all(|part| part.shard.index != *i)).collect();
    if !missing.is_empty() || !problems.is_empty() {
        let title = match missing.len() {
            0 => "no shard is whole".to_string(),
            n => format!("{n} of {count} shards are missing"),
        };
        let mut refused = Diagnostic::error(&codes::CANNOT_READ, title);
        for problem in problems {
            refused = refused.note(problem);
        }
        let program =
            shards.first().and_then(|part| part.rows.provenance().get("program")).unwrap_or("FILE").to_string();
        for i in missing {
            refused = refused.help(format!("run again: lepage sweep {program} --shard {i}/{count} --resume"));
        }
        return Err(Box::new(refused));
    }
    let Some(first) = shards.first() else {
        return Err(Box::new(Diagnostic::error(&codes::CANNOT_READ, "no shard was named")));
    };
    let mut arithmetics: Vec<String> =
        shards.iter().filter_map(|part| part.rows.provenance().get(ARITHMETIC)).map(str::to_string).collect();
    arithmetics.sort();
    arithmetics.dedup();
    let about = first.rows.provenance().without(SHARD);
    let all = All { provenance: about, columns: first.rows.columns().to_vec(), parts: &shards };
    let n_rows = all.n_rows();
    let described = if format.describes_itself { Ok(()) } else { describe(world, whole, &all.provenance) };
    described
        .and_then(|()| write_file(world, whole, &all, write))
        .map_err(|trouble| Box::new(cannot_write(whole, trouble)))?;
    Ok(Merged { n_rows, arithmetics: if arithmetics.len() > 1 { arithmetics } else { vec![] } })
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
        for part in self.parts {
            let mut next = part.first;
            part.rows.each(&mut |cells| {
                if cells.first() != Some(&Cell::Count(next)) {
                    return Err(Trouble::because(format!(
                        "row {next} is not in its place in `{}`",
                        part.path.display()
                    )));
                }
                next += 1;
                visit(cells)
            })?;
        }
        Ok(())
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
