//! Files to agreements.

use super::{Action, Agreement, CPA, Channel, Direction, Party, PartyId, Requested, Service, Signing};
use crate::envelope::DS;
use crate::moment;
use crate::xml::{DOCUMENT_BYTES_MAX, Element, Unreadable};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{BuildContext, Mistake, Mistakes, Node};
use std::path::Path;
use terms::Nanos;

/// More agreements than any party has; a folder with more of them is another folder.
const FILES_MAX: usize = 10_000;

/// All agreements of a folder, in the order of their files' names.
pub(crate) type Files = Vec<Agreement>;

/// Reads all `*.xml` of a folder beside the study. Whatever is wrong with one of them is a mistake at `node`; `now` is the
/// wall-clock time at which they must hold.
pub(crate) fn load(node: &Node, context: &BuildContext<'_>, now: Nanos, mistakes: &mut Mistakes) -> Option<Files> {
    let folder = mistakes.keep(context.text(node, "`agreements`"))?;
    let wrong = |what: String| {
        Mistake::at(node.place, "ebms::bad-agreements", what)
            .hint("give a folder beside the study, with an agreement (CPA) in each `*.xml`")
    };
    let names = match names(&context.base().join(&folder)) {
        Ok(names) if names.is_empty() => return none(mistakes, wrong(format!("`{folder}` holds no `*.xml`"))),
        Ok(names) => names,
        Err(why) => return none(mistakes, wrong(format!("`{folder}` {why}"))),
    };
    let mut found: Files = Vec::new();
    for name in names {
        let path = context.base().join(&folder).join(&name);
        let shown = format!("{folder}/{name}");
        let agreement = match agreement(&path, &shown, node, context) {
            Ok(agreement) => agreement,
            Err(mistake) => {
                mistakes.push(*mistake);
                continue;
            }
        };
        let (agreement, from, until) = agreement;
        if let Some(before) = found.iter().find(|known| known.id == agreement.id) {
            let what = format!("`{shown}` has the id `{}`, and so has `{}`", agreement.id, before.file);
            mistakes.push(bad(node, what));
        } else if from.is_some_and(|from| now < from) || now > until.unwrap_or(Nanos::MAX) {
            let (word, moment) = if now > until.unwrap_or(Nanos::MAX) { ("ended", until) } else { ("begins", from) };
            let what =
                format!("agreement `{}` ({shown}) {word} {}", agreement.id, terms::iso::seconds(moment.unwrap_or(now)));
            mistakes
                .push(Mistake::at(node.place, "ebms::agreement-out-of-time", what).label("renew it, or take it away"));
        } else {
            found.push(agreement);
        }
    }
    Some(found)
}

fn none<T>(mistakes: &mut Mistakes, mistake: Mistake) -> Option<T> {
    mistakes.push(mistake);
    None
}

fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot be read: {error}"))?;
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| format!("cannot be read: {error}"))?.file_name();
        let Ok(name) = name.into_string() else { continue };
        if name.to_ascii_lowercase().ends_with(".xml") {
            names.push(name);
        }
        if names.len() > FILES_MAX {
            return Err(format!("holds more than {FILES_MAX} agreements"));
        }
    }
    names.sort();
    Ok(names)
}

fn bad(node: &Node, what: String) -> Mistake {
    Mistake::at(node.place, "ebms::bad-agreement", what)
}

/// An agreement, and from when until when it holds.
type Dated = (Agreement, Option<Nanos>, Option<Nanos>);

