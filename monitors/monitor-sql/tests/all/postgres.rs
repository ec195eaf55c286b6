//! A real PostgreSQL server: what it counts, what waits in it, and that it goes and comes back.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Server, Taken, eventually, monitor, with_server};
use clock::Clock;
use contract::{Facts, Monitor, Samples};
use terms::Nanos;

const NAMED: &[&str] = &["loans", "slow"];
/// Long enough that a busy machine cannot make a sample fail.
const EVERY: Nanos = Nanos::from_secs(20);

struct Watch {
    monitor: Box<dyn Monitor>,
    out: Samples,
    clock: Clock,
}

impl Watch {
    fn new(server: &Server, values: &[(&str, &str)]) -> Self {
        Self { monitor: monitor(&server.url(), values, EVERY), out: Samples::default(), clock: Clock::system() }
    }

    fn take(&mut self) -> Taken {
        let at = self.clock.now();
        self.monitor.sample(at, &mut self.out).unwrap();
        Taken::of(&mut self.out, NAMED)
    }

    /// The first sample for which it holds.
    fn until(&mut self, what: &str, mut holds: impl FnMut(&Taken) -> bool) -> Taken {
        let (clock, mut last) = (self.clock.clone(), None);
        let held = eventually(&clock, || holds(last.insert(self.take())));
        let last = last.unwrap();
        assert!(held, "{what}: {:?}", last.values);
        last
    }
}

