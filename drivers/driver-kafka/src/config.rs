//! The driver's part of a study: `kafka.produce: { broker: HOST:PORT, topic: orders, key: …, value: … }`.

mod consume;

pub(crate) use consume::{Listening, SENT, SEQUENCE, Share, listening};
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings};
use kafka_client::{Access, word};
use rdkafka::config::ClientConfig;
use terms::Nanos;

/// Keys that both ways of producing have, in the order of the guide.
const SHARED: [&str; 13] = [
    "broker",
    "tls",
    "sasl",
    "topic",
    "key",
    "value",
    "file",
    "headers",
    "partition",
    "acks",
    "compression",
    "linger",
    "batch",
];
/// Those of `kafka.produce`: how many records one exchange has.
pub(crate) const KEYS: &[&str] = &with("records");
/// Those of `kafka.request`, which has one record: where its reply comes.
pub(crate) const REQUEST_KEYS: &[&str] = &with("reply");
/// Those of `kafka.consume`.
pub(crate) const CONSUME_KEYS: &[&str] = &["broker", "tls", "sasl", "topic", "group", "partition", "from"];

/// The shared ones, and one more.
const fn with(own: &'static str) -> [&'static str; SHARED.len() + 1] {
    let mut all = [own; SHARED.len() + 1];
    let mut place = 0;
    while place < SHARED.len() {
        all[place] = SHARED[place];
        place += 1;
    }
    all
}

/// Who has to have a record before it is acknowledged.
pub(crate) const ACKS: [&str; 3] = ["all", "leader", "none"];
/// Where a consumer begins if nothing is committed for it.
pub(crate) const FROM: [&str; 2] = ["latest", "earliest"];
pub(crate) const COMPRESSIONS: [&str; 4] = ["none", "gzip", "snappy", "lz4"];

/// Records of one exchange.
const RECORDS_MAX: u64 = 10_000;
/// Headers of a record.
const HEADERS_MAX: usize = 32;
/// As Kafka bounds names of topics.
const NAME_MAX: usize = 249;
/// No record waits longer for company.
const LINGER_MAX: Nanos = Nanos::from_secs(60);

/// One exchange, ready to be sent.
pub(crate) struct Exchange {
    pub(crate) access: Access,
    pub(crate) topic: String,
    pub(crate) partition: Option<i32>,
    /// Number of the key's template.
    pub(crate) key: Option<u16>,
    /// Number of the value's template; a record without one is a tombstone.
    pub(crate) value: Option<u16>,
    /// Names, and numbers of the values' templates.
    pub(crate) headers: Vec<(String, u16)>,
    pub(crate) records: u32,
    /// Where its reply comes, and how long that may take.
    pub(crate) reply: Option<(ReplyTo, Nanos)>,
    /// How records are produced; exchanges with the same share a client.
    pub(crate) way: Way,
}

/// Where replies come, and in which header they repeat the id of their request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplyTo {
    pub(crate) topic: String,
    pub(crate) header: String,
}

/// The header of Spring's replying template, which others have taken over.
const HEADER: &str = "kafka_correlationId";

/// How a client produces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    acks: &'static str,
    compression: &'static str,
    linger: Nanos,
    /// Records of one batch; the client's own bound where none is given.
    batch: Option<u64>,
    timeout: Nanos,
}

impl Way {
    /// Whether every replica that is in step has a record before it is acknowledged.
    pub(crate) fn is_of_all(&self) -> bool {
        self.acks == "all"
    }

    pub(crate) fn is_compressed(&self) -> bool {
        self.compression != "none"
    }

    /// Adds it to the settings of a client.
    pub(crate) fn set(&self, client: &mut ClientConfig) {
        let acks = match self.acks {
            "all" => "-1",
            "leader" => "1",
            _ => "0",
        };
        let millis = |span: Nanos| (span.0 as f64 / 1e6).to_string();
        client
            .set("acks", acks)
            .set("compression.type", self.compression)
            .set("linger.ms", millis(self.linger))
            // What is lost is lost, and seen.
            .set("message.send.max.retries", "0")
            .set("message.timeout.ms", (self.timeout.0 / 1_000_000).max(1).to_string())
            // Bounded by the load, not by the client.
            .set("queue.buffering.max.messages", "1000000");
        if let Some(batch) = self.batch {
            client.set("batch.num.messages", batch.to_string());
        }
    }
}

