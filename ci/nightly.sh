#!/usr/bin/env bash
# The run of every night: measures all, keeps the run in the history, and writes the pages of all nights. After `make all`;
# installed, as cugate-nightly, in any repository.
#
#   ci/nightly.sh [OPTION OF cugate check]...
#
#   HISTORY=URL         where nights are kept: an SQLite file (build/history/history.db) or a server, such as
#                       postgresql+psycopg://user@host/name
#   OUT=build/nightly   all that ci/gate.sh writes; the pages are in page/
#   KEEP_NIGHTS=400     older ones are removed from the history
#   STRICT=1            fail when there is no GPU. Otherwise recorded nights are replayed, under a banner, into a history
#                       of their own
#   REPLAY=1            replay them also where a CI server runs this (it sets CI): otherwise that is as strict
#   CUGATE=build/cugate     the program; installed, the one that came with this
#
# Exit codes are those of ci/gate.sh.
set -Eeuo pipefail
trap 'exit 2' ERR # 1 is a verdict: that what is worse was judged

# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
tell_help "$@"
export OUT=${OUT:-build/nightly}
own_folders "$OUT"
export HISTORY=${HISTORY:-build/history/history.db}
archives=(tests/data/{nights,planted}-nvidia-h200.tar.xz)
# Of which nights before the last one a kernel is as it was recorded with a planted fault.
declare -A faults=([15]=divergent_branch [14]=divergent_branch [13]=divergent_branch [5]=pad_removed [4]=pad_removed [3]=pad_removed)

keep() {
    "$here/report.sh" prune --keep "${KEEP_NIGHTS:-400}" >/dev/null
}

if ! command -v "$CUGATE" >/dev/null; then
    echo "nightly: $CUGATE was not found: run \`make all\`, then this at the top of the tree" >&2
    exit 2
fi

# Runs are replayed only when there is no GPU. A GPU that does not answer is a failure, and cugate's message stands.
# shellcheck disable=SC2119 # without options: is there a GPU for a check that measures?
plan || exit $?
no_gpu=$(planned no_gpu)
if [ -z "$no_gpu" ]; then
    code=0
    all=(--all) # each night reads what the checks of the day take for known
    [ "$(planned way)" = measure ] || all=()
    "$here/gate.sh" "${all[@]}" "$@" || code=$?
    keep || [ $code -ne 0 ] || code=2
    exit $code
fi
echo "nightly: no GPU: $no_gpu" >&2
why=''
if is_set "${STRICT-}"; then
    why='STRICT is set'
elif is_set "${CI-}" && ! is_set "${REPLAY-}"; then
    why='CI is set, where a banner goes unseen (REPLAY=1 accepts a replay)'
elif [ -z "$own_tree" ]; then
    why="recorded nights are in cugate's own tree only"
fi
if [ -n "$why" ]; then
    echo "nightly: $why, and nothing was measured: run this on a machine with a CUDA GPU" >&2
    exit 5
fi

cat <<'END'

################################################################################
##                                                                            ##
##                NO KERNEL RAN ON THIS MACHINE: IT HAS NO GPU                ##
##                                                                            ##
##  What follows is made of runs that were recorded on H200s, all on one day, ##
##  and dated a day apart. They are real, some of them with planted faults,   ##
##  and say nothing about your kernels.                                       ##
##  To measure: a machine with an NVIDIA GPU; STRICT=1 makes this an error.   ##
##                                                                            ##
################################################################################

END

# Recordings have a history of their own, made anew, so that they never mix with nights that this machine measured.
recorded=$OUT/recorded
declare -A planted=() # the last night of each fault
export HISTORY=$recorded/history.db
if [ -e "$recorded" ] && ! [ -e "$HISTORY" ]; then
    echo "nightly: $recorded was not written by nightly.sh and would be replaced: set OUT to another folder" >&2
    exit 2
fi
rm -rf "$recorded"
for archive in "${archives[@]}"; do
    mkdir -p "$recorded/$(basename "$archive" .tar.xz)"
    tar -xJf "$archive" -C "$recorded/$(basename "$archive" .tar.xz)"
done
mapfile -t runs < <(find "$recorded/nights-nvidia-h200" -name '*.json' | sort) # named by date
tonight=${runs[-1]}

# Each recording stands for a night: the last one has its own date, the others one a day before it.
for place in "${!runs[@]}"; do
    ago=$((${#runs[@]} - 1 - place))
    fault=$(find "$recorded/planted-nvidia-h200" -name "${faults[$ago]-none}.json")
    last=$(jq '.sessions[-1].date' "$tonight")
    jq -c --argjson ago "$ago" --argjson last "$last" --slurpfile fault "${fault:-/dev/null}" '
        (.sessions | length) as $sessions | .kernels as $have
        | ($fault[0].kernels // {} | with_entries(select($have[.key]))) as $bad
        | .kernels += ($bad | map_values(.metrics |= map_values(if .sessions then .sessions |= .[:$sessions] else . end)))
        | if $ago > 0 then
              .sessions |= (to_entries | map(.key as $second | .value
                  | .date = ($last[:19] + "Z" | fromdate - 86400 * $ago + $second | todate | sub("Z$"; ".000Z"))))
          else . end' "${runs[place]}" >"$recorded/one"
    mv "$recorded/one" "${runs[place]}"
    [ -z "$fault" ] || planted[${faults[$ago]}]=$(jq -r '.sessions[-1].date' "${runs[place]}")
done

# A kernel that is younger than the recordings is not missing from them: their baselines are of the kernels that they have.
export baselines=$recorded/baselines
jq -r '.kernels | keys[]' "$tonight" | while IFS= read -r kernel; do
    install -D -m 644 -t "$baselines/nvidia-h200/${kernel%/*}" "baselines/nvidia-h200/$kernel.json"
done

# Recordings are added one by one, like nights. One that is older than a metric lacks that metric, which is then shown, but
# not judged.
judge() {
    local code=0
    "$CUGATE" check --replay "$1" --baselines "$baselines" -q --format json -o "${1%.json}.check" >/dev/null 2>&1 || code=$?
    [ $code -ne 5 ] || rm -f "${1%.json}.check"
}
export -f judge
echo "judging ${#runs[@]} recorded runs"
# shellcheck disable=SC2016 # for the inner shell
printf '%s\0' "${runs[@]}" | xargs -0 -P "$(nproc)" -I RUN bash -c 'judge "$1"' judge RUN
mapfile -t judged < <(find "$recorded" -name '*.check')
"$here/report.sh" ingest "${runs[@]}" "${judged[@]}" >/dev/null
for fault in "${!planted[@]}"; do
    "$here/report.sh" state --night "${planted[$fault]}" --seen --by nightly.sh \
        --because "planted: tests/planted/$fault.patch" >/dev/null 2>&1 || true # red only if there is such a kernel
done
exec "$here/gate.sh" --replay "$tonight" --baselines "$baselines" "$@"
