//! Runs LALRPOP on `grammar/`, nothing else.

fn main() {
    println!("cargo:rerun-if-changed=grammar");
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_whitespace(false)
        .emit_rerun_directives(false)
        .process()
        .expect("grammar/lepage.lalrpop is a grammar");
}
