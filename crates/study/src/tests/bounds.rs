//! Whatever a study asks for, reading it is bounded: each of these took for ever, filled the memory or ended the
//! program before it was bounded.

use super::fakes::{load, rejected, study};
use super::samples::QUICKSTART;

#[track_caller]
fn refused(text: &str, code: &str, part: &str) {
    let rejected = rejected(text);
    let found = rejected.mistakes.0.iter().any(|mistake| mistake.code == code && mistake.message.contains(part));
    assert!(found, "{rejected}");
    assert!(rejected.to_string().len() < 300_000, "the message itself is bounded");
}

fn rule(rule: &str) -> String {
    format!("{QUICKSTART}  more: '{rule}'\n")
}

fn run(items: &str) -> String {
    QUICKSTART.replace("run: [search]", &format!("run: [{items}]"))
}

fn load_key(keys: &str) -> String {
    QUICKSTART.replace("arrivals: 200/s, ramp: { over: 30s }, hold: 5m", keys)
}

#[test]
fn brackets_within_each_other() {
    let open = |count: usize| "(".repeat(count);
    refused(&rule(&format!("{}mean(host.cpu){} < 1", open(40), ")".repeat(40))), "study::too-large", "deep");
    refused(&rule(&open(4000)), "study::too-large", "deep");
    refused(&rule(&open(100_000)), "study::too-large", "4096 bytes");
    refused(
        &format!("vars: {{ x: '$({}1{})' }}\n{QUICKSTART}", open(5000), ")".repeat(5000)),
        "study::arithmetic",
        "deep",
    );
    refused(&format!("vars: {{ x: {} }}\n{QUICKSTART}", "[".repeat(10_000)), "study::too-large", "64 deep");
    refused(&format!("vars: {{ x: {} }}\n{QUICKSTART}", "{a: ".repeat(10_000)), "study::too-large", "64 deep");
    let within = format!("{}x{}", "$(env.NO_SUCH:-".repeat(1000), ")".repeat(1000));
    refused(&format!("about: '{within}'\n{QUICKSTART}"), "study::too-large", "deep");
}

#[test]
fn an_iteration_and_a_plan_have_bounds() {
    refused(&run("times: 1000, run: [ { times: 1000, run: [search] } ]"), "study::out-of-range", "100000 parts");
    refused(&run("search, times: 100000, run: [ { times: 100000, run: [] } ]"), "study::out-of-range", "100000 parts");
    refused(&run("times: 200000, run: [search]"), "study::out-of-range", "outside 1 to 100000");
    refused(
        &load_key("arrivals: 200/s, ramp: { over: 10h, by: 0.001/s }, hold: 5m"),
        "study::out-of-range",
        "do not lead",
    );
    let levels = "arrivals: 200/s, ramp: { over: 10m, by: 0.25/s }, hold: 5m";
    assert!(load(&load_key(levels)).is_ok());
    refused(&format!("{}repeat: 100\n", load_key(levels)), "study::too-large", "80500 phases; at most 20000");
    let piece = "{ rate: 5/s, for: 1s }, ".repeat(9000);
    refused(&format!("{}repeat: 3\n", load_key(&format!("arrivals: [ {piece} ]"))), "study::too-large", "phases");
}

#[test]
fn numbers_of_things_have_bounds() {
    let check = "status = 200, ".repeat(60);
    refused(&QUICKSTART.replace("status = 200", &check), "study::too-large", "there are 60 checks");
    let many = |count: usize, of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<String>();
    let scenarios = many(100, &|n| format!("  s{n}: {{ load: {{ users: 1, hold: 1s }}, run: [search] }}\n"));
    let rules = many(300, &|n| format!("  r{n}: share(search.failed) < 1%\n"));
    let text = QUICKSTART.replace("requirements:\n", &format!("{scenarios}requirements:\n{rules}"));
    refused(&text, "study::too-large", "302 requirements in 101 scenarios");
    let chain = many(900, &|n| format!("  r{n}: met(r{})\n", n + 1));
    let looped = QUICKSTART.replace("requirements:\n", &format!("requirements:\n{chain}  r900: met(r0)\n"));
    refused(&looped, "study::needs-loop", "`r0`, `r1`");
    let fine =
        QUICKSTART.replace("requirements:\n", &format!("requirements:\n{chain}  r900: share(search.failed) < 1%\n"));
    assert_eq!(study(&fine).requirements.len(), 903);
}

#[test]
fn very_many_mistakes_and_very_long_ones_are_cut() {
    let unknown = (0..5000).map(|n| format!("x{n:060}: 1, ")).collect::<String>();
    let rejected = rejected(&format!("report: {{ {unknown} }}\n{QUICKSTART}"));
    assert_eq!(rejected.mistakes.0.len(), 201);
    refused(&format!("seed: {}\n{QUICKSTART}", "k".repeat(1_000_000)), "study::no-count", "kkk");
    refused(&run(&"s".repeat(1_000_000)), "study::unknown-name", "sss");
    refused(&QUICKSTART.replace("5m", &"9".repeat(500_000)), "study::no-quantity", "999");
}
