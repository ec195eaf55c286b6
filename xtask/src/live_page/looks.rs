//! How the page looks: on a phone and on wide screens, light and dark. Nothing may lie beyond the edge.

use super::browser::Browser;
use super::checks::Checks;
use super::probe;
use anyhow::Result;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Width and height of screens; the first is a phone's.
const SCREENS: [(u32, u32); 3] = [(390, 844), (1280, 900), (1920, 1080)];
/// Screen on which the page is left.
const USUAL: (u32, u32) = SCREENS[1];
/// The page draws twice a second.
const DRAWN: Duration = Duration::from_millis(900);
/// Tallest picture, px.
const TALLEST: u64 = 12_000;

/// Shows the page on each screen in both schemes, and takes a picture of each; `what` is what is shown, for the names of
/// checks and of files.
pub(super) fn on_all_screens(checks: &mut Checks, browser: &mut Browser, what: &str, out: &Path) -> Result<()> {
    let mut backgrounds = Vec::new();
    for screen @ (width, _) in SCREENS {
        let mut wrong = Vec::new();
        for scheme in ["light", "dark"] {
            browser.darken(scheme == "dark")?;
            let is_phone = screen == SCREENS[0];
            browser.resize(screen, is_phone)?;
            std::thread::sleep(DRAWN);
            let fit = browser.ask(&probe("fit()"))?;
            wrong.extend(unfit(&fit, width).into_iter().map(|why| format!("{scheme}: {why}")));
            backgrounds.push(fit["background"].as_str().unwrap_or_default().to_owned());
            let height = fit["height"].as_u64().unwrap_or_default().min(TALLEST) as u32;
            browser.resize((width, height), is_phone)?;
            std::thread::sleep(DRAWN);
            browser.picture(&out.join(format!("{what}-{width}-{scheme}.png")))?;
        }
        checks.see_none(
            &format!("{what}, {width} px wide"),
            &wrong,
            "nothing beyond the edge, charts sharp, light and dark",
        );
    }
    let differ = backgrounds.chunks(2).all(|pair| pair[0] != pair[1]);
    checks.see(&format!("{what}, light and dark"), differ, backgrounds[..2].join(" and "));
    browser.darken(false)?;
    browser.resize(USUAL, false)
}

/// What does not fit on a screen of that width.
fn unfit(fit: &Value, width: u32) -> Vec<String> {
    let mut all = Vec::new();
    let of = |name: &str| fit[name].as_u64().unwrap_or(u64::MAX);
    // On a phone what is too wide makes the page wider instead of having it scroll.
    if of("inner") != u64::from(width) {
        all.push(format!("the page is {} px wide", of("inner")));
    }
    if of("scroll") > u64::from(width) {
        all.push(format!("it scrolls to {} px", of("scroll")));
    }
    let beyond = fit["beyond"].as_array().map_or(&[][..], Vec::as_slice);
    if !beyond.is_empty() {
        all.push(format!("beyond the edge: {}", Value::from(beyond)));
    }
    if of("blurred") != 0 {
        all.push(format!("{} charts were not drawn for this screen", of("blurred")));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_told() {
        let right = json!({ "inner": 390, "scroll": 390, "beyond": [], "blurred": 0 });
        assert_eq!(unfit(&right, 390), Vec::<String>::new());
        let wide = json!({ "inner": 480, "scroll": 480, "beyond": ["study"], "blurred": 2 });
        let told = unfit(&wide, 390);
        assert_eq!(told.len(), 4, "{told:?}");
        assert_eq!(told[2], r#"beyond the edge: ["study"]"#);
        // What could not be read does not fit.
        assert!(!unfit(&Value::Null, 390).is_empty());
    }
}
