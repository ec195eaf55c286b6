//! The errors that the report on a collection service made, S5.E1 to S5.E7: each has a test that ours cannot make it.
//!
//! | Error | Test |
//! | --- | --- |
//! | E1 no achieved rate, no counts, a rate of nobody knows what | [`s5_e1_a_rate_says_of_what_and_counts_users_and_errors_stand_beside_it`] |
//! | E2 a time-out averaged with successes | [`s5_e2_failed_and_successful_calls_are_apart_and_a_time_out_is_a_lower_bound`] |
//! | E3 "no difference", without a test | [`s5_e3_equality_comes_from_an_equivalence_test_with_both_data_sets_shown`] |
//! | E4 numbers typed from graphs | [`bound::s5_e4_every_number_of_a_sentence_is_bound_to_data`] |
//! | E5 two idle levels | [`s5_e5_the_idle_level_is_one_number_of_one_window`] |
//! | E6 two mixes side by side | [`s5_e6_different_mixes_are_not_compared_in_silence`] |
//! | E7 a module table with text among its numbers | [`s5_e7_a_module_table_is_linted`] |
//! | E8 a misspelt key that was ignored | `e2e/tests/end_to_end/seed_errors.rs` |
//!
//! Those of the report on a messaging adapter, as far as judging can make them, are in [`messaging`], those of the report on
//! an analytics server in [`analytics`].
//!
//! Runs are made by hand or through the real loop in simulated time, judged, and made into a report.
#![allow(clippy::unwrap_used, reason = "a test")]

mod analytics;
mod bound;
mod messaging;
mod reported;

use crate::common::{CPU, Call, Run, evenly, spread, study_of, study_of_scenarios, study_with};
use judge::comparison::{Recorded, RowVerdict, compare_runs};
use reported::{Reported, close, column, messages};
use serde_json::Value;
use stats::reference::ParkMiller;
use study::Inventory;
use terms::{Nanos, Outcome, Phase};

#[test]
fn s5_e1_a_rate_says_of_what_and_counts_users_and_errors_stand_beside_it() {
    // Three a second, of two requests each: the seed's "3 requests/second" could have been either.
    let scenarios = "
        open: { load: { arrivals: 3/s, hold: 120s }, run: [x, y] }
        closed: { load: { users: 4, pacing: 1s, hold: 120s }, run: [x] }";
    let text = study_of_scenarios(scenarios, "order: [open, closed]");
    let text = text.replace("{ service: 40ms }", "{ service: 40ms, fail_every: 40 }");
    let reported = Reported::of(&Run::simulated(&text, 1));
    let hold = |scenario: &str| reported.step(scenario, "hold");
    let (open, closed) = (hold("open"), hold("closed"));
    for hold in [&open, &closed] {
        for figure in ["offered_per_s", "achieved_per_s", "throughput_per_s"] {
            assert!(hold[figure].as_f64().unwrap() > 0.0, "{figure}: {hold:#}");
        }
    }
    assert_eq!((&open["started"], &open["achieved_per_s"]), (&Value::from(360), &Value::from(3.0)));
    assert_eq!(closed["users"], 4);
    let failed = open["failed"].as_u64().unwrap();
    assert!(failed > 0, "the run has errors to be counted");
    for exchange in open["exchanges"].as_array().unwrap() {
        assert_eq!(exchange["started"], 360, "each request is carried out once an iteration: {exchange:#}");
        let count = |outcome: &str| {
            let legs = exchange["legs"].as_array().unwrap();
            legs.iter().find(|leg| leg["outcome"] == outcome).unwrap()["count"].as_u64().unwrap()
        };
        assert_eq!(count("ok") + count("failed"), 360, "{exchange:#}");
    }

    // The same in the report: what a rate counts, and beside it requests, users and errors.
    let steps = reported.table(|table| table.name.starts_with("load-") && table.name.ends_with("open-steps"));
    let row = steps.rows.iter().find(|row| row.cells[0].text == "hold").unwrap();
    for title in ["Offered", "Achieved", "Throughput"] {
        assert_eq!(steps.columns[column(&steps, title)].unit, "/s");
    }
    assert_eq!(row.cells[column(&steps, "Achieved")].raw, Some(3.0));
    assert!(reported.text().contains("Rates and request accounting count iterations"), "what a rate counts is stated");
    let users = reported.table(|table| table.name.ends_with("closed-steps"));
    let row = users.rows.iter().find(|row| row.cells[0].text == "hold").unwrap();
    assert_eq!(row.cells[column(&users, "Users")].raw, Some(4.0));
    let runs = reported.table(|table| table.name == "runs");
    assert_eq!(runs.rows[0].cells[column(&runs, "Started")].raw, Some(360.0));
    assert_eq!(runs.rows[0].cells[column(&runs, "Failed")].raw, Some(failed as f64));
    let glance = reported.table(|table| table.name == "glance");
    let rates: Vec<(String, f64)> = glance.rows[..2]
        .iter()
        .map(|row| (row.cells[1].text.clone(), row.cells[column(&glance, "Succeeded")].raw.unwrap()))
        .collect();
    assert!(rates[0].0.starts_with('x') && close(rates[0].1, 3.0), "each request has a rate of its own: {rates:?}");
    assert!(rates[1].0.starts_with('y') && close(rates[1].1, (360 - failed) as f64 / 120.0), "{rates:?}");
}

