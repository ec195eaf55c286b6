//! Threads and memory: tried before the start, by taking for a moment what the run will take.

use crate::exit::Failed;
use crate::words::grouped;
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

/// Takes all the threads and the memory of a run at once, and gives them back.
///
/// # Errors
/// When the system refuses: what there is, what is needed, and what to type.
pub(crate) fn try_out(workers: u16, monitors: usize) -> Result<(), Failed> {
    let needed = usize::from(workers) + monitors + THREADS_BESIDES;
    // Memory first: a thread that finds none for its own beginning would end the process.
    let bytes = MEMORY_BYTES + needed * THREAD_BYTES;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // One more: an arena is cut out of twice its size.
    let arenas = (needed.min(cores * ARENAS_PER_CORE) + 1) * ARENA_BYTES;
    // Of a limit of the address space, arenas take what is never touched; of the machine's memory they take nothing.
    match getrlimit(Resource::As).current.and_then(|limit| usize::try_from(limit).ok()) {
        Some(limit) if limit < mapped_bytes() + bytes + arenas => {
            return Err(Failed::because(too_little_memory(mapped_bytes() + bytes + arenas)));
        }
        _ => {}
    }
    let mut memory = Vec::<u8>::new();
    if memory.try_reserve_exact(bytes).is_err() {
        return Err(Failed::because(too_little_memory(mapped_bytes() + bytes + arenas)));
    }
    drop(memory);
    let (got, refusal) = take(needed);
    match refusal {
        None => Ok(()),
        Some(error) => Err(Failed::because(too_few_threads(needed, got, &error.to_string(), workers))),
    }
}

/// Address space that this process has now; 0 where the system does not tell. Field 1 of `/proc/self/statm`, proc(5).
fn mapped_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_ascii_whitespace().next().and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0);
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

fn too_little_memory(bytes: usize) -> String {
    let mebibytes = bytes.div_ceil(1 << 20);
    format!(
        "this run needs {} MiB of address space, and the system refuses so much: the limit of this process's memory \
         (`ulimit -v`, `ulimit -d`) is too low; type `ulimit -v {}` or more in the shell that starts loadproof, or \
         `ulimit -v unlimited`",
        grouped(mebibytes as u64),
        // It counts KiB. More, since under a low limit the threads that there were found no room for arenas.
        (mebibytes + 512) * 1024
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
        let text = too_little_memory(300 << 20);
        assert!(text.contains("300 MiB") && text.contains("`ulimit -v 831488`"), "{text}");
    }
}
