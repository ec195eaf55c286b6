use super::*;
use contract::{
    BuildContext, Closes, Destination, Driver, DriverKind, ExchangeKind, Keys, LegKind, Mistakes, Session, Settings,
    Slot, Work,
};
use std::path::Path;
use study::{Options, Registry};

/// Says where its exchanges go, and sends nothing: `asks.at: { to: 'host:port', streams: 20 }`.
const ASKS: DriverKind = DriverKind {
    name: "asks",
    exchanges: &[ExchangeKind {
        name: "at",
        work: Work::Exchange,
        legs: &[LegKind { name: "answer", closes: Closes::Here }],
        keys: &["to", "streams"],
        words: &[],
    }],
    counters: &[],
    features: &[],
    messages: &[],
    build,
};

struct Asks(Vec<Destination>);

impl Driver for Asks {
    fn destinations(&self) -> Vec<Destination> {
        self.0.clone()
    }

    fn session(&self, _: Slot) -> Box<dyn Session> {
        panic!("who foresees asks nobody")
    }
}

/// Exchanges to one address share a connection.
fn build(all: &[Settings], _: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut destinations = Vec::<Destination>::new();
    for settings in all {
        let mut keys = Keys::of(&settings.node, "`asks.at`", &mut mistakes);
        let (to, streams) = (keys.take("to").unwrap(), keys.take("streams"));
        let (host, port) = to.as_text("this").unwrap().split_once(':').unwrap();
        let port = port.parse().unwrap();
        let sharing = streams.map_or(1, |node| node.as_count("this", 1, 100).unwrap()) as u32;
        let same = destinations.iter().find(|known| (known.host.as_str(), known.port) == (host, port));
        let link = same.map_or(destinations.len() as u16, |known| known.link);
        let exchange = settings.number;
        destinations.push(Destination { exchange, link, sharing, host: host.into(), port, is_tls: false });
    }
    Ok(Box::new(Asks(destinations)))
}

/// A machine with 100 ports of one address, none in use.
fn machine(reuse: &str) -> Ports {
    Ports::of("40000 40099", reuse, String::new()).unwrap()
}

/// Needs of the only scenario by address.
fn needs_of(load: &str, exchanges: &str, run: &str) -> BTreeMap<(String, u16), Need> {
    let text = format!(
        "study: Needs\nsystem: {{ name: shop }}\nexchanges: {{ {exchanges} }}\n\
         scenarios: {{ busy: {{ load: {load}, run: [{run}] }} }}\n"
    );
    let registry = Registry { drivers: &[ASKS], monitors: &[], blocks: &[] };
    let loaded = study::load_text("needs", &text, Path::new("."), &registry, &Options::default());
    let (study, secrets) = loaded.unwrap_or_else(|rejected| panic!("{rejected}"));
    let prepared = crate::prepare(study, secrets, registry, &drop).unwrap();
    needs(&prepared, &prepared.plan.scenarios[0]).unwrap()
}

const HOME: &str = "home: { asks.at: { to: '10.0.0.5:80' } }";
const CLOSING: &str = "home: { asks.at: { to: '10.0.0.5:80' }, connection: { reuse: false } }";
const OTHER: &str = "other: { asks.at: { to: '127.0.0.1:81' } }";

fn shop() -> (String, u16) {
    ("10.0.0.5".into(), 80)
}

#[test]
fn users_need_their_connections_for_sure_and_a_bound_only_allows_them() {
    let needs = needs_of("{ users: 50, hold: 10s }", &format!("{HOME}, {OTHER}"), "home, home, other");
    let each = Need { certain: 50, allowed: 50, opened_per_s: 0.0 };
    assert_eq!(needs, BTreeMap::from([(shop(), each.clone()), (("127.0.0.1".into(), 81), each)]));
    let needs = needs_of("{ arrivals: 20/s, hold: 10s, max_in_flight: 70 }", HOME, "home");
    assert_eq!(needs[&shop()], Need { certain: 0, allowed: 70, opened_per_s: 0.0 });
    let needs = needs_of("{ arrivals: 20/s, hold: 10s }", &format!("{HOME}, {OTHER}"), "home");
    assert_eq!(needs, BTreeMap::from([(shop(), Need::default())]), "what nobody asks for needs nothing");
}

