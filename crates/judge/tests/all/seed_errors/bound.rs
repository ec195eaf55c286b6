//! S5.E4: the seed's processor load was 5 %, 1 to 1.5 % and 2 % for one service, each read from a graph.

use super::reported::{Reported, close, column, messages};
use crate::common::{Run, evenly};
use judge::Arg;
use report::document::{Block, Figure, Section};
use serde_json::Value;

/// A number of a sentence: as written, its value, half of its last place, and the unit behind it.
#[derive(Clone, Debug)]
struct Printed {
    text: String,
    value: f64,
    half: f64,
    unit: String,
}

/// Numbers of an English sentence. Names that hold digits, `p95`, `shop.1`, `F3`, are none.
fn printed(sentence: &str) -> Vec<Printed> {
    let chars: Vec<char> = sentence.chars().collect();
    let is_digit = |place: usize| chars.get(place).is_some_and(char::is_ascii_digit);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '/' | '.' | ':' | '-');
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let begin = at;
        while is_digit(at) || (matches!(chars.get(at), Some('.' | ',')) && is_digit(at + 1)) {
            at += 1;
        }
        let before = begin.checked_sub(1).map(|place| chars[place]);
        let digits: String = chars[begin..at].iter().filter(|c| **c != ',').collect();
        // A number stands apart from the letters before it; `3rd` and `2x` are words.
        if before.is_some_and(is_name) || chars.get(at).is_some_and(|c| c.is_alphabetic()) {
            continue;
        }
        let places = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let rest: String = chars[at..].iter().collect();
        let unit: String = rest
            .trim_start_matches('\u{a0}')
            .chars()
            .take_while(|c| c.is_alphabetic() || matches!(c, '%' | '/' | 'µ'))
            .collect();
        let unit = if rest.starts_with('\u{a0}') || rest.starts_with(['%', '/']) { unit } else { String::new() };
        let value: f64 = digits.parse().unwrap();
        // Three significant digits: `1,230` may have been 1,226.
        let significant = if places == 0 && value >= 1000.0 { 10f64.powf(value.log10().floor() - 2.0) } else { 1.0 };
        let half = 0.5 * 10f64.powi(-(places as i32)) * significant;
        found.push(Printed { text: digits, value, half, unit });
    }
    found
}

impl Printed {
    /// Whether it is one of these numbers in some unit of its kind, to its last digit.
    fn is_one_of(&self, numbers: &[f64]) -> bool {
        const SCALES: [f64; 3] = [1.0, 1e3, 1e-3];
        let scales: &[f64] = match self.unit.as_str() {
            "%" => &[100.0, 1.0],
            "s" | "ms" | "µs" => &SCALES,
            "min" | "h" => &[1.0 / 60.0, 1.0 / 3600.0, 1.0 / 60_000.0, 1.0],
            "B" | "kB" | "MB" | "GB" => &[1.0, 1e-3, 1e-6, 1e-9],
            _ => &[1.0],
        };
        let is_it = |number: &f64| {
            scales.iter().any(|scale| ((number * scale).abs() - self.value).abs() <= self.half * 1.000_001)
        };
        numbers.iter().any(is_it)
    }
}

fn leaves(value: &Value, into: &mut Vec<f64>) {
    match value {
        Value::Number(number) => into.extend(number.as_f64()),
        Value::Array(all) => all.iter().for_each(|each| leaves(each, into)),
        Value::Object(all) => all.values().for_each(|each| leaves(each, into)),
        _ => {}
    }
}

/// What is plotted in a figure, and its own table.
fn plotted(figure: &Figure) -> Vec<f64> {
    let cells = figure.data.rows.iter().flat_map(|row| &row.cells);
    let mut numbers: Vec<f64> = Vec::new();
    for cell in cells {
        numbers.extend(cell.raw);
        numbers.extend(printed(&cell.text).iter().map(|number| number.value));
    }
    numbers.push(figure.data.rows.len() as f64);
    numbers
}

/// A run with failures, a watched processor and an idle phase; with a beginning, or with time-outs and a long tail.
fn eventful(has_tail: bool) -> Run {
    let mut run = super::watched(0.05);
    let hold = run.step("hold");
    run.rows = Default::default();
    run.add(&evenly(hold, 60, 180, 20, |number, call| {
        let (wave, begin) = (number * 7919 % 101, if number < 400 { 9_000_000 } else { 0 });
        // Every twelfth takes long, so that the mean lies above the p90.
        let tail = if has_tail && number % 12 == 7 { 700_000_000 } else { 0 };
        let took = terms::Nanos(call.took.0 + wave as i64 * 60_000 + begin + tail);
        match number {
            number if number % 97 == 5 => {
                super::Call { took: terms::Nanos(2_000_000), ..call }.ended(terms::Outcome::Status)
            }
            number if has_tail && number % 41 == 3 => {
                super::Call { took: terms::Nanos::from_secs(30), ..call }.ended(terms::Outcome::Timeout)
            }
            _ => super::Call { took, ..call },
        }
    }));
    run
}

