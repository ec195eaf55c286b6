//! Which processes of a machine an instance is: by a file that holds its id, or by the name of its program.

use contract::{BuildContext, INSTANCE_NAME, Keys, Machine, Mistake, Mistakes, MonitorSettings, Node, Watched};
use processes::{Identity, Scan, family};
use std::collections::{BTreeMap, BTreeSet};

/// The longest name of a program that the kernel keeps, `/proc/PID/comm`.
const NAME_MAX: usize = 15;

/// Processes of one name that are not children of others of that name.
const ROOTS_MAX: usize = 64;

/// Keys of a monitor that chooses so, for its schema.
pub const KEYS: &[&str] = &["pid_file", "named"];

/// Whether settings choose processes so.
fn is_chosen(settings: &Node) -> bool {
    KEYS.iter().any(|key| settings.get(key).is_some())
}

/// The machine whose processes are chosen so: one that is asked over ssh, or that of the node that carries the monitor,
/// where its settings say so. None where the instances of the study are watched.
pub fn machine(settings: &MonitorSettings, context: &BuildContext<'_>) -> Option<Machine> {
    let of_node =
        || context.carrier().filter(|_| is_chosen(&settings.node)).map(|carrier| Machine::here(&carrier.name));
    settings.on.clone().or_else(of_node)
}

/// One instance, and the processes that it was at the sample before.
pub struct Chosen {
    pub name: String,
    by: By,
    members: BTreeSet<Identity>,
    roots: BTreeSet<Identity>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    /// The first line of a file is the id of a process; with its descendants.
    PidFile(String),
    /// All processes whose program has exactly this name, with their descendants.
    Named(String),
}

/// What became of an instance since the sample before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    /// It was there and is not.
    Gone,
    /// None of its first processes was there before.
    New,
}

/// The instances of a monitor on another machine, from its keys `pid_file` and `named`; it has no others.
///
/// # Errors
/// All mistakes at once.
pub fn chosen(settings: &MonitorSettings, context: &BuildContext<'_>) -> Result<Vec<Chosen>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let chosen = read(&mut keys, settings, context, &mut mistakes);
    keys.finish(&mut mistakes);
    mistakes.into_result()?;
    Ok(chosen)
}

