//! How the load ended that was in hand when the conductor died: its marks, the nodes that were lost, and why the run ends.

use super::Node;
use super::seen::Seen;
use plan::{Plan, ScenarioPlan};
use record::{Ending, Head, StepMark};
use study::Study;
use terms::{EndReason, Nanos, iso};

/// The end of the load that was in hand.
pub(super) struct Over<'a> {
    /// Its place in the plan.
    index: Option<usize>,
    scenario: Option<&'a ScenarioPlan>,
    /// When it began, if it did.
    origin: Option<Nanos>,
    /// When its last start was due, and when what was open had ended.
    load_ended: Nanos,
    ended: Nanos,
    is_stopped: bool,
    /// Whether the conductor itself had seen its end.
    is_seen: bool,
    /// Name, why, whether that is the system's doing, and up to when its rows are there.
    lost: Vec<(String, String, bool, Nanos)>,
}

impl<'a> Over<'a> {
    pub(super) fn of(plan: &'a Plan, nodes: &[Node], seen: &Seen) -> Self {
        let index = nodes.first().and_then(|node| node.ordered.scenario);
        let scenario = index.and_then(|index| plan.scenarios.get(index));
        let count = scenario.and_then(|scenario| scenario.nodes).map_or(nodes.len(), usize::from).min(nodes.len());
        let own = &nodes[..count];
        let is_told = |node: &&Node| node.ordered.scenario == index;
        let origin = own.iter().filter(is_told).find_map(|node| node.ordered.origin);
        let overs = || own.iter().filter_map(|node| node.over).filter(|over| Some(over.scenario) == index);
        let closed = own.iter().map(|node| node.closed).max().unwrap_or_default();
        let all_lost = overs().next().is_none();
        let load_ended = overs().filter_map(|over| over.at_ns).max().map_or(closed, Nanos);
        let ended = overs().map(|over| over.ended_ns).max().map_or(closed, Nanos);
        let lost = own.iter().filter_map(|node| {
            let has_begun = is_told(&node) && node.ordered.origin.is_some();
            let (why, is_system) = match &node.lost {
                Some(lost) => lost.clone(),
                None if origin.is_some() && !has_begun => ("nobody told it to begin".to_owned(), false),
                None => return None,
            };
            Some((node.name.clone(), why, is_system, node.closed))
        });
        Self {
            index,
            scenario,
            origin,
            load_ended,
            ended: ended.max(load_ended),
            is_stopped: all_lost || overs().any(|over| over.is_stopped),
            is_seen: scenario.is_some_and(|scenario| seen.has(scenario.drain, true)),
            lost: lost.collect(),
        }
    }

    /// When everything of it had ended; the run's beginning where nothing was on.
    pub(super) fn ended(&self) -> Nanos {
        if self.is_on() { self.ended } else { Nanos::ZERO }
    }

    /// Whether its end is for us to tell.
    fn is_on(&self) -> bool {
        self.origin.is_some() && !self.is_seen
    }

    /// Whether it went on when the conductor was dead.
    pub(super) fn goes_beyond(&self, seen: &Seen) -> bool {
        self.is_on() && self.ended > seen.last()
    }

    /// Begins and ends of its steps with their numbers: so many of one moment as the mix has parts.
    fn steps(&self) -> Vec<(Vec<u32>, Nanos, Nanos)> {
        let (Some(scenario), Some(origin)) = (self.scenario, self.origin) else { return Vec::new() };
        let end = scenario.length.map_or(self.load_ended, |length| origin + length);
        let end = if self.is_stopped { end.min(self.load_ended) } else { end };
        let mut steps: Vec<(Vec<u32>, Nanos, Nanos)> = Vec::new();
        for phase in 0..scenario.parts.first().map_or(0, |part| part.load_steps.len()) {
            let own = || scenario.parts.iter().filter_map(move |part| part.load_steps.get(phase));
            // A step that begins by count is marked by the thread that comes to it.
            let Some(from) = own().next().and_then(|step| step.from).map(|from| origin + from) else { break };
            if from > end {
                break;
            }
            if let Some((.., before)) = steps.last_mut() {
                *before = from;
            }
            steps.push((own().map(|step| step.step).collect(), from, end));
        }
        steps
    }

