#!/usr/bin/env bash
# Tests CUPTI's collector with a kernel library (tests/standin/library.c). The kernels of a family must be measured at once,
# without losing a value or putting it into a wrong row, and a kernel that fails then must fail alone. Launches, counts and
# samples by line, and peaks are tested too. The stand-in for the GPU makes up every value by a rule, which the test checks.
# Needs no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/measuring.sh     tests/standin is beside it
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
standin=$(dirname "$cugate")/tests/standin
cd "$work" || exit 2

# Sanitizers do not like to be loaded second.
export ASAN_OPTIONS=handle_segv=0:verify_asan_link_order=0 STANDIN_DIR=$work STANDIN_LOG=$work/passes
unset CUDA_INJECTION64_PATH CUDA_VISIBLE_DEVICES
metrics=$top/metrics

# What is in run.json: "first: ok 5"; then whatever is wrong in it.
cat >held.jq <<'JQ'
def sum(f): map(f) | add;
def threads: .grid[0] * .grid[1] * .grid[2] * .block[0] * .block[1] * .block[2] * .times;
def time_of: {"add_one": 12000, "pin": 12000, "tiny": 2000, "large": 324000, "restless": 15000}[.function] * .times;
def held($id; $metric; $expected):
    .metrics[$metric] | if .sessions == null then "WRONG: \($id) has no \($metric)" else
        .sessions[][] | select(. != $expected) | "WRONG: \($id) has \($metric) \(.), not \($expected)" end;
.kernels | to_entries[] | .key as $id | .value
    | "\($id): \(.status) \(.metrics.time.sessions[0]? | length) \(.metrics.branch_targets.sessions[0]? | length)",
      (select(.status == "ok") | (.launches | sum(threads)) as $threads | (.launches | sum(time_of)) as $time
        | held($id; "time"; $time), held($id; "instructions"; 1000 * $threads), held($id; "l1_sectors"; 12 * $threads),
          held($id; "branch_targets"; 4 * $threads), held($id; "dram_bytes_read"; 16 * $threads))
JQ

# A command with the stand-in.
standing_in() {
    ask env "LD_LIBRARY_PATH=$standin" "LD_PRELOAD=$standin/libcupti.so.13" "$cugate" "$@" --metrics "$metrics" \
        --kernels "$standin/library.so"
}

# measured ARGUMENT...: what is said, what was kept, and how many ranges each pass had.
measured() {
    : >passes
    standing_in run --save run.json "$@"
    { jq -r -f held.jq run.json && uniq -c passes | sed 's/^ *//'; } >>said 2>&1
}

measured -k 'well/*'
expect 'a family is measured at once' 0 'well/first: ok 5 1' 'well/second: ok 5 1' 'well/third: ok 5 1' \
    '1 pass 0: 42 of 42' '1 pass 1: 42 of 42' '1 pass 2: 9 of 42' '!WRONG' '!warning: well'
measured -k well/second
expect 'a kernel alone, which fits' 0 'well/second: ok 5 1' '1 pass 0: 20 of 20' '1 pass 2: 4 of 20' '!WRONG'
measured -k 'well/*' -k 'many/*' --samples 3
expect 'two families, of which the larger one fits' 0 'well/third: ok 3 1' 'many/h: ok 3 1' '1 pass 0: 26 of 50' \
    '1 pass 0: 56 of 56' '!WRONG' '!warning: '{well,many}
measured -k 'many/*' --samples 50
expect 'more than fits, in parts' 0 'many/a: ok 50 1' 'many/g: ok 50 1' 'many/h: ok 50 1' \
    '1 pass 0: 602 of 640' '1 pass 0: 302 of 640' '!WRONG' '!warning: many'
measured -k 'pin/*'
expect 'what a kernel pinned in the L2 is gone before each sample, by what no pass counts' 0 'pin/first: ok 5 5' \
    'pin/second: ok 5 5' 'WRONG: pin/first has dram_bytes_read 524288, not 262144' \
    'WRONG: pin/second has dram_bytes_read 524288, not 262144' '!WRONG: pin/first has time' '!read 0,' \
    '1 pass 0: 2 of 22' '!warning: pin'
measured -k 'carve/*' -k 'carved/*' -k 'well/*'
expect 'a carve-out of the L2 is that of the launch or the family that asked for it' 0 \
    'WRONG: carve/second has dram_bytes_read 524288, not 262144' '!WRONG: carve/first' '!WRONG: carve/third' \
    'WRONG: carved/first has dram_bytes_read 524288, not 262144' 'WRONG: carved/third has dram_bytes_read 524288' \
    'well/first: ok 5 1' '!WRONG: well' '!warning: '{carve,well}
