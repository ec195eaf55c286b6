//! `kafka.consume: { broker: HOST:PORT, topic: orders, group: …, from: earliest }`: what a held consumer reads, and what is
//! asked of each record.

use super::{FROM, topic};
use contract::{BuildContext, Capture, Keys, Mistake, Mistakes, Probe, Settings, Which};
use extract::Compiled;
use kafka_client::{Access, word};
use terms::Nanos;

/// Slots of [`Listening::incoming`].
pub(crate) const SEQUENCE: u8 = 0;
pub(crate) const SENT: u8 = 1;
/// As Kafka bounds nothing here, and reports show it.
const GROUP_MAX: usize = 249;

/// Whose partitions are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// Those that the group gives to each of its members.
    Group(String),
    /// This one, or all of them, on each connection.
    Own(Option<i32>),
}

/// One exchange, ready to be carried out.
pub(crate) struct Listening {
    /// Its name in the study.
    pub(crate) name: String,
    pub(crate) access: Access,
    pub(crate) topic: String,
    pub(crate) share: Share,
    /// Whether it begins with the oldest record where nothing is committed.
    pub(crate) is_from_earliest: bool,
    /// Checks of a record, and captures from it.
    pub(crate) content: Compiled,
    /// Finds a record's number, as slot 0, and the time at which it was sent, as slot 1.
    pub(crate) incoming: Compiled,
    pub(crate) has_sequence: bool,
    pub(crate) has_sent: bool,
    /// Records a second that are expected on each connection.
    pub(crate) expect: Option<f64>,
    /// How long a record may take from when it is due before it is missing.
    pub(crate) within: Nanos,
}

/// Reads one exchange's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn listening(
    settings: &Settings,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Listening> {
    let before = mistakes.0.len();
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let access = Access::read(&mut keys, context, mistakes);
    let topic = keys.need("topic", mistakes).and_then(|node| mistakes.keep(topic(node, context)));
    let group = keys.take("group").filter(|node| !node.is_missing());
    let partition = keys.take("partition").filter(|node| !node.is_missing());
    let from = keys.take("from").and_then(|node| mistakes.keep(word(node, "`from`", &FROM)));
    keys.finish(mistakes);
    let share = match (group, partition) {
        (Some(_), Some(node)) => {
            let what = "`group` and `partition` both say which partitions are read";
            mistakes.push(Mistake::at(node.place, "study::conflict", what).label("remove one of them"));
            None
        }
        (Some(node), None) => {
            let name = mistakes.keep(context.text(node, "`group`"));
            if name.as_ref().is_some_and(|name| name.is_empty() || name.len() > GROUP_MAX) {
                let what = "this is not the name of a group";
                mistakes.push(Mistake::at(node.place, "kafka::name", what).label("write a name such as `store`"));
            }
            name.map(Share::Group)
        }
        (None, Some(node)) => {
            let partition = mistakes.keep(node.as_count("`partition`", 0, 1_000_000));
            partition.map(|partition| Share::Own(Some(partition as i32)))
        }
        (None, None) => Some(Share::Own(None)),
    };
    if !settings.reuse {
        let what = "a held connection brings all its records: `reuse: false` has no meaning";
        mistakes.push(Mistake::at(settings.node.place, "kafka::held", what).label("remove `connection`"));
    }
    let probes = settings.checks.iter().map(|check| (&check.probe, check.place));
    let probes = probes.chain(settings.captures.iter().map(|capture| (&capture.probe, capture.place)));
    for (_, place) in probes.filter(|(probe, _)| matches!(probe, Probe::Status)) {
        let what = "a record has no status";
        mistakes.push(Mistake::at(place, "kafka::no-status", what).label("look at `header(NAME)` or at what it holds"));
    }
    let content = keep(Compiled::new(&settings.checks, &settings.captures, context), mistakes);
    let known = [("sequence", SEQUENCE, &settings.incoming.sequence), ("sent", SENT, &settings.incoming.sent)];
    let place = settings.node.place;
    let incoming = known.into_iter().filter_map(|(name, slot, probe)| {
        let (name, probe) = (name.to_owned(), probe.clone()?);
        Some(Capture { name, slot, probe, pick: Which::First, is_optional: true, place })
    });
    let incoming: Vec<Capture> = incoming.collect();
    let incoming = keep(Compiled::new(&[], &incoming, context), mistakes);
    if mistakes.0.len() > before {
        return None;
    }
    Some(Listening {
        name: settings.exchange.clone(),
        access: access?,
        topic: topic?,
        share: share?,
        is_from_earliest: from == Some("earliest"),
        content: content?,
        incoming: incoming?,
        has_sequence: settings.incoming.sequence.is_some(),
        has_sent: settings.incoming.sent.is_some(),
        expect: settings.incoming.expect,
        within: settings.within.get("record").copied().unwrap_or(settings.timeout),
    })
}

fn keep(compiled: Result<Compiled, Mistakes>, mistakes: &mut Mistakes) -> Option<Compiled> {
    compiled.map_err(|more| mistakes.extend(more)).ok()
}
