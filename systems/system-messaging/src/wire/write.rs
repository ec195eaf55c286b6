//! Writes envelopes and SOAP faults.

use std::fmt::Write as _;

use terms::Nanos;

use super::envelope::{Fault, Flaw, ServiceName, Side};
use super::{EB, ERROR_CONTEXT, SOAP, SOAP_NEXT, TO_PARTY, moment};
use system_common::xml::escape;

/// What a message that goes out carries beside its header.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extras {
    /// `AckRequested`, unsigned, of the other party.
    pub(crate) ack_requested: bool,
    pub(crate) duplicate_elimination: bool,
    /// That the answer comes on the same connection.
    pub(crate) sync_reply: bool,
    /// An `Acknowledgment` of the message with this id.
    pub(crate) acknowledges: Option<String>,
    /// An `ErrorList`; none if empty.
    pub(crate) flaws: Vec<Flaw>,
}

/// A message that goes out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outgoing {
    pub(crate) from: Side,
    pub(crate) to: Side,
    pub(crate) cpa_id: String,
    pub(crate) conversation_id: String,
    pub(crate) service: ServiceName,
    pub(crate) action: String,
    pub(crate) message_id: String,
    pub(crate) timestamp: Nanos,
    pub(crate) ref_to: Option<String>,
    pub(crate) time_to_live: Option<Nanos>,
    pub(crate) extras: Extras,
}

/// An element with a text.
fn element(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "<eb:{name}>");
    escape(text, out);
    let _ = write!(out, "</eb:{name}>");
}

/// An element with a text and perhaps a type.
fn typed(out: &mut String, name: &str, kind: &str, text: &str) {
    let _ = write!(out, "<eb:{name}");
    if !kind.is_empty() {
        out.push_str(" eb:type=\"");
        escape(kind, out);
        out.push('"');
    }
    out.push('>');
    escape(text, out);
    let _ = write!(out, "</eb:{name}>");
}

fn side(out: &mut String, name: &str, side: &Side) {
    let _ = write!(out, "<eb:{name}>");
    for id in &side.ids {
        typed(out, "PartyId", &id.kind, &id.value);
    }
    if let Some(role) = &side.role {
        element(out, "Role", role);
    }
    let _ = write!(out, "</eb:{name}>");
}

impl Outgoing {
    /// The envelope as text.
    pub(crate) fn envelope(&self) -> String {
        let mut out = String::with_capacity(1536);
        let _ = write!(
            out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"{SOAP}\" xmlns:eb=\"{EB}\"><soap:Header>\
             <eb:MessageHeader eb:version=\"2.0\" soap:mustUnderstand=\"1\">"
        );
        side(&mut out, "From", &self.from);
        side(&mut out, "To", &self.to);
        element(&mut out, "CPAId", &self.cpa_id);
        element(&mut out, "ConversationId", &self.conversation_id);
        typed(&mut out, "Service", &self.service.kind, &self.service.value);
        element(&mut out, "Action", &self.action);
        out.push_str("<eb:MessageData>");
        element(&mut out, "MessageId", &self.message_id);
        element(&mut out, "Timestamp", &moment::written(self.timestamp));
        if let Some(id) = &self.ref_to {
            element(&mut out, "RefToMessageId", id);
        }
        if let Some(until) = self.time_to_live {
            element(&mut out, "TimeToLive", &moment::written(until));
        }
        out.push_str("</eb:MessageData>");
        if self.extras.duplicate_elimination {
            out.push_str("<eb:DuplicateElimination/>");
        }
        out.push_str("</eb:MessageHeader>");
        self.other_headers(&mut out);
        out.push_str("</soap:Header><soap:Body/></soap:Envelope>");
        out
    }

    fn other_headers(&self, out: &mut String) {
        if self.extras.sync_reply {
            let _ =
                write!(out, "<eb:SyncReply eb:version=\"2.0\" soap:mustUnderstand=\"1\" soap:actor=\"{SOAP_NEXT}\"/>");
        }
        if self.extras.ack_requested {
            let _ = write!(
                out,
                "<eb:AckRequested eb:version=\"2.0\" soap:mustUnderstand=\"1\" soap:actor=\"{TO_PARTY}\" eb:signed=\"false\"/>"
            );
        }
        if let Some(id) = &self.extras.acknowledges {
            let _ = write!(
                out,
                "<eb:Acknowledgment eb:version=\"2.0\" soap:mustUnderstand=\"1\" soap:actor=\"{TO_PARTY}\">"
            );
            element(out, "Timestamp", &moment::written(self.timestamp));
            element(out, "RefToMessageId", id);
            out.push_str("</eb:Acknowledgment>");
        }
        if !self.extras.flaws.is_empty() {
            out.push_str("<eb:ErrorList eb:version=\"2.0\" soap:mustUnderstand=\"1\" eb:highestSeverity=\"Error\">");
            for flaw in &self.extras.flaws {
                let code = flaw.code.name();
                let _ = write!(
                    out,
                    "<eb:Error eb:codeContext=\"{ERROR_CONTEXT}\" eb:errorCode=\"{code}\" eb:severity=\"Error\" eb:location=\""
                );
                escape(&flaw.location, out);
                out.push_str("\"><eb:Description xml:lang=\"en\">");
                escape(&flaw.text, out);
                out.push_str("</eb:Description></eb:Error>");
            }
            out.push_str("</eb:ErrorList>");
        }
    }
}

/// A SOAP fault as text.
pub(crate) fn fault(fault: &Fault) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"{SOAP}\"><soap:Body><soap:Fault>\
         <faultcode>soap:{}</faultcode><faultstring>",
        fault.code
    );
    escape(&fault.text, &mut out);
    out.push_str("</faultstring></soap:Fault></soap:Body></soap:Envelope>");
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::envelope::{Code, PartyId};
    use super::*;
    use system_common::xml;

    pub(crate) fn outgoing() -> Outgoing {
        let side = |value: &str| Side {
            ids: vec![PartyId { kind: "urn:osb:oin".to_owned(), value: value.to_owned() }],
            role: None,
        };
        Outgoing {
            from: side("99990000000000000000"),
            to: side("99990000000000000001"),
            cpa_id: "cpa-1".to_owned(),
            conversation_id: "conversation-1".to_owned(),
            service: ServiceName::signals(),
            action: "Pong".to_owned(),
            message_id: "pong-1@y".to_owned(),
            timestamp: Nanos::from_secs(1_795_255_200),
            ref_to: Some("ping-1@x".to_owned()),
            time_to_live: None,
            extras: Extras::default(),
        }
    }

    pub(crate) fn sample() -> String {
        outgoing().envelope()
    }

    #[test]
    fn hostile_texts_stay_texts() {
        let mut message = outgoing();
        message.conversation_id = "</eb:ConversationId>&\"\u{0}".to_owned();
        message.extras.flaws.push(Flaw::new(Code::MimeProblem, "cid:\"><x/>", "<script/>"));
        message.extras.acknowledges = Some("a<b".to_owned());
        let envelope = super::super::envelope::read(message.envelope().as_bytes()).unwrap();
        assert_eq!(envelope.conversation_id, "</eb:ConversationId>&\"\u{fffd}");
        assert_eq!(envelope.acknowledges.as_deref(), Some("a<b"));
        assert_eq!(envelope.error_codes, Some(vec!["MimeProblem".to_owned()]));
        assert!(xml::read(fault(&Fault::client("<x>&")).as_bytes()).is_ok());
    }
}
