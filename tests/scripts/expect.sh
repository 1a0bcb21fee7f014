# shellcheck shell=bash
# Sourced by scripts that test commands. `ask COMMAND...` runs one. `expect LABEL CODE [!]WORDS...` checks its exit code and
# its output on both streams, as lines or as one line: it must have each of the words, and none of those after `!`. A case is
# a row where that fits: `expect LABEL CODE [!]WORDS... -- COMMAND...` asks first; the command may be a function that asks.
# `verdict LABEL [WHY]` is for what is looked at otherwise: without a reason the test has passed.
# `summary` prints "N passed, N failed" and fails when one failed. $work is a folder of the script's own.

: "${work:?}"
# shellcheck source=tests/scripts/unbroken.sh
. "$(dirname "${BASH_SOURCE[0]}")/unbroken.sh"
passed=0
failed=0
code=0

# until_dashes [WORD]... [-- REST...]: the words as $words, and the rest as $rest.
until_dashes() {
    words=() rest=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    [ $# -eq 0 ] || rest=("${@:2}")
}

ask() {
    code=0
    "$@" >"$work/said" 2>&1 </dev/null || code=$?
}

expect() {
    local complaints='' words rest
    until_dashes "${@:3}"
    [ ${#rest[@]} -eq 0 ] || ask "${rest[@]}"
    hear "$work/said"
    [ "$code" = "$2" ] || complaints+="    exit code $code, expected $2"$'\n'
    lacks "${words[@]}"
    verdict "$1" "${complaints:+$'\n'$complaints$(sed 's/^/    | /' "$work/said")}"
}

verdict() {
    if [ -z "${2-}" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: %s\n' "$1" "$2"
    fi
}

summary() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}
