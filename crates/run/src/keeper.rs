//! Looks after everything but the load while the load runs: signals, instances, the screen, and what must stop it.

use crate::defects;
use crate::observer::{News, Observer};
use crate::recorded::Record;
use crate::signals::{self, Signals};
use clock::Clock;
use drive::{Control, Stop};
use launch::Launched;
use record::Head;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use terms::Nanos;

/// Looks after everything but the load while the load runs.
pub(crate) struct Keeper<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) control: &'a Control,
    pub(crate) record: &'a Record,
    pub(crate) signals: &'a Signals,
    pub(crate) observer: &'a dyn Observer,
    /// The system, and how the last replica of an instance ended, if one did.
    pub(crate) system: Mutex<(Launched, Option<String>)>,
}

impl Keeper<'_> {
    /// Looks until the load is done. Should it fail itself, nobody would see signals any more: then the load stops.
    pub(crate) fn keep(&self, head: &Head, done: &AtomicBool) {
        if catch_unwind(AssertUnwindSafe(|| self.look(head, done))).is_err() {
            self.control.stop(Stop::Now);
        }
    }

    /// How an instance ended of which nothing is left, so that there is nothing to measure.
    pub(crate) fn dead(&self) -> Option<String> {
        self.system.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// An abort rule ended an attempt of a search. Whether nothing else asks for an end: then the load goes on, and waits
    /// what the attempt would have waited behind it.
    pub(crate) fn go_on(&self, gap: Nanos) -> bool {
        let is_interrupted = || self.signals.interrupted().load(Ordering::Relaxed);
        if self.dead().is_some() || self.record.entries.is_failed() || defects::is_in_the_way() || is_interrupted() {
            return false;
        }
        self.record.live.go_on();
        // A signal that comes now is passed on again as soon as the next load begins.
        self.control.go_on();
        let until = self.clock.now() + gap;
        while self.clock.now() < until && !is_interrupted() {
            self.clock.sleep_until(until.min(self.clock.now() + Nanos::from_millis(100)));
        }
        true
    }

    /// The system as it was handed over.
    pub(crate) fn into_system(self) -> Launched {
        self.system.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }

    fn look(&self, head: &Head, done: &AtomicBool) {
        let mut next_look = self.clock.now();
        while !done.load(Ordering::Acquire) {
            let now = self.clock.now();
            if let (stop, Some(name)) = self.signals.pass_on(self.control) {
                let text = match stop {
                    Stop::Now => format!("stopping now ({name})"),
                    _ => format!("stopping ({name}): no new starts; what is open may end{}", signals::again(name)),
                };
                self.observer.hear(News::Stopping(&text));
                self.record.entries.event(self.clock.now(), "interrupt", "run", &text);
            }
            if self.record.entries.is_failed() || defects::is_in_the_way() {
                self.control.stop(Stop::Now);
            }
            if now >= next_look {
                next_look = now + Nanos::SECOND;
                self.look_at_instances();
                let figures = self.record.live.figures();
                self.observer.hear(News::Second { figures: &figures, head, now: self.clock.now() });
            }
            self.clock.sleep_until(now + Nanos::from_millis(50));
        }
    }

    /// A replica that dies is an event; when the last one of an instance is gone there is nothing left to measure.
    pub(crate) fn look_at_instances(&self) {
        let Ok(mut system) = self.system.lock() else { return };
        let (launched, dead) = &mut *system;
        for event in launched.check() {
            self.observer.hear(News::Instance(&event.text));
            self.record.entries.event(event.at, event.kind, &event.subject, &event.text);
            if event.kind == "gone" && launched.survivors(&event.subject) == 0 {
                self.control.stop(Stop::Drain);
                dead.get_or_insert(event.text);
            }
        }
    }
}
