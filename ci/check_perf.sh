#!/usr/bin/env bash
# The body of `make check-perf`: the gate where there is a GPU, else a recorded run under a banner.
#
#   CUGATE=build/cugate [KERNELS='GLOB...'] [STRICT=1] ci/check_perf.sh [OPTION OF cugate check]...
#
# Exit codes are those of cugate check; 5 with STRICT=1 and no GPU.
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
    exec "$cugate" check "${globs[@]}" "$@"
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

cat <<END
################################################################################
##                                                                            ##
##              NOTHING WAS MEASURED ON THIS MACHINE: IT HAS NO GPU           ##
##                                                                            ##
##  Below is a replay of a run that was recorded on another machine, judged   ##
##  against the baseline in this tree. It says nothing about your kernels.    ##
##  To measure: a machine with an NVIDIA GPU; STRICT=1 makes this an error.   ##
##                                                                            ##
################################################################################
$(printf '%s' "$devices" | head -1)
replaying: $recorded

END
status=0
"$cugate" check --replay "$recorded" "${globs[@]}" "$@" || status=$?
printf '\nNOTHING WAS MEASURED ON THIS MACHINE. Replayed: %s\n' "$recorded"
exit $status
