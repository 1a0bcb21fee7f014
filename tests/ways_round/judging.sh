# shellcheck shell=bash disable=SC2154,SC2016
# Ways around the judging: what a baseline, a run file or an expectation can be made to say. Sourced by run.sh.

# change FILTER: the recording through jq, as run.json; it has to change.
change() {
    [ -s "$work/unchanged" ] || jq -c . "$recorded" >"$work/unchanged"
    jq -c "$1" "$recorded" >run.json && ! cmp -s "$work/unchanged" run.json
}

judge='"$cugate" check $H200 --replay run.json'

# ---- The same machine code

hundredfold() { change '(.kernels["reduce/tree"], .kernels["reduce/sequential"]) |= (select(.) |
        (.metrics.time, .metrics.sm_cycles, .metrics.sm_cycles_active).sessions |= map(map(. * 100)))'; }
way 'the same machine code takes a hundred times as long' hundredfold 3 "$judge" \
    '+8.18 ms' 'the same machine' 'more than 10 % off' '!nothing is worse'

# By 4 % a time, as accept takes what moved by the same code.
step_by_step() {
    cp -r "$top/baselines" baselines
    jq -c '.kernels[].metrics.time |= (.sessions |= map(map(. * 1.04)) | .anchor = .sessions[0][0] / 1.09)' \
        baselines/nvidia-h200/reduce/sequential.json >changed
    mv changed baselines/nvidia-h200/reduce/sequential.json
    change '.kernels["reduce/sequential"].metrics.time.sessions |= map(map(. * 1.07))'
}
way 'the same machine code creeps away from its anchor' step_by_step 3 \
    '"$cugate" check $H200 --baselines baselines --replay run.json -k reduce/sequential' 'reduce/sequential' '!nothing is worse'

# ---- The baseline

