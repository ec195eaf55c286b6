//! The echo as a [`Service`].

use std::sync::Arc;

use target_common::request::Method;
use target_common::{Answer, Args, Arrival, Body, Ending, Flag, Plan, ServerOptions, Service};

use crate::fates::{Fate, Fates};
use crate::tls;

/// The largest body that `--bytes` makes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What is answered to a request without a body, when `--bytes` is not given.
pub const DEFAULT_BODY: &[u8] = b"{\"ok\":true}\n";

/// Flags of this target, besides the common ones.
pub const fn flags() -> &'static [Flag] {
    &[
        Flag { name: "--service", value: "DURATION", help: "from arrival to answer; without, 5ms" },
        Flag { name: "--status", value: "STATUS", help: "status of right answers; without, 200" },
        Flag { name: "--bytes", value: "COUNT", help: "length of the body; without, a small JSON text" },
        Flag { name: "--chunked", value: "", help: "sends bodies in chunks" },
        Flag { name: "--continue", value: "", help: "sends `100 Continue` before each answer, at once" },
        Flag { name: "--interim", value: "STATUS", help: "the same with another status, such as 103" },
        Flag { name: "--close-every", value: "COUNT", help: "ends a connection after so many answers" },
        Flag { name: "--unannounced", value: "", help: "ends it without `Connection: close`" },
        Flag { name: "--errors", value: "SHARE", help: "requests answered with the error status" },
        Flag { name: "--error-status", value: "STATUS", help: "that status; without, 503" },
        Flag { name: "--reset", value: "SHARE", help: "requests answered by a reset of the connection" },
        Flag { name: "--half", value: "SHARE", help: "requests answered with half the body, then the end" },
        Flag { name: "--wrong", value: "SHARE", help: "requests answered with a wrong body" },
        Flag { name: "--tls-cert", value: "FILE", help: "serves TLS with this certificate chain (PEM)" },
        Flag { name: "--tls-key", value: "FILE", help: "and this private key (PEM)" },
        Flag { name: "--tls-self-signed", value: "FILE", help: "serves TLS; writes the CA to trust to FILE (PEM)" },
    ]
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
    /// Whether that is said beforehand.
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

/// Reads the flags, and puts TLS sessions into `options` when they ask for it; mistakes are left in `args`.
pub fn from_args(args: &mut Args, options: &mut ServerOptions) -> EchoService {
    let fates = Fates {
        errors: args.share("--errors"),
        resets: args.share("--reset"),
        halves: args.share("--half"),
        wrongs: args.share("--wrong"),
    };
    if fates.sum() > target_common::units::WHOLE {
        args.mistake("`--errors`, `--reset`, `--half` and `--wrong` are together above `100%`".to_owned());
    }
    let bytes = args.count("--bytes", 0, 0, MAX_BYTES) as usize;
    let body = if args.has("--bytes") { filler(bytes) } else { DEFAULT_BODY.to_vec() };
    let status = |args: &mut Args, name, absent, least, most| args.count(name, absent, least, most) as u16;
    let interim = status(args, "--interim", 100, 100, 199);
    if interim == 101 {
        args.mistake("`--interim`: 101 would end HTTP on the connection; possible are 100 and 102 to 199".to_owned());
    }
    let service = EchoService {
        service_ns: args.duration_ns("--service", 5_000_000),
        status: status(args, "--status", 200, 200, 599),
        fates,
        error_status: status(args, "--error-status", 503, 400, 599),
        body: body.into(),
        chunked: args.has("--chunked"),
        interim: (args.has("--continue") || args.has("--interim")).then_some(interim),
        close_every: args.count("--close-every", 0, 1, u64::MAX),
        announced: !args.has("--unannounced"),
        errors: 0,
        wrongs: 0,
    };
    if matches!(service.status, 204 | 304) {
        args.mistake(format!("`--status`: {} allows no body, and this target always sends one", service.status));
    }
    match tls::from_args(args) {
        Ok(Some(config)) => options.sessions = tls::sessions(config),
        Ok(None) => {}
        Err(why) => args.mistake(why),
    }
    service
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
