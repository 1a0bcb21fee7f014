#!/usr/bin/env bash
# Does the work of `make lint`. Users never get -Werror; here every warning counts.
#
#   ci/lint.sh FLAG...      checks; FLAGs are the compiler's
#   ci/lint.sh --files      prints the files that clang-format looks after
set -euo pipefail
shopt -s nullglob

harness=(harness/*/*.c harness/*/*/*.c)
c=("${harness[@]}" tests/*/*.c tests/*/*/*.c tests/*/*/*/*.c)
sources=("${c[@]}" {harness,tests}/*/*.{h,hpp} {harness,tests/unit}/*/*/*.h tests/unit/*/*.h kernels/*.cu kernels/*.cuh kernels/device/*)
scripts=(ci/*.sh tests/*/*.sh .ci/run)
if [ "${1-}" = --files ]; then
    printf '%s\n' "${sources[@]}"
    exit
fi

failed=0
step() {
    echo "lint: $1"
    shift
    "$@" || failed=1
}

# Compiles each file in a process of its own, as many at once as there are cores. What is compiled is thrown away, so it
# is optimised no more than the warnings about uninitialised values and lost ends take.
compile() {
    printf '%s\0' "${c[@]}" | xargs -0 -P "$(nproc)" -I FILE gcc "$@" -O1 -g0 -Itests/unit -Werror -c -o /dev/null FILE
}

# The analyzer follows at most 50,000 states of a function, where clang's default is 225,000: a third of the time. On
# standard error clang-tidy only says how many warnings it suppressed, so that is dropped.
tidy() {
    printf '%s\0' "${harness[@]}" |
        xargs -0 -P "$(nproc)" -I FILE clang-tidy --quiet --warnings-as-errors='*' FILE -- "$@" \
            -Xclang -analyzer-config -Xclang max-nodes=50000 2>/dev/null
}

# The last commits' subjects, of those since CONTRIBUTING.md asks for it. A copy without git has none.
subjects() {
    local long
    long=$(git log -20 --no-merges --since=2026-11-27T01:30Z --format='%h %s' 2>/dev/null | awk '
        { subject = substr($0, index($0, " ") + 1) }
        length(subject) > 72 { print $1 ": the subject has " length(subject) " characters, more than 72: " subject }')
    echo "${long:-all are short enough}"
    [ -z "$long" ]
}

step "commit subjects" subjects
step clang-format clang-format --dry-run -Werror "${sources[@]}"
step "compiler warnings" compile "$@"
step clang-tidy tidy "$@"
step words ci/words.sh --check
step shellcheck shellcheck "${scripts[@]}"
step ruff build/python/bin/ruff check --quiet reports tests/gpu/programs
step "ruff format" build/python/bin/ruff format --check --quiet reports tests/gpu/programs
[ $failed -eq 0 ] || { echo "lint: failed"; exit 1; }
