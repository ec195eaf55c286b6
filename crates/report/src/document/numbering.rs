//! Numbers of chapters, figures and tables.

use super::{Block, Section, Table};

/// Figures and tables counted so far.
#[derive(Default)]
struct Counted {
    figures: usize,
    tables: usize,
}

/// Numbers chapters, parts, figures and tables in order: chapters by figures, appendices by letters. The caption of a
/// table then begins with its number, `Table 4. …` in the language's word.
pub fn number_sections(sections: &mut [Section], table_word: &str) {
    let mut counted = Counted::default();
    let (mut chapters, mut appendices) = (0, 0);
    for section in sections {
        let place = if section.is_appendix { &mut appendices } else { &mut chapters };
        *place += 1;
        section.number = if section.is_appendix { letters(*place) } else { place.to_string() };
        number_level(section, 2, table_word, &mut counted);
    }
}

fn number_level(section: &mut Section, level: u8, table_word: &str, counted: &mut Counted) {
    section.level = level;
    // Paper counts as the page does, and has nothing that is folded.
    let numbered = section.blocks.iter_mut().filter(|_| !section.is_folded);
    for block in numbered {
        match block {
            Block::Figure(drawn) => {
                counted.figures += 1;
                drawn.number = counted.figures.to_string();
            }
            Block::Table(table) => {
                counted.tables += 1;
                table.caption = format!("{table_word} {}. {}", counted.tables, table.caption);
            }
            _ => {}
        }
    }
    let number = section.number.clone();
    for (index, part) in section.parts.iter_mut().enumerate() {
        part.number = format!("{number}.{}", index + 1);
        part.is_folded |= section.is_folded;
        number_level(part, (level + 1).min(6), table_word, counted);
    }
}

/// `A`, `B`, … `Z`, `AA`.
pub(crate) fn letters(mut number: usize) -> String {
    let mut text = String::new();
    while number > 0 {
        let digit = (number - 1) % 26;
        text.insert(0, char::from(b'A' + digit as u8));
        number = (number - 1) / 26;
    }
    text
}

impl Table {
    /// The number of the table and what it shows, taken apart: a document with numbered captions counts by itself.
    /// `word` is the language's word for a table. Without a number the whole caption is the second part.
    pub fn caption_parts(&self, word: &str) -> (&str, &str) {
        let rest = self.caption.strip_prefix(word).map(str::trim_start);
        match rest.and_then(|rest| rest.split_once(". ")) {
            Some((number, text)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => (number, text),
            _ => ("", &self.caption),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tables_of;

    #[test]
    fn chapters_have_figures_and_appendices_letters() {
        let mut first = Section::new("a", "first");
        first.parts = vec![Section::new("a-1", "part"), Section::new("a-2", "part")];
        first.parts[0].add(Block::folded(Block::Table(Table { caption: "Raw".into(), ..Table::default() })));
        first.parts[1].add(Block::Table(Table { caption: "Sums".into(), ..Table::default() }));
        let appendix = |name: &str| Section { is_appendix: true, ..Section::new(name, "appendix") };
        let mut sections = vec![first, Section::new("b", "second"), appendix("c"), appendix("d")];
        sections[3].add(Block::Table(Table { caption: "Rows".into(), ..Table::default() }));
        number_sections(&mut sections, "Table");
        let numbers: Vec<_> = sections.iter().map(|section| section.number.as_str()).collect();
        assert_eq!(numbers, ["1", "2", "A", "B"]);
        assert_eq!(sections[0].parts[1].number, "1.2");
        let captions: Vec<_> = tables_of(&sections).iter().map(|table| table.caption.clone()).collect();
        assert_eq!(captions, ["Raw", "Table 1. Sums", "Table 2. Rows"]);
        assert_eq!([letters(1), letters(26), letters(27), letters(703)], ["A", "Z", "AA", "AAA"]);
    }

    #[test]
    fn a_caption_is_taken_apart_only_at_its_own_number() {
        let table = |caption: &str| Table { caption: caption.into(), ..Table::default() };
        assert_eq!(table("Tabel 12. Oordelen. En meer").caption_parts("Tabel"), ("12", "Oordelen. En meer"));
        assert_eq!(table("Table tops. They").caption_parts("Table"), ("", "Table tops. They"));
        assert_eq!(table("Books").caption_parts("Table"), ("", "Books"));
    }
}
