//! Rules that look for what a reader should know. Each is one function.

mod across_loads;
mod arith;
mod backlog;
mod censored;
mod co_closed;
mod compared;
mod copy_twin;
pub(crate) mod declare;
mod down;
mod err_fast;
mod events;
mod few;
mod flat_r;
mod gen_ceiling;
mod gen_drop;
mod gen_sat;
mod gen_slip;
mod grid_dip;
mod idle_members;
pub mod inventory;
mod judged;
mod little;
mod mean_gt_p90;
mod no_answer;
mod no_base;
mod nonmono;
mod not_reached;
mod other_work;
mod over_time;
mod ratio;
mod refused;
mod regime;
mod replies;
mod rounding;
mod shape;
mod significant;
mod signs;
mod stated;
mod still_busy;
mod unclaimed;
mod unexplained;
mod unit;
mod unused;
pub mod written;

pub(crate) use backlog::first_time;
pub(crate) use over_time::drop::{LEVEL_SECONDS, Piece, first_drop};
pub(crate) use over_time::heap::HEAP_FULL;
pub(crate) use over_time::leak::RISE_SECONDS;
pub(crate) use over_time::skew::{SKEW_BYTES, SKEW_CORES, SKEW_SHARE};
pub use shape::{SHAPE_CALLS, SHAPE_STALLED, SHAPE_TAIL};

use crate::Scope;
use crate::levels::Family;
use crate::little::Balance;
use crate::rows::Index;
use crate::validity::Placed;
use crate::{Args, Finding, Gravity, StepResult};
use declare::Declared;
pub use declare::{Bytes, Cores, Count, Given, Milliseconds, Number, PerSecond, Seconds, Share};
use std::sync::OnceLock;

/// What a rule sees.
pub(crate) struct RuleInput<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) study: &'a study::Study,
    /// In the order of the evidence's steps, as `balances` are.
    pub(crate) steps: &'a [StepResult],
    pub(crate) balances: &'a [Option<Balance>],
    pub(crate) signs: &'a [Placed],
    /// The same work at several loads.
    pub(crate) families: &'a [Family],
    /// What limited each scenario.
    pub(crate) ladders: &'a [crate::bottleneck::Ladder],
    /// What the study compares.
    pub(crate) comparisons: &'a [crate::comparison::Comparison],
    /// Cells side by side.
    pub(crate) grids: &'a [crate::grids::Grid],
    /// Shapes of the times of each hold, as soon as a rule has asked for them.
    pub(crate) shapes: OnceLock<Vec<shape::Shapes>>,
}

type RuleFn = fn(&RuleInput<'_>) -> Vec<Finding>;

/// Every rule.
const FUNCTIONS: &[RuleFn] = &[
    backlog::backlog,
    little::little,
    other_work::other_work,
    gen_sat::saturated,
    gen_slip::slipped,
    gen_drop::dropped,
    gen_ceiling::near_ceiling,
    co_closed::closed_omission,
    mean_gt_p90::mean_above_p90,
    censored::censored,
    err_fast::fast_errors,
    few::few,
    shape::uneven,
    replies::replies,
    events::events,
    refused::refused,
    unclaimed::unclaimed,
    unexplained::unexplained,
    down::down,
    still_busy::still_busy,
    no_answer::no_answer,
    over_time::all,
    nonmono::not_monotone,
    grid_dip::errors_fall,
    not_reached::not_reached,
    flat_r::flat_times,
    regime::regime,
    copy_twin::twins,
    significant::significant,
    no_base::no_base,
    rounding::rounding,
    unused::unused,
    arith::arithmetic,
    ratio::factors,
    unit::units,
    inventory::inventory,
    idle_members::idle,
    shape::plain,
];

/// Makes the type of all that can be found, of the types that the rules declare.
macro_rules! found {
    ($($name:ident: $($module:ident)::+),+ $(,)?) => {
        $(pub use $($module)::+::$name;)+

        /// What a rule found, with its figures.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Found { $($name($name)),+ }

        /// Every rule with the names of its figures, in alphabetical order.
        pub const RULES: &[crate::catalogue::Entry] =
            &[$((<$name as Declared>::RULE, <$name as Declared>::ARGS)),+];

        impl Found {
            /// Name of the rule, one of [`RULES`].
            pub fn rule(&self) -> &'static str {
                match self { $(Self::$name(_) => <$name as Declared>::RULE),+ }
            }

            /// The figures by name, for sentences and for JSON.
            pub fn args(&self) -> Args {
                match self { $(Self::$name(found) => found.args()),+ }
            }
        }
    };
}

found! {
    WrongSum: arith,
    Backlog: backlog,
    Ceiling: over_time::ceiling,
    Censored: censored,
    ClosedOmission: co_closed,
    Twins: copy_twin,
    InstanceDown: down,
    Drift: over_time::drift,
    ThroughputDrop: over_time::drop,
    FastErrors: err_fast,
    LostEvents: events,
    FewCalls: few,
    FlatTimes: flat_r,
    GcStorm: over_time::heap,
    NearCeiling: gen_ceiling,
    GeneratorDropped: gen_drop,
    GeneratorSaturated: gen_sat,
    GeneratorLate: gen_slip,
    ErrorsFall: grid_dip,
    HeapCourse: over_time::heap,
    IdleLevel: over_time::idle,
    IdleMembers: idle_members,
    InventoryMemory: inventory,
    InventoryReservation: inventory,
    InventoryShifted: inventory,
    InventoryText: inventory,
    InventoryTwin: inventory,
    InventoryUnits: inventory,
    MemoryLeak: over_time::leak,
    LittleLaw: little,
    MeanAboveP90: mean_gt_p90,
    NoAnswer: no_answer,
    NoBaseNoise: no_base,
    NoReturn: over_time::no_return,
    NotMonotone: nonmono,
    NotReached: not_reached,
    OtherWork: other_work,
    WrongFactor: ratio,
    RefusedAfterwards: refused,
    Regime: regime,
    WrongReplies: replies,
    FineRounding: rounding,
    TimesShape: shape,
    ProvenDifference: significant,
    Skew: over_time::skew,
    Spike: over_time::spike,
    Stalls: over_time::stall,
    FullerStore: over_time::state,
    StillBusy: still_busy,
    UnclaimedRequests: unclaimed,
    Unexplained: unexplained,
    WrongUnit: unit,
    UnusedAssumption: unused,
    WarmUp: over_time::warm_up,
}

/// All findings, gravest first, numbered.
pub(crate) fn findings(seen: &RuleInput<'_>) -> Vec<Finding> {
    let findings: Vec<Finding> = FUNCTIONS.iter().flat_map(|rule| rule(seen)).collect();
    // What concerns all parts of a mix is found at each of them, and is stated once.
    let mut said: Vec<Finding> = Vec::new();
    for finding in findings {
        if !said.contains(&finding) {
            said.push(finding);
        }
    }
    let mut findings = said;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for (number, finding) in findings.iter_mut().enumerate() {
        finding.id = format!("F{}", number + 1);
    }
    findings
}

/// A finding that is not numbered yet.
fn finding(severity: Gravity, scope: &Scope, found: impl Into<Found>) -> Finding {
    let evidence = vec![format!("load:{scope}")];
    Finding { id: String::new(), found: found.into(), severity, scope: scope.clone(), spans: Vec::new(), evidence }
}
