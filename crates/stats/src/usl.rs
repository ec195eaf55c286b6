//! The Universal Scalability Law fitted to load levels, against the straight line and Amdahl's law. Page:
//! `docs/methods/scalability-law.md`.
//!
//! `X(N) = λN / (1 + σ(N-1) + κN(N-1))`. The fit annotates a capacity curve; [`gate`] says whether its parameters may be
//! printed at all. It never produces a capacity.

mod ceiling;

use crate::special::student_two_sided;
use crate::{Estimate, StatsError};

/// One load level: what was offered and what came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The load, above 0: virtual users, nodes.
    pub load: f64,
    /// The throughput at that load, a second; 0 or more.
    pub throughput: f64,
}

/// Which law; each is the next one with a parameter at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// `X = λN`: no limit in sight.
    Linear,
    /// Amdahl: contention `σ`, a ceiling of `λ/σ`.
    Amdahl,
    /// Contention and coherency: throughput falls again beyond `N_max`.
    Usl,
}

impl Law {
    fn parameters(self) -> usize {
        match self {
            Law::Linear => 1,
            Law::Amdahl => 2,
            Law::Usl => 3,
        }
    }
}

/// A fitted law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Which law.
    pub law: Law,
    /// Throughput of one unit of load, `λ`.
    pub lambda: f64,
    /// Contention `σ`, 0 or more.
    pub sigma: f64,
    /// Coherency `κ`, 0 or more.
    pub kappa: f64,
    /// Standard errors of `λ`, `σ`, `κ`, from the curvature at the solution; 0 for a parameter the law has not, infinite
    /// where the data do not determine it.
    pub standard_errors: [f64; 3],
    /// Sum of the squared residuals, in throughput squared.
    pub residual_squares: f64,
    /// Share of the variance of the throughput that the law explains; `NaN` never, 0 where all throughputs are equal.
    pub r_squared: f64,
    /// Akaike's criterion with the small-sample term; infinite when there are too few levels for it.
    pub aicc: f64,
    /// Number of levels.
    pub levels: usize,
}

impl Fit {
    /// The law's throughput at a load.
    #[must_use]
    pub fn throughput(&self, load: f64) -> f64 {
        throughput(self.lambda, self.sigma, self.kappa, load)
    }

    /// The load of the highest throughput, `sqrt((1-σ)/κ)`; `None` when the law does not fall (`κ` is 0 or `σ` is 1 or
    /// more).
    #[must_use]
    pub fn load_at_peak(&self) -> Option<f64> {
        (self.kappa > 0.0 && self.sigma < 1.0).then(|| ((1.0 - self.sigma) / self.kappa).sqrt())
    }

    /// The interval of `κ` by Student's distribution with `levels - 3` degrees of freedom, not below 0.
    #[must_use]
    pub fn kappa_interval(&self, confidence: f64) -> Option<Estimate> {
        let freedom = self.levels.checked_sub(3).filter(|&freedom| freedom > 0)?;
        let half = student_two_sided(freedom as f64, confidence) * self.standard_errors[2];
        if self.law != Law::Usl || !half.is_finite() {
            return None;
        }
        Some(Estimate {
            value: self.kappa,
            low: (self.kappa - half).max(0.0),
            high: self.kappa + half,
            confidence,
            sample_count: self.levels as u64,
            design_effect: 1.0,
            method: "least squares, Student's t",
        })
    }
}

/// The law's throughput: `λN / (1 + σ(N-1) + κN(N-1))`.
#[must_use]
pub fn throughput(lambda: f64, sigma: f64, kappa: f64, load: f64) -> f64 {
    lambda * load / (1.0 + sigma * (load - 1.0) + kappa * load * (load - 1.0))
}

