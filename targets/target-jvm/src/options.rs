//! The command line.

use clap::{Parser, ValueEnum};
use target_common::ProcessFlags;

/// A Java server: garbage, live data and a leak of set sizes in a heap of a set size
#[derive(Parser, Debug)]
#[command(name = "target-jvm")]
pub struct Flags {
    #[command(flatten)]
    process: ProcessFlags,
    /// Greatest size of the heap, `-Xmx`
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    heap: u64,
    /// Size of the heap at the start, `-Xms` [default: that of `--heap`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    initial: Option<u64>,
    /// Garbage for each request
    #[arg(long, value_name = "SIZE", default_value = "200kB", value_parser = parse_size)]
    garbage: u64,
    /// Kept of each request for ever
    #[arg(long, value_name = "SIZE", default_value = "0B", value_parser = parse_size)]
    leak: u64,
    /// Kept from the start
    #[arg(long, value_name = "SIZE", default_value = "0B", value_parser = parse_size)]
    live: u64,
    /// Collector of the Java machine
    #[arg(long, value_name = "NAME", default_value = "g1")]
    collector: Collector,
    /// Threads that answer
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1000))]
    threads: u64,
    /// Further arguments of the Java machine, parted by blanks
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    java_options: String,
}

/// A collector of the Java machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Collector {
    Serial,
    Parallel,
    G1,
    Z,
}

impl Collector {
    fn switch(self) -> &'static str {
        match self {
            Self::Serial => "-XX:+UseSerialGC",
            Self::Parallel => "-XX:+UseParallelGC",
            Self::G1 => "-XX:+UseG1GC",
            Self::Z => "-XX:+UseZGC",
        }
    }
}

/// What a server of this kind is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// TCP port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// Told by `/version`.
    pub nonce: String,
    /// The server ends by itself after so many nanoseconds.
    pub exit_after_ns: u64,
    /// Greatest size of the heap, bytes.
    pub heap: u64,
    /// Size of the heap at the start, bytes.
    pub initial: u64,
    /// Garbage for each request, bytes.
    pub garbage: u64,
    /// Kept of each request for ever, bytes.
    pub leak: u64,
    /// Kept from the start, bytes.
    pub live: u64,
    /// Threads that answer.
    pub threads: u64,
    /// The switch of the collector.
    pub collector: &'static str,
    /// Further arguments of the Java machine.
    pub java_options: Vec<String>,
}

/// Least heap that a Java machine starts with, bytes.
const HEAP_LEAST: u64 = 8 << 20;
/// A heap larger than this is not a test, bytes.
const HEAP_MOST: u64 = 64 << 30;

impl Flags {
    /// What the server is started with.
    ///
    /// # Errors
    /// Flags that cannot be, in words.
    pub fn options(&self) -> Result<Options, String> {
        let nonce = self.process.nonce()?;
        if nonce.contains('\0') {
            return Err("the nonce has a zero byte".to_owned());
        }
        if !(HEAP_LEAST..=HEAP_MOST).contains(&self.heap) {
            return Err("`--heap` lies outside `8MiB` to `64GiB`".to_owned());
        }
        let initial = self.initial.unwrap_or(self.heap);
        if initial > self.heap {
            return Err("`--initial` is greater than `--heap`".to_owned());
        }
        Ok(Options {
            port: self.process.port,
            nonce,
            exit_after_ns: self.process.exit_after_ns,
            heap: self.heap,
            initial,
            garbage: self.garbage,
            leak: self.leak,
            live: self.live,
            threads: self.threads,
            collector: self.collector.switch(),
            java_options: self.java_options.split_ascii_whitespace().map(str::to_owned).collect(),
        })
    }
}

impl Options {
    /// Arguments of the Java machine, before its class.
    pub fn machine(&self) -> Vec<String> {
        let mut arguments = vec![
            format!("-Xmx{}", self.heap),
            format!("-Xms{}", self.initial),
            self.collector.to_owned(),
            // Answers are small: none may wait for the acknowledgment of the one before.
            "-Dsun.net.httpserver.nodelay=true".to_owned(),
            // Held connections stay, as many as a load has users.
            "-Dsun.net.httpserver.maxIdleConnections=10000".to_owned(),
        ];
        arguments.extend(self.java_options.iter().cloned());
        arguments
    }

    /// Arguments of the server itself, in the order in which it reads them.
    pub fn server(&self) -> Vec<String> {
        let numbers = [u64::from(self.port), self.garbage, self.leak, self.live, self.threads];
        let mut arguments: Vec<String> = numbers.iter().map(u64::to_string).collect();
        arguments.extend([env!("CARGO_PKG_VERSION").to_owned(), std::process::id().to_string(), self.nonce.clone()]);
        arguments
    }
}

/// Reads a size such as `64MiB`, `200kB` or `0B` into bytes.
///
/// # Errors
/// Says in words what was found and what is possible.
pub fn parse_size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 7] = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("B", 1.0),
    ];
    let unit = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let plain = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match unit.and_then(|(number, factor)| Some((number.parse::<f64>().ok().filter(|_| plain(number))?, factor))) {
        Some((number, factor)) if number * factor <= 1e12 => Ok((number * factor).round() as u64),
        Some(_) => Err(format!("the size `{text}` is greater than `1000GB`")),
        None => Err(format!("`{text}` is not a size; write a number and a unit, such as `64MiB`, `200kB` or `0B`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, clap::Error> {
        let words = ["target-jvm"].into_iter().chain(line.split_ascii_whitespace());
        target_common::flags::read(words, Flags::options)
    }

    #[test]
    fn what_is_asked_for_reaches_the_machine() {
        let options = read(
            "--heap 64MB --garbage 200kB --leak 1kB --port 8080 --collector serial --nonce n --java-options -Xss1m",
        )
        .unwrap();
        let machine = options.machine();
        assert_eq!(machine[..3], ["-Xmx64000000", "-Xms64000000", "-XX:+UseSerialGC"]);
        assert_eq!(machine.last().map(String::as_str), Some("-Xss1m"));
        let server = options.server();
        assert_eq!(server[..5], ["8080", "200000", "1000", "0", "8"]);
        assert_eq!(server[7], "n");
        assert_eq!(read("").unwrap().collector, "-XX:+UseG1GC");
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        for (line, why) in [
            ("--heap 64", "write a number and a unit"),
            ("--heap 1MB", "outside `8MiB` to `64GiB`"),
            ("--heap 16MB --initial 32MB", "`--initial` is greater"),
            ("--collector fast", "possible values: serial, parallel, g1, z"),
            ("--leak=-1kB", "is not a size"),
            ("--leak 9999999GB", "greater than"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.to_string().contains(why) && error.exit_code() == 2, "{line}: {error}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("64MiB"), Ok(67_108_864));
        assert_eq!((parse_size("1.5kB"), parse_size("0B")), (Ok(1500), Ok(0)));
        for wrong in ["", "MB", "1", "1e3kB", "infB", "1 kB", "1.2.3B", "5b"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
