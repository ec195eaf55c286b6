//! Recomputes the numbers of runs from their rows: `cargo run -p e2e --bin recompute -- RUN…`. Exit code 1 where one differs.

use std::path::Path;
use std::process::ExitCode;

/// Differences that are printed of each run.
const SHOWN: usize = 20;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut is_right = true;
    for path in std::env::args().skip(1) {
        let told = e2e::recompute::recompute(Path::new(&path))?;
        println!("{path}: {} numbers compared, {} differ", told.compared, told.wrong.len());
        told.kinds.iter().for_each(|(kind, count)| println!("  {count} {kind}"));
        told.left_out.iter().for_each(|(what, count)| println!("  not compared: {count} {what}"));
        told.wrong.iter().take(SHOWN).for_each(|line| println!("  {line}"));
        is_right &= told.wrong.is_empty() && told.compared > 0;
    }
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
