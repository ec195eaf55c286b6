//! What is sent: `message` a text, `binary` bytes.

use super::{Answered, Expected};
use crate::frame::Opcode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Place, Settings, Template};

/// What each message of an exchange is made of.
pub(super) struct Message {
    pub(super) opcode: Opcode,
    pub(super) template: Template,
    place: Place,
}

/// Reads whichever of the two keys is there.
pub(super) fn read(
    keys: &mut Keys<'_>,
    settings: &Settings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Message> {
    let (text, binary) = (keys.take("message"), keys.take("binary"));
    let (opcode, node) = match (text, binary) {
        (Some(node), None) => (Opcode::Text, node),
        (None, Some(node)) => (Opcode::Binary, node),
        (Some(_), Some(node)) => {
            mistakes.push(
                Mistake::at(node.place, "ws::two-messages", "`message` and `binary` cannot both be the message")
                    .label("remove one of them"),
            );
            return None;
        }
        (None, None) => {
            let what = format!("exchange `{}` does not say what it sends", settings.exchange);
            mistakes.push(
                Mistake::at(settings.node.place, "study::missing-key", what)
                    .label("add `message`")
                    .hint("write `message: \"$(message.n) $(text(500B))\"`, or `binary: { file: NAME }`"),
            );
            return None;
        }
    };
    let template = match opcode {
        // An empty text in quotes is a message, too.
        Opcode::Text if node.text() == Some("") && !node.is_missing() => Some(Template::default()),
        Opcode::Text => mistakes.keep(context.compile(node, "`message`")),
        _ => bytes(node, context, mistakes),
    }?;
    if let Some(bytes) = template.as_fixed().filter(|_| opcode == Opcode::Text)
        && std::str::from_utf8(bytes).is_err()
    {
        mistakes.push(
            Mistake::at(node.place, "ws::text-not-utf8", "a text message is UTF-8, and this one is not")
                .label("write `binary`"),
        );
    }
    Some(Message { opcode, template, place: node.place })
}

/// Bytes: a text sent as such, `{ file, fill }`, or `{ base64 }`.
fn bytes(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Template> {
    if node.map().is_none() {
        return mistakes.keep(context.compile(node, "`binary`"));
    }
    let mut keys = Keys::of(node, "`binary`", mistakes);
    let (file, base64) = (keys.take("file"), keys.take("base64"));
    let fill = keys.take("fill").and_then(|node| mistakes.keep(node.as_bool("`fill`"))).unwrap_or(true);
    keys.finish(mistakes);
    match (file, base64) {
        (Some(node), None) => mistakes.keep(context.file(node, "`file`", fill)),
        (None, Some(node)) => mistakes.keep(decoded(node, context)),
        _ => {
            mistakes.push(
                Mistake::at(node.place, "ws::bad-binary", "`binary` is a text, or one of `file` and `base64`")
                    .label("write `binary: { file: NAME }`"),
            );
            None
        }
    }
}

fn decoded(node: &Node, context: &BuildContext<'_>) -> Result<Template, Mistake> {
    let text: String = context.text(node, "`base64`")?.split_ascii_whitespace().collect();
    STANDARD.decode(&text).map(Template::fixed).map_err(|error| {
        Mistake::at(node.place, "ws::bad-binary", format!("`base64` cannot be decoded: {error}"))
            .hint("give what `base64 FILE` prints")
    })
}

impl Message {
    /// Whether it goes with what ends it.
    pub(super) fn check(&self, answered: Answered, expected: Option<Expected>, place: Place, mistakes: &mut Mistakes) {
        if expected == Some(Expected::Reversed) && self.opcode != Opcode::Text {
            mistakes.push(
                Mistake::at(place, "ws::reverse-of-bytes", "`reverse(sent)` is for texts: bytes have no characters")
                    .label("write `message`, or `body = sent`"),
            );
        }
        if answered == Answered::Echo && self.template.as_fixed().is_some() {
            mistakes.push(
                Mistake::at(
                    self.place,
                    "ws::no-number",
                    "every message is the same: an echo that is late would be taken for that of the next one",
                )
                .label("add `$(message.n)`, or write `answer: answer`"),
            );
        }
    }
}
