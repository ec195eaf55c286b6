//! Looks after everything but the load while the load runs: signals, instances, the screen, and what must stop it.

use crate::conduct::event_entry;
use crate::defects;
use crate::live::Live;
use crate::progress::Progress;
use crate::signals::{self, Signals};
use clock::Clock;
use contract::KeptOut;
use drive::{Control, Stop};
use launch::Launched;
use record::{Entry, EventRow, Handle, Head};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use terms::Nanos;

/// Looks after everything but the load while the load runs.
pub(crate) struct Keeper<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) control: &'a Control,
    pub(crate) handle: &'a Handle,
    pub(crate) live: &'a Live,
    pub(crate) kept_out: &'a KeptOut,
}

impl Keeper<'_> {
    /// Looks until the load is done. Should it fail itself, nobody would see signals any more: then the load stops.
    pub(crate) fn keep(
        &self,
        run: &Head,
        progress: &mut Progress,
        signals: &Signals,
        launched: &Mutex<Launched>,
        done: &AtomicBool,
        dead: &Mutex<Option<String>>,
    ) {
        let look = || self.look(run, progress, signals, launched, done, dead);
        if catch_unwind(AssertUnwindSafe(look)).is_err() {
            self.control.stop(Stop::Now);
        }
    }

    fn look(
        &self,
        run: &Head,
        progress: &mut Progress,
        signals: &Signals,
        launched: &Mutex<Launched>,
        done: &AtomicBool,
        dead: &Mutex<Option<String>>,
    ) {
        let mut next_look = self.clock.now();
        while !done.load(Ordering::Acquire) {
            let now = self.clock.now();
            if let (stop, Some(name)) = signals.pass_on(self.control) {
                let text = match stop {
                    Stop::Now => format!("stopping now ({name})"),
                    _ => format!("stopping ({name}): no new starts; what is open may end{}", signals::again(name)),
                };
                progress.say(&text);
                self.event("interrupt", "run", &text);
            }
            if self.handle.is_failed() || defects::is_in_the_way() {
                self.control.stop(Stop::Now);
            }
            if now >= next_look {
                next_look = now + Nanos::SECOND;
                self.look_at_instances(launched, dead, progress);
                progress.show(self.live, run, self.clock);
            }
            self.clock.sleep_until(now + Nanos::from_millis(50));
        }
    }

    /// A replica that dies is an event; when the last one of an instance is gone there is nothing left to measure.
    fn look_at_instances(&self, launched: &Mutex<Launched>, dead: &Mutex<Option<String>>, progress: &Progress) {
        let Ok(mut launched) = launched.lock() else { return };
        for event in launched.check() {
            progress.say(&event.text);
            let is_gone = event.kind == "gone";
            let (subject, text) = (event.subject.clone(), self.kept_out.cut(&event.text).into_owned());
            self.handle.send(event_entry(event, self.kept_out));
            if is_gone && launched.survivors(&subject) == 0 {
                self.control.stop(Stop::Drain);
                if let Ok(mut dead) = dead.lock() {
                    dead.get_or_insert(text);
                }
            }
        }
    }

    fn event(&self, kind: &str, subject: &str, text: &str) {
        let event = EventRow { at: self.clock.now(), kind: kind.into(), subject: subject.into(), text: text.into() };
        self.handle.send(Entry::Event(event));
    }
}
