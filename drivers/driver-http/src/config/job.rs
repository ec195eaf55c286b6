//! The settings of `job.http`: how it is started, where and how often it is asked for, what says that it is done.

use super::{Exchange, KEEP_BYTES_DEFAULT, KEEP_SHOWN, body, head, keep, proxy, version};
use crate::endpoint::{Endpoint, index_of};
use crate::job::part::{At, JobStep};
use crate::request::Request;
use contract::{
    BuildContext, Capture, Check, Keys, Mistake, Mistakes, Node, Probe, Settings, Which, read_probe, suggestion,
};
use extract::Compiled;
use http_wire::{TlsSettings, Url};
use terms::Nanos;

/// Keys of the operation.
pub(crate) const KEYS: &[&str] = &[
    "start",
    "method",
    "headers",
    "body",
    "json",
    "form",
    "file",
    "multipart",
    "basic",
    "bearer",
    "tls",
    "keep",
    "at",
    "poll",
    "failed",
    "every",
    "version",
    "streams",
    "proxy",
];

const METHODS: [&str; 4] = ["post", "put", "patch", "get"];

/// Asking more often would be load of its own.
const EVERY_LEAST: Nanos = Nanos::from_millis(10);
const EVERY_MOST: Nanos = Nanos::from_secs(3600);

/// A job, ready to be carried out.
pub(crate) struct Job {
    pub(crate) start: Exchange,
    pub(crate) poll: Exchange,
    pub(crate) every: Nanos,
}

/// Reads one job's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn read(
    settings: &Settings,
    endpoints: &mut Vec<Endpoint>,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Job> {
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let url = keys.need("start", mistakes).and_then(|node| mistakes.keep(url(node, context)));
    let method = keys.take("method").map_or(Some("post"), |node| mistakes.keep(method(node)));
    let tls = TlsSettings::read(keys.take("tls"), context, mistakes);
    let body = body::read(&mut keys, settings, context, mistakes);
    let line = url.as_ref().map(|url| head::line(&method.unwrap_or_default().to_ascii_uppercase(), url, context));
    let start = head::read(line, url.as_ref(), &mut keys, &body, settings, context, mistakes);
    let poll = head::read(
        Some(head::line_of("GET")),
        url.as_ref(),
        &mut keys,
        &body::Body::default(),
        settings,
        context,
        mistakes,
    );
    let keep = keys.take("keep").map_or(Some(KEEP_BYTES_DEFAULT), |node| mistakes.keep(keep(node)));
    let every = keys.take("every").map_or(Some(Nanos::SECOND), |node| mistakes.keep(every(node)));
    let at = keys.take("at").map_or(Some((Probe::Header("location".into()), None, settings.node.place)), |node| {
        mistakes.keep(at(node)).map(|(probe, around)| (probe, around, node.place))
    });
    let done = keys.need("poll", mistakes).and_then(|node| mistakes.keep(context.check(node, "`poll`")));
    let failed = keys.take("failed").map(|node| mistakes.keep(context.check(node, "`failed`")));
    let proxy = proxy::read(&mut keys, context, mistakes);
    let streams = version::read(&mut keys, settings, context, mistakes);
    keys.finish(mistakes);
    let mut compile = |checks: &[Check], captures: &[Capture]| {
        Compiled::new(checks, captures, context).map_err(|more| mistakes.extend(more)).ok()
    };
    let (probe, around, place) = at?;
    let value =
        compile(&[], &[Capture { name: "at".into(), slot: 0, probe, pick: Which::First, is_optional: false, place }]);
    let done = done.and_then(|check| compile(&[check], &[]));
    let failed = failed.map(|check| check.and_then(|check| compile(&[check], &[])));
    let (nothing, last) = (compile(&[], &[]), compile(&settings.checks, &settings.captures));
    let failed = match failed {
        Some(failed) => Some(failed?),
        None => None,
    };
    let (url, keep, every) = (url?, keep?, every?);
    let sends_length = body.text.is_some() || method != Some("get");
    let (start, poll) = (Request::new(start, body.text, sends_length), Request::new(poll, None, false));
    let mut http2 = |request: &Request| version::http2(streams, &url, request, settings, mistakes);
    let (start_http2, poll_http2) = (http2(&start), http2(&poll));
    proxy::check(proxy.as_ref(), streams, &url, settings, mistakes);
    let tls = url.is_tls.then_some(tls);
    let Settings { idle, all_addresses, .. } = *settings;
    let endpoint = Endpoint { host: url.host, port: url.port, tls, http2: streams, idle, all_addresses, proxy };
    let at = At { value: value?, around, endpoint: endpoint.clone() };
    let endpoint = index_of(endpoint, endpoints);
    let is_looked_at = context.is_looked_at();
    let make = |request, http2, part: JobStep, compiled: Compiled| Exchange {
        request,
        http2,
        endpoint,
        is_head: false,
        keep: match part.needs_body() || compiled.needs_body() {
            true => keep,
            false if is_looked_at => KEEP_SHOWN,
            false => 0,
        },
        reuse: settings.reuse,
        retry: settings.retry,
        // Whatever the method, the start of a job sets work going.
        is_idempotent: matches!(part, JobStep::Poll { .. }),
        part: Some(part),
        compiled,
        address: None,
        wants_redirect: false,
        follow: 0,
        cookies: None,
    };
    let start = make(start, start_http2, JobStep::Start(at), nothing?);
    let poll = make(poll, poll_http2, JobStep::Poll { done: done?, failed }, last?);
    Some(Job { start, poll, every })
}

