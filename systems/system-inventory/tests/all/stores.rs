//! Both stores give the same answers, and a real server makes writers wait as it should. Without a PostgreSQL on the
//! machine these tests fail: they say what to type.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::support::{Folder, command, database, database_command, instances, start, store_of};
use serde_json::Value;
use testkit::program::{Answer, PATIENCE, Process};

/// One server for all tests; each has a tenant of its own. It ends with this process, which holds its standard input.
fn server() -> &'static str {
    static SERVER: OnceLock<(Process, String)> = OnceLock::new();
    &SERVER.get_or_init(|| database("--exit-with-stdin")).1
}

const INSTANCES: u64 = 200;

/// The processes over one store.
struct System {
    folder: Folder,
    tenant: String,
    records: Process,
    holdings: Process,
    jobs: Process,
}

impl System {
    /// On SQLite for `None`, else on the server with this address.
    fn on(server: Option<&str>, holdings: &str) -> Self {
        static TENANTS: AtomicU32 = AtomicU32::new(0);
        let folder = Folder::new();
        let tenant = format!("t{}", TENANTS.fetch_add(1, Relaxed));
        let store = server.map_or_else(|| folder.store(), str::to_owned);
        let start = |module: &str, flags: &str| {
            let line =
                format!("{module} --store {store} --tenant {tenant} --instances {INSTANCES} --seed 1 --pool 4 {flags}");
            start(&line)
        };
        let (records, holdings, jobs) = (start("records", ""), start("holdings", holdings), start("jobs", ""));
        Self { folder, tenant, records, holdings, jobs }
    }

    fn both() -> [Self; 2] {
        [Self::on(None, ""), Self::on(Some(server()), "")]
    }

    fn instances(&self) -> Vec<(String, String)> {
        instances(&self.folder, INSTANCES)
    }

    fn holdings_of(&self, uuid: &str) -> Vec<Value> {
        let path = format!("/holdings-storage/holdings?limit=1000&query=instanceId=={uuid}");
        self.holdings.get(&path).json()["holdingsRecords"].as_array().unwrap().clone()
    }

    fn start_job(&self, path: &str) -> String {
        let answer = self.jobs.call("POST", path, &[], "");
        assert_eq!(answer.status, 202, "{answer:?}");
        let told = answer.json();
        let place = answer.header("location").unwrap().to_owned();
        assert_eq!(place, format!("/jobs/{}", told["id"].as_str().unwrap()));
        assert!(told["state"] == "running" || told["state"] == "done", "{told}");
        place
    }

    fn ended(&self, place: &str) -> Value {
        self.job_until(place, |job| job["state"] != "running")
    }

    fn job_until(&self, place: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            let job = self.jobs.get(place).json();
            if is_so(&job) {
                return job;
            }
            assert!(since.elapsed() < PATIENCE, "{job}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn gateway(&self, flags: &str) -> Process {
        let (records, holdings) = (&self.records.address, &self.holdings.address);
        start(&format!("gateway --records {records} --holdings {holdings} --tenant {} {flags}", self.tenant))
    }
}

/// Status, and the body as JSON: `jsonb` keeps no order of keys.
fn meaning(answer: &Answer) -> (u16, Value) {
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_else(|_| Value::from(answer.body.as_str())))
}

