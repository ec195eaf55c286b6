//! What a log tells of itself: a page in the text format of Prometheus, and the same in its counters.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::groups::Groups;
use super::topics::Topics;

/// A metric's lines under its head.
struct Lines {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    text: String,
}

impl Lines {
    fn new(name: &'static str, kind: &'static str, help: &'static str) -> Self {
        Self { name, kind, help, text: String::new() }
    }

    /// Names of topics, groups, hosts and members have no sign that would need escaping.
    fn add(&mut self, labels: &[(&str, &str)], value: u64) {
        self.text.push_str(self.name);
        for (place, (label, of)) in labels.iter().enumerate() {
            let before = if place == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{before}{label}=\"{of}\"");
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{after} {value}");
    }

    fn put(&self, page: &mut String) {
        let Self { name, kind, help, text } = self;
        if !text.is_empty() {
            let _ = write!(page, "# HELP {name} {help}\n# TYPE {name} {kind}\n{text}");
        }
    }
}

/// The whole page.
pub(super) fn page(topics: &Topics, groups: &Groups) -> String {
    let mut end = Lines::new("auditlog_end_offset", "counter", "Records that were appended to a partition");
    let mut committed = Lines::new("auditlog_committed_offset", "gauge", "How far a group has read a partition");
    let mut lag = Lines::new("auditlog_lag", "gauge", "Records of a partition that a group has not read yet");
    let mut members = Lines::new("auditlog_members", "gauge", "Members of a group on a host");
    let mut assigned = Lines::new("auditlog_assigned_partitions", "gauge", "Partitions that members on a host read");
    let mut idle = Lines::new("auditlog_idle_members", "gauge", "Members of a group that have no partition");
    let mut consumed = Lines::new("auditlog_consumed_total", "counter", "Records committed by members on a host");
    let mut rebalances = Lines::new("auditlog_rebalances_total", "counter", "Times that a group was dealt anew");
    let mut bytes = Lines::new("auditlog_bytes", "gauge", "Size of all files");
    bytes.add(&[], topics.bytes());
    for (topic, _) in topics.all() {
        for (partition, records) in topics.ends(topic).unwrap_or_default().into_iter().enumerate() {
            end.add(&[("topic", topic), ("partition", &partition.to_string())], records);
        }
    }
    for (name, group) in groups.lock().iter() {
        let ends = topics.ends(&group.topic).unwrap_or_default();
        for (partition, (&read, end)) in group.kept().1.iter().zip(ends).enumerate() {
            let number = partition.to_string();
            let labels = [("group", name.as_str()), ("topic", &group.topic), ("partition", &number)];
            committed.add(&labels, read);
            lag.add(&labels, end.saturating_sub(read));
        }
        for (host, has) in group.hosts() {
            let labels = [("group", name.as_str()), ("host", host)];
            members.add(&labels, has.members as u64);
            assigned.add(&labels, has.partitions as u64);
            consumed.add(&labels, has.consumed);
        }
        let without = group.members().filter(|(_, _, partitions)| partitions.is_empty()).count();
        idle.add(&[("group", name)], without as u64);
        rebalances.add(&[("group", name)], group.rebalances);
    }
    let mut page = String::new();
    for lines in [end, committed, lag, members, assigned, idle, consumed, rebalances, bytes] {
        lines.put(&mut page);
    }
    page
}

/// Groups with their members, as `/counters` has them.
pub(super) fn groups(topics: &Topics, groups: &Groups) -> Value {
    let mut all = Map::new();
    for (name, group) in groups.lock().iter() {
        let (generation, committed) = group.kept();
        let ends = topics.ends(&group.topic).unwrap_or_default();
        let lag: u64 = ends.iter().zip(committed).map(|(end, read)| end.saturating_sub(*read)).sum();
        let members: Map<String, Value> =
            group.members().map(|(id, _, partitions)| (id.to_owned(), json!(partitions))).collect();
        let value = json!({
            "topic": group.topic,
            "generation": generation,
            "rebalancing": group.is_rebalancing(),
            "rebalances": group.rebalances,
            "expired": group.expired,
            "committed": committed,
            "lag": lag,
            "members": members,
        });
        all.insert(name.clone(), value);
    }
    Value::Object(all)
}
