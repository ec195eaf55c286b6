//! Load nodes in network namespaces of their own, joined by a bridge to whoever conducts the run: ways that are slow, are
//! cut for a while or for good, and a clock that shows another time.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::nodes::wait_for_load;
use e2e::{Place, assert_balanced, program, step, wait};
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use testkit::nats::Nats;

/// Where each node finds a target of its own, in its own namespace: what happens to its way to the run meets no call.
const PORT: u16 = 18_080;

/// A bridge, and a namespace for each node.
struct Networks {
    bridge: String,
    names: Vec<String>,
    /// Of whoever conducts, on the bridge; from the range for tests of devices.
    address: String,
    targets: Vec<Child>,
}

/// Whether `ip` did it.
fn ip(arguments: &str) -> bool {
    let ran = Command::new("ip").args(arguments.split(' ')).stderr(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
}

impl Networks {
    /// None where this user may not make them.
    fn new(nodes: usize) -> Option<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id() % 10_000, MADE.fetch_add(1, Ordering::Relaxed));
        let net = format!("198.18.{}", (process + 40 * number) % 250);
        let bridge = format!("lp{process}b{number}");
        if !ip(&format!("link add {bridge} type bridge")) {
            println!("not tried: this user may not make network namespaces (type it as root)");
            return None;
        }
        let mut all =
            Self { bridge: bridge.clone(), names: Vec::new(), address: format!("{net}.1"), targets: Vec::new() };
        assert!(ip(&format!("addr add {net}.1/24 dev {bridge}")) && ip(&format!("link set {bridge} up")));
        for node in 0..nodes {
            let name = format!("lp{process}n{number}{node}");
            all.names.push(name.clone());
            let made = [
                format!("netns add {name}"),
                format!("link add {name} type veth peer name eth0 netns {name}"),
                format!("link set {name} master {bridge} up"),
                format!("-n {name} addr add {net}.{}/24 dev eth0", node + 2),
                format!("-n {name} link set eth0 up"),
                format!("-n {name} link set lo up"),
            ];
            assert!(made.iter().all(|words| ip(words)), "{made:?}");
            let mut target = all.within(node, &["target-echo", "--service", "1ms", "--port", &PORT.to_string()], &[]);
            all.targets.push(target.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
        }
        Some(all)
    }

    /// A program of ours in a node's namespace, below what is written before it.
    fn within(&self, node: usize, words: &[&str], before: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[node]]).args(before);
        command.arg(program(words[0])).args(&words[1..]);
        command
    }

    fn node(&self, node: usize, url: &str, before: &[&str]) -> Child {
        let index = node.to_string();
        let mut command =
            self.within(node, &["loadproof", "node", "--nats", url, "--nats-plain", "--index", &index], before);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn cut(&self, node: usize) {
        assert!(ip(&format!("link set {} down", self.names[node])));
    }

    fn mend(&self, node: usize) {
        assert!(ip(&format!("link set {} up", self.names[node])));
    }

    /// What the node says goes at this rate from now on.
    fn slow(&self, node: usize, rate: &str) {
        let shaped = Command::new("ip")
            .args(["netns", "exec", &self.names[node], "tc", "qdisc", "add", "dev", "eth0", "root", "tbf"])
            .args(["rate", rate, "burst", "1600", "limit", "1000000"])
            .status();
        assert!(shaped.unwrap().success(), "`tc` shapes what a node sends");
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        for target in &mut self.targets {
            let _ = target.kill();
            let _ = target.wait();
        }
        for name in &self.names {
            ip(&format!("netns del {name}"));
        }
        ip(&format!("link del {}", self.bridge));
    }
}

fn study(nodes: usize, seconds: u32) -> String {
    format!(
        "study: Ways\nsystem: {{ name: echo }}\nnodes: {{ count: {nodes}, cores: 1 }}\n\
         exchanges: {{ get: {{ http.get: {{ url: \"http://127.0.0.1:{PORT}/\" }} }} }}\n\
         scenarios: {{ open: {{ load: {{ arrivals: 50/s per node, hold: {seconds}s }}, run: [get] }} }}\n\
         requirements: {{ right: share(get.failed) <= 5% }}\n"
    )
}

/// The nodes' times, with the clock that is off by more than an hour among them.
const AHEAD: &[&str] = &["unshare", "--time", "--monotonic=4000"];

#[test]
fn a_slow_way_a_way_that_is_cut_for_a_while_and_a_wrong_clock_change_no_figure() {
    let Some(networks) = Networks::new(3) else { return };
    let nats = Nats::start_at(&networks.address);
    let nodes: Vec<Child> =
        (0..3).map(|node| networks.node(node, &nats.url(), if node == 2 { AHEAD } else { &[] })).collect();
    let place = Place::new();
    place.file("study.yaml", &study(3, 12));
    let run = ["run", "study.yaml", "--out", "run", "--json", "--nats-plain", "--nats", &nats.url()];
    let child = place.start(&run);
    wait_for_load(&place.path().join("run"));
    networks.slow(0, "24kbit");
    networks.cut(1);
    std::thread::sleep(Duration::from_secs(5));
    networks.mend(1);
    let ran = wait(child);
    assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
    let hold = step(&ran.json(), "open", "hold").clone();
    assert_balanced(&hold);
    assert_eq!((&hold["intended"], &hold["completed"]), (&Value::from(1800), &Value::from(1800)), "{hold:#}");
    assert_eq!((&hold["seconds"], &hold["failed"]), (&Value::from(12.0), &Value::from(0)), "{hold:#}");
    for node in nodes {
        let ended = wait(node);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
    }
}

#[test]
fn a_node_that_stays_cut_off_is_lost_and_ends_by_itself() {
    let Some(networks) = Networks::new(2) else { return };
    let nats = Nats::start_at(&networks.address);
    let nodes: Vec<Child> = (0..2).map(|node| networks.node(node, &nats.url(), &[])).collect();
    let place = Place::new();
    place.file("study.yaml", &study(2, 60));
    let run = ["run", "study.yaml", "--out", "run", "--json", "--nats-plain", "--nats", &nats.url()];
    let child = place.start(&run);
    wait_for_load(&place.path().join("run"));
    networks.cut(1);
    let ran = wait(child);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("node-2 was lost"), "{}", ran.stderr);
    let result = ran.json();
    assert_eq!(result["run"]["end_reason"], "generator");
    let signs = result["validity"]["signs"].as_array().unwrap();
    assert!(signs.iter().any(|sign| sign["code"] == "node_lost" && sign["state"] == "invalid"), "{signs:#?}");
    let hold = step(&result, "open", "hold");
    assert!(hold["completed"].as_u64().unwrap() > 0, "what was heard of both is kept: {hold:#}");
    for node in nodes {
        let _ = wait(node);
    }
}
