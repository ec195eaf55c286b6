//! Process trees of another machine, over ssh.

use crate::facts;
use crate::metrics::Metric;
use crate::tree::{Member, Tree};
use contract::{BuildContext, Event, Facts, Failure, Machine, Mistakes, Monitor, MonitorSettings, Samples};
use processes::Scan;
use remote::{Change, Chosen, Moment, Sampled, Told};
use terms::Nanos;

/// What Linux counts processor time in, unless `getconf` there says otherwise: in ticks a second, and in bytes of a page.
const UNITS: (f64, f64) = (100.0, 4096.0);

/// Longest wait for what is asked once.
const ONCE: Nanos = Nanos::from_secs(4);

/// Watches process trees of another machine.
pub(crate) struct Elsewhere {
    name: String,
    there: Sampled,
    instances: Vec<Instance>,
    /// Ticks a second and bytes of a page, once they are known.
    units: Option<(f64, f64)>,
}

struct Instance {
    chosen: Chosen,
    before: Option<(Moment, Tree)>,
}

impl Elsewhere {
    pub(crate) fn build(
        settings: &MonitorSettings,
        machine: &Machine,
        context: &BuildContext<'_>,
    ) -> Result<Self, Mistakes> {
        let chosen = remote::chosen(settings, context)?;
        let instances = chosen.into_iter().map(|chosen| Instance { chosen, before: None }).collect();
        let there = Sampled::new(machine, settings.every);
        Ok(Self { name: settings.name.clone(), there, instances, units: None })
    }

    fn units(&mut self) -> (f64, f64) {
        if self.units.is_none() {
            let answer = self.there.remote.ask("getconf CLK_TCK; getconf PAGESIZE", ONCE);
            self.units = answer.ok().map(|answer| units(&answer.text));
        }
        self.units.unwrap_or(UNITS)
    }
}

/// Two numbers, as `getconf` prints them.
fn units(text: &str) -> (f64, f64) {
    let mut numbers = text.lines().map(|line| line.trim().parse::<u32>().ok().filter(|number| *number > 0));
    let mut next = |or: f64| numbers.next().flatten().map_or(or, f64::from);
    (next(UNITS.0), next(UNITS.1))
}

impl Monitor for Elsewhere {
    fn ready(&mut self) -> Result<(), Mistakes> {
        self.there.remote.reach()
    }

    fn facts(&mut self, out: &mut Facts) {
        let (ticks, _) = self.units();
        for Instance { chosen, .. } in &self.instances {
            out.fact(&chosen.name, &facts::PROCESS, format!("{} of `{}`", chosen.in_words(), self.there.remote.url()));
            out.fact(&chosen.name, &facts::MEMORY_USED, "resident set size (RSS), since it is another machine's");
        }
        out.fact(&self.name, &facts::RATES, facts::REAL_TIME);
        out.fact(&self.name, &facts::TICKS, ticks.to_string());
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let units = self.units();
        let paths: Vec<String> = self.instances.iter().filter_map(|instance| instance.chosen.path()).collect();
        let question = remote::lines_of(&format!("/proc/[0-9]*/stat {}", paths.join(" ")));
        let first = self.instances.first().map_or("", |instance| instance.chosen.name.as_str());
        let number = out.instance(first);
        let told = self.there.sample(&question, at, number, out)?;
        let scan = remote::scan(&told.files);
        for instance in &mut self.instances {
            instance.sample(&told, &scan, units, out);
        }
        if self.instances.iter().all(|instance| instance.chosen.members().is_empty()) {
            let names: Vec<String> = self.instances.iter().map(|instance| instance.chosen.in_words()).collect();
            return Err(Failure::new(format!("{} are not on `{}`", names.join(", "), self.there.remote.url())));
        }
        Ok(())
    }
}

impl Instance {
    fn sample(&mut self, told: &Told, scan: &Scan, (ticks, page): (f64, f64), out: &mut Samples) {
        let (number, at) = (out.instance(&self.chosen.name), told.moment.at);
        let was_there = self.before.is_some();
        match self.chosen.find(scan, &told.files) {
            Change::Same => {}
            Change::Gone => {
                let text = format!("{} are gone", self.chosen.in_words());
                out.event(at, number, Event { kind: "gone", text });
            }
            Change::New => {
                if was_there {
                    let text = format!("{} are others than before", self.chosen.in_words());
                    out.event(at, number, Event { kind: "restart", text });
                }
                self.before = None;
            }
        }
        if self.chosen.members().is_empty() {
            return;
        }
        let stats = || self.chosen.members().iter().filter_map(|member| Some((*member, scan.get(&member.pid)?)));
        let member = |stat: &processes::Stat| Member { own: stat.own, children: stat.children, disk: None };
        let tree = Tree { members: stats().map(|(identity, stat)| (identity, member(stat))).collect() };
        let sum = |part: fn(&processes::Stat) -> u64| stats().map(|(_, stat)| part(stat) as f64).sum::<f64>();
        let resident = sum(|stat| stat.resident_pages) * page;
        let mut values = vec![
            (Metric::Used, resident),
            (Metric::Rss, resident),
            (Metric::Reserved, sum(|stat| stat.reserved)),
            (Metric::Threads, sum(|stat| stat.threads)),
            (Metric::Processes, tree.members.len() as f64),
        ];
        let since = self.before.as_ref().and_then(|(before, _)| told.moment.since(before));
        if let Some((seconds, (_, before))) = since.zip(self.before.as_ref()) {
            let grown = tree.growth(before);
            let cores = |grown: u64| grown as f64 / ticks / seconds;
            let (user, system) = (cores(grown.user), cores(grown.system));
            values.extend([(Metric::Cpu, user + system), (Metric::User, user), (Metric::System, system)]);
        }
        for (metric, value) in values {
            out.value(at, number, metric as u16, value);
        }
        self.before = Some((told.moment, tree));
    }
}
