#!/bin/sh
# Installs the Debian packages that tests need and that are missing, where this user may. Never fails: tests of what
# is still missing are reported as not run.
# Usage: requirements/system-packages.sh
set -u
cd "$(dirname "$0")"
command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || exit 0
missing=
for package in $(sed 's/#.*//' system-packages.txt); do
    case $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) in
    installed) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] && [ "$(id -u)" = 0 ] || exit 0
echo "Installing$missing for the tests"
export DEBIAN_FRONTEND=noninteractive
install() {
    apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}
# shellcheck disable=SC2086 # a list of words
install $missing 2>/dev/null && exit 0
# Images of containers come without lists of packages, and one package that is not there would keep out all others.
apt-get update -qq
for package in $missing; do
    install "$package" || echo "$package was not installed: the tests that need it are not run" >&2
done
exit 0
