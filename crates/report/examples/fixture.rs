//! Writes the report of the tests' fixture run, to look at it:
//! `cargo run -p report --example fixture -- FILE.html|FOLDER [killed|messaging] [nl|da] [PROFILE]`.
//! A folder gets every format.

#[path = "../tests/all/fixture/mod.rs"]
mod fixture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let path = arguments.first().map_or("report.html", String::as_str);
    let language = report::LANGUAGES.into_iter().find(|language| has(language)).unwrap_or("en");
    let mut fixture = match () {
        () if has("killed") => fixture::killed(),
        () if has("messaging") => fixture::messaging(),
        () => fixture::fixture(),
    };
    let profiles = ["full", "management", "comparison", "folio", "digikoppeling", "nsp"];
    if let Some(profile) = profiles.into_iter().find(|profile| has(profile)) {
        fixture.study.report.profile = profile.into();
    }
    if path.ends_with(".html") {
        std::fs::write(path, report::html(&fixture.input(), language))?;
        return Ok(());
    }
    let wanted = report::WriteOptions { formats: report::FORMATS, language, is_strict: false };
    for file in report::write(&fixture.input(), std::path::Path::new(path), &wanted)? {
        println!("{}", file.display());
    }
    Ok(())
}
