//! What every driver owes, one by one: the right outcome for each way of going wrong, nothing sent twice, nothing that
//! grows, mistakes with hints.
//!
//! A driver lends a server's half of its protocol and has all of it, with what comes to be owed later:
//!
//! ```ignore
//! testkit::conformance!(Redis);
//! ```

use crate::{Lab, Server, Surroundings, mistakes, nobody, reset};
use clock::Clock;
use contract::{Cancel, DriverKind, Interest, Settings};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, mpsc};
use terms::{Nanos, Outcome};

/// Time that passes in vain, since nothing comes.
const SHORT: Nanos = Nanos::from_millis(100);
/// A note is for people, and a hostile answer must not fill the books.
const NOTE_BYTES_MAX: usize = 400;
/// So many that a rare allocation shows.
const EXCHANGES: usize = 10_000;
/// Longer words are long enough that one without its last letter is still known for what was meant.
const LETTERS_MIN: usize = 5;

/// A driver's protocol, as far as the suite needs it.
pub trait Protocol: Copy + Send + Sync + 'static {
    const KIND: DriverKind;
    /// Allocations that an exchange may cost once warm.
    const ALLOCATIONS_MAX: f64 = 0.0;

    /// An exchange with the server at that address, to which [`Protocol::answer`] is right.
    fn exchange(self, to: SocketAddr) -> Settings;

    /// Takes one request off a connection; `None` at its end.
    fn request(self, stream: &mut TcpStream) -> Option<Vec<u8>>;

    /// The right answer to a request, all of which is needed to understand it.
    fn answer(self, request: &[u8]) -> Vec<u8>;

    /// Bytes that are not an answer.
    fn garbage(self) -> Vec<Vec<u8>>;

    /// Whether the note of an exchange that failed so tells why.
    fn tells(self, _: Outcome, note: &str) -> bool {
        !note.is_empty()
    }

    /// Sessions for these exchanges; a protocol that needs files makes them here.
    fn lab(self, exchanges: &[Settings], around: Surroundings) -> Lab {
        Lab::with(Self::KIND, exchanges, around)
    }
}

/// All that every driver owes, as tests of a [`Protocol`].
#[macro_export]
macro_rules! conformance {
    ($protocol:expr) => {
        $crate::conformance!($protocol;
            a_right_answer_is_ok_and_its_connection_serves_the_next_exchange,
            without_reuse_every_exchange_has_a_connection_of_its_own,
            a_refused_connection_is_refused,
            a_connection_broken_before_the_answer_is_a_reset_and_nothing_is_sent_again,
            a_kept_connection_that_breaks_costs_one_more_request_at_most_and_a_count,
            half_an_answer_is_partial,
            no_whole_answer_in_time_is_a_timeout,
            a_slow_answer_is_ok_however_it_is_split,
            a_late_answer_is_never_taken_for_the_next_one,
            surplus_bytes_end_the_connection,
            a_server_that_leaves_between_exchanges_is_noticed,
            what_is_not_the_protocol_is_a_fault,
            a_stopped_exchange_is_aborted_and_lets_go,
            a_socket_that_cannot_be_watched_is_the_generators_own_trouble,
            once_warm_an_exchange_allocates_no_more_than_it_may,
            unknown_keys_come_at_once_with_hints,
            every_word_is_there_in_every_language,
        );
    };
    ($protocol:expr; $($name:ident,)*) => {
        $(
            #[test]
            fn $name() {
                $crate::conformance::$name($protocol);
            }
        )*
    };
}

/// Takes requests off a connection and answers each with what is made of its right answer, until that is nothing or the
/// client has left; how many were taken.
fn serve<P: Protocol>(protocol: P, stream: &mut TcpStream, mut made: impl FnMut(Vec<u8>) -> Option<Vec<u8>>) -> usize {
    let mut taken = 0;
    while let Some(request) = protocol.request(stream) {
        taken += 1;
        match made(protocol.answer(&request)) {
            Some(answer) if stream.write_all(&answer).is_ok() => {}
            _ => break,
        }
    }
    taken
}

fn answering<P: Protocol>(protocol: P) -> Server {
    Server::start(move |_, mut stream| serve(protocol, &mut stream, Some))
}

/// A lab with one exchange to that server.
fn lab<P: Protocol>(protocol: P, server: &Server) -> Lab {
    protocol.lab(&[protocol.exchange(server.address)], Surroundings::default())
}

