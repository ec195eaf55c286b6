//! The course of one exchange: who sends what to whom, drawn from the plan and from the legs that its driver names.

use super::{Words, joined};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Anchor, Canvas, Lettering, Stroke, WIDTH, fit};
use contract::Closes;
use judge::Arg;

/// Size of the box that heads a lifeline.
const BOX: (f64, f64) = (190.0, 44.0);
/// From the edge of the figure to the first and the last lifeline.
const EDGE: f64 = 110.0;
/// Above the boxes.
const TOP: f64 = 8.0;
/// Between the arrows.
const STEP: f64 = 48.0;
/// Height of a line of the work.
const LINE: f64 = 18.0;
/// Half the width of the bar of who works.
const BAR: f64 = 5.0;
/// Size of the lettering.
const SIZE: f64 = 12.5;
/// Steps of the work that are drawn; the list in the text has all.
const WORK_MAX: usize = 14;
/// Legs that are drawn.
const LEGS_MAX: usize = 8;

/// An arrow from one lifeline to another.
#[derive(Clone, Debug, PartialEq)]
struct Message {
    from: usize,
    to: usize,
    text: String,
    detail: String,
    /// Whether it opens the exchange; what answers it is drawn in dashes.
    is_request: bool,
}

/// What is drawn: lifelines from left to right, arrows from above downwards.
#[derive(Clone, Debug, Default)]
struct Sequence {
    lifelines: Vec<(String, String)>,
    messages: Vec<Message>,
    work_title: String,
    work: Vec<String>,
}

/// The lifeline of the generator, and that of the system.
const LAB: usize = 0;
const SYSTEM: usize = 1;

