//! What a study says of traces.

/// What [`Traces::link`] has in the place of a trace's id.
pub const TRACE: &str = "$(trace)";

/// Requests begin traces in the system, and this is how.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// Whether all exchanges of an iteration are of one trace, instead of each having its own.
    pub per_iteration: bool,
    /// Share of the traces that the system is told to record, 0 to 1.
    pub sampled: f64,
    /// Address of a trace for those who read the report, with [`TRACE`] in it.
    pub link: Option<String>,
}

impl Traces {
    /// Where a trace can be looked at; `None` where the study does not say.
    pub fn link_of(&self, trace: &str) -> Option<String> {
        self.link.as_ref().map(|link| link.replace(TRACE, trace))
    }
}
