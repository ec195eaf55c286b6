//! What the machine is: captured, not typed.

use crate::parse;
use crate::source::Source;
use contract::{FactKind, FactRole, Facts};

/// Characters kept of a fact: firmware may hold anything.
const FACT_CHARS_MAX: usize = 200;

const GUEST: &str = "a guest of a hypervisor";
const BARE: &str = "no sign of a hypervisor";
const REAL_TIME: &str = "over the real time between two samples";

// What is captured, in this order.
contract::facts! {
    HOST_NAME = FactKind::new("host name").with_role(FactRole::Label);
    KERNEL = FactKind::new("kernel");
    OPERATING_SYSTEM = FactKind::new("operating system");
    PROCESSOR = FactKind::new("processor");
    CORES = FactKind::new("cores").with_role(FactRole::Cores);
    MEMORY = FactKind::new("memory");
    SWAP = FactKind::new("swap");
    VIRTUALISATION = FactKind::new("virtualisation").with_values(&[("guest", GUEST), ("bare", BARE)]);
    CLOCK_SOURCE = FactKind::new("clock source");
    FREQUENCY_GOVERNOR = FactKind::new("frequency governor");
    TRANSPARENT_HUGE_PAGES = FactKind::new("transparent huge pages");
    LOAD_AVERAGE = FactKind::new("load average").with_role(FactRole::Passing);
    REACHED = FactKind::new("reached over").with_role(FactRole::Label);
    CLOCK_OFFSET = FactKind::new("clock offset").with_role(FactRole::Passing);
    RATES = FactKind::new("rates").with_values(&[("real-time", REAL_TIME)]).with_role(FactRole::Passing);
}

/// Adds what can be read; what cannot is left out.
pub(crate) fn capture(subject: &str, source: &mut Source, out: &mut Facts) {
    let texts = source.facts();
    let clock = source.clock();
    let read = |path: &str| texts.read(path).ok();
    let mut fact = |kind: &FactKind, value: Option<String>| {
        let value = value.map(|value| printable(&value)).filter(|value| !value.is_empty());
        if let Some(value) = value {
            out.fact(subject, kind, value);
        }
    };
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let model = parse::value(&cpuinfo, "model name", ':').or(parse::value(&cpuinfo, "CPU part", ':'));
    let memory = read("/proc/meminfo").unwrap_or_default();
    fact(&HOST_NAME, read("/proc/sys/kernel/hostname"));
    fact(&KERNEL, kernel(&read));
    fact(&OPERATING_SYSTEM, read("/etc/os-release").and_then(|text| owned(parse::value(&text, "PRETTY_NAME", '='))));
    fact(&PROCESSOR, owned(model));
    fact(&CORES, cores(&cpuinfo, source));
    fact(&MEMORY, parse::memory(&memory, "MemTotal").map(|bytes| format!("{:.1} GiB", gibibytes(bytes))));
    fact(&SWAP, parse::memory(&memory, "SwapTotal").map(|bytes| format!("{:.1} GiB", gibibytes(bytes))));
    fact(&VIRTUALISATION, (!cpuinfo.is_empty()).then(|| virtualisation(&cpuinfo, &read)));
    fact(&CLOCK_SOURCE, read("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    fact(&FREQUENCY_GOVERNOR, read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    fact(&TRANSPARENT_HUGE_PAGES, read("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|text| chosen(&text)));
    fact(&LOAD_AVERAGE, read("/proc/loadavg"));
    if let Source::There(there) = source {
        fact(&REACHED, Some(there.remote.url()));
        fact(&CLOCK_OFFSET, clock);
    }
    fact(&RATES, Some(REAL_TIME.to_owned()));
}

fn kernel(read: &Read<'_>) -> Option<String> {
    let release = read("/proc/sys/kernel/osrelease")?;
    let version = read("/proc/sys/kernel/version").unwrap_or_default();
    Some(format!("{} {}", release.trim(), version.trim()))
}

fn cores(cpuinfo: &str, source: &Source) -> Option<String> {
    let there = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    if let Source::There(_) = source {
        return (there > 0).then(|| there.to_string());
    }
    let usable = std::thread::available_parallelism().map_or(0, usize::from);
    let is_all = there == usable || there == 0;
    Some(if is_all { usable.to_string() } else { format!("{there}, {usable} of them usable here") })
}

/// What the firmware calls the machine, and whether the processor says that it is a guest.
fn virtualisation(cpuinfo: &str, read: &Read<'_>) -> String {
    let is_guest = parse::value(cpuinfo, "flags", ':').is_some_and(|flags| flags.split(' ').any(|f| f == "hypervisor"));
    let guest = if is_guest { GUEST } else { BARE };
    let firmware = ["sys_vendor", "product_name"].map(|name| read(&format!("/sys/class/dmi/id/{name}")));
    let firmware: Vec<_> = firmware.into_iter().flatten().map(|text| text.trim().to_owned()).collect();
    if firmware.is_empty() { guest.to_owned() } else { format!("{guest} ({})", firmware.join(" ")) }
}

/// The word in brackets of `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

fn gibibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// Reads a file of the machine that is watched.
type Read<'r> = dyn Fn(&str) -> Option<String> + 'r;

fn printable(text: &str) -> String {
    text.trim().chars().take(FACT_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_kernel_cores_and_memory() {
        let mut facts = Facts::default();
        capture("host", &mut Source::Here("host".into()), &mut facts);
        for wanted in [KERNEL, CORES, MEMORY, VIRTUALISATION] {
            let found = facts.0.iter().find(|(_, name, _)| name == wanted.name);
            assert!(found.is_some_and(|(subject, _, value)| subject == "host" && !value.is_empty()), "{wanted:?}");
        }
    }

    #[test]
    fn small_texts() {
        assert_eq!(chosen("always [madvise] never\n").as_deref(), Some("madvise"));
        assert_eq!(chosen("always"), None);
        let nothing = |_: &str| None;
        assert_eq!(virtualisation("flags\t\t: fpu hypervisor sse\n", &nothing), "a guest of a hypervisor");
        assert_eq!(virtualisation("flags\t\t: fpu sse\n", &nothing), "no sign of a hypervisor");
        assert_eq!(printable(" a\u{1b}[1m \n"), "a [1m");
    }
}
