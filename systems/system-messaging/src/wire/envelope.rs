//! Reads an envelope: what it must have to be answered at all, what is wrong with it, and all that checks need.

use terms::Nanos;

use super::{EB, NEXT_MSH, SIGNAL_SERVICE, SIGNATURE, SOAP, SOAP_NEXT, TO_PARTY, XLINK, moment};
use system_common::xml::{self, Element};

/// Longest id, name or action: what a column of the store holds.
const WORD_MAX: usize = 255;
/// Most ids of one party.
const IDS_MAX: usize = 8;
/// Most payloads that a manifest can name.
const REFERENCES_MAX: usize = 64;

/// An id of a party with its type; the type is empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartyId {
    pub(crate) kind: String,
    pub(crate) value: String,
}

/// One side of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Side {
    pub(crate) ids: Vec<PartyId>,
    pub(crate) role: Option<String>,
}

/// A service with its type; the type is empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServiceName {
    pub(crate) kind: String,
    pub(crate) value: String,
}

impl ServiceName {
    /// The service of signals.
    pub(crate) fn signals() -> Self {
        Self { kind: String::new(), value: SIGNAL_SERVICE.to_owned() }
    }

    /// Whether messages of this service are signals.
    pub(crate) fn is_signals(&self) -> bool {
        self.value == SIGNAL_SERVICE
    }
}

/// Error codes of ebXML Messaging 2.0, 4.2.3.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Code {
    ValueNotRecognized,
    NotSupported,
    Inconsistent,
    OtherXml,
    DeliveryFailure,
    TimeToLiveExpired,
    SecurityFailure,
    MimeProblem,
    Unknown,
}

impl Code {
    /// All of them, in the order of the specification.
    pub(crate) const ALL: [Self; 9] = [
        Self::ValueNotRecognized,
        Self::NotSupported,
        Self::Inconsistent,
        Self::OtherXml,
        Self::DeliveryFailure,
        Self::TimeToLiveExpired,
        Self::SecurityFailure,
        Self::MimeProblem,
        Self::Unknown,
    ];

    /// As it is written on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ValueNotRecognized => "ValueNotRecognized",
            Self::NotSupported => "NotSupported",
            Self::Inconsistent => "Inconsistent",
            Self::OtherXml => "OtherXml",
            Self::DeliveryFailure => "DeliveryFailure",
            Self::TimeToLiveExpired => "TimeToLiveExpired",
            Self::SecurityFailure => "SecurityFailure",
            Self::MimeProblem => "MimeProblem",
            Self::Unknown => "Unknown",
        }
    }
}

/// Something wrong with a message that can be answered: it becomes an entry of the error list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flaw {
    pub(crate) code: Code,
    /// XPath of what is meant, or `cid:` of a part.
    pub(crate) location: String,
    pub(crate) text: String,
}

impl Flaw {
    pub(crate) fn new(code: Code, location: &str, text: impl Into<String>) -> Self {
        Self { code, location: location.to_owned(), text: text.into() }
    }
}

/// Why an envelope cannot be answered with an error of ebXML: it becomes a SOAP fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// `Client`, `MustUnderstand` or `VersionMismatch`.
    pub(crate) code: &'static str,
    pub(crate) text: String,
}

impl Fault {
    pub(crate) fn client(text: impl Into<String>) -> Self {
        Self { code: "Client", text: text.into() }
    }
}

/// `AckRequested`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AckRequested {
    pub(crate) signed: bool,
    pub(crate) is_next_msh: bool,
}

/// An envelope, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Envelope {
    pub(crate) from: Side,
    pub(crate) to: Side,
    pub(crate) cpa_id: String,
    pub(crate) conversation_id: String,
    pub(crate) service: ServiceName,
    pub(crate) action: String,
    pub(crate) message_id: String,
    pub(crate) ref_to: Option<String>,
    pub(crate) time_to_live: Option<Nanos>,
    pub(crate) duplicate_elimination: bool,
    pub(crate) sync_reply: bool,
    pub(crate) ack_requested: Option<AckRequested>,
    /// `RefToMessageId` of an `Acknowledgment` in it.
    pub(crate) acknowledges: Option<String>,
    /// Codes in its `ErrorList`.
    pub(crate) error_codes: Option<Vec<String>>,
    pub(crate) has_message_order: bool,
    pub(crate) is_signed: bool,
    pub(crate) has_status_request: bool,
    /// `xlink:href` of the manifest.
    pub(crate) references: Vec<String>,
    /// What is wrong with it by itself.
    pub(crate) flaws: Vec<Flaw>,
}

