//! Reads an agreement from XML (`CollaborationProtocolAgreement` of ebXML CPPA 2.0).

use anyhow::{Context, Result, bail};

use super::{Agreed, Agreement, Binding, Channel, OnConnection, Party, Reliable};
use crate::wire::envelope::{PartyId, ServiceName};
use crate::wire::moment;
use system_common::xml::{self, Element};

/// Namespace of agreements.
pub(super) const CPA: &str = "http://www.oasis-open.org/committees/ebxml-cppa/schema/cpp-cpa-2_0.xsd";
/// Longest id: what a column of the store holds.
const WORD_MAX: usize = 255;
/// Most retries that mean something.
const RETRIES_MAX: u32 = 1000;

/// Reads an agreement.
///
/// # Errors
/// It is not one, or lacks something that messages are checked against; the message says what.
pub(crate) fn read(bytes: &[u8]) -> Result<Agreement> {
    let root = xml::read(bytes)?;
    if !root.is(CPA, "CollaborationProtocolAgreement") {
        bail!("the root element is `{}`, not `CollaborationProtocolAgreement` of `{CPA}`", root.name);
    }
    let parties: Vec<Party> = root.all(CPA, "PartyInfo").map(party).collect::<Result<_>>()?;
    let found = parties.len();
    let Ok(parties) = <[Party; 2]>::try_from(parties) else { bail!("it has {found} `PartyInfo`, not two") };
    if parties[0].ids.iter().any(|id| parties[1].ids.contains(id)) {
        bail!("both parties have the same `PartyId`");
    }
    let moment = |name: &str| {
        let text = child(&root, name)?.text();
        moment::read(text).with_context(|| format!("`{name}` is `{text}`, which is not a moment"))
    };
    Ok(Agreement {
        id: attribute(&root, "cpaid")?.to_owned(),
        is_agreed: attribute(child(&root, "Status")?, "value")? == "agreed",
        start: moment("Start")?,
        end: moment("End")?,
        parties,
        text: String::from_utf8_lossy(bytes).into_owned(),
    })
}

fn child<'a>(parent: &'a Element, name: &str) -> Result<&'a Element> {
    parent.child(CPA, name).with_context(|| format!("`{}` has no `{name}`", parent.name))
}

/// An attribute in the namespace of agreements, or in none: both are met.
fn optional<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    element.attribute(CPA, name).or_else(|| element.attribute("", name))
}

fn attribute<'a>(element: &'a Element, name: &str) -> Result<&'a str> {
    let value = optional(element, name).with_context(|| format!("`{}` has no attribute `{name}`", element.name))?;
    if value.is_empty() || value.len() > WORD_MAX {
        bail!("the attribute `{name}` of `{}` must have 1 to {WORD_MAX} bytes", element.name);
    }
    Ok(value)
}

/// The child with an id that another element refers to.
fn by_id<'a>(parent: &'a Element, name: &'static str, key: &str, id: &str) -> Result<&'a Element> {
    let mut all = parent.children.iter().filter(|child| child.is(CPA, name));
    all.find(|element| optional(element, key) == Some(id))
        .with_context(|| format!("no `{name}` has the {key} `{id}` that is referred to"))
}

fn party(info: &Element) -> Result<Party> {
    let ids: Vec<PartyId> = info
        .all(CPA, "PartyId")
        .map(|id| PartyId { kind: optional(id, "type").unwrap_or("").to_owned(), value: id.text().to_owned() })
        .collect();
    if ids.is_empty() || ids.iter().any(|id| id.value.is_empty() || id.value.len() > WORD_MAX) {
        bail!("a `PartyInfo` must have at least one `PartyId`, none of them empty");
    }
    let mut bindings = Vec::new();
    for role in info.all(CPA, "CollaborationRole") {
        let name = attribute(child(role, "Role")?, "name")?;
        for service in role.all(CPA, "ServiceBinding") {
            read_service(info, name, service, &mut bindings)?;
        }
    }
    Ok(Party { ids, default: channel(info, attribute(info, "defaultMshChannelId")?)?, bindings })
}

fn read_service(info: &Element, role: &str, binding: &Element, out: &mut Vec<Binding>) -> Result<()> {
    let service = child(binding, "Service")?;
    let service =
        ServiceName { kind: optional(service, "type").unwrap_or("").to_owned(), value: service.text().to_owned() };
    for (name, sends) in [("CanSend", true), ("CanReceive", false)] {
        for can in binding.all(CPA, name) {
            let action = child(can, "ThisPartyActionBinding")?;
            out.push(Binding {
                service: service.clone(),
                role: role.to_owned(),
                action: attribute(action, "action")?.to_owned(),
                sends,
                channel: channel(info, child(action, "ChannelId")?.text())?,
            });
        }
    }
    Ok(())
}

