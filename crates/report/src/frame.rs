//! What a document on paper has around its chapters: title page, history, running header, and the words between.
//!
//! A page on a screen needs none of it; writers of formal documents (`report-docx`, `report-pdf`) share it, so that
//! they say the same.

use crate::date::in_words;
use crate::input::Context;
use crate::messages::{Messages, say};
use crate::number::clean;
use terms::Verdict;

/// Around the chapters of a document on paper.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// What the study's author stated for the title page, in its order there.
    pub fields: Vec<Field>,
    /// Versions of the document, in the order written.
    pub history: Vec<Version>,
    /// Name and value of what is known of the run: id, begin, end, hashes.
    pub run_facts: Vec<(String, String)>,
    /// Id of the run.
    pub run: String,
    /// Program and version, `loadproof 0.1.0`.
    pub program: String,
    /// Begin of the run, as RFC 3339 has it: the date of the document's properties, since a report has no clock.
    pub measured: String,
    /// Words between the contents.
    pub words: Words,
}

/// A line of the title page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its key in the study: `organisation`.
    pub key: String,
    /// Its name in the language.
    pub name: String,
    /// What was stated.
    pub value: String,
}

/// A version in the history of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Version, `1.1`.
    pub version: String,
    /// Date in words; empty when none was stated.
    pub date: String,
    /// Who wrote it; may be empty.
    pub author: String,
    /// What changed; may be empty.
    pub changes: String,
}

/// Words that writers put between the contents, in the document's language.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// What kind of document this is.
    pub kind: String,
    /// Heading of the contents.
    pub contents: String,
    /// `Figure`.
    pub figure: String,
    /// `Table`.
    pub table: String,
    /// `Observation`.
    pub observation: String,
    /// `Assessment`.
    pub assessment: String,
    /// `Plotted numbers`.
    pub numbers: String,
    /// `Page {page} of {pages}`, the places in braces as here.
    pub page: String,
    /// That only one row of `{stride}` is shown, and all are in `{file}`.
    pub thinned: String,
    /// Heading of the document's history.
    pub history: String,
    /// Headings of its columns: version, date, author, changes.
    pub history_columns: [String; 4],
    /// Heading over what is known of the run.
    pub run: String,
    /// What made the document, and that the same run gives the same bytes.
    pub footer: String,
}

impl Frame {
    /// What was stated under a key of the title page.
    pub fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.key == key).map(|field| field.value.as_str())
    }
}

/// A glyph for a verdict that needs no colour.
pub fn glyph(verdict: Verdict) -> &'static str {
    crate::marks::glyph(verdict)
}

/// A colour of the palette by its name, as `#rrggbb`, for light ground; black where there is none of that name.
pub fn colour(name: &str) -> &'static str {
    crate::palette::light(name)
}

/// A small drawing of a cell with the attributes that a page's style sheet else gives it.
pub fn spark_by_itself(spark: &str) -> String {
    let mut svg = spark.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    for hue in crate::palette::HUES {
        let (name, light) = (hue.name, hue.light);
        let line = format!("fill=\"none\" stroke=\"{light}\" stroke-width=\"2.6\" stroke-linejoin=\"round\"");
        svg = svg.replace(&format!("class=\"k-{name} l\""), &line);
        svg = svg.replace(&format!("class=\"k-{name}\""), &format!("stroke=\"{light}\""));
        svg = svg.replace(&format!("class=\"f-{name}\""), &format!("fill=\"{light}\""));
    }
    svg
}

/// Text from wherever it came, without controls and marks that turn the direction of what follows.
pub fn printable(text: &str) -> String {
    crate::number::bounded(text, usize::MAX)
}

/// The frame of a run's report.
pub(crate) fn frame(cx: &Context<'_>, run_facts: Vec<(String, String)>) -> Frame {
    let head = cx.input.head;
    let language = cx.m.language;
    let settings = cx.input.study.map(|study| &study.report);
    let stated = settings.map(|settings| settings.title_page.as_slice()).unwrap_or_default();
    let field = |(key, text): &(String, study::Text)| {
        let text = text.in_language(language);
        let text = if key == "date" { in_words(text, language) } else { text.to_owned() };
        Field { key: key.clone(), name: say!(cx.m, "title-field", field = key), value: clean(&text) }
    };
    let version = |entry: &study::HistoryEntry| {
        let text = |text: &Option<study::Text>| text.as_ref().map(|text| clean(text.in_language(language)));
        Version {
            version: clean(&entry.version),
            date: clean(&in_words(&entry.date, language)),
            author: text(&entry.author).unwrap_or_default(),
            changes: text(&entry.changes).unwrap_or_default(),
        }
    };
    Frame {
        fields: stated.iter().filter(|(key, _)| key != "title").map(field).collect(),
        history: settings.map(|settings| settings.history.iter().map(version).collect()).unwrap_or_default(),
        run_facts,
        run: clean(&head.id),
        program: clean(&format!("loadproof {}", head.version)),
        measured: clean(&head.started),
        words: words(&cx.m),
    }
}

fn words(m: &Messages) -> Words {
    Words {
        kind: say!(m, "page-brand"),
        contents: say!(m, "page-contents"),
        figure: say!(m, "page-figure"),
        table: say!(m, "page-table"),
        observation: say!(m, "page-observation"),
        assessment: say!(m, "page-assessment"),
        numbers: say!(m, "page-numbers"),
        page: say!(m, "page-of-pages", page = "{page}", pages = "{pages}"),
        thinned: say!(m, "table-thinned", stride = "{stride}", file = "{file}"),
        history: say!(m, "title-field", field = "history"),
        history_columns: [
            say!(m, "history-version"),
            say!(m, "history-date"),
            say!(m, "history-author"),
            say!(m, "history-changes"),
        ],
        run: say!(m, "title-measurement"),
        footer: say!(m, "page-footer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spark_by_itself_has_its_colours() {
        let spark = "<svg class=\"spark\" viewBox=\"0 0 9 9\"><path d=\"M0 0\" class=\"k-blue l\"/></svg>";
        let svg = spark_by_itself(spark);
        assert!(svg.starts_with("<svg xmlns=") && svg.contains("fill=\"none\" stroke=\"#0072b2\""), "{svg}");
    }

    #[test]
    fn places_in_words_stand_in_every_language() {
        for language in crate::LANGUAGES {
            let words = words(&Messages::of(language));
            assert!(words.page.contains("{page}") && words.page.contains("{pages}"), "{}", words.page);
            assert!(words.thinned.contains("{stride}") && words.thinned.contains("{file}"), "{}", words.thinned);
        }
    }
}
