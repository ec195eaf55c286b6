//! Prints what this crate says about a few hundred samples, for `check_with_r.R` and `check_with_scipy.py` beside it,
//! which ask R and SciPy the same questions and compare:
//!
//! ```sh
//! cargo run -q -p stats --example cases > cases.tsv
//! Rscript crates/stats/examples/check_with_r.R cases.tsv
//! python3 crates/stats/examples/check_with_scipy.py cases.tsv     # numpy scipy statsmodels ruptures
//! ```
//!
//! A line: function, inputs (lists separated by `;`, numbers by `,`), outputs (`name=number`, separated by `;`).
#![allow(clippy::unwrap_used, reason = "an example: a case that cannot be computed must be seen")]

use stats::quantile::QuantileType;
use stats::reference::ParkMiller;
use stats::share::Counted;
use stats::usl::Level;

/// How many samples each function is asked about.
const SAMPLES: u64 = 25;

fn main() {
    for seed in 1..=SAMPLES {
        let mut random = ParkMiller::new(1000 + seed);
        ranks(&mut random);
        trends(&mut random);
        shares(&mut random);
        quantiles(&mut random);
        lines(&mut random);
        changes(&mut random);
        laws(&mut random);
        plans(&mut random);
    }
}

fn print(function: &str, inputs: &[&[f64]], outputs: &[(&str, f64)]) {
    let list = |values: &&[f64]| values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(",");
    let inputs: Vec<String> = inputs.iter().map(list).collect();
    let outputs: Vec<String> = outputs.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    println!("{function}\t{}\t{}", inputs.join(";"), outputs.join(";"));
}

fn between(random: &mut ParkMiller, low: usize, high: usize) -> usize {
    low + (random.uniform() * (high - low + 1) as f64) as usize
}

fn exponential(random: &mut ParkMiller, count: usize, mean: f64) -> Vec<f64> {
    (0..count).map(|_| random.exponential(mean)).collect()
}

/// Samples with and without ties, small and large.
fn ranks(random: &mut ParkMiller) {
    let (m, n) = (between(random, 4, 12), between(random, 4, 12));
    let (a, b) = (exponential(random, m, 100.0), exponential(random, n, 130.0));
    let test = stats::compare::mann_whitney(&a, &b).unwrap();
    print("mann_whitney_exact", &[&a, &b], &[("u", test.u), ("p", test.p), ("a12", test.superiority)]);
    let shift = stats::compare::hodges_lehmann(&a, &b, 0.95).unwrap();
    print("hodges_lehmann", &[&a, &b], &[("value", shift.value), ("low", shift.low), ("high", shift.high)]);
    let rounded = |values: Vec<f64>| values.into_iter().map(|value: f64| (value / 20.0).round()).collect::<Vec<_>>();
    let (a, b) = (rounded(exponential(random, 60, 100.0)), rounded(exponential(random, 45, 130.0)));
    let test = stats::compare::mann_whitney(&a, &b).unwrap();
    print("mann_whitney_ties", &[&a, &b], &[("p", test.p), ("a12", test.superiority)]);
}

fn trends(random: &mut ParkMiller) {
    let count = between(random, 8, 60);
    let values: Vec<f64> = (0..count).map(|i| 0.05 * i as f64 + 4.0 * random.uniform()).collect();
    let tied: Vec<f64> = values.iter().map(|value| value.round()).collect();
    for series in [&values, &tied] {
        let test = stats::trend::mann_kendall(series).unwrap();
        print("mann_kendall", &[series], &[("s", test.s as f64), ("p", test.p)]);
    }
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(i, value)| (i as f64, *value)).collect();
    let slope = stats::trend::theil_sen(&points, 0.95).unwrap().slope;
    print("theil_sen", &[&values], &[("value", slope.value), ("low", slope.low), ("high", slope.high)]);
    let lags = stats::periodic::autocorrelations(&values, 5).unwrap();
    print("autocorrelation", &[&values], &[("lag1", lags[1]), ("lag5", lags[5])]);
}

