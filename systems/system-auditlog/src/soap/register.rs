//! A call that registers: entries in, how many were taken out.

use system_common::xml::Element;

use super::moment::{read as read_moment, written};
use super::read::is_id;
use super::write::pieces;
use super::{Fault, Linking, REGISTRATION, envelope};
use crate::registration::Registration;
use crate::store::Row;

/// Most registrations of one call.
const REGISTRATIONS_MAX: usize = 1000;
/// Longest id of a registration.
const ID_MAX: usize = 64;

/// Elements of a registration in the order of the table's columns, with the most characters that the table takes.
const PARTS: [(&str, usize); 9] = [
    ("regKode", 20),
    ("cprNrBorger", 10),
    ("bruger", 20),
    ("ansvarlig", 20),
    ("brugerOrganisation", 20),
    ("system", 25),
    ("handling", 75),
    ("sessionsId", 20),
    ("tidspunkt", 40),
];
/// What an organisation's number can be, in `NameFormat`.
const FORMATS: [&str; 6] = ["ynumber", "pnumber", "skscode", "cvrnumber", "communalnumber", "sor"];

/// Reads all registrations of the element in the body; none is taken if one cannot be.
///
/// # Errors
/// The fault to answer with.
pub(crate) fn registrations(element: &Element) -> Result<Vec<Registration>, Fault> {
    if !element.is(REGISTRATION, "RegisterRequest") {
        let shown: String = element.name.chars().take(64).collect();
        return Err(Fault::syntax(format!(
            "there is no operation `{shown}`; possible is `RegisterRequest` of `{REGISTRATION}`"
        )));
    }
    let count = element.children.len();
    if !(1..=REGISTRATIONS_MAX).contains(&count) {
        return Err(Fault::syntax(format!(
            "a call has 1 to {REGISTRATIONS_MAX} registrations, and this one has {count}"
        )));
    }
    let all = element.children.iter().enumerate();
    all.map(|(place, child)| {
        registration(child).map_err(|why| Fault::syntax(format!("registration {}: {why}", place + 1)))
    })
    .collect()
}

fn registration(element: &Element) -> Result<Registration, String> {
    if !element.is(REGISTRATION, "Registration") {
        return Err("this is not a `Registration`".to_owned());
    }
    let id = element.attribute("", "id").unwrap_or_default();
    if id.is_empty() || id.len() > ID_MAX || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("its `id` must have 1 to {ID_MAX} visible characters"));
    }
    let mut row = Row::default();
    for child in &element.children {
        let part = PARTS.iter().position(|(name, _)| child.is(REGISTRATION, name));
        let Some((part, place)) = part.and_then(|part| Some((part, row.get_mut(part)?))) else {
            let shown: String = child.name.chars().take(64).collect();
            return Err(format!("`{shown}` is not expected here"));
        };
        let (name, most) = PARTS[part];
        if !place.is_empty() {
            return Err(format!("`{name}` is there twice"));
        }
        *place = value(child, name)?;
        if place.is_empty() || place.chars().count() > most {
            return Err(format!("`{name}` must have 1 to {most} characters"));
        }
    }
    match PARTS.iter().zip(&row).find(|(_, value)| value.is_empty()) {
        Some(((name, _), _)) => Err(format!("`{name}` is missing")),
        None => Ok(Registration { id: id.to_owned(), row }),
    }
}

/// What a part says, as the table has it.
fn value(child: &Element, name: &str) -> Result<String, String> {
    let text = child.text();
    match name {
        "cprNrBorger" | "bruger" if !is_id(text) => {
            Err(format!("`{name}` is not ten digits that begin with a day and a month"))
        }
        "brugerOrganisation" => {
            let format = child.attribute("", "NameFormat").and_then(|format| format.strip_prefix("medcom:"));
            let format = format.filter(|format| FORMATS.contains(format));
            let format = format.ok_or_else(|| format!("`NameFormat` can be `medcom:` and one of {FORMATS:?}"))?;
            // The colon parts what the table has in one column.
            if text.is_empty() || text.contains(':') {
                return Err(format!("`{name}` is not a number of an organisation"));
            }
            Ok(format!("{format}:{text}"))
        }
        "tidspunkt" => {
            let moment = read_moment(text).ok_or_else(|| format!("`{name}` is not a moment with its zone"))?;
            Ok(written(moment))
        }
        _ => Ok(text.to_owned()),
    }
}

