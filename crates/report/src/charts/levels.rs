//! Several levels of load: times against load, times against throughput, throughput against load, use against throughput.

use super::xy::{Line, Point, Titles, draw, frame, table};
use super::{Words, figure};
use crate::document::Figure;
use crate::messages::{Messages, say};
use crate::svg::{Anchor, Lettering, Scale, Stroke};
use judge::Arg;
use judge::assess::{self, Course, Growth, UseLine};

/// Lines of percentiles, in the order of colours.
const HUES: [Stroke; 4] = [
    Stroke::solid("blue", 1.8),
    Stroke::dashed("orange", 1.7, "5 3"),
    Stroke::dashed("purple", 1.7, "2 2"),
    Stroke::solid("green", 1.7),
];

/// A percentile's name, its milliseconds, its interval.
pub(crate) type LevelTime = (String, f64, Option<(f64, f64)>);

/// One level of load.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    pub name: String,
    /// Offered rate a second, or virtual users.
    pub load: f64,
    /// Iterations that succeeded, a second.
    pub throughput: f64,
    /// Percentiles, the highest last.
    pub times: Vec<LevelTime>,
}

/// What the levels are of.
pub(crate) struct Levels<'l> {
    /// What is loaded: an exchange, a scenario.
    pub what: &'l str,
    /// Whether the load is virtual users; else a rate.
    pub is_users: bool,
    /// Levels by load, least first.
    pub levels: &'l [Level],
    /// A limit on the times, milliseconds.
    pub limit: Option<f64>,
}

impl Levels<'_> {
    /// Percentiles that every level has: a level of few calls lacks the highest.
    fn names(&self) -> Vec<&str> {
        let has = |level: &Level, name: &str| level.times.iter().any(|time| time.0 == name);
        let first = self.levels.first().map(|level| level.times.as_slice()).unwrap_or_default();
        let names = first.iter().map(|time| time.0.as_str());
        names.filter(|name| self.levels.iter().all(|level| has(level, name))).collect()
    }

    /// Whether less succeeded at this level than was offered; users offer no rate.
    fn is_short(&self, level: &Level) -> bool {
        !self.is_users && assess::is_short(level.load, level.throughput)
    }
}

fn lines(of: &Levels<'_>, x: impl Fn(&Level) -> f64) -> Vec<Line> {
    let line = |(index, name): (usize, &str)| {
        let point = |level: &Level| {
            let (_, y, interval) = level.times.iter().find(|time| time.0 == name)?;
            Some(Point { x: x(level), y: *y, interval: *interval })
        };
        Line {
            name: name.to_owned(),
            stroke: HUES[index % HUES.len()],
            points: of.levels.iter().filter_map(point).collect(),
        }
    };
    of.names().into_iter().enumerate().map(line).collect()
}

fn load_axis(m: &Messages, of: &Levels<'_>) -> String {
    if of.is_users { say!(m, "axis-users") } else { say!(m, "axis-offered") }
}

/// The highest percentile that all levels have at the lowest and the highest load, and its name.
fn ends(of: &Levels<'_>) -> Option<(String, f64, f64)> {
    let name = *of.names().last()?;
    let at = |level: &Level| level.times.iter().find(|time| time.0 == name).map(|time| time.1);
    Some((name.to_owned(), at(of.levels.first()?)?, at(of.levels.last()?)?))
}

