//! Abort rules, while the run goes on: the statistic over the last so long, once a second.

mod afterwards;
mod backlogs;
mod begins;
mod falls;
mod rest;
mod sequential;

pub use afterwards::Afterwards;
pub use backlogs::Backlogs;
pub use begins::Begins;
pub use falls::SeenFall;
pub use rest::Rest;

use crate::evaluate::{Evaluator, NoValue, Value};
use crate::figures::{Figures, Selection};
use crate::limits::{asked_by, exchanges_of, places_of};
use crate::requirements::{StateRule, is_instance, looks_back, steady_now};
use crate::rows::seconds_touched;
use falls::Falls;
use record::{EventRow, Folded, Head, IterationRow, LegRow, OutcomeRow, SampleRow, StepMark};
use sequential::{OfShare, Windows};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use study::rule::{Clause, Comparison, Function, Rule, Series, State, Subject};
use terms::{Books, Nanos, Phase};

/// Window of a rule that names none.
const DEFAULT_WINDOW: Nanos = Nanos::from_secs(1);
/// Seconds between two looks at a state.
const STATE_EVERY: i64 = 6;
/// Names of lost instances that are kept.
const LOST_MAX: usize = 1024;

/// Watches one scenario's abort rules.
pub struct AbortRules {
    head: Head,
    scenario: usize,
    /// Which time it is carried out; `None` for all.
    repetition: Option<u32>,
    rules: Vec<Rule>,
    rows: VecDeque<Folded>,
    samples: VecDeque<SampleRow>,
    began: Option<Nanos>,
    /// When the first iteration of each phase was intended.
    phases: BTreeMap<String, Nanos>,
    /// Instances that ended or were restarted.
    lost: BTreeSet<String>,
    /// Metrics that a rule names, with what bounds them.
    metrics: BTreeSet<(u16, u16)>,
    /// What clauses on shares have seen.
    windows: RefCell<Windows>,
    /// What clauses on falls have seen.
    falls: Falls,
}

/// When rules are looked at, and what is known of counters by then.
#[derive(Clone, Copy)]
struct Look<'a> {
    now: Nanos,
    begins: &'a Begins,
}

/// A rule that held.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// As written.
    pub rule: String,
    /// Value of the first sum of the clause that decided; 0 where none has a value.
    pub value: f64,
    /// The rule of the requirement that it asks for, as written.
    pub because: Option<String>,
    /// The fall that it told.
    pub fall: Option<SeenFall>,
}

impl AbortRules {
    /// Rules of one scenario; its load begins when the first row comes.
    pub fn new(head: Head, scenario: usize, rules: Vec<Rule>) -> Self {
        let metrics = named_metrics(&head, &rules);
        let falls = Falls::of(&head, &rules);
        Self {
            falls,
            head,
            scenario,
            repetition: None,
            rules,
            rows: VecDeque::new(),
            samples: VecDeque::new(),
            began: None,
            phases: BTreeMap::new(),
            lost: BTreeSet::new(),
            metrics,
            windows: RefCell::default(),
        }
    }

    /// Looks at one time only that the scenario is carried out, from 1.
    #[must_use]
    pub fn of_repetition(mut self, repetition: u32) -> Self {
        self.repetition = Some(repetition);
        self
    }

    /// Whether there is anything to watch.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Takes rows as they are recorded. What ends is counted in the second of its end: a failure that took thirty
    /// seconds to show must not be looked for in a window that has passed.
    pub fn add(&mut self, folded: &Folded, now: Nanos) {
        if self.rules.is_empty() {
            return;
        }
        let steps_of = |step: u32| self.is_own(step);
        let legs = folded
            .legs
            .iter()
            .filter(|row| steps_of(row.step))
            .map(|row| LegRow { intended_s: row.end_s, ..row.clone() });
        let outcomes = folded
            .outcomes
            .iter()
            .filter(|row| steps_of(row.step))
            .map(|row| OutcomeRow { intended_s: row.end_s, ..*row });
        let rows = Folded {
            legs: legs.collect(),
            outcomes: outcomes.collect(),
            starts: folded.starts.iter().filter(|row| steps_of(row.step)).cloned().collect(),
            iterations: folded
                .iterations
                .iter()
                .filter(|row| steps_of(row.step))
                .flat_map(|row| by_end(*row))
                .collect(),
            notes: Vec::new(),
            slowest: Vec::new(),
        };
        let mut begun: Vec<(String, Nanos)> = Vec::new();
        for row in folded.iterations.iter().filter(|row| steps_of(row.step)) {
            if let Some(step) = self.head.steps.get(row.step as usize)
                && begun.iter().all(|(phase, _)| *phase != step.phase)
            {
                begun.push((step.phase.clone(), Nanos::from_secs(row.intended_s)));
            }
        }
        if !rows.iterations.is_empty() {
            self.began.get_or_insert(now);
        }
        self.falls.add(&rows);
        for (phase, at) in begun {
            self.phases.entry(phase).or_insert(at);
        }
        self.rows.push_back(rows);
        let keep_from = (now - self.longest() - Nanos::from_secs(2)).second();
        while self.rows.front().is_some_and(|rows| newest(rows) < keep_from) {
            self.rows.pop_front();
        }
    }

