//! One request to a receiver: bounded in time and size, nothing followed.
//!
//! By `http-wire`, the one client of HTTP: what an answer may be, and what is reported about one that failed, is known there.

use crate::address::{Format, Push};
use crate::otlp;
use clock::Clock;
use extract::Headers;
use http_wire::{
    Call, Client, Expecting, Failed, Parser, Remedies, Shared, Stood, Target, TlsSettings, TlsTarget, Trouble, Why,
    in_words_with,
};
use rustls_pki_types::ServerName;
use scrub::KeptOut;
use std::net::{SocketAddr, ToSocketAddrs};
use terms::Nanos;

/// Time for one request, connecting included. Receivers answer in milliseconds; one that takes longer than this falls behind
/// by five seconds with each.
pub(crate) const PATIENCE: Nanos = Nanos::from_secs(5);
/// Longest answer. Receivers say nothing, or a sentence.
const ANSWER_MAX: usize = 64 * 1024;
/// Signs of a refusal that are shown.
pub(crate) const SHOWN_MAX: usize = 160;
/// Longest wait that a receiver may ask for.
pub(crate) const WAIT_MAX: Nanos = Nanos::from_secs(30);
/// Addresses of a host that are tried.
const ADDRESSES_MAX: usize = 8;
/// What to write where a receiver is not trusted.
const REMEDIES: Remedies = Remedies {
    unknown: "write `#ca=FILE` behind the address, with its authority's certificate, or with the server's own if it signed \
              itself",
    authority: "write `#ca=FILE` behind the address, with that very certificate",
    name: "write a name that is in its certificate in the address",
    identity: "exports have no certificate to show",
    refused: "exports have none to show",
    plain: "write `+http://` instead of `+https://`, or the port on which it does",
};

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Posted {
    /// Taken, but for so many points, for a reason.
    Taken(Option<(u64, String)>),
    /// Not taken now; at the earliest after so long, where the receiver says so.
    NotNow(String, Option<Nanos>),
    /// Not taken, and it would not be a second time.
    Refused(String),
}

/// Sends to one receiver, over one connection as long as that lasts.
pub(crate) struct Poster {
    push: Push,
    kept_out: KeptOut,
    clock: Clock,
    tls: Option<Result<TlsTarget, String>>,
    client: Option<Client>,
}

impl Poster {
    pub(crate) fn new(push: Push, kept_out: KeptOut, clock: Clock) -> Self {
        Self { push, kept_out, clock, tls: None, client: None }
    }

    /// Sends a body, until a moment at most.
    pub(crate) fn post(&mut self, body: &[u8], until: Nanos) -> Posted {
        let until = until.min(self.clock.now() + PATIENCE);
        let mut request = self.head(body.len()).into_bytes();
        request.extend_from_slice(body);
        match self.answered(&request, until) {
            Ok(answer) => self.judged(&answer),
            Err(why) => {
                self.client = None;
                Posted::NotNow(self.cut(&why), None)
            }
        }
    }

    fn head(&self, length: usize) -> String {
        let Push { format, authority, target, token, .. } = &self.push;
        let own = match format {
            Format::Otlp => "Content-Type: application/x-protobuf\r\n",
            Format::RemoteWrite => {
                "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\nX-Prometheus-Remote-Write-Version: 0.1.0\r\n"
            }
            Format::Influx => "Content-Type: text/plain; charset=utf-8\r\n",
        };
        let scheme = if *format == Format::Influx { "Token" } else { "Bearer" };
        let token = token.as_ref().map(|token| format!("Authorization: {scheme} {}\r\n", token.0)).unwrap_or_default();
        format!(
            "POST {target} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: loadproof/{}\r\nAccept: */*\r\n{own}{token}Content-Length: {length}\r\n\r\n",
            env!("CARGO_PKG_VERSION")
        )
    }

    fn answered(&mut self, request: &[u8], until: Nanos) -> Result<Answer, String> {
        if let Some(client) = &mut self.client {
            return carried_out(client, request, until, &self.clock).map_err(|failed| explain(&failed));
        }
        let tls = self.tls()?;
        let mut failure = "its host has no address".to_owned();
        for address in self.addresses()? {
            let mut client = Client::new(Shared::new(vec![Target::at(address, tls.clone())]), 0);
            match carried_out(&mut client, request, until, &self.clock) {
                Ok(answer) => {
                    self.client = Some(client);
                    return Ok(answer);
                }
                // There was no connection: another address of the same host may have one.
                Err(failed) if failed.stood == Some(Stood::Nowhere) => failure = explain(&failed),
                Err(failed) => return Err(explain(&failed)),
            }
        }
        Err(failure)
    }

    fn addresses(&self) -> Result<Vec<SocketAddr>, String> {
        let found = (self.push.host.as_str(), self.push.port).to_socket_addrs();
        let found = found.map_err(|error| format!("its host is not known: {error}"))?;
        Ok(found.take(ADDRESSES_MAX).collect())
    }