fn shares(random: &mut ParkMiller) {
    let n = between(random, 20, 4000) as u64;
    let k = ((n as f64) * 0.2 * random.uniform()) as u64;
    let share = stats::share::interval(k, n, 0.95, 1.0).unwrap();
    print("clopper_pearson", &[&[k as f64, n as f64]], &[("low", share.low), ("high", share.high)]);
    let n2 = between(random, 20, 4000) as u64;
    let k2 = ((n2 as f64) * 0.2 * random.uniform()) as u64;
    let side = |hits, total| Counted { hits, total, design_effect: 1.0 };
    let difference = stats::share::newcombe(side(k, n), side(k2, n2), 0.95).unwrap();
    let table = [k as f64, n as f64, k2 as f64, n2 as f64];
    print("newcombe", &[&table], &[("low", difference.low), ("high", difference.high)]);
    if k + k2 > 0 {
        let same = stats::skew::chi_square(&[(k, n), (k2, n2)]).unwrap();
        print("chi_square", &[&table], &[("statistic", same.statistic), ("p", same.p)]);
        print("fisher", &[&table], &[("p", stats::skew::fisher((k, n), (k2, n2)).unwrap().p)]);
    }
}

fn quantiles(random: &mut ParkMiller) {
    let count = between(random, 5, 400);
    let mut values = exponential(random, count, 100.0);
    values.sort_by(f64::total_cmp);
    let of = |number| stats::quantile::by_type(&values, 0.95, number).unwrap();
    let outputs =
        [("type1", of(QuantileType::Type1)), ("type6", of(QuantileType::Type6)), ("type7", of(QuantileType::Type7))];
    print("quantile95", &[&values], &outputs);
    let mean = stats::mean::estimate(&values, 0.95, 1.0).unwrap();
    print("mean", &[&values], &[("value", mean.value), ("low", mean.low), ("high", mean.high)]);
}

fn lines(random: &mut ParkMiller) {
    let count = between(random, 5, 30);
    let x: Vec<f64> = (1..=count).map(|i| 50.0 * i as f64).collect();
    let y: Vec<f64> = x.iter().map(|x| 0.03 + 0.001 * x + 0.05 * random.uniform()).collect();
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    let line = stats::bottleneck::regress(&points, 0.95).unwrap();
    let outputs = [
        ("slope", line.slope.value),
        ("low", line.slope.low),
        ("high", line.slope.high),
        ("intercept", line.intercept.value),
        ("r2", line.r_squared),
        ("curvature", line.curvature_t.unwrap()),
    ];
    print("regress", &[&x, &y], &outputs);
}

/// Levels with noise; the change points as a list of outputs.
fn changes(random: &mut ParkMiller) {
    let mut values = Vec::new();
    for _ in 0..between(random, 1, 4) {
        let level = 10.0 * random.uniform();
        let length = between(random, 12, 40);
        values.extend((0..length).map(|_| level + 2.0 * random.uniform()));
    }
    let penalty = 3.0 * (values.len() as f64).ln();
    let points = stats::change::pelt(&values, stats::change::Cost::Mean, penalty, 5).unwrap();
    let names: Vec<String> = (0..points.len()).map(|place| format!("at{place}")).collect();
    let mut outputs: Vec<(&str, f64)> = vec![("count", points.len() as f64)];
    outputs.extend(names.iter().zip(&points).map(|(name, at)| (name.as_str(), *at as f64)));
    print("pelt", &[&values, &[penalty, 5.0]], &outputs);
}

fn laws(random: &mut ParkMiller) {
    let loads = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0];
    let law = |load| stats::usl::throughput(100.0, 0.05, 0.002, load);
    let throughputs: Vec<f64> = loads.iter().map(|&load| law(load) * (1.0 + 0.02 * (random.uniform() - 0.5))).collect();
    let levels: Vec<Level> =
        loads.iter().zip(&throughputs).map(|(&load, &throughput)| Level { load, throughput }).collect();
    let fit = stats::usl::fit(&levels, stats::usl::Law::Usl).unwrap();
    let outputs =
        [("lambda", fit.lambda), ("sigma", fit.sigma), ("kappa", fit.kappa), ("kappa_se", fit.standard_errors[2])];
    print("usl", &[&loads, &throughputs], &outputs);
}

fn plans(random: &mut ParkMiller) {
    let p: Vec<f64> = (0..6).map(|_| 0.1 * random.uniform()).collect();
    let adjusted = stats::compare::benjamini_hochberg(&p).unwrap();
    print("benjamini_hochberg", &[&p], &[("first", adjusted[0]), ("last", adjusted[5])]);
}
