//! The search for words in titles, over the full-text index of the store.

use serde_json::json;

use super::{Page, Refusal};
use crate::store::{Dialect, Session, Value};

/// What can be asked for.
pub(super) const POSSIBLE: &str = "possible is `query=title all \"WORDS\"`, one to ten words of letters and digits";

/// Most words of a query.
const WORDS_MAX: usize = 10;
/// Longest word.
const WORD_BYTES_MAX: usize = 40;

/// The words of `title all "…"`; `keyword` is another name of `title`.
pub(super) fn words(query: &str) -> Result<Vec<String>, Refusal> {
    let bad = |why: &str| Refusal::bad(format!("`query` {why}; {POSSIBLE}"));
    let (index, rest) = query.trim().split_once(char::is_whitespace).ok_or_else(|| bad("is not whole"))?;
    if !["title", "keyword"].iter().any(|known| index.eq_ignore_ascii_case(known)) {
        return Err(bad("asks for an unknown index"));
    }
    let (relation, text) = rest.trim_start().split_once(char::is_whitespace).ok_or_else(|| bad("is not whole"))?;
    if !relation.eq_ignore_ascii_case("all") {
        return Err(bad("has an unknown relation"));
    }
    let text = text.trim();
    let text = text.strip_prefix('"').map_or(Some(text), |text| text.strip_suffix('"'));
    let text = text.ok_or_else(|| bad("has a quotation mark that is not closed"))?;
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    // Plain words mean the same to both kinds of index.
    let is_plain =
        |word: &String| word.len() <= WORD_BYTES_MAX && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match words.len() {
        1..=WORDS_MAX if words.iter().all(is_plain) => Ok(words),
        _ => Err(bad("has other words than can be searched for")),
    }
}

/// The body of the answer, and the rows that were read for it.
pub(super) fn select(
    session: &mut Session,
    tenant: &str,
    words: &[String],
    page: Page,
) -> Result<(String, u64), Refusal> {
    let dialect = session.dialect();
    let (records, id) = (dialect.table(tenant, "records"), dialect.text("r.instance_id"));
    let (condition, text) = match dialect {
        Dialect::Sqlite => {
            let titles = dialect.table(tenant, "titles");
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            (format!("r.rowid IN (SELECT rowid FROM {titles} WHERE {titles} MATCH ?)"), quoted.join(" "))
        }
        // The configuration `simple` has no stop words and cuts no endings, as the other index does not.
        Dialect::Postgres => {
            ("to_tsvector('simple', r.title) @@ plainto_tsquery('simple', ?::text)".to_owned(), words.join(" "))
        }
    };
    let mut values = vec![Value::Text(text)];
    let total = session.whole(&format!("SELECT count(*) FROM {records} r WHERE {condition}"), &values)?;
    let sql = format!(
        "SELECT {id}, r.instance_hrid, r.title FROM {records} r WHERE {condition}
         ORDER BY r.instance_hrid LIMIT ? OFFSET ?"
    );
    values.extend([Value::Whole(page.limit as i64), Value::Whole(page.offset as i64)]);
    let mut instances = Vec::new();
    session.each(&sql, &values, |row| {
        instances.push(json!({ "id": row.text(0)?, "hrid": row.text(1)?, "title": row.text(2)? }));
        Ok(())
    })?;
    let rows = 1 + instances.len() as u64;
    Ok((json!({ "instances": instances, "totalRecords": total }).to_string(), rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_words_are_read_and_nothing_else() {
        assert_eq!(words("title all \"Balance canal\"").unwrap(), ["balance", "canal"]);
        assert_eq!(words(" KEYWORD  ALL art ").unwrap(), ["art"]);
        for query in [
            "",
            "title",
            "title all",
            "title all \"\"",
            "title all \"x",
            "title any x",
            "author all x",
            "title all \"a-b\"",
            "title all \"x* OR y\"",
            "title all \"a b c d e f g h i j k\"",
        ] {
            let refusal = words(query).unwrap_err();
            assert!(refusal.1.ends_with(POSSIBLE), "{query}: {refusal:?}");
        }
    }

    proptest! {
        #[test]
        fn no_query_makes_it_panic(query in "\\PC{0,40}") {
            let _ = words(&query);
            let _ = words(&format!("title all {query}"));
        }
    }
}
