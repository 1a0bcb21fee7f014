#!/usr/bin/env bash
# Tests ways around the gate, attempts to be green without being measured and judged. Each row is one that was found, and
# its expected result today. Needs no GPU, and hides one. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/ways_round/run.sh [AREA]...     rows of tests/ways_round/AREA.sh; without any, of all
#   CUGATE=build/cugate tests/ways_round/run.sh '!AREA'...    rows of all areas but these
#
#   TREE=DIR    whose scripts, baselines and metrics the rows use: another checkout shows which rows it fails
#   ONLY=WORDS  rows whose name has these words
#
# To add a row: a line in the file of its area,
#
#   way 'NAME' MAKE EXIT 'COMMAND' ['[!]WORDS']...
#
# MAKE is a function of that file, or `:`, that makes the files and libraries in an empty folder of the row's own, where
# COMMAND then runs, as the shell reads it; EXIT is its exit code, and WORDS appear (after `!`: do not) on its two streams.
# A way that takes more than a command is a function as well; it may `say` what it found, for the words.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "${TREE:-$here/../..}" && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
CC=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/scripts/expect.sh
. "$here/../scripts/expect.sh"
export LC_ALL=C CUDA_VISIBLE_DEVICES=''
unset NO_COLOR CUGATE CI BASE STRICT REPLAY KERNELS OUT HISTORY GITHUB_ACTIONS GITHUB_STEP_SUMMARY

# What rows need: the recording of a real GPU with its baseline; runs, metrics and a library that are made up.
recorded=$top/tests/data/recorded-nvidia-h200.json
H200="--baselines $top/baselines --metrics $top/metrics"
made_up=$top/tests/cli/made_up
HOST="--metrics $made_up/host_metrics --collector host"
export cugate recorded H200 HOST # of the rows

say() { printf '%s\n' "$*"; }

# library NAME SOURCE [OPTION]...: builds NAME.so in the row's folder from C.
library() {
    local name=$1 source=$2
    shift 2
    "$CC" -shared -fPIC -I"$top/harness" -o "$name.so" "$@" "$source"
}

way() {
    local name=$1 make=$2 wanted=$3 command=$4 code complaints=''
    shift 4
    case $name in *"${ONLY-}"*) ;; *) return ;; esac
    rm -rf "$work/row" && mkdir "$work/row"
    if ! (cd "$work/row" && eval "$make") >"$work/made" 2>&1; then
        complaints+="    its files could not be made"$'\n'
        mv "$work/made" "$work/said"
        code=none
    else
        (cd "$work/row" && eval "$command") >"$work/said" 2>&1 </dev/null
        code=$?
        [ "$code" = "$wanted" ] || complaints+="    exit code $code, expected $wanted"$'\n'
        hear "$work/said"
        lacks "$@"
        [[ $heard != *'runtime error:'* && $heard != *Sanitizer* ]] || complaints+="    a sanitizer spoke"$'\n'
    fi
    verdict "$name" "${complaints:+$'\n'$complaints$(tail -25 "$work/said" | sed 's/^/    | /')}"
    [ -n "$complaints" ] || [ -z "${V-}" ] || echo "held: $name"
}

areas=()
for file in "$here"/*.sh; do
    area=$(basename "$file" .sh)
    case " $* " in
    *" !$area "*) ;;
    *" $area "* | *' !'* | '  ') [ "$area" = run ] || areas+=("$area") ;;
    esac
done
[ ${#areas[@]} -gt 0 ] || { echo "run.sh: there is no area $*" >&2; exit 2; }
for area in "${areas[@]}"; do
    # shellcheck source=/dev/null
    . "$here/$area.sh"
done

summary
