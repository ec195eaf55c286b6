//! A whole run without a screen, against a simulated system. A program of its own: signals are this process's.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use common::prepared;
use record::{RecordError, Run};
use run::{News, Observer, RunError, RunRequest, conduct};
use std::path::Path;
use std::sync::Mutex;

const STUDY: &str = "
study: a small run
system: { name: simulated }
exchanges:
  call: { simulated.call: { service: 2ms } }
scenarios:
  only: { load: { arrivals: 30/s, hold: 2s }, run: [call] }
";

/// What was heard: what it was, and how much the books of the last second held.
#[derive(Default)]
struct Heard(Mutex<(Vec<String>, u64)>);

impl Observer for Heard {
    fn hear(&self, news: News<'_>) {
        let mut heard = self.0.lock().unwrap();
        match news {
            News::Second { figures, .. } => heard.1 = figures.books.intended,
            News::Folder(path) => heard.0.push(format!("folder {}", path.display())),
            News::FolderGone => heard.0.push("folder gone".into()),
            News::Answers(instance) => heard.0.push(format!("answers {}", instance.name)),
            News::Warning(text)
            | News::Waiting(text)
            | News::Instance(text)
            | News::Attempt(text)
            | News::Stopping(text) => {
                heard.0.push(text.to_owned());
            }
        }
    }
}

fn wanted(out: &Path) -> RunRequest {
    RunRequest {
        out: Some(out.to_owned()),
        threads: Some(1),
        name: "small".into(),
        ceiling: None,
        trial: run::nodes::Trial::default(),
        call: None,
    }
}

#[test]
fn a_run_leaves_a_sealed_folder_and_tells_what_it_does() {
    let folder = std::env::temp_dir().join(format!("loadproof-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (out, heard) = (folder.join("run"), Heard::default());
    let path = conduct(&prepared(STUDY), &wanted(&out), &heard).unwrap();
    assert_eq!(path, out);
    let run = Run::open(&path).unwrap();
    assert!(run.is_sealed());
    assert_eq!(run.head.ending.as_ref().map(|ending| ending.reason.as_str()), Some("completed"));
    assert_eq!(run.head.workers, 1);
    let (said, intended) = heard.0.into_inner().unwrap();
    assert_eq!(said, [format!("folder {}", out.display())]);
    assert!((1..=60).contains(&intended), "the screen sees the load while it goes on: {intended}");
    // The same folder is refused, and stays what it was.
    let again = conduct(&prepared(STUDY), &wanted(&out), &Heard::default());
    assert!(matches!(again, Err(RunError::Folder(RecordError::Exists { .. }))));
    assert!(Run::open(&path).unwrap().is_sealed());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_system_that_does_not_start_leaves_no_folder_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (out, heard) = (folder.path().join("run"), Heard::default());
    // It ends at once.
    let study = STUDY.replace("{ name: simulated }", "{ name: gone, start: /bin/false, ready: none, identity: none }");
    let refused = conduct(&prepared(&study), &wanted(&out), &heard);
    assert!(refused.is_err() && !out.exists());
    let said = heard.0.into_inner().unwrap().0;
    assert_eq!((said.first(), said.last()), (Some(&format!("folder {}", out.display())), Some(&"folder gone".into())));
}
