//! A real MariaDB server: what it counts, what waits in it, and that it goes and comes back.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Taken, eventually, monitor};
use crate::mariadb_server::Server;
use clock::Clock;
use contract::{Facts, Monitor, Samples};
use terms::Nanos;

const NAMED: &[&str] = &["loans", "slow"];
/// Long enough that a busy machine cannot make a sample fail.
const EVERY: Nanos = Nanos::from_secs(20);
const STATES: [&str; 4] = ["active", "idle", "idle in transaction", "waiting"];

struct Watch {
    monitor: Box<dyn Monitor>,
    out: Samples,
    clock: Clock,
}

impl Watch {
    fn new(server: &Server, values: &[(&str, &str)]) -> Self {
        Self { monitor: monitor(&server.url(), values, EVERY), out: Samples::default(), clock: Clock::system() }
    }

    /// One sample, and why it failed.
    fn try_take(&mut self) -> (Taken, Option<String>) {
        let sampled = self.monitor.sample(self.clock.now(), &mut self.out);
        (Taken::of(&mut self.out, NAMED), sampled.err().map(|failure| failure.0))
    }

    fn take(&mut self) -> Taken {
        let (taken, failure) = self.try_take();
        assert_eq!(failure, None);
        taken
    }

    /// The first sample for which it holds.
    fn until(&mut self, what: &str, mut holds: impl FnMut(&Taken) -> bool) -> Taken {
        let (clock, mut last) = (self.clock.clone(), None);
        let held = eventually(&clock, || {
            // The server's view of transactions is made anew only when nobody has read it for a tenth of a second.
            clock.sleep_until(clock.now() + Nanos::from_millis(150));
            holds(last.insert(self.take()))
        });
        let last = last.unwrap();
        assert!(held, "{what}: {:?}", last.values);
        last
    }
}

fn states(taken: &Taken) -> [f64; 4] {
    STATES.map(|state| taken.get("connections", state).unwrap())
}

#[test]
fn connections_by_state_and_locks() {
    let server = Server::start();
    let mut watch = Watch::new(&server, &[("loans", "select 1")]);
    // The supervisor has one connection for questions about health.
    let alone = watch.take();
    assert_eq!(states(&alone), [0.0, 1.0, 0.0, 0.0], "the monitor does not count itself");
    assert_eq!((alone.own("connected"), alone.own("max_connections")), (1.0, 20.0));
    assert_eq!(states(&watch.take()), [0.0, 1.0, 0.0, 0.0], "nor its second connection");
    assert_eq!(alone.own("longest_transaction"), 0.0);
    assert_eq!((alone.get("locks", "waiting"), alone.get("locks", "held")), (Some(0.0), Some(0.0)));

    let (mut idle, mut holder, waiter) = (server.client(), server.client(), server.client());
    idle.run("create table loan(id int primary key, state varchar(9))");
    idle.run("insert into loan select seq, 'open' from seq_1_to_100");
    holder.run("begin");
    holder.run("update loan set state = 'shut' where id = 1");
    let waiting = waiter.send("update loan set state = 'lost' where id = 1");
    let busy = watch.until("one waits", |taken| taken.get("connections", "waiting") == Some(1.0));
    assert_eq!(states(&busy), [0.0, 2.0, 1.0, 1.0]);
    assert_eq!((busy.own("connected"), busy.get("locks", "waiting")), (4.0, Some(1.0)));
    assert!(busy.get("locks", "held").unwrap() >= 2.0, "{:?}", busy.values);
    watch.until("its age grows", |taken| taken.own("longest_transaction") > 2.5);
    holder.run("commit");
    drop(waiting.join().unwrap());
    let after = watch.until("nothing waits", |taken| taken.get("locks", "waiting") == Some(0.0));
    assert_eq!(after.own("row_lock_waits") - alone.own("row_lock_waits"), 1.0);
    assert!(after.own("row_lock_time") - alone.own("row_lock_time") > 0.5);
    // A table that is locked for a change of its columns.
    holder.run("begin");
    holder.run("select count(*) from loan");
    let waiting = idle.send("alter table loan add note text");
    watch.until("one waits for a table", |taken| taken.get("connections", "waiting") == Some(1.0));
    holder.run("commit");
    drop(waiting.join().unwrap());
}

