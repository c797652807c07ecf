//! What a table says about itself: which program made it, with which version, method and tolerance. No clock and no host
//! is among it, so equal inputs give equal files.
//!
//! ```text
//! .csv                 # key: value       lines before the names of the columns
//! .json                "metadata": {…}    before the columns
//! .npz                 metadata           an array with the JSON text
//! .parquet             key-value metadata
//! .npy                 has no place: it stands in a file of its own beside the table, `table.npy.json`
//! ```

use serde_json::Value;
use std::path::{Path, PathBuf};

/// Keys with their values, in the order in which they are written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance(Vec<(String, String)>);

impl Provenance {
    /// Adds an entry. Line ends and what is around them become blanks: an entry is a line.
    pub fn with(mut self, key: &str, value: impl AsRef<str>) -> Provenance {
        let value = value.as_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        self.0.push((key.to_string(), value));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The same without an entry.
    pub fn without(&self, key: &str) -> Provenance {
        Provenance(self.0.iter().filter(|(k, _)| k != key).cloned().collect())
    }

    /// The lines at the head of a CSV file.
    pub fn comments(&self) -> String {
        self.0.iter().map(|(key, value)| format!("# {key}: {value}\n")).collect()
    }

    /// Reads the lines back; the rest of the text begins after them.
    pub fn read_comments(text: &str) -> (Provenance, &str) {
        let (mut provenance, mut rest) = (Provenance::default(), text);
        while let Some((line, after)) = rest.split_once('\n')
            && let Some((key, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(": "))
        {
            provenance.0.push((key.to_string(), value.to_string()));
            rest = after;
        }
        (provenance, rest)
    }

    /// Reads an object of texts back.
    pub fn read_json(json: &Value) -> Option<Provenance> {
        let entries = json.as_object()?.iter();
        entries
            .map(|(key, value)| Some((key.clone(), value.as_str()?.to_string())))
            .collect::<Option<_>>()
            .map(Provenance)
    }

    pub fn json(&self) -> Value {
        Value::Object(self.0.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect())
    }
}

/// Where it stands when the table has no place for it: `table.npy.json`.
pub fn beside(table: &Path) -> PathBuf {
    let mut beside = table.as_os_str().to_owned();
    beside.push(".json");
    PathBuf::from(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_table_reads_back() {
        let provenance = Provenance::default().with("lepage", "0.1.0").with("sweep", "S over m\n   in [1, 2]");
        let text = provenance.comments() + "row,m\n1,2.0\n";
        assert_eq!(text.lines().nth(1), Some("# sweep: S over m in [1, 2]"));
        assert_eq!(Provenance::read_json(&provenance.json()), Some(provenance.clone()));
        assert_eq!(Provenance::read_comments(&text), (provenance, "row,m\n1,2.0\n"));
    }
}
