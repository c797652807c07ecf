//! Hands the arguments to [`lepage::cli`] and returns its exit code.

fn main() -> std::process::ExitCode {
    lepage::cli::main(std::env::args_os()).into()
}
