//! Several scenarios at once: how their parts are read, what is refused, and what is archived.

use super::fakes::{load_in, rejected, study};
use crate::{Extent, Model, Options, Profile, Study};
use std::path::Path;
use terms::Nanos;

const HEAD: &str = "study: Inventory
vars: { rate: 3/s, users: 2 }
system: { name: shop, url: \"http://127.0.0.1:8080\", identity: { expect: { name: shop } } }
exchanges:
  look: { http.get: { url: $(shop.url)/look, headers: { x-rate: $(rate) } } }
  buy: { http.get: { url: $(shop.url)/buy } }
  import: { http.get: { url: $(shop.url)/import } }
scenarios:
  rih: { load: { arrivals: $(rate), ramp: { over: 1m }, hold: 1h }, run: [look], abort: [ share(look.failed) > 5% for 30s ] }
  others: { set: { users: 20, rate: 1/s }, load: { users: $(users), pacing: 5s, ramp: { over: 2m }, hold: 1h }, run: [buy] }
  jobs: { load: { users: 1, count: 3 }, run: [import, think: 5m], after: 10m }
";

fn text(rest: &str) -> String {
    format!("{HEAD}{rest}\n")
}

const MIXES: &str = "  normal: { set: { rate: 3/s }, mix: [rih], idle: 5m }
  full: { set: { rate: 20/s }, mix: [rih, others, jobs], idle: 5m, recovery: 5m, abort: [ share(*.failed) > 50% for 1m ] }
order: [normal, full]
repeat: 2
requirements:
  right: share(rih/*.failed) <= 1% per exchange
  bought: count(full/others/buy) >= 1
  one: count(buy) >= 1";

fn trial(seconds: i64) -> Study {
    let options = Options { trial: Some(Nanos::from_secs(seconds)), ..Options::default() };
    load_in(Path::new("/nonexistent"), &text(MIXES), &options).unwrap_or_else(|rejected| panic!("{rejected}")).0
}

fn rate(study: &Study, scenario: usize, part: usize) -> f64 {
    match &study.scenarios[scenario].parts[part].load.model {
        Model::Arrivals { profile: Profile::Constant(rate), .. } => *rate,
        model => panic!("{model:?}"),
    }
}

#[test]
fn each_part_has_its_own_load_with_the_mixs_variables_over_its_own() {
    let study = study(&text(MIXES));
    let names: Vec<_> = study.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!((names, study.repeat), (vec!["normal", "full"], 2), "parts are not run by themselves");
    let parts: Vec<_> = study.scenarios[1].parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(parts, ["rih", "others", "jobs"]);
    assert_eq!((rate(&study, 0, 0), rate(&study, 1, 0)), (3.0, 20.0));
    let others = &study.scenarios[1].parts[1];
    assert!(
        matches!(others.load.model, Model::Users { count: 20, .. }),
        "its own variable, which the mix leaves alone"
    );
    let mut set = others.set.clone();
    set.sort();
    assert_eq!(set, [("rate".to_owned(), "20/s".to_owned()), ("users".to_owned(), "20".to_owned())]);
    assert_eq!(study.scenarios[1].parts[2].after, Nanos::from_secs(600));
    let together = study.scenarios[1].together().unwrap();
    let seconds = [together.full, together.holds, together.ends].map(Nanos::second);
    assert_eq!(seconds, [120, 120, 3660], "a job that ends by count is in the background");
    assert!(study.warnings.iter().all(|warning| warning.code != "study::not-run"), "{:?}", study.warnings);
}

#[test]
fn rules_name_parts_and_are_judged_where_they_are() {
    let study = study(&text(MIXES));
    let right = &study.requirements[0];
    assert_eq!(
        right.applies.iter().map(|applies| applies.scenario).collect::<Vec<_>>(),
        [0, 1],
        "every mix that has it"
    );
    let series = |rule: &crate::model::rule::Rule| match &rule.clauses[0] {
        crate::model::rule::Clause::Compare { sums, .. } => match &sums[0] {
            crate::model::rule::Expression::Statistic(statistic) => statistic.series.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    let found = series(&right.applies[1].rule);
    assert_eq!((found.scenario, found.part), (None, Some(0)));
    // A part of another scenario, from wherever the rule is judged.
    let bought = &study.requirements[1].applies;
    assert_eq!((bought.len(), bought[0].scenario, series(&bought[0].rule).part), (1, 1, Some(1)));
    // Without a part: all that carry it out.
    assert_eq!(series(&study.requirements[2].applies[0].rule).part, None);
    // A part's own rule stops the mix, and looks at that part.
    let full = &study.scenarios[1];
    assert_eq!(full.aborts().len(), 2);
    assert_eq!(series(&full.parts[0].abort[0]).part, Some(0));
}

#[test]
fn the_archived_study_is_the_same_study() {
    let first = study(&text(MIXES));
    let again = study(&first.effective);
    assert_eq!(again.effective, first.effective);
    assert_eq!((again.repeat, rate(&again, 1, 0)), (2, 20.0));
    let rules = |study: &Study| study.scenarios[1].aborts().iter().map(|rule| rule.clauses.len()).collect::<Vec<_>>();
    assert_eq!(rules(&again), rules(&first));
    let short = trial(60);
    assert_eq!(study(&short.effective).effective, short.effective);
}

#[test]
fn a_trial_shortens_every_part_alike_and_carries_the_order_out_once() {
    // 5 min idle + 61 min, and 5 min idle + 61 min + 5 min recovery: 137 min in all.
    let study = trial(822);
    let trial = study.trial.as_ref().unwrap();
    assert_eq!((study.repeat, (trial.factor * 1000.0).round()), (1, 100.0));
    assert!(trial.left_out[0].contains("once instead of 2 times"), "{:?}", trial.left_out);
    let full = &study.scenarios[1];
    let together = full.together().unwrap();
    assert_eq!((together.full.second(), together.ends.second()), (12, 366));
    assert_eq!(full.parts[2].after.second(), 60);
    assert_eq!(full.parts[2].load.hold, Extent::Count(1), "a tenth of three, and at least one");
    assert_eq!(rate(&study, 1, 0), 20.0, "rates stay");
}

#[test]
fn parts_may_be_written_within_their_mix() {
    let inline = "  both: { mix: { quick: { load: { arrivals: 9/s, hold: 1m }, run: [look] }, rih: { load: { users: 3, hold: 2m }, run: [buy] } } }\norder: [both]";
    let study = study(&text(inline));
    let parts: Vec<_> = study.scenarios[0].parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(parts, ["quick", "rih"]);
    assert_eq!(study.scenarios[0].together().unwrap().ends.second(), 60);
}

#[test]
fn what_makes_no_mix_is_said() {
    for (rest, code, part) in [
        ("  full: { mix: [rih, ohters] }\norder: [full]", "study::unknown-name", "there is no scenario `ohters`"),
        ("  full: { mix: [rih] }", "study::missing-key", "`full` is a mix, and nothing says which scenarios run"),
        ("  full: { mix: [rih, rih] }\norder: [full]", "study::duplicate-name", "`rih` is a part of `full` twice"),
        ("  full: { mix: [] }\norder: [full]", "study::empty", "the mix `full` has no parts"),
        ("  full: { mix: [jobs] }\norder: [full]", "study::missing-key", "no part of the mix `full` has a `hold`"),
        (
            "  full: { mix: [rih], load: { users: 1, hold: 1m } }\norder: [full]",
            "study::conflict",
            "the mix `full` has a `load` of its own",
        ),
        (
            "  quiet: { load: { users: 1, hold: 1h }, run: [buy], idle: 1m }\n  full: { mix: [rih, quiet] }\norder: [full]",
            "study::conflict",
            "`quiet` runs only as a part of `full`, and has a `idle` of its own",
        ),
        (
            "  warm: { load: { users: 1, warm_up: 100, hold: 1h }, run: [buy] }\n  full: { mix: [rih, warm] }\norder: [full]",
            "study::conflict",
            "`warm` is a part of a mix, and its users warm up by a count",
        ),
        (
            "  late: { load: { users: 1, count: 1 }, run: [buy], after: 2h }\n  full: { mix: [rih, late] }\norder: [full]",
            "study::never-together",
            "`late` would begin after the mix `full` has ended",
        ),
        (
            "  alone: { load: { users: 1, hold: 1m }, run: [buy], after: 1m }\norder: [alone]",
            "study::conflict",
            "`alone` is not a part of a mix",
        ),
        (
            "  full: { mix: [rih, others] }\norder: [full]\nrequirements: { r: count(others/look) >= 1 }",
            "study::not-in-scenario",
            "scenario `others` does not run `look`",
        ),
        (
            "  full: { mix: [rih] }\norder: [full]\nrequirements: { r: count(full/others/buy) >= 1 }",
            "study::unknown-name",
            "there is no part of `full` `others`",
        ),
    ] {
        let rejected = rejected(&text(rest));
        let found = rejected.mistakes.0.iter().find(|mistake| mistake.code == code);
        assert!(found.is_some_and(|mistake| mistake.message.contains(part)), "{part}:\n{rejected}");
    }
}

#[test]
fn a_part_that_also_runs_by_itself_keeps_its_own_phases_there() {
    let rest = "  quiet: { load: { arrivals: 2/s, hold: 1h }, run: [buy], idle: 1m, after: 5s }\n  full: { mix: [rih, quiet], idle: 2m }\norder: [quiet, full]\nrequirements: { r: share(quiet/*.failed) <= 1% }";
    let study = study(&text(rest));
    assert_eq!(study.scenarios.iter().map(|s| s.idle.second()).collect::<Vec<_>>(), [60, 120]);
    let where_judged: Vec<_> = study.requirements[0].applies.iter().map(|applies| applies.scenario).collect();
    assert_eq!(where_judged, [0, 1], "where it runs by itself, and in the mix");
}
