//! Envelopes as text, written without the program's own writer.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a test sends.
#[derive(Clone)]
pub(crate) struct Message {
    pub(crate) cpa: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) from_role: &'static str,
    pub(crate) to_role: &'static str,
    pub(crate) service: &'static str,
    pub(crate) action: &'static str,
    pub(crate) id: String,
    /// Within `MessageData`, after `Timestamp`.
    pub(crate) data: String,
    /// After `MessageData`.
    pub(crate) after: String,
    /// Header blocks after `MessageHeader`.
    pub(crate) blocks: String,
    pub(crate) body: String,
}

const SIGNALS: &str = "<eb:Service>urn:oasis:names:tc:ebxml-msg:service</eb:Service>";
const BUSINESS: &str = r#"<eb:Service eb:type="urn:osb:services">osb:proefbericht:1.0</eb:Service>"#;
pub(crate) const ADAPTER: &str = "99990000000000000000";
pub(crate) const ELIMINATION: &str = "<eb:DuplicateElimination/>";
pub(crate) const ACK_REQUESTED: &str = r#"<eb:AckRequested eb:version="2.0" soap:mustUnderstand="1" soap:actor="urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH" eb:signed="false"/>"#;

/// An id that no other message of this process has.
pub(crate) fn fresh(kind: &str) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("{kind}-{}-{}@test.example", std::process::id(), NUMBER.fetch_add(1, Relaxed))
}

impl Message {
    /// A Ping of a partner.
    pub(crate) fn ping(profile: &str, partner: u32) -> Self {
        Self {
            cpa: format!("cpa-{profile}-{partner:02}"),
            from: format!("9999{partner:016}"),
            to: ADAPTER.to_owned(),
            from_role: "",
            to_role: "",
            service: SIGNALS,
            action: "Ping",
            id: fresh("ping"),
            data: String::new(),
            after: String::new(),
            blocks: String::new(),
            body: String::new(),
        }
    }

    /// A business message of a partner; in the reliable profile with what that asks for.
    pub(crate) fn business(profile: &str, partner: u32) -> Self {
        let is_reliable = profile == "rm";
        let if_reliable = |text: &str| if is_reliable { text.to_owned() } else { String::new() };
        Self {
            from_role: "<eb:Role>Aanleveraar</eb:Role>",
            to_role: "<eb:Role>Verwerker</eb:Role>",
            service: BUSINESS,
            action: "Aanleveren",
            id: fresh("business"),
            after: if_reliable(ELIMINATION),
            blocks: if_reliable(ACK_REQUESTED),
            ..Self::ping(profile, partner)
        }
    }

    /// An acknowledgment by a partner.
    pub(crate) fn acknowledgment(profile: &str, partner: u32, of: &str) -> Self {
        let blocks = format!(
            r#"<eb:Acknowledgment eb:version="2.0" soap:mustUnderstand="1"><eb:Timestamp>2026-01-01T00:00:00Z</eb:Timestamp><eb:RefToMessageId>{of}</eb:RefToMessageId></eb:Acknowledgment>"#
        );
        let data = format!("<eb:RefToMessageId>{of}</eb:RefToMessageId>");
        Self { action: "Acknowledgment", blocks, data, id: fresh("ack"), ..Self::ping(profile, partner) }
    }

    pub(crate) fn envelope(&self) -> String {
        let Self { cpa, from, to, from_role, to_role, service, action, id, data, after, blocks, body } = self;
        format!(
            r#"<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:eb="http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd" xmlns:xlink="http://www.w3.org/1999/xlink"><soap:Header><eb:MessageHeader eb:version="2.0" soap:mustUnderstand="1"><eb:From><eb:PartyId eb:type="urn:osb:oin">{from}</eb:PartyId>{from_role}</eb:From><eb:To><eb:PartyId eb:type="urn:osb:oin">{to}</eb:PartyId>{to_role}</eb:To><eb:CPAId>{cpa}</eb:CPAId><eb:ConversationId>conversation</eb:ConversationId>{service}<eb:Action>{action}</eb:Action><eb:MessageData><eb:MessageId>{id}</eb:MessageId><eb:Timestamp>2026-01-01T00:00:00Z</eb:Timestamp>{data}</eb:MessageData>{after}</eb:MessageHeader>{blocks}</soap:Header><soap:Body>{body}</soap:Body></soap:Envelope>"#
        )
    }

    /// With payloads, as a package; `ids` are those of the manifest, `parts` those of the parts.
    pub(crate) fn package(mut self, ids: &[&str], parts: &[(&str, &str)]) -> String {
        let references: String =
            ids.iter().map(|id| format!(r#"<eb:Reference xlink:type="simple" xlink:href="cid:{id}"/>"#)).collect();
        self.body = format!(r#"<eb:Manifest eb:version="2.0">{references}</eb:Manifest>"#);
        let mut text = format!(
            "--b\r\nContent-ID: <root>\r\nContent-Type: text/xml; charset=UTF-8\r\n\r\n{}\r\n",
            self.envelope()
        );
        for (id, content) in parts {
            text.push_str(&format!("--b\r\nContent-ID: <{id}>\r\nContent-Type: text/plain\r\n\r\n{content}\r\n"));
        }
        text + "--b--\r\n"
    }
}

/// Content type of a single envelope.
pub(crate) const XML: &str = "text/xml; charset=UTF-8";
/// Content type of a package.
pub(crate) const PACKAGE: &str = r#"multipart/related; type="text/xml"; boundary="b"; start="<root>""#;

/// The text of the first element of this name.
pub(crate) fn between<'a>(envelope: &'a str, name: &str) -> &'a str {
    let from = envelope.split_once(&format!("<{name}>")).unwrap_or_else(|| panic!("no {name} in {envelope}")).1;
    from.split_once('<').unwrap().0
}

/// All error codes of an envelope.
pub(crate) fn codes(envelope: &str) -> Vec<&str> {
    envelope.split("eb:errorCode=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect()
}
