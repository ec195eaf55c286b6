//! Which steps and seconds a rule looks at.

use super::language::{Call, Rule};
use super::rows::{Evidence, SECOND, Span, joined, seconds_nearest, seconds_touched, seconds_within};
use std::collections::BTreeSet;
use std::ops::Range;
use terms::Phase;

/// More seconds than this of a window are taken together by twos, threes and so on.
const APART_MOST: i64 = 3600;

/// What a rule looks at in one scenario, or one part of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    pub(super) place: (usize, Option<usize>),
    /// Steps whose iterations count.
    pub(super) steps: Vec<u32>,
    /// Seconds of intended starts, where only a part of a phase is looked at.
    intended: Option<Vec<Range<i64>>>,
    /// Stretches of time, nanoseconds.
    pub(super) moments: Vec<Range<i64>>,
    /// Seconds in which ends count, the steps that these may come from, and what they are divided by.
    pub(super) ends: Vec<Range<i64>>,
    pub(super) ends_of: Vec<u32>,
    pub(super) end_seconds: f64,
    /// Real length.
    pub(super) seconds: f64,
    /// From a second on, so many lie between repetitions.
    gaps: Vec<(i64, i64)>,
    width: i64,
    /// Whether it is all of a scenario: every phase, from begin to end.
    pub(super) is_all: bool,
    cut: Vec<(u32, Range<i64>)>,
    /// Only this stream's rows.
    pub(super) stream: Option<u16>,
}

/// Where a verdict is: read from the text of its scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scope {
    pub(super) scenario: usize,
    pub(super) part: Option<usize>,
    pub(super) repetition: Option<u32>,
    /// The step, where the rule looks at each by itself.
    pub(super) step: Option<String>,
    pub(super) exchange: Option<u16>,
    pub(super) stream: Option<String>,
    pub(super) instance: Option<String>,
}

impl Scope {
    /// `None` where the text is not that of a scope of this rule.
    pub(super) fn read(evidence: &Evidence, rule: &Rule, text: &str) -> Option<Self> {
        let head = &evidence.head;
        let names = head.scenarios.iter().enumerate();
        let under = |text: &'_ str, name: &str| {
            let rest = text.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with(['/', '#'])).then_some(rest.len())
        };
        let (scenario, known) =
            names.filter(|(_, known)| under(text, &known.name).is_some()).max_by_key(|(_, known)| known.name.len())?;
        let mut scope = Self { scenario, ..Self::default() };
        let mut rest = text[known.name.len()..].strip_prefix('/')?;
        let is_by_step = rule.per.iter().any(|per| per == "step");
        let words: Vec<String> = match is_by_step {
            true => evidence.steps_of((scenario, None)).map(|span| evidence.planned(span.number).id.clone()).collect(),
            false => vec![phase_of(rule).unwrap_or_else(|| "all".to_owned())],
        };
        let word = words.into_iter().filter(|word| under(rest, word).is_some()).max_by_key(String::len)?;
        rest = &rest[word.len()..];
        scope.step = is_by_step.then_some(word);
        if let Some(behind) = rest.strip_prefix('#') {
            let end = behind.find('/').unwrap_or(behind.len());
            scope.repetition = Some(behind[..end].parse().ok()?);
            rest = &behind[end..];
        }
        let mut names: Vec<&str> = rest.split('/').skip(1).collect();
        names.reverse();
        if let Some(part) = known.parts.iter().position(|part| names.last() == Some(&part.name.as_str())) {
            names.pop();
            scope.part = Some(part);
        }
        let is_per = |word: &str| rule.per.iter().any(|per| per == word);
        if is_per("stream") {
            scope.stream = names.pop().map(str::to_owned);
        }
        if is_per("exchange") && !names.is_empty() {
            scope.exchange = Some(evidence.exchange(names.pop()?)?);
        }
        if (is_per("instance") || is_per("replica")) && !names.is_empty() {
            names.reverse();
            scope.instance = Some(names.join("/"));
            names.clear();
        }
        names.is_empty().then_some(scope)
    }
}

/// The phase that a rule looks at, `None` for all: the hold, but all where counts are joined by `=`.
pub(super) fn phase_of(rule: &Rule) -> Option<String> {
    if let Some(phase) = &rule.phase {
        return (phase != "all").then(|| phase.clone());
    }
    let is_reconciliation = rule.clauses.iter().any(|clause| {
        let counted = clause.sums.iter().filter(|sum| !sum.calls().is_empty()).count();
        !clause.operators.is_empty() && clause.operators.iter().all(|operator| operator == "=") && counted > 1
    });
    (!is_reconciliation).then(|| "hold".to_owned())
}

