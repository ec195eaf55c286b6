//! Envelopes that go out.

use system_common::xml::escape;

use super::{MEDCOM, MINLOG, Question, SOAP};
use crate::store::{By, Found, Row};

/// Ids of an answer: its flow, itself, and what it answers.
pub(crate) struct Linking<'a> {
    pub(crate) flow: &'a str,
    pub(crate) message: &'a str,
    pub(crate) in_response_to: &'a str,
}

/// Bytes of an envelope around its body, and of an entry, about.
const AROUND: usize = 1024;
const ENTRY: usize = 640;

/// A whole answer: the header of Den Gode Webservice, and the body that `body` writes.
pub(crate) fn envelope(linking: Option<&Linking<'_>>, body_bytes: usize, body: impl FnOnce(&mut String)) -> String {
    let mut out = String::with_capacity(AROUND + body_bytes);
    pieces(&mut out, &["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"", SOAP, "\">"]);
    if let Some(linking) = linking {
        pieces(&mut out, &["<soap:Header><medcom:Header xmlns:medcom=\"", MEDCOM, "\"><medcom:Linking>"]);
        element(&mut out, "medcom:FlowID", linking.flow);
        element(&mut out, "medcom:MessageID", linking.message);
        element(&mut out, "medcom:InResponseToMessageID", linking.in_response_to);
        out.push_str("</medcom:Linking>");
        // The spelling is that of the standard.
        element(&mut out, "medcom:FlowStatus", "flow_finalized_succesfully");
        out.push_str("</medcom:Header></soap:Header>");
    }
    out.push_str("<soap:Body>");
    body(&mut out);
    out.push_str("</soap:Body></soap:Envelope>\n");
    out
}

/// The answer to a lookup.
pub(crate) fn list(linking: &Linking<'_>, question: &Question, found: &Found) -> String {
    envelope(Some(linking), found.entries.len() * ENTRY, |out| {
        let (name, attribute) = match question.query.by {
            By::Citizen => ("ListLogStatementsResponse", "cprNrBorger"),
            By::Helper => ("ListLogStatementsOnBehalfOfResponse", "medhjaelperID"),
        };
        let (total, page) = (found.total.to_string(), question.page.to_string());
        pieces(out, &["<", name, " xmlns=\"", MINLOG, "\" ", attribute, "=\""]);
        escape(&question.query.id, out);
        pieces(out, &["\" antal=\"", &total, "\" side=\"", &page, "\">"]);
        found.entries.iter().for_each(|row| entry(out, row));
        pieces(out, &["</", name, ">"]);
    })
}

fn entry(out: &mut String, row: &Row) {
    let [code, citizen, user, responsible, organisation, system, action, session, moment] = row;
    out.push_str("<LogEntry>");
    element(out, "regKode", code);
    element(out, "cprNrBorger", citizen);
    element(out, "bruger", user);
    element(out, "ansvarlig", responsible);
    let (kind, number) = organisation.split_once(':').unwrap_or(("", organisation));
    out.push_str("<brugerOrganisation NameFormat=\"medcom:");
    escape(kind, out);
    out.push_str("\">");
    escape(number, out);
    out.push_str("</brugerOrganisation>");
    element(out, "system", system);
    element(out, "handling", action);
    element(out, "sessionsId", session);
    out.push_str("<tidspunkt>");
    let (date, time) = moment.split_once(' ').unwrap_or((moment, ""));
    escape(date, out);
    out.push('T');
    escape(time, out);
    out.push_str("Z</tidspunkt></LogEntry>");
}

fn element(out: &mut String, name: &str, text: &str) {
    pieces(out, &["<", name, ">"]);
    escape(text, out);
    pieces(out, &["</", name, ">"]);
}

pub(super) fn pieces(out: &mut String, pieces: &[&str]) {
    pieces.iter().for_each(|piece| out.push_str(piece));
}

#[cfg(test)]
mod tests {
    use system_common::xml;

    use super::*;
    use crate::soap::{Envelope, question};

    #[test]
    fn an_answer_says_all_of_an_entry_and_escapes_it() {
        let asked = format!(
            "<s:Envelope xmlns:s=\"{SOAP}\"><s:Body><ListLogStatementsRequest xmlns=\"{MINLOG}\"><cprNR>0101000001</cprNR>\
             </ListLogStatementsRequest></s:Body></s:Envelope>"
        );
        let question = question(Envelope::read(asked.as_bytes()).unwrap().body().unwrap()).unwrap();
        let row = ["a", "0101000001", "<u>", "r", "cvrnumber:12", "s&t", "h", "i", "2026-10-31 12:34:56"];
        let found = Found { total: 41, entries: vec![row.map(str::to_owned)] };
        let linking = Linking { flow: "f&", message: "m", in_response_to: "q" };
        let text = list(&linking, &question, &found);
        let root = xml::read(text.as_bytes()).unwrap();
        let list = root.child(SOAP, "Body").unwrap().child(MINLOG, "ListLogStatementsResponse").unwrap();
        let attributes = ["cprNrBorger", "antal", "side"].map(|name| list.attribute("", name).unwrap());
        assert_eq!(attributes, ["0101000001", "41", "1"]);
        let entry = list.child(MINLOG, "LogEntry").unwrap();
        let texts: Vec<&str> = entry.children.iter().map(|child| child.text()).collect();
        assert_eq!(texts, ["a", "0101000001", "<u>", "r", "12", "s&t", "h", "i", "2026-10-31T12:34:56Z"]);
        let organisation = entry.child(MINLOG, "brugerOrganisation").unwrap();
        assert_eq!(organisation.attribute("", "NameFormat"), Some("medcom:cvrnumber"));
        let header = root.child(SOAP, "Header").unwrap().child(MEDCOM, "Header").unwrap();
        assert_eq!(header.child(MEDCOM, "Linking").unwrap().child(MEDCOM, "FlowID").unwrap().text(), "f&");
    }
}
