//! Threads and memory: tried before the start, by taking for a moment what the run will take.

use crate::error::RunError;
use crate::numbers::grouped;
use rustix::process::{Resource, getrlimit};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;

/// Besides load threads and what watches: the recording, the screen, the keeper of the run, the clock's pairs, a thread
/// of the listeners, and what a driver or monitor may start for itself.
const THREADS_BESIDES: usize = 10;
/// Address space that a run takes besides its threads: tables and documents of the report at its end among them.
const MEMORY_BYTES: usize = 192 << 20;
/// What a thread takes of it: its stack, and what it holds of the allocator's memory.
const THREAD_BYTES: usize = 8 << 20;
/// Address space of an arena of glibc's allocator. A thread that finds all arenas in use makes one of its own, up to
/// [`ARENAS_PER_CORE`] of them: how many there will be depends on which threads meet.
const ARENA_BYTES: usize = 64 << 20;
/// <https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html>, `arena_max`.
const ARENAS_PER_CORE: usize = 8;

/// Takes all the threads and the memory of a run at once, with so many load threads and monitors, and gives them back.
///
/// # Errors
/// When the system refuses: what there is, what is needed, and what to type.
pub fn try_out(workers: u16, monitors: usize) -> Result<(), RunError> {
    let needed = usize::from(workers) + monitors + THREADS_BESIDES;
    // Memory first: a thread that finds none for its own beginning would end the process.
    let bytes = MEMORY_BYTES + needed * THREAD_BYTES + usize::from(workers) * drive::STACK_BYTES;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // One more: an arena is cut out of twice its size.
    let arenas = (needed.min(cores * ARENAS_PER_CORE) + 1) * ARENA_BYTES;
    // Of a limit of the address space, arenas take what is never touched; of what is written to they take nothing.
    let too_low: Vec<TooLow> = [
        TooLow::of(Resource::As, "ulimit -v", taken_bytes(0) + bytes + arenas),
        TooLow::of(Resource::Data, "ulimit -d", taken_bytes(5) + bytes),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !too_low.is_empty() {
        return Err(RunError::refused(too_little_memory(&too_low)));
    }
    let mut memory = Vec::<u8>::new();
    if memory.try_reserve_exact(bytes).is_err() {
        return Err(RunError::refused(no_memory(bytes)));
    }
    drop(memory);
    let (got, refusal) = take(needed);
    match refusal {
        None => Ok(()),
        Some(error) => Err(RunError::refused(too_few_threads(needed, got, &error.to_string(), workers))),
    }
}

/// A limit of this process's memory that a run does not keep to.
struct TooLow {
    /// What sets it.
    command: &'static str,
    limit: usize,
    needed: usize,
}

impl TooLow {
    fn of(resource: Resource, command: &'static str, needed: usize) -> Option<Self> {
        let limit = getrlimit(resource).current.and_then(|limit| usize::try_from(limit).ok())?;
        (limit < needed).then_some(Self { command, limit, needed })
    }
}

/// What this process has taken so far, by its place in `/proc/self/statm` (proc(5)): 0 is its address space, 5 what of it
/// it may write to. Nothing where the system does not tell.
fn taken_bytes(place: usize) -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_ascii_whitespace().nth(place).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0);
    pages * rustix::param::page_size()
}

/// Starts so many threads, holds them all, and lets them go. Returns how many there were at once, and why no more.
fn take(needed: usize) -> (usize, Option<std::io::Error>) {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let (mut threads, mut refusal) = (Vec::with_capacity(needed), None);
    for number in 0..needed {
        let gate = gate.clone();
        let held = move || {
            let is_open = gate.0.lock().unwrap_or_else(PoisonError::into_inner);
            drop(gate.1.wait_while(is_open, |is_open| !*is_open));
        };
        match Builder::new().name(format!("try-{number}")).spawn(held) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                refusal = Some(error);
                break;
            }
        }
    }
    *gate.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    gate.1.notify_all();
    let got = threads.len();
    // They only wait; none can have failed.
    threads.into_iter().for_each(|thread| drop(thread.join()));
    (got, refusal)
}

fn too_few_threads(needed: usize, got: usize, error: &str, workers: u16) -> String {
    let fewer = if workers > 1 { ", or take fewer load threads (`--threads 1`)" } else { "" };
    format!(
        "this run needs {} threads, and the system gives {} ({error}): the limit of this user's processes and threads \
         (`ulimit -u`, all programs together), or of this container (`pids.max`), is reached; type `ulimit -u {}` or \
         more in the shell that starts loadproof, end other programs of this user{fewer}",
        grouped(needed as u64),
        grouped(got as u64),
        // Whatever else the user runs is in it, and is not ours to count.
        needed.max(got) + 200
    )
}

/// KiB of a limit, which is how a shell counts, that a run keeps to. More than is needed, since under a low limit the
/// threads that there were found no room for arenas.
fn advised(too_low: &TooLow) -> usize {
    (too_low.needed.div_ceil(1 << 20) + 512) * 1024
}

fn too_little_memory(too_low: &[TooLow]) -> String {
    let mebibytes = |bytes: usize| grouped(bytes.div_ceil(1 << 20) as u64);
    let told = |one: &TooLow| {
        format!("{} MiB, of which `{}` allows {}", mebibytes(one.needed), one.command, mebibytes(one.limit))
    };
    let needs: Vec<String> = too_low.iter().map(told).collect();
    let commands: Vec<String> = too_low.iter().map(|one| format!("{} {}", one.command, advised(one))).collect();
    let unlimited: Vec<String> = too_low.iter().map(|one| format!("{} unlimited", one.command)).collect();
    format!(
        "this run finds no room in memory: it needs {}; type `{}` or more in the shell that starts loadproof, or `{}`",
        needs.join(", and "),
        commands.join("; "),
        unlimited.join("; ")
    )
}

fn no_memory(bytes: usize) -> String {
    format!(
        "this run finds no room in memory: it needs {} MiB, and the system refuses so much; end other programs, or look \
         whether it gives no more than it has (`sysctl vm.overcommit_memory` is 2)",
        grouped(bytes.div_ceil(1 << 20) as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_there_are_are_taken_and_given_back() {
        let before = std::fs::read_dir("/proc/self/task").unwrap().count();
        let (got, refusal) = take(20);
        assert!(got == 20 && refusal.is_none());
        // Other tests' threads come and go; twenty more would be ours.
        assert!(std::fs::read_dir("/proc/self/task").unwrap().count() < before + 20);
        assert!(try_out(2, 3).is_ok());
    }

    #[test]
    fn a_refusal_says_what_is_needed_and_what_to_type() {
        let text = too_few_threads(15, 6, "Resource temporarily unavailable (os error 11)", 2);
        for part in ["needs 15 threads", "gives 6", "`ulimit -u 215`", "`--threads 1`"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!too_few_threads(15, 6, "", 1).contains("--threads"));
        let one = |command, limit: usize| TooLow { command, limit: limit << 20, needed: 300 << 20 };
        let text = too_little_memory(&[one("ulimit -d", 200)]);
        assert!(text.contains("300 MiB, of which `ulimit -d` allows 200"), "{text}");
        assert!(text.contains("type `ulimit -d 831488` or more") && !text.contains("ulimit -v"), "{text}");
        let text = too_little_memory(&[one("ulimit -v", 100), one("ulimit -d", 200)]);
        assert!(text.contains("type `ulimit -v 831488; ulimit -d 831488` or more"), "{text}");
        assert!(taken_bytes(5) > 0 && taken_bytes(0) > taken_bytes(5));
    }
}
