//! What the system and the machine tell: `/proc`, perf data, `jstat`, status of databases.

use crate::text;

/// Texts of `/proc`, whatever file they are of.
pub(crate) fn proc(data: &[u8]) {
    let text = text(data);
    monitor_host::fuzz::proc(&text);
    monitor_process::fuzz::proc(&text);
    monitor_sql::fuzz::proc(&text);
    let _ = processes::stat(&text);
    let _ = processes::listening(&text, 80);
}

/// What another machine answers, after a byte that says where it is cut, and what `ssh` says of one that does not.
pub(crate) fn remote_answer(data: &[u8]) {
    remote::fuzz::answer(data);
}

/// Perf data of a Java virtual machine.
pub(crate) fn perf_data(data: &[u8]) {
    monitor_jvm::fuzz::perf_data(data);
}

/// Lines of `jstat`.
pub(crate) fn jstat(data: &[u8]) {
    monitor_jvm::fuzz::jstat(&text(data));
}

/// Rows of a database's status: three cells a line, parted by tabs.
pub(crate) fn sql_status(data: &[u8]) {
    monitor_sql::fuzz::status(data);
}

/// A pattern and a log that may follow it.
pub(crate) fn access_log(data: &[u8]) {
    monitor_access_log::fuzz::access_log(data);
}

/// A file of a control group, or what Docker answers.
pub(crate) fn cgroup(data: &[u8]) {
    monitor_cgroup::fuzz::cgroup(data);
}

/// Any text as a page, with values of each kind chosen by its first word.
pub(crate) fn metrics_page(data: &[u8]) {
    monitor_prometheus::fuzz::page(data);
}
