#!/usr/bin/env bash
# Tests `cugate run -- PROGRAM` on a GPU. Prints "ok - ...", "not ok - ...: why" and tables, ends with "N passed, N failed", and exits
# 1 when one failed, 5 when there is no GPU. Builds nothing. False alarms of a program counts `cugate aa -- PROGRAM`.
#
#   CUGATE=build/cugate PLAIN=plain tests/gpu/exec.sh [PART]...
#
#     truth      instructions and time beside ncu's, launch by launch
#     results    programs print the same with and without exec
#     catalogue  exact counters of the kernel library, launched by a program (cugate, by the host's clock), beside the harness's
#     whole      all launches and GPU time beside CUPTI's activity records
#     graph      CUDA graphs: results, and the counts of a graph launch beside those of its kernels
#     nvtx       only the kernels of a range
#     robust     crashes, hangs, exits, other processes, a profiler inside
#
# Without a PART all of them, in this order. PLAIN is programs/plain.cu, built, and BLAS, if it is given, programs/blas.c;
# LIBRARY is the kernel library (libkernels.so beside cugate). Needs jq, c++filt, pgrep, ncu, and python3 with PyTorch,
# Triton and CuPy. It takes the first GPU.
#
# Nothing takes longer than LIMIT seconds in all (470): what has not ended by then is ended, and fails, and so does what
# has not begun. PROGRAMS='train vision' limits whole to these. KEEP=DIR: where run files and what was said are left.
set -uo pipefail

all_parts=(truth results catalogue whole graph nvtx robust)

here=$(cd "$(dirname "$0")" && pwd)
programs=$here/programs
cugate=${CUGATE:-build/cugate}
plain=${PLAIN:-plain}
library=${LIBRARY:-$(dirname "$cugate")/libkernels.so}
limit=${LIMIT:-470}
every=100000 # more launches of a group than any program has, and the most that --first takes
left_out=1   # launches of a group before exec measures one
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
ulimit -c 0 # a core of a process with a GPU is slow to write and of no use here

# shellcheck source=tests/gpu/keep.sh
. "$here/keep.sh"

# ---- Judging ---------------------------------------------------------------------------------------------------------

# incomplete NAME: after what failed and said why.
incomplete() {
    verdict "$1" "its figures are not complete"
}

# Of the first of these files that has any.
last_words() {
    while [ $# -gt 1 ] && ! [ -s "$1" ]; do
        shift
    done
    grep -v '^$' "$1" 2>/dev/null | tail -2 | cut -c1-200 | tr '\n' ';'
}

# made_of FUNCTION INPUT: what that function of exec.jq makes of a file.
made_of() {
    jq -r -L "$here" "include \"exec\"; $1" "$2"
}

# Lines of another program's text.
quoted() {
    tr -s ' ' | cut -c1-150 | sed 's/^/    | /'
}

# judge FUNCTION INPUT: the same, whose verdicts count; other lines are of tables.
judge() {
    verdicts "$1" "exec.jq cannot read $2" echo made_of "$1" "$2"
}

# Of each metric that CUPTI counts without being asked for: name, class, set. A set is what is counted in one pass; exec makes the same
# of them. A chip may know the second name of a counter; the first is that of those tried here.
metric_table() {
    awk 'FNR == 1 { optional = 0 }
         /^optional = yes/ { optional = 1 } # the file is read only where it is named
         /^\[/ { name = substr($0, 2, length($0) - 2) }
         /^counter = / && !optional { counter[name] = $3 }
         /^class = / { class[name] = $3 }
         END {
             for (name in counter) {
                 set = counter[name] ~ /^smsp__sass_/ ? "sass" : counter[name] ~ /^l1tex__t_/ ? "l1" : "hw"
                 if (counter[name] !~ /^cugate\./)
                     print name, class[name], set
             }
         }' "$here"/../../metrics/*.ini | sort
}

exact_metrics() { metric_table | awk '$2 == "exact" { print $1 }' | jq -Rn '[inputs]'; }
options_of() { metric_table | awk -v set="$1" '$3 == set { print "-m", $1 }'; }

# ---- Running ---------------------------------------------------------------------------------------------------------

# within SECONDS COMMAND...: ended after that time, or when all time is over; then it exits with 124 or 137.
within() {
    local left=$((limit - SECONDS)) seconds=$1
    shift
    [ $left -gt 0 ] || return 124
    timeout -k 5 $((seconds < left ? seconds : left)) "$@"
}

# timed NAME SECONDS COMMAND...: writes NAME.out and NAME.err; its exit code is in $code, seconds are in $took.
timed() {
    local name=$1 begin=${EPOCHREALTIME/./}
    shift
    code=0
    within "$@" >"$work/$name.out" 2>"$work/$name.err" </dev/null || code=$?
    took=$(awk -v us=$((${EPOCHREALTIME/./} - begin)) 'BEGIN { printf "%.3f", us / 1e6 }')
    case $code in
    124 | 137) echo "exec.sh: ended after $took s" >>"$work/$name.err" ;;
    esac
}

# The command line of a program, in $command.
command_of() {
    case $1 in
    plain) command=("$plain") ;;
    *) command=(python3 "$programs/$1.py") ;;
    esac
}

