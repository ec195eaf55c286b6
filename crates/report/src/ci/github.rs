//! Notes as the commands that GitHub Actions reads from a step's output.

use super::notes::{Level, Note};
use crate::messages::{Messages, say};

/// GitHub shows so many notes of a level for a step and drops the others.
const SHOWN: usize = 10;

/// A line for each note: `::error file=study.yaml,line=12,title=fast: not met::…`. Of a level that has more than ten, nine
/// and one that names the others.
pub fn github_commands(notes: &[Note], language: &str) -> Vec<String> {
    let m = Messages::of(language);
    let mut lines = Vec::new();
    for level in [Level::Error, Level::Warning, Level::Notice] {
        let of: Vec<&Note> = notes.iter().filter(|note| note.level == level).collect();
        let alone = if of.len() > SHOWN { SHOWN - 1 } else { of.len() };
        lines.extend(of[..alone].iter().map(|note| command(note)));
        if let [first, ..] = &of[alone..] {
            let titles: Vec<&str> = of[alone..].iter().map(|note| note.title.as_str()).collect();
            let more = Note {
                title: say!(m, "build-more", left = titles.len()),
                text: crate::number::bounded(&titles.join("; "), TEXT_CHARS),
                place: None,
                ..(*first).clone()
            };
            lines.push(command(&more));
        }
    }
    lines
}

/// Longest text of the note that stands for others.
const TEXT_CHARS: usize = 2000;

fn command(note: &Note) -> String {
    let word = match note.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "notice",
    };
    let mut properties = Vec::new();
    if let Some(place) = &note.place {
        properties.push(format!("file={},line={}", property(&place.file), place.line));
    }
    properties.push(format!("title={}", property(&note.title)));
    format!("::{word} {}::{}", properties.join(","), data(&note.text))
}

/// The text behind the second `::`, as the toolkit of GitHub Actions escapes it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property: as [`data`], and with what separates properties.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::StudyPlace;

    fn note(level: Level, title: &str, text: &str) -> Note {
        let place = Some(StudyPlace { file: "a,b:c.yaml".into(), line: 7 });
        Note { level, about: "validity".into(), title: title.into(), text: text.into(), place }
    }

    #[test]
    fn no_text_leaves_its_command() {
        let lines = github_commands(&[note(Level::Error, "a: 5%,\n::error::b", "x\r\n::stop-commands::y 100%")], "en");
        let expected = "::error file=a%2Cb%3Ac.yaml,line=7,title=a%3A 5%25%2C%0A%3A%3Aerror%3A%3Ab::\
                        x%0D%0A::stop-commands::y 100%25";
        assert_eq!(lines, [expected]);
    }

    #[test]
    fn ten_of_a_level_are_shown_and_the_tenth_names_the_rest() {
        let all: Vec<Note> = (0..12).map(|number| note(Level::Error, &format!("r{number}"), "x")).collect();
        let lines = github_commands(&all, "en");
        assert_eq!(lines.len(), SHOWN);
        assert!(lines[9].starts_with("::error title=") && lines[9].ends_with("::r9; r10; r11"), "{}", lines[9]);
        assert_eq!(github_commands(&all[..10], "en").len(), 10);
        assert!(github_commands(&all[..10], "en")[9].contains("title=r9"));
        let mut mixed = all;
        mixed.push(note(Level::Warning, "w", "x"));
        assert_eq!(github_commands(&mixed, "en").len(), 11, "each level has its own ten");
    }
}
