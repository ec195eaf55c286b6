//! How much load, when, and for how long.

use terms::Nanos;

/// How much load, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Open, closed or held.
    pub model: Model,
    /// Rise to full load.
    pub ramp: Option<Ramp>,
    /// Full load, not judged.
    pub warm_up: Option<Extent>,
    /// Full load, judged. For an arrival profile, the whole profile.
    pub hold: Extent,
    /// Of a load that ends by a count: it ends after this long, too, from its begin on.
    pub at_most: Option<Nanos>,
    /// Bound on connections (open: the arrival waits with its clock running).
    pub max_in_flight: Option<u32>,
    /// Identities that take turns as iterations start.
    pub streams: Option<Streams>,
    /// Load nodes that carry it, where not all of the study's do.
    pub nodes: Option<u16>,
}

/// The first rows of a data set as identities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Number of the data set.
    pub data: u16,
    /// Their number, at least 1.
    pub count: u16,
}

/// Workload model.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Iterations start at a rate, however slow the answers.
    Arrivals {
        /// The rate, or a profile of pieces.
        profile: Profile,
        /// How starts are spaced.
        spacing: Spacing,
    },
    /// That many virtual users, each waiting for its answer.
    Users {
        /// Number of virtual users; where it changes, the greatest.
        count: u32,
        /// Least time between the starts of a user's iterations.
        pacing: Option<Nanos>,
        /// How their number changes, if the study says; else it is shaped by ramp, warm-up and hold.
        stages: Vec<UserStage>,
    },
    /// That many connections, held open.
    Connections {
        /// Number of connections.
        count: u32,
        /// Messages a second that each sends, evenly and never in step with the others; none where they only listen.
        each: Option<f64>,
        /// Messages a second that each gets of itself, where the exchange says what is expected.
        expected: Option<f64>,
    },
    /// That many subscribers, to all of whom each event goes.
    Subscribers {
        /// Number of subscribers.
        count: u32,
        /// Events a second that are published.
        publish: f64,
    },
}

impl Model {
    /// Of a load that says all of its phases itself: which of them are holds, and how long each is. Empty for others.
    pub fn pieces(&self) -> Vec<(bool, Nanos)> {
        match self {
            Self::Arrivals { profile: Profile::Pieces(pieces), .. } => {
                pieces.iter().map(|piece| (piece.is_hold(), piece.length)).collect()
            }
            Self::Users { stages, .. } => stages.iter().map(|stage| (stage.is_hold(), stage.length)).collect(),
            Self::Arrivals { .. } | Self::Connections { .. } | Self::Subscribers { .. } => Vec::new(),
        }
    }

    /// The same, with lengths that can be changed.
    pub(crate) fn pieces_mut(&mut self) -> Vec<(bool, &mut Nanos)> {
        match self {
            Self::Arrivals { profile: Profile::Pieces(pieces), .. } => {
                pieces.iter_mut().map(|piece| (piece.is_hold(), &mut piece.length)).collect()
            }
            Self::Users { stages, .. } => stages.iter_mut().map(|stage| (stage.is_hold(), &mut stage.length)).collect(),
            Self::Arrivals { .. } | Self::Connections { .. } | Self::Subscribers { .. } => Vec::new(),
        }
    }
}

/// A piece of a load whose number of users changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserStage {
    /// Virtual users at its beginning.
    pub from: u32,
    /// Virtual users at its end.
    pub to: u32,
    pub length: Nanos,
}

impl UserStage {
    /// Whether their number stays.
    pub fn is_hold(&self) -> bool {
        self.from == self.to
    }
}

/// An arrival rate over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// One rate, starts a second; shaped by ramp, warm-up and hold.
    Constant(f64),
    /// Pieces one after another: constant ones are holds, the others ramps.
    Pieces(Vec<RatePiece>),
}

/// A piece of an arrival profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePiece {
    /// Rate at its start, a second.
    pub from: f64,
    /// Rate at its end, a second.
    pub to: f64,
    /// How long.
    pub length: Nanos,
}

impl RatePiece {
    /// Whether the rate stays.
    pub fn is_hold(&self) -> bool {
        (self.from - self.to).abs() < f64::EPSILON
    }
}

/// Spacing of starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    Even,
    /// Poisson process of the same rate, from the seed.
    Poisson,
}

/// Rise to full load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// How long.
    pub over: Nanos,
    /// Levels `by`, 2·`by` … below full load, equally long; `None` for a smooth ramp. A second, or users.
    pub by: Option<f64>,
}

/// How long something lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    Time(Nanos),
    /// A number of iterations, as fast as they go.
    Count(u64),
}