impl Window {
    /// The window of a rule in a place: its own, or that of another scenario that a series names.
    pub(super) fn of(evidence: &Evidence, rule: &Rule, scope: &Scope, place: (usize, Option<usize>)) -> Self {
        let phase = phase_of(rule);
        let is_own = place.0 == scope.scenario;
        let steps: Vec<u32> = evidence
            .steps_of(place)
            .map(|span| span.number)
            .filter(|number| {
                let planned = evidence.planned(*number);
                phase.as_ref().is_none_or(|phase| *phase == planned.phase)
                    && scope.repetition.is_none_or(|wanted| wanted == evidence.repetition(*number))
                    && scope.step.as_ref().filter(|_| is_own).is_none_or(|step| *step == planned.id)
            })
            .collect();
        let mut window = Self { place, is_all: phase.is_none() && rule.part.is_none(), ..Self::default() };
        let mut pieces: Vec<Range<i64>> = Vec::new();
        let mut ended: Option<i64> = None;
        for repetition in repetitions(evidence, &steps) {
            let own: Vec<u32> = steps.iter().copied().filter(|step| evidence.repetition(*step) == repetition).collect();
            let taken = window.take(evidence, &own, rule.part);
            let begins = taken.iter().map(|piece| piece.start.div_euclid(SECOND)).min();
            if let (Some(begins), Some(ended)) = (begins, ended)
                && begins > ended
            {
                window.gaps.push((begins, begins - ended));
            }
            ended = taken.iter().map(|piece| seconds_nearest(piece.start, piece.end).end).max().or(ended);
            pieces.extend(taken);
        }
        window.moments = joined(pieces);
        window.seconds = window.moments.iter().map(|moment| (moment.end - moment.start) as f64 / 1e9).sum();
        window.width = 1 + ((window.seconds.max(0.0) as i64) - 1).max(0) / APART_MOST;
        window.ends = window.moments.iter().map(|moment| seconds_within(moment.start, moment.end)).collect();
        let whole: i64 = window.ends.iter().map(|seconds| seconds.end - seconds.start).sum();
        if whole > 0 {
            window.end_seconds = whole as f64;
            window.ends_of = evidence.steps_of(place).map(|span| span.number).collect();
        } else {
            window.end_seconds = window.seconds;
            window.ends = window.moments.iter().map(|moment| seconds_touched(moment.start, moment.end)).collect();
            window.ends_of.clone_from(&window.steps);
        }
        window
    }

    /// Takes the steps of one repetition, or their first or last part, which is cut at whole seconds as rows are.
    fn take(&mut self, evidence: &Evidence, steps: &[u32], part: Option<(bool, i64)>) -> Vec<Range<i64>> {
        let spans: Vec<_> = steps.iter().filter_map(|step| evidence.span(*step)).collect();
        let begin = spans.iter().map(|span| span.from).min().unwrap_or_default();
        let end = spans.iter().map(|span| span.to).max().unwrap_or_default();
        let (mut from, mut to) = (i64::MIN, i64::MAX);
        match part {
            Some((true, length)) => to = seconds_nearest(begin, begin + length).end * SECOND,
            Some((false, length)) => from = seconds_nearest(end - length, end).start * SECOND,
            None => {}
        }
        if part.is_some() {
            let first = if from < begin { begin.div_euclid(SECOND) } else { seconds_nearest(from, from).start };
            let last = if to > end { end.div_euclid(SECOND) + 1 } else { seconds_nearest(to, to).start };
            self.intended.get_or_insert_default().push(first..last.max(first));
        }
        let mut pieces = Vec::new();
        for span in spans {
            let piece = span.from.max(from)..span.to.min(to);
            if part.is_none() || piece.start < piece.end {
                self.steps.push(span.number);
                self.cut.push((span.number, piece.clone()));
                pieces.push(piece);
            }
        }
        pieces
    }

    /// Whether an intended start in this second counts, and the row is of the stream that is asked for.
    pub(super) fn takes(&self, second: i64, stream: u16) -> bool {
        self.is_of(stream)
            && self.intended.as_ref().is_none_or(|all| all.iter().any(|seconds| seconds.contains(&second)))
    }

    /// Whether an end in this second counts.
    pub(super) fn takes_end(&self, second: i64, stream: u16) -> bool {
        self.is_of(stream) && self.ends.iter().any(|seconds| seconds.contains(&second))
    }

    fn is_of(&self, stream: u16) -> bool {
        self.stream.is_none_or(|only| only == stream)
    }

    /// A second, with what lies between repetitions taken out; in a long window the first of a few.
    pub(super) fn second(&self, second: i64) -> i64 {
        let between: i64 = self.gaps.iter().filter(|(from, _)| second >= *from).map(|(_, gap)| gap).sum();
        let second = second - between;
        second - second.rem_euclid(self.width.max(1))
    }

    /// What it takes of a step.
    pub(super) fn piece(&self, span: &Span) -> Range<i64> {
        let known = self.cut.iter().find(|(number, _)| *number == span.number);
        known.map_or(span.from..span.to, |(_, piece)| piece.clone())
    }

    /// Whether a sample at this moment counts; of a counter one that lies half a period beside it, too.
    pub(super) fn has(&self, at: i64, reach: i64) -> bool {
        self.moments.iter().any(|moment| moment.start - reach <= at && at < moment.end + reach)
    }
}

fn repetitions(evidence: &Evidence, steps: &[u32]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for step in steps {
        let repetition = evidence.repetition(*step);
        if seen.insert(repetition) {
            found.push(repetition);
        }
    }
    found
}

/// Scenario and part that a series is of; `rih/x` is a part of the rule's own scenario, else a scenario.
pub(super) fn place_of(
    evidence: &Evidence,
    call: &Call,
    own: (usize, Option<usize>),
) -> Option<(usize, Option<usize>)> {
    let scenario = |name: &str| evidence.head.scenarios.iter().position(|known| known.name == name);
    let part = |of: usize, name: &str| evidence.head.scenarios[of].parts.iter().position(|known| known.name == name);
    match &call.places[..] {
        [] => Some(own),
        [one] => match part(own.0, one) {
            Some(part) => Some((own.0, Some(part))),
            None => scenario(one).map(|scenario| (scenario, None)),
        },
        [one, two] => {
            let scenario = scenario(one)?;
            Some((scenario, Some(part(scenario, two)?)))
        }
        _ => None,
    }
}

/// Whether iterations start in a phase of this name.
pub(super) fn has_load(phase: &str) -> bool {
    Phase::from_name(phase).is_some_and(Phase::has_load)
}
