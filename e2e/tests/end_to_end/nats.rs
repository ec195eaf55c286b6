//! Nodes and runs that meet at a server with users: what is refused before anything begins, and what of a study's secrets
//! is stated on the way or written anywhere.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::nodes::wait_for_load;
use crate::secrets::{leaked, unpacked};
use crate::site::{Asked, serve};
use e2e::{Place, Ran, assert_balanced, files, program, step, until, wait};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use testkit::nats::{Authority, Listener, Nats, as_deployed};

/// The secret of the study, which each node has from its own environment.
const KEY: &str = "kEy-Ocelot/7719+a=";
/// What the answer of set-up says, which is captured for all nodes.
const TICKET: &str = "ticket-Heron-2290-q";
/// [`TICKET`] as captures travel: a list of bytes.
const TICKET_AS_BYTES: &str = "[116,105,99,107,101,116,45,72,101,114,111,110,45";
/// The passwords of node and run.
const PASSWORDS: [&str; 2] = ["node-Marten-5530-x", "run-Badger-8841-y"];
/// Where the command looks for them.
const PASSWORD: &str = "LOADPROOF_NATS_PASSWORD";
const PASSWORD_FILE: &str = "LOADPROOF_NATS_PASSWORD_FILE";

/// With which keys and tickets a site was asked.
type AskedWith = Mutex<Vec<(String, String)>>;

/// A site that gives a ticket.
fn site() -> (u16, Arc<AskedWith>) {
    let asked = Arc::<AskedWith>::default();
    let seen = asked.clone();
    let answer = move |request: &Asked| {
        if request.target == "/ticket" {
            return ("200 OK", String::new(), TICKET.to_owned());
        }
        seen.lock().unwrap().push((request.header("x-key").to_owned(), request.header("x-ticket").to_owned()));
        ("200 OK", String::new(), "row".to_owned())
    };
    (serve(answer), asked)
}

/// Two nodes, one instance that shows its environment, a secret, a captured ticket, and a file beside the study.
fn place(site: u16, hold_s: u64) -> Place {
    let place = Place::new();
    let study = format!(
        "study: Nodes over a server\n\
         system: {{ name: site, instances: {{ talker: {{ start: 'sh talk.sh', ready: none }} }} }}\n\
         vars: {{ site: \"http://127.0.0.1:{site}\" }}\nnodes: {{ count: 2, cores: 1 }}\n\
         data: {{ rows: {{ file: rows.csv }} }}\nexchanges:\n\
         \x20 ticket: {{ http.get: {{ url: $(site)/ticket }}, capture: {{ ticket: body }} }}\n\
         \x20 row: {{ http.get: {{ url: $(site)/row/$(rows.id), headers: {{ x-key: $(secret.KEY), x-ticket: $(ticket) }} }} }}\n\
         scenarios:\n\x20 open: {{ load: {{ arrivals: 20/s per node, hold: {hold_s}s }}, run: [row], set_up: [ ticket ] }}\n\
         requirements: {{ right: share(row.failed) <= 5% }}\n"
    );
    place.file("study.yaml", &study);
    let rows: String = (0..900).map(|row| format!("row-of-the-study-{row}\n")).collect();
    place.file("rows.csv", &format!("id\n{rows}"));
    place.file("talk.sh", "touch started; env; while kill -0 $LOADPROOF_PARENT_PID 2>/dev/null; do sleep 0.2; done\n");
    place
}

