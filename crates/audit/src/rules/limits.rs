//! TWO-LIMITS, REGIME, TWO-LEVELS: limits that are one limit, sweeps that change two things, means of two levels.

use crate::columns::{Role, has_word};
use crate::finding::{Finding, Weight, number, quote};
use crate::quantity::Unit;
use crate::seen::{Input, Sentence};
use regex::Regex;
use std::sync::LazyLock;

/// Connections and events a second of each, in a sentence that says they went well.
fn held(sentence: &Sentence) -> Option<(f64, f64)> {
    let is_well = ["zero error", "without any", "no error", "zonder fouten", "uden fejl"]
        .iter()
        .any(|words| sentence.lower.contains(words));
    let connections = sentence
        .quantities
        .iter()
        .find(|one| matches!(&one.unit, Unit::Count(noun) if is_of_connections(&sentence.lower, noun)))?;
    let mut rates = sentence.quantities.iter().filter(|one| one.is_rate());
    let rate = rates.next().filter(|rate| rate.value() > 0.0)?;
    (is_well && rates.next().is_none() && connections.value() > 1.0).then(|| (connections.value(), rate.value()))
}

fn is_of_connections(lower: &str, noun: &str) -> bool {
    ["connections", "concurrent", "users", "subscribers", "forbindelser", "verbindingen"]
        .iter()
        .any(|word| noun.split(' ').any(|own| own == *word))
        && has_word(lower, &["connections", "users", "subscribers", "forbindelser", "verbindingen"])
}

/// TWO-LIMITS: two limits on connections whose products with their rates are the same.
pub(super) fn products(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for (at, one) in seen.sentences.iter().enumerate() {
        let Some((connections, rate)) = held(one) else { continue };
        let next = seen.sentences[at + 1..].iter().take(3).find_map(|other| Some((other, held(other)?)));
        let Some((other, (fewer, faster))) = next else { continue };
        let product = connections * rate;
        if rate == faster || connections == fewer || product != fewer * faster {
            continue;
        }
        // The first that failed beyond, where a table of the report shows it.
        let beyond = failed_beyond(seen, product);
        let beyond_text = beyond.as_ref().map_or_else(String::new, |(text, _)| format!("; {text}"));
        let mut quotes = vec![quote(&one.place, &one.text), quote(&other.place, &other.text)];
        quotes.extend(beyond.map(|(_, quote)| quote));
        found.push(Finding {
            code: "TWO-LIMITS",
            weight: Weight::Question,
            says: format!("both limits are the same {} events a second", number(product)),
            arithmetic: format!(
                "{} · {} = {} · {} = {}/s{beyond_text}",
                number(connections),
                number(rate),
                number(fewer),
                number(faster),
                number(product)
            ),
            remedy: "report the limit of events a second, and that of connections at a low rate apart from it"
                .to_owned(),
            quotes,
        });
    }
}

/// The row with the least product of connections and rate above one that held, in which anything failed.
fn failed_beyond(seen: &Input<'_>, product: f64) -> Option<(String, crate::finding::Quote)> {
    let mut best: Option<(f64, String, crate::finding::Quote)> = None;
    for table in &seen.tables {
        let view = &table.view;
        let (Some(rate), Some(users), Some(share)) =
            (view.only(Role::Throughput), view.only(Role::Users), view.only(Role::ErrorShare))
        else {
            continue;
        };
        for row in &view.rows {
            let figure = |at| view.figure(row, at, seen.decimals).map(|figure| figure.value());
            let (Some(rate), Some(users), Some(share)) = (figure(rate), figure(users), figure(share)) else { continue };
            let all = rate * users;
            if share > 0.0 && all > product && best.as_ref().is_none_or(|(least, ..)| all < *least) {
                let text = format!(
                    "{} · {} = {}/s fails ({} % errors)",
                    number(users),
                    number(rate),
                    number(all),
                    number(share)
                );
                best = Some((all, text, quote(&table.place(row), &view.shown(row))));
            }
        }
    }
    best.map(|(_, text, quote)| (text, quote))
}

