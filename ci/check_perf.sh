#!/usr/bin/env bash
# Does the work of `make check-perf`. With a GPU it is the gate. Without one, the counts of the machine code are computed and
# compared with those that a GPU measured, and a banner says what was not judged.
#
#   CUGATE=build/cugate [KERNELS='GLOB...'] [BASE=REVISION] [STRICT=1] [SIM=all] ci/check_perf.sh
#       [OPTION OF cugate check]...
#
# OUT, build/check-perf without it, gets every report and the run. BASE also takes the variables of ci/build_base.sh.
# Without a GPU, SIM=all also simulates kernels whose machine code, launches and inputs are those of the baseline. The exit
# codes are those of ci/check.sh. With STRICT=1 and no GPU the exit code is 5. A CI server needs no STRICT: computed counts
# are a verdict on its code, and no replay.
set -Eeuo pipefail
trap 'exit 2' ERR # 1 is a verdict: that what is worse was judged

# shellcheck source=ci/where.sh
. ci/where.sh

globs=()
set -f
for glob in ${KERNELS-}; do
    globs+=(-k "$glob")
done
set +f

work=${OUT:-build/check-perf} # commands that the report prints read the run there
own_folders "$work"
mkdir -p "$work"

# Counts are computed only when there is no GPU. A GPU that does not answer is a failure, and cugate's message stands.
# shellcheck disable=SC2119 # without options: is there a GPU for a check that measures?
plan || exit $?
no_gpu=$(planned no_gpu)
status=0
if [ -z "$no_gpu" ]; then
    options_of_base measure "$@"
    ci/check.sh "$work" "${globs[@]}" "${base_options[@]}" "$@" || status=$?
    exit $status
fi
if is_set "${STRICT-}"; then
    echo "check-perf: no GPU: $no_gpu" >&2
    echo "check-perf: STRICT is set, so computed counts are not enough: run this on a machine with a CUDA GPU" >&2
    exit 5
fi
case ${SIM-} in
'') how=(--simulate) ;;
all) how=(--simulate --all) ;;
*)
    echo "check-perf: SIM=$SIM: all simulates every kernel; without it those whose machine code, launch or inputs changed" >&2
    exit 2
    ;;
esac
options_of_base simulate "$@"
ci/check.sh "$work" "${globs[@]}" "${how[@]}" "${base_options[@]}" "$@" || status=$?
number() { # KEY of what was computed
    jq ".computed.$1" "$work/check.json"
}
if jq -e .computed "$work/check.json" >/dev/null 2>&1; then
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
    printf '%s\nno GPU: %s\n' "$(printf '#%.0s' {1..80})" "$no_gpu"
fi
printf 'computed, not measured: exit %d\n' "$status"
exit "$status"
