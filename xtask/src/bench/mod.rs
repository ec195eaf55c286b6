//! The bench: what a request costs the engine, and how true its times are, beside a floor and other generators.
//!
//! The floor is `yardstick`, a client that does nothing but send, receive, compare and count. It, loadproof and whatever
//! peers are installed (`wrk`, `wrk2`, `h2load`, `oha`) take turns, so that what else the machine does meets all of them.
//! The server has core 0, the generator core 1. What counts is instructions (where `perf` can count them) and processor
//! time of the generator's own process for a request: unlike a rate they hardly depend on what else the machine does.
//! What a run of loadproof costs whatever its load, from starting to the report, is measured by itself and taken off.
//! Every command is printed, so that everybody can try it by hand. Then comes what load nodes cost whoever conducts them,
//! what the live page and exports cost a run beside which they are, and last what judging takes by the length of a run.

mod generators;
mod held;
mod imports;
mod lengths;
mod live;
mod nodes;
mod sink;
mod tables;
mod threads;

use crate::child::{self, Measured, Server};
use crate::schema::built;
use crate::tree::Tree;
use anyhow::{Context, Result, bail, ensure};
use generators::{Generator, Load};
use std::path::PathBuf;
use tables::Round;

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The usual build instead of the release build: only to try the bench itself.
    pub is_dev: bool,
    /// Length of each measurement, seconds.
    pub seconds: u32,
    /// How many times each generator has its turn.
    pub rounds: u32,
    /// Connections that loadproof holds in the table `held`.
    pub connections: u32,
    /// Only these tables; all of them if there are none.
    pub tables: Vec<String>,
    /// The Python that has DuckDB, for the table `import`.
    pub python: PathBuf,
    /// A browser that has the live page open in the table `live`, beside a plain reader; two plain readers without.
    pub chromium: Option<PathBuf>,
}

/// Longest measurement, seconds: the bench is not a load test.
const SECONDS_MAX: u32 = 60;
const ROUNDS_MAX: u32 = 20;
/// More connections than this have no ports on one loopback address to a server at another.
const HELD_MAX: u32 = 100_000;
/// The tables there are.
const TABLES: [&str; 10] =
    ["closed", "open", "schedule", "freeze", "held", "compressed", "nodes", "live", "judge", "import"];
/// Connections of the closed load.
const USERS: u32 = 64;
/// Rate of the open loads, a second, and the connections that they may use.
const RATE: u32 = 5000;
const CONNECTIONS: u32 = 50;
/// Under freezes of 100 ms every 2 s.
const FREEZE_RATE: u32 = 1000;
const SERVER_CORE: usize = 0;
const GENERATOR_CORE: usize = 1;

impl Options {
    /// Reads the words of the command line.
    ///
    /// # Errors
    /// A word that is none of ours, or a number outside its bounds.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self {
            is_dev: false,
            seconds: 5,
            rounds: 3,
            connections: held::MANY,
            tables: Vec::new(),
            python: PathBuf::from("python3"),
            chromium: None,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--dev" => options.is_dev = true,
                "--for" => options.seconds = number(word, words.next(), SECONDS_MAX)?,
                "--rounds" => options.rounds = number(word, words.next(), ROUNDS_MAX)?,
                "--python" => {
                    options.python = words.next().context("`--python` needs the program that has DuckDB")?.into();
                }
                "--chromium" => {
                    options.chromium = Some(words.next().context("`--chromium` needs a program")?.into());
                }
                "--connections" => options.connections = number(word, words.next(), HELD_MAX)?,
                table if TABLES.contains(&table) => options.tables.push(table.to_owned()),
                other => bail!(
                    "`{other}` is nothing that the bench knows; there are `--dev`, `--for SECONDS`, `--rounds N`, \
                     `--connections N`, `--chromium PROGRAM`, `--python PROGRAM`, and the tables `{}`",
                    TABLES.join("`, `")
                ),
            }
        }
        Ok(options)
    }

    fn wants(&self, table: &str) -> bool {
        self.tables.is_empty() || self.tables.iter().any(|wanted| wanted == table)
    }
}

fn number(name: &str, text: Option<&&str>, most: u32) -> Result<u32> {
    let text = text.copied().unwrap_or_default();
    let number = text.trim_end_matches('s').parse().ok().filter(|number| (1..=most).contains(number));
    number.with_context(|| format!("`{name} {text}`: write 1 to {most}"))
}

/// Everything that the tables are made with.
struct Bench<'a> {
    options: &'a Options,
    echo: PathBuf,
    stall: PathBuf,
    yardstick: PathBuf,
    /// Its back end holds connections.
    streaming: PathBuf,
    loadproof: PathBuf,
    /// Does as if it were many load nodes.
    many_nodes: PathBuf,
    /// Makes long runs of short ones.
    replay: PathBuf,
    generators: Vec<Generator>,
    /// Folder for runs; each run a new one in it.
    scratch: PathBuf,
    runs: u32,
    commands: Vec<String>,
}

