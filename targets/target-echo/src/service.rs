//! The echo as a [`Service`].

use std::sync::Arc;

use clap::Parser;
use target_common::request::Method;
use target_common::units::{WHOLE, parse_duration_ns, parse_share};
use target_common::{Answer, Arrival, Body, Ending, Plan, ServerFlags, ServerOptions, Service};

use crate::fates::{Fate, Fates};
use crate::tls::{self, TlsFlags};

/// The largest body that `--bytes` makes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What is answered to a request without a body, when `--bytes` is not given.
pub const DEFAULT_BODY: &[u8] = b"{\"ok\":true}\n";

/// Answers every request a constant time after its arrival, and fails on purpose where asked to
#[derive(Parser, Debug)]
#[command(name = "target-echo")]
pub struct Flags {
    #[command(flatten)]
    server: ServerFlags,
    /// From arrival to answer
    #[arg(long, value_name = "DURATION", default_value = "5ms", value_parser = parse_duration_ns)]
    service: u64,
    /// Status of right answers
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(200..=599))]
    status: u16,
    /// Length of the body [default: a small JSON text]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(0..=MAX_BYTES))]
    bytes: Option<u64>,
    /// Send bodies in chunks
    #[arg(long)]
    chunked: bool,
    /// Send `100 Continue` before each answer, at once
    #[arg(long = "continue")]
    sends_continue: bool,
    /// The same with another status, such as 103
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(100..=199))]
    interim: Option<u16>,
    /// End a connection after so many answers
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    close_every: Option<u64>,
    /// End it without `Connection: close`
    #[arg(long)]
    unannounced: bool,
    /// Requests answered with the error status
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = parse_share)]
    errors: u32,
    /// That status
    #[arg(long, value_name = "STATUS", default_value_t = 503, value_parser = clap::value_parser!(u16).range(400..=599))]
    error_status: u16,
    /// Requests answered by a reset of the connection
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = parse_share)]
    reset: u32,
    /// Requests answered with half the body, then the end
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = parse_share)]
    half: u32,
    /// Requests answered with a wrong body
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = parse_share)]
    wrong: u32,
    #[command(flatten)]
    tls: TlsFlags,
}

/// Answers after a constant time.
pub struct EchoService {
    /// Service time in nanoseconds.
    pub service_ns: u64,
    /// Status of right answers.
    pub status: u16,
    /// What fails.
    pub fates: Fates,
    /// Status of [`Fate::Error`].
    pub error_status: u16,
    /// Body of answers to requests without one.
    pub body: Arc<[u8]>,
    /// Whether bodies are sent in chunks.
    pub chunked: bool,
    /// Interim status before each answer.
    pub interim: Option<u16>,
    /// Ends a connection after so many answers; 0 for never.
    pub close_every: u64,
    /// Whether that is stated beforehand.
    pub announced: bool,
    errors: u64,
    wrongs: u64,
}

impl EchoService {
    fn content(&self, method: Method, body: Vec<u8>) -> Body {
        // `POST` gets back what it sent, however little; nothing would be no echo to check.
        if method == Method::Post && !body.is_empty() {
            Body::Owned(body)
        } else {
            Body::Shared(Arc::clone(&self.body))
        }
    }

    fn ending(&self, fate: Fate, on_connection: u64) -> Ending {
        match fate {
            Fate::Reset => Ending::Reset,
            Fate::Half => Ending::Half,
            _ if self.close_every == 0 || !on_connection.is_multiple_of(self.close_every) => Ending::KeepAlive,
            _ if self.announced => Ending::Close,
            _ => Ending::CloseUnannounced,
        }
    }
}

impl Service for EchoService {
    fn keeps_bodies(&self) -> bool {
        true
    }

    fn arrive(&mut self, arrival: Arrival<'_>) -> Plan {
        let fate = self.fates.of(arrival.number);
        let ending = self.ending(fate, arrival.on_connection);
        let content = self.content(arrival.head.method, arrival.body);
        let mut answer = match fate {
            Fate::Error => {
                self.errors += 1;
                Answer::new(self.error_status, "text/plain", Body::Owned(b"error on purpose\n".to_vec()))
            }
            Fate::Wrong => {
                self.wrongs += 1;
                Answer::new(self.status, "application/json", Body::Owned(spoil(&content)))
            }
            Fate::Right | Fate::Half | Fate::Reset => Answer::new(self.status, "application/json", content),
        };
        answer.chunked = self.chunked;
        answer.ending = ending;
        let due_ns = arrival.arrival_ns + self.service_ns;
        Plan { due_ns, service_ns: self.service_ns, interim: self.interim, answer }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("service_ns", self.service_ns), ("errors", self.errors), ("wrongs", self.wrongs)]
    }
}

/// A body of the same length in which every byte differs.
fn spoil(body: &Body) -> Vec<u8> {
    let bytes: &[u8] = match body {
        Body::Shared(bytes) => bytes,
        Body::Owned(bytes) => bytes,
        Body::Pages(_) => &[],
    };
    bytes.iter().map(|byte| if *byte == b'x' { b'y' } else { b'x' }).collect()
}

impl Flags {
    /// The service, and how its server runs: over TLS when the flags ask for it.
    ///
    /// # Errors
    /// Flags that cannot be, in words, or a certificate that cannot be used.
    pub fn server(&self) -> Result<(EchoService, ServerOptions), String> {
        let fates = Fates { errors: self.errors, resets: self.reset, halves: self.half, wrongs: self.wrong };
        if fates.sum() > WHOLE {
            return Err("`--errors`, `--reset`, `--half` and `--wrong` are together above `100%`".to_owned());
        }
        if self.interim == Some(101) {
            return Err("`--interim`: 101 would end HTTP on the connection; possible are 100 and 102 to 199".to_owned());
        }
        if matches!(self.status, 204 | 304) {
            return Err(format!("`--status`: {} allows no body, and this target always sends one", self.status));
        }
        let body = self.bytes.map_or(DEFAULT_BODY.to_vec(), |bytes| filler(bytes as usize));
        let service = EchoService {
            service_ns: self.service,
            status: self.status,
            fates,
            error_status: self.error_status,
            body: body.into(),
            chunked: self.chunked,
            interim: self.interim.or(self.sends_continue.then_some(100)),
            close_every: self.close_every.unwrap_or_default(),
            announced: !self.unannounced,
            errors: 0,
            wrongs: 0,
        };
        let mut options = self.server.options()?;
        if let Some(config) = self.tls.config()? {
            options.sessions = tls::sessions(config);
        }
        Ok((service, options))
    }
}

/// A body of `count` letters that repeat: `abc…zabc…`.
fn filler(count: usize) -> Vec<u8> {
    (b'a'..=b'z').cycle().take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spoilt_body_has_the_same_length_and_no_byte_in_place() {
        let spoilt = spoil(&Body::Owned(b"axyx".to_vec()));
        assert_eq!(spoilt, b"xyxy");
        assert_eq!(filler(28), b"abcdefghijklmnopqrstuvwxyzab");
    }
}
