//! `check` for people and for programs, `check --once`, and what `quick` says of what it was given.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, target};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

fn study(url: &str, more: &str) -> String {
    format!(
        "study: Checked\nsystem: {{ name: shop }}\nexchanges:\n  home: {{ http.get: {{ url: '{url}' }} }}\n{more}\
         scenarios:\n  busy: {{ load: {{ arrivals: 20/s, hold: 3s }}, run: [home] }}\n"
    )
}

#[test]
fn a_program_gets_mistakes_warnings_and_the_plan_in_one_object() {
    let place = Place::new();
    place.file("study.yaml", &study("http://192.0.2.1/?token=plain-Otter-2718", ""));
    let proxy = [("http_proxy", "http://127.0.0.1:1")];
    let ran = place.loadproof_with(&["check", "study.yaml", "--json"], &proxy);
    let told = ran.json();
    assert_eq!((ran.code, &told["schema"], &told["study"]), (0, &"loadproof/check/1".into(), &"Checked".into()));
    assert_eq!(told["mistakes"], serde_json::json!([]));
    let warnings = told["warnings"].as_array().unwrap();
    let is_placed = |w: &serde_json::Value| w["code"] == "study::written-secret" && w["line"] == 4;
    assert!(warnings.iter().any(is_placed), "{told:#}");
    let is_sentence = |w: &serde_json::Value| w["code"].is_null() && w["message"].as_str().unwrap().contains("proxy");
    assert!(warnings.iter().any(is_sentence), "{told:#}");
    let steps = told["plan"]["scenarios"][0]["steps"].as_array().unwrap();
    let hold = steps.iter().find(|step| step["id"] == "hold").unwrap();
    assert_eq!((&hold["iterations"], &hold["length_ns"]), (&60.into(), &3_000_000_000u64.into()), "{told:#}");
    assert!(!ran.stdout.contains("Otter"), "{told:#}");

    place.file("study.yaml", &study("http://192.0.2.1/", "").replace("hold: 3s", "holt: 3s").replace("20/s", "20"));
    let (ran, plain) = (place.loadproof(&["check", "study.yaml", "--json"]), place.loadproof(&["check", "study.yaml"]));
    let told = ran.json();
    assert_eq!((ran.code, plain.code), (2, 2), "{told:#}");
    assert_eq!(ran.stderr, plain.stderr, "people see the same");
    let mistakes = told["mistakes"].as_array().unwrap();
    let unknown = mistakes.iter().find(|mistake| mistake["code"] == "study::unknown-key").unwrap();
    assert_eq!((&unknown["file"], &unknown["line"]), (&"study.yaml".into(), &6.into()), "{told:#}");
    for key in ["message", "column", "label"] {
        assert!(!unknown[key].is_null(), "{key}: {told:#}");
    }
    assert!(told["plan"].is_null(), "{told:#}");

    let told = place.loadproof(&["check", "study.yaml", "--json", "--set", "x"]).json();
    assert!(told["mistakes"][0]["message"].as_str().unwrap().contains("`--set x`"), "{told:#}");
}