/// Response against load; `None` with fewer than two levels.
pub(crate) fn response_over_load(m: &Messages, of: &Levels<'_>, anchor: &str) -> Option<Box<Figure>> {
    if of.levels.len() < 2 {
        return None;
    }
    let lines = lines(of, |level| level.load);
    let x_title = load_axis(m, of);
    let titles =
        Titles { x: &x_title, y: &say!(m, "axis-time-ms"), units: (if of.is_users { "" } else { "/s" }, "ms") };
    let x = Scale::from_zero(of.levels.iter().map(|level| level.load));
    let mut plot = frame(&lines, x, &titles, m.numbers);
    if let Some(limit) = of.limit {
        plot.limit_above(limit, &m.numbers.given_seconds(limit / 1e3));
    }
    draw(&mut plot, &lines);
    let (name, low, high) = ends(of)?;
    let factor = high / low.max(1e-9);
    let assessment = match assess::response_over_load(factor, of.levels.iter().any(|level| of.is_short(level))) {
        Growth::Bends => say!(m, "fig-response-load-means-bend"),
        Growth::Flat => say!(m, "fig-response-load-means-flat"),
        Growth::Partial => say!(m, "fig-response-load-means-partial"),
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-response-load-what", what = of.what),
        caption: say!(m, "fig-response-load-finds", percentile = &name, factor = Arg::Number(factor)),
        observation: say!(
            m,
            "fig-response-load-seen",
            percentile = &name,
            low = Arg::Milliseconds(low),
            high = Arg::Milliseconds(high),
            levels = of.levels.len()
        ),
        assessment,
        reading: say!(m, "fig-levels-reading"),
        data: table(m, &plot, &lines, &titles),
        ..Words::default()
    };
    Some(figure(plot, words))
}

/// Response against throughput: the path that bends back when more load brings no more answers.
pub(crate) fn response_over_throughput(m: &Messages, of: &Levels<'_>, anchor: &str) -> Option<Box<Figure>> {
    if of.levels.len() < 2 {
        return None;
    }
    let lines = lines(of, |level| level.throughput);
    let titles = Titles { x: &say!(m, "axis-throughput"), y: &say!(m, "axis-time-ms"), units: ("/s", "ms") };
    let x = Scale::from_zero(of.levels.iter().map(|level| level.throughput));
    let mut plot = frame(&lines, x, &titles, m.numbers);
    draw(&mut plot, &lines);
    let top = lines.last()?;
    let mut named = "";
    for (level, point) in of.levels.iter().zip(&top.points) {
        // A level that was measured twice has its name once.
        if std::mem::replace(&mut named, &level.name) == level.name {
            continue;
        }
        let at = (plot.px(point.x) - 6.0, plot.py(point.y) - 6.0);
        plot.canvas.text(at, &level.name, Lettering::new("ink-3", Anchor::End).size(10.5));
    }
    let best = of.levels.iter().max_by(|a, b| a.throughput.total_cmp(&b.throughput))?;
    let last = of.levels.last()?;
    let key = match assess::throughput_over_load(best.throughput, last.throughput, of.is_short(last)) {
        Course::Back => "fig-response-throughput-means-back",
        Course::Short => "fig-response-throughput-means-short",
        Course::On => "fig-response-throughput-means-on",
    };
    let (name, _, high) = ends(of)?;
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-response-throughput-what", what = of.what),
        caption: say!(m, "fig-response-throughput-finds", rate = Arg::PerSecond(best.throughput), level = &best.name),
        observation: say!(
            m,
            "fig-response-throughput-seen",
            rate = Arg::PerSecond(last.throughput),
            level = &last.name,
            percentile = &name,
            high = Arg::Milliseconds(high)
        ),
        assessment: say!(m, key),
        reading: say!(m, "fig-response-throughput-reading"),
        data: table(m, &plot, &lines, &titles),
        ..Words::default()
    };
    Some(figure(plot, words))
}

/// Use of one resource over levels: throughput and share of its bound, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Use {
    /// `CPU use (host)`
    pub resource: String,
    /// Beside its line, where there is little room: `host.cpu`.
    pub label: String,
    /// Throughput a second and use.
    pub points: Vec<(f64, f64)>,
}

impl Use {
    fn line(&self) -> UseLine {
        UseLine::fitted(&self.points)
    }
}

