//! What the processes answer when nothing is wrong, and what they refuse.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use crate::support::{Folder, System, command, instances, start};
use testkit::program::{PATIENCE, Process};

#[test]
fn the_study_walks_through_all_routes_and_the_books_agree() {
    let system = System::start();
    let token = system.token();
    let okapi = [("x-okapi-token", token.as_str()), ("x-request-id", "walk-1")];
    let (uuid, hrid) = &system.instances()[7];

    let rih_1 = format!("/source-storage/source-records?instanceHrid={hrid}&limit=1000");
    let found = system.gateway.call("GET", &rih_1, &okapi, "");
    assert_eq!((found.status, found.header("content-type")), (200, Some("application/json")));
    let found = found.json();
    assert_eq!(found["totalRecords"], 1);
    let record = &found["sourceRecords"][0];
    assert_eq!(record["externalIdsHolder"]["instanceHrid"], hrid.as_str());
    assert_eq!(record["externalIdsHolder"]["instanceId"], uuid.as_str());
    assert_eq!(record["parsedRecord"]["content"]["fields"][0]["001"], hrid.as_str());
    assert!(record["rawRecord"]["content"].as_str().unwrap().contains(hrid.as_str()));
    for field in ["recordId", "snapshotId", "recordType", "additionalInfo", "metadata"] {
        assert!(!record[field].is_null(), "{field}");
    }

    let rih_2 = format!("/holdings-storage/holdings?limit=1000&query=instanceId=={uuid}");
    let found = system.gateway.call("GET", &rih_2, &okapi, "").json();
    let holdings = found["holdingsRecords"].as_array().unwrap().clone();
    assert!((1..=5).contains(&holdings.len()));
    assert_eq!(found["totalRecords"], holdings.len());
    assert!(holdings.iter().all(|holding| holding["instanceId"] == uuid.as_str()));

    let body = format!(r#"{{"instance":"{uuid}"}}"#);
    let loan = system.gateway.call("POST", "/check-out", &okapi, &body);
    assert_eq!((loan.status, &loan.json()["instanceId"]), (201, &uuid.as_str().into()));
    let edited = system.gateway.call("PUT", &format!("/holdings/{uuid}"), &okapi, r#"{"note":"it's new"}"#);
    assert_eq!((edited.status, &edited.json()["updated"]), (200, &holdings.len().into()));
    let after = system.gateway.call("GET", &rih_2, &okapi, "").json();
    for holding in after["holdingsRecords"].as_array().unwrap() {
        assert_eq!(holding["notes"][0]["note"], "it's new");
    }
    let lent: u64 = after["holdingsRecords"].as_array().unwrap().iter().map(|h| h["onLoan"].as_u64().unwrap()).sum();
    assert_eq!(lent, 1);

    let gateway = system.gateway.counters();
    let module = system.holdings.counters();
    assert_eq!(gateway["requests"]["GET /holdings-storage/holdings"]["200"], 2);
    for route in ["GET /holdings-storage/holdings", "POST /check-out", "PUT /holdings/{uuid}"] {
        assert_eq!(gateway["requests"][route], module["requests"][route], "{route}");
    }
    assert_eq!((&gateway["logins"], &gateway["in_flight"]), (&1.into(), &0.into()));
    let count = holdings.len() as u64;
    assert_eq!(module["rows"]["written"], 2 + count, "loan, lent holding, edited holdings");
    assert_eq!(module["rows"]["read"], 2 * (1 + count) + 1 + count, "two lists with their counts, check-out, edit");
    assert_eq!(module["pool"]["taken"], 4);
    assert_eq!(system.records.counters()["rows"]["read"], 4, "a count, and three joined rows");
}

#[test]
fn one_id_joins_the_logs_of_gateway_and_module() {
    let mut system = System::start();
    let token = system.token();
    let (uuid, _) = &system.instances()[0];
    let path = format!("/holdings-storage/holdings?query=instanceId=={uuid}");
    let given = system.gateway.call("GET", &path, &[("x-okapi-token", &token), ("x-request-id", "join-me")], "");
    system.gateway.call("GET", &path, &[("x-okapi-token", &token)], "");
    for process in [&mut system.gateway, &mut system.holdings] {
        process.signal("TERM");
        assert!(process.ended().success());
    }
    let log = |name: &str| std::fs::read_to_string(system.folder.path(name)).unwrap();
    let (gateway, holdings) = (log("gateway.log"), log("holdings.log"));
    let line = gateway.lines().find(|line| line.ends_with(" join-me")).unwrap();
    let fields: Vec<&str> = line.split(' ').collect();
    assert_eq!(fields.len(), 8, "the quoted route is two words: {line}");
    assert_eq!(&fields[0][10..11], "T");
    assert!(fields[0].ends_with('Z') && fields[0].len() == 24, "{line}");
    assert_eq!(
        fields[1..6],
        ["gateway", "\"GET", "/holdings-storage/holdings\"", "200", &given.body.len().to_string()]
    );
    let ms: f64 = fields[6].parse().unwrap();
    assert!(ms > 0.0 && fields[6].split('.').nth(1).unwrap().len() == 3);
    assert!(holdings.lines().any(|line| line.ends_with(" join-me")));
    let made = holdings.lines().find(|line| line.contains(" gateway-")).unwrap();
    assert_eq!(made.split(' ').nth(1), Some("holdings"));
}

#[test]
fn the_gateway_lets_only_known_users_of_the_tenant_in() {
    let system = System::start();
    let token = system.token();
    let path = "/source-storage/source-records?instanceHrid=in00000000001";
    let status = |headers: &[(&str, &str)]| system.gateway.call("GET", path, headers, "").status;
    assert_eq!(status(&[("x-okapi-token", &token)]), 200);
    assert_eq!(status(&[("x-okapi-token", &token), ("x-okapi-tenant", "diku")]), 200);
    assert_eq!(status(&[("x-okapi-token", &token), ("x-okapi-tenant", "other")]), 403);
    assert_eq!(status(&[]), 401);
    assert_eq!(status(&[("x-okapi-token", "nonsense")]), 401);
    let other = System::start();
    assert_eq!(status(&[("x-okapi-token", &other.token())]), 401, "a token of another gateway");

    let log_in = |headers: &[(&str, &str)], body: &str| system.gateway.call("POST", "/authn/login", headers, body);
    let wrong = log_in(&[], r#"{"username":"perf","password":"guess"}"#);
    assert_eq!((wrong.status, wrong.header("content-type")), (401, Some("text/plain")));
    assert_eq!(log_in(&[("x-okapi-tenant", "other")], r#"{"username":"perf","password":"secret"}"#).status, 403);
    assert_eq!(log_in(&[], r#"{"username":"perf"}"#).status, 400);
    assert_eq!(log_in(&[], "not JSON").status, 400);
    assert_eq!(system.gateway.get("/no-such-route").status, 404);
    assert_eq!(system.gateway.call("DELETE", "/check-out", &[], "").status, 405);
    let counters = system.gateway.counters();
    assert_eq!(counters["requests"]["other"], serde_json::json!({ "404": 1, "405": 1 }));
    assert_eq!(system.records.counters()["started"], 2, "what is refused is not forwarded");
}

#[test]
fn a_token_ends_and_the_password_is_the_environments() {
    let system = System::start();
    let mut line =
        command(&format!("gateway --records {0} --holdings {0} --token-lifetime 1s", system.records.address));
    line.env("INVENTORY_PASSWORD", "other");
    let gateway = Process::from(line);
    let log_in = |password: &str| {
        gateway.call("POST", "/authn/login", &[], format!(r#"{{"username":"perf","password":"{password}"}}"#))
    };
    assert_eq!(log_in("secret").status, 401);
    let token = log_in("other").header("x-okapi-token").unwrap().to_owned();
    let since = std::time::Instant::now();
    let path = "/source-storage/source-records?instanceHrid=in00000000001";
    loop {
        let answer = gateway.call("GET", path, &[("x-okapi-token", &token)], "");
        if answer.status == 401 {
            assert!(answer.body.contains("expired"), "{answer:?}");
            break;
        }
        assert!(answer.status == 200 && since.elapsed() < PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn modules_refuse_bad_input_as_plain_text() {
    let system = System::start();
    let get = |process: &Process, path: &str, status: u16, part: &str| {
        let answer = process.get(path);
        assert_eq!((answer.status, answer.header("content-type")), (status, Some("text/plain")), "{path}: {answer:?}");
        assert!(answer.body.contains(part), "{path}: {answer:?}");
    };
    let records = "/source-storage/source-records";
    get(&system.records, &format!("{records}?instanceHRID=in1"), 400, "unknown parameter `instanceHRID`");
    get(&system.records, &format!("{records}?instanceHrid=in1&limit=many"), 400, "`limit` cannot be `many`");
    get(&system.records, &format!("{records}?instanceId=1"), 400, "possible is a UUID");
    let holdings = "/holdings-storage/holdings";
    get(&system.holdings, &format!("{holdings}?query=instanceId==x"), 400, "`x` is not a UUID");
    get(&system.holdings, &format!("{holdings}?query=title%3Dx%20sortby%20y"), 400, "unknown index `title`");
    get(&system.holdings, &format!("{holdings}?query=%22"), 400, "not closed");
    let post = |path: &str, method: &str, body: &str| system.holdings.call(method, path, &[], body).status;
    assert_eq!(post("/check-out", "POST", "{}"), 400);
    assert_eq!(post("/check-out", "POST", r#"{"instance":"x"}"#), 400);
    let nobody = "2b94c631-fca9-4892-a730-03ee529ffe2a";
    assert_eq!(post("/check-out", "POST", &format!(r#"{{"instance":"{nobody}"}}"#)), 404);
    assert_eq!(post(&format!("/holdings/{nobody}"), "PUT", r#"{"note":"x"}"#), 404);
    assert_eq!(post("/holdings/x", "PUT", r#"{"note":"x"}"#), 400);
    assert_eq!(post("/check-out", "POST", &"x".repeat(70_000)), 413);
    let other = system.holdings.call("GET", holdings, &[("x-okapi-tenant", "other")], "");
    assert_eq!(other.status, 403);
    let none = system.holdings.get(&format!("{holdings}?query=instanceId=={nobody}")).json();
    assert_eq!(none, serde_json::json!({ "holdingsRecords": [], "totalRecords": 0 }));
}

#[test]
fn lists_are_cut_into_pages() {
    let system = System::start();
    let page = |query: &str| system.records.get(&format!("/source-storage/source-records?{query}")).json();
    let hrid = |page: &serde_json::Value, place: usize| {
        page["sourceRecords"][place]["externalIdsHolder"]["instanceHrid"].as_str().unwrap().to_owned()
    };
    let first = page("recordType=MARC_BIB&deleted=false");
    assert_eq!((first["sourceRecords"].as_array().unwrap().len(), &first["totalRecords"]), (10, &200.into()));
    let last = page("limit=5&offset=198");
    assert_eq!(last["sourceRecords"].as_array().unwrap().len(), 2);
    assert_eq!(hrid(&last, 1), "in00000000200");
    assert_eq!(page("limit=0")["totalRecords"], 200);
    assert_eq!(page("updatedAfter=2023-01-01T00:00:09.500Z")["totalRecords"], 190, "one record a second");
    assert_eq!(page("deleted=true")["totalRecords"], 0);
}

#[test]
fn each_process_says_who_it_is() {
    let system = System::with("--name records.1 --nonce n-17", "", "");
    let version = system.records.get("/version").json();
    assert_eq!(version["name"], "system-inventory");
    assert_eq!((&version["module"], &version["instance"]), (&"records".into(), &"records.1".into()));
    assert_eq!((&version["nonce"], &version["pid"]), (&"n-17".into(), &system.records.child.id().into()));
    assert_eq!(system.records.get("/health").status, 200);
    assert_eq!(system.gateway.get("/health").status, 200);
    let mut line = command(&format!("gateway --records {0} --holdings {0}", system.records.address));
    line.env("LOADPROOF_NONCE", "from-env").env("LOADPROOF_INSTANCE", "gateway.2");
    let version = Process::from(line).get("/version").json();
    assert_eq!((&version["nonce"], &version["instance"]), (&"from-env".into(), &"gateway.2".into()));
    assert_eq!(system.records.counters()["started"], 0, "health and version are not counted");
}

#[test]
fn modules_that_start_together_share_one_store() {
    let folder = Folder::new();
    let start = |module: &'static str| {
        let line = format!("{module} --store {} --instances 3000 --seed 1 --pool 2", folder.store());
        std::thread::spawn(move || start(&line))
    };
    let started = [start("records"), start("holdings"), start("records")];
    let [records, holdings, second] = started.map(|process| process.join().unwrap());
    for process in [&records, &holdings, &second] {
        assert_eq!(process.counters()["data"], serde_json::json!({ "tenant": "diku", "instances": 3000, "seed": 1 }));
    }
    let (uuid, hrid) = &instances(&folder, 3000)[2999];
    let found = second.get(&format!("/source-storage/source-records?instanceHrid={hrid}")).json();
    assert_eq!(found["sourceRecords"][0]["externalIdsHolder"]["instanceId"], uuid.as_str());
    assert_ne!(holdings.get(&format!("/holdings-storage/holdings?query=instanceId=={uuid}")).json()["totalRecords"], 0);
}

#[test]
fn the_data_file_is_the_same_however_it_is_made() {
    let folder = Folder::new();
    let csv = folder.path("generated.csv");
    let line = format!("generate --store {} --instances 150 --csv {}", folder.store(), csv.display());
    assert!(command(&line).status().unwrap().success());
    let generated = std::fs::read_to_string(csv).unwrap();
    let exported = instances(&folder, 1000);
    let lines: Vec<String> = exported.iter().map(|(uuid, hrid)| format!("{uuid},{hrid}")).collect();
    assert_eq!(generated.lines().skip(1).collect::<Vec<_>>(), lines[..150]);
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/data/instances.csv");
    assert_eq!(std::fs::read_to_string(committed).unwrap().lines().skip(1).collect::<Vec<_>>(), lines);
}

#[test]
fn what_cannot_start_says_why() {
    let folder = Folder::new();
    let fails = |line: &str, part: &str| {
        let output = command(line).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(part), "{line}: {text}");
    };
    let store = folder.store();
    fails(&format!("records --store {store} --instances 10 --fault dealy=20ms"), "possible here: `delay=20ms`, ");
    fails("gateway --records a:1 --holdings a:2 --fault pool=2", "unknown fault `pool`; possible here: ");
    fails(&format!("records --store {store} --instances 10 --fault errors=2"), "it is not a share");
    let running = start(&format!("records --store {store} --instances 10"));
    let port = running.address.rsplit(':').next().unwrap();
    fails(&format!("records --store {store} --port {port}"), "cannot listen on 127.0.0.1:");
    fails(&format!("records --store {store} --instances 11"), "holds 10 instances of seed 1");
    fails("records --store sqlite:///proc/nowhere/x.db", "cannot create");
}
