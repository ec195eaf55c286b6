//! Rules: requirements, abort rules, waits. One grammar (language page, A.3), parsed once, evaluated by `judge`.

use contract::Place;
use terms::{Nanos, Outcome, Phase, Quantity};

/// A parsed rule with all its names resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// As written.
    pub text: String,
    /// Where it is in the study.
    pub place: Place,
    /// All must hold.
    pub clauses: Vec<Clause>,
    /// Which part of the time; `None` is the default: `hold`, but `all` where counts are joined by `=`.
    pub window: Option<Window>,
    /// Each member has its own verdict.
    pub per: Vec<Scope>,
    /// The statistic over the last so long, once a second.
    pub sliding: Option<Nanos>,
    /// Rules of the requirements that an abort rule asks for by `met` and `broken`, by name.
    pub asked: Vec<(String, Rule)>,
}

/// A part of a rule that holds or not.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// `sums[0] ops[0] sums[1] ops[1] …`; `a = b = c` of counts is a reconciliation.
    Compare {
        /// One more than operators.
        sums: Vec<Expression>,
        /// Operators between them.
        operators: Vec<Comparison>,
    },
    /// `steady(x)`, `alive(gateway)`, …
    State {
        /// Which state.
        state: State,
        /// Of what, as written.
        subject: Series,
        /// The function of it that is looked at over time, as in `steady(rate(x))`: [`Function::Rate`] or
        /// [`Function::Mean`]; `None` where the series itself is.
        function: Option<Function>,
        /// Options such as `growth: 10%`; only those that the state has, each in its unit.
        options: Vec<(String, Quantity)>,
    },
    /// `change(p95(x.response), normal, high) <= 10%`: the relative change of a statistic from one scenario to another.
    Change(Box<Change>),
}

/// A relative change with its limit. The rule is judged in the scenario in which the change ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The statistic, its names resolved in the other scenario.
    pub of: CompareOf,
    /// The scenario that it starts from, by number.
    pub base: usize,
    /// The part of the base that the statistic looks at, by number.
    pub base_part: Option<usize>,
    /// The scenario that it leads to, by number: that of the rule.
    pub other: usize,
    /// Never [`Comparison::Equal`].
    pub operator: Comparison,
    /// A share: 0.1 is +10 %, -0.1 is −10 %.
    pub limit: f64,
}

/// A statistic that is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOf {
    /// As written.
    pub text: String,
    /// The part of a mix that it applies to, by name.
    pub part: Option<String>,
    /// The statistic, its names resolved in the base's scenario.
    pub statistic: Statistic,
    /// The same as the one sum of a rule that is compared with nothing.
    pub rule: Rule,
}

/// States that a rule can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Does not drift.
    Steady,
    /// Runs, was not restarted, is the one meant.
    Alive,
    /// Is empty.
    Drained,
    /// Is back at its idle level.
    Settled,
    /// Another requirement holds.
    Met,
    /// Another requirement does not hold.
    Broken,
}

/// How a value is held against its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
}

/// An expression with a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number with its unit.
    Number(Quantity),
    Statistic(Statistic),
    /// Two joined by `+ - * /`.
    Binary {
        operator: char,
        /// Left side.
        left: Box<Expression>,
        /// Right side.
        right: Box<Expression>,
    },
}

impl Expression {
    /// Its numbers and statistics, from left to right.
    pub fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::Binary { left, right, .. } => [left.leaves(), right.leaves()].concat(),
            leaf => vec![leaf],
        }
    }

    /// Its statistics, from left to right.
    pub fn statistics(&self) -> impl Iterator<Item = &Statistic> {
        self.leaves().into_iter().filter_map(|leaf| match leaf {
            Self::Statistic(statistic) => Some(statistic),
            _ => None,
        })
    }
}

