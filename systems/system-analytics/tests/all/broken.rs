//! A receiver that is killed while it writes, and one whose disk is full: what was durable is there, bundles are whole, and
//! what was lost is counted.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::common::{Client, PROGRAM, Receiver, Reply, bytes, list, text};
use testkit::program::{command, wait_until};

const STREAM: &str = r#"{"name":"home","version":"1.0.0","payloadData":[{"name":"bundle","type":"INT"},{"name":"place","type":"INT"},{"name":"note","type":"STRING"}]}"#;
/// Events of a bundle.
const EVENTS: i32 = 50;
/// Length of the text that each event carries, so that a disk fills.
const NOTE: usize = 400;

/// How many rows there are of each bundle, and every row once.
fn rows(receiver: &Receiver) -> BTreeMap<i64, Vec<i64>> {
    let (mut found, mut start) = (BTreeMap::<i64, Vec<i64>>::new(), 0);
    loop {
        let rows = receiver.search("HOME", start, 10_000);
        for row in &rows {
            let number = |name: &str| row["values"][name].as_i64().unwrap();
            found.entry(number("bundle")).or_default().push(number("place"));
        }
        if rows.len() < 10_000 {
            return found;
        }
        start += rows.len();
    }
}

fn flags(folder: &Path, memory: &str) -> String {
    format!("receive --password secret --queue 2000 --memory {memory} --data {}", folder.join("store").display())
}

/// A client of the receiver that publishes.
struct Publisher {
    client: Client,
    session: String,
}

impl Publisher {
    /// Signs in at one port, and defines the stream at the other.
    fn open(receiver: &Receiver) -> io::Result<Self> {
        let session = Client::sign_in(receiver)?;
        let mut client = Client::dial(&receiver.data)?;
        client.ask("defineStream", &[&session, STREAM])?.text();
        Ok(Self { client, session })
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
        assert_eq!(self.client.call("publish", &arguments)?, Reply::Nothing);
        Ok(())
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
        assert_whole(&rows(&receiver));
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
    let rows = rows(&receiver);
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
    let rows = rows(&receiver);
    assert_whole(&rows);
    let found = rows.values().map(|places| places.len() as u64).sum::<u64>();
    assert!(found >= durable && found <= accepted, "{found} of {durable} durable and {accepted} accepted");
    publisher.publish(i32::MAX).unwrap();
    wait_until("room", || receiver.count("durable") == 50);
}