#[test]
fn s5_e2_failed_and_successful_calls_are_apart_and_a_time_out_is_a_lower_bound() {
    // The seed's figures: 35 % time-outs of 30 s, successes of 14.3 s on average; "19.8 s" over both.
    let mut run = Run::of(&study_of("{ arrivals: 5/s, hold: 400s }", "mean: mean(x.response) < 16s"));
    let (hold, mut random) = (run.step("hold"), ParkMiller::new(5));
    let slow: Vec<f64> = (0..2000).map(|_| 10.0 + 8.6 * random.uniform()).collect();
    run.add(&evenly(hold, 0, 400, 5, |number, call| {
        let is_cut = spread(number, 35, 100);
        let took = if is_cut { Nanos::from_millis(30_018) } else { Nanos::from_secs_f64(slow[number as usize]) };
        Call { took, outcome: if is_cut { Outcome::Timeout } else { Outcome::Ok }, ..call }
    }));
    let reported = Reported::of(&run);
    let step = reported.step("s", "hold");
    let of = |outcome: &str| {
        let legs = step["exchanges"][0]["legs"].as_array().unwrap();
        legs.iter().find(|leg| leg["outcome"] == outcome).unwrap().clone()
    };
    let (ok, failed, all) = (of("ok"), of("failed"), of("all"));
    assert_eq!(
        (ok["count"].as_u64(), failed["count"].as_u64(), all["count"].as_u64()),
        (Some(1300), Some(700), Some(2000))
    );
    let mean = |leg: &Value| leg["response_ms"]["mean"].as_f64().unwrap();
    assert!((mean(&ok) - 14_300.0).abs() < 100.0 && (mean(&all) - 19_800.0).abs() < 100.0, "{ok:#}{all:#}");
    assert_eq!(ok["response_ms"]["censored"], Value::Array(Vec::new()));
    for leg in [&failed, &all] {
        assert!(leg["response_ms"]["censored"].as_array().unwrap().contains(&"p95".into()), "{leg:#}");
    }
    // A rule on times looks at what succeeded, unless it says otherwise.
    assert!((run.result("mean").value.unwrap() - mean(&ok)).abs() < 1.0);
    assert!(reported.judgement.findings.iter().any(|finding| finding.rule() == "CENSORED"));

    let times = reported.table(|table| table.caption.contains("Response times in s"));
    assert_eq!(times.rows.len(), 3, "a row for each population");
    let p95 = column(&times, "p95");
    let marked: Vec<bool> = times.rows.iter().map(|row| row.cells[p95].text.starts_with('≥')).collect();
    assert_eq!(marked.iter().filter(|marked| **marked).count(), 2, "{times:#?}");
    let strong = times.rows.iter().find(|row| row.is_strong).unwrap();
    assert!(
        !strong.cells[p95].text.starts_with('≥') && close(strong.cells[column(&times, "Mean")].raw.unwrap(), mean(&ok))
    );
    // Nowhere else does a table print what was averaged over both.
    let mixed = reported.document.tables().into_iter().filter(|table| table.name != times.name).flat_map(|table| {
        let rows = table
            .rows
            .iter()
            .filter(|row| row.cells.iter().any(|cell| cell.raw.is_some_and(|raw| close(raw, mean(&all)))));
        rows.map(|_| table.name.clone()).collect::<Vec<_>>()
    });
    assert_eq!(mixed.collect::<Vec<_>>(), [""; 0]);
}

