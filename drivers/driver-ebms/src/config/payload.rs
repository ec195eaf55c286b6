//! `payload`: what goes along with the envelope.

use crate::exchange::{Content, Payload};
use crate::mime;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Template};

/// Parts of one message; one place is the envelope's.
const PARTS_MAX: usize = 99;
/// All of it is held in memory, on every load thread.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Reads a list of parts.
pub(super) fn read(
    node: &Node,
    boundary: &str,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<Payload> {
    let Some(parts) = node.list() else {
        let what = format!("`payload` is {}, not a list", node.what());
        mistakes.push(Mistake::at(node.place, "study::wrong-type", what).label("write `[ { file: order.xml } ]`"));
        return Vec::new();
    };
    if parts.len() > PARTS_MAX {
        let what = format!("`payload` has {} parts; at most {PARTS_MAX} are possible", parts.len());
        mistakes.push(Mistake::at(node.place, "ebms::bad-payload", what));
        return Vec::new();
    }
    let mut read: Vec<Payload> = Vec::new();
    for (index, node) in parts.iter().enumerate() {
        let Some(part) = part(index, node, boundary, context, mistakes) else { continue };
        if read.iter().any(|known| known.id == part.id) || part.id == mime::ROOT {
            let what = format!("two parts have the id `{}`", part.id);
            mistakes.push(Mistake::at(node.place, "ebms::bad-payload", what).label("give one of them another `id`"));
        }
        read.push(part);
    }
    read
}

fn part(
    index: usize,
    node: &Node,
    boundary: &str,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Payload> {
    let mut keys = Keys::of(node, format!("part {} of `payload`", index + 1), mistakes);
    let (file, text) = (keys.take("file"), keys.take("text"));
    let (id, kind) = (keys.take("id"), keys.take("type"));
    keys.finish(mistakes);
    let usual = if file.is_some() { "application/octet-stream" } else { "text/plain; charset=UTF-8" };
    let kind = kind.map_or(Some(usual.to_owned()), |node| mistakes.keep(line(node, "`type`", context)));
    let id = id.map_or_else(
        || Some(format!("payload-{}@loadproof", index + 1)),
        |node| mistakes.keep(line(node, "`id`", context)),
    );
    let content = match (file, text) {
        (Some(node), None) => mistakes.keep(content_of_file(node, context)),
        (None, Some(node)) => mistakes.keep(context.compile(node, "`text`")).map(|template| content(template, context)),
        _ => {
            let what = format!("part {} of `payload` needs either `file` or `text`", index + 1);
            mistakes.push(Mistake::at(node.place, "ebms::bad-payload", what).label("write one of them"));
            None
        }
    }?;
    if let Content::Fixed(bytes) = &content
        && mime::find(bytes, boundary.as_bytes()).is_some()
    {
        let what = format!("part {} of `payload` holds `{boundary}`, which ends a part", index + 1);
        mistakes.push(Mistake::at(node.place, "ebms::bad-payload", what));
    }
    Some(Payload { id: id?, content_type: kind?, content })
}

/// A value that stands in a part's head.
fn line(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, what)?;
    let fits = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>') || c == ' ' && what == "`type`";
    if !text.is_empty() && text.len() <= 200 && text.chars().all(fits) {
        return Ok(text);
    }
    let shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    Err(Mistake::at(node.place, "ebms::bad-payload", format!("{what} `{shown}` cannot stand in the head of a part"))
        .hint("visible ASCII characters, at most 200, without `<` and `>`"))
}

/// A file that is text may have slots; any other is sent as it is.
fn content_of_file(node: &Node, context: &mut BuildContext<'_>) -> Result<Content, Mistake> {
    let name = context.text(node, "`file`")?;
    let path = context.base().join(&name);
    let wrong = |text: String| Mistake::at(node.place, "study::unreadable-file", text);
    let bytes = contract::read_file(&path, FILE_BYTES_MAX).map_err(|why| wrong(format!("`file` `{name}` {why}")))?;
    match String::from_utf8(bytes) {
        Ok(text) => context.compile_text(&text, node).map(|template| content(template, context)),
        Err(error) => Ok(Content::Fixed(error.into_bytes())),
    }
}

fn content(template: Template, context: &mut BuildContext<'_>) -> Content {
    match template.as_fixed() {
        Some(bytes) => Content::Fixed(bytes.to_vec()),
        None => Content::Slots(context.keep(template)),
    }
}
