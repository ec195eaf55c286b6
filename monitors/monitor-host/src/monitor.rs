//! The monitor: reads, compares with the sample before, hands over.

use crate::metrics::Metric;
use crate::parse::{self, Disk, Interface, Stat, Ticks};
use crate::source::{Source, Texts};
use contract::{Carrier, Event, Facts, Failure, Mistakes, Monitor, MonitorSettings, Samples};
use remote::Moment;
use std::collections::{BTreeMap, BTreeSet};
use terms::Nanos;

/// The interface that stays within the machine.
const LOOPBACK: &str = "lo";

/// Watches a machine.
pub(crate) struct Host {
    name: String,
    source: Source,
    before: Option<(Moment, Counts)>,
}

/// What only grows, at one moment.
#[derive(Clone, Debug, Default)]
struct Counts {
    stat: Stat,
    disks: BTreeMap<String, Disk>,
    interfaces: BTreeMap<String, Interface>,
    /// Those of them that are of the machine itself; none in a container, whose interfaces all are made of others.
    cards: BTreeSet<String>,
    oom_kills: Option<u64>,
    /// Microseconds in which a task waited for a processor.
    waiting_us: Option<u64>,
}

impl Host {
    /// `carrier` is the node that carries it, if one does.
    pub(crate) fn new(settings: &MonitorSettings, carrier: Option<&Carrier>) -> Self {
        Self { name: settings.name.clone(), source: Source::of(settings, carrier), before: None }
    }
}

impl Monitor for Host {
    fn ready(&mut self) -> Result<(), Mistakes> {
        match &mut self.source {
            Source::Here(_) => Ok(()),
            Source::There(there) => there.remote.reach(),
        }
    }

    fn facts(&mut self, out: &mut Facts) {
        crate::facts::capture(&self.name, &mut self.source, out);
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let instance = out.instance(self.source.instance());
        let (texts, moment) = self.source.sample(at, out)?;
        let counts = Counts::read(&texts)?;
        let at = moment.at;
        let mut values = levels(&counts.stat, &texts);
        if let Some((before_at, before)) = &self.before {
            if moment.is_restarted(before_at) {
                let text = "the machine has started again since the sample before".to_owned();
                out.event(at, instance, Event { kind: "restart", text });
            }
            values.extend(moment.since(before_at).map(|seconds| rates(before, &counts, seconds)).unwrap_or_default());
            let killed = counts.oom_kills.zip(before.oom_kills).map_or(0, |(now, before)| now.saturating_sub(before));
            if killed > 0 {
                let text = format!("the kernel killed {killed} processes of this machine for lack of memory");
                out.event(at, instance, Event { kind: "oom_kill", text });
            }
        }
        for (metric, value) in values {
            out.value(at, instance, metric as u16, value);
        }
        self.before = Some((moment, counts));
        Ok(())
    }
}

impl Counts {
    fn read(texts: &Texts) -> Result<Self, Failure> {
        let text = |path: &str| texts.read(path);
        let interfaces = parse::interfaces(&text("/proc/net/dev").unwrap_or_default());
        let stat = text("/proc/stat").map_err(|error| Failure::new(format!("`/proc/stat` cannot be read: {error}")))?;
        Ok(Self {
            stat: parse::stat(&stat),
            disks: parse::disks(&text("/proc/diskstats").unwrap_or_default(), |name| texts.is_disk(name)),
            cards: interfaces.keys().filter(|name| texts.is_card(name)).cloned().collect(),
            interfaces,
            oom_kills: parse::vmstat(&text("/proc/vmstat").unwrap_or_default(), "oom_kill"),
            waiting_us: parse::pressure(&text("/proc/pressure/cpu").unwrap_or_default()),
        })
    }
}

