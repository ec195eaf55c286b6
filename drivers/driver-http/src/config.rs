//! The driver's part of a study: `http.get`, `http.post` and so on.

mod anywhere;
mod body;
mod browser;
mod head;
pub(crate) mod job;
mod multipart;
mod proxy;
mod version;

use crate::endpoint::{Endpoint, index_of};
use crate::escape::Escape;
use crate::job::part::JobStep;
use crate::request::{Request, Text};
pub(crate) use anywhere::Anywhere;
pub(crate) use browser::Cookies;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings};
use extract::Compiled;
use http_wire::{Http2, TlsSettings, Url};
use terms::Unit;

/// Keys of every operation.
pub(crate) const KEYS: &[&str] = &[
    "url",
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
    "version",
    "streams",
    "follow",
    "cookies",
    "proxy",
];

/// Those of them, and of a job's, that have one of a few words.
pub(crate) const WORDS: &[(&str, &[&str])] = &[("version", &version::VERSIONS)];

/// A body is kept for checks and captures up to this length, unless `keep` says otherwise: larger answers are rarely
/// looked into, and every slot that reads one at the time holds as much.
const KEEP_BYTES_DEFAULT: usize = 1024 * 1024;
/// Of an answer that only somebody at a terminal looks at.
const KEEP_SHOWN: usize = 4 * 1024;
/// More would be held in memory for each slot that reads such an answer.
const KEEP_BYTES_MAX: f64 = 1024.0 * 1024.0 * 1024.0;

/// One exchange, ready to be sent.
pub(crate) struct Exchange {
    /// The whole request.
    pub(crate) request: Request,
    /// Checks and captures.
    pub(crate) compiled: Compiled,
    /// What its answer says of a job, when it is part of one.
    pub(crate) part: Option<JobStep>,
    /// Index of where it goes.
    pub(crate) endpoint: usize,
    /// Its address, where that was captured or stands in data: one of those that others go to.
    pub(crate) address: Option<Anywhere>,
    /// What it needs to go over HTTP/2; `None` for HTTP/1.1.
    pub(crate) http2: Option<Http2>,
    /// Whether the answer has no body by its method.
    pub(crate) is_head: bool,
    /// How much of a body is kept; 0 if nothing looks into it.
    pub(crate) keep: usize,
    /// Whether the connection may serve another exchange.
    pub(crate) reuse: bool,
    /// Whether the study allows that a request is sent once more.
    pub(crate) retry: bool,
    /// Whether its method allows it.
    pub(crate) is_idempotent: bool,
    /// Most redirects that are followed; 0 where the first answer is the answer.
    pub(crate) follow: u8,
    /// Whether a redirect is the answer that is asked for: what it leads to is looked at, and not followed.
    pub(crate) wants_redirect: bool,
    /// Where its user's cookies are; none where they are neither kept nor sent.
    pub(crate) cookies: Option<Cookies>,
}

impl Exchange {
    /// Whether a check, a capture or a job asks what the body says.
    pub(crate) fn looks_into_body(&self) -> bool {
        self.compiled.needs_body() || self.part.as_ref().is_some_and(JobStep::needs_body)
    }

    /// Whether the head of the answer is looked into.
    pub(crate) fn needs_headers(&self) -> bool {
        self.keep > 0
            || self.cookies.is_some()
            || self.compiled.needs_headers()
            || self.part.as_ref().is_some_and(JobStep::needs_headers)
    }
}

