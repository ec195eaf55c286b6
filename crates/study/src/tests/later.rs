//! Listeners, streams and legs that come later.

use super::fakes::{BLOCKS, DRIVERS, MONITORS, archived};
use crate::model::*;
use crate::{Options, Places, Registry, Rejected, SecretSource, Study, load_tables, load_text};
use contract::{Closes, DriverKind, ExchangeKind, LegKind, Names, Place, Work};
use std::path::Path;
use terms::Nanos;

const LEGS: &[LegKind] =
    &[LegKind { name: "accepted", closes: Closes::Here }, LegKind { name: "reply", closes: Closes::Matched }];
const SEND: &[ExchangeKind] =
    &[ExchangeKind { name: "send", work: Work::Exchange, legs: LEGS, keys: &["url"], words: &[] }];

fn read_in(folder: &Path, text: &str, options: &Options) -> Result<Study, Rejected> {
    let mail = DriverKind {
        name: "mail",
        exchanges: SEND,
        counters: &[],
        features: &[],
        messages: &[],
        build: DRIVERS[0].build,
    };
    let drivers = [DRIVERS[0], mail];
    load_text("mail.yaml", text, folder, &Registry { drivers: &drivers, monitors: MONITORS, blocks: BLOCKS }, options)
        .map(|(study, _)| study)
}

fn options() -> Options {
    Options { set: Vec::new(), trial: None, secrets: SecretSource::Real }
}

/// A study with this under `listeners`, `legs` and `load`, beside three parties.
fn study(listeners: &str, legs: &str, load: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("parties.csv"), "name,key\na,1\nb,2\nc,3\n").unwrap();
    let text = format!(
        "study: Mail\nvars: {{ each: 10/s, some: 2, limit: 30s }}\ndata: {{ parties: {{ file: parties.csv }} }}\n\
         system: {{ name: post, start: post --port $(port) --to $(listeners.home.url) }}\nlisteners: {listeners}\n\
         exchanges: {{ letter: {{ mail.send: {{ url: \"$(post.url)/$(parties.name)\" }}, legs: {legs} }} }}\n\
         scenarios: {{ busy: {{ load: {{ {load} }}, run: [letter] }} }}\n"
    );
    (folder, text)
}

#[track_caller]
fn accepted(listeners: &str, legs: &str, load: &str) -> Study {
    let (folder, text) = study(listeners, legs, load);
    read_in(folder.path(), &text, &options()).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn codes(listeners: &str, legs: &str, load: &str) -> Vec<&'static str> {
    let (folder, text) = study(listeners, legs, load);
    let rejected = read_in(folder.path(), &text, &options()).err().unwrap_or_else(|| panic!("accepted: {text}"));
    rejected.mistakes.0.iter().map(|mistake| mistake.code).collect()
}

const LOAD: &str = "arrivals: $(each) per stream, streams: { of: parties, first: $(some) }, hold: 1m";

#[test]
fn a_rate_per_stream_is_that_of_all_streams_together() {
    for (load, count, rate) in [
        (LOAD, 2, 20.0),
        ("arrivals: 1/10s per stream, streams: { of: parties }, hold: 1m", 3, 0.1 * 3.0),
        ("arrivals: 7/s, streams: { of: parties }, hold: 1m", 3, 7.0),
    ] {
        let load = accepted("{ home: http }", "{}", load).scenarios[0].parts[0].load.clone();
        assert_eq!(load.streams, Some(Streams { data: 0, count }));
        assert_eq!(load.model, Model::Arrivals { profile: Profile::Constant(rate), spacing: Spacing::Even });
    }
    let pieces = "arrivals: [ { rate: 2/s per stream, for: 1m } ], streams: { of: parties }";
    let load = accepted("{ home: http }", "{}", pieces).scenarios[0].parts[0].load.clone();
    let Model::Arrivals { profile: Profile::Pieces(pieces), .. } = load.model else { panic!("a profile") };
    assert_eq!(pieces[0].to, 6.0);
}

