//! Loads, iterations and trials.

use super::fakes::{load, load_in, rejected, study};
use crate::model::*;
use crate::{Options, Study};
use std::path::Path;
use terms::Nanos;

const HEAD: &str = "study: Loads
vars: { n: 3, wait: 30s }
system: { name: shop, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
exchanges: { a: { http.get: { url: x } }, b: { http.get: { url: x } }, held: { http.listen: { url: x } } }
";

fn text(load: &str) -> String {
    format!("{HEAD}scenarios: {{ busy: {{ load: {{ {load} }}, run: [a] }} }}\n")
}

fn read(load: &str) -> Load {
    study(&text(load)).scenarios[0].parts[0].load.clone()
}

fn codes(text: &str) -> Vec<&'static str> {
    let rejected = load(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
    rejected.mistakes.0.iter().map(|mistake| mistake.code).collect()
}

const fn secs(seconds: i64) -> Nanos {
    Nanos::from_secs(seconds)
}

#[test]
fn open_and_closed() {
    let open = read(
        "arrivals: 12/m, spacing: poisson, ramp: { over: 1m, by: 1/20s }, warm_up: $(wait), hold: 5m, max_in_flight: 9",
    );
    assert_eq!(open.model, Model::Arrivals { profile: Profile::Constant(0.2), spacing: Spacing::Poisson });
    assert_eq!(open.ramp, Some(Ramp { over: secs(60), by: Some(0.05) }));
    assert_eq!((open.warm_up, open.hold), (Some(Extent::Time(secs(30))), Extent::Time(secs(300))));
    assert_eq!(open.max_in_flight, Some(9));
    let closed = read("users: $(n * 2), pacing: 5s, warm_up: 100, count: 5_000");
    assert_eq!(closed.model, Model::Users { count: 6, pacing: Some(secs(5)), stages: Vec::new() });
    assert_eq!((closed.warm_up, closed.hold), (Some(Extent::Count(100)), Extent::Count(5000)));
}

#[test]
fn connections_go_to_the_first_address_unless_all_are_asked_for() {
    let with = |keys: &str| {
        let exchange = format!("a: {{ http.get: {{ url: x }}, connection: {{ {keys} }} }}");
        text("users: 1, hold: 1m").replace("a: { http.get: { url: x } }", &exchange)
    };
    let spread = |found: &Study| found.exchanges[0].settings.all_addresses;
    assert!(!spread(&study(&with("reuse: true"))));
    assert!(!spread(&study(&with("addresses: first"))));
    let all = study(&with("addresses: all"));
    assert!(spread(&all) && spread(&study(&all.effective)), "{}", all.effective);
    assert_eq!(codes(&with("addresses: some")), ["study::unknown-word"]);
}

#[test]
fn a_profile_goes_on_from_where_it_stands() {
    let load = read("arrivals: [ { to: 10/s, over: 10s }, { rate: 20/s, for: 1m }, { to: 0/s, over: 5s } ]");
    let Model::Arrivals { profile: Profile::Pieces(pieces), .. } = &load.model else { panic!() };
    let shown: Vec<_> = pieces.iter().map(|piece| (piece.from, piece.to, piece.length)).collect();
    assert_eq!(shown, [(0.0, 10.0, secs(10)), (20.0, 20.0, secs(60)), (20.0, 0.0, secs(5))]);
    assert_eq!(load.hold, Extent::Time(secs(75)));
}

#[test]
fn users_come_in_stages() {
    let written = "users: [ { to: $(n), over: 10s }, { users: 3, for: 1m }, { users: 9, for: 20s }, { to: 0, over: 5s } ], pacing: 1s";
    let load = read(written);
    let Model::Users { count, pacing, stages } = &load.model else { panic!() };
    let shown: Vec<_> = stages.iter().map(|stage| (stage.from, stage.to, stage.length)).collect();
    assert_eq!(shown, [(0, 3, secs(10)), (3, 3, secs(60)), (9, 9, secs(20)), (9, 0, secs(5))]);
    assert_eq!((*count, *pacing, load.hold), (9, Some(secs(1)), Extent::Time(secs(95))));
    let whole = study(&text(written));
    assert_eq!(study(&whole.effective).scenarios[0].parts[0].load, load, "written out in full, it is the same load");
    // A trial shrinks them; holds of a minimum stay.
    let options = Options { trial: Some(secs(19)), ..Options::default() };
    let (short, _) = load_in(Path::new(""), &text(written), &options).unwrap_or_else(|rejected| panic!("{rejected}"));
    let Model::Users { stages, .. } = &short.scenarios[0].parts[0].load.model else { panic!() };
    assert_eq!((stages[0].length, stages[3].length), (secs(2), secs(1)));
}

#[test]
fn loads_that_make_no_sense_are_refused() {
    for (load, code) in [
        ("users: []", "study::out-of-range"),
        ("users: [ { users: 0, for: 5m } ]", "study::out-of-range"),
        ("users: [ { users: 5, over: 5m } ]", "study::missing-key"),
        ("users: [ { users: 5/s, for: 5m } ]", "study::wrong-unit"),
        ("users: [ { users: 5, for: 5m } ], warm_up: 5m", "study::conflict"),
        ("users: [ { users: 5, for: 5m } ], spacing: even", "study::conflict"),
        ("hold: 5m", "study::missing-key"),
        ("arrivals: 5/s", "study::missing-key"),
        ("arrivals: 5/s, hold: 5m, count: 3", "study::conflict"),
        ("arrivals: 5/s, hold: 5m, pacing: 3s", "study::conflict"),
        ("users: 5, hold: 5m, spacing: even", "study::conflict"),
        ("arrivals: -5/s, hold: 5m", "study::out-of-range"),
        ("arrivals: 5kB, hold: 5m", "study::wrong-unit"),
        ("arrivals: fast, hold: 5m", "study::no-quantity"),
        ("arrivals: 99999999/s, hold: 5m", "study::out-of-range"),
        ("users: 0, hold: 5m", "study::out-of-range"),
        ("users: 5, hold: 400d", "study::out-of-range"),
        ("users: 5, hold: -5m", "study::out-of-range"),
        ("users: 5, count: 5m", "study::wrong-unit"),
        ("users: 5, count: 1.5", "study::no-count"),
        ("users: 5, count: 500 events", "study::unknown-unit"),
        ("users: five per node, hold: 5m", "study::out-of-range"),
        ("users: 0 per node, hold: 5m", "study::out-of-range"),
        ("users: 5 per nodes, hold: 5m", "study::no-count"),
        ("users: 5, nodes: 2, hold: 5m", "study::out-of-range"),
        ("users: 5, nodes: none, hold: 5m", "study::no-count"),
        ("arrivals: 5 per node, hold: 5m", "study::rate-without-unit"),
        ("arrivals: 5/s per stream, hold: 5m", "study::missing-key"),
        ("arrivals: 5/s, hold: 5m, streams: { of: nothing }", "study::unknown-name"),
        ("arrivals: 5/s, hold: 5m, streams: { first: 3 }", "study::missing-key"),
        ("subscribers: 5, hold: 5m", "study::missing-key"),
        ("arrivals: 5/s, hold: 5m, ramp: { over: 1m, by: 5/s }", "study::out-of-range"),
        ("arrivals: 5/s, hold: 5m, ramp: { over: 1m, by: 2 }", "study::missing-unit"),
        ("arrivals: 5/s, hold: 5m, ramp: 1m", "study::wrong-type"),
        ("arrivals: []", "study::out-of-range"),
        ("arrivals: [ { rate: 0/s, for: 5m } ]", "study::out-of-range"),
        ("arrivals: [ { rate: 5/s, over: 5m } ]", "study::missing-key"),
        ("arrivals: [ { rate: 5/s, for: 5m } ], hold: 5m", "study::conflict"),
    ] {
        assert_eq!(codes(&text(load))[0], code, "{load}");
    }
}

#[test]
fn who_writes_per_nodes_is_told_what_was_meant() {
    for (load, meant) in [
        ("arrivals: 5/s per nodes", "did you mean `5/s per node`?"),
        ("arrivals: 5/s per streams", "did you mean `5/s per stream`?"),
        ("users: 5 per nodes", "did you mean `5 per node`?"),
    ] {
        let load = format!("{HEAD}scenarios: {{ busy: {{ load: {{ {load}, hold: 5m }}, run: [a] }} }}\n");
        let label = rejected(&load).mistakes.0[0].label.clone();
        assert_eq!(label.as_deref(), Some(meant), "{load}");
    }
}

#[test]
fn nodes_on_other_machines_are_met_and_not_named() {
    let at = |word: &str| {
        let text = format!(
            "{HEAD}nodes: {{ at: {word} }}\nscenarios: {{ busy: {{ load: {{ users: 5, hold: 5m }}, run: [a] }} }}\n"
        );
        let mistakes = rejected(&text).mistakes.0;
        assert_eq!(mistakes.len(), 1, "{mistakes:?}");
        mistakes.into_iter().next().unwrap()
    };
    let other = at("elsewhere");
    let (label, hint) = (other.label.unwrap_or_default(), other.hint.unwrap_or_default());
    assert_eq!((other.code, label.as_str()), ("study::unknown-word", "write `local`, or remove `at`"));
    assert!(
        hint.contains("`loadproof node --nats URL`") && hint.contains("`loadproof run STUDY --nats URL`"),
        "{hint}"
    );
    for (word, instead) in
        [("ssh", "`loadproof node --nats URL` on each machine"), ("kubernetes", "`deploy/kubernetes`")]
    {
        let mistake = at(word);
        assert_eq!(mistake.code, "study::not-yet");
        assert!(mistake.message.contains(instead), "{}", mistake.message);
        assert!(mistake.hint.unwrap_or_default().contains("`loadproof run STUDY --nats URL`"));
    }
}

#[test]
fn numbers_per_node_are_those_of_all_nodes_of_the_load() {
    let with = |load: &str| {
        format!("{HEAD}nodes: {{ count: 4, cores: 2 }}\nscenarios: {{ busy: {{ load: {{ {load} }}, run: [a] }} }}\n")
    };
    let read = |load: &str| study(&with(load));
    let users = |load: &str| match &read(load).scenarios[0].parts[0].load.model {
        Model::Users { count, .. } => *count,
        other => panic!("{other:?}"),
    };
    assert_eq!(users("users: 5 per node, hold: 5m"), 20);
    assert_eq!(users("users: 5 per node, nodes: 2, hold: 5m"), 10);
    assert_eq!(users("users: 5, nodes: 2, hold: 5m"), 5);
    let rate = |load: &str| match &read(load).scenarios[0].parts[0].load.model {
        Model::Arrivals { profile: Profile::Constant(rate), .. } => *rate,
        other => panic!("{other:?}"),
    };
    assert_eq!(rate("arrivals: 50/s per node, hold: 5m"), 200.0);
    assert_eq!(rate("arrivals: 50/s per node, nodes: 3, hold: 5m"), 150.0);
    let whole = read("users: 5 per node, nodes: 2, hold: 5m");
    assert_eq!((whole.nodes, whole.cores, whole.scenarios[0].parts[0].load.nodes), (4, Some(2), Some(2)));
    // What the run folder keeps says the same once more.
    let again = study(&whole.effective);
    assert_eq!(again.effective, whole.effective);
    assert_eq!((again.nodes, again.cores, again.scenarios[0].parts[0].load.nodes), (4, Some(2), Some(2)));
}

#[test]
fn a_study_that_listens_has_one_node() {
    let text = format!(
        "{HEAD}nodes: {{ count: 2 }}\nlisteners: {{ replies: {{ http: {{ port: 8090 }} }} }}\n\
         scenarios: {{ busy: {{ load: {{ users: 1, hold: 1m }}, run: [a] }} }}\n"
    );
    assert_eq!(codes(&text), ["study::conflict"]);
}

#[test]
fn iterations_are_read_and_wrong_ones_refused() {
    let with = |run: &str| format!("{HEAD}scenarios: {{ busy: {{ load: {{ users: 1, hold: 1m }}, run: {run} }} }}\n");
    let found = study(&with(
        "[ a, think: $(wait), choose: { a: 25%, b: 75% }, { times: $(n), run: [b] }, times: 2, run: [a] ]",
    ));
    let expected = [
        Item::Exchange(0),
        Item::Think(Think::Fixed(secs(30))),
        Item::Choose(vec![
            Choice { name: "a".into(), share: 0.25, run: vec![Item::Exchange(0)] },
            Choice { name: "b".into(), share: 0.75, run: vec![Item::Exchange(1)] },
        ]),
        Item::Times(3, vec![Item::Exchange(1)]),
        Item::Times(2, vec![Item::Exchange(0)]),
    ];
    assert_eq!(found.scenarios[0].parts[0].run, expected);
    for (run, code) in [
        ("[ think: 2s ]", "study::empty"),
        ("[ choose: { a: 25%, b: 70% } ]", "study::weights"),
        ("[ choose: { a: 1, b: 1 } ]", "study::missing-unit"),
        ("[ a: { url: y } ]", "study::not-yet"),
        ("[ held ]", "study::conflict"),
        ("[ times: 3 ]", "study::missing-key"),
        ("[ { times: 2000, run: [ { times: 2000, run: [a] } ] } ]", "study::out-of-range"),
        ("[ c ]", "study::unknown-name"),
        ("[ [a] ]", "study::wrong-type"),
    ] {
        assert_eq!(codes(&with(run))[0], code, "{run}");
    }
}

#[test]
fn calls_at_once_are_read_and_wrong_ones_refused() {
    let head = HEAD.replacen(
        "exchanges: {",
        "exchanges: { one: { http.get: { url: x }, capture: { id: json($.id) } }, \
         two: { http.get: { url: x }, capture: { id: json($.n) } }, uses: { http.get: { url: 'x/$(id)' } },",
        1,
    );
    let with = |run: &str| format!("{head}scenarios: {{ busy: {{ load: {{ users: 1, hold: 1m }}, run: {run} }} }}\n");
    let run = "[ parallel: [ a, b, a ], at_once: 2, { times: 2, run: [ { parallel: [b] } ] }, \
               { parallel: [ a, one ], at_once: $(n) }, uses ]";
    let found = study(&with(run));
    let number = |name: &str| found.exchanges.iter().position(|exchange| exchange.name == name).unwrap() as u16;
    let (a, b) = (number("a"), number("b"));
    let item = |place: usize, calls: &[u16], at_once| {
        let parallel = Item::Parallel(Parallel { calls: calls.to_vec(), at_once });
        Item::Transaction(found.transaction_number(place), vec![parallel])
    };
    // Never more at a time than there are calls.
    let expected = [
        item(0, &[a, b, a], 2),
        Item::Times(2, vec![item(1, &[b], 1)]),
        item(2, &[a, number("one")], 2),
        Item::Exchange(number("uses")),
    ];
    assert_eq!(found.scenarios[0].parts[0].run, expected);
    assert_eq!(found.transactions, ["parallel a, b, a", "parallel b", "parallel a, one"]);
    assert_eq!((connections_of(&expected), exchanges_of(&expected).len(), also_alone(&expected).len()), (2, 4, 0));
    assert_eq!(also_alone(&[item(0, &[b, a], 2), Item::Exchange(b)]), [b]);
    assert_eq!(
        study(&found.effective).scenarios[0].parts[0].run,
        expected,
        "written out in full, it is the same study"
    );
    for (run, code) in [
        ("[ parallel: [] ]", "study::empty"),
        ("[ parallel: [ a, think: 1s ] ]", "study::wrong-type"),
        ("[ parallel: [ a, { parallel: [b] } ] ]", "study::wrong-type"),
        ("[ parallel: [ a, c ] ]", "study::unknown-name"),
        ("[ parallel: [ a, held ] ]", "study::conflict"),
        ("[ parallel: [ a, b ], at_once: 0 ]", "study::out-of-range"),
        ("[ parallel: [ a, b ], at_once: 65 ]", "study::out-of-range"),
        ("[ { parallel: [ a, b ], at_most: 3 } ]", "study::unknown-key"),
        ("[ a, at_once: 3 ]", "study::missing-key"),
        ("[ parallel: [ one, two ] ]", "study::conflict"),
        ("[ parallel: [ one, uses ] ]", "study::capture-before"),
    ] {
        assert_eq!(codes(&with(run))[0], code, "{run}");
    }
    study(&with("[ one, { parallel: [ uses, two, uses ] } ]"));
}

#[test]
fn transactions_are_read_and_numbered_behind_the_exchanges() {
    let with = |run: &str, rules: &str| {
        format!(
            "{HEAD}scenarios: {{ busy: {{ load: {{ users: 1, hold: 1m }}, run: {run} }} }}\nrequirements: {{ {rules} }}\n"
        )
    };
    let run =
        "[ a, transaction: buy, run: [ a, think: 1s, { transaction: pay, run: [b] } ], transaction: buy, run: [b] ]";
    let found =
        study(&with(run, "fast: p95(buy.response) < 3s, right: share(pay.failed) <= 1%, calls: count(*.ok) > 3"));
    let pay = Item::Transaction(4, vec![Item::Exchange(1)]);
    let expected = [
        Item::Exchange(0),
        Item::Transaction(3, vec![Item::Exchange(0), Item::Think(Think::Fixed(secs(1))), pay]),
        Item::Transaction(3, vec![Item::Exchange(1)]),
    ];
    assert_eq!(found.scenarios[0].parts[0].run, expected);
    assert_eq!((found.transactions.as_slice(), found.numbered()), (&["buy".to_owned(), "pay".to_owned()][..], 5));
    let named = |place: usize| match &found.requirements[place].applies[0].rule.clauses[0] {
        rule::Clause::Compare { sums, .. } => match &sums[0] {
            rule::Expression::Statistic(statistic) => statistic.series.subject.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    let of = |place: usize| match named(place) {
        rule::Subject::Exchanges { exchanges, .. } => exchanges,
        other => panic!("{other:?}"),
    };
    assert_eq!([of(0), of(1), of(2)], [vec![3], vec![4], vec![0, 1]], "`*` counts each call once");
    // Written out in full, it is the same study.
    assert_eq!(study(&found.effective).scenarios[0].parts[0].run, expected);
    for (run, rules, code) in [
        ("[ transaction: buy ]", "", "study::missing-key"),
        ("[ transaction: buy, run: [ think: 1s ] ]", "", "study::empty"),
        ("[ transaction: a, run: [a] ]", "", "study::duplicate-name"),
        ("[ transaction: no name, run: [a] ]", "", "study::bad-name"),
        ("[ transaction: buy, run: [ { transaction: buy, run: [a] } ] ]", "", "study::conflict"),
        ("[ transaction: buy, run: [ a ] ]", "r: p95(buy.lateness) < 1s", "study::wrong-series"),
        ("[ transaction: buy, run: [ a ] ]", "r: p95(bought) < 1s", "study::unknown-name"),
    ] {
        assert_eq!(codes(&with(run, rules))[0], code, "{run} {rules}");
    }
}

#[test]
fn branches_loops_and_waits_are_read_in_a_list_of_one_line_and_of_several() {
    let study = |run: &str| {
        format!(
            "study: Flow\nsystem: {{ name: x, url: \"http://127.0.0.1:1\", identity: {{ expect: {{ a: b }} }} }}\nexchanges:\n  a: {{ http.get: {{ url: x }}, capture: {{ ids: \"json($.ids[*], all)\", next: {{ from: json($.next), optional: true }} }} }}\n  b: {{ http.get: {{ url: \"$(id)\" }} }}\nscenarios: {{ s: {{ load: {{ users: 1, hold: 1m }}, run: {run} }} }}\n"
        )
    };
    let run = |text: &str| super::fakes::study(&study(text)).scenarios[0].parts[0].run.clone();
    let loops = run("[ a, for each: ids, as: id, most: 5, run: [ b ], while: $(next), most: 3, run: [ a ] ]");
    assert!(
        matches!(&loops[..], [Item::Exchange(0), Item::ForEach(list, inner), Item::While(next, 3, again)]
        if (list.list, list.member, list.most) == (0, 2, 5) && *inner == [Item::Exchange(1)]
            && next.left == "$(next)" && *again == [Item::Exchange(0)]),
        "{loops:?}"
    );
    let each = "{ for each: ids, as: id, most: 5, run: [ b ] }";
    let branch = run(&format!("[ a, {{ if: $(next) = x, then: [ a ], else: [ {each} ] }} ]"));
    assert!(
        matches!(&branch[1], Item::If(_, then, otherwise) if then.len() == 1 && otherwise.len() == 1),
        "{branch:?}"
    );
    let waits = run(&format!("[ {each}, think: 1s to 5s, think: exponential(2s) ]"));
    let expected = [Item::Think(Think::Between(secs(1), secs(5))), Item::Think(Think::Exponential(secs(2)))];
    assert_eq!(waits[1..], expected);
    let ways = run(&format!("[ choose: {{ a: 40%, both: {{ share: 60%, run: [ a, {each} ] }} }} ]"));
    assert!(
        matches!(&ways[0], Item::Choose(ways) if ways[1].share == 0.6 && ways[1].name == "both" && ways[1].run.len() == 2),
        "{ways:?}"
    );
    for (run, code) in [
        ("[ think: 5s to 1s ]", "study::out-of-range"),
        ("[ if: yes, then: [ a ] ]", "study::bad-condition"),
        ("[ if: $(nobody), then: [ a ] ]", "study::unknown-name"),
        ("[ then: [ a ] ]", "study::missing-key"),
        ("[ while: $(next), run: [ a ] ]", "study::missing-key"),
        ("[ for each: next, as: id, most: 5, run: [ b ] ]", "study::conflict"),
        ("[ for each: idz, as: id, most: 5, run: [ b ] ]", "study::unknown-name"),
        ("[ for each: ids, as: next, most: 5, run: [ a ] ]", "study::duplicate-name"),
        ("[ choose: { both: { share: 100% } } ]", "study::missing-key"),
    ] {
        assert!(codes(&study(run)).contains(&code), "{run}: {:?}", codes(&study(run)));
    }
    let deep = (0..5).fold("a".to_owned(), |inner, _| format!("{{ while: $(next), most: 2, run: [ {inner} ] }}"));
    assert!(codes(&study(&format!("[ {deep}, {each} ]"))).contains(&"study::out-of-range"));
}

#[test]
fn what_an_iteration_does_comes_back_from_the_effective_study() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.csv"), "name\nada\n").unwrap();
    let (first, _) = load_in(
        folder.path(),
        "study: Flow\nsystem: { name: shop, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }\n\
         data: { users: { file: users.csv, pick: shuffled } }\nexchanges:\n\
         \x20 a: { http.get: { url: x }, capture: { ids: \"json($.ids[*], all)\", one: { from: regex(x), pick: any }, next: { from: json($.next), optional: true, secret: true } }, connection: { idle: 4s } }\n\
         \x20 b: { http.get: { url: $(id) } }\nscenarios:\n  s:\n    load: { users: 1, hold: 1m }\n    run:\n\
         \x20     - choose: { a: 40%, twin: { share: 30%, run: [ a ] }, both: { share: 30%, run: [ a, think: exponential(2s) ] } }\n\
         \x20     - { for each: ids, as: id, most: 5, run: [ b, { if: not $(next) = 'a b', then: [ a ], else: [ think: 1s to 3s ] } ] }\n\
         \x20     - { while: $(next) contains \"x\", most: 3, run: [ { times: 2, run: [ a ] } ] }\n",
        &Options::default(),
    )
    .unwrap_or_else(|rejected| panic!("{rejected}"));
    let (again, _) = load_in(Path::new("/elsewhere"), &first.effective, &super::fakes::archived())
        .unwrap_or_else(|rejected| panic!("{rejected}\n{}", first.effective));
    assert_eq!(again.effective, first.effective);
    let run =
        |study: &Study| format!("{:?}", study.scenarios[0].parts[0].run.iter().map(without_places).collect::<Vec<_>>());
    assert_eq!(run(&again), run(&first));
    let captured = |study: &Study| {
        study.exchanges[0].settings.captures.iter().map(|it| (it.pick, it.is_optional)).collect::<Vec<_>>()
    };
    assert_eq!(captured(&again), captured(&first));
    assert_eq!(again.exchanges[0].settings.idle, Some(secs(4)));
    assert_eq!(again.data[0].order, RowOrder::Shuffled);
}

/// An item as text, wherever it stands.
fn without_places(item: &Item) -> String {
    let text = format!("{item:?}");
    text.split("place: Place {").map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect()
}

fn trial(scenarios: &str, seconds: i64) -> Study {
    let text = format!("{HEAD}scenarios: {{ {scenarios} }}\n");
    let options = Options { trial: Some(secs(seconds)), ..Options::default() };
    load_in(Path::new("/nonexistent"), &text, &options).unwrap_or_else(|rejected| panic!("{rejected}")).0
}

#[test]
fn a_trial_shrinks_phases_and_waits_by_one_factor() {
    // 1 + 1 + 2 + 10 + 1 + 4 + 1 = 20 minutes, so 2 minutes are a tenth.
    let study = trial(
        "busy: { load: { arrivals: 5/s, ramp: { over: 1m }, warm_up: 2m, hold: 10m }, run: [a, think: 9s], idle: 1m, drain: 1m, recovery: 4m, gap: 1m }",
        120,
    );
    let scenario = &study.scenarios[0];
    assert_eq!(
        (scenario.idle, scenario.drain, scenario.recovery, scenario.gap),
        (secs(6), Some(secs(6)), secs(24), secs(6))
    );
    assert_eq!(scenario.parts[0].load.ramp.unwrap().over, secs(6));
    assert_eq!(
        (&scenario.parts[0].load.warm_up, &scenario.parts[0].load.hold),
        (&Some(Extent::Time(secs(12))), &Extent::Time(secs(60)))
    );
    assert_eq!(scenario.parts[0].run[1], Item::Think(Think::Fixed(secs(9))), "think times make the load; they stay");
    assert_eq!(study.trial.as_ref().unwrap().factor, 0.1);
}

#[test]
fn a_hold_stays_at_least_three_seconds_and_that_is_said() {
    let study =
        trial("a: { load: { users: 5, hold: 1h }, run: [a] }, b: { load: { users: 5, hold: 2s }, run: [a] }", 2);
    assert_eq!(study.scenarios[0].parts[0].load.hold, Extent::Time(secs(3)));
    assert_eq!(study.scenarios[1].parts[0].load.hold, Extent::Time(secs(2)), "never longer than written");
    assert_eq!(study.trial.unwrap().left_out.len(), 3);
}

#[test]
fn counts_shrink_and_short_studies_stay() {
    let study = trial("a: { load: { arrivals: 10/s, warm_up: 100, count: 900 }, run: [a] }", 10);
    let load = &study.scenarios[0].parts[0].load;
    assert_eq!((&load.warm_up, &load.hold), (&Some(Extent::Count(10)), &Extent::Count(90)));
    let study = trial("a: { load: { arrivals: 10/s, hold: 10s }, run: [a] }", 60);
    assert_eq!(study.scenarios[0].parts[0].load.hold, Extent::Time(secs(10)));
    assert_eq!(study.trial, None, "all of it is carried out");
}

#[test]
fn a_count_of_users_keeps_its_number_and_ends_after_its_share_of_a_trial() {
    let scenarios = "bulk: { load: { users: 4, warm_up: 1000, count: 10000 }, run: [a], idle: 5s }";
    // The quiet phase fits into its half, and the load has the rest.
    let study = trial(scenarios, 30);
    let load = &study.scenarios[0].parts[0].load;
    assert_eq!((&load.warm_up, &load.hold, load.at_most), (&None, &Extent::Count(10_000), Some(secs(25))));
    let told = &study.trial.as_ref().unwrap().left_out;
    assert!(told.iter().any(|text| text.contains("ends after 25s, or with its 10000 iterations")), "{told:?}");
    assert!(told.iter().any(|text| text.ends_with("`bulk`: its warm-up of 1000 iterations")), "{told:?}");
    // What the run folder keeps has the same bound, and it is no trial of a trial.
    let again = load_in(Path::new("/nonexistent"), &study.effective, &Options::default()).unwrap().0;
    assert_eq!(again.scenarios[0].parts[0].load.at_most, Some(secs(25)));
    // A hold of less than three seconds shows nothing.
    let short = trial(scenarios, 3);
    assert_eq!((short.scenarios[0].idle, short.scenarios[0].parts[0].load.at_most), (secs(2), Some(secs(3))));
}

#[test]
fn loads_by_count_and_by_time_share_a_trial() {
    let both = "bulk: { load: { users: 2, count: 1000 }, run: [a] }, \
                timed: { load: { users: 2, hold: 45m }, run: [a] }";
    let study = trial(both, 30);
    // One of each: the timed one has two thirds, for itself and the phases around both.
    assert_eq!(study.scenarios[0].parts[0].load.at_most, Some(secs(10)));
    assert_eq!(study.scenarios[1].parts[0].load.hold, Extent::Time(secs(20)));
}

#[test]
fn what_prepares_something_stays_whole_in_a_trial() {
    let fill = "fill: { load: { users: 2, count: 1000 }, run: [a], idle: 5s, shorten: false }, \
                read: { load: { users: 2, hold: 45m }, run: [a] }";
    let study = trial(fill, 30);
    let [filled, read] = study.scenarios.as_slice() else { panic!() };
    assert_eq!((filled.idle, filled.parts[0].load.at_most), (secs(5), None));
    assert_eq!((&filled.parts[0].load.hold, &read.parts[0].load.hold), (&Extent::Count(1000), &Extent::Time(secs(30))));
    let told = study.trial.unwrap().left_out;
    assert!(told.iter().any(|text| text.contains("`fill` is not shortened and comes on top")), "{told:?}");
    let again = load_in(Path::new("/nonexistent"), &study.effective, &Options::default()).unwrap().0;
    assert!(again.scenarios[0].is_whole && !again.scenarios[1].is_whole);
}

#[test]
fn only_a_count_of_users_can_be_bounded() {
    let code = |load: &str| codes(&format!("{HEAD}scenarios: {{ a: {{ load: {load}, run: [a] }} }}\n"));
    study(&format!("{HEAD}scenarios: {{ a: {{ load: {{ users: 2, count: 10, at_most: 5s }}, run: [a] }} }}\n"));
    for load in ["{ users: 2, hold: 10s, at_most: 5s }", "{ arrivals: 5/s, count: 10, at_most: 5s }"] {
        assert_eq!(code(load), ["study::conflict"], "{load}");
    }
    assert_eq!(code("{ users: 2, count: 10, at_most: 5 }").len(), 1);
    // It has to reach into the hold.
    let ramped =
        |longest: &str| format!("{{ users: 2, ramp: {{ over: 2s }}, warm_up: 3s, count: 10, at_most: {longest} }}");
    assert_eq!(code(&ramped("5s")), ["study::out-of-range"]);
    // One that must not be there at all is not asked to be longer.
    assert_eq!(code("{ users: 2, ramp: { over: 9s }, hold: 10s, at_most: 5s }"), ["study::conflict"]);
    study(&format!("{HEAD}scenarios: {{ a: {{ load: {}, run: [a] }} }}\n", ramped("6s")));
}

/// A study as large as its bounds allow is read in a moment; one beyond them is refused.
#[test]
fn a_large_study_is_read_and_a_larger_one_refused() {
    let large = |count: usize| {
        let exchanges: String = (0..count).map(|n| format!("  e{n}: {{ http.get: {{ url: x }} }}\n")).collect();
        let run: Vec<_> = (0..count).map(|n| format!("e{n}")).collect();
        let rules: String = (0..count).map(|n| format!("  r{n}: share(e{n}.failed) < 1%\n")).collect();
        let head = HEAD.lines().take(3).collect::<Vec<_>>().join("\n");
        format!(
            "{head}\nexchanges:\n{exchanges}scenarios:\n  s: {{ load: {{ users: 1, hold: 1m }}, run: [{}] }}\nrequirements:\n{rules}",
            run.join(", ")
        )
    };
    assert_eq!(study(&large(1000)).requirements.len(), 1000);
    assert!(codes(&large(1001)).contains(&"study::too-large"));
}

#[test]
fn a_trial_does_not_count_what_only_a_rule_brings_about() {
    let study = trial(
        "a: { adapt: { n: [3, 2, 1], again: share(a.failed) > 0% }, load: { users: 5, hold: 10m }, run: [a] }",
        60,
    );
    assert!(study.scenarios.iter().all(|scenario| scenario.parts[0].load.hold == Extent::Time(secs(60))));
    let trial = study.trial.unwrap();
    assert_eq!(trial.factor, 0.1);
    assert!(trial.left_out.iter().any(|text| text.ends_with("comes on top: up to 2m more")), "{:?}", trial.left_out);
}
