//! One bounded HTTP GET, to ask for readiness and identity, over TLS or not.

use crate::address::Address;
use clock::Clock;
use extract::Headers;
use http_wire::{
    Call, Client, Expecting, Failed, Parser, ProxySettings, Shared, Stood, Target, TlsSettings, TlsTarget, Trouble,
    Why, in_words,
};
use rustls_pki_types::ServerName;
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::net::ToSocketAddrs;
use terms::{Nanos, Outcome};

/// Bytes of an answer's body that are read at most. An identity is a small JSON object or a page.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// This much is shown of what is not an answer.
const SHOWN_BYTES: usize = 60;

/// Time for one question, connecting included.
pub(crate) const PATIENCE: Nanos = Nanos::from_secs(2);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Status, 100 to 999.
    pub(crate) status: u16,
    /// Body, chunks joined.
    pub(crate) body: Vec<u8>,
    /// The header that was asked for.
    pub(crate) header: Option<Vec<u8>>,
    /// SHA-256 of the certificate.
    pub(crate) fingerprint: Option<[u8; 32]>,
}

impl Answer {
    /// Whether the status is 2xx.
    pub(crate) fn is_success(&self) -> bool {
        self.status / 100 == 2
    }
}

/// Who asks: what is trusted, made ready with the first question over TLS.
#[derive(Debug, Default)]
pub(crate) struct Asker {
    settings: TlsSettings,
    /// By way of which proxy; it finds the host then, whose name may be unknown here.
    proxy: Option<ProxySettings>,
    /// A header that is looked at.
    header: Option<String>,
    config: OnceCell<Result<TlsTarget, String>>,
}

impl Asker {
    pub(crate) fn new(settings: TlsSettings, proxy: Option<ProxySettings>, header: Option<String>) -> Self {
        Self { settings, proxy, header, config: OnceCell::new() }
    }

