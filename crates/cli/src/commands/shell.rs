//! `loadproof completions` and `loadproof man`: what a shell and a reader need to know of the command, made from itself.

use crate::exit::{Exit, Failed};
use crate::options::{CompletionsOptions, ManOptions, Options};
use crate::output::{self, say};
use clap::CommandFactory;
use std::path::Path;

/// Prints the completions of a shell.
pub(crate) fn completions(options: &CompletionsOptions) -> Result<Exit, Failed> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Options::command(), "loadproof", &mut script);
    output::data(&String::from_utf8_lossy(&script));
    Ok(Exit::Met)
}

/// Prints the manual page of the command; into a folder it writes one for each subcommand as well.
pub(crate) fn man(options: &ManOptions) -> Result<Exit, Failed> {
    let Some(folder) = &options.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Options::command()).render(&mut page).map_err(anyhow::Error::from)?;
        output::data(&String::from_utf8_lossy(&page));
        return Ok(Exit::Met);
    };
    let cannot = |error: std::io::Error, path: &Path| {
        Failed::because(format!("`{}` cannot be written: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot(error, folder))?;
    clap_mangen::generate_to(Options::command(), folder).map_err(|error| cannot(error, folder))?;
    say!("wrote the manual pages into {}: read one with `man -l {0}/loadproof.1`", folder.display());
    Ok(Exit::Met)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    fn subcommands() -> Vec<String> {
        let all = Options::command();
        let shown = all.get_subcommands().filter(|command| !command.is_hide_set());
        shown.map(|command| command.get_name().to_owned()).collect()
    }

    #[test]
    fn every_subcommand_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        man(&ManOptions { out: Some(folder.path().to_owned()) }).unwrap();
        for name in subcommands() {
            let page = std::fs::read_to_string(folder.path().join(format!("loadproof-{name}.1"))).unwrap();
            assert!(page.contains(".SH SYNOPSIS"), "{name}");
        }
        let all = std::fs::read_to_string(folder.path().join("loadproof.1")).unwrap();
        assert!(all.contains("loadproof\\-run(1)"), "{all}");
    }

    #[test]
    fn every_shell_completes_every_subcommand() {
        for shell in clap_complete::Shell::value_variants() {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Options::command(), "loadproof", &mut script);
            let script = String::from_utf8(script).unwrap();
            for name in subcommands() {
                assert!(script.contains(&name), "{shell}: {name}");
            }
        }
    }
}
