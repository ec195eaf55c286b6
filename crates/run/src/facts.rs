//! What is known of a run besides its figures, for its report.

use crate::prepare::Prepared;
use contract::{BuildContext, Names, Work};
use record::{Head, InstanceHead, STATED};
use study::Study;

/// Subject, name, value.
pub(crate) type Fact = (String, String, String);

/// What the author stated, what the instances say of themselves, what `captured` holds, and what was known before the
/// load: how exactly the ends of jobs are seen, what weight the system has, and what was `foreseen`.
pub(crate) fn facts(
    prepared: &Prepared,
    names: &dyn Names,
    head: &Head,
    captured: &[Fact],
    foreseen: &[String],
) -> Vec<Fact> {
    let mut facts = stated(&prepared.study);
    facts.extend(instances(&head.instances));
    facts.extend(captured.iter().cloned());
    facts.extend(precision(prepared, names));
    if prepared.shares_machine() {
        let weight =
            format!("instances run at nice {}, so that load threads come first on a full machine", launch::NICENESS);
        facts.push(("generator".into(), "weight against the system".into(), weight));
    }
    facts.extend(foreseen.iter().map(|text| ("generator".into(), "foreseen".into(), text.clone())));
    facts
}

/// Adds what instances and monitors say that came later: what is known of somebody stays as it was first.
pub(crate) fn add_new(head: &mut Head, captured: &[Fact]) {
    let all = instances(&head.instances).into_iter().chain(captured.iter().cloned());
    let is_known = |(subject, name, _): &Fact| head.facts.iter().any(|(of, known, _)| (of, known) == (subject, name));
    let new: Vec<Fact> = all.filter(|fact| !is_known(fact)).collect();
    head.facts.extend(new);
}

/// Facts of the author, under a subject of their own.
fn stated(study: &Study) -> Vec<Fact> {
    study.system.stated.iter().map(|(name, value)| (STATED.to_owned(), name.clone(), value.clone())).collect()
}

/// What each instance is, as it says itself, and how it was started; secrets stand as names in its command.
fn instances(instances: &[InstanceHead]) -> Vec<Fact> {
    let mut facts = Vec::new();
    for instance in instances {
        let mut fact = |name: &str, value: &str| {
            if !value.is_empty() {
                facts.push((instance.name.clone(), name.to_owned(), value.to_owned()));
            }
        };
        let told = |name: &str| instance.identity.get(name).map_or("", String::as_str);
        fact("program", told("name"));
        fact("version", told("version"));
        fact("command line", &instance.command);
    }
    facts
}

/// How late the end of a job may be seen: as long as nobody asks for it.
fn precision(prepared: &Prepared, names: &dyn Names) -> Vec<Fact> {
    let context = BuildContext::new(names, prepared.study.base.clone());
    let is_job = |exchange: &&study::Exchange| {
        let driver = prepared.registry.drivers.iter().find(|driver| driver.name == exchange.driver);
        let operations = driver.map_or(&[][..], |driver| driver.exchanges).iter();
        let mut own = operations.filter(|operation| operation.name == exchange.settings.operation);
        own.any(|operation| operation.work == Work::Job)
    };
    let told = |exchange: &study::Exchange| {
        let every = exchange.settings.node.get("every").and_then(|node| context.text(node, "`every`").ok());
        let text = format!(
            "its end is noticed up to {} late: that is how often its state is polled",
            every.as_deref().unwrap_or("1s")
        );
        (exchange.name.clone(), "precision".to_owned(), text)
    };
    prepared.study.exchanges.iter().filter(is_job).map(told).collect()
}
