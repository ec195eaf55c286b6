//! Names of files and anchors: what is called otherwise has another name, and each says what it is of.

use super::{Block, Section, Table};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Characters of a name from outside that are part of another.
const SLUG_CHARS: usize = 40;
/// Characters of a file's name: our own words and a few names from outside fit, so that none is cut but by design.
const FILE_CHARS: usize = 120;
/// Digits of a hash that stand in for what was cut.
const HASH_CHARS: usize = 6;

/// A name from outside as part of an anchor or a file's name: letters, digits and `-`, bounded. Where letters are lost, a
/// part of its hash tells it from others that begin alike.
pub fn slug(name: &str) -> String {
    within(name, SLUG_CHARS)
}

fn within(name: &str, most: usize) -> String {
    let mut slug = String::new();
    let mut is_whole = true;
    for c in name.chars() {
        // A letter of another script has no place in a file's name.
        is_whole &= c.is_ascii() || !c.is_alphanumeric();
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    if slug.len() > most {
        slug.truncate(most - HASH_CHARS - 1);
        is_whole = false;
    }
    let slug = slug.trim_end_matches('-');
    let slug = if slug.is_empty() { "x" } else { slug };
    if is_whole {
        return slug.to_owned();
    }
    let hash: String = Sha256::digest(name.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{slug}-{}", &hash[..HASH_CHARS])
}

/// Gives every table the name of its file, and every figure that of its numbers; no two of a document have the same.
pub(crate) fn name_files(sections: &mut [Section]) {
    fn walk(section: &mut Section, taken: &mut BTreeSet<String>) {
        for block in &mut section.blocks {
            match block.inner_mut() {
                Block::Table(table) => take(table, taken),
                Block::Data(table) => take(table, taken),
                Block::Figure(figure) => {
                    take(&mut figure.data, taken);
                    figure.anchor.clone_from(&figure.data.name);
                }
                _ => {}
            }
        }
        section.parts.iter_mut().for_each(|part| walk(part, taken));
    }
    let mut taken = BTreeSet::new();
    sections.iter_mut().for_each(|section| walk(section, &mut taken));
}

fn take(table: &mut Table, taken: &mut BTreeSet<String>) {
    let base = within(&table.name, FILE_CHARS);
    table.name.clone_from(&base);
    let mut number = 2;
    while !taken.insert(table.name.clone()) {
        table.name = format!("{base}-{number}");
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_stay_apart_and_short_ones_as_they_are() {
        assert_eq!(slug("process.cpu_busy"), "process-cpu-busy");
        assert_eq!((slug(""), slug("--")), ("x".to_owned(), "x".to_owned()));
        let long = "a_name_that_is_much_longer_than_forty_characters_";
        let (first, second) = (slug(&format!("{long}one")), slug(&format!("{long}two")));
        assert!(first != second && first.len() == SLUG_CHARS, "{first} {second}");
        assert!(first.starts_with("a-name-that-is-much-longer-than-f"), "{first}");
        // Letters of other scripts are not written, and not forgotten.
        assert_ne!(slug("größe"), slug("gräße"));
        assert_ne!(slug("速度"), slug("時間"));
    }

    #[test]
    fn no_two_files_of_a_document_have_one_name() {
        let table = |name: &str| Block::Table(Table { name: name.into(), ..Table::default() });
        let mut section = Section::new("a", "A");
        section.blocks = vec![table("runs"), table("runs"), table("runs-2")];
        section.parts.push(Section { blocks: vec![table(&"x".repeat(500))], ..Section::new("b", "B") });
        let mut sections = [section];
        name_files(&mut sections);
        let names: Vec<&str> =
            super::super::tables_of(&sections).into_iter().map(|table| table.name.as_str()).collect();
        assert_eq!(&names[..3], ["runs", "runs-2", "runs-2-2"]);
        assert_eq!(names[3].len(), FILE_CHARS);
    }
}
