//! The queries: what each engine is asked over a range of rows, and what becomes of it.
//!
//! Each statement is over a view `part` with the rows of the range, counts every row of it once, and gives columns that can
//! be merged: `k` (what is grouped by), `n` (rows), `total`, `low`, `high`. Reals come as texts, which keeps all of their
//! bits, and infinities, through JSON.

use serde_json::{Map, Value as Json, json};

use super::merge::Group;

/// A query over one table.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) name: &'static str,
    pub(crate) table: &'static str,
    /// Columns that it reads.
    pub(crate) columns: &'static [&'static str],
    pub(crate) sql: &'static str,
    /// What is grouped by, as the result calls it; `None` where all rows are one group.
    pub(crate) key: Option<&'static str>,
    /// Which figures the statement gives beside the count.
    pub(crate) gives: Gives,
    answer: Answer,
}

/// Figures of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gives {
    pub(crate) total: bool,
    pub(crate) bounds: bool,
    /// Count and total of all rows of the range, joined to each group.
    pub(crate) whole: bool,
    /// Rows that the query leaves out are the group without a key.
    pub(crate) others: bool,
}

#[derive(Clone, Copy, Debug)]
enum Answer {
    AverageAndBounds,
    Range,
    Average,
    Difference,
    Total,
    Pages,
}

const NOTHING: Gives = Gives { total: false, bounds: false, whole: false, others: false };
const TOTAL: Gives = Gives { total: true, ..NOTHING };

/// Homes in this area are looked at in their peak hours.
const AREA: &str = "Boston";
const HOME: &str = "SMART_HOME";
const ARTICLES: &str = "ARTICLES";

/// All of them.
pub(crate) const QUERIES: &[Query] = &[
    Query {
        name: "metro_power",
        table: HOME,
        columns: &["metro", "power"],
        sql: "SELECT metro AS k, count(*) AS n, CAST(sum(power) AS STRING) AS total, CAST(min(power) AS STRING) AS low, \
              CAST(max(power) AS STRING) AS high FROM part GROUP BY metro",
        key: Some("metro"),
        gives: Gives { bounds: true, ..TOTAL },
        answer: Answer::AverageAndBounds,
    },
    // The rows that do not count are a group as well, so that it shows that every row was read.
    Query {
        name: "house_range",
        table: HOME,
        columns: &["house", "metro", "peak", "power"],
        sql: "SELECT CAST(house AS STRING) AS k, n, CAST(low AS STRING) AS low, CAST(high AS STRING) AS high FROM (SELECT \
              CASE WHEN metro = 'Boston' AND peak THEN house END AS house, count(*) AS n, min(power) AS low, max(power) AS \
              high FROM part GROUP BY 1) AS houses",
        key: Some("house"),
        gives: Gives { bounds: true, others: true, ..NOTHING },
        answer: Answer::Range,
    },
    Query {
        name: "state_power",
        table: HOME,
        columns: &["state", "power"],
        sql: "SELECT state AS k, count(*) AS n, CAST(sum(power) AS STRING) AS total FROM part GROUP BY state",
        key: Some("state"),
        gives: TOTAL,
        answer: Answer::Average,
    },
    // A self join: the rows once by house, and once more as a whole.
    Query {
        name: "house_difference",
        table: HOME,
        columns: &["house", "power"],
        sql: "SELECT CAST(own.house AS STRING) AS k, own.n AS n, CAST(own.total AS STRING) AS total, whole.n AS whole_n, \
              CAST(whole.total AS STRING) AS whole_total FROM (SELECT house, count(*) AS n, sum(power) AS total FROM part \
              GROUP BY house) AS own CROSS JOIN (SELECT count(*) AS n, sum(power) AS total FROM part) AS whole",
        key: Some("house"),
        gives: Gives { whole: true, ..TOTAL },
        answer: Answer::Difference,
    },
    Query {
        name: "article_length",
        table: ARTICLES,
        columns: &["text"],
        sql: "SELECT count(*) AS n, CAST(sum(length(text)) AS STRING) AS total FROM part",
        key: None,
        gives: TOTAL,
        answer: Answer::Average,
    },
    Query {
        name: "article_total",
        table: ARTICLES,
        columns: &["text"],
        sql: "SELECT count(*) AS n, CAST(sum(length(text)) AS STRING) AS total FROM part",
        key: None,
        gives: TOTAL,
        answer: Answer::Total,
    },
    Query {
        name: "page_count",
        table: ARTICLES,
        columns: &["title"],
        sql: "SELECT count(title) AS n FROM part",
        key: None,
        gives: NOTHING,
        answer: Answer::Pages,
    },
    Query {
        name: "contributor_pages",
        table: ARTICLES,
        columns: &["contributor"],
        sql: "SELECT contributor AS k, count(*) AS n FROM part GROUP BY contributor",
        key: Some("contributor"),
        gives: NOTHING,
        answer: Answer::Pages,
    },
];