/// The answer: how many were taken, and how many of them had the id of an earlier one in the call.
pub(crate) fn registered(linking: &Linking<'_>, accepted: usize, repeated: usize) -> String {
    envelope(Some(linking), 200, |out| {
        let (accepted, repeated) = (accepted.to_string(), repeated.to_string());
        pieces(out, &["<RegisterResponse xmlns=\"", REGISTRATION, "\" accepted=\"", &accepted]);
        pieces(out, &["\" repeated=\"", &repeated, "\"/>"]);
    })
}

#[cfg(test)]
mod tests {
    use system_common::xml;

    use super::*;

    const WHOLE: &str = "<regKode>Opslag</regKode><cprNrBorger>0101000001</cprNrBorger><bruger>0101500001</bruger>\
        <ansvarlig>00001</ansvarlig><brugerOrganisation NameFormat=\"medcom:cvrnumber\">12345678</brugerOrganisation>\
        <system>FMK</system><handling>Hent medicinkort</handling><sessionsId>s1</sessionsId>\
        <tidspunkt>2026-10-31T13:34:56+01:00</tidspunkt>";

    fn read(inner: &str) -> Result<Vec<Registration>, Fault> {
        let text = format!("<RegisterRequest xmlns=\"{REGISTRATION}\">{inner}</RegisterRequest>");
        registrations(&xml::read(text.as_bytes()).unwrap())
    }

    fn one(inner: &str) -> String {
        format!("<Registration id=\"a\">{inner}</Registration>")
    }

    #[test]
    fn a_registration_is_read_as_the_table_has_it() {
        let all = read(&[one(WHOLE), one(WHOLE).replace("\"a\"", "\"b\"")].concat()).unwrap();
        assert_eq!((all.len(), all[1].id.as_str()), (2, "b"));
        let row = [
            "Opslag",
            "0101000001",
            "0101500001",
            "00001",
            "cvrnumber:12345678",
            "FMK",
            "Hent medicinkort",
            "s1",
            "2026-10-31 12:34:56",
        ];
        assert_eq!(all[0].row, row.map(str::to_owned));
    }

    #[test]
    fn one_that_cannot_be_is_named_by_its_place() {
        let without = |part: &str| one(WHOLE).replacen(part, "", 1);
        for (inner, word) in [
            (String::new(), "1 to 1000 registrations, and this one has 0"),
            ("<x/>".to_owned(), "registration 1: this is not a `Registration`"),
            ([one(WHOLE), one("")].concat(), "registration 2: `regKode` is missing"),
            (one(WHOLE).replace("id=\"a\"", ""), "its `id` must have"),
            (one(WHOLE).replace("\"a\"", "\"å\""), "its `id` must have"),
            (without("<system>FMK</system>"), "`system` is missing"),
            (one(&WHOLE.replace("FMK", &"x".repeat(26))), "`system` must have 1 to 25"),
            (one(&WHOLE.replace("0101000001", "3201000001")), "`cprNrBorger` is not ten digits"),
            (one(&WHOLE.replace("medcom:cvrnumber", "cvrnumber")), "`NameFormat` can be"),
            (one(&WHOLE.replace("+01:00", "")), "`tidspunkt` is not a moment"),
            (one(&[WHOLE, "<system>FMK</system>"].concat()), "`system` is there twice"),
            (one(&[WHOLE, "<more/>"].concat()), "`more` is not expected here"),
        ] {
            let fault = read(&inner).unwrap_err();
            assert!(fault.text.contains(word), "{inner}: {fault:?}");
            assert_eq!(fault.medcom, "syntax_error");
        }
        let other = xml::read(b"<x xmlns='urn:y'/>").unwrap();
        assert!(registrations(&other).unwrap_err().text.contains("no operation `x`"));
    }
}
