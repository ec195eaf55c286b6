//! Defects of a report on three searches for the greatest throughput, in Danish conventions and with cells run together.

use crate::{codes, the};

/// A wiki's table as it is copied: iteration, threads, nodes, begin, end, throughput, change, aim, errors.
fn table(rows: &[&str]) -> String {
    let head =
        "Iteration\n\nTråde\n\nNodes\n\nStart\n\nSlut\n\nThroughput\n\n(kald per sekund)\n\nFaktisk ændring\n\nMål";
    format!("{head}\n{}\n\n", rows.join("\n"))
}

const LOOKUP: [&str; 10] = [
    "1522020-12-09_13-00-422020-12-09_13-15-4618,1",
    "2822020-12-09_13-16-392020-12-09_13-31-4423,1828%36%",
    "3832020-12-09_13-32-572020-12-09_13-48-0134,4448%30%",
    "4842020-12-09_13-49-212020-12-09_14-04-2646,7835%19%",
    "5852020-12-09_14-05-512020-12-09_14-20-5656,1720%15%",
    "6862020-12-09_14-22-362020-12-09_14-37-4067,920%12%",
    "7872020-12-09_14-39-302020-12-09_14-54-3479,3116%9%",
    "8882020-12-09_14-56-262020-12-09_15-11-3090,3113%8%",
    "9892020-12-09_15-13-212020-12-09_15-28-24103,915%7%",
    "108102020-12-09_15-30-082020-12-09_15-45-13112,027%6%",
];
const HELPER: [&str; 7] = [
    "1522020-12-10_10-17-322020-12-10_10-32-3715,26",
    "2822020-12-10_10-33-372020-12-10_10-48-4223,4453%36%",
    "31122020-12-10_10-49-362020-12-10_11-04-4131,6935%22%",
    "41422020-12-10_11-05-332020-12-10_11-20-3837,4218%16%",
    "51722020-12-10_11-21-322020-12-10_11-36-3835,83-4%12%0,7%",
    "61432020-12-10_11-37-512020-12-10_11-52-5750,0333%30%0,02%",
    "71442020-12-10_11-54-122020-12-10_12-09-1843,66-12%19%",
];
const REGISTRATION: [&str; 5] = [
    "1522020-12-10_13-15-382020-12-10_13-20-492,76",
    "2822020-12-10_13-21-552020-12-10_13-27-034,1951 %36 %0,08 %",
    "31122020-12-10_13-27-572020-12-10_13-33-074,241 %22 %0,47 %",
    "41132020-12-10_13-34-142020-12-10_13-39-217,269 %30 %0,05 %",
    "51142020-12-10_13-40-202020-12-10_13-45-306,25-13 %19 %-",
];

#[test]
fn throughput_that_follows_the_users_has_no_best_step() {
    let text = format!("{}Af dem er iteration 9 bedst.\n", table(&LOOKUP));
    let found = the("FLAT-R", &text);
    assert!(found.arithmetic.contains("684.05 ms to 714.16 ms") && found.arithmetic.contains("1.5 %"), "{found:?}");
    assert!(found.remedy.contains("at least 112,02"), "{found:?}");
    assert_eq!(codes(&table(&LOOKUP)), Vec::<&str>::new(), "nothing is claimed");
    let saturated = table(&REGISTRATION) + "Af dem er iteration 4 bedst.\n";
    assert!(!codes(&saturated).contains(&"FLAT-R"));
}

#[test]
fn the_final_figure_was_measured_without_one_server() {
    let text = format!(
        "Serveren docker01 gik i fejl i 5 iteration.\n\n{}Det endelige throughput er 50,03 kald per sekund.\n",
        table(&HELPER)
    );
    let found = the("REGIME", &text);
    assert!(found.arithmetic.contains("step 5") && found.arithmetic.contains("37,42 (step 4)"), "{found:?}");
    assert!(!codes(&text.replace("i 5 iteration", "i 7 iteration")).contains(&"REGIME"));
}

#[test]
fn the_last_is_not_the_greatest() {
    let text = format!(
        "{}Max throughput er 6,25 kald per sekund (dvs. 3125 registreringer per sekund).\n",
        table(&REGISTRATION)
    );
    let found = the("MAX", &text);
    assert!(found.arithmetic.contains("step 5 has 6,25, step 4 has 7,2; 6,25 is merely the last"), "{found:?}");
    assert!(!codes(&text.replace("er 6,25", "er 7,2")).contains(&"MAX"));
}

#[test]
fn the_final_figure_is_defined_twice() {
    let text = format!(
        "{}Det endelige tal er 50,03 kald per sekund.\n\n{}Det endelige tal er 6,25 kald per sekund.\n",
        table(&HELPER),
        table(&REGISTRATION)
    );
    assert!(the("FINAL", &text).arithmetic.contains("of 5 steps; best: step 6"));
    assert!(!codes(&text.replace("50,03 kald per", "43,66 kald per")).contains(&"FINAL"));
}

#[test]
fn a_lower_load_failed_where_a_higher_one_passed() {
    let text = format!("{}Kravet opnås i iteration 1, 2 og 4.\n", table(&REGISTRATION));
    let found = the("NONMONO", &text);
    assert!(found.arithmetic.contains("step 3: 22 users, not met; step 4: 33 users, met"), "{found:?}");
    assert!(!codes(&text.replace("1, 2 og 4", "1, 2 og 3")).contains(&"NONMONO"));
}

#[test]
fn one_percent_more_is_chance() {
    let found = the("NOISE", &table(&REGISTRATION));
    assert!(found.arithmetic.contains("by chance alone 0.937 to 1.093"), "{found:?}");
    assert_eq!(found.quotes[0].place.line, 20);
}

#[test]
fn consumers_outnumber_partitions() {
    let text = "Kafka er sat op med 12 partitioner. Og der var 12 consumers op på hver server. Dvs 24 ialt.";
    assert!(the("IDLE-CONS", text).says.starts_with("24 consumers for 12 partitions: 12 of them"));
    assert_eq!(
        codes("Kafka er sat op med 24 partitioner. Og der var 12 consumers op på hver server. Dvs 24 ialt."),
        Vec::<&str>::new()
    );
}

#[test]
fn one_server_collects_garbage_far_more_often() {
    let text = "For docker02 er der kørt full garbage collection 18 gange. Docker01 kører full garbage collection 513 gange.\n\n\
                Hukommelsen stiger på docker01, som rammer loftet på 1.398.272 KB.\n";
    let found = the("SKEW", text);
    assert!(found.arithmetic.contains("513 / 18 = 28.5") && found.arithmetic.contains("1365.5 MiB"), "{found:?}");
    assert_eq!(codes(&text.replace("513", "21")), Vec::<&str>::new());
}

#[test]
fn no_leak_needs_a_slope() {
    assert_eq!(
        codes("Pass criteria:\n\n- p95 below 100 ms\n- no memory leaks\n"),
        Vec::<&str>::new(),
        "wanted, not claimed"
    );
    assert_eq!(codes("Dette er et tegn på, at vi ikke har memory leaks."), ["LEAK"]);
    assert_eq!(codes("We found no memory leak: the slope is 0.1 MiB/h, 95 % interval −2 to 2."), Vec::<&str>::new());
}