#[test]
fn users_that_share_connections_need_fewer() {
    let shared = "home: { asks.at: { to: '10.0.0.5:80', streams: 20 } }";
    let needs = needs_of("{ users: 50, hold: 10s }", shared, "home");
    assert_eq!(needs[&shop()], Need { certain: 3, allowed: 3, opened_per_s: 0.0 });
}

#[test]
fn without_reuse_each_exchange_opens_a_connection_at_the_greatest_rate() {
    let load = "{ arrivals: [ { rate: 5/s, for: 5s }, { to: 20/s, over: 5s }, { rate: 10/s, for: 5s } ] }";
    let needs = needs_of(load, CLOSING, "home, home");
    assert_eq!(needs[&shop()], Need { certain: 0, allowed: 0, opened_per_s: 40.0 });
}

fn warnings(need: Need, host: &str, reuse: &str) -> Vec<String> {
    let is_loopback = host.starts_with("127.");
    let towards = Towards { scenario: "busy", host, port: 80, is_loopback, need: &need };
    towards.warnings(&machine(reuse), Some(Nanos::from_secs(30)))
}

#[test]
fn what_may_run_out_of_ports_is_foreseen() {
    let allowed = |allowed| Need { allowed, ..Need::default() };
    assert_eq!(warnings(allowed(100), "10.0.0.5", "2"), [""; 0]);
    let told = warnings(allowed(101), "10.0.0.5", "2");
    assert!(told[0].contains("100 ports are free") && told[0].contains("sudo sysctl -w"), "{told:?}");
    let told = warnings(allowed(101), "127.0.0.1", "2");
    assert!(told[0].contains("from 2 addresses of this machine"), "{told:?}");
    assert!(warnings(allowed(801), "127.0.0.1", "2")[0].contains("800 ports are free"));
    assert!(warnings(allowed(101), "::1", "2")[0].contains("100 ports are free"));
}

#[test]
fn connections_that_are_closed_leave_resting_ports_behind() {
    let opened = |opened_per_s| Need { opened_per_s, ..Need::default() };
    // 30 s of load at 3/s are 90 ports, at 4/s 120; the minute is not reached.
    assert_eq!(warnings(opened(3.0), "10.0.0.5", "2"), [""; 0]);
    let told = warnings(opened(4.0), "10.0.0.5", "2");
    for part in ["4 new connections a second", "up to 120 ports", "after about 25 s", "tcp_tw_reuse=1"] {
        assert!(told[0].contains(part), "{part}: {told:?}");
    }
    // Where a resting port is used again after a second, only the rate of a second counts.
    assert_eq!(warnings(opened(100.0), "10.0.0.5", "1"), [""; 0]);
    assert!(!warnings(opened(101.0), "10.0.0.5", "1")[0].contains("tcp_tw_reuse"));
    assert_eq!(warnings(opened(800.0), "127.0.0.1", "2"), [""; 0]);
}

#[test]
fn what_is_refused_says_what_to_type() {
    let text = too_few_descriptors("busy", 30_000, 20_000, true);
    for part in ["30,000 connections", "may open 19,744", "`ulimit -n 30256`", "--nofile=30256:30256"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let need = Need { certain: 101, allowed: 101, opened_per_s: 0.0 };
    let towards = Towards { scenario: "busy", host: "10.0.0.5", port: 80, is_loopback: false, need: &need };
    let text = towards.too_few_ports(&machine("2"));
    assert!(text.contains("101 connections to 10.0.0.5:80") && text.contains("64,512"), "{text}");
}
