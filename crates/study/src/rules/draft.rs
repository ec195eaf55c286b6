//! A rule after its grammar and before its names.

use crate::model::rule::{Comparison, Function, Of, Scope, State, Window};
use contract::Place;
use terms::{Nanos, Quantity};

/// A rule whose names are not yet resolved.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) place: Place,
    pub(crate) clauses: Vec<DraftClause>,
    pub(crate) window: Option<(Window, Place)>,
    pub(crate) per: Vec<(Scope, Place)>,
    pub(crate) sliding: Option<(Nanos, Place)>,
}

#[derive(Clone, Debug)]
pub(crate) enum DraftClause {
    Compare {
        sums: Vec<Sum>,
        operators: Vec<Comparison>,
    },
    State {
        state: State,
        function: Option<(Function, Place)>,
        subject: DraftSeries,
        options: Vec<(String, Quantity, Place)>,
    },
    Change(DraftChange),
}

/// `change(p95(x.response), base, other) <= 10%`
#[derive(Clone, Debug)]
pub(crate) struct DraftChange {
    /// Of the word itself.
    pub(crate) place: Place,
    pub(crate) of: Box<Call>,
    /// The statistic as written.
    pub(crate) text: String,
    pub(crate) base: DraftPlace,
    pub(crate) other: DraftPlace,
    pub(crate) operator: Comparison,
    pub(crate) limit: (Quantity, Place),
}

#[derive(Clone, Debug)]
pub(crate) enum Sum {
    Number(Quantity, Place),
    Call(Box<Call>),
    Binary { operator: char, left: Box<Sum>, right: Box<Sum>, place: Place },
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: Function,
    pub(crate) word: String,
    pub(crate) place: Place,
    pub(crate) series: DraftSeries,
    pub(crate) condition: Option<(Comparison, Quantity, Place)>,
    pub(crate) of: Option<(Of, Place)>,
    pub(crate) conditions: Vec<(String, String)>,
}

/// A scenario or part, or with a step one step of a grid: `busy(rate: 200/s, users: 5)`.
#[derive(Clone, Debug)]
pub(crate) struct DraftPlace {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) step: Vec<Bound>,
}

/// A variable of a grid, and the value that it has in the step that is meant.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) variable: String,
    /// As written.
    pub(crate) value: String,
    /// What it comes to, where it is a number.
    pub(crate) quantity: Option<Quantity>,
    /// Of the variable.
    pub(crate) place: Place,
}

/// `[scenario or part /] a.b.c`, or `scenario / part / a.b.c`
#[derive(Clone, Debug)]
pub(crate) struct DraftSeries {
    pub(crate) text: String,
    pub(crate) place: Place,
    pub(crate) scenario: Option<DraftPlace>,
    /// With a scenario before it, a part of it.
    pub(crate) part: Option<(String, Place)>,
    pub(crate) segments: Vec<(String, Place)>,
}

impl Draft {
    /// Every series of the rule, in the order written.
    pub(crate) fn series(&self) -> Vec<&DraftSeries> {
        let mut found = Vec::new();
        for clause in &self.clauses {
            match clause {
                DraftClause::Compare { sums, .. } => sums.iter().for_each(|sum| sum.series(&mut found)),
                DraftClause::State { subject, .. } => found.push(subject),
                DraftClause::Change(change) => found.push(&change.of.series),
            }
        }
        found
    }

    /// Where it asks about each stream; `None` where it does not.
    pub(crate) fn stream_scope(&self) -> Option<Place> {
        self.per.iter().find(|(scope, _)| *scope == Scope::Stream).map(|(_, place)| *place)
    }

    /// Its changes, in the order written.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &DraftChange> {
        self.clauses.iter().filter_map(|clause| match clause {
            DraftClause::Change(change) => Some(change),
            _ => None,
        })
    }
}

impl Sum {
    fn series<'a>(&'a self, found: &mut Vec<&'a DraftSeries>) {
        match self {
            Self::Number(..) => {}
            Self::Call(call) => found.push(&call.series),
            Self::Binary { left, right, .. } => {
                left.series(found);
                right.series(found);
            }
        }
    }

    /// Whether it covers a whole run, or the time after the load, and so cannot be evaluated during the load.
    pub(crate) fn looks_back(&self) -> bool {
        match self {
            Self::Number(..) => false,
            Self::Call(call) => {
                matches!(
                    call.function,
                    Function::DropAt
                        | Function::WorkingRate
                        | Function::DrainTime
                        | Function::SettleTime
                        | Function::Slope
                )
            }
            Self::Binary { left, right, .. } => left.looks_back() || right.looks_back(),
        }
    }

    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Number(_, place) | Self::Binary { place, .. } => *place,
            Self::Call(call) => call.place,
        }
    }

    pub(crate) fn has_call(&self) -> bool {
        match self {
            Self::Number(..) => false,
            Self::Call(_) => true,
            Self::Binary { left, right, .. } => left.has_call() || right.has_call(),
        }
    }
}
