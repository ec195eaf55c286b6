//! `set_up` and `clean_up`: who runs them, and with which captures.

use super::fakes::{rejected, study};
use crate::Per;

fn around(load: &str, around: &str) -> String {
    format!(
        "study: Users\nsystem: {{ name: shop, url: \"http://127.0.0.1:1\", identity: {{ expect: {{ a: b }} }} }}\nexchanges:\n  \
         login: {{ http.get: {{ url: x }}, capture: {{ token: header(x) }} }}\n  logout: {{ http.get: {{ url: x?$(token) }} }}\n  \
         look: {{ http.get: {{ url: x }}, capture: {{ seen: header(x) }} }}\n  forget: {{ http.get: {{ url: x?$(seen) }} }}\n\
         scenarios: {{ calm: {{ load: {{ {load}, hold: 5m }}, run: [look], {around} }} }}\n"
    )
}

#[test]
fn users_set_up_and_clean_up_where_there_are_users() {
    let both = "set_up: [ login: per user ], clean_up: [ logout: per user, forget: per user ]";
    let first = study(&around("users: 5", both));
    assert_eq!(first.scenarios[0].parts[0].clean_up, [(1, Per::User), (3, Per::User)]);
    let again = study(&first.effective);
    assert_eq!(again.effective, first.effective);

    let open = rejected(&around("arrivals: 5/s", both));
    let codes: Vec<_> = open.mistakes.0.iter().map(|mistake| (mistake.code, mistake.label.clone())).collect();
    assert_eq!(codes, vec![("study::conflict", Some("write `per node`".to_owned())); 3], "{open}");
}

#[test]
fn who_cleans_up_for_all_knows_no_user_and_no_iteration() {
    study(&around("users: 5", "set_up: [ login: per node ], clean_up: [ logout: per node ]"));
    for of_users in ["set_up: [ login: per user ], clean_up: [ logout: per node ]", "clean_up: [ forget ]"] {
        let rejected = rejected(&around("users: 5", of_users));
        assert_eq!(rejected.mistakes.0[0].code, "study::capture-before", "{rejected}");
    }
}