/// Fits one law by least squares on the throughput.
///
/// `levels`: at least one more than the law has parameters, loads above 0, any order; means of repetitions or single
/// runs, all of equal weight.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: N. J. Gunther, "Guerrilla Capacity Planning", 2007, chapters 4 and 5; Levenberg 1944 and Marquardt 1963 with
/// projection on `σ, κ >= 0`; Hurvich & Tsai, Biometrika 76, 1989 for the small-sample term.
pub fn fit(levels: &[Level], law: Law) -> Result<Fit, StatsError> {
    let need = law.parameters() + 1;
    if levels.len() < need {
        return Err(StatsError::TooFew { have: levels.len() as u64, need: need as u64 });
    }
    if levels.iter().any(|level| !level.load.is_finite() || !level.throughput.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if levels.iter().any(|level| level.load <= 0.0 || level.throughput < 0.0) {
        return Err(StatsError::OutOfRange("loads must be above 0 and throughputs 0 or more"));
    }
    // Scaled columns: throughput by its largest value, so that squares neither vanish nor overflow.
    let scale = levels.iter().map(|level| level.throughput).fold(0.0, f64::max);
    if scale <= 0.0 {
        return Err(StatsError::OutOfRange("at least one throughput must be above 0"));
    }
    let scaled: Vec<Level> =
        levels.iter().map(|level| Level { throughput: level.throughput / scale, ..*level }).collect();
    let parameters = solve(&scaled, law);
    Ok(describe(&scaled, law, parameters, scale))
}

/// Whether the parameters of a fitted law may be printed, and if not, why.
#[derive(Clone, Debug, PartialEq)]
pub enum Gate {
    /// All conditions hold; `σ`, `κ`, `N_max` may be printed.
    Open(Box<Fit>),
    /// Say "the curve does not bend" or nothing; the reason in a word.
    Closed(Closed),
}

/// Why a gate is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closed {
    /// Fewer than [`FEWEST_LEVELS`] different loads.
    TooFewLevels {
        /// How many there are.
        have: usize,
    },
    /// The levels were not measured in one regime (an instance died, the configuration changed).
    SeveralRegimes,
    /// The straight line describes the data as well: AICc of the line minus that of the law is at most 2.
    NoBend {
        /// That difference; negative when the line is better.
        advantage: f64,
    },
    /// The interval of `κ` contains 0.
    KappaNotEstablished,
    /// A ceiling, hard or soft, describes the data nearly as well: nothing shows that throughput would fall again.
    CeilingFits {
        /// AICc of the ceiling minus that of the law; negative when the ceiling is better.
        advantage: f64,
    },
    /// The peak lies further than 1.5 times the highest load tried.
    PeakOutOfReach {
        /// `N_max` as fitted.
        load_at_peak: f64,
    },
    /// The fit itself was refused: equal throughputs, or no number.
    NoFit,
}

/// Load levels that a law with three parameters needs at least.
pub const FEWEST_LEVELS: usize = 6;
/// How much better than the straight line the law must be, in AICc.
pub const LEAST_ADVANTAGE: f64 = 2.0;
/// How much better than a ceiling, in AICc: with a smaller one, Amdahl's law passes for coherency in up to 15 % of
/// curves with errors of 5 %.
pub const LEAST_OVER_CEILING: f64 = 8.0;
/// Confidence of the interval of `κ`, which must not contain 0.
pub const KAPPA_CONFIDENCE: f64 = 0.99;
/// How far beyond the highest load tried the peak may lie.
pub const FURTHEST_PEAK: f64 = 1.5;

/// Says whether `σ`, `κ` and `N_max` may be printed.
///
/// `levels` as in [`fit`]; `is_one_regime`: the same instances, configuration and payload throughout.
#[must_use]
pub fn gate(levels: &[Level], is_one_regime: bool) -> Gate {
    let mut loads: Vec<f64> = levels.iter().map(|level| level.load).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    if loads.len() < FEWEST_LEVELS {
        return Gate::Closed(Closed::TooFewLevels { have: loads.len() });
    }
    if !is_one_regime {
        return Gate::Closed(Closed::SeveralRegimes);
    }
    let (Ok(line), Ok(usl)) = (fit(levels, Law::Linear), fit(levels, Law::Usl)) else {
        return Gate::Closed(Closed::NoFit);
    };
    let advantage = line.aicc - usl.aicc;
    if advantage.is_nan() || advantage <= LEAST_ADVANTAGE {
        return Gate::Closed(Closed::NoBend { advantage });
    }
    let (Some(interval), Some(load_at_peak)) = (usl.kappa_interval(KAPPA_CONFIDENCE), usl.load_at_peak()) else {
        return Gate::Closed(Closed::KappaNotEstablished);
    };
    if interval.low <= 0.0 {
        return Gate::Closed(Closed::KappaNotEstablished);
    }
    // As many parameters on both sides, so AICc differs by the residuals alone.
    let ceiling = ceiling::residual_squares(levels);
    let advantage = levels.len() as f64 * (ceiling / usl.residual_squares.max(f64::MIN_POSITIVE)).ln();
    if advantage.is_nan() || advantage <= LEAST_OVER_CEILING {
        return Gate::Closed(Closed::CeilingFits { advantage });
    }
    if load_at_peak > FURTHEST_PEAK * loads[loads.len() - 1] {
        return Gate::Closed(Closed::PeakOutOfReach { load_at_peak });
    }
    Gate::Open(Box::new(usl))
}

