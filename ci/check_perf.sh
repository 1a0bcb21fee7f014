#!/usr/bin/env bash
# The body of `make check-perf`: the gate where there is a GPU; else what can be judged without one, and a recorded run
# under a banner.
#
#   CUGATE=build/cugate [KERNELS='GLOB...'] [BASE=REVISION] [STRICT=1] [REPLAY=1] ci/check_perf.sh
#       [OPTION OF cugate check]...
#
# BASE also takes the variables of ci/build_base.sh. Exit codes are those of cugate check, as ci/check.sh vouches for them; 5
# without a GPU when STRICT=1, or when a CI server runs this (it sets CI) and REPLAY=1 does not say that a replay will do.
set -euo pipefail

recorded=tests/data/recorded-nvidia-h200.json
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

# Only "no GPU" leads to a replay. A GPU that does not answer is a failure, and what cugate said about it stands.
status=0
devices=$("$cugate" list --devices 2>&1) || status=$?
if [ $status -eq 0 ]; then
    own=()
    if [ -n "${BASE-}" ]; then
        before=$(ci/before.sh "$BASE" "$@")
        base=$(ci/build_base.sh "$BASE")
        own=(--before "$before" --against "$base")
    fi
    check "${own[@]}" "$@" || status=$?
    exit $status
fi
if ! grep -q '^cugate: error: no GPU: ' <<<"$devices"; then
    printf '%s\n' "$devices" >&2
    exit $status
fi
why=$(ci/strict.sh)
if [ -n "$why" ]; then
    printf '%s\n' "$devices" >&2
    echo "check-perf: $why, and a gate never passes on nothing: run this on a machine with a CUDA GPU" >&2
    exit 5
fi

# A slip in BASE is a slip here too, and not found out on the machine with the GPU.
own=()
if [ -n "${BASE-}" ]; then
    before=$(ci/before.sh "$BASE" "$@")
    own=(--before "$before")
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
check --static "${own[@]}" "${options[@]}" "${output[@]}" || code=$?
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
check --replay "$recorded" "${own[@]}" "${options[@]}" "${output[@]}" || status=$?
printf '\nmachine code of your kernels, judged here: exit %d\nNOT MEASURED HERE, replayed from %s: exit %d\n' \
    $code "$recorded" $status

# The graver of the two.
for worst in 130 2 5 1 4 3 0; do
    [ $code -ne $worst ] && [ $status -ne $worst ] || exit $worst
done
exit $code # a signal