/// Measures and prints.
///
/// # Errors
/// A program that is not built, a server that does not start, a generator whose output cannot be read.
pub fn run(tree: &Tree, options: &Options) -> Result<()> {
    let profile = if options.is_dev { "debug" } else { "release" };
    // A program must be there for the tables that use it.
    let program = |name: &str, package: &str, tables: &[&str]| -> Result<PathBuf> {
        let path = built(tree, profile, name);
        let flag = if options.is_dev { "" } else { "--release " };
        let is_used = tables.iter().any(|table| options.wants(table));
        ensure!(!is_used || path.exists(), "`{}` is missing; type `cargo build {flag}-p {package}`", path.display());
        Ok(path)
    };
    let loadproof = program("loadproof", "cli", &TABLES)?;
    let yardstick = program("yardstick", "yardstick", &["closed", "open", "schedule", "freeze"])?;
    let scratch = std::env::temp_dir().join(format!("loadproof-bench-{}", std::process::id()));
    let mut bench = Bench {
        options,
        echo: program("target-echo", "target-echo", &["closed", "open", "nodes", "live", "judge"])?,
        many_nodes: program("examples/many_nodes", "broker --example many_nodes", &["nodes"])?,
        stall: program("target-stall", "target-stall", &["freeze"])?,
        streaming: program("system-streaming", "system-streaming", &["held", "compressed"])?,
        generators: generators::all(&yardstick, &loadproof),
        yardstick,
        loadproof,
        replay: program("examples/replay", "record --example replay", &["judge"])?,
        scratch: scratch.clone(),
        runs: 0,
        commands: Vec::new(),
    };
    if options.is_dev {
        println!("the usual build: these figures say nothing about the release build\n");
    }
    let told = bench.tables();
    let _ = std::fs::remove_dir_all(&scratch);
    told?;
    bench.commands.sort();
    bench.commands.dedup();
    bench.commands.iter().for_each(|command| println!("$ {command}"));
    Ok(())
}