#[test]
fn both_stores_answer_alike() {
    let systems = System::both();
    let (uuid, hrid) = &systems[0].instances()[7];
    let one = systems[0].holdings_of(uuid)[0].clone();
    let (id, holding) = (one["id"].as_str().unwrap(), one["hrid"].as_str().unwrap());
    let place = one["permanentLocationId"].as_str().unwrap();
    let record = systems[0].records.get(&format!("/source-storage/source-records?instanceHrid={hrid}")).json();
    let (record, snapshot) = (&record["sourceRecords"][0]["recordId"], &record["sourceRecords"][0]["snapshotId"]);
    let (record, snapshot) = (record.as_str().unwrap(), snapshot.as_str().unwrap());
    let nobody = "2b94c631-fca9-4892-a730-03ee529ffe2a";
    let records = [
        format!("instanceHrid={hrid}&limit=1000"),
        format!("instanceId={}", uuid.to_uppercase()),
        format!("recordId={record}"),
        format!("snapshotId={snapshot}&limit=3&offset=5"),
        "limit=5&offset=198".to_owned(),
        "recordType=MARC_BIB&deleted=false&suppressFromDiscovery=false&limit=0".to_owned(),
        "suppressFromDiscovery=true".to_owned(),
        "updatedAfter=2023-01-01T00:00:09.500Z&updatedBefore=2023-01-01T00:01&limit=2".to_owned(),
        "deleted=maybe".to_owned(),
        "limit=5001".to_owned(),
        format!("instanceId={nobody}"),
    ];
    let holdings = [
        format!("query=instanceId=={uuid}&limit=1000"),
        format!("query=id=={id}"),
        format!("query=hrid=={holding}%20or%20instanceId=={uuid}"),
        format!("query=permanentLocationId=={place}&limit=7&offset=3"),
        format!("query=cql.allRecords=1%20not%20permanentLocationId=={place}&limit=4"),
        format!("query=(hrid==%22x'y%22%20or%20id=={nobody})%20and%20hrid==x"),
        "limit=3".to_owned(),
        "query=instanceId==x".to_owned(),
        "query=title==x".to_owned(),
    ];
    let search = [
        "query=title%20all%20%22archive%22&limit=100",
        "query=keyword%20all%20%22Archive%20canal%22",
        "query=title%20all%20%22canal%20nosuchword%22",
        "query=title%20all%20canal&limit=2&offset=2",
        "query=title==canal",
        "limit=1",
    ];
    let searched = systems[0].records.get("/search/instances?query=title%20all%20canal").json();
    assert!(searched["totalRecords"].as_u64().unwrap() > 2, "{searched}");
    let read = |process: &Process| process.counters()["rows"]["read"].as_u64().unwrap();
    let before = [
        [0, 1].map(|number: usize| read(&systems[number].records)),
        [0, 1].map(|number: usize| read(&systems[number].holdings)),
    ];
    let mut found = 0;
    let mut compare = |module: fn(&System) -> &Process, path: String| {
        let [sqlite, server] = [0, 1].map(|number: usize| meaning(&module(&systems[number]).get(&path)));
        assert_eq!(sqlite, server, "{path}");
        found += sqlite.1["totalRecords"].as_u64().unwrap_or(0);
    };
    records.into_iter().for_each(|query| compare(|s| &s.records, format!("/source-storage/source-records?{query}")));
    holdings.into_iter().for_each(|query| compare(|s| &s.holdings, format!("/holdings-storage/holdings?{query}")));
    search.into_iter().for_each(|query| compare(|s| &s.records, format!("/search/instances?{query}")));
    assert!(found > 1000, "there is something to compare: {found}");
    for (number, module) in [|s: &System| s.records.counters(), |s: &System| s.holdings.counters()].iter().enumerate() {
        let read = |system: usize| module(&systems[system])["rows"]["read"].as_u64().unwrap() - before[number][system];
        assert_eq!(read(0), read(1), "both did the same work");
    }
}

