//! Operational laws: what a resource's utilisation says about the throughput it allows. Page:
//! `docs/methods/bottleneck.md`.

use crate::special::student_two_sided;
use crate::{Estimate, StatsError, check_confidence};

/// The service demand of one iteration on a resource, `D = U/X`, in seconds of one server.
///
/// `utilisation`: servers busy on average (0.65 for 65 % of one core, 1.3 for 65 % of two); `throughput_per_s` above 0.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: the utilisation law; P. J. Denning, J. P. Buzen, Computing Surveys 10 (3), 1978.
pub fn demand_s(utilisation: f64, throughput_per_s: f64) -> Result<f64, StatsError> {
    check(&[utilisation], &[throughput_per_s])?;
    Ok(utilisation / throughput_per_s)
}

/// The throughput at which a resource reaches `limit`: `(limit - background)/demand`, a second; at least 0.
///
/// `limit`, `background` in servers busy; `demand_s` in seconds, above 0. 65 % at 500/s and a limit of 90 %: 692.3/s.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: the utilisation law, as [`demand_s`].
pub fn throughput_at(limit: f64, background: f64, demand_s: f64) -> Result<f64, StatsError> {
    check(&[limit, background], &[demand_s])?;
    Ok(((limit - background) / demand_s).max(0.0))
}

/// A resource: how many servers it has and how long one iteration uses one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resource {
    /// Servers, above 0: cores, connections of a pool.
    pub servers: f64,
    /// Seconds of one server that one iteration takes, 0 or more.
    pub demand_s: f64,
}

/// Upper bounds on the throughput of a closed system, whatever the order of service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Throughput at most, a second: the lesser of the next two.
    pub throughput_per_s: f64,
    /// `N/(D + Z)`: what the users can ask for when nobody waits.
    pub by_users_per_s: f64,
    /// `min m/D` over the resources; infinite where no resource is used.
    pub by_resources_per_s: f64,
    /// The number of users at which the two meet; beyond it, users only wait. Infinite as above.
    pub knee_users: f64,
    /// The resource that bounds, counted from 0; `None` where none is used.
    pub bottleneck: Option<usize>,
}

/// The asymptotic bounds `X <= min(N/(D+Z), min m/D)` and the knee `N* = (D+Z)·min(m/D)`.
///
/// `users` above 0; `think_s` 0 or more; the sum of all demands and `think_s` must be above 0.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: E. D. Lazowska et al., "Quantitative System Performance", 1984, chapter 5.
pub fn bounds(users: f64, resources: &[Resource], think_s: f64) -> Result<Bounds, StatsError> {
    for resource in resources {
        check(&[resource.demand_s], &[resource.servers])?;
    }
    let total: f64 = resources.iter().map(|resource| resource.demand_s).sum::<f64>() + think_s;
    check(&[think_s], &[users, total])?;
    let limit = |resource: &Resource| resource.servers / resource.demand_s;
    let bottleneck = (0..resources.len())
        .filter(|&index| resources[index].demand_s > 0.0)
        .min_by(|&a, &b| limit(&resources[a]).total_cmp(&limit(&resources[b])));
    let by_resources_per_s = bottleneck.map_or(f64::INFINITY, |index| limit(&resources[index]));
    let by_users_per_s = users / total;
    Ok(Bounds {
        throughput_per_s: by_users_per_s.min(by_resources_per_s),
        by_users_per_s,
        by_resources_per_s,
        knee_users: total * by_resources_per_s,
        bottleneck,
    })
}

/// A straight line through `(throughput, utilisation)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Slope: the demand in seconds of one server an iteration.
    pub slope: Estimate,
    /// Intercept: the background, in servers busy.
    pub intercept: Estimate,
    /// Share of the variance that the line explains, 0..=1; 1 where all utilisations are equal.
    pub r_squared: f64,
    /// `t` of a square term added to the line: beyond about ±3 the demand changes with the load (contention, caches).
    /// `None` for fewer than 4 points or a perfect line.
    pub curvature_t: Option<f64>,
}

