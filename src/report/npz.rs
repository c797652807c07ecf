//! NPZ, several arrays of NumPy in one file: an array for each column, by its name, and `metadata`, the JSON text of what the
//! table says about itself. `numpy.load("disk.npz")["theta'"]` is the column.
//!
//! The file is a ZIP archive whose members are stored as they are. Their checksums and lengths stand behind them, so that a
//! column can be written before it is known; the date of every member is the first one that ZIP knows.

use super::npy::{self, Array};
use super::provenance::Provenance;
use super::rows::{BLOCK, Cell, File, Heading, Rows, Sink, Visitor, no_table};
use crate::world::Trouble;

pub fn write(rows: &dyn Rows, sink: &mut Sink) -> Result<(), Trouble> {
    let mut archive = Archive { sink, at: 0, directory: vec![], members: 0 };
    for (i, column) in rows.columns().iter().enumerate() {
        let head = npy::head(&npy::type_of(column.kind), Some(rows.n_rows()));
        archive.member(&column.name, &mut |out| {
            out(&head)?;
            let mut entry = vec![];
            rows.each(&mut |cells: &[Cell]| {
                entry.clear();
                npy::push(&mut entry, &cells[i]);
                out(&entry)
            })
        })?;
    }
    if !rows.provenance().is_empty() {
        let letters: Vec<u32> = rows.provenance().json().to_string().chars().map(u32::from).collect();
        let head = npy::head(&format!("<U{}", letters.len()), None);
        let text: Vec<u8> = letters.iter().flat_map(|letter| letter.to_le_bytes()).collect();
        archive.member("metadata", &mut |out| out(&head).and_then(|()| out(&text)))?;
    }
    archive.finish()
}

/// An archive as it is written.
struct Archive<'a, 's> {
    sink: &'a mut Sink<'s>,
    /// Bytes so far.
    at: u64,
    /// The central directory, which comes last.
    directory: Vec<u8>,
    members: u16,
}

/// Names are UTF-8, and lengths stand behind the member.
const FLAGS: u16 = 1 << 11 | 1 << 3;
/// The first of January 1980.
const DATE: u16 = 1 << 5 | 1;

impl Archive<'_, '_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.at += bytes.len() as u64;
        (self.sink)(bytes)
    }

    fn member(&mut self, name: &str, content: &mut dyn FnMut(&mut Sink) -> Result<(), Trouble>) -> Result<(), Trouble> {
        let name = format!("{name}.npy");
        let start = u32::try_from(self.at).map_err(|_| too_large())?;
        let mut fixed = vec![];
        for half in [20, FLAGS, 0, 0, DATE] {
            fixed.extend_from_slice(&half.to_le_bytes());
        }
        let lengths = [(name.len() as u16).to_le_bytes(), [0; 2]].concat();
        self.put(&[b"PK\x03\x04", fixed.as_slice(), &[0; 12], &lengths, name.as_bytes()].concat())?;
        let (mut sum, mut length) = (!0u32, 0u64);
        let sink = &mut *self.sink;
        content(&mut |bytes| {
            sum = bytes.iter().fold(sum, |sum, byte| CHECKSUMS[((sum ^ u32::from(*byte)) & 0xff) as usize] ^ sum >> 8);
            length += bytes.len() as u64;
            sink(bytes)
        })?;
        self.at += length;
        let length = u32::try_from(length).map_err(|_| too_large())?.to_le_bytes();
        let sizes = [(!sum).to_le_bytes(), length, length].concat();
        self.put(&[b"PK\x07\x08", sizes.as_slice()].concat())?;
        let entry: [&[u8]; 7] = [b"PK\x01\x02", &[20, 0], &fixed, &sizes, &lengths, &[0; 10], &start.to_le_bytes()];
        self.directory.extend_from_slice(&entry.concat());
        self.directory.extend_from_slice(name.as_bytes());
        self.members += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<(), Trouble> {
        let start = u32::try_from(self.at).map_err(|_| too_large())?.to_le_bytes();
        let directory = std::mem::take(&mut self.directory);
        let members = self.members.to_le_bytes();
        self.put(&directory)?;
        let length = (directory.len() as u32).to_le_bytes();
        self.put(&[b"PK\x05\x06", [0; 4].as_slice(), &members, &members, &length, &start, &[0; 2]].concat())
    }
}

fn too_large() -> Trouble {
    Trouble::because("an `.npz` file has at most 4 GiB; save to `.npy`")
}

/// CRC-32 of every byte.
static CHECKSUMS: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut sum = i as u32;
        let mut k = 0;
        while k < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
            k += 1;
        }
        table[i] = sum;
        i += 1;
    }
    table
};

