//! Writes the seeds of binary forms into `fuzz/corpus`: `cargo run -p fuzz-targets --example seeds`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (target, name, bytes) in fuzz_targets::seeds() {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(&name), &bytes)?;
        println!("{target}/{name}: {} bytes", bytes.len());
    }
    Ok(())
}
