//! An open text, and the two ways to name a place in it: bytes here, a line and UTF-16 units in the protocol. And the two
//! ways to name a file.

use serde_json::{Value, json};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A text that an editor has open.
#[derive(Clone, Debug)]
pub struct Document {
    pub version: i64,
    pub text: Arc<str>,
}

impl Document {
    pub fn new(version: i64, text: &str) -> Document {
        Document { version, text: text.into() }
    }

    /// The byte that the `position` of a request names; past the end of a line it is the end.
    pub fn byte(&self, position: &Value) -> usize {
        let line = position["line"].as_u64().unwrap_or(0) as usize;
        let units = position["character"].as_u64().unwrap_or(0) as usize;
        let starts = std::iter::once(0).chain(self.text.match_indices('\n').map(|(i, _)| i + 1));
        let Some(start) = starts.into_iter().nth(line) else { return self.text.len() };
        let mut passed = 0;
        for (i, c) in self.text[start..].char_indices() {
            if passed >= units || c == '\n' {
                return start + i;
            }
            passed += c.len_utf16();
        }
        self.text.len()
    }

    pub fn range(&self, bytes: Range<usize>) -> Value {
        range_of(&self.text, bytes)
    }
}

/// A piece of a text, as the protocol writes it.
pub fn range_of(text: &str, bytes: Range<usize>) -> Value {
    json!({ "start": position_of(text, bytes.start), "end": position_of(text, bytes.end) })
}

fn position_of(text: &str, byte: usize) -> Value {
    let before = text.get(..byte).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let units: usize = before[start..].chars().map(char::len_utf16).sum();
    json!({ "line": before.matches('\n').count(), "character": units })
}

/// The file that a URI names, if it names one.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        };
        bytes.push(byte);
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/swing.mech` is a path of Windows after a slash.
    let drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    Some(PathBuf::from(if drive { &path[1..] } else { path.as_str() }))
}

/// The URI of a file.
pub fn uri_of(path: &str) -> String {
    let path = path.replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut uri = format!("file://{slash}");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => uri.push(byte as char),
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_units_of_sixteen_bits() {
        // θ is one unit and two bytes, 𝛼 two units and four bytes.
        let document = Document::new(1, "θ = 1\n𝛼𝛼 x\n");
        assert_eq!(document.byte(&json!({ "line": 1, "character": 5 })), 7 + 9);
        assert_eq!(
            document.range(16..17),
            json!({ "start": { "line": 1, "character": 5 }, "end": { "line": 1, "character": 6 } })
        );
        assert_eq!(document.byte(&json!({ "line": 0, "character": 99 })), 6);
        assert_eq!(document.byte(&json!({ "line": 9, "character": 0 })), document.text.len());
    }

    #[test]
    fn files_have_two_names() {
        let path = "/home/me/my swing/θ.mech";
        assert_eq!(uri_of(path), "file:///home/me/my%20swing/%CE%B8.mech");
        assert_eq!(path_of(&uri_of(path)), Some(PathBuf::from(path)));
        assert_eq!(path_of("file:///C:/swing.mech"), Some(PathBuf::from("C:/swing.mech")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }
}