/// Resources against throughput with their lines to the whole; `None` with fewer than two points everywhere.
pub(crate) fn use_over_throughput(m: &Messages, uses: &[Use], anchor: &str) -> Option<Box<Figure>> {
    let uses: Vec<&Use> = uses.iter().filter(|of| of.points.len() > 1).take(HUES.len()).collect();
    let first = uses.iter().filter_map(|of| Some((of.line().full_at()?, of))).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let line = |(index, of): (usize, &&Use)| Line {
        name: of.label.clone(),
        stroke: HUES[index],
        points: of.points.iter().map(|(x, y)| Point::new(*x, y * 100.0)).collect(),
    };
    let lines: Vec<Line> = uses.iter().enumerate().map(line).collect();
    let titles = Titles { x: &say!(m, "axis-throughput"), y: &say!(m, "axis-use"), units: ("/s", "%") };
    let greatest = uses.iter().flat_map(|of| &of.points).map(|point| point.0).fold(0.0, f64::max);
    // Extrapolated at most to twice what was measured: further it would be a guess.
    let far = first.0.min(greatest * 2.0);
    let x = Scale::from_zero([greatest, far].into_iter());
    let mut plot = crate::svg::Plot::new(210.0, x, Scale::Linear { low: 0.0, high: 100.0 }, m.numbers);
    plot.axes(titles.x, titles.y);
    for (of, line) in uses.iter().zip(&lines) {
        let UseLine { intercept, slope } = of.line();
        let Some(whole) = of.line().full_at() else { continue };
        let (begin, end) = ((-intercept / slope).max(0.0), whole.min(far));
        let at = |rate: f64| (rate, Some((intercept + slope * rate) * 100.0));
        plot.line(&[at(begin), at(end)], Stroke::dashed(line.stroke.hue, 1.1, "2 4"));
    }
    draw(&mut plot, &lines);
    let (resource, most) =
        (&first.1.resource, Arg::Share(first.1.points.iter().map(|point| point.1).fold(0.0, f64::max)));
    let (caption, assessment) = if !assess::reaches_far(first.0, greatest) {
        let rate = Arg::PerSecond(first.0);
        (
            say!(m, "fig-use-finds", resource = resource, rate = rate.clone()),
            say!(m, "fig-use-means", resource = resource, rate = rate),
        )
    } else {
        (
            say!(m, "fig-use-finds-far", resource = resource, most = most.clone()),
            say!(m, "fig-use-means-far", factor = Arg::Count(assess::ONWARD_MAX)),
        )
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-use-what"),
        caption,
        observation: say!(m, "fig-use-seen", resource = resource, most = most, rate = Arg::PerSecond(greatest)),
        assessment,
        reading: say!(m, "fig-use-reading"),
        data: table(m, &plot, &lines, &titles),
        ..Words::default()
    };
    Some(figure(plot, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(load: f64, throughput: f64, p95: f64) -> Level {
        Level {
            name: format!("{load}"),
            load,
            throughput,
            times: vec![("p50".into(), p95 / 2.0, None), ("p95".into(), p95, Some((p95 * 0.9, p95 * 1.1)))],
        }
    }

    #[test]
    fn the_hockey_stick_bends_back_when_throughput_falls() {
        let m = Messages::of("en");
        let levels = [level(100.0, 100.0, 20.0), level(200.0, 195.0, 40.0), level(400.0, 150.0, 900.0)];
        let of = Levels { what: "x", is_users: false, levels: &levels, limit: Some(500.0) };
        let over_load = response_over_load(&m, &of, "fig-a").unwrap();
        assert!(over_load.caption.contains("45.0"), "{}", over_load.caption);
        assert!(over_load.svg.contains("fig-a-hatch"));
        let over_rate = response_over_throughput(&m, &of, "fig-b").unwrap();
        assert!(over_rate.caption.contains("195/s"), "{}", over_rate.caption);
        assert_eq!(over_rate.assessment, say!(m, "fig-response-throughput-means-back"));
        assert_eq!(over_load.data.rows.len(), 6);
        let one = Levels { levels: &levels[..1], ..of };
        assert!(response_over_load(&m, &one, "x").is_none());
    }

    #[test]
    fn use_through_the_origin_reaches_the_whole_where_it_should() {
        let of = Use { resource: "host".into(), label: "host".into(), points: vec![(10.0, 0.2), (20.0, 0.4)] };
        let figure = use_over_throughput(&Messages::of("en"), &[of], "fig-u").unwrap();
        assert!(figure.caption.contains("50.0/s"), "{}", figure.caption);
        assert!(use_over_throughput(&Messages::of("en"), &[], "x").is_none());
        let idle = Use { resource: "host".into(), label: "host".into(), points: vec![(10.0, 0.02), (20.0, 0.03)] };
        let figure = use_over_throughput(&Messages::of("en"), &[idle], "fig-u").unwrap();
        assert!(figure.caption.contains("3.00%") && !figure.caption.contains("/s"), "{}", figure.caption);
    }
}
