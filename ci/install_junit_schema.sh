#!/usr/bin/env bash
# Puts the schema of JUnit reports that CI servers use at FILE: junit-10.xsd of the Jenkins xunit plugin (MIT licence). It is
# taken from the sources of pytest on PyPI, which tests its own reports by it. Nothing is done when FILE exists.
#
#   ci/install_junit_schema.sh FILE
set -euo pipefail

file=$1
[ ! -s "$file" ] || exit 0

sources='pytest==8.3.4 --hash=sha256:965370d062bce11e73868e0335abac31b4d3de0e82f4007408d242b4f8610761'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "installing the schema of JUnit reports from PyPI: $file"
echo "$sources" >"$work/requirements"
if ! python3 -I -m pip download --quiet --timeout 60 --disable-pip-version-check --no-deps --no-binary=:all: \
    --require-hashes --dest "$work" --requirement "$work/requirements" >"$work/log" 2>&1; then
    tail -5 "$work/log" >&2
    echo "error: cannot get ${sources%% *} from PyPI; try again, or put junit-10.xsd of the Jenkins xunit plugin at $file" >&2
    exit 1
fi
tar -xzf "$work"/pytest-*.tar.gz -C "$work" --strip-components=1 --wildcards '*/testing/example_scripts/junit-10.xsd'
mkdir -p "$(dirname "$file")"
mv "$work/testing/example_scripts/junit-10.xsd" "$file"
