//! Bibliographic records in MARC 21, in both forms that a store keeps: MARC-in-JSON, and ISO 2709 as it was imported.
//!
//! Sources: MARC 21 Format for Bibliographic Data (leader, tags, indicators), ISO 2709 as the MARC 21 Specifications for
//! Record Structure describe it, and the MARC-in-JSON layout (leader, list of fields, subfields as a list).

use std::fmt::Write;

use super::catalogue::{Catalogue, Instance, Kind};
use super::draws::Draws;
use super::holding::created;

/// One source record of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) id: String,
    /// The import that brought it.
    pub(crate) snapshot_id: String,
    /// MARC-in-JSON, [`JSON_BYTES_MIN`] to [`JSON_BYTES_MAX`] bytes.
    pub(crate) json: String,
    /// ISO 2709, in UTF-8.
    pub(crate) raw: String,
    /// When it was stored.
    pub(crate) created: String,
    /// Its title, field 245 without its codes.
    pub(crate) title: String,
}

/// Shortest record as JSON.
pub(crate) const JSON_BYTES_MIN: usize = 1000;
/// Longest record as JSON.
pub(crate) const JSON_BYTES_MAX: usize = 5000;
/// Instances that one import brought.
const SNAPSHOT_SIZE: u64 = 1000;
/// What draws about records are keyed with.
const PURPOSE: u64 = 0x4D41_5243;

