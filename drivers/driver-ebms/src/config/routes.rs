//! What the agreements allow: a route for each of them and for each of its sides, and which of them the study uses.

use super::{Compiled, MessageSettings, Texts};
use crate::agreement::{Agreement, Requested, Signing, Terms};
use crate::envelope::write::{Asks, Form, Frame};
use crate::exchange::{Back, Endpoint, Exchange, Kind, Refused, Route};
use crate::mime;
use crate::signature::Signer;
use contract::{BuildContext, Mistake, Mistakes, Node, Piece, Place, Settings, Template};
use http_wire::{TlsSettings, Url};
use std::collections::{BTreeSet, HashMap};
use terms::Nanos;

/// More rows than these are checked as they come.
const ROWS_MAX: usize = 1_000_000;
/// So many of a data set's rows are named as mistakes.
const ROWS_NAMED: usize = 3;

/// What routes are made from.
pub(super) struct RouteInputs<'a> {
    pub(super) kind: Kind,
    /// Where all messages go, if the study says so.
    pub(super) to: Option<Url>,
    pub(super) tls: &'a TlsSettings,
    pub(super) wanted: &'a MessageSettings,
    pub(super) settings: &'a Settings,
    pub(super) boundary: &'a str,
}

impl RouteInputs<'_> {
    /// All routes, by agreement and side.
    pub(super) fn routes(
        &self,
        agreements: &[Agreement],
        endpoints: &mut Vec<Endpoint>,
    ) -> Vec<Result<Route, Refused>> {
        let both = agreements.iter().flat_map(|agreement| [(agreement, 0), (agreement, 1)]);
        both.map(|(agreement, side)| self.route(agreement, side, endpoints)).collect()
    }

    fn route(&self, agreement: &Agreement, side: usize, endpoints: &mut Vec<Endpoint>) -> Result<Route, Refused> {
        let terms = match self.kind {
            Kind::Ping => agreement.signal(side, "Ping"),
            Kind::Message => {
                let action = self.wanted.action.as_deref().unwrap_or_default();
                let found = agreement.message(side, self.wanted.service.as_deref(), action);
                found.map_err(|why| refused("ebms::action-not-agreed", "action", agreement, &why))?
            }
        };
        let (asks, is_signed) = match self.kind {
            Kind::Ping => (Asks { is_synchronous: terms.channel.is_synchronous, ..Asks::default() }, false),
            Kind::Message => self.message(agreement, &terms, side)?,
        };
        let signer = self.wanted.signer.as_ref().filter(|_| is_signed);
        self.own_certificate(signer, agreement, terms.from.signing(terms.channel))?;
        let signing = signer.map(|signer| signer.algorithms(terms.from.signing(terms.channel))).transpose();
        let signing = signing.map_err(|why| refused("ebms::algorithm", "sign", agreement, &why))?;
        let url = self.url(agreement, &terms)?;
        let content_ids: Vec<String> = self.wanted.payload.iter().map(|part| part.id.clone()).collect();
        let form = Form { agreement: &agreement.id, terms, signal: "Ping", asks, payload: &content_ids };
        let is_reliable = asks.acknowledgment.is_some();
        let has_address = self.settings.node.get("reply_at").is_some()
            || agreement.signal(1 - side, "MessageError").receiving.endpoint.is_some();
        Ok(Route {
            head: self.head(&url, !self.wanted.payload.is_empty()),
            back: self.back(agreement, &terms, side, endpoints)?,
            endpoint: endpoint(url, self.tls, self.settings.idle, endpoints),
            frame: Frame::new(&form),
            asks,
            signing,
            receipt: (asks.acknowledgment == Some(true)).then(|| {
                let acknowledging = agreement.signal(1 - side, "Acknowledgment");
                acknowledging.from.signing(acknowledging.channel).clone()
            }),
            answer: self.answer(agreement, &terms, side),
            service: terms.action.map(|(action, _)| action.service.name.clone()).unwrap_or_default(),
            may_be_refused_later: !asks.is_synchronous && has_address,
            retries: if is_reliable { terms.channel.retries } else { 0 },
            interval: terms.channel.interval,
            patience: terms.patience(),
        })
    }

    /// With a certificate that is not the agreed one the other side would refuse each message.
    fn own_certificate(&self, signer: Option<&Signer>, agreement: &Agreement, agreed: &Signing) -> Result<(), Refused> {
        match (signer, &agreed.certificate) {
            (Some(signer), Some(agreed)) if !signer.bears(agreed) => {
                let why = "it names another certificate for what the lab signs (`SigningCertificateRef`): give that one \
                           with its key in `sign`, or put yours into the agreement";
                Err(refused("ebms::other-certificate", "sign", agreement, why))
            }
            _ => Ok(()),
        }
    }

    /// What a business message asks for, and whether it is signed.
    fn message(&self, agreement: &Agreement, terms: &Terms<'_>, side: usize) -> Result<(Asks, bool), Refused> {
        let against = |why: String| Err(refused("ebms::against-agreement", "profile", agreement, &why));
        let channel = terms.channel;
        if terms.is_encrypted() {
            return Err(refused(
                "ebms::encrypted",
                "cpa",
                agreement,
                "it has messages encrypted, which is out of scope",
            ));
        }
        if channel.is_multi_hop || channel.is_ordered {
            let what = if channel.is_ordered { "keeps messages in order" } else { "goes over nodes in between" };
            return Err(refused(
                "ebms::not-spoken",
                "cpa",
                agreement,
                &format!("channel `{}` {what}, which is out of scope", channel.id),
            ));
        }
        let is_signed = match self.wanted.profile {
            Some(profile) => {
                for (what, asked) in
                    [("acknowledgments", channel.acknowledgment), ("duplicate elimination", channel.no_duplicates)]
                {
                    let wrong = match (asked, profile.is_reliable) {
                        (Requested::Never, true) => "never",
                        (Requested::Always, false) => "always",
                        _ => continue,
                    };
                    return against(format!("it has {what} `{wrong}`, and the profile is `{}`", profile.name));
                }
                if profile.is_signed != terms.is_signed() {
                    let word = if profile.is_signed { "no signature" } else { "a signature" };
                    return against(format!("it has {word} for this action, and the profile is `{}`", profile.name));
                }
                profile.is_signed
            }
            None => terms.is_signed(),
        };
        if is_signed && !self.wanted.has_sign {
            let why = "it has messages signed, and the study does not say with what: add `sign: { certificate, key }`";
            return Err(refused("ebms::no-key", "profile", agreement, why));
        }
        if let Some(answer) = &self.wanted.reply {
            let service = terms.action.map(|(action, _)| action.service.name.as_str());
            if let Err(why) = agreement.message(1 - side, service, answer) {
                return Err(refused("ebms::action-not-agreed", "reply", agreement, &format!("`reply`: {why}")));
            }
        }
        Ok((Asks::of(terms, self.wanted.profile.is_some_and(|profile| profile.is_reliable)), is_signed))
    }

    /// What holds for the business answer, if there is to be one.
    fn answering<'a>(&self, agreement: &'a Agreement, terms: &Terms<'_>, side: usize) -> Option<Terms<'a>> {
        let service = terms.action.map(|(action, _)| action.service.name.as_str());
        agreement.message(1 - side, service, self.wanted.reply.as_deref()?).ok()
    }

    /// How the business answer is acknowledged, unless the agreement has it never ask for that.
    fn back(
        &self,
        agreement: &Agreement,
        terms: &Terms<'_>,
        side: usize,
        endpoints: &mut Vec<Endpoint>,
    ) -> Result<Option<Back>, Refused> {
        let answering = self.answering(agreement, terms, side);
        let Some(answering) = answering.filter(|it| it.channel.acknowledgment != Requested::Never) else {
            return Ok(None);
        };
        let asks = Asks::of(&answering, false);
        if asks.acknowledgment == Some(true) && !self.wanted.has_sign {
            let why = "it has answers ask for signed acknowledgments, and the study does not say with what: add `sign: { \
                       certificate, key }`";
            return Err(refused("ebms::no-key", "reply", agreement, why));
        }
        let terms = agreement.signal(side, "Acknowledgment");
        let signer = self.wanted.signer.as_ref();
        self.own_certificate(
            signer.filter(|_| asks.acknowledgment == Some(true)),
            agreement,
            terms.from.signing(terms.channel),
        )?;
        let signing = signer.map(|signer| signer.algorithms(terms.from.signing(terms.channel)));
        let url = self.url(agreement, &terms)?;
        let form =
            Form { agreement: &agreement.id, terms, signal: "Acknowledgment", asks: Asks::default(), payload: &[] };
        Ok(Some(Back {
            head: self.head(&url, false),
            endpoint: endpoint(url, self.tls, self.settings.idle, endpoints),
            frame: Frame::new(&form),
            from: terms.from.ids.clone(),
            // An agreement whose algorithms this key cannot do has plain ones at most.
            signing: signing.and_then(Result::ok),
        }))
    }

    /// Who signs the business answer, if the agreement has it signed.
    fn answer(&self, agreement: &Agreement, terms: &Terms<'_>, side: usize) -> Option<Signing> {
        let answering = self.answering(agreement, terms, side)?;
        answering.is_signed().then(|| answering.from.signing(answering.channel).clone())
    }

    fn url(&self, agreement: &Agreement, terms: &Terms<'_>) -> Result<Url, Refused> {
        if let Some(url) = &self.to {
            return Ok(url.clone());
        }
        let Some(endpoint) = &terms.receiving.endpoint else {
            return Err(refused(
                "ebms::no-endpoint",
                "to",
                agreement,
                "it does not say where the other party listens: add `to`",
            ));
        };
        Url::read(&Template::fixed(endpoint.as_bytes()), Place::default())
            .map_err(|mistake| refused("ebms::no-endpoint", "to", agreement, &mistake.message))
    }

    /// The request up to the value of its length.
    fn head(&self, url: &Url, has_parts: bool) -> Vec<u8> {
        let path = String::from_utf8_lossy(url.target.as_fixed().unwrap_or(b"/")).into_owned();
        let content_type =
            if has_parts { mime::content_type(self.boundary) } else { "text/xml; charset=UTF-8".to_owned() };
        let close = if self.settings.reuse { "" } else { "Connection: close\r\n" };
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: loadproof/{}\r\nSOAPAction: \"ebXML\"\r\nContent-Type: \
             {content_type}\r\n{close}Content-Length: ",
            url.authority,
            env!("CARGO_PKG_VERSION")
        )
        .into_bytes()
    }
}