/// Regresses utilisation on throughput over steps or batches.
///
/// `points`: `(throughput a second, utilisation in servers busy)`, at least 3, with at least 2 different throughputs, any
/// order, each worth the same and independent of its neighbours (batches of 30 s or more).
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] when all throughputs are equal.
/// Source: ordinary least squares; the slope as service demand in Lazowska et al., section 12.3.
pub fn regress(points: &[(f64, f64)], confidence: f64) -> Result<Line, StatsError> {
    check_confidence(confidence)?;
    let n = points.len() as f64;
    if points.len() < 3 {
        return Err(StatsError::TooFew { have: points.len() as u64, need: 3 });
    }
    if points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    let mean_x = points.iter().map(|point| point.0).sum::<f64>() / n;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / n;
    let xx: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let xy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let yy: f64 = points.iter().map(|(_, y)| (y - mean_y).powi(2)).sum();
    if xx <= 1e-24 * n * mean_x.powi(2) {
        return Err(StatsError::OutOfRange("at least two throughputs must differ"));
    }
    let slope = xy / xx;
    let intercept = mean_y - slope * mean_x;
    let residuals: Vec<f64> = points.iter().map(|(x, y)| y - intercept - slope * x).collect();
    let squares: f64 = residuals.iter().map(|residual| residual.powi(2)).sum();
    let variance = squares / (n - 2.0);
    let t = student_two_sided(n - 2.0, confidence);
    let estimate = |value: f64, error: f64| Estimate {
        value,
        low: value - t * error,
        high: value + t * error,
        confidence,
        sample_count: points.len() as u64,
        design_effect: 1.0,
        method: "least squares, Student's t",
    };
    let line = Line {
        slope: estimate(slope, (variance / xx).sqrt()),
        intercept: estimate(intercept, (variance * (1.0 / n + mean_x.powi(2) / xx)).sqrt()),
        r_squared: if yy > 0.0 { (1.0 - squares / yy).clamp(0.0, 1.0) } else { 1.0 },
        curvature_t: curvature(points, &residuals, mean_x, xx, squares),
    };
    if [line.slope.low, line.slope.high, line.intercept.low, line.intercept.high].iter().all(|end| end.is_finite()) {
        Ok(line)
    } else {
        Err(StatsError::NotFinite)
    }
}

/// The `t` of a square term, from the part of `(x - mean)²` that the line does not explain.
fn curvature(points: &[(f64, f64)], residuals: &[f64], mean_x: f64, xx: f64, squares: f64) -> Option<f64> {
    let n = points.len() as f64;
    if points.len() < 4 {
        return None;
    }
    let bends: Vec<f64> = points.iter().map(|(x, _)| (x - mean_x).powi(2)).collect();
    let mean = bends.iter().sum::<f64>() / n;
    let along: f64 = points.iter().zip(&bends).map(|((x, _), bend)| (x - mean_x) * bend).sum::<f64>() / xx;
    let free: Vec<f64> = points.iter().zip(&bends).map(|((x, _), bend)| bend - mean - along * (x - mean_x)).collect();
    let length: f64 = free.iter().map(|part| part.powi(2)).sum();
    let product: f64 = free.iter().zip(residuals).map(|(part, residual)| part * residual).sum();
    let rest = squares - product.powi(2) / length;
    let t = product / length.sqrt() / (rest / (n - 3.0)).sqrt();
    t.is_finite().then_some(t)
}

/// Checks that all are finite, the first list 0 or more, the second above 0.
fn check(not_negative: &[f64], positive: &[f64]) -> Result<(), StatsError> {
    if not_negative.iter().chain(positive).any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if not_negative.iter().any(|&number| number < 0.0) || positive.iter().any(|&number| number <= 0.0) {
        return Err(StatsError::OutOfRange("utilisations and demands must be 0 or more, rates and servers above 0"));
    }
    Ok(())
}
