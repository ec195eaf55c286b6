#!/usr/bin/env bash
# The container: built and tried with podman, docker or buildah, whichever runs; else its last stage is put together as the
# Containerfile says and carried out in a root of its own, which says what of it was not tried.
#
#   deploy/packages/container.sh [PROGRAM]    PROGRAM: the static one, for a machine without an engine
#
# BUILD_ON names another image for the first stage: one with rustup, cargo and apt, on a machine that reaches no registry.
set -euo pipefail
. "$(dirname "$0")/common.sh"

file=$here/Containerfile
inside=/lab
serve
for engine in podman docker buildah; do
  "$engine" info >/dev/null 2>&1 || continue
  say "building with $engine"
  image=loadproof:$version
  # What is committed, and nothing else.
  mkdir "$work/source"
  git archive HEAD | tar -x -C "$work/source"
  arguments=(${BUILD_ON:+--build-arg "BUILD_ON=$BUILD_ON"} -f "$work/source/deploy/packages/Containerfile" -t "$image")
  mkdir -m 777 "$work/lab"
  if [ "$engine" = buildah ]; then
    # It builds in a plain chroot, so that it also works within a container; its `run` takes the image's user and variables,
    # and not its entry point.
    buildah build --layers --isolation chroot "${arguments[@]}" "$work/source"
    container=$(buildah from "$image")
    trap 'buildah rm "$container" >/dev/null 2>&1 || true; cleanup' EXIT
    entry=$(buildah inspect --type image --format '{{index .OCIv1.Config.Entrypoint 0}}' "$image")
    contained() { buildah run --isolation chroot --volume "$work/lab:/lab" "$container" -- "$entry" "$@"; }
  else
    "$engine" build "${arguments[@]}" "$work/source"
    # As whoever builds it, to whom the folder belongs; once as the user of the image.
    "$engine" run --rm "$image" --version >/dev/null
    contained() { "$engine" run --rm --network host --user "$(id -u):$(id -g)" -v "$work/lab:/lab" "$image" "$@"; }
  fi
  try_it contained
  report_of "$work/lab"
  say "done: the image $image, by $engine"
  exit
done

say "no container engine runs here: the base images, the first stage as it is written, and the image itself are not tried"
program=${1:-}
if [ -z "$program" ]; then
  triple=$(uname -m)-unknown-linux-musl
  need musl-gcc musl-tools
  "$CARGO" build --release --locked -p cli --no-default-features --features paper --target "$triple"
  program=$target/$triple/release/loadproof
fi

# The last stage, line by line, from files that stand for those of the first.
stage=$work/stage root=$work/root
install -D -m 755 "$program" "$stage/root-of-image/usr/bin/loadproof"
strip "$stage/root-of-image/usr/bin/loadproof"
install -d -m 1777 "$stage/root-of-image/lab" "$stage/root-of-image/tmp"
mkdir -p "$stage/etc/ssl/certs" "$root"
cp /etc/ssl/certs/ca-certificates.crt "$stage/etc/ssl/certs/" 2>/dev/null || touch "$stage/etc/ssl/certs/ca-certificates.crt"
environment=() user='' folder='' entry=() command=()
list() { sed 's/^\[//; s/\]$//; s/"//g; s/, */\n/g' <<<"$1"; }
while read -r word rest; do
  case $word in
    COPY)
      [[ $rest == --from=build\ * ]] || fail "the last stage copies from elsewhere: $rest"
      read -r _ from to <<<"$rest"
      if [[ $from == */ ]]; then cp -a "$stage$from." "$root$to"; else install -D -m 644 "$stage$from" "$root$to"; fi ;;
    ENV) read -ra environment <<<"$rest" ;;
    USER) user=$rest ;;
    WORKDIR) folder=$rest ;;
    ENTRYPOINT) mapfile -t entry < <(list "$rest") ;;
    CMD) mapfile -t command < <(list "$rest") ;;
    FROM | '' | '#') ;;
    *) fail "a line that this script does not carry out: $word $rest" ;;
  esac
done < <(sed -n '/^FROM scratch/,$p' "$file")
if [ "${#entry[@]}" = 0 ] || [ -z "$user" ] || [ -z "$folder" ]; then fail "ENTRYPOINT, USER or WORKDIR is missing"; fi

# As an engine would: /proc and /dev/null, the variables and the user of the image, and nothing more.
[ "$(id -u)" = 0 ] || fail "without a container engine this needs root, for a root folder and another user"
[ "$folder" = "$inside" ] || fail "WORKDIR is $folder, and this script writes to $inside"
mkdir -p "$root/proc" "$root/dev" && touch "$root/dev/null"
setpriv=$(command -v setpriv) chroot=$(command -v chroot)
# shellcheck disable=SC2016
contained() {
  unshare --mount --pid --fork --kill-child bash -c '
    root=$1 user=$2 setpriv=$3 chroot=$4 count=$5; shift 5
    mount -t proc proc "$root/proc" && mount --bind /dev/null "$root/dev/null"
    exec env -i "${@:1:count}" "$setpriv" --no-new-privs "$chroot" --userspec="$user" "$root" "${@:count+1}"' \
    _ "$root" "$user" "$setpriv" "$chroot" "${#environment[@]}" "${environment[@]}" "${entry[@]}" "$@"
}
contained "${command[@]}" | grep -q Usage || fail "CMD shows no help"
chmod 1777 "$root/lab"
try_it contained
[ "$(stat -c %u:%g "$root/lab/run")" = "$user" ] || fail "the run is not of the user $user"
report_of "$root/lab"
say "done: $(find "$root" -type f ! -path "$root/lab/*" ! -path "$root/proc/*" | wc -l) files in the image, run as $user"
