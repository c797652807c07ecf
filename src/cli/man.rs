//! `lepage man`: the manual page in roff, from the same table as `--help`. `lepage man | man -l -`
//! reads it.

use super::Exit;
use super::arguments::Talk;
use super::console::Console;
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {}

pub fn run(_: Arguments) -> Exit {
    let command = super::command().version(env!("CARGO_PKG_VERSION"));
    let mut page = vec![];
    // Writing to memory cannot fail.
    let _ = clap_mangen::Man::new(command).render(&mut page);
    for subcommand in super::SUBCOMMANDS {
        let name = format!("lepage {}", subcommand.name);
        let man = clap_mangen::Man::new(subcommand.command().display_name(&name).bin_name(&name));
        page.extend_from_slice(format!(".SH \"{}\"\n", name.to_uppercase()).as_bytes());
        let _ = man.render_description_section(&mut page);
        let _ = man.render_synopsis_section(&mut page);
        let _ = man.render_options_section(&mut page);
    }
    let mut console = Console::new(&Talk::default());
    console.print(&String::from_utf8_lossy(&page));
    console.finish(Exit::Held)
}
