use super::*;
use crate::xml::Lent;
use proptest::prelude::*;

const DOCUMENTS: [(&str, &str); 3] = [
    ("mixed.xml", include_str!("known/mixed.xml")),
    ("soap11.xml", include_str!("known/soap11.xml")),
    ("soap12-fault.xml", include_str!("known/soap12-fault.xml")),
];

/// What libxml2 says of these documents: document, expression, value. What the recommendation says otherwise is below.
const ANSWERS: &str = include_str!("known/answers.tsv");

fn namespaces() -> Vec<(String, String)> {
    [
        ("s", "http://schemas.xmlsoap.org/soap/envelope/"),
        ("e", "http://www.w3.org/2003/05/soap-envelope"),
        ("l", "urn:log"),
        ("m", "urn:m"),
    ]
    .map(|(prefix, uri)| (prefix.to_owned(), uri.to_owned()))
    .to_vec()
}

/// The value as the table has it.
fn shown(expression: &str, body: &str) -> String {
    let Ok(path) = XPath::read(expression, &namespaces()) else { return "ERROR".to_owned() };
    let lent = Lent::read(body.as_bytes(), None).unwrap_or_else(|why| panic!("{why:?}"));
    let tree = lent.over(body.as_bytes());
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
    match path.of() {
        Type::Nodes => {
            let nodes = path.nodes(tree).unwrap();
            let first = path.first_node(tree).unwrap();
            assert_eq!(first, nodes.first().copied(), "{expression}");
            let mut text = format!("nodes {}", nodes.len());
            for node in nodes.into_iter().take(12) {
                text.push_str(&format!(" | {}", escaped(&tree.value(node))));
            }
            text
        }
        Type::Number => format!("number {}", path.text(tree).unwrap()),
        Type::Truth => format!("truth {}", path.text(tree).unwrap()),
        Type::Text => format!("text {}", escaped(&path.text(tree).unwrap())),
    }
}

/// Where the table is not what the recommendation has, with the section that says so.
const OTHERWISE: [(&str, &str); 8] = [
    // 2.2: what is behind an attribute in the order of the document (5) includes the children of its element.
    ("count(/r/@id/following::node())", "number 46"),
    ("count(//a[1]/@n/following::node())", "number 44"),
    // 4.2: as many digits as distinguish the number from all others, and never an exponent.
    ("string(1 div 3)", "text 0.3333333333333333"),
    ("string(100000000000000000000)", "text 100000000000000000000"),
    ("string(0.0000001)", "text 0.0000001"),
    // 4.4 with 3.7: a number has digits, and no exponent.
    ("number('1e3')", "number NaN"),
    ("number('-')", "number NaN"),
    // 4.4: the nearest whole number.
    ("round(0.49999999999999994)", "number 0"),
];

#[test]
fn known_answers() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in ANSWERS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.splitn(3, '\t').collect();
        let body = DOCUMENTS.iter().find(|(name, _)| *name == fields[0]).unwrap().1;
        let found = shown(fields[1], body);
        count += 1;
        let otherwise = OTHERWISE.iter().find(|(expression, _)| *expression == fields[1]);
        let expected = otherwise.map_or(fields[2], |(_, expected)| expected);
        assert_ne!(otherwise.map(|(_, expected)| *expected), Some(fields[2]), "the table has it right");
        if found != expected {
            wrong.push(format!("{}\n  expected {expected}\n  found    {found}", fields[1]));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 300);
}

fn read(text: &str) -> Result<XPath, Wrong> {
    XPath::read(text, &namespaces())
}

/// The value on a body, as text.
fn text(expression: &str, body: &str) -> Result<String, Spent> {
    let lent = Lent::read(body.as_bytes(), None).unwrap_or_else(|why| panic!("{why:?}"));
    read(expression).unwrap().text(lent.over(body.as_bytes()))
}

