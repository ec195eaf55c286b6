//! Members of a consumer group that have nothing to consume.

use crate::common::{Run, evenly, study_of};
use contract::Role;
use judge::Arg;
use record::{MetricHead, MonitorHead};

/// A hold of 20 s in which these hosts have so many members, idle ones and partitions, at a look every five seconds.
fn run(hosts: &[(&str, [f64; 3])], changed: Option<[f64; 3]>) -> Run {
    let mut run = Run::of(&study_of("{ arrivals: 10/s, hold: 20s }", "ok: share(x.ok) >= 50%"));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 20, 10, |_, call| call));
    let metric = |(name, role): (&str, Role)| MetricHead {
        name: name.into(),
        unit: "count".into(),
        kind: "gauge".into(),
        across: "sum".into(),
        role: role.name().into(),
        ..MetricHead::default()
    };
    let metrics = [("members", Role::Members), ("idle", Role::IdleMembers), ("assigned", Role::Assigned)];
    let metrics = metrics.into_iter().map(metric).collect();
    run.evidence.head.monitors =
        vec![MonitorHead { name: "lag".into(), kind: "kafka_lag".into(), every_s: 5.0, metrics, ..Default::default() }];
    for look in 0..4 {
        for (host, values) in hosts {
            let values = changed.filter(|_| look == 2).unwrap_or(*values);
            for (metric, value) in (0u16..).zip(values) {
                run.sample(f64::from(look) * 5.0 + 1.0, metric, host, Some(value));
            }
        }
    }
    run
}

fn found(run: &Run) -> Option<Vec<(String, Arg)>> {
    let findings = run.judge().findings;
    let mut own = findings.iter().filter(|finding| finding.rule() == "IDLE-MEMBERS");
    let first = own.next().map(|finding| finding.args().into_iter().collect());
    assert!(own.next().is_none(), "it is stated once");
    first
}

#[test]
fn twelve_partitions_and_two_hosts_of_twelve_members_leave_one_host_idle() {
    let args = found(&run(&[("docker01", [12.0, 12.0, 0.0]), ("docker02", [12.0, 0.0, 12.0])], None)).unwrap();
    let of = |name: &str| args.iter().find(|(known, _)| known == name).map(|(_, arg)| arg.quantity().clone());
    for (name, value) in [("members", 24.0), ("idle", 12.0), ("partitions", 12.0), ("hosts", 2.0), ("each", 6.0)] {
        assert_eq!(of(name), Some(Arg::Count(value)), "{name}");
    }
    assert_eq!((of("busiest"), of("share")), (Some(Arg::Text("docker02".into())), Some(Arg::Share(1.0))));
}

#[test]
fn a_group_that_was_busy_at_any_look_is_not_idle() {
    let hosts = [("docker01", [6.0, 0.0, 6.0]), ("docker02", [6.0, 0.0, 6.0])];
    assert_eq!(found(&run(&hosts, None)), None, "six members each");
    // While a group settles members have nothing for a moment.
    let settling = [("docker01", [12.0, 6.0, 6.0])];
    assert_eq!(found(&run(&settling, Some([12.0, 0.0, 12.0]))), None);
    assert!(found(&run(&settling, None)).is_some());
}
