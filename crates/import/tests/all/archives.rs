//! Archives: each file's fate is told, and what nobody should unpack is refused.

use crate::judged::{Lab, jtl, judged, verdicts};
use flate2::Compression;
use flate2::write::GzEncoder;
use import::{Kind, Source};
use std::io::Write as _;
use terms::Verdict;

/// A member of a tar archive.
fn member(path: &str, content: &[u8], kind: u8) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..path.len()].copy_from_slice(path.as_bytes());
    header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let padding = vec![0; content.len().next_multiple_of(512) - content.len()];
    [header, content.to_vec(), padding].concat()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn archive(lab: &Lab, bytes: &[u8]) -> [Source; 1] {
    [Source { kind: Kind::Archive, instance: None, path: lab.write("minlog_plan_1_host.tar.gz", bytes) }]
}

const RULES: &str = "  slow: p95(home_page.response) < 60ms\n";

#[test]
fn kinds_are_told_and_the_fate_of_each_file_is_listed() {
    let lab = Lab::new();
    let bytes = [
        member("run/", b"", b'5'),
        member("run/master/results.jtl.gz", &packed(jtl(60).as_bytes()), b'0'),
        member("run/notes.txt", b"started late\n", b'0'),
        member("run/empty.log", b"", b'0'),
        member("run/docker01/access.log", b"1 - - [26/Nov/2026:10:58:00 +0000] \"GET / HTTP/1.1\" 200 5\n", b'0'),
        member("run/broken.jtl", b"timeStamp,elapsed_time\n1,2\n", b'0'),
        vec![0; 1024],
    ]
    .concat();
    let imported = lab.import_all(&archive(&lab, &packed(&bytes)), RULES, |_| {}).unwrap();
    assert_eq!(imported.calls, 600);
    let fate: Vec<(&str, &str, &str)> = imported
        .head
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.kind.as_str(), file.left_out.as_str()))
        .collect();
    assert_eq!(fate[0], ("minlog_plan_1_host.tar.gz", "archive", ""));
    assert_eq!(fate[1], ("minlog_plan_1_host.tar.gz: run/master/results.jtl.gz", "jtl", ""));
    for (place, why) in [(2, "of no kind"), (3, "is empty"), (4, "as the server saw them"), (5, "names no column")] {
        assert!(fate[place].2.contains(why), "{why}: {:?}", fate[place]);
    }
    assert_eq!(imported.study.title.in_language("en"), "JMeter: minlog_plan_1_host.tar.gz");
    assert_eq!(verdicts(&judged(&imported)), [("slow", Verdict::NotMet)]);
}

#[test]
fn one_that_breaks_off_is_read_up_to_there() {
    let lab = Lab::new();
    let bytes = [member("a.jtl", jtl(60).as_bytes(), b'0'), vec![0; 1024]].concat();
    let imported = lab.import_all(&archive(&lab, &bytes[..bytes.len() / 2]), RULES, |_| {}).unwrap();
    assert!((250..350).contains(&imported.calls), "{}", imported.calls);
    let [whole, file] = &imported.head.files[..] else { panic!("{:?}", imported.head.files) };
    assert!(whole.examples[0].why.contains("breaks off behind 1 file: "), "{whole:?}");
    assert!(file.examples.iter().any(|line| line.why.contains("the file breaks off")), "{file:?}");
}

#[test]
fn what_nobody_should_unpack_is_refused_and_nothing_is_left() {
    let lab = Lab::new();
    let good = member("a.jtl", jtl(5).as_bytes(), b'0');
    // Nothing packs better than zeros: a thousand to one.
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&[good.clone(), member("zeros", &vec![0; 100 << 20], b'0')].concat()).unwrap();
    let bomb = bomb.finish().unwrap();
    let inner = packed(&vec![b'0'; 1 << 20]);
    for (bytes, why) in [
        (packed(&[good.clone(), member("/etc/passwd", b"x", b'0')].concat()), "an absolute path"),
        (packed(&[good.clone(), member("../a", b"x", b'0')].concat()), "leaves its folder"),
        (packed(&[good.clone(), member("link", b"", b'2')].concat()), "a link"),
        (packed(&[good.clone(), member("null", b"", b'3')].concat()), "a device"),
        (packed(&[good.clone(), member("inner.tar", &good, b'0')].concat()), "holds an archive"),
        (packed(&[good.clone(), member("inner.zip", b"PK\x03\x04", b'0')].concat()), "holds an archive"),
        (bomb, "which no log does"),
        (packed(&[good.clone(), member("access.log.gz", &inner, b'0')].concat()), "`--format"),
        (b"nothing of the kind".to_vec(), "cannot be read"),
        (packed(&[0; 1024]), "holds no file"),
        (b"PK\x03\x04rest".to_vec(), "is a zip"),
        (packed(&[good.clone(), good.clone()].concat()), "holds two files at `a.jtl`"),
        (packed(&[good.clone(), member("b.jtl.gz", &packed(jtl(5).as_bytes()), b'0')].concat()), "hold the same bytes"),
    ] {
        let change = |_: &mut import::Request<'_>| {};
        let outcome = lab.import_all(&archive(&lab, &bytes), RULES, change);
        if why == "`--format" {
            // Left out beside the calls of a tool, so that nobody unpacks it.
            assert_eq!(outcome.unwrap().calls, 50);
            std::fs::remove_dir_all(lab.path("run")).unwrap();
            continue;
        }
        let refused = outcome.map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(why), "{why}: {refused}");
        assert!(!lab.path("run").exists());
    }
}
