//! The load of a run: driven by this thread, while another looks after everything else.

use crate::defects;
use crate::keeper::Keeper;
use crate::live::LiveRules;
use crate::load::{Load, Rows};
use crate::recorded::Record;
use crate::watching::Hints;
use clock::Clock;
use drive::{Control, DriveError, Kept, Stop};
use plan::ScenarioPlan;
use record::{Entry, EventRow, Head, Observed, StepMark};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use study::{OnlyIf, Wait};
use terms::{EndReason, Nanos};

/// How often it is asked whether a wait is over; samples come once a second.
const LOOK_EVERY: Nanos = Nanos::from_millis(100);

/// What the load of a run came to.
pub(crate) struct Driven {
    /// Why it ended, in one word and in a sentence.
    pub(crate) end: Result<(EndReason, String), DriveError>,
    /// Whether anything was measured.
    pub(crate) has_load: bool,
}

/// Drives some of the scenarios that are planned while `keeper` looks after signals, instances and the screen.
pub(crate) fn drive(
    load: &Load<'_>,
    some: Range<usize>,
    kept: &mut Kept,
    hints: &Hints,
    keeper: &Keeper<'_>,
    head: &Head,
) -> Driven {
    let rows =
        Recorded { load, head, record: keeper.record, hints, clock: keeper.clock, has_load: AtomicBool::new(false) };
    let done = AtomicBool::new(false);
    let driven = std::thread::scope(|scope| {
        // Without it nobody would see a signal: then nothing is driven.
        std::thread::Builder::new().name("keeper".into()).spawn_scoped(scope, || keeper.keep(head, &done))?;
        let _over = Over(&done);
        load.drive_some(some, kept, keeper.clock, keeper.control, &rows)
    });
    Driven { end: end(driven, keeper), has_load: rows.has_load.into_inner() }
}

/// Tells the keeper that the load is over, however it ended: it would look on for ever beside a thread that panicked.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Why the load ended: what made the record worthless comes before what stopped it.
fn end(driven: Result<(), DriveError>, keeper: &Keeper<'_>) -> Result<(EndReason, String), DriveError> {
    if let Some(failure) = keeper.record.failure() {
        return Ok((EndReason::Generator, failure.to_string()));
    }
    if let Err(error @ DriveError::NodeLost { node, .. }) = &driven {
        let text = error.to_string();
        keeper.record.entries.event(keeper.clock.now(), record::NODE_LOST, node, &text);
        return Ok((EndReason::Generator, text));
    }
    driven?;
    if defects::is_in_the_way() {
        return Ok((EndReason::Generator, "a defect in loadproof stopped it".into()));
    }
    if let Some(held) = keeper.record.live.held() {
        let fall = held.fall.as_ref().map_or_else(String::new, |fall| format!(": {fall}"));
        return Ok((EndReason::Aborted, format!("the abort rule `{}` held{fall}", held.rule)));
    }
    if let Some(text) = keeper.dead() {
        return Ok((EndReason::Target, text));
    }
    Ok(match keeper.control.get() {
        Stop::No => completed(),
        Stop::Drain => (EndReason::Interrupted, "stopped by the operator; what was open could end".into()),
        Stop::Now => (EndReason::Interrupted, "stopped at once by the operator".into()),
    })
}

/// Everything went as planned.
pub(crate) fn completed() -> (EndReason, String) {
    (EndReason::Completed, "everything planned was carried out".into())
}

/// Rows on their way into the record, and who is told of them.
struct Recorded<'a> {
    load: &'a Load<'a>,
    head: &'a Head,
    record: &'a Record,
    hints: &'a Hints,
    clock: &'a Clock,
    has_load: AtomicBool,
}

/// A scenario's name in events, with the time that it is carried out where that is not the first.
fn name_of(scenario: &ScenarioPlan) -> String {
    match scenario.repetition {
        1 => scenario.name.clone(),
        again => format!("{}#{again}", scenario.name),
    }
}

impl Recorded<'_> {
    /// A step of the load ends where the next begins; the drain is the last of them.
    fn tell_of_load(&self, mark: &StepMark) {
        let mut scenarios = self.load.prepared.plan.scenarios.iter();
        let Some(scenario) = scenarios.find(|scenario| scenario.steps.contains(&mark.step)) else { return };
        let quiet = [scenario.idle, scenario.recovery].map(|phase| phase.map(|(step, _)| step));
        if !quiet.contains(&Some(mark.step)) {
            self.hints.load_on.set(!(mark.is_end && mark.step == scenario.drain));
        }
    }
}

