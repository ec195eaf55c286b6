//! What a browser does besides asking: `follow` redirects, and keep `cookies`.

use crate::redirect::FOLLOW_DEFAULT;
use contract::{BuildContext, Mistake, Mistakes, Node, Piece, Probe, Settings, Template};

/// More redirects than any browser follows.
const FOLLOW_MAX: u64 = 20;

/// Where the cookies of a slot's user are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cookies {
    /// Number of the captured value that holds them.
    pub(crate) capture: u8,
    /// Number of the template that gives it.
    pub(crate) template: u16,
    /// Whether they go with requests; an exchange that has a header `Cookie` of its own only takes those that are set.
    pub(crate) are_sent: bool,
}

impl Cookies {
    /// A place for them, for all exchanges of a study.
    pub(crate) fn reserve(context: &mut BuildContext<'_>) -> Option<Self> {
        let capture = context.reserve_capture()?;
        let template = context.keep(Template { pieces: vec![Piece::Capture(capture)] });
        Some(Self { capture, template, are_sent: true })
    }
}

/// `follow: no`, or the most redirects to follow. One whose check or capture asks for the redirect itself is not
/// followed unless the study says so.
pub(super) fn follow(node: Option<&Node>, settings: &Settings, mistakes: &mut Mistakes) -> u8 {
    let Some(node) = node else { return if asks_for_redirect(settings) { 0 } else { FOLLOW_DEFAULT } };
    match node.text() {
        Some("no" | "false") => 0,
        Some("yes" | "true") => FOLLOW_DEFAULT,
        _ => match node.as_count("`follow`", 0, FOLLOW_MAX) {
            Ok(most) => most as u8,
            Err(mistake) => {
                mistakes.push(mistake.hint(format!(
                    "`follow: no` measures the first answer; left out, up to {FOLLOW_DEFAULT} redirects are followed"
                )));
                0
            }
        },
    }
}

/// Whether the study says `follow: no` and looks at where a redirect leads: then that redirect is the answer, and right.
/// Without the first, `Location` may be that of what was created, and a redirect a failure.
pub(super) fn wants_redirect(settings: &Settings) -> bool {
    let says_no = settings.node.get("follow").is_some_and(|node| matches!(node.text(), Some("no" | "false" | "0")));
    says_no
        && (settings.checks.iter().any(|check| is_location(&check.probe))
            || settings.captures.iter().any(|capture| is_location(&capture.probe)))
}

fn is_location(probe: &Probe) -> bool {
    matches!(probe, Probe::Header(name) | Probe::HeaderPart { name, .. } if name == "location")
}

fn asks_for_redirect(settings: &Settings) -> bool {
    let is_status = |expected: &Template| {
        let status: Option<u16> = expected.as_fixed().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
        status.is_some_and(|status| (300..400).contains(&status))
    };
    settings
        .checks
        .iter()
        .any(|check| is_location(&check.probe) || (check.probe == Probe::Status && is_status(&check.expected)))
        || settings.captures.iter().any(|capture| is_location(&capture.probe))
}

/// `cookies: no` or `cookies: yes`; left out, they are kept wherever there is a `jar`. A header of that name takes the
/// place of those that would be sent.
pub(super) fn cookies(
    node: Option<&Node>,
    jar: Option<Cookies>,
    settings: &Settings,
    mistakes: &mut Mistakes,
) -> Option<Cookies> {
    let headers = settings.node.get("headers").and_then(Node::map).unwrap_or_default();
    let is_cookie = |(name, _): &(Node, Node)| name.text().is_some_and(|name| name.eq_ignore_ascii_case("cookie"));
    let are_sent = !headers.iter().any(is_cookie);
    let jar = jar.map(|jar| Cookies { are_sent, ..jar });
    let Some(node) = node else { return jar };
    match node.text() {
        Some("no" | "false") => None,
        Some("yes" | "true") => jar,
        _ => {
            let what = format!("`cookies` is {}, neither `yes` nor `no`", node.text().unwrap_or(node.what()));
            mistakes.push(
                Mistake::at(node.place, "study::wrong-type", what)
                    .label("write `no`, or leave it out")
                    .hint("a cookie of your own is a header: `headers: { cookie: \"a=b\" }`"),
            );
            None
        }
    }
}
