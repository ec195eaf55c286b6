//! What plug-ins say of themselves in the guide: the file `guide.md` of each, one after another, in the chapter of its kind.

use crate::tree::Tree;
use anyhow::Result;

/// Chapters, with the folder of plug-ins whose sections stand in it. The mark has the folder's name.
pub const CHAPTERS: [(&str, &str); 2] =
    [("docs/guide/02-the-study-file.md", "drivers"), ("docs/guide/04-watching.md", "monitors")];

/// A plug-in's section, in its folder.
pub const SECTION: &str = "guide.md";

/// The sections of all plug-ins in a folder, in the order of their names, with their links as seen from the guide.
///
/// # Errors
/// A plug-in without a section.
pub fn of(tree: &Tree, parent: &str) -> Result<String> {
    let mut all = Vec::new();
    for name in tree.folders(parent) {
        let folder = format!("{parent}/{name}");
        if tree.has(&format!("{folder}/Cargo.toml")) {
            let text = tree.read(&format!("{folder}/{SECTION}"))?;
            all.push(moved(text.trim(), &folder));
        }
    }
    Ok(all.join("\n\n") + "\n")
}

/// The text with its links, which are relative to a plug-in's folder, as relative to `docs/guide`.
fn moved(text: &str, folder: &str) -> String {
    let mut pieces = text.split("](");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out += "](";
        match piece.split_once(')') {
            Some((link, rest)) if !link.starts_with('#') && !link.contains(':') => {
                out += &from_guide(&format!("{folder}/{link}"));
                out += ")";
                out += rest;
            }
            _ => out += piece,
        }
    }
    out
}

/// A path of the repository, `drivers/driver-a/../../docs/guide/1.md`, as a link of a page in `docs/guide`.
fn from_guide(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    path.strip_prefix("docs/guide/").map_or_else(|| format!("../../{path}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn sections_stand_in_order_and_their_links_lead_where_they_did() {
        let (_guard, tree) = tree(&[
            ("monitors/monitor-b/Cargo.toml", ""),
            ("monitors/monitor-b/guide.md", "## `b`\n\n[More](README.md#x), [there](../../docs/guide/9.md).\n"),
            ("monitors/monitor-a/Cargo.toml", ""),
            ("monitors/monitor-a/guide.md", "\n## `a`\n\n[Here](#a), [far](https://example.org).\n\n"),
            ("monitors/notes/remarks.md", "no plug-in"),
        ]);
        let expected = "## `a`\n\n[Here](#a), [far](https://example.org).\n\n\
                        ## `b`\n\n[More](../../monitors/monitor-b/README.md#x), [there](9.md).\n";
        assert_eq!(of(&tree, "monitors").unwrap(), expected);
        std::fs::remove_file(tree.path("monitors/monitor-a/guide.md")).unwrap();
        assert!(of(&tree, "monitors").unwrap_err().to_string().contains("monitor-a/guide.md"));
    }
}
