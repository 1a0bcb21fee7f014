#!/usr/bin/env bash
# Prints how many branches of each room of harness/ the tests took, as gcov counts them, after `make coverage` has run them.
#
#   ci/coverage.sh BUILD            a line for each room
#   ci/coverage.sh BUILD ROOM...    the branches of these rooms that no test took, a line of source each
set -euo pipefail

build=$1
shift
# A branch is named by its file, its line and its number there. Headers are compiled with several files, and some files
# several times.
mapfile -d '' counts < <(find "$build/harness" -name '*.gcda' -print0)
gcov --branch-probabilities --json-format --stdout "${counts[@]}" 2>/dev/null | jq -r '.files[]
    | select(.file | startswith("harness/")) | .file as $file | .lines[] | .line_number as $line
    | .branches | to_entries[] | [$file, $line, .key, .value.count] | @tsv' |
    awk -F'\t' -v rooms=" $* " '
        { taken[$1 FS $2 FS $3] += $4 }
        END {
            for (branch in taken) {
                split(branch, at, FS)
                room = at[1]
                sub("^harness/", "", room)
                sub("/[^/]*$", "", room)
                all[room]++
                some[room] += taken[branch] > 0
                if (!taken[branch] && index(rooms, " " room " "))
                    missed[at[1] FS at[2]]++
            }
            if (rooms != "  ")
                for (line in missed) print line FS missed[line]
            else
                for (room in all)
                    printf "%-12s %5.1f %% of %d branches\n", room, 100 * some[room] / all[room], all[room]
        }' | sort -t$'\t' -k1,1 -k2,2n | while IFS=$'\t' read -r file line count; do
    [ -n "${line-}" ] || { echo "$file"; continue; }
    echo "$file:$line: $count: $(sed -n "${line}s/^ *//p" "$file")"
done
