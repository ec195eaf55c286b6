//! YAML text to a tree of [`Node`]s with places: YAML 1.2, every scalar stays text.
//!
//! Hostile input is bounded: bytes, depth, and the number of nodes with all aliases expanded.

use contract::{Mistake, Mistakes, Node, Place, Shape};
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::collections::{HashMap, HashSet};

/// A file larger than this is a mistake, not a study.
pub(crate) const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Lists and maps within each other; the checker walks the tree by recursion.
const DEPTH_MAX: usize = 64;
/// Nodes with all aliases expanded; a few kilobytes of nested aliases would otherwise fill the memory.
const NODES_MAX: usize = 500_000;
/// Lines before an unreadable one that are searched for a tab that explains it.
const TAB_LINES: usize = 3;
/// Beyond this column the length of a mark is not made exact.
const COLUMN_MAX: u32 = 2000;

/// Reads one document. What is wrong goes to `mistakes`; a syntax error ends the reading.
pub(crate) fn parse(file: u16, text: &str, mistakes: &mut Mistakes) -> Option<Node> {
    let mut builder = Builder { file, lines: text.lines().collect(), ..Builder::default() };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => {
                if let Err(mistake) = builder.take(event, span, mistakes) {
                    mistakes.push(*mistake);
                    return None;
                }
            }
            Err(error) => {
                let mark = error.marker();
                let place = Place { file, line: number(mark.line().max(1)), column: number(mark.col() + 1), length: 1 };
                mistakes.push(builder.unreadable(place, error.info()));
                return None;
            }
        }
    }
    if builder.root.is_none() {
        mistakes.push(
            Mistake::at(
                Place { file, line: 1, column: 1, length: 1 },
                "study::yaml",
                "the file is empty: it contains no study",
            )
            .hint("`loadproof new` writes a small study to start from"),
        );
    }
    builder.root
}

#[derive(Default)]
struct Builder<'a> {
    file: u16,
    lines: Vec<&'a str>,
    stack: Vec<Frame>,
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    root: Option<Node>,
}

struct Frame {
    place: Place,
    anchor: usize,
    nodes_before: usize,
    inside: Inside,
}

enum Inside {
    List(Vec<Node>),
    Map { entries: Vec<(Node, Node)>, key: Option<(Node, bool)>, seen: HashSet<String> },
}

