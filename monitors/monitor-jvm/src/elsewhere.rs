//! Java virtual machines of another machine, over ssh: from the same perf data, which `od` prints there.
//!
//! No Java is needed for it there, and none is started: the file is read by whoever may read it, which is the account that
//! the machine runs under, and root. So it is with `jstat`, which reads the same file.

use crate::facts;
use crate::jvm::Jvm;
use crate::perf_data::{PROLOGUE, Table, whole};
use crate::reading::Reading;
use contract::{BuildContext, Event, Facts, Failure, Machine, Mistakes, Monitor, MonitorSettings, Samples};
use processes::Identity;
use remote::{Change, Chosen, Sampled, Told};
use std::collections::BTreeMap;
use terms::Nanos;

/// Processes of an instance whose perf data are looked for.
const MEMBERS_MAX: usize = 16;

/// Bytes read of a file of perf data; a machine's own default is 32 KiB, and each byte is three on its way.
const FILE_BYTES_MAX: usize = 256 << 10;

/// Watches Java virtual machines of another machine.
pub(crate) struct Elsewhere {
    there: Sampled,
    instances: Vec<Instance>,
    captured: bool,
}

struct Instance {
    chosen: Chosen,
    /// Machines by process id, with what they are called.
    machines: BTreeMap<u32, (String, Jvm)>,
    facts: Vec<(contract::FactKind, String)>,
}

impl Elsewhere {
    pub(crate) fn build(
        settings: &MonitorSettings,
        machine: &Machine,
        context: &BuildContext<'_>,
    ) -> Result<Self, Mistakes> {
        let chosen = remote::chosen(settings, context)?;
        let instance = |chosen| Instance { chosen, machines: BTreeMap::new(), facts: Vec::new() };
        let instances = chosen.into_iter().map(instance).collect();
        Ok(Self { there: Sampled::new(machine, settings.every), instances, captured: false })
    }

    /// What is asked: all processes, and the perf data of those that belonged to an instance at the sample before.
    fn question(&self) -> String {
        let paths: Vec<String> = self.instances.iter().filter_map(|instance| instance.chosen.path()).collect();
        let pids: Vec<String> = self.instances.iter().flat_map(Instance::pids).map(|pid| pid.to_string()).collect();
        let scan = remote::lines_of(&format!("/proc/[0-9]*/stat {}", paths.join(" ")));
        if pids.is_empty() {
            return scan;
        }
        format!(
            "for p in {}; do for f in /tmp/hsperfdata_*/$p; do [ -f $f ] && [ ! -h $f ] && [ ! -h ${{f%/*}} ] && \
             {{ od -An -v -tx1 -N{FILE_BYTES_MAX} $f | sed s,^,/jvm/$p:,; od -An -v -tx1 -N{PROLOGUE} $f | \
             sed s,^,/again/$p:,; }}; done; done; {scan}",
            pids.join(" ")
        )
    }

    fn look(&mut self, at: Nanos, out: &mut Samples) -> Result<usize, Failure> {
        let first = self.instances.first().map_or("", |instance| instance.chosen.name.as_str());
        let number = out.instance(first);
        let told = self.there.sample(&self.question(), at, number, out)?;
        Ok(self.instances.iter_mut().map(|instance| instance.take(&told, out)).sum())
    }
}

impl Monitor for Elsewhere {
    fn ready(&mut self) -> Result<(), Mistakes> {
        self.there.remote.reach()
    }

