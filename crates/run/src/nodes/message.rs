//! What whoever conducts a run and its load nodes say to each other: orders one way, reports the other.
//!
//! A message is a frame: one byte that says which kind it is, then the message as JSON, or rows as `record` carries them.
//! Both ends are the same version of the same program, which is the first thing that they make sure of.

use crate::facts::Fact;
use crate::nodes::files::StudyFile;
use crate::nodes::trial::{NodeLoad, Sent};
use drive::Captures;
use serde::{Deserialize, Serialize};
use study::{InstancePlace, Places, ReplicaPlace};

/// Versions of these messages that differ do not understand each other.
pub(crate) const PROTOCOL: u32 = 4;
/// A longer frame is not a message of ours: a second of one thread has kilobytes.
pub(crate) const FRAME_BYTES_MAX: usize = 64 << 20;

const JSON: u8 = b'J';
const ROWS: u8 = b'R';
const FILE: u8 = b'F';

/// What a load node is told to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Takes part in a run.
    Join(Box<Join>),
    /// Asks what its clock shows.
    Time,
    /// Its clock and this offset are the clock of the run, in nanoseconds.
    Clock { offset_ns: i64 },
    /// Tries what it can send to a target that does nothing.
    Try(NodeLoad),
    /// Watches itself; its samples are of the monitor of this number.
    Watch { monitor: u16 },
    /// Runs these monitors of the study, too. Where it only watches, it goes on so long without a word while load is on.
    Carry { monitors: Vec<Carried>, alone_ns: i64 },
    /// Load is on from now on, or no longer: for nodes that only watch.
    Load { is_on: bool },
    /// Takes a last sample of everything, and ends these monitors.
    EndWatch,
    /// A search has added an attempt: the study is this from now on.
    Study { text: String },
    /// Instances were started anew, and answer there.
    Places(Box<WirePlaces>),
    /// Prepares its share of a scenario.
    SetUp(Box<Share>),
    /// Begins it at this moment of the run's clock, or not at all.
    Begin { origin_ns: Option<i64> },
    /// Starts nothing more; `now` cuts off what is open, too.
    Stop { now: bool },
    /// The stop was for the load that is over.
    GoOn,
    /// Cleans up behind the scenario, and what was done once for all, too, if it is the first node.
    CleanUp { is_wanted: bool, is_first: bool },
    /// Whoever conducted the run has died, and this comes from another process, which brings the run to its end.
    TakenUp,
    /// The run is over.
    Leave,
}

/// What a load node has to know of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Join {
    pub(crate) protocol: u32,
    pub(crate) version: String,
    pub(crate) run: String,
    /// What it is called: `node-1` and so on, or the name under which it only watches.
    pub(crate) node: String,
    /// The study with everything written out, and the folder that its files are beside; none where they came before this.
    pub(crate) study: String,
    pub(crate) base: Option<String>,
    pub(crate) places: WirePlaces,
}

/// A monitor that a node runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// Its place among the monitors of the study.
    pub(crate) watch: usize,
    /// The number of its samples.
    pub(crate) number: u16,
    pub(crate) instances: Vec<WireWatched>,
}

/// An instance, as the node that watches it may know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WireWatched {
    pub(crate) name: String,
    pub(crate) pid: Option<u32>,
    pub(crate) url: Option<String>,
}

/// A load node's share of a scenario.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Share {
    /// Place of the scenario in the plan.
    pub(crate) scenario: usize,
    /// Numbers of its load threads: the first, how many, and how many all nodes have together.
    pub(crate) first: u16,
    pub(crate) threads: u16,
    pub(crate) workers: u16,
    /// What set-up exchanges of the whole study captured so far.
    pub(crate) kept: Captures,
    /// What the first node captured for all, part by part; none for that node itself.
    pub(crate) elsewhere: Option<Vec<Captures>>,
}

/// What a load node tells.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Told {
    /// It takes part. `sha256` is that of the study as it understands it.
    Joined(Box<Joined>),
    /// What its clock shows, in nanoseconds since a moment of its own.
    Time { shows_ns: i64 },
    /// It has done what [`Order::Clock`], [`Order::Watch`] or [`Order::Study`] asked for.
    Done,
    /// What it sent to a target that does nothing.
    Tried(Sent),
    /// Its monitors are at work; what they captured at the start.
    Carrying { facts: Vec<Fact> },
    /// Its monitors have ended; what they captured then.
    Watched { facts: Vec<Fact> },
    /// Set-up is done that is not each user's own.
    SetUp { kept: Captures, captures: Vec<Captures> },
    /// All threads are ready.
    Ready,
    /// The load of the scenario at this place in the plan is over.
    LoadOver(LoadOver),
    /// The scenario is over.
    Over,
    /// What the study asks of the system cannot be done, so it cannot go on.
    Failed { text: String },
    /// It cannot go on for reasons of its own.
    Lost { text: String },
}

/// How a node's share of a load ended, in nanoseconds on the run's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoadOver {
    /// Place of the scenario in the plan.
    pub(crate) scenario: usize,
    /// When its last start was due; none where the load did not begin.
    pub(crate) at_ns: Option<i64>,
    /// When what was open had ended.
    pub(crate) ended_ns: i64,
    /// Whether it was stopped before its plan was carried out.
    pub(crate) is_stopped: bool,
}

/// Who joined.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Joined {
    pub(crate) version: String,
    pub(crate) sha256: String,
    pub(crate) pid: u32,
    pub(crate) host: String,
    /// Which machine, boot and clock: where it is the same, clocks show the same.
    pub(crate) clock: String,
    /// Which machine and network: where it is the same, loopback is the same.
    pub(crate) network: String,
    /// Which machine and processes: where it is the same, process ids mean the same.
    pub(crate) processes: String,
    pub(crate) cores: u16,
}

