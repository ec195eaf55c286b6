//! The errors that the report on a messaging adapter made, as far as judging can make them: S1.E1 to E6, E8, E9, E11.

use crate::common::{Run, evenly};
use judge::bottleneck::{Rung, RungState};
use judge::{Arg, Gravity, Judgement};
use record::{EngineRow, MetricHead, MonitorHead, SampleRow};
use terms::{Nanos, Severity, Verdict};

/// Nominal and peak load of 60 s, with the assumptions, requirements and volumes of that report.
fn text() -> String {
    "study: Adapter
about: { en: 500/s is five times the nominal 200/s }
assume:
  streams: { value: 20 }
  average: { value: 5/s }
  days: { value: 260 }
  hours: { value: 24 }
system: { instances: { shop: { url: 'http://127.0.0.1:9', identity: { path: /, expect: { name: shop } } } } }
watch: { host: {} }
exchanges: { ping: { simulated.call: {} } }
scenarios:
  nominal: { load: { arrivals: 200/s, hold: 60s }, run: [ping] }
  peak: { load: { arrivals: 500/s, hold: 60s }, run: [ping] }
requirements:
  fast: { that: share(ping.response < 2s) >= 100%, severity: { nominal: must, peak: informative } }
  cpu: { that: { nominal: max(host.cpu) <= 65%, peak: max(host.cpu) <= 90% } }
capacity:
  volumes:
    nominal_year: { of: rate(ping), from: nominal, hours: $(hours), days: $(days) }
    nominal_office: { of: rate(ping), from: nominal, hours: 10, days: $(days) }
    peak_year: { of: rate(ping), from: peak, hours: $(hours), days: $(days) }
  ratios: { peak_to_nominal: rate(peak/ping) / rate(nominal/ping), peak_to_average: rate(peak/ping) / $(streams * average) }
"
    .into()
}

/// The run in which the `k`-th call of each scenario takes `took` ms, with the processor at 60 %.
fn run(took: impl Fn(&str, u64) -> f64) -> Run {
    let mut run = Run::of(&text());
    for (place, (name, rate)) in [("nominal", 200), ("peak", 500)].into_iter().enumerate() {
        let span = run.evidence.steps.iter().find(|it| it.scenario == place && it.id == "hold").unwrap().clone();
        let calls = evenly(span.number, span.from.second(), 60, rate, |k, mut call| {
            call.took = Nanos::from_secs_f64(took(name, k) / 1e3);
            call
        });
        run.add(&calls);
        for second in span.from.second()..span.to.second() {
            run.sample(second as f64 + 0.5, super::CPU, "host", Some(0.6));
        }
    }
    run
}

/// A little different from call to call, and from scenario to scenario.
fn healthy(name: &str, k: u64) -> f64 {
    let salt = if name == "peak" { 11 } else { 7 };
    48.0 + ((k * salt) % 53) as f64 * 0.5
}

fn finding<'a>(judgement: &'a Judgement, rule: &str) -> Option<&'a judge::Finding> {
    judgement.findings.iter().find(|finding| finding.rule() == rule)
}

#[test]
fn s1_e1_a_volume_is_the_expression_that_is_printed() {
    let judgement = run(healthy).judge();
    let volume = |name: &str| judgement.capacity.volumes.iter().find(|volume| volume.name == name).unwrap();
    // 260 * 24 * 3600 * 200, not 260 * 24 * 60 * 200 = 74 880 000; and 260 * 24 * 3600 * 500.
    for (name, rate, value) in [("nominal_year", 200.0, 4.4928e9), ("peak_year", 500.0, 1.1232e10)] {
        let volume = volume(name);
        assert_eq!((volume.hours, volume.days), (24.0, 260.0), "{:?}", volume.refused);
        // The last calls of a hold end after it.
        let printed = volume.rate_per_s.unwrap();
        assert!((printed / rate - 1.0).abs() < 0.002, "{name}: {printed}");
        assert_eq!(volume.value, Some(printed * (volume.hours * 3600.0 * volume.days / volume.peak_factor)));
        assert!((volume.value.unwrap() / value - 1.0).abs() < 0.002, "{name}");
    }
}

