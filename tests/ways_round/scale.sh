# shellcheck shell=bash disable=SC2154,SC2016
# Ways around the clock: files so large that nobody waits for the verdict. They count CPU seconds, with a margin. Sourced by run.sh.

# write_run FILE SESSIONS METRICS KERNELS: a run file of the test's GPU. SESSIONS is a number, of which each has facts of
# its own, and METRICS and KERNELS are what stands between the braces.
write_run() {
    {
        printf '{"schema": 1, "device": {"name": "Test GPU", "compute_capability": "9.0", "sm_count": 132,\n'
        printf '"memory_bytes": 150109880320, "ecc": true, "mig": false}, "sessions": [\n'
        seq "$2" | sed "s/.*/{\"collector\": \"cupti\", \"gpu_uuid\": \"&\", \"driver\": \"&\", \"host\": \"$1\"},/; \$s/,\$//"
        printf '], "metrics": {%s}, "kernels": {%s}}\n' "$3" "$4"
    } >"$1"
}

# repeat COUNT TEXT: so often, with commas between, each & in it being the number.
repeat() { seq "$1" | sed "s|.*|$2,|; \$s/,\$//"; }

kernel() { printf '"%s": {"status": "ok", "bytes": 1, "flops": 0%s, "metrics": {%s}}' "$1" "${3-}" "$2"; }
time_row='"time": {"sessions": [[100000]]}'

# Each of these takes less than a second now, and took 10 to 100 of them. A file that takes longer ends by a signal.
in_time() { (ulimit -t 6 && "$cugate" "$@" --metrics "$made_up/metrics"); }

unknown_metrics() {
    local rows
    rows=$(repeat 80000 '"unknown_&": {"sessions": [[1]]}')
    for file in base.json run.json; do write_run $file 1 '' "$(kernel a/b "$time_row, $rows")"; done
}
way 'unknown metrics without end' unknown_metrics 0 'in_time compare base.json run.json' 'not judged'

many_sessions() { for file in base.json run.json; do write_run $file 40000 '' "$(kernel a/b "$time_row")"; done; }
way 'sessions without end are compared' many_sessions 0 'in_time compare base.json run.json' 'nothing is worse'
way 'sessions without end are accepted' many_sessions 0 \
    'in_time accept base.json run.json --baselines baselines --reason x' 'accepted 1 row'

# Parts of as many machines: each kernel has a GPU of its own.
many_gpus() {
    for file in base.json run.json; do
        write_run $file 20001 '' "$(repeat 20000 "$(kernel 'a/k&' '"time": {"sessions": [[100000]], "from": [KEPT]}')" | sed 's/k\([0-9]*\)\(.*\)KEPT/k\1\2\1/')"
    done
}
way 'a GPU for each kernel' many_gpus 0 'in_time compare base.json run.json -q' 'nothing is worse'

renamed_kernels() {
    local launch='"launches": [{"code": "&", "grid": [1, 1, 1], "block": [1, 1, 1], "shared": 0, "times": 1}]'
    write_run base.json 1 '' "$(repeat 24000 "$(kernel 'a/old_&' "$time_row" ", $launch")")"
    write_run run.json 1 '' "$(repeat 24000 "$(kernel 'a/new_&' "$time_row" ", $launch")")"
}
way 'renamed kernels without end' renamed_kernels 5 'in_time compare base.json run.json -q --format junit | grep "a/new_17 "' \
    'a/new_17 is new and runs the same code; if renamed, accept it with -k a/new_17 --was a/old_17'

sessions_of_a_row() {
    write_run base.json 40000 '' "$(kernel a/b '"time": {"sessions": ['"$(repeat 40000 '[100000]')"']}')"
    write_run run.json 1 '' "$(kernel a/b "$time_row")"
    sed -i 's/"gpu_uuid": "1"/"gpu_uuid": "other"/' run.json
}
way 'sessions of one row without end' sessions_of_a_row 0 'in_time compare base.json run.json' 'nothing is worse'

sessions_of_both() {
    for file in base.json run.json; do
        write_run $file 40000 '' "$(kernel a/b '"time": {"sessions": ['"$(repeat 40000 '[100000]')"']}')"
    done
    sed -i 's/"gpu_uuid": "/&other_/' run.json
}
way 'sessions of a row on both sides without end' sessions_of_both 0 'in_time compare base.json run.json' 'nothing is worse'

many_notes() {
    local notes rows
    notes=$(repeat 40000 '"unknown_&": {"counter": "c", "unit": "ns"}')
    rows=$(repeat 40000 '"unknown_&": {"sessions": [[1]]}')
    write_run run.json 1 "$notes" "$(kernel a/b "$rows")"
}
way 'notes of metrics without end' many_notes 0 'in_time accept run.json --baselines baselines --reason x' \
    'accepted 40000 rows'

kernels_between() {
    write_run odd.json 1 '' "$(repeat 50000 "$(kernel 'a/k_&_1' "$time_row")"), $(kernel a/k "$time_row")"
    write_run even.json 1 '' "$(repeat 50000 "$(kernel 'a/k_&_2' "$time_row")"), $(kernel a/k "$time_row")"
    sed -i 's/"gpu_uuid": "1"/"gpu_uuid": "other"/' even.json
}
way 'kernels of one file between those of another' kernels_between 0 'in_time aa odd.json even.json | grep A/A' 'A/A of 2 sessions'

stall_reasons() {
    local lines
    lines=$(repeat 400 '{"function": "f", "file": "a.cu", "line": 1, "offset": 0, "counts": {}, "stalls": {'"$(
        for ((i = 0; i < 200; i++)); do printf '%s"r_&_%d": 1' "$([ $i -eq 0 ] || echo ', ')" $i; done)"'}}')
    write_run run.json 1 '' "$(kernel a/b "$time_row" ', "lines": {"counted": [], "launches": 1, "period": 32, "list": ['"$lines]}")"
}
way 'reasons to wait without end' stall_reasons 2 'in_time compare run.json run.json' 'has more than 256 stall reasons'

# 10,000 kernels of 50 metrics are a run.
large_run() {
    local rows
    rows=$(repeat 50 '"m&": {"sessions": [[1, 2, 3, 4, 5]]}' | tr -d '\n')
    write_run run.json 1 '' "$(repeat 10000 "$(kernel 'a/k&' KEPT)" | sed "s/KEPT/$rows/")"
}
way 'a run of 10,000 kernels and 50 metrics' large_run 0 \
    '(ulimit -t 60 && "$cugate" explain a/k1 --replay run.json)' '!no run is that large' 'a/k1'
