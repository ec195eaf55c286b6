//! Many load nodes in one process, for the bench: one of them is real, and all others repeat what it records as if they
//! had carried as much.
//!
//! `many_nodes LOADPROOF URL GROUP COUNT` offers `COUNT` nodes to runs of the group, and ends when the run does. To
//! whoever conducts the run they cannot be told from real ones: each has a connection, answers orders, says every second
//! what it recorded under the numbers of its own threads. The machine carries the load of one, so what a thousand cost
//! their conductor can be measured on it.

use broker::{Address, Lends, Login, Offered, Server, offer};
use clock::Clock;
use record::{Entry, Observed, carried, carry};
use run::nodes::{Inbox, Link, Outbox};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use terms::Nanos;

/// First bytes of frames: a message, and what was recorded.
const JSON: u8 = b'J';
const ROWS: u8 = b'R';
/// Nodes that connect to the server at once.
const AT_ONCE: usize = 32;

/// What the real node said, for each of the others.
#[derive(Clone)]
enum Repeat {
    Said(Value),
    /// What it recorded, and the counters before it as they were sent.
    Rows(Vec<u8>, Vec<Observed>),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [loadproof, url, group, count] = &args[..] else {
        return Err("write `many_nodes LOADPROOF URL GROUP COUNT`".into());
    };
    let count: u32 = count.parse()?;
    let server = Server {
        address: Address::of(url)?,
        login: Login::Nobody,
        authorities: None,
        identity: None,
        may_be_plain: false,
        group: group.clone(),
    };
    let (mut repeats, mut nodes) = (Vec::new(), Vec::new());
    for index in 1..count {
        let (sender, said) = channel();
        let server = server.clone();
        repeats.push(sender);
        nodes.push(std::thread::spawn(move || mirror(&server, index, &said)));
        if nodes.len() % AT_ONCE == 0 {
            let clock = Clock::system();
            clock.sleep_until(Nanos::from_millis(100));
        }
    }
    let Offered { link, .. } = offer(&server, &Lends::Load(Some(0)), || ())?;
    real(loadproof, link, &repeats)?;
    drop(repeats);
    for node in nodes {
        node.join().map_err(|_| "a node panicked")??;
    }
    Ok(())
}

/// The one that drives load: a process of its own, whose frames go on as they are, and to the others.
fn real(loadproof: &str, link: Link, repeats: &[Sender<Repeat>]) -> std::io::Result<()> {
    let mut child =
        Command::new(loadproof).args(["node", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(orders), Some(told)) = (child.stdin.take(), child.stdout.take()) else { return Ok(()) };
    let Link { to: mut up, from: mut down } = link;
    let Link { to: mut orders, from: mut told } = Link::over(orders, told);
    let passing = std::thread::spawn(move || {
        while let Ok(Some(frame)) = down.next() {
            if orders.send(&frame).is_err() {
                return;
            }
        }
    });
    while let Ok(Some(frame)) = told.next() {
        if let Some(repeat) = repeat(&frame) {
            for node in repeats {
                let _ = node.send(repeat.clone());
            }
        }
        up.send(&frame)?;
    }
    child.wait()?;
    drop(up);
    passing.join().map_err(|_| std::io::Error::other("the orders' thread panicked"))
}

/// What the others have to know of a frame.
fn repeat(frame: &[u8]) -> Option<Repeat> {
    let (kind, rest) = frame.split_first()?;
    match *kind {
        JSON => serde_json::from_slice(rest).ok().map(Repeat::Said),
        ROWS => {
            let (count, behind) = rest.split_first_chunk::<2>()?;
            let counters = 2 + 8 * usize::from(u16::from_le_bytes(*count));
            Some(Repeat::Rows(rest[..counters].to_vec(), carried(behind.get(counters - 2..)?)?))
        }
        _ => None,
    }
}

/// One that drives nothing: it does as if, with what the real one says.
fn mirror(server: &Server, index: u32, said: &Receiver<Repeat>) -> Result<(), String> {
    let Offered { link, node, .. } = offer(server, &Lends::Load(Some(index)), || ())?;
    let Link { mut to, mut from } = link;
    let mut first = 0;
    let clock = Clock::system();
    while let Some(order) = next(from.as_mut())? {
        let (word, value) = word_of(&order);
        match word {
            "Join" => {
                // A clock of its own, so that its offset is asked for as on another machine.
                let mut joined = told(said, "Joined", |_| Ok(()))?;
                joined["Joined"]["clock"] = json!(format!("mirror {node}"));
                say(to.as_mut(), &joined)?;
            }
            "Time" => say(to.as_mut(), &json!({ "Time": { "shows_ns": clock.now().0 } }))?,
            "Clock" | "Watch" | "Study" => say(to.as_mut(), &json!("Done"))?,
            "SetUp" => {
                first = value["first"].as_u64().unwrap_or(0) as u16;
                for word in ["SetUp", "Ready"] {
                    let told = told(said, word, |_| Ok(()))?;
                    say(to.as_mut(), &told)?;
                }
            }
            "Begin" => {
                let over = told(said, "LoadOver", |rows| record(to.as_mut(), rows, first, node))?;
                say(to.as_mut(), &over)?;
            }
            "CleanUp" => say(to.as_mut(), &json!("Over"))?,
            "Leave" => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

/// What the real node recorded, as if this one had.
fn record(to: &mut dyn Outbox, (counters, seen): (&[u8], &[Observed]), first: u16, node: u16) -> Result<(), String> {
    for seen in seen {
        let own = match seen.clone() {
            Observed::Engine(mut row) => {
                row.worker += first;
                Observed::Engine(row)
            }
            Observed::Samples(mut rows) => {
                rows.iter_mut().for_each(|row| row.instance = format!("node-{node}"));
                Observed::Samples(rows)
            }
            other => other,
        };
        let Some((bytes, _)) = carry(Entry::Seen(own)) else { continue };
        let frame: Vec<u8> = [&[ROWS][..], counters, &bytes].concat();
        to.send(&frame).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// What the real node says by this word; what it recorded before is handed on.
fn told(
    said: &Receiver<Repeat>,
    word: &str,
    mut rows: impl FnMut((&[u8], &[Observed])) -> Result<(), String>,
) -> Result<Value, String> {
    loop {
        match said.recv().map_err(|_| "the real node has ended")? {
            Repeat::Said(value) if word_of(&value).0 == word => return Ok(value),
            Repeat::Said(_) => {}
            Repeat::Rows(counters, seen) => rows((&counters, &seen))?,
        }
    }
}

/// The next order; files of the study are none.
fn next(from: &mut dyn Inbox) -> Result<Option<Value>, String> {
    loop {
        match from.next().map_err(|error| error.to_string())? {
            None => return Ok(None),
            Some(frame) => {
                if let Some((&JSON, text)) = frame.split_first() {
                    return serde_json::from_slice(text).map(Some).map_err(|error| error.to_string());
                }
            }
        }
    }
}

/// A message's word, and what it says beside it.
fn word_of(message: &Value) -> (&str, &Value) {
    match message {
        Value::String(word) => (word, &Value::Null),
        Value::Object(map) => map.iter().next().map_or(("", &Value::Null), |(word, value)| (word, value)),
        _ => ("", &Value::Null),
    }
}

fn say(to: &mut dyn Outbox, message: &Value) -> Result<(), String> {
    let mut frame = vec![JSON];
    frame.extend_from_slice(message.to_string().as_bytes());
    to.send(&frame).map_err(|error| error.to_string())
}