/// What needs no sample before.
fn levels(stat: &Stat, texts: &Texts) -> Vec<(Metric, f64)> {
    let memory = texts.read("/proc/meminfo").unwrap_or_default();
    let load = texts.read("/proc/loadavg").unwrap_or_default();
    let bytes = |name| parse::memory(&memory, name).map(|bytes| bytes as f64);
    let (total, available) = (bytes("MemTotal"), bytes("MemAvailable"));
    let (swap, swap_free) = (bytes("SwapTotal"), bytes("SwapFree"));
    let difference = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| (a - b).max(0.0));
    let all = [
        (Metric::RunQueue, stat.running.map(|count| count as f64)),
        (Metric::Blocked, stat.blocked.map(|count| count as f64)),
        (Metric::Load1, parse::load1(&load)),
        (Metric::MemoryUsed, difference(total, available)),
        (Metric::MemoryAvailable, available),
        (Metric::MemoryTotal, total),
        (Metric::SwapUsed, difference(swap, swap_free)),
        (Metric::SwapTotal, swap),
    ];
    all.into_iter().filter_map(|(metric, value)| Some((metric, value?))).collect()
}

/// Growth over the real time between two samples, `seconds` apart.
fn rates(before: &Counts, now: &Counts, seconds: f64) -> Vec<(Metric, f64)> {
    if seconds <= 0.0 {
        return Vec::new();
    }
    let mut values = Vec::new();
    if let Some((before, now)) = before.stat.ticks.zip(now.stat.ticks) {
        values.extend(shares(&before, &now));
    }
    for (metric, before, now) in [
        (Metric::ContextSwitches, before.stat.context_switches, now.stat.context_switches),
        (Metric::Interrupts, before.stat.interrupts, now.stat.interrupts),
    ] {
        values.extend(before.zip(now).map(|(before, now)| (metric, now.saturating_sub(before) as f64 / seconds)));
    }
    if let Some((before, now)) = before.waiting_us.zip(now.waiting_us) {
        // The kernel brings it up to date at its own moments, as the busy time of disks.
        let share = now.saturating_sub(before) as f64 / 1e6 / seconds;
        values.push((Metric::CpuWaiting, share.min(1.0)));
    }
    if !now.disks.is_empty() {
        let grown = grown(&before.disks, &now.disks);
        let sum = |part: fn(&Disk) -> u64| total(&grown, part) as f64 / seconds;
        values.push((Metric::DiskRead, sum(|disk| disk.read_bytes)));
        values.push((Metric::DiskWrite, sum(|disk| disk.written_bytes)));
        let busiest = grown.iter().map(|(old, new)| new.busy_ms.saturating_sub(old.busy_ms)).max().unwrap_or_default();
        // The kernel brings the busy time up to date at its own moments, so it can run ahead of the interval.
        values.push((Metric::DiskBusy, (busiest as f64 / 1000.0 / seconds).min(1.0)));
    }
    if !now.interfaces.is_empty() {
        let (mut network, mut loopback) = (now.interfaces.clone(), now.interfaces.clone());
        network.retain(|name, _| if now.cards.is_empty() { name != LOOPBACK } else { now.cards.contains(name) });
        loopback.retain(|name, _| name == LOOPBACK);
        let (network, loopback) = (grown(&before.interfaces, &network), grown(&before.interfaces, &loopback));
        values.push((Metric::NetIn, total(&network, |interface| interface.received_bytes) as f64 / seconds));
        values.push((Metric::NetOut, total(&network, |interface| interface.sent_bytes) as f64 / seconds));
        values.push((Metric::Loopback, total(&loopback, |interface| interface.sent_bytes) as f64 / seconds));
    }
    values
}

/// Shares of the processor time that has passed. Each part is kept from falling (iowait does on some kernels), and the
/// whole is their sum, so that the shares always add up to one.
fn shares(before: &Ticks, now: &Ticks) -> Vec<(Metric, f64)> {
    let grown = |part: fn(&Ticks) -> u64| part(now).saturating_sub(part(before)) as f64;
    let (user, system) = (grown(|ticks| ticks.user), grown(|ticks| ticks.system));
    let (idle, iowait, steal) = (grown(|ticks| ticks.idle), grown(|ticks| ticks.iowait), grown(|ticks| ticks.steal));
    let all = user + system + idle + iowait + steal;
    if all == 0.0 {
        return Vec::new();
    }
    let parts = [
        (Metric::Cpu, user + system),
        (Metric::User, user),
        (Metric::System, system),
        (Metric::Iowait, iowait),
        (Metric::Idle, idle),
        (Metric::Steal, steal),
    ];
    parts.into_iter().map(|(metric, ticks)| (metric, ticks / all)).collect()
}

