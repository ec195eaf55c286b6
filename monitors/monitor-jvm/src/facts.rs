//! What a machine is: version, collectors, sizes, arguments that matter. Never its whole command line, which may hold
//! secrets.

use crate::perf_data::Table;
use contract::{FactKind, FactRole};
use terms::{Nanos, iso};

const NO_ARGUMENTS: &str = "none that concern memory";
pub(crate) const FROM_PERF_DATA: &str = "perf data of the Java virtual machine";
pub(crate) const FROM_JSTAT: &str = "`jstat -gc -t`, which prints by itself; each line is stamped on arrival";

// Of two facts that say what runs a program, the first one present counts.
contract::facts! {
    VERSION = FactKind::new("Java version").with_role(FactRole::Runtime);
    MACHINE = FactKind::new("Java virtual machine").with_role(FactRole::Runtime);
    HEAP_MAXIMUM = FactKind::new("heap maximum").with_role(FactRole::OwnMemory);
    PROCESS = FactKind::new("Java process").with_role(FactRole::Passing);
    STARTED = FactKind::new("Java started").with_role(FactRole::Passing);
    COLLECTORS = FactKind::new("collectors");
    ARGUMENTS = FactKind::new("arguments").with_values(&[("none", NO_ARGUMENTS)]);
    SOURCE = FactKind::new("figures of the heap").with_values(&[("perf-data", FROM_PERF_DATA), ("jstat", FROM_JSTAT)]);
}

/// Arguments that are told.
const ARGUMENTS_MAX: usize = 40;

/// Facts with values, from perf data; what a machine does not report is left out.
pub(crate) fn captured(table: &Table) -> Vec<(FactKind, String)> {
    let mut captured = Vec::new();
    let property = |name: &str| table.text(&format!("java.property.{name}")).unwrap_or_default();
    let machine = format!("{} {}", property("java.vm.name"), property("java.vm.version"));
    let vendor = property("java.vm.vendor");
    if !machine.trim().is_empty() {
        let by = if vendor.is_empty() { String::new() } else { format!(" ({vendor})") };
        captured.push((MACHINE, format!("{}{by}", machine.trim())));
    }
    captured.extend(table.text("java.property.java.version").map(|text| (VERSION, text.to_owned())));
    let names: Vec<&str> = (0..3).filter_map(|number| table.text(&format!("sun.gc.collector.{number}.name"))).collect();
    if !names.is_empty() {
        captured.push((COLLECTORS, names.join(", ")));
    }
    let arguments = arguments(table.text("java.rt.vmArgs").unwrap_or_default());
    captured.push((ARGUMENTS, if arguments.is_empty() { NO_ARGUMENTS.to_owned() } else { arguments }));
    if let Some(begun) = table.number("sun.rt.createVmBeginTime").filter(|begun| *begun > 0) {
        captured.push((STARTED, iso::seconds(Nanos::from_millis(begun))));
    }
    captured
}

/// Those of a machine's arguments that are sizes and switches, `-Xmx64m` or `-XX:+UseG1GC`: a value that is a text could
/// be anything.
fn arguments(all: &str) -> String {
    let is_told = |word: &&str| {
        if let Some(option) = word.strip_prefix("-XX:") {
            let value = option.split_once('=').map(|(_, value)| value);
            let is_switch = option.starts_with(['+', '-']) && value.is_none();
            return is_switch || value.is_some_and(is_number);
        }
        ["-Xmx", "-Xms", "-Xmn", "-Xss"].iter().any(|start| word.strip_prefix(start).is_some_and(is_number))
            || matches!(*word, "-Xint" | "-Xcomp" | "-Xmixed" | "-server" | "-client")
    };
    all.split_ascii_whitespace().filter(is_told).take(ARGUMENTS_MAX).collect::<Vec<_>>().join(" ")
}

/// A number with at most a letter for its unit: `64m`, `0.75`, `4`.
fn is_number(text: &str) -> bool {
    let digits = text.strip_suffix(|unit: char| "kKmMgGtT".contains(unit)).unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::tests::{SERIAL, table};

    #[test]
    fn a_machine_is_told_without_what_may_be_secret() {
        let captured = captured(&table(SERIAL));
        let of = |kind: FactKind| captured.iter().find(|(known, _)| *known == kind).map(|(_, value)| value.as_str());
        assert_eq!(of(MACHINE), Some("OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1 (Debian)"));
        assert_eq!(of(VERSION), Some("17.0.15"));
        assert_eq!(of(COLLECTORS), Some("Serial young collection pauses, Serial full collection pauses"));
        assert_eq!(of(ARGUMENTS), Some("-Xmx64m -XX:+UseSerialGC"), "no properties, no modules");
        // 1 795 271 948 s after 1970.
        assert_eq!(of(STARTED), Some("2026-11-21T14:39:08Z"));
        assert_eq!(super::captured(&Table::default()), [(ARGUMENTS, NO_ARGUMENTS.to_owned())]);
    }

    #[test]
    fn only_sizes_and_switches_are_told() {
        let all = "-Xmx2g -Dtoken=1 -XX:MaxRAMPercentage=75.0 -XX:OnError=mail -XX:-UsePerfData -XX:HeapDumpPath=x/y \
            -Xmxx -javaagent:a.jar=key -XX:MaxMetaspaceSize=64m -Xss512k";
        assert_eq!(
            arguments(all),
            "-Xmx2g -XX:MaxRAMPercentage=75.0 -XX:-UsePerfData -XX:MaxMetaspaceSize=64m -Xss512k"
        );
    }
}
