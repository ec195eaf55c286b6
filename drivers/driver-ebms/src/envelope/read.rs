//! Bytes to a message.

use super::{EB, SOAP, VERSION};
use crate::agreement::PartyId;
use crate::xml::{Element, Unreadable};

/// What came in an envelope.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Soap {
    Message(Box<Message>),
    /// The other side could not make anything of what it got.
    Fault(Fault),
}

/// A SOAP fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its code without the prefix: `Client`, `Server`.
    pub(crate) code: String,
    pub(crate) text: String,
}

/// A message's headers, as far as anything here depends on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message {
    pub(crate) from: Vec<PartyId>,
    pub(crate) to: Vec<PartyId>,
    pub(crate) from_role: Option<String>,
    pub(crate) to_role: Option<String>,
    pub(crate) agreement: String,
    pub(crate) conversation: String,
    pub(crate) service: String,
    pub(crate) action: String,
    pub(crate) id: String,
    pub(crate) timestamp: String,
    /// `RefToMessageId` of the header, or of the acknowledgment.
    pub(crate) refers_to: Option<String>,
    pub(crate) time_to_live: Option<String>,
    pub(crate) no_duplicates: bool,
    /// An acknowledgment is asked for; whether a signed one.
    pub(crate) acknowledgment_asked: Option<bool>,
    pub(crate) is_synchronous: bool,
    /// It is or holds an acknowledgment.
    pub(crate) is_acknowledgment: bool,
    /// What of the message an acknowledgment says it got, by the names that its signature had for it.
    pub(crate) got: Vec<String>,
    /// What was wrong with the message it refers to.
    pub(crate) errors: Vec<ErrorOf>,
    /// `cid:…` of its payload.
    pub(crate) manifest: Vec<String>,
    pub(crate) is_signed: bool,
    /// What its signature covers, where a signed acknowledgment has to repeat that.
    pub(crate) signed: Vec<Element>,
}

/// One error of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorOf {
    pub(crate) code: String,
    pub(crate) is_warning: bool,
    /// For people; empty for none, which is allowed.
    pub(crate) text: String,
    /// Where in the message, as an XPath or a content id; empty for none.
    pub(crate) location: String,
}

impl Soap {
    /// Reads an envelope.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let root = Element::read(bytes)?;
        if !root.is(SOAP, "Envelope") {
            return Err(Unreadable(format!("its root is `{}`, not a SOAP 1.1 envelope", root.name)));
        }
        if let Some(fault) = root.child("Body").and_then(|body| body.child("Fault")) {
            // By its letter these stand in no namespace; under a default one, some leave them in it.
            let text = |name: &str| fault.children.iter().find(|it| it.name == name).map_or("", Element::trimmed);
            let code = text("faultcode").rsplit(':').next().unwrap_or_default();
            return Ok(Self::Fault(Fault { code: code.to_owned(), text: text("faultstring").to_owned() }));
        }
        let header = root.child("Header").ok_or_else(|| Unreadable("it has no SOAP header".into()))?;
        Message::read(header, root.child("Body")).map(|message| Self::Message(Box::new(message)))
    }
}

impl Message {
    fn read(header: &Element, body: Option<&Element>) -> Result<Self, Unreadable> {
        let main = header.foreign(EB, "MessageHeader").ok_or_else(|| missing("MessageHeader"))?;
        let version = main.attribute(EB, "version").unwrap_or_default();
        if version != VERSION {
            return Err(Unreadable(format!("its version is `{version}`, not 2.0")));
        }
        let need = |of: &Element, name: &'static str| {
            of.child(name)
                .map(|found| found.trimmed().to_owned())
                .filter(|text| !text.is_empty())
                .ok_or_else(|| missing(name))
        };
        let side = |name: &'static str| main.child(name).ok_or_else(|| missing(name));
        let (from, to) = (side("From")?, side("To")?);
        let role = |of: &Element| of.child("Role").map(|role| role.trimmed().to_owned());
        let data = main.child("MessageData").ok_or_else(|| missing("MessageData"))?;
        let optional = |of: &Element, name: &str| of.child(name).map(|found| found.trimmed().to_owned());
        let acknowledgment = header.foreign(EB, "Acknowledgment");
        let refers_to = acknowledgment.and_then(|it| optional(it, "RefToMessageId"));
        let in_header = optional(data, "RefToMessageId");
        if let (Some(one), Some(other)) = (&refers_to, &in_header)
            && one != other
        {
            return Err(Unreadable("its header and its acknowledgment refer to two different messages".into()));
        }
        let acknowledgment_asked =
            header.foreign(EB, "AckRequested").map(|asked| matches!(asked.attribute(EB, "signed"), Some("true" | "1")));
        let signature = header.foreign(super::DS, "Signature");
        Ok(Self {
            from: parties(from),
            to: parties(to),
            from_role: role(from),
            to_role: role(to),
            agreement: need(main, "CPAId")?,
            conversation: need(main, "ConversationId")?,
            service: need(main, "Service")?,
            action: need(main, "Action")?,
            id: need(data, "MessageId")?,
            timestamp: need(data, "Timestamp")?,
            refers_to: refers_to.or(in_header),
            time_to_live: optional(data, "TimeToLive"),
            no_duplicates: main.child("DuplicateElimination").is_some(),
            acknowledgment_asked,
            is_synchronous: header.foreign(EB, "SyncReply").is_some(),
            is_acknowledgment: acknowledgment.is_some(),
            got: acknowledgment.map(signed_parts).unwrap_or_default(),
            errors: header.foreign(EB, "ErrorList").map(errors).unwrap_or_default(),
            manifest: body.and_then(|body| body.foreign(EB, "Manifest")).map(references).unwrap_or_default(),
            is_signed: signature.is_some(),
            signed: if acknowledgment_asked == Some(true) {
                signature.map(covered).unwrap_or_default()
            } else {
                Vec::new()
            },
        })
    }

    /// Whether an error among its errors is more than a warning.
    pub(crate) fn has_failed(&self) -> bool {
        self.errors.iter().any(|error| !error.is_warning)
    }
}

fn missing(name: &'static str) -> Unreadable {
    Unreadable(format!("its header has no `{name}`"))
}

fn parties(side: &Element) -> Vec<PartyId> {
    let party =
        |id: &Element| PartyId { kind: id.attribute(EB, "type").map(str::to_owned), value: id.trimmed().to_owned() };
    side.children("PartyId").map(party).collect()
}

fn errors(list: &Element) -> Vec<ErrorOf> {
    let error = |error: &Element| ErrorOf {
        code: error.attribute(EB, "errorCode").unwrap_or_default().to_owned(),
        is_warning: error.attribute(EB, "severity") == Some("Warning"),
        text: error.child("Description").map_or("", Element::trimmed).to_owned(),
        location: error.attribute(EB, "location").unwrap_or_default().to_owned(),
    };
    list.children("Error").map(error).collect()
}

fn covered(signature: &Element) -> Vec<Element> {
    signature.child("SignedInfo").into_iter().flat_map(|info| info.children("Reference")).cloned().collect()
}

fn signed_parts(acknowledgment: &Element) -> Vec<String> {
    let all = acknowledgment.children.iter().filter(|child| child.is(super::DS, "Reference"));
    all.filter_map(|reference| reference.attribute("", "URI")).map(str::to_owned).collect()
}

fn references(manifest: &Element) -> Vec<String> {
    let href = |reference: &Element| reference.attribute(super::XLINK, "href").unwrap_or_default().to_owned();
    manifest.children("Reference").map(href).collect()
}