    /// Takes samples as they are recorded.
    pub fn add_samples(&mut self, rows: &[SampleRow], now: Nanos) {
        if self.rules.is_empty() {
            return;
        }
        self.falls.add_samples(rows);
        let named = rows.iter().filter(|row| self.metrics.contains(&(row.monitor, row.metric)));
        self.samples.extend(named.cloned());
        let keep_from = now - self.longest() - Nanos::from_secs(2);
        while self.samples.front().is_some_and(|row| row.at < keep_from) {
            self.samples.pop_front();
        }
    }

    /// Takes the mark of a step. A fall is looked for within a hold: what comes before and after it is another load.
    pub fn mark(&mut self, mark: &StepMark) {
        let is_hold = self.head.steps.get(mark.step as usize).is_some_and(|step| step.phase == Phase::Hold.name());
        if is_hold && self.is_own(mark.step) {
            self.falls.hold(mark);
        }
    }

    fn is_own(&self, step: u32) -> bool {
        self.head.steps.get(step as usize).is_some_and(|head| {
            usize::from(head.scenario) == self.scenario
                && self.repetition.is_none_or(|repetition| repetition == head.repetition.max(1))
        })
    }

    fn longest(&self) -> Nanos {
        self.all_rules().map(|rule| self.looks_back(rule)).max().unwrap_or(DEFAULT_WINDOW)
    }

