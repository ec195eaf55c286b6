//! The questions, asked of the shells of this machine, and what becomes of answers that nobody should believe.

use super::*;
use crate::facts;
use proptest::prelude::*;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

/// A shell, and the folder of the only programs that it finds; none where those are the machine's own.
struct Shell(PathBuf, Option<tempfile::TempDir>);

impl Shell {
    /// The machine's own, and that of busybox where there is one.
    fn all() -> Vec<Self> {
        let mut all = vec![Self("sh".into(), None)];
        let folder = tempfile::tempdir().unwrap();
        match Command::new("busybox").arg("--install").arg("-s").arg(folder.path()).status() {
            Ok(status) if status.success() => all.push(Self(folder.path().join("sh"), Some(folder))),
            _ => eprintln!("not tried with busybox: type `apt-get install busybox`"),
        }
        all
    }

    /// As `remote` asks: without input, and with what is printed as an error left out.
    fn ask(&self, question: &str) -> String {
        let mut command = Command::new(&self.0);
        self.1.iter().for_each(|folder| _ = command.env("PATH", folder.path()));
        let line = format!("{{ {question}\n}} 2>/dev/null </dev/null");
        let output = command.args(["-c", &line]).env("LC_ALL", "C").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

fn words(found: &[(FactKind, String)]) -> Vec<(&'static str, String)> {
    found.iter().map(|(kind, value)| (kind.name, value.clone())).collect()
}

/// A file larger than whatever else the test program may have open.
fn large(path: &Path) -> File {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = File::create(path).unwrap();
    file.set_len(1 << 30).unwrap();
    file
}

/// Answers the questions by their order; how many were asked.
fn answered(answers: &[&str], instances: &[Vec<u32>]) -> (Vec<Vec<(FactKind, String)>>, Vec<String>) {
    let mut asked = Vec::new();
    let found = captured(instances, &mut |question| {
        asked.push(question.to_owned());
        answers.get(asked.len() - 1).map(|answer| (*answer).to_owned())
    });
    (found, asked)
}

const OPEN: &str = "/proc/7/fd/9:2065 100\n/proc/7/fdinfo/9:flags:\t0100002\n";

#[test]
fn a_shell_tells_what_is_read_here() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    // The second line of its name pretends to be a mount, at the very place.
    let lie = folder.path().join("a\n/proc/self/mountinfo:1 1 0:1 / / rw - lie lie\n");
    let _file = large(&lie);
    let _others: Vec<File> = (0..9).map(|_| File::open("/proc/self/exe").unwrap()).collect();
    let own = vec![std::process::id()];
    let here = words(&disk::captured(&own));
    assert!(here.iter().any(|(name, _)| *name == facts::FILE_SYSTEM.name), "{here:?}");
    for shell in Shell::all() {
        // Several processes of `stat` and `grep`, as with hundreds of files.
        let per_process = |count: usize| format!("[ $c -lt {count} ]");
        let question = which_files(std::slice::from_ref(&own)).unwrap();
        let question = question.replace(&per_process(CHUNK), &per_process(3));
        assert!(question.contains(&per_process(3)));
        let answer = shell.ask(&question);
        let files = remote::files(&answer);
        let open = files.keys().filter_map(|path| descriptor(path));
        let told = open.filter(|one| files.contains_key(one.info().as_str())).count();
        assert!(told > 9, "{told}: {answer}");
        let mut asked = 0;
        let instances = [own.clone(), Vec::new(), vec![u32::MAX], own.clone()];
        let found = captured(&instances, &mut |question| {
            asked += 1;
            Some(shell.ask(question))
        });
        assert!(asked == 2 || asked == 3, "{asked}");
        assert_eq!(words(&found[0]), here);
        assert_eq!(words(&found[3]), here, "a process of two instances is one of both");
        assert!(found[1].is_empty() && found[2].is_empty());
    }
}

/// Folders as in `/sys`: a partition of a disk behind a bus whose address has colons, and a device made of two others.
fn sys() -> tempfile::TempDir {
    let sys = tempfile::tempdir().unwrap();
    let at = |path: &str| sys.path().join(path);
    let (disk, mapped) = ("devices/pci0000:00/0000:00:1f.2/block/sdb", "devices/virtual/block/dm-0");
    for (path, text) in [
        (format!("{disk}/sdb1/partition"), "1\n"),
        (format!("{disk}/sdb1/size"), "2048\n"),
        (format!("{disk}/size"), "1953525168\n"),
        (format!("{disk}/device/model"), "WDC \\WD10: x  \n"),
        (format!("{disk}/queue/rotational"), "1\n"),
        (format!("{disk}/queue/scheduler"), "none [mq-deadline] kyber\n"),
        (format!("{mapped}/dm/name"), "vg-data\n"),
        (format!("{mapped}/size"), "536870912\n"),
        (format!("{mapped}/queue/rotational"), "0\n"),
    ] {
        std::fs::create_dir_all(at(&path).parent().unwrap()).unwrap();
        std::fs::write(at(&path), text).unwrap();
    }
    for folder in [format!("{mapped}/slaves"), "dev/block".to_owned()] {
        std::fs::create_dir_all(at(&folder)).unwrap();
    }
    // 1:3 is the number of `/dev/null`, in place of a disk that a test machine may lack.
    for (link, to) in [("8:17", format!("{disk}/sdb1")), ("253:0", mapped.to_owned()), ("1:3", mapped.to_owned())] {
        symlink(at(&to), at(&format!("dev/block/{link}"))).unwrap();
    }
    for name in ["sdc", "sda2"] {
        symlink(at(disk), at(&format!("{mapped}/slaves/{name}"))).unwrap();
    }
    sys
}

#[test]
fn a_disk_is_that_of_its_part_or_that_which_a_file_system_is_mounted_from() {
    let sys = sys();
    let below = sys.path().to_str().unwrap();
    let rotating = [
        ("disk", "sdb1 of sdb, WDC \\WD10: x, 931.5 GiB".to_owned()),
        ("kind of disk", facts::ROTATING.to_owned()),
        ("disk scheduler", "mq-deadline".to_owned()),
    ];
    let mapped = [
        ("disk", "dm-0, `vg-data`, 256.0 GiB, on sda2 and sdc".to_owned()),
        ("kind of disk", facts::STEADY.to_owned()),
    ];
    for shell in Shell::all() {
        let mut asked = 0;
        let instances = [vec![7], vec![8], vec![9], vec![10]];
        let found = captured_below(below, &instances, &mut |question| {
            asked += 1;
            let written =
                |pid: u32, device: u64| format!("/proc/{pid}/fd/9:{device} 1\n/proc/{pid}/fdinfo/9:flags:\t0100002\n");
            Some(match asked {
                // Device numbers as `stat` prints them: 8:17, 253:0, and two that no block device has.
                1 => written(7, 0x811) + &written(8, 0xfd00) + &written(9, 0x2c) + &written(10, 0x2d),
                2 => {
                    let mounts = "/proc/self/mountinfo:33 31 0:44 / /pool rw - btrfs /dev/null rw\n\
                        /proc/self/mountinfo:34 31 0:45 / /tmp rw - tmpfs tmpfs rw\n";
                    shell.ask(question) + mounts
                }
                _ => shell.ask(question),
            })
        });
        assert_eq!(asked, 3);
        assert_eq!(words(&found[0]), rotating);
        assert_eq!(words(&found[1]), mapped);
        assert_eq!(words(&found[2]), [mapped.as_slice(), &[("file system", "btrfs".to_owned())]].concat());
        assert_eq!(words(&found[3]), [("file system", "tmpfs".to_owned())]);
    }
}

#[test]
fn what_may_not_be_seen_is_not_there() {
    let instances = [vec![7]];
    assert_eq!(answered(&[], &instances).1.len(), 1, "no answer");
    assert_eq!(answered(&[""], &instances).1.len(), 1, "no rights");
    assert_eq!(answered(&[OPEN, ""], &instances), (vec![Vec::new()], answered(&[OPEN, ""], &instances).1));
    assert_eq!(answered(&[], &[]), (Vec::new(), Vec::new()), "no processes to ask about");
    assert_eq!(answered(&[], &[Vec::new()]).1.len(), 0);
}

#[test]
fn only_numbers_and_quoted_devices_of_an_answer_are_asked_about() {
    let instances = [vec![7]];
    let mounted = |source: &str| format!("/proc/self/mountinfo:31 27 8:17 / /data rw - xfs {source} rw\n");
    for source in
        ["/dev/x';reboot;'", "/dev/$(reboot)\u{7}", "tmpfs", "../dev/sda", &format!("/dev/{}", "x".repeat(300))]
    {
        let (found, asked) = answered(&[OPEN, &mounted(source)], &instances);
        assert_eq!(asked.len(), 2, "{source}");
        assert_eq!(words(&found[0]), [("file system", "xfs".to_owned())]);
    }
    let (_, asked) = answered(&[OPEN, &mounted("/dev/$(touch\\040x)")], &instances);
    assert!(asked[2].contains("of 0 '/dev/$(touch\\040x)'; "), "{}", asked[2]);
    for lie in [
        // Of processes that nobody asked about, of standard streams, and of numbers that are none.
        "/proc/8/fd/9:2065 100\n/proc/8/fdinfo/9:flags:\t0100002\n",
        "/proc/7/fd/2:2065 100\n/proc/7/fdinfo/2:flags:\t0100002\n",
        "/proc/7/fd/9:2065 100\n/proc/7/fdinfo/9:flags:\t0100000\n",
        "/proc/7/fd/9;reboot:2065 100\n/proc/7/fdinfo/9;reboot:flags:\t0100002\n",
        "/proc/7/fd/9:$(reboot) 100\n/proc/7/fdinfo/9:flags:\t0100002\n",
        "/proc/7/fd/9:2065 -1\n/proc/7/fdinfo/9:flags:\t0100002\n",
        "/proc/7/fd/99999999999:2065 1\n/proc/7/fdinfo/99999999999:flags:\t0100002\n",
    ] {
        assert_eq!(answered(&[lie], &instances).1.len(), 1, "{lie}");
    }
}

#[test]
fn what_is_told_of_a_disk_is_of_bounded_length() {
    let long = "x\u{1b}[31m".repeat(10_000);
    let slaves: String = (0..1000).map(|number| format!("/0/slaves:{number}{long}\n")).collect();
    let answer = format!(
        "/0/folder:/{long}\n/0/dm/name:{long}\n/0/device/model:{long}\n/0/size:{}\n/0/queue/scheduler:{long}\n{slaves}\
         /proc/self/mountinfo:31 27 8:17 / /data rw - {long} /dev/x rw\n",
        u64::MAX
    );
    let (found, asked) = answered(&[OPEN, &answer], &[vec![7]]);
    assert_eq!((asked.len(), found[0].len()), (2, 3));
    for (_, value) in &found[0] {
        assert!(value.chars().count() < 1000 && !value.chars().any(char::is_control), "{value}");
    }
}

#[test]
fn a_question_fits_into_a_pipe_however_many_processes_there_are() {
    let many: Vec<Vec<u32>> = (0..100).map(|_| (0..5000).map(|number| u32::MAX - number).collect()).collect();
    let question = which_files(&many).unwrap();
    assert!(question.len() < QUESTION_BYTES_MAX, "{}", question.len());
    assert!(question.contains("-lt 200 ]"), "they share what is looked at: {}", &question[..400]);
    assert!(answered(&[], &many[..1]).1[0].len() < QUESTION_BYTES_MAX);
    // Of more instances than a question has room for, nothing is told.
    let open: String = (0..5000).map(|pid| OPEN.replace("/7/", &format!("/{pid}/"))).collect();
    let each: Vec<Vec<u32>> = (0..5000).map(|pid| vec![pid]).collect();
    let (found, asked) = answered(&[&open, ""], &each);
    assert!(asked.len() <= 1 && found.iter().all(Vec::is_empty));
}

proptest! {
    #[test]
    fn whatever_is_answered_is_bounded_and_nothing_of_it_is_run(
        parts in prop::collection::vec(
            prop_oneof![
                "/proc/[12]/fd/[0-9]{1,2}:[0-9]{1,5} [0-9]{1,5}\n",
                "/proc/[12]/fdinfo/[0-9]{1,2}:flags:\t0[0-7]{1,8}\n",
                "/proc/self/mountinfo:1 1 [0-9]:[0-9] / /[a-z]{0,2} rw - \\PC{0,9} /dev/\\PC{0,9} rw\n",
                "/[01]/(folder|link|slaves|size|partition|\\.\\./size|queue/scheduler):\\PC{0,9}\n",
                "(?s).{0,20}",
            ],
            0..30,
        )
    ) {
        parsed(&parts.concat());
    }
}