fn refused(code: &'static str, key: &'static str, agreement: &Agreement, why: &str) -> Refused {
    Refused { code, key, why: format!("agreement `{}` ({}): {why}", agreement.id, agreement.file) }
}

fn endpoint(url: Url, tls: &TlsSettings, idle: Option<Nanos>, endpoints: &mut Vec<Endpoint>) -> usize {
    let endpoint = Endpoint { host: url.host, port: url.port, tls: url.is_tls.then(|| tls.clone()), idle };
    endpoints.iter().position(|known| *known == endpoint).unwrap_or_else(|| {
        endpoints.push(endpoint);
        endpoints.len() - 1
    })
}

/// The routes that the study uses, as far as its texts and its data sets tell beforehand; what they ask for and no
/// agreement allows is a mistake.
pub(super) fn used(
    agreements: &[Agreement],
    by_id: &HashMap<Vec<u8>, usize>,
    routes: &[Result<Route, Refused>],
    texts: &Texts<'_>,
    settings: &Node,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<usize> {
    let Texts { cpa, from, party, .. } = texts;
    let rows = rows(&[Some(cpa), Some(from), party.as_ref()], context);
    let mut used = BTreeSet::new();
    let (mut named, mut left, mut last) = (0, 0u64, "ebms::unknown-agreement");
    for row in 0..rows {
        let text = |compiled: &Compiled<'_>| value(&compiled.0, row, context);
        let mut wrong = |code: &'static str, node: &Node, what: String, label: Option<String>| {
            named += 1;
            if named > ROWS_NAMED {
                (left, last) = (left + 1, code);
                return;
            }
            let what = if rows > 1 { format!("row {}: {what}", row + 1) } else { what };
            let mistake = Mistake::at(node.place, code, what);
            mistakes.push(match label {
                Some(label) => mistake.label(label),
                None => mistake,
            });
        };
        let Some(id) = text(cpa) else { continue };
        let shown = String::from_utf8_lossy(&id).into_owned();
        let Some(&index) = by_id.get(&id) else {
            let known = agreements.iter().map(|agreement| agreement.id.as_str());
            let label = contract::suggestion(&shown, known).map(|near| format!("did you mean `{near}`?"));
            wrong("ebms::unknown-agreement", cpa.1, format!("there is no agreement `{shown}`"), label);
            continue;
        };
        let Some(id) = text(from) else { continue };
        let Some(side) = agreements[index].side_of(&id) else {
            wrong("ebms::not-a-party", from.1, not_a_party(&agreements[index], &id), None);
            continue;
        };
        if let Some(party) = party
            && let Some(id) = text(party)
            && agreements[index].side_of(&id) != Some(1 - side)
        {
            let what = if agreements[index].side_of(&id) == Some(side) {
                format!("`{}` is both `from` and `party`", String::from_utf8_lossy(&id))
            } else {
                not_a_party(&agreements[index], &id)
            };
            wrong("ebms::not-a-party", party.1, what, None);
            continue;
        }
        let route = Exchange::route_index(index, side);
        match &routes[route] {
            Ok(_) => _ = used.insert(route),
            Err(Refused { code, key, why }) => wrong(code, settings.get(key).unwrap_or(cpa.1), why.clone(), None),
        }
    }
    if left > 0 {
        mistakes.push(Mistake::at(cpa.1.place, last, format!("{left} more rows do not fit their agreements")));
    }
    used.into_iter().collect()
}