#[test]
fn what_is_no_expression_is_told_with_its_place() {
    for (expression, at, why) in [
        ("//a[", 4, "it ends where a path, a function, a text or a number is expected"),
        ("//é[@x = ]", 9, "expected a path, a function, a text or a number, found `]`"),
        ("//a]", 3, "expected an operator or the end, found `]`"),
        ("//a b", 4, "`b` stands where an operator is expected"),
        ("//a/", 4, "it ends where a name, `*`, `@` or `.` is expected"),
        ("//a['b]", 4, "a text in quotes does not end"),
        (
            "$id",
            0,
            "an expression has no variables; a value of the study stands behind the comparison, as in `xpath(//id) = $(id)`",
        ),
        ("//id[. = $(id)]", 9, "an expression has no variables"),
        ("!//a", 0, "write `not(…)`, or `!=` for a comparison"),
        ("//a && //b", 4, "write `and`"),
        ("cuont(//a)", 0, "`cuont` is not a function of XPath 1.0; did you mean `count`?"),
        ("lower-case(//a)", 0, "write `translate("),
        ("fn:count(//a)", 0, "`fn:count` is not a function"),
        ("//a/zzzz(.)", 4, "a step of a path is a name, and `zzzz(…)` is a function or nothing"),
        ("count('a')", 6, "`count` is given nodes, and this is a text"),
        ("//a | 2", 6, "`|` joins nodes, and this is a number"),
        ("'a'[1]", 0, "only nodes are followed by `[` or `/`, and this is a text"),
        ("substring('a')", 0, "`substring` takes 2 or 3 arguments, and is given 1"),
        ("true(1)", 0, "`true` takes no argument, and is given 1"),
        (".[1]", 1, "`.` takes no predicate; write `self::node()[…]`"),
        ("up::a", 0, "`up` is not an axis; there are ancestor, ancestor-or-self, attribute"),
        ("namespace::a", 0, "the axis `namespace` is not possible"),
        ("s:", 1, "no name follows the prefix"),
        ("#", 0, "`#` is not a part of an expression"),
    ] {
        match read(expression) {
            Err(Wrong::Unreadable { at: found, why: said }) => {
                assert!(said.contains(why), "{expression}: {said}");
                assert_eq!(found, at, "{expression}: {said}");
            }
            other => panic!("{expression}: {other:?}"),
        }
    }
    assert_eq!(read("//ü/zz:b").unwrap_err(), Wrong::Prefix { at: 4, prefix: "zz".into() });
}

#[test]
fn what_is_too_deep_or_too_long_is_not_read() {
    let deep = |levels: usize| format!("{}//a{}", "(".repeat(levels), ")".repeat(levels));
    assert!(read(&deep(DEEP_MAX - 1)).is_ok());
    assert!(matches!(read(&deep(DEEP_MAX)), Err(Wrong::Unreadable { why, .. }) if why.contains("deep")));
    assert!(read(&format!("1{}", " + 1".repeat(400))).is_ok());
    assert!(read(&format!("{}1", "-".repeat(1900))).is_ok());
    assert_eq!(text(&format!("{}1", "-".repeat(1901)), "<a/>"), Ok("-1".into()));
    let long = format!("'{}'", "x".repeat(EXPRESSION_BYTES_MAX));
    assert!(matches!(read(&long), Err(Wrong::Unreadable { why, .. }) if why.contains("2002 bytes; at most 2000")));
}

#[test]
fn steps_are_counted_whatever_is_done() {
    let deep = format!("{}{}", "<a>".repeat(250), "</a>".repeat(250));
    let wide = format!("<r>{}</r>", "<a>x</a>".repeat(20_000));
    let long = format!("<r><t>{0}</t><u>{0}</u></r>", "xyz".repeat(100_000));
    for (expression, body) in [
        ("count(//a[count(.//a[count(.//a) = 500]) = 1])", &deep),
        ("count(//a[count(ancestor::a//a) > 9999])", &deep),
        ("//a = //a/following::a/text()/zz | //a[. != 'x'] = //a", &wide),
        ("//a[preceding-sibling::a = 'y']", &wide),
        ("count(//a[count(//a) = 1])", &wide),
        ("//a[position() = last()][preceding::a[preceding::a[preceding::a = 'z']]]", &wide),
        ("translate(//t, //u, //t)", &long),
    ] {
        assert_eq!(text(expression, body), Err(Spent), "{expression}");
    }
    // What is met with in earnest is far from the bound.
    assert_eq!(text("count(//a)", &wide), Ok("20000".into()));
    assert_eq!(text("string-length(//t)", &long), Ok("300000".into()));
    assert_eq!(text("count(//a[.//a])", &deep), Ok("249".into()));
}

#[test]
fn elements_in_another_namespace_are_told() {
    let body = DOCUMENTS[1].1;
    let lent = Lent::read(body.as_bytes(), None).unwrap_or_else(|why| panic!("{why:?}"));
    let namesake = |expression: &str| {
        read(expression).unwrap().namesake(lent.over(body.as_bytes())).map(|it| (it.name, it.asked, it.found))
    };
    let of = |name: &str, asked: &str, found: &str| Some((name.to_owned(), asked.to_owned(), found.to_owned()));
    let soap = "http://schemas.xmlsoap.org/soap/envelope/";
    assert_eq!(namesake("//Body/x"), of("Body", "", soap));
    assert_eq!(namesake("//e:Body"), of("Body", "http://www.w3.org/2003/05/soap-envelope", soap));
    assert_eq!(namesake("//s:Body/s:Code"), of("Code", soap, "urn:log"));
    assert_eq!(namesake("//s:Fault"), None);
    assert_eq!(namesake("//*[Body]"), None, "predicates are not looked into");
    assert_eq!(namesake("//LogEntry/zz"), None, "it is there without a namespace as well");
}