#[test]
fn s5_e4_every_number_of_a_sentence_is_bound_to_data() {
    let runs = [eventful(false), eventful(true), super::pair([14.0, 21.0])];
    let (mut in_findings, mut in_figures, mut changed) = (0, 0, 0);
    for run in &runs {
        let reported = Reported::of(run);
        in_findings += findings(&reported);
        let (all, seen) = figures(&reported);
        (in_figures, changed) = (in_figures + all, changed + seen);
    }
    assert!(in_findings >= 20, "only {in_findings} numbers of findings were looked at");
    assert!(in_figures >= 40, "only {in_figures} numbers of figures were looked at");
    assert!(changed * 3 >= in_figures * 2, "a wrong number is seen in {changed} of {in_figures} cases only");
}

/// Findings: each number is one of the finding's own arguments, which are in `result.json` with their units.
fn findings(reported: &Reported) -> usize {
    let mut looked_at = 0;
    for (finding, written) in reported.judgement.findings.iter().zip(reported.result["findings"].as_array().unwrap()) {
        assert_eq!(finding.id, written["id"].as_str().unwrap());
        let mut in_file = Vec::new();
        leaves(&written["args"], &mut in_file);
        let args = finding.args();
        let words = args.values().filter_map(|arg| if let Arg::Text(text) = arg { Some(text) } else { None });
        in_file.extend(words.flat_map(|text| printed(text)).map(|number| number.value));
        for number in printed(written["observation"].as_str().unwrap()) {
            // The level of confidence of every interval.
            let is_level = number.text == "95" && number.unit == "%";
            assert!(number.is_one_of(&in_file) || is_level, "{number:?} of {} is not in {written:#}", finding.rule());
            looked_at += 1;
        }
    }
    looked_at
}

/// Figures: each number of an observation is in the figure's own table or in `result.json`. How many there are, and of
/// how many a wrong one would have been seen.
fn figures(reported: &Reported) -> (usize, usize) {
    let mut in_result = Vec::new();
    leaves(&reported.result["scenarios"], &mut in_result);
    leaves(&reported.result["requirements"], &mut in_result);
    // The bulk of the calls lies between p10 and p90, and a curve ends where ten calls lie beyond: both are not columns.
    for leg in reported.views.steps.iter().flat_map(|step| &step.exchanges).flat_map(|exchange| &exchange.legs) {
        let times = &leg.ok.response;
        let beyond = (1..=20).map(|calls| 1.0 - f64::from(calls) / times.total().max(1) as f64);
        let quantiles = beyond.chain([0.1]).filter_map(|quantile| times.quantile(quantile.max(0.0)));
        in_result.extend(quantiles.map(|time| time.as_millis_f64()));
    }
    let (mut all, mut seen, mut unbound) = (0, 0, Vec::new());
    for figure in reported.document.figures() {
        let mut numbers = plotted(figure);
        numbers.extend(&in_result);
        numbers.extend(derived(figure));
        let sentence = printed(&figure.observation);
        for number in sentence.clone() {
            // "1.86 times as long": of two numbers of the same sentence, which are bound themselves.
            let is_ratio = sentence.iter().any(|a| {
                let of = |b: &Printed| (a.value / b.value - number.value).abs() <= number.half + 0.01 * number.value;
                sentence.iter().any(|b| b.unit == a.unit && !b.unit.is_empty() && of(b))
            });
            let is_ratio = is_ratio && number.unit.is_empty() && number.text.contains('.');
            if !number.is_one_of(&numbers) && !is_ratio {
                unbound.push(format!("{number:?} of {}: {}", figure.anchor, figure.observation));
            }
            all += 1;
            let typed = Printed { value: number.value * 1.37 + 3.0 * number.half, ..number };
            seen += usize::from(!typed.is_one_of(&numbers));
        }
    }
    assert!(unbound.is_empty(), "numbers that come from nowhere: {unbound:#?}");
    (all, seen)
}