# One row a kernel is left, and it is fifty times what was measured.
thinned() {
    local file
    cp "$recorded" run.json
    cp -r "$top/baselines" baselines
    for file in baselines/nvidia-h200/*/*.json; do
        jq -c '.kernels[].metrics |= with_entries(select(.key == "dram_bytes_write") |
            if .value.sessions then .value |= (.sessions |= map(map(. * 50)) | .anchor = 1e12) else . end)' \
            "$file" >changed
        mv changed "$file"
    done
}
way 'most rows of the baseline are deleted, and the rest is fifty times as large' thinned 3 \
    '"$cugate" check $H200 --baselines baselines --replay run.json' \
    'the baseline has the kernel, but not this metric' '!nothing is worse'

one_row_less() {
    cp -r "$top/baselines" baselines
    sed -i '/"shared_wavefronts": {/d' baselines/nvidia-h200/transpose/padded.json
    change '.kernels["transpose/padded"].metrics.shared_wavefronts.sessions |= map(map(. * 17))'
}
way 'the row that would fail is deleted from the baseline' one_row_less 3 \
    '"$cugate" check $H200 --baselines baselines --replay run.json -k transpose/padded' \
    'shared_wavefronts' 'not this metric' '!nothing is worse'

# ---- Expectations

undated_expectation() {
    cp -r "$top/baselines" baselines
    printf '[transpose/padded shared_wavefronts]\nissue = x\nexpires = 2020-01-31\n' >baselines/nvidia-h200/expected.ini
    change '.kernels["transpose/padded"].metrics.shared_wavefronts.sessions[0][] += 1 | del(.sessions[].date)'
}
way 'an expectation that is over excuses a run without a date' undated_expectation 1 \
    '"$cugate" check $H200 --baselines baselines --replay run.json' 'transpose/padded' 'this run has no date'

# ---- Counts that do not repeat

one_more() {
    cp "$recorded" before.json
    change '.kernels["sgemm/cublas"].metrics.instructions.sessions[0][] += 1'
}
way 'one session against one makes a count exact' one_more 3 '"$cugate" compare --metrics "$top/metrics" before.json run.json' \
    'sgemm/cublas' 'to show that it repeats'

# By two sessions of the baseline, each of which repeats, and a third of the same code.
one_more_by_two() {
    jq -c '.kernels |= map_values(if .metrics.instructions.sessions then .metrics.instructions.sessions |= . + . else . end) |
        .sessions |= . + .' "$recorded" >before.json
    change '.kernels["reduce/sequential"].metrics.instructions.sessions[0][] += 1'
}
way 'the same machine code counts otherwise, and is red by two sessions' one_more_by_two 3 \
    '"$cugate" compare --metrics "$top/metrics" before.json run.json' 'reduce/sequential' 'counts of the same'

# Those without --lines have bank conflicts of no kernel but a few.
some_with_lines() {
    cp "$recorded" first.json
    change 'del(.kernels[].metrics.excess_wavefronts) | del(.kernels[].lines) | .sessions[0].date = "2026-11-21T21:00:00.000Z"'
}
way 'aa over sessions of which some have lines' some_with_lines 0 '"$cugate" aa --metrics "$top/metrics" first.json run.json' \
    'excess_wavefronts' 'not in every session'

# ---- Rows that can hardly fail

as_recorded() { cp "$recorded" run.json; }
way 'a time that hardly can fail looks green' as_recorded 0 "$judge -k 'trans*/pa*'" 'same, wide limit' '1 row has a wide limit (shown by -v)'
way 'a time that hardly can fail has no reason' as_recorded 0 "$judge -v -k 'trans*/pa*'" 'wide limit: the row fails only if it changes by more than'
way 'nothing that can fail is green' as_recorded 3 "$judge -k transfer/pageable" 'no other judged row of the kernel can fail'

# ---- Against a base build

# The baseline knows the kernel turns/equal alone.
two_builds() {
    library new "$here/../libraries/turns.c" -D_GNU_SOURCE -DSCALE=4 && ln -s new.so base.so && mkdir metrics || return
    printf '[wall_time]\ntitle=W\ncounter=cugate.wall_time\nunit=ns\nclass=time\nbetter=lower\nfloor=16000000 ns\ndoc=d\n' \
        >metrics/x.ini
    "$cugate" run --metrics metrics --collector host --kernels ./base.so -k turns/equal --save equal.json
    "$cugate" accept --metrics metrics --baselines baselines equal.json --reason 'made up'
}
two='"$cugate" check --metrics metrics --baselines baselines --collector host --samples 1 --kernels ./new.so --against ./base.so -k turns/equal'

way 'a kernel that nobody accepted is five times as slow as in the base' two_builds 1 "$two -k turns/slower" \
    'regressed  turns/slower' 'pairs worse' 'the baseline does not have all their rows'
way 'a kernel that nobody accepted is five times as slow, with --paired' two_builds 1 "$two -k turns/slower --paired" \
    'regressed  turns/slower'
way 'the base cannot run a kernel that nobody accepted' two_builds 3 "$two -k turns/bad_base" 'unsure' 'turns/bad_base' \
    'result was "failed"' '!  new'
way 'a kernel is in the base alone' two_builds 5 "$two -k 'turns/[er][qe]*'" 'missing' 'turns/removed' 'the base build has it'

bad_base_before() {
    two_builds && "$cugate" run --metrics metrics --collector host --kernels ./new.so -k turns/bad_base --save bad_base.json &&
        "$cugate" accept --metrics metrics --baselines baselines bad_base.json --reason 'made up'
}
way 'the base cannot run a kernel whose pairs were asked for' bad_base_before 3 "$two -k turns/bad_base --paired" \
    'pairs of runs with the base build did not decide it' 'result was "failed"'

# ---- A harmless rewrite

# Of other code, 4 % faster by 14 pairs; and the L2 is asked for less of what it has.
rewrite() {
    change '.kernels["reduce/sequential"] |= (.launches[].code |= "f00d" |
        .metrics.time as $t | .metrics.time.pairs = [range(14) | [$t.sessions[0][0] * 1.04, $t.sessions[0][0]]] |
        .metrics.instructions.sessions[0][] -= 1000 | .metrics.l2_hit_rate.sessions[0][] -= 4)'
}
way 'a hit rate falls while time by pairs and DRAM bytes got no worse' rewrite 0 "$judge -k reduce/sequential" 'trade-off' 'l2_hit_rate'

# ---- One verdict a kernel

# changed KERNEL FACTORS: other code of a kernel, whose metrics are multiplied: '{time: 0.5}'.
changed() {
    change "($2) as \$factors | .kernels[\"$1\"] |= (.launches[].code |= \"f00d\" |
        reduce (\$factors | to_entries[]) as \$f (.; .metrics[\$f.key].sessions |= map(map(. * \$f.value | round))))"
}
fast='{time: 0.5, sm_cycles: 0.5, sm_cycles_active: 0.5'

