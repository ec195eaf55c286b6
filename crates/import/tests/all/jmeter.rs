//! Rows of JMeter that are no calls of their own, in either form of its files.

use crate::judged::{Lab, judged};
use import::{Imported, Kind, Source};
use std::fmt::Write as _;

const RULES: &str = "  fast: p95(home.response) < 1s\n";
const BEGIN_MS: u64 = 1_795_690_680_000;
const MESSAGE: &str = "Number of samples in transaction : 1, number of failing samples : 0";
/// How often each thread goes through its loop.
const LOOPS: u64 = 100;

/// What three threads leave that follow a redirect of `Home` within the transaction `Visit`, in the middle of which they
/// end; and call `Step` and then `Step-0`, as somebody has named them.
fn csv() -> String {
    let mut rows: Vec<(u64, String)> = Vec::new();
    for thread in 0..3 {
        let mut add = |at: u64, took: u64, label: &str, told: &str, bytes: u64, parts: &str| {
            rows.push((at + took, format!("{at},{took},{label},{told},true,{bytes},T 1-{thread}\n{parts}")));
        };
        for turn in 0..LOOPS {
            let at = BEGIN_MS + thread * 37 + turn * 500;
            let parts = format!(
                "{at},20,Home-0,302,Found,http://x/,text,true,300,T 1-{thread}\n\
                 {},39,Home-1,200,OK,http://x/,text,true,600,T 1-{thread}\n",
                at + 21
            );
            add(at, 60, "Home", "200,OK,http://x/,text", 900, &parts);
            add(at + 100, 30, "Step", "200,OK,http://x/,text", 500, "");
            add(at + 130, 40, "Step-0", "200,OK,http://x/,text", 500, "");
            if turn + 1 < LOOPS {
                add(at, 170, "Visit", &format!("200,\"{MESSAGE}\",null,"), 1900, "");
            } else {
                add(at, 80, "Visit", "200,,null,", 900, "");
            }
        }
    }
    rows.sort();
    let rows: String = rows.into_iter().map(|(_, row)| row).collect();
    format!("timeStamp,elapsed,label,responseCode,responseMessage,URL,dataType,success,bytes,threadName\n{rows}")
}

/// The same of one thread, whose transactions hold their samples.
fn xml() -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n".to_owned();
    for turn in 0..LOOPS {
        let at = BEGIN_MS + turn * 500;
        let message = if turn + 1 < LOOPS { MESSAGE } else { "" };
        writeln!(
            text,
            "<sample t=\"170\" ts=\"{at}\" s=\"true\" lb=\"Visit\" rc=\"200\" rm=\"{message}\" dt=\"\">\n\
             <httpSample t=\"60\" ts=\"{at}\" s=\"true\" lb=\"Home\" rc=\"200\" rm=\"OK\" dt=\"text\">\n\
             <httpSample t=\"20\" ts=\"{at}\" s=\"true\" lb=\"Home-0\" rc=\"302\" rm=\"Found\" dt=\"text\"/>\n\
             </httpSample>\n</sample>"
        )
        .unwrap();
    }
    text + "</testResults>\n"
}

fn labels(imported: &Imported) -> Vec<&str> {
    imported.labels.iter().map(|(_, label)| label.as_str()).collect()
}

#[test]
fn parts_and_sums_that_were_not_finished_are_no_calls() {
    let lab = Lab::new();
    let source =
        |kind, name: &str, text: String| Source { kind, instance: None, path: lab.write(name, text.as_bytes()) };
    let imported = lab.import_all(&[source(Kind::Jtl, "a.jtl", csv())], RULES, |_| {}).unwrap();
    assert_eq!(labels(&imported), ["Home", "Step", "Step-0"]);
    // Two parts of each call of `Home`, and a sum of each loop.
    assert_eq!((imported.calls, imported.head.files[0].nested), (9 * LOOPS, 9 * LOOPS));
    let remarks = imported.head.files[0].remarks.join("\n");
    assert!(remarks.contains("rows of `Home-0`, `Home-1` are parts of samples"), "{remarks}");
    assert!(remarks.contains("rows of `Visit` without a message are sums"), "{remarks}");
    let steps = judged(&imported).steps;
    assert_eq!(steps.iter().map(|step| step.books.intended).sum::<u64>(), 9 * LOOPS);

    std::fs::remove_dir_all(lab.path("run")).unwrap();
    let imported = lab.import_all(&[source(Kind::JtlXml, "a.xml", xml())], RULES, |_| {}).unwrap();
    // The last call of `Home` stands in a sum that was not finished.
    assert_eq!((labels(&imported), imported.calls, imported.head.files[0].nested), (vec!["Home"], LOOPS, 2 * LOOPS));
}

#[test]
fn unfinished_sums_within_each_other_are_seen_through() {
    let lab = Lab::new();
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n".to_owned();
    for (turn, message) in [(0, MESSAGE), (1, "")] {
        let at = BEGIN_MS + turn * 500;
        for sum in ["A", "B", "C", "D"] {
            writeln!(text, "<sample t=\"90\" ts=\"{at}\" s=\"true\" lb=\"{sum}\" rc=\"200\" rm=\"{message}\" dt=\"\">")
                .unwrap();
        }
        writeln!(text, "<httpSample t=\"60\" ts=\"{at}\" s=\"true\" lb=\"Home\" rc=\"200\" rm=\"OK\" dt=\"text\"/>")
            .unwrap();
        text += "</sample></sample></sample></sample>\n";
    }
    text += "</testResults>\n";
    let source = Source { kind: Kind::JtlXml, instance: None, path: lab.write("a.xml", text.as_bytes()) };
    let imported = lab.import_all(&[source], RULES, |_| {}).unwrap();
    assert_eq!((imported.calls, imported.head.files[0].nested), (2, 8));
}

#[test]
fn a_sampler_that_is_called_like_its_controller_is_one() {
    // Servers that send no reason, and answers without content, whose kind is not known.
    let lab = Lab::new();
    let mut text = "timeStamp,elapsed,label,responseCode,responseMessage,dataType,success,URL\n".to_owned();
    for turn in 0..LOOPS {
        let (at, code, success) = (BEGIN_MS + turn * 500, if turn % 5 == 0 { 500 } else { 204 }, turn % 5 != 0);
        writeln!(text, "{at},20,Home,{code},,,{success},http://x/").unwrap();
        writeln!(text, "{at},25,Home,,\"{MESSAGE}\",,{success},null").unwrap();
    }
    let import = |text: &str| {
        let _ = std::fs::remove_dir_all(lab.path("run"));
        let source = Source { kind: Kind::Jtl, instance: None, path: lab.write("a.jtl", text.as_bytes()) };
        let imported = lab.import_all(&[source], RULES, |_| {}).unwrap();
        (imported.calls, imported.failed)
    };
    assert_eq!(import(&text), (LOOPS, LOOPS / 5));
    // Without the address nothing is taken for granted.
    assert_eq!(import(&text.replace(",URL\n", ",X\n")), (LOOPS, LOOPS / 5));
}