#[test]
fn a_secret_that_nobody_has_filled_in_is_warned_of_and_no_run_begins() {
    let place = Place::new();
    place.file("commands.sh", "curl -H 'Authorization: Bearer plain-Otter-2718' http://127.0.0.1:9/look\n");
    let made = place.loadproof(&["new", "shop", "--from", "commands.sh"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let checked = place.loadproof(&["check", "shop/study.yaml"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    assert!(checked.stderr.contains("study::placeholder-secret"), "{}", checked.stderr);
    let ran = place.loadproof(&["run", "shop/study.yaml"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let refused = "error: the secret `TOKEN` has not been filled in: `shop/secrets/TOKEN` still holds the placeholder";
    assert!(ran.stderr.contains(refused), "{}", ran.stderr);
    assert!(!place.path().join("runs").exists());

    place.file("shop/secrets/TOKEN", "plain-Otter-2718\n");
    let checked = place.loadproof(&["check", "shop/study.yaml"]);
    assert!(!checked.stderr.contains("placeholder"), "{}", checked.stderr);
    let ran = place.loadproof(&["run", "shop/study.yaml"]);
    assert!(!ran.stderr.contains("placeholder"), "what refuses now is the address: {}", ran.stderr);
}

#[test]
fn people_see_what_an_iteration_does_which_rows_it_takes_and_how_many_users_there_are() {
    let place = Place::new();
    place.file("who.csv", "name\nada\nbob\ncy\n");
    place.file("word.csv", "word\na\nb\n");
    place.file(
        "study.yaml",
        "study: Flow\nsystem: { name: shop }\nvars: { s: 'http://192.0.2.1' }\ndata: { who: { file: who.csv }, word: { file: word.csv } }\nexchanges:\n\
         \x20 login: { http.get: { url: '$(s)/$(who.name)' } }\n\x20 home: { http.get: { url: $(s) }, capture: { next: { from: json($.next), optional: true } } }\n\
         \x20 find: { http.get: { url: '$(s)/?q=$(word.word)' } }\nscenarios:\n  visit:\n\
         \x20   load: { users: [ { to: 3, over: 3s }, { users: 3, for: 10s }, { users: 6, for: 5s } ] }\n\
         \x20   set_up: [ login: per user ]\n\
         \x20   run: [ home, think: 1s to 2s, { choose: { find: 25%, home: 75% } }, { while: $(next), most: 4, run: [home] }, { transaction: twice, run: [ { times: 2, run: [find] } ] } ]\n",
    );
    let ran = place.loadproof(&["check", "study.yaml"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    for said in [
        "closed, up to 6 users",
        "an iteration: home ×1.75 (at most 6), find ×2.25 (at most 3), transaction twice ×1; thinks for 1.5s on average",
        "the 3 rows of `who`: user i takes row i, which it keeps: its set-up uses it; after the last the first comes again",
        "the 2 rows of `word`: iteration i takes row i; after the last the first comes again",
    ] {
        assert!(ran.stdout.contains(said), "{said}\n{}", ran.stdout);
    }
    let line = |id: &str| ran.stdout.lines().find(|line| line.trim_start().starts_with(id)).map(str::to_owned);
    assert!(line("ramp 0 to 3 users").unwrap().contains("3 users"), "{}", ran.stdout);
    assert!(line("hold 2").unwrap().contains("6 users"), "{}", ran.stdout);

    let told = place.loadproof(&["check", "study.yaml", "--json"]).json();
    let flow = &told["plan"]["scenarios"][0]["iterations"][0];
    let call = |name: &str| flow["calls"].as_array().unwrap().iter().find(|call| call["name"] == name).unwrap();
    let often = |name: &str| [&call(name)["mean"], &call(name)["most"]].map(|times| times.as_f64().unwrap());
    assert_eq!((often("home"), often("find"), often("twice")), ([1.75, 6.0], [2.25, 3.0], [1.0, 1.0]), "{flow:#}");
    assert_eq!((&call("twice")["is_transaction"], &call("home")["is_transaction"]), (&true.into(), &false.into()));
    assert_eq!((&flow["part"], flow["think_s"].as_f64()), (&serde_json::Value::Null, Some(1.5)), "{flow:#}");
    let data: Vec<_> = flow["data"].as_array().unwrap().iter().map(|set| (&set["name"], &set["taken_by"])).collect();
    assert_eq!(data, [(&"who".into(), &"user".into()), (&"word".into(), &"iteration".into())], "{flow:#}");
}

#[test]
fn a_user_has_the_row_that_check_says_in_its_set_up_and_in_every_iteration() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                while let Some(first) = lines.find(|line| line.starts_with("GET ")) {
                    let _ = sender.send(first.split(' ').nth(1).unwrap().to_owned());
                    let _ = lines.find(String::is_empty);
                    if stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").is_err() {
                        return;
                    }
                }
            });
        }
    });
    let place = Place::new();
    place.file("who.csv", "name\nada\nbob\ncy\n");
    place.file("word.csv", "word\na\nb\nc\nd\ne\n");
    place.file(
        "study.yaml",
        &format!(
            "study: Rows\nsystem: {{ name: shop }}\nvars: {{ s: 'http://127.0.0.1:{port}' }}\n\
             data: {{ who: {{ file: who.csv }}, word: {{ file: word.csv }} }}\nexchanges:\n\
             \x20 login: {{ http.get: {{ url: '$(s)/login/$(user.n)/$(who.name)' }} }}\n\
             \x20 find: {{ http.get: {{ url: '$(s)/find/$(user.n)/$(who.name)?q=$(word.word)&n=$(serial)' }} }}\n\
             scenarios:\n  visit: {{ load: {{ users: 5, count: 60 }}, set_up: [ login: per user ], run: [find] }}\n"
        ),
    );
    let check = place.loadproof(&["check", "study.yaml"]);
    for said in
        ["the 3 rows of `who`: user i takes row i, which it keeps", "the 5 rows of `word`: iteration i takes row i"]
    {
        assert!(check.stdout.contains(said), "{said}: {check:#?}");
    }
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 3), "{ran:#?}");
    let asked: Vec<String> = asked.try_iter().filter(|path| path.len() > 1).collect();
    let of = |word: &str| asked.iter().filter(|path| path.starts_with(word)).collect::<Vec<_>>();
    assert_eq!((of("/login/").len(), of("/find/").len()), (5, 60), "{asked:?}");
    for path in &asked {
        let mut parts = path.split(['/', '?', '=', '&']).skip(1);
        let (is_login, user) = (parts.next() == Some("login"), parts.next().unwrap().parse::<usize>().unwrap());
        assert_eq!(parts.next(), Some(["ada", "bob", "cy"][user % 3]), "{path}");
        if !is_login {
            let (word, number) = (parts.nth(1).unwrap(), parts.nth(1).unwrap().parse::<usize>().unwrap());
            assert_eq!(word, ["a", "b", "c", "d", "e"][number % 5], "{path}");
        }
    }
}