impl Bench<'_> {
    fn tables(&mut self) -> Result<()> {
        std::fs::create_dir_all(&self.scratch)?;
        let seconds = self.options.seconds;
        let closed = Load { connections: USERS, rate: None, seconds };
        let open = Load { connections: CONNECTIONS, rate: Some(RATE), seconds };
        if self.options.wants("closed") {
            let rows = self.costs(closed)?;
            println!("{}", tables::costs("As fast as answers come, 64 connections, one core", &rows));
        }
        if self.options.wants("open") {
            let rows = self.costs(open)?;
            println!("{}", tables::costs("A constant 5,000/s, 50 connections, one core", &rows));
        }
        if self.options.wants("schedule") {
            println!("{}", tables::schedules(&self.schedules(open)?));
        }
        if self.options.wants("freeze") {
            // The truth of an open load of 1,000/s in even steps; see `targets/README.md`.
            for (title, connections, truth) in [
                ("Freezes of 100 ms every 2 s at 1,000/s, 250 connections", 250, [1.0, 1.0, 80.5, 98.5, 100.5]),
                ("The same with 10 connections", 10, [1.0, 1.0, 82.5, 98.5, 100.5]),
            ] {
                let load = Load { connections, rate: Some(FREEZE_RATE), seconds: seconds.max(20) };
                println!("{}", tables::freezes(title, truth, &self.freezes(load)?));
            }
        }
        if self.options.wants("held") {
            let streaming = self.streaming.clone();
            let table = held::table(self, &streaming)?;
            println!("{table}");
        }
        if self.options.wants("compressed") {
            let streaming = self.streaming.clone();
            let table = held::compressed(self, &streaming)?;
            println!("{table}");
        }
        if self.options.wants("nodes") {
            let many = self.many_nodes.clone();
            let table = nodes::table(self, &many)?;
            println!("{table}");
        }
        if self.options.wants("live") {
            let table = live::table(self)?;
            println!("{table}");
        }
        if self.options.wants("judge") {
            let judged = lengths::judged(&self.loadproof, &self.replay, &self.echo, &self.scratch.join("lengths"))?;
            println!("{}", tables::lengths(&judged));
            self.commands.push("replay RUN NEW SECONDS; loadproof judge NEW".to_owned());
        }
        // DuckDB is not everywhere: this table is made where it is asked for by name.
        if self.options.tables.iter().any(|table| table == "import") {
            let Options { python, rounds, is_dev, .. } = self.options;
            let scratch = self.scratch.join("imports");
            let imported = imports::imports(&self.loadproof, python, &scratch, *rounds, *is_dev)?;
            println!("{}", imports::table(&imported));
            self.commands.push("loadproof import jtl samples.jtl --out RUN".to_owned());
        }
        Ok(())
    }

    /// Runs a generator once; none if it cannot make the load.
    fn turn(&mut self, generator: &Generator, url: &str, load: Load) -> Result<Option<Round>> {
        self.runs += 1;
        let folder = self.scratch.join(self.runs.to_string());
        let Some(command) = generator.command(url, load, &folder) else { return Ok(None) };
        let measured = child::measure(command, Some(GENERATOR_CORE))?;
        let said = generator.read(&measured.stdout).with_context(|| {
            format!("`{}` said nothing that can be read: {}", measured.command, measured.stderr.trim())
        })?;
        if said.validity.as_deref().is_some_and(|validity| validity != "valid") {
            println!("note: loadproof calls its run {}", said.validity.as_deref().unwrap_or_default());
        }
        let shown = measured.command.replace(url, "URL").replace(&folder.display().to_string(), "FOLDER");
        self.commands.push(shown);
        Ok(Some(Round { said, measured }))
    }

    /// What a request costs each generator, turn by turn.
    fn costs(&mut self, load: Load) -> Result<Vec<(String, Vec<tables::Cost>)>> {
        let server = Server::start(&self.echo, &["--service", "0ms", "--port", "0"], Some(SERVER_CORE))?;
        let mut rows: Vec<(String, Vec<tables::Cost>)> = Vec::new();
        for _ in 0..self.options.rounds {
            for generator in self.generators.clone() {
                let fixed = self.fixed(&generator, &server.url(), load.seconds)?;
                let Some(round) = self.turn(&generator, &server.url(), load)? else { continue };
                add(&mut rows, generator.name, tables::cost(&round, fixed.as_ref()));
            }
        }
        Ok(rows)
    }

    /// What a run of ours costs that asks once a second.
    fn fixed(&mut self, generator: &Generator, url: &str, seconds: u32) -> Result<Option<Measured>> {
        if !generator.is_ours() {
            return Ok(None);
        }
        let idle = Load { connections: 1, rate: Some(1), seconds };
        Ok(self.turn(generator, url, idle)?.map(|round| round.measured))
    }

    /// How each generator's requests arrived, as the server's kernel saw them.
    fn schedules(&mut self, load: Load) -> Result<Vec<(String, Vec<serde_json::Value>)>> {
        let interval = (1_000_000 / RATE).to_string();
        let mut rows = Vec::new();
        for _ in 0..self.options.rounds {
            for generator in self.generators.clone() {
                let server = Server::start(&self.yardstick, &["serve", "--interval", &interval], Some(SERVER_CORE))?;
                if self.turn(&generator, &server.url(), load)?.is_none() {
                    continue;
                }
                let told = server.tell();
                let told = serde_json::from_str(&told).with_context(|| format!("the server told `{told}`"))?;
                add(&mut rows, generator.name, told);
            }
        }
        Ok(rows)
    }

    /// What each generator reports of times under freezes.
    fn freezes(&mut self, load: Load) -> Result<Vec<(String, Vec<[f64; 5]>)>> {
        let mut rows = Vec::new();
        for _ in 0..self.options.rounds {
            for generator in self.generators.clone() {
                let arguments = ["--service", "1ms", "--every", "2s", "--for", "100ms", "--port", "0"];
                let server = Server::start(&self.stall, &arguments, Some(SERVER_CORE))?;
                let round = self.turn(&generator, &server.url(), load)?;
                if let Some(times) = round.and_then(|round| round.said.times_ms) {
                    add(&mut rows, generator.name, times);
                }
            }
        }
        Ok(rows)
    }
}

fn add<T>(rows: &mut Vec<(String, Vec<T>)>, name: &str, value: T) {
    match rows.iter_mut().find(|(known, _)| known == name) {
        Some((_, values)) => values.push(value),
        None => rows.push((name.to_owned(), vec![value])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_bounded() {
        let read = |words: &[&str]| Options::parse(words).unwrap();
        let usual = Options {
            is_dev: false,
            seconds: 5,
            rounds: 3,
            connections: 10_000,
            tables: Vec::new(),
            python: "python3".into(),
            chromium: None,
        };
        assert_eq!(read(&[]), usual);
        assert_eq!(read(&["live", "--chromium", "chromium"]).chromium, Some("chromium".into()));
        assert_eq!(read(&["held", "--connections", "20000"]).connections, 20_000);
        let some = read(&["--dev", "--for", "2s", "--rounds", "1", "closed"]);
        assert_eq!((some.is_dev, some.seconds, some.rounds), (true, 2, 1));
        assert!(some.wants("closed") && !some.wants("open") && read(&[]).wants("open"));
        for words in [&["--for"][..], &["--for", "0"], &["--for", "61"], &["--fro", "2"], &["--rounds", "21"]] {
            assert!(Options::parse(words).is_err(), "{words:?}");
        }
    }
}
