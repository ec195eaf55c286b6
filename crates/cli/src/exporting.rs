//! `--export` and `--to`: who is to have metrics, while a run goes on beside whoever shows its progress.

use crate::exit::Failed;
use crate::output::say;
use crate::progress::Progress;
use export::{Exporter, Receiver, Surroundings};
use run::{News, Observer};
use scrub::KeptOut;
use std::io::Read;
use std::path::Path;

/// The receivers that the command line names behind an option.
///
/// # Errors
/// An invalid address, or one whose token or authority cannot be had.
pub(crate) fn receivers(option: &str, addresses: &[String]) -> Result<Vec<Receiver>, Failed> {
    let variable = |name: &str| std::env::var(name).ok();
    let file = |path: &Path, most: usize| {
        let mut text = String::new();
        // One byte more than is allowed, so that what is too long shows.
        std::fs::File::open(path)?.take(most as u64 + 1).read_to_string(&mut text).map(|_| text)
    };
    let surroundings = Surroundings { option, variable: &variable, file: &file };
    addresses.iter().map(|address| export::read(address, &surroundings).map_err(Failed::because)).collect()
}

/// Says what should be known of receivers before anything is sent.
pub(crate) fn warn(receivers: &[Receiver]) {
    for warning in receivers.iter().filter_map(Receiver::warning) {
        say!("warning: {}", crate::outlet::clean(&warning));
    }
}

/// Shows the progress of a run, and exports it where that was asked for.
pub(crate) struct Exporting {
    progress: Progress,
    exporter: Option<Exporter>,
}

impl Exporting {
    /// Gets ready.
    ///
    /// # Errors
    /// A port that a page was to be served on and that is taken.
    pub(crate) fn start(progress: Progress, receivers: &[Receiver], kept_out: &KeptOut) -> Result<Self, Failed> {
        warn(receivers);
        let started = || Exporter::start(receivers, kept_out, progress.teller()).map_err(Failed::because);
        let exporter = if receivers.is_empty() { None } else { Some(started()?) };
        for page in exporter.iter().flat_map(Exporter::pages) {
            say!("metrics page: http://{page}/metrics");
        }
        Ok(Self { progress, exporter })
    }

    /// The run is over: gives receivers a few seconds for what is left, and says what each has got.
    pub(crate) fn finish(self) {
        // What the screen shows of the run goes first.
        drop(self.progress);
        for line in self.exporter.iter().flat_map(Exporter::finish) {
            say!("{}", crate::outlet::clean(&line));
        }
    }
}

impl Observer for Exporting {
    fn hear(&self, news: News<'_>) {
        if let (News::Folder(path), Some(exporter)) = (&news, &self.exporter) {
            exporter.follow(path);
        }
        self.progress.hear(news);
    }
}