/// Devices that both readings have, before and now: one that came or went in between has no growth.
fn grown<T: Copy>(before: &BTreeMap<String, T>, now: &BTreeMap<String, T>) -> Vec<(T, T)> {
    now.iter().filter_map(|(name, new)| Some((*before.get(name)?, *new))).collect()
}

/// Sum of the growth of one part; a counter that fell (a device that was reset) adds nothing.
fn total<T>(pairs: &[(T, T)], part: fn(&T) -> u64) -> u64 {
    pairs.iter().fold(0, |sum, (old, new)| sum.saturating_add(part(new).saturating_sub(part(old))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{BuildContext, MonitorSettings, Name, Names, Node, Place, Shape};
    use proptest::prelude::*;

    fn of(values: &[(Metric, f64)], metric: Metric) -> Option<f64> {
        values.iter().find(|(found, _)| *found == metric).map(|(_, value)| *value)
    }

    fn counts(stat: &str, disks: &str, dev: &str) -> Counts {
        Counts {
            stat: parse::stat(stat),
            disks: parse::disks(disks, |_| true),
            interfaces: parse::interfaces(dev),
            cards: BTreeSet::new(),
            oom_kills: None,
            waiting_us: None,
        }
    }

    #[test]
    fn rates_by_hand() {
        // Two readings, 2 s apart on 2 cores of 100 ticks a second: 400 ticks.
        let before = counts(
            "cpu  100 0 50 800 10 0 5 35 0 0\nintr 1000 1\nctxt 5000\n",
            " 8 0 sda 1 0 100 1 1 0 200 1 0 50 0\n 8 16 sdb 1 0 0 0 1 0 0 0 0 0 0\n",
            "lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\neth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n",
        );
        let now = counts(
            "cpu  220 20 80 980 30 5 10 55 0 0\nintr 1600 1\nctxt 9000\n",
            " 8 0 sda 1 0 110 1 1 0 240 1 0 550 0\n 8 16 sdb 1 0 2 0 1 0 0 0 0 1000 0\n 8 32 new 9 9 9 9 9 9 9 9 9 9 9\n",
            "lo: 900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\neth0: 5000 1 0 0 0 0 0 0 2600 1 0 0 0 0 0 0\n",
        );
        let [before, now] = [(before, 700), (now, 300_700)].map(|(all, us)| Counts { waiting_us: Some(us), ..all });
        let values = rates(&before, &now, 2.0);
        for (metric, expected) in [
            (Metric::User, 140.0 / 400.0),
            (Metric::System, 40.0 / 400.0),
            (Metric::Cpu, 180.0 / 400.0),
            (Metric::Iowait, 20.0 / 400.0),
            (Metric::Steal, 20.0 / 400.0),
            (Metric::Idle, 180.0 / 400.0),
            (Metric::Interrupts, 300.0),
            (Metric::CpuWaiting, 0.15),
            (Metric::ContextSwitches, 2000.0),
            (Metric::DiskRead, 12.0 * 512.0 / 2.0),
            (Metric::DiskWrite, 40.0 * 512.0 / 2.0),
            (Metric::DiskBusy, 0.5),
            (Metric::NetIn, 2000.0),
            (Metric::NetOut, 300.0),
            (Metric::Loopback, 200.0),
        ] {
            let found = of(&values, metric).unwrap();
            assert!((found - expected).abs() < 1e-12, "{metric:?}: {found}, not {expected}");
        }
        assert!(rates(&before, &now, 0.0).is_empty());
        assert!(rates(&Counts::default(), &Counts::default(), 1.0).is_empty(), "nothing read, nothing told");
    }

    /// What comes for a container passes the card, the bridge and the container's end of it.
    #[test]
    fn bytes_that_pass_several_interfaces_are_counted_at_the_card() {
        let dev = |bytes: u64| {
            let line = |name: &str| format!("{name}: {bytes} 1 0 0 0 0 0 0 {bytes} 1 0 0 0 0 0 0\n");
            ["lo", "eth0", "docker0", "veth1a"].map(line).concat()
        };
        let (before, now) = (counts("", "", &dev(1000)), counts("", "", &dev(3000)));
        let of_cards = |cards: &[&str]| {
            let cards = cards.iter().map(|name| (*name).to_owned()).collect();
            let values = rates(&before, &Counts { cards, ..now.clone() }, 2.0);
            (of(&values, Metric::NetIn), of(&values, Metric::NetOut), of(&values, Metric::Loopback))
        };
        assert_eq!(of_cards(&["eth0"]), (Some(1000.0), Some(1000.0), Some(1000.0)));
        assert_eq!(of_cards(&[]), (Some(3000.0), Some(3000.0), Some(1000.0)), "without cards all but the loopback");
    }

    proptest! {
        #[test]
        fn shares_add_up_to_one_whatever_the_kernel_does(
            before in prop::collection::vec(0u64..1_000_000, 5), now in prop::collection::vec(0u64..1_000_000, 5)
        ) {
            let ticks = |v: &[u64]| Ticks { user: v[0], system: v[1], idle: v[2], iowait: v[3], steal: v[4] };
            let shares = shares(&ticks(&before), &ticks(&now));
            if !shares.is_empty() {
                let sum: f64 = [Metric::Cpu, Metric::Iowait, Metric::Idle, Metric::Steal].map(|m| of(&shares, m).unwrap()).iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-9);
                prop_assert!(shares.iter().all(|(_, share)| (0.0..=1.0).contains(share)));
            }
        }
    }

    struct NoNames;

    impl Names for NoNames {
        fn resolve(&self, expression: &str, place: Place) -> Result<Name, contract::Mistake> {
            Err(contract::Mistake::at(place, "study::unknown-name", expression))
        }
    }

    fn settings(node: Node) -> MonitorSettings {
        MonitorSettings { name: "host".into(), node, instances: Vec::new(), on: None, every: Nanos::SECOND }
    }

    #[test]
    fn this_machine_as_it_is() {
        let map = Node { place: Place::default(), shape: Shape::Map(Vec::new()) };
        let mut monitor = (crate::HOST.build)(&settings(map), &mut BuildContext::new(&NoNames, ".")).unwrap();
        let mut samples = Samples::default();
        monitor.sample(Nanos::ZERO, &mut samples).unwrap();
        let (first, _) = samples.take();
        let numbers: Vec<_> = first.iter().map(|sample| sample.metric).collect();
        assert!(numbers.contains(&(Metric::MemoryUsed as u16)) && !numbers.contains(&(Metric::Cpu as u16)));
        // Bytes over loopback between the two samples, said to be 10 s apart.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut to = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut from, _) = listener.accept().unwrap();
        for _ in 0..100 {
            std::io::Write::write_all(&mut to, &[0u8; 10_000]).unwrap();
            std::io::Read::read_exact(&mut from, &mut [0u8; 10_000]).unwrap();
        }
        monitor.sample(Nanos::from_secs(10), &mut samples).unwrap();
        let (second, _) = samples.take();
        let value = |metric: Metric| second.iter().find(|sample| sample.metric == metric as u16).unwrap().value;
        assert!(value(Metric::Loopback) >= 100_000.0, "a million bytes in ten seconds, and what others send");
        assert!(value(Metric::MemoryUsed) < value(Metric::MemoryTotal));
        assert!(value(Metric::RunQueue) >= 1.0, "this test runs");
        assert!(second.iter().all(|sample| sample.value.is_finite() && sample.value >= 0.0));
    }

    #[test]
    fn unknown_settings_are_mistakes() {
        let text = |text: &str| Node::text_at(Place::default(), text);
        let map = Node { place: Place::default(), shape: Shape::Map(vec![(text("evrey"), text("2s"))]) };
        let mistakes = (crate::HOST.build)(&settings(map), &mut BuildContext::new(&NoNames, ".")).err().unwrap();
        assert_eq!(mistakes.0[0].message, "monitor `host` has no key `evrey`");
    }
}
