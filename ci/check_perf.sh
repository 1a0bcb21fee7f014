#!/usr/bin/env bash
# The body of `make check-perf`: the gate where there is a GPU; else what can be computed of the code at hand without one,
# judged by what a GPU counted, under a banner that says what was not.
#
#   CUGATE=build/cugate [KERNELS='GLOB...'] [BASE=REVISION] [STRICT=1] [SIM=all] ci/check_perf.sh
#       [OPTION OF cugate check]...
#
# BASE also takes the variables of ci/build_base.sh. Without a GPU, SIM=all simulates also those kernels whose machine code,
# launches and inputs are the baseline's. Exit codes are those of cugate check, as ci/check.sh vouches for them; 5 without a GPU
# when STRICT=1. A CI server needs no STRICT: what is computed is a verdict of its code, and no replay.
set -Eeuo pipefail
trap 'exit 2' ERR # 1 is a verdict: that what is worse was judged

export CUGATE=${CUGATE:-build/cugate}
cugate=$CUGATE

globs=()
set -f
for glob in ${KERNELS-}; do
    globs+=(-k "$glob")
done
set +f

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() {
    ci/check.sh "$work/check.json" "${globs[@]}" "$@"
}

# What is measured, and what is computed, of the base as well.
own=()
of_base() {
    [ -n "${BASE-}" ] || return 0
    local before base
    before=$(ci/before.sh "$BASE" "$@")
    base=$(ci/build_base.sh "$BASE")
    own+=(--before "$before" --against "$base")
}

# Only "no GPU" leads to computing. A GPU that does not answer is a failure, and what cugate said about it stands.
status=0
devices=$("$cugate" list --devices 2>&1) || status=$?
if [ $status -eq 0 ]; then
    of_base "$@"
    check "${own[@]}" "$@" || status=$?
    exit $status
fi
if ! grep -q '^cugate: error: no GPU: ' <<<"$devices"; then
    printf '%s\n' "$devices" >&2
    exit $status
fi
case ${STRICT-} in
'' | 0 | false) ;;
*)
    printf '%s\n' "$devices" >&2
    echo "check-perf: STRICT is set, and what is computed is not measured: run this on a machine with a CUDA GPU" >&2
    exit 5
    ;;
esac
case ${SIM-} in
'') own=(--simulate) ;;
all) own=(--simulate --all) ;;
*)
    echo "check-perf: SIM=$SIM: all simulates every kernel; without it those whose machine code, launch or inputs changed" >&2
    exit 2
    ;;
esac
of_base "$@"

status=0
check "${own[@]}" "$@" || status=$?
number() { # KEY of "computed" in the report, whose form is stable: see report_json.c
    sed -n "s/^ \"computed\": {.*\"$1\": \([0-9]*\).*/\1/p" "$work/check.json"
}
if [ -s "$work/check.json" ] && [ -n "$(number rows)" ]; then
    line() {
        printf '##  %-74s##\n' "$1"
    }
    printf '\n%s\n' "$(printf '#%.0s' {1..80})"
    line ''
    line '         NO KERNEL RAN ON A GPU: THIS MACHINE HAS NONE'
    line ''
    line 'COMPUTED HERE and judged above, by executing the machine code on the CPU:'
    line "  rows: $(number rows), of kernels: $(number kernels)"
    line "Unchanged machine code, launches and inputs, so not computed again:"
    line "  rows: $(number unchanged_rows), of kernels: $(number unchanged)"
    line "NOT SIMULATED: kernels: $(number not_simulated)"
    line "NOT JUDGED HERE, since only a GPU knows: rows: $(number absent)"
    line '  times, DRAM, caches, achieved occupancy, bank conflicts by arbitration'
    line 'To measure: a machine with an NVIDIA GPU; STRICT=1 makes this an error.'
    line ''
    printf '%s\n%s\n' "$(printf '#%.0s' {1..80})" "$(grep -m 1 '^cugate: error: no GPU: ' <<<"$devices")"
fi
printf 'computed, not measured: exit %d\n' "$status"
exit "$status"