#[test]
fn counters_count_the_others_and_not_the_monitor() {
    let server = Server::start();
    let mut client = server.client();
    client.run("create table loan(id int primary key, state varchar(9))");
    let mut watch = Watch::new(&server, &[("loans", "select count(*) from loan")]);
    let before = (0..3).map(|_| watch.take()).last().unwrap();
    let same = (0..5).map(|_| watch.take()).last().unwrap();
    for name in
        ["queries", "engine_commits", "engine_rollbacks", "rows_inserted", "rows_deleted", "temp_tables_on_disk"]
    {
        assert_eq!(same.own(name) - before.own(name), 0.0, "samples alone change nothing of `{name}`");
    }
    let before = same;
    for number in 0..40 {
        client.run(&format!("insert into loan values ({number}, 'open')"));
    }
    client.run("begin");
    client.run("update loan set state = 'shut'");
    client.run("rollback");
    client.run("delete from loan where id < 10");
    let after = watch.take();
    let grown = |name: &str| after.own(name) - before.own(name);
    assert_eq!((grown("rows_inserted"), grown("rows_updated"), grown("rows_deleted")), (40.0, 40.0, 10.0));
    // 40 inserts, a delete, and the end of the update, which the server counts though its transaction is rolled back.
    assert_eq!((grown("engine_commits"), grown("engine_rollbacks"), grown("queries")), (42.0, 1.0, 44.0));
    assert!(grown("rows_read") >= 50.0 && grown("blocks_hit") > 40.0);
    // Each commit is on the disk before it is answered, so each wrote to the log and waited for the disk.
    assert!(grown("wal") > 1000.0 && grown("log_writes") >= 40.0 && grown("fsyncs") >= 40.0, "{:?}", after.values);
    let pages = ["buffer_pages_dirty", "buffer_pages_used", "buffer_pages"].map(|name| after.own(name));
    assert!(pages[0] <= pages[1] && pages[1] <= pages[2] && pages[0] > 0.0, "{pages:?}");
    assert!((1000.0..=1024.0).contains(&pages[2]), "16 MiB of 16 KiB pages, but for some of the server's own");
    for name in ["deadlocks", "blocks_read", "log_waits", "refused"] {
        assert!(after.own(name) >= 0.0, "{name}");
    }
    // Not at every sample, if looking takes long.
    let sized = watch.until("a size", |taken| taken.get("size", "database").is_some());
    assert!(sized.own("size") >= 65_536.0, "a table's own file: {}", sized.own("size"));
    client.run("create temporary table wide(a longtext)");
    client.run("insert into wide select repeat('x', 100000) from seq_1_to_20");
    client.run("select distinct a from wide union all select a from wide order by 1");
    assert!(watch.take().own("temp_tables_on_disk") > after.own("temp_tables_on_disk"));
}

#[test]
fn refused_connections_and_threads_are_counted() {
    let server = Server::start();
    let mut watch = Watch::new(&server, &[]);
    let before = watch.take();
    let clients: Vec<_> = std::iter::from_fn(|| server.try_client()).take(40).collect();
    assert!((10..20).contains(&clients.len()), "{} of at most 20 were let in", clients.len());
    // It is counted a moment after the client was told.
    let after = watch.until("one is refused", |taken| taken.own("refused") - before.own("refused") == 1.0);
    let threads = ["running", "sleeping", "cached"].map(|kind| after.get("threads", kind).unwrap());
    assert_eq!((threads[0], threads[1]), (0.0, clients.len() as f64 + 1.0), "and the supervisor's");
}

#[test]
fn processor_time_and_memory_are_of_the_servers_process() {
    let server = Server::start();
    let mut watch = Watch::new(&server, &[]);
    let first = watch.take();
    assert_eq!(first.get("cpu", "database"), None, "a rate needs two samples");
    assert!(first.own("used") > 1e7, "{}", first.own("used"));
    let work = server.client().send("select benchmark(30000000, sha1('x'))");
    let mut most = 0.0f64;
    watch.until("it works", |taken| {
        most = most.max(taken.get("cpu", "database").unwrap_or_default());
        most > 0.05
    });
    assert!(most < 64.0, "{most}");
    server.kill();
    drop(work.join().unwrap());
}