/// `[λ, σ, κ]` of the best of two descents; parameters that the law has not stay 0.
///
/// One starts at the usual guess, the other at the solution of the law with one parameter less, so that no law ever fits
/// worse than the simpler one: scattered levels have several minima.
fn solve(levels: &[Level], law: Law) -> [f64; 3] {
    let steepest = levels.iter().map(|level| level.throughput / level.load).fold(0.0, f64::max);
    let (guess, simpler) = match law {
        Law::Linear => ([steepest, 0.0, 0.0], None),
        Law::Amdahl => ([steepest, 0.01, 0.0], Some(Law::Linear)),
        Law::Usl => ([steepest, 0.01, 1e-4], Some(Law::Amdahl)),
    };
    let found = descend(levels, law, guess);
    let Some(simpler) = simpler else { return found };
    let nested = descend(levels, law, solve(levels, simpler));
    if residual_squares(levels, nested) < residual_squares(levels, found) { nested } else { found }
}

/// Damped Gauss-Newton steps from a start until they lower the residual no more.
fn descend(levels: &[Level], law: Law, start: [f64; 3]) -> [f64; 3] {
    const STEPS: u32 = 500;
    let count = law.parameters();
    let mut at = start;
    let mut squares = residual_squares(levels, at);
    let mut damping = 1e-3;
    for _ in 0..STEPS {
        let (normal, gradient) = normal_equations(levels, at);
        let mut moved = false;
        // Raise the damping until a step lowers the residual; give up when even a tiny step does not.
        while damping < 1e16 {
            let mut next = at;
            let step = damped_step(&normal, &gradient, at, count, damping);
            for (value, change) in next.iter_mut().zip(step) {
                *value = (*value + change).max(0.0);
            }
            let there = residual_squares(levels, next);
            if there < squares {
                let gain = (squares - there) / squares.max(f64::MIN_POSITIVE);
                (at, squares, moved) = (next, there, gain > 1e-16);
                damping = (damping / 10.0).max(1e-15);
                break;
            }
            damping *= 10.0;
        }
        if !moved {
            break;
        }
    }
    at
}

fn residual_squares(levels: &[Level], [lambda, sigma, kappa]: [f64; 3]) -> f64 {
    let squares: f64 =
        levels.iter().map(|level| (level.throughput - throughput(lambda, sigma, kappa, level.load)).powi(2)).sum();
    if squares.is_finite() { squares } else { f64::INFINITY }
}

/// `JᵀJ` and `Jᵀr`, where `J` holds the derivatives of the law and `r` what it leaves.
fn normal_equations(levels: &[Level], [lambda, sigma, kappa]: [f64; 3]) -> ([[f64; 3]; 3], [f64; 3]) {
    let (mut normal, mut gradient) = ([[0.0; 3]; 3], [0.0; 3]);
    for level in levels {
        let n = level.load;
        let divisor = 1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0);
        let value = lambda * n / divisor;
        let row = [n / divisor, -value * (n - 1.0) / divisor, -value * n * (n - 1.0) / divisor];
        let left = level.throughput - value;
        for (i, &a) in row.iter().enumerate() {
            gradient[i] += a * left;
            for (j, &b) in row.iter().enumerate() {
                normal[i][j] += a * b;
            }
        }
    }
    (normal, gradient)
}