#[test]
fn listeners_and_limits_are_read_and_read_back() {
    let listeners = "{ home: http, away: { http: { bind: 127.0.0.2, port: 8091, public: \"https://lab/x\", \
                     tls: { certificate: a.pem, key: b.pem, clients: c.pem } } } }";
    let study = accepted(listeners, "{ reply: { within: $(limit) } }", LOAD);
    assert_eq!(study.exchanges[0].settings.within.get("reply"), Some(&Nanos::from_secs(30)));
    let [home, away] = study.listeners.as_slice() else { panic!("{:?}", study.listeners) };
    assert_eq!((home.bind.as_str(), home.port, &home.tls), ("127.0.0.1", None, &None));
    assert_eq!(
        (away.bind.as_str(), away.port, away.public.as_deref()),
        ("127.0.0.2", Some(8091), Some("https://lab/x"))
    );
    assert_eq!(away.tls.as_ref().and_then(|tls| tls.clients.as_deref()), Some("c.pem"));
    let again = read_in(Path::new("/elsewhere"), &study.effective, &archived()).unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(again.effective, study.effective);
    assert_eq!(again.scenarios[0].parts[0].load, study.scenarios[0].parts[0].load);
    assert_eq!(again.exchanges[0].settings.within, study.exchanges[0].settings.within);
}

#[test]
fn names_of_listeners_are_those_of_their_places() {
    let study = accepted("{ home: { http: { port: 9 } } }", "{}", LOAD);
    let (secrets, places) = (crate::Secrets::ignored(), Places::placeholders(&study));
    let names = crate::names(&study, &secrets, &[], None, &places);
    let text = |text: &str| names.text(text, Place::default());
    assert_eq!(text("$(listeners.home.url) $(listeners.home.address)").unwrap(), "http://127.0.0.1:9 127.0.0.1:9");
    let wrong = |text: &str| names.resolve(text, Place::default()).unwrap_err();
    assert!(wrong("listeners.hone.url").label.unwrap().contains("listeners.home.url"));
    assert!(wrong("listeners.home.path").hint.unwrap().contains("address"));
}

#[test]
fn what_cannot_be_is_refused() {
    let home = "{ home: http }";
    for (listeners, legs, load, code) in [
        ("{ home: smtp }", "{}", LOAD, "study::unknown-word"),
        ("{ home: {} }", "{}", LOAD, "study::missing-key"),
        ("{ home: { http: { port: 70000 } } }", "{}", LOAD, "study::out-of-range"),
        ("{ home: { http: { bind: here } } }", "{}", LOAD, "study::wrong-type"),
        ("{ home: { http: { tls: { key: a } } } }", "{}", LOAD, "study::missing-key"),
        ("{ home: { http: { port: 9 } }, other: { http: { port: 9 } } }", "{}", LOAD, "study::conflict"),
        ("{ other: http }", "{}", LOAD, "study::unknown-name"),
        (home, "{ reply: { within: 30 } }", LOAD, "study::missing-unit"),
        (home, "{ accepted: { within: 30s } }", LOAD, "study::conflict"),
        (home, "{}", "arrivals: 1/s per stream, hold: 1m", "study::missing-key"),
        (home, "{}", "arrivals: 1/s, streams: { of: partis }, hold: 1m", "study::unknown-name"),
        (home, "{}", "arrivals: 1/s, streams: { of: parties, first: 257 }, hold: 1m", "study::out-of-range"),
    ] {
        assert_eq!(codes(listeners, legs, load), [code], "{listeners} {legs} {load}");
    }
}

#[test]
fn a_stream_without_a_row_is_told() {
    let (folder, text) = study("{ home: http }", "{}", "arrivals: 1/s, streams: { of: parties, first: 4 }, hold: 1m");
    let study = read_in(folder.path(), &text, &options()).unwrap_or_else(|rejected| panic!("{rejected}"));
    let rejected = load_tables(&study).unwrap_err();
    assert!(rejected.mistakes.0[0].message.contains("has 4 streams, but `parties` has only 3 rows"));
}

#[test]
fn verdicts_for_each_stream_need_streams() {
    let with = |load: &str, more: &str| {
        let (folder, text) = study("{ home: http }", "{}", load);
        let rule = "count(letter.accepted) = count(letter.reply) per stream";
        read_in(folder.path(), &format!("{text}requirements: {{ told: {{ that: {rule}{more} }} }}\n"), &options())
    };
    let found = with(LOAD, "").unwrap_or_else(|rejected| panic!("{rejected}"));
    assert_eq!(found.requirements[0].applies[0].rule.per, [crate::model::rule::Scope::Stream]);
    for more in ["", ", scenarios: [busy]"] {
        let rejected = with("arrivals: 1/s, hold: 1m", more).err().unwrap_or_else(|| panic!("accepted"));
        assert_eq!(rejected.mistakes.0[0].code, "study::no-streams");
    }
}