/// What an observation says of its own figure without a row of its own: extremes, sums and means of its columns.
fn derived(figure: &Figure) -> Vec<f64> {
    let mut numbers = Vec::new();
    for place in 0..figure.data.columns.len() {
        let values: Vec<f64> =
            figure.data.rows.iter().filter_map(|row| row.cells.get(place).and_then(|cell| cell.raw)).collect();
        let sum: f64 = values.iter().sum();
        numbers.extend([sum, sum / values.len().max(1) as f64, values.len() as f64]);
    }
    numbers
}

/// One service, one window: one number, wherever it stands.
#[test]
fn s5_e4_the_processor_of_a_service_is_one_number_everywhere() {
    let run = eventful(false);
    let reported = Reported::of(&run);
    let truth = run.result("busy").value.unwrap();
    let table = reported.table(|table| table.columns.iter().any(|column| column.title == "Before the load"));
    let row = table.rows.iter().find(|row| row.cells.iter().any(|cell| cell.text == "host.cpu")).unwrap();
    let mean = row.cells[column(&table, "Mean")].raw.unwrap();
    assert!(close(mean, truth), "the table has {mean}, the requirement {truth}");
    let idle = reported.judgement.findings.iter().find(|finding| finding.rule() == "IDLE").expect("an idle level");
    let Arg::Share(load) = idle.args()["load"] else { panic!("{idle:#?}") };
    assert!(close(load, truth), "the finding has {load}, the requirement {truth}");
    // Every sentence that speaks of the processor says these numbers, or its greatest value, its moment or its length.
    let shown = |share: f64| format!("{:.1}%", share * 100.0);
    let mut sections: Vec<&Section> = reported.document.sections.iter().collect();
    let mut mentions = 0;
    while let Some(section) = sections.pop() {
        sections.extend(&section.parts);
        for block in &section.blocks {
            let Block::Figure(figure) = block else { continue };
            if figure.subject.contains("cpu") && figure.observation.contains(&shown(truth)) {
                mentions += 1;
            }
        }
    }
    assert!(mentions > 0 || reported.text().contains(&shown(truth)), "{} is stated nowhere", shown(truth));
}

/// Sentences are patterns: what they hold of digits is a name or a fixed level of confidence, and nothing measured.
#[test]
fn s5_e4_no_sentence_has_a_number_of_its_own() {
    // The smallest level shift that is told is the rule's, not the run's.
    let fixed = ["fig-history-means-none"];
    for language in report::LANGUAGES {
        let mut looked_at = 0;
        for (key, pattern) in messages(language) {
            let is_told =
                [".seen", ".means", "-seen", "-finds", "-finding", "-observation"].iter().any(|end| key.ends_with(end))
                    || key.contains("-seen-")
                    || key.contains("-means")
                    || key.contains("-finds-")
                    || key.starts_with("reason-");
            if !is_told || key.starts_with("term-") || fixed.contains(&key.as_str()) {
                continue;
            }
            looked_at += 1;
            let text = without_places(&pattern);
            let typed: Vec<Printed> = printed(&text)
                .into_iter()
                .filter(|number| !["95", "80", "0"].contains(&number.text.as_str()))
                .collect();
            assert!(typed.is_empty(), "`{key}` in `{language}` has numbers of its own: {typed:?}");
        }
        assert!(looked_at > 150, "{language}: {looked_at}");
    }
}

/// A pattern without its arguments and the names of its variants.
fn without_places(pattern: &str) -> String {
    let mut text = String::new();
    for line in pattern.lines() {
        let line = line.trim_start();
        let line = match line.trim_start_matches('*').strip_prefix('[') {
            Some(rest) => rest.split_once(']').map_or("", |(_, rest)| rest),
            None => line,
        };
        let mut depth = 0;
        for c in line.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = (depth - 1).max(0),
                c if depth == 0 => text.push(c),
                _ => {}
            }
        }
        text.push('\n');
    }
    text
}

#[test]
fn numbers_are_read_as_they_are_written() {
    let read = |text: &str| printed(text).iter().map(|number| (number.value, number.unit.clone())).collect::<Vec<_>>();
    let unit = |unit: &str| unit.to_owned();
    assert_eq!(
        read("p95 of shop.1 rose to 12.3\u{a0}ms, 4.5% of 1,230 calls (F2)"),
        [(12.3, unit("ms")), (4.5, unit("%")), (1230.0, unit(""))]
    );
    assert_eq!(read("3.0/s"), [(3.0, unit("/s"))]);
    let two = &printed("12.3\u{a0}ms")[0];
    assert!(two.is_one_of(&[0.01234]) && two.is_one_of(&[12.26]) && !two.is_one_of(&[12.4, 0.0124]));
}
