//! The head of a request: its line, the headers that the study writes, and those that it need not.

use super::{add, body::Body};
use crate::escape::Escape;
use crate::job::part::ADDRESS;
use crate::request::Text;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings, Template};
use http_wire::Url;

/// Headers that frame the message or rule the connection; writing them by hand would break both.
const OURS: [&str; 5] = ["content-length", "transfer-encoding", "connection", "te", "upgrade"];

/// The request line.
pub(super) fn line(method: &str, url: &Url, context: &mut BuildContext<'_>) -> Text {
    let mut text = Text::default();
    text.fixed(method.as_bytes());
    text.fixed(b" ");
    text.template(&url.target, Escape::Target, context).expect("invariant: a target is encoded, never refused");
    text.fixed(b" HTTP/1.1\r\n");
    text
}

/// The request line of a request whose address is known only when it is asked for.
pub(super) fn line_of(method: &str) -> Text {
    let mut text = Text::default();
    text.fixed(method.as_bytes());
    text.fixed(b" ");
    text.slot(ADDRESS, Escape::Nothing);
    text.fixed(b" HTTP/1.1\r\n");
    text
}

/// Adds the headers. What the study writes itself takes the place of what is sent otherwise; nothing leaves it out.
pub(super) fn read(
    text: Option<Text>,
    url: Option<&Url>,
    keys: &mut Keys<'_>,
    body: &Body,
    settings: &Settings,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Text {
    let mut text = text.unwrap_or_default();
    let headers = keys.take("headers");
    let written = headers.map_or(&[][..], |node| entries(node, mistakes));
    let is_written =
        |name: &str| written.iter().any(|(key, _)| key.text().is_some_and(|key| key.eq_ignore_ascii_case(name)));
    let mut default = |name: &str, value: &str| {
        if !is_written(name) {
            text.fixed(format!("{name}: {value}\r\n").as_bytes());
        }
    };
    default("Host", url.map_or("", |url| &url.authority));
    default("User-Agent", concat!("loadproof/", env!("CARGO_PKG_VERSION")));
    default("Accept", "*/*");
    if let Some(content_type) = &body.content_type {
        default("Content-Type", content_type);
    }
    if !settings.reuse {
        text.fixed(b"Connection: close\r\n");
    }
    if let Some((name, value)) = context.trace_header().filter(|(name, _)| !is_written(name)) {
        text.fixed(format!("{name}: ").as_bytes());
        text.template(&value, Escape::Nothing, context).expect("invariant: digits are not control characters");
        text.fixed(b"\r\n");
    }
    authorization(&mut text, keys, is_written("authorization"), context, mistakes);
    for (name, value) in written {
        header(&mut text, name, value, context, mistakes);
    }
    text
}

fn entries<'a>(node: &'a Node, mistakes: &mut Mistakes) -> &'a [(Node, Node)] {
    node.map().unwrap_or_else(|| {
        if !node.is_missing() {
            let what = format!("`headers` is {}, not a map", node.what());
            mistakes.push(Mistake::at(node.place, "study::wrong-type", what).label("write `{ name: value }`"));
        }
        &[]
    })
}

fn header(text: &mut Text, name: &Node, value: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
    let word = name.text().unwrap_or_default();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if word.is_empty() || !word.bytes().all(is_token) {
        let what = format!("`{}` is not a name of a header", word.escape_debug());
        return mistakes.push(
            Mistake::at(name.place, "http::bad-header", what).hint("names are letters, digits and `-`, without slots"),
        );
    }
    if OURS.iter().any(|ours| word.eq_ignore_ascii_case(ours)) {
        let what = format!("the header `{word}` is the driver's own");
        return mistakes.push(Mistake::at(name.place, "http::bad-header", what).hint(
            "lengths follow from the body; `connection: { reuse: false }` beside the driver closes after each answer",
        ));
    }
    if value.is_missing() {
        return;
    }
    text.fixed(word.as_bytes());
    text.fixed(b": ");
    add(text, value, &format!("header `{word}`"), Escape::Header, context, mistakes);
    text.fixed(b"\r\n");
}

/// `basic: "user:password"` or `bearer: token`.
fn authorization(
    text: &mut Text,
    keys: &mut Keys<'_>,
    is_written: bool,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) {
    let (basic, bearer) = (keys.take("basic"), keys.take("bearer"));
    let Some(node) = basic.or(bearer) else { return };
    if is_written || (basic.is_some() && bearer.is_some()) {
        let what = "only one of `basic`, `bearer` and the header `authorization` can be sent";
        return mistakes.push(Mistake::at(node.place, "http::two-authorizations", what).label("remove one of them"));
    }
    if basic.is_none() {
        text.fixed(b"Authorization: Bearer ");
        add(text, node, "`bearer`", Escape::Header, context, mistakes);
        return text.fixed(b"\r\n");
    }
    text.fixed(b"Authorization: Basic ");
    if let Some(template) = mistakes.keep(context.compile(node, "`basic`")) {
        // What a variable stands for may be a placeholder while a study is only checked.
        if node.text().is_some_and(|word| !word.contains(':') && !word.contains("$(")) {
            mistakes.push(
                Mistake::at(node.place, "http::bad-basic", "`basic` has no `:` between user and password")
                    .label("write `\"user:password\"`"),
            );
        }
        whole(text, &template, context);
    }
    text.fixed(b"\r\n");
}

fn whole(text: &mut Text, template: &Template, context: &mut BuildContext<'_>) {
    text.template(template, Escape::Base64, context).expect("invariant: base64 takes any byte");
}