/// REGIME: a sweep over users in which the size of the messages changed on the way, with shares of errors that do not
/// follow it.
pub(super) fn sizes(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        let view = &table.view;
        let (Some(size), Some(users), Some(share)) =
            (view.only(Role::Payload), view.only(Role::Users), view.only(Role::ErrorShare))
        else {
            continue;
        };
        let rate = view.only(Role::Throughput);
        let figure = |row, at| view.figure(row, at, seen.decimals).map(|figure| figure.value());
        let points: Vec<_> = view
            .rows
            .iter()
            .filter_map(|row| {
                Some((
                    row,
                    rate.and_then(|at| figure(row, at)),
                    figure(row, size)?,
                    figure(row, users)?,
                    figure(row, share)?,
                ))
            })
            .collect();
        // Rows with one rate and one number of users, and messages of several sizes.
        for point in &points {
            let alike: Vec<_> = points.iter().filter(|other| other.1 == point.1 && other.3 == point.3).collect();
            let is_first = alike.first().is_some_and(|first| std::ptr::eq(first.0, point.0));
            if alike.len() < 3 || !is_first {
                continue;
            }
            let mut by_size: Vec<(f64, f64)> = alike.iter().map(|other| (other.2, other.4)).collect();
            by_size.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (is_up, is_down) = (
                by_size.windows(2).all(|two| two[1].1 >= two[0].1),
                by_size.windows(2).all(|two| two[1].1 <= two[0].1),
            );
            let others: Vec<f64> =
                points.iter().filter(|other| other.1 == point.1 && other.3 > point.3).map(|other| other.2).collect();
            if is_up || is_down || by_size.windows(2).any(|two| two[0].0 == two[1].0) {
                continue;
            }
            let shown = alike
                .iter()
                .map(|other| format!("{} → {} %", number(other.2), number(other.4)))
                .collect::<Vec<_>>()
                .join(", ");
            let last = others
                .first()
                .map_or_else(String::new, |size| format!("; the rows with more users have {}", number(*size)));
            found.push(Finding {
                code: "REGIME",
                weight: Weight::Question,
                says: "the size of the messages changed within the sweep, and the errors do not follow it".to_owned(),
                arithmetic: format!("{}: {shown}{last}", view.columns[size].heading),
                remedy: "these rows cannot be compared with the others; change one thing at a time, and repeat the smallest size".to_owned(),
                quotes: vec![quote(&table.place(point.0), &view.shown(point.0))],
            });
        }
    }
}

/// TWO-LEVELS: a mean that lies outside of the range that is called steady.
pub(super) fn levels(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for sentence in &seen.sentences {
        let is_both = has_word(&sentence.lower, &["mean", "average", "gemiddelde", "gennemsnit"])
            && has_word(&sentence.lower, &["steady", "stabiel", "stabil", "constant"]);
        let Some(range) = Some(()).filter(|()| is_both).and_then(|()| range(&sentence.text)) else { continue };
        let mean = sentence.quantities.iter().find(|one| one.is_rate() && !(range.0..=range.1).contains(&one.value()));
        let Some(mean) = mean.filter(|mean| mean.value() + mean.half() < range.0) else { continue };
        found.push(Finding {
            code: "TWO-LEVELS",
            weight: Weight::Question,
            says: "the mean lies outside of the range that is called steady".to_owned(),
            arithmetic: format!(
                "mean {}/s; steady {}/s to {}/s: at times it must have been far below",
                number(mean.value()),
                number(range.0),
                number(range.1)
            ),
            remedy: "report both levels, and the share of the time at each".to_owned(),
            quotes: vec![quote(&sentence.place, &sentence.text)],
        });
    }
}

static RANGE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\d+)\s?(?:-|–|to)\s?(\d+)\s?([kKM])?\s?(?i:tps|rps|/s|per second)").ok());

/// `100-150K TPS` as a range.
fn range(text: &str) -> Option<(f64, f64)> {
    let found = RANGE.as_ref()?.captures(text)?;
    let scale = match found.get(3).map(|letter| letter.as_str()) {
        Some("k" | "K") => 1e3,
        Some("M") => 1e6,
        _ => 1.0,
    };
    let value = |group: usize| found[group].parse::<f64>().ok().map(|value| value * scale);
    let (low, high) = (value(1)?, value(2)?);
    (low < high).then_some((low, high))
}
