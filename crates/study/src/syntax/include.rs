//! Files: the study and what it includes, merged into one tree.

use crate::model::SourceFile;
use crate::slips;
use crate::syntax::yaml;
use contract::{Mistake, Mistakes, Node, Place, Shape};
use std::path::{Path, PathBuf};

/// Files that one study may consist of.
const FILES_MAX: usize = 64;

/// The files read so far.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) sources: Vec<SourceFile>,
    /// Those being read, outermost first: one that includes an earlier one is a loop.
    open: Vec<PathBuf>,
}

impl Files {
    /// Reads a file with its includes.
    pub(crate) fn read(
        &mut self,
        path: &Path,
        name: &str,
        from: Option<Place>,
        mistakes: &mut Mistakes,
    ) -> Option<Node> {
        let wrong = |text: String| match from {
            Some(place) => Mistake::at(place, "study::unreadable-file", text),
            None => Mistake::nowhere("study::unreadable-file", text),
        };
        let text = match contract::read_text_file(path, yaml::FILE_BYTES_MAX) {
            Ok(text) => text,
            Err(why) => {
                mistakes.push(wrong(format!("the file `{name}` {why}")));
                return None;
            }
        };
        let base = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if self.open.contains(&identity) {
            mistakes.push(
                Mistake {
                    place: from,
                    ..Mistake::nowhere(
                        "study::include-loop",
                        format!("`{name}` includes itself, directly or indirectly"),
                    )
                }
                .label("remove one of the includes"),
            );
            return None;
        }
        self.open.push(identity);
        let node = self.read_text(name, &text, &base, mistakes);
        self.open.pop();
        node
    }

    /// Reads another file that the study names, without includes; mistakes in it have their places.
    pub(crate) fn read_other(&mut self, path: &Path, name: &str, from: Place, mistakes: &mut Mistakes) -> Option<Node> {
        match contract::read_text_file(path, yaml::FILE_BYTES_MAX) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
                let number = self.sources.len() as u16;
                let node = yaml::parse(number, &text, mistakes);
                self.sources.push(SourceFile { name: name.to_owned(), text });
                node
            }
            Err(why) => {
                mistakes.push(Mistake::at(from, "study::unreadable-file", format!("the file `{name}` {why}")));
                None
            }
        }
    }

    /// Reads another file that the study names and that is not YAML. Returns its number with its text.
    pub(crate) fn read_text_beside(
        &mut self,
        path: &Path,
        name: &str,
        from: Place,
        most: u64,
        mistakes: &mut Mistakes,
    ) -> Option<(u16, String)> {
        match contract::read_text_file(path, most) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
                Some((self.add(name.to_owned(), text.clone()), text))
            }
            Err(why) => {
                mistakes.push(Mistake::at(from, "study::unreadable-file", format!("the file `{name}` {why}")));
                None
            }
        }
    }

    /// Adds a text in which mistakes may have places. Returns its number.
    pub(crate) fn add(&mut self, name: String, text: String) -> u16 {
        let number = self.sources.len() as u16;
        self.sources.push(SourceFile { name, text });
        number
    }

    /// Reads a text with its includes, which are looked up in `base`.
    pub(crate) fn read_text(&mut self, name: &str, text: &str, base: &Path, mistakes: &mut Mistakes) -> Option<Node> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let number = self.sources.len() as u16;
        self.sources.push(SourceFile { name: name.to_owned(), text: text.to_owned() });
        let mut node = yaml::parse(number, text, mistakes)?;
        if node.map().is_none() {
            mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("the study is {}, not a map", node.what()))
                    .hint("a study begins with `study: TITLE`; `loadproof new` writes a small one"),
            );
            return None;
        }
        slips::correct(&mut node, mistakes);
        let Some(includes) = node.get("include").filter(|node| !node.is_missing()) else { return Some(node) };
        let mut merged = None;
        for member in crate::syntax::read::members(includes) {
            let Some(file) = mistakes.keep(member.as_text("an included file")) else { continue };
            if self.sources.len() >= FILES_MAX {
                mistakes.push(
                    Mistake::at(member.place, "study::too-large", format!("a study has at most {FILES_MAX} files"))
                        .label("this one is too many"),
                );
                break;
            }
            let Some(other) = self.read(&base.join(file), file, Some(member.place), mistakes) else { continue };
            merged = Some(match merged {
                Some(earlier) => merge(earlier, other),
                None => other,
            });
        }
        let own = without_include(node);
        Some(match merged {
            Some(earlier) => merge(earlier, own),
            None => own,
        })
    }
}

fn without_include(mut node: Node) -> Node {
    if let Shape::Map(entries) = &mut node.shape {
        entries.retain(|(key, _)| key.text() != Some("include"));
    }
    node
}

/// Maps merge by name; anything else is replaced by the later one.
fn merge(earlier: Node, later: Node) -> Node {
    match (earlier.shape, later.shape) {
        (Shape::Map(mut entries), Shape::Map(more)) => {
            for (key, value) in more {
                match entries.iter_mut().find(|(known, _)| known.text() == key.text()) {
                    Some(entry) => {
                        let old = std::mem::replace(&mut entry.1, Node::text_at(value.place, ""));
                        *entry = (key, merge(old, value));
                    }
                    None => entries.push((key, value)),
                }
            }
            Node { place: later.place, shape: Shape::Map(entries) }
        }
        (_, shape) => Node { place: later.place, shape },
    }
}
