#!/usr/bin/env bash
# Tests that baselines of two branches merge in git without a conflict if they accept different kernels, and that the merged
# baseline passes the check. Works in a scratch repository, needs no GPU, and ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/merge.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
made_up=$top/tests/cli/made_up
cd "$work" || exit 2

# Of this folder alone: no setting and no hook of the user's, and not the repository around.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES=$work
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export CUDA_VISIBLE_DEVICES='' LC_ALL=C

try() { # LABEL CODE COMMAND...
    expect "$1" "$2" -- "${@:3}"
}

accept() {
    "$cugate" accept --metrics "$made_up/metrics" "$@"
}

check() {
    "$cugate" check --metrics "$made_up/metrics" --replay "$@"
}

# change FROM TO YEAR KERNEL METRIC VALUE: a run of another year with one row set
change() {
    sed -e "/\"${4/\//\\/}\"/,/\"status\"/s/\\(\"$5\": .*\\[\\[\\).*/\\1$6]]},/" \
        -e "s/\"date\": \"20../\"date\": \"$3/" "$1" >"$2"
    if ! grep -q "\[\[$6\]\]" "$2"; then
        echo "merge.sh: $5 of $4 is unchanged in $2" >&2
        exit 2
    fi
}

# branch NAME RUN KERNELS...: on a branch from the beginning, these kernels of the run are accepted and committed
branch() {
    local name=$1 run=$2 kernel globs=()
    shift 2
    for kernel; do globs+=(-k "$kernel"); done
    git checkout -q -b "$name" first &&
        accept "$run" "${globs[@]}" --reason "$name" &&
        git add baselines && git commit -q -m "$name"
}

sessions_of() {
    grep -c '"date": "[^"]*", "driver"' "baselines/test-gpu/$1.json"
}

git init -q . && git checkout -q -b first && printf '/*.json\nsaid\n' >.git/info/exclude || exit 2
accept "$made_up"/session_{1,2,3}.json --reason first >said && git add baselines && git commit -q -m first || exit 2
change "$made_up/same.json" padded.json 2027 transpose/padded shared_wavefronts 1048577
change "$made_up/same.json" naive.json 2028 transpose/naive instructions 2097153
change naive.json both.json 2029 transpose/padded shared_wavefronts 1048577

try "the first baseline knows neither change" 1 check both.json
try "one branch accepts a kernel" 0 branch padded padded.json transpose/padded
try "and does not pass with the other's change" 1 check both.json
try "the other accepts its neighbour and more" 0 branch naive naive.json transpose/naive 'reduce/*'
try "and does not pass either" 1 check both.json
try "they merge" 0 git merge -q --no-edit padded
try "what was merged passes" 0 check both.json

# The run agrees with the baseline, so that these rows gain a session.
try "one branch adds a session" 0 branch tree "$made_up/same.json" reduce/tree
try "another one to its neighbour and more" 0 branch atomic "$made_up/same.json" reduce/atomic 'transpose/*'
try "a third one drops a kernel" 0 eval 'git checkout -q -b dropped first &&
    git rm -q baselines/test-gpu/copy/pinned.json && git commit -q -m dropped'
try "all three merge" 0 git merge -q --no-edit tree atomic
try "a kernel of the first has four sessions" 0 test "$(sessions_of reduce/tree)" = 4
try "a kernel of the second has four" 0 test "$(sessions_of reduce/atomic)" = 4
try "any other has three" 0 test "$(sessions_of copy/plain)" = 3
try "what was merged passes" 0 check "$made_up/same.json"

# Otherwise the above would prove nothing.
try "one branch accepts a kernel anew" 0 branch once padded.json transpose/padded
try "so does another" 0 branch twice naive.json transpose/padded
try "which does not merge" 1 git merge -q --no-edit once

summary
