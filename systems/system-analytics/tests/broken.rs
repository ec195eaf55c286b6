//! A receiver that is killed while it writes, and one whose disk is full: what was durable is there, bundles are whole, and
//! what was lost is counted.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use serde_json::Value;
use testkit::program::{Link, PATIENCE, command, wait_until};

const PROGRAM: &str = env!("CARGO_BIN_EXE_system-analytics");
const STREAM: &str = r#"{"name":"home","version":"1.0.0","payloadData":[{"name":"bundle","type":"INT"},{"name":"place","type":"INT"},{"name":"note","type":"STRING"}]}"#;
/// admin:secret
const KNOWN: (&str, &str) = ("authorization", "Basic YWRtaW46c2VjcmV0");
/// Events of a bundle.
const EVENTS: i32 = 50;
/// Length of the text that each event carries, so that a disk fills.
const NOTE: usize = 400;

/// A receiver with its ports; killed with the test.
struct Receiver {
    child: Child,
    sign_in: String,
    data: String,
    http: String,
}

impl Receiver {
    /// Starts it; what it prints is read to its end.
    fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let (mut sign_in, mut data, mut http) = (String::new(), String::new(), String::new());
        for line in lines.by_ref() {
            if let Some(address) = line.strip_prefix("sign-in-port on ") {
                sign_in = address.to_owned();
            }
            if let Some(address) = line.strip_prefix("data-port on ") {
                data = address.to_owned();
            }
            if let Some(address) = line.strip_prefix("listening on ") {
                http = address.to_owned();
                break;
            }
        }
        assert!(!data.is_empty() && !http.is_empty(), "it did not start");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, sign_in, data, http }
    }

    fn get(&self, path: &str) -> Value {
        Link::open(&self.http).unwrap().call("GET", path, &[("connection", "close")], "").unwrap().json()
    }

    fn count(&self, name: &str) -> u64 {
        self.get("/counters")[name].as_u64().unwrap_or_else(|| panic!("{:#}", self.get("/counters")))
    }

    /// How many rows there are of each bundle, and every row once.
    fn rows(&self) -> BTreeMap<i64, Vec<i64>> {
        let (mut found, mut start) = (BTreeMap::<i64, Vec<i64>>::new(), 0);
        loop {
            let question = format!(r#"{{"tableName":"HOME","start":{start},"count":10000}}"#);
            let headers = [KNOWN, ("connection", "close")];
            let rows = Link::open(&self.http).unwrap().call("POST", "/analytics/search", &headers, question).unwrap();
            let rows = rows.json();
            let rows = rows.as_array().unwrap();
            for row in rows {
                let number = |name: &str| row["values"][name].as_i64().unwrap();
                found.entry(number("bundle")).or_default().push(number("place"));
            }
            if rows.len() < 10_000 {
                return found;
            }
            start += rows.len();
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn flags(folder: &Path, memory: &str) -> String {
    format!("receive --password secret --queue 2000 --memory {memory} --data {}", folder.join("store").display())
}

/// A client of the receiver, in Thrift's binary protocol as its specification has it (`doc/specs/thrift-binary-protocol.md`).
struct Publisher {
    stream: BufReader<TcpStream>,
    session: String,
}

fn text(id: i16, text: &str, into: &mut Vec<u8>) {
    into.push(11);
    into.extend(id.to_be_bytes());
    bytes(text, into);
}

fn bytes(text: &str, into: &mut Vec<u8>) {
    into.extend(i32::try_from(text.len()).unwrap().to_be_bytes());
    into.extend(text.as_bytes());
}

/// Begins a field that is a list of so many values of a type.
fn list(id: i16, of: u8, length: i32, into: &mut Vec<u8>) {
    into.push(15);
    into.extend(id.to_be_bytes());
    into.push(of);
    into.extend(length.to_be_bytes());
}

impl Publisher {
    /// Signs in at one port, and defines the stream at the other.
    fn open(receiver: &Receiver) -> io::Result<Self> {
        let mut arguments = Vec::new();
        text(1, "admin", &mut arguments);
        text(2, "secret", &mut arguments);
        let session = Self::dial(&receiver.sign_in)?.call("connect", &arguments)?;
        let mut made = Self { session, ..Self::dial(&receiver.data)? };
        let mut arguments = Vec::new();
        text(1, &made.session, &mut arguments);
        text(2, STREAM, &mut arguments);
        made.call("defineStream", &arguments)?;
        Ok(made)
    }

    fn dial(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), session: String::new() })
    }

    fn publish(&mut self, bundle: i32) -> io::Result<()> {
        let mut arguments = vec![12, 0, 1];
        text(1, &self.session, &mut arguments);
        arguments.extend([8, 0, 2]);
        arguments.extend(EVENTS.to_be_bytes());
        list(3, 8, 2 * EVENTS, &mut arguments);
        for place in 0..EVENTS {
            arguments.extend(bundle.to_be_bytes());
            arguments.extend(place.to_be_bytes());
        }
        list(4, 10, EVENTS, &mut arguments);
        (0..EVENTS).for_each(|_| arguments.extend(1i64.to_be_bytes()));
        list(7, 11, 2 * EVENTS, &mut arguments);
        for place in 0..EVENTS {
            bytes("home:1.0.0", &mut arguments);
            // What does not compress, so that it fills a disk.
            let mut seed = u64::from(bundle.unsigned_abs()) << 32 | u64::from(place.unsigned_abs());
            let note: String = (0..NOTE)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    char::from(b'!' + (seed >> 58) as u8)
                })
                .collect();
            bytes(&note, &mut arguments);
        }
        arguments.push(0);
        self.call("publish", &arguments).map(drop)
    }

    /// One call with these fields; the text that comes back, if any.
    fn call(&mut self, method: &str, fields: &[u8]) -> io::Result<String> {
        let mut call = 0x8001_0001u32.to_be_bytes().to_vec();
        bytes(method, &mut call);
        call.extend(1i32.to_be_bytes());
        call.extend(fields);
        call.push(0);
        self.stream.get_mut().write_all(&call)?;
        assert_eq!(self.number()?, 0x8001_0002u32.cast_signed(), "a reply to {method}");
        self.text()?;
        self.number()?;
        match self.byte()? {
            0 => Ok(String::new()),
            11 => {
                self.take(2)?;
                let text = self.text()?;
                assert_eq!(self.byte()?, 0);
                Ok(text)
            }
            kind => panic!("{method} was refused: field {kind}"),
        }
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

/// Two publishers at once until they are told to stop, or the receiver is gone. `until` looks at it meanwhile. How many
/// bundles were begun.
fn publish(receiver: &Receiver, first: i32, until: impl FnOnce(&AtomicU64)) -> u64 {
    let (next, acknowledged, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| -> io::Result<()> {
                let mut publisher = Publisher::open(receiver)?;
                while !stop.load(Relaxed) {
                    publisher.publish(first + i32::try_from(next.fetch_add(1, Relaxed)).unwrap())?;
                    acknowledged.fetch_add(1, Relaxed);
                }
                Ok(())
            });
        }
        until(&acknowledged);
        stop.store(true, Relaxed);
    });
    next.load(Relaxed)
}

