//! What the common ways to compute a percentile of few calls leave open. With ten calls a p95 lies between the two longest,
//! or is one of them, as a tool likes: only what none of these ways allows is a contradiction.

use super::order::Statistic;
use crate::columns::Role;

/// So many calls are looked at one number after another; beyond it, a share of one by their number is room enough.
const FEW: usize = 200;

/// Rank, from 1 for the least, at which each way finds the share `p` of `n` calls; between two ranks it interpolates.
/// Sources: Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), types 1 to 9, and the indices that tools use.
fn ranks(p: f64, n: f64) -> [f64; 12] {
    let exact = |m: f64| n * p + m;
    [
        (n * p).ceil(),
        (n * p).floor() + 1.0,
        (n * p).round(),
        (p * (n - 1.0)).floor() + 1.0,
        (p * (n - 1.0)).ceil() + 1.0,
        (p * (n - 1.0)).round() + 1.0,
        exact(0.0),
        exact(0.5),
        exact(p),
        exact(1.0 - p),
        exact((p + 1.0) / 3.0),
        exact(p / 4.0 + 0.375),
    ]
}

/// The least and the greatest value that a call of one rank may have.
#[derive(Clone, Copy)]
struct Bound {
    rank: f64,
    low: f64,
    high: f64,
}

/// Least and greatest mean of `n` calls whose percentiles are computed in one way; nothing where no calls have them.
fn means(known: &[(f64, f64, f64)], n: f64, way: usize) -> Option<(f64, f64)> {
    let mut bounds =
        vec![Bound { rank: 1.0, low: 0.0, high: f64::INFINITY }, Bound { rank: n, low: 0.0, high: f64::INFINITY }];
    for (share, low, high) in known {
        let at = if *share <= 0.0 {
            1.0
        } else if *share >= 1.0 {
            n
        } else {
            ranks(*share, n)[way].clamp(1.0, n)
        };
        if at - at.floor() < 1e-9 {
            bounds.push(Bound { rank: at, low: *low, high: *high });
        } else {
            bounds.push(Bound { rank: at.floor(), low: 0.0, high: *high });
            bounds.push(Bound { rank: at.ceil(), low: *low, high: f64::INFINITY });
        }
    }
    bounds.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    // What is known of one rank holds for those on its side, too.
    let mut low = 0f64;
    for bound in &mut bounds {
        low = low.max(bound.low);
        bound.low = low;
    }
    let mut high = f64::INFINITY;
    for bound in bounds.iter_mut().rev() {
        high = high.min(bound.high);
        bound.high = high;
    }
    // Several entries of one rank: the tightest of them.
    let mut ranks: Vec<Bound> = Vec::new();
    for bound in bounds {
        match ranks.last_mut().filter(|last| last.rank == bound.rank) {
            Some(last) => (last.low, last.high) = (last.low.max(bound.low), last.high.min(bound.high)),
            None => ranks.push(bound),
        }
    }
    if ranks.iter().any(|bound| bound.low > bound.high * (1.0 + 1e-9)) || !interpolates(known, &ranks, n, way) {
        return None;
    }
    let mut sums = (ranks[0].low, ranks[0].high);
    for two in ranks.windows(2) {
        let between = two[1].rank - two[0].rank - 1.0;
        sums.0 += between * two[0].low + two[1].low;
        sums.1 += if between > 0.0 { between * two[1].high } else { 0.0 } + two[1].high;
    }
    Some((sums.0 / n, sums.1 / n))
}

/// Whether a value between the two ranks around each percentile can be interpolated from what they may be.
fn interpolates(known: &[(f64, f64, f64)], ranks_of: &[Bound], n: f64, way: usize) -> bool {
    let bound = |rank: f64| ranks_of.iter().find(|bound| bound.rank == rank);
    known.iter().filter(|(share, ..)| *share > 0.0 && *share < 1.0).all(|(share, low, high)| {
        let at = ranks(*share, n)[way].clamp(1.0, n);
        let part = at - at.floor();
        let (Some(below), Some(above)) = (bound(at.floor()), bound(at.ceil())) else { return true };
        let least = (1.0 - part) * below.low + part * above.low;
        let most = if part > 0.0 { (1.0 - part) * below.high + part * above.high } else { below.high };
        least <= high * (1.0 + 1e-9) && most >= low * (1.0 - 1e-9)
    })
}

/// Whether some number of calls, or the one that is known, and some way to compute percentiles leave room for a mean.
pub(super) fn leave_room(statistics: &[Statistic], mean: &Statistic, count: Option<f64>) -> bool {
    let share = |one: &Statistic| match one.role {
        Role::Min => Some(0.0),
        Role::Percentile(share) => Some(share),
        Role::Max => Some(1.0),
        _ => None,
    };
    let known: Vec<(f64, f64, f64)> =
        statistics.iter().filter_map(|one| Some((share(one)?, one.figure.low().max(0.0), one.figure.high()))).collect();
    let fits = |(low, high): (f64, f64)| mean.figure.high() >= 0.99 * low && mean.figure.low() <= 1.01 * high;
    let fits_some = |n: usize| (0..12).any(|way| means(&known, n as f64, way).is_some_and(fits));
    match count.filter(|count| *count >= 1.0) {
        Some(count) if count <= FEW as f64 => fits_some(count as usize),
        Some(count) => fits(shifted(known.clone(), 2.0 / count)),
        // The cheaper one first.
        None => fits(shifted(known.clone(), 2.0 / FEW as f64)) || (1..=FEW).any(fits_some),
    }
}

/// Least and greatest mean where each percentile may be that of a share so much lower or higher.
fn shifted(mut known: Vec<(f64, f64, f64)>, slack: f64) -> (f64, f64) {
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let inner = |share: f64, by: f64| if share > 0.0 && share < 1.0 { (share + by).clamp(0.0, 1.0) } else { share };
    let (mut upper, mut before) = (0.0, 0.0);
    for (share, _, high) in &known {
        let share = inner(*share, -slack);
        upper += (share - before).max(0.0) * high;
        before = share.max(before);
    }
    if before < 1.0 {
        upper = f64::INFINITY;
    }
    let mut lower = 0.0;
    for (at, (share, low, _)) in known.iter().enumerate() {
        let until = known.get(at + 1).map_or(1.0, |next| inner(next.0, slack));
        lower += (until - inner(*share, slack)).max(0.0) * low;
    }
    (lower, upper)
}
