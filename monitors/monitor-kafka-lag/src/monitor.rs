//! The monitor: partitions and members of a group, moment by moment.

use crate::assignment;
use crate::cluster::{Cluster, Member, Members, Partition};
use crate::config::{Config, Hosts};
use crate::{BROKER, MEMBERS, Metric, NO_BROKER, PARTITIONS, STRATEGY};
use contract::{Event, FactName, Facts, Failure, Mistake, Mistakes, Monitor, MonitorSettings, Samples};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use terms::Nanos;

/// Part of its period that one question may take; there are a few.
const PATIENCE_PARTS: i64 = 4;
/// No period is so short that a broker need not have so long.
const PATIENCE_LEAST: Nanos = Nanos::from_millis(500);
/// How long the broker may take before the load, and for facts.
const PATIENCE_BEFORE: Duration = Duration::from_secs(10);
/// More hosts than are told apart.
const HOSTS_MAX: usize = 100;

/// Watches one group.
pub(crate) struct Group {
    name: String,
    config: Config,
    cluster: Option<Cluster>,
    patience: Duration,
    handled: Handled,
    /// Hosts that had members, at most [`HOSTS_MAX`] and the others.
    hosts: BTreeSet<String>,
    /// State and assignment that were told last.
    told: Option<(String, BTreeMap<String, Host>)>,
}

/// What a host has of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Host {
    members: u64,
    idle: u64,
    assigned: u64,
}

/// By host, how much was consumed of the partitions that it had.
#[derive(Clone, Debug, Default)]
struct Handled {
    /// Committed offsets at the sample before, and who had the partition then.
    before: BTreeMap<(String, i32), (i64, Option<String>)>,
    by_host: BTreeMap<String, u64>,
}

impl Handled {
    /// Growth belongs to whoever had the partition until now.
    fn add(&mut self, partitions: &[Partition], owners: &BTreeMap<(String, i32), String>) {
        for partition in partitions {
            let Some(committed) = partition.committed else { continue };
            let place = (partition.topic.clone(), partition.number);
            let owner = owners.get(&place).cloned();
            if let Some((before, had)) = self.before.insert(place, (committed, owner.clone()))
                && let Some(host) = had.or(owner)
            {
                // Offsets that were set back are not work undone.
                *self.by_host.entry(host).or_default() += committed.saturating_sub(before).max(0) as u64;
            }
        }
    }
}

impl Group {
    pub(crate) fn new(settings: &MonitorSettings, config: Config) -> Self {
        let patience = Nanos(settings.every.0 / PATIENCE_PARTS).max(PATIENCE_LEAST);
        Self {
            name: settings.name.clone(),
            config,
            cluster: None,
            patience: Duration::from_nanos(patience.0.unsigned_abs()),
            handled: Handled::default(),
            hosts: BTreeSet::new(),
            told: None,
        }
    }

    fn cluster(&mut self) -> Result<&Cluster, Failure> {
        match &mut self.cluster {
            Some(cluster) => Ok(cluster),
            empty => Ok(empty.insert(Cluster::new(&self.config)?)),
        }
    }
}

impl Monitor for Group {
    fn ready(&mut self) -> Result<(), Mistakes> {
        let asked = self.cluster().and_then(|cluster| cluster.first_partitions(PATIENCE_BEFORE));
        asked.map(|_| ()).map_err(|failure| {
            let what = format!("`{}` cannot be watched: {failure}", self.name);
            let hint = "see that `broker`, `topics`, `tls` and `sasl` are those of the cluster, and that it runs";
            Mistakes(vec![Mistake::nowhere("kafka::unreachable", what).hint(hint)])
        })
    }

