//! Which processes exist, and whose children they are.

use std::collections::{HashMap, HashSet};

/// Parent of a process, from the text of its `/proc/PID/stat`; `None` for a zombie or what is no such text.
///
/// The name in brackets can hold anything, brackets and blanks included: what follows its *last* bracket counts
/// (proc(5): state is field 3, the parent field 4).
fn parent(stat: &str) -> Option<u32> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X")).then(|| fields.next()?.parse().ok())?
}

/// The process and all its descendants that are alive.
pub(crate) fn tree(root: u32) -> HashSet<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for pid in all() {
        if let Some(parent) = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok().as_deref().and_then(parent) {
            children.entry(parent).or_default().push(pid);
        }
    }
    descendants(root, &children)
}

fn descendants(root: u32, children: &HashMap<u32, Vec<u32>>) -> HashSet<u32> {
    let mut found = HashSet::from([root]);
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        let new = children.get(&pid).into_iter().flatten().filter(|&&child| found.insert(child));
        open.extend(new.copied().collect::<Vec<_>>());
    }
    found
}

/// Ids of all processes that can be seen.
pub(crate) fn all() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Short name of a process, for messages.
pub(crate) fn name(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(crate::log::printable(name.trim_end_matches('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        assert_eq!(parent("42 (a) R (b) S 7 42 42 0 -1"), Some(7));
        assert_eq!(parent("42 (gone) Z 7 42 42 0 -1"), None);
        assert_eq!(parent("42 (cut"), None);
    }

    #[test]
    fn descendants_at_any_depth_and_circles_end() {
        let children = HashMap::from([(1, vec![2, 3]), (3, vec![4]), (4, vec![1]), (9, vec![10])]);
        assert_eq!(descendants(1, &children), HashSet::from([1, 2, 3, 4]));
        assert!(tree(std::process::id()).contains(&std::process::id()));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9 ()ZSé]{0,30}") {
            let _ = parent(&text);
        }
    }
}
