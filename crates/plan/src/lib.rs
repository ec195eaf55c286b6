//! [`study::Study`] to [`Plan`]: phases, intended starts by number, users' starts. Pure arithmetic.
//!
//! # Place in the pipeline
//! Takes what `study` has checked; feeds `drive` (when to start what) and `record` (what was planned). No input, no
//! output, no clock.
//!
//! # Ideas
//! Start times are computed, never measured: the k-th start is where the area under the rate curve reaches k, so
//! nothing drifts and nothing depends on the number of threads. Start k belongs to worker k modulo workers.
//!
//! # Example
//! ```
//! use plan::Schedule;
//! use terms::Nanos;
//! let schedule = Schedule::even(vec![plan::Segment::constant(200.0, Nanos::from_secs(10))]);
//! assert_eq!(schedule.count(), 2000);
//! assert_eq!(schedule.nth(1), Nanos::from_millis(5));
//! ```
//!
//! # Not here
//! Pacing in real time, think times and deadlines are in `drive`.
#![forbid(unsafe_code)]

mod build;
mod held;
mod layout;
mod mix;
mod poisson;
mod schedule;
mod shape;
mod users;

pub use build::build;
pub use held::{HeldPlan, Message, Messages};
pub use layout::layout;
pub use schedule::{Schedule, Segment, Starts};
pub use shape::{LoadPlan, LoadStep, PartPlan, Plan, ScenarioPlan, Step, StreamsPlan};
pub use users::UserPlan;
