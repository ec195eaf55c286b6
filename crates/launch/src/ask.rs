//! One bounded HTTP GET, to ask for readiness and identity, over TLS or not.

use crate::address::Address;
use clock::Clock;
use http_wire::{AtEnd, Connection, Expecting, Parser, Received, TlsSettings, TlsTarget, Trouble, in_words};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls_pki_types::ServerName;
use std::cell::OnceCell;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::AsFd;
use terms::Nanos;

/// Bytes of an answer's body that are read at most. An identity is a small JSON object or a page.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// Time for one question, connecting included.
pub(crate) const PATIENCE: Nanos = Nanos::from_secs(2);

/// The beginning of an alert of TLS, which is how a server that speaks it answers one who does not.
const ALERT: [u8; 2] = [0x15, 0x03];

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Status, 100 to 999.
    pub(crate) status: u16,
    /// Body, chunks joined.
    pub(crate) body: Vec<u8>,
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
    config: OnceCell<Result<TlsTarget, String>>,
}

impl Asker {
    pub(crate) fn new(settings: TlsSettings) -> Self {
        Self { settings, config: OnceCell::new() }
    }

    /// Asks once, on a connection of its own, following nothing and retrying nothing.
    ///
    /// # Errors
    /// One sentence: refused, no answer within [`PATIENCE`], too long, not trusted, or no HTTP.
    pub(crate) fn get(&self, address: &Address, clock: &Clock) -> Result<Answer, String> {
        let until = clock.now() + PATIENCE;
        let tls = if address.is_tls { Some(self.tls(&address.host)?) } else { None };
        let mut failure = format!("the host `{}` has no address", address.host);
        let found = (address.host.as_str(), address.port)
            .to_socket_addrs()
            .map_err(|error| format!("the host `{}` is not known: {error}", address.host))?;
        for place in found {
            match Question::new(address, place, tls.as_ref(), until)?.answer(clock) {
                Ok(answer) => return Ok(answer),
                Err(Failed::Unreached(why)) => failure = why,
                Err(Failed::Finally(why)) => return Err(why),
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

enum Failed {
    /// There was no connection: another address of the same host may have one.
    Unreached(String),
    Finally(String),
}

/// One question at one address.
struct Question {
    connection: Connection,
    parser: Parser,
    request: String,
    until: Nanos,
}

impl Question {
    fn new(address: &Address, place: SocketAddr, tls: Option<&TlsTarget>, until: Nanos) -> Result<Self, String> {
        let connection = Connection::connect(place, tls, None).map_err(|trouble| told(&trouble))?;
        let mut parser = Parser::new();
        // One byte more than may come, so that one too many is seen.
        parser.begin(Expecting { keep: BODY_BYTES_MAX + 1, ..Expecting::default() });
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/plain;q=0.9, */*;q=0.8\r\n\
             User-Agent: loadproof\r\nConnection: close\r\n\r\n",
            address.path,
            address.authority()
        );
        Ok(Self { connection, parser, request, until })
    }

    fn answer(mut self, clock: &Clock) -> Result<Answer, Failed> {
        let mut written = 0;
        let mut buffer = [0; 4096];
        loop {
            let is_sent = match self.connection.send(self.request.as_bytes(), &mut written) {
                Ok(is_sent) => is_sent,
                Err(trouble) if self.connection.is_open() => return Err(Failed::Finally(told(&trouble))),
                Err(trouble) => return Err(Failed::Unreached(told(&trouble))),
            };
            while self.connection.is_open() {
                match self.connection.receive(&mut buffer) {
                    Ok(Received::Nothing) => break,
                    Ok(Received::Bytes(count)) => {
                        if let Some(answer) = self.take(&buffer[..count]).map_err(Failed::Finally)? {
                            return Ok(answer);
                        }
                    }
                    Ok(Received::End { .. }) if self.parser.at_end() == AtEnd::Complete => return Ok(self.whole()),
                    Ok(Received::End { .. }) => {
                        return Err(Failed::Finally(match self.parser.at_end() {
                            AtEnd::NothingCame => "it closed the connection without an answer".to_owned(),
                            _ => "the answer broke off".to_owned(),
                        }));
                    }
                    Err(trouble) => return Err(Failed::Finally(told(&trouble))),
                }
            }
            self.wait(is_sent, clock)?;
        }
    }

    /// Takes what came. The answer, once it is whole.
    fn take(&mut self, bytes: &[u8]) -> Result<Option<Answer>, String> {
        let has_begun = self.parser.has_begun();
        if let Err(why) = self.parser.feed(bytes) {
            if !has_begun && bytes.starts_with(&ALERT) {
                return Err(
                    "it speaks TLS: write `https://` in `url`, or `tls: { ca: FILE }` beside `start`".to_owned()
                );
            }
            let start: Vec<u8> = bytes.iter().copied().take(60).collect();
            let start = crate::log::printable(&String::from_utf8_lossy(&start));
            return Err(format!("the answer is not HTTP: {}: `{start}`", why.0));
        }
        if self.parser.body_bytes() > BODY_BYTES_MAX as u64 {
            return Err(format!("the answer is longer than {BODY_BYTES_MAX} bytes"));
        }
        Ok(self.parser.is_done().then(|| self.whole()))
    }

    fn whole(&self) -> Answer {
        Answer { status: self.parser.status(), body: self.parser.body().to_vec() }
    }

    /// Waits until the socket has something or takes something, no longer than there is patience.
    fn wait(&self, is_sent: bool, clock: &Clock) -> Result<(), Failed> {
        let left = self.until - clock.now();
        let late = || {
            let why = format!("no whole answer within {PATIENCE}");
            if self.connection.is_open() { Failed::Finally(why) } else { Failed::Unreached(why) }
        };
        if left <= Nanos::ZERO {
            return Err(late());
        }
        let writes = if is_sent { PollFlags::empty() } else { PollFlags::OUT };
        // A handshake of TLS waits for bytes as often as it has some: with `OUT` alone this would spin.
        let is_greeting = self.connection.is_greeting() && self.connection.is_open();
        let flags = if is_greeting { PollFlags::IN } else { PollFlags::IN | writes };
        let timeout = Timespec { tv_sec: left.second(), tv_nsec: left.0 % 1_000_000_000 };
        match poll(&mut [PollFd::from_borrowed_fd(self.connection.as_fd(), flags)], Some(&timeout)) {
            Ok(0) => Err(late()),
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(Failed::Finally(format!("no answer: {error}"))),
        }
    }
}

fn told(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Io(error) => format!("no connection: {error}"),
        Trouble::Tls(error) => format!("TLS: {}", in_words(error)),
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
            assert_eq!(answering(answer), Ok(Answer { status, body: body.as_bytes().to_vec() }));
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
        for endless in [&b"HTTP/1.1 200 OK\r\n\r\n"[..], b"HTTP/1.1 200 OK\r\nA: ", b"HTTP/1.1 100 Continue\r\n\r\n"] {
            let seen = ask(move |mut stream| {
                let block = if endless.ends_with(b"ue\r\n\r\n") { endless.repeat(50) } else { vec![b'x'; 4096] };
                let _ = stream.write_all(endless);
                while stream.write_all(&block).is_ok() {}
            });
            assert!(seen.is_err(), "{seen:?}");
        }
    }
}