fn agreement(path: &Path, shown: &str, node: &Node, context: &BuildContext<'_>) -> Result<Dated, Box<Mistake>> {
    let wrong = |why: String| Box::new(bad(node, format!("`{shown}` is not an agreement that can be used: {why}")));
    let bytes = contract::read_file(path, DOCUMENT_BYTES_MAX as u64).map_err(|why| wrong(format!("it {why}")))?;
    let mut root = Element::read(&bytes).map_err(|Unreadable(why)| wrong(why))?;
    // After reading, so that what a name stands for can never become part of the document's structure.
    root.for_each_text(&mut |text| -> Result<(), Box<Mistake>> {
        if text.contains("$(") {
            let template = context.compile_text(text, node).map_err(Box::new)?;
            let fixed =
                template.as_fixed().ok_or_else(|| wrong(format!("`{text}` differs from exchange to exchange")))?;
            *text = String::from_utf8_lossy(fixed).into_owned();
        }
        Ok(())
    })?;
    from_document(&root, shown).map_err(wrong)
}

/// Reads a document. What is wrong is one sentence.
pub(crate) fn from_document(root: &Element, file: &str) -> Result<Dated, String> {
    if !root.is(CPA, "CollaborationProtocolAgreement") {
        return Err(format!("its root is `{}`, not `CollaborationProtocolAgreement` of CPPA 2.0", root.name));
    }
    let id = attribute(root, "cpaid").filter(|id| !id.is_empty()).ok_or("it has no `cpaid`")?.to_owned();
    let status = root.child("Status").and_then(|status| attribute(status, "value")).unwrap_or_default();
    if status != "agreed" {
        return Err(format!("its status is `{status}`, not `agreed`"));
    }
    let from = date(root, "Start")?;
    let until = date(root, "End")?;
    let parties = root.children("PartyInfo").map(party).collect::<Result<Vec<_>, _>>()?;
    let count = parties.len();
    let parties: [Party; 2] = parties.try_into().map_err(|_| format!("it has {count} parties, not two"))?;
    if parties[0].ids.iter().any(|id| parties[1].ids.contains(id)) {
        return Err("both its parties have the same id".into());
    }
    Ok((Agreement { id, file: file.to_owned(), parties }, from, until))
}

fn attribute<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    element.attribute(CPA, name).map(str::trim)
}

fn date(root: &Element, name: &str) -> Result<Option<Nanos>, String> {
    let Some(element) = root.child(name) else { return Ok(None) };
    match moment::moment(element.trimmed()) {
        Some(moment) => Ok(Some(moment)),
        None => Err(format!("`{name}` is `{}`, no date with time", element.trimmed())),
    }
}

fn party(info: &Element) -> Result<Party, String> {
    let name = attribute(info, "partyName").unwrap_or_default().to_owned();
    let ids: Vec<_> = info
        .children("PartyId")
        .map(|id| PartyId { kind: attribute(id, "type").map(str::to_owned), value: id.trimmed().to_owned() })
        .collect();
    if ids.is_empty() || ids.iter().any(|id| id.value.is_empty()) {
        return Err(format!("party `{name}` has no `PartyId`"));
    }
    let channels = info.children("DeliveryChannel").map(|it| channel(it, info)).collect::<Result<Vec<_>, _>>()?;
    let index_of = |id: &str| {
        channels.iter().position(|channel| channel.id == id).ok_or_else(|| format!("there is no channel `{id}`"))
    };
    let default =
        attribute(info, "defaultMshChannelId").ok_or_else(|| format!("party `{name}` has no `defaultMshChannelId`"))?;
    let default_channel = index_of(default)?;
    let mut signal_channels = Vec::new();
    for own in info.children("OverrideMshActionBinding") {
        if let (Some(action), Some(channel)) = (attribute(own, "action"), attribute(own, "channelId")) {
            signal_channels.push((action.to_owned(), index_of(channel)?));
        }
    }
    let mut actions = Vec::new();
    for role in info.children("CollaborationRole") {
        let name = role.child("Role").and_then(|role| attribute(role, "name")).unwrap_or_default();
        for binding in role.children("ServiceBinding") {
            let Some(service) = binding.child("Service") else { continue };
            let service =
                Service { kind: attribute(service, "type").map(str::to_owned), name: service.trimmed().to_owned() };
            bindings(binding, &mut |direction, can, this| {
                let channel =
                    this.child("ChannelId").map(|id| index_of(id.trimmed())).unwrap_or(Ok(default_channel))?;
                actions.push(action(direction, can, this, &service, name, channel)?);
                Ok(())
            })?;
        }
    }
    Ok(Party { name, ids, default_channel, signal_channels, channels, actions })
}

