//! Commands of curl whose conversion is known.

use crate::{lines, made, study};
use convert::{Choices, Folder, Kind, NoFolder};

#[test]
fn a_body_whose_file_is_missing_keeps_its_method_and_is_not_sent() {
    for (command, method, exchange) in [
        ("curl -F file=@photo.jpg https://shop.example/up", "post", "POST /up"),
        ("curl -d @missing.json https://shop.example/up", "post", "POST /up"),
        ("curl --data-binary @/etc/passwd https://shop.example/up", "post", "POST /up"),
        ("curl --json @missing.json https://shop.example/up", "post", "POST /up"),
        ("curl -T up.bin https://shop.example/up", "put", "PUT /up"),
        ("curl -T up.bin https://shop.example/up/", "put", "PUT /up/up.bin"),
        ("curl -X PATCH -d @missing.json https://shop.example/up", "patch", "PATCH /up"),
    ] {
        let made = made("commands.txt", &format!("curl https://shop.example/\n{command}\n"));
        let text = study(&made);
        assert_eq!((made.seen, made.carried, made.exchanges), (2, 1, 1), "{command}:\n{text}");
        assert!(text.contains(&format!("    http.{method}:")), "{command}:\n{text}");
        let run = text.split("    run:").nth(1).unwrap().split("requirements:").next().unwrap();
        assert_eq!(run.matches("      - ").count(), 1, "{command}:\n{text}");
        let told = lines(&made);
        assert_eq!(told.len(), 2, "{told:#?}");
        assert!(told[0].starts_with("line 2: the file `"), "{told:#?}");
        assert_eq!(
            told[1],
            format!(
                "line 2: {exchange}: its body needs a file that was not found; it is written as an exchange, and stands in no \
                 `run`"
            )
        );
    }
}

#[test]
fn a_file_that_is_there_is_sent_as_curl_does() {
    struct One;
    impl Folder for One {
        fn read(&self, path: &str) -> Result<Vec<u8>, String> {
            if path == "up.bin" { Ok(vec![0, 1, 2]) } else { Err("no".to_owned()) }
        }
    }
    let text = "curl -T up.bin https://shop.example/up\n";
    let made = convert::convert(Kind::Curl, "c.txt", text, &Choices::default(), &One).unwrap();
    assert_eq!((made.carried, lines(&made).len()), (1, 0));
    let text = study(&made);
    assert!(text.contains("http.put:") && text.contains("file: { path: bodies/up.bin, fill: false }"), "{text}");
    assert!(!text.contains("content-type"), "{text}");
}

#[test]
fn requests_within_the_flow_of_a_shell_are_found_and_told() {
    let loops = "it stands in a loop of a shell, which is not read";
    let conditions = "it stands under a condition of a shell, which is not read";
    let others = "it is part of another command, which is not read";
    for (commands, address, why) in [
        ("for i in 1 2; do curl http://shop.example/$i; done", "http://shop.example/$i", loops),
        (
            "for i in 1 2\ndo\n  curl -s -o /dev/null \"http://shop.example/${i}\"\ndone",
            "http://shop.example/$i",
            loops,
        ),
        ("while true; do\n curl -sX POST http://shop.example/a?token=x\ndone", "http://shop.example/a", loops),
        ("if [ -n \"$A\" ]; then curl http://me:secret@shop.example/a; fi", "http://shop.example/a", conditions),
        ("TOKEN=$(curl -s http://shop.example/login | jq -r .t)", "http://shop.example/login", others),
        ("TOKEN=\"$(curl -s http://shop.example/login)\"", "http://shop.example/login", others),
        ("echo 1 2 | xargs curl http://shop.example/x", "http://shop.example/x", others),
        (
            "f() {\n curl http://shop.example/f\n}",
            "http://shop.example/f",
            "it stands in a function of a shell, which is not read",
        ),
    ] {
        let made =
            made("commands.txt", &format!("curl http://shop.example/\n{commands}\ncurl http://shop.example/b\n"));
        assert_eq!((made.seen, made.carried), (3, 2), "{commands}:\n{:#?}", lines(&made));
        let told = lines(&made);
        let wanted = format!("curl {address}: {why}");
        assert!(told.iter().any(|line| line.ends_with(&wanted)), "{commands}: {told:#?}");
        assert!(!told.iter().any(|line| line.contains("secret") || line.contains("token=")), "{told:#?}");
    }
}

#[test]
fn words_that_no_shell_would_close_open_nothing() {
    let other = made("commands.txt", "curl http://shop.example/a\nwget http://shop.example/curl y.tgz\nwhich curl\n");
    assert_eq!((other.seen, other.carried), (1, 1));
    let made = made("commands.txt", "if you like\ncurl http://shop.example/a\nfor all\ncurl http://shop.example/b\n");
    assert_eq!((made.seen, made.carried), (2, 2));
}

#[test]
fn a_limit_for_connecting_is_told() {
    let made = made("commands.txt", "curl --connect-timeout 2 https://shop.example/\n");
    assert_eq!(lines(&made), ["line 1: --connect-timeout 2: connecting has no limit of its own"]);
    let refused = convert::convert(
        Kind::Curl,
        "c",
        "for i in 1; do curl http://a.example/; done",
        &Choices::default(),
        &NoFolder,
    );
    assert!(refused.unwrap_err().to_string().contains("curl http://a.example/"));
}
