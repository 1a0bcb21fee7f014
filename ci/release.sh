#!/usr/bin/env bash
# Gathers a release: what `make deb` and `make wheel` left, checksums and notes. `make release` calls it.
#
#   ci/release.sh VERSION PACKAGES FOLDER
#
# FOLDER, which is made anew, gets the packages of that version from the folder PACKAGES, SHA256SUMS and NOTES.md. The notes are
# the section of that version in CHANGELOG.md, else the one of what is unreleased, and the subjects of the commits since the
# last tag that is a version. It fails where no package is of that version, or CHANGELOG.md has nothing to say.
set -euo pipefail
version=$1 packages=$2 folder=$3
shopt -s nullglob

fail() {
    echo "release: $1" >&2
    exit 2
}
section() { # HEADING: what is below it in CHANGELOG.md
    awk -v heading="## $1" '/^## / { inside = $0 == heading; next } inside' CHANGELOG.md | sed '/./,$!d'
}

files=("$packages"/cugate_"$version"_*.deb "$packages"/cugate*-"$version"-*.whl)
[ ${#files[@]} -gt 0 ] || fail "$packages has no package of $version: make deb wheel"
notes=$(section "$version")
[ -n "$notes" ] || notes=$(section Unreleased)
[ -n "$notes" ] || fail "CHANGELOG.md has neither a section of $version nor one of what is unreleased"
last=$(git describe --tags --abbrev=0 --match 'v[0-9]*' --exclude "v$version" 2>/dev/null || true)

rm -rf "$folder"
mkdir -p "$folder"
cp "${files[@]}" "$folder"
{
    printf '# cugate %s\n\n%s\n' "$version" "$notes"
    [ -e LICENSE ] || printf '\nNo licence has been chosen yet: ask the owner before you use or pass on what is here.\n'
    if [ -n "$last" ]; then
        printf '\n## Commits since %s\n\n' "$last"
        git log --no-merges --format='- %s (%h)' "$last..HEAD"
    fi
} >"$folder/NOTES.md"
(cd "$folder" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
echo "release: $folder"
