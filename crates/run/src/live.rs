//! What the recording thread shows to the people who watch, and to the abort rules.

use crate::figures::Figures;
use crate::seconds::Seconds;
use clock::Clock;
use drive::{Control, Stop};
use judge::live::{AbortRules, Afterwards, Backlogs, Begins, Held, Rest};
use judge::searches::ABORT;
use record::{Entry, EventRow, Head, Observed, SampleRow};
use recorder::Folded;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use study::Wait;
use terms::Nanos;

/// State shared by the recording thread (which writes it) and the screen (which reads it).
#[derive(Clone)]
pub(crate) struct Live(Arc<Mutex<Inner>>);

/// The rules that are looked at while a scenario goes on, or as soon as it is over.
pub(crate) struct LiveRules {
    /// Those that stop the run.
    pub(crate) aborts: Vec<study::rule::Rule>,
    /// Those that others wait for.
    pub(crate) followed: Vec<study::rule::Rule>,
    /// What ends the waits around its load.
    pub(crate) until: BTreeMap<Wait, study::rule::Rule>,
    /// Its name, where it is an attempt of a search: an abort rule ends that alone.
    pub(crate) attempt: Option<String>,
}

/// So long the last rows of a scenario may take from the load threads to here.
const PATIENCE: Nanos = Nanos::from_secs(10);
const PAUSE: Nanos = Nanos::from_millis(10);

struct Inner {
    seconds: Seconds,
    rules: Option<AbortRules>,
    /// Of the counters that abort rules name, since the run began.
    begins: Begins,
    /// What others will ask of the scenario in hand, or of one before.
    afterwards: Vec<((u16, u32), Afterwards)>,
    /// What the waits of the scenario in hand are for.
    rests: BTreeMap<Wait, Rest>,
    /// Of the legs that are counted, since the run began.
    backlogs: Backlogs,
    control: Control,
    held: Option<Held>,
    /// The attempt of a search that is in hand.
    attempt: Option<String>,
}

impl Live {
    /// `aborts` are the abort rules of all scenarios.
    pub(crate) fn new(head: Head, aborts: Vec<study::rule::Rule>, control: Control) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            begins: Begins::new(&head, aborts),
            backlogs: Backlogs::new(&head),
            seconds: Seconds::new(head),
            rules: None,
            afterwards: Vec::new(),
            rests: BTreeMap::new(),
            control,
            held: None,
            attempt: None,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// More is known of the run: what is watched in it.
    pub(crate) fn follow(&self, head: &Head) {
        let mut inner = self.lock();
        inner.backlogs.follow(head);
        inner.begins.follow(head);
    }

    /// A scenario begins: its own rules, its own books.
    pub(crate) fn begin(&self, head: &Head, scenario: (u16, u32), rules: LiveRules) {
        let mut inner = self.lock();
        inner.seconds.begin(head.clone(), scenario);
        inner.backlogs.follow(head);
        inner.begins.follow(head);
        let LiveRules { aborts, followed, until, attempt } = rules;
        inner.attempt = attempt;
        inner.rests = until.into_iter().map(|(wait, rule)| (wait, Rest::new(head, scenario, (wait, rule)))).collect();
        inner.rules = Some(AbortRules::new(head.clone(), usize::from(scenario.0), aborts).of_repetition(scenario.1));
        let followed = followed.into_iter().filter_map(|rule| Some((scenario, Afterwards::new(head, scenario, rule)?)));
        inner.afterwards.extend(followed);
    }

    /// Whether the rule that others wait for holds of a scenario, the time that it was carried out, with its value; none
    /// where it was not carried out or the rule cannot be told. Waits until all of it has been recorded.
    pub(crate) fn afterwards(&self, scenario: (u16, u32), clock: &Clock) -> Option<(bool, f64)> {
        let until = clock.now() + PATIENCE;
        loop {
            let mut inner = self.lock();
            let place = inner.afterwards.iter().position(|(known, _)| *known == scenario)?;
            if inner.afterwards[place].1.is_over() {
                return inner.afterwards.swap_remove(place).1.holds();
            }
            drop(inner);
            let now = clock.now();
            if now >= until {
                return None;
            }
            clock.sleep_until(now + PAUSE);
        }
    }

