#!/usr/bin/env bash
# Checks that the harness keeps to harness/ROOMS, the rule of its rooms, and prints each offence. It reads the sources. Which
# file calls which it learns from the objects that were built from them.
#
#   ci/check_rooms.sh [OBJECTS]    OBJECTS: folder with harness/ROOM/*.o (default: build)
set -euo pipefail
shopt -s nullglob globstar

objects=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes "ROOM OTHER" for each room that a room may include, those that it names, and the rooms in their order.
awk '!/^#/ && NF { print $1 >rooms; for (i = 2; i <= NF && $i != "|"; i++) { print $1, $i >named; if ($i in seen) print $1, $i } seen[$1] }' \
    rooms="$work/rooms" named="$work/named" harness/ROOMS >"$work/may"

{
    # Each room has a folder and a line. cugate/ is no room: kernel libraries include it.
    { diff <(sort "$work/rooms") <(printf '%s\n' harness/*/ harness/*/*/*.[ch] | sed -E 's|harness/(.*)/.*|\1|' | grep -vx cugate | sort -u) || true; } |
        sed -n 's|^< \(.*\)|harness/ROOMS: there is no folder harness/\1|p; s|^> \(.*\)|harness/\1: has no line in harness/ROOMS|p'

    # Each include is of the own room, or is the public header of a room on the line.
    grep -nE '^[[:space:]]*#[[:space:]]*include' harness/**/*.[ch] | awk -F: -v used="$work/used" '
        FILENAME == ARGV[1] { may[$0]; next }
        FILENAME == ARGV[2] { there[$0]; next }
        {
            room = $1; sub(/^harness\//, "", room); sub(/\/[^\/]*$/, "", room); where = $1 ":" $2 ": "
            name = $3; sub(/^[^"<]*["<]/, "", name); sub(/[">].*/, "", name)
            if ($3 ~ /</) {
                if (name ~ /^(cuda|cupti|nvperf|nvtx|generated_cuda)/ && room !~ /^(cupti|inject|cudart|driver|sim)$/ &&
                    !(name == "cuda_occupancy.h" && $1 == "harness/cubin/occupancy.c"))
                    print where "<" name "> is a header of CUDA: only harness/{cupti,inject,cudart,driver,sim} include those"
            } else if (name ~ /^cugate\//) {
                next # installed under that name
            } else if (name !~ /\//) {
                if (!(("harness/" room "/" name) in there))
                    print where name " is not in this room; of another room ROOM, include \"ROOM/ROOM.h\""
            } else {
                to = name
                sub(/\/[^\/]*$/, "", to)
                last = to
                sub(/.*\//, "", last)
                if (!((room " " to) in may))
                    print where room " may not include " to ": see its line in harness/ROOMS"
                else if (name != to "/" last ".h")
                    print where name " is private to its room: include \"" to "/" last ".h\""
                print room, to >used
            }
        }' "$work/may" <(printf '%s\n' harness/**/*) -

    # Writes "DEFINED symbol file" and "USED symbol file" for every object.
    built=()
    for source in harness/**/*.c; do
        object=$objects/${source%.c}.o
        [ -e "$object" ] || object=$objects/${source%.c}.base.o # compiled for each vector unit: one says it for all
        if [ ! -e "$object" ] || [ "$source" -nt "$object" ]; then
            echo "$source: is not built, or changed since: make all" >&2
            exit 2
        fi
        built+=("$object")
    done
    nm -A "${built[@]}" | awk -v before="$objects/harness/" '
        { file = $1; sub(/:[^:]*$/, "", file); file = substr(file, length(before) + 1); sub(/(\.base)?\.o$/, ".c", file) }
        $NF ~ /^cu[A-Z]/ { next } # the driver is called through the library of that name, whoever stands in for it
        $(NF - 1) ~ /^[BCDRTVW]$/ { print "DEFINED", $NF, file }
        $(NF - 1) ~ /U$/ { print "USED", $NF, file }' >"$work/symbols"
    # Writes "FILE OTHER ROOM OTHER" for each file that calls another one.
    awk '$1 == "DEFINED" { file[$2] = $3; next }
         function room(path) { sub(/\/[^\/]*$/, "", path); return path }
         $2 in file && file[$2] != $3 { print $3, file[$2], room($3), room(file[$2]) }' \
        <(grep ^DEFINED "$work/symbols") <(grep ^USED "$work/symbols") | sort -u >"$work/calls"
    awk 'NR == FNR { may[$1 " " $2]; next }
         $3 != $4 && !(($3 " " $4) in may) { print "harness/" $1 ": calls harness/" $2 ", and " $3 " may not: see its line in harness/ROOMS" }' \
        "$work/may" "$work/calls"
    # Each permission is used, by an include or a call.
    awk '{ pair = $(NF - 1) " " $NF } FILENAME != last { used[pair]; next }
         !(pair in used) { print "harness/ROOMS: " $1 " does not use " $2 }' last="$work/named" "$work/used" "$work/calls" "$work/named"

    # Neither calls between files of a room nor its headers form a circle.
    while read -r room; do
        awk -v room="$room" '$3 == room && $4 == room { print $1, $2 }' "$work/calls" | { tsort 2>&1 >/dev/null || true; } |
            sed -n "s|^tsort: \($room/.*\)|harness/\1: is in a circle of files that call each other|p"
        { grep -HE '^#include "[^/]*"' "harness/$room"/*.h /dev/null || true; } |
            sed -E 's|^[^:]*/([^:]*):#include "(.*)".*|\1 \2|' | { tsort 2>&1 >/dev/null || true; } |
            sed -n "s|^tsort: \(.*\.h\)$|harness/$room/\1: is in a circle of headers that include each other|p"
    done <"$work/rooms"

    # Each file is tested by tests/unit/ROOM/test_X.c (for harness/ROOM/X.c), or a line in tests/unit/COVERED says what
    # covers it.
    awk '!/^#/ && NF == 1 { print "tests/unit/COVERED: what covers " $1 "? Say it behind the name" }' tests/unit/COVERED
    sed -E '/^(#|$)/d; s/[[:space:]].*//' tests/unit/COVERED | sort >"$work/covered"
    declare -A covered
    while read -r file; do
        covered[$file]=yes
        [ -e "harness/$file" ] || echo "tests/unit/COVERED: there is no harness/$file"
    done <"$work/covered"
    for source in harness/**/*.c; do
        file=${source#harness/}
        test=tests/unit/${file%/*}/test_${file##*/}
        if [ -n "${covered[$file]-}" ]; then
            [ ! -e "$test" ] || echo "tests/unit/COVERED: $file has a test of its own, $test"
        elif [ ! -e "$test" ]; then
            echo "$source: has no test: write $test, or say in tests/unit/COVERED what covers it"
        fi
    done
    grep -LE '^(Test|TEXTS)\(' tests/unit/**/test_*.c | sed 's/$/: holds no test/'
    # A file may have several tests: test_X.c, test_X_THIS.c.
    for test in tests/unit/*/**/test_*.c; do
        file=${test#tests/unit/}
        file=harness/${file%/*}/${file##*/test_}
        name=${file%.c}
        while [ ! -e "$name.c" ] && [[ ${name##*/} == *_* ]]; do
            name=${name%_*}
        done
        [ -e "$name.c" ] || echo "$test: tests no file of its room: there is no $file"
    done
} >"$work/offences"

cat "$work/offences"
count=$(wc -l <"$work/offences")
[ "$count" -eq 0 ] || { echo "offences against harness/ROOMS: $count"; exit 1; }