    /// Marks that the conductor did not live to make.
    pub(super) fn marks(&self, seen: &Seen) -> Vec<StepMark> {
        let Some(scenario) = self.scenario.filter(|_| self.is_on()) else { return Vec::new() };
        let mut marks = Vec::new();
        for (numbers, from, to) in self.steps() {
            let mark = |at, is_end| numbers.iter().map(move |step| StepMark { step: *step, at, is_end });
            marks.extend(mark(from, false));
            marks.extend(mark(to, true));
        }
        let last = scenario.parts.iter().filter_map(|part| part.load_steps.last());
        let by_count = last.filter(|step| step.from.is_none());
        marks.extend(by_count.map(|step| StepMark { step: step.step, at: self.load_ended, is_end: true }));
        let planned = self.steps().last().map(|(.., to)| *to).filter(|_| scenario.length.is_some());
        let drains = planned.unwrap_or(self.load_ended);
        marks.push(StepMark { step: scenario.drain, at: drains, is_end: false });
        if self.lost.is_empty() {
            marks.push(StepMark { step: scenario.drain, at: self.ended.max(drains), is_end: true });
        }
        marks.sort_by_key(|mark| (mark.at, !mark.is_end));
        marks.retain(|mark| !seen.has(mark.step, mark.is_end));
        marks
    }

    /// Each node that was lost, with a moment within each step that lacks what it did, and why.
    pub(super) fn lost(&self) -> Vec<(String, Nanos, String)> {
        let mut all = Vec::new();
        for (name, why, _, closed) in self.lost.iter().filter(|_| self.is_on()) {
            let steps = self.steps();
            let lacking = steps.iter().filter(|(.., to)| to > closed).map(|(_, from, _)| *(from.max(closed)));
            let mut moments: Vec<Nanos> = lacking.collect();
            if moments.is_empty() {
                moments.push((*closed).max(self.load_ended));
            }
            all.extend(moments.into_iter().map(|at| (name.clone(), at, why.clone())));
        }
        all
    }

    /// Why the run ended, as `run.json` has it. `unwatched` is from when to when nobody watched.
    pub(super) fn ending(&self, plan: &Plan, study: &Study, head: &Head, unwatched: (Nanos, Nanos)) -> Ending {
        let (from, to) = unwatched;
        let done = self.index.map_or(0, |index| index + usize::from(self.origin.is_some()));
        let left = plan.scenarios.iter().skip(done).map(|scenario| match scenario.repetition {
            1 => format!("`{}`", scenario.name),
            again => format!("`{}#{again}`", scenario.name),
        });
        let mut left: Vec<String> = left.collect();
        let unseen = self.scenario.and_then(|scenario| scenario.recovery).is_some();
        if unseen && self.is_on() {
            left.push("the watching after the load".into());
        }
        let searches = study.scenarios.iter().any(|scenario| scenario.point.is_some());
        let mut text = format!("the process that conducted the run died {:.1} s after its start", from.as_secs_f64());
        let reason = match self.lost.iter().max_by_key(|(_, _, is_system, _)| *is_system) {
            Some((name, why, is_system, _)) => {
                text += &format!("; the load node {name} was lost: {why}");
                if *is_system { EndReason::Target } else { EndReason::Generator }
            }
            None if self.is_on() && self.is_stopped => {
                text += "; the load that was on was stopped, and what its nodes recorded was collected";
                EndReason::Interrupted
            }
            None if self.is_on() => {
                text += "; its load nodes carried the load in hand to its end, and what they recorded was collected";
                let is_all = left.is_empty() && !searches;
                if is_all { EndReason::Completed } else { EndReason::Interrupted }
            }
            None => {
                text += " when no load was on; what its load nodes had recorded was collected";
                EndReason::Interrupted
            }
        };
        if !left.is_empty() {
            text += &format!("; not carried out: {}", left.join(", "));
        }
        let ended = iso::millis(Nanos(head.wall_origin_ns) + to);
        Ending { reason: reason.name().into(), text, ended, at_ns: to.0, ..Ending::default() }
    }
}
