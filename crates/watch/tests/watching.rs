//! Monitors that are slow, fail, panic or fall silent, on a simulated clock; and the generator's own on the real one.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Event, FactName, Facts, Failure, MetricKind, Monitor, Samples};
use record::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use terms::{Nanos, Unit};
use watch::{Built, generator, start};

const METRICS: &[MetricKind] = &[MetricKind::gauge("level", Unit::Count), MetricKind::distribution("pause")];

type Body = Box<dyn FnMut(Nanos, &mut Samples) -> Result<(), Failure> + Send>;

struct Scripted(Body);

impl Monitor for Scripted {
    fn facts(&mut self, out: &mut Facts) {
        out.fact("scripted", FactName::verbatim("version"), "1");
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        (self.0)(at, out)
    }
}

fn kinds(metrics: &[contract::MetricKind]) -> Vec<contract::Kind> {
    metrics.iter().map(|metric| metric.kind).collect()
}

fn built(number: u16, body: impl FnMut(Nanos, &mut Samples) -> Result<(), Failure> + Send + 'static) -> Built {
    let name = format!("m{number}");
    Built { number, name, kinds: kinds(METRICS), every: Nanos::SECOND, monitor: Box::new(Scripted(Box::new(body))) }
}

/// Samples are taken so long after the beginning of each second.
const PHASE: Nanos = Nanos(487_300_000);

/// The instant of the `k`-th second's sample.
fn instant(k: i64) -> Nanos {
    Nanos::from_secs(k) + PHASE
}

#[derive(Clone, Default)]
struct Entries(Arc<Mutex<Vec<Entry>>>);

impl Entries {
    fn sink(&self) -> impl Fn(Entry) + Send + Clone + 'static {
        let seen = self.0.clone();
        move |entry| seen.lock().unwrap().push(entry)
    }

    /// Monitor, instant by number, instance, metric, value.
    fn rows(&self) -> Vec<(u16, f64, String, u16, Option<f64>)> {
        let seen = self.0.lock().unwrap();
        let rows = seen.iter().filter_map(|entry| if let Entry::Samples(rows) = entry { Some(rows) } else { None });
        rows.flatten()
            .map(|row| (row.monitor, (row.at - PHASE).as_secs_f64(), row.instance.clone(), row.metric, row.value))
            .collect()
    }

    fn events(&self) -> Vec<(String, String, String)> {
        let seen = self.0.lock().unwrap();
        let events = seen.iter().filter_map(|entry| if let Entry::Event(event) = entry { Some(event) } else { None });
        events.map(|event| (event.kind.clone(), event.subject.clone(), event.text.clone())).collect()
    }

    fn wait_for(&self, is_there: impl Fn(&Self) -> bool) {
        let clock = Clock::system();
        while !is_there(self) {
            assert!(clock.now() < Nanos::from_secs(20), "{:?} {:?}", self.rows(), self.events());
            clock.sleep_until(clock.now() + Nanos::MILLISECOND);
        }
    }
}

