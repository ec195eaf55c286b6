//! No way to print may lose a run: outputs that are closed, full or never read.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, program, target, until};
use rustix::fs::{OFlags, fcntl_setfl};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::process::{Command, Output, Stdio};

fn study(address: std::net::SocketAddr, title: &str) -> String {
    format!(
        "study: {title}\nsystem: {{ name: shop }}\n\
         exchanges:\n  home: {{ http.get: {{ url: 'http://{address}/' }}, timeout: 2s }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 50/s, hold: 3s }}, run: [home] }}\n\
         requirements: {{ right: share(home.failed) <= 5% }}\n"
    )
}

/// A shell line in which `lp` is the command.
fn shell(place: &Place, line: &str) -> Output {
    let script = format!("lp() {{ {} \"$@\"; }}; {line}", program("loadproof").display());
    Command::new("bash").args(["-c", &script]).current_dir(place.path()).stdin(Stdio::null()).output().expect("bash")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn assert_whole(place: &Place, run: &str, told: &str) {
    for file in ["evidence/manifest.json", "result.json", "report.html"] {
        assert!(place.path().join(run).join(file).exists(), "{run} has no {file}: {told}");
    }
}

#[test]
fn a_run_outlives_every_output() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "Outputs"));
    for (number, around) in [
        "lp run study.yaml --out RUN --json 2>&1 | head -1",
        "lp run study.yaml --out RUN --json >/dev/full",
        "lp run study.yaml --out RUN 2>/dev/full",
        "lp run study.yaml --out RUN >&- 2>&-",
        "lp run study.yaml --out RUN 2>&1 | true",
        "lp run study.yaml --out RUN --json >/dev/full 2>/dev/full",
    ]
    .into_iter()
    .enumerate()
    {
        let run = format!("run{number}");
        let line = format!("{}; echo \"${{PIPESTATUS[0]}}\" >code", around.replace("RUN", &run));
        let ran = shell(&place, &line);
        let told = format!("{around}: {}{}", text(&ran.stdout), text(&ran.stderr));
        let code = std::fs::read_to_string(place.path().join("code")).expect("a code");
        assert_whole(&place, &run, &told);
        assert!(["0", "1", "3"].contains(&code.trim()), "{code} {told}");
        // What a program asked for and did not get is not a success.
        assert!(!around.contains("--json") || code.trim() != "0", "{told}");
    }
}

#[test]
fn what_was_asked_for_and_lost_is_told() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "Outputs"));
    let lost = "cannot write to standard output";
    for line in ["lp schema >/dev/full", "lp schema >&-", "lp check study.yaml >/dev/full", "lp --help >/dev/full"] {
        let ran = shell(&place, line);
        assert_eq!(ran.status.code(), Some(3), "{line}: {}", text(&ran.stderr));
        assert!(text(&ran.stderr).contains(lost), "{line}: {}", text(&ran.stderr));
    }
    let ran = shell(&place, "lp schema >/dev/null");
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    // Who has read enough of what is for people has lost nothing.
    for line in
        ["lp check study.yaml | true", "lp --help | true", "lp --help | head -1", "lp check study.yaml | head -1"]
    {
        let ran = shell(&place, &format!("{line}; exit ${{PIPESTATUS[0]}}"));
        assert_eq!(ran.status.code(), Some(0), "{line}: {}", text(&ran.stderr));
        assert!(!text(&ran.stderr).contains(lost), "{line}");
    }
    let ran = shell(&place, "lp run none.yaml 2>/dev/full");
    assert_eq!(ran.status.code(), Some(2));
    let ran = shell(&place, "lp --nonsense 2>&-");
    assert_eq!(ran.status.code(), Some(2));
}

/// A pipe that takes not a byte more until somebody reads.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    fcntl_setfl(&writer, OFlags::NONBLOCK).expect("it is ours");
    while writer.write(b".").is_ok() {}
    fcntl_setfl(&writer, OFlags::empty()).expect("it is ours");
    (reader, writer)
}

#[test]
fn a_reader_that_stands_still_holds_up_no_run() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "Outputs"));
    let (mut reader, writer) = full_pipe();
    let mut command = Command::new(program("loadproof"));
    command.args(["run", "study.yaml", "--out", "run", "--json"]).current_dir(place.path()).stdin(Stdio::null());
    command.stdout(writer.try_clone().expect("a copy")).stderr(writer);
    let mut child = command.spawn().expect("it starts");
    // The command has the writing ends, too.
    drop(command);
    // Nobody reads, and still the run is sealed and reported.
    assert!(until(60, || place.path().join("run/report.html").exists()), "the run stands still");
    assert_whole(&place, "run", "");
    let mut told = String::new();
    reader.read_to_string(&mut told).expect("text");
    assert!(told.contains("loadproof/result/1") && told.contains("report: "), "who reads late gets all of it");
    let code = child.wait().expect("it ends").code();
    assert!([Some(0), Some(1), Some(3)].contains(&code), "{code:?}");
}

#[test]
fn names_move_no_terminal() {
    let target = target("target-echo", &["--errors", "50%"]);
    let place = Place::new();
    let title = r#""Shop \e[2J\e]0;owned\a\u009b31m \e[8mhidden""#;
    place.file("study.yaml", &study(target.address(), title));
    for arguments in [&["check", "study.yaml"][..], &["run", "study.yaml", "--out", "run"], &["judge", "run"]] {
        let ran = place.loadproof(arguments);
        for (name, told) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
            let control = told.chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(control, None, "{arguments:?} {name}: {told}");
        }
        assert!((ran.stdout + &ran.stderr).contains("Shop"), "the name is shown");
    }
    // Nor does the command line itself.
    let ran = place.loadproof(&["check", "no\x1b[2J.yaml"]);
    assert!(!ran.stderr.contains('\x1b'), "{}", ran.stderr);
    let ran = place.loadproof(&["--no\x1b[2J"]);
    assert!(!ran.stderr.contains('\x1b'), "{}", ran.stderr);
}