#[test]
fn s1_e2_rows_are_labelled_by_their_scenario() {
    let judgement = run(healthy).judge();
    for step in &judgement.steps {
        assert!(step.scope.starts_with(&format!("{}/", step.scenario)), "{step:?}");
        let rate = if step.scenario == "peak" { 500.0 } else { 200.0 };
        assert!(step.id != "hold" || (step.offered_per_s - rate).abs() < 1e-9, "{step:?}");
    }
    let scopes: Vec<&str> = judgement.requirements.iter().map(|result| result.scope.as_str()).collect();
    assert_eq!(scopes, ["nominal/hold", "peak/hold", "nominal/hold", "peak/hold"]);
}

#[test]
fn s1_e3_a_ratio_names_both_operands_and_a_wrong_one_in_a_text_is_found() {
    let judgement = run(healthy).judge();
    let ratio = |name: &str| judgement.capacity.ratios.iter().find(|ratio| ratio.name == name).unwrap();
    let Some(Arg::Number(value)) = ratio("peak_to_nominal").value else { panic!("{:?}", ratio("peak_to_nominal")) };
    assert!((value - 2.5).abs() < 0.01);
    let [(peak, Arg::PerSecond(above)), (nominal, Arg::PerSecond(below))] = &ratio("peak_to_nominal").operands[..]
    else {
        panic!("{:?}", ratio("peak_to_nominal"))
    };
    assert_eq!((peak.as_str(), nominal.as_str()), ("rate(peak/ping)", "rate(nominal/ping)"));
    assert!((above / below - value).abs() < 1e-9, "what is printed comes to what is printed");
    let Some(Arg::Number(value)) = ratio("peak_to_average").value else { panic!("{:?}", ratio("peak_to_average")) };
    assert!((value - 5.0).abs() < 0.01, "five times the assumed average, and only of that");
    assert_eq!(finding(&judgement, "RATIO").unwrap().args()["computed"], Arg::Number(2.5));
}

#[test]
fn s1_e4_a_mean_above_the_p90_is_a_heavy_tail_with_its_percentiles() {
    // Nineteen of twenty below 99 ms, and one that makes the mean 118 ms or so.
    let judgement = run(|name, k| if k % 20 == 0 { 1200.0 } else { healthy(name, k) }).judge();
    let found = finding(&judgement, "MEAN-GT-P90").unwrap();
    assert!(found.scope.starts_with("nominal/hold"));
    let step = judgement.steps.iter().find(|step| step.scope == "nominal/hold").unwrap();
    let times = step.exchanges[0].legs[0].response.as_ref().unwrap();
    for quantile in [0.5, 0.95, 0.99, 0.999] {
        assert!(times.percentiles.iter().any(|known| (known.quantile - quantile).abs() < 1e-9), "{quantile}");
    }
    assert!(finding(&run(healthy).judge(), "MEAN-GT-P90").is_none());
}

#[test]
fn s1_e5_a_rate_that_breaks_littles_law_is_refused() {
    // 500 a second at 3649 ms need 1825 in flight; twenty streams in a closed loop could not have been it.
    let judged = |in_flight: f64| {
        let mut run = run(|name, _| if name == "peak" { 3649.0 } else { 118.0 });
        let span = run.evidence.steps.iter().find(|it| it.scenario == 1 && it.id == "hold").unwrap().clone();
        for second in span.from.second()..span.to.second() {
            let row = EngineRow { second, step: span.number, in_flight_mean: in_flight, ..EngineRow::default() };
            run.evidence.engine.push(row);
        }
        run.judge()
    };
    let judgement = judged(20.0);
    let found = finding(&judgement, "LITTLE").unwrap();
    assert_eq!((found.scope.as_str(), found.severity), ("peak/hold", Gravity::Blocker));
    let refused = judgement.capacity.volumes.iter().find(|volume| volume.name == "peak_year").unwrap();
    assert_eq!((refused.value, refused.refused.as_ref().unwrap().code.as_str()), (None, "degraded"));
    let peak = judgement.steps.iter().find(|step| step.scope == "peak/hold").unwrap();
    assert!(peak.offered_per_s > 0.0 && peak.achieved_per_s > 0.0, "offered stands beside achieved");
}

