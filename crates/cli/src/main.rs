//! The command: one study file in, one judged performance report out.
//!
//! Each subcommand is one function in `commands`; this file only parses the line and turns errors into exit codes.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod archive;
mod audit_screen;
mod ceiling;
mod ci;
mod commands;
mod compare_screen;
mod dashboard;
mod ending_screen;
mod exit;
mod exporting;
mod flow_words;
mod history_screen;
mod null_target;
mod opened;
mod options;
mod outlet;
mod output;
mod prepare;
mod progress;
mod registry;
mod run_list;
mod run_list_screen;
mod screen;
mod search_words;
mod summary_screen;
mod words;

use clap::Parser;
use exit::{Exit, Failed};
use options::{Command, Options};
use output::say;
use run::{defects, logs};
use rustix::process::{Resource, getrlimit};
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// As much as a script of a study may need, which `check` may call here (`script::bounds`).
const STACK_BYTES: usize = 32 * 1024 * 1024;

fn main() -> ExitCode {
    // Not for people: a run starts this program anew for each log of its instances.
    if std::env::args_os().nth(1).is_some_and(|first| first == logs::KEEP_LOG) {
        let kept = logs::keep(&mut std::io::stdin().lock(), &mut std::io::stdout());
        return if kept.is_ok() { Exit::Met.into() } else { Exit::Defect.into() };
    }
    defects::listen(|text| say!("{text}"));
    // Should the system refuse, such a file ends the process as it did before.
    let _ = run::outlive_file_limits();
    let exit = on_a_stack_of_our_own(command).unwrap_or(Exit::Defect);
    let exit = if defects::is_any() { Exit::Defect } else { exit };
    if exit == Exit::Defect {
        say!("\nthis is a defect in loadproof; please report it with the command that led to it");
    }
    let is_lost = output::finish();
    // A verdict must not look like a success that was delivered.
    if is_lost && exit == Exit::Met { Exit::CannotTell.into() } else { exit.into() }
}

/// The first thread's stack is as large as `ulimit -s` says, which may be too little; that of another one is ours to
/// choose. Without a second thread it is done on the first, as where the address space is limited: there a thread with an
/// allocator's arena of its own may end the process before it can say what is lacking. `None` where it panicked.
fn on_a_stack_of_our_own(command: fn() -> Exit) -> Option<Exit> {
    let caught = move || catch_unwind(AssertUnwindSafe(command)).ok();
    if [Resource::As, Resource::Data].iter().any(|resource| getrlimit(*resource).current.is_some()) {
        return caught();
    }
    match std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES).spawn(caught) {
        Ok(thread) => thread.join().ok().flatten(),
        Err(_) => caught(),
    }
}

/// Carries out what the command line asks for.
fn command() -> Exit {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(told) => return usage(&told),
    };
    let result = match &options.command {
        Command::New(options) => commands::new::new(options),
        Command::Collect(options) => commands::collect::collect(options),
        Command::Node(options) => commands::node::node(options),
        Command::Check(options) => commands::check::check(options),
        Command::Run(options) => commands::run::run(options),
        Command::Quick(options) => commands::quick::quick(options),
        Command::Ceiling(options) => commands::ceiling::ceiling(options),
        Command::Live(options) => commands::live::live(options),
        Command::Export(options) => commands::export::export(options),
        Command::Judge(options) => commands::judge::judge(options),
        Command::Report(options) => commands::report::report(options),
        Command::Compare(options) => commands::compare::compare(options),
        Command::History(options) => commands::history::history(options),
        Command::Audit(options) => commands::audit::audit(options),
        Command::Import(options) => commands::import::import_files(options),
        Command::Runs(options) => commands::runs::runs(options),
        Command::Schema(options) => commands::schema(options),
        Command::Completions(options) => commands::shell::completions(options),
        Command::Man(options) => commands::shell::man(options),
    };
    result.unwrap_or_else(|Failed { exit, error }| {
        let text = format!("{error:#}");
        // Mistakes of a study come with their own heading, one each.
        let heading = if text.starts_with("error[") { "" } else { "error: " };
        say!("{heading}{text}");
        exit
    })
}

/// What to type where `import` was given a file and no kind.
fn forgotten_kind(told: &clap::Error) -> Option<String> {
    let mut words = std::env::args_os().skip(1).filter_map(|word| word.into_string().ok());
    if told.kind() != clap::error::ErrorKind::MissingRequiredArgument || words.next()? != "import" {
        return None;
    }
    commands::import::forgotten(&words.find(|word| !word.starts_with('-'))?, &[])
}

/// Help, version, or what is wrong with the command line.
fn usage(told: &clap::Error) -> Exit {
    let text = told.render();
    let has_colours = |is_terminal: bool| is_terminal && std::env::var_os("NO_COLOR").is_none();
    if told.use_stderr() {
        let is_painted = has_colours(std::io::stderr().is_terminal());
        let text = if is_painted { text.ansi().to_string() } else { text.to_string() };
        output::error(&text.trim_end(), is_painted);
        if let Some(what) = forgotten_kind(told) {
            say!("\nhint: {what}");
        }
    } else {
        let is_painted = has_colours(std::io::stdout().is_terminal());
        let text = if is_painted { text.ansi().to_string() } else { text.to_string() };
        output::output(&text.trim_end(), is_painted);
    }
    if told.exit_code() == 0 { Exit::Met } else { Exit::Wrong }
}