type EachBinding<'a> = dyn FnMut(Direction, &Element, &Element) -> Result<(), String> + 'a;

/// Every action of a service, those of a synchronous answer among them, which stand inside their requests'.
fn bindings(of: &Element, each: &mut EachBinding<'_>) -> Result<(), String> {
    for (name, direction) in [("CanSend", Direction::Send), ("CanReceive", Direction::Receive)] {
        for can in of.children(name) {
            if let Some(this) = can.child("ThisPartyActionBinding") {
                each(direction, can, this)?;
            }
            bindings(can, each)?;
        }
    }
    Ok(())
}

fn action(
    direction: Direction,
    can: &Element,
    this: &Element,
    service: &Service,
    role: &str,
    channel: usize,
) -> Result<Action, String> {
    let name = attribute(this, "action").filter(|name| !name.is_empty()).ok_or("an action has no name")?;
    let wants = this.child("BusinessTransactionCharacteristics");
    let said = |name: &str| wants.and_then(|wants| attribute(wants, name));
    let is_persistent = |value: &str| matches!(value, "persistent" | "transient-and-persistent");
    let signed = said("isNonRepudiationRequired").map(is_true);
    let signed = match said("isAuthenticated") {
        Some(value) if is_persistent(value) => Some(true),
        _ => signed,
    };
    Ok(Action {
        direction,
        id: attribute(this, "id").map(str::to_owned),
        other: can.child("OtherPartyActionBinding").map(|other| other.trimmed().to_owned()).filter(|id| !id.is_empty()),
        service: service.clone(),
        role: role.to_owned(),
        name: name.to_owned(),
        channel,
        is_signed: signed,
        is_encrypted: said("isConfidential").map(is_persistent),
        is_receipt_signed: said("isNonRepudiationReceiptRequired").is_some_and(is_true),
    })
}

fn is_true(value: &str) -> bool {
    matches!(value, "true" | "1")
}

fn channel(channel: &Element, info: &Element) -> Result<Channel, String> {
    let id = attribute(channel, "channelId").ok_or("a channel has no `channelId`")?.to_owned();
    let transport = named(channel, info, "Transport", "transportId")?;
    let exchange = named(channel, info, "DocExchange", "docExchangeId")?;
    let receiver = transport.and_then(|transport| transport.child("TransportReceiver"));
    let endpoint = receiver.and_then(|receiver| {
        let all = || receiver.children("Endpoint");
        let is_for_all = |it: &&Element| matches!(attribute(it, "type"), None | Some("allPurpose" | "request"));
        all().find(is_for_all).or_else(|| all().next()).and_then(|endpoint| attribute(endpoint, "uri"))
    });
    let characteristics = channel.child("MessagingCharacteristics");
    let said = |name: &str| characteristics.and_then(|it| attribute(it, name));
    let asked = |name: &str| match said(name) {
        None | Some("perMessage") => Ok(Requested::PerMessage),
        Some("always") => Ok(Requested::Always),
        Some("never") => Ok(Requested::Never),
        Some(other) => Err(format!("`{name}` of channel `{id}` is `{other}`: possible are always, never, perMessage")),
    };
    let sender = exchange.and_then(|exchange| exchange.child("ebXMLSenderBinding"));
    let reliable = sender.and_then(|sender| sender.child("ReliableMessaging"));
    let persist = sender.and_then(|sender| sender.child("PersistDuration"));
    let is_there = |name: &str| sender.is_some_and(|sender| sender.child(name).is_some());
    Ok(Channel {
        endpoint: endpoint.map(str::to_owned),
        is_synchronous: said("syncReplyMode").is_some_and(|mode| mode != "none"),
        acknowledgment: asked("ackRequested")?,
        signed_acknowledgment: asked("ackSignatureRequested")?,
        no_duplicates: asked("duplicateElimination")?,
        is_multi_hop: said("actor").is_some_and(|actor| actor.ends_with(":nextMSH")),
        is_ordered: reliable
            .and_then(|reliable| reliable.child("MessageOrderSemantics"))
            .is_some_and(|order| order.trimmed() == "Guaranteed"),
        is_signed: is_there("SenderNonRepudiation"),
        signing: sender
            .and_then(|it| it.child("SenderNonRepudiation"))
            .map_or(Ok(Signing::default()), |it| signing(it, info))?,
        is_encrypted: is_there("SenderDigitalEnvelope"),
        retries: retries(reliable, &id)?,
        interval: duration(reliable.and_then(|it| it.child("RetryInterval")), &id)?.unwrap_or(Nanos::ZERO),
        persist: duration(persist, &id)?,
        id,
    })
}