# runs NAME TURN: runs a program by itself, with NAME.alone-TURN.out as its output and NAME.alone-TURN.seconds beside it.
# Done once for all parts. Fails, and says so once, when the program does.
runs() {
    local tag=$1.alone-$2
    [ ! -s "$work/$tag.seconds" ] || return 0
    [ ! -e "$work/$1.alone.fails" ] || return 1
    command_of "$1"
    timed "$tag" 120 "${command[@]}"
    if [ $code -ne 0 ]; then
        touch "$work/$1.alone.fails"
        verdict "$1 runs by itself" "exit code $code: $(last_words "$work/$tag.err")"
        return 1
    fi
    echo "$took" >"$work/$tag.seconds"
}

# warm NAME: once, so that the caches of compilers and of the disk are.
warm() { runs "$1" warm; }

# alone NAME: three times.
alone() { warm "$1" && runs "$1" 1 && runs "$1" 2 && runs "$1" 3; }

# measure TAG OPTION... -- COMMAND...: cugate run, with TAG.json as its run file and TAG.seconds beside it. Done once
# for all parts. Fails, and says so once, when it does not end with 0 or leaves no run.
measure() {
    local tag=$1
    shift
    [ ! -s "$work/$tag.seconds" ] || return 0
    [ ! -e "$work/$tag.fails" ] || return 1
    timed "$tag" 150 "$cugate" run -q --save "$work/$tag.json" "$@"
    if [ $code -ne 0 ] || ! [ -s "$work/$tag.json" ]; then
        touch "$work/$tag.fails"
        verdict "cugate run measures $tag" "exit code $code: $(last_words "$work/$tag.err" "$work/$tag.out")"
        return 1
    fi
    echo "$took" >"$work/$tag.seconds"
}

# One session: a program as exec measures it by itself, all metrics.
session() {
    command_of "$1"
    measure "$1.session-$2" -- "${command[@]}"
}

# Every launch, the metrics of one pass.
every_launch() {
    local options
    mapfile -t options < <(options_of hw | tr ' ' '\n')
    command_of "$1"
    measure "$1.every" --runs 1 --first $every "${options[@]}" -- "${command[@]}"
}

# ncu_run TAG LAUNCHES METRICS OPTION... -- COMMAND...: TAG.rows, ncu's table as JSON: heads, units, a row a launch.
ncu_run() {
    local tag=$1 launches=$2 counters=$3 options=()
    shift 3
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    timed "$tag" 120 ncu --clock-control none --csv --page raw --print-units base --print-kernel-base mangled \
        --launch-count "$launches" --metrics "$counters" --log-file "$work/$tag.csv" "${options[@]}" "$@"
    grep '^"' "$work/$tag.csv" 2>/dev/null | c++filt | sed 's/.*/[&]/' | jq -s . >"$work/$tag.rows"
    if [ $code -ne 0 ] || [ "$(jq length "$work/$tag.rows")" -lt 3 ]; then
        verdict "ncu measures $tag" "exit code $code: $(last_words "$work/$tag.csv" "$work/$tag.err")"
        return 1
    fi
    echo "$took" >"$work/$tag.seconds"
}

# ---- truth -----------------------------------------------------------------------------------------------------------