type Stop = Box<Mistake>;

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: Span, mistakes: &mut Mistakes) -> Result<(), Stop> {
        let place = self.place(span);
        match event {
            Event::DocumentStart(_) if self.root.is_some() => Err(Box::new(
                Mistake::at(place, "study::yaml", "the file contains a second document")
                    .label("write one study in a file; leave out the `---`"),
            )),
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let tagged = tag.as_ref().is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                if tag.is_some() && !tagged {
                    mistakes.push(tag_mistake(place));
                }
                let place = if plain { plain_place(place, &text, span) } else { self.quoted_place(place) };
                let shape = Shape::Text { text: text.into_owned(), quoted: !plain || tagged };
                self.count(1, place)?;
                self.put(Node { place, shape }, anchor, 1, mistakes)
            }
            Event::SequenceStart(anchor, tag) => {
                tag.is_some().then(|| mistakes.push(tag_mistake(place)));
                self.open(place, anchor, Inside::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                tag.is_some().then(|| mistakes.push(tag_mistake(place)));
                self.open(place, anchor, Inside::Map { entries: Vec::new(), key: None, seen: HashSet::new() })
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(mistakes),
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
                    return Err(Box::new(
                        Mistake::at(place, "study::yaml", "this alias is inside its own anchor")
                            .label("a part cannot contain itself"),
                    ));
                };
                self.count(size, place)?;
                self.put(node, 0, size, mistakes)
            }
            _ => Ok(()),
        }
    }

    fn unreadable(&self, place: Place, why: &str) -> Mistake {
        if why.contains("recursion limit") {
            return too_deep(place);
        }
        self.tab_near(place, why.contains("tab")).unwrap_or_else(|| {
            Mistake::at(place, "study::yaml", format!("this is not YAML: {why}"))
                .hint("texts with `: `, ` #`, or `?`, `[`, `,` inside `{ }` need quotes: \"…\"")
        })
    }

    /// The mistake of a tab among the spaces at the beginning of the line that cannot be read, or of one just before
    /// it: where the tab stands, the reader of YAML notices it only later. Of a tab within a text it names the line on
    /// which the text begins, so that the tab stands on the next.
    fn tab_near(&self, place: Place, is_tab: bool) -> Option<Mistake> {
        let last = (place.line as usize + usize::from(is_tab)).min(self.lines.len());
        (last.saturating_sub(TAB_LINES)..last).find_map(|index| {
            let line = self.lines[index];
            let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            let spaces = indent.find('\t').filter(|_| indent.len() < line.len())?;
            let tabs = indent[spaces..].chars().take_while(|c| *c == '\t').count();
            let place = Place { line: number(index + 1), column: number(spaces + 1), length: number(tabs), ..place };
            Some(
                Mistake::at(place, "study::yaml", "this is not YAML: the line is indented with a tab")
                    .label("write spaces instead, two for each level")
                    .hint(
                        "YAML is indented with spaces only; `expand -t 2 FILE` prints a file with its tabs as spaces",
                    ),
            )
        })
    }

    fn place(&self, span: Span) -> Place {
        let (line, column) = (span.start.line().max(1), span.start.col() + 1);
        let length =
            if span.start.line() == span.end.line() { span.end.col().saturating_sub(span.start.col()) } else { 1 };
        Place { file: self.file, line: number(line), column: number(column), length: number(length.max(1)) }
    }

    /// The span of a quoted scalar runs on over the white space behind it.
    fn quoted_place(&self, place: Place) -> Place {
        // Counting along a line of megabytes for each scalar in it would take for ever.
        if place.column > COLUMN_MAX {
            return place;
        }
        let line = self.lines.get(place.line as usize - 1).copied().unwrap_or_default();
        let marked = line.chars().skip(place.column as usize - 1).take(place.length as usize).collect::<String>();
        Place { length: number(marked.trim_end().chars().count().max(1)), ..place }
    }

    fn count(&mut self, nodes: usize, place: Place) -> Result<(), Stop> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= NODES_MAX {
            return Ok(());
        }
        Err(Box::new(Mistake::at(
            place,
            "study::too-large",
            format!("the study has more than {NODES_MAX} parts, aliases written out"),
        )))
    }

    fn open(&mut self, place: Place, anchor: usize, inside: Inside) -> Result<(), Stop> {
        if self.stack.len() >= DEPTH_MAX {
            return Err(Box::new(too_deep(place)));
        }
        let nodes_before = self.nodes;
        self.count(1, place)?;
        // Only the opening bracket is marked; the whole map may span the file.
        self.stack.push(Frame { place: Place { length: 1, ..place }, anchor, nodes_before, inside });
        Ok(())
    }

    fn close(&mut self, mistakes: &mut Mistakes) -> Result<(), Stop> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let shape = match frame.inside {
            Inside::List(members) => Shape::List(members),
            Inside::Map { entries, .. } => Shape::Map(entries),
        };
        self.put(Node { place: frame.place, shape }, frame.anchor, self.nodes - frame.nodes_before, mistakes)
    }

    fn put(&mut self, node: Node, anchor: usize, size: usize, mistakes: &mut Mistakes) -> Result<(), Stop> {
        if anchor != 0 {
            // The copy that later aliases take counts too.
            self.count(size, node.place)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut frame.inside {
            Inside::List(members) => members.push(node),
            Inside::Map { entries, key, seen } => match key.take() {
                None => {
                    let Some(name) = node.text() else {
                        return Err(Box::new(
                            Mistake::at(node.place, "study::yaml", format!("a key is {}, not a text", node.what()))
                                .hint("a value that begins with `{` or `[` and is meant as text needs quotes"),
                        ));
                    };
                    let is_first = seen.insert(name.to_owned());
                    if !is_first {
                        mistakes.push(
                            Mistake::at(node.place, "study::duplicate-key", format!("the key `{name}` is given twice"))
                                .label("remove one of the two"),
                        );
                    }
                    *key = Some((node, is_first));
                }
                Some((key, true)) => entries.push((key, node)),
                Some((_, false)) => {}
            },
        }
        Ok(())
    }
}

/// A plain scalar's span may run on over white space; its text says how long it is.
fn plain_place(place: Place, text: &str, span: Span) -> Place {
    if span.start.line() == span.end.line() || !text.contains('\n') {
        let length = if span.start.line() == span.end.line() { text.chars().count() } else { place.length as usize };
        return Place { length: number(length.max(1)), ..place };
    }
    place
}

fn too_deep(place: Place) -> Mistake {
    Mistake::at(place, "study::too-large", format!("lists and maps are nested more than {DEPTH_MAX} deep"))
}

fn tag_mistake(place: Place) -> Mistake {
    Mistake::at(place, "study::yaml", "YAML tags other than `!!str` are not used here").label("remove the tag")
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