/// Carries out an exchange that must end so, and whose note must say so.
#[track_caller]
fn ends<P: Protocol>(protocol: P, lab: &mut Lab, outcome: Outcome, what: &str) {
    let seen = lab.run(0);
    assert_eq!((seen.outcome, seen.leg(0)), (outcome, Some(outcome)), "{what}: {}", seen.note);
    let is_told = if outcome == Outcome::Ok { seen.note.is_empty() } else { protocol.tells(outcome, &seen.note) };
    assert!(is_told && seen.note.len() < NOTE_BYTES_MAX, "{what}: {}", seen.note);
}

/// Asserts what the last exchange has counted: so many connections, such other things as the driver counts, no more.
#[track_caller]
fn counted<P: Protocol>(_: P, lab: &Lab, connects: i64, others: &[(&str, i64)]) {
    for name in P::KIND.counters {
        let other = others.iter().find(|(other, _)| other == name).map_or(0, |(_, count)| *count);
        assert_eq!(lab.counted(name), if *name == "connects" { connects } else { other }, "{name}");
    }
    assert_eq!(lab.counted("connects"), connects);
}

/// Exchanges follow one another on one connection, and nothing but that connection is counted.
pub fn a_right_answer_is_ok_and_its_connection_serves_the_next_exchange<P: Protocol>(protocol: P) {
    let server = answering(protocol);
    let mut lab = lab(protocol, &server);
    for number in 0..11 {
        ends(protocol, &mut lab, Outcome::Ok, "");
        counted(protocol, &lab, i64::from(number == 0), &[]);
    }
    drop(lab);
    assert_eq!((server.results.recv(), server.accepted()), (Ok(11), 1));
}

/// `connection: { reuse: false }` is kept to.
pub fn without_reuse_every_exchange_has_a_connection_of_its_own<P: Protocol>(protocol: P) {
    let server = answering(protocol);
    let settings = Settings { reuse: false, ..protocol.exchange(server.address) };
    let mut lab = protocol.lab(&[settings], Surroundings::default());
    for _ in 0..3 {
        ends(protocol, &mut lab, Outcome::Ok, "");
        counted(protocol, &lab, 1, &[]);
    }
    assert_eq!(server.accepted(), 3);
}

/// Nobody listens.
pub fn a_refused_connection_is_refused<P: Protocol>(protocol: P) {
    let mut lab = protocol.lab(&[protocol.exchange(nobody())], Surroundings::default());
    ends(protocol, &mut lab, Outcome::Refused, "");
}

/// Whether it is reset or closed, with the request read or not.
pub fn a_connection_broken_before_the_answer_is_a_reset_and_nothing_is_sent_again<P: Protocol>(protocol: P) {
    for (what, reads, resets) in
        [("reset after the request", true, true), ("closed after it", true, false), ("reset at once", false, true)]
    {
        let server = Server::start(move |_, mut stream| {
            let taken = if reads { serve(protocol, &mut stream, |_| None) } else { 0 };
            if resets {
                reset(&stream);
            }
            taken
        });
        ends(protocol, &mut lab(protocol, &server), Outcome::Reset, what);
        assert_eq!((server.results.recv(), server.accepted()), (Ok(reads.into()), 1), "{what}");
    }
}

/// A driver may send a request once more where its protocol says so (RFC 9112, section 9.3.1), and then it counts that
/// in `idle_retries`: as many requests come as exchanges began and retries were counted, and no exchange has two.
pub fn a_kept_connection_that_breaks_costs_one_more_request_at_most_and_a_count<P: Protocol>(protocol: P) {
    for spares in [true, false] {
        let server = Server::start(move |number, mut stream| {
            // From the second on they break at once, if none is to be spared.
            let mut left = usize::from(spares || number == 0);
            serve(protocol, &mut stream, |answer| {
                left = left.checked_sub(1)?;
                Some(answer)
            })
        });
        let mut lab = lab(protocol, &server);
        ends(protocol, &mut lab, Outcome::Ok, "");
        let seen = lab.run(0);
        let counter = P::KIND.counters.iter().position(|name| *name == "idle_retries");
        let retries = counter.map_or(0, |index| seen.counters[index]);
        assert!((0..=1).contains(&retries), "{retries} retries of one exchange");
        let outcome = if spares && retries == 1 { Outcome::Ok } else { Outcome::Reset };
        assert_eq!((seen.outcome, seen.leg(0)), (outcome, Some(outcome)), "{}", seen.note);
        drop(lab);
        let connections = 1 + retries as usize;
        let taken: usize = (0..connections).map(|_| server.results.recv().unwrap()).sum();
        assert_eq!((taken, server.accepted()), (2 + retries as usize, connections), "each request is counted");
    }
}

