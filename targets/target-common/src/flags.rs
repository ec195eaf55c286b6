//! The flags that all targets have, and the way from the command line to a running server.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser};

use crate::options::ServerOptions;
use crate::sequence::MAX_ENTRIES;
use crate::server::{Server, Service};
use crate::session::PlainSession;
use crate::units::parse_duration_ns;

/// Environment variable with the nonce.
const NONCE_VARIABLE: &str = "LOADPROOF_NONCE";
/// Longest nonce, in bytes: `/version` repeats it in every answer.
const NONCE_MAX: usize = 256;

/// Flags of every target: where it listens, who it is, when it ends.
#[derive(Args, Clone, Debug)]
pub struct ProcessFlags {
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Text that `/version` shows [default: $LOADPROOF_NONCE, else empty]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    nonce: Option<String>,
    /// End after this time
    #[arg(long = "exit-after", value_name = "DURATION", default_value = "1h", value_parser = parse_duration_ns)]
    pub exit_after_ns: u64,
}

impl ProcessFlags {
    /// The nonce of flag or environment.
    ///
    /// # Errors
    /// It is too long.
    pub fn nonce(&self) -> Result<String, String> {
        let nonce = self.nonce.clone().or_else(|| std::env::var(NONCE_VARIABLE).ok()).unwrap_or_default();
        if nonce.len() > NONCE_MAX {
            return Err(format!("the nonce is longer than {NONCE_MAX} bytes"));
        }
        Ok(nonce)
    }
}

/// Flags of every target that is a [`Server`].
#[derive(Args, Clone, Debug)]
pub struct ServerFlags {
    #[command(flatten)]
    process: ProcessFlags,
    /// Poll this long before an answer is due; `targets/README.md` says what that buys and costs
    #[arg(long = "spin", value_name = "DURATION", default_value = "60us", value_parser = parse_duration_ns)]
    spin_ns: u64,
    /// Refuse a request that is not whole after this time
    #[arg(long = "request-timeout", value_name = "DURATION", default_value = "30s", value_parser = parse_duration_ns)]
    request_timeout_ns: u64,
    /// Requests kept for `/sequence`
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = MAX_ENTRIES as u64,
        value_parser = clap::value_parser!(u64).range(0..=MAX_ENTRIES as u64)
    )]
    sequence_limit: u64,
}

impl ServerFlags {
    /// The options of a server without TLS.
    ///
    /// # Errors
    /// A nonce that is too long.
    pub fn options(&self) -> Result<ServerOptions, String> {
        Ok(ServerOptions {
            port: self.process.port,
            nonce: self.process.nonce()?,
            exit_after_ns: self.process.exit_after_ns,
            spin_ns: self.spin_ns,
            request_timeout_ns: self.request_timeout_ns,
            sequence_limit: self.sequence_limit as usize,
            sessions: Box::new(|| Ok(Box::new(PlainSession))),
        })
    }
}

/// Reads `words`, the program's name first; what `build` refuses, such as flags that exclude each other, is a mistake of
/// the command line like any other.
///
/// # Errors
/// A mistake, or the help that was asked for; [`clap::Error::exit`] prints it and has the exit code.
pub fn read<F: Parser, T>(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    build: impl FnOnce(&F) -> Result<T, String>,
) -> Result<T, clap::Error> {
    let flags = F::try_parse_from(words)?;
    build(&flags).map_err(|why| F::command().error(ErrorKind::ValueValidation, why))
}

/// The main function of a target: flags, service, server, exit code. `build` makes service and options of the flags.
pub fn run<F: Parser, S: Service>(
    program: &'static str,
    build: impl FnOnce(&F) -> Result<(S, ServerOptions), String>,
) -> ExitCode {
    let (service, options) = read(std::env::args_os(), build).unwrap_or_else(|error| error.exit());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A target
    #[derive(Parser, Debug)]
    struct Flags {
        #[command(flatten)]
        server: ServerFlags,
    }

    fn options(words: &[&str]) -> Result<ServerOptions, clap::Error> {
        read(["target-x"].iter().chain(words), |flags: &Flags| flags.server.options())
    }

    #[test]
    fn flags_that_are_not_given_have_the_values_of_the_readme() {
        let options = options(&[]).unwrap();
        assert_eq!((options.port, options.spin_ns, options.sequence_limit), (0, 60_000, 2_000_000));
        assert_eq!((options.exit_after_ns, options.request_timeout_ns), (3_600_000_000_000, 30_000_000_000));
    }

    #[test]
    fn mistakes_have_code_2_and_help_has_0() {
        let long = "x".repeat(NONCE_MAX + 1);
        for (words, why) in [
            (&["--prot", "1"][..], "--port"),
            (&["--spin", "5"], "write for example `5ms`"),
            (&["--spin", "1s", "--spin", "1s"], "cannot be used multiple times"),
            (&["--sequence-limit", "2000001"], "2000001"),
            (&["--nonce", &long], "the nonce is longer than 256 bytes"),
        ] {
            let error = options(words).err().unwrap();
            assert!(error.to_string().contains(why) && error.exit_code() == 2, "{words:?}: {error}");
        }
        assert_eq!(options(&["--help"]).err().unwrap().exit_code(), 0);
        assert_eq!(options(&["--nonce=-n"]).unwrap().nonce, "-n");
    }
}