    /// Asks once, on a connection of its own, following nothing and retrying nothing.
    ///
    /// # Errors
    /// One sentence: refused, no answer within [`PATIENCE`], too long, not trusted, or no HTTP.
    pub(crate) fn get(&self, address: &Address, clock: &Clock) -> Result<Answer, String> {
        let until = clock.now() + PATIENCE;
        let tls = if address.is_tls { Some(self.tls(&address.host)?) } else { None };
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/plain;q=0.9, */*;q=0.8\r\n\
             User-Agent: loadproof\r\nConnection: close\r\n\r\n",
            address.path,
            address.authority()
        );
        let expecting = Expecting { keep: BODY_BYTES_MAX, keeps_head: self.header.is_some(), ..Expecting::default() };
        let call = Call { target: 0, request: request.as_bytes(), http2: None, expecting, reuse: false, retry: false };
        let near = self.proxy.as_ref().map_or((address.host.as_str(), address.port), ProxySettings::place);
        let mut failure = format!("the host `{}` has no address", near.0);
        let found = near.to_socket_addrs().map_err(|error| format!("the host `{}` is not known: {error}", near.0))?;
        for place in found {
            let target = Target::at(place, tls.clone());
            let target = match &self.proxy {
                Some(proxy) => target.by_way_of(proxy, &address.host, address.port),
                None => target,
            };
            let mut client = Client::new(Shared::new(vec![target]), 0);
            let mut answer = Answer::default();
            let mut look = |parser: &Parser, certificate: Option<&[u8]>| {
                let header = self.header.as_deref().and_then(|name| parser.head().header(name).map(<[u8]>::to_vec));
                let fingerprint = certificate.map(|certificate| Sha256::digest(certificate).into());
                answer = Answer { status: parser.status(), body: parser.body().to_vec(), header, fingerprint };
            };
            match client.carry_out_and(&call, until, BODY_BYTES_MAX as u64, clock, &mut look) {
                Ok(()) => return Ok(answer),
                // There was no connection: another address of the same host may have one.
                Err(failed) if failed.stood == Some(Stood::Nowhere) => failure = explain(&failed),
                Err(failed) => return Err(explain(&failed)),
            }
        }
        Err(failure)
    }

    fn tls(&self, host: &str) -> Result<TlsTarget, String> {
        let made = || {
            let config = self.settings.client_config(b"http/1.1").map_err(|failure| failure.0)?;
            let name = self.settings.server_name.clone();
            Ok(TlsTarget { config, name: name.map_or_else(|| name_of(host), Ok)? })
        };
        let mut target = self.config.get_or_init(made).clone()?;
        if self.settings.server_name.is_none() {
            // One instance may be asked at two addresses.
            target.name = name_of(host)?;
        }
        Ok(target)
    }
}

fn name_of(host: &str) -> Result<ServerName<'static>, String> {
    ServerName::try_from(host.to_owned()).map_err(|_| format!("`{host}` can be in no certificate"))
}

/// In the words of who waits for an instance.
fn explain(failed: &Failed) -> String {
    match &failed.why {
        Why::Trouble(Trouble::Io(error)) => format!("no connection: {error}"),
        Why::Trouble(Trouble::Proxy(said)) => said.clone(),
        Why::Trouble(Trouble::Tls(error)) => format!("TLS: {}", in_words(error)),
        Why::Closed if failed.outcome == Outcome::Reset => "it closed the connection without an answer".to_owned(),
        Why::Closed => "the answer broke off".to_owned(),
        Why::SpeaksTls => "it speaks TLS: write `https://` in `url`, or `tls: { ca: FILE }` beside `start`".to_owned(),
        Why::Malformed(why, bytes) => {
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_BYTES)]);
            format!("the answer is not HTTP: {}: `{}`", why.0, crate::log::printable(&start))
        }
        Why::Late => format!("no whole answer within {PATIENCE}"),
        Why::TooLong => format!("the answer is longer than {BODY_BYTES_MAX} bytes"),
        Why::Disagreed(said) | Why::Http2(said) => said.clone(),
        // Elsewhere it is followed by how far the exchange had come.
        Why::Said(said) => said.trim_end_matches([':', ' ']).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    /// Asks a server that does this with its one connection.
    fn ask(serve: impl FnOnce(TcpStream) + Send + 'static) -> Result<Answer, String> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let server = std::thread::spawn(move || serve(listener.accept().unwrap().0));
        let seen = Asker::default().get(&address, &Clock::system());
        server.join().unwrap();
        seen
    }

    fn answering(answer: &'static [u8]) -> Result<Answer, String> {
        ask(move |mut stream| {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(answer);
        })
    }

    #[test]
    fn bodies_by_length_by_chunks_and_to_the_end() {
        for (answer, status, body) in [
            (&b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokmore"[..], 200, "ok"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1;x=y\r\n!\r\n0\r\n\r\n", 200, "ok!"),
            (b"HTTP/1.0 503 Busy\r\n\r\nlater", 503, "later"),
            (b"HTTP/1.1 204 \r\n\r\n", 204, ""),
        ] {
            assert_eq!(answering(answer), Ok(Answer { status, body: body.as_bytes().to_vec(), ..Answer::default() }));
        }
    }

    #[test]
    fn what_is_no_answer_is_said() {
        for (answer, part) in [
            (&b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok"[..], "broke off"),
            (b"", "without an answer"),
            (b"SSH-2.0-OpenSSH\r\n\r\n", "not HTTP: it does not begin with `HTTP/1.`: `SSH-2.0-OpenSSH"),
            (b"\x15\x03\x01\x00\x02\x02\x46", "it speaks TLS"),
        ] {
            let why = answering(answer).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let address = Address::parse(&format!("http://{nobody}/")).unwrap();
        assert!(Asker::default().get(&address, &Clock::system()).unwrap_err().contains("no connection"));
    }

    #[test]
    fn an_answer_without_end_is_cut_off() {
        for (endless, part) in [
            (&b"HTTP/1.1 200 OK\r\n\r\n"[..], "longer than 65536 bytes"),
            (b"HTTP/1.1 200 OK\r\nA: ", "not HTTP: its head does not end within 64 KiB"),
            (b"HTTP/1.1 100 Continue\r\n\r\n", "not HTTP: more than 16 interim answers"),
        ] {
            let seen = ask(move |mut stream| {
                let block = if endless.ends_with(b"ue\r\n\r\n") { endless.repeat(50) } else { vec![b'x'; 4096] };
                let _ = stream.write_all(endless);
                while stream.write_all(&block).is_ok() {}
            });
            let why = seen.unwrap_err();
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn who_never_answers_or_only_in_crumbs_is_given_up() {
        let silent = ask(|mut stream| while stream.read(&mut [0; 1024]).is_ok_and(|count| count > 0) {});
        assert_eq!(silent, Err("no whole answer within 2s".to_owned()));
        let crumbs = ask(|mut stream| {
            let clock = Clock::system();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
            while stream.write_all(b"x").is_ok() {
                clock.sleep_until(clock.now() + Nanos::from_millis(100));
            }
        });
        assert_eq!(crumbs, Err("no whole answer within 2s".to_owned()));
    }

    #[test]
    fn nobody_is_led_elsewhere() {
        let seen = answering(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(seen.map(|answer| answer.is_success()), Ok(false));
    }
}
