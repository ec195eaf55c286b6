//! What the columns of `sar` mean, in whichever form it prints them, and what rows of single disks and interfaces add up to.
//!
//! Of processors the row of all of them is taken. Interfaces are added up as our own monitor does, the loopback by itself,
//! and so are disks without what is stacked upon them; the busiest disk tells `disk_busy`.
//!
//! Source: sysstat 12, `sar(1)`; Linux, `Documentation/admin-guide/devices.txt`.

use crate::reading::shown;
use crate::samples::Row;
use std::collections::BTreeMap;
use terms::Nanos;

const KIB: f64 = 1024.0;
/// Blocks and sectors of a disk.
const BLOCK: f64 = 512.0;
const SHARE: f64 = 0.01;
/// Moments whose parts are added up.
const MOMENTS_MAX: usize = 1_000_000;

/// Columns with the metric of our own monitor and the factor to its unit.
const METRICS: [(&str, &str, f64); 12] = [
    ("%idle", "idle", SHARE),
    ("%iowait", "iowait", SHARE),
    ("%steal", "steal", SHARE),
    ("runq-sz", "run_queue", 1.0),
    ("blocked", "blocked", 1.0),
    ("ldavg-1", "load1", 1.0),
    ("kbavail", "memory_available", KIB),
    ("kbswpused", "swap_used", KIB),
    ("bread/s", "disk_read", BLOCK),
    ("bwrtn/s", "disk_write", BLOCK),
    ("cswch/s", "context_switches", 1.0),
    ("intr/s", "interrupts", 1.0),
];

/// A row: names of its columns, and what stands in them.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    names: &'a [String],
    fields: &'a [&'a str],
}

