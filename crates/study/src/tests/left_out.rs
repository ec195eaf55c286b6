//! Legs that an exchange cannot have as it is set, which only its driver knows.

use super::fakes::{BLOCKS, DRIVERS, MONITORS};
use crate::{Options, Registry, load_text};
use contract::{
    BuildContext, Closes, Driver, DriverKind, ExchangeKind, LegKind, LegLeftOut, Mistakes, Session, Settings, Slot,
    Work,
};
use std::path::Path;

const LEGS: &[LegKind] =
    &[LegKind { name: "answer", closes: Closes::Here }, LegKind { name: "redirect", closes: Closes::Beside }];

/// Exchanges whose `url` ends with `/no` follow nothing.
struct Web(Vec<u16>);

impl Driver for Web {
    fn legs_left_out(&self) -> Vec<LegLeftOut> {
        let left_out =
            |exchange: &u16| LegLeftOut { exchange: *exchange, leg: 1, why: "follows nothing", hint: "try it" };
        self.0.iter().map(left_out).collect()
    }

    fn session(&self, _: Slot) -> Box<dyn Session> {
        unreachable!("a study is only checked")
    }
}

fn build(all: &[Settings], _: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let follows_nothing = |settings: &&Settings| {
        settings.node.get("url").and_then(|url| url.text()).is_some_and(|url| url.ends_with("/no"))
    };
    Ok(Box::new(Web(all.iter().filter(follows_nothing).map(|settings| settings.number).collect())))
}

/// What is reported about a study with these requirements and abort rules: mistakes with their hints.
fn said(requirements: &str, abort: &str) -> Vec<String> {
    let web = DriverKind {
        name: "web",
        exchanges: &[ExchangeKind { name: "call", work: Work::Exchange, legs: LEGS, keys: &["url"], words: &[] }],
        counters: &["redirects"],
        features: &[],
        messages: &[],
        build,
    };
    let text = format!(
        "study: Web\nsystem: {{ name: shop, url: 'http://127.0.0.1:9', identity: {{ status: 200 }} }}\n\
         exchanges: {{ login: {{ web.call: {{ url: /yes }} }}, out: {{ web.call: {{ url: /no }} }}, home: {{ web.call: {{ url: /no }} }} }}\n\
         scenarios:\n  a: {{ load: {{ users: 2, hold: 1m }}, run: [login, out], abort: [{abort}] }}\n  \
         b: {{ load: {{ users: 4, hold: 1m }}, run: [out, home] }}\n\
         requirements: {{ {requirements} }}\n"
    );
    let drivers = [DRIVERS[0], web];
    let registry = Registry { drivers: &drivers, monitors: MONITORS, blocks: BLOCKS };
    let loaded = load_text("web.yaml", &text, Path::new("/nonexistent"), &registry, &Options::default());
    let mistakes = loaded.err().map(|rejected| rejected.mistakes.0).unwrap_or_default();
    mistakes.iter().map(|it| format!("{}: {}; {:?}", it.code, it.message, it.hint)).collect()
}

#[test]
fn a_rule_on_a_leg_that_no_exchange_of_it_has_is_a_mistake_told_once() {
    assert_eq!(said("hop: p95(login.redirect) < 50ms, hops: count(login.redirect) <= 2000", ""), [""; 0]);
    let none = "study::wrong-series: `out` follows nothing, so it has no leg `redirect`; Some(\"try it\")";
    assert_eq!(said("hop: p95(out.redirect) < 50ms", ""), [none], "it applies to two scenarios");
    assert_eq!(said("right: share(out.failed) <= 1%", "share(out.redirect > 1s) > 5% for 10s"), [none]);
    assert_eq!(said("hop: steady(out.redirect)", "").len(), 1);
    // Of several exchanges one is enough.
    assert_eq!(said("hops: count(*.redirect) <= 5", "").len(), 1, "scenario b has none");
    assert_eq!(said("hops: { that: count(*.redirect) <= 5, scenarios: [a] }", ""), [""; 0]);
}

#[test]
fn a_counter_that_is_called_as_a_leg_is_asks_for_the_leg() {
    let found = said("hops: count(login.redirects) <= 5", "");
    assert!(found[0].contains("`login` has no leg or figure `redirects`"), "{found:?}");
}