fn url(node: &Node, context: &BuildContext<'_>) -> Result<Url, Mistake> {
    Url::read(&context.compile(node, "`start`")?, node.place)
}

fn method(node: &Node) -> Result<&'static str, Mistake> {
    let text = node.as_text("`method`")?;
    METHODS.into_iter().find(|known| known.eq_ignore_ascii_case(text)).ok_or_else(|| {
        let mistake = Mistake::at(node.place, "study::unknown-word", format!("a job is not started by `{text}`"));
        let mistake = mistake.hint(format!("possible are {}", METHODS.join(", ")));
        match suggestion(text, METHODS) {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake,
        }
    })
}

fn every(node: &Node) -> Result<Nanos, Mistake> {
    let every = node.as_duration("`every`")?;
    if (EVERY_LEAST..=EVERY_MOST).contains(&every) {
        return Ok(every);
    }
    Err(Mistake::at(node.place, "study::out-of-range", format!("`every` is outside {EVERY_LEAST} to {EVERY_MOST}"))
        .label("write `1s`: the end of a job is seen up to so much late"))
}

/// A probe, whose value is the address; or a path with one probe in braces, `/jobs/{json($.id)}`.
type Where = (Probe, Option<(String, String)>);

fn at(node: &Node) -> Result<Where, Mistake> {
    let text = node.as_text("`at`")?;
    let wrong = |what: &str| {
        Mistake::at(node.place, "job::bad-address", format!("`at` is `{text}`: {what}"))
            .hint("write `header(location)`, `json($.href)`, or a path such as `/jobs/{json($.id)}`")
    };
    if !text.starts_with('/') {
        let probe = read_probe(text, node.place)?;
        return if matches!(probe, Probe::Status | Probe::Size) {
            Err(wrong("that is not an address"))
        } else {
            Ok((probe, None))
        };
    }
    let parts = text.split_once('{').and_then(|(before, rest)| Some((before, rest.rsplit_once('}')?)));
    let Some((before, (probe, after))) = parts else { return Err(wrong("the path is the same for every job")) };
    let is_path = |part: &str| part.bytes().all(|byte| byte.is_ascii_graphic() && !b"#{}".contains(&byte));
    if !is_path(before) || !is_path(after) {
        return Err(wrong("its fixed parts cannot stand in a path"));
    }
    Ok((read_probe(probe, node.place)?, Some((before.to_owned(), after.to_owned()))))
}