    /// Since when what a wait of the scenario in hand is for has held, by what was seen from a moment on; none where it does
    /// not hold now, or that cannot be told (yet).
    pub(crate) fn rested(&self, wait: Wait, from: Nanos) -> Option<Nanos> {
        let inner = self.lock();
        inner.rests.get(&wait)?.held_since(from, &inner.backlogs)
    }

    /// Whether a wait is for a leg that is counted.
    pub(crate) fn is_for_counted(&self, wait: Wait) -> bool {
        let inner = self.lock();
        inner.rests.get(&wait).is_some_and(|rest| rest.is_for_counted(&inner.backlogs))
    }

    /// What is known of such a leg that was not drained, in a few words.
    pub(crate) fn why_unrested(&self, wait: Wait) -> Option<String> {
        let inner = self.lock();
        inner.rests.get(&wait)?.why_not(&inner.backlogs)
    }

    /// Shows a step whose mark is still to come.
    pub(crate) fn show(&self, step: u32, at: Nanos) {
        self.lock().seconds.see_step(step, at);
    }

    /// The abort rule that held, if one did.
    pub(crate) fn held(&self) -> Option<Held> {
        self.lock().held.clone()
    }

    /// The rule that held ended an attempt of a search, and others follow.
    pub(crate) fn go_on(&self) {
        self.lock().held = None;
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
            Observed::Step(mark) => {
                inner.afterwards.iter_mut().for_each(|(_, afterwards)| afterwards.mark(mark));
                inner.rests.values_mut().for_each(|rest| rest.mark(mark));
                inner.backlogs.mark(mark);
                inner.rules.iter_mut().for_each(|rules| rules.mark(mark));
                if !mark.is_end {
                    inner.seconds.see_step(mark.step, mark.at);
                }
            }
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
        self.afterwards.iter_mut().for_each(|(_, afterwards)| afterwards.add(folded));
        self.backlogs.add(folded);
        // A part whose first answer is still to come has begun all the same.
        let ended = folded.legs.iter().map(|row| row.end_s).max();
        let newest = ended.max(folded.iterations.iter().map(|row| row.end_s).max());
        let now = Nanos::from_secs(newest.unwrap_or(0));
        self.rules.iter_mut().for_each(|rules| rules.add(folded, now));
    }

    fn see_samples(&mut self, rows: &[SampleRow]) {
        self.seconds.see_samples(rows);
        self.afterwards.iter_mut().for_each(|(_, afterwards)| afterwards.add_samples(rows));
        self.rests.values_mut().for_each(|rest| rest.add_samples(rows));
        self.backlogs.add_samples(rows);
        self.begins.add_samples(rows);
        if let (Some(rules), Some(last)) = (self.rules.as_mut(), rows.last()) {
            rules.add_samples(rows, last.at);
        }
    }

    /// An abort rule that holds stops the run, or the attempt of a search, once, and is an event. In a search the system
    /// has to be clean and at rest for what follows, so what is open may end there.
    fn check(&mut self, now: Nanos) -> Option<Entry> {
        if self.held.is_some() {
            return None;
        }
        let held = self.rules.as_mut()?.check(now, &self.begins)?;
        self.control.stop(if self.attempt.is_some() { Stop::Drain } else { Stop::Now });
        let because = held.because.as_ref().map_or_else(String::new, |rule| format!(", of `{rule}`"));
        let fall = held.fall.as_ref().map_or_else(String::new, |fall| format!(": {fall}"));
        let text = format!("`{}` held (value {:.4}{because}){fall}", held.rule, held.value);
        self.held = Some(held);
        let subject = self.attempt.clone().unwrap_or_else(|| "run".into());
        Some(Entry::Event(EventRow { at: now, kind: ABORT.into(), subject, text }))
    }
}
