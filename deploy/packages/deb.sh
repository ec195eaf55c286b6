#!/usr/bin/env bash
# A package for Debian and its kin, installed on a bare machine and tried there.
#
#   deploy/packages/deb.sh [PROGRAM]      builds the program first unless one is named
#
# Needs dpkg-dev and strip. The bare machine is a root that `debootstrap` makes (as root; a minute), kept in BARE for the next
# time. Without debootstrap, or without the right to use it, the package is unpacked and tried beside this machine's
# libraries, and the script says so. Whoever gives the package away names themselves in DEBFULLNAME and DEBEMAIL.
set -euo pipefail
. "$(dirname "$0")/common.sh"

need dpkg-shlibdeps dpkg-dev
need strip binutils
program=${1:-}
if [ -z "$program" ]; then
  say "building"
  "$CARGO" build --release --locked -p cli
  program=$target/release/loadproof
fi

maintainer="${DEBFULLNAME:-the loadproof authors} <${DEBEMAIL:-loadproof@localhost}>"
root=$work/package
doc=$root/usr/share/doc/loadproof
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$doc/examples" "$root/usr/share/man/man1" \
  "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
  "$root/usr/share/fish/vendor_completions.d"
install -m 755 "$program" "$root/usr/bin/loadproof"
strip --strip-unneeded --remove-section=.comment "$root/usr/bin/loadproof"
loadproof=$root/usr/bin/loadproof

"$loadproof" completions bash >"$root/usr/share/bash-completion/completions/loadproof"
"$loadproof" completions zsh >"$root/usr/share/zsh/vendor-completions/_loadproof"
"$loadproof" completions fish >"$root/usr/share/fish/vendor_completions.d/loadproof.fish"
"$loadproof" man --out "$root/usr/share/man/man1" 2>/dev/null
gzip -9n "$root"/usr/share/man/man1/*.1
"$loadproof" schema --out "$doc/study.schema.json" 2>/dev/null
cp -r studies/quickstart.yaml studies/inventory-embedded.yaml studies/data "$doc/examples/"
{
  echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
  echo "Upstream-Name: loadproof"
  echo
  echo "Files: *"
  echo "Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE-MIT)"
  echo "License: MIT or Apache-2.0"
  echo
  echo "License: MIT"
  sed -n '/^Permission/,$p' LICENSE-MIT | sed 's/^$/./; s/^/ /'
  echo
  echo "License: Apache-2.0"
  echo " On Debian systems the text of this licence is in /usr/share/common-licenses/Apache-2.0."
} >"$doc/copyright"
{
  echo "loadproof ($version-1) unstable; urgency=medium"
  echo
  echo "  * See CHANGELOG.md of the project."
  echo
  echo " -- $maintainer  $(date -uR -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}")"
} | gzip -9n >"$doc/changelog.Debian.gz"

# Which packages its libraries are in, with the versions that have what it calls.
mkdir -p "$work/debian" && printf 'Source: loadproof\n\nPackage: loadproof\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$loadproof" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
architecture=$(dpkg --print-architecture)
{
  echo "Package: loadproof"
  echo "Version: $version-1"
  echo "Architecture: $architecture"
  echo "Maintainer: $maintainer"
  echo "Installed-Size: $(du -sk "$root" | cut -f1)"
  [ -z "$depends" ] || echo "Depends: $depends"
  echo "Recommends: ca-certificates"
  echo "Section: net"
  echo "Priority: optional"
  echo "Description: one study file in, one judged performance report out"
  echo " loadproof starts the system under test, puts load on it, monitors it on the"
  echo " same clock, and decides for each requirement whether it is met or not met,"
  echo " or says why it cannot tell."
} >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} + && find "$root" -type f ! -path "$root/usr/bin/*" -exec chmod 644 {} +
package=$out/loadproof_$version-1_$architecture.deb
dpkg-deb --root-owner-group -Z"${COMPRESSION:-xz}" --build "$root" "$package"
say "depends on: ${depends:-nothing}"

if [ "${LINTIAN:-yes}" = yes ] && command -v lintian >/dev/null; then
  # A package that stays on this machine needs nobody to write to.
  private=()
  [ -n "${DEBEMAIL:-}" ] || private=(--suppress-tags "bogus-mail-host,bogus-mail-host-in-debian-changelog")
  lintian --allow-root --fail-on error "${private[@]}" "$package" || fail "lintian found an error"
else
  say "lintian was not asked"
fi

serve
bare=${BARE:-$work/bare}
if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
  if [ ! -x "$bare/usr/bin/dpkg" ]; then
    say "making a bare machine in $bare"
    debootstrap --variant=minbase "$(. /etc/os-release; echo "$VERSION_CODENAME")" "$bare" >"$work/debootstrap" \
      || fail "debootstrap: $(tail -n 3 "$work/debootstrap")"
  fi
  inside=$(mktemp -d "$bare/tmp/tried.XXXXXX")
  cp "$package" "$inside/loadproof.deb"
  # With /proc of its own, and the repositories of this machine, which the package's libraries come from.
  # shellcheck disable=SC2016
  in_bare() {
    unshare --mount --pid --fork --kill-child bash -c '
      mount -t proc proc "$0/proc" && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        DEBIAN_FRONTEND=noninteractive chroot "$0" "$@"' "$bare" "$@"
  }
  say "apt-get install in it"
  in_bare apt-get purge -qq -y loadproof >/dev/null 2>&1 || true
  cp /etc/resolv.conf "$bare/etc/resolv.conf"
  in_bare apt-get update -qq
  in_bare apt-get install -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends "${inside#"$bare"}/loadproof.deb" >/dev/null \
    || fail "it cannot be installed"
  outside=$inside inside=${inside#"$bare"}
  try_it in_bare /usr/bin/loadproof
  report_of "$outside"
  in_bare bash -c 'source /usr/share/bash-completion/completions/loadproof && complete -p loadproof' >/dev/null \
    || fail "bash has no completions"
  in_bare apt-get purge -qq -y -o Dpkg::Use-Pty=0 loadproof >/dev/null
  [ ! -e "$bare/usr/bin/loadproof" ] || fail "it cannot be removed"
  rm -rf "$outside"
else
  say "no root or no debootstrap: tried beside this machine's libraries, not on a bare machine"
  dpkg-deb -x "$package" "$work/unpacked"
  inside=$work/home && mkdir "$inside"
  try_it env -i HOME="$inside" "$work/unpacked/usr/bin/loadproof"
  report_of "$inside"
fi
say "done: $package, $(stat -c %s "$package") bytes"
