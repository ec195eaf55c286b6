//! The command line.

use target_common::{Args, Flag};

/// Collectors, by the words of `--collector`, with the switch of each.
pub const COLLECTORS: &[(&str, &str)] =
    &[("serial", "-XX:+UseSerialGC"), ("parallel", "-XX:+UseParallelGC"), ("g1", "-XX:+UseG1GC"), ("z", "-XX:+UseZGC")];

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

/// What the command line takes.
pub const FLAGS: &[Flag] = &[
    Flag { name: "--port", value: "PORT", help: "port on 127.0.0.1; 0, as without, takes a free one" },
    Flag { name: "--heap", value: "SIZE", help: "greatest size of the heap, `-Xmx`; without, 64MiB" },
    Flag { name: "--initial", value: "SIZE", help: "size of the heap at the start, `-Xms`; without, that of `--heap`" },
    Flag { name: "--garbage", value: "SIZE", help: "garbage for each request; without, 200kB" },
    Flag { name: "--leak", value: "SIZE", help: "kept of each request for ever; without, 0B" },
    Flag { name: "--live", value: "SIZE", help: "kept from the start; without, 0B" },
    Flag { name: "--collector", value: "NAME", help: "`serial`, `parallel`, `g1`, as without, or `z`" },
    Flag { name: "--threads", value: "COUNT", help: "threads that answer; without, 8" },
    Flag { name: "--java-options", value: "TEXT", help: "further arguments of the Java machine, parted by blanks" },
    Flag { name: "--nonce", value: "TEXT", help: "told by `/version`; without, `LOADPROOF_NONCE`" },
    Flag { name: "--exit-after", value: "DURATION", help: "ends by itself after this time; without, 1h" },
];

/// Least heap that a Java machine starts with, bytes.
const HEAP_LEAST: u64 = 8 << 20;
/// A heap larger than this is no test, bytes.
const HEAP_MOST: u64 = 64 << 30;
/// Without `--exit-after`, nanoseconds.
const HOUR_NS: u64 = 3600 * target_common::units::SECOND_NS;

impl Options {
    /// Takes [`FLAGS`] out of `args`; mistakes stay there.
    pub fn from_args(args: &mut Args) -> Self {
        let nonce = args.text("--nonce").map(str::to_owned);
        let nonce = nonce.or_else(|| std::env::var("LOADPROOF_NONCE").ok()).unwrap_or_default();
        if nonce.len() > 256 || nonce.contains('\0') {
            args.mistake("the nonce is longer than 256 bytes, or has a zero byte".to_owned());
        }
        let heap = size(args, "--heap", 64 << 20);
        if !(HEAP_LEAST..=HEAP_MOST).contains(&heap) {
            args.mistake("`--heap` lies outside `8MiB` to `64GiB`".to_owned());
        }
        let initial = size(args, "--initial", heap);
        if initial > heap {
            args.mistake("`--initial` is greater than `--heap`".to_owned());
        }
        let names: Vec<&str> = COLLECTORS.iter().map(|(name, _)| *name).collect();
        let further = args.text("--java-options").unwrap_or_default();
        let java_options = further.split_ascii_whitespace().map(str::to_owned).collect();
        Self {
            port: u16::try_from(args.count("--port", 0, 0, u64::from(u16::MAX))).unwrap_or_default(),
            nonce,
            exit_after_ns: args.duration_ns("--exit-after", HOUR_NS),
            heap,
            initial,
            garbage: size(args, "--garbage", 200_000),
            leak: size(args, "--leak", 0),
            live: size(args, "--live", 0),
            threads: args.count("--threads", 8, 1, 1000),
            collector: COLLECTORS[args.choice("--collector", 2, &names)].1,
            java_options,
        }
    }

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

fn size(args: &mut Args, name: &str, absent: u64) -> u64 {
    match args.text(name).map(parse_size) {
        None => absent,
        Some(Ok(bytes)) => bytes,
        Some(Err(why)) => {
            args.mistake(format!("`{name}`: {why}"));
            absent
        }
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
        None => Err(format!("`{text}` is no size; write a number and a unit, such as `64MiB`, `200kB` or `0B`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Options, Result<(), target_common::args::Stop>) {
        let mut args = Args::parse("target-jvm", "", FLAGS, line.split_ascii_whitespace().map(str::to_owned));
        (Options::from_args(&mut args), args.finish("target-jvm"))
    }

    #[test]
    fn what_is_asked_for_reaches_the_machine() {
        let (options, done) = read(
            "--heap 64MB --garbage 200kB --leak 1kB --port 8080 --collector serial --nonce n --java-options -Xss1m",
        );
        assert_eq!(done, Ok(()));
        let machine = options.machine();
        assert_eq!(machine[..3], ["-Xmx64000000", "-Xms64000000", "-XX:+UseSerialGC"]);
        assert_eq!(machine.last().map(String::as_str), Some("-Xss1m"));
        let server = options.server();
        assert_eq!(server[..5], ["8080", "200000", "1000", "0", "8"]);
        assert_eq!(server[7], "n");
        assert_eq!(read("").0.collector, "-XX:+UseG1GC");
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        for (line, why) in [
            ("--heap 64", "write a number and a unit"),
            ("--heap 1MB", "outside `8MiB` to `64GiB`"),
            ("--heap 16MB --initial 32MB", "`--initial` is greater"),
            ("--collector fast", "possible are `serial`, `parallel`, `g1`, `z`"),
            ("--leak -1kB", "is no size"),
            ("--leak 9999999GB", "greater than"),
        ] {
            let stop = read(line).1.unwrap_err();
            assert!(stop.text.contains(why) && stop.code == 2, "{line}: {}", stop.text);
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