    /// Made with the first request: the certificates of the system are many.
    fn tls(&mut self) -> Result<Option<TlsTarget>, String> {
        if !self.push.is_tls {
            return Ok(None);
        }
        let host = &self.push.host;
        let made = || {
            let settings = TlsSettings { ca: self.push.ca.clone(), ..TlsSettings::default() };
            let config = settings.client_config(b"http/1.1").map_err(|failure| failure.0)?;
            let name = ServerName::try_from(host.clone()).map_err(|_| format!("`{host}` can be in no certificate"))?;
            Ok(TlsTarget { config, name })
        };
        self.tls.get_or_insert_with(made).clone().map(Some)
    }

    pub(crate) fn judged(&self, answer: &Answer) -> Posted {
        let status = answer.status;
        let said = || {
            let text = self.shown(&String::from_utf8_lossy(&answer.body));
            if text.is_empty() { format!("answers {status}") } else { format!("answers {status}: {text}") }
        };
        match status {
            200..300 => self.taken(answer),
            300..400 => {
                let what = format!(
                    "answers {status}: nothing is sent on to where it points; write the address of the receiver itself"
                );
                Posted::Refused(what)
            }
            429 | 502..=504 => Posted::NotNow(said(), answer.wait()),
            // OTLP has any other error of the server as final, remote write none.
            500..600 if self.push.format != Format::Otlp => Posted::NotNow(said(), answer.wait()),
            _ => Posted::Refused(said()),
        }
    }

    fn taken(&self, answer: &Answer) -> Posted {
        let is_page = answer.body.trim_ascii_start().starts_with(b"<");
        if is_page {
            let what = format!("answers {} with a page: something else is at this address", answer.status);
            return Posted::Refused(what);
        }
        // Some receivers answer in JSON whatever they were asked in.
        if self.push.format != Format::Otlp || answer.body.trim_ascii_start().starts_with(b"{") {
            return Posted::Taken(None);
        }
        match otlp::refused(&answer.body) {
            Ok(refused) => Posted::Taken(refused.map(|(count, why)| (count, self.shown(&why)))),
            Err(()) => {
                Posted::Refused(format!("answers {} with something that is not an OTLP response", answer.status))
            }
        }
    }

    /// The beginning of what a receiver says, in one line; what is secret goes before it is shortened.
    fn shown(&self, text: &str) -> String {
        let text = self.cut(text);
        let signs = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign });
        let text: String = signs.take(SHOWN_MAX).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// A text of the receiver without what is secret, which it may have sent back.
    fn cut(&self, text: &str) -> String {
        let token = self.push.token.as_ref().map(|token| token.0.as_bytes());
        self.kept_out.cut_with(text, token.as_slice()).into_owned()
    }
}

/// What a receiver answers, as far as it is looked at.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// The header of that name.
    pub(crate) retry_after: Option<Vec<u8>>,
}

impl Answer {
    /// How long it asks to be left alone, where it says so in seconds.
    fn wait(&self) -> Option<Nanos> {
        let text = std::str::from_utf8(self.retry_after.as_deref()?).ok()?;
        let seconds: i64 = text.trim().parse().ok().filter(|seconds| *seconds >= 0)?;
        Some(Nanos::from_secs(seconds).min(WAIT_MAX))
    }
}

fn carried_out(client: &mut Client, request: &[u8], until: Nanos, clock: &Clock) -> Result<Answer, Failed> {
    let expecting = Expecting { keep: ANSWER_MAX, keeps_head: true, ..Expecting::default() };
    // What was sent twice counts once, since counts are totals.
    let call = Call { target: 0, request, http2: None, expecting, reuse: true, retry: true };
    let mut answer = Answer { status: 0, body: Vec::new(), retry_after: None };
    let mut look = |parser: &Parser, _: Option<&[u8]>| {
        let retry_after = parser.head().header("retry-after").map(<[u8]>::to_vec);
        answer = Answer { status: parser.status(), body: parser.body().to_vec(), retry_after };
    };
    client.carry_out_and(&call, until, ANSWER_MAX as u64, clock, &mut look)?;
    Ok(answer)
}

fn explain(failed: &Failed) -> String {
    match &failed.why {
        Why::Trouble(Trouble::Io(error)) => error.to_string(),
        Why::Trouble(Trouble::Proxy(said)) => said.clone(),
        Why::Trouble(Trouble::Tls(error)) => format!("TLS: {}", in_words_with(error, &REMEDIES)),
        Why::Closed => "closed the connection before the end of an answer".to_owned(),
        Why::SpeaksTls => "speaks TLS: write `https`".to_owned(),
        Why::Malformed(why, _) => format!("does not answer in HTTP: {}", why.0),
        Why::Late => "does not answer in time".to_owned(),
        Why::TooLong => format!("answers with more than {ANSWER_MAX} bytes"),
        Why::Disagreed(said) | Why::Http2(said) | Why::Said(said) => said.trim_end_matches([':', ' ']).to_owned(),
    }
}
