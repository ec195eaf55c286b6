//! Which checks and captures look at the answer to the opening, and which at that to a message.

use super::Expected;
use contract::{BuildContext, Check, Compare, Mistake, Mistakes, Probe, Settings};
use extract::Compiled;

/// Checks and captures by what they look at.
pub(super) struct Checks {
    pub(super) opening: Compiled,
    pub(super) content: Compiled,
    /// What the whole content has to be, where a check says that it is made of what was sent.
    pub(super) expected: Option<Expected>,
}

impl Checks {
    /// Sorts them: status and headers are those of the opening, all else is of messages.
    pub(super) fn read(settings: &Settings, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let is_head = |probe: &Probe| matches!(probe, Probe::Status | Probe::Header(_) | Probe::HeaderPart { .. });
        let (opening, rest): (Vec<_>, Vec<_>) =
            settings.checks.iter().cloned().partition(|check| is_head(&check.probe));
        let (mut content, mut expected) = (Vec::new(), None);
        for check in rest {
            match of_sent(&check) {
                None => content.push(check),
                Some(found) if expected.is_none_or(|before| before == found) => expected = Some(found),
                Some(_) => mistakes.push(
                    Mistake::at(check.place, "ws::two-contents", "an answer cannot be both `sent` and `reverse(sent)`")
                        .label("remove one of them"),
                ),
            }
        }
        let (of_opening, of_content): (Vec<_>, Vec<_>) =
            settings.captures.iter().cloned().partition(|capture| is_head(&capture.probe));
        let opening = keep(Compiled::new(&opening, &of_opening, context), mistakes);
        let content = keep(Compiled::new(&content, &of_content, context), mistakes);
        Some(Self { opening: opening?, content: content?, expected })
    }
}

fn keep(compiled: Result<Compiled, Mistakes>, mistakes: &mut Mistakes) -> Option<Compiled> {
    compiled.map_err(|more| mistakes.extend(more)).ok()
}

/// `body = sent` and `body = reverse(sent)`; in quotation marks they are texts.
fn of_sent(check: &Check) -> Option<Expected> {
    if check.probe != Probe::Body || check.compare != Compare::Equal || check.text.trim_end().ends_with(['"', '\'']) {
        return None;
    }
    match check.expected.as_fixed()? {
        b"sent" => Some(Expected::Sent),
        b"reverse(sent)" => Some(Expected::Reversed),
        _ => None,
    }
}
