//! Writes the report of the tests' fixture run: `cargo run -p report --example fixture -- report.html [killed]`.

#[path = "../tests/fixture/mod.rs"]
#[allow(missing_docs, reason = "test code, used here to look at its result")]
mod fixture;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().map_or("report.html", String::as_str);
    let fixture = if arguments.iter().any(|word| word == "killed") { fixture::killed() } else { fixture::fixture() };
    std::fs::write(path, report::html(&fixture.input(), "en"))
}
