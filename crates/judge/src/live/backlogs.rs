//! What was accepted of legs that a watched count closes and is not through, while the run goes on: what waits are for.
//!
//! After the run the same is derived from rows and samples ([`crate::evidence`]), second by second. Here nothing but the
//! last look matters, and it is held against everything that was accepted until it came, so a backlog is at most too great.
//! A count that goes backwards while something is outstanding was begun anew or taken from: what is through by then is not
//! known, and what waits for it is never over.

use crate::evidence::{carries_out, units};
use crate::requirements::rests::QUIET_SAMPLES;
use record::{CountedHead, Folded, Head, SampleRow, StepMark};
use std::collections::{BTreeMap, VecDeque};
use study::QUIET;
use terms::{Nanos, Phase, Population};

/// So many looks in a row must have found nothing before a wait after a load is over.
const EMPTY_LOOKS: usize = 2;
/// Looks in a row that found nothing, of which the moments are kept: an idle phase of ten seconds at a look each millisecond.
const EMPTY_MAX: usize = 16_384;
/// Looks before a load that are kept until its mark has come, which may be after the first look within it.
const EARLIER_MAX: usize = 16;
/// Instances of a count. One with more of them is not told.
const INSTANCES_MAX: usize = 65_536;
/// A thousandth of a unit is the arithmetic's.
const NOTHING: f64 = 1e-3;

/// The counted legs of a run, from its beginning to its end.
#[derive(Clone, Debug, Default)]
pub struct Backlogs {
    head: Head,
    legs: Vec<Backlog>,
}

/// Of one leg.
#[derive(Clone, Debug)]
struct Backlog {
    exchange: u16,
    unit: Option<String>,
    /// `register.stored`.
    name: String,
    /// Monitor and metric that count it.
    source: (u16, u16),
    /// Last values of the count; `None` where one could not be read.
    instances: BTreeMap<String, Option<f64>>,
    has_too_many: bool,
    /// When the first load began that carries its exchange out.
    begun: Option<Nanos>,
    /// Whether such a load, or its drain, is in hand.
    is_loaded: bool,
    /// Looks before the first load.
    earlier: VecDeque<(Nanos, f64)>,
    /// Where the count stood at the last look; `None` where nobody looked before the load.
    last: Option<f64>,
    /// When the count was last looked at, and whether it could be read.
    looked: Option<(Nanos, bool)>,
    accepted: f64,
    through: f64,
    /// Moments of the last looks in a row that found nothing outstanding.
    empty: VecDeque<Nanos>,
    /// When the count went backwards, from where and to where.
    back: Option<(Nanos, f64, f64)>,
}

impl Backlogs {
    /// Of a run that begins.
    pub fn new(head: &Head) -> Self {
        let mut all = Self::default();
        all.follow(head);
        all
    }

    /// More is known of the run: its monitors, or an attempt that a search has added.
    pub fn follow(&mut self, head: &Head) {
        for (number, exchange) in head.exchanges.iter().enumerate() {
            for leg in &exchange.counted {
                let name = format!("{}.{}", exchange.name, leg.leg);
                if !self.knows(&name) {
                    let source = source(head, leg);
                    self.legs.extend(source.map(|source| Backlog::new((number as u16, name), leg, source)));
                }
            }
        }
        self.head = head.clone();
    }

    /// Takes the mark of a step.
    pub fn mark(&mut self, mark: &StepMark) {
        let Some(step) = self.head.steps.get(mark.step as usize) else { return };
        let Some(phase) = Phase::from_name(&step.phase) else { return };
        for leg in &mut self.legs {
            if !carries_out(&self.head, usize::from(step.scenario), usize::from(leg.exchange)) {
                continue;
            }
            if phase.has_load() && !mark.is_end {
                leg.begin(mark.at);
            } else if phase == Phase::Drain && mark.is_end {
                leg.is_loaded = false;
            }
        }
    }

    /// Takes rows as they are recorded.
    pub fn add(&mut self, folded: &Folded) {
        for leg in &mut self.legs {
            let own = folded.legs.iter().filter(|row| (row.exchange, row.leg) == (leg.exchange, 0));
            for row in own.filter(|row| row.population == Population::Ok) {
                let step = self.head.steps.get(row.step as usize);
                let scenario = step.and_then(|step| self.head.scenarios.get(usize::from(step.scenario)));
                let mut carries = scenario.into_iter().flat_map(|scenario| &scenario.carries);
                let unit = leg.unit.as_deref();
                let carries = unit.map(|unit| carries.find(|it| it.exchange == leg.exchange && it.unit == unit));
                leg.accepted += units(row, carries);
                leg.empty.clear();
            }
        }
    }

    /// Takes samples of one monitor as they are recorded.
    pub fn add_samples(&mut self, rows: &[SampleRow]) {
        for leg in &mut self.legs {
            let (source, mut at) = (leg.source, None);
            for row in rows.iter().filter(|row| (row.monitor, row.metric) == source) {
                if let Some(before) = at.filter(|at| *at != row.at) {
                    leg.look(before);
                }
                at = Some(row.at);
                leg.count(row);
            }
            if let Some(at) = at {
                leg.look(at);
            }
        }
    }

