//! What an HTTP answer says of the message: taken, answered at once, refused.

use crate::common::Common;
use crate::envelope::read::{Fault, Soap};
use crate::exchange::{Exchange, Route};
use crate::id::{self, Id};
use crate::mime;
use crate::verify::verify;
use contract::{Leg, Recorder, Task};
use extract::{Answer, Headers};
use http_wire::Parser;
use terms::Outcome;

/// This much of what was not understood is shown.
const SHOWN_BYTES: usize = 200;

/// What became of a message with its answer.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Of the leg `accepted`.
    pub(crate) outcome: Outcome,
    /// Why; empty if it is ok.
    pub(crate) why: String,
    /// What a check found instead.
    pub(crate) found: Option<String>,
    /// A later leg that the answer itself closes.
    pub(crate) closes: Option<(Leg, Outcome)>,
    /// Whether that is the first leg that waits, whichever it is: the message was refused.
    pub(crate) refuses: bool,
    /// Whether sending it again would be of no use: the other side has said no.
    pub(crate) is_final: bool,
}

impl Judged {
    fn ok() -> Self {
        Self { outcome: Outcome::Ok, why: String::new(), found: None, closes: None, refuses: false, is_final: false }
    }

    fn bad(outcome: Outcome, why: String, is_final: bool) -> Self {
        Self { outcome, why, found: None, closes: None, refuses: false, is_final }
    }
}

/// Judges a complete answer to the message of that id: by the protocol, then by the study's own checks.
pub(crate) fn judge(
    exchange: &Exchange,
    route: &Route,
    id: &Id,
    task: &Task,
    parser: &Parser,
    common: &Common,
    recorder: &mut Recorder,
) -> Judged {
    let judged = by_protocol(exchange, route, id, parser, common);
    let compiled = &exchange.compiled;
    let is_taken = (200..300).contains(&parser.status());
    if !is_taken && (!compiled.has_status_check() || judged.outcome == Outcome::Fault) {
        return judged;
    }
    let head = parser.head();
    let mut answer = Answer::new(parser.status(), &head, parser.body(), parser.body_bytes());
    if let Err(failed) = compiled.evaluate(&mut answer, &mut |number, into| recorder.render(task, number, into)) {
        let outcome = match () {
            () if failed.is_study => Outcome::BadStudy,
            () if failed.is_status => Outcome::Status,
            () => Outcome::Wrong,
        };
        let why = format!("`{}` does not hold; status {}", failed.text, parser.status());
        let found = Some(recorder.take_trouble().unwrap_or(failed.found));
        return Judged { outcome, why, found, ..judged };
    }
    if !is_taken {
        // The study itself says that this status is right.
        return Judged::ok();
    }
    if judged.outcome == Outcome::Ok && compiled.has_captures() {
        if compiled.draws() {
            answer = answer.with_draw(recorder.draw(task));
        }
        let captured = compiled.capture(&mut answer, &mut |slot, value| recorder.capture(slot, value));
        if let Err(failed) = captured {
            let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
            let why = failed.told();
            return Judged { outcome, why, ..judged };
        }
    }
    judged
}

/// Judges it by the protocol alone.
pub(crate) fn by_protocol(exchange: &Exchange, route: &Route, id: &Id, parser: &Parser, common: &Common) -> Judged {
    let (status, body) = (parser.status(), parser.body());
    let is_taken = (200..300).contains(&status);
    if body.trim_ascii().is_empty() {
        if is_taken {
            return Judged::ok();
        }
        return Judged::bad(Outcome::Status, format!("status {status}, where 2xx is right"), is_final(status, route));
    }
    if body.len() as u64 != parser.body_bytes() {
        let why = format!("status {status} with {} bytes, more than any envelope has", parser.body_bytes());
        return Judged::bad(if is_taken { Outcome::Wrong } else { Outcome::Status }, why, is_final(status, route));
    }
    let head = parser.head();
    let content_type = head.header("content-type").unwrap_or_default();
    let read = mime::open(content_type, body).map_err(str::to_owned);
    match read.and_then(|opened| Soap::read(&opened.envelope).map(|soap| (soap, opened)).map_err(|why| why.0)) {
        Ok((Soap::Fault(Fault { code, text }), _)) => {
            // `Server`: the other side could not, this time. Any other says that the message is at fault.
            let is_final = code != "Server" || is_final(status, route);
            Judged::bad(Outcome::Fault, format!("status {status} with a SOAP fault, {code}: {text}"), is_final)
        }
        Ok((Soap::Message(message), opened)) if is_taken => {
            match verify(&message, &opened, &common.exchanges, common.nonce) {
                Ok(found) if found.id == *id => {
                    let bears = exchange.later_legs(route).any(|leg| leg == found.leg);
                    match (bears, found.outcome) {
                        (true, outcome) => {
                            let (closes, refuses) = (Some((found.leg, outcome)), found.refuses);
                            Judged { closes, refuses, why: found.why, ..Judged::ok() }
                        }
                        // Nobody else could say so.
                        (false, outcome) => Judged::bad(outcome, found.why, true),
                    }
                }
                _ => {
                    let why = format!("the answer, action `{}`, belongs to another message", message.action);
                    Judged::bad(Outcome::Wrong, why, false)
                }
            }
        }
        Ok((Soap::Message(_), _)) => {
            let why = format!("status {status} with a message, where 2xx is right");
            Judged::bad(Outcome::Status, why, is_final(status, route))
        }
        Err(why) if is_taken => {
            let why = format!("the answer is neither empty nor an envelope: {why}: {}", shown(body));
            Judged::bad(Outcome::Wrong, why, false)
        }
        Err(_) => {
            let why = format!("status {status}, where 2xx is right: {}", shown(body));
            Judged::bad(Outcome::Status, why, is_final(status, route))
        }
    }
}

/// Whether a status says that the same message will be refused again. Where nothing is sent again, any refusal is final.
fn is_final(status: u16, route: &Route) -> bool {
    if (200..300).contains(&status) {
        return false;
    }
    let is_passing = matches!(status, 408 | 429) || (status >= 500 && !matches!(status, 501 | 505 | 510));
    !is_passing || route.retries == 0
}

fn shown(body: &[u8]) -> String {
    let cut = &body[..body.len().min(SHOWN_BYTES)];
    let text: String = String::from_utf8_lossy(cut).chars().flat_map(char::escape_debug).collect();
    format!("`{text}{}`", if cut.len() < body.len() { "…" } else { "" })
}

/// What an answer says of later legs: it closes one itself, or says that none will ever be closed.
pub(crate) fn settle(exchange: &Exchange, route: &Route, id: &Id, judged: &Judged, recorder: &mut Recorder) {
    if let Some((leg, outcome)) = judged.closes {
        let is_open = |leg: &contract::Leg| recorder.is_awaited(id::of_leg(id.key, *leg));
        let first = exchange.later_legs(route).find(is_open).filter(|_| judged.refuses);
        recorder.close_awaited(id::of_leg(id.key, first.unwrap_or(leg)), outcome);
    }
    if judged.is_final {
        // Nothing more will be said of it.
        recorder.close_awaited(id.key, judged.outcome);
        for leg in exchange.later_legs(route) {
            recorder.close_awaited(id::of_leg(id.key, leg), judged.outcome);
        }
    }
}