#[test]
fn samples_lie_on_the_grid_and_a_slow_monitor_delays_only_itself() {
    let (clock, seen) = (Clock::simulated(), Entries::default());
    let inner = clock.clone();
    let mut is_first = true;
    let is_busy = Arc::new(AtomicBool::new(false));
    let busy = is_busy.clone();
    let slow = built(1, move |at, out| {
        let instance = out.instance("db");
        out.value(at, instance, 0, at.second() as f64);
        // The third sample takes 3.5 s; others move the clock there.
        if at == instant(2) && std::mem::take(&mut is_first) {
            busy.store(true, Ordering::Relaxed);
            while inner.now() < instant(5) + Nanos::from_millis(500) {
                std::thread::yield_now();
            }
        }
        Ok(())
    });
    let quick = built(0, |at, out| {
        let instance = out.instance("host");
        out.value(at, instance, 0, 1.0);
        Ok(())
    });
    let watching = start(vec![quick, slow], &clock, seen.sink());
    for second in 0..=5 {
        clock.advance_to(instant(second));
        let at = second as f64;
        seen.wait_for(|seen| seen.rows().iter().any(|row| row.0 == 0 && row.1 == at));
        // The clock goes on when the slow one is in the middle of its third sample, not while it wakes up for it.
        let has_sampled = |seen: &Entries| seen.rows().iter().any(|row| row.0 == 1 && row.1 == at);
        seen.wait_for(|seen| if second < 2 { has_sampled(seen) } else { is_busy.load(Ordering::Relaxed) });
    }
    clock.advance_to(instant(5) + Nanos::from_millis(500));
    seen.wait_for(|seen| seen.rows().iter().any(|row| row.0 == 1 && row.1 == 5.0));
    clock.advance_to(instant(6));
    seen.wait_for(|seen| seen.rows().iter().any(|row| row.0 == 1 && row.1 == 6.0));
    assert_eq!(watching.stop().0.len(), 2);
    let of = |monitor| -> Vec<_> {
        seen.rows().into_iter().filter(|row| row.0 == monitor).map(|row| (row.1, row.4)).collect()
    };
    let quick: Vec<_> = of(0).iter().map(|row| row.0).collect();
    assert_eq!(quick[..6], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let expected =
        [(0.0, Some(0.0)), (1.0, Some(1.0)), (2.0, Some(2.0)), (3.0, None), (4.0, None), (5.0, None), (6.0, Some(6.0))];
    assert_eq!(of(1)[..7], expected);
    let events = seen.events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0].2, "no sample of `m1`: a sample took 3.5s, longer than its period of 1s");
}

#[test]
fn an_outage_is_a_gap_for_what_was_known_and_one_event() {
    let (clock, seen) = (Clock::simulated(), Entries::default());
    let monitor = built(4, |at, out| {
        let first = out.instance("a");
        match at.second() {
            0 => {
                out.value(at, first, 0, 7.0);
                out.duration(at, first, 1, Nanos::MILLISECOND);
                let second = out.instance("b");
                out.value(at, second, 0, f64::NAN);
            }
            1 | 2 => return Err(Failure::new("the database does not answer")),
            3 => {
                // `b` falls silent although the monitor works.
                out.value(at, first, 0, 8.0);
                out.event(at, first, Event { kind: "flush", text: "flushed".into() });
            }
            _ => panic!("a defect"),
        }
        Ok(())
    });
    let watching = start(vec![monitor], &clock, seen.sink());
    assert_eq!(watching.facts().0, [("scripted".to_owned(), "version".to_owned(), "1".to_owned())]);
    for second in 0..=4 {
        clock.advance_to(instant(second));
        seen.wait_for(|seen| seen.rows().iter().any(|row| row.1 == second as f64));
    }
    watching.stop();
    let at = |second: f64| -> Vec<_> {
        seen.rows().into_iter().filter(|row| row.1 == second).map(|row| (row.2, row.3, row.4)).collect()
    };
    let gap = |name: &str| (name.to_owned(), 0, None);
    assert_eq!(at(0.0), [("a".to_owned(), 0, Some(7.0)), ("a".to_owned(), 1, Some(0.001)), gap("b")]);
    assert_eq!(at(1.0), [gap("a"), gap("b")], "no gap in a distribution");
    assert_eq!(at(2.0), [gap("a"), gap("b")]);
    assert_eq!(at(3.0), [("a".to_owned(), 0, Some(8.0)), gap("b")]);
    assert_eq!(at(4.0)[..2], [gap("a"), gap("b")]);
    let events = seen.events();
    let kinds: Vec<_> = events.iter().map(|event| (event.0.as_str(), event.1.as_str())).collect();
    assert_eq!(kinds, [("no_sample", "m4"), ("flush", "a"), ("no_sample", "m4")]);
    assert_eq!(events[0].2, "no sample of `m4`: the database does not answer");
    assert!(events[2].2.contains("a defect in it"));
}

