//! Which checks and captures look at the answer to the opening, and which at an event.

use contract::{BuildContext, Capture, Mistake, Mistakes, Place, Probe, Settings, Which};
use extract::Compiled;

/// What is called a header of an event, and is a field of it.
pub(crate) const FIELDS: [&str; 2] = ["id", "event"];
/// Slots of [`Checks::incoming`].
pub(crate) const SEQUENCE: u8 = 0;
pub(crate) const SENT: u8 = 1;

/// Checks and captures by what they look at.
pub(super) struct Checks {
    pub(super) opening: Compiled,
    pub(super) content: Compiled,
    /// Where an event's number and time are.
    pub(super) incoming: Compiled,
}

impl Checks {
    /// Sorts them: status and headers are those of the opening, but for the fields of an event; all else is of events.
    pub(super) fn read(settings: &Settings, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let (opening, content): (Vec<_>, Vec<_>) =
            settings.checks.iter().cloned().partition(|check| is_of_opening(&check.probe));
        let (of_opening, of_content): (Vec<_>, Vec<_>) =
            settings.captures.iter().cloned().partition(|capture| is_of_opening(&capture.probe));
        let place = settings.node.place;
        let known = [
            ("sequence", SEQUENCE, settings.incoming.sequence.as_ref()),
            ("sent", SENT, settings.incoming.sent.as_ref()),
        ];
        let mut of_incoming = Vec::new();
        for (name, slot, probe) in known {
            let Some(probe) = probe else { continue };
            if is_of_opening(probe) {
                mistakes.push(not_of_an_event(name, place));
            }
            let (name, probe) = (name.to_owned(), probe.clone());
            of_incoming.push(Capture { name, slot, probe, pick: Which::First, is_optional: true, place });
        }
        let opening = keep(Compiled::new(&opening, &of_opening, context), mistakes);
        let content = keep(Compiled::new(&content, &of_content, context), mistakes);
        let incoming = keep(Compiled::new(&[], &of_incoming, context), mistakes);
        Some(Self { opening: opening?, content: content?, incoming: incoming? })
    }
}

fn keep(compiled: Result<Compiled, Mistakes>, mistakes: &mut Mistakes) -> Option<Compiled> {
    compiled.map_err(|more| mistakes.extend(more)).ok()
}

fn is_of_opening(probe: &Probe) -> bool {
    match probe {
        Probe::Status => true,
        Probe::Header(name) | Probe::HeaderPart { name, .. } => !FIELDS.contains(&name.as_str()),
        _ => false,
    }
}

fn not_of_an_event(name: &str, place: Place) -> Mistake {
    let what = format!("`{name}` looks at the answer that opens the stream, not at an event");
    Mistake::at(place, "sse::not-of-event", what).label(match name {
        "sequence" => "write `sequence: json($.n)`, or `sequence: header(id)` for the event's own id",
        _ => "write `sent: json($.t)`, where the event's data has it",
    })
}
