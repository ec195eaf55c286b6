//! What the screens of a run's end, of a comparison and of a history share: how wide they are, and whether in colours.

use crate::output::{self, show};
use crate::words::wrapped;
use std::io::IsTerminal;

/// Width without a terminal, and where one is too narrow to be read.
const PLAIN_WIDTH: usize = 110;
/// Narrowest terminal whose width is used.
const WIDTH_MIN: usize = 40;

/// Standard error, as summaries are shown on it.
pub(crate) struct Screen {
    colours: bool,
    pub(crate) width: usize,
}

impl Screen {
    pub(crate) fn of_standard_error() -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok().map(|size| usize::from(size.ws_col));
        let width = size.filter(|&width| width >= WIDTH_MIN).unwrap_or(PLAIN_WIDTH);
        Self { colours: is_terminal && std::env::var_os("NO_COLOR").is_none(), width }
    }

    /// Text without control characters, in the colour of a code such as `1` or `31`; plain without one.
    pub(crate) fn painted(&self, code: &str, text: &str) -> String {
        let text = output::plain(text);
        if self.colours && !code.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text }
    }

    /// Text within the width, indented.
    pub(crate) fn paragraph(&self, text: &str, indent: usize, code: &str) {
        for line in wrapped(text, self.width.saturating_sub(indent)) {
            show!("{:indent$}{}", "", self.painted(code, &line));
        }
    }
}
