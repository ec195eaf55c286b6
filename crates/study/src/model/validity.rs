//! Limits of the checks of validity that a study sets itself.

use contract::Place;

/// The limits of one check, where they are not the usual ones.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckLimits {
    /// Name of the check: `lateness`, `run_queue`.
    pub check: String,
    /// Where it is in the study.
    pub place: Place,
    /// The run is questionable above this: seconds for `lateness`, else a share of one. `None` leaves the usual limit.
    pub questionable: Option<f64>,
    /// The run is invalid above this; unit as `questionable`.
    pub invalid: Option<f64>,
    /// Why the usual limit does not fit.
    pub because: String,
}

impl CheckLimits {
    /// Whether the limits of this check are times; those of all others are shares of one.
    pub fn is_time(&self) -> bool {
        self.check == "lateness"
    }
}
