//! A small part of CQL, the Contextual Query Language (Library of Congress, version 1.2): comparisons for equality,
//! `and`, `or`, `not`, parentheses. A query becomes a condition with places for values, never text from the client.

use crate::store::{Dialect, Value};

/// A condition in SQL with anonymous places, and the values for them in order.
#[derive(Debug, PartialEq)]
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

/// Longest query.
const QUERY_MAX: usize = 4096;
/// Deepest parentheses; each is a call on the stack here and in SQLite.
const DEPTH_MAX: usize = 20;
/// Most comparisons; SQLite's own bound on the depth of conditions is 1000.
const COMPARISONS_MAX: usize = 100;

/// Indexes that can be asked for.
const INDEXES: &[&str] = &["id", "instanceId", "hrid", "permanentLocationId"];

/// Column of an index, and a place for its value.
fn column(index: &str, dialect: Dialect) -> (String, &'static str) {
    match index {
        "id" => ("id".to_owned(), dialect.uuid()),
        "instanceId" => ("instanceid".to_owned(), dialect.uuid()),
        field => (format!("({})", dialect.field(field)), "?"),
    }
}

/// Reads a query; the error says what is wrong and what is possible.
pub(super) fn condition(query: &str, dialect: Dialect) -> Result<Condition, String> {
    if query.len() > QUERY_MAX {
        return Err(format!("the query is longer than {QUERY_MAX} bytes"));
    }
    let mut reader = Reader { dialect, words: words(query)?, next: 0, comparisons: 0, values: Vec::new() };
    let sql = reader.any(0)?;
    match reader.peek() {
        None => Ok(Condition { sql, values: reader.values }),
        Some(word) => Err(format!("`{}` is not expected; after a comparison come `and`, `or`, `not`", word.text)),
    }
}

#[derive(Debug, PartialEq)]
struct Word {
    text: String,
    is_quoted: bool,
}

impl Word {
    fn is(&self, text: &str) -> bool {
        !self.is_quoted && self.text.eq_ignore_ascii_case(text)
    }

    fn is_symbol(&self) -> bool {
        !self.is_quoted && self.text.starts_with(['(', ')', '=', '<', '>'])
    }
}

/// Cuts a query into words, quoted words and symbols.
fn words(query: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let (text, is_quoted, length) = match first {
            '"' => {
                let (text, length) = quoted(rest)?;
                (text, true, length)
            }
            '(' | ')' => (first.to_string(), false, 1),
            '=' | '<' | '>' => {
                let length = rest.find(|c| !matches!(c, '=' | '<' | '>')).unwrap_or(rest.len());
                (rest[..length].to_owned(), false, length)
            }
            _ => {
                let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '(' | ')' | '=' | '<' | '>');
                let length = rest.find(is_end).unwrap_or(rest.len());
                (rest[..length].to_owned(), false, length)
            }
        };
        words.push(Word { text, is_quoted });
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

/// The text between quotes, with `\` before a character that is meant as it stands; and its length with both quotes.
fn quoted(rest: &str) -> Result<(String, usize), String> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((place, c)) = characters.next() {
        match c {
            '"' => return Ok((text, place + 1)),
            '\\' => text.extend(characters.next().map(|(_, c)| c)),
            _ => text.push(c),
        }
    }
    Err("a quotation mark is not closed".to_owned())
}

struct Reader {
    dialect: Dialect,
    words: Vec<Word>,
    next: usize,
    comparisons: usize,
    values: Vec<Value>,
}

impl Reader {
    fn peek(&self) -> Option<&Word> {
        self.words.get(self.next)
    }

    /// Comparisons joined from left to right; in CQL `and`, `or` and `not` bind equally.
    fn any(&mut self, depth: usize) -> Result<String, String> {
        let mut sql = self.one(depth)?;
        loop {
            let joint = match self.peek() {
                Some(word) if word.is("and") => "AND",
                Some(word) if word.is("or") => "OR",
                Some(word) if word.is("not") => "AND NOT",
                _ => return Ok(sql),
            };
            self.next += 1;
            sql = format!("({sql} {joint} {})", self.one(depth)?);
        }
    }

