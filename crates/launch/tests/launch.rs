//! Real processes: started, made sure of, noticed when they die, ended.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Mistake, Node, Place, Shape};
use launch::{LaunchError, Launched, Options, PerReplica, renew, start_instances};
use std::net::TcpListener;
use std::path::Path;
use study::Instance;
use terms::Nanos;

const SERVER: &str = env!("CARGO_BIN_EXE_launch-test-server");

fn text(text: &str) -> Node {
    Node::text_at(Place::default(), text)
}

/// An instance that starts the test server with these arguments.
fn instance(name: &str, arguments: &str) -> Instance {
    Instance {
        name: name.to_owned(),
        place: Place::default(),
        start: Some(text(&format!("launch-test-server --port $(port) {arguments}"))),
        url: None,
        ports: Vec::new(),
        replicas: 1,
        written: study::Written::default(),
        needs: Vec::new(),
        ready: Some("/health".to_owned()),
        stop: Nanos::from_secs(10),
        identity: "/version".to_owned(),
        expect: Vec::new(),
        contains: None,
        signs: study::Signs::default(),
        tls: None,
        proxy: None,
        ready_within: None,
        faults: Vec::new(),
        env: Vec::new(),
        cores: Vec::new(),
    }
}

fn resolve(_: &Instance, per: &PerReplica<'_>, node: &Node) -> Result<String, Mistake> {
    let mut text =
        node.as_text("a text")?.replace("$(faults)", per.faults).replace("$(replica)", &per.replica.to_string());
    if let Some((_, port)) = per.ports.first() {
        text = text.replace("$(port)", &port.to_string());
    }
    for placed in per.placed {
        text = text.replace(&format!("$({}.url)", placed.name), &placed.url);
    }
    Ok(text)
}

fn options(folder: &Path) -> Options<'static> {
    let programs = Path::new(SERVER).parent().unwrap().to_owned();
    let mut options = Options::new(programs, folder.join("scratch"), folder.join("log"), Clock::system());
    options.ready_within = Nanos::from_secs(30);
    options
}

fn launch(folder: &Path, instances: Vec<Instance>) -> Result<Launched, LaunchError> {
    start_instances(&instances, Path::new("/"), &resolve, &options(folder))
}

fn refused(instances: Vec<Instance>) -> LaunchError {
    let folder = tempfile::tempdir().unwrap();
    launch(folder.path(), instances).map(|_| ()).unwrap_err()
}

/// Whether the process lives; the remains of one that its new parent has not reaped yet do not.
fn exists(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, fields)| !fields.starts_with(" Z"))
}

#[test]
fn replicas_start_after_what_they_need_and_each_is_the_one_meant() {
    let folder = tempfile::tempdir().unwrap();
    let mut front = instance("front", "$(faults)");
    front.needs = vec!["lookup".to_owned()];
    front.faults = vec![("delay".to_owned(), text("20ms")), ("title".to_owned(), text("a b"))];
    front.env = vec![("TITLE".to_owned(), text("$(lookup.1.url) $(lookup.2.url)"))];
    let mut lookup = instance("lookup", "--ready-after-ms 50");
    lookup.replicas = 2;
    let mut launched = launch(folder.path(), vec![front, lookup]).unwrap();
    let placed = launched.placed();
    assert_eq!(placed.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["lookup.1", "lookup.2", "front"]);
    assert_eq!(placed.iter().map(|one| one.replica).collect::<Vec<_>>(), [Some(1), Some(2), None]);
    let started: Vec<_> = launched.started().cloned().collect();
    for one in &started {
        assert!(one.is_identified);
        assert_eq!(one.identity["nonce"], one.nonce);
        assert_eq!(one.identity["pid"], one.placed.pid.unwrap().to_string());
    }
    assert_eq!(started[2].identity["faults"], "delay=20ms title=a b", "a value with blanks stays one value");
    assert_eq!(started[2].identity["title"], format!("{} {}", placed[0].url, placed[1].url));
    let port = placed[2].ports[0].1;
    assert_eq!(std::fs::read_to_string(started[2].log.as_ref().unwrap()).unwrap(), format!("listening on {port}\n"));
    assert_eq!(launched.check(), []);
    assert_eq!(launched.identify_again(), []);
    assert_eq!((launched.survivors("lookup.1"), launched.survivors("front"), launched.survivors("look")), (1, 0, 0));
    let ended = launched.stop();
    assert_eq!(ended.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["front", "lookup.2", "lookup.1"]);
    assert!(
        ended.iter().all(|one| one.is_in_time && one.text == "was ended by signal 15" && !exists(one.pid)),
        "{ended:?}"
    );
}

