//! Texts that a session is fed: files, and standard input.

use super::file::nearby;
use crate::diagnostic::{Diagnostic, codes};
use crate::world::{Trouble, World};

/// One text to feed to a session.
#[derive(Clone, Debug)]
pub struct Input {
    /// As shown in diagnostics.
    pub name: String,
    pub text: String,
}

/// Why a file could not become a text, with what can be shown of it.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Its file, where it has one.
    pub program: String,
    pub diagnostic: Diagnostic,
    pub sources: crate::source::SourceMap,
}

impl From<Diagnostic> for Unreadable {
    fn from(diagnostic: Diagnostic) -> Unreadable {
        Unreadable { program: String::new(), diagnostic, sources: Default::default() }
    }
}

/// Reads a file, or standard input for `-`.
pub fn read(world: &dyn World, path: &std::path::Path) -> Result<Input, Unreadable> {
    let stdin = path.as_os_str() == "-";
    let name = if stdin { "<stdin>".to_string() } else { path.to_string_lossy().into_owned() };
    let bytes = if stdin { world.standard_input() } else { world.read(path) };
    let bytes = bytes.map_err(|Trouble { missing, reason }| {
        let mut diagnostic = Diagnostic::error(&codes::CANNOT_READ, format!("`{name}` cannot be read")).note(reason);
        if let Some(near) = nearby(world, path).filter(|_| missing) {
            diagnostic = diagnostic.help(format!("did you mean `{}`?", path.with_file_name(near).display()));
        }
        diagnostic
    })?;
    Ok(Input { text: decode(&name, bytes)?, name })
}

/// UTF-8 text from bytes; a byte order mark at the beginning is dropped.
fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Unreadable> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            // The text up to the end of the line, as far as it can be shown.
            let line_end =
                error.as_bytes()[at..].iter().position(|b| *b == b'\n').map_or(error.as_bytes().len(), |i| at + i);
            let mut sources = crate::source::SourceMap::default();
            let id = sources.add(name, String::from_utf8_lossy(&error.as_bytes()[..line_end]).into_owned());
            let diagnostic = Diagnostic::error(&codes::NOT_TEXT, format!("`{name}` is not UTF-8 text"))
                .label(
                    crate::source::Span::new(id, at, at + '\u{fffd}'.len_utf8()),
                    format!("the byte 0x{byte:02x} is no letter here"),
                )
                .note(format!("this is byte {} of the file", at + 1))
                .help("save the file as UTF-8");
            Err(Unreadable { program: name.to_string(), diagnostic, sources })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_is_no_text_is_shown_in_its_line() {
        let unreadable = decode("a.mech", b"let a = 1\nlet b\xff = 2\n".to_vec()).unwrap_err();
        let label = &unreadable.diagnostic.labels[0];
        assert_eq!(unreadable.sources.get(label.span.source).line_column(label.span.start as usize), (2, 6));
    }

    #[test]
    fn a_byte_order_mark_is_no_letter() {
        assert_eq!(decode("a.mech", "\u{feff}let".as_bytes().to_vec()).unwrap(), "let");
    }
}