#[test]
fn both_stores_write_alike() {
    for system in System::both() {
        let gateway = system.gateway("");
        let login = gateway.call("POST", "/authn/login", &[], r#"{"username":"perf","password":"secret"}"#);
        let token = login.header("x-okapi-token").unwrap().to_owned();
        let okapi = [("x-okapi-token", token.as_str())];
        let (uuid, _) = &system.instances()[3];
        let count = system.holdings_of(uuid).len() as u64;
        let lend = |uuid: &str| gateway.call("POST", "/check-out", &okapi, format!(r#"{{"instance":"{uuid}"}}"#));
        for _ in 0..count {
            assert_eq!(lend(uuid).status, 201);
        }
        let after = system.holdings_of(uuid);
        assert!(after.iter().all(|holding| holding["onLoan"] == 1 && holding["_version"] == 2), "each once: {after:?}");
        assert_eq!(lend("2b94c631-fca9-4892-a730-03ee529ffe2a").status, 404);
        assert_eq!(lend("x").status, 400);
        let edit = |id: &str, body: &str| gateway.call("PUT", &format!("/holdings/{id}"), &okapi, body);
        assert_eq!(edit(uuid, r#"{"note":"it's \"new\""}"#).json()["updated"], count);
        let one = after[0]["id"].as_str().unwrap();
        assert_eq!(edit(one, r#"{"note":"second","version":3}"#).json()["updated"], 1);
        let late = edit(one, r#"{"note":"third","version":3}"#);
        assert_eq!((late.status, late.header("content-type")), (409, Some("text/plain")), "{late:?}");
        assert_eq!(edit("2b94c631-fca9-4892-a730-03ee529ffe2a", r#"{"note":"x","version":1}"#).status, 404);
        assert_eq!(edit(one, r#"{"note":"x","version":"1"}"#).status, 400);
        let after = system.holdings_of(uuid);
        let find = |wanted: &str| after.iter().find(|holding| holding["id"] == wanted).unwrap();
        assert_eq!((&find(one)["notes"][0]["note"], &find(one)["_version"]), (&"second".into(), &4.into()));
        assert_eq!(find(one)["metadata"]["createdDate"], "2023-01-01T00:00:03.000Z");
        assert_ne!(find(one)["metadata"]["updatedDate"], "2023-01-01T00:00:03.000Z");
        let counters = system.holdings.counters();
        assert_eq!(counters["rows"]["written"], 2 * count + count + 1, "loans and lent, edited, edited once more");
        assert_eq!(
            gateway.counters()["requests"]["PUT /holdings/{uuid}"],
            counters["requests"]["PUT /holdings/{uuid}"]
        );
    }
}

#[test]
fn an_import_replaces_what_is_there_and_adds_what_is_not() {
    for system in System::both() {
        let (uuid, hrid) = &system.instances()[INSTANCES as usize - 1];
        assert_eq!(system.holdings.call("POST", "/check-out", &[], format!(r#"{{"instance":"{uuid}"}}"#)).status, 201);
        system.holdings.call("PUT", &format!("/holdings/{uuid}"), &[], r#"{"note":"to be replaced"}"#);
        let place = system.start_job(&format!("/import?first={}&rows=30&batch=7", INSTANCES - 10));
        let job = system.ended(&place);
        assert_eq!(
            (&job["state"], &job["rows"], &job["transactions"]),
            (&"done".into(), &30.into(), &5.into()),
            "{job}"
        );
        let path = format!("/source-storage/source-records?instanceHrid={hrid}");
        let record = system.records.get(&path).json()["sourceRecords"][0].clone();
        assert_eq!(record["generation"], 1);
        assert_ne!(record["metadata"]["updatedDate"], record["metadata"]["createdDate"]);
        let holdings = system.holdings_of(uuid);
        let lent: u64 = holdings.iter().map(|holding| holding["onLoan"].as_u64().unwrap()).sum();
        assert_eq!(lent, 1, "what is lent stays lent");
        assert!(holdings.iter().all(|holding| holding["notes"][0]["note"] != "to be replaced"));
        let all = system.records.get("/source-storage/source-records?limit=1").json();
        assert_eq!(all["totalRecords"], INSTANCES + 20);
        // A new record is found by its title, once.
        let title = |number: u64| {
            let path = format!("/source-storage/source-records?instanceHrid=in{number:011}");
            let record = system.records.get(&path).json()["sourceRecords"][0].clone();
            record["parsedRecord"]["content"]["fields"][4]["245"]["subfields"][0]["a"].as_str().unwrap().to_owned()
        };
        let query = title(INSTANCES + 15).replace(' ', "%20");
        let found =
            system.records.get(&format!("/search/instances?query=title%20all%20%22{query}%22&limit=100")).json();
        let hrids: Vec<_> = found["instances"].as_array().unwrap().iter().map(|one| one["hrid"].clone()).collect();
        let wanted = Value::from(format!("in{:011}", INSTANCES + 15));
        assert_eq!(hrids.iter().filter(|hrid| **hrid == wanted).count(), 1, "{found}");
        let counters = system.jobs.counters();
        assert_eq!(counters["jobs"]["import"]["rows"], 30);
        assert!(counters["rows"]["written"].as_u64().unwrap() > 30 * 4, "three tables and at least one holding each");
    }
}

#[test]
fn a_roll_over_is_all_or_nothing_and_one_at_a_time() {
    for system in System::both() {
        let place = system.start_job("/roll-over?year=FY2030&pause=100ms");
        system.job_until(&place, |job| job["rows"].as_u64().unwrap() > 0);
        let (uuid, _) = &system.instances()[0];
        assert!(system.holdings_of(uuid)[0]["fiscalYear"].is_null(), "nothing is seen before the end");
        let second = system.jobs.call("POST", "/roll-over", &[], "");
        assert_eq!((second.status, second.header("content-type")), (409, Some("text/plain")), "{second:?}");
        let job = system.ended(&place);
        let all = system.holdings.get("/holdings-storage/holdings?limit=1").json()["totalRecords"].clone();
        assert_eq!((&job["state"], &job["rows"]), (&"done".into(), &all), "{job}");
        assert_eq!(system.holdings_of(uuid)[0]["fiscalYear"], "FY2030");
        assert_eq!(system.jobs.get("/jobs/x").status, 404);
        assert_eq!(system.jobs.call("POST", "/import?rows=x", &[], "").status, 400);
        assert_eq!(system.jobs.counters()["jobs"]["roll-over"]["done"], 1);
    }
}

#[test]
fn a_roll_over_makes_holdings_time_out_and_not_records() {
    // The picture of the study: writers wait for the roll-over and hold the pool's connections, readers wait for those.
    let system = System::on(Some(server()), "--fault pool=2");
    let gateway = system.gateway("--upstream-timeout 1s");
    let login = gateway.call("POST", "/authn/login", &[], r#"{"username":"perf","password":"secret"}"#);
    let token = login.header("x-okapi-token").unwrap().to_owned();
    let okapi = [("x-okapi-token", token.as_str())];
    let (uuid, hrid) = &system.instances()[0];
    let rih_1 = format!("/source-storage/source-records?instanceHrid={hrid}&limit=1000");
    let rih_2 = format!("/holdings-storage/holdings?limit=1000&query=instanceId=={uuid}");
    let place = system.start_job("/roll-over?pause=30s");
    system.job_until(&place, |job| job["rows"].as_u64().unwrap() > 0);
    assert_eq!(gateway.call("GET", &rih_2, &okapi, "").status, 200, "readers alone do not wait for a writer");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let body = format!(r#"{{"instance":"{uuid}"}}"#);
                assert_eq!(gateway.call("POST", "/check-out", &okapi, &body).status, 504);
            });
        }
    });
    assert_eq!(gateway.call("GET", &rih_2, &okapi, "").status, 504);
    assert_eq!(gateway.call("GET", &rih_1, &okapi, "").status, 200);
    let pool = system.holdings.counters()["pool"].clone();
    assert_eq!((&pool["busy"], &pool["size"]), (&2.into(), &2.into()));
    // The end of the jobs breaks the roll-over off; all of it is undone, and the writers go on.
    let mut system = system;
    system.jobs.signal("TERM");
    assert!(system.jobs.ended().success());
    system.holdings.counters_until(|counters| counters["pool"]["busy"] == 0);
    assert_eq!(gateway.call("GET", &rih_2, &okapi, "").status, 200);
    let holdings = system.holdings_of(uuid);
    assert!(holdings.iter().all(|holding| holding["fiscalYear"].is_null()), "{holdings:?}");
    let lent: u64 = holdings.iter().map(|holding| holding["onLoan"].as_u64().unwrap()).sum();
    assert_eq!(lent, 2, "work that has begun is finished, though nobody waits for it");
}

#[test]
fn a_database_that_dies_is_500_and_told_by_health() {
    let (mut database, store) = database("");
    let line = format!("holdings --store {store} --instances 20 --seed 1 --pool 2");
    let holdings = start(&line);
    let path = "/holdings-storage/holdings?limit=1";
    assert_eq!((holdings.get(path).status, holdings.get("/health").status), (200, 200));
    testkit::program::signal(database.server_pid(), "KILL");
    assert!(!database.ended().success());
    for _ in 0..4 {
        let answer = holdings.get(path);
        assert_eq!(answer.status, 500, "{answer:?}");
        assert!(answer.body.starts_with("the store failed: "), "{answer:?}");
    }
    assert_eq!(holdings.get("/health").status, 503);
}

#[test]
fn connections_are_opened_again_when_the_database_is_back() {
    let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let flags = format!("--keep --data {}/data", folder.path().display());
    let first = Process::from(database_command(&flags));
    let store = store_of(&first);
    let port = store.rsplit(':').next().unwrap().split('/').next().unwrap().to_owned();
    let holdings = start(&format!("holdings --store {store} --instances 20 --seed 1 --pool 2"));
    let path = "/holdings-storage/holdings?limit=1";
    assert_eq!(holdings.get(path).status, 200);
    let mut first = first;
    first.signal("TERM");
    assert!(first.ended().success());
    assert_eq!(holdings.get(path).status, 500);
    let second = Process::from(database_command(&format!("{flags} --sql-port {port}")));
    assert_eq!(store_of(&second), store);
    for _ in 0..4 {
        assert_eq!(holdings.get(path).status, 200);
    }
    let health = holdings.get("/health");
    assert_eq!(health.status, 200, "{health:?}");
    let mut second = second;
    second.signal("TERM");
    assert!(second.ended().success());
}

#[test]
fn modules_that_start_together_share_one_schema() {
    let start = |module: &'static str| {
        let line = format!("{module} --store {} --tenant together --instances 1500 --seed 1 --pool 1", server());
        std::thread::spawn(move || start(&line))
    };
    let started = [start("records"), start("holdings"), start("jobs")];
    for process in started.map(|process| process.join().unwrap()) {
        assert_eq!(
            process.counters()["data"],
            serde_json::json!({ "tenant": "together", "instances": 1500, "seed": 1 })
        );
    }
    let line = format!("records --store {} --tenant together --instances 1501", server());
    let output = command(&line).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && text.contains("holds 1500 instances of seed 1 for tenant `together`"),
        "{text}"
    );
    let output = command("records --store postgres://lab@127.0.0.1:1/lab").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("the store `postgres://127.0.0.1:1/lab`"), "{text}");
}
