#!/usr/bin/env bash
# Tests tests/gpu/record_baseline.sh without a GPU, by the host's clock: its result must be a baseline that judges, and a
# session that could not be measured must not be a success. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/record_baseline.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$work" || exit 2
export CUGATE=$cugate CUDA_VISIBLE_DEVICES='' SESSIONS=2 LINES=0

host=(--kernels "$(dirname "$cugate")/tests/libturns.so" --collector host --metrics "$top/tests/cli/made_up/host_metrics")
record() { # FOLDER [OPTION]...
    OUT=$1 ask "$top/tests/gpu/record_baseline.sh" "${@:2}"
}

DEVICES='0 0' record whole "${host[@]}" -k 'turns/[ef]*'
expect "sessions of two devices" 0 'host: 4 of 4 sessions' 'provenance-host.txt'
mkdir baselines && tar -xf whole/baseline-host.tar.* -C baselines && tar -xf whole/sessions-host.tar.*
expect "its run files are kept" 0 '.json' -- ls sessions
ask "$cugate" check "${host[@]}" -k 'turns/[ef]*' --baselines baselines
expect "its baseline judges, of rows that hardly can fail" 3 'baselines/host, 4 sessions' 'unsure: 2 of 2 rows in 2 of 2 kernels'
expect "where it is from" 0 '4 of 4 sessions' "$("$cugate" --version)" 'accepted 2 rows of 2 kernels from 4 sessions' \
    'A/A of 2 sessions' -- cat whole/provenance-host.txt

DEVICES=0 record broken "${host[@]}" -k 'turns/[es]*'
expect "a kernel that failed is no success" 1 'turns/slower_then_bad' 'host: 2 of 2 sessions'
DEVICES=0 LINES=1 expect "nor is nothing" 5 'no session was measured' '!provenance' -- record lines "${host[@]}" -k 'turns/nosuch'
expect "without a GPU" 5 'no GPU' -- record no_gpu
expect "without a folder" 2 'OUT is not set' -- env -u OUT "$top/tests/gpu/record_baseline.sh"
summary
