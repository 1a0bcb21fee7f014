#!/usr/bin/env bash
# The body of `make check-perf`: the gate where there is a GPU; else what can be judged without one, and a recorded run
# under a banner.
#
#   CUGATE=build/cugate [KERNELS='GLOB...'] [BASE=REVISION] [STRICT=1] ci/check_perf.sh [OPTION OF cugate check]...
#
# BASE also takes the variables of ci/build_base.sh. Exit codes are those of cugate check; 5 with STRICT=1 and no GPU.
set -euo pipefail

recorded=tests/data/recorded-nvidia-h200.json
cugate=${CUGATE:-build/cugate}

globs=()
set -f
for glob in ${KERNELS-}; do
    globs+=(-k "$glob")
done
set +f

# Only "no GPU" leads to a replay. A GPU that does not answer is a failure, and what cugate said about it stands.
status=0
devices=$("$cugate" list --devices 2>&1) || status=$?
if [ $status -eq 0 ]; then
    against=()
    if [ -n "${BASE-}" ]; then
        base=$(ci/build_base.sh "$BASE")
        against=(--against "$base")
    fi
    exec "$cugate" check "${globs[@]}" "${against[@]}" "$@"
fi
if ! grep -q '^cugate: error: no GPU: ' <<<"$devices"; then
    printf '%s\n' "$devices" >&2
    exit $status
fi
if [ -n "${STRICT-}" ] && [ "$STRICT" != 0 ]; then
    printf '%s\n' "$devices" >&2
    echo "check-perf: STRICT is set, and a gate never passes on nothing: run this on a machine with a CUDA GPU" >&2
    exit 5
fi

# A slip is a slip here too, and not found out on the machine with the GPU.
if [ -n "${BASE-}" ] && git rev-parse --git-dir >/dev/null 2>&1 &&
    ! git rev-parse --verify --quiet --end-of-options "$BASE^{commit}" >/dev/null; then
    echo "check-perf: '$BASE' is no revision of this repository; is it spelt right, and fetched?" >&2
    exit 2
fi

# What the code at hand says by itself. A file for the report gets this one when it fails, else that of the replay.
options=()
output=()
while [ $# -gt 0 ]; do
    case $1 in
    -o | -[qv]*o | --output)
        output=("${@:1:2}")
        shift $(($# > 1))
        ;;
    -o* | --output=*) output=("$1") ;;
    *) options+=("$1") ;;
    esac
    shift
done
code=0
"$cugate" check --static "${globs[@]}" "${options[@]}" "${output[@]}" || code=$?
[ $code -ne 2 ] || exit 2 # a slip in the options is not to be told twice
[ $code -eq 0 ] || output=() # the file keeps the report that fails

cat <<END

################################################################################
##                                                                            ##
##                NO KERNEL RAN ON THIS MACHINE: IT HAS NO GPU                ##
##                                                                            ##
##  Judged here, above: the machine code of your kernels. Registers, local    ##
##  and shared memory and theoretical occupancy are facts of it.              ##
##  NOT MEASURED: every time and every counter. Below is a replay of a run    ##
##  that was recorded on another machine, judged against the baseline in      ##
##  this tree; it says nothing about your kernels.                            ##
##  To measure: a machine with an NVIDIA GPU; STRICT=1 makes this an error.   ##
##                                                                            ##
################################################################################
$(printf '%s' "$devices" | head -1)
${BASE:+BASE=$BASE was not built: to take turns with it takes a GPU
}replaying: $recorded

END
status=0
"$cugate" check --replay "$recorded" "${globs[@]}" "${options[@]}" "${output[@]}" || status=$?
printf '\nmachine code of your kernels, judged here: exit %d\nNOT MEASURED HERE, replayed from %s: exit %d\n' \
    $code "$recorded" $status

# The graver of the two.
for worst in 130 2 5 1 4 3 0; do
    [ $code -ne $worst ] && [ $status -ne $worst ] || exit $worst
done
exit $code # a signal