/// Wherever it is cut.
pub fn half_an_answer_is_partial<P: Protocol>(protocol: P) {
    let server = Server::start(move |number, mut stream| {
        let Some(request) = protocol.request(&mut stream) else { return 0 };
        let answer = protocol.answer(&request);
        let _ = stream.write_all(&answer[..(number + 1).min(answer.len() - 1)]);
        answer.len()
    });
    // The books keep the first notes of a second only, so each exchange has its own.
    let cut = |what: &str| ends(protocol, &mut lab(protocol, &server), Outcome::Partial, what);
    cut("1 byte");
    for bytes in 2..server.results.recv().unwrap() {
        cut(&format!("{bytes} bytes"));
    }
}

/// However much of it has come; and the connection is let go.
pub fn no_whole_answer_in_time_is_a_timeout<P: Protocol>(protocol: P) {
    for (part, what) in [(0, "nothing"), (1, "half"), (2, "all but the last byte")] {
        let server = Server::start(move |_, mut stream| {
            let Some(request) = protocol.request(&mut stream) else { return 0 };
            let answer = protocol.answer(&request);
            let _ = stream.write_all(&answer[..(answer.len() * part / 2).min(answer.len() - 1)]);
            stream.read(&mut [0]).unwrap_or_default()
        });
        let mut lab = lab(protocol, &server);
        lab.deadline = SHORT;
        ends(protocol, &mut lab, Outcome::Timeout, what);
        assert_eq!(server.results.recv(), Ok(0), "the connection is let go");
    }
}

/// Byte by byte.
pub fn a_slow_answer_is_ok_however_it_is_split<P: Protocol>(protocol: P) {
    let server = Server::start(move |_, mut stream| {
        while let Some(request) = protocol.request(&mut stream) {
            let answer = protocol.answer(&request);
            if answer.iter().any(|byte| stream.write_all(&[*byte]).is_err()) {
                break;
            }
        }
        0
    });
    let mut lab = lab(protocol, &server);
    (0..3).for_each(|_| ends(protocol, &mut lab, Outcome::Ok, ""));
}

/// The first connection answers only when its client is gone, and nobody hears it.
pub fn a_late_answer_is_never_taken_for_the_next_one<P: Protocol>(protocol: P) {
    let server = Server::start(move |number, mut stream| {
        if number > 0 {
            return serve(protocol, &mut stream, Some);
        }
        let Some(request) = protocol.request(&mut stream) else { return 0 };
        let _ = stream.read(&mut [0]);
        let _ = stream.write_all(&protocol.answer(&request));
        1
    });
    let mut lab = lab(protocol, &server);
    let patient = std::mem::replace(&mut lab.deadline, SHORT);
    ends(protocol, &mut lab, Outcome::Timeout, "");
    lab.deadline = patient;
    ends(protocol, &mut lab, Outcome::Ok, "");
    counted(protocol, &lab, 1, &[]);
    assert_eq!(server.accepted(), 2);
}

/// What came behind an answer would be taken for the next one.
pub fn surplus_bytes_end_the_connection<P: Protocol>(protocol: P) {
    let server = Server::start(move |_, mut stream| serve(protocol, &mut stream, |answer| Some(answer.repeat(2))));
    let mut lab = lab(protocol, &server);
    for _ in 0..3 {
        let seen = lab.run(0);
        assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
        counted(protocol, &lab, 1, &[("surplus", 1)]);
    }
}

/// Its connection is replaced before anything is sent, so each request comes once.
pub fn a_server_that_leaves_between_exchanges_is_noticed<P: Protocol>(protocol: P) {
    let (leave, told) = mpsc::channel();
    let told = Mutex::new(told);
    let server = Server::start(move |_, mut stream| {
        let taken = protocol.request(&mut stream).map(|request| stream.write_all(&protocol.answer(&request)));
        // The end comes later than the answer, as an event of its own.
        let _: Result<(), _> = told.lock().unwrap().recv();
        taken.into_iter().count()
    });
    let mut lab = lab(protocol, &server);
    for number in 0..5 {
        ends(protocol, &mut lab, Outcome::Ok, "");
        counted(protocol, &lab, 1, &[("reconnects", i64::from(number > 0))]);
        leave.send(()).unwrap();
        assert_eq!(server.results.recv(), Ok(1), "each request comes once, and the connection is closed");
        assert!(lab.idle_event(), "the engine passes the end on");
    }
    assert_eq!(server.accepted(), 5);
}

