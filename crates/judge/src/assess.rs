//! What the curves of a report's figures mean. Thresholds of figures stand here, beside those of findings; a figure
//! never says what the finding of the same thing does not.
//!
//! Each assessment is a variant with its numbers. The sentence is `report`'s.

mod calls;
mod grids;
mod levels;
mod load;
pub mod moments;
mod times;
mod watched;

pub use calls::{CALLS_BEYOND, calls_needed, has_ecdf, has_histogram, is_full, second_carries, window_carries};
pub use grids::{Delivery, FULL, RampEffect, ScalingEffect, delivery, grows_over_cells, ramp_effect, scaling_effect};
pub use levels::{
    Course, Growth, LEVELS_DRAWN, Little, ONWARD_MAX, UseLine, are_apart, is_short, is_used, little, reaches_far,
    response_over_load, throughput_over_load,
};
pub use load::{
    Awaiting, Backlog, Failures, Plan, Through, Throughput, awaiting, failures, is_as_planned, plan, through,
    throughput,
};
pub use times::{Centre, Groups, Waiting, centre, groups, is_long_tail, repeats, waiting};
pub use watched::{
    Allowance, Direction, FLAT, Gauge, Peaks, Processor, Replicas, Room, Spread, Streams, allowance, gauge, is_flat,
    least_peak, peaks, processor, replicas, replicas_differ, room, room_left, streams, trend,
};

/// Arithmetic mean; zero of nothing.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Means of the first and the last third of some values; `None` of fewer than three.
fn thirds(values: &[f64]) -> Option<(f64, f64)> {
    let third = values.len() / 3;
    (third > 0).then(|| (mean(&values[..third]), mean(&values[values.len() - third..])))
}