/// A control field has text only; a data field has two indicators and subfields.
enum Field {
    Control(&'static str, String),
    Data(&'static str, &'static str, Vec<(char, String)>),
}

impl Catalogue {
    /// The source record of an instance.
    ///
    /// Its length is drawn as 1000 + 4000 u^2 bytes, u uniform: catalogues hold many short records and few long ones.
    /// The mean is 2333 bytes.
    pub(crate) fn record(&self, instance: &Instance) -> Record {
        let mut draws = Draws::new(self.key(PURPOSE), instance.number);
        let length = JSON_BYTES_MIN + ((JSON_BYTES_MAX - JSON_BYTES_MIN) as f64 * draws.share().powi(2)) as usize;
        let id = self.uuid(Kind::Record, instance.number);
        let fields = fields(instance, &id, length, &mut draws);
        let (leader, raw) = iso_2709(&fields);
        let json = marc_in_json(&leader, &fields, length);
        Record {
            id,
            snapshot_id: self.uuid(Kind::Snapshot, instance.number / SNAPSHOT_SIZE),
            json,
            raw,
            created: created(instance.number),
            title: title(&fields),
        }
    }
}

/// The subfields of field 245, joined.
fn title(fields: &[Field]) -> String {
    let subfields = fields.iter().find_map(|field| match field {
        Field::Data("245", _, subfields) => Some(subfields),
        _ => None,
    });
    let texts: Vec<&str> = subfields.into_iter().flatten().map(|(_, text)| text.as_str()).collect();
    texts.join(" ")
}

/// Bytes of the JSON form around the fields: `{"leader":"…","fields":[` with 24 characters of leader, and `]}`.
const FRAME_BYTES: usize = r#"{"leader":"","fields":["#.len() + 24 + "]}".len();

/// Fields that fill the JSON form to exactly `length` bytes.
fn fields(instance: &Instance, id: &str, length: usize, draws: &mut Draws) -> Vec<Field> {
    let mut fields = head_fields(instance, draws);
    let last = Field::Data("999", "ff", vec![('i', instance.uuid.clone()), ('s', id.to_owned())]);
    let size = |field: &Field| json_bytes(field) + 1; // and the comma before the next one
    let mut left = length - FRAME_BYTES + 1 - size(&last) - fields.iter().map(size).sum::<usize>();
    // None of these is larger than 300 bytes, so at least 100 are left for the last note, which needs about 60 and a text.
    while left > 400 {
        let field = body_field(draws);
        left -= size(&field);
        fields.push(field);
    }
    let empty = Field::Data("500", "  ", vec![('a', String::new())]);
    let text = draws.text_of(left - size(&empty));
    fields.push(Field::Data("500", "  ", vec![('a', text)]));
    fields.push(last);
    fields
}

const SURNAMES: &[&str] = &[
    "Andersen",
    "Bergström",
    "Claessens",
    "Dubois",
    "Eriksen",
    "Fernández",
    "García",
    "Håkansson",
    "Jansen",
    "Kowalski",
    "Lindqvist",
    "Müller",
    "Nguyen",
    "Østergaard",
    "Petrović",
    "Quist",
    "Rasmussen",
    "Sørensen",
    "Tanaka",
    "Verhoeven",
];
const GIVEN: &[&str] = &["Anna", "Björn", "Clara", "Daniël", "Elena", "Freja", "Georg", "Hanna", "Inès", "Jørgen"];
const PLACES: &[&str] = &["Aarhus", "Utrecht", "Leuven", "Lund", "Bergen", "Graz", "Porto", "Gdańsk"];

fn name(draws: &mut Draws) -> String {
    format!("{}, {}", draws.one_of(SURNAMES), draws.one_of(GIVEN))
}

/// What every record has.
fn head_fields(instance: &Instance, draws: &mut Draws) -> Vec<Field> {
    let year = 1900 + draws.below(124);
    let publisher = format!("{} Press", draws.words(1));
    vec![
        Field::Control("001", instance.hrid.clone()),
        Field::Control("005", "20230101000000.0".to_owned()),
        Field::Control("008", format!("230101s{year}    xx a   b    001 0 eng d")),
        Field::Data("100", "1 ", vec![('a', name(draws))]),
        Field::Data("245", "10", vec![('a', draws.words(4)), ('b', draws.words(3))]),
        Field::Data(
            "264",
            " 1",
            vec![('a', draws.one_of(PLACES).to_owned()), ('b', publisher), ('c', year.to_string())],
        ),
        Field::Data("300", "  ", vec![('a', format!("{} pages", 60 + draws.below(900))), ('c', "24 cm".to_owned())]),
    ]
}

/// What a record may have, any number of times.
fn body_field(draws: &mut Draws) -> Field {
    match draws.below(5) {
        0 => Field::Data("650", " 0", vec![('a', draws.words(2)), ('x', draws.words(1)), ('z', draws.words(1))]),
        1 => Field::Data("700", "1 ", vec![('a', name(draws)), ('e', "editor".to_owned())]),
        2 => Field::Data("505", "0 ", vec![('a', draws.words(14))]),
        3 => Field::Data("520", "  ", vec![('a', draws.words(18))]),
        _ => Field::Data("500", "  ", vec![('a', draws.words(9))]),
    }
}

/// Bytes of one field in the JSON form; must agree with [`write_json`].
fn json_bytes(field: &Field) -> usize {
    match field {
        Field::Control(_, text) => r#"{"001":""}"#.len() + text.len(),
        Field::Data(_, _, subfields) => {
            let texts: usize = subfields.iter().map(|(_, text)| r#"{"a":""}"#.len() + text.len()).sum();
            r#"{"100":{"ind1":" ","ind2":" ","subfields":[]}}"#.len() + texts + subfields.len().saturating_sub(1)
        }
    }
}

fn marc_in_json(leader: &str, fields: &[Field], length: usize) -> String {
    let mut json = String::with_capacity(length);
    let _ = write!(json, r#"{{"leader":"{leader}","fields":["#);
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            json.push(',');
        }
        write_json(field, &mut json);
    }
    json.push_str("]}");
    debug_assert_eq!(json.len(), length, "the length of a record is planned");
    json
}

/// Texts are words of ours without quotes, backslashes or control characters: nothing has to be escaped.
fn write_json(field: &Field, json: &mut String) {
    // Writing to a string cannot fail.
    let _ = match field {
        Field::Control(tag, text) => write!(json, r#"{{"{tag}":"{text}"}}"#),
        Field::Data(tag, indicators, subfields) => {
            let (first, second) = indicators.split_at(1);
            let _ = write!(json, r#"{{"{tag}":{{"ind1":"{first}","ind2":"{second}","subfields":["#);
            for (number, (code, text)) in subfields.iter().enumerate() {
                let comma = if number > 0 { "," } else { "" };
                let _ = write!(json, r#"{comma}{{"{code}":"{text}"}}"#);
            }
            write!(json, "]}}}}")
        }
    };
}

const SUBFIELD: char = '\u{1f}';
const FIELD_END: char = '\u{1e}';
const RECORD_END: char = '\u{1d}';
const LEADER_BYTES: usize = 24;

/// The leader, and the whole record: leader, directory (tag, length, start of each field), fields.
fn iso_2709(fields: &[Field]) -> (String, String) {
    let mut directory = String::with_capacity(fields.len() * 12);
    let mut texts = String::with_capacity(4096);
    for field in fields {
        let start = texts.len();
        let tag = match field {
            Field::Control(tag, text) => {
                texts.push_str(text);
                tag
            }
            Field::Data(tag, indicators, subfields) => {
                texts.push_str(indicators);
                for (code, text) in subfields {
                    texts.push(SUBFIELD);
                    texts.push(*code);
                    texts.push_str(text);
                }
                tag
            }
        };
        texts.push(FIELD_END);
        let _ = write!(directory, "{tag}{:04}{start:05}", texts.len() - start);
    }
    let base = LEADER_BYTES + directory.len() + 1;
    let length = base + texts.len() + 1;
    let leader = format!("{length:05}cam a22{base:05} i 4500");
    let raw = format!("{leader}{directory}{FIELD_END}{texts}{RECORD_END}");
    (leader, raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn records_are_one_to_five_thousand_bytes_and_mostly_short() {
        let catalogue = Catalogue::new(1);
        let lengths: Vec<usize> =
            (0..5000).map(|number| catalogue.record(&catalogue.instance(number)).json.len()).collect();
        assert!(lengths.iter().all(|length| (JSON_BYTES_MIN..=JSON_BYTES_MAX).contains(length)));
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        // E[u^2] = 1/3, sd(u^2) = sqrt(4/45): 2333 bytes, standard error of 5000 records 16.9; five of them.
        assert!((mean - 2333.3).abs() < 85.0, "{mean}");
        assert!(lengths.iter().any(|length| *length > 4800) && lengths.iter().any(|length| *length < 1050));
    }

    /// Cuts an ISO 2709 record apart by its own directory.
    fn cut(raw: &str) -> Vec<(String, String)> {
        assert_eq!(raw[..5].parse::<usize>().unwrap(), raw.len(), "record length in the leader");
        let base: usize = raw[12..17].parse().unwrap();
        let directory = raw[LEADER_BYTES..base].strip_suffix(FIELD_END).unwrap();
        let entry = |entry: &[u8]| {
            let entry = std::str::from_utf8(entry).unwrap();
            let (length, start): (usize, usize) = (entry[3..7].parse().unwrap(), entry[7..].parse().unwrap());
            let text = raw[base + start..base + start + length].strip_suffix(FIELD_END).unwrap();
            (entry[..3].to_owned(), text.to_owned())
        };
        directory.as_bytes().chunks(12).map(entry).collect()
    }

    fn both_forms_agree(record: &Record) {
        let json: Value = serde_json::from_str(&record.json).unwrap();
        let raw = cut(&record.raw);
        assert_eq!(json["leader"], record.raw[..LEADER_BYTES]);
        let fields = json["fields"].as_array().unwrap();
        assert_eq!(fields.len(), raw.len());
        for (field, (tag, text)) in fields.iter().zip(&raw) {
            let content = &field[tag];
            let expected = match content.as_str() {
                Some(control) => control.to_owned(),
                None => {
                    let indicators = [&content["ind1"], &content["ind2"]].map(|i| i.as_str().unwrap()).concat();
                    let subfields = content["subfields"].as_array().unwrap().iter().map(|subfield| {
                        let (code, text) = subfield.as_object().unwrap().iter().next().unwrap();
                        format!("{SUBFIELD}{code}{}", text.as_str().unwrap())
                    });
                    indicators + &subfields.collect::<String>()
                }
            };
            assert_eq!(&expected, text, "field {tag}");
        }
    }

    proptest! {
        #[test]
        fn every_record_is_well_formed_in_both_forms(seed in any::<u64>(), number in 0u64..10_000_000) {
            let catalogue = Catalogue::new(seed);
            let instance = catalogue.instance(number);
            let record = catalogue.record(&instance);
            both_forms_agree(&record);
            prop_assert!((JSON_BYTES_MIN..=JSON_BYTES_MAX).contains(&record.json.len()));
            prop_assert!(record.json.contains(&instance.uuid) && record.json.contains(&instance.hrid));
            prop_assert_eq!(&catalogue.record(&instance).json, &record.json);
        }
    }
}
