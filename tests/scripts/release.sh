#!/usr/bin/env bash
# Tests ci/release.sh in a scratch repository with made-up packages, and that CHANGELOG.md has what it takes. Ends with
# "N passed, N failed".
#
#   tests/scripts/release.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
# shellcheck disable=SC2046 # one word each
unset $(git rev-parse --local-env-vars)

mkdir -p "$work/repository/build/package" && cd "$work/repository" || exit 2
git init -q -b main . && echo build >.gitignore
commit() { git add -A && git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m "$1"; }
release() { ask "$top/ci/release.sh" 0.2.0 build/package build/release; }
printf '# What changed\n\n## Unreleased\n\n- a new thing\n\n## 0.1.0\n\n- an old thing\n' >CHANGELOG.md
commit 'judge: old' && git tag v0.1.0 && git tag v0.2.0-of-others
commit 'judge: new'
echo old >build/package/cugate_0.1.0_amd64.deb
release
expect "without a package of that version" 2 'no package of 0.2.0'
echo new >build/package/cugate_0.2.0_amd64.deb
echo wheel >build/package/cugate_reports-0.2.0-py3-none-any.whl
mkdir -p build/release && echo left >build/release/left
release
expect "a release" 0 'release: build/release'
expect "has the packages of that version alone, checksums and notes" 0 cugate_0.2.0_amd64.deb cugate_reports-0.2.0 SHA256SUMS \
    NOTES.md '!0.1.0' '!left' '!new' -- ls build/release
checked() { (cd build/release && sha256sum --check --strict SHA256SUMS && [ "$(wc -l <SHA256SUMS)" = 3 ]); }
expect "and each file has its checksum" 0 -- checked
expect "notes: what is unreleased, commits, and that there is no licence" 0 '# cugate 0.2.0' '- a new thing' \
    'Commits since v0.1.0' 'judge: new' 'No licence' '!an old thing' '!judge: old' -- cat build/release/NOTES.md
sed -i 's/^## Unreleased/## 0.2.0/' CHANGELOG.md && touch LICENSE
release
expect "notes: the section of the version" 0 '- a new thing' '!No licence' -- cat build/release/NOTES.md
echo '# What changed' >CHANGELOG.md
release
expect "without notes" 2 'CHANGELOG.md has neither'

cd "$top" || exit 2
expect "CHANGELOG.md" 0 '## Unreleased' '## What is stable' -- grep -xE '## (Unreleased|What is stable)' CHANGELOG.md
summary
