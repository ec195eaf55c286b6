//! A receiver that speaks the receivers' own binary protocol, from its description alone.

use crate::common::{halves, listening};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// An event of the stream of these tests.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) at: i64,
    pub(crate) stream: String,
    pub(crate) gateway: String,
    pub(crate) house: i32,
    pub(crate) reading: i64,
    pub(crate) power: f64,
    pub(crate) ratio: f32,
    pub(crate) peak: bool,
    pub(crate) body: String,
}

/// What is answered to bundles from now on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Answers {
    #[default]
    Ok,
    /// An error of this class, with this message.
    Error(&'static str, &'static str),
    /// These bytes, one at a time, and the connection stays open.
    Bytes(Vec<u8>),
    /// These bytes at once.
    Whole(Vec<u8>),
    /// These bytes, and then the end.
    BytesAndEnd(Vec<u8>),
    Never,
}

/// What a receiver has seen, and how it answers.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) sign_ins: Vec<(String, String)>,
    /// Session and events of each.
    pub(crate) bundles: Vec<(String, Vec<Event>)>,
    pub(crate) refuses_sign_ins: bool,
    pub(crate) answers: Answers,
}

pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

impl Peer {
    pub(crate) fn start() -> Self {
        Self::secured(None)
    }

    /// One that speaks TLS, if that is stated how.
    pub(crate) fn secured(tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let shared = seen.clone();
        let address = listening(move |stream| {
            stream.set_nodelay(true).unwrap();
            // A client that goes away ends it.
            drop(serve(stream, tls.clone(), &shared));
        });
        Self { address, seen }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    pub(crate) fn answer(&self, answers: Answers) {
        self.seen().answers = answers;
    }
}

/// Takes values from the front.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_first_chunk().unwrap();
        self.0 = rest;
        *taken
    }

    fn number(&mut self) -> usize {
        usize::try_from(i32::from_be_bytes(self.take())).unwrap()
    }

    fn of(&mut self, length: usize) -> String {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(taken.to_vec()).unwrap()
    }

    fn text(&mut self) -> String {
        let length = self.number();
        self.of(length)
    }
}

fn serve(stream: TcpStream, tls: Option<Arc<rustls::ServerConfig>>, seen: &Mutex<Seen>) -> io::Result<()> {
    let (mut from, mut to) = halves(stream, tls)?;
    loop {
        let mut head = [0; 5];
        from.read_exact(&mut head)?;
        let mut body = vec![0; usize::try_from(i32::from_be_bytes(head[1..].try_into().unwrap())).unwrap()];
        from.read_exact(&mut body)?;
        let mut bytes = Bytes(&body);
        match head[0] {
            0 => {
                let (user, password) = (bytes.number(), bytes.number());
                let mut seen = seen.lock().unwrap();
                seen.sign_ins.push((bytes.of(user), bytes.of(password)));
                if seen.refuses_sign_ins {
                    to.write_all(&error("org.wso2.AuthenticationException", "not today"))?;
                } else {
                    let session = format!("session-{}", seen.sign_ins.len());
                    to.write_all(&[&[2], &u32::try_from(session.len()).unwrap().to_be_bytes()[..]].concat())?;
                    to.write_all(session.as_bytes())?;
                }
            }
            2 => {
                let session = bytes.text();
                let events = (0..bytes.number()).map(|_| event(&mut bytes)).collect();
                let mut seen = seen.lock().unwrap();
                seen.bundles.push((session, events));
                let answers = seen.answers.clone();
                drop(seen);
                match answers {
                    Answers::Ok => to.write_all(&[0])?,
                    Answers::Error(class, message) => to.write_all(&error(class, message))?,
                    Answers::Bytes(bytes) => {
                        for byte in bytes {
                            to.write_all(&[byte])?;
                            to.flush()?;
                            std::thread::yield_now();
                        }
                    }
                    Answers::Whole(bytes) => to.write_all(&bytes)?,
                    Answers::BytesAndEnd(bytes) => {
                        to.write_all(&bytes)?;
                        return to.flush();
                    }
                    Answers::Never => {}
                }
            }
            other => panic!("a message of kind {other} came"),
        }
        assert!(bytes.0.is_empty(), "a message is as long as it says");
        to.flush()?;
    }
}

pub(crate) fn error(class: &str, message: &str) -> Vec<u8> {
    let lengths = [class, message].map(|text| u32::try_from(text.len()).unwrap().to_be_bytes()).concat();
    [&[1], lengths.as_slice(), class.as_bytes(), message.as_bytes()].concat()
}

fn event(bytes: &mut Bytes<'_>) -> Event {
    let size = bytes.number();
    let before = bytes.0.len();
    let event = Event {
        at: i64::from_be_bytes(bytes.take()),
        stream: bytes.text(),
        gateway: bytes.text(),
        house: i32::from_be_bytes(bytes.take()),
        reading: i64::from_be_bytes(bytes.take()),
        power: f64::from_be_bytes(bytes.take()),
        ratio: f32::from_be_bytes(bytes.take()),
        peak: bytes.take() == [1],
        body: bytes.text(),
    };
    assert_eq!(before - bytes.0.len(), size, "an event is as long as it says");
    event
}
