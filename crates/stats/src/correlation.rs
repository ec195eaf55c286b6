//! How long a series remembers: its integrated autocorrelation time.

/// The upper quantile of the standard normal distribution to which the lag-one correlation is taken, 90 %.
const CORRELATION_REACH: f64 = 1.281_551_565_544_6;
/// Correlation from one cell to the next beyond which memory is not told apart from a trend.
const CORRELATION_MOST: f64 = 0.99;

/// The integrated autocorrelation time in steps plus its own standard error, `time·sqrt(2(2w+1)/n)` for a sum of `w` lags: a short series shows
/// less of its memory than there is.
pub(crate) fn safe_correlation_time(values: &[f64]) -> f64 {
    let (time, window) = windowed_time(values);
    if window == 0 {
        // All values are equal: there is no memory to misjudge.
        return time;
    }
    time * (1.0 + (2.0 * (2.0 * window as f64 + 1.0) / values.len().max(1) as f64).sqrt())
}

/// The integrated autocorrelation time in steps, `1 + 2·Σρ(k)`, at least 1 (how many steps carry as much as one
/// independent one), and the number of lags it was summed over: up to the first `k` of at least five times the time
/// found so far.
///
/// Source: A. D. Sokal, "Monte Carlo methods in statistical mechanics", 1989, section 3 (automatic windowing).
pub(crate) fn windowed_time(values: &[f64]) -> (f64, usize) {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n.max(1) as f64;
    let product = |lag: usize| -> f64 { values.iter().zip(&values[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum() };
    if n < 4 {
        return (1.0, 0);
    }
    let all = product(0);
    if all.is_nan() || all <= 0.0 {
        return (1.0, 0);
    }
    let (mut time, mut window) = (1.0f64, 0);
    for lag in 1..n / 2 {
        if lag as f64 >= 5.0 * time.max(1.0) {
            break;
        }
        time += 2.0 * product(lag) / all;
        window = lag;
    }
    (time.max(1.0), window)
}

/// The integrated autocorrelation time, in cells, of the strongest first-order process that these values do not rule
/// out: with the correlation of neighbours freed of its bias and at its upper 90 % limit.
/// Source: M. H. Quenouille's bias as in M. G. Kendall, "Note on bias in the estimation of autocorrelation", Biometrika
/// 41, 1954; the standard error after M. S. Bartlett, JRSS Supplement 8, 1946.
pub(crate) fn time_by_neighbours(pulls: &[f64]) -> f64 {
    let count = pulls.len() as f64;
    let squares: f64 = pulls.iter().map(|pull| pull * pull).sum();
    if squares <= 0.0 || pulls.len() < 4 {
        return 1.0;
    }
    let seen = pulls.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / squares;
    let freed = seen + (1.0 + 3.0 * seen.max(0.0)) / count;
    let reach = CORRELATION_REACH * ((1.0 - freed * freed).max(0.0) / count).sqrt();
    let most = (freed + reach).clamp(0.0, CORRELATION_MOST);
    (1.0 + most) / (1.0 - most)
}
