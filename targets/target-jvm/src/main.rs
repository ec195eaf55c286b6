//! A Java server with a heap, garbage and a leak to set; see the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_jvm::launcher::main()
}