/// What a row is of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Of {
    /// The whole machine: metrics with their values.
    Machine(Vec<(&'static str, f64)>),
    /// An interface: bytes a second in and out.
    Interface { name: String, bytes: (f64, f64) },
    /// A disk: bytes a second read and written, and the share of the time in which it was busy.
    Disk { name: String, bytes: (f64, f64), busy: Option<f64> },
    /// One processor, or what our own monitor does not have.
    Other,
}

impl<'a> Fields<'a> {
    /// # Errors
    /// When there are more of the one than of the other.
    pub(crate) fn of(names: &'a [String], fields: &'a [&'a str]) -> Result<Self, String> {
        if fields.len() == names.len() {
            Ok(Self { names, fields })
        } else {
            Err(format!("it has {} fields, and its header {}", fields.len(), names.len()))
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.names.iter().position(|known| known == name).map(|place| self.fields[place].trim())
    }

    fn value(&self, name: &str) -> Result<Option<f64>, String> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let wrong = || format!("its `{name}` is `{}`, which is not a number", shown(text.as_bytes()));
        number(text).filter(|value| *value >= 0.0).map(Some).ok_or_else(wrong)
    }

    /// The sum of those that are there.
    fn sum(&self, names: &[&str]) -> Result<Option<f64>, String> {
        let mut all = None;
        for name in names {
            all = self.value(name)?.map(|value| value + all.unwrap_or(0.0)).or(all);
        }
        Ok(all)
    }

    /// Bytes a second, by the names that versions have for it.
    fn bytes(&self, kilobytes: &str, sectors: &str) -> Result<Option<f64>, String> {
        let kilobytes = self.value(kilobytes)?.map(|value| value * KIB);
        Ok(kilobytes.or(self.value(sectors)?.map(|value| value * BLOCK)))
    }

    /// What the row tells.
    ///
    /// # Errors
    /// A sentence, where a value is not a number.
    pub(crate) fn told(&self) -> Result<Of, String> {
        let is_all = |name: &str| matches!(name, "-1" | "all" | "sum");
        if let Some(name) = self.text("IFACE") {
            let Some(bytes) = self.bytes("rxkB/s", "")?.zip(self.bytes("txkB/s", "")?) else { return Ok(Of::Other) };
            return Ok(Of::Interface { name: name.to_owned(), bytes });
        }
        if let Some(name) = self.text("DEV") {
            let both = self.bytes("rkB/s", "rd_sec/s")?.zip(self.bytes("wkB/s", "wr_sec/s")?);
            let Some(bytes) = both else { return Ok(Of::Other) };
            let busy = self.value("%util")?.map(|busy| (busy * SHARE).min(1.0));
            return Ok(Of::Disk { name: name.to_owned(), bytes, busy });
        }
        if ["CPU", "INTR"].iter().any(|name| self.text(name).is_some_and(|name| !is_all(name))) {
            return Ok(Of::Other);
        }
        let values = self.values()?;
        Ok(if values.is_empty() { Of::Other } else { Of::Machine(values) })
    }

    fn values(&self) -> Result<Vec<(&'static str, f64)>, String> {
        let (user, system) = (self.sum(&["%user", "%usr", "%nice"])?, self.sum(&["%system", "%sys", "%irq", "%soft"])?);
        let both = user.zip(system).map(|(user, system)| (user + system).min(100.0));
        let mut values = Vec::new();
        for (metric, value) in [("cpu", both), ("user", user), ("system", system)] {
            values.extend(value.map(|value| (metric, value * SHARE)));
        }
        for (name, metric, factor) in METRICS {
            values.extend(self.value(name)?.map(|value| (metric, value * factor)));
        }
        // Before `kbavail` was there, what is used had in it what the kernel can free.
        let cached = self.sum(&["kbbuffers", "kbcached"])?;
        let is_old = self.text("kbavail").is_none();
        if let (true, Some(free), Some(cached)) = (is_old, self.value("kbmemfree")?, cached) {
            values.push(("memory_available", (free + cached) * KIB));
        }
        if let Some(used) = self.value("kbmemused")? {
            let freed = cached.filter(|_| is_old).unwrap_or(0.0);
            values.push(("memory_used", (used - freed).max(0.0) * KIB));
        }
        Ok(values)
    }
}

/// Some languages write decimals behind a comma.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.replace(',', ".").parse::<f64>().ok().filter(|value| value.is_finite())
}

/// What interfaces and disks add up to, by machine and moment.
#[derive(Default)]
pub(crate) struct Parts(BTreeMap<(Option<String>, Nanos), Sums>);

/// Bytes a second in and out, read and written.
#[derive(Default)]
struct Sums {
    net: Option<(f64, f64)>,
    loopback: Option<f64>,
    disks: Option<(f64, f64)>,
    stacked: Option<(f64, f64)>,
    busy: Option<f64>,
}

impl Parts {
    /// Takes a row; one of the whole machine comes back.
    ///
    /// # Errors
    /// When there are more moments than a file may have.
    pub(crate) fn take(&mut self, of: Of, at: Nanos, machine: Option<String>) -> Result<Option<Row>, String> {
        let add = |sum: &mut Option<(f64, f64)>, (one, other): (f64, f64)| {
            let before = sum.unwrap_or_default();
            *sum = Some((before.0 + one, before.1 + other));
        };
        match of {
            Of::Other => {}
            Of::Machine(values) => {
                return Ok(Some(Row { at: Some(at), since: None, instance: machine.map(Into::into), values }));
            }
            Of::Interface { name, bytes } => {
                let sums = self.sums(at, machine)?;
                // There each byte is sent and received once.
                if name == "lo" { sums.loopback = Some(bytes.0) } else { add(&mut sums.net, bytes) }
            }
            Of::Disk { name, bytes, busy } => {
                let sums = self.sums(at, machine)?;
                let is_stacked = is_stacked(&name);
                add(if is_stacked { &mut sums.stacked } else { &mut sums.disks }, bytes);
                sums.busy = sums.busy.into_iter().chain(busy).reduce(f64::max);
            }
        }
        Ok(None)
    }

    fn sums(&mut self, at: Nanos, machine: Option<String>) -> Result<&mut Sums, String> {
        let is_full = self.0.len() >= MOMENTS_MAX;
        let key = (machine, at);
        if is_full && !self.0.contains_key(&key) {
            return Err(format!("more than {MOMENTS_MAX} moments have rows of disks or interfaces"));
        }
        Ok(self.0.entry(key).or_default())
    }

    /// Rows of the sums. `has_disks`: whether the machine as a whole has its own of what disks read and wrote.
    pub(crate) fn rows(self, has_disks: bool) -> Vec<Row> {
        let row = |((instance, at), sums): ((Option<String>, Nanos), Sums)| {
            let mut values = Vec::new();
            // Where nothing but what is stacked was watched, that is what is known.
            if let Some((read, written)) = sums.disks.or(sums.stacked).filter(|_| !has_disks) {
                values.extend([("disk_read", read), ("disk_write", written)]);
            }
            values.extend(sums.busy.map(|busy| ("disk_busy", busy)));
            values.extend(sums.net.into_iter().flat_map(|(get, put)| [("net_in", get), ("net_out", put)]));
            values.extend(sums.loopback.map(|bytes| ("loopback", bytes)));
            Row { at: Some(at), since: None, instance: instance.map(Into::into), values }
        };
        self.0.into_iter().map(row).collect()
    }
}

/// Whether a device is made of others, or of memory: `dm-0`, `md0`, and their numbers, `dev253-0`, `dev9-0`.
fn is_stacked(name: &str) -> bool {
    const NAMES: [&str; 7] = ["dm-", "md", "loop", "ram", "zram", "sr", "drbd"];
    const MAJORS: [&str; 6] = ["1", "7", "9", "11", "147", "253"];
    match name.strip_prefix("dev").and_then(|rest| rest.split_once('-')) {
        Some((major, _)) => MAJORS.contains(&major),
        None => NAMES.iter().any(|known| name.starts_with(known)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(header: &str, row: &str) -> Result<Of, String> {
        let names: Vec<String> = header.split(' ').map(str::to_owned).collect();
        let fields: Vec<&str> = row.split(' ').collect();
        Fields::of(&names, &fields)?.told()
    }

    #[test]
    fn memory_of_old_versions_and_of_new_ones_is_the_same() {
        let new = told("kbmemfree kbavail kbmemused kbbuffers kbcached", "100 700 300 50 500").unwrap();
        let Of::Machine(values) = new else { panic!("{new:?}") };
        assert_eq!(values, [("memory_available", 700.0 * KIB), ("memory_used", 300.0 * KIB)]);
        let old = told("kbmemfree kbmemused kbbuffers kbcached", "100 900 50 550").unwrap();
        let Of::Machine(values) = old else { panic!("{old:?}") };
        assert_eq!(values, [("memory_available", 700.0 * KIB), ("memory_used", 300.0 * KIB)]);
    }

    #[test]
    fn disks_are_added_up_without_what_is_stacked_upon_them() {
        let mut parts = Parts::default();
        let at = Nanos::from_secs(1);
        for row in ["sda 10 20 30,5", "dm-0 10 20 90", "dev8-16 2 0 1", "dev253-1 2 0 1"] {
            let of = told("DEV rkB/s wkB/s %util", row).unwrap();
            assert_eq!(parts.take(of, at, None), Ok(None));
        }
        for row in ["eth0 1 2", "eth1 3 4", "lo 9 9"] {
            parts.take(told("IFACE rxkB/s txkB/s", row).unwrap(), at, None).unwrap();
        }
        let [row] = parts.rows(false).try_into().unwrap();
        let expected = [
            ("disk_read", 12.0 * KIB),
            ("disk_write", 20.0 * KIB),
            ("disk_busy", 0.9),
            ("net_in", 4.0 * KIB),
            ("net_out", 6.0 * KIB),
            ("loopback", 9.0 * KIB),
        ];
        assert_eq!(row.values, expected);
    }

    #[test]
    fn parts_of_a_machine_and_errors_of_interfaces_are_not_the_machine() {
        assert_eq!(told("CPU %user %system", "0 1 2"), Ok(Of::Other));
        assert_eq!(told("IFACE rxerr/s txerr/s", "eth0 0 0"), Ok(Of::Other));
        assert_eq!(told("INTR intr/s", "sum 7"), Ok(Of::Machine(vec![("interrupts", 7.0)])));
        assert_eq!(told("CPU %user", "all x"), Err("its `%user` is `x`, which is not a number".into()));
        assert_eq!(told("CPU %user", "all"), Err("it has 1 fields, and its header 2".into()));
    }
}