impl Clause {
    /// Its statistics; a state has none.
    pub fn statistics(&self) -> Vec<&Statistic> {
        match self {
            Self::Compare { sums, .. } => sums.iter().flat_map(Expression::statistics).collect(),
            Self::Change(change) => vec![&change.of.statistic],
            Self::State { .. } => Vec::new(),
        }
    }

    /// What it looks at.
    pub fn series(&self) -> Vec<&Series> {
        match self {
            Self::State { subject, .. } => vec![subject],
            _ => self.statistics().into_iter().map(|statistic| &statistic.series).collect(),
        }
    }
}

/// A function of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    pub function: Function,
    /// Of what.
    pub series: Series,
    /// `x.response < 2s` inside `share(…)`.
    pub condition: Option<(Comparison, Quantity)>,
    /// `of ok`, `of all`, `of failed`; `None` is the function's default.
    pub of: Option<Of>,
    /// `where label = word`.
    pub conditions: Vec<(String, String)>,
}

/// Functions of the language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Function {
    /// Part of all planned.
    Share,
    /// How many.
    Count,
    /// How many a second over the window's real length.
    Rate,
    /// Nearest-rank percentile; the quantile in 0..=1.
    Percentile(f64),
    Mean,
    Min,
    Max,
    /// Standard deviation.
    Sd,
    /// Growth of a watched metric over the window.
    Growth,
    /// Slope of a watched metric.
    Slope,
    /// Last value of a watched metric.
    Last,
    /// From the end of load until empty.
    DrainTime,
    /// From the end of load until within the band.
    SettleTime,
    /// Cumulative count at the first downward level shift.
    DropAt,
    /// By which part a rate fell, told while the load goes on.
    Drop,
    /// Rate between stalls.
    WorkingRate,
    /// Proven lower end of a search.
    Capacity,
}

/// Population of a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Those that succeeded.
    Ok,
    /// Those that failed.
    Failed,
    /// All that ended.
    All,
}

/// What a statistic looks at, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// As written.
    pub text: String,
    /// Where it is in the study.
    pub place: Place,
    /// Another scenario than the rule's own, by number.
    pub scenario: Option<usize>,
    /// One part of that scenario, by number; `None` for all of it.
    pub part: Option<usize>,
    /// What it is.
    pub subject: Subject,
}

/// A resolved name.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// Exchanges; several for `*`.
    Exchanges {
        /// Numbers of exchanges.
        exchanges: Vec<u16>,
        /// Leg, when named; else the first.
        leg: Option<u8>,
        /// Which of its figures.
        what: What,
    },
    /// A metric of a monitor.
    Metric {
        /// Name of the monitor in the study.
        monitor: String,
        /// Name of the metric.
        metric: String,
    },
    /// An instance; `*` for all.
    Instance(String),
    Requirement(String),
    /// A single scenario.
    Scenario(usize),
}

/// A figure of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Nothing named: the exchange itself, or its response time where a time is expected.
    Itself,
    /// Response time.
    Response,
    /// Service time.
    Service,
    /// Lateness of the generator.
    Lateness,
    /// Size of the answer.
    Size,
    /// One class.
    Outcome(Outcome),
    /// All classes that count as failed.
    Failed,
    /// A column of the books.
    Book(Book),
    /// From the origin to the last leg.
    Total,
    /// Units that those which succeeded carried, as their answers say.
    Units,
}

/// A column of the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Book {
    Intended,
    Started,
    /// Succeeded.
    Completed,
    /// Never started.
    Dropped,
    /// Cut off.
    Aborted,
}

/// Which span of time a rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First or last so long of the phase; `None` for the whole.
    pub part: Option<(WindowEnd, Nanos)>,
    /// The phase; `None` for all.
    pub phase: Option<Phase>,
}

/// First or last part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowEnd {
    /// From its beginning.
    First,
    /// To its end.
    Last,
}

/// What `per` splits by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Scenario,
    Step,
    Repetition,
    Exchange,
    Stream,
    Group,
    Instance,
    Replica,
    Partition,
    Node,
}
