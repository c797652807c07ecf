//! Hands the arguments to [`lepage::cli`] and returns its exit code. Memory is counted from here on.

#[global_allocator]
static ALLOCATOR: lepage::cli::Counted = lepage::cli::Counted;

fn main() -> std::process::ExitCode {
    lepage::cli::main(std::env::args_os()).into()
}
