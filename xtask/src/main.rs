//! `cargo xtask`: see the usage below.
#![forbid(unsafe_code)]

use anyhow::{Context, Result, bail};
use std::process::ExitCode;
use xtask::tree::Tree;
use xtask::{bench, coverage, live_page, omission, pages, schema, skeleton, tidy};

const USAGE: &str = "\
usage: cargo xtask CHORE

  tidy               checks that crates, documents and code agree (also a test: cargo test -p xtask)
  pages              writes the generated parts of the guide
  schema             writes docs/study.schema.json; needs `cargo build -p cli` before
  omission RESULT    draws the guide's picture from the result.json of a run of studies/omission.yaml
  coverage [RUNS]    measures how often intervals and verdicts are right, and writes the table of docs/methods/coverage.md;
                     300 runs of each process take some minutes
  new driver NAME    writes drivers/driver-NAME, which compiles and passes its own tests
  new monitor NAME   writes monitors/monitor-NAME, likewise
  bench [TABLE…] [--dev] [--for SECONDS] [--rounds N] [--connections N] [--chromium PROGRAM] [--python PROGRAM]
                     measures what a request costs the engine and how true its times are, beside a floor and installed
                     peers; tables: closed, open, schedule, freeze, held, compressed, nodes, live, judge, and where it is
                     named import; needs the release build, or with --dev the usual one
  live-page [--dev] [--rate N] [--for SECONDS] [--chromium PROGRAM] [--out DIR]
                     looks at the live page of a run at 200/s in two browsers: opened, filled, resized, cut off, left open
                     for 60 s, over, and under hostile names; needs Chromium and the release build, or with --dev the
                     usual one; writes pictures to target/live-page
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match chore(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn chore(words: &[&str]) -> Result<ExitCode> {
    let tree = Tree::of_this_repository();
    match words {
        ["tidy"] => return tidy_up(&tree),
        ["pages"] => say(&pages::write(&tree)?),
        ["schema"] => say(&[schema::write(&tree)?]),
        ["new", kind, name] => print!("{}", skeleton::write(&tree, kind, name)?),
        ["omission", result] => {
            let json = std::fs::read_to_string(result).with_context(|| format!("`{result}` cannot be read"))?;
            let svg = omission::picture(&json)?;
            tree.write(omission::PICTURE, &svg)?;
            say(&[omission::PICTURE.to_owned()]);
        }
        ["coverage"] => coverage_of(&tree, "300")?,
        ["coverage", runs] => coverage_of(&tree, runs)?,
        ["live-page", options @ ..] => {
            let holds = live_page::run(&tree, &live_page::Options::parse(options)?)?;
            return Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        ["bench", options @ ..] => bench::run(&tree, &bench::Options::parse(options)?)?,
        [] | ["help" | "--help" | "-h"] => print!("{USAGE}"),
        _ => bail!("`{}` is not a chore\n\n{USAGE}", words.join(" ")),
    }
    Ok(ExitCode::SUCCESS)
}

fn coverage_of(tree: &Tree, runs: &str) -> Result<()> {
    let written = if coverage::write(tree, runs)? { vec![coverage::PAGE.to_owned()] } else { Vec::new() };
    say(&written);
    Ok(())
}

fn tidy_up(tree: &Tree) -> Result<ExitCode> {
    let problems = tidy::problems(tree)?;
    for problem in &problems {
        println!("{problem}");
    }
    if problems.is_empty() {
        println!("everything is tidy");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} to tidy up", problems.len());
    Ok(ExitCode::FAILURE)
}

fn say(written: &[String]) {
    if written.is_empty() {
        println!("nothing to write: all is up to date");
    }
    for path in written {
        println!("wrote {path}");
    }
}