    /// The rules, and those of the requirements that they ask for, each looking back as far as the rule that asks.
    fn all_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().chain(self.rules.iter().flat_map(|rule| rule.asked.iter().map(|(_, asked)| asked)))
    }

    /// How far back a rule looks: over its own window, and a state as far as it must to tell anything.
    fn looks_back(&self, rule: &Rule) -> Nanos {
        let of_state = |clause: &Clause| match clause {
            Clause::State { state: State::Steady, subject, .. } => Some(looks_back(self.is_memory(subject))),
            _ => None,
        };
        let asked = rule.asked.iter().flat_map(|(_, asked)| &asked.clauses);
        let states = rule.clauses.iter().chain(asked).filter_map(of_state).max();
        rule.sliding.unwrap_or(DEFAULT_WINDOW).max(states.unwrap_or(Nanos::ZERO))
    }

    fn is_memory(&self, subject: &Series) -> bool {
        let Subject::Metric { monitor, metric } = &subject.subject else { return false };
        let monitors = self.head.monitors.iter().filter(|known| known.name == *monitor);
        let mut metrics = monitors.flat_map(|known| &known.metrics).filter(|known| known.name == *metric);
        metrics.any(|known| known.unit == "bytes" && known.of.is_none())
    }

    /// The first rule that holds over the whole of its window, which must lie within the load. `now` is the end of the
    /// last whole second; `begins` is what was seen of counters since the run began.
    pub fn check(&mut self, now: Nanos, begins: &Begins) -> Option<Held> {
        self.began?;
        self.falls.check(now);
        self.rules.iter().find_map(|rule| {
            // A state looks over many minutes; it is looked at ten times a minute, not sixty.
            let is_state = self.looks_back(rule) > rule.sliding.unwrap_or(DEFAULT_WINDOW);
            if is_state && now.second() % STATE_EVERY != 0 {
                return None;
            }
            self.holds(rule, Look { now, begins })
        })
    }

    /// All clauses hold.
    fn holds(&self, rule: &Rule, look: Look<'_>) -> Option<Held> {
        let window = rule.sliding.unwrap_or(DEFAULT_WINDOW);
        let (mut value, mut because, mut fall) = (None, None, None);
        for (place, clause) in rule.clauses.iter().enumerate() {
            let (truth, found) = match clause {
                clause if is_of_fall(clause) => {
                    let seen = self.falls.seen((&rule.text, place))?;
                    fall = fall.or(Some(seen.clone()));
                    (true, Some(1.0 - seen.to / seen.from))
                }
                Clause::State { state: state @ (State::Met | State::Broken), subject, .. } => {
                    let Subject::Requirement(name) = &subject.subject else { return None };
                    let (_, asked) = rule.asked.iter().find(|(known, _)| known == name)?;
                    because.get_or_insert_with(|| asked.text.clone());
                    let (is_met, found) = self.requirement(asked, window, look)?;
                    (is_met == (*state == State::Met), found)
                }
                clause => self.clause_since(rule, clause, window, (self.began?, look))?,
            };
            if !truth {
                return None;
            }
            value = value.or(found);
        }
        Some(Held { rule: rule.text.clone(), value: value.unwrap_or(0.0), because, fall })
    }

    /// Whether a requirement holds over a window, which must lie within the phase that it is about; one clause that
    /// does not hold decides, whatever the others cannot tell.
    fn requirement(&self, rule: &Rule, window: Nanos, look: Look<'_>) -> Option<(bool, Option<f64>)> {
        let phase = rule.window.map_or(Some(Phase::Hold), |window| window.phase);
        let began = match phase {
            Some(phase) => *self.phases.get(phase.name())?,
            None => self.began?,
        };
        let mut all = Some((true, None));
        for clause in &rule.clauses {
            match self.clause_since(rule, clause, window, (began, look)) {
                Some((false, value)) => return Some((false, value)),
                Some((true, value)) => all = all.map(|(is_met, known): (bool, Option<f64>)| (is_met, known.or(value))),
                None => all = None,
            }
        }
        all
    }

    /// Whether a clause holds over a window that lies within what is looked at, and its value; `None` where that cannot
    /// be told.
    fn clause_since(
        &self,
        rule: &Rule,
        clause: &Clause,
        window: Nanos,
        (began, look): (Nanos, Look<'_>),
    ) -> Option<(bool, Option<f64>)> {
        let Look { now, begins } = look;
        let window = match clause {
            Clause::State { state: State::Steady, subject, .. } => window.max(looks_back(self.is_memory(subject))),
            _ => window,
        };
        // Rows are of whole seconds, and their counts are divided by so many.
        let window = Nanos::from_secs(seconds_touched(Nanos::ZERO, window).end.max(1));
        if now - began < window {
            return None;
        }
        let span = now - window..now;
        if let Clause::State { state: State::Alive, subject, .. } = clause {
            let Subject::Instance(name) = &subject.subject else { return None };
            return Some((self.lives(name), None));
        }
        let figures = self.figures(rule, None, span.clone(), begins);
        let elsewhere: Vec<Figures> =
            parts_of(rule).into_iter().map(|part| self.figures(rule, Some(part), span.clone(), begins)).collect();
        let evaluator = Evaluator {
            head: &self.head,
            figures: &figures,
            elsewhere: &elsewhere,
            exchange: None,
            instance: None,
            stream: None,
        };
        match clause {
            Clause::Compare { sums, operators } => {
                let values: Result<Vec<Value>, NoValue> = sums.iter().map(|sum| evaluator.expression(sum)).collect();
                let values = values.ok()?;
                let first = values.first().map(|value| value.value);
                if let Some(share) = OfShare::of(&values, operators) {
                    let place = rule.clauses.iter().position(|known| std::ptr::eq(known, clause)).unwrap_or_default();
                    let mut windows = self.windows.borrow_mut();
                    let holds = windows.holds((&rule.text, place), window.second(), now.second(), share)?;
                    return Some((holds, first));
                }
                let mut pairs = values.windows(2).zip(operators);
                let holds = pairs.all(|(pair, operator)| compare(pair[0].value, *operator, pair[1].value));
                Some((holds, first))
            }
            Clause::State { state: State::Steady, function, subject, options } => {
                let asked = StateRule { state: State::Steady, function: *function, subject, options };
                steady_now(&evaluator, &span, &asked)
            }
            _ => None,
        }
    }

    /// Whether no instance of that name ended, or was restarted, since the load began.
    fn lives(&self, name: &str) -> bool {
        !self.lost.iter().any(|instance| is_instance(instance, name))
    }

    /// Takes an event as it is recorded.
    pub fn add_event(&mut self, row: &EventRow) {
        let is_loss = matches!(row.kind.as_str(), "gone" | "restart" | "identity");
        if is_loss && self.lost.len() < LOST_MAX {
            self.lost.insert(row.subject.clone());
        }
    }

    /// What was seen in a window, of the whole scenario or of one part.
    fn figures(&self, rule: &Rule, part: Option<usize>, window: Range<Nanos>, begins: &Begins) -> Figures {
        let is_of_part = |step: u32| {
            let own = self.head.steps.get(step as usize).and_then(|head| head.part).map(usize::from);
            part.is_none() || own == part
        };
        let steps: Vec<u32> =
            (0..self.head.steps.len() as u32).filter(|step| self.is_own(*step) && is_of_part(*step)).collect();
        let seconds = seconds_touched(window.start, window.end);
        let selection = Selection {
            steps: steps.clone(),
            ends_of: steps,
            exchanges: Some(exchanges_of(rule)),
            intended: Some(vec![seconds.clone()]),
            ends: vec![seconds],
            moments: vec![window.clone()],
            gaps: Vec::new(),
            width: 1,
        };
        let mut figures = Figures::new(&self.head, self.scenario, &asked_by(rule));
        let length = (window.end - window.start).as_secs_f64();
        (figures.is_live, figures.seconds, figures.end_seconds) = (true, length, length);
        figures.part = part;
        self.rows.iter().for_each(|rows| figures.add(rows, &selection));
        figures.add_samples(&self.head, &self.samples, &selection);
        figures.add_begins(&self.head, &window, |series, points| begins.began_at_zero(series, points));
        figures
    }
}