measured -k 'verified_by_kernel/*'
expect 'verifying that launches a kernel keeps it out' 0 'verified_by_kernel/second: ok 5 1' '1 pass 0: 10 of 32' \
    '1 pass 0: 20 of 32' '!WRONG' '!warning: verified'
measured -k 'restless/*'
expect 'instrumented counters in every sample of what does not repeat' 0 'restless/first: ok 5 1' \
    'restless/second: ok 5 5' 'restless/third: ok 5 1' '1 pass 2: 7 of 32' '1 pass 2: 10 of 32' \
    '!WRONG: restless/first' '!WRONG: restless/third' '!warning: restless'
measured -k 'restless/*' --samples 1
expect 'with one sample there is nothing to repeat' 0 'restless/second: ok 1 1' '1 pass 0: 7 of 8' '1 pass 2: 7 of 8' \
    '!warning: restless'
mkdir only
printf '%s\n' '[branch_targets]' 'title = Branches' 'counter = smsp__sass_branch_targets.sum' 'unit = count' 'class = exact' \
    'better = lower' 'doc = as in detail.ini' >only/only.ini
mkdir weighed
printf '%s\n' '[branch_targets]' 'title = Branches' 'counter = smsp__sass_branch_targets.sum' 'unit = count' 'class = exact' \
    'better = lower' 'doc = as in detail.ini' '[instructions]' 'title = I' 'counter = smsp__inst_executed.sum' 'unit = count' \
    'class = exact' 'better = lower' 'doc = likewise' '[time]' 'title = Rate' 'counter = lts__t_request_hit_rate.pct' \
    'unit = %' 'class = info' 'better = lower' 'weight = branch_targets' 'doc = weighed by another' >weighed/weighed.ini
