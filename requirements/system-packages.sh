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
    # shellcheck disable=SC2086 # a list of words
    apt-get install -qq -y --no-install-recommends $missing >/dev/null
}
# Images of containers come without lists of packages.
install 2>/dev/null || { apt-get update -qq && install; } \
|| echo "apt-get could not install$missing: the tests that need them are not run" >&2
exit 0