/// The one of that name.
///
/// # Errors
/// There is none; says which there are.
pub(crate) fn find(name: &str) -> Result<&'static Query, String> {
    QUERIES.iter().find(|query| query.name == name).ok_or_else(|| {
        let names: Vec<&str> = QUERIES.iter().map(|query| query.name).collect();
        let name = name.chars().take(100).collect::<String>();
        format!("the query `{}` does not exist; possible: {}", name.escape_debug(), names.join(", "))
    })
}

/// A real as JSON, where it can be one.
fn real(value: f64) -> Json {
    if value.is_finite() { value.into() } else { value.to_string().into() }
}

impl Query {
    /// What a group comes to; `whole` is count and total of all rows.
    pub(crate) fn answer(&self, key: Option<&str>, group: &Group, whole: (u64, f64)) -> Json {
        let mut row = Map::new();
        if let (Some(name), Some(key)) = (self.key, key) {
            row.insert(name.to_owned(), key.into());
        }
        let mean = group.total / group.rows as f64;
        let figures = match self.answer {
            Answer::AverageAndBounds => json!({
                "rows": group.rows, "average": real(mean), "min": real(group.low), "max": real(group.high),
            }),
            Answer::Range => {
                json!({ "rows": group.rows, "range": real(group.high - group.low), "area": AREA })
            }
            Answer::Average => json!({ "rows": group.rows, "average": real(mean) }),
            Answer::Difference => {
                json!({ "rows": group.rows, "average": real(mean), "difference": real(mean - whole.1 / whole.0 as f64) })
            }
            Answer::Total => json!({ "rows": group.rows, "total": real(group.total) }),
            Answer::Pages => json!({ "pages": group.rows }),
        };
        row.extend(figures.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        Json::Object(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eight_and_one_that_is_unknown_is_told_with_them() {
        assert_eq!(QUERIES.len(), 8);
        assert!(find("page_count").is_ok());
        let message = find("drop table").unwrap_err();
        assert!(message.starts_with("the query `drop table` does not exist; possible: metro_power, "), "{message}");
        assert!(find(&"x".repeat(1_000_000)).unwrap_err().len() < 400);
        let range = find("house_range").unwrap();
        assert!(range.sql.contains(&format!("'{AREA}'")), "the area is the one that the answer names");
    }

    #[test]
    fn answers_follow_from_counts_totals_and_bounds() {
        let group = Group { rows: 4, total: 10.0, low: 1.0, high: 5.5 };
        let answer = |name: &str| find(name).unwrap().answer(Some("7"), &group, (8, 16.0));
        assert_eq!(answer("metro_power"), json!({ "metro": "7", "rows": 4, "average": 2.5, "min": 1.0, "max": 5.5 }));
        assert_eq!(answer("house_range"), json!({ "house": "7", "rows": 4, "range": 4.5, "area": "Boston" }));
        assert_eq!(answer("state_power"), json!({ "state": "7", "rows": 4, "average": 2.5 }));
        assert_eq!(answer("house_difference"), json!({ "house": "7", "rows": 4, "average": 2.5, "difference": 0.5 }));
        assert_eq!(answer("article_length"), json!({ "rows": 4, "average": 2.5 }));
        assert_eq!(answer("article_total"), json!({ "rows": 4, "total": 10.0 }));
        assert_eq!(answer("page_count"), json!({ "pages": 4 }));
        assert_eq!(answer("contributor_pages"), json!({ "contributor": "7", "pages": 4 }));
        assert_eq!(real(f64::NAN), json!("NaN"));
    }
}
