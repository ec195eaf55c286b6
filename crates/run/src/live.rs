//! What the recording thread shows to the people who watch, and to the abort rules.

use crate::figures::Figures;
use crate::seconds::Seconds;
use drive::{Control, Stop};
use judge::live::{AbortRules, Held};
use record::{Entry, EventRow, Head, Observed, SampleRow};
use recorder::Folded;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use terms::Nanos;

/// State shared by the recording thread (which writes it) and the screen (which reads it).
#[derive(Clone)]
pub(crate) struct Live(Arc<Mutex<Inner>>);

struct Inner {
    seconds: Seconds,
    rules: Option<AbortRules>,
    control: Control,
    held: Option<Held>,
}

impl Live {
    pub(crate) fn new(head: Head, control: Control) -> Self {
        Self(Arc::new(Mutex::new(Inner { seconds: Seconds::new(head), rules: None, control, held: None })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A scenario begins: its own rules, its own books.
    pub(crate) fn begin(&self, head: &Head, scenario: (u16, u32), rules: Vec<study::rule::Rule>) {
        let mut inner = self.lock();
        inner.seconds.begin(head.clone(), scenario);
        inner.rules = Some(AbortRules::new(head.clone(), usize::from(scenario.0), rules).of_repetition(scenario.1));
    }

    /// The abort rule that held, if one did.
    pub(crate) fn held(&self) -> Option<Held> {
        self.lock().held.clone()
    }

    /// Where the load stands now.
    pub(crate) fn figures(&self) -> Figures {
        self.lock().seconds.figures.clone()
    }

    /// Called by the recording thread for everything that is recorded; returns what is to be recorded because of it.
    pub(crate) fn see(&self, seen: &Observed) -> Option<Entry> {
        let mut inner = self.lock();
        match seen {
            Observed::Load(folded) => inner.see_load(folded),
            Observed::Step(mark) if !mark.is_end => inner.seconds.figures.step = Some((mark.step, mark.at)),
            Observed::Step(_) => {}
            Observed::Event(row) => inner.rules.iter_mut().for_each(|rules| rules.add_event(row)),
            Observed::Samples(rows) => inner.see_samples(rows),
            Observed::Engine(row) => {
                inner.seconds.see_thread(row);
                if row.worker == 0 {
                    return inner.check(Nanos::from_secs(row.second));
                }
            }
        }
        None
    }
}

impl Inner {
    fn see_load(&mut self, folded: &Folded) {
        self.seconds.see_load(folded);
        // A part whose first answer is still to come has begun all the same.
        let ended = folded.legs.iter().map(|row| row.end_s).max();
        let newest = ended.max(folded.iterations.iter().map(|row| row.end_s).max());
        let now = Nanos::from_secs(newest.unwrap_or(0));
        self.rules.iter_mut().for_each(|rules| rules.add(folded, now));
    }

    fn see_samples(&mut self, rows: &[SampleRow]) {
        self.seconds.see_samples(rows);
        if let (Some(rules), Some(last)) = (self.rules.as_mut(), rows.last()) {
            rules.add_samples(rows, last.at);
        }
    }

    /// An abort rule that holds stops the run, once, and is an event.
    fn check(&mut self, now: Nanos) -> Option<Entry> {
        if self.held.is_some() {
            return None;
        }
        let held = self.rules.as_ref()?.check(now)?;
        self.control.stop(Stop::Now);
        let because = held.because.as_ref().map_or_else(String::new, |rule| format!(", of `{rule}`"));
        let text = format!("`{}` held (value {:.4}{because})", held.rule, held.value);
        self.held = Some(held);
        Some(Entry::Event(EventRow { at: now, kind: "abort".into(), subject: "run".into(), text }))
    }
}
