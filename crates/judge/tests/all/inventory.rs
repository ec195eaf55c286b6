//! The stated inventory: the kinds of errors that the published module table had, each found; and a table without any.
#![allow(clippy::unwrap_used, reason = "a test")]

use judge::findings::inventory::{Problem, lint};
use study::Inventory;

const GOOD: &str = include_str!("../../../../studies/data/modules.csv");

fn table(text: &str) -> Inventory {
    let mut lines =
        text.trim().lines().map(|line| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    let columns = lines.next().unwrap();
    let rows: Vec<Vec<String>> = lines.collect();
    assert!(rows.iter().all(|row| row.len() == columns.len()));
    Inventory { file: "modules.csv".into(), columns, rows, ..Inventory::default() }
}

const COLUMNS: &str = "module,version,tasks,cpu,memory,reservation,metaspace,xmx";
const SOUND: [&str; 5] = [
    "mod-a,1.0,2,128,1024,896,88,768",
    "mod-b,2.1,2,128,1440,1152,128,922",
    "mod-c,3.0,2,128,512,400,64,256",
    "mod-d,1.4,2,128,896,896,128,512",
    "edge-a,1.1,2,128,1024,800,96,640",
];

fn with(rows: &[&str]) -> Vec<Problem> {
    let mut text = COLUMNS.to_owned();
    for row in SOUND.iter().chain(rows) {
        text.push('\n');
        text.push_str(row);
    }
    lint(&table(&text))
}

#[test]
fn the_example_and_a_sound_table_have_no_problem() {
    assert_eq!(lint(&table(GOOD)), []);
    assert_eq!(with(&[]), []);
    assert_eq!(lint(&Inventory::default()), []);
}

#[test]
fn text_in_a_column_of_numbers() {
    let found = with(&["mod-x,1.0,2,128,1024 recommended 1544,700,88,512"]);
    let wanted = Problem::Text { row: "mod-x".into(), column: "memory".into(), cell: "1024 recommended 1544".into() };
    assert_eq!(found, [wanted]);
    // Nothing stated is not text.
    assert_eq!(with(&["mod-x,1.0,2,128,1024,-,88,512"]), []);
}

#[test]
fn equal_rows_for_unlike_components() {
    let found = with(&["edge-x,2.9,2,128,700,600,77,500", "mod-pubsub,2.9,2,128,700,600,77,500"]);
    assert_eq!(found, [Problem::Twin { row: "mod-pubsub".into(), other: "edge-x".into() }]);
}

#[test]
fn a_value_that_looks_shifted() {
    let found = with(&["mod-x,1.0,2,896,1024,896,88,512"]);
    let [Problem::Shifted { row, column, value, usual, same_as }] = &found[..] else { panic!("{found:?}") };
    assert_eq!((row.as_str(), column.as_str(), *value, *usual), ("mod-x", "cpu", 896.0, 128.0));
    assert_eq!(same_as.as_deref(), Some("reservation"));
}

#[test]
fn a_heap_that_does_not_fit_its_memory() {
    let found = with(&["mod-x,1.0,2,128,1024,900,256,896"]);
    let wanted = Problem::Memory { row: "mod-x".into(), xmx: 896.0, metaspace: 256.0, memory: 1024.0 };
    assert_eq!(found, [wanted]);
}

#[test]
fn a_reservation_above_the_memory() {
    let found = with(&["mod-x,1.0,2,128,1024,1152,88,512"]);
    assert_eq!(found, [Problem::Reservation { row: "mod-x".into(), reservation: 1152.0, memory: 1024.0 }]);
}

#[test]
fn two_units_in_one_column() {
    let found = with(&["mod-x,1.0,2,128,1GiB,700,88,512"]);
    assert_eq!(found, [Problem::Units { column: "memory".into(), units: vec!["none".into(), "GiB".into()] }]);
    // The JVM's own units are understood: 1 GiB holds 512 MiB of heap.
    let text = "module,memory,xmx\na,1GiB,512m\nb,2GiB,1g\nc,1GiB,1100m\n";
    let found = lint(&table(text));
    assert!(
        found.contains(&Problem::Memory { row: "c".into(), xmx: 1100.0, metaspace: 0.0, memory: 1024.0 }),
        "{found:?}"
    );
}

#[test]
fn odd_tables_do_not_panic() {
    for text in
        ["a", "a,b\n,\n,", "a,b\n1,2\n1,2\n1,2", "a,memory,xmx\nx,9e999,1\ny,0,5\nz,-3,..", "a,b,c\nx,1.2.3,€\ny,∞,NaN"]
    {
        lint(&table(text));
    }
}
