//! What comes to the lab's listener: Pongs, acknowledgments, business answers, errors.

use crate::acknowledge::Couriers;
use crate::envelope::read::{Message, Soap};
use crate::exchange::{Endpoint, Exchange};
use crate::verify::{Stray, Verified, verify};
use crate::xml::escape_into;
use crate::{acknowledge, id, mime};
use contract::reply_key;
use contract::{Answer, Reply, ReplyHandler, RequestHead};
use std::sync::Arc;
use terms::Outcome;

/// Reads messages at a listener.
pub(crate) struct Replies {
    exchanges: Arc<Vec<Option<Exchange>>>,
    nonce: u64,
    endpoints: Vec<Endpoint>,
    /// Who brings acknowledgments, from the first one on.
    couriers: Option<Couriers>,
    /// Of the next acknowledgment.
    number: u64,
}

impl Replies {
    pub(crate) fn new(exchanges: Arc<Vec<Option<Exchange>>>, nonce: u64, endpoints: Vec<Endpoint>) -> Self {
        Self { exchanges, nonce, endpoints, couriers: None, number: 0 }
    }

    /// Acknowledges a business answer that asks for it: at once if on the same connection, else soon.
    fn acknowledge(
        &mut self,
        message: &Message,
        found: &Verified,
        answer: &mut Answer,
    ) -> Result<(), (Outcome, String)> {
        let is_asked = message.acknowledgment_asked.is_some() && found.leg == 2 && found.outcome == Outcome::Ok;
        let number = usize::from(reply_key::exchange(found.id.key));
        let Some(exchange) = self.exchanges.get(number).and_then(Option::as_ref).filter(|_| is_asked) else {
            return Ok(());
        };
        let Some(Ok(route)) = exchange.routes.get(usize::from(found.id.route)) else { return Ok(()) };
        let Some(back) = &route.back else {
            let why = "the answer asks for an acknowledgment, which the agreement has it never do";
            return Err((Outcome::Wrong, why.to_owned()));
        };
        let envelope = acknowledge::envelope(message, exchange, back, self.nonce, self.number)
            .map_err(|why| (Outcome::BadStudy, why))?;
        self.number += 1;
        if message.is_synchronous {
            (answer.status, answer.content_type, answer.body) = (200, "text/xml; charset=UTF-8", envelope);
            return Ok(());
        }
        if self.couriers.is_none() {
            self.couriers = Couriers::start(&self.endpoints);
        }
        if let Some(couriers) = &self.couriers {
            couriers.bring(back.endpoint, acknowledge::request(back, &envelope));
        }
        Ok(())
    }
}

fn header<'a>(head: &RequestHead<'a>, name: &str) -> Option<&'a [u8]> {
    head.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim_ascii())
}

/// What it is and what it is about: what it says is wrong, the message that it names, itself, its conversation.
fn identity(message: &Message) -> String {
    let mut told = message.action.clone();
    for error in &message.errors {
        told.extend([" ", error.code.as_str()]);
    }
    for (name, value) in [
        ("RefToMessageId", message.refers_to.as_deref().unwrap_or("none")),
        ("MessageId", &message.id),
        ("ConversationId", &message.conversation),
        ("CPAId", &message.agreement),
    ] {
        told.extend([", ", name, " ", value]);
    }
    told
}

impl ReplyHandler for Replies {
    /// By `SOAPAction: "ebXML"`; some leave the quotes out.
    fn claims(&self, head: &RequestHead<'_>) -> bool {
        header(head, "soapaction").is_some_and(|action| matches!(action, b"\"ebXML\"" | b"ebXML"))
    }

    fn handle(&mut self, head: &RequestHead<'_>, body: &[u8], answer: &mut Answer) -> Reply {
        if head.method != "POST" {
            answer.status = 405;
            return Reply::Unreadable;
        }
        let content_type = header(head, "content-type").unwrap_or_default();
        let read = mime::open(content_type, body).map_err(str::to_owned);
        let read = read.and_then(|opened| Soap::read(&opened.envelope).map(|soap| (soap, opened)).map_err(|why| why.0));
        let (message, opened) = match read {
            Ok((Soap::Message(message), opened)) => (message, opened),
            Ok((Soap::Fault(_), _)) => {
                // A fault belongs on the connection of what it is about; here nobody can tell what that is.
                answer.status = 204;
                return Reply::Unknown;
            }
            Err(why) => {
                fault(&why, answer);
                return Reply::Unreadable;
            }
        };
        answer.status = 204;
        let found = verify(&message, &opened, &self.exchanges, self.nonce).map(|mut found| {
            if let Err(why) = self.acknowledge(&message, &found, answer) {
                (found.outcome, found.why) = why;
            }
            found
        });
        let found = match found {
            Ok(found) => found,
            Err(Stray::Nobodys) => return Reply::Unknown,
            Err(Stray::Unasked) => return Reply::Unasked,
        };
        let why = (!found.why.is_empty()).then(|| found.why.into());
        let Verified { id, leg, outcome, refuses, .. } = found;
        let exchange = self.exchanges.get(usize::from(reply_key::exchange(id.key))).and_then(Option::as_ref);
        match exchange.filter(|_| refuses) {
            Some(exchange) => {
                let keys = [Some(id.key), exchange.answer.is_some().then(|| id::of_leg(id.key, 2))];
                Reply::Refusal { keys, leg: exchange.error_leg(), outcome, why }
            }
            None => Reply::Match { leg, key: id::of_leg(id.key, leg), number: 0, outcome, why },
        }
    }

    fn identify(&self, head: &RequestHead<'_>, body: &[u8]) -> Option<String> {
        let opened = mime::open(header(head, "content-type").unwrap_or_default(), body).ok()?;
        match Soap::read(&opened.envelope).ok()? {
            Soap::Message(message) => Some(identity(&message)),
            Soap::Fault(fault) => Some(format!("a SOAP fault, {}: {}", fault.code, fault.text)),
        }
    }
}

/// What is not a message is told so, as SOAP 1.1 has it (section 6.2).
fn fault(why: &str, answer: &mut Answer) {
    answer.status = 500;
    answer.content_type = "text/xml; charset=UTF-8";
    answer.body =
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/\
        envelope/\"><soap:Body><soap:Fault><faultcode>soap:Client</faultcode><faultstring>"
            .to_vec();
    escape_into(why.as_bytes(), &mut answer.body);
    answer.body.extend_from_slice(b"</faultstring></soap:Fault></soap:Body></soap:Envelope>");
}
