//! A report stays small enough to mail, however long the run was.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use terms::Nanos;

/// Makes a step so many times as long: its seconds once more and once more, and everything after it later.
fn lengthen(fixture: &mut Fixture, number: usize, times: i64) {
    let (from, to) = (fixture.views.steps[number].from.second(), fixture.views.steps[number].to.second());
    let (span, extra) = (to - from, (to - from) * (times - 1));
    // Where what happened in a second now happens: in every round if within the step, later if after it.
    let places = |second: i64| -> Vec<i64> {
        if (from..to).contains(&second) {
            (0..times).map(|round| second + round * span).collect()
        } else if second >= to {
            vec![second + extra]
        } else {
            vec![second]
        }
    };
    for step in &mut fixture.views.steps {
        for moment in [&mut step.from, &mut step.to] {
            if moment.second() >= to {
                *moment += Nanos::from_secs(extra);
            }
        }
        let seconds = step.seconds.iter().flat_map(|row| places(row.second).into_iter().map(|second| (second, *row)));
        let mut seconds: Vec<_> = seconds.map(|(second, row)| judge::views::SecondView { second, ..row }).collect();
        seconds.sort_by_key(|row| row.second);
        step.seconds = seconds;
        for leg in step.exchanges.iter_mut().flat_map(|exchange| &mut exchange.legs) {
            let seconds = leg.seconds.iter().flat_map(|row| {
                places(row.second).into_iter().map(|second| judge::views::LegSecond { second, ..row.clone() })
            });
            let mut seconds: Vec<_> = seconds.collect();
            seconds.sort_by_key(|row| row.second);
            leg.seconds = seconds;
            let heat = leg.heat.cells().flat_map(|(second, bin, count)| {
                places(second).into_iter().map(move |second| (second, bin, count)).collect::<Vec<_>>()
            });
            leg.heat = heat.collect();
        }
    }
    for series in &mut fixture.views.metrics {
        let points = series.points.iter().flat_map(|(at, value)| {
            let rest = *at - Nanos::from_secs(at.second());
            places(at.second()).into_iter().map(move |second| (Nanos::from_secs(second) + rest, *value))
        });
        let mut points: Vec<_> = points.collect();
        points.sort_by_key(|(at, _)| *at);
        series.points = points;
    }
    let generator = fixture.views.generator.iter().flat_map(|row| {
        places(row.second)
            .into_iter()
            .map(|second| judge::views::GeneratorSecond { second, ..*row })
            .collect::<Vec<_>>()
    });
    let mut generator: Vec<_> = generator.collect();
    generator.sort_by_key(|row| row.second);
    fixture.views.generator = generator;
    fixture.views.end += Nanos::from_secs(extra);
    for step in fixture.judgement.steps.iter_mut().filter(|step| step.number == number as u32) {
        step.seconds *= times as f64;
    }
}

#[test]
fn two_hours_of_two_scenarios_fit_into_a_mail() {
    let mut fixture = fixture();
    let short = report::html(&fixture.input(), "en").len();
    lengthen(&mut fixture, 2, 29);
    lengthen(&mut fixture, 5, 58);
    let seconds = fixture.views.end.second();
    assert!(seconds > 6800, "{seconds}");
    let html = report::html(&fixture.input(), "en");
    assert!(html.len() < 1_500_000, "{} bytes for {seconds} s, {short} for the short run", html.len());
    // Whatever is drawn stays within the bound of points, however long the run.
    for path in html.split(" d=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(path.len() < 48_000, "{} bytes in one line", path.len());
    }
}