/// The figure; `None` for an exchange of one leg, which needs no picture. Legs that nothing waits for are not part of it.
pub(crate) fn sequence(cx: &Context<'_>, exchange: &study::Exchange, anchor: &str) -> Option<Box<Figure>> {
    let is_there = |leg: &&contract::LegKind| {
        !matches!(leg.closes, Closes::Afterwards | Closes::Opening | Closes::Confirmed | Closes::Beside)
            && judge::is_awaited(cx.input.head, &exchange.name, leg.name)
    };
    let legs: Vec<&contract::LegKind> = exchange.legs.iter().filter(is_there).collect();
    if legs.len() < 2 {
        return None;
    }
    let plan = of_exchange(cx, exchange, &legs);
    let name = clean(&exchange.name);
    let later = legs.iter().filter(|leg| leg.closes != Closes::Here).count();
    let list: Vec<String> = legs.iter().map(|leg| clean(leg.name)).collect();
    let (finds, means) = match later {
        0 => ("fig-sequence-finds", "fig-sequence-means"),
        _ => ("fig-sequence-finds-later", "fig-sequence-means-later"),
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-sequence-what", exchange = &name),
        caption: say!(cx.m, finds, exchange = &name, legs = legs.len(), later = later),
        observation: say!(cx.m, "fig-sequence-seen", exchange = &name, legs = legs.len(), list = &list.join(", ")),
        assessment: cx.m.text(means, &[]),
        reading: say!(cx.m, "fig-sequence-reading"),
        data: table(cx, &plan),
        ..Words::default()
    };
    let svg = draw(&plan).finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// The plan of one exchange as lifelines and arrows.
fn of_exchange(cx: &Context<'_>, exchange: &study::Exchange, legs: &[&contract::LegKind]) -> Sequence {
    let study = cx.input.study;
    let system = clean(&cx.input.head.system);
    let kind = format!("{}.{}", exchange.driver, exchange.settings.operation);
    let mut plan = Sequence {
        lifelines: vec![(say!(cx.m, "sequence-lab"), clean(&kind)), (system, say!(cx.m, "sequence-system"))],
        messages: vec![Message {
            from: LAB,
            to: SYSTEM,
            text: clean(&exchange.name),
            detail: say!(cx.m, "sequence-request"),
            is_request: true,
        }],
        work_title: say!(cx.m, "sequence-work"),
        work: Vec::new(),
    };
    if let Some(study) = study {
        let steps = study.system.work.iter().map(|step| clean(step.in_language(cx.m.language)));
        plan.work = steps.take(WORK_MAX).collect();
    }
    for leg in legs.iter().take(LEGS_MAX) {
        let limit = exchange.settings.within.get(leg.name).map(|limit| limit.as_secs_f64());
        let (to, detail) = match leg.closes {
            Closes::Here | Closes::Opening | Closes::Beside => (LAB, say!(cx.m, "sequence-here")),
            Closes::Matched | Closes::Confirmed | Closes::Afterwards => {
                let detail = match limit {
                    Some(limit) => say!(cx.m, "sequence-matched-within", limit = Arg::Seconds(limit).given()),
                    None => say!(cx.m, "sequence-matched"),
                };
                (lifeline(&mut plan, listener(cx), say!(cx.m, "sequence-listener-is")), detail)
            }
        };
        plan.messages.push(Message { from: SYSTEM, to, text: clean(leg.name), detail, is_request: false });
    }
    plan
}

/// The lab's listener by its name, where the study has one only.
fn listener(cx: &Context<'_>) -> String {
    match cx.input.study.map(|study| study.listeners.as_slice()) {
        Some([only]) => say!(cx.m, "sequence-listener", name = &clean(&only.name)),
        _ => say!(cx.m, "sequence-listeners"),
    }
}

/// The number of a lifeline of that name, added where there is none.
fn lifeline(plan: &mut Sequence, name: String, remark: String) -> usize {
    match plan.lifelines.iter().position(|(known, _)| *known == name) {
        Some(known) => known,
        None => {
            plan.lifelines.push((name, remark));
            plan.lifelines.len() - 1
        }
    }
}

/// Draws it. What comes back to the generator stands left of the system, what it does right of it: the plan does not
/// say which of the two comes first, and side by side they say nothing of it either.
fn draw(plan: &Sequence) -> Canvas {
    let columns = plan.lifelines.len().max(3);
    let gap = (WIDTH - 2.0 * EDGE) / (columns - 1) as f64;
    let x = |lifeline: usize| EDGE + lifeline as f64 * gap;
    let room = gap - 3.0 * BAR - 14.0;
    let lines: Vec<(bool, String)> = plan.work.iter().flat_map(|step| wrapped(step, room - 30.0)).collect();
    let first = TOP + BOX.1 + 36.0;
    let back: Vec<&Message> = plan.messages.iter().filter(|message| !message.is_request && message.to == LAB).collect();
    let away: Vec<&Message> = plan.messages.iter().filter(|message| !message.is_request && message.to != LAB).collect();
    let work = if lines.is_empty() { 0.0 } else { 30.0 + lines.len() as f64 * LINE };
    let after = (first + back.len() as f64 * STEP).max(first + work);
    let last = after + away.len() as f64 * STEP;
    let height = last + 40.0;
    let mut canvas = Canvas::new(WIDTH, height);
    for (number, (name, remark)) in plan.lifelines.iter().enumerate() {
        canvas.line((x(number), TOP + BOX.1), (x(number), height - 6.0), Stroke::dashed("ink-3", 1.0, "4 4"));
        head(&mut canvas, x(number), (name, remark), BOX.0.min(gap - 16.0));
    }
    canvas.rect((x(SYSTEM) - BAR, first - 6.0), (2.0 * BAR, last - first + 14.0), "fill-blue", 1.0);
    canvas.outline((x(SYSTEM) - BAR, first - 6.0), (2.0 * BAR, last - first + 14.0), Stroke::solid("blue", 1.0));
    if !lines.is_empty() {
        let left = x(SYSTEM) + BAR + 10.0;
        canvas.rect((left, first - 6.0), (room, work), "raised", 1.0);
        canvas.outline((left, first - 6.0), (room, work), Stroke::solid("rule", 1.0));
        let title = fit(&plan.work_title, room - 20.0, 11.0);
        canvas.text((left + 10.0, first + 11.0), &title, Lettering::new("ink-2", Anchor::Start).size(11.0).bold());
        for (number, (is_first, line)) in lines.iter().enumerate() {
            let y = first + 30.0 + number as f64 * LINE;
            if *is_first {
                canvas.dot((left + 14.0, y - 4.0), 2.0, "blue");
            }
            canvas.text((left + 22.0, y), line, Lettering::new("ink", Anchor::Start).size(SIZE - 0.5));
        }
    }
    for message in plan.messages.iter().filter(|message| message.is_request) {
        arrow(&mut canvas, message, (x(message.from), x(message.to)), first);
    }
    for (number, message) in back.iter().enumerate() {
        arrow(&mut canvas, message, (x(message.from), x(message.to)), first + (number + 1) as f64 * STEP);
    }
    for (number, message) in away.iter().enumerate() {
        arrow(&mut canvas, message, (x(message.from), x(message.to)), after + number as f64 * STEP + STEP * 0.75);
    }
    canvas
}

fn head(canvas: &mut Canvas, x: f64, (name, remark): (&str, &str), width: f64) {
    let left = (x - width / 2.0).max(1.0);
    canvas.rect((left, TOP), (width, BOX.1), "raised", 1.0);
    canvas.outline((left, TOP), (width, BOX.1), Stroke::solid("rule", 1.2));
    let y = if remark.is_empty() { TOP + 27.0 } else { TOP + 19.0 };
    let name = fit(name, width - 12.0, SIZE);
    canvas.text((left + width / 2.0, y), &name, Lettering::new("ink", Anchor::Middle).size(SIZE).bold());
    let remark = fit(remark, width - 12.0, 10.5);
    canvas.text((left + width / 2.0, TOP + 35.0), &remark, Lettering::new("ink-3", Anchor::Middle).size(10.5));
}

/// An arrow with its name above and what it is below.
fn arrow(canvas: &mut Canvas, message: &Message, (from, to): (f64, f64), y: f64) {
    let side = if to > from { 1.0 } else { -1.0 };
    let bar = |lifeline: usize| if lifeline == SYSTEM { BAR } else { 0.0 };
    let (from, to) = (from + side * bar(message.from), to - side * bar(message.to));
    let stroke = if message.is_request { Stroke::solid("blue", 1.6) } else { Stroke::dashed("green", 1.6, "6 3") };
    canvas.line((from, y), (to - side * 7.0, y), stroke);
    canvas.area(&[(to, y), (to - side * 10.0, y - 4.5), (to - side * 10.0, y + 4.5)], stroke.hue, 1.0);
    let (middle, room) = ((from + to) / 2.0, (to - from).abs() - 24.0);
    let text = fit(&message.text, room, SIZE);
    canvas.text((middle, y - 6.0), &text, Lettering::new("ink", Anchor::Middle).size(SIZE).bold());
    let detail = fit(&message.detail, room, 10.5);
    canvas.text((middle, y + 14.0), &detail, Lettering::new("ink-3", Anchor::Middle).size(10.5));
}

/// A text in lines of that width, each with whether it is the first.
fn wrapped(text: &str, width: f64) -> Vec<(bool, String)> {
    let room = (width / (SIZE * 0.55)).floor().max(8.0) as usize;
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("invariant: there is a line from the beginning");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.truncate(4);
    lines.iter().enumerate().map(|(number, line)| (number == 0, fit(line, width + 8.0, SIZE))).collect()
}

fn table(cx: &Context<'_>, plan: &Sequence) -> Table {
    let name = |lifeline: usize| plan.lifelines.get(lifeline).map_or("", |(name, _)| name.as_str());
    let row = |(number, message): (usize, &Message)| {
        Row::new(vec![
            Cell::number(cx.m.numbers.count(number as f64 + 1.0), number as f64 + 1.0),
            Cell::text(name(message.from)),
            Cell::text(name(message.to)),
            Cell::code(&message.text),
            Cell::text(&message.detail),
        ])
    };
    Table {
        columns: vec![
            Column::number(say!(cx.m, "col-number"), ""),
            Column::text(say!(cx.m, "col-sender")),
            Column::text(say!(cx.m, "col-receiver")),
            Column::text(say!(cx.m, "col-leg")),
            Column::text(say!(cx.m, "col-how")),
        ],
        rows: plan.messages.iter().enumerate().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: usize, to: usize, text: &str) -> Message {
        Message { from, to, text: text.into(), detail: String::new(), is_request: from == LAB }
    }

    #[test]
    fn all_that_is_sent_is_drawn_within_the_figure() {
        let names = ["lab", "system", "listener", "store"];
        let plan = Sequence {
            lifelines: names.iter().map(|name| ((*name).into(), String::new())).collect(),
            messages: vec![
                message(0, 1, "ping"),
                message(1, 0, "accepted"),
                message(1, 2, "reply"),
                message(1, 3, "row"),
            ],
            work_title: "work".into(),
            work: vec!["<b>checks</b> the structure of what came in and whether it is known at all".into()],
        };
        let canvas = draw(&plan);
        let (width, height) = (canvas.width, canvas.height);
        let svg = canvas.finish("x", "t", "d");
        for text in names.iter().chain(&["ping", "accepted", "reply", "row"]) {
            assert!(svg.contains(&format!(">{text}</text>")), "{text}");
        }
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
        for (name, most) in [(" x=\"", width), (" y=\"", height)] {
            for part in svg.split(name).skip(1) {
                let value: f64 = part.split('"').next().and_then(|text| text.parse().ok()).unwrap_or(-1.0);
                assert!((0.0..=most).contains(&value), "{name}{value}");
            }
        }
    }

    #[test]
    fn long_steps_are_set_in_lines_and_cut_at_last() {
        let lines = wrapped("one two three four five", 60.0);
        assert_eq!(lines[0], (true, "one two".to_owned()));
        assert!(lines.len() > 1 && !lines[1].0);
        assert!(wrapped(&"word ".repeat(90), 90.0).len() <= 4);
        assert_eq!(wrapped("", 90.0), [(true, String::new())]);
    }
}
