//! Keys of legs that a listener closes: who waits, and for what.
//!
//! | bits from the top | what |
//! |---|---|
//! | 16 | load node |
//! | 16 | load thread |
//! | 8 | part of the scenario |
//! | 16 | exchange |
//! | 32 | step |
//! | 40 | iteration |

use crate::exchange::Task;

/// The key of a task on this node, thread and part. Unique in a run: steps are numbered over all scenarios, and an
/// iteration carries out an exchange in one step.
pub fn of(node: u16, worker: u16, lane: u8, task: &Task) -> u128 {
    let head = u128::from(node) << 112 | u128::from(worker) << 96 | u128::from(lane) << 88;
    let body = u128::from(task.exchange) << 72 | u128::from(task.step) << 40;
    head | body | u128::from(task.serial & SERIAL_MASK)
}

const SERIAL_MASK: u64 = (1 << 40) - 1;

/// The load thread that waits.
pub fn worker(key: u128) -> u16 {
    (key >> 96) as u16
}

/// The part of the scenario.
pub fn lane(key: u128) -> u8 {
    (key >> 88) as u8
}

/// The number of the exchange that a key was made for.
pub fn exchange(key: u128) -> u16 {
    (key >> 72) as u16
}

/// The step of the intended start.
pub fn step(key: u128) -> u32 {
    (key >> 40) as u32
}

/// The iteration's number in its scenario.
pub fn serial(key: u128) -> u64 {
    key as u64 & SERIAL_MASK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::NO_STREAM;
    use proptest::prelude::*;
    use terms::Nanos;

    proptest! {
        #[test]
        fn a_key_gives_back_what_it_was_made_of(
            node: u16, thread: u16, part: u8, exchange_number: u16, step_number: u32, number in 0u64..1 << 40,
        ) {
            let task = Task {
                exchange: exchange_number,
                serial: number,
                row: 0,
                units: 1,
                intended: Nanos::ZERO,
                deadline: Nanos::ZERO,
                step: step_number,
                stream: NO_STREAM,
            };
            let key = of(node, thread, part, &task);
            prop_assert_eq!((worker(key), lane(key), exchange(key)), (thread, part, exchange_number));
            prop_assert_eq!((step(key), serial(key), key >> 112), (step_number, number, u128::from(node)));
        }
    }
}