/// Reads one exchange's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn exchange(
    settings: &Settings,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Exchange> {
    let before = mistakes.0.len();
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let access = Access::read(&mut keys, context, mistakes);
    let topic = keys.need("topic", mistakes).and_then(|node| mistakes.keep(topic(node, context)));
    let place = keys.place();
    let (value, file) = (keys.take("value"), keys.take("file").filter(|node| !node.is_missing()));
    let value = match (value.filter(|node| !node.is_missing()), file) {
        (Some(_), Some(node)) => {
            let what = "`value` and `file` both say what a record holds";
            mistakes.push(Mistake::at(node.place, "study::conflict", what).label("remove one of them"));
            None
        }
        (Some(node), None) => mistakes.keep(context.compile(node, "`value`")),
        (None, Some(node)) => mistakes.keep(context.file(node, "`file`", true)),
        (None, None) => None,
    };
    let key = keys.take("key").filter(|node| !node.is_missing());
    let key = key.and_then(|node| mistakes.keep(context.compile(node, "`key`")));
    if value.is_none() && key.is_none() && mistakes.0.len() == before {
        let what = "nothing says what a record holds";
        mistakes.push(
            Mistake::at(place, "study::missing-key", what)
                .label("write `value: …`, or `file: …`")
                .hint("a `key` alone produces tombstones, records without a value"),
        );
    }
    let headers = keys.take("headers").map(|node| headers(node, context, mistakes)).unwrap_or_default();
    let partition = keys.take("partition").and_then(|node| mistakes.keep(node.as_count("`partition`", 0, 1_000_000)));
    let is_request = settings.operation == "request";
    let records = if is_request { None } else { keys.take("records") };
    let records = records.and_then(|node| mistakes.keep(node.as_count("`records`", 1, RECORDS_MAX)));
    let reply = if is_request { keys.need("reply", mistakes) } else { None };
    let reply = reply.and_then(|node| reply_to(node, context, mistakes));
    let acks = keys.take("acks").and_then(|node| mistakes.keep(word(node, "`acks`", &ACKS)));
    let compression = keys.take("compression").and_then(|node| mistakes.keep(compression_of(node)));
    let linger = keys.take("linger").and_then(|node| mistakes.keep(linger(node)));
    let batch = keys.take("batch").and_then(|node| mistakes.keep(node.as_count("`batch`", 1, 1_000_000)));
    keys.finish(mistakes);
    refuse_answers(settings, mistakes);
    if mistakes.0.len() > before {
        return None;
    }
    let way = Way {
        acks: acks.unwrap_or("all"),
        compression: compression.unwrap_or("none"),
        linger: linger.unwrap_or(Nanos::ZERO),
        batch,
        timeout: settings.timeout,
    };
    Some(Exchange {
        access: access?,
        topic: topic?,
        partition: partition.map(|partition| partition as i32),
        key: key.map(|template| context.keep(template)),
        value: value.map(|template| context.keep(template)),
        headers: headers.into_iter().map(|(name, template)| (name, context.keep(template))).collect(),
        records: records.unwrap_or(1) as u32,
        reply: reply.map(|to| (to, settings.within.get("reply").copied().unwrap_or(settings.timeout))),
        way,
    })
}

/// An acknowledgment holds nothing that could be checked or kept.
fn refuse_answers(settings: &Settings, mistakes: &mut Mistakes) {
    if let Some(check) = settings.checks.first() {
        let what = format!("`{}` produces, and an acknowledgment holds nothing to check", settings.exchange);
        mistakes.push(Mistake::at(check.place, "kafka::no-answer", what).label("remove the check"));
    }
    if !settings.captures.is_empty() {
        let what = format!("`{}` produces, and an acknowledgment holds nothing to capture", settings.exchange);
        mistakes.push(Mistake::at(settings.node.place, "kafka::no-answer", what).label("remove `capture`"));
    }
}

fn compression_of(node: &Node) -> Result<&'static str, Mistake> {
    if node.text() == Some("zstd") {
        let what = "`compression` cannot be `zstd`: the client is built without it";
        return Err(Mistake::at(node.place, "kafka::no-zstd", what).label("write `lz4`, for example"));
    }
    word(node, "`compression`", &COMPRESSIONS)
}

fn topic(node: &Node, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, "`topic`")?;
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '-');
    if !text.is_empty() && text.len() <= NAME_MAX && text.chars().all(is_name) {
        return Ok(text);
    }
    let what = format!("`{}` is not the name of a topic", text.escape_debug());
    Err(Mistake::at(node.place, "kafka::name", what).label("letters, digits, `.`, `_` and `-`"))
}

fn reply_to(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<ReplyTo> {
    if node.map().is_none() {
        let topic = mistakes.keep(topic(node, context))?;
        return Some(ReplyTo { topic, header: HEADER.to_owned() });
    }
    let mut keys = Keys::of(node, "`reply`", mistakes);
    let topic = keys.need("topic", mistakes).and_then(|node| mistakes.keep(topic(node, context)));
    let header = keys.take("header").map(|node| mistakes.keep(node.as_text("`header`")).map(str::to_owned));
    keys.finish(mistakes);
    Some(ReplyTo { topic: topic?, header: header.unwrap_or(Some(HEADER.to_owned()))? })
}

fn headers(node: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) -> Vec<(String, contract::Template)> {
    let Some(entries) = node.map() else {
        let what = format!("`headers` is {}, not a map", node.what());
        mistakes.push(Mistake::at(node.place, "study::wrong-type", what).label("write `{ NAME: value }`"));
        return Vec::new();
    };
    if entries.len() > HEADERS_MAX {
        let what = format!("a record has {} headers; at most {HEADERS_MAX} are possible", entries.len());
        mistakes.push(Mistake::at(node.place, "study::too-large", what).label("leave some out"));
    }
    let entries = entries.iter().take(HEADERS_MAX);
    entries
        .filter_map(|(name, value)| {
            let name = mistakes.keep(name.as_text("a header's name"))?.to_owned();
            Some((name, mistakes.keep(context.compile(value, "a header"))?))
        })
        .collect()
}

fn linger(node: &Node) -> Result<Nanos, Mistake> {
    let linger = node.as_duration("`linger`")?;
    if (Nanos::ZERO..=LINGER_MAX).contains(&linger) {
        return Ok(linger);
    }
    Err(Mistake::at(node.place, "study::out-of-range", "`linger` is longer than a minute")
        .label("write for example `5ms`"))
}