#[test]
fn connections_by_state_locks_and_waits() {
    with_server(|server| {
        let mut watch = Watch::new(server, &[]);
        // Whoever asked whether the server was up may still be leaving.
        let alone = watch.until("nobody else is connected", |taken| taken.own("connected") == 0.0);
        let states = ["active", "idle", "idle in transaction", "waiting"];
        let of = |taken: &Taken| states.map(|state| taken.get("connections", state).unwrap());
        assert_eq!(of(&alone), [0.0; 4], "the monitor does not count itself");
        assert_eq!((alone.own("connected"), alone.own("max_connections")), (0.0, 20.0));
        assert_eq!((alone.get("locks", "held"), alone.get("locks", "waiting")), (Some(0.0), Some(0.0)));
        assert_eq!(alone.own("longest_transaction"), 0.0);

        let (idle, holder, waiter) = (server.client(), server.client(), server.client());
        idle.run("create table loan(id int primary key, state text); insert into loan select n, 'open' from generate_series(1, 100) n");
        holder.run("begin; update loan set state = 'shut' where id = 1");
        let waiting = waiter.send("update loan set state = 'lost' where id = 1");
        let busy = watch.until("one waits", |taken| taken.get("connections", "waiting") == Some(1.0));
        assert_eq!(of(&busy), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(busy.own("connected"), 3.0);
        assert_eq!((busy.get("locks", "waiting"), busy.get("wait_events", "Lock")), (Some(1.0), Some(1.0)));
        assert!(busy.get("locks", "held").unwrap() > 3.0);
        let older = watch.until("its age grows", |taken| taken.own("longest_transaction") > 0.2);
        assert!(older.own("longest_transaction") < 3600.0);
        holder.run("commit");
        drop(waiting.join().unwrap());
        watch.until("nothing waits", |taken| taken.get("locks", "waiting") == Some(0.0));
    });
}

#[test]
fn counters_count_the_others_and_not_the_monitor() {
    with_server(|server| {
        server.client().run("create table loan(id int primary key, state text)");
        let mut watch = Watch::new(server, &[]);
        // The server counts what a connection did when it ends, and what ours did at its first statement a second later.
        let settled = |watch: &mut Watch| {
            watch.until("clients have left", |taken| taken.own("connected") == 0.0);
            watch.clock.sleep_until(watch.clock.now() + Nanos::from_millis(1100));
            watch.take();
            watch.take()
        };
        let before = settled(&mut watch);
        let client = server.client();
        for number in 0..40 {
            client.run(&format!("insert into loan values ({number}, 'open')"));
        }
        client.run("begin; update loan set state = 'shut'; rollback");
        client.run("delete from loan where id < 10");
        drop(client);
        let after = settled(&mut watch);
        let grown = |name: &str| after.own(name) - before.own(name);
        assert_eq!((grown("rows_inserted"), grown("rows_updated"), grown("rows_deleted")), (40.0, 40.0, 10.0));
        assert_eq!(grown("rolled_back"), 1.0);
        // 40 inserts, a delete, and the client's own start; the monitor's own are taken off but for what is counted late.
        assert!((grown("committed") - 42.0).abs() <= 4.0, "{}", grown("committed"));
        assert!(grown("blocks_hit") > 40.0 && grown("wal") > 1000.0);
        for name in ["deadlocks", "temp", "rows_fetched", "rows_read", "blocks_read"] {
            assert!(after.own(name) >= 0.0);
        }
        let asked = before.get("checkpoints", "requested").unwrap();
        server.client().run("checkpoint");
        watch.until("a checkpoint", |taken| taken.get("checkpoints", "requested").unwrap() > asked);
    });
}

#[test]
fn processor_time_and_memory_are_of_the_servers_processes() {
    with_server(|server| {
        let mut watch = Watch::new(server, &[]);
        let first = watch.take();
        assert_eq!(first.get("cpu", "database"), None, "a rate needs two samples");
        let before = first.own("used");
        assert!(before > 1e6 && first.own("size") > 1e6);
        let work = server.client().send(
        "set work_mem = '64MB'; select count(*) from (select md5(n::text) from generate_series(1, 400000) n order by 1) t",
    );
        let mut most = 0.0f64;
        watch.until("it works", |taken| {
            most = most.max(taken.get("cpu", "database").unwrap_or_default());
            most > 0.05
        });
        let client = work.join().unwrap();
        assert!(most < 64.0, "{most}");
        // What a connection has used is not lost when it ends.
        drop(client);
        let last = watch.until("it is quiet", |taken| taken.own("connected") == 0.0);
        assert!(last.own("cpu") >= 0.0);
    });
}

#[test]
fn values_of_the_author_are_bounded_in_rows_and_in_time_and_only_read() {
    with_server(|server| {
        let client = server.client();
        client.run("create table loan(id int, state text); insert into loan select n, case when n < 4 then 'open' else 'shut' end from generate_series(1, 10) n");
        let values = [
            ("loans", "select count(*), state from loan group by state -- by state"),
            ("slow", "select n, n from (select generate_series(1, 100000000) n) t"),
        ];
        let mut watch = Watch::new(server, &values);
        let taken = watch.take();
        assert_eq!((taken.get("loans", "open"), taken.get("loans", "shut")), (Some(3.0), Some(7.0)));
        assert_eq!(taken.values.iter().filter(|(metric, ..)| metric == "slow").count(), 100);
        assert!(taken.events.iter().any(|(kind, text)| kind == "query" && text.contains("more than 100 rows")));

        let writes = [
            ("loans", "with gone as (delete from loan returning 1) select count(*) from gone"),
            ("slow", "select nonsense"),
        ];
        let mut watch = Watch::new(server, &writes);
        let taken = watch.take();
        assert!(taken.values.iter().all(|(metric, ..)| metric != "loans" && metric != "slow"));
        let texts: Vec<_> = taken.events.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[1].contains("\"nonsense\" does not exist"), "{texts:?}");
        client.run(
            "do $$ begin if (select count(*) from loan) <> 10 then raise exception 'rows are gone'; end if; end $$",
        );

        // A query that takes longer than its sample is cut off there, and the sample itself stands.
        let mut watch = Watch::new(server, &[("loans", "select count(*) from loan"), ("slow", "select pg_sleep(600)")]);
        watch.monitor = monitor(
            &server.url(),
            &[("loans", "select count(*) from loan"), ("slow", "select pg_sleep(600)::text")],
            Nanos::from_secs(3),
        );
        let taken = watch.take();
        assert_eq!((taken.own("connected"), taken.own("loans")), (1.0, 10.0));
        assert_eq!(taken.kinds(), ["query"]);
    });
}

