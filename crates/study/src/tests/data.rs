//! Data files: what is read, and what is wrong with the others.

use super::fakes::load_in;
use crate::{Options, Rejected, load_tables};
use contract::Table;
use std::sync::Arc;

fn read(file: &str, content: &[u8], keys: &str) -> Result<Vec<Arc<Table>>, Rejected> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), content).unwrap();
    let text = format!(
        "study: Data\ndata: {{ users: {{ file: {file}{keys} }} }}
system: {{ name: shop, url: \"http://127.0.0.1:1\", identity: {{ expect: {{ a: b }} }} }}
exchanges: {{ look: {{ http.get: {{ url: \"$(shop.url)/$(users.id)\" }} }} }}
scenarios: {{ busy: {{ load: {{ arrivals: 5/s, hold: 5m }}, run: [look] }} }}\n"
    );
    let (study, _) = load_in(folder.path(), &text, &Options::default())?;
    load_tables(&study)
}

fn messages(result: Result<Vec<Arc<Table>>, Rejected>) -> String {
    let rejected = result.expect_err("the data file is wrong");
    rejected.mistakes.0.iter().map(|mistake| format!("{}\n", mistake.message)).collect()
}

#[test]
fn csv_with_quotes_and_a_mark_of_byte_order() {
    let tables = read("users.csv", "\u{feff}id, name\n1,\"a, b\"\n2,é\n".as_bytes(), "").unwrap();
    assert_eq!(tables[0].columns, ["id", "name"]);
    assert_eq!((&*tables[0].cell(0, 1), &*tables[0].cell(1, 1)), (b"a, b".as_slice(), "é".as_bytes()));
    assert_eq!(tables[0].len(), 2);
}

#[test]
fn json_lines_keep_numbers_as_written_and_null_as_nothing() {
    let tables = read("users.jsonl", b"{\"id\": 7, \"name\": \"a\"}\n\n{\"name\": null, \"id\": true}\n", "").unwrap();
    assert_eq!(tables[0].columns, ["id", "name"]);
    assert_eq!(
        (&*tables[0].cell(0, 0), &*tables[0].cell(1, 0), &*tables[0].cell(1, 1)),
        (b"7".as_slice(), b"true".as_slice(), b"".as_slice())
    );
}

#[test]
fn random_rows_come_from_the_seed() {
    let tables = read("users.csv", b"id\n1\n2\n3\n", ", pick: random").unwrap();
    assert!(matches!(tables[0].pick, contract::Pick::Random { .. }));
    let tables = read("users.csv", b"id\n1\n2\n3\n", ", pick: shuffled, at_end: stop").unwrap();
    assert!(matches!(tables[0].pick, contract::Pick::Shuffled { .. }));
}

#[test]
fn wrong_files_are_named_with_their_lines() {
    insta::assert_snapshot!(messages(read("users.csv", b"id,name\n1\n2,b\n3,c,d\n", "")), @r"
    the data set `users`: `users.csv:2` has 1 cells where the header has 2
    the data set `users`: `users.csv:4` has 3 cells where the header has 2
    ");
    insta::assert_snapshot!(messages(read("users.csv", b"id,id,\n", "")), @r"
    the data set `users`: `users.csv:1` has two columns `id`
    the data set `users`: `users.csv:1` has no name for column 3
    ");
    insta::assert_snapshot!(messages(read("users.csv", b"", "")), @"the data set `users`: `users.csv:1` has no columns; the first line names them");
    insta::assert_snapshot!(messages(read("users.csv", b"id\n", "")), @"the data set `users`: `users.csv` has no rows");
    insta::assert_snapshot!(messages(read("users.csv", b"id\n1\n\xff\n", "")), @"the data set `users`: `users.csv:3` is not UTF-8");
    insta::assert_snapshot!(messages(read("users.csv", b"name\n1\n", "")), @"the data set `users` has no column `id`");
    insta::assert_snapshot!(messages(read("users.jsonl", b"{\"id\": 1}\n{\"ids\": 2}\n[3]\n{", "")), @r"
    the data set `users`: `users.jsonl:2` has other names than the first row: id
    the data set `users`: `users.jsonl:3` is not a JSON object
    the data set `users`: `users.jsonl:4` is not JSON: EOF while parsing an object at line 1 column 1
    ");
}

#[test]
fn a_data_file_is_a_regular_file_of_bounded_columns_and_rows() {
    let wide = format!("{}\n", (0..100_000).map(|number| format!("c{number}")).collect::<Vec<_>>().join(","));
    assert!(messages(read("users.csv", wide.as_bytes(), "")).contains("has 100000 columns; at most 1000"));
    let long = format!("id\n{}\n", "x".repeat(2_000_000));
    assert!(messages(read("users.csv", long.as_bytes(), "")).contains("has a row of more than 1048576 bytes"));
    assert!(messages(read("users.csv", "x".repeat(2_000_000).as_bytes(), "")).contains("has a row of more than"));
    let folder = tempfile::tempdir().unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for (file, what) in [
        ("pipe", "is a pipe; only regular files are read"),
        ("folder", "is a folder; only regular files are read"),
        ("/dev/zero", "is a device; only regular files are read"),
        ("/proc/self/environ", "lies under `/proc`"),
    ] {
        let include = format!("study: S\ninclude: [ {file} ]\n");
        let data = format!("{}data: {{ users: {{ file: {file} }} }}\n", super::samples::QUICKSTART);
        let inventory = super::samples::QUICKSTART.replace("system: {", &format!("system: {{ inventory: {file},"));
        for text in [include, data, inventory] {
            let Err(rejected) = load_in(folder.path(), &text, &Options::default()) else { panic!("{file} was read") };
            assert!(rejected.to_string().contains(what), "{file}: {rejected}");
        }
    }
}
