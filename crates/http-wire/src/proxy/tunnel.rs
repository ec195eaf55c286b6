//! Asking a proxy for a tunnel: `CONNECT` (RFC 9110, section 9.3.6) or SOCKS 5 (RFC 1928, with RFC 1929).
//!
//! The answer is read byte by byte and no further: what comes behind it is the target's already.

use super::{Kind, Proxy};
use crate::Trouble;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::sync::Arc;

/// The head of an answer to `CONNECT` is no longer.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// A tunnel that was not made yet.
pub(crate) struct Tunnel {
    proxy: Arc<Proxy>,
    out: Vec<u8>,
    sent: usize,
    /// What has come of the answer that is waited for.
    came: Vec<u8>,
    step: Step,
}

/// The answer that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// To `CONNECT`.
    Head,
    /// Which way to say who asks.
    Method,
    /// Whether that was right.
    Login,
    /// To the request of SOCKS.
    Reply,
}

/// Without what is sent, which holds credentials.
impl fmt::Debug for Tunnel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {:?}", self.step, self.proxy)
    }
}

impl Tunnel {
    pub(super) fn new(proxy: Arc<Proxy>) -> Self {
        let (out, step) = match proxy.settings.kind {
            Kind::Http => {
                let authority = proxy.authority(0);
                let authorization = proxy.authorization();
                let head = format!(
                    "CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: loadproof\r\n{authorization}\r\n"
                );
                (head.into_bytes(), Step::Head)
            }
            Kind::Socks5 if proxy.settings.credentials.is_some() => (vec![5, 2, 0, 2], Step::Method),
            Kind::Socks5 => (vec![5, 1, 0], Step::Method),
        };
        Self { proxy, out, sent: 0, came: Vec::new(), step }
    }

