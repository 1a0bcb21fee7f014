# shellcheck shell=bash disable=SC2154,SC2016
# Ways around the counters: numbers that no GPU can have read. Sourced by run.sh.

# counters FILE VALUE METRIC...: the recording with that value in these metrics of every kernel that launched.
counters() {
    local file=$1 value=$2
    shift 2
    jq --argjson value "$value" '(.kernels[] | select(.launches != []) | .metrics[$ARGS.positional[]]
        | select(.sessions)) = {sessions: [[$value]]}' "$recorded" --args "$@" >"$file"
}

gated='instructions branch_targets branch_targets_divergent shared_wavefronts excess_wavefronts global_load_sectors
    global_load_requests global_store_sectors global_store_requests dram_bytes_read dram_bytes_write
    shared_bank_conflicts local_memory'
# shellcheck disable=SC2086 # one word each
all_zero() { counters run.json 0 $gated; }

way 'instructions and twelve other counters read 0 in every kernel' all_zero 5 \
    '"$cugate" check $H200 --replay run.json -q >said; code=$?; cat said; sed -n "s/.*against 0$/nothing is no less/p" said
    (exit $code)' \
    'missing    access/coalesced' '  missing    instructions' 'the law "instructions > 0" is broken' \
    'the law "branch_targets >= 0.01 * branch_efficiency" is broken by 0 against 0.' '!nothing is no less'
way 'counters that read 0 are compared by files' all_zero 5 \
    '"$cugate" compare --metrics "$top/metrics" "$recorded" run.json -q' 'the law "instructions > 0" is broken by 0'
way 'every report says which law was broken' all_zero 0 \
    'reports=; for format in json junit markdown comment github; do reports+=" --report $format=in_$format"; done
    "$cugate" check $H200 --replay run.json -k transpose/padded $reports >in_text
    grep -L "instructions > 0\|instructions &gt; 0\|instructions \\\\&gt; 0" in_*' \
    '!in_'

way 'a kernel of many warps executes one instruction' 'counters run.json 1 instructions' 5 \
    '"$cugate" check $H200 --replay run.json -q' 'instructions >= cugate.warps" is broken by 1 against'

way 'the DRAM is busy and moves no bytes' 'counters run.json 0 dram_bytes_read dram_bytes_write' 5 \
    '"$cugate" check $H200 --replay run.json -q' 'the law "dram_throughput <= 10 * dram_bytes_read / time'

short_time() { counters run.json 100 time; }
way 'a time that the SM clock contradicts' short_time 5 \
    '"$cugate" check $H200 --replay run.json -q' 'the law "time >= 0.5e9 * sm_cycles / sm_clock" is broken'

one_sample() {
    jq '.kernels["dot/fp32"].metrics.instructions.sessions[0] |= [.[], .[], .[], .[], 0]' "$recorded" >run.json
}
way 'one sample of many breaks a law' one_sample 5 \
    '"$cugate" check $H200 --replay run.json -k dot/fp32 -q' 'the law "instructions > 0" is broken'

more_than_all() {
    cp -r "$top/baselines" baselines
    jq '.kernels[].metrics.branch_targets_divergent.sessions[] = [99999999]' \
        "$top/baselines/nvidia-h200/divergence/per_thread.json" >baselines/nvidia-h200/divergence/per_thread.json
}
way 'a baseline with more divergent branches than branches makes any run better' more_than_all 3 \
    '"$cugate" check --metrics "$top/metrics" --baselines baselines --replay "$recorded" -k divergence/per_thread -q' \
    'value is in doubt: the law "branch_efficiency <= 101' '!improved'

way 'a number that breaks a law is accepted' all_zero 5 \
    '"$cugate" accept run.json --metrics "$top/metrics" --baselines new -k "access/*" -m instructions --reason "made up"' \
    'instructions of access/coalesced, because it was not counted in run.json: the law' '!accepted '

two_zero() {
    all_zero && jq '.sessions[0].date = "2026-11-21T20:05:00.000Z"' run.json >run_2.json
}
way 'sessions that break a law agree with each other' two_zero 5 \
    '"$cugate" aa --metrics "$top/metrics" run.json run_2.json -q' 'the law "instructions > 0"'
way 'a time that breaks a law is explained' short_time 0 \
    '"$cugate" explain dot/fp32 --metrics "$top/metrics" --replay run.json' 'not known: the law "time >= 0.5e9'

# Laws of metrics that are the user's own, from measuring to judging what was kept.
own_law() {
    library made_up "$made_up/kernels.c" || return
    mkdir metrics
    printf '[wall_time]\ntitle = T\ncounter = cugate.wall_time\nunit = ns\nclass = time\nbetter = lower\nlaw = > 0,\n  >= 1e15\ndoc = d\n' \
        >metrics/own.ini
}
run_own() {
    "$cugate" run --metrics metrics --collector host --kernels ./made_up.so -k 'fine/*' --save run.json
    say "exit $?"
    sed -i '/^law/,/1e15/d' metrics/own.ini
    "$cugate" check --metrics metrics --baselines none --replay run.json
    say "exit $?"
    "$cugate" accept --metrics metrics --baselines none run.json --reason 'made up'
}
way 'a broken law of a metric of its own is forgotten once the run is a file' own_law 5 run_own \
    'wall_time of fine/one is not counted: the law "wall_time >= 1e15" is broken' '2 rows not counted (exit 5)' \
    '!exit 0' '!exit 4' 'not accepted: wall_time of fine/one'

unreadable_law() {
    own_law && sed "s/^law.*/law = $1/; /1e15/d" metrics/own.ini >own.ini && mv own.ini metrics
}
no_relation() { unreadable_law '32'; }
no_metric() { unreadable_law '<= no_such'; }
way 'a law that is no relation is ignored' no_relation 2 '"$cugate" list --metrics=metrics' \
    'metrics/own.ini:7: one of > >= < <= is missing before "32"'
way 'a law of a metric that is not there is ignored' no_metric 2 '"$cugate" list --metrics=metrics' \
    'metrics/own.ini:7: a law of [wall_time] names "no_such", which is neither a section'