/// Takes a job, says at once that it is done, and tells what it was asked for.
fn jobs() -> (u16, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while let Some(Ok(first)) = lines.next() {
                    lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
                    let (status, more, body) = match first.starts_with("POST") {
                        true => ("202 Accepted", "location: /jobs/1\r\n", "{\"told\":\"the job was taken\"}"),
                        false => ("200 OK", "", "{\"state\":\"done\"}"),
                    };
                    let _ = sender.send(first);
                    let length = body.len();
                    let _ = write!(stream, "HTTP/1.1 {status}\r\n{more}content-length: {length}\r\n\r\n{body}");
                }
            });
        }
    });
    (port, asked)
}

#[test]
fn once_shows_the_answer_to_a_job_and_cleans_up_last() {
    let (place, (port, asked)) = (Place::new(), jobs());
    let at = format!("http://127.0.0.1:{port}");
    let text = format!(
        "study: Jobs\nsystem: {{ name: shop }}\nexchanges:\n\
         \x20 import: {{ job.http: {{ start: '{at}/import', at: header(location), poll: json($.state) = done, every: 50ms }} }}\n\
         \x20 make: {{ http.get: {{ url: '{at}/make' }} }}\n  drop: {{ http.get: {{ url: '{at}/drop' }} }}\n\
         \x20 leave: {{ http.get: {{ url: '{at}/leave' }} }}\nscenarios:\n\
         \x20 one: {{ load: {{ users: 1, count: 1 }}, run: [import], set_up: [make: per study], clean_up: [drop: per study] }}\n\
         \x20 two: {{ load: {{ users: 1, count: 1 }}, run: [make], clean_up: [leave: per user, drop: per study] }}\n\
         order: [one, two]\n"
    );
    place.file("study.yaml", &text);
    let ran = place.loadproof(&["check", "study.yaml", "--once"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.stdout.contains("the job was taken"), "{ran:#?}");
    let paths: Vec<String> = asked.try_iter().map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect();
    assert_eq!(paths.last().map(String::as_str), Some("/drop"), "{paths:?}");
    assert_eq!(paths.iter().filter(|path| *path == "/drop").count(), 1, "{paths:?}");
    assert!(paths.iter().any(|path| path == "/leave"), "{paths:?}");
    let told = place.loadproof(&["check", "study.yaml", "--once", "--json"]).json();
    let names: Vec<&str> =
        told["exchanges"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"import") && names.contains(&"drop"), "{told:#}");
}

#[test]
fn quick_repeats_no_credential_that_it_was_given() {
    let (place, target) = (Place::new(), target("target-echo", &[]));
    let url = format!("http://{}/", target.address());
    let wrong = ["quick", &url, "--rate", "5/s", "--for", "1s", "--header", "Authorization Usr-Ash-1234-xyz"];
    let ran = place.loadproof(&wrong);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("name: value") && !ran.stderr.contains("Ash"), "{ran:#?}");
    let url = format!("{url}?k=kEy-9f8e7d%2F6c5b4a&l=kEy-9f8e7d/6c5b4a");
    let header = ["--header", "X-Api-Key: kEy-9f8e7d/6c5b4a", "--out", "run"];
    let ran = place.loadproof(&[&["quick", &url, "--rate", "5/s", "--for", "1s"][..], &header].concat());
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let study = std::fs::read_to_string(place.path().join("run/evidence/study.yaml")).unwrap();
    assert!(!study.contains("9f8e7d") && study.contains("?k=‹kept out›&l=‹kept out›"), "{study}");
}