#[test]
fn values_of_the_author_are_bounded_in_rows_and_in_time_and_only_read() {
    let server = Server::start();
    let mut client = server.client();
    client.run("create table loan(id int primary key, state varchar(9))");
    client.run("insert into loan select seq, if(seq < 4, 'open', 'shut') from seq_1_to_10");
    let values = [
        ("loans", "select count(*), state from loan group by state -- by state"),
        ("slow", "select seq, seq from seq_1_to_100000000"),
    ];
    let mut watch = Watch::new(&server, &values);
    let taken = watch.take();
    assert_eq!((taken.get("loans", "open"), taken.get("loans", "shut")), (Some(3.0), Some(7.0)));
    assert_eq!(taken.values.iter().filter(|(metric, ..)| metric == "slow").count(), 100);
    assert!(taken.events.iter().any(|(kind, text)| kind == "query" && text.contains("more than 100 rows")));

    let writes = [("loans", "select 1; delete from loan"), ("slow", "select nonsense")];
    let taken = Watch::new(&server, &writes).take();
    assert!(taken.values.iter().all(|(metric, ..)| metric != "loans" && metric != "slow"));
    let texts: Vec<_> = taken.events.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("You have an error in your SQL syntax"), "one statement and no more: {texts:?}");
    assert!(texts[1].contains("Unknown column 'nonsense'"), "{texts:?}");
    client.run("create function wipe() returns int modifies sql data begin delete from loan; return 1; end");
    let taken = Watch::new(&server, &[("loans", "select wipe()")]).take();
    assert!(taken.events[0].1.contains("READ ONLY"), "{:?}", taken.events);
    assert_eq!(client.text("select count(*) from loan"), "10");

    // A query that takes longer than its sample is cut off there, and the sample itself stands.
    let slow = [("loans", "select count(*) from loan"), ("slow", "select sleep(600), 'x' from seq_1_to_3")];
    drop(watch);
    let mut watch = Watch::new(&server, &[]);
    watch.until("only the supervisor and one client", |taken| taken.own("connected") == 2.0);
    watch.monitor = monitor(&server.url(), &slow, Nanos::from_secs(3));
    let taken = watch.take();
    assert_eq!(taken.own("loans"), 10.0);
    assert_eq!(taken.kinds(), ["query"]);
}

#[test]
fn a_server_that_is_killed_is_gone_and_comes_back_without_a_zero() {
    let server = Server::start();
    let mut client = server.client();
    client.run("create table loan(id int primary key)");
    client.run("insert into loan select seq from seq_1_to_50");
    let mut watch = Watch::new(&server, &[("loans", "select count(*) from loan")]);
    let before = watch.take();
    assert_eq!((before.kinds(), before.own("loans")), (Vec::<&str>::new(), 50.0));
    // The server tells its start in whole seconds.
    watch.clock.sleep_until(watch.clock.now() + Nanos::from_secs(3));
    server.kill();
    let (mut kinds, mut failures, mut back) = (Vec::new(), 0, None);
    let clock = watch.clock.clone();
    assert!(eventually(&clock, || {
        let (taken, failure) = watch.try_take();
        kinds.extend(taken.kinds().iter().map(|kind| (*kind).to_owned()));
        if failure.is_some() {
            failures += 1;
            assert!(taken.values.is_empty(), "gaps, never zeros: {:?}", taken.values);
        } else if !kinds.is_empty() {
            back = Some(taken);
        }
        back.is_some()
    }));
    let back = back.unwrap();
    assert!(failures > 0);
    assert_eq!(kinds, ["gone", "restart"], "one event for an outage, and its time of start is another");
    assert_eq!((back.own("loans"), back.own("max_connections")), (50.0, 20.0));
    assert!(back.own("queries") < 100.0, "a new server counts anew, without ours: {}", back.own("queries"));
    // A connection that is cut while the server goes on is not a restart.
    let mut client = server.client();
    let others = client.text("select group_concat(id) from information_schema.processlist where id <> connection_id()");
    for id in others.split(',') {
        client.run(&format!("kill {id}"));
    }
    let (gone, failure) = watch.try_take();
    assert!(failure.is_some());
    assert_eq!(gone.kinds(), ["gone"]);
    assert_eq!(watch.until("it answers", |taken| !taken.values.is_empty()).kinds(), ["back"]);
}