/// Every bundle is there whole or not at all, and no event twice.
fn assert_whole(rows: &BTreeMap<i64, Vec<i64>>) {
    let whole: Vec<i64> = (0..i64::from(EVENTS)).collect();
    for (bundle, places) in rows {
        let mut places = places.clone();
        places.sort_unstable();
        assert_eq!(places, whole, "bundle {bundle}");
    }
}

/// S4.5, S4.7: a store is killed in the middle of a batch, several times.
#[test]
fn a_receiver_that_is_killed_in_a_batch_keeps_what_was_durable_and_no_half_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let (mut least, mut first) = (0, 0);
    for round in 0..3 {
        let mut receiver = Receiver::start(command(PROGRAM, &flags(folder.path(), "4MB")));
        let found = receiver.count("found");
        assert!(found >= least, "round {round}: {found} rows of {least} that were durable");
        Publisher::open(&receiver).unwrap();
        assert_whole(&receiver.rows());
        let id = receiver.child.id().to_string();
        let begun = publish(&receiver, first, |_| {
            wait_until("events in the store", || receiver.count("durable") > 2000 && receiver.count("queued") > 0);
            // What it counted is durable; what it writes at this moment is not.
            least = found + receiver.count("durable");
            assert!(Command::new("kill").args(["-KILL", &id]).status().unwrap().success());
        });
        receiver.child.wait().unwrap();
        first += i32::try_from(begun).unwrap();
    }
    let receiver = Receiver::start(command(PROGRAM, &flags(folder.path(), "4MB")));
    let mut publisher = Publisher::open(&receiver).unwrap();
    publisher.publish(first).unwrap();
    wait_until("the last bundle", || receiver.count("durable") == u64::from(EVENTS.unsigned_abs()));
    let rows = receiver.rows();
    assert_whole(&rows);
    let all = rows.values().map(|places| places.len() as u64).sum::<u64>();
    assert!(all >= least + 50 && rows.contains_key(&i64::from(first)), "{all} rows of {least}");
    assert!(rows.keys().all(|bundle| (0..=i64::from(first)).contains(bundle)), "what nobody sent");
}

/// S4.5, S4.7: no room is left for the store. A file that may not grow any more (`ulimit -f`) is refused as a full disk is,
/// and needs no right to mount one.
#[test]
fn a_store_whose_disk_is_full_counts_what_it_lost_and_keeps_what_was_durable() {
    let folder = tempfile::tempdir().unwrap();
    // The store takes 64 MiB for its journal at once, and begins another with each flush: with much memory there is none,
    // so the journal grows beyond that. The signal of a file that is too large would end the program; without, writes fail.
    let script = format!("trap '' XFSZ; ulimit -f 140000; exec {PROGRAM} {}", flags(folder.path(), "1GB"));
    let mut full = Command::new("sh");
    full.args(["-c", &script]);
    let mut receiver = Receiver::start(full);
    let begun = publish(&receiver, 0, |_| {
        wait_until("the disk to be full", || receiver.count("failed_batches") > 0);
    });
    // It goes on answering, and what it accepted is durable, lost or waiting: nothing else.
    wait_until("the queue to be empty", || receiver.count("queued") == 0);
    let (accepted, durable) = (receiver.count("accepted"), receiver.count("durable"));
    assert!(durable > 0 && durable < accepted && accepted <= begun * 50, "{durable} of {accepted} of {begun} bundles");
    assert!(Command::new("kill").args(["-KILL", &receiver.child.id().to_string()]).status().unwrap().success());
    receiver.child.wait().unwrap();

    // With room again, all that was durable is there, and of what was lost no half bundle.
    let receiver = Receiver::start(command(PROGRAM, &flags(folder.path(), "4MB")));
    let mut publisher = Publisher::open(&receiver).unwrap();
    let rows = receiver.rows();
    assert_whole(&rows);
    let found = rows.values().map(|places| places.len() as u64).sum::<u64>();
    assert!(found >= durable && found <= accepted, "{found} of {durable} durable and {accepted} accepted");
    publisher.publish(i32::MAX).unwrap();
    wait_until("room", || receiver.count("durable") == 50);
}