/// Reads an envelope.
///
/// # Errors
/// [`Fault`] if it is not one, or lacks what an answer would have to name.
pub(crate) fn read(bytes: &[u8]) -> Result<Envelope, Fault> {
    let root = xml::read(bytes).map_err(|error| Fault::client(error.to_string()))?;
    if &*root.name != "Envelope" || &*root.namespace != SOAP {
        let code = if &*root.name == "Envelope" { "VersionMismatch" } else { "Client" };
        return Err(Fault { code, text: format!("the root element is `{}`, not `Envelope` of SOAP 1.1", root.name) });
    }
    let header = root.child(SOAP, "Header").ok_or_else(|| Fault::client("the envelope has no `Header`"))?;
    let body = root.child(SOAP, "Body").ok_or_else(|| Fault::client("the envelope has no `Body`"))?;
    check_understood(header)?;
    let mut headers = header.all(EB, "MessageHeader");
    let message = headers.next().ok_or_else(|| Fault::client("the header has no `MessageHeader`"))?;
    if headers.next().is_some() {
        return Err(Fault::client("the header has two `MessageHeader`"));
    }
    let mut envelope = read_message_header(message)?;
    read_other_headers(header, &mut envelope);
    read_body(body, &mut envelope);
    Ok(envelope)
}

/// Header blocks that this service knows.
const KNOWN: [&str; 6] = ["MessageHeader", "SyncReply", "AckRequested", "Acknowledgment", "ErrorList", "MessageOrder"];

/// A block that must be understood and is not ends the processing (SOAP 1.1, 4.2.3).
fn check_understood(header: &Element) -> Result<(), Fault> {
    for block in &header.children {
        let is_known = (&*block.namespace == EB && KNOWN.contains(&&*block.name)) || block.is(SIGNATURE, "Signature");
        let is_ours = block.attribute(SOAP, "actor").is_none_or(|actor| [SOAP_NEXT, TO_PARTY, ""].contains(&actor));
        if !is_known && is_ours && block.attribute(SOAP, "mustUnderstand") == Some("1") {
            return Err(Fault {
                code: "MustUnderstand",
                text: format!("the header block `{}` is not understood", block.name),
            });
        }
    }
    Ok(())
}

fn required<'a>(parent: &'a Element, name: &str) -> Result<&'a str, Fault> {
    let text = parent.child(EB, name).map(Element::text).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Fault::client(format!("`{}` has no `{name}`", parent.name)))?;
    word(name, text)
}

fn word<'a>(name: &str, text: &'a str) -> Result<&'a str, Fault> {
    // Bytes are what columns of the store count at worst.
    if text.len() > WORD_MAX {
        return Err(Fault::client(format!("`{name}` is longer than {WORD_MAX} bytes")));
    }
    Ok(text)
}

/// The order that the schema wants.
const ORDER: [&str; 8] =
    ["From", "To", "CPAId", "ConversationId", "Service", "Action", "MessageData", "DuplicateElimination"];