#[test]
fn an_element_is_written_so_that_it_means_the_same_elsewhere() {
    let body = "<?xml version='1.0'?>\n<s:e xmlns:s='urn:s' xmlns='urn:d' xmlns:q=\"urn:q\"><s:b xmlns:q='urn:q2' xmlns:n='urn:n'>\
                <a n:x='1'>t&amp;<c/></a><z xmlns=''/><p:f xmlns:p='urn:p' t='q:int'><g/></p:f></s:b></s:e>";
    let lent = Lent::read(body.as_bytes(), None).unwrap_or_else(|why| panic!("{why:?}"));
    let tree = lent.over(body.as_bytes());
    let written = |expression: &str| {
        let node = read(expression).unwrap().first_node(tree).unwrap().unwrap();
        tree.written(node).into_owned()
    };
    let a = "<a xmlns:n='urn:n' xmlns='urn:d' n:x='1'>t&amp;<c/></a>";
    assert_eq!(written("//*[local-name() = 'a']"), a);
    assert_eq!(written("//*[local-name() = 'c']"), "<c xmlns='urn:d'/>");
    assert_eq!(written("//z"), "<z xmlns=''/>", "what needs nothing is the same bytes");
    let q = "<p:f xmlns:q='urn:q2' xmlns='urn:d' xmlns:p='urn:p' t='q:int'><g/></p:f>";
    assert_eq!(written("//*[local-name() = 'f']"), q, "a prefix in a value is used as well");
    assert_eq!(written("/*"), &body[22..]);
    assert_eq!(written("/"), &body[22..]);
    assert_eq!(written("//@*"), "1");
    // What is written reads back as the same.
    let again = Lent::read(a.as_bytes(), None).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(again.over(a.as_bytes()).namespace(1), "urn:d");
}

/// An element of a few names, attributes and texts, three levels deep.
fn xml() -> impl Strategy<Value = String> {
    let leaf = "[xy ]{0,3}(&amp;)?".prop_map(|text| text);
    leaf.prop_recursive(4, 24, 4, |inner| {
        ("[abc]", prop::option::of("[1-3]"), prop::collection::vec(inner, 0..4)).prop_map(|(name, n, inner)| {
            let n = n.map(|n| format!(" n=\"{n}\"")).unwrap_or_default();
            format!("<{name}{n}>{}</{name}>", inner.concat())
        })
    })
    .prop_map(|inner| format!("<r>{inner}</r>"))
}

fn path() -> impl Strategy<Value = String> {
    let axis = prop::sample::select(vec![
        "",
        "",
        "",
        "@",
        "self::",
        "parent::",
        "ancestor::",
        "ancestor-or-self::",
        "descendant::",
        "descendant-or-self::",
        "following::",
        "following-sibling::",
        "preceding::",
        "preceding-sibling::",
    ]);
    let test = prop::sample::select(vec!["a", "b", "n", "*", "node()", "text()"]);
    let predicate =
        prop::sample::select(vec!["", "", "", "[1]", "[last()]", "[@n]", "[. = 'x']", "[a or b]", "[2][1]"]);
    let step = (axis, test, predicate).prop_map(|(axis, test, predicate)| format!("{axis}{test}{predicate}"));
    let slash = prop::sample::select(vec!["/", "//"]);
    prop::collection::vec((slash, step), 1..5)
        .prop_map(|steps| steps.into_iter().map(|(slash, step)| format!("{slash}{step}")).collect())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in r#"[a-c:*@/\[\]()|.,=<>!+'" 0-9$-]{0,40}"#) {
        let _ = read(&text);
    }

    /// Laws of node sets, whatever the path and the document are.
    #[test]
    fn nodes_are_in_order_and_agree_with_each_other(body in xml(), path in path()) {
        let lent = Lent::read(body.as_bytes(), None).unwrap_or_else(|why| panic!("{why:?} {body}"));
        let tree = lent.over(body.as_bytes());
        let value = |expression: &str| read(expression).unwrap().text(tree).unwrap();
        let nodes = read(&path).unwrap().nodes(tree).unwrap();
        prop_assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(value(&format!("count({path})")), nodes.len().to_string());
        prop_assert_eq!(value(&format!("count({path} | {path})")), nodes.len().to_string());
        prop_assert_eq!(value(&format!("boolean({path})")), (!nodes.is_empty()).to_string());
        prop_assert_eq!(value(&format!("count(({path})[position() mod 2 = 1])")), nodes.len().div_ceil(2).to_string());
        let first = nodes.first().map(|node| tree.value(*node).into_owned()).unwrap_or_default();
        prop_assert_eq!(value(&format!("string({path})")), first);
        // The sides of an axis are taken apart and put together.
        let around = |axis: &str| format!("count(({path})[1]/{axis}::node())");
        let sum = |axes: &[&str]| -> u64 { axes.iter().map(|axis| value(&around(axis)).parse::<u64>().unwrap()).sum() };
        let is_attribute = nodes.first().is_some_and(|node| tree.kind(*node) == crate::xml::Kind::Attribute);
        if !nodes.is_empty() && !is_attribute {
            // Section 2.2: these axes share no node, and have all but attributes.
            let all = sum(&["ancestor", "descendant", "following", "preceding", "self"]);
            prop_assert_eq!(all, value("count(//node())").parse::<u64>().unwrap() + 1);
        }
    }
}
