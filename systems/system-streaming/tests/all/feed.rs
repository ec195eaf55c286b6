//! The backend's event streams.

use crate::support::{Events, start};

#[test]
fn events_are_numbered_from_one_on_each_connection() {
    let process = start("backend --events 200/s --bytes 100");
    let (mut one, mut other) = (open(&process, "/events"), open(&process, "/events"));
    assert!(one.status() == 200 && one.head.contains("content-type: text/event-stream"), "{}", one.head);
    let first = one.try_next().unwrap().unwrap();
    assert_eq!((first.retry, first.data.as_str()), (Some(2000), ""));
    for events in [one.take(50), other.take(50)] {
        for (event, number) in events.iter().zip(1..) {
            assert_eq!((event.id, event.number(), event.data.len()), (Some(number), number, 100));
        }
        let times: Vec<u64> = events.iter().map(|event| event.json()["t"].as_u64().unwrap()).collect();
        assert!(times.is_sorted() && times[0] > 1_500_000_000_000_000_000);
        // The fiftieth is due 49 intervals after the first, and none is early.
        assert!(times[49] - times[0] >= 49 * 5_000_000 - 5_000_000, "{times:?}");
    }
}

fn open(process: &testkit::program::Process, path: &str) -> Events {
    Events::open(process, path, "", "")
}

#[test]
fn a_request_names_pace_and_size_and_what_the_reader_had() {
    let process = start("backend --events 1/m");
    let mut events = Events::open(&process, "/events?events=500/s&bytes=8kB", "", "last-event-id: 41\r\n");
    let numbers: Vec<u64> = events.take(3).iter().map(|event| event.number()).collect();
    assert_eq!(numbers, [42, 43, 44]);
    assert_eq!(events.take(1)[0].data.len(), 8000);
    let refused = process.get("/events?events=0/s");
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("write for example `10/s`"), "{refused:?}");
}

#[test]
fn a_reader_that_goes_is_a_closed_connection() {
    let process = start("backend --events 100/s");
    let mut events = open(&process, "/events");
    events.take(2);
    process.counters_until(|counters| counters["connections"]["open"] == 1);
    drop(events);
    let counters = process.counters_until(|counters| counters["connections"]["open"] == 0);
    assert_eq!((&counters["connections"]["closed"], &counters["connections"]["lost"]), (&1.into(), &0.into()));
    assert!(counters["events"]["out"].as_u64() >= Some(2));
}