fn read_message_header(header: &Element) -> Result<Envelope, Fault> {
    let data = header.child(EB, "MessageData").ok_or_else(|| Fault::client("`MessageHeader` has no `MessageData`"))?;
    let service = header.child(EB, "Service").ok_or_else(|| Fault::client("`MessageHeader` has no `Service`"))?;
    let mut envelope = Envelope {
        from: side(header, "From")?,
        to: side(header, "To")?,
        cpa_id: required(header, "CPAId")?.to_owned(),
        conversation_id: required(header, "ConversationId")?.to_owned(),
        service: ServiceName {
            kind: word("Service/@type", service.attribute(EB, "type").unwrap_or(""))?.to_owned(),
            value: required(header, "Service")?.to_owned(),
        },
        action: required(header, "Action")?.to_owned(),
        message_id: required(data, "MessageId")?.to_owned(),
        duplicate_elimination: header.child(EB, "DuplicateElimination").is_some(),
        ..Envelope::default()
    };
    if data.child(EB, "RefToMessageId").is_some() {
        envelope.ref_to = Some(required(data, "RefToMessageId")?.to_owned());
    }
    let mut flaws = Vec::new();
    if header.attribute(EB, "version") != Some("2.0") {
        let text = "the version of the message header is not `2.0`";
        flaws.push(Flaw::new(Code::Inconsistent, "/SOAP:Envelope/SOAP:Header/eb:MessageHeader/@eb:version", text));
    }
    if data.child(EB, "Timestamp").and_then(|at| moment::read(at.text())).is_none() {
        let text = "`Timestamp` is missing, or no moment such as `2026-11-21T10:00:00Z`";
        flaws.push(Flaw::new(Code::OtherXml, "//eb:MessageData/eb:Timestamp", text));
    }
    if let Some(until) = data.child(EB, "TimeToLive") {
        envelope.time_to_live = moment::read(until.text());
        if envelope.time_to_live.is_none() {
            let text = "`TimeToLive` is not a moment such as `2026-11-21T10:00:00Z`";
            flaws.push(Flaw::new(Code::OtherXml, "//eb:MessageData/eb:TimeToLive", text));
        }
    }
    check_order(header, &mut flaws);
    envelope.flaws = flaws;
    Ok(envelope)
}

/// Each element of the schema at most once and in its order.
fn check_order(header: &Element, flaws: &mut Vec<Flaw>) {
    let places = header.children.iter().filter(|child| &*child.namespace == EB && &*child.name != "Description");
    let places: Vec<Option<usize>> = places.map(|child| ORDER.iter().position(|name| **name == *child.name)).collect();
    if places.iter().any(Option::is_none) || places.windows(2).any(|pair| pair[0] >= pair[1]) {
        let text = format!("the elements of `MessageHeader` are not each once and in the order {}", ORDER.join(", "));
        flaws.push(Flaw::new(Code::OtherXml, "//eb:MessageHeader", text));
    }
}

fn side(header: &Element, name: &str) -> Result<Side, Fault> {
    let side = header.child(EB, name).ok_or_else(|| Fault::client(format!("`MessageHeader` has no `{name}`")))?;
    let mut ids = Vec::new();
    for id in side.all(EB, "PartyId") {
        let kind = word("PartyId/@type", id.attribute(EB, "type").unwrap_or(""))?;
        ids.push(PartyId { kind: kind.to_owned(), value: word("PartyId", id.text())?.to_owned() });
    }
    if ids.is_empty() || ids.len() > IDS_MAX || ids.iter().any(|id| id.value.is_empty()) {
        return Err(Fault::client(format!("`{name}` must have 1 to {IDS_MAX} `PartyId`, none of them empty")));
    }
    let role = side.child(EB, "Role").map(Element::text).filter(|role| !role.is_empty());
    Ok(Side { ids, role: role.map(|role| word("Role", role)).transpose()?.map(str::to_owned) })
}

fn read_other_headers(header: &Element, envelope: &mut Envelope) {
    envelope.sync_reply = header.child(EB, "SyncReply").is_some();
    envelope.ack_requested = header.child(EB, "AckRequested").map(|requested| AckRequested {
        signed: matches!(requested.attribute(EB, "signed"), Some("true" | "1")),
        is_next_msh: requested.attribute(SOAP, "actor") == Some(NEXT_MSH),
    });
    if header.all(EB, "AckRequested").any(|requested| requested.attribute(SOAP, "actor") == Some(NEXT_MSH)) {
        // Two may stand there, one for each actor; the one that is not supported decides.
        envelope.ack_requested = Some(AckRequested { signed: false, is_next_msh: true });
    }
    if let Some(acknowledgment) = header.child(EB, "Acknowledgment") {
        match acknowledgment.child(EB, "RefToMessageId").map(Element::text) {
            Some(id) if !id.is_empty() && id.len() <= WORD_MAX => envelope.acknowledges = Some(id.to_owned()),
            _ => {
                let text = "`Acknowledgment` has no `RefToMessageId` of 1 to 255 bytes";
                envelope.flaws.push(Flaw::new(Code::OtherXml, "//eb:Acknowledgment", text));
            }
        }
    }
    envelope.error_codes = header.child(EB, "ErrorList").map(|list| {
        let codes = list.all(EB, "Error").filter_map(|error| error.attribute(EB, "errorCode"));
        codes.take(REFERENCES_MAX).map(|code| code.chars().take(WORD_MAX).collect()).collect()
    });
    envelope.has_message_order = header.child(EB, "MessageOrder").is_some();
    envelope.is_signed = header.child(SIGNATURE, "Signature").is_some();
}

