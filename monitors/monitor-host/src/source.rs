//! Where the texts come from: the files of this machine, or those of another.

use contract::{Carrier, Failure, MonitorSettings, Samples};
use remote::{Moment, Sampled, Told};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind, Result};
use terms::Nanos;

/// The name of the machine that conducts the run among the instances.
const INSTANCE: &str = "host";

/// Longest wait for the facts of another machine, which are asked for outside of the load.
const FACTS_PATIENCE: Nanos = Nanos::from_secs(4);

/// The disks and network cards there, which the shell finds by itself.
const DISKS: &str = "printf '/disks:%s\\n' /sys/block/*/device; printf '/cards:%s\\n' /sys/class/net/*/device; ";

/// The files of a sample.
const FILES: &str =
    "/proc/stat /proc/meminfo /proc/loadavg /proc/diskstats /proc/net/dev /proc/vmstat /proc/pressure/cpu";

/// What the facts need.
const FACTS: &str = "/proc/cpuinfo /proc/meminfo /proc/loadavg /proc/sys/kernel/hostname \\
/proc/sys/kernel/osrelease /proc/sys/kernel/version /etc/os-release /sys/class/dmi/id/sys_vendor \\
/sys/class/dmi/id/product_name /sys/devices/system/clocksource/clocksource0/current_clocksource \\
/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor /sys/kernel/mm/transparent_hugepage/enabled";

/// The machine that is watched.
pub(crate) enum Source {
    /// The one that this runs on, with its name among the instances.
    Here(String),
    There(Box<Sampled>),
}

/// The texts of one moment.
pub(crate) enum Texts {
    Here,
    There { files: BTreeMap<String, String>, disks: BTreeSet<String>, cards: BTreeSet<String> },
}

impl Source {
    pub(crate) fn of(settings: &MonitorSettings, carrier: Option<&Carrier>) -> Self {
        match &settings.on {
            Some(machine) => Self::There(Box::new(Sampled::new(machine, settings.every))),
            None => Self::Here(carrier.map_or(INSTANCE, |carrier| &carrier.name).to_owned()),
        }
    }

    /// The machine's name among the instances.
    pub(crate) fn instance(&self) -> &str {
        match self {
            Self::Here(name) => name,
            Self::There(there) => there.remote.host(),
        }
    }

    /// The texts of a sample, and when they were read; `at` is now.
    pub(crate) fn sample(&mut self, at: Nanos, out: &mut Samples) -> std::result::Result<(Texts, Moment), Failure> {
        let instance = out.instance(self.instance());
        let Self::There(there) = self else { return Ok((Texts::Here, Moment::here(at))) };
        let Told { files, moment } = there.sample(&format!("{DISKS}{}", remote::lines_of(FILES)), at, instance, out)?;
        Ok((Texts::there(files), moment))
    }

    /// The texts of the facts; none where another machine does not answer.
    pub(crate) fn facts(&mut self) -> Texts {
        let Self::There(there) = self else { return Texts::Here };
        let answer = there.remote.ask(&remote::lines_of(FACTS), FACTS_PATIENCE);
        let files = answer.as_ref().map(|answer| remote::files(&answer.text)).unwrap_or_default();
        Texts::there(files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect())
    }

    /// How far the clock of another machine is off, in words and numbers.
    pub(crate) fn clock(&mut self) -> Option<String> {
        let Self::There(there) = self else { return None };
        there.remote.offset(FACTS_PATIENCE).ok().map(|offset| offset.to_string())
    }
}

impl Texts {
    fn there(mut files: BTreeMap<String, String>) -> Self {
        let mut devices = |key: &str, folder: &str| {
            let device = |line: &str| Some(line.strip_prefix(folder)?.strip_suffix("/device")?.to_owned());
            files.remove(key).unwrap_or_default().lines().filter_map(device).collect()
        };
        let (disks, cards) = (devices("/disks", "/sys/block/"), devices("/cards", "/sys/class/net/"));
        Self::There { files, disks, cards }
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> Result<String> {
        match self {
            Self::Here => std::fs::read_to_string(path),
            Self::There { files, .. } => files.get(path).cloned().ok_or_else(|| Error::from(ErrorKind::NotFound)),
        }
    }

    /// Whether a network interface is one of the machine's own: a bridge, a bond, a VLAN or a tunnel passes the same bytes
    /// on once more.
    pub(crate) fn is_card(&self, name: &str) -> bool {
        match self {
            Self::Here => {
                !name.contains('/') && std::path::Path::new(&format!("/sys/class/net/{name}/device")).exists()
            }
            Self::There { cards, .. } => cards.contains(name),
        }
    }

    /// Whether it is a disk of its own: a partition, and what is stacked upon disks (`dm`, `md`, `loop`), would count
    /// the same bytes twice.
    pub(crate) fn is_disk(&self, name: &str) -> bool {
        match self {
            Self::Here => {
                !name.contains(['/', '.']) && std::path::Path::new(&format!("/sys/block/{name}/device")).exists()
            }
            Self::There { disks, .. } => disks.contains(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str) -> Texts {
        Texts::there(remote::files(answer).into_iter().map(|(path, text)| (path.to_owned(), text)).collect())
    }

    #[test]
    fn texts_of_another_machine() {
        let texts = texts(
            "/disks:/sys/block/sda/device\n/disks:/sys/block/*/device\n/cards:/sys/class/net/eth0/device\n/proc/stat:cpu  1 2 3 4\n/proc/stat:ctxt 5\n",
        );
        assert_eq!(texts.read("/proc/stat").unwrap(), "cpu  1 2 3 4\nctxt 5\n");
        assert!(texts.read("/proc/meminfo").is_err());
        assert!(texts.is_disk("sda") && !texts.is_disk("sda1"));
        assert!(texts.is_card("eth0") && !texts.is_card("docker0"));
    }

    /// The shell of this machine, in place of that of another.
    #[test]
    fn what_is_asked_for_is_what_is_read_here() {
        for (question, path) in [(FILES, "/proc/meminfo"), (FACTS, "/proc/sys/kernel/osrelease")] {
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("{DISKS}{}", remote::lines_of(question))])
                .output()
                .unwrap();
            let texts = texts(&String::from_utf8(output.stdout).unwrap());
            let here = std::fs::read_to_string(path).unwrap();
            let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            assert_eq!(first(&texts.read(path).unwrap()), first(&here));
        }
    }
}