/// One damped step among the parameters that are free: a parameter at 0 that the gradient pushes below stays there.
fn damped_step(normal: &[[f64; 3]; 3], gradient: &[f64; 3], at: [f64; 3], count: usize, damping: f64) -> [f64; 3] {
    let is_free = |i: usize| i < count && (i == 0 || at[i] > 0.0 || gradient[i] > 0.0);
    let mut matrix = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    for i in 0..3 {
        if !is_free(i) {
            matrix[i][i] = 1.0;
            continue;
        }
        right[i] = gradient[i];
        for j in 0..3 {
            if is_free(j) {
                matrix[i][j] = normal[i][j] * if i == j { 1.0 + damping } else { 1.0 };
            }
        }
    }
    inverse(&matrix).map_or([0.0; 3], |inverse| {
        let mut step = [0.0; 3];
        for (change, row) in step.iter_mut().zip(inverse) {
            *change = row.iter().zip(right).map(|(a, b)| a * b).sum();
        }
        step
    })
}

/// The inverse of a symmetric 3 x 3 matrix whose diagonal is above 0; scaled to a unit diagonal first, since the columns
/// of the law differ by many powers of ten.
fn inverse(matrix: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let mut scale = [0.0; 3];
    for (i, size) in scale.iter_mut().enumerate() {
        *size = matrix[i][i].sqrt().recip();
        if !size.is_finite() {
            return None;
        }
    }
    let m = |i: usize, j: usize| matrix[i % 3][j % 3] * scale[i % 3] * scale[j % 3];
    let cofactor = |i: usize, j: usize| m(i + 1, j + 1) * m(i + 2, j + 2) - m(i + 1, j + 2) * m(i + 2, j + 1);
    let determinant: f64 = (0..3).map(|j| m(0, j) * cofactor(0, j)).sum();
    if determinant.abs() < 1e-14 || !determinant.is_finite() {
        return None;
    }
    let mut result = [[0.0; 3]; 3];
    for (i, row) in result.iter_mut().enumerate() {
        for (j, cell) in row.iter_mut().enumerate() {
            *cell = cofactor(j, i) / determinant * scale[i] * scale[j];
        }
    }
    Some(result)
}

fn describe(levels: &[Level], law: Law, at: [f64; 3], scale: f64) -> Fit {
    let count = law.parameters();
    let n = levels.len() as f64;
    let squares = residual_squares(levels, at);
    let mean = levels.iter().map(|level| level.throughput).sum::<f64>() / n;
    let total: f64 = levels.iter().map(|level| (level.throughput - mean).powi(2)).sum();
    let (full, _) = normal_equations(levels, at);
    let mut normal = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (row, values) in normal.iter_mut().zip(full).take(count) {
        row[..count].copy_from_slice(&values[..count]);
    }
    let variance = squares / (n - count as f64);
    let mut standard_errors = [0.0; 3];
    if let Some(inverse) = inverse(&normal) {
        for (i, error) in standard_errors.iter_mut().enumerate().take(count) {
            *error = (variance * inverse[i][i]).sqrt();
        }
    } else {
        standard_errors[..count].fill(f64::INFINITY);
    }
    standard_errors[0] *= scale;
    Fit {
        law,
        lambda: at[0] * scale,
        sigma: at[1],
        kappa: at[2],
        standard_errors,
        residual_squares: squares * scale * scale,
        r_squared: if total > 0.0 { 1.0 - squares / total } else { 0.0 },
        aicc: akaike(squares * scale * scale, n, count as f64 + 1.0),
        levels: levels.len(),
    }
}

/// `n·ln(RSS/n) + 2k + 2k(k+1)/(n-k-1)`; `k` counts the parameters of the law and the variance of the residuals.
fn akaike(squares: f64, n: f64, k: f64) -> f64 {
    if n - k - 1.0 <= 0.0 {
        return f64::INFINITY;
    }
    // Below rounding error every law is equally perfect; the smallest number keeps the logarithm finite.
    n * (squares / n).max(f64::MIN_POSITIVE).ln() + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
}