#[test]
fn some_are_started_anew_in_other_numbers_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = instance("store", "");
    let mut lookup = instance("lookup", "");
    (lookup.needs, lookup.written.replicas) = (vec!["store".to_owned()], Some(text("$(n)")));
    let mut front = instance("front", "");
    front.needs = vec!["lookup".to_owned()];
    front.env = vec![("TITLE".to_owned(), text("$(lookup.1.url) $(lookup.2.url)"))];
    let mut launched = launch(folder.path(), vec![front.clone(), lookup.clone(), store.clone()]).unwrap();
    let before = launched.placed();
    // One of them has a number, since there may be more later.
    assert_eq!(before.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["store", "lookup.1", "front"]);
    lookup.replicas = 2;
    let instances = vec![front, lookup, store];
    let names = ["lookup", "front"].map(str::to_owned).into();
    let ended = renew(&mut launched, &instances, &names, Path::new("/"), &resolve, &options(folder.path())).unwrap();
    assert_eq!(ended.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["front", "lookup.1"]);
    let after = launched.placed();
    assert_eq!(
        after.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        ["store", "lookup.1", "lookup.2", "front"]
    );
    assert_eq!(after[0], before[0]);
    assert!(!exists(before[1].pid.unwrap()) && !exists(before[2].pid.unwrap()));
    let title = launched.started().last().unwrap().identity["title"].clone();
    assert_eq!(title, format!("{} {}", after[1].url, after[2].url));
    let mut ports: Vec<u16> = after.iter().map(|one| one.ports[0].1).collect();
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), 4);
    // Nobody takes for a loss what was ended on purpose.
    assert_eq!(launched.check(), []);
    assert_eq!(launched.identify_again(), []);
}

#[test]
fn a_process_that_ends_at_once_shows_its_last_words() {
    let error = refused(vec![instance("shop", "--fail 'no such table: stock'")]);
    assert_eq!(
        error.to_string(),
        "`shop` ended with exit code 3 before it was ready\nits last lines were:\n  | no such table: stock"
    );
}

#[test]
fn a_lying_nonce_is_not_the_one_meant() {
    let error = refused(vec![instance("shop", "--nonce 0123")]);
    assert!(matches!(error, LaunchError::NotTheOneMeant { .. }));
    assert!(error.to_string().ends_with(
        "it should tell the nonce of the process that was started, but it tells `0123`, so another process answers"
    ));
}

#[test]
fn an_identity_that_is_not_expected_is_refused_also_from_our_own_process() {
    let mut shop = instance("shop", "--name stock");
    shop.expect = vec![("name".to_owned(), "shop".to_owned())];
    assert!(refused(vec![shop]).to_string().ends_with("`name` should be `shop`, but it is `stock`"));
}

#[test]
fn without_an_identity_the_listening_socket_is_the_proof() {
    let folder = tempfile::tempdir().unwrap();
    let launched = launch(folder.path(), vec![instance("shop", "--mute")]).unwrap();
    let started = launched.started().next().unwrap();
    assert!(started.is_identified && started.identity.is_empty());
}

#[test]
fn a_stranger_on_the_port_is_named_and_gets_no_load() {
    // The process that is started lives, but a stranger (this test) has the port it was given.
    let folder = tempfile::tempdir().unwrap();
    let strangers = std::sync::Mutex::new(Vec::new());
    let steal = |_: &Instance, per: &PerReplica<'_>, node: &Node| {
        strangers.lock().unwrap().push(std::net::SocketAddr::from(([127, 0, 0, 1], per.ports[0].1)));
        node.as_text("a text").map(|text| text.replace("$(port)", "0"))
    };
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut held = Vec::new();
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                held.extend(strangers.lock().unwrap().iter().filter_map(|address| TcpListener::bind(address).ok()));
                Clock::system().sleep_until(Nanos::MILLISECOND);
            }
        });
        let result = start_instances(&[instance("shop", "")], Path::new("/"), &steal, &options(folder.path()));
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        result.map(|_| ()).unwrap_err()
    });
    let me = std::process::id();
    assert!(error.to_string().contains(&format!("our own process should listen, but process {me} (`")), "{error}");
    assert!(strangers.lock().unwrap().len() >= 8, "other ports were tried first: four attempts, two words each");
}

#[test]
fn a_process_that_finds_its_port_taken_gets_another() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken_port = taken.local_addr().unwrap().port().to_string();
    let attempts = std::cell::Cell::new(0);
    let first_taken = |instance: &Instance, per: &PerReplica<'_>, node: &Node| {
        if node.text() == Some("$(port)") {
            attempts.set(attempts.get() + 1);
            if attempts.get() == 1 {
                return Ok(taken_port.clone());
            }
        }
        resolve(instance, per, node)
    };
    let launched =
        start_instances(&[instance("shop", "")], Path::new("/"), &first_taken, &options(folder.path())).unwrap();
    assert_eq!(attempts.get(), 2);
    assert!(launched.started().next().unwrap().is_identified);
}

#[test]
fn what_is_not_ready_in_time_says_what_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path());
    options.ready_within = Nanos::from_millis(300);
    let result = start_instances(&[instance("shop", "--ready-after-ms 50000")], Path::new("/"), &resolve, &options);
    let message = result.map(|_| ()).unwrap_err().to_string();
    assert!(message.starts_with("`shop` was not ready within 300ms: `http://127.0.0.1:"), "{message}");
    assert!(message.contains("answers with status 503"), "{message}");
    options.interrupted.store(true, std::sync::atomic::Ordering::Relaxed);
    let result = start_instances(&[instance("shop", "")], Path::new("/"), &resolve, &options);
    assert!(matches!(result.map(|_| ()).unwrap_err(), LaunchError::Interrupted { .. }));
}