#[test]
fn a_server_that_stands_still_is_silent_and_not_gone_and_holds_nobody_up() {
    let server = Server::start();
    let mut watch = Watch::new(&server, &[]);
    watch.monitor = monitor(&server.url(), &[], Nanos::from_secs(2));
    watch.take();
    server.stand_still(true);
    for _ in 0..3 {
        let (still, failure) = watch.try_take();
        let failure = failure.unwrap();
        assert!(failure.contains("no answer within") || failure.contains("it is tried again in"), "{failure}");
        assert_eq!((still.kinds(), still.values.len()), (Vec::<&str>::new(), 0));
    }
    server.stand_still(false);
    let clock = watch.clock.clone();
    let mut after = None;
    assert!(eventually(&clock, || {
        let (taken, failure) = watch.try_take();
        after = Some(taken);
        failure.is_none()
    }));
    assert_eq!(after.unwrap().kinds(), Vec::<&str>::new());
}

#[test]
fn facts_tell_settings_and_rows_and_no_password() {
    let server = Server::start();
    let mut client = server.client();
    client.run("create table loan(id int primary key, house int, metro int, index place (metro, house))");
    client.run("insert into loan select seq, seq, seq from seq_1_to_1234");
    let facts_of = |monitor: &mut Box<dyn Monitor>| {
        let mut facts = Facts::default();
        monitor.facts(&mut facts);
        facts
    };
    let mut watch = Watch::new(&server, &[]);
    watch.take();
    let facts = facts_of(&mut watch.monitor);
    let of = |name: &str| facts.0.iter().find(|fact| fact.1 == name).map(|fact| fact.2.as_str()).unwrap_or_default();
    assert!(of("server").contains("MariaDB"), "{facts:?}");
    assert_eq!((of("setting innodb_flush_log_at_trx_commit"), of("setting max_connections")), ("1", "20"));
    assert_eq!(of("setting innodb_buffer_pool_size"), "16777216");
    assert_eq!(of("setting max_statement_time"), "0.000000", "the server's, not that of our session");
    assert_eq!(of("setting innodb_io_capacity"), "321");
    assert!(of("table loan").starts_with("1234 rows, "), "{}", of("table loan"));
    assert_eq!(of("indexes"), "loan.PRIMARY (id); loan.place (metro, house)");
    assert_eq!(of("processor time and memory"), format!("of process {} on this machine", server.pid()));
    assert!(of("cost of a sample").starts_with("mean "));
    assert!(of("server started").starts_with("20"), "{}", of("server started"));
    // The server knows no password for this role, so it refuses ours; nothing tells it.
    let mut wrong = monitor(&server.url().replace("lab@", "lab:$(secret.STORE)@"), &[], EVERY);
    let failure = wrong.sample(watch.clock.now(), &mut watch.out).unwrap_err();
    let facts = facts_of(&mut wrong);
    assert!(failure.0.contains("Access denied"), "{failure:?}");
    assert!(!format!("{failure:?} {facts:?}").contains("s3cr3t"));
    // A server that does not answer is a fact, and holds nobody up.
    let facts = facts_of(&mut monitor("mysql://lab@127.0.0.1:1/lab", &[], EVERY));
    assert!(facts.0.iter().any(|fact| fact.1 == "server" && fact.2.starts_with("cannot be asked")));
}

#[test]
fn whatever_answers_instead_of_a_server_ends_as_a_gap() {
    use std::io::Write;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answers: [&[u8]; 5] = [
        b"",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        // A head that promises the greatest packet there is, and a greeting that breaks off.
        &[0xff, 0xff, 0xff, 0, 10],
        &[5, 0, 0, 0, 10, b'5', b'.', b'5', 0],
        // An error packet in place of the greeting: too many connections.
        &[
            23, 0, 0, 0, 0xff, 0x10, 0x04, b'T', b'o', b'o', b' ', b'm', b'a', b'n', b'y', b' ', b'c', b'o', b'n',
            b'n', b'e', b'c', b't', b'i', b'o', b'n', b's',
        ],
    ];
    let answering = std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(answer);
        }
    });
    let url = format!("mysql://lab@127.0.0.1:{port}/lab");
    for _ in 0..answers.len() {
        let mut out = Samples::default();
        let failed = monitor(&url, &[], EVERY).sample(Clock::system().now(), &mut out).unwrap_err();
        assert!(failed.0.starts_with(&url), "{failed:?}");
        assert!(out.take().0.is_empty());
    }
    answering.join().unwrap();
}