# Neither tool touches clocks or caches, and both read these two in one pass: so no launch is repeated.
part_truth() {
    local name
    for name in plain train; do
        command_of $name
        if every_launch $name && session $name 1 && ncu_run $name.truth 150 \
            smsp__inst_executed.sum,gpu__time_duration.sum --cache-control none -- "${command[@]}"; then
            jq -n --arg name $name --argjson left_out $left_out --slurpfile run "$work/$name.every.json" \
                --slurpfile again "$work/$name.session-1.json" --slurpfile ncu "$work/$name.truth.rows" \
                '{$name, $left_out, run: $run[0], again: $again[0], ncu: $ncu[0]}' >"$work/$name.truth.json"
            judge truth "$work/$name.truth.json"
        else
            incomplete "truth: $name"
        fi
    done
}

# ---- results ---------------------------------------------------------------------------------------------------------

# differs OUT ALONE: how what a program printed under exec differs from what it prints by itself; nothing when it does
# not. What prints nothing shows nothing.
differs() {
    if [ -s "$2" ]; then
        diff "$1" "$2" 2>&1 | head -4 | tr '\n' ';'
    else
        echo "by itself it printed nothing, so nothing was compared"
    fi
}

part_results() {
    local name first tag
    for name in plain train compiled cupy_sums triton_add; do
        if ! alone $name || ! session $name 1; then
            incomplete "results: $name"
            continue
        fi
        first=$work/$name.alone-1.out
        if ! cmp -s "$first" "$work/$name.alone-2.out" || ! cmp -s "$first" "$work/$name.alone-3.out"; then
            verdict "results: $name" "it prints something else each time it runs by itself, so nothing was compared"
            continue
        fi
        for tag in $name.session-1 $name.every; do
            [ -e "$work/$tag.out" ] || continue
            verdict "results: $tag printed what $name prints ($(wc -l <"$first") lines)" \
                "$(differs "$work/$tag.out" "$first")"
        done
    done
}

# ---- catalogue -------------------------------------------------------------------------------------------------------

part_catalogue() {
    local filter=() glob
    for glob in 'transpose/*' 'shared_bank/*' 'divergence/*' 'reduce/*' 'dot/*'; do
        filter+=(-k "$glob")
    done
    filter+=(--kernels "$library")
    timed catalogue.harness 100 "$cugate" run -q "${filter[@]}" --save "$work/catalogue.harness.json"
    if [ $code -ne 0 ]; then
        verdict "catalogue: the harness measures" "exit code $code: $(last_words "$work/catalogue.harness.err")"
        return
    fi
    # As often as counting in all sets of metrics takes.
    if ! measure catalogue.exec -- "$cugate" run -q --collector host --samples 50 "${filter[@]}"; then
        incomplete catalogue
        return
    fi
    jq -n --argjson exact "$(exact_metrics)" --slurpfile harness "$work/catalogue.harness.json" \
        --slurpfile exec "$work/catalogue.exec.json" \
        '{$exact, harness: $harness[0], exec: $exec[0]}' >"$work/catalogue.json"
    judge catalogue "$work/catalogue.json"
}

# ---- whole -----------------------------------------------------------------------------------------------------------

# beyond TIME RECORDS: by how much the first is more. Fails beyond 1 %.
beyond() {
    awk -v time="$1" -v records="$2" 'BEGIN {
        more = 100 * (time / records - 1)
        printf "%+.2f %%", more
        exit !(more > -1 && more < 1)
    }'
}

