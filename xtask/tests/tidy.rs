//! The repository itself, so that `cargo test` finds what `cargo xtask tidy` would.

use xtask::{tidy, tree::Tree};

#[test]
fn the_repository_is_tidy() {
    let problems = tidy::problems(&Tree::of_this_repository()).expect("the repository can be read");
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}