fn read_body(body: &Element, envelope: &mut Envelope) {
    envelope.has_status_request = body.child(EB, "StatusRequest").is_some();
    let Some(manifest) = body.child(EB, "Manifest") else { return };
    for reference in manifest.all(EB, "Reference") {
        match reference.attribute(XLINK, "href") {
            Some(href) if href.len() <= WORD_MAX => envelope.references.push(href.to_owned()),
            _ => {
                let text = "`Reference` has no `xlink:href` of at most 255 bytes";
                envelope.flaws.push(Flaw::new(Code::OtherXml, "//eb:Manifest/eb:Reference", text));
            }
        }
    }
    if envelope.references.len() > REFERENCES_MAX || envelope.references.is_empty() {
        let text = format!("`Manifest` must have 1 to {REFERENCES_MAX} `Reference`");
        envelope.flaws.push(Flaw::new(Code::OtherXml, "//eb:Manifest", text));
        envelope.references.truncate(REFERENCES_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::tests::{outgoing, sample};
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = sample();
        let envelope = read(text.as_bytes()).unwrap();
        let expected = outgoing();
        assert_eq!((envelope.cpa_id.as_str(), envelope.conversation_id.as_str()), ("cpa-1", "conversation-1"));
        assert_eq!((&envelope.from, &envelope.to), (&expected.from, &expected.to));
        assert_eq!((envelope.action.as_str(), envelope.ref_to.as_deref()), ("Pong", Some("ping-1@x")));
        assert!(envelope.service.is_signals() && envelope.flaws.is_empty() && !envelope.sync_reply, "{envelope:?}");
    }

    #[test]
    fn what_cannot_be_answered_is_a_fault() {
        let text = sample();
        let fault = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            read(text.replace(from, to).as_bytes()).unwrap_err()
        };
        assert_eq!(read(b"<a/>").unwrap_err().code, "Client");
        assert_eq!(fault(SOAP, "http://www.w3.org/2003/05/soap-envelope").code, "VersionMismatch");
        let unknown = "<x:y xmlns:x=\"urn:x\" soap:mustUnderstand=\"1\"/></soap:Header>";
        assert_eq!(fault("</soap:Header>", unknown).code, "MustUnderstand");
        for name in [
            "eb:CPAId",
            "eb:ConversationId",
            "eb:Service",
            "eb:Action",
            "eb:MessageId",
            "eb:From",
            "eb:To",
            "eb:PartyId",
        ] {
            let fault = fault(name, "eb:Other");
            assert_eq!(fault.code, "Client", "{name}: {fault:?}");
        }
        assert!(fault("conversation-1", &"c".repeat(256)).text.contains("longer than 255"));
    }

    #[test]
    fn what_is_wrong_and_can_be_answered_is_a_flaw() {
        let text = sample();
        let flaws = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            let envelope = read(text.replace(from, to).as_bytes()).unwrap();
            envelope.flaws.into_iter().map(|flaw| flaw.code).collect::<Vec<_>>()
        };
        assert_eq!(
            flaws("eb:version=\"2.0\" soap:mustUnderstand=\"1\"><eb:From>", "eb:version=\"1.0\"><eb:From>"),
            [Code::Inconsistent]
        );
        assert_eq!(flaws("<eb:Timestamp>2026", "<eb:Timestamp>yesterday"), [Code::OtherXml]);
        assert_eq!(
            flaws("<eb:Action>Pong</eb:Action>", "<eb:Action>Pong</eb:Action><eb:Action>Ping</eb:Action>"),
            [Code::OtherXml]
        );
        assert_eq!(flaws("<soap:Body/>", "<soap:Body><eb:Manifest/></soap:Body>"), [Code::OtherXml]);
    }
}
