//! Figures of published reports, for tests: users and calls a second of the iterations of MinLog2.

/// Lookups by citizens.
pub(crate) const CITIZEN: [(f64, f64); 10] = [
    (10.0, 18.1),
    (16.0, 23.18),
    (24.0, 34.44),
    (32.0, 46.78),
    (40.0, 56.17),
    (48.0, 67.9),
    (56.0, 79.31),
    (64.0, 90.3),
    (72.0, 103.9),
    (80.0, 112.02),
];
/// Registration; the fourth as 7.2, whose digits had slid between columns.
pub(crate) const REGISTRATION: [(f64, f64); 5] = [(10.0, 2.76), (16.0, 4.19), (22.0, 4.24), (33.0, 7.2), (44.0, 6.25)];
