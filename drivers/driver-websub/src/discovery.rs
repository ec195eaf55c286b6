//! A topic is asked where its hub is, and by which name the hub knows it (section 4 of the recommendation). Once a run,
//! before any load.

use crate::links::Links;
use clock::Clock;
use contract::{Failure, Place, Template};
use http_wire::{Call, Client, Expecting, Failed, Shared, Target, Trouble, Url, Why, in_words, written_out};
use terms::Nanos;

/// Of a page or a feed this much is read; what it says of itself stands at its beginning.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// How long the answer may take.
const PATIENCE: Nanos = Nanos::from_secs(10);
/// A name as long as that is none; a hub keeps it, and a header carries it.
const NAME_BYTES_MAX: usize = 2000;

/// What a topic said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) hub: Url,
    /// As it is shown.
    pub(crate) hub_shown: String,
    /// The topic's own name.
    pub(crate) topic: String,
}

/// Asks the topic at this address.
///
/// # Errors
/// It cannot be reached, or names no hub or no name of its own; one sentence.
pub(crate) fn ask(topic: &str, url: &Url, target: Target) -> Result<Found, Failure> {
    let path = String::from_utf8_lossy(url.target.as_fixed().unwrap_or(b"/")).into_owned();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: */*\r\nUser-Agent: {}\r\nConnection: close\r\n\r\n",
        url.authority,
        concat!("loadproof/", env!("CARGO_PKG_VERSION"))
    );
    let expecting = Expecting { keep: BODY_BYTES_MAX, keeps_head: true, ..Expecting::default() };
    let call = Call { target: 0, request: request.as_bytes(), http2: None, expecting, reuse: false, retry: false };
    let mut client = Client::new(Shared::new(vec![target]), 0);
    let clock = Clock::system();
    let mut said = (0, Links::default());
    let answered =
        client.carry_out_and(&call, clock.now() + PATIENCE, BODY_BYTES_MAX as u64, &clock, &mut |parser, _| {
            let headers = Links::of_headers(parser.head().all("link"));
            said = (parser.status(), headers.or(Links::of_body(parser.body())));
        });
    let failure = |why: String| Failure::new(format!("the topic `{topic}` was asked for its hub: {why}"));
    answered.map_err(|failed| failure(explain(&failed)))?;
    match said {
        (200, Links { hub: Some(hub), topic: Some(own), other_topic }) => {
            let found = found(topic, &hub, &own).map_err(failure)?;
            // Written in two ways it may still be one name.
            match other_topic.filter(|other| name_of(topic, other).as_ref() != Ok(&found.topic)) {
                None => Ok(found),
                Some(other) => Err(failure(format!(
                    "it gives itself two names (`rel=\"self\"`), `{}` and `{}`, so the hub may know it by either; write \
                     `hub` in place of `discover`",
                    shown(&own),
                    shown(&other)
                ))),
            }
        }
        (200, Links { hub: None, .. }) => Err(failure(
            "neither a `Link` header nor the head of what it is names one (`rel=\"hub\"`); write `hub` in place of `discover`"
                .to_owned(),
        )),
        (200, Links { topic: None, .. }) => Err(failure(
            "it names a hub and not itself (`rel=\"self\"`), so the hub may know it by another name; write `hub` in place \
             of `discover`"
                .to_owned(),
        )),
        (status @ (301 | 302 | 303 | 307 | 308), _) => {
            Err(failure(format!("status {status}, and redirects are not followed; name the topic that it leads to")))
        }
        (status, _) => Err(failure(format!("status {status}, where 200 answers"))),
    }
}

/// What it named, as addresses: one may be relative to the other.
fn found(asked: &str, hub: &str, own: &str) -> Result<Found, String> {
    let topic = name_of(asked, own)?;
    if topic.chars().any(|c| c.is_control() || c == '<' || c == '>' || c == ' ') {
        return Err(format!("`{}`, which it names as itself, cannot stand in a header", shown(&topic)));
    }
    let hub_shown = absolute(asked, "its hub", hub)?;
    let hub = Url::read(&Template::fixed(hub_shown.clone().into_bytes()), Place::default())
        .map_err(|mistake| format!("`{}`, which it names as its hub: {}", shown(&hub_shown), mistake.message))?;
    Ok(Found { hub, hub_shown, topic })
}

/// The name that it gives itself. A hub compares names letter by letter, so one that is whole stays as it was written.
fn name_of(asked: &str, own: &str) -> Result<String, String> {
    let absolute = absolute(asked, "itself", own)?;
    let is_whole = own.starts_with("http://") || own.starts_with("https://");
    Ok(if is_whole { own.to_owned() } else { absolute })
}

fn absolute(asked: &str, what: &str, link: &str) -> Result<String, String> {
    let base = url::Url::parse(asked).map_err(|error| format!("it cannot be taken apart: {error}"))?;
    match base.join(link) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && link.len() <= NAME_BYTES_MAX => Ok(url.to_string()),
        _ => Err(format!("`{}`, which it names as {what}, is not an HTTP address", shown(link))),
    }
}

fn shown(text: &str) -> String {
    written_out(&text.chars().take(100).collect::<String>())
}

/// Why there was no answer.
fn explain(failed: &Failed) -> String {
    match &failed.why {
        Why::Trouble(Trouble::Io(error)) => format!("it takes no connection: {error}"),
        Why::Trouble(Trouble::Proxy(said)) => said.clone(),
        Why::Trouble(Trouble::Tls(error)) => format!("it is not trusted: {}", in_words(error)),
        Why::Closed => "it closed the connection before the end of its answer".to_owned(),
        Why::SpeaksTls => "it speaks TLS: write `https://`".to_owned(),
        Why::Malformed(why, _) => format!("it does not answer in HTTP: {}", why.0),
        Why::Late => format!("it did not answer within {PATIENCE}"),
        Why::TooLong => format!("its answer is longer than {BODY_BYTES_MAX} bytes; write `hub` in place of `discover`"),
        Why::Disagreed(said) | Why::Http2(said) | Why::Said(said) => said.trim_end_matches([':', ' ']).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use testkit::Server;

    /// What comes of asking a server that answers so.
    fn asked(answer: &str) -> Result<Found, String> {
        asked_at(&Server::closing_after(answer).address.to_string())
    }

    fn asked_at(address: &str) -> Result<Found, String> {
        let topic = format!("http://{address}/feed?of=orders");
        let url = Url::read(&Template::fixed(topic.clone().into_bytes()), Place::default()).unwrap();
        let target = Target::find(&url.host, url.port, None, b"http/1.1").unwrap();
        ask(&topic, &url, target).map_err(|failure| failure.0.replace(address, "HOST"))
    }

    fn ok(headers: &str, body: &str) -> Result<Found, String> {
        asked(&format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    #[test]
    fn headers_come_before_what_the_body_says() {
        let body = "<head><link rel=hub href=http://other/><link rel=self href=http://127.0.0.1:9/own></head>";
        let found = ok("Link: <http://127.0.0.1:9/hub>; rel=\"hub\"\r\n", body).unwrap();
        assert_eq!(
            (found.hub_shown.as_str(), found.topic.as_str()),
            ("http://127.0.0.1:9/hub", "http://127.0.0.1:9/own")
        );
        assert_eq!((found.hub.host.as_str(), found.hub.port, found.hub.is_tls), ("127.0.0.1", 9, false));
        let found =
            ok("Link: <https://h/>; rel=hub, <http://t/A B>; rel=next\r\nLink: <http://T>; rel=self\r\n", "").unwrap();
        assert_eq!((found.hub_shown.as_str(), found.topic.as_str()), ("https://h/", "http://T"), "letter by letter");
    }

    #[test]
    fn addresses_may_be_relative_to_the_topic() {
        let found = ok("Link: </hub>; rel=hub, <?own>; rel=self\r\n", "").unwrap();
        assert!(found.hub_shown.starts_with("http://127.0.0.1:") && found.hub_shown.ends_with("/hub"), "{found:?}");
        assert!(found.topic.ends_with("/feed?own"), "{found:?}");
    }

    #[test]
    fn a_name_that_is_given_twice_is_one() {
        let found = ok("Link: </hub>; rel=hub, </feed?of=orders>; rel=self, <?of=orders>; rel=self\r\n", "").unwrap();
        assert!(found.topic.ends_with("/feed?of=orders"), "{found:?}");
        let body = "<link rel=self href=http://u/>";
        assert_eq!(ok("Link: <http://h/>; rel=hub, <http://t>; rel=self\r\n", body).unwrap().topic, "http://t");
    }

    #[test]
    fn what_is_not_found_is_said_with_what_to_write() {
        let hub = "Link: <http://h/>; rel=hub\r\n";
        for (answer, why) in [
            (ok("", "<html></html>"), "neither a `Link` header nor the head of what it is names one"),
            (ok(hub, ""), "names a hub and not itself"),
            (ok("Link: <http://t/>; rel=self\r\n", ""), "neither a `Link` header"),
            (ok("Link: <ftp://h/>; rel=hub, <http://t/>; rel=self\r\n", ""), "`ftp://h/`, which it names as its hub"),
            (ok("Link: <http://h/>; rel=hub, <urn:t>; rel=self\r\n", ""), "`urn:t`, which it names as itself"),
            (ok("Link: <http://h/>; rel=hub, <http://t/a b>; rel=self\r\n", ""), "cannot stand in a header"),
            (ok("Link: <http://u@h/>; rel=hub, <http://t/>; rel=self\r\n", ""), "the URL holds a user name"),
            (
                ok("Link: <http://h/>; rel=hub, <http://t/>; rel=self, <http://u/>; rel=self\r\n", ""),
                "gives itself two names",
            ),
            (ok(hub, "<link rel=self href=http://t/><link rel=self href=urn:t>"), "`http://t/` and `urn:t`"),
            (asked("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n"), "status 404, where 200 answers"),
            (asked("HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), "redirects are not followed"),
            (asked("SSH-2.0-x\r\n"), "does not answer in HTTP"),
            (asked("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), "closed the connection before the end"),
            (asked_at(&testkit::nobody().to_string()), "takes no connection"),
        ] {
            let found = answer.unwrap_err();
            assert!(found.starts_with("the topic `http://HOST/feed?of=orders` was asked for its hub: "), "{found}");
            assert!(found.contains(why) && found.len() < 400, "{why}: {found}");
        }
    }

    #[test]
    fn a_topic_without_end_is_given_up() {
        let server = Server::start(|_, mut stream| {
            let _ = testkit::read_request(&mut stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nLink: <http://h/>; rel=hub\r\n\r\n");
            while stream.write_all(&[b'x'; 65_536]).is_ok() {}
            0
        });
        let found = asked_at(&server.address.to_string()).unwrap_err();
        assert!(found.contains("longer than 1048576 bytes"), "{found}");
        assert_eq!(server.results.recv(), Ok(0));
    }
}
