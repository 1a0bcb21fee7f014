#!/usr/bin/env bash
# Breaks the rule of rooms on purpose, in a copy of the harness, in each way once, and lets ci/check_rooms.sh find them all and
# nothing else. Ends with "N passed, N failed".
#
#   BUILD=build tests/scripts/rooms.sh    BUILD: where the harness was built
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
build=$(realpath "${BUILD:-build}")
cd "$top" || exit 2

# A copy of what is checked, as it was built.
mkdir -p "$work/tree/tests" "$work/tree/build"
cp -a harness ci "$work/tree"
cp -a tests/unit "$work/tree/tests"
cp -as "$build/harness" "$work/tree/build"
cd "$work/tree" || exit 2

# Puts a line into a file, before its first include.
include() {
    sed -i "0,/^#include/s||#include $1\n&|" "$2"
}

expect 'the tree as it is' 0 -- ci/check_rooms.sh build

include '"report/report.h"' harness/judge/compare.c
include '"judge/judge_parts.h"' harness/report/report.c
include '"rule.h"' harness/report/report.c && sed -i 's/"rule.h"/"none.h"/' harness/report/report.c
include '<cuda.h>' harness/measure/measure.c
include '"cudart/cudart.h"' harness/machine/warp.c
include '"machine/turns.h"' harness/sim/collector.c
printf 'int gate_comparable(const void *, const void *);\nint judge_calls(void);\nint judge_calls(void) { return gate_comparable(0, 0); }\n' \
    >>harness/judge/rule.c
printf 'struct comparison;\nint comparison_exit_code(const struct comparison *);\nint rule_calls(const struct comparison *of);\nint rule_calls(const struct comparison *of) { return comparison_exit_code(of); }\n' \
    >>harness/judge/rule.c
printf 'int rule_calls(const struct comparison *of);\nint comparison_calls(void);\nint comparison_calls(void) { return rule_calls(0); }\n' \
    >>harness/judge/comparison.c
mkdir harness/attic
printf 'int one;\n' >harness/base/alone.c
echo 'base/gone.c  nothing' >>tests/unit/COVERED
sed -i 's/^\(judge\/comparison.c\) .*/\1/' tests/unit/COVERED
sed -i 's/^replay .* base/& names/' harness/ROOMS
: >tests/unit/base/test_names.c
mv tests/unit/base/test_numbers.c tests/unit/base/test_gone_numbers.c
# The objects of what changed. No CUDA: none of these includes its headers. The others would not compile.
for file in judge/rule judge/comparison base/alone; do
    rm -f "build/harness/$file.o"
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" -std=c11 -D_GNU_SOURCE -Iharness $(pkg-config --cflags jansson) -w -c \
        -o "build/harness/$file.o" "harness/$file.c" || exit 2
done
for file in judge/compare report/report measure/measure machine/warp sim/collector; do
    touch -r "$build/harness/$file.o" "harness/$file.c"
done
include '"comparison.h"' harness/judge/rule.h

ask ci/check_rooms.sh build
while IFS='|' read -r label where what; do
    expect "$label" 1 "$where" "$what" 'against harness/ROOMS: 19'
done <<'END'
a room below|harness/judge/compare.c:|judge may not include report
another room's private header|harness/report/report.c:|judge/judge_parts.h is private to its room: include "judge/judge.h"
a header that is not there|harness/report/report.c:|none.h is not in this room
a runtime in what executes|harness/machine/warp.c:|machine may not include cudart
a part of what executes|harness/sim/collector.c:|machine/turns.h is private to its room: include "machine/machine.h"
a header of CUDA|harness/measure/measure.c:|<cuda.h> is a header of CUDA: only harness/{cupti
a call behind the back of the headers|harness/judge/rule.c: calls harness/gate/comparable.c|judge may not
a circle of files|harness/judge/rule.c: is in a circle|harness/judge/comparison.c: is in a circle
a circle of headers|harness/judge/rule.h: is in a circle|harness/judge/comparison.h: is in a circle
a folder that is no room|harness/attic: |has no line in harness/ROOMS
a permission without a use|harness/ROOMS: |replay does not use names
a file without a test|harness/base/alone.c: |has no test
a cover of nothing|tests/unit/COVERED: |there is no harness/base/gone.c
a cover that nobody states|tests/unit/COVERED: |what covers judge/comparison.c?
a test file without a test|tests/unit/base/test_names.c: |holds no test
a test of nothing|tests/unit/base/test_gone_numbers.c: tests no file of its room|harness/base/numbers.c: has no test
END

touch harness/judge/rule.c
expect 'objects of yesterday' 2 'harness/judge/rule.c: is not built, or changed since: make all' -- ci/check_rooms.sh build

summary