faster() { changed reduce/sequential "$fast, instructions: 1.1}"; }
way 'a kernel is twice as fast by more instructions' faster 0 "$judge -k reduce/sequential" \
    'improved' 'trade-off' 'instructions' 'the kernel is faster (time -50' '!regressed'
way 'a kernel is twice as fast, and a team wants no trades' faster 1 "$judge -k reduce/sequential --trades no" \
    'regressed' 'instructions'
way 'a kernel pays with what its metric says nobody pays with' faster 1 'cp -r "$top/metrics" . &&
    sed -i "/^\[instructions\]/a trades = no" metrics/*.ini &&
    "$cugate" check --baselines "$top/baselines" --metrics metrics --replay run.json -k reduce/sequential' 'regressed' 'instructions'
way 'a kernel is twice as fast, and the option is misspelt' faster 2 "$judge --trades non" '--trades non: write yes, or no'

# ---- Excuses have bounds

# Ten sessions, in nine of which the same code reads ten times as much.
nine_of_ten() {
    change '.sessions[0] as $s | .sessions = [range(10) | $s] | .kernels[].metrics[] |= (if .sessions then .sessions |= [range(10) as $i | .[0]] else . end) |
        .kernels["reduce/sequential"].metrics.dram_bytes_read.sessions |= (to_entries | map(if .key > 0 then .value | map(. * 10) else .value end))'
}
way 'the same machine code reads ten times as much in 9 of 10 sessions' nine_of_ten 3 "$judge -k reduce/sequential" \
    'dram_bytes_read' '9 of 10 sessions' '!nothing is worse'
one_of_two() {
    change '.sessions += .sessions | .kernels[].metrics[] |= (if .sessions then .sessions += .sessions else . end) |
        .kernels["reduce/sequential"].metrics.dram_bytes_read.sessions[0] |= map(. * 10)'
}
way 'the same machine code reads ten times as much in one of two sessions' one_of_two 3 "$judge -k reduce/sequential" \
    'dram_bytes_read' '1 of 2 sessions' '!nothing is worse'

all_slower() { # but for the code of two whose other rows are further off in this recording than chance lets other code be
    change '.sessions += .sessions | .kernels[].metrics[] |= (if .sessions then .sessions += .sessions else . end) |
        .kernels |= with_entries(
            (select(.key | IN("transpose/naive", "dot/fp32") | not).value.launches[]? | select(.code)).code = "f00d" |
            (.value.metrics | .time, .sm_cycles, .sm_cycles_active) |= (if .sessions then .sessions |= map(map(. * 1.029)) else . end))'
}
way 'all kernels are of other code and 2.9 % slower' all_slower 3 "$judge" 'all kernels shifted together' \
    'too few have unchanged code' '!nothing is worse'

# By the sessions of a baseline that a program has.
program=programs-nvidia-h100/gpt2-1.json
recorded_program() {
    tar -xJf "$top/tests/data/programs-nvidia-h100-80gb-hbm3.tar.xz" &&
        "$cugate" accept -q --metrics "$top/metrics" --baselines baselines --reason recorded ${program%1.json}[123].json && jq -c "$1" "$program" >run.json
}
judge_program='"$cugate" check --metrics "$top/metrics" --baselines baselines --replay run.json'
lost_work() {
    recorded_program '(.kernels | to_entries | map(select(.key | endswith("/program") | not)) | min_by(.value.metrics.gpu_time.sessions[0][0] // 1e12)) as $least |
        .kernels |= with_entries(select(.key == $least.key or (.key | endswith("/program")))) |
        .kernels["gpt2/program"].metrics |= (.launches.sessions |= map(map(1)) | .gpu_time.sessions |= map(map(2000)))'
}
way 'a program launches one kernel of 2 us in place of 15,309' lost_work 3 "$judge_program" 'gpt2/program' \
    'of its GPU time are gone or launched less often, and other kernels took over only 0.0 %' '!nothing is worse'
idle() {
    recorded_program '.kernels["gpt2/program"].metrics |= (.launches.sessions |= map(map(. * 100)) |
        .gpu_time.sessions |= map(map(. * 0.5)) | .gpu_busy.sessions |= map(map(. * 0.04)))'
}
way 'a hundred times the launches leave the GPU idle' idle 1 "$judge_program" 'launches' 'regressed' '!trade-off'