/// Of two instances one was never there: its gaps and one event say so, though the other one has values.
#[test]
fn an_instance_that_never_came_has_gaps_and_one_event() {
    let (clock, seen) = (Clock::simulated(), Entries::default());
    let monitor = built(0, |at, out| {
        let (there, away) = (out.instance("a"), out.instance("b"));
        // The other one goes away at 2, comes back at 4; the one that never came does at 5.
        if !(2..4).contains(&at.second()) {
            out.value(at, there, 0, 1.0);
        } else {
            out.missing(there, "it is out");
        }
        match at.second() {
            0..5 => out.missing(away, "no such log"),
            _ => out.value(at, away, 0, 7.0),
        }
        Ok(())
    });
    let watching = start(vec![monitor], &clock, seen.sink());
    for second in 0..=5 {
        clock.advance_to(instant(second));
        seen.wait_for(|seen| seen.rows().iter().any(|row| row.1 == second as f64));
    }
    watching.stop();
    let of = |name: &str| -> Vec<(f64, Option<f64>)> {
        let rows = seen.rows().into_iter().filter(|row| row.2 == name && row.1 <= 5.0);
        rows.map(|row| (row.1, row.4)).take(6).collect()
    };
    let one = [Some(1.0), Some(1.0), None, None, Some(1.0), Some(1.0)];
    assert_eq!(of("a"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].into_iter().zip(one).collect::<Vec<_>>());
    let never = [None, None, None, None, None, Some(7.0)];
    assert_eq!(of("b"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].into_iter().zip(never).collect::<Vec<_>>());
    let events = seen.events().into_iter().filter(|(kind, ..)| kind == "no_sample");
    let events: Vec<(String, String)> = events.map(|(_, subject, text)| (subject, text)).collect();
    let told = |name: &str, why: &str| (name.to_owned(), format!("no sample of `{name}` by `m0`: {why}"));
    assert_eq!(events, [told("b", "no such log"), told("a", "it is out")]);
}

/// A slow query is asked for at every other sample: its rows are missing at none of them, unless all of it is out.
#[test]
fn what_was_not_asked_for_is_no_gap() {
    let (clock, seen) = (Clock::simulated(), Entries::default());
    let monitor = built(0, |at, out| {
        let (own, label) = (out.instance("db"), out.instance("open"));
        if at.second() == 3 {
            out.quiet(label, 0);
            return Err(Failure::new("it does not answer"));
        }
        out.value(at, own, 0, 1.0);
        match at.second() % 2 {
            0 => out.value(at, label, 0, 5.0),
            _ => out.quiet(label, 0),
        }
        Ok(())
    });
    let watching = start(vec![monitor], &clock, seen.sink());
    for second in 0..=4 {
        clock.advance_to(instant(second));
        seen.wait_for(|seen| seen.rows().iter().any(|row| row.1 == second as f64 && row.2 == "db"));
    }
    watching.stop();
    let rows = seen.rows().into_iter().filter(|row| row.2 == "open").map(|row| (row.1, row.4));
    assert_eq!(rows.take(4).collect::<Vec<_>>(), [(0.0, Some(5.0)), (2.0, Some(5.0)), (3.0, None), (4.0, Some(5.0))]);
}

#[test]
fn the_generator_and_the_clock_are_on_record() {
    let (clock, seen) = (Clock::system(), Entries::default());
    let generator = Built {
        number: 0,
        name: generator::NAME.into(),
        kinds: kinds(generator::METRICS),
        every: Nanos::SECOND,
        monitor: generator::monitor(),
    };
    let watching = start(vec![generator], &clock, seen.sink());
    assert!(watching.facts().0.iter().all(|(subject, _, _)| subject == "generator"));
    watching.stop();
    // The sample at the end is always taken.
    assert!(seen.rows().iter().any(|row| row.2 == "generator" && generator::METRICS[usize::from(row.3)].name == "rss"));
    let entries = seen.0.lock().unwrap();
    assert!(entries.iter().filter(|entry| matches!(entry, Entry::Clock(_))).count() >= 2);
}
