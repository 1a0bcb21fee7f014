#!/usr/bin/env bash
# Breaks the rule of rooms on purpose, in a copy of the harness, and lets ci/check_rooms.sh find it. Ends with "N passed,
# N failed".
#
#   BUILD=build tests/scripts/rooms.sh    BUILD: where the harness was built
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${BUILD:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 2
# shellcheck source=/dev/null
. tests/scripts/expect.sh

# A copy of what is checked, as it was built.
fresh() {
    cd "$top" || exit 2
    rm -rf "$work/tree"
    mkdir -p "$work/tree/tests" "$work/tree/build"
    cp -a harness ci "$work/tree"
    cp -a tests/unit "$work/tree/tests"
    cp -as "$build/harness" "$work/tree/build"
    cd "$work/tree" || exit 2
}

# rebuild FILE...: the objects of changed files. No CUDA: none of them includes its headers.
rebuild() {
    local file
    for file; do
        rm -f "build/${file%.c}.o"
        # shellcheck disable=SC2046 # words
        "${CC:-cc}" -std=c11 -D_GNU_SOURCE -Iharness $(pkg-config --cflags jansson) -w -c \
            -o "build/${file%.c}.o" "$file" || exit 2
    done
}

# broken LABEL [!]WORDS...: the change before it is found, and nothing else.
broken() {
    ask ci/check_rooms.sh build
    expect "$1" 1 "${@:2}" 'against harness/ROOMS: 1'
}

# Puts a line into a file, before its first include.
include() {
    sed -i "0,/^#include/s||#include $1\n&|" "$2"
}

fresh
ask ci/check_rooms.sh build
expect 'the tree as it is' 0

fresh
include '"report/report.h"' harness/judge/rule.c && rebuild harness/judge/rule.c
broken 'a room below' 'harness/judge/rule.c:' 'judge may not include report'

fresh
include '"judge/judge_parts.h"' harness/report/report.c && rebuild harness/report/report.c
broken "another room's private header" 'harness/report/report.c:' 'private to its room' '"judge/judge.h"'

fresh
include '"rule.h"' harness/report/report.c && sed -i 's/"rule.h"/"none.h"/' harness/report/report.c
touch -r "$build/harness/report/report.o" harness/report/report.c
broken 'a header that is not there' 'none.h is not in this room'

fresh
include '<cuda.h>' harness/measure/measure.c
touch -r "$build/harness/measure/measure.o" harness/measure/measure.c
broken 'a header of CUDA' 'harness/measure/measure.c:' '<cuda.h>' 'only harness/{cupti'

fresh
printf 'int gate_comparable(const void *, const void *);\nint judge_calls(void);\nint judge_calls(void) { return gate_comparable(0, 0); }\n' \
    >>harness/judge/rule.c
rebuild harness/judge/rule.c
broken 'a call behind the back of the headers' 'harness/judge/rule.c: calls harness/gate/comparable.c'

fresh
printf 'struct run;\nint run_exit_code(const struct run *);\nint rule_calls(const struct run *run);\nint rule_calls(const struct run *run) { return run_exit_code(run); }\n' \
    >>harness/judge/rule.c
printf 'int rule_calls(const struct run *run);\nint comparison_calls(void);\nint comparison_calls(void) { return rule_calls(0); }\n' \
    >>harness/judge/comparison.c
rebuild harness/judge/rule.c harness/judge/comparison.c
ask ci/check_rooms.sh build
expect 'a circle of files' 1 'harness/judge/rule.c: is in a circle' 'harness/judge/comparison.c: is in a circle' 'against harness/ROOMS: 2'

fresh
include '"comparison.h"' harness/judge/rule.h
ask ci/check_rooms.sh build
expect 'a circle of headers' 1 'harness/judge/rule.h: is in a circle' 'harness/judge/comparison.h: is in a circle' 'against harness/ROOMS: 2'

fresh
mkdir harness/attic
broken 'a folder that is no room' 'harness/attic: has no line in harness/ROOMS'

fresh
printf 'int one;\n' >harness/base/alone.c && rebuild harness/base/alone.c
broken 'a file without a test' 'harness/base/alone.c: has no test'

fresh
echo 'base/gone.c  nothing' >>tests/unit/COVERED
broken 'a cover of nothing' 'tests/unit/COVERED: there is no harness/base/gone.c'

fresh
sed -i 's/^\(judge\/comparison.c\) .*/\1/' tests/unit/COVERED
broken 'a cover that nobody states' 'tests/unit/COVERED: what covers judge/comparison.c?'

fresh
: >tests/unit/base/test_names.c
broken 'a test file without a test' 'tests/unit/base/test_names.c: holds no test'

fresh
mv tests/unit/base/test_names.c tests/unit/base/test_gone_names.c
ask ci/check_rooms.sh build
expect 'a test of nothing' 1 'tests/unit/base/test_gone_names.c: tests no file of its room' 'harness/base/names.c: has no test' \
    'against harness/ROOMS: 2'

fresh
touch harness/judge/rule.c
ask ci/check_rooms.sh build
expect 'objects of yesterday' 2 'harness/judge/rule.c: is not built, or changed since: make all'

summary
