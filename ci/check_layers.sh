#!/usr/bin/env bash
# Checks that includes between the harness's files follow the order of its modules: a file includes what stands in its
# own row or above, never what stands below. Prints each offence as file:line.
set -euo pipefail
cd "$(dirname "$0")/.."

# To add a module: its file names without ending, each a glob, in the last row of what it may include.
layers=(
    'version exit_code util whole_file text ini_text'
    'options options_*'
    'child kernel law library library_* measure_interrupt metric metric_* sample line line_match story'
    'run run_* source symbol'
    'cubin cubin_* line_table occupancy resources resources_* roofline'
    'rule expectation'
    'baseline baseline_*'
    'compare compare_* weakened analysis analysis_*'
    'report report_*'
    'explain explain_*'
    'gpu collector collect_* cupti_* worker worker_* measure measure_* judge judge_*'
    'gate commands cmd_*'
    'main'
)

# Prints the row of a file, or nothing.
layer_of() {
    local name=${1##*/} row pattern
    name=${name%.*}
    set -f
    for row in "${!layers[@]}"; do
        for pattern in ${layers[row]}; do
            # shellcheck disable=SC2053 # the right side is a pattern
            if [[ $name == $pattern ]]; then
                echo "$row"
                return
            fi
        done
    done
}

offences=0
for file in harness/*.[ch]; do
    own=$(layer_of "$file")
    if [ -z "$own" ]; then
        echo "$file: in no row of ci/check_layers.sh; add it"
        offences=$((offences + 1))
        continue
    fi
    while IFS=: read -r line include; do
        other=$(layer_of "$include")
        if [ -n "$other" ] && [ "$other" -gt "$own" ]; then
            echo "$file:$line: may not include $include: (${layers[other]}) stands below (${layers[own]})"
            offences=$((offences + 1))
        fi
    done < <(sed -n '/^#include "/{=;s/^#include "\(.*\)".*/\1/p}' "$file" | paste -d: - -)
done
[ $offences -eq 0 ] || { echo "$offences layer offences"; exit 1; }