/// Reads one exchange's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn exchange(
    settings: &Settings,
    endpoints: &mut Vec<Endpoint>,
    jar: Option<Cookies>,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Exchange> {
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let place = settings.node.get("url").map_or(settings.node.place, |node| node.place);
    let url = keys.need("url", mistakes).and_then(|node| mistakes.keep(context.compile(node, "`url`")));
    let address = url.as_ref().and_then(|url| Anywhere::of(url, context));
    let url = match address {
        // The address is known when it is asked for: until then it is that of the request before.
        Some(_) => Some(Url::anywhere()),
        None => url.and_then(|url| mistakes.keep(Url::read(&url, place))),
    };
    let tls = TlsSettings::read(keys.take("tls"), context, mistakes);
    let body = body::read(&mut keys, settings, context, mistakes);
    let method = settings.operation.to_ascii_uppercase();
    let text = url.as_ref().map(|url| match address {
        Some(_) => head::line_of(&method),
        None => head::line(&method, url, context),
    });
    let head = head::read(text, url.as_ref(), &mut keys, &body, settings, context, mistakes);
    let keep = keys.take("keep").map_or(Some(KEEP_BYTES_DEFAULT), |node| mistakes.keep(keep(node)));
    let proxy = proxy::read(&mut keys, context, mistakes);
    let streams = version::read(&mut keys, settings, context, mistakes);
    let wants_redirect = browser::wants_redirect(settings);
    let follow = browser::follow(keys.take("follow"), settings, mistakes);
    let cookies = browser::cookies(keys.take("cookies"), jar, settings, mistakes);
    keys.finish(mistakes);
    let compiled = match Compiled::new(&settings.checks, &settings.captures, context) {
        Ok(compiled) => compiled,
        Err(more) => {
            mistakes.extend(more);
            return None;
        }
    };
    if address.is_none() && url.as_ref().is_some_and(|url| !url.is_tls) && settings.node.get("tls").is_some() {
        let place = settings.node.get("tls").map_or(settings.node.place, |node| node.place);
        mistakes.push(
            Mistake::at(place, "http::tls-without-https", "`tls` is set, but the URL begins with `http://`")
                .label("remove it, or write `https://`"),
        );
    }
    let (url, keep) = (url?, keep?);
    // A method whose request usually has a body says so when it has none; the others only mention one that they have.
    let sends_length = body.text.is_some() || matches!(method.as_str(), "POST" | "PUT" | "PATCH");
    let request = Request::new(head, body.text, sends_length);
    let http2 = version::http2(streams, &url, &request, settings, mistakes);
    proxy::check(proxy.as_ref(), streams, &url, settings, mistakes);
    let tls = url.is_tls.then_some(tls);
    let Settings { idle, all_addresses, .. } = *settings;
    let endpoint = Endpoint { host: url.host, port: url.port, tls, http2: streams, idle, all_addresses, proxy };
    let keep = match compiled.needs_body() {
        true => keep,
        false if context.is_looked_at() => KEEP_SHOWN,
        false => 0,
    };
    Some(Exchange {
        request,
        http2,
        // One that goes wherever it is sent goes to an endpoint of the others.
        endpoint: if address.is_some() { 0 } else { index_of(endpoint, endpoints) },
        address,
        is_head: method == "HEAD",
        keep,
        reuse: settings.reuse,
        retry: settings.retry,
        is_idempotent: is_idempotent(&method),
        compiled,
        part: None,
        follow,
        wants_redirect,
        cookies,
    })
}

/// Whether a request by this method does the same once or twice (RFC 9110, section 9.2.2).
pub(crate) fn is_idempotent(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS" | "PUT" | "DELETE")
}

fn keep(node: &Node) -> Result<usize, Mistake> {
    let read = node.as_quantity("`keep`", &Unit::Bytes, "1MiB")?;
    if (0.0..=KEEP_BYTES_MAX).contains(&read.value) {
        return Ok(read.value as usize);
    }
    Err(Mistake::at(node.place, "study::out-of-range", format!("`keep` is {read}, outside 0 B to 1 GiB"))
        .label("write a size such as `1MiB`"))
}

/// Compiles a node into `text`; a header that would break its line is a mistake here already.
fn add(
    text: &mut Text,
    node: &Node,
    what: &str,
    escape: Escape,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) {
    let Some(template) = mistakes.keep(context.compile(node, what)) else { return };
    if text.template(&template, escape, context).is_err() {
        mistakes.push(
            Mistake::at(node.place, "http::bad-header", format!("{what} holds a line break or control character"))
                .hint("a header is one line of visible characters"),
        );
    }
}

#[cfg(test)]
mod tests;
