//! Nodes that only watch: what they record, what they may know, and what is told when one is lost. A program of its own:
//! signals are this process's.
#![allow(clippy::unwrap_used, reason = "a test")]

use contract::{
    BuildContext, Event, FactName, Facts, Failure, MetricKind, Mistakes, Monitor, MonitorKind, MonitorSettings,
    Samples, Watches,
};
use record::Run;
use run::nodes::{Able, Link, Trial, serve};
use run::{CallNodes, News, Observer, Prepared, RunError, RunRequest, conduct};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use study::{Options, Registry, SecretSource};
use terms::{Nanos, Unit};
use testkit::SIMULATED;

const STUDY: &str = "
study: a run that is watched from elsewhere
system: { name: simulated }
nodes: { at: local }
watch:
  here: { meter: {}, every: 100ms }
  there: { meter: { word: $(secret.NO_SUCH_WORD) }, on: db1, every: 100ms }
exchanges:
  call: { simulated.call: { service: 2ms } }
scenarios:
  only: { load: { arrivals: 30/s, hold: 3s }, run: [call] }
";

/// Counts its samples, and says whose it is.
struct Meter {
    whose: String,
    count: u32,
}

impl Monitor for Meter {
    fn facts(&mut self, out: &mut Facts) {
        out.fact(&self.whose, FactName::verbatim("count"), self.count.to_string());
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let instance = out.instance(&self.whose.clone());
        self.count += 1;
        out.value(at, instance, 0, f64::from(self.count));
        if self.count == 2 {
            out.event(at, instance, Event { kind: "second", text: "the second sample".into() });
        }
        Ok(())
    }
}

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let carrier = context.carrier().cloned();
    if let Some(word) = settings.node.get("word") {
        let word = context.text(word, "`word`")?;
        // Where it runs there is no secret either, so only the stand-in of those who need none can be seen.
        assert!(word == "secret" && context.is_for_elsewhere(), "{word}");
    }
    Ok(Box::new(Meter { whose: carrier.map_or("here".into(), |carrier| carrier.name), count: 0 }))
}

const METER: MonitorKind = MonitorKind {
    name: "meter",
    metrics: &[MetricKind::gauge("count", Unit::Count)],
    watches: Watches::Machine,
    facts: &[],
    messages: &[],
    keys: &["word"],
    named: None,
    over_ssh: false,
    build,
};
const REGISTRY: Registry<'static> = Registry { drivers: &[SIMULATED], monitors: &[METER], blocks: &[] };

fn prepared(text: &str, secrets: SecretSource) -> Result<Prepared, String> {
    let options = Options { secrets, ..Options::default() };
    let loaded = study::load_text("test", text, Path::new("/"), &REGISTRY, &options);
    let (study, secrets) = loaded.map_err(|rejected| rejected.to_string())?;
    run::prepare(study, secrets, REGISTRY, &drop).map_err(|error| error.to_string())
}

struct Silent;

impl Observer for Silent {
    fn hear(&self, _: News<'_>) {}
}

/// Conducts a study with a node `db1` at the other end of a socket, which is cut after `cut`.
fn watched(text: &str, folder: &Path, cut: Option<Duration>) -> Result<Run, RunError> {
    let nodes = Arc::<Mutex<Vec<std::thread::JoinHandle<()>>>>::default();
    let kept = nodes.clone();
    let call = move |_: &str, count: u16, names: &[String], _: &std::sync::atomic::AtomicBool| {
        assert_eq!((count, names), (0, &["db1".to_owned()][..]));
        let (here, there) = UnixStream::pair().unwrap();
        let link = Link::over(there.try_clone().unwrap(), there);
        let node = move || {
            let able = Able {
                prepare: &|text, _, node| prepared(text, SecretSource::OfNode(node.to_owned())),
                try_out: &|_| Err("nobody asks a node that only watches".into()),
            };
            serve(link, able);
        };
        kept.lock().unwrap().push(std::thread::spawn(node));
        let end = here.try_clone().unwrap();
        if let Some(cut) = cut {
            std::thread::spawn(move || {
                clock::Clock::system().sleep_until(cut.into());
                end.shutdown(Shutdown::Both).unwrap();
            });
        }
        Ok(vec![Link::over(here.try_clone().unwrap(), here)])
    };
    let call = CallNodes { meeting: Box::new(|_| record::MeetingHead::default()), call: Box::new(call) };
    let wanted = RunRequest {
        out: Some(folder.join("run")),
        threads: Some(1),
        name: "watched".into(),
        ceiling: None,
        trial: Trial::default(),
        call: Some(call),
    };
    let conducted = conduct(&prepared(text, SecretSource::Real).unwrap(), &wanted, &Silent);
    for node in nodes.lock().unwrap().drain(..) {
        node.join().unwrap();
    }
    conducted.map(|path| Run::open(&path).unwrap())
}

/// Whether samples were taken throughout: on a busy machine some come too late to count.
fn is_watched(samples: &[record::SampleRow]) -> bool {
    samples.iter().filter(|row| row.value.is_none()).count() * 3 < samples.len()
}

const NAME: &str = "a_node_that_only_watches";

/// As libtest would have it; but a run starts this program again to keep a log, and libtest would be gone before it had
/// read what must not be in it.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == run::logs::KEEP_LOG) {
        return run::logs::keep(&mut std::io::stdin().lock(), &mut std::io::stdout()).unwrap();
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return println!("{NAME}: test");
    }
    let mut filters = arguments.iter().filter(|argument| !argument.starts_with('-')).peekable();
    let is_meant = filters.peek().is_none() || filters.any(|filter| NAME.contains(filter.as_str()));
    if is_meant && !arguments.iter().any(|argument| argument == "--ignored") {
        a_node_that_only_watches();
        println!("test {NAME} ... ok");
    }
}

