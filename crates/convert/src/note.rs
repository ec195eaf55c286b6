//! `CONVERSION.md`: what was carried over, what was not, and what is to be done.

use crate::draft::Lost;
use crate::{Converted, Kind};

/// Losses of one kind together: the same reason, and what to type.
pub fn grouped(lost: &[Lost]) -> Vec<(&str, &str, Vec<&Lost>)> {
    let mut groups: Vec<(&str, &str, Vec<&Lost>)> = Vec::new();
    for one in lost {
        match groups.iter_mut().find(|(why, hint, _)| *why == one.why && *hint == one.hint) {
            Some((_, _, members)) => members.push(one),
            None => groups.push((&one.why, &one.hint, vec![one])),
        }
    }
    groups
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn note(kind: Kind, name: &str, converted: &Converted) -> String {
    let source = plain(name.rsplit(['/', '\\']).next().unwrap_or(name));
    let mut text = format!("# What became of `{source}`\n\n");
    text += &format!(
        "The source ({}) has {}; [study.yaml](study.yaml) sends {} of them, as {}.\n\n",
        kind.title(),
        counted(converted.seen, "request"),
        converted.carried,
        counted(converted.exchanges, "exchange")
    );
    text += "## Before the first run\n\n";
    text += &format!("- Load goes to {}. Make sure that you may do that.\n", converted.hosts.join(", "));
    text += "- `identity` in the study says how each host is told from others. Write what only it answers.\n";
    if !converted.secrets.is_empty() {
        text += "- Credentials were not taken over. Write each into its file, or into an environment variable of its name:\n\n";
        text += "| File | What belongs there |\n| --- | --- |\n";
        for (name, about) in &converted.secrets {
            text += &format!("| `secrets/{name}` | {} |\n", plain(about));
        }
        text.push('\n');
    }
    text += "- `loadproof check study.yaml --once` sends each request once and shows the answers.\n\n## Not carried over\n\n";
    if converted.lost.is_empty() {
        text += "Nothing: every part of the source is in the study.\n";
    }
    for (why, hint, members) in grouped(&converted.lost) {
        text += &format!("**{}**", plain(&capital(why)));
        if !hint.is_empty() {
            text += &format!(" → {}", plain(hint));
        }
        text += "\n\n";
        for lost in members {
            let place = if lost.place.is_empty() { String::new() } else { format!(" ({})", plain(&lost.place)) };
            text += &format!("- {}{place}\n", plain(&lost.what));
        }
        text.push('\n');
    }
    text
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Text of the source in Markdown: on one line, and without marks of its own.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .flat_map(|c| {
            let is_mark = matches!(c, '|' | '<' | '[' | ']');
            is_mark.then_some('\\').into_iter().chain([c])
        })
        .collect()
}