/// What was intended stands in its own second, what ended in that of its end.
fn by_end(row: IterationRow) -> impl Iterator<Item = IterationRow> {
    let Books { intended, started, dropped, .. } = row.books;
    let begun = Books { intended, started, dropped, ..Books::default() };
    let ended = Books { intended: 0, started: 0, dropped: 0, ..row.books };
    let rows = [IterationRow { books: begun, ..row }, IterationRow { intended_s: row.end_s, books: ended, ..row }];
    rows.into_iter().filter(|row| row.books != Books::default())
}

/// Numbers of the metrics that rules name, and of those that bound them.
pub(crate) fn named_metrics(head: &Head, rules: &[Rule]) -> BTreeSet<(u16, u16)> {
    let asked = rules.iter().flat_map(|rule| rule.asked.iter().map(|(_, asked)| asked));
    let mut names: BTreeSet<(String, String)> = BTreeSet::new();
    for series in rules.iter().chain(asked).flat_map(|rule| &rule.clauses).flat_map(Clause::series) {
        if let Subject::Metric { monitor, metric } = &series.subject {
            names.insert((monitor.clone(), metric.clone()));
        }
    }
    let mut numbers = BTreeSet::new();
    for (number, monitor) in head.monitors.iter().enumerate() {
        for (place, metric) in monitor.metrics.iter().enumerate() {
            if names.contains(&(monitor.name.clone(), metric.name.clone())) {
                numbers.insert((number as u16, place as u16));
                let bound = monitor.metrics.iter().position(|known| Some(&known.name) == metric.ceiling.as_ref());
                numbers.extend(bound.map(|bound| (number as u16, bound as u16)));
            }
        }
    }
    numbers
}

pub(crate) fn compare(left: f64, operator: Comparison, right: f64) -> bool {
    match operator {
        Comparison::Less => left < right,
        Comparison::AtMost => left <= right,
        Comparison::Greater => left > right,
        Comparison::AtLeast => left >= right,
        Comparison::Equal => (left - right).abs() < f64::EPSILON,
    }
}

/// Whether a clause asks for a fall, which is told by a sum of its own.
fn is_of_fall(clause: &Clause) -> bool {
    clause.statistics().iter().any(|statistic| statistic.function == Function::Drop)
}

/// Parts of its own scenario that a rule names.
fn parts_of(rule: &Rule) -> BTreeSet<usize> {
    places_of(rule).into_iter().filter_map(|(scenario, part)| part.filter(|_| scenario.is_none())).collect()
}

fn newest(rows: &Folded) -> i64 {
    let legs = rows.legs.iter().map(|row| row.end_s);
    let outcomes = rows.outcomes.iter().map(|row| row.end_s);
    let starts = rows.starts.iter().map(|row| row.intended_s);
    let iterations = rows.iterations.iter().map(|row| row.end_s);
    legs.chain(outcomes).chain(starts).chain(iterations).max().unwrap_or(i64::MIN)
}
