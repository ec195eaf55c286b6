//! The flags that all targets have, and the way from the command line to a running server.

use std::process::ExitCode;

use crate::args::{Args, Flag, Stop};
use crate::sequence::MAX_ENTRIES;
use crate::server::{Server, Service};
use crate::session::{PlainSession, Session};
use crate::units::SECOND_NS;

/// Makes the session of a new connection; an error ends that connection only.
pub type Sessions = Box<dyn Fn() -> std::io::Result<Box<dyn Session>>>;

/// How a [`Server`] runs, apart from its service.
pub struct ServerOptions {
    /// TCP port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// Told by `/version`, so that a run can check that it meets the target it started.
    pub nonce: String,
    /// The server ends by itself after so many nanoseconds.
    pub exit_after_ns: u64,
    /// The server polls instead of sleeping for so many nanoseconds before an answer is due.
    pub spin_ns: u64,
    /// A request that is not whole after so many nanoseconds is refused with 408.
    pub request_timeout_ns: u64,
    /// Requests kept for `/sequence`.
    pub sequence_limit: usize,
    /// What lies between socket and HTTP.
    pub sessions: Sessions,
}

/// Nanoseconds of polling before an answer is due, when `--spin` is not given: see `targets/README.md`
/// for what it buys and costs.
pub const DEFAULT_SPIN_NS: u64 = 60_000;

/// Environment variable with the nonce.
const NONCE_VARIABLE: &str = "LOADPROOF_NONCE";

/// The flags that every target understands besides its own.
pub const COMMON_FLAGS: &[Flag] = &[
    Flag { name: "--port", value: "PORT", help: "port on 127.0.0.1; 0, as without, takes a free one" },
    Flag { name: "--nonce", value: "TEXT", help: "told by `/version`; without, `LOADPROOF_NONCE`" },
    Flag { name: "--exit-after", value: "DURATION", help: "ends by itself after this time; without, 1h" },
    Flag { name: "--spin", value: "DURATION", help: "polls this long before an answer is due; without, 60us" },
    Flag { name: "--request-timeout", value: "DURATION", help: "refuses a request not whole by then; without, 30s" },
    Flag { name: "--sequence-limit", value: "COUNT", help: "requests kept for `/sequence`; without, 2000000" },
];

impl ServerOptions {
    /// Takes [`COMMON_FLAGS`] out of `args`; mistakes stay there.
    pub fn from_args(args: &mut Args) -> Self {
        let nonce = args.text("--nonce").map(str::to_owned);
        let nonce = nonce.or_else(|| std::env::var(NONCE_VARIABLE).ok()).unwrap_or_default();
        if nonce.len() > 256 {
            args.mistake("the nonce is longer than 256 bytes".to_owned());
        }
        ServerOptions {
            port: u16::try_from(args.count("--port", 0, 0, u64::from(u16::MAX))).unwrap_or_default(),
            nonce,
            exit_after_ns: args.duration_ns("--exit-after", 3600 * SECOND_NS),
            spin_ns: args.duration_ns("--spin", DEFAULT_SPIN_NS),
            request_timeout_ns: args.duration_ns("--request-timeout", 30 * SECOND_NS),
            sequence_limit: args.count("--sequence-limit", MAX_ENTRIES as u64, 0, MAX_ENTRIES as u64) as usize,
            sessions: Box::new(|| Ok(Box::new(PlainSession))),
        }
    }
}

/// The main function of a target: flags, service, server, exit code.
///
/// `flags` are the target's own; `build` turns them into its service and may change the options (the sessions).
pub fn run<S: Service>(
    program: &'static str,
    about: &str,
    flags: &[Flag],
    build: impl FnOnce(&mut Args, &mut ServerOptions) -> S,
) -> ExitCode {
    let known = [flags, COMMON_FLAGS].concat();
    let mut args = Args::parse(program, about, &known, std::env::args().skip(1));
    let mut options = ServerOptions::from_args(&mut args);
    let service = build(&mut args, &mut options);
    if let Err(Stop { text, code }) = args.finish(program) {
        if code == 0 {
            print!("{text}");
        } else {
            eprint!("{text}");
        }
        return ExitCode::from(code);
    }
    let served = Server::bind(program, service, options).and_then(|server| {
        // Tests read this line to learn the port; standard output flushes at its end.
        println!("listening on {}", server.address());
        server.run()
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(4)
        }
    }
}