/// One test, since signals are those of a process: a whole run, one whose node is lost, and one whose node lacks a secret.
fn a_node_that_only_watches() {
    let folder = tempfile::tempdir().unwrap();
    let text = STUDY.replace("{ word: $(secret.NO_SUCH_WORD) }", "{}");
    let run = watched(&text, &folder.path().join("whole"), None).unwrap();
    assert!(run.head.meeting.is_none(), "a load that ends with the run has nothing to be collected");
    let node = &run.head.nodes[..];
    assert!(node.len() == 1 && node[0].name == "db1" && node[0].threads == 0, "{node:?}");
    assert_eq!(run.head.workers, 1);
    let of = |run: &Run, monitor: u16| -> Vec<record::SampleRow> {
        run.samples().unwrap().map(Result::unwrap).filter(|row| row.monitor == monitor).collect()
    };
    let (here, there) = (of(&run, 0), of(&run, 1));
    assert!(there.iter().all(|row| row.instance == "db1") && is_watched(&there), "{there:?}");
    // Ten a second for three seconds and more, on the clock of the run: as many as the local one has, but for the start.
    assert!(there.len() > 10 && here.len().abs_diff(there.len()) < 20, "{} and {}", here.len(), there.len());
    assert_eq!(run.head.monitors[1].on, "db1");
    let events = run.events().unwrap();
    assert!(events.iter().any(|event| event.kind == "second" && event.subject == "db1"), "{events:?}");
    let count = |facts: &[(String, String, String)]| facts.iter().filter(|fact| fact.0 == "db1").count();
    assert_eq!((count(&run.head.facts), count(&run.head.facts_end)), (1, 1));

    let run = watched(&text, &folder.path().join("lost"), Some(Duration::from_millis(2500))).unwrap();
    assert_eq!(run.head.ending.as_ref().unwrap().reason, "completed", "the load is whole");
    let there = of(&run, 1);
    let last = there.iter().filter(|row| row.value.is_some()).map(|row| row.at).max().unwrap();
    let missing: Vec<_> = there.iter().filter(|row| row.value.is_none() && row.at > last).collect();
    assert!(missing.len() > 3, "{last} {there:?}");
    let events = run.events().unwrap();
    let lost: Vec<_> = events.iter().filter(|event| event.kind == record::UNWATCHED).collect();
    assert!(lost.len() == 1 && lost[0].subject == "db1" && lost[0].at == last, "{lost:?}");

    // A program that the second scenario binds otherwise is started anew, and watched anew, here and there.
    let system = "{ name: simulated, start: '/bin/sleep $(naps)', ready: none, identity: none }";
    let anew = text.replace("{ name: simulated }", system).replace("\nnodes:", "\nvars: { naps: 1000 }\nnodes:")
        + "  again: { set: { naps: 2000 }, load: { arrivals: 30/s, hold: 3s }, run: [call] }\n";
    let run = watched(&anew, &folder.path().join("anew"), None).unwrap();
    let ending = run.head.ending.as_ref().unwrap();
    assert_eq!(ending.reason, "completed", "{}", ending.text);
    assert!(run.events().unwrap().iter().any(|event| event.kind == record::RENEWED));
    let begins = |monitor: u16| of(&run, monitor).iter().filter(|row| row.value == Some(1.0)).count();
    assert_eq!((begins(0), begins(1)), (2, 2), "each counts its samples from one on");
    assert!(of(&run, 1).len() > 40 && is_watched(&of(&run, 1)));

    let refused = watched(STUDY, &folder.path().join("refused"), None).err().unwrap().to_string();
    assert!(refused.contains("db1") && refused.contains("the secret `NO_SUCH_WORD` is not set"), "{refused}");
}