#[test]
fn s1_e6_equal_figures_are_found() {
    let twins = run(|_, k| 48.0 + (k % 50) as f64).judge();
    assert!(finding(&twins, "COPY-TWIN").is_some());
    assert!(finding(&broken().judge(), "COPY-TWIN").is_none());
}

/// Thirty times the time in the peak, at the same processor.
fn broken() -> Run {
    run(|name, k| healthy(name, k) * if name == "peak" { 30.0 } else { 1.0 })
}

fn observed(judgement: &Judgement) -> Option<(Rung, Vec<&str>)> {
    let ladder = judgement.ladders.iter().find(|ladder| ladder.scenario == "peak").unwrap();
    let rung = ladder.observed()?;
    Some((rung.rung, rung.signals.iter().map(|signal| signal.code.as_str()).collect()))
}

#[test]
fn s1_e6_a_peak_that_breaks_at_the_same_processor_broke_on_the_software() {
    let judgement = broken().judge();
    assert_eq!(observed(&judgement), Some((Rung::Software, vec!["slower"])));
    assert!(finding(&judgement, "UNEXPLAINED").is_none(), "the ladder has evidence");
    assert_eq!(observed(&run(healthy).judge()), None, "and a peak that holds has no limit");
}

#[test]
fn s1_e6_a_peak_that_breaks_with_nothing_watched_is_unexplained() {
    let mut run = broken();
    run.samples.clear();
    let judgement = run.judge();
    assert_eq!(observed(&judgement), None);
    assert_eq!(finding(&judgement, "UNEXPLAINED").unwrap().scope, "peak/hold");
}

/// The peak answers 410 of 500 a second on a machine of two cores that is full in both scenarios; `own` cores of it are
/// the adapter's, and 0.1 the generator's.
fn crowded(own: f64) -> Run {
    queued(0.97, own)
}

/// The same on a machine that is so busy; at every look six tasks are ready to run.
fn queued(busy: f64, own: f64) -> Run {
    let mut run = Run::of(&text());
    run.evidence.head.facts.push(("local".into(), "cores".into(), "2".into()));
    let cpu = MetricHead {
        name: "cpu".into(),
        unit: "cores".into(),
        kind: "gauge".into(),
        role: "processor".into(),
        ..MetricHead::default()
    };
    let name = || "process".to_owned();
    let process =
        MonitorHead { name: name(), kind: name(), every_s: 1.0, metrics: vec![cpu], ..MonitorHead::default() };
    run.evidence.head.monitors.push(process);
    let run_queue = MetricHead {
        name: "run_queue".into(),
        unit: "count".into(),
        kind: "gauge".into(),
        role: "run_queue".into(),
        ..MetricHead::default()
    };
    run.evidence.head.monitors[0].metrics.push(run_queue);
    let queue = run.evidence.head.monitors[0].metrics.len() as u16 - 1;
    for (place, rate) in [200u64, 500].into_iter().enumerate() {
        let span = run.evidence.steps.iter().find(|it| it.scenario == place && it.id == "hold").unwrap().clone();
        let calls = evenly(span.number, span.from.second(), 60, rate, |k, mut call| {
            let waits = if place == 1 { k as f64 / 410.0 - k as f64 / 500.0 } else { 0.0 };
            call.took = Nanos::from_secs_f64(waits + healthy("peak", k) / 1e3);
            call
        });
        run.add(&calls);
        for second in span.from.second()..span.to.second() {
            let at = second as f64 + 0.5;
            run.sample(at, super::CPU, "local", Some(busy));
            run.sample(at, queue, "local", Some(6.0));
            let at = Nanos::from_secs_f64(at);
            let (monitor, metric, value) = (1, 0, Some(own));
            run.samples.push(SampleRow { at, monitor, instance: "shop".into(), metric, value });
            let row = EngineRow { second, step: span.number, cpu_s: 0.1, ..EngineRow::default() };
            run.evidence.engine.push(row);
        }
    }
    run
}