# The program as a whole, against CUPTI's activity records of the same program in another process.
part_whole() {
    local name told launches time kernels sum share why
    for name in ${PROGRAMS:-train triton_add cupy_sums gpt2 vision}; do
        command_of "$name"
        if ! warm "$name" || ! session "$name" 1; then
            incomplete "whole: $name"
            continue
        fi
        told=$(timed whole 60 python3 "$programs/profiled.py" "${command[@]:1}" &&
            sed -n 's/^\([0-9]*\) kernels, \([0-9]*\) ns$/\1 \2/p' "$work/whole.err")
        read -r kernels sum <<<"$told"
        read -r launches time < <(jq -r '.kernels[] | select(.metrics.processes) | .metrics
            | "\(.launches.sessions[0][0]) \(.gpu_time.sessions[0][0])"' "$work/$name.session-1.json")
        why=
        [ "${launches:-0}" = "${kernels:-1}" ] || why="exec saw ${launches:-no} launches, the records have ${kernels:-none}"
        verdict "whole: $name: every launch was seen" "$why"
        why=
        share=$(beyond "${time:-0}" "${sum:-1}") || why="$share beside PyTorch's profiler"
        echo "  $name: GPU time ${time:-none} ns, by PyTorch's profiler ${sum:-none} ns: $share;" \
            "of the runs $(jq -c '[.kernels[] | select(.metrics.processes) | .metrics.gpu_time.sessions[0][]]' \
                "$work/$name.session-1.json")"
        verdict "whole: $name: GPU time is that of another profiler" "$why"
    done
}

# ---- graph, nvtx -----------------------------------------------------------------------------------------------------

part_graph() {
    if ! alone graph || ! session graph 1; then
        incomplete graph
        return
    fi
    verdict "graph: results are those without exec" "$(differs "$work/graph.session-1.out" "$work/graph.alone-1.out")"
    grep -hi graph "$work/graph.session-1.err" | head -4 | quoted
    judge graph "$work/graph.session-1.json"
}

part_nvtx() {
    local range why=
    command_of train
    for range in forward optimizer; do
        measure nvtx.$range --nvtx $range --runs 1 -m time -m instructions -- "${command[@]}" --steps 3 || {
            incomplete nvtx
            return
        }
    done
    jq -n --slurpfile forward "$work/nvtx.forward.json" --slurpfile optimizer "$work/nvtx.optimizer.json" \
        '{forward: $forward[0], optimizer: $optimizer[0]}' >"$work/nvtx.json"
    judge nvtx "$work/nvtx.json"
    timed nvtx.nowhere 60 "$cugate" run -q --save "$work/nvtx.nowhere.json" --nvtx nowhere \
        --runs 1 -m time -m instructions -- "${command[@]}" --steps 3
    echo "  a range that there is not: exit $code; $(last_words "$work/nvtx.nowhere.err")"
    [ "$code" -eq 5 ] || why="exit code $code, not 5; "
    grep -q 'none was within an NVTX range' "$work/nvtx.nowhere.err" || why+="it does not say why; "
    [ ! -s "$work/nvtx.nowhere.json" ] || why+=$(made_of measured "$work/nvtx.nowhere.json" | grep -vx 0)
    verdict "nvtx: of a range that there is not, no kernel is measured" "$why"
}

# ---- robust ----------------------------------------------------------------------------------------------------------

# ends NAME CODE KERNELS OPTION... -- COMMAND...: how exec of a command ends, and that it kept so many kernels at least.
# CODE is a number, or "same": that of the command alone, which then has to print the same too.
ends() {
    local name=$1 wanted=$2 least=$3 tag kernels=0 why='' difference=''
    shift 3
    tag=robust.${name//[^a-zA-Z0-9]/_}
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    if [ "$wanted" = same ]; then
        timed "$tag.alone" 60 "$@"
        wanted=$code
    fi
    timed "$tag" 90 "$cugate" run -q --save "$work/$tag.json" --runs 1 -m time -m instructions "${options[@]}" -- "$@"
    [ ! -s "$work/$tag.json" ] || kernels=$(made_of ".kernels | length" "$work/$tag.json")
    printf '  %-34s %6s %6s %8s %8s  %s\n' "$name" "$wanted" "$code" "$took" "$kernels" \
        "$(last_words "$work/$tag.err" | cut -c1-80)"
    [ $code -eq "$wanted" ] || why="exit code $code, not $wanted; "
    [ "$kernels" -ge "$least" ] || why+="$kernels kernels were kept, not $least; "
    [ ! -e "$work/$tag.alone.out" ] || difference=$(differs "$work/$tag.out" "$work/$tag.alone.out")
    [ -z "$difference" ] || why+="it printed something else: $difference"
    verdict "robust: $name" "$why"
}

# Two at once, each under exec: the counters belong to one at a time, and neither may lose launches.
two_at_once() {
    local n pids=() codes=() why=
    for n in 1 2; do
        within 90 "$cugate" run -q --save "$work/robust.two-$n.json" --runs 1 -m time -m instructions -- "$plain" 400 \
            >"$work/robust.two-$n.out" 2>"$work/robust.two-$n.err" </dev/null &
        pids+=($!)
    done
    for n in "${pids[@]}"; do
        wait "$n"
        codes+=($?)
    done
    [ "${codes[*]}" = "0 0" ] || why="exit codes ${codes[*]}: $(last_words "$work"/robust.two-?.err)"
    if [ -z "$why" ] && ! jq -se 'map(.kernels | map_values(.metrics.instructions.sessions))
        | .[0] == .[1] and (.[0] | length) >= 8 and all(.[0][]; . != null)' \
        "$work"/robust.two-[12].json >"$work/robust.two.log" 2>&1; then
        why="the two runs have not the same kernels and instructions"
    fi
    verdict "robust: two programs at once, each under exec" "$why"
}

part_robust() {
    local end train=(python3 "$programs/train.py" --steps 3) left
    printf '  %-34s %6s %6s %8s %8s  %s\n' case wanted exit seconds kernels 'last words'
    for end in seven quick abort illegal; do
        ends "the program ends by $end" same 8 -- "$plain" 400 $end
    done
    for end in sleep spin; do
        ends "it hangs by $end" 5 8 --timeout 6 -- "$plain" 400 $end
        left=$(pgrep -f "^$plain 400 $end\$" | tr '\n' ' ')
        verdict "robust: nothing is left of what hung by $end" "${left:+process $left}"
    done
    ends "torch.profiler inside" same 20 -- "${train[@]}" --profile
    grep -h 'torch.profiler saw' "$work"/robust.torch_profiler_inside*.err | quoted
    ends "DataLoader with two workers" same 20 -- "${train[@]}" --workers 2
    ends "two processes of one shell" same 8 -- sh -c "'$plain' 400 & '$plain' 400; wait"
    two_at_once
    ends "JAX" same 20 -- python3 "$programs/jax_steps.py"
    ends "CUDA Python" same 1 -- python3 "$programs/bindings.py"
    [ -z "${BLAS-}" ] || ends "cuBLAS" same 1 -- "$BLAS"
    [ ${#gpus[@]} -lt 2 ] || ends "two ranks of NCCL" same 2 -- python3 "$programs/ranks.py"
}

# ---- What to run -----------------------------------------------------------------------------------------------------

parts=("$@")
[ $# -gt 0 ] || parts=("${all_parts[@]}")
for part in "${parts[@]}"; do
    case " ${all_parts[*]} " in
    *" $part "*) ;;
    *) echo "error: there is no part '$part': ${all_parts[*]}" >&2; exit 2 ;;
    esac
done
for tool in "$cugate" "$plain" jq c++filt pgrep python3 ncu nvidia-smi; do
    command -v "$tool" >/dev/null || { echo "error: $tool is needed and was not found" >&2; exit 2; }
done
if ! devices=$("$cugate" list gpus 2>&1); then
    printf '%s\nerror: these tests need a GPU, and nothing was tested\n' "$devices" >&2
    exit 5
fi
[ -n "${CUDA_VISIBLE_DEVICES-}" ] || CUDA_VISIBLE_DEVICES=$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd,)
IFS=', ' read -ra gpus <<<"$CUDA_VISIBLE_DEVICES"
export CUDA_VISIBLE_DEVICES=${gpus[0]}
# Caches of their own, so that what is compiled does not depend on what ran on this machine before. One process
# compiles: inductor's helpers keep Python from ending for seconds.
export TRITON_CACHE_DIR=$work/cache/triton TORCHINDUCTOR_CACHE_DIR=$work/cache/inductor \
    CUPY_CACHE_DIR=$work/cache/cupy TORCHINDUCTOR_COMPILE_THREADS=1
echo "cugate run on $(nvidia-smi --query-gpu=name,driver_version,uuid --format=csv,noheader | tr '\n' ';')" \
    "$("$cugate" --version), $(date -u '+%Y-%m-%d %H:%M') UTC, parts: ${parts[*]}"
for part in "${parts[@]}"; do
    printf '\n== %s, at %s s\n' "$part" "$SECONDS"
    if [ $SECONDS -ge "$limit" ]; then
        verdict "$part" "not run: $limit s are over"
    else
        "part_$part"
    fi
done
printf '\n%s s\n' "$SECONDS"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