    /// Whether a leg of this name is counted.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.leg(name).is_some()
    }

    fn leg(&self, name: &str) -> Option<&Backlog> {
        self.legs.iter().find(|leg| leg.name == name)
    }

    /// Since when nothing of a leg has been outstanding, by at least two looks from a moment on; `None` where something is,
    /// or that cannot be told (yet).
    pub(crate) fn empty_since(&self, name: &str, from: Nanos) -> Option<Nanos> {
        let looks = self.leg(name)?.empty_from(from);
        looks.get(looks.len().checked_sub(EMPTY_LOOKS)?)?;
        looks.first().copied()
    }

    /// The same of an idle phase: through all of [`QUIET`], at five looks or more.
    pub(crate) fn quiet_since(&self, name: &str, from: Nanos) -> Option<Nanos> {
        let looks = self.leg(name)?.empty_from(from);
        let begin = *looks.last()? - QUIET;
        let long_ago = looks.iter().rposition(|at| *at <= begin)?;
        looks.get(long_ago.min(looks.len().checked_sub(QUIET_SAMPLES)?)).copied()
    }

    /// Why something of a leg is still outstanding, or not known to be through, in a few words.
    pub(crate) fn why(&self, name: &str) -> Option<String> {
        let leg = self.leg(name)?;
        let source = self.head.monitors.get(usize::from(leg.source.0));
        let metric = source.and_then(|monitor| monitor.metrics.get(usize::from(leg.source.1)));
        let count = match (source, metric) {
            (Some(monitor), Some(metric)) => format!("{}.{}", monitor.name, metric.name),
            _ => name.to_owned(),
        };
        Some(if let Some((at, from, to)) = leg.back {
            format!("`{count}` went backwards at {at}, from {from} to {to}, so what is through of `{name}` is unknown")
        } else if leg.has_too_many {
            format!("`{count}` has more than {INSTANCES_MAX} instances, so what is through of `{name}` is unknown")
        } else if leg.begun.is_some() && leg.last.is_none() {
            format!("`{count}` was not read before the load, so what is through of `{name}` is unknown")
        } else {
            let left = leg.outstanding();
            let looked = match leg.looked {
                None => "and it was never read".to_owned(),
                Some((at, true)) => format!("when it was last read, at {at}"),
                Some((at, false)) => format!("and it could not be read at {at}"),
            };
            let accepted = leg.accepted;
            format!("by `{count}` {left} of {accepted} of `{name}` were outstanding {looked}")
        })
    }
}

/// Monitor and metric that count a leg.
fn source(head: &Head, leg: &CountedHead) -> Option<(u16, u16)> {
    let monitor = head.monitors.iter().position(|known| known.name == leg.monitor)?;
    let metric = head.monitors[monitor].metrics.iter().position(|known| known.name == leg.metric)?;
    Some((u16::try_from(monitor).ok()?, u16::try_from(metric).ok()?))
}

impl Backlog {
    fn new((exchange, name): (u16, String), leg: &CountedHead, source: (u16, u16)) -> Self {
        Self {
            exchange,
            unit: leg.unit.clone(),
            name,
            source,
            instances: BTreeMap::new(),
            has_too_many: false,
            begun: None,
            is_loaded: false,
            earlier: VecDeque::new(),
            last: None,
            looked: None,
            accepted: 0.0,
            through: 0.0,
            empty: VecDeque::new(),
            back: None,
        }
    }

    /// A load begins. Of the first one, what is counted from then on is through.
    fn begin(&mut self, at: Nanos) {
        self.is_loaded = true;
        self.empty.clear();
        if self.begun.is_some() {
            return;
        }
        self.begun = Some(at);
        // The mark may come after the first look within the load.
        let earlier = std::mem::take(&mut self.earlier);
        self.last = None;
        for (moment, value) in earlier {
            self.see(moment, value);
        }
    }

    /// One value of the count.
    fn count(&mut self, row: &SampleRow) {
        let value = row.value.filter(|value| value.is_finite());
        if let Some(known) = self.instances.get_mut(&row.instance) {
            *known = value;
        } else if self.instances.len() < INSTANCES_MAX {
            self.instances.insert(row.instance.clone(), value);
        } else {
            self.has_too_many = true;
        }
    }

    /// All values of a moment have come.
    fn look(&mut self, at: Nanos) {
        let value = self.instances.values().copied().sum::<Option<f64>>().filter(|_| !self.has_too_many);
        self.looked = Some((at, value.is_some()));
        match value {
            None => self.empty.clear(),
            Some(value) => self.see(at, value),
        }
    }

    fn see(&mut self, at: Nanos, value: f64) {
        let Some(begun) = self.begun else {
            if self.earlier.len() >= EARLIER_MAX {
                self.earlier.pop_front();
            }
            self.earlier.push_back((at, value));
            return self.found_empty(at);
        };
        if at <= begun {
            self.last = Some(value);
            return;
        }
        let Some(last) = self.last else { return };
        if value < last && self.back.is_none() && (self.is_loaded || self.outstanding() > 0.0) {
            self.back = Some((at, last, value));
        }
        self.through += (value - last).max(0.0);
        self.last = Some(value);
        if self.back.is_none() && self.outstanding() == 0.0 {
            self.found_empty(at);
        } else {
            self.empty.clear();
        }
    }

    fn found_empty(&mut self, at: Nanos) {
        if self.empty.len() >= EMPTY_MAX {
            self.empty.pop_front();
        }
        self.empty.push_back(at);
    }

    /// Units that were accepted and are not through.
    fn outstanding(&self) -> f64 {
        let left = self.accepted - self.through;
        if left > NOTHING { left } else { 0.0 }
    }

    /// Moments of the last looks in a row that found nothing, from a moment on.
    fn empty_from(&self, from: Nanos) -> Vec<Nanos> {
        self.empty.iter().copied().filter(|at| *at >= from).collect()
    }
}
