//! The other party: takes what is delivered to it, as a listener of HTTP.

use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use super::message::between;
use super::{read_message, wait_until};

/// A listener that keeps what it got.
pub(crate) struct Partner {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<String>>>,
    status: Arc<AtomicU16>,
    signal: Signal,
}

/// Makes the body of an answer from an envelope that came; empty for none.
type Signal = Arc<Mutex<fn(&str) -> String>>;

impl Partner {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/pong", listener.local_addr().unwrap());
        let (got, status) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU16::new(204)));
        let (taken, answered) = (Arc::clone(&got), Arc::clone(&status));
        let signal: Signal = Arc::new(Mutex::new(|_| String::new()));
        let said = Arc::clone(&signal);
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (got, status, signal) = (Arc::clone(&taken), Arc::clone(&answered), Arc::clone(&said));
                std::thread::spawn(move || serve(stream.unwrap(), &got, &status, &signal));
            }
        });
        Self { url, got, status, signal }
    }

    /// The status of all answers from now on.
    pub(crate) fn answer(&self, status: u16) {
        self.status.store(status, SeqCst);
    }

    /// What all answers say from now on.
    pub(crate) fn say(&self, signal: fn(&str) -> String) {
        *self.signal.lock().unwrap() = signal;
    }

    /// All envelopes so far.
    pub(crate) fn got(&self) -> Vec<String> {
        self.got.lock().unwrap().clone()
    }

    /// Waits for so many envelopes.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<String> {
        wait_until(&format!("{count} deliveries"), || self.got().len() >= count);
        self.got()
    }

    /// Ids of messages that were answered with an action.
    pub(crate) fn answered(&self, action: &str) -> Vec<String> {
        let got = self.got();
        let of = got.iter().filter(|envelope| between(envelope, "eb:Action") == action);
        of.map(|envelope| between(envelope, "eb:RefToMessageId").to_owned()).collect()
    }
}

fn serve(stream: TcpStream, got: &Mutex<Vec<String>>, status: &AtomicU16, signal: &Signal) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream);
    while let Ok(Some((first, head, body))) = read_message(&mut reader) {
        assert!(first.starts_with("POST /pong ") && head.contains("soapaction: \"ebXML\""), "{first}{head}");
        assert!(head.contains("content-type: text/xml"), "{head}");
        let status = status.load(SeqCst);
        let body = String::from_utf8(body).unwrap();
        let signal = *signal.lock().unwrap();
        let said = signal(&body);
        if status < 300 {
            got.lock().unwrap().push(body);
        }
        let kind = if said.is_empty() { "" } else { "content-type: text/xml; charset=UTF-8\r\n" };
        let answer = format!("HTTP/1.1 {status} x\r\n{kind}content-length: {}\r\n\r\n{said}", said.len());
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
