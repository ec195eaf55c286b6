//! Fetching a page: one GET, bounded in time and size, nothing followed, nothing sent again.

use crate::config::Address;
use clock::Clock;
use http_wire::{
    Call, Client, Expecting, Failed, Parser, Shared, Stood, Target, TlsSettings, TlsTarget, Trouble, Why, in_words,
};
use rustls_pki_types::ServerName;
use std::net::{SocketAddr, ToSocketAddrs};
use terms::Nanos;

/// Longest page. Those of large services have some hundred kilobytes; one of a megabyte is a problem of its own.
pub(crate) const PAGE_MAX: usize = 8 * 1024 * 1024;

/// What is asked for: both formats, newest first.
const ACCEPT: &str = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

/// A page that is asked for again and again.
pub(crate) struct Page {
    pub(crate) address: Address,
    request: String,
    tls: Option<Result<TlsTarget, String>>,
    /// Where its host is; looked up again after a failure.
    found: Vec<SocketAddr>,
}

impl Page {
    pub(crate) fn new(address: Address, settings: &TlsSettings, bearer: Option<&str>) -> Self {
        let authorization = bearer.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nAccept: {ACCEPT}\r\nUser-Agent: loadproof\r\n{authorization}Connection: close\r\n\r\n",
            address.target, address.authority
        );
        let tls = address.is_tls.then(|| tls_of(&address.host, settings));
        Self { address, request, tls, found: Vec::new() }
    }

    /// As it is shown.
    pub(crate) fn shown(&self) -> String {
        let scheme = if self.address.is_tls { "https" } else { "http" };
        // What follows `?` may be a token.
        let path = self.address.target.split('?').next().unwrap_or_default();
        format!("{scheme}://{}{path}", self.address.authority)
    }

    /// Its text.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence that begins with the page.
    pub(crate) fn fetch(&mut self, until: Nanos, clock: &Clock) -> Result<String, String> {
        let fetched = self.once(until, clock);
        if fetched.is_err() {
            self.found.clear();
        }
        fetched
    }

    fn once(&mut self, until: Nanos, clock: &Clock) -> Result<String, String> {
        let tls = self.tls.clone().transpose()?;
        if self.found.is_empty() {
            let host = (self.address.host.as_str(), self.address.port);
            let found = host.to_socket_addrs().map_err(|error| format!("has an unknown host: {error}"))?;
            self.found = found.take(8).collect();
        }
        let expecting = Expecting { keep: PAGE_MAX, ..Expecting::default() };
        let call =
            Call { target: 0, request: self.request.as_bytes(), http2: None, expecting, reuse: false, retry: false };
        let mut failure = "has a host without an address".to_owned();
        for place in &self.found {
            let mut client = Client::new(Shared::new(vec![Target::at(*place, tls.clone())]), 0);
            let mut answer = (0, Vec::new());
            let mut look = |parser: &Parser, _: Option<&[u8]>| answer = (parser.status(), parser.body().to_vec());
            match client.carry_out_and(&call, until, PAGE_MAX as u64, clock, &mut look) {
                Ok(()) if answer.0 == 200 => {
                    return String::from_utf8(answer.1).map_err(|_| "is not UTF-8".to_owned());
                }
                Ok(()) => return Err(format!("answers with status {}", answer.0)),
                // There was no connection: another address of the same host may have one.
                Err(failed) if failed.stood == Some(Stood::Nowhere) => failure = explain(&failed),
                Err(failed) => return Err(explain(&failed)),
            }
        }
        Err(failure)
    }
}

fn tls_of(host: &str, settings: &TlsSettings) -> Result<TlsTarget, String> {
    let config = settings.client_config(b"http/1.1").map_err(|failure| failure.0)?;
    let name = match &settings.server_name {
        Some(name) => name.clone(),
        None => ServerName::try_from(host.to_owned())
            .map_err(|_| format!("has a host that can be in no certificate: `{host}`"))?,
    };
    Ok(TlsTarget { config, name })
}

fn explain(failed: &Failed) -> String {
    match &failed.why {
        Why::Trouble(Trouble::Io(error)) => format!("takes no connection: {error}"),
        Why::Trouble(Trouble::Proxy(said)) => said.clone(),
        Why::Trouble(Trouble::Tls(error)) => format!("is not trusted: {}", in_words(error)),
        Why::Closed => "closed the connection before its end".to_owned(),
        Why::SpeaksTls => "speaks TLS: write `https://`".to_owned(),
        Why::Malformed(why, _) => format!("does not answer in HTTP: {}", why.0),
        Why::Late => "did not come in time".to_owned(),
        Why::TooLong => format!("is longer than {PAGE_MAX} bytes"),
        Why::Disagreed(said) | Why::Http2(said) | Why::Said(said) => said.trim_end_matches([':', ' ']).to_owned(),
    }
}
