//! The same work for many parts of a run, on several cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// More threads than this are not worth their memory: each merges a part of the run.
const THREADS_MAX: usize = 8;

/// What `of` makes of each item, in the order of the items, whichever thread is first.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(items.len()).min(THREADS_MAX);
    if threads < 2 {
        return items.iter().map(of).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { break };
            let made = of(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((place, made));
        }
    };
    std::thread::scope(|scope| {
        let thread = |_| std::thread::Builder::new().name("judge".to_owned()).spawn_scoped(scope, work);
        // One that the system does not start is not missed: the others take its part.
        let others: Vec<_> = (1..threads).map(thread).collect();
        work();
        for other in others.into_iter().flatten() {
            other.join().unwrap_or_else(|defect| std::panic::resume_unwind(defect));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for length in [0, 1, 2, 1000] {
            let items: Vec<u64> = (0..length).collect();
            let squares = each(&items, |item| {
                if item.is_multiple_of(7) {
                    std::thread::yield_now();
                }
                item * item
            });
            assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "a defect")]
    fn a_defect_in_one_part_is_one_of_the_whole() {
        each(&[1, 2, 3], |item| assert!(*item != 2, "a defect"));
    }
}
