# What the scripts of this folder share. Each is `set -euo pipefail` and works in a folder of its own, `$work`.
# shellcheck shell=bash disable=SC2164,SC2154

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
CARGO=${CARGO:-cargo}
target=${CARGO_TARGET_DIR:-$repository/target}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$repository/Cargo.toml" | head -n 1)
name=$(basename "$0" .sh)
# What is made stays here; the rest is thrown away.
out=${OUT:-$target/packages}

say() { echo "== $name: $*"; }
fail() { echo "$name: $*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || fail "\`$1\` is missing: type apt-get install $2"; }

cd "$repository"
mkdir -p "$out"
work=$(mktemp -d)
served=
cleanup() {
  [ -z "$served" ] || kill "$served" 2>/dev/null || true
  # Never into what is mounted: a root that still has mounts is left where it is.
  if grep -q " $work" /proc/self/mounts; then echo "$name: $work still has mounts" >&2; else rm -rf "$work"; fi
}
trap cleanup EXIT

# serve: something to ask, on a port of this machine; sets `url`.
serve() {
  [ -x "$target/release/target-echo" ] || "$CARGO" build --release -p target-echo
  : >"$work/served"
  "$target/release/target-echo" --exit-after 30m >"$work/served" 2>&1 &
  served=$!
  for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$work/served")
    [ -z "$address" ] || { url=http://$address; return; }
    kill -0 "$served" 2>/dev/null || fail "target-echo ended: $(cat "$work/served")"
    sleep 0.1
  done
  fail "target-echo says no address: $(cat "$work/served")"
}

# try_it COMMAND…: what a user does first, with COMMAND in front of the program's arguments. The verdict of the machine is
# no failure of the package: 0 and 3 are both answers.
try_it() {
  local found code
  found=$("$@" --version)
  [ "$found" = "loadproof $version" ] || fail "this is \`$found\`, not loadproof $version"
  "$@" new "$inside/shop"
  "$@" check "$inside/shop/study.yaml" >/dev/null
  say "the first command of the README: ceiling"
  code=0
  "$@" ceiling --for 4s || code=$?
  [ "$code" = 0 ] || [ "$code" = 3 ] || fail "ceiling ended with $code"
  say "the second: quick"
  code=0
  "$@" quick "$url/" --rate 200/s --for 5s --out "$inside/run" || code=$?
  [ "$code" = 0 ] || [ "$code" = 3 ] || fail "quick ended with $code"
  "$@" report "$inside/run" --format html,md,junit,json || [ $? = 3 ] || fail "report failed"
}

# report_of FOLDER: the report that quick left there has the calls that were sent.
report_of() {
  [ -s "$1/run/report.html" ] || fail "the report is missing"
  grep -q '"schema": "loadproof/result/1"' "$1/run/result.json" || fail "result.json is missing, or of another version"
  say "tried: $(grep -c . "$1/run/report.md") lines of report.md, verdicts in result.json"
}
