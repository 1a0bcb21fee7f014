#!/usr/bin/env bash
# The gate on several GPUs that do not talk to each other: each measures a part of the kernels, and one of them, or a machine
# without any, makes one run of the parts and judges it. After `make all`; installed, as cugate-shards, in any repository.
#
#   ci/shards.sh measure 2/8 [OPTION OF cugate run]...      the second of eight parts, into OUT/parts/2.json
#   ci/shards.sh judge [OPTION OF cugate check]...          the parts in OUT/parts by the baseline, as ci/gate.sh does
#
#   OUT=build/gate          the folder; parts/ is to be empty before, and is brought together in between (artifacts)
#   BASE, HISTORY, CUGATE   as ci/gate.sh has them
#
# measure ends as `cugate run`: 5 where a kernel could not be measured, though its part is there and judge tells the same. judge
# ends as ci/gate.sh, or as `cugate merge` where that made no run: 5 when a part or a kernel is missing, 4 when they are mixed.
set -Eeuo pipefail
trap 'exit 2' ERR # 1 is a verdict: that what is worse was judged

# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
tell_help "$@"
out=${OUT:-build/gate}
own_folders "$out"

usage() {
    echo "usage: ${0##*/} measure NUMBER/OF | judge [OPTION]...; --help says more" >&2
    exit 2
}

measure() {
    [[ ${1-} =~ ^[0-9]+/[0-9]+$ ]] || usage
    mkdir -p "$out/parts"
    rm -f "$out/parts/${1%/*}.json" # of an earlier run
    exec "$CUGATE" run --shard "$1" -q "${@:2}" --save "$out/parts/${1%/*}.json"
}

judge() {
    local parts=("$out"/parts/*.json) options=() option code=0
    for option; do # what says how parts are made says nothing of how they are judged
        [[ $option = --simulate?(=*) ]] || options+=("$option")
    done
    rm -f "$out/merged.json"
    if [ -e "${parts[0]}" ]; then
        "$CUGATE" merge -q "${parts[@]}" --save "$out/merged.json" || code=$?
    else
        echo "shards: $out/parts has no part: nothing was measured" >&2
    fi
    if [ ! -s "$out/merged.json" ]; then # what an earlier run left must not pass for what was judged
        forget_reports "$out"
        rm -rf "$out"/{explain.json,page}
        [ $code -ne 0 ] || code=5
        exit $code
    fi
    exec "$here/gate.sh" --replay "$out/merged.json" "${options[@]}" # a kernel that failed makes that red as well
}

case ${1-} in
measure | judge) "$@" ;;
*) usage ;;
esac