/// A command of one side.
fn command(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program("loadproof"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(environment.iter().copied());
    command
}

/// The whole load arrived, with the secret and the ticket.
fn assert_arrived(ran: &Ran, asked: &AskedWith, hold_s: u64) {
    assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
    let (result, planned) = (ran.json(), 40 * hold_s);
    let hold = step(&result, "open", "hold");
    assert_balanced(hold);
    assert_eq!((&hold["intended"], &hold["completed"]), (&planned.into(), &planned.into()), "{hold:#}");
    let asked = asked.lock().unwrap();
    let is_right = |(key, ticket): &(String, String)| key == KEY && ticket == TICKET;
    assert!(asked.len() as u64 == planned && asked.iter().all(is_right), "{:?}", asked.first());
}

/// Nothing of `hidden` was shown or written by anybody.
fn assert_kept_secret(place: &Place, ran: &[Ran], hidden: &[&str]) {
    for ran in ran {
        assert_eq!(leaked(format!("{}{}", ran.stdout, ran.stderr).as_bytes(), hidden), None, "{ran:#?}");
    }
    let written = files(&place.path().join("run"));
    assert!(written.iter().any(|path| path.ends_with("logs/talker.log")), "{written:?}");
    for path in written {
        for bytes in unpacked(&path) {
            assert_eq!(leaked(&bytes, hidden), None, "{}", path.display());
        }
    }
}

#[test]
fn secrets_of_a_study_do_not_travel() {
    let (port, asked) = site();
    let place = place(port, 2);
    let nats = Nats::start();
    let way = Listener::before(nats.port());
    let url = format!("nats://127.0.0.1:{}", way.port());
    let key = [("KEY", KEY)];
    let nodes: Vec<Child> =
        (0..2).map(|_| command(place.path(), &["node", "--nats", &url], &key).spawn().unwrap()).collect();
    let ran = place.loadproof_with(&["run", "study.yaml", "--out", "run", "--json", "--nats", &url], &key);
    let nodes = nodes.into_iter().map(wait).chain([ran]).collect::<Vec<_>>();
    assert_arrived(&nodes[2], &asked, 2);
    assert_kept_secret(&place, &nodes, &[KEY, TICKET]);
    // Whoever listens hears what travels, and that the secret is not among it.
    assert!(until(20, || way.has_heard("row-of-the-study-899") && way.has_heard(TICKET_AS_BYTES)), "nothing was heard");
    assert_eq!(leaked(&way.heard(), &[KEY]), None);
}

#[test]
fn a_run_is_collected_over_tls_with_the_rights_of_a_run() {
    let (port, asked) = site();
    let (place, authority) = (place(port, 5), Authority::create());
    let nats = as_deployed(&authority.server(), PASSWORDS);
    let way = Listener::before(nats.port());
    place.file("ca.pem", &authority.pem);
    place.file("password", &format!("{}\n", PASSWORDS[0]));
    let [node, run] = ["node", "run"].map(|user| format!("tls://{user}@127.0.0.1:{}", way.port()));
    let arguments = ["node", "--nats", &node, "--nats-ca", "ca.pem"];
    let of_node = [(PASSWORD_FILE, "password"), ("KEY", KEY)];
    let nodes: Vec<Child> = (0..2).map(|_| command(place.path(), &arguments, &of_node).spawn().unwrap()).collect();
    let of_run = [(PASSWORD, PASSWORDS[1]), ("KEY", KEY)];
    let arguments = ["run", "study.yaml", "--out", "run", "--nats", &run, "--nats-ca", "ca.pem"];
    let mut conductor = command(place.path(), &arguments, &of_run).spawn().unwrap();
    wait_for_load(&place.path().join("run"));
    conductor.kill().unwrap();
    conductor.wait().unwrap();
    // The folder knows the server and its user; the password is somewhere else.
    let alone = place.loadproof(&["collect", "run", "--json"]);
    assert!(alone.code == 2 && alone.stderr.contains("`LOADPROOF_NATS_PASSWORD`"), "{}", alone.stderr);
    let ran = place.loadproof_with(&["collect", "run", "--json"], &[(PASSWORD, PASSWORDS[1])]);
    let nodes = nodes.into_iter().map(wait).chain([ran]).collect::<Vec<_>>();
    assert!(nodes[..2].iter().all(|node| node.code == 0), "{nodes:#?}");
    assert_arrived(&nodes[2], &asked, 5);
    assert_kept_secret(&place, &nodes, &[KEY, TICKET, PASSWORDS[0], PASSWORDS[1]]);
    assert!(!nats.log().contains("Violation"), "somebody asked for more: {}", nats.log());
    assert!(until(20, || way.heard().len() > 10_000), "nothing was heard");
    assert_eq!(leaked(&way.heard(), &[KEY, TICKET, PASSWORDS[0], PASSWORDS[1], "row-of-the-study-899"]), None);
}

#[test]
fn what_cannot_be_used_is_told_before_anything_begins() {
    let (place, authority, other) = (place(1, 1), Authority::create(), Authority::create());
    let nats = as_deployed(&authority.server(), PASSWORDS);
    place.file("ca.pem", &authority.pem);
    place.file("other.pem", &other.pem);
    place.file("notes.txt", "no certificate at all\n");
    let port = nats.port();
    let [named, with_password] = ["run", "run:run-Badger-8841-y"].map(|user| format!("tls://{user}@127.0.0.1:{port}"));
    let hides = format!("nats://evil/@127.0.0.1:{port}");
    for (url, ca, environment, words) in [
        (&named, "other.pem", (PASSWORD, PASSWORDS[1]), &["authority in `other.pem`", "`--nats-ca FILE`"][..]),
        (&named, "notes.txt", (PASSWORD, PASSWORDS[1]), &["`notes.txt`", "BEGIN CERTIFICATE"]),
        (&named, "ca.pem", (PASSWORD, "wrong-Weasel-1207-z"), &["does not let in the user", "`users`"]),
        (&named, "ca.pem", ("NONE", ""), &["and no password", "`LOADPROOF_NATS_PASSWORD_FILE`"]),
        (&named, "ca.pem", (PASSWORD_FILE, "away"), &["`away`", "`LOADPROOF_NATS_PASSWORD_FILE`"]),
        (&with_password, "ca.pem", ("NONE", ""), &["can be read by everybody", "`LOADPROOF_NATS_PASSWORD`"]),
        (&hides, "ca.pem", ("NONE", ""), &["is a host and a port", "nats://NAME@HOST:4222"]),
    ] {
        let meeting = ["--nats", url, "--nats-ca", ca];
        let environment = [environment, ("KEY", KEY)];
        let node = wait(command(place.path(), &[&["node"], &meeting[..]].concat(), &environment).spawn().unwrap());
        let run = place.loadproof_with(&[&["run", "study.yaml", "--out", "run"], &meeting[..]].concat(), &environment);
        for ran in [node, run] {
            assert_eq!(ran.code, 2, "{ran:#?}");
            words.iter().for_each(|word| assert!(ran.stderr.contains(word), "`{word}` is not in: {}", ran.stderr));
            let hidden = [KEY, PASSWORDS[0], PASSWORDS[1], "wrong-Weasel-1207-z"];
            assert_eq!(leaked(format!("{}{}", ran.stdout, ran.stderr).as_bytes(), &hidden), None, "{}", ran.stderr);
        }
    }
    assert!(!place.path().join("run").exists() && !place.path().join("started").exists(), "something was begun");
}