#[test]
fn s1_30_other_peoples_processor_time_is_no_limit_of_the_system() {
    // 0.4 of 1.94 busy cores: somebody else took the rest, and the peak broke on something that takes no processor.
    let judgement = crowded(0.3).judge();
    let (rung, signals) = observed(&judgement).unwrap();
    assert_eq!(rung, Rung::Software, "{signals:?}");
    assert!(signals.contains(&"behind") && signals.contains(&"slower"), "{signals:?}");
    let resource = judgement.ladders[1].rungs.iter().find(|found| found.rung == Rung::Resource).unwrap();
    assert_eq!((resource.state, resource.signals.len()), (RungState::NotObserved, 0));
    let found: Vec<_> = judgement.findings.iter().filter(|finding| finding.rule() == "OTHER-WORK").collect();
    assert_eq!(found.iter().map(|found| found.scope.as_str()).collect::<Vec<_>>(), ["nominal/hold", "peak/hold"]);
    let Arg::Cores(own) = found[1].args()["own"] else { panic!("{found:?}") };
    assert!((own - 0.4).abs() < 1e-9);
    // The system's own work is its limit.
    let own = crowded(1.6).judge();
    let (rung, signals) = observed(&own).unwrap();
    assert_eq!(rung, Rung::Resource);
    assert!(signals.contains(&"saturated") && signals.contains(&"run_queue"), "{signals:?}");
    assert!(finding(&own, "OTHER-WORK").is_none());
    // Where no process is watched, nobody knows whose it was.
    let mut unknown = crowded(0.3);
    unknown.samples.retain(|row| row.monitor == 0);
    let judgement = unknown.judge();
    assert_eq!(observed(&judgement).unwrap().0, Rung::Resource);
    assert!(finding(&judgement, "OTHER-WORK").is_none());
}

/// A machine that is watched over ssh is not the one that the load comes from: whose its time was nobody saw, and the tasks
/// that wait there do not wait for the cores here.
#[test]
fn s1_30_another_machine_that_is_busy_is_a_limit_and_no_other_work_here() {
    let mut run = crowded(0.3);
    run.evidence.head.monitors[0].on = "ssh://db1".to_owned();
    let judgement = run.judge();
    assert!(finding(&judgement, "OTHER-WORK").is_none());
    let (rung, signals) = observed(&judgement).unwrap();
    assert_eq!(rung, Rung::Resource);
    assert!(signals.contains(&"saturated") && !signals.contains(&"run_queue"), "{signals:?}");
}

/// The database's processes are watched by two monitors, under the name of each.
#[test]
fn s1_30_a_process_that_two_monitors_watch_is_not_the_systems_work_twice() {
    let twice = |lineage: Option<&str>| {
        // 0.9 of 1.94 busy cores are less than half of them with the generator's 0.1 only if counted once.
        let mut run = crowded(0.8);
        let mut other = run.evidence.head.monitors[1].clone();
        (other.name, other.kind) = ("database".to_owned(), "sql".to_owned());
        run.evidence.head.monitors.push(other);
        let of_process: Vec<SampleRow> = run.samples.iter().filter(|row| row.monitor == 1).cloned().collect();
        let again = of_process.into_iter().map(|row| SampleRow { monitor: 2, instance: "store".into(), ..row });
        run.samples.extend(again);
        if let Some(lineage) = lineage {
            let fact =
                |subject: &str, text: &str| (subject.to_owned(), "process and its parents".to_owned(), text.to_owned());
            run.evidence.head.facts.extend([fact("shop", "70@700 5@50"), fact("store", lineage)]);
        }
        run.judge()
    };
    for (lineage, is_one) in [
        (Some("70@700 5@50"), true),
        (Some("90@900 80@800 70@700 5@50"), true),
        (Some("71@710 5@50"), false),
        (None, false),
    ] {
        let judgement = twice(lineage);
        assert_eq!(finding(&judgement, "OTHER-WORK").is_some(), is_one, "{lineage:?}");
        let rung = observed(&judgement).map(|(rung, _)| rung);
        assert_eq!(rung == Some(Rung::Resource), !is_one, "{lineage:?}: {rung:?}");
    }
}

