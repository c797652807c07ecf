//! Runs LALRPOP on `grammar/`, nothing else.
fn main() {
    println!("cargo:rerun-if-changed=grammar");
}
