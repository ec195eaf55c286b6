//! All end-to-end tests in one program: what waits for a run of one file goes on beside a run of another, and there is
//! one program to link. `cargo test -p e2e messaging::` runs those of one file.

mod adapting;
mod books;
mod budgets;
mod change_and_privacy;
mod checking;
mod collection_service;
mod compare;
mod earlier;
mod endings;
mod failures;
mod fan_out;
mod flow;
mod folders;
mod guide_examples;
mod held;
mod journeys;
mod limits;
mod listen;
mod messaging;
mod mixes;
mod nothing_answers;
mod parallel;
mod printing;
mod quick;
mod refusals;
mod screen;
mod scripts;
mod secrets;
mod seed_errors;
mod signals;
mod site;
mod starved;
mod studies;
mod theory;
mod wire;
