//! The generator watches itself, so that what it spoils is not blamed on the system. Always there, by this name.
//!
//! The load threads write their own processor time and run-queue delay for each second (`EngineRow`); this monitor
//! has the process as a whole, what it can run out of (descriptors, ports, memory), and the machine's steal.

use crate::budget::Budget;
use crate::proc::{self, MachineTicks};
use clock::Clock;
use contract::{FactKind, FactName, Facts, Failure, Monitor, Samples};
use rustix::process::{Resource, getrlimit};
use std::collections::{HashMap, HashSet};
use terms::Nanos;

/// Its name in rules and in the record, and what it measures: `cpu_share`, `busiest_thread` and `run_queue` are of the
/// threads whose names begin with [`LOAD_THREAD`].
pub use contract::{GENERATOR as NAME, GENERATOR_METRICS as METRICS};

/// How the names of the load threads begin; `drive` names them `load-0`, `load-1` and so on.
pub const LOAD_THREAD: &str = "load-";

// Its facts. It is part of the engine, so the report itself has their words.
const SOFT_LIMIT: FactKind = FactKind::new("descriptors, soft limit");
const HARD_LIMIT: FactKind = FactKind::new("descriptors, hard limit");
const PORTS: FactKind = FactKind::new("ports for outgoing connections");
const CORES: FactKind = FactKind::new("cores it may use");
const CLOCK_SOURCE: FactKind = FactKind::new("clock source");

/// Numbers of the metrics, in the order of [`METRICS`].
#[derive(Clone, Copy)]
#[repr(u16)]
enum Metric {
    Cpu,
    CpuShare,
    BusiestThread,
    RunQueue,
    Rss,
    MemoryAvailable,
    Descriptors,
    DescriptorsLimit,
    Threads,
    Steal,
    Ports,
    PortsRange,
    Sockets,
    TimeWait,
}

/// The generator's own monitor; its metrics are [`METRICS`].
pub fn monitor() -> Box<dyn Monitor> {
    Box::new(Generator {
        cost_clock: Clock::system(),
        range: read("/proc/sys/net/ipv4/ip_local_port_range").and_then(|text| proc::port_range(&text)),
        ports_budget: Budget::default(),
        before: None,
    })
}

struct Generator {
    /// Measures what readings cost; samples carry the run's clock.
    cost_clock: Clock,
    range: Option<(u16, u16)>,
    ports_budget: Budget,
    before: Option<Counters>,
}

/// What only grows, at one moment.
struct Counters {
    at: Nanos,
    process_ticks: Option<u64>,
    machine: Option<MachineTicks>,
    /// Processor time and run-queue delay by thread, seconds.
    threads: HashMap<u32, (f64, f64)>,
}

