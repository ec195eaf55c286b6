//! How an exchange, or a leg of one, ended.

use std::fmt;

/// How a leg ended. The first nine are verdicts about network or target. Of the rest only `Late`, `Duplicate` and
/// `Unordered` are outside the request accounting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Outcome {
    /// Answered, and every check held.
    Ok,
    /// No connection was made: refused or unreachable.
    Refused,
    /// The connection broke before the answer began.
    Reset,
    /// No whole answer before the deadline.
    Timeout,
    /// The answer began and broke off.
    Partial,
    /// The status was not one that counts as right.
    Status,
    /// The answer came and was not the right one: a check did not hold.
    Wrong,
    /// The answer is not the protocol, or says that the service failed.
    Fault,
    /// A later leg did not come within its time.
    Missing,
    /// A later leg came after it had been counted missing.
    Late,
    /// It came a second time.
    Duplicate,
    /// It came out of order.
    Unordered,
    /// The study could not be carried out: bad data, a capture that does not exist.
    BadStudy,
    /// The generator ran out of something: descriptors, ports, memory.
    NoResource,
    /// Cut off by the end of the run or an abort rule.
    Aborted,
    /// Never started.
    Dropped,
}

/// All outcomes, in the order of their numbers.
pub const OUTCOMES: [Outcome; 16] = [
    Outcome::Ok,
    Outcome::Refused,
    Outcome::Reset,
    Outcome::Timeout,
    Outcome::Partial,
    Outcome::Status,
    Outcome::Wrong,
    Outcome::Fault,
    Outcome::Missing,
    Outcome::Late,
    Outcome::Duplicate,
    Outcome::Unordered,
    Outcome::BadStudy,
    Outcome::NoResource,
    Outcome::Aborted,
    Outcome::Dropped,
];

/// Whose side an outcome speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The network or the system under test: counts against the requirements.
    Target,
    /// The study: wrong data or a wrong capture.
    Study,
    /// The generator: counts against the run's validity.
    Generator,
    /// Nobody: the run was ended.
    Stop,
}

/// Successful and failed calls are separate populations everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Population {
    /// Succeeded.
    Ok,
    /// Ended badly, on the account of network or target.
    Failed,
}

impl Population {
    /// `ok` or `failed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
        }
    }
}

impl Outcome {
    /// The word in rules, tables and figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::Partial => "partial",
            Self::Status => "status",
            Self::Wrong => "wrong",
            Self::Fault => "fault",
            Self::Missing => "missing",
            Self::Late => "late",
            Self::Duplicate => "duplicate",
            Self::Unordered => "unordered",
            Self::BadStudy => "bad_study",
            Self::NoResource => "no_resource",
            Self::Aborted => "aborted",
            Self::Dropped => "dropped",
        }
    }

    /// The outcome of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        OUTCOMES.into_iter().find(|outcome| outcome.name() == name)
    }

    /// The outcome of that number.
    pub fn from_number(number: u8) -> Option<Self> {
        OUTCOMES.get(usize::from(number)).copied()
    }

    /// Whether it counts as `failed`: not verified as right, on the account of network or target.
    pub fn is_failed(self) -> bool {
        (Self::Refused as u8..=Self::Missing as u8).contains(&(self as u8))
    }

    /// The population of response times it belongs to; `None` when it says nothing about the target.
    pub fn population(self) -> Option<Population> {
        match self {
            Self::Ok => Some(Population::Ok),
            _ if self.is_failed() => Some(Population::Failed),
            _ => None,
        }
    }

    /// Whose side it speaks about.
    pub fn side(self) -> Side {
        match self {
            Self::BadStudy => Side::Study,
            Self::NoResource | Self::Dropped => Side::Generator,
            Self::Aborted => Side::Stop,
            _ => Side::Target,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_round_trip() {
        for (number, outcome) in OUTCOMES.into_iter().enumerate() {
            assert_eq!(outcome as usize, number);
            assert_eq!(Outcome::from_number(number as u8), Some(outcome));
            assert_eq!(Outcome::from_name(outcome.name()), Some(outcome));
        }
        assert_eq!(Outcome::from_number(16), None);
    }

    #[test]
    fn eight_outcomes_are_failures_and_no_generator_fault_is_among_them() {
        let failed: Vec<_> = OUTCOMES.into_iter().filter(|outcome| outcome.is_failed()).collect();
        assert_eq!(failed.len(), 8);
        assert!(failed.iter().all(|outcome| outcome.side() == Side::Target));
    }
}