pub(crate) fn not_a_party(agreement: &Agreement, id: &[u8]) -> String {
    let known: Vec<_> = agreement.parties.iter().map(|party| format!("`{}`", party.ids[0].value)).collect();
    let (id, cpa) = (String::from_utf8_lossy(id), &agreement.id);
    format!("`{id}` is not a party to agreement `{cpa}`; its parties are {}", known.join(" and "))
}

/// How many rows there are to look at: one where all texts are fixed.
fn rows(all: &[Option<&Compiled<'_>>], context: &BuildContext<'_>) -> usize {
    let mut rows = 1;
    for (template, _) in all.iter().flatten() {
        for piece in &template.pieces {
            if let Piece::Column { table, .. } = piece {
                rows = rows.max(context.table(*table).map_or(0, contract::Table::len));
            }
        }
    }
    rows.min(ROWS_MAX)
}

/// What a text is in that row, if data sets alone decide it.
fn value(template: &Template, row: usize, context: &BuildContext<'_>) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for piece in &template.pieces {
        match piece {
            Piece::Fixed(bytes) => text.extend_from_slice(bytes),
            Piece::Column { table, column } => {
                let table = context.table(*table).filter(|table| !table.is_empty())?;
                text.extend_from_slice(&table.cell(row % table.len(), *column));
            }
            _ => return None,
        }
    }
    Some(text)
}
