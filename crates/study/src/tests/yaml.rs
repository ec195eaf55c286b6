//! Text to tree: places, and bounds on hostile text.

use crate::syntax::yaml::parse;
use contract::{Mistakes, Node, Place};

fn tree(text: &str) -> Node {
    let mut mistakes = Mistakes::default();
    let node = parse(0, text, &mut mistakes);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    node.unwrap()
}

fn code(text: &str) -> &'static str {
    let mut mistakes = Mistakes::default();
    parse(0, text, &mut mistakes);
    assert_eq!(mistakes.0.len(), 1, "{mistakes:?}");
    mistakes.0[0].code
}

fn place(line: u32, column: u32, length: u32) -> Place {
    Place { file: 0, line, column, length }
}

#[test]
fn every_node_knows_its_place() {
    let text = "a: one two   # comment\nb:\n  - 'q'\n  - \"µ\" \nc: { d: 5, e: *x, f: }\n".replace("*x", "x y");
    let tree = tree(&text);
    assert_eq!(tree.get("a").unwrap().place, place(1, 4, 7));
    assert_eq!(tree.map().unwrap()[0].0.place, place(1, 1, 1));
    let list = tree.get("b").unwrap().list().unwrap();
    assert_eq!((list[0].place, list[1].place), (place(3, 5, 3), place(4, 5, 3)));
    let c = tree.get("c").unwrap();
    assert_eq!(
        (c.place, c.get("d").unwrap().place, c.get("e").unwrap().place),
        (place(5, 4, 1), place(5, 9, 1), place(5, 15, 3))
    );
    assert!(c.get("f").unwrap().is_missing());
}

#[test]
fn scalars_stay_text() {
    let tree = tree("[yes, 10:30, 007, 1.10, ~, \"\", !!str 5, |\n  block\n  ]");
    let texts: Vec<_> = tree.list().unwrap().iter().map(|node| node.text().unwrap()).collect();
    assert_eq!(&texts[..7], ["yes", "10:30", "007", "1.10", "~", "", "5"]);
    assert!(tree.list().unwrap()[4].is_missing() && !tree.list().unwrap()[5].is_missing());
}

#[test]
fn aliases_are_copies_of_their_anchor() {
    let tree = tree("a: &x { b: 1 }\nc: *x\n");
    assert_eq!(tree.get("c"), tree.get("a"));
}

#[test]
fn hostile_text_is_refused() {
    assert_eq!(code(""), "study::yaml");
    assert_eq!(code("a: 1\n---\nb: 2\n"), "study::yaml");
    assert_eq!(code("a: [1"), "study::yaml");
    assert_eq!(code("? [a]\n: b"), "study::yaml");
    assert_eq!(code("a: &x [*x]"), "study::yaml");
    assert_eq!(code("a: !ruby/object {}"), "study::yaml");
    assert_eq!(code("a: 1\na: 2"), "study::duplicate-key");
    assert_eq!(code(&"[".repeat(100)), "study::too-large");
    assert_eq!(code(&"[".repeat(100_000)), "study::too-large", "the reader has a bound of its own");
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    assert_eq!(code(&bomb), "study::too-large");
}

#[test]
fn what_is_emitted_reads_back() {
    for text in [
        "- a: b\n  c: [1, '2', \"\", ~, null, '~', x y, 'a: b', '# c', '- d', '*e', '{', 'f:', \" g \"]\n",
        "k: \"tab\\t line\\n nul\\0 quote\\\" back\\\\ é \\u2028 😀\"\n'odd: key': { nested: [[1, [2]], {}, []] }\n",
        "a: |\n  two\n  lines\nb: >-\n  folded\n  text\n",
    ] {
        let tree = tree(text);
        let mut mistakes = Mistakes::default();
        let emitted = crate::syntax::emit::yaml(&tree);
        let again = parse(0, &emitted, &mut mistakes).unwrap_or_else(|| panic!("{mistakes:?}\n{emitted}"));
        assert_eq!(bare(&tree), bare(&again), "{emitted}");
    }
}

/// A tree without places.
fn bare(node: &Node) -> String {
    match &node.shape {
        // Quotes tell a text from a number, a truth value or nothing; around other texts they mean nothing.
        contract::Shape::Text { text, quoted } => {
            let is_typed = text.parse::<f64>().is_ok() || ["", "~", "null", "true", "false"].contains(&text.as_str());
            format!("{}:{text:?}", *quoted && is_typed)
        }
        contract::Shape::List(members) => format!("{:?}", members.iter().map(bare).collect::<Vec<_>>()),
        contract::Shape::Map(entries) => {
            format!("{:?}", entries.iter().map(|(key, value)| (bare(key), bare(value))).collect::<Vec<_>>())
        }
    }
}

pub(crate) fn same(one: &Node, other: &Node) -> bool {
    bare(one) == bare(other)
}

#[test]
fn a_tab_that_indents_is_told_as_a_tab() {
    for (text, at) in [
        ("study: A\nexchanges:\n\tlook: x\n", place(3, 1, 1)),
        ("study: A\nexchanges:\n  look:\n  \t\thttp.get: x\n", place(4, 3, 2)),
        ("a:\n  b: 1\n\tc: 2\n", place(3, 1, 1)),
        ("a:\n\t- 1\n\t- 2\n", place(2, 1, 1)),
    ] {
        let mut mistakes = Mistakes::default();
        parse(0, text, &mut mistakes);
        let mistake = mistakes.0.first().unwrap_or_else(|| panic!("accepted: {text:?}"));
        assert!(mistake.message.contains("indented with a tab"), "{text:?}: {}", mistake.message);
        assert_eq!(mistake.place, Some(at), "{text:?}");
        assert!(mistake.hint.as_ref().is_some_and(|hint| hint.contains("spaces")));
    }
    // A tab elsewhere is not what is wrong.
    let mut mistakes = Mistakes::default();
    parse(0, "a: 1\t# x\nb: [ 1, 2\n", &mut mistakes);
    assert!(!mistakes.0[0].message.contains("tab"), "{}", mistakes.0[0].message);
}
