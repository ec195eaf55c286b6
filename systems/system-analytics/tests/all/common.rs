//! A receiver as a program, and a client of its service of Thrift that is written from Thrift's specification alone.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use testkit::program::{Link, PATIENCE};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_system-analytics");
/// admin:secret
const KNOWN: (&str, &str) = ("authorization", "Basic YWRtaW46c2VjcmV0");

/// A receiver with its ports; killed with the test.
pub(crate) struct Receiver {
    pub(crate) child: Child,
    pub(crate) sign_in: String,
    pub(crate) data: String,
    /// Of the receivers' own protocol, where clients sign in, and where events go.
    pub(crate) binary_sign_in: String,
    pub(crate) binary: String,
    pub(crate) http: String,
}

impl Receiver {
    /// Starts it; what it prints is read to its end.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let [mut sign_in, mut data, mut binary_sign_in, mut binary, mut http] = [(); 5].map(|()| String::new());
        for line in lines.by_ref() {
            for (port, known) in [
                ("sign-in-port on ", &mut sign_in),
                ("data-port on ", &mut data),
                ("binary-sign-in-port on ", &mut binary_sign_in),
                ("binary-port on ", &mut binary),
            ] {
                if let Some(address) = line.strip_prefix(port) {
                    *known = address.to_owned();
                }
            }
            if let Some(address) = line.strip_prefix("listening on ") {
                http = address.to_owned();
                break;
            }
        }
        let all = [&sign_in, &data, &binary_sign_in, &binary, &http];
        assert!(all.iter().all(|address| !address.is_empty()), "it did not start, or does not say where: {all:?}");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, sign_in, data, binary_sign_in, binary, http }
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        Link::open(&self.http).unwrap().call("GET", path, &[("connection", "close")], "").unwrap().json()
    }

    pub(crate) fn count(&self, name: &str) -> u64 {
        self.get("/counters")[name].as_u64().unwrap_or_else(|| panic!("{:#}", self.get("/counters")))
    }

    /// Rows of a table from one on, as the search finds them.
    pub(crate) fn search(&self, table: &str, start: usize, count: usize) -> Vec<Value> {
        let question = format!(r#"{{"tableName":"{table}","start":{start},"count":{count}}}"#);
        let headers = [KNOWN, ("connection", "close")];
        let found = Link::open(&self.http).unwrap().call("POST", "/analytics/search", &headers, question).unwrap();
        found.json().as_array().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a call of Thrift is answered with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Nothing,
    Text(String),
    Bool(bool),
    /// The exception of that field.
    Refused(i16, String),
}

impl Reply {
    pub(crate) fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            other => panic!("{other:?} is not a text"),
        }
    }
}

/// A client of Thrift's binary protocol, as its specification has it (`doc/specs/thrift-binary-protocol.md`).
pub(crate) struct Client<S = TcpStream> {
    stream: BufReader<S>,
}

/// Writes a field that is a text.
pub(crate) fn text(id: i16, text: &str, into: &mut Vec<u8>) {
    into.push(11);
    into.extend(id.to_be_bytes());
    bytes(text, into);
}

/// Writes a text with its length.
pub(crate) fn bytes(text: &str, into: &mut Vec<u8>) {
    into.extend(i32::try_from(text.len()).unwrap().to_be_bytes());
    into.extend(text.as_bytes());
}

/// Begins a field that is a list of so many values of a type.
pub(crate) fn list(id: i16, of: u8, length: i32, into: &mut Vec<u8>) {
    into.push(15);
    into.extend(id.to_be_bytes());
    into.push(of);
    into.extend(length.to_be_bytes());
}

impl Client {
    pub(crate) fn dial(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// A session of `admin`.
    pub(crate) fn sign_in(receiver: &Receiver) -> io::Result<String> {
        Self::dial(&receiver.sign_in)?.ask("connect", &["admin", "secret"]).map(Reply::text)
    }
}

impl<S: Read + Write> Client<S> {
    /// Over whatever carries it.
    pub(crate) fn over(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    /// One call with these texts.
    pub(crate) fn ask(&mut self, method: &str, texts: &[&str]) -> io::Result<Reply> {
        let mut arguments = Vec::new();
        (1..).zip(texts).for_each(|(id, each)| text(id, each, &mut arguments));
        self.call(method, &arguments)
    }

    /// One call with these fields.
    pub(crate) fn call(&mut self, method: &str, fields: &[u8]) -> io::Result<Reply> {
        let mut call = 0x8001_0001u32.to_be_bytes().to_vec();
        bytes(method, &mut call);
        call.extend(1i32.to_be_bytes());
        call.extend(fields);
        call.push(0);
        self.stream.get_mut().write_all(&call)?;
        assert_eq!(self.number()?, 0x8001_0002u32.cast_signed(), "a reply to {method}");
        self.text()?;
        self.number()?;
        let kind = self.byte()?;
        if kind == 0 {
            return Ok(Reply::Nothing);
        }
        let id = i16::from_be_bytes(self.take(2)?.try_into().unwrap());
        let reply = match (kind, id) {
            (11, 0) => Reply::Text(self.text()?),
            (2, 0) => Reply::Bool(self.byte()? == 1),
            (12, 1..) => {
                assert_eq!(self.take(3)?, [11, 0, 1], "an exception is its message");
                let why = self.text()?;
                assert_eq!(self.byte()?, 0);
                Reply::Refused(id, why)
            }
            _ => panic!("{method} was answered with field {id} of type {kind}"),
        };
        assert_eq!(self.byte()?, 0);
        Ok(reply)
    }

    fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn byte(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self) -> io::Result<i32> {
        Ok(i32::from_be_bytes(self.take(4)?.try_into().unwrap()))
    }

    fn text(&mut self) -> io::Result<String> {
        let length = usize::try_from(self.number()?).unwrap();
        Ok(String::from_utf8(self.take(length)?).unwrap())
    }
}
