//! The command: one study file in, one judged performance report out.
//!
//! Each subcommand is one function in `commands`; this file only parses the line and turns errors into exit codes.
#![forbid(unsafe_code)]

mod ceiling;
mod commands;
mod compare_screen;
mod conduct;
mod dashboard;
mod ending_screen;
mod exit;
mod head;
mod limits;
mod live;
mod logs;
mod null_target;
mod options;
mod prepare;
mod progress;
mod registry;
mod replies;
mod screen;
mod signals;
mod system;
mod tally;
mod words;

use clap::Parser;
use exit::{Exit, Failed};
use options::{Command, Options};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match &options.command {
        Command::New { folder } => commands::new::new(folder),
        Command::Check(options) => commands::check::check(options),
        Command::Run(options) => commands::run::run(options),
        Command::Quick(options) => commands::quick::quick(options),
        Command::Ceiling(options) => commands::ceiling::ceiling(options),
        Command::Judge(options) => commands::judge::judge(options),
        Command::Report(options) => commands::report::report(options),
        Command::Compare(options) => commands::compare::compare(options),
        Command::Schema => commands::schema(),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(Failed { exit, error }) => {
            let text = format!("{error:#}");
            // Mistakes of a study come with their own heading, one each.
            let heading = if text.starts_with("error[") { "" } else { "error: " };
            eprintln!("{heading}{text}");
            if exit == Exit::Defect {
                eprintln!("\nthis is a defect in loadproof; please report it with the command that led to it");
            }
            exit.into()
        }
    }
}
