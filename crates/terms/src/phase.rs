//! The parts of a step's time.

use std::fmt;

/// Which part of a scenario's time a moment lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Phase {
    /// Quiet baseline before the load.
    Idle,
    /// The load rises; each level of a stepped ramp is a phase of its own.
    Ramp,
    /// Full load, not judged.
    WarmUp,
    /// Full load, judged.
    Hold,
    /// No new starts; what is open may still end.
    Drain,
    /// Watching after the load.
    Recovery,
}

impl Phase {
    /// All phases in their order of time.
    pub const ALL: [Self; 6] = [Self::Idle, Self::Ramp, Self::WarmUp, Self::Hold, Self::Drain, Self::Recovery];

    /// The word in the study, in rules and in `result.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Ramp => "ramp",
            Self::WarmUp => "warm_up",
            Self::Hold => "hold",
            Self::Drain => "drain",
            Self::Recovery => "recovery",
        }
    }

    /// The phase of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }

    /// Whether iterations start in it.
    pub fn has_load(self) -> bool {
        matches!(self, Self::Ramp | Self::WarmUp | Self::Hold)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