/// Nothing panics, and the note is bounded.
pub fn what_is_not_the_protocol_is_a_fault<P: Protocol>(protocol: P) {
    for garbage in protocol.garbage() {
        let what = String::from_utf8_lossy(&garbage[..garbage.len().min(40)]).into_owned();
        let server = Server::start(move |_, mut stream| {
            let request = protocol.request(&mut stream);
            let _ = stream.write_all(&garbage);
            usize::from(request.is_some())
        });
        ends(protocol, &mut lab(protocol, &server), Outcome::Fault, &what);
    }
}

/// It ends once, and the next exchange has a connection of its own.
pub fn a_stopped_exchange_is_aborted_and_lets_go<P: Protocol>(protocol: P) {
    let server = Server::start(move |number, mut stream| match number {
        0 | 1 => stream.read_to_end(&mut Vec::new()).unwrap_or_default(),
        _ => serve(protocol, &mut stream, Some),
    });
    let mut lab = lab(protocol, &server);
    for why in [Cancel::StepEnd, Cancel::Abort] {
        assert!(matches!(lab.begin(0, 0), Interest::Io { .. }));
        assert_eq!(lab.cancel(0, why), Some(Outcome::Aborted));
        assert_eq!(lab.cancel(0, why), None, "it has ended");
        assert_eq!(lab.seen().leg(0), Some(Outcome::Aborted));
    }
    ends(protocol, &mut lab, Outcome::Ok, "");
    counted(protocol, &lab, 1, &[]);
}

/// Nothing is held against the system under test.
pub fn a_socket_that_cannot_be_watched_is_the_generators_own_trouble<P: Protocol>(protocol: P) {
    let server = answering(protocol);
    let around = Surroundings { is_blind: true, ..Surroundings::default() };
    let mut lab = protocol.lab(&[protocol.exchange(server.address)], around);
    assert_eq!(lab.run(0).outcome, Outcome::NoResource);
}

/// In time that stands still, so that all of it is one second's.
pub fn once_warm_an_exchange_allocates_no_more_than_it_may<P: Protocol>(protocol: P) {
    let server = answering(protocol);
    let around = Surroundings { clock: Clock::simulated(), ..Surroundings::default() };
    let mut lab = protocol.lab(&[protocol.exchange(server.address)], around);
    let each = lab.allocations(200, EXCHANGES) as f64 / EXCHANGES as f64;
    assert!(each <= P::ALLOCATIONS_MAX, "{each} allocations for each exchange");
}

/// All misspelled keys are told, each with the one that was meant.
pub fn unknown_keys_come_at_once_with_hints<P: Protocol>(protocol: P) {
    let settings = protocol.exchange(nobody());
    let kind = P::KIND.exchanges.iter().find(|kind| kind.name == settings.operation).unwrap();
    let keys: Vec<_> = kind.keys.iter().filter(|key| key.len() >= LETTERS_MIN).collect();
    let entries: Vec<_> = keys.iter().map(|key| (&key[..key.len() - 1], crate::text("x"))).collect();
    let found = mistakes(P::KIND, Settings { node: crate::map(&entries), ..settings }, &Surroundings::default());
    for key in keys {
        let hint = format!("did you mean `{key}`?");
        let is_told = found.iter().any(|it| it.code == "study::unknown-key" && it.label.as_ref() == Some(&hint));
        assert!(is_told, "{key}: {found:?}");
    }
}

/// Out of descriptors is the generator's own trouble, too. For a test in a process of its own: it takes all of them.
pub fn no_descriptor_left_is_no_resource<P: Protocol>(protocol: P) {
    let server = answering(protocol);
    let mut lab = lab(protocol, &server);
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), ..before }).unwrap();
    let seen = lab.run(0);
    setrlimit(Resource::Nofile, before).unwrap();
    assert_eq!(seen.outcome, Outcome::NoResource, "{}", seen.note);
    assert_eq!(server.accepted(), 0);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
}

/// Everything that it tells of itself has a word in every language of reports.
pub fn every_word_is_there_in_every_language<P: Protocol>(_: P) {
    crate::words::of_driver(&P::KIND);
}
