//! Instances that mention a variable are started anew for whoever binds it otherwise: a search varies the system itself.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use e2e::{Place, assert_balanced, leg, step};
use serde_json::Value;

fn head(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path().join("run/evidence/run.json")).unwrap()).unwrap()
}

/// The attempts of the only search.
fn attempts(result: &Value) -> Vec<&Value> {
    result["searches"][0]["attempts"].as_array().unwrap().iter().collect()
}

#[test]
fn a_search_varies_how_slow_the_system_is() {
    let place = Place::new();
    place.file(
        "study.yaml",
        "study: Slowness\nvars: { delay: 5ms }\n\
         system: { name: echo, start: target-echo --port $(port) --service $(delay) }\n\
         exchanges: { home: { http.get: { url: $(echo.url)/ } } }\n\
         scenarios:\n  peak:\n    search: { vary: delay, from: 1ms, to: 64ms, width: 60%, passes: 1 of 1, most: 8 }\n\
         \x20   load: { arrivals: 50/s, hold: 2s }\n    run: [home]\n\
         requirements: { fast: p50(home.response) < 20 ms }\n",
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let tried = attempts(&result);
    assert_eq!(tried[0]["values"]["delay"], "8ms", "{result:#}");
    assert!(tried.len() > 2, "{ran:#?}");
    for (number, attempt) in tried.iter().enumerate() {
        // The server answers no earlier than it was told to, in this very attempt.
        let delay = attempt["load"].as_f64().unwrap();
        let hold = step(&result, &format!("peak_{}", number + 1), "hold");
        assert_balanced(hold);
        let p50 = leg(hold, "home", "ok")["response_ms"]["p50"].as_f64().unwrap();
        assert!(p50 >= delay * 1000.0 * 0.999, "{attempt:#} {hold:#}");
        assert_ne!(attempt["reason"]["code"], "degraded", "what was ended on purpose is not a loss: {attempt:#}");
    }
    let held = result["searches"][0]["held"].as_f64();
    assert!(held.is_none_or(|held| held < 0.02), "{result:#}");
    // The run folder is judged again to the same.
    assert_eq!(place.loadproof(&["judge", "run"]).code, ran.code);
    assert_eq!(place.result("run")["searches"], result["searches"]);
}

#[test]
fn a_search_varies_replicas_and_load_nodes_are_told_where_they_are() {
    let place = Place::new();
    place.file(
        "study.yaml",
        // Which attempts there are is looked at, and no time: three that a busy machine voids would end the search.
        "study: Replicas\nvars: { spare: 1 }\nnodes: { count: 2, cores: 1 }\n\
         validity:\n  lateness: { questionable: 5s, invalid: 10s, because: no time is looked at }\n\
         \x20 run_queue: { questionable: 98%, invalid: 99%, because: no time is looked at }\n\
         \x20 steal: { questionable: 98%, invalid: 99%, because: no time is looked at }\n\
         system:\n  name: shop\n  instances:\n    echo: { start: target-echo --port $(port), replicas: $(4 - spare) }\n\
         \x20   other: { start: target-echo --port $(port) }\n\
         watch: { process: {} }\n\
         exchanges: { home: { http.get: { url: $(echo.url)/ } } }\n\
         scenarios:\n  few:\n    search: { vary: spare, from: 1, to: 3, passes: 1 of 1, most: 4 }\n\
         \x20   load: { arrivals: 20/s, hold: 2s }\n    run: [home]\n\
         requirements: { right: share(home.failed) <= 5%, alive: alive(*) }\n",
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    let tried = attempts(&result);
    let spares: Vec<&Value> = tried.iter().map(|attempt| &attempt["values"]["spare"]).collect();
    // √(1 · 3) is nearest to 2; that held, so 3 is tried.
    assert_eq!((spares[0], spares.last().unwrap()), (&Value::from("2"), &&Value::from("3")), "{result:#}");
    for number in 1..=tried.len() {
        let hold = step(&result, &format!("few_{number}"), "hold");
        assert_balanced(hold);
        assert_eq!((&hold["intended"], &hold["failed"]), (&Value::from(40), &Value::from(0)), "{ran:#?}");
    }
    let head = head(&place);
    let of = |name: &str| head["instances"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
    // Two, then one of them anew; what mentions nothing has gone on.
    assert!(of("echo.1").is_some() && of("echo.2").is_some() && of("echo.3").is_none(), "{head:#}");
    assert!(of("other").is_some() && of("echo").is_none(), "{head:#}");
    // An attempt that the machine disturbed is made again, so that another number may be the first with 3.
    let first = 1 + spares.iter().position(|spare| **spare == "3").expect("it was tried");
    assert!(ran.stderr.contains(&format!("`echo.2` was ended: `few_{first}` needs fewer replicas")), "{ran:#?}");
    assert!(ran.stderr.contains(&format!("`echo.1` was started anew for `few_{first}` with spare 3")), "{ran:#?}");
    assert!(!ran.stderr.contains("`other` was"), "{ran:#?}");
    let alive = result["requirements"].as_array().unwrap().iter().filter(|one| one["id"] == "alive");
    assert!(alive.clone().count() >= 2 && alive.into_iter().all(|one| one["verdict"] == "met"), "{result:#}");
}