metrics=weighed measured -k 'well/*'
expect 'a mean that is weighed by one of them' 0 'well/second: ok 1 1' '1 pass 0: 42 of 42' '1 pass 1: 9 of 42'
metrics=only measured -k 'restless/*'
expect 'and without a count to tell it by every sample' 0 'restless/second: ok 0 5' '1 pass 0: 31 of 32'
: >passes
standing_in aa -k 'well/*' --sessions 2 --save sessions
uniq -c passes | sed 's/^ *//' >>said
jq -r '.kernels["well/first"].metrics.branch_targets.sessions[0] | length' sessions/*.json >>said
expect 'an A/A looks at every sample' 0 '1 pass 0: 41 of 41' '1 pass 2: 41 of 41' $'5\n5'
measured -k 'wrong/*'
expect 'wrong when it is measured' 5 'wrong/first: ok 5 1' 'wrong/second: wrong result 0 0' 'wrong/third: ok 5 1' \
    'the sum is' '1 pass 0: 32 of 32' '!WRONG' '!warning: wrong'
one_by_one='and the kernels of its batch again, one by one'
measured -k 'more/*'
expect 'another number of launches than before' 5 'more/first: ok 5 1' 'more/second: failed 0 0' 'more/third: ok 5 1' \
    "warning: measuring more/first $one_by_one: not counted: more/second launched 1 + 1 kernels" '!WRONG'
measured -k 'crash/*'
expect 'a crash' 5 'crash/first: ok 5 1' 'crash/second: crashed 0 0' 'crash/third: ok 5 1' \
    "warning: measuring crash/first $one_by_one: Killed (signal 9)" 'the process that ran it died: Killed (signal 9)' '!WRONG'
measured -k 'hang/*' -k well/first --timeout 3 # far more than what is good takes
expect 'one that does not end' 5 'hang/first: ok 5 1' 'hang/second: hung 0 0' 'hang/third: ok 5 1' 'well/first: ok 5 1' \
    "warning: measuring hang/first $one_by_one: no response within 3 s" 'no result within 3 s' '!WRONG'
STANDIN_LOSE_RANGES=1 measured -k 'well/*' -k 'many/*'
expect 'after a range that CUPTI lost every pass is over every sample' 0 'well/first: ok 5 5' 'well/third: ok 5 5' \
    'many/a: ok 5 5' 'many/h: ok 5 5' '1 pass 0: 41 of 82' '1 pass 2: 91 of 91' '!WRONG'
STANDIN_LOSE_RANGES=1 measured -k 'many/*' --samples 50
expect 'those of the next part as well' 0 'many/a: ok 50 50' 'many/g: ok 50 50' 'many/h: ok 50 50' \
    '1 pass 2: 13 of 640' '1 pass 2: 301 of 640' '!WRONG'
STANDIN_FEWER_PASSES=1 measured -k 'wrong/*'
expect 'outputs are compared also where CUPTI is done early' 5 'wrong/first: ok' 'wrong/second: wrong result' \
    "warning: measuring wrong/first $one_by_one: CUPTI finished after only 2 of 3 passes"
STANDIN_LOSE_RANGES=1 standing_in aa -k 'well/*' --sessions 2 --save lost # by each process, the next one too
jq -c '.kernels[].metrics | [.time, .branch_targets]' lost/*.json >>said
expect 'where it is, one that is lost costs the batch' 5 "warning: measuring well/first $one_by_one: not counted, because CUPTI lost ranges" \
    '[{"state":"not counted"},{"sessions":[[65536,' '[{"sessions":[[328000,' '[{"sessions":[[12000,'

# By line: each function has counts (tests/standin/profiler_sass.c) and samples (profiler_sampling.c) at its first four
# instructions, whose sums follow from its launches. $ranges: first and last line of each function in kernels.cu.
cat >lines_held.jq <<'JQ'
def product: reduce .[] as $factor (1; . * $factor);
def is($what; $expected): if . == $expected then empty else "WRONG: \($what): \(.), not \($expected)" end;
def held($id; $launches; $function):
    ($launches | map(select(.function == $function))) as $mine
    | ($mine | map((.grid | product) * .times) | add) as $blocks
    | ($mine | map((.grid + .block | product) * .times) | add) as $threads
    | ($threads * (if $id == "other/first" then 1512 else 1000 end)) as $instructions
    | map(select(.function == $function)) as $list
    | ({instructions: $instructions, active_threads: (32 * $instructions), working_threads: (24 * $instructions),
        global_loads: $threads, load_sectors: $threads, load_ideal: $threads, global_stores: $threads,
        store_sectors: $threads, store_ideal: $threads, shared_wavefronts: ($threads / 4), shared_ideal: ($threads / 8)}
       | to_entries[] | .key as $count | .value as $expected
       | $list | map(.counts[$count] // 0) | add | is("\($id) \($function) \($count)"; $expected)),
      ($list | map(.stalls.long_scoreboard) | add | is("\($id) \($function) waits"; 50 * $blocks)),
      ($list | map(.stalls.selected) | add | is("\($id) \($function) issues"; 20 * $blocks));
def place($id):
    .offset as $offset | if $id == "other/first" then [.file, .line] | is("\($id) place"; [null, null])
    elif $id == "unlined/first" then [.file, .line] | is("\($id) place"; ["/no/such/unlined.cu", 100 + $offset / 16])
    elif (.file | endswith("standin/kernels.cu")) and .line >= $ranges[.function][0] and .line <= $ranges[.function][1]
    then empty else "WRONG: \($id): \(.function) at \(.file):\(.line)" end;
.kernels | to_entries[] | .key as $id | .value.launches as $launches | .value.lines
    | "\($id): \(.list | length) lines", (.launches | is("\($id) launches"; 5)),
      (.list | (map(.function) | unique | is("\($id) functions"; $launches | map(.function) | unique)),
               (map(.stalls | keys[]) | unique | is("\($id) reasons"; ["long_scoreboard", "selected"])),
               (.[] | place($id)), held($id; $launches; ($launches | map(.function) | unique[])))
JQ
ranges=$(awk '/void [a-z_]+\(/ { match($0, /[a-z_]+\(/); name = substr($0, RSTART, RLENGTH - 1); first = NR }
    /^}/ { printf "{\"%s\": [%d, %d]}", name, first, NR }' "$top/tests/standin/kernels.cu" | jq -cs add)
standing_in run --lines --save lines.json -k shapes/second -k well/second -k other/first -k unlined/first
{
    jq -r --argjson ranges "$ranges" -f lines_held.jq lines.json
    jq -r '.kernels["shapes/second"].launches[] | "\(.function) \(.grid) \(.block) \(.shared) \(.times)"' lines.json
    jq -r '.sessions[0].roofs | to_entries[] | "\(.key) \(.value / 1e9 | round)"' lines.json
} >>said 2>&1
expect 'each line has the counts and samples of its instructions, also of a function behind others' 0 '!warning' \
    '!WRONG' '!jq:' 'other/first: 4 lines' 'shapes/second: 4 lines' 'unlined/first: 4 lines' 'well/second: 4 lines'
expect 'launches are described by each call, those in a row that are alike as one' 0 'tiny [2,3,4] [8,4,2] 512 1' \
    'tiny [5,1,1] [64,1,1] 0 1' 'tiny [1,1,1] [32,1,1] 0 3' 'tiny [1,1,1] [32,1,1] 1024 1' 'add_one [64,1,1] [256,1,1] 0 1'
expect 'roofs are the best rate behind the first launch' 0 'dram 4000' 'shared 125' 'fp64 32000' 'fp32 64000' 'fp16 128000'

summary