/// With what is signed: algorithms by their identifiers, and the certificate that stands with the party.
fn signing(of: &Element, info: &Element) -> Result<Signing, String> {
    let named = |name: &str| {
        let found = of.child(name)?;
        // CPPA 2.0 lets the identifier of the W3C stand in an attribute, and a name for people in the text.
        let text = attribute(found, "w3c").unwrap_or(found.trimmed());
        (!text.is_empty()).then(|| text.to_owned())
    };
    let wanted = of.child("SigningCertificateRef").and_then(|known| attribute(known, "certId"));
    let is_it = |known: &&Element| attribute(known, "certId") == wanted;
    let certificate = wanted.and_then(|_| info.children("Certificate").find(is_it));
    let data = certificate.and_then(|it| it.foreign(DS, "KeyInfo")).and_then(|info| info.child("X509Data"));
    let certificate = data.and_then(|data| data.child("X509Certificate")).map(|encoded| {
        let packed: String = encoded.text.split_whitespace().collect();
        let id = wanted.unwrap_or_default();
        STANDARD.decode(packed).map_err(|_| format!("certificate `{id}` is not a certificate in base64"))
    });
    Ok(Signing {
        hash: named("HashFunction"),
        method: named("SignatureAlgorithm"),
        certificate: certificate.transpose()?,
    })
}

/// What a channel names by this attribute, which is the other's own too.
fn named<'a>(channel: &Element, info: &'a Element, kind: &str, name: &str) -> Result<Option<&'a Element>, String> {
    let Some(wanted) = attribute(channel, name) else { return Ok(None) };
    let is_it = |known: &&Element| known.is(CPA, kind) && attribute(known, name) == Some(wanted);
    let found = info.children.iter().find(is_it);
    found.map(Some).ok_or_else(|| format!("a channel names the {kind} `{wanted}`, which does not exist"))
}

fn retries(reliable: Option<&Element>, channel: &str) -> Result<u32, String> {
    let Some(retries) = reliable.and_then(|reliable| reliable.child("Retries")) else { return Ok(0) };
    let read = retries.trimmed().parse::<u32>().ok().filter(|count| *count <= 1_000_000);
    read.ok_or_else(|| format!("`Retries` of channel `{channel}` is `{}`, no number of retries", retries.trimmed()))
}

fn duration(element: Option<&Element>, channel: &str) -> Result<Option<Nanos>, String> {
    let Some(element) = element else { return Ok(None) };
    match moment::duration(element.trimmed()) {
        Some(duration) => Ok(Some(duration)),
        None => {
            let (name, text) = (&element.name, element.trimmed());
            Err(format!("`{name}` of channel `{channel}` is `{text}`, no duration such as `PT5S`"))
        }
    }
}
