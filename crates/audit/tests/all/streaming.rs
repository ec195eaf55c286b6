//! Defects of reports on gateways and event stores.

use crate::{codes, the};

const MACHINES: &str = "Name EC2 Instance Type vCPU Mem(GiB)\nClient c5.large 2 2\nServer 01 c5.xlarge 4 4\n\
                        Server 02 c5.xlarge 4 4\nDatabase db.m5.large 2 8\nBackend c5.xlarge 4 4\nGateway c5.large 2 2\n\nEnd.\n";

const SOCKETS: &str = "Events/second Message Size Concurrent Connections Failed Connections Error Rate\n\
                       1 500 bytes 300 0 0%\n400 0 0%\n600 48 0%\n1000 74 0%\n5 500 bytes 400 0 0%\n600 42 32.90%\n\
                       10 500 bytes 300 0 46.10%\n250 bytes 300 0 14.29%\n125 bytes 300 0 12.70%\n60 bytes 300 0 29.12%\n400 4 62.17%\n\nEnd.\n";

#[test]
fn memory_was_copied_from_the_processors() {
    assert!(the("COPY-TWIN", MACHINES).says.contains("in 5 of 6 rows"));
    let found = the("MACHINE", MACHINES);
    assert!(
        found.arithmetic.contains("c5.large has 2 processors and 4 GiB")
            && found.arithmetic.contains("c5.xlarge has 4 processors and 8 GiB"),
        "{found:?}"
    );
    let right = MACHINES.replace("c5.large 2 2", "c5.large 2 4").replace("c5.xlarge 4 4", "c5.xlarge 4 8");
    assert_eq!(codes(&right), Vec::<&str>::new());
}

#[test]
fn two_limits_are_one() {
    let text = format!(
        "{SOCKETS}\n- 400 concurrent connections work with zero error rate at five events per second.\n\
         - 200 concurrent connections work with zero error rate at ten events per second.\n"
    );
    let found = the("TWO-LIMITS", &text);
    assert!(
        found.arithmetic.contains("400 · 5 = 200 · 10 = 2000/s") && found.arithmetic.contains("= 3000/s fails"),
        "{found:?}"
    );
    assert!(!codes(&text.replace("200 concurrent", "300 concurrent")).contains(&"TWO-LIMITS"));
}

#[test]
fn the_size_changed_within_the_sweep() {
    let found = the("REGIME", SOCKETS);
    assert!(found.arithmetic.contains("250 → 14.29 %, 125 → 12.7 %, 60 → 29.12 %"), "{found:?}");
    assert!(!codes(&SOCKETS.replace("29.12", "9.12")).contains(&"REGIME"), "errors that follow the size");
}

#[test]
fn connections_fail_where_no_error_is_counted() {
    let found = the("SHARE", SOCKETS);
    assert!(found.arithmetic.starts_with("48 of 600 = 8 %, written is 0%; 74 of 1000 = 7.4 %"), "{found:?}");
}

#[test]
fn eighty_users_have_no_more_than_eighty_calls() {
    let text = "Eighty users sent requests in a tight loop. An average throughput of 2839 events/second and an average latency of 29 ms were measured.";
    let found = the("LITTLE", text);
    assert!(found.arithmetic.contains("80.9 in flight, more than 80"), "{found:?}");
    assert!(found.remedy.contains("28.179 ms at 2839/s"), "{found:?}");
    assert_eq!(codes(&text.replace("2839", "2695")), Vec::<&str>::new());
}

#[test]
fn a_rate_is_checked_and_has_too_many_digits() {
    let text = "Events16753779\nTime (s)1862.901\nMean TPS8993.381291\n";
    assert_eq!(codes(text), ["ROUNDING"]);
    assert!(the("ROUNDING", text).says.contains("10 digits"));
    assert_eq!(codes(&text.replace("8993.381291", "8993")), Vec::<&str>::new());
    assert_eq!(codes(&text.replace("8993.381291", "9893.381291")), ["RATE"]);
}

#[test]
fn a_mean_below_what_is_steady() {
    let text = "Overall a mean of 96K TPS was reached, but a steady rate of around 100-150K TPS is possible.";
    assert!(the("TWO-LEVELS", text).arithmetic.contains("96 000/s; steady 100 000/s to 150 000/s"));
    assert_eq!(codes(&text.replace("96K", "126K")), Vec::<&str>::new());
}