    fn facts(&mut self, out: &mut Facts) {
        let (name, hosts) = (self.name.clone(), self.config.hosts);
        out.fact(&name, &BROKER, self.config.access.brokers().to_owned());
        let asked = self
            .cluster()
            .and_then(|cluster| Ok((cluster.partitions(PATIENCE_BEFORE)?, cluster.members(PATIENCE_BEFORE)?)));
        match asked {
            Err(failure) => out.fact(&name, &NO_BROKER, failure.to_string()),
            Ok((partitions, group)) => {
                let mut topics: BTreeMap<&str, usize> = BTreeMap::new();
                partitions.iter().for_each(|partition| *topics.entry(&partition.topic).or_default() += 1);
                let topics: Vec<String> = topics.iter().map(|(topic, count)| format!("{topic}: {count}")).collect();
                out.fact(&name, &PARTITIONS, topics.join(", "));
                let (by_host, _) = assigned(&group.members, hosts);
                let is_assigned = group.is_assigned();
                out.fact(&name, &MEMBERS, summary(&by_host, is_assigned));
                out.fact(&name, &STRATEGY, group.strategy);
                for (host, of) in &by_host {
                    let text = match is_assigned {
                        true => format!("{} members, {} of them idle, {} partitions", of.members, of.idle, of.assigned),
                        false => format!("{} members, while the group rebalances", of.members),
                    };
                    out.fact(&name, FactName::verbatim(host), text);
                }
            }
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let (patience, hosts) = (self.patience, self.config.hosts);
        let cluster = self.cluster()?;
        let partitions = cluster.partitions(patience)?;
        let group = cluster.members(patience)?;
        for partition in &partitions {
            let instance = out.instance(&format!("{} / {}", partition.topic, partition.number));
            let mut value = |metric: Metric, value: f64| out.value(at, instance, metric as u16, value);
            value(Metric::Produced, partition.end as f64);
            // Nobody knows how much of a partition a group wants that never committed anything.
            let behind = partition.committed.map(|committed| partition.end.saturating_sub(committed).max(0));
            value(Metric::Lag, behind.map_or(f64::NAN, |behind| behind as f64));
            value(Metric::Consumed, partition.committed.map_or(f64::NAN, |committed| committed as f64));
        }
        let (by_host, owners) = assigned(&group.members, hosts);
        self.handled.add(&partitions, &owners);
        if self.hosts.len() > HOSTS_MAX {
            self.hosts.clear();
        }
        self.hosts.extend(by_host.keys().cloned());
        hosts_of(&self.hosts, &by_host, group.is_assigned(), at, out);
        for (host, handled) in &self.handled.by_host {
            let instance = out.instance(host);
            out.value(at, instance, Metric::Handled as u16, *handled as f64);
        }
        self.tell(at, &group, by_host, out);
        Ok(())
    }
}

impl Group {
    /// A rebalance: the group is in another state, or its partitions are with others.
    fn tell(&mut self, at: Nanos, group: &Members, by_host: BTreeMap<String, Host>, out: &mut Samples) {
        let now = (group.state.clone(), by_host);
        let is_assigned = group.is_assigned();
        if let Some(before) = self.told.replace(now.clone())
            && before != now
        {
            let text = format!(
                "the group `{}` is {}: {}",
                self.config.group,
                word(&group.state),
                summary(&now.1, is_assigned)
            );
            let instance = out.instance(&self.config.group);
            out.event(at, instance, Event { kind: "rebalance", text });
        }
    }
}

fn word(state: &str) -> &str {
    if state.is_empty() { "not there" } else { state }
}

/// `24 on 2 hosts, 12 of them idle`; how many idle is not known while nobody has any partitions.
fn summary(by_host: &BTreeMap<String, Host>, is_assigned: bool) -> String {
    let members: u64 = by_host.values().map(|host| host.members).sum();
    let idle: u64 = by_host.values().map(|host| host.idle).sum();
    let of_them = if is_assigned { format!(", {idle} of them idle") } else { String::new() };
    format!("{members} on {} hosts{of_them}", by_host.len())
}

/// What each host has that ever had a member: one that has left the group has nothing.
fn hosts_of(
    known: &BTreeSet<String>,
    by_host: &BTreeMap<String, Host>,
    is_assigned: bool,
    at: Nanos,
    out: &mut Samples,
) {
    for host in known {
        let of = by_host.get(host).copied().unwrap_or_default();
        let known = |count: u64| if is_assigned { count as f64 } else { f64::NAN };
        let instance = out.instance(host);
        out.value(at, instance, Metric::Members as u16, of.members as f64);
        out.value(at, instance, Metric::Idle as u16, known(of.idle));
        out.value(at, instance, Metric::Assigned as u16, known(of.assigned));
    }
}

/// What each host has, and which host each partition is with.
fn assigned(members: &[Member], hosts: Hosts) -> (BTreeMap<String, Host>, BTreeMap<(String, i32), String>) {
    let (mut by_host, mut owners) = (BTreeMap::<String, Host>::new(), BTreeMap::new());
    for member in members {
        let mut host = host_of(member, hosts);
        if !by_host.contains_key(&host) && by_host.len() >= HOSTS_MAX {
            "others".clone_into(&mut host);
        }
        let of = by_host.entry(host.clone()).or_default();
        let partitions = assignment::partitions(&member.assignment).unwrap_or_default();
        let count: usize = partitions.values().map(Vec::len).sum();
        of.members += 1;
        of.idle += u64::from(count == 0);
        of.assigned += count as u64;
        for (topic, numbers) in partitions {
            owners.extend(numbers.into_iter().map(|number| ((topic.clone(), number), host.clone())));
        }
    }
    (by_host, owners)
}

/// `docker01` of the client id `docker01-7`; the address where that is asked for, or where nothing is left.
fn host_of(member: &Member, hosts: Hosts) -> String {
    let client = member.client.trim_end_matches(|sign: char| sign.is_ascii_digit()).trim_end_matches(['-', '_', '.']);
    match hosts {
        Hosts::Client if !client.is_empty() => client.to_owned(),
        _ => member.address.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(client: &str, partitions: &[i32]) -> Member {
        let mut assignment = vec![0, 0, 0, 0, 0, u8::from(!partitions.is_empty())];
        if !partitions.is_empty() {
            assignment.extend([0, 1, b't']);
            assignment.extend((partitions.len() as i32).to_be_bytes());
            partitions.iter().for_each(|partition| assignment.extend(partition.to_be_bytes()));
        }
        Member { client: client.to_owned(), address: "10.0.0.1".to_owned(), assignment }
    }

    fn partition(number: i32, end: i64, committed: Option<i64>) -> Partition {
        Partition { topic: "t".to_owned(), number, end, committed }
    }

    /// Twelve partitions and 24 members, named by host: the first host has them all.
    #[test]
    fn members_beyond_the_partitions_idle_and_are_counted_by_host() {
        let of =
            |host: &str, number: i32, has: bool| member(&format!("{host}-{number}"), &[number][..usize::from(has)]);
        let mut members: Vec<Member> = (0..12).map(|number| of("docker01", number, true)).collect();
        members.extend((0..12).map(|number| of("docker02", number, false)));
        let (by_host, owners) = assigned(&members, Hosts::Client);
        assert_eq!(by_host["docker01"], Host { members: 12, idle: 0, assigned: 12 });
        assert_eq!(by_host["docker02"], Host { members: 12, idle: 12, assigned: 0 });
        assert_eq!(owners.len(), 12);
        assert_eq!(summary(&by_host, true), "24 on 2 hosts, 12 of them idle");
        assert_eq!(summary(&by_host, false), "24 on 2 hosts");
        let (by_host, _) = assigned(&members, Hosts::Address);
        assert_eq!(by_host["10.0.0.1"], Host { members: 24, idle: 12, assigned: 12 });
    }

    /// While the group rebalances its members are listed without what they have: nobody is idle for that.
    #[test]
    fn who_idles_is_not_known_while_the_group_rebalances() {
        let mut out = Samples::default();
        let mut told = |state: &str, members: &[Member], known: &[&str]| {
            let group = Members { state: state.to_owned(), members: members.to_vec(), ..Members::default() };
            let known = known.iter().map(|host| (*host).to_owned()).collect();
            hosts_of(&known, &assigned(members, Hosts::Client).0, group.is_assigned(), Nanos::ZERO, &mut out);
            out.take().0.iter().map(|one| Some(one.value).filter(|value| !value.is_nan())).collect::<Vec<_>>()
        };
        let (busy, idle) = (member("a-1", &[0, 1]), member("a-1", &[]));
        assert_eq!(told("Stable", std::slice::from_ref(&busy), &["a"]), [Some(1.0), Some(0.0), Some(2.0)]);
        for state in ["PreparingRebalance", "CompletingRebalance"] {
            assert_eq!(told(state, std::slice::from_ref(&idle), &["a"]), [Some(1.0), None, None], "{state}");
        }
        assert_eq!(told("Stable", std::slice::from_ref(&idle), &["a"]), [Some(1.0), Some(1.0), Some(0.0)]);
        // Whoever has left has nothing, and is not missing.
        let both = told("Stable", std::slice::from_ref(&busy), &["a", "b"]);
        assert_eq!(both[3..], [Some(0.0), Some(0.0), Some(0.0)]);
        assert_eq!(told("Empty", &[], &["a"]), [Some(0.0); 3]);
    }

    #[test]
    fn what_was_consumed_is_whose_the_partition_was() {
        let owner = |host: &str| BTreeMap::from([(("t".to_owned(), 0), host.to_owned())]);
        let mut handled = Handled::default();
        handled.add(&[partition(0, 10, Some(4))], &owner("a"));
        handled.add(&[partition(0, 20, Some(9))], &owner("b"));
        handled.add(&[partition(0, 20, Some(20))], &owner("b"));
        handled.add(&[partition(0, 20, Some(5))], &owner("b"));
        handled.add(&[partition(0, 20, None)], &owner("b"));
        assert_eq!(handled.by_host, BTreeMap::from([("a".to_owned(), 5), ("b".to_owned(), 11)]));
    }
}