    fn one(&mut self, depth: usize) -> Result<String, String> {
        match self.peek() {
            None => Err(format!("a comparison is missing; {}", possible())),
            Some(word) if word.is("(") => {
                if depth >= DEPTH_MAX {
                    return Err(format!("parentheses are deeper than {DEPTH_MAX}"));
                }
                self.next += 1;
                let sql = self.any(depth + 1)?;
                if !self.peek().is_some_and(|word| word.is(")")) {
                    return Err("a parenthesis is not closed".to_owned());
                }
                self.next += 1;
                Ok(sql)
            }
            Some(_) => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Result<String, String> {
        self.comparisons += 1;
        if self.comparisons > COMPARISONS_MAX {
            return Err(format!("there are more than {COMPARISONS_MAX} comparisons"));
        }
        let [index, relation, value] = self.words.get(self.next..self.next + 3).ok_or_else(possible)? else {
            return Err(possible());
        };
        if !relation.is_symbol() || !matches!(relation.text.as_str(), "=" | "==") {
            return Err(format!("`{}` is not a relation; possible are `==` and `=`", relation.text));
        }
        if value.is_symbol() || value.text.is_empty() {
            return Err(format!("a value for `{}` is missing", index.text));
        }
        self.next += 3;
        if index.is("cql.allRecords") && value.text == "1" {
            return Ok("TRUE".to_owned());
        }
        let known = INDEXES.iter().find(|name| index.is(name));
        let known = known.ok_or_else(|| format!("unknown index `{}`; {}", index.text, possible()))?;
        let (column, place) = column(known, self.dialect);
        let is_id = index.text.to_ascii_lowercase().ends_with("id") && !index.is("hrid");
        if is_id && !crate::data::is_uuid(&value.text) {
            return Err(format!("`{}` is not a UUID", value.text));
        }
        let text = if is_id { value.text.to_ascii_lowercase() } else { value.text.clone() };
        self.values.push(Value::Text(text));
        Ok(format!("{column} = {place}"))
    }
}

fn possible() -> String {
    let names: Vec<String> = INDEXES.iter().map(|name| format!("`{name}==VALUE`")).collect();
    format!("possible are {} and `cql.allRecords=1`", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: &str = "2b94c631-fca9-4892-a730-03ee529ffe2a";
    const B: &str = "e3ff6133-b9a2-4d4c-a1c9-dc1867d4df19";

    fn read(query: &str) -> (String, Vec<String>) {
        let condition = condition(query, Dialect::Sqlite).unwrap();
        let text = |value| if let Value::Text(text) = value { text } else { panic!("{value:?}") };
        (condition.sql, condition.values.into_iter().map(text).collect())
    }

    #[test]
    fn the_queries_of_the_study_are_read() {
        let expected = ("instanceid = ?".to_owned(), vec![A.to_owned()]);
        for query in [
            format!("instanceId=={A}"),
            format!(" instanceId == \"{A}\" "),
            format!("INSTANCEID={}", A.to_uppercase()),
            format!("({{instanceId}}=={A})").replace(['{', '}'], ""),
        ] {
            assert_eq!(read(&query), expected, "{query}");
        }
    }

    #[test]
    fn comparisons_join_from_left_to_right() {
        let (sql, values) = read(&format!("instanceId=={A} or instanceId=={B} and hrid==\"ho 1\\\"\""));
        assert_eq!(sql, "((instanceid = ? OR instanceid = ?) AND (json_extract(jsonb, '$.hrid')) = ?)");
        assert_eq!(values, [A, B, "ho 1\""]);
        let (sql, _) = read(&format!("cql.allRecords=1 not (id=={A} or id=={B})"));
        assert_eq!(sql, "(TRUE AND NOT (id = ? OR id = ?))");
        let server = condition(&format!("id=={A} or hrid==x"), Dialect::Postgres).unwrap();
        assert_eq!(server.sql, "(id = ?::text::uuid OR (jsonb->>'hrid') = ?)");
    }

    #[test]
    fn what_cannot_be_read_says_what_can() {
        let error = |query: &str| condition(query, Dialect::Sqlite).unwrap_err();
        assert_eq!(
            error("title==x"),
            "unknown index `title`; possible are `id==VALUE`, `instanceId==VALUE`, `hrid==VALUE`, \
             `permanentLocationId==VALUE` and `cql.allRecords=1`"
        );
        assert!(error("").starts_with("a comparison is missing; possible are"));
        assert_eq!(error("instanceId==x"), "`x` is not a UUID");
        assert_eq!(error("hrid<>x"), "`<>` is not a relation; possible are `==` and `=`");
        assert_eq!(error("hrid==)"), "a value for `hrid` is missing");
        assert_eq!(error("hrid==\"x"), "a quotation mark is not closed");
        assert_eq!(error("(hrid==x"), "a parenthesis is not closed");
        assert!(error("hrid==x y").starts_with("`y` is not expected"));
        assert!(error("instanceId").starts_with("possible are"));
        assert_eq!(error(&"(".repeat(100)), "parentheses are deeper than 20");
        assert_eq!(error(&format!("hrid==x{}", " or hrid==x".repeat(100))), "there are more than 100 comparisons");
        assert_eq!(error(&"x".repeat(4097)), "the query is longer than 4096 bytes");
    }

    proptest! {
        #[test]
        fn no_query_makes_it_panic(query in "[a-zI=<>()\"\\\\ é]{0,60}") {
            let _ = condition(&query, Dialect::Postgres);
        }

        #[test]
        fn a_value_never_becomes_sql(value in "[a-z'; -]{1,30}") {
            let condition = condition(&format!("hrid==\"{value}\""), Dialect::Sqlite).unwrap();
            prop_assert_eq!(condition.sql, "(json_extract(jsonb, '$.hrid')) = ?");
            prop_assert_eq!(condition.values, vec![Value::Text(value)]);
        }
    }
}
