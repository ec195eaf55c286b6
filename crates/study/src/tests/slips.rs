//! A slip in one place hides no mistake in another, and causes none.

use super::fakes::rejected;

/// The mistakes of a study, each by its place and what is marked there.
fn marked(text: &str) -> Vec<String> {
    let rejected = rejected(text);
    let mark = |place: contract::Place| {
        let line = text.lines().nth(place.line as usize - 1).unwrap_or_default();
        line.chars().skip(place.column as usize - 1).take(place.length as usize).collect::<String>()
    };
    let mistakes = rejected.mistakes.0.iter();
    mistakes.map(|mistake| format!("{} {}", mistake.code, mistake.place.map(mark).unwrap_or_default())).collect()
}

/// A study with these exchanges, requirements and abort rules, all of which its scenario carries out.
fn study(exchanges: &str, run: &str, abort: &str, requirements: &str) -> String {
    format!(
        "study: Checkout
system: {{ name: shop, url: \"http://127.0.0.1:8080\", identity: {{ expect: {{ name: shop }} }} }}
watch: {{ host: {{}} }}
exchanges:
{exchanges}
scenarios:
  busy: {{ load: {{ users: 5, hold: 5m }}, run: [{run}], abort: [{abort}] }}
requirements:
{requirements}
"
    )
}

#[test]
fn a_needed_key_that_is_misspelt_is_one_mistake() {
    let exchanges = "  search: { http.get: { ulr: $(shop.url)/search } }";
    let text = study(exchanges, "search", "", "  fast: { taht: p95(search.response) < 300 }");
    assert_eq!(marked(&text), ["study::unknown-key ulr", "study::unknown-key taht", "study::missing-unit 300"]);
    for (load, found) in [
        ("arivals: 5/s, hold: 5m", vec!["study::unknown-key arivals"]),
        ("arivals: 250, hold: 5m", vec!["study::unknown-key arivals", "study::rate-without-unit 250"]),
        ("arrivals: 5/s, hodl: 5m", vec!["study::unknown-key hodl"]),
        ("arrivals: [ { rat: 200/s, for: 5m } ]", vec!["study::unknown-key rat"]),
        ("users: [ { users: 5, far: 5m } ]", vec!["study::unknown-key far"]),
        ("arrivals: 5/s, hold: 5m, ramp: { ovre: 1m }", vec!["study::unknown-key ovre"]),
        ("rate: 5/s, hold: 5m", vec!["study::missing-key {", "study::unknown-key rate"]),
    ] {
        let text = text.replace("ulr", "url").replace("taht", "that").replace("< 300", "< 300ms");
        assert_eq!(marked(&text.replace("users: 5, hold: 5m", load)), found, "{load}");
    }
}

#[test]
fn what_stands_under_a_misspelt_key_is_known_everywhere() {
    let text = "study: Checkout
system: { instnces: { shop: { ulr: \"http://127.0.0.1:8080\", idenity: { expect: { name: shop } } } } }
wathc: { host: {} }
exchnages:
  login: { http.post: { url: $(shop.url)/login }, captrue: { token: json($.token) } }
  search: { http.get: { url: $(shop.url)/search, headers: { x: $(token) } } }
scenaros:
  busy: { laod: { users: $(users), hold: 5m }, rnu: [login, search], gird: { users: [5, 10] }, aborrt: [ share(search.failed) > 20 for 10s ] }
vras: { users: 5 }
requirments:
  fast: p95(search.response) < 300
  cpu: max(host.cpu) < 80%
";
    let words = [
        "instnces",
        "ulr",
        "idenity",
        "wathc",
        "exchnages",
        "captrue",
        "scenaros",
        "laod",
        "rnu",
        "gird",
        "aborrt",
        "20",
        "vras",
        "requirments",
        "300",
    ];
    let found = marked(text);
    let found: Vec<&str> = found.iter().filter_map(|mistake| mistake.split_once(' ')).map(|(_, mark)| mark).collect();
    assert_eq!(found, words);
}