#[test]
fn a_server_that_dies_is_gone_and_comes_back_without_a_zero() {
    with_server(|server| {
        let mut watch = Watch::new(server, &[("loans", "select 1")]);
        assert_eq!(watch.take().kinds(), Vec::<&str>::new());
        server.crash();
        let (mut kinds, mut failures) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let failed = watch.monitor.sample(watch.clock.now(), &mut watch.out).unwrap_err();
            let taken = Taken::of(&mut watch.out, NAMED);
            assert!(taken.values.is_empty(), "{:?}", taken.values);
            kinds.extend(taken.kinds().iter().map(|kind| (*kind).to_owned()));
            failures.push(failed.0);
        }
        assert_eq!(kinds, ["gone"], "one event for an outage");
        assert!(failures[2].contains("it is tried again in"), "{failures:?}");
        server.begin();
        let mut back = None;
        let clock = watch.clock.clone();
        assert!(eventually(&clock, || {
            let sampled = watch.monitor.sample(watch.clock.now(), &mut watch.out);
            back = Some(Taken::of(&mut watch.out, NAMED));
            sampled.is_ok()
        }));
        let back = back.unwrap();
        assert_eq!(back.kinds(), ["restart"], "its time of start is another");
        assert_eq!(back.own("max_connections"), 20.0);
        // A connection that is cut while the server goes on is not a restart.
        server
            .client()
            .run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'loadproof monitor'");
        let failed = watch.monitor.sample(watch.clock.now(), &mut watch.out);
        let gone = Taken::of(&mut watch.out, NAMED);
        assert!(failed.is_err());
        assert_eq!(gone.kinds(), ["gone"]);
        assert_eq!(watch.until("it answers", |taken| !taken.values.is_empty()).kinds(), ["back"]);
    });
}

#[test]
fn a_server_that_stands_still_is_silent_and_not_gone() {
    with_server(|server| {
        let mut watch = Watch::new(server, &[]);
        watch.monitor = monitor(&server.url(), &[], Nanos::from_secs(2));
        watch.take();
        server.stand_still(true);
        for _ in 0..2 {
            let failed = watch.monitor.sample(watch.clock.now(), &mut watch.out).unwrap_err();
            assert!(failed.0.contains("no answer within"), "{failed:?}");
        }
        server.stand_still(false);
        let still = Taken::of(&mut watch.out, NAMED);
        assert_eq!((still.kinds(), still.values.len()), (Vec::<&str>::new(), 0));
        assert_eq!(watch.until("it answers", |taken| !taken.values.is_empty()).kinds(), Vec::<&str>::new());
    });
}

#[test]
fn facts_tell_settings_and_rows_and_no_password() {
    with_server(|server| {
        server.client().run("create table loan(id int primary key); insert into loan select generate_series(1, 1234)");
        let url = server.url().replace("lab@", "lab:$(secret.STORE)@");
        let mut watch = Watch::new(server, &[]);
        watch.monitor = monitor(&url, &[], EVERY);
        watch.take();
        let mut facts = Facts::default();
        watch.monitor.facts(&mut facts);
        let of =
            |name: &str| facts.0.iter().find(|fact| fact.1 == name).map(|fact| fact.2.as_str()).unwrap_or_default();
        assert!(of("server").starts_with("PostgreSQL "), "{facts:?}");
        assert_eq!((of("setting shared_buffers"), of("setting max_connections")), ("16MB", "20"));
        assert_eq!(
            (of("setting fsync"), of("setting synchronous_commit"), of("setting statement_timeout")),
            ("off", "on", "0 ms")
        );
        assert!(of("table public.loan").starts_with("1234 rows, "), "{}", of("table public.loan"));
        assert_eq!(of("indexes"), "public.loan.loan_pkey btree (id)");
        assert_eq!(
            of("processor time and memory"),
            format!("of process {} and its children on this machine", server.pid())
        );
        assert!(of("cost of a sample").starts_with("mean "));
        assert!(!format!("{facts:?}").contains("s3cr3t"));
        // A server that does not answer is a fact, and holds nobody up.
        let mut nobody = monitor("postgres://lab@127.0.0.1:1/lab", &[], EVERY);
        let mut facts = Facts::default();
        nobody.facts(&mut facts);
        assert!(facts.0.iter().any(|fact| fact.1 == "server" && fact.2.starts_with("cannot be asked")));
    });
}
