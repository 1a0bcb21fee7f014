# shellcheck shell=bash
# Sourced by scripts of this folder. What they make is left in KEEP=DIR, or goes when the script ends: $work.
# `verdict NAME [WHY]` counts a test: without a reason it has passed.
if [ -n "${KEEP-}" ]; then
    mkdir -p "$KEEP" && work=$(cd "$KEEP" && pwd) || exit 2
else
    work=$(mktemp -d) || exit 2
    trap 'rm -rf "$work"' EXIT
fi

passed=0
failed=0
verdict() {
    if [ -z "${2-}" ]; then
        passed=$((passed + 1))
        echo "ok - $1"
    else
        failed=$((failed + 1))
        echo "not ok - $1: $2"
    fi
}

# verdicts NAME ERROR OTHER COMMAND...: counts its lines "ok - NAME" and "not ok - NAME: WHY"; OTHER takes each other line.
verdicts() {
    local line lines
    if ! lines=$("${@:4}" 2>&1) || [ -z "$lines" ]; then
        verdict "$1" "$2: $lines"
        return
    fi
    while IFS= read -r line; do
        case $line in
        'ok - '*) verdict "${line#ok - }" ;;
        'not ok - '*) line=${line#not ok - } && verdict "${line%%: *}" "${line#*: }" ;;
        *) "$3" "$line" ;;
        esac
    done <<<"$lines"
}
