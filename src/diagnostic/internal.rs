//! Mistakes of the program itself. A panic that reaches the end of a statement or of the command line is a diagnostic too.

use super::{Diagnostic, codes};
use std::sync::{Mutex, OnceLock};

static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);
static HOOK: OnceLock<()> = OnceLock::new();

/// Instead of printing a Rust backtrace at the user, a panic leaves its words for [`internal_error`].
pub fn remember_panics() {
    HOOK.get_or_init(|| {
        std::panic::set_hook(Box::new(|info| {
            let words = info.payload_as_str().unwrap_or("no message");
            let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
            if let Ok(mut last) = LAST_PANIC.lock() {
                *last = Some(format!("{words}{place}"));
            }
        }));
    });
}

/// The diagnostic for the panic that was just caught.
pub fn internal_error() -> Diagnostic {
    let words = LAST_PANIC.lock().ok().and_then(|mut last| last.take()).unwrap_or_default();
    Diagnostic::error(&codes::INTERNAL, "lepage made a mistake")
        .note(words)
        .help("this is a bug in lepage: please report it with the program that shows it")
}
