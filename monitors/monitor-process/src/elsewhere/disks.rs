//! On which disks instances of another machine keep their data, in three questions at most, however many instances there
//! are.
//!
//! Of what the other machine answered only numbers go into a later question, and the name of one device, in quotes and only
//! if they hold it. What the answers mean is [`crate::disk`]'s.

use crate::disk::{self, Descriptor, Device, Mount, Written};
use contract::FactKind;
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes of a question, which a pipe of 64 KiB has to hold. A longer one is not asked.
const QUESTION_BYTES_MAX: usize = 60 * 1024;

/// Processes that are asked about, of all instances together: with ids of ten digits 44 KiB.
const PROCESSES_MAX: usize = 4096;

/// Files that one process of `stat` and one of `grep` look at there: neither one process for each, nor a line as long as all
/// of them.
const CHUNK: usize = 500;

/// Longest name of a device that is asked about.
const SOURCE_BYTES_MAX: usize = 255;

/// Where the kernel tells of devices.
const SYS: &str = "/sys";

/// The facts of each instance, from its processes. `ask` has the answer to a question, or none.
pub(super) fn captured(
    instances: &[Vec<u32>],
    ask: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<Vec<(FactKind, String)>> {
    captured_below(SYS, instances, ask)
}

fn captured_below(
    sys: &str,
    instances: &[Vec<u32>],
    ask: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<Vec<(FactKind, String)>> {
    let mut bounded = |question: &str| if question.len() <= QUESTION_BYTES_MAX { ask(question) } else { None };
    let found = disks(sys, instances, &mut bounded).unwrap_or_default();
    let mut all = vec![Vec::new(); instances.len()];
    for Found { number, mount, disk, .. } in found {
        all[number] = disk::facts_of(disk, mount);
    }
    all
}

/// What was found of an instance.
struct Found {
    /// Its place among all of them.
    number: usize,
    device: Device,
    file: Descriptor,
    mount: Option<Mount>,
    disk: Option<Vec<(FactKind, String)>>,
}

/// Those of which there is something to tell; `None` without an answer.
fn disks(sys: &str, instances: &[Vec<u32>], ask: &mut dyn FnMut(&str) -> Option<String>) -> Option<Vec<Found>> {
    let answer = ask(&which_files(instances)?)?;
    let mut found = written(instances, &remote::files(&answer));
    if found.is_empty() {
        return None;
    }
    let answer = ask(&which_disks(sys, &found))?;
    let files = remote::files(&answer);
    let mounts = files.get("/proc/self/mountinfo").map_or("", String::as_str);
    for Found { number, device, mount, disk, .. } in &mut found {
        let link = files.get(key(*number, "link").as_str()).and_then(|text| text.lines().next()).unwrap_or_default();
        (*mount, *disk) = (disk::mount_of(mounts, *device, Path::new(link)), of_disk(&files, *number));
    }
    if let Some(question) = disks_of_mounts(sys, &found) {
        let answer = ask(&question).unwrap_or_default();
        let files = remote::files(&answer);
        for one in found.iter_mut().filter(|one| one.disk.is_none()) {
            one.disk = of_disk(&files, one.number);
        }
    }
    Some(found)
}

/// Asks for the regular files that processes have open: device number and size, and how they are open. The shell sorts out
/// the sockets by itself. `None` without processes.
fn which_files(instances: &[Vec<u32>]) -> Option<String> {
    let asked: Vec<_> = instances.iter().filter(|pids| !pids.is_empty()).collect();
    let count = Some(asked.len()).filter(|count| *count > 0)?;
    let (descriptors, processes) = (disk::DESCRIPTORS_MAX / count, PROCESSES_MAX / count);
    let of_one = |pids: &&Vec<u32>| {
        let pids: String = pids.iter().take(processes).map(|pid| format!(" {pid}")).collect();
        format!("of{pids}; ")
    };
    let all: String = asked.iter().map(of_one).collect();
    // In a shell of its own, which leaves no variable behind. The file `/dev/null` makes `grep` name the others.
    Some(format!(
        "( look() {{ [ $c -gt 0 ] || return; stat -L -c '%n:%d %s' $f; grep -s '^flags:' /dev/null $i; c=0 f= i=; }}; \
         of() {{ n=0; for p in \"$@\"; do for l in /proc/$p/fd/*; do [ $n -lt {descriptors} ] || break 2; n=$((n+1)); \
         [ -f \"$l\" ] || continue; f=\"$f $l\" i=\"$i /proc/$p/fdinfo/${{l##*/}}\" c=$((c+1)); \
         [ $c -lt {CHUNK} ] || look; done; done; }}; c=0 f= i=; {all}look )"
    ))
}

/// Of each instance the device on which most of its data is.
fn written(instances: &[Vec<u32>], files: &BTreeMap<&str, String>) -> Vec<Found> {
    let mut written: Vec<Written> = instances.iter().map(|_| Written::default()).collect();
    let mut of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, pids) in instances.iter().enumerate() {
        pids.iter().for_each(|pid| of.entry(*pid).or_default().push(number));
    }
    for (path, text) in files {
        let Some(descriptor) = descriptor(path) else { continue };
        let info = || files.get(descriptor.info().as_str()).cloned();
        for number in of.get(&descriptor.pid).into_iter().flatten() {
            written[*number].add(descriptor, info, || numbers(text));
        }
    }
    let most = written.into_iter().map(Written::most).enumerate();
    let found = |(number, most): (usize, Option<(Device, Descriptor)>)| {
        most.map(|(device, file)| Found { number, device, file, mount: None, disk: None })
    };
    most.filter_map(found).collect()
}

/// The descriptor that `/proc/PID/fd/N` is.
fn descriptor(path: &str) -> Option<Descriptor> {
    let (pid, number) = path.strip_prefix("/proc/")?.split_once("/fd/")?;
    Some(Descriptor { pid: pid.parse().ok()?, number: number.parse().ok()? })
}

/// Two numbers on the first line: of a process of two instances there are two lines.
fn numbers(text: &str) -> Option<(u64, u64)> {
    let (device, bytes) = text.lines().next()?.split_once(' ')?;
    Some((device.parse().ok()?, bytes.parse().ok()?))
}

/// Asks for what is mounted, and for each instance's disk, where its device is one.
fn which_disks(sys: &str, found: &[Found]) -> String {
    let of_one = |Found { number, device: (major, minor), file, .. }: &Found| {
        format!("of {number} {} {major}:{minor}; ", file.link())
    };
    let all: String = found.iter().map(of_one).collect();
    // The name of a file may have several lines, of which the first has all that counts: where the file is.
    format!(
        "( {}of() {{ {{ readlink $2 | {{ IFS= read -r l; printf 'link:%s\\n' \"$l\"; }}; \
         cd -P {sys}/dev/block/$3 && look; }} | each $1; }}; grep -s '' /dev/null /proc/self/mountinfo; {all})",
        functions()
    )
}

/// Asks for the disks of those whose device is none: each of a file system of several disks, by what it is mounted from.
/// `None` where there are no such ones.
fn disks_of_mounts(sys: &str, found: &[Found]) -> Option<String> {
    let of_one = |Found { number, mount, .. }: &Found| {
        let source = mount.as_ref()?.device_file().filter(|source| is_plain(source))?;
        Some(format!("of {number} '{source}'; "))
    };
    let all: String = found.iter().filter(|one| one.disk.is_none()).filter_map(of_one).collect();
    // `stat` prints the two parts of the number in base 16.
    (!all.is_empty()).then(|| {
        format!(
            "( {}of() {{ stat -L -c '%t %T' \"$2\" | {{ read -r a b && cd -P \"{sys}/dev/block/$((0x$a)):$((0x$b))\" && \
             look; }} | each $1; }}; {all})",
            functions()
        )
    })
}

/// Whether a name means itself between single quotes.
fn is_plain(name: &str) -> bool {
    name.len() <= SOURCE_BYTES_MAX && !name.contains('\'') && !name.chars().any(char::is_control)
}

/// `look` prints what there is of the disk in whose folder it is, and of the one of which that is a part; `each` puts the
/// number of an instance in front of lines, so that they are those of files of [`key`]. Paths in `/sys` have colons in them,
/// so none stands before one.
fn functions() -> String {
    let texts: String = disk::TEXTS.iter().map(|text| format!(" {text} ../{text}")).collect();
    let slaves = disk::SLAVES;
    format!(
        "look() {{ printf 'folder:%s\\n' \"$PWD\"; grep -s '' /dev/null partition{texts}; \
         for l in {slaves}/* ../{slaves}/*; do [ ! -h \"$l\" ] || printf '%s:%s\\n' \"${{l%/*}}\" \"${{l##*/}}\"; done; }}; \
         each() {{ while IFS= read -r l; do printf '/%s/%s\\n' \"$1\" \"$l\"; done; }}; "
    )
}

/// Under which name an answer has something of an instance.
fn key(number: usize, path: &str) -> String {
    format!("/{number}/{path}")
}

/// The facts of an instance's disk; `None` where none was found.
fn of_disk(files: &BTreeMap<&str, String>, number: usize) -> Option<Vec<(FactKind, String)>> {
    let text = |path: &str| files.get(key(number, path).as_str());
    let folder = text("folder")?.lines().next().filter(|folder| folder.starts_with('/'))?;
    let list = |path: &str| text(path).into_iter().flat_map(|names| names.lines()).map(str::to_owned).collect();
    Some(disk::of_disk(Path::new(folder), &|path| text(path).cloned(), &list))
}

/// Takes a text for every answer, and leaves the result: what is asked next has nothing of it that the shell would run.
#[cfg(any(test, feature = "fuzz"))]
pub(crate) fn parsed(text: &str) {
    let mut asked = 0;
    let all = captured(&[vec![1, 2], vec![2, 101]], &mut |question| {
        asked += 1;
        assert!(question.len() < 64 * 1024 && !question.chars().any(char::is_control), "{question:?}");
        Some(text.to_owned())
    });
    assert!(asked <= 3 && all.len() == 2);
    for (_, value) in all.iter().flatten() {
        assert!(value.chars().count() < 1000 && !value.chars().any(char::is_control), "{value:?}");
    }
}

#[cfg(test)]
mod tests;
