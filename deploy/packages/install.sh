#!/usr/bin/env bash
# `cargo install` into a folder of its own, and the program tried with an empty environment.
set -euo pipefail
. "$(dirname "$0")/common.sh"

say "cargo install"
"$CARGO" install --path crates/cli --locked --root "$work/installed" --no-track
inside=$work/home
mkdir "$inside"
serve
cd "$inside"
try_it env -i PATH=/nowhere HOME="$inside" "$work/installed/bin/loadproof"
report_of "$inside"
say "done"
