//! What was found, as JSON.

use crate::Audit;
use crate::finding::Quote;
use serde_json::{Value, json};

/// The findings with their places, for programs: `loadproof/audit/1`.
pub fn json(file: &str, audit: &Audit) -> Value {
    let quote = |quote: &Quote| json!({ "line": quote.place.line, "page": quote.place.page, "section": quote.place.section, "text": quote.text });
    let findings: Vec<Value> = audit
        .findings
        .iter()
        .map(|finding| {
            json!({
                "code": finding.code, "weight": finding.weight.word(), "says": finding.says, "arithmetic": finding.arithmetic,
                "remedy": finding.remedy, "quotes": finding.quotes.iter().map(quote).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "schema": "loadproof/audit/1", "file": file, "findings": findings, "paragraphs": audit.paragraphs,
        "tables": audit.tables, "left_out": audit.left_out,
    })
}
