//! `body`: the content of an event, another one each time.

use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Piece, Settings, Template};

/// So many bytes of `$(bytes(n))` are not the same for two events by accident.
const BYTES_LEAST: u32 = 8;

/// Takes `body`.
pub(super) fn read(
    keys: &mut Keys<'_>,
    settings: &Settings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Template> {
    let Some(node) = keys.take("body").filter(|node| !node.is_missing()) else {
        let what = format!("exchange `{}` does not say what it publishes", settings.exchange);
        mistakes.push(
            Mistake::at(settings.node.place, "study::missing-key", what)
                .label("add `body`")
                .hint("write `body: \"$(serial) $(bytes(8kB))\"`, or `body: { file: NAME }`"),
        );
        return None;
    };
    let content = match node.map() {
        None => mistakes.keep(context.compile(node, "`body`")),
        Some(_) => file(node, context, mistakes),
    }?;
    if !content.pieces.iter().any(differs) {
        mistakes.push(
            Mistake::at(
                node.place,
                "websub::no-number",
                "every event has the same content: a delivery that is late would be taken for that of the next one",
            )
            .label("add `$(serial)`")
            .hint("write for example `body: \"$(serial) $(bytes(8kB))\"`; a subscriber knows an event by its content"),
        );
        return None;
    }
    Some(content)
}

fn file(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Template> {
    let mut keys = Keys::of(node, "`body`", mistakes);
    let file = keys.need("file", mistakes);
    let fill = keys.take("fill").and_then(|node| mistakes.keep(node.as_bool("`fill`"))).unwrap_or(true);
    keys.finish(mistakes);
    mistakes.keep(context.file(file?, "`file`", fill))
}

/// Whether it is another one for each event, as far as that can be told before.
fn differs(piece: &Piece) -> bool {
    let all = |arguments: &[Template]| arguments.iter().flat_map(|argument| &argument.pieces).any(differs);
    match piece {
        Piece::Serial | Piece::Message | Piece::Uuid | Piece::Traceparent | Piece::Now | Piece::Column { .. } => true,
        Piece::Bytes(length) => *length >= BYTES_LEAST,
        Piece::Call(call) => {
            matches!(call.name, "random" | "random_text" | "epoch" | "epoch_ms" | "time") || all(&call.arguments)
        }
        Piece::Script(call) => all(&call.arguments),
        // The publisher is one user of one node, and letters begin anew after a while.
        Piece::Fixed(_) | Piece::Capture(_) | Piece::User | Piece::Node | Piece::Text(_) => false,
    }
}
