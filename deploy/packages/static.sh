#!/usr/bin/env bash
# One file that needs nothing of the machine: linked against musl, tried in a root that has nothing else.
#
#   deploy/packages/static.sh [PROGRAM]      builds the program first unless one is named
#
# Without Kafka, whose client needs OpenSSL from the system. Needs `musl-gcc` (apt-get install musl-tools) for SQLite and the
# cryptography, and the target: rustup target add x86_64-unknown-linux-musl.
set -euo pipefail
. "$(dirname "$0")/common.sh"

triple=$(uname -m)-unknown-linux-musl
program=${1:-}
if [ -z "$program" ]; then
  need musl-gcc musl-tools
  rustc --print target-libdir --target "$triple" | xargs test -d \
    || fail "the target is missing: type rustup target add $triple"
  say "building for $triple"
  "$CARGO" build --release --locked -p cli --no-default-features --features paper --target "$triple"
  program=$target/$triple/release/loadproof
fi
install -m 755 "$program" "$work/loadproof"
strip "$work/loadproof"
! readelf -l "$work/loadproof" | grep -q INTERP || fail "it asks for a dynamic linker"
! readelf -d "$work/loadproof" | grep -q NEEDED || fail "it asks for libraries"

# A root with the program, /proc, /dev/null and a place to write. Not even a shell; names of hosts come from its own files.
root=$work/root
mkdir -p "$root"/{bin,proc,dev,lab,tmp}
cp "$work/loadproof" "$root/bin/loadproof"
touch "$root/dev/null"
inside=/lab
serve
# shellcheck disable=SC2016
bare() {
  unshare --map-root-user --mount bash -c '
    mount --bind /dev/null "$0/dev/null" && mount --rbind /proc "$0/proc"
    chroot=$1; shift
    exec env -i HOME=/lab "$chroot" "$0" /bin/loadproof "$@"' "$root" "$(command -v chroot)" "$@"
}
try_it bare
report_of "$root/lab"
archive=$out/loadproof-$version-$(uname -m)-linux-musl.tar.gz
cp LICENSE-MIT LICENSE-APACHE "$work"
tar -C "$work" --owner 0 --group 0 -czf "$archive" loadproof LICENSE-MIT LICENSE-APACHE
say "done: $archive, $(stat -c %s "$work/loadproof") bytes in one file"
