//! Runs that are over, sent whole.

use super::head;
use super::receivers::receiver;
use crate::{Exporter, Receiver, Sent, Surroundings};
use record::{Entry, EventRow, create};
use scrub::KeptOut;
use std::io::Write;
use std::sync::{Arc, Mutex};
use terms::Nanos;

/// Twice what waits for a receiver of a run that goes on.
const SECONDS: i64 = 120;

/// Sends a run with an event in each second to receivers that answer the request of that number so; what was told, and the
/// bodies that came.
fn sent(answer: impl Fn(usize) -> String + Send + 'static) -> (Sent, Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(), "study: Shop\n").unwrap();
    for second in 0..SECONDS {
        let at = Nanos::from_secs(second);
        let event = EventRow { at, kind: "gone".into(), subject: "shop".into(), text: "it died".into() };
        writer.write(Entry::Event(event)).unwrap();
    }
    writer.finish(&head()).unwrap();
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let own = bodies.clone();
    let address = receiver(move |number, body, connection| {
        own.lock().unwrap().push(String::from_utf8_lossy(body).into_owned());
        let _ = connection.write_all(answer(number).as_bytes());
    });
    let none =
        Surroundings { option: "--to", variable: &|_| None, file: &|_, _| Err(std::io::ErrorKind::NotFound.into()) };
    let to: Receiver = crate::read(&format!("influx+http://{address}/?db=x"), &none).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let said = heard.clone();
    let tell = move |text: &str| said.lock().unwrap().push(text.to_owned());
    let sent = Exporter::start(&[to], &KeptOut::default(), tell).unwrap().send(&path);
    assert!(sent.read.is_ok());
    let (heard, bodies) = (heard.lock().unwrap().clone(), bodies.lock().unwrap().clone());
    (sent, heard, bodies)
}

#[test]
fn a_receiver_gets_every_second_of_a_run_that_is_over_however_often_it_is_busy() {
    let (sent, heard, bodies) = sent(|number| match number % 20 {
        0 => "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n".to_owned(),
        _ => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
    });
    assert!(sent.is_whole && sent.lines[0].ends_with("120 of 120 seconds delivered"), "{:?}", sent.lines);
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].ends_with("answers 503; what is lost is counted"), "{heard:?}");
    // In order, each with all before it, at the times at which they were.
    let last = bodies.last().unwrap();
    let events = last.lines().find(|line| line.starts_with("loadproof_events_total,")).unwrap();
    let end = super::ORIGIN + SECONDS * 1_000_000_000;
    assert!(events.ends_with(&format!(" value=120i {end}")), "{events}");
    let taken = bodies.iter().enumerate().filter(|(number, _)| number % 20 != 0);
    assert_eq!(taken.count(), 120);
}

#[test]
fn a_receiver_that_is_always_busy_is_given_up_and_one_that_refuses_is_asked_for_each_second() {
    let (busy, _, bodies) = sent(|_| "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n".to_owned());
    assert!(!busy.is_whole && busy.lines[0].contains("0 of 120 seconds delivered, 120 lost: answers 503"));
    assert_eq!(bodies.len(), 8);
    let (refuses, _, bodies) = sent(|number| match number {
        0..20 => "HTTP/1.1 400 Bad Request\r\nContent-Length: 7\r\n\r\ntoo old".to_owned(),
        _ => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
    });
    assert!(!refuses.is_whole);
    let told = &refuses.lines[0];
    assert!(told.contains("100 of 120 seconds delivered, 20 lost: answers 400: too old"), "{told}");
    assert_eq!(bodies.len(), 120);
}