/// The table of a sweep in a file.
pub fn read(file: File<'_>) -> Result<Box<dyn Rows + '_>, Trouble> {
    let (mut columns, mut arrays) = (vec![], vec![]);
    let mut provenance = None;
    for (name, start) in members(&file)? {
        let array = Array::read(&file, start)?;
        if name == "metadata" {
            let text = npy::word(&array.records(&file, 0, 1)?);
            provenance = serde_json::from_str(&text).ok().as_ref().and_then(Provenance::read_json);
        } else {
            let kind = array.columns.first().ok_or_else(no_table)?.kind;
            columns.push(Heading { name, kind });
            arrays.push(array);
        }
    }
    let n_rows = arrays.first().map_or(0, |array| array.n_rows);
    if arrays.iter().any(|array| array.n_rows != n_rows || array.columns.len() != 1) {
        return Err(Trouble::because("its columns are not equally long"));
    }
    Ok(Box::new(Stored { file, provenance: provenance.ok_or_else(no_table)?, columns, arrays, n_rows }))
}

/// The names of the members of an archive, and where each begins.
fn members(file: &File) -> Result<Vec<(String, u64)>, Trouble> {
    let half = |b: &[u8], at: usize| b.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]])).ok_or_else(no_table);
    let word = |b: &[u8], at: usize| {
        b.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).ok_or_else(no_table)
    };
    // The archive ends with 22 bytes that say where the directory is.
    let end = file.exactly(file.size().checked_sub(22).ok_or_else(no_table)?, 22)?;
    if end[..4] != *b"PK\x05\x06" {
        return Err(no_table());
    }
    let directory = file.exactly(u64::from(word(&end, 16)?), word(&end, 12)? as usize)?;
    let (mut members, mut at) = (vec![], 0);
    for _ in 0..half(&end, 10)? {
        let entry = directory.get(at..).filter(|entry| entry.starts_with(b"PK\x01\x02")).ok_or_else(no_table)?;
        if half(entry, 10)? != 0 {
            return Err(Trouble::because("its arrays are compressed"));
        }
        let (name, extra, comment) = (half(entry, 28)?, half(entry, 30)?, half(entry, 32)?);
        let text = entry.get(46..46 + usize::from(name)).ok_or_else(no_table)?;
        let text = std::str::from_utf8(text).map_err(|_| no_table())?;
        let local = u64::from(word(entry, 42)?);
        let head = file.exactly(local, 30)?;
        let start = local + 30 + u64::from(half(&head, 26)?) + u64::from(half(&head, 28)?);
        members.push((text.strip_suffix(".npy").unwrap_or(text).to_string(), start));
        at += 46 + usize::from(name) + usize::from(extra) + usize::from(comment);
    }
    Ok(members)
}

/// The table of a sweep in a file, which is read piece by piece.
struct Stored<'w> {
    file: File<'w>,
    provenance: Provenance,
    columns: Vec<Heading>,
    /// One for each column.
    arrays: Vec<Array>,
    n_rows: u64,
}

impl Rows for Stored<'_> {
    fn columns(&self) -> &[Heading] {
        &self.columns
    }

    fn n_rows(&self) -> u64 {
        self.n_rows
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn each(&self, visit: &mut Visitor) -> Result<(), Trouble> {
        // The longest entry is a word.
        let at_once = (BLOCK / 64 / self.arrays.len().max(1)).max(1) as u64;
        for from in (0..self.n_rows).step_by(at_once as usize) {
            let count = at_once.min(self.n_rows - from);
            let blocks = self.arrays.iter().map(|array| array.records(&self.file, from, count));
            let blocks: Vec<Vec<u8>> = blocks.collect::<Result<_, _>>()?;
            for row in 0..count as usize {
                let entries = self.arrays.iter().zip(&blocks).map(|(array, block)| {
                    let size = block.len() / count as usize;
                    (array, &block[row * size..(row + 1) * size])
                });
                let words: Vec<Vec<String>> = entries.clone().map(|(array, entry)| array.words(entry)).collect();
                let cells = entries.zip(&words).flat_map(|((array, entry), words)| array.cells(entry, words));
                visit(&cells.collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::to_bytes;
    use super::*;
    use crate::report::Table;
    use std::process::Command;

    /// Python's own reader of archives checks lengths and checksums.
    #[test]
    fn python_opens_the_archive() {
        let table = Table::new([("t", vec![0.0, 0.5]), ("θ'", vec![1.0, -2.0])]);
        let table = table.with_provenance(Provenance::default().with("seed", "7"));
        let path = std::env::temp_dir().join(format!("lepage-{}.npz", std::process::id()));
        std::fs::write(&path, to_bytes(write, &table)).expect("a temporary file");
        let program = "import sys, zipfile, struct\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
             print(z.namelist(), struct.unpack('<2d', z.read(\"θ'.npy\")[-16:]), z.read('metadata.npy')[-48:].decode('utf-32-le'))";
        let output = Command::new("python3").args(["-c", program]).arg(&path).output();
        let _ = std::fs::remove_file(&path);
        let Ok(output) = output else {
            eprintln!("skipped: there is no python3 to open the archive");
            return;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(text.trim(), "['t.npy', \"θ'.npy\", 'metadata.npy'] (1.0, -2.0) {\"seed\":\"7\"}");
    }
}