/// Scenarios `a` and `b`, 60 s each at 20/s, their calls so many milliseconds and up to a fifth more.
fn pair(took_ms: [f64; 2]) -> Run {
    let scenarios = "
        a: { load: { arrivals: 20/s, hold: 60s }, run: [x] }
        b: { load: { arrivals: 20/s, hold: 60s }, run: [x] }";
    let compare = "compare:\n  loads: { of: [mean(x.response), p95(x.response), share(x.failed), rate(x.ok)], base: a, against: [b] }";
    let mut run = Run::of(&study_of_scenarios(scenarios, compare));
    add_calls(&mut run, |scenario, _| took_ms[scenario]);
    run
}

/// Calls at 20/s in every hold, by scenario and part.
fn add_calls(run: &mut Run, took_ms: impl Fn(usize, &str) -> f64) {
    let head = run.evidence.head.clone();
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.phase == Phase::Hold).cloned().collect();
    for step in holds {
        let part = head.part_of(&head.steps[step.number as usize]).unwrap_or_default();
        let took = took_ms(step.scenario, part);
        run.add(&evenly(step.number, step.from.second(), 60, 20, |number, call| {
            let wave = 1.0 + 0.2 * ((number * 7919 % 101) as f64 / 101.0);
            Call { took: Nanos::from_secs_f64(took * wave / 1e3), ..call }
        }));
    }
}

#[test]
fn s5_e3_equality_comes_from_an_equivalence_test_with_both_data_sets_shown() {
    let mut seen = Vec::new();
    // Alike, at the edge of the band, and 0.014 s against 0.021 s.
    for took_ms in [[14.0, 14.0], [20.0, 21.0], [14.0, 21.0]] {
        let reported = Reported::of(&pair(took_ms));
        let pair = &reported.judgement.comparisons[0].pairs[0];
        let cells = reported.cells();
        for (row, line) in pair.rows.iter().zip(report::compared_lines(pair)) {
            assert_eq!(line.mark == "=", row.verdict == RowVerdict::Equivalent, "{line:?}");
            for value in [&line.base, &line.other] {
                assert!(cells.contains(value), "`{value}` of {} is shown in no table", row.id);
            }
            if row.verdict != RowVerdict::Equivalent {
                continue;
            }
            assert!(
                row.base.is_some() && row.other.is_some() && row.base_count.min(row.other_count) > 1000,
                "{row:#?}"
            );
            assert_eq!(row.reason.code, "compared_inside");
            if let Some(tost) = row.one_sided {
                let (least, most) = (1.0 / (1.0 + row.band), 1.0 + row.band);
                assert!(least <= tost.low && tost.high.unwrap() <= most, "{row:#?}");
            }
        }
        let verdict = |id: &str| pair.rows.iter().find(|row| row.id == id).unwrap().verdict;
        seen.push(verdict("mean(x.response)"));
        let all_equal = pair.rows.iter().all(|row| row.verdict == RowVerdict::Equivalent);
        assert_eq!(reported.text().contains("Every row is equivalent"), all_equal, "{took_ms:?}: {:#?}", pair.rows);
    }
    assert_eq!(seen, [RowVerdict::Equivalent, RowVerdict::CannotTell, RowVerdict::Different]);

    // No sentence of the catalogue can say it in other words.
    let words =
        ["no difference", "no differences", "identical", "geen verschil", "identiek", "ingen forskel", "identisk"];
    // "The study states no difference from production" is about what the author wrote.
    let stated = ["setup-no-differs"];
    for language in report::LANGUAGES {
        let all = messages(language);
        assert!(all.len() > 500, "{language}");
        for (key, pattern) in all.iter().filter(|(key, _)| !stated.contains(&key.as_str())) {
            let pattern = pattern.to_lowercase();
            assert!(words.iter().all(|word| !pattern.contains(word)), "`{key}` in `{language}`: {pattern}");
        }
    }
}

