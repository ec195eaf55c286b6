//! Defects: a panic of any thread is told, and turns the exit code; the run goes on to its seal and its report.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_ANY: AtomicBool = AtomicBool::new(false);
static IS_IN_THE_WAY: AtomicBool = AtomicBool::new(false);

/// From now on a panic of this process is told to `tell`, a line or more each, and remembered.
pub fn listen(tell: fn(&str)) {
    std::panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("without a name");
        let place = info.location().map_or_else(String::new, |place| format!(" at {place}"));
        tell(&format!("defect: the thread `{name}` failed{place}: {}", info.payload_as_str().unwrap_or("no text")));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            tell(&trace.to_string());
        }
        IS_ANY.store(true, Ordering::Release);
        // What watches may fail without the load being any the worse: its gap is told in the report.
        if !name.starts_with("watch ") {
            IS_IN_THE_WAY.store(true, Ordering::Release);
        }
    }));
}

/// Whether there was one.
pub fn is_any() -> bool {
    IS_ANY.load(Ordering::Acquire)
}

/// Whether there was one that the load cannot go on with.
pub(crate) fn is_in_the_way() -> bool {
    IS_IN_THE_WAY.load(Ordering::Acquire)
}