impl Monitor for Generator {
    fn facts(&mut self, out: &mut Facts) {
        let limit = getrlimit(Resource::Nofile);
        let shown = |limit: Option<u64>| limit.map_or("unlimited".to_owned(), |limit| limit.to_string());
        out.fact(NAME, &SOFT_LIMIT, shown(limit.current));
        out.fact(NAME, &HARD_LIMIT, shown(limit.maximum));
        if let Some((first, last)) = self.range {
            out.fact(NAME, &PORTS, format!("{first} to {last}"));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        out.fact(NAME, &CORES, cores.to_string());
        for (name, path) in [
            (FactName::verbatim("net.ipv4.tcp_tw_reuse"), "/proc/sys/net/ipv4/tcp_tw_reuse"),
            (FactName::verbatim("net.core.somaxconn"), "/proc/sys/net/core/somaxconn"),
            ((&CLOCK_SOURCE).into(), "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        ] {
            if let Some(text) = read(path) {
                out.fact(NAME, name, text.trim());
            }
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        // First of all, so that they are read at the moment that they bear: what follows may take long where there are many
        // connections.
        let now = Self::counters(at);
        let instance = out.instance(NAME);
        let mut value = |metric: Metric, value: Option<f64>| {
            if let Some(value) = value {
                out.value(at, instance, metric as u16, value);
            }
        };
        let status = read("/proc/self/status").ok_or_else(|| Failure::new("`/proc/self/status` cannot be read"))?;
        value(Metric::Rss, proc::kilobytes(&status, "VmRSS"));
        value(Metric::Threads, proc::number(&status, "Threads").map(|count| count as f64));
        let memory = read("/proc/meminfo").unwrap_or_default();
        value(Metric::MemoryAvailable, proc::kilobytes(&memory, "MemAvailable"));
        value(Metric::Descriptors, descriptors());
        value(Metric::DescriptorsLimit, getrlimit(Resource::Nofile).current.map(|limit| limit as f64));
        let sockets = read("/proc/net/sockstat").and_then(|text| proc::sockstat(&text));
        value(Metric::Sockets, sockets.map(|(used, _)| used as f64));
        value(Metric::TimeWait, sockets.map(|(_, waiting)| waiting as f64));
        value(Metric::Ports, self.ports());
        value(Metric::PortsRange, self.range.map(|(first, last)| f64::from(last - first) + 1.0));
        if let Some(before) = self.before.replace(now) {
            let now = self.before.as_ref().expect("set in the line before");
            let rates = rates(&before, now, rustix::param::clock_ticks_per_second() as f64);
            value(Metric::Cpu, rates.cpu);
            value(Metric::Steal, rates.steal);
            value(Metric::CpuShare, rates.cpu_share);
            value(Metric::BusiestThread, rates.busiest_thread);
            value(Metric::RunQueue, rates.run_queue);
        }
        Ok(())
    }
}

impl Generator {
    fn counters(at: Nanos) -> Counters {
        Counters {
            at,
            process_ticks: read("/proc/self/stat").and_then(|text| proc::stat_ticks(&text)),
            machine: read("/proc/stat").and_then(|text| proc::machine_ticks(&text)),
            threads: load_threads().into_iter().filter_map(|tid| Some((tid, proc::thread_times(tid)?))).collect(),
        }
    }

    /// Local ports in use within the range. The table is as long as there are connections, and walking it costs
    /// milliseconds even when it is short, so it is read only as often as its [`Budget`] allows.
    fn ports(&mut self) -> Option<f64> {
        let (range, began) = (self.range?, self.cost_clock.now());
        if !self.ports_budget.allows(began) {
            return None;
        }
        let mut ports = HashSet::new();
        for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
            proc::local_ports(&read(path).unwrap_or_default(), range, &mut ports);
        }
        self.ports_budget.spent(began, self.cost_clock.now());
        Some(ports.len() as f64)
    }
}

#[derive(Debug, Default, PartialEq)]
struct Rates {
    cpu: Option<f64>,
    steal: Option<f64>,
    cpu_share: Option<f64>,
    busiest_thread: Option<f64>,
    run_queue: Option<f64>,
}

/// Growth over the real time between two readings. A thread counts when both readings have it.
fn rates(before: &Counters, now: &Counters, ticks_per_second: f64) -> Rates {
    let seconds = (now.at - before.at).as_secs_f64();
    if seconds <= 0.0 {
        return Rates::default();
    }
    let ticks = before.process_ticks.zip(now.process_ticks).map(|(before, now)| now.saturating_sub(before) as f64);
    let steal = before.machine.zip(now.machine).and_then(|(before, now)| {
        let all = now.all.saturating_sub(before.all);
        (all > 0).then(|| now.stolen.saturating_sub(before.stolen) as f64 / all as f64)
    });
    let both = now.threads.iter().filter_map(|(tid, times)| Some((before.threads.get(tid)?, times)));
    let grown: Vec<_> = both.map(|(old, new)| ((new.0 - old.0) / seconds, (new.1 - old.1) / seconds)).collect();
    let greatest = |part: fn(&(f64, f64)) -> f64| grown.iter().map(part).max_by(f64::total_cmp);
    Rates {
        cpu: ticks.map(|ticks| ticks / ticks_per_second / seconds),
        steal,
        cpu_share: (!grown.is_empty()).then(|| grown.iter().map(|(cpu, _)| cpu).sum::<f64>() / grown.len() as f64),
        busiest_thread: greatest(|(cpu, _)| *cpu),
        run_queue: greatest(|(_, waited)| *waited),
    }
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Open descriptors of this process, without the one that the look itself needs where that is known to count.
fn descriptors() -> Option<f64> {
    // Since Linux 6.2 the folder's size is their number, which spares reading ten thousand entries.
    let size = std::fs::metadata("/proc/self/fd").ok()?.len();
    let count = if size > 0 { size } else { std::fs::read_dir("/proc/self/fd").ok()?.count() as u64 - 1 };
    Some(count as f64)
}

/// Ids of the load threads, by their names.
fn load_threads() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let is_load =
        |tid: &u32| read(&format!("/proc/self/task/{tid}/comm")).is_some_and(|name| name.starts_with(LOAD_THREAD));
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_load).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_over_the_real_interval_and_of_threads_that_both_readings_have() {
        let machine = |stolen, all| MachineTicks { programs: 0, stolen, all };
        let counters = |at_ms, ticks, machine, threads: &[(u32, (f64, f64))]| Counters {
            at: Nanos::from_millis(at_ms),
            process_ticks: Some(ticks),
            machine: Some(machine),
            threads: threads.iter().copied().collect(),
        };
        let before = counters(1000, 500, machine(10, 1000), &[(1, (1.0, 0.0)), (2, (2.0, 0.5)), (9, (7.0, 0.0))]);
        let now = counters(3000, 800, machine(20, 1400), &[(1, (2.5, 0.1)), (2, (2.5, 0.9)), (7, (50.0, 50.0))]);
        // 300 ticks of 10 ms in 2 s; threads 1 and 2 grew by 1.5 s and 0.5 s, waited 0.1 s and 0.4 s.
        let expected = Rates {
            cpu: Some(1.5),
            steal: Some(0.025),
            cpu_share: Some(0.5),
            busiest_thread: Some(0.75),
            run_queue: Some(0.2),
        };
        let found = rates(&before, &now, 100.0);
        for (found, expected) in [
            (found.cpu, expected.cpu),
            (found.steal, expected.steal),
            (found.cpu_share, expected.cpu_share),
            (found.busiest_thread, expected.busiest_thread),
            (found.run_queue, expected.run_queue),
        ] {
            assert!((found.unwrap() - expected.unwrap()).abs() < 1e-9, "{found:?} {expected:?}");
        }
        assert_eq!(rates(&now, &now, 100.0), Rates::default(), "no time, no rate");
    }

    /// Samples on a thread that is named as a load thread, working in between until the kernel has counted 20 ms.
    fn sampled_on_a_load_thread(monitor: &mut dyn Monitor) -> Samples {
        let clock = Clock::system();
        let mut samples = Samples::default();
        monitor.sample(clock.now(), &mut samples).unwrap();
        let held: Vec<_> = (0..50).map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let tid = rustix::thread::gettid().as_raw_pid().unsigned_abs();
        let (begun, _) = proc::thread_times(tid).unwrap();
        while proc::thread_times(tid).unwrap().0 < begun + 0.02 {
            assert!(clock.now() < Nanos::from_secs(30));
        }
        monitor.sample(clock.now(), &mut samples).unwrap();
        assert_eq!(held.len(), 50);
        samples
    }

    #[test]
    fn this_process_as_it_is() {
        let mut monitor = monitor();
        let mut samples = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("load-0".into());
            let work = || sampled_on_a_load_thread(monitor.as_mut());
            thread.spawn_scoped(scope, work).unwrap().join().unwrap()
        });
        let (values, events) = samples.take();
        assert!(events.is_empty());
        let of = |metric: Metric| -> Vec<f64> {
            values.iter().filter(|sample| sample.metric == metric as u16).map(|sample| sample.value).collect()
        };
        let two = |metric| <[f64; 2]>::try_from(of(metric)).unwrap();
        let [before, after] = two(Metric::Descriptors);
        assert!(after - before >= 40.0, "{before} to {after}; other tests open and close some too");
        assert!(after <= two(Metric::DescriptorsLimit)[1]);
        assert!(two(Metric::Sockets)[1] >= 50.0);
        assert!(of(Metric::Ports)[0] <= two(Metric::PortsRange)[0]);
        assert!(two(Metric::Rss)[0] > 100_000.0 && two(Metric::MemoryAvailable)[0] > two(Metric::Rss)[0]);
        assert!(two(Metric::Threads)[0] >= 1.0);
        let (cpu, waited) = (of(Metric::BusiestThread)[0], of(Metric::RunQueue)[0]);
        assert!(cpu > 0.0 && cpu < 1.2 && waited >= 0.0, "{cpu} {waited}");
        assert_eq!(of(Metric::CpuShare), of(Metric::BusiestThread), "there is one load thread");
        assert!(of(Metric::Cpu)[0] >= 0.0 && (0.0..=1.0).contains(&of(Metric::Steal)[0]));
        let mut facts = Facts::default();
        monitor.facts(&mut facts);
        assert!(facts.0.iter().any(|(_, name, _)| name == CORES.name));
    }

    #[test]
    fn numbers_and_names_of_metrics_agree() {
        assert_eq!(METRICS[Metric::TimeWait as usize].name, "time_wait");
        assert_eq!(METRICS[Metric::Steal as usize].name, "steal");
        assert_eq!(METRICS[Metric::Rss as usize].name, "rss");
        assert_eq!(METRICS.len(), Metric::TimeWait as usize + 1);
        for metric in METRICS {
            assert!(metric.ceiling.is_none_or(|ceiling| METRICS.iter().any(|other| other.name == ceiling)));
        }
    }
}