/// A minute without load, three with it, two after it. What the processor did is uneven, so that mean and median differ.
pub(crate) fn watched(idle: f64) -> Run {
    let rules = "
        calm: 'settled(host.cpu, band: 5%)'
        busy: mean(host.cpu) <= 90%";
    let text = study_of("{ arrivals: 20/s, hold: 180s }", rules)
        .replace("    run: [x]", "    run: [x]\n    idle: 1m\n    recovery: 2m");
    let mut run = Run::of(&text);
    let (hold, mut random) = (run.step("hold"), ParkMiller::new(11));
    let wave: Vec<f64> = (0..400).map(|_| random.uniform()).collect();
    run.add(&evenly(hold, 60, 180, 20, |number, call| Call {
        took: Nanos(call.took.0 + (wave[number as usize % 397] * 4e6) as i64),
        ..call
    }));
    for second in 0..360 {
        let uneven = wave[second as usize].powi(4);
        let level = if (60..240).contains(&second) { 0.4 + 0.3 * uneven } else { idle + 0.02 * uneven };
        run.sample(f64::from(second) + 0.5, CPU, "shop", Some(level));
    }
    run
}

#[test]
fn s5_e5_the_idle_level_is_one_number_of_one_window() {
    let run = watched(0.072);
    let in_window: Vec<f64> =
        run.samples.iter().filter(|row| row.at < Nanos::from_secs(60)).filter_map(|row| row.value).collect();
    assert_eq!(in_window.len(), 60);
    let truth = in_window.iter().sum::<f64>() / 60.0;
    let median = stats::series::median(&in_window).unwrap();
    assert!((truth / median - 1.0).abs() > 0.02, "mean and median must differ, or nothing is shown: {truth} {median}");

    let reported = Reported::of(&run);
    let idle = reported.judgement.findings.iter().find(|finding| finding.rule() == "IDLE").expect("an idle level");
    let judge::Arg::Share(said) = idle.args()["baseline"] else { panic!("{idle:#?}") };
    assert!(close(said, truth), "the finding says {said}, the window has {truth}");
    let series = reported.table(|table| table.columns.iter().any(|column| column.title == "Before the load"));
    let row = series.rows.iter().find(|row| row.cells.iter().any(|cell| cell.text == "host.cpu")).unwrap();
    assert!(close(row.cells[column(&series, "Before the load")].raw.unwrap(), truth), "{row:#?}");
    // A requirement on the return to it measures from the same level.
    let calm = run.result("calm");
    assert!(close(calm.limit.unwrap(), truth), "{calm:#?}");

    // What is seen outside the window does not move it.
    let mut other = watched(0.072);
    other.samples.iter_mut().filter(|row| row.at >= Nanos::from_secs(60)).for_each(|row| row.value = Some(0.9));
    let moved = Reported::of(&other);
    let idle = moved.judgement.findings.iter().find(|finding| finding.rule() == "IDLE").unwrap();
    assert_eq!(idle.args()["baseline"], judge::Arg::Share(said));

    // Without such a window nothing is reported about an idle level.
    let mut blind = Run::of(&study_of("{ arrivals: 20/s, hold: 180s }", "calm: 'settled(host.cpu, band: 5%)'"));
    (0..190).for_each(|second| blind.sample(f64::from(second), CPU, "shop", Some(0.1)));
    assert_eq!(blind.verdict("calm"), ("cannot_tell", "no_baseline".into()));
    assert!(blind.finding("IDLE").is_none());
}