/// A frame, read.
#[derive(Debug)]
pub(crate) enum Frame<T> {
    Said(T),
    /// What was recorded, and what drivers counted beside it.
    Rows(Vec<u8>, Vec<i64>),
    /// A file of the study.
    File(StudyFile),
}

/// A message as a frame.
pub(crate) fn frame<T: Serialize>(message: &T) -> Vec<u8> {
    let mut out = vec![JSON];
    serde_json::to_writer(&mut out, message).expect("invariant: messages have no maps and no foreign types");
    out
}

/// What a thread recorded in a second, and what its drivers counted, ready to be sent.
pub(crate) fn rows_frame((rows, counters): &(Vec<u8>, Vec<i64>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(3 + 8 * counters.len() + rows.len());
    out.push(ROWS);
    out.extend_from_slice(&(counters.len() as u16).to_le_bytes());
    counters.iter().for_each(|counter| out.extend_from_slice(&counter.to_le_bytes()));
    out.extend_from_slice(rows);
    out
}

/// A file of the study as a frame.
pub(crate) fn file_frame(file: &StudyFile) -> Vec<u8> {
    let mut out = vec![FILE];
    out.extend_from_slice(&(file.name.len() as u32).to_le_bytes());
    out.extend_from_slice(file.name.as_bytes());
    out.extend_from_slice(&file.bytes);
    out
}

/// What a frame says; `None` where it is none.
pub(crate) fn read<'a, T: Deserialize<'a>>(frame: &'a [u8]) -> Option<Frame<T>> {
    match frame.split_first()? {
        (&JSON, json) => serde_json::from_slice(json).ok().map(Frame::Said),
        (&ROWS, rest) => {
            let (count, rest) = rest.split_first_chunk::<2>()?;
            let (counters, rows) = rest.split_at_checked(8 * usize::from(u16::from_le_bytes(*count)))?;
            let (counters, _) = counters.as_chunks::<8>();
            Some(Frame::Rows(rows.to_vec(), counters.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect()))
        }
        (&FILE, rest) => {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            let (name, bytes) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            let name = String::from_utf8(name.to_vec()).ok()?;
            Some(Frame::File(StudyFile { name, bytes: bytes.to_vec() }))
        }
        _ => None,
    }
}

/// [`Places`] as they travel.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct WirePlaces {
    run_id: String,
    scratch: String,
    instances: Vec<(String, Vec<WirePlace>)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WirePlace {
    host: String,
    port: u16,
    ports: Vec<(String, u16)>,
    url: String,
}

impl From<&Places> for WirePlaces {
    fn from(places: &Places) -> Self {
        let place = |place: &ReplicaPlace| {
            let ReplicaPlace { host, port, ports, url } = place.clone();
            WirePlace { host, port, ports, url }
        };
        let instance = |one: &InstancePlace| (one.name.clone(), one.replicas.iter().map(place).collect());
        Self {
            run_id: places.run_id.clone(),
            scratch: places.scratch.clone(),
            instances: places.instances.iter().map(instance).collect(),
        }
    }
}

impl From<WirePlaces> for Places {
    fn from(wire: WirePlaces) -> Self {
        let place = |WirePlace { host, port, ports, url }| ReplicaPlace { host, port, ports, url };
        let instance = |(name, replicas): (String, Vec<WirePlace>)| InstancePlace {
            name,
            replicas: replicas.into_iter().map(place).collect(),
        };
        let WirePlaces { run_id, scratch, instances } = wire;
        Self { run_id, scratch, instances: instances.into_iter().map(instance).collect(), listeners: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_heard() {
        let share = Share {
            scenario: 3,
            first: 2,
            threads: 1,
            workers: 4,
            kept: vec![None, Some(b"\xff\0token".to_vec())],
            elsewhere: Some(vec![vec![None], vec![Some(Vec::new())]]),
        };
        let Some(Frame::Said(Order::SetUp(heard))) = read(&frame(&Order::SetUp(Box::new(share)))) else { panic!() };
        assert_eq!((heard.scenario, heard.first, heard.threads, heard.workers), (3, 2, 1, 4));
        assert_eq!(heard.kept, [None, Some(b"\xff\0token".to_vec())]);
        assert_eq!(heard.elsewhere, Some(vec![vec![None], vec![Some(Vec::new())]]));
        let file = StudyFile { name: "data/a.csv".into(), bytes: vec![0, 255, 10] };
        let Some(Frame::File(heard)) = read::<Order>(&file_frame(&file)) else { panic!() };
        assert_eq!(heard, file);
        let carried = (vec![1, 2, 3], vec![-5, 7]);
        let frame = rows_frame(&carried);
        let Some(Frame::Rows(rows, counters)) = read::<Told>(&frame) else { panic!() };
        assert_eq!((rows, counters), carried);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for bytes in [
            &b""[..],
            b"J",
            b"J{\"Begin\":",
            b"J\"Nothing\"",
            b"R",
            b"R\x02\0",
            b"R\x01\0\0\0\0\0\0\0\0",
            b"F\x09\0\0\0a",
            b"X",
        ] {
            assert!(read::<Told>(bytes).is_none(), "{bytes:?}");
        }
    }

    #[test]
    fn places_arrive_as_they_were() {
        let replica = ReplicaPlace {
            host: "127.0.0.1".into(),
            port: 80,
            ports: vec![("admin".into(), 81)],
            url: "http://127.0.0.1:80".into(),
        };
        let places = Places {
            run_id: "r".into(),
            scratch: "/tmp/r".into(),
            instances: vec![InstancePlace { name: "shop".into(), replicas: vec![replica] }],
            listeners: Vec::new(),
        };
        assert_eq!(Places::from(WirePlaces::from(&places)), places);
    }
}
