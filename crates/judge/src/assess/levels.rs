//! The same work at several loads, and Little's law at each.

/// Times that are so many times longer at the greatest load are the bend that one looks for.
const BEND: f64 = 2.0;
/// Throughput that falls by less than this part at the greatest load is scatter.
const BACK: f64 = 0.02;
/// A line is not drawn onward to more than so many times what was measured: it would say nothing.
pub const ONWARD_MAX: f64 = 5.0;
/// What the edges of a step explain between what was counted in flight and what rate and time give.
const CLOSE: f64 = 0.05;

/// Times against load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Waiting is part of it.
    Bends,
    /// Load hardly adds waiting.
    Flat,
}

/// How many times longer it takes at the greatest load than at the least.
pub fn response_over_load(factor: f64) -> Growth {
    if factor >= BEND { Growth::Bends } else { Growth::Flat }
}

/// Throughput against load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It falls again at the greatest load.
    Back,
    /// It still grows.
    On,
}

/// The greatest throughput, and that at the greatest load, a second.
pub fn throughput_over_load(best: f64, last: f64) -> Course {
    if best > last * (1.0 + BACK) { Course::Back } else { Course::On }
}

/// Whether the rate at which a resource would be full lies too far beyond the greatest that was measured.
pub fn reaches_far(full_at: f64, greatest: f64) -> bool {
    full_at > greatest * ONWARD_MAX
}

/// What was counted in flight, beside what rate and time give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Little {
    /// Within this share, which the edges of a step explain.
    Close(f64),
    /// More than this share apart.
    Apart(f64),
}

/// How far apart they are, as a share of the greater.
pub fn little(apart: f64) -> Little {
    if apart <= CLOSE { Little::Close(CLOSE) } else { Little::Apart(CLOSE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_threshold_belongs_to_the_side_that_its_sentence_says() {
        assert_eq!((response_over_load(2.0), response_over_load(1.99)), (Growth::Bends, Growth::Flat));
        assert_eq!(
            (throughput_over_load(103.0, 100.0), throughput_over_load(102.0, 100.0)),
            (Course::Back, Course::On)
        );
        assert_eq!((little(0.05), little(0.051)), (Little::Close(0.05), Little::Apart(0.05)));
        assert!(reaches_far(501.0, 100.0) && !reaches_far(500.0, 100.0));
    }
}