#[test]
fn s1_30_tasks_that_queue_for_a_moment_are_no_limit_of_an_idle_machine() {
    let judgement = queued(0.29, 0.4).judge();
    let (rung, signals) = observed(&judgement).unwrap();
    assert_eq!(rung, Rung::Software, "{signals:?}");
    let resource = judgement.ladders[1].rungs.iter().find(|found| found.rung == Rung::Resource).unwrap();
    assert_eq!((resource.state, resource.signals.len()), (RungState::NotObserved, 0), "{:?}", resource.signals);
    // On a machine that is mostly busy they wait for it.
    let judgement = queued(0.8, 1.3).judge();
    let (rung, signals) = observed(&judgement).unwrap();
    assert_eq!(rung, Rung::Resource);
    assert!(signals.contains(&"run_queue") && !signals.contains(&"saturated"), "{signals:?}");
}

#[test]
fn s1_e8_a_peak_that_falls_behind_leads_the_findings() {
    let judgement = crowded(0.3).judge();
    let found = &judgement.findings[0];
    assert_eq!((found.rule(), found.scope.as_str()), ("BACKLOG", "peak/hold"));
    let (Arg::PerSecond(offered), Arg::PerSecond(ended)) = (&found.args()["offered"], &found.args()["ended"]) else {
        panic!("{found:?}")
    };
    assert!((offered - 500.0).abs() < 1e-9 && (ended - 410.0).abs() < 2.0, "{offered} {ended}");
    let Arg::Count(to) = found.args()["to"] else { panic!("{found:?}") };
    // 60 s of 90 a second that were not answered.
    assert!((to - 5400.0).abs() < 100.0, "{to}");
    assert!(finding(&run(healthy).judge(), "BACKLOG").is_none());
}

#[test]
fn s1_e8_a_peak_that_breaks_is_not_met_whatever_it_weighs() {
    let judgement = run(|name, k| if name == "peak" && k % 3 == 0 { 6210.0 } else { healthy(name, k) }).judge();
    let fast: Vec<_> = judgement.requirements.iter().filter(|result| result.id == "fast").collect();
    assert_eq!((fast[0].severity, fast[0].verdict), (Severity::Must, Verdict::Met), "{:?}", fast[0]);
    assert_eq!((fast[1].severity, fast[1].verdict), (Severity::Informative, Verdict::NotMet), "{:?}", fast[1]);
}

#[test]
fn s1_e9_every_requirement_has_a_row_with_its_evidence() {
    let run = run(healthy);
    let judgement = run.judge();
    for requirement in &run.study.requirements {
        for scenario in ["nominal", "peak"] {
            let row = judgement
                .requirements
                .iter()
                .find(|result| result.id == requirement.name && result.scope.split('/').next() == Some(scenario));
            let row = row.unwrap_or_else(|| panic!("{} in {scenario}", requirement.name));
            assert!(row.value.is_some() && row.limit.is_some() && !row.rule.is_empty(), "{row:?}");
            assert!(!row.evidence.is_empty(), "{row:?}");
        }
    }
    let cpu: Vec<_> = judgement.requirements.iter().filter(|result| result.id == "cpu").collect();
    assert_eq!((cpu[0].limit, cpu[1].limit), (Some(0.65), Some(0.9)), "a limit for each scenario");
}

#[test]
fn s1_e11_a_volume_states_its_hours() {
    let judgement = run(healthy).judge();
    let volume = |name: &str| judgement.capacity.volumes.iter().find(|volume| volume.name == name).unwrap();
    assert_eq!((volume("nominal_office").hours, volume("nominal_year").hours), (10.0, 24.0));
    assert!((volume("nominal_office").value.unwrap() / 1.872e9 - 1.0).abs() < 0.002);
}