#[test]
fn s5_e6_different_mixes_are_not_compared_in_silence() {
    // As in the seed: beside import and roll-over at the normal load, beside roll-over alone at the high load.
    let scenarios = "
        rih: { load: { arrivals: 20/s, hold: 60s }, run: [x] }
        import: { load: { users: 1, pacing: 1s, hold: 60s }, run: [job] }
        roll_over: { load: { users: 1, pacing: 1s, hold: 60s }, run: [y] }
        normal: { mix: [rih, import, roll_over] }
        high: { mix: [rih, roll_over] }
        again: { mix: [rih, roll_over] }";
    let keys = "order: [normal, high, again]
compare: { mixes: { of: [mean(rih/x.response), rate(rih/x.ok)], base: high, against: [normal, again] } }";
    let mut run = Run::of(&study_of_scenarios(scenarios, keys));
    add_calls(&mut run, |_, part| if part == "rih" { 20.0 } else { 500.0 });
    let reported = Reported::of(&run);
    let [normal, again] = &reported.judgement.comparisons[0].pairs[..] else { panic!("two pairs") };
    let parts = |pair: &judge::comparison::Pair| {
        let parts = pair.differences.iter().filter(|difference| difference.aspect == "parts");
        parts.map(|difference| difference.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(parts(normal), ["part import"], "what the mixes differ in is listed");
    assert_eq!(parts(again), [""; 0], "and the same mix differs in nothing");
    let table = reported.table(|table| table.columns.iter().any(|column| column.title == "Circumstance"));
    assert!(format!("{table:?}").contains("import"), "{table:#?}");
    // Another mix of requests in one iteration is listed within a study, where it is what is asked about, and between
    // runs it is not comparable at all.
    let scenarios = "
        a: { load: { arrivals: 20/s, hold: 60s }, run: [x] }
        b: { load: { arrivals: 20/s, hold: 60s }, run: [x, y] }";
    let compare = "compare: { mixes: { of: mean(x.response), base: a, against: b } }";
    let mut run = Run::of(&study_of_scenarios(scenarios, compare));
    add_calls(&mut run, |_, _| 20.0);
    let reported = Reported::of(&run);
    let differences = &reported.judgement.comparisons[0].pairs[0].differences;
    let mix = differences.iter().find(|difference| difference.name.ends_with("mix of exchanges"));
    let mix = mix.unwrap_or_else(|| panic!("{differences:#?}"));
    assert_eq!((mix.base.as_str(), mix.other.as_str()), ("x ×1", "x ×1, y ×1"));
    let run_of = |items: &str| {
        let exchanges = "x: { simulated.call: { service: 10ms } }\ny: { simulated.call: { service: 10ms } }";
        let mut run = Run::of(&study_with(items, "{ arrivals: 20/s, hold: 60s }", exchanges, ""));
        add_calls(&mut run, |_, _| 20.0);
        run
    };
    let (one, other) = (run_of("x"), run_of("x, y"));
    let verdicts = |base: &Run, other: &Run| {
        let evidence = [base.evidence(), other.evidence()];
        let [base, other] = [(base, &evidence[0]), (other, &evidence[1])]
            .map(|(run, evidence)| Recorded { evidence, study: &run.study.effective });
        let compared = compare_runs(&[base], &[vec![other]], 0.05);
        compared.pairs[0].rows.iter().map(|row| row.verdict).collect::<Vec<_>>()
    };
    let apart = verdicts(&one, &other);
    assert!(!apart.is_empty() && apart.iter().all(|verdict| *verdict == RowVerdict::NotComparable), "{apart:?}");
    assert!(verdicts(&one, &run_of("x")).contains(&RowVerdict::Equivalent), "and the same mix is");
}

#[test]
fn s5_e7_a_module_table_is_linted() {
    let table = |rows: &[&str]| {
        let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let sound = [
            "mod-a,128,1024,896,88,768",
            "mod-b,128,1440,1152,128,922",
            "mod-c,128,512,400,64,256",
            "mod-d,128,896,800,128,512",
        ];
        Inventory {
            file: "modules.csv".into(),
            columns: split("module,cpu,memory,reservation,metaspace,xmx"),
            rows: sound.iter().chain(rows).map(|row| split(row)).collect(),
            ..Inventory::default()
        }
    };
    let found = |rows: &[&str]| {
        let mut run = Run::of(&study_of("{ arrivals: 20/s, hold: 60s }", "right: share(x.failed) <= 1%"));
        run.study.system.inventory = Some(table(rows));
        add_calls(&mut run, |_, _| 10.0);
        let reported = Reported::of(&run);
        let lint = reported.judgement.findings.iter().filter(|finding| finding.rule().starts_with("INVENTORY"));
        lint.map(|finding| {
            let said = format!("{}", reported.result["findings"]);
            assert!(said.contains(finding.scope.as_str()), "{} is in no sentence", finding.scope);
            (finding.rule(), finding.scope.clone())
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), []);
    // The seed's own: text in a numeric cell, equal rows for unlike modules, a value of another column.
    for (row, rule, scope) in [
        ("mod-x,128,1024 recommended to change to 1544,700,88,512", "INVENTORY-TEXT", "mod-x"),
        ("mod-x,896,1024,896,88,512", "INVENTORY-SHIFTED", "mod-x"),
        ("mod-x,128,1024,900,256,896", "INVENTORY-MEMORY", "mod-x"),
        ("mod-x,128,1024,1152,88,512", "INVENTORY-RESERVATION", "mod-x"),
    ] {
        assert_eq!(found(&[row]), [(rule, scope.into())], "{row}");
    }
    let twins = found(&["edge-x,128,700,600,77,500", "mod-pubsub,128,700,600,77,500"]);
    assert_eq!(twins, [("INVENTORY-TWIN", "mod-pubsub".into())]);
}