fn read(
    keys: &mut Keys<'_>,
    settings: &MonitorSettings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<Chosen> {
    let place = keys.place();
    let mut take = |key: &'static str| keys.take(key).filter(|node| !node.is_missing());
    let (node, make): (&Node, fn(String) -> By) = match (take("pid_file"), take("named")) {
        (Some(node), None) => (node, By::PidFile),
        (None, Some(node)) => (node, By::Named),
        (Some(_), Some(node)) => {
            let what = "`pid_file` names one process, and `named` all of a program";
            mistakes.push(Mistake::at(node.place, "ssh::process", what).label("keep one of the two"));
            return Vec::new();
        }
        (None, None) => {
            mistakes.push(
                Mistake::at(place, "ssh::process", "nothing says which processes of the other machine are meant")
                    .label("add `named: java`, the name of the program, or `pid_file: /run/shop.pid`")
                    .hint("`ssh HOST ps -eo pid,comm` lists the names of programs there"),
            );
            return Vec::new();
        }
    };
    // Without instances of the system it is one, under the monitor's own name.
    let own = [Watched { name: settings.name.clone(), pid: None, url: None }];
    let instances = if settings.instances.is_empty() { &own[..] } else { &settings.instances };
    if instances.len() > 1 && node.text().is_some_and(|text| !text.contains(INSTANCE_NAME)) {
        let what = format!("{} instances would share one choice of processes", instances.len());
        mistakes.push(
            Mistake::at(node.place, "ssh::process", what)
                .label("write `$(instance)` where their names differ")
                .hint("or watch one of them: `of: [NAME]`"),
        );
        return Vec::new();
    }
    let one = |watched: &Watched| {
        let text = context.text(&MonitorSettings::of_instance(node, &watched.name), "which processes are meant")?;
        let by = make(text);
        by.mistake(node).map_or(Ok(()), Err)?;
        Ok(Chosen { name: watched.name.clone(), by, members: BTreeSet::new(), roots: BTreeSet::new() })
    };
    instances.iter().map_while(|watched| mistakes.keep(one(watched))).collect()
}

impl By {
    fn mistake(&self, node: &Node) -> Option<Mistake> {
        let (what, label) = match self {
            // It becomes part of a line of shell, and of one that has its path in front of a colon.
            Self::PidFile(path) if !path.starts_with('/') || path.contains(['\'', ':', '\n', '\0']) => (
                format!("`{}` is not the whole path of a file", path.escape_debug()),
                "write for example `/run/shop.pid`",
            ),
            Self::Named(name) if name.is_empty() || name.chars().any(char::is_control) => {
                ("a program has a name".to_owned(), "write for example `named: postgres`")
            }
            _ => return None,
        };
        Some(Mistake::at(node.place, "ssh::process", what).label(label))
    }
}

impl Chosen {
    /// The file that has to be read for it, in quotes of the shell.
    pub fn path(&self) -> Option<String> {
        match &self.by {
            By::PidFile(path) => Some(format!("'{path}'")),
            By::Named(_) => None,
        }
    }

    /// Processes of it at the last sample.
    pub fn members(&self) -> &BTreeSet<Identity> {
        &self.members
    }

    /// How it is chosen, in words.
    pub fn in_words(&self) -> String {
        match &self.by {
            By::PidFile(path) => format!("the process in `{path}`"),
            By::Named(name) => format!("programs named `{name}`"),
        }
    }

    /// Finds it among the processes of a moment.
    pub fn find(&mut self, scan: &Scan, files: &BTreeMap<String, String>) -> Change {
        let identity = |pid: &u32| scan.get(pid).map(|stat| Identity { pid: *pid, start: stat.start });
        let roots: BTreeSet<Identity> = match &self.by {
            By::PidFile(path) => {
                let pid = files.get(path).and_then(|text| text.lines().next()?.trim().parse::<u32>().ok());
                pid.as_ref().and_then(identity).into_iter().collect()
            }
            By::Named(name) => {
                let name: String = name.chars().take(NAME_MAX).collect();
                let is_named = |pid: &u32| scan.get(pid).is_some_and(|stat| stat.name == name);
                let first = scan.iter().filter(|(pid, stat)| is_named(pid) && !is_named(&stat.parent));
                first.filter_map(|(pid, _)| identity(pid)).take(ROOTS_MAX).collect()
            }
        };
        let was_there = !self.roots.is_empty();
        let is_new = self.roots.is_disjoint(&roots);
        let before = if is_new { BTreeSet::new() } else { std::mem::take(&mut self.members) };
        self.members = roots.iter().filter_map(|root| family(*root, &before, scan)).flatten().collect();
        self.roots = roots;
        match (was_there, self.roots.is_empty()) {
            (true, true) => Change::Gone,
            (_, false) if is_new => Change::New,
            _ => Change::Same,
        }
    }
}

/// The processes of another machine, from its files `/proc/PID/stat`.
pub fn scan(files: &BTreeMap<String, String>) -> Scan {
    let one = |(path, text): (&String, &String)| {
        let pid = path.strip_prefix("/proc/")?.strip_suffix("/stat")?.parse().ok()?;
        Some((pid, processes::stat(text)?))
    };
    files.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn stat(name: &str, parent: u32, start: u64) -> String {
        format!("1 ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 10 5 0 0 20 0 3 0 {start} 4096 2\n")
    }

    fn by(by: By) -> Chosen {
        Chosen { name: "shop".into(), by, members: BTreeSet::new(), roots: BTreeSet::new() }
    }

    fn pids(chosen: &Chosen) -> Vec<u32> {
        chosen.members.iter().map(|member| member.pid).collect()
    }

    #[test]
    fn all_of_one_name_with_their_descendants() {
        let (a, b, c) = (stat("postgres", 1, 50), stat("postgres", 7, 60), stat("helper", 8, 70));
        let (other, longer) = (stat("postgresql", 1, 80), stat("a-very-long-nam", 1, 90));
        let all = files(&[
            ("/proc/7/stat", &a),
            ("/proc/8/stat", &b),
            ("/proc/9/stat", &c),
            ("/proc/10/stat", &other),
            ("/proc/11/stat", &longer),
            ("/proc/stat", "cpu 1 2 3"),
        ]);
        let now = scan(&all);
        assert_eq!(now.len(), 5);
        let mut found = by(By::Named("postgres".into()));
        assert_eq!((found.find(&now, &all), pids(&found)), (Change::New, vec![7, 8, 9]));
        assert_eq!(found.find(&now, &all), Change::Same);
        assert_eq!((found.find(&Scan::new(), &all), pids(&found)), (Change::Gone, vec![]));
        assert_eq!(found.find(&Scan::new(), &all), Change::Same, "told once");
        assert_eq!(found.find(&now, &all), Change::New);
        let mut long = by(By::Named("a-very-long-name-of-a-program".into()));
        long.find(&now, &all);
        assert_eq!(pids(&long), [11], "the kernel keeps fifteen characters");
    }

    #[test]
    fn the_process_in_a_file() {
        let (one, other) = (stat("java", 1, 50), stat("java", 1, 60));
        let mut all = files(&[("/proc/7/stat", &one), ("/proc/8/stat", &other), ("/run/shop.pid", "7\n")]);
        let mut found = by(By::PidFile("/run/shop.pid".into()));
        assert_eq!((found.find(&scan(&all), &all), pids(&found)), (Change::New, vec![7]));
        all.insert("/run/shop.pid".into(), " 8 \nmore".into());
        assert_eq!((found.find(&scan(&all), &all), pids(&found)), (Change::New, vec![8]));
        for nonsense in ["", "-1", "99999999999", "7x", "x"] {
            all.insert("/run/shop.pid".into(), nonsense.into());
            found.find(&scan(&all), &all);
            assert_eq!(pids(&found), Vec::<u32>::new(), "{nonsense}");
        }
    }
}
