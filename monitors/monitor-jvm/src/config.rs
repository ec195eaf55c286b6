//! The monitor's part of a study.

use contract::{Keys, Mistake, Mistakes, MonitorSettings, suggestion};

/// Where readings come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// The file that the machine maps into its memory; `jstat` where that cannot be read.
    PerfData,
    /// `jstat -gc -t`, as a child that prints by itself.
    Jstat,
}

const WORDS: [(&str, From); 2] = [("perf_data", From::PerfData), ("jstat", From::Jstat)];

/// Reads the settings.
///
/// # Errors
/// All mistakes at once.
pub(crate) fn read(settings: &MonitorSettings) -> Result<From, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let from = keys.take("from").map_or(Ok(From::PerfData), |node| {
        let text = node.as_text("`from`")?;
        let known = WORDS.into_iter().find(|(word, _)| *word == text);
        known.map(|(_, from)| from).ok_or_else(|| {
            let what = format!("`{}` is not a source of a JVM's figures", text.escape_debug());
            let mistake = Mistake::at(node.place, "study::unknown-word", what)
                .hint("possible are `perf_data` (the JVM's own counters, the default) and `jstat`");
            match suggestion(text, WORDS.map(|(word, _)| word)) {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake.label("write `perf_data` or `jstat`"),
            }
        })
    });
    let from = mistakes.keep(from);
    keys.finish(&mut mistakes);
    mistakes.into_result()?;
    Ok(from.unwrap_or(From::PerfData))
}
