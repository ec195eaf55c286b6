//! Captures of several values: one of them at random, or all of them as a list, and a list's members.

use crate::Answer;
use crate::path::STEPS_MAX;
use crate::probe::{Lookup, Missing, bytes_of, text_of};
use contract::Which;
use serde_json::Value;
use std::borrow::Cow;
use terms::seed;

/// A list is kept up to this length, as any captured value is.
const LIST_BYTES_MAX: usize = 16 * 1024;

/// The value that is kept: drawn by the answer's number, or all as a JSON list of texts.
pub(crate) fn find(lookup: &Lookup, pick: Which, answer: &mut Answer<'_>) -> Result<Vec<u8>, Missing> {
    let draw = answer.draw();
    let mut kept = Kept { pick, draw, seen: 0, one: Vec::new(), list: b"[".to_vec() };
    match lookup {
        Lookup::Json(path) => {
            let value = answer.json().map_err(|why| Missing::Nothing(why.to_string().into()))?;
            let spent = |_| Missing::Bound(format!("the path looked at more than {STEPS_MAX} nodes"));
            path.each(value, &mut |node| kept.take(|| text_of(node))).map_err(spent)?;
        }
        Lookup::Regex(regex) => {
            crate::probe::refuse_large(answer.body)?;
            for groups in regex.captures_iter(answer.body) {
                let part = groups.get(usize::from(groups.len() > 1));
                part.into_iter().for_each(|part| kept.take(|| Cow::Borrowed(part.as_bytes())));
            }
        }
        Lookup::Xpath(looked) => {
            let tree = answer.xml().map_err(crate::probe::no_xml)?;
            let nodes = looked.path.nodes(tree).map_err(crate::probe::steps_spent)?;
            nodes.into_iter().for_each(|node| kept.take(|| bytes_of(looked.text(tree, node))));
        }
        // A mistake of the study, found before.
        _ => return Err(Missing::Nothing("there is one value only".into())),
    }
    kept.into_value()
}

struct Kept {
    pick: Which,
    draw: u64,
    seen: u64,
    one: Vec<u8>,
    list: Vec<u8>,
}

impl Kept {
    /// Writing a value out may cost as much as the answer is long, so only what is kept is written.
    fn take<'v>(&mut self, text: impl FnOnce() -> Cow<'v, [u8]>) {
        self.seen += 1;
        if self.pick == Which::All {
            if self.list.len() <= LIST_BYTES_MAX {
                self.list.extend_from_slice(if self.seen == 1 { b"" } else { b"," });
                let text = serde_json::to_vec(&String::from_utf8_lossy(&text())).unwrap_or_default();
                self.list.extend_from_slice(&text);
            }
        } else if seed::hash(self.draw, self.seen).is_multiple_of(self.seen) {
            // Of n values each stays with one chance in n: the k-th takes the place of those before with one in k.
            self.one.clear();
            self.one.extend_from_slice(&text());
        }
    }

    fn into_value(mut self) -> Result<Vec<u8>, Missing> {
        match self.pick {
            Which::All if self.list.len() >= LIST_BYTES_MAX => Err(Missing::Bound(format!(
                "the list is longer than {LIST_BYTES_MAX} bytes; take a part of it, such as `$.items[0:100].id` or `//item[position() <= 100]/id`"
            ))),
            Which::All => {
                self.list.push(b']');
                Ok(self.list)
            }
            _ if self.seen == 0 => Err(Missing::Nothing("nothing there".into())),
            _ => Ok(self.one),
        }
    }
}

/// A member of a list that was captured with `all`, by its number from 0; none behind its end, and of what is not a list.
pub fn member(list: &[u8], index: usize) -> Option<Vec<u8>> {
    let members: Vec<Cow<'_, str>> = serde_json::from_slice(list).ok()?;
    members.into_iter().nth(index).map(|member| member.into_owned().into_bytes())
}

/// How many members a captured list has; none of what is not a list.
pub fn length(list: &[u8]) -> Option<usize> {
    serde_json::from_slice::<Vec<Value>>(list).ok().map(|members| members.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Place, Probe};

    const BODY: &[u8] = br#"{"items":[{"id":"a,\"b"},{"id":7},{"id":"c"}]}"#;

    fn find_in(probe: &Probe, pick: Which, body: &[u8], draw: u64) -> Result<String, Missing> {
        let lookup = Lookup::new(probe, Place::default(), &[]).unwrap();
        let mut answer = Answer::new(200, &(), body, body.len() as u64).with_draw(draw);
        find(&lookup, pick, &mut answer).map(|found| String::from_utf8(found).unwrap())
    }

    #[test]
    fn all_values_are_a_list_whose_members_are_as_they_came() {
        let ids = Probe::Json("$.items[*].id".into());
        let list = find_in(&ids, Which::All, BODY, 0).unwrap();
        assert_eq!(list, r#"["a,\"b","7","c"]"#);
        let members: Vec<_> = (0..4).map(|index| member(list.as_bytes(), index)).collect();
        assert_eq!(members, [Some(b"a,\"b".to_vec()), Some(b"7".to_vec()), Some(b"c".to_vec()), None]);
        assert_eq!(length(list.as_bytes()), Some(3));
        assert_eq!(find_in(&ids, Which::All, b"{}", 0), Ok("[]".into()), "no member is a list, too");
        assert_eq!(member(b"no list", 0), None);
        let links = Probe::Regex("href=\"([^\"]+)\"".into());
        let page = br#"<a href="/1"><a href="/2">"#;
        assert_eq!(find_in(&links, Which::All, page, 0), Ok(r#"["/1","/2"]"#.into()));
    }

    #[test]
    fn each_of_several_values_is_as_likely_as_the_others() {
        let ids = Probe::Json("$.items[*].id".into());
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        for draw in 0..9000 {
            *counts.entry(find_in(&ids, Which::Any, BODY, seed::hash(3, draw)).unwrap()).or_default() += 1;
        }
        // 3000 expected of each, standard deviation 45.
        assert!(counts.len() == 3 && counts.values().all(|count| count.abs_diff(3000) < 200), "{counts:?}");
        assert_eq!(find_in(&ids, Which::Any, b"{}", 0), Err(Missing::Nothing("nothing there".into())));
    }

    #[test]
    fn a_list_that_is_too_long_is_refused() {
        let body = format!(r#"["{}"]"#, "x".repeat(LIST_BYTES_MAX));
        let found = find_in(&Probe::Json("$[*]".into()), Which::All, body.as_bytes(), 0);
        assert!(matches!(found, Err(Missing::Bound(why)) if why.contains("$.items[0:100].id")));
    }
}