    fn facts(&mut self, out: &mut Facts) {
        // Which processes they are is known after one look, and what is in them after another.
        if !std::mem::replace(&mut self.captured, true) {
            let mut nobody = Samples::default();
            let _ = self.look(Nanos::ZERO, &mut nobody).and_then(|_| self.look(Nanos::ZERO, &mut nobody));
            self.instances.iter_mut().for_each(|instance| instance.machines.clear());
        }
        for Instance { chosen, facts: captured, .. } in &self.instances {
            let process = format!("{} of `{}`", chosen.in_words(), self.there.remote.url());
            out.fact(&chosen.name, &facts::PROCESS, process);
            captured.iter().for_each(|(kind, value)| out.fact(&chosen.name, kind, value.clone()));
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        if self.look(at, out)? > 0 {
            return Ok(());
        }
        let names: Vec<String> = self.instances.iter().map(|instance| instance.chosen.in_words()).collect();
        let (names, url) = (names.join(", "), self.there.remote.url());
        Err(Failure::new(format!(
            "no Java virtual machine of {names} on `{url}` can be read: log in as the account that it runs under, and \
             start it without `-XX:-UsePerfData`"
        )))
    }
}

impl Instance {
    fn pids(&self) -> impl Iterator<Item = u32> {
        self.chosen.members().iter().map(|member| member.pid).take(MEMBERS_MAX)
    }

    /// Takes the readings of a moment; how many there were.
    fn take(&mut self, told: &Told, out: &mut Samples) -> usize {
        let at = told.moment.at;
        let asked: Vec<Identity> = self.chosen.members().iter().copied().take(MEMBERS_MAX).collect();
        self.follow(told, out);
        if self.chosen.members().is_empty() {
            let number = out.instance(&self.chosen.name);
            out.missing(number, format!("{} are not there", self.chosen.in_words()));
        }
        // The file of a machine that was killed stays where it was.
        let there = asked.into_iter().filter(|member| self.chosen.members().contains(member));
        let mut count = 0;
        for pid in there.map(|member| member.pid).collect::<Vec<u32>>() {
            let Some(table) = table(told, pid) else { continue };
            let Some(reading) = Reading::of(&table) else { continue };
            if !self.machines.contains_key(&pid) {
                self.facts = facts::captured(&table);
                self.facts.push((facts::SOURCE, facts::FROM_PERF_DATA.to_owned()));
                self.facts.extend(reading.heap_max.map(|max| (facts::HEAP_MAXIMUM, format!("{max:.0} bytes"))));
                let (slot, name) = (self.machines.len() + 1, &self.chosen.name);
                let name = if slot == 1 { name.clone() } else { format!("{name}/{slot}") };
                self.machines.insert(pid, (name, Jvm::default()));
            }
            if let Some((name, jvm)) = self.machines.get_mut(&pid) {
                let number = out.instance(name);
                jvm.take(at, reading, name, number, out);
                count += 1;
            }
        }
        count
    }

    /// Which processes it is now.
    fn follow(&mut self, told: &Told, out: &mut Samples) {
        let (at, number) = (told.moment.at, out.instance(&self.chosen.name));
        let change = self.chosen.find(&remote::scan(&told.files), &told.files);
        let (kind, what) = match change {
            Change::Same => return,
            Change::Gone => ("gone", "gone"),
            Change::New => ("restart", "others than before"),
        };
        if change == Change::Gone || !self.machines.is_empty() {
            let text = format!("{} are {what}", self.chosen.in_words());
            out.event(at, number, Event { kind, text });
        }
        self.machines.clear();
    }
}

/// The perf data of a process; `None` where they could not be read, or were caught in the middle of a change.
fn table(told: &Told, pid: u32) -> Option<Table> {
    let bytes = bytes(told.files.get(&format!("/jvm/{pid}"))?);
    let again = bytes_of(told, &format!("/again/{pid}"));
    whole(|most| Ok(if most == PROLOGUE { again.clone() } else { bytes.clone() })).ok()
}

fn bytes_of(told: &Told, path: &str) -> Vec<u8> {
    told.files.get(path).map(|text| bytes(text)).unwrap_or_default()
}

/// The bytes that `od -An -v -tx1` prints; what is none ends them.
fn bytes(text: &str) -> Vec<u8> {
    text.split_ascii_whitespace().map_while(|word| u8::from_str_radix(word, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_od_prints_them() {
        assert_eq!(bytes(" ca fe c0 c0\n 01 02\n"), [0xCA, 0xFE, 0xC0, 0xC0, 1, 2]);
        assert_eq!(bytes(" ca x fe"), [0xCA]);
        assert_eq!(bytes(" 100"), Vec::<u8>::new());
    }
}