fn channel(info: &Element, id: &str) -> Result<Channel> {
    let found = by_id(info, "DeliveryChannel", "channelId", id)?;
    let traits = child(found, "MessagingCharacteristics")?;
    let transport = by_id(info, "Transport", "transportId", attribute(found, "transportId")?)?;
    let exchange = by_id(info, "DocExchange", "docExchangeId", attribute(found, "docExchangeId")?)?;
    let agreed = |name: &str| match optional(traits, name) {
        Some("always") => Ok(Agreed::Always),
        Some("never") => Ok(Agreed::Never),
        Some("perMessage") | None => Ok(Agreed::PerMessage), // the schema's default
        Some(other) => bail!("`{name}` is `{other}`; possible are `always`, `never` and `perMessage`"),
    };
    Ok(Channel {
        id: id.to_owned(),
        on_connection: OnConnection::of(optional(traits, "syncReplyMode")).with_context(|| {
            "`syncReplyMode` is none of `none`, `mshSignalsOnly`, `signalsOnly`, `responseOnly`, `signalsAndResponse`"
        })?,
        ack_requested: agreed("ackRequested")?,
        ack_signed: agreed("ackSignatureRequested")?,
        duplicate_elimination: agreed("duplicateElimination")?,
        endpoint: attribute(child(child(transport, "TransportReceiver")?, "Endpoint")?, "uri")?.to_owned(),
        reliable: reliable(exchange)?,
    })
}

fn reliable(exchange: &Element) -> Result<Option<Reliable>> {
    let bindings = ["ebXMLSenderBinding", "ebXMLReceiverBinding"];
    let Some(binding) = bindings
        .iter()
        .find_map(|name| exchange.child(CPA, name).filter(|binding| binding.child(CPA, "ReliableMessaging").is_some()))
    else {
        return Ok(None);
    };
    let found = child(binding, "ReliableMessaging")?;
    let duration = |name: &str, text: &str| {
        moment::read_duration(text)
            .with_context(|| format!("`{name}` is `{text}`, which is not a duration such as `PT2S`"))
    };
    let retries = found.child(CPA, "Retries").map_or("0", Element::text);
    let retries: u32 = match retries.parse() {
        Ok(retries) if retries <= RETRIES_MAX => retries,
        _ => bail!("`Retries` is `{retries}`; possible are 0 to {RETRIES_MAX}"),
    };
    let interval = found.child(CPA, "RetryInterval").map_or("PT5M", Element::text);
    let persist = binding.child(CPA, "PersistDuration").map(|text| duration("PersistDuration", text.text()));
    Ok(Some(Reliable { retries, interval: duration("RetryInterval", interval)?, persist: persist.transpose()? }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::generate::{Profile, agreement};
    use super::*;

    #[test]
    fn the_reliable_profile_is_read() {
        let agreement = read(agreement(Profile::Rm, 7).as_bytes()).unwrap();
        assert_eq!(agreement.id, "cpa-rm-07");
        let [ours, theirs] = &agreement.parties;
        assert!(agreement.is_agreed && ours.ids != theirs.ids);
        let channel = &ours.default;
        assert_eq!((channel.ack_requested, channel.duplicate_elimination), (Agreed::Always, Agreed::Always));
        let reliable = channel.reliable.unwrap();
        assert_eq!((reliable.retries, reliable.interval), (3, Duration::from_secs(2)));
        assert_eq!(reliable.persist, Some(Duration::from_secs(10)));
        assert_eq!(
            (ours.default.endpoint.as_str(), theirs.default.endpoint.as_str()),
            ("http://127.0.0.1:8080/ebms", "http://127.0.0.1:8081/pong")
        );
        assert_eq!(ours.bindings.iter().filter(|binding| binding.sends).count(), 1);
        assert_eq!(ours.bindings.len(), 2);
    }

    #[test]
    fn what_is_no_agreement_is_refused_with_the_reason() {
        let text = agreement(Profile::Rm, 1);
        let refused = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            format!("{:#}", read(text.replace(from, to).as_bytes()).unwrap_err())
        };
        for (from, to, said) in [
            ("tp:cpaid=", "tp:other=", "no attribute `cpaid`"),
            ("<tp:Start>", "<tp:Start>x", "`Start` is `x"),
            ("tp:defaultMshChannelId=\"", "tp:defaultMshChannelId=\"x", "no `DeliveryChannel`"),
            ("PT2S", "2s", "`RetryInterval` is `2s`"),
            ("<tp:Retries>3", "<tp:Retries>-1", "`Retries` is `-1`"),
            (
                "tp:duplicateElimination=\"always\"",
                "tp:duplicateElimination=\"often\"",
                "`duplicateElimination` is `often`",
            ),
            (CPA, "urn:other", "not `CollaborationProtocolAgreement`"),
        ] {
            let message = refused(from, to);
            assert!(message.contains(said), "{message}");
        }
        let twice = text.split("<tp:PartyInfo").nth(1).unwrap();
        let three = text.replace(
            "</tp:CollaborationProtocolAgreement>",
            &format!("<tp:PartyInfo{twice}</tp:CollaborationProtocolAgreement>"),
        );
        assert!(format!("{:#}", read(three.as_bytes()).unwrap_err()).contains("3 `PartyInfo`"));
    }

    #[test]
    fn a_proposal_is_read_and_not_in_force() {
        let text = agreement(Profile::Be, 1);
        let now = terms::Nanos::from_secs(1_795_255_200);
        assert!(read(text.as_bytes()).unwrap().is_in_force(now));
        assert!(!read(text.replace("\"agreed\"", "\"proposed\"").as_bytes()).unwrap().is_in_force(now));
        assert!(!read(text.replace("2045-", "2026-").as_bytes()).unwrap().is_in_force(now));
    }
}