    /// Sends what it has. Whether the kernel took anything: then the connection to the proxy is there.
    pub(crate) fn flush(&mut self, mut socket: &TcpStream) -> Result<bool, Trouble> {
        let before = self.sent;
        while self.sent < self.out.len() {
            match socket.write(&self.out[self.sent..]) {
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.sent > before)
    }

    /// Takes what has come. Whether the tunnel is there.
    pub(crate) fn take(&mut self, mut socket: &TcpStream) -> Result<bool, Trouble> {
        let mut byte = [0];
        loop {
            match socket.read(&mut byte) {
                Ok(0) => return Err(self.refused("it closed the connection without a whole answer")),
                Ok(_) => self.came.push(byte[0]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            if self.digest()? {
                return Ok(true);
            }
            self.flush(socket)?;
        }
    }

    /// Looks at what has come so far. Whether the tunnel is there.
    fn digest(&mut self) -> Result<bool, Trouble> {
        match (self.step, self.came.as_slice()) {
            (Step::Head, head) if head.ends_with(b"\r\n\r\n") => self.head().map(|()| true),
            (Step::Head, head) if head.len() > HEAD_BYTES_MAX => Err(self.refused("its answer does not end")),
            (Step::Method | Step::Login | Step::Reply, [first, ..]) if *first != self.version() => {
                Err(self.refused("it does not speak SOCKS 5"))
            }
            (Step::Method, [_, 0]) => Ok(self.say(Step::Reply, self.request())),
            (Step::Method, [_, 2]) if self.proxy.settings.credentials.is_some() => {
                Ok(self.say(Step::Login, self.login()))
            }
            (Step::Method, [_, _]) => {
                Err(self
                    .refused("it asks who wants it in a way that was not offered; `basic` is for user and password"))
            }
            (Step::Login, [_, 0]) => Ok(self.say(Step::Reply, self.request())),
            (Step::Login, [_, _]) => Err(self.refused("it does not know the user and password under `basic`")),
            (Step::Reply, [_, code, ..]) if *code != 0 => Err(self.refused(meaning(*code))),
            (Step::Reply, [_, 0, _, kind, length, ..]) => {
                let rest = match kind {
                    1 => 4,
                    3 => 1 + usize::from(*length),
                    4 => 16,
                    _ => return Err(self.refused("it does not speak SOCKS 5")),
                };
                Ok(self.came.len() == 4 + rest + 2)
            }
            _ => Ok(false),
        }
    }

    /// The answer to `CONNECT`, whole.
    fn head(&self) -> Result<(), Trouble> {
        let line = self.came.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let status =
            line.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)).and_then(|code| code.parse::<u16>().ok());
        match status {
            Some(200..=299) => Ok(()),
            Some(407) => {
                Err(self.refused("it asks who wants it (407): write `proxy: { url, basic: \"user:password\" }`"))
            }
            Some(status) => Err(self.refused(&format!("it answered {status} to CONNECT"))),
            None => Err(self.refused("its answer is not HTTP")),
        }
    }

    /// Every answer of SOCKS begins with it; the one to a login has a number of its own.
    fn version(&self) -> u8 {
        if self.step == Step::Login { 1 } else { 5 }
    }

    fn say(&mut self, step: Step, out: Vec<u8>) -> bool {
        (self.step, self.out, self.sent) = (step, out, 0);
        self.came.clear();
        false
    }

    fn login(&self) -> Vec<u8> {
        let (user, password) = self.proxy.settings.credentials.clone().unwrap_or_default();
        let part = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
        [&[1], part(&user).as_slice(), &part(&password)].concat()
    }

    fn request(&self) -> Vec<u8> {
        let address = match self.proxy.host.parse() {
            Ok(IpAddr::V4(address)) => [&[1], address.octets().as_slice()].concat(),
            Ok(IpAddr::V6(address)) => [&[4], address.octets().as_slice()].concat(),
            // A name of a host has 253 bytes at most.
            Err(_) => [&[3, self.proxy.host.len() as u8], self.proxy.host.as_bytes()].concat(),
        };
        [&[5, 1, 0], address.as_slice(), &self.proxy.port.to_be_bytes()].concat()
    }

    fn refused(&self, why: &str) -> Trouble {
        Trouble::Proxy(format!(
            "the proxy {} made no connection to {}: {why}",
            self.proxy.shown(),
            self.proxy.authority(0)
        ))
    }
}

/// RFC 1928, section 6.
fn meaning(code: u8) -> &'static str {
    match code {
        2 => "its rules do not allow it",
        3 => "the network cannot be reached",
        4 => "the host cannot be reached",
        5 => "the connection was refused",
        6 => "it took too long",
        7 | 8 => "it cannot do what was asked",
        _ => "it failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProxySettings;
    use proptest::prelude::*;

    fn tunnel(kind: Kind) -> Tunnel {
        let credentials = Some(("me".to_owned(), "secret".to_owned()));
        let settings = ProxySettings { kind, host: "p".into(), port: 1, credentials };
        Tunnel::new(Proxy::new(&settings, "a.example", 443, true))
    }

    /// As `take` does it, without a socket. How much was read, and what came of it.
    fn digested(tunnel: &mut Tunnel, bytes: &[u8]) -> (usize, Result<bool, String>) {
        for (read, byte) in (1..).zip(bytes) {
            tunnel.came.push(*byte);
            match tunnel.digest() {
                Ok(false) => {}
                Ok(true) => return (read, Ok(true)),
                Err(Trouble::Proxy(why)) => return (read, Err(why)),
                Err(other) => panic!("{other:?}"),
            }
        }
        (bytes.len(), Ok(false))
    }

    #[test]
    fn an_answer_is_read_to_its_end_and_no_further() {
        let head = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
        assert_eq!(digested(&mut tunnel(Kind::Http), &[head.as_slice(), b"more"].concat()), (head.len(), Ok(true)));
        for bound in [&[1, 1, 2, 3, 4, 0, 80][..], &[3, 2, b'a', b'b', 0, 80], &[4; 1 + 16 + 2]] {
            let socks = [&[5, 2, 1, 0, 5, 0, 0], bound].concat();
            let mut tunnel = tunnel(Kind::Socks5);
            assert_eq!(digested(&mut tunnel, &[socks.as_slice(), b"more"].concat()), (socks.len(), Ok(true)));
        }
    }

    proptest! {
        #[test]
        fn whatever_a_proxy_says_ends_in_a_sentence_without_the_password(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for kind in [Kind::Http, Kind::Socks5] {
                for start in [&b""[..], b"HTTP/1.1 ", &[5, 2], &[5, 2, 1, 0, 5, 0, 0]] {
                    let (_, said) = digested(&mut tunnel(kind), &[start, &bytes].concat());
                    prop_assert!(said.err().is_none_or(|why| why.starts_with("the proxy ") && !why.contains("secret")));
                }
            }
        }

        #[test]
        fn a_head_without_end_is_given_up(byte in any::<u8>().prop_filter("no end", |byte| *byte != b'\n')) {
            let (read, said) = digested(&mut tunnel(Kind::Http), &vec![byte; 2 * HEAD_BYTES_MAX]);
            prop_assert!(read == HEAD_BYTES_MAX + 1 && said.unwrap_err().ends_with("does not end"));
        }
    }
}