impl Rows for Recorded<'_> {
    fn wants(&self, scenario: &ScenarioPlan, only_if: &OnlyIf) -> bool {
        let study = &self.load.prepared.study;
        let of = study.scenarios.get(usize::from(only_if.of)).map_or("", |of| of.name.as_str());
        let found = self.record.live.afterwards((only_if.of, scenario.repetition), self.clock);
        let (is_wanted, why) = match found {
            Some((true, value)) => (true, format!("`{}` held of `{of}` ({value:.4})", only_if.rule.text)),
            Some((false, value)) => (false, format!("`{}` did not hold of `{of}` ({value:.4})", only_if.rule.text)),
            None => (false, format!("`{}` asks for what was not measured of `{of}`", only_if.rule.text)),
        };
        let kind = if is_wanted { record::ADAPTED } else { record::SKIPPED };
        self.record.entries.send(Entry::Event(EventRow {
            at: self.clock.now(),
            kind: kind.into(),
            subject: name_of(scenario),
            text: why,
        }));
        is_wanted
    }

    fn rest(&self, scenario: &ScenarioPlan, (wait, from): (Wait, Nanos), control: &Control) -> Option<Nanos> {
        let own = self.load.prepared.study.scenarios.get(usize::from(scenario.number))?;
        let (until, most) = (own.until.get(&wait)?, own.longest(wait));
        if let (Wait::Idle, Some((step, _))) = (wait, scenario.idle) {
            // Its mark is set when it is known since when it was quiet; until then the screen shows it all the same.
            self.record.live.show(step, from);
        }
        // What is open may leave something behind until it has ended: before, a drain is not over. What is counted is held
        // against all that was accepted, which is known from then on.
        let looked_from = match wait {
            Wait::Drain => self.clock.now(),
            _ if self.record.live.is_for_counted(wait) => from,
            _ => Nanos::ZERO,
        };
        let ends = from + most;
        let held = loop {
            let now = self.clock.now();
            match self.record.live.rested(wait, looked_from) {
                _ if control.get() != Stop::No => return None,
                Some(since) => break Some(since),
                None if now >= ends => break None,
                None => self.clock.sleep_until(ends.min(now + LOOK_EVERY)),
            }
        };
        let at = self.clock.now();
        let why = self
            .record
            .live
            .why_unrested(wait)
            .filter(|_| held.is_none())
            .map_or_else(String::new, |why| format!(": {why}"));
        let (took, rule, wait) = ((at - from).as_secs_f64(), &until.text, wait.name());
        let (kind, text) = match held {
            Some(_) => (record::RESTED, format!("`{rule}` held {took:.1} s into the {wait}")),
            None => {
                (record::UNRESTED, format!("`{rule}` did not hold within {most} of {wait}, and the run went on{why}"))
            }
        };
        let subject = name_of(scenario);
        self.record.entries.send(Entry::Event(EventRow { at, kind: kind.into(), subject, text }));
        held
    }

    fn begins(&self, scenario: &ScenarioPlan) {
        let own = &self.load.prepared.study.scenarios[usize::from(scenario.number)];
        let followed = self.load.prepared.study.scenarios.iter().filter_map(|other| other.only_if.as_ref());
        let followed = followed.filter(|only_if| only_if.of == scenario.number).map(|only_if| only_if.rule.clone());
        let attempt = own.point.is_some().then(|| own.name.clone());
        let rules = LiveRules { aborts: own.aborts(), followed: followed.collect(), until: own.until.clone(), attempt };
        self.record.live.begin(self.head, (scenario.number, scenario.repetition), rules);
    }

    fn take(&self, entry: Entry) {
        match &entry {
            Entry::Load(batch) => {
                self.has_load.store(true, Ordering::Relaxed);
                self.hints.counted.take(batch);
            }
            Entry::Seen(Observed::Load(_)) => self.has_load.store(true, Ordering::Relaxed),
            Entry::Step(mark) => self.tell_of_load(mark),
            _ => {}
        }
        match entry {
            Entry::Seen(_) => self.record.entries.send_in_turn(entry),
            entry => self.record.entries.send(entry),
        }
    }

    fn count(&self, counters: &[i64]) {
        self.hints.counted.add(counters);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_panics_while_it_drives_ends_the_one_that_looks_on() {
        let done = AtomicBool::new(false);
        let looks_on = || {
            while !done.load(Ordering::Acquire) {
                std::thread::yield_now()
            }
        };
        let driven = std::panic::catch_unwind(|| {
            std::thread::scope(|scope| {
                scope.spawn(looks_on);
                let _over = Over(&done);
                panic!("a defect");
            })
        });
        assert!(driven.is_err());
    }
}
