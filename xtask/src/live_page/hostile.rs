//! Names that want to be more than text: markup, quotes, signs that turn the direction of writing, and great length.
//!
//! The title of a study may hold anything. Other names are letters and digits in the language of studies, so a run folder is
//! changed as a forger would change it, and shown by `loadproof live`.

use super::browser::Browser;
use super::checks::Checks;
use super::run::Run;
use super::{Lab, looks, probe};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Length of the load.
const SECONDS: u32 = 4;
/// Until the page shows something.
const SHOWING: Duration = Duration::from_secs(60);
/// Signs of a name by which it is known on the page, which shortens it.
const KNOWN_BY: usize = 40;

/// A name that is hostile in all ways, with a word of its own in front.
fn name(word: &str) -> String {
    let markup = format!("{word} <script>globalThis.injected='{word}'</script>");
    let more = "<img src=x onerror=\"globalThis.injected=1\"> \"'&amp;</td></table>";
    format!("{markup}{more}\u{202e}fdp.exe\u{202c}\u{200f}{}", "x".repeat(300))
}

/// Carries out a short run under such a title, changes what it recorded, and looks at both.
pub(super) fn names(checks: &mut Checks, lab: &Lab, browser: &mut Browser, out: &Path) -> Result<()> {
    let (file, folder) = (lab.scratch.join("hostile.yaml"), lab.scratch.join("hostile"));
    std::fs::write(&file, lab.study(&name("study"), 50, SECONDS))?;
    let [file, shown] = [&file, &folder].map(|path| path.display().to_string());
    {
        let mut run = Run::start(&lab.loadproof, &["run", &file, "--live", "--out", &shown])?;
        browser.open(&format!("http://{}/#{}", run.address, run.token))?;
        browser.wait("a hostile title", "state !== null && levels[0].length > 2", SHOWING)?;
        look(checks, browser, "a hostile title while the run goes on", &["study"])?;
        run.wait(SHOWING)?;
    }
    let names = forge(&folder)?;
    let run = Run::start(&lab.loadproof, &["live", &shown])?;
    browser.open(&format!("http://{}/", run.address))?;
    browser.wait("hostile names", "state?.outcome != null && charts.length > 0", SHOWING)?;
    // It is drawn within half a second.
    std::thread::sleep(Duration::from_secs(1));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    look(checks, browser, "hostile names in a run that is over", &names)?;
    looks::on_all_screens(checks, browser, "hostile", out)
}

/// Nothing was injected, and all that is shown is what was written.
fn look(checks: &mut Checks, browser: &mut Browser, what: &str, words: &[&str]) -> Result<()> {
    let strangers = browser.ask(&probe("strangers()"))?;
    let strangers: Vec<String> = serde_json::from_value(strangers).context("the page has no elements")?;
    checks.see_none(what, &strangers, "no element, attribute or script is of theirs");
    let known: Vec<String> = words.iter().map(|word| name(word).chars().take(KNOWN_BY).collect()).collect();
    let told = browser.ask(&probe(&format!("told({})", json!(known))))?;
    let told = told.as_array().map_or(0, Vec::len);
    checks.see(&format!("{what}: shown as written"), told == known.len(), format!("{told} of {} names", known.len()));
    let said: Vec<String> = std::mem::take(&mut browser.said).into_iter().map(|said| said.text).collect();
    checks.see_none(&format!("{what}: console"), &said, "nothing thrown, no error");
    Ok(())
}

/// Puts hostile names into a run folder; the words in front of those that the page shows.
fn forge(folder: &Path) -> Result<Vec<String>> {
    let path = folder.join("evidence/run.json");
    let text = std::fs::read_to_string(&path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let mut head: Value = serde_json::from_str(&text)?;
    let words = forged(&mut head);
    std::fs::write(&path, head.to_string())?;
    Ok(words)
}

fn forged(head: &mut Value) -> Vec<String> {
    for key in ["study", "system"] {
        head[key] = json!(name(key));
    }
    for (list, key) in [("exchanges", "name"), ("scenarios", "name"), ("monitors", "name"), ("steps", "id")] {
        for (number, of) in head[list].as_array_mut().into_iter().flatten().enumerate() {
            of[key] = json!(name(&format!("{list}{number}")));
            for leg in of["legs"].as_array_mut().into_iter().flatten() {
                leg["name"] = json!(name("leg"));
            }
        }
    }
    // Scenarios and steps are named while they are in hand, which they no longer are.
    ["study", "system", "exchanges0", "monitors0"].map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_forged_in_every_name() {
        let mut head = json!({
            "study": "a", "system": "b", "exchanges": [{ "name": "c", "legs": [{ "name": "d" }] }], "monitors": [],
            "scenarios": [{ "name": "e" }], "steps": [{ "id": "f", "phase": "hold" }],
        });
        forged(&mut head);
        let text = head.to_string();
        assert_eq!(text.matches("</script>").count(), 6, "{text}");
        assert_eq!(head["steps"][0]["phase"], "hold");
        assert!(name("study").chars().count() > 400 && name("study").contains('\u{202e}'));
        assert!(name("study").chars().take(KNOWN_BY).all(|sign| sign.is_ascii()));
    }
}