#[test]
fn a_replica_that_dies_is_noticed_once_and_ends_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let mut launched = launch(folder.path(), vec![instance("shop", ""), instance("stock", "")]).unwrap();
    let placed = launched.placed();
    let _ = std::net::TcpStream::connect(("127.0.0.1", placed[0].ports[0].1))
        .and_then(|mut stream| std::io::Write::write_all(&mut stream, b"GET /exit HTTP/1.1\r\n\r\n"));
    let clock = Clock::system();
    let mut events = Vec::new();
    while events.is_empty() && clock.now() < Nanos::from_secs(20) {
        clock.sleep_until(clock.now() + Nanos::from_millis(5));
        events = launched.check();
    }
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].kind, events[0].subject.as_str()), ("gone", "shop"));
    assert_eq!(events[0].text, "`shop` ended with exit code 7; it wrote last: told to exit");
    assert_eq!(launched.check(), []);
    assert_eq!(launched.identify_again(), []);
    let ended = launched.stop();
    assert_eq!(ended[1].text, "ended with exit code 7");
}

#[test]
fn whoever_ignores_the_request_to_end_is_killed_after_its_grace() {
    let folder = tempfile::tempdir().unwrap();
    let mut shop = instance("shop", "");
    shop.start = Some(text(&format!("sh -c \"trap '' TERM; exec {SERVER} --port $(port)\"")));
    shop.stop = Nanos::from_millis(100);
    let ended = launch(folder.path(), vec![shop]).unwrap().stop();
    assert_eq!(ended[0].text, "was killed by signal 9 (by hand, or for lack of memory)");
    assert!(!ended[0].is_in_time && !exists(ended[0].pid));
}

#[test]
fn a_wrapper_and_its_child_are_one_tree_and_no_orphan_stays_after_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut shop = instance("shop", "");
    shop.start = Some(text(&format!("sh -c '{SERVER} --port $(port); true'")));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let launched = launch(folder.path(), vec![shop]).unwrap();
        let started = launched.started().next().unwrap().clone();
        assert!(started.is_identified);
        let child: u32 = started.identity["pid"].parse().unwrap();
        assert_ne!(started.placed.pid, Some(child), "the shell is the parent of the server");
        std::panic::resume_unwind(Box::new((started.placed.pid.unwrap(), child)));
    }));
    let (shell, child) = *outcome.unwrap_err().downcast::<(u32, u32)>().unwrap();
    assert!(!exists(shell) && !exists(child));
}

#[test]
fn what_runs_already_is_asked_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = launch(folder.path(), vec![instance("shop", "--name stock")]).unwrap();
    let mut adopted = instance("target", "");
    adopted.start = None;
    adopted.url = Some(text(&other.placed()[0].url));
    adopted.expect = vec![("name".to_owned(), "shop".to_owned())];
    let message = refused(vec![adopted.clone()]).to_string();
    assert!(message.starts_with("`target` at `http://127.0.0.1:"), "{message}");
    assert!(
        message.ends_with("/version` is not the one meant: `name` should be `shop`, but it is `stock`"),
        "{message}"
    );
    adopted.expect[0].1 = "stock".to_owned();
    let mut launched = launch(folder.path(), vec![adopted.clone()]).unwrap();
    assert_eq!(launched.started().next().unwrap().identity["name"], "stock");
    assert_eq!(launched.check(), []);
    // Nothing is known about who it should be: it is recorded as not identified.
    adopted.expect.clear();
    let unknown = launch(folder.path(), vec![adopted]).unwrap();
    assert!(!unknown.started().next().unwrap().is_identified);
    assert_eq!(launched.placed()[0].pid, None);
    assert_eq!(other.check(), [], "asking harmed nobody");
    other.stop();
    assert_eq!(launched.check(), []);
    assert_eq!(launched.check()[0].kind, "gone");
    assert_eq!(launched.stop(), []);
}

#[test]
fn mistakes_have_a_code_and_something_to_do() {
    let code = |instance: Instance| match refused(vec![instance]) {
        LaunchError::Mistake(mistake) => mistake.code,
        other => panic!("{other}"),
    };
    let mut shop = instance("shop", "");
    shop.start = Some(text("no-such-program-anywhere --port $(port)"));
    assert_eq!(code(shop.clone()), "launch::no-program");
    shop.start = Some(text("launch-test-server '"));
    assert_eq!(code(shop.clone()), "launch::bad-command");
    shop.start = Some(Node { place: Place::default(), shape: Shape::List(Vec::new()) });
    assert_eq!(code(shop.clone()), "study::wrong-type");
    shop.start = None;
    assert_eq!(code(shop.clone()), "launch::no-start");
    shop.url = Some(text("shop.invalid:80"));
    assert_eq!(code(shop.clone()), "launch::bad-address");
    shop.url = None;
    shop.needs = vec!["shop".to_owned()];
    assert_eq!(code(shop), "launch::needs-circle");
}
