//! The law that a plain ceiling follows, hard or soft: what the scalability law has to beat before it may speak of
//! coherency.

use super::Level;

/// Sharpness of the bend: 1 is Amdahl's law, 40 as good as a corner.
const SHARPNESS: [f64; 11] = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0, 15.0, 40.0];
/// The sharpest bend that is tried.
const SHARPEST: f64 = 80.0;
/// Places of the bend in the first search, and in each that refines it.
const PLACES: [usize; 4] = [60, 21, 21, 21];

/// The least sum of squared residuals of `X(N) = λN / (1 + (aN)^p)^(1/p)`, which rises to `λ/a` and never falls.
///
/// `p` is from 1 (Amdahl's law, nearly) to 80 (a pool or a rate limit: straight up, then flat); closed queueing networks
/// lie between. For each `a` and `p` the best `λ` follows; these two are searched on a grid that is refined three times.
/// In throughput squared; infinite where nothing can be fitted. `levels` as in [`super::fit`].
pub(super) fn residual_squares(levels: &[Level]) -> f64 {
    let loads = || levels.iter().map(|level| level.load);
    let (least, most) = (loads().fold(f64::INFINITY, f64::min), loads().fold(0.0, f64::max));
    // From a bend far beyond all loads to one far below them.
    let (low, high) = ((0.02 / most).ln(), (20.0 / least).ln());
    let mut step = (high - low) / (PLACES[0] - 1) as f64;
    let (mut best, mut place, mut sharpness) = (f64::INFINITY, low, 1.0);
    let mut from = low;
    let mut sharp: Vec<f64> = SHARPNESS.to_vec();
    let mut spread = 0.25;
    for places in PLACES {
        for number in 0..places {
            let at = from + step * number as f64;
            for &p in &sharp {
                let squares = left_over(levels, at.exp(), p);
                if squares < best {
                    (best, place, sharpness) = (squares, at, p);
                }
            }
        }
        step /= 5.0;
        from = place - step * 10.0;
        sharp = (-4..=4).map(|k| (sharpness * (spread * f64::from(k) / 4.0).exp()).clamp(1.0, SHARPEST)).collect();
        spread /= 3.0;
    }
    best
}

/// What the best `λ` leaves.
fn left_over(levels: &[Level], a: f64, p: f64) -> f64 {
    // A large power of a large ratio overflows; above 1, the larger of the two terms is taken out first.
    let shape = |load: f64| {
        let ratio = a * load;
        if ratio <= 1.0 {
            load / (1.0 + ratio.powf(p)).powf(p.recip())
        } else {
            a.recip() / (1.0 + ratio.powf(-p)).powf(p.recip())
        }
    };
    let (mut products, mut squares) = (0.0, 0.0);
    for level in levels {
        let value = shape(level.load);
        products += value * level.throughput;
        squares += value * value;
    }
    let lambda = products / squares;
    let sum: f64 = levels.iter().map(|level| (level.throughput - lambda * shape(level.load)).powi(2)).sum();
    if sum.is_finite() { sum } else { f64::INFINITY }
}