#[test]
fn quick_says_what_to_type_where_a_certificate_is_not_trusted() {
    let place = Place::new();
    let ca = place.path().join("ca.pem");
    let target = target("target-echo", &["--tls-self-signed", &ca.to_string_lossy()]);
    let url = format!("https://{}/", target.address());
    let ran = place.loadproof(&["quick", &url, "--rate", "5/s", "--for", "1s", "--out", "run"]);
    assert!(ran.stderr.contains("`quick --ca FILE`"), "{ran:#?}");
    assert!(ran.stderr.contains("nothing of the request was sent"), "the sentence ends: {ran:#?}");
    let ca = ca.to_string_lossy();
    let ran = place.loadproof(&["quick", &url, "--rate", "5/s", "--for", "1s", "--out", "trusted", "--ca", &ca]);
    assert!([0, 3].contains(&ran.code) && !ran.stderr.contains("signed"), "{ran:#?}");
    let ran = place.loadproof(&["quick", &url, "--rate", "5/s", "--for", "1s", "--out", "any", "-k"]);
    assert!([0, 3].contains(&ran.code) && ran.stderr.contains("0 failed"), "{ran:#?}");
    // As with curl, it says nothing about a target without TLS.
    let plain = e2e::target("target-echo", &[]);
    let url = format!("http://{}/", plain.address());
    let ran = place.loadproof(&["quick", &url, "--rate", "5/s", "--for", "1s", "--out", "plain", "--insecure"]);
    assert!([0, 3].contains(&ran.code) && ran.stderr.contains("0 failed"), "{ran:#?}");
}

#[test]
fn quick_goes_by_way_of_a_proxy_that_is_named_and_keeps_no_password() {
    let place = Place::new();
    // A target answers whatever path it is asked for, and so a proxy with the whole address of a host that is none.
    let proxy = target("target-echo", &[]);
    let through = format!("http://{}", proxy.address());
    let quick = ["quick", "http://shop.invalid/", "--rate", "5/s", "--for", "1s", "--out", "run", "--proxy"];
    let ran = place.loadproof(&[&quick[..], &[through.as_str()]].concat());
    assert!([0, 3].contains(&ran.code) && ran.stderr.contains("0 failed"), "{ran:#?}");
    let ran = place.loadproof(&[&quick[..], &["http://me:Ash-1234@127.0.0.1:1"]].concat());
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("basic: ") && !ran.stderr.contains("Ash"), "{ran:#?}");
}

/// Places and files of listeners, and cores of instances, are what a run would stumble over first.
#[test]
fn what_a_start_would_stumble_over_is_told_before() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let listeners = |http: &str| format!("listeners: {{ back: {{ http: {{ {http} }} }} }}\n");
    let check = |more: &str| {
        place.file("study.yaml", &study("http://192.0.2.1/", more));
        let ran = place.loadproof(&["check", "study.yaml"]);
        (ran.code, ran.stderr.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    // A port may be free again when the study is run.
    let (code, told) = check(&listeners(&format!("bind: 127.0.0.1, port: {port}")));
    assert!(code == 0 && told.contains("warning: listener `back` cannot listen at"), "{told}");
    assert!(told.contains("another program listens there"), "{told}");
    let (code, told) = check(&listeners("bind: 192.0.2.9"));
    assert!(code == 0 && told.contains("no network device of this machine has that address"), "{told}");
    let (code, told) = check(&listeners("tls: { certificate: no.pem, key: no.pem }"));
    assert!(code == 2 && told.contains("listener `back`: `no.pem` cannot be read"), "{told}");
    let (code, told) = check(&listeners("bind: 127.0.0.1"));
    assert!(code == 0 && !told.contains("listener"), "{told}");

    let text = study("http://192.0.2.1/", "");
    let pinned = "{ name: shop, instances: { a: { start: 'sh -c true', cores: [900] } } }";
    place.file("study.yaml", &text.replace("{ name: shop }", pinned));
    let ran = place.loadproof(&["check", "study.yaml"]);
    assert!(ran.code == 2 && ran.stderr.contains("launch::no-core"), "{ran:#?}");

    place.file("study.yaml", &text.replace("/' }", "/' }, check: [ header(x y) = 1 ]"));
    let ran = place.loadproof(&["check", "study.yaml"]);
    assert!(ran.code == 2 && ran.stderr.contains("cannot be the name of a header"), "{ran:#?}");
}
