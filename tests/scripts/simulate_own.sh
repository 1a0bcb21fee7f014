#!/usr/bin/env bash
# Lets `cugate check --simulate` judge a library of somebody else's without a GPU, by a baseline that was computed as well,
# and says what cannot be computed. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...'] tests/scripts/simulate_own.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
includes=("-I$top/harness" "${includes[@]/#/-I}")
flags=(-std=c++17 -arch=sm_90 -Xcompiler -fPIC -lineinfo)

# own NAME [DEFINITION]...: NAME/lib.so, of a source of 2002 and a header without code.
own() (
    mkdir -p "$1/kernels" && (cat "$top/tests/data/own_kernels.cu" && echo '#include "sizes.h"') >"$1/kernels/mine.cu" && cd "$1" &&
        echo >kernels/sizes.h && touch -d 2002-01-01 kernels/mine.cu &&
        "$nvcc" "${flags[@]}" "${includes[@]}" "${@:2}" -c kernels/mine.cu &&
        "$nvcc" -arch=sm_90 -cudart shared -shared -o lib.so mine.o
)

compile() {
    own as_it_was
    own strided -DSTRIDE=8
    own beyond -DINDEX='(i+count)'
    own exits -DINDEX='(i+count)' -DON_ERROR='exit(3)'
    own verified_otherwise -DEXPECTED=1
    own told_otherwise -DSTEP=8
    own lasting -DLAUNCHES=35 '-DROUNDS=(blockIdx.x==40?k|1u<<31:4096u)'
    own compressed --compress-mode=size
    "$nvcc" -arch=sm_90 -cudart static -shared -o static.so as_it_was/mine.o
    unset 'flags[-1]' # no lines
    own aborts -DINDEX='(i+count)' -DON_ERROR='abort()'
}
begin_compiled "$@"
cd "$top" || exit 2

judge() { # NAME [OPTION]...
    in_compiled "$1" "$cugate" check --simulate=nvidia-h200 --baselines "$top/baselines" --kernels lib.so "${@:2}"
}

# Commands that the report tells to type work where it was made. accept writes elsewhere.
expect_typed() { # NAME CODE
    local told=()
    mapfile -t told < <(commands_in "$work/said" | sed 's/ --baselines [^ ]*/&_typed/')
    cp -r "$work/mine" "$work/mine_typed"
    for one in "${told[@]:-none}"; do
        expect "what a report tells to type: $one" "$2" -- in_compiled "$1" bash -c "'$cugate' ${one#cugate}"
    done
    rm -r "$work/mine_typed"
}

# ---- The baseline is computed as well
mine=(--baselines "$work/mine" -k 'mine/s*')
judge as_it_was "${mine[@]}" --save "$work/first.json"
expect "a library of somebody else's without a baseline" 4 'no baseline' "cugate accept $work/first.json --baselines" '!cugate aa'
expect "begins with one that was computed" 0 -- "$cugate" accept "$work/first.json" --baselines "$work/mine" --reason first
expect "which does not judge cugate's own kernels" 2 "$work/mine/nvidia-h200 has no kernel of" 'name yours with --kernels' \
    '!Missing' -- "$cugate" check --simulate=nvidia-h200 --baselines "$work/mine"
expect "which it keeps to, and nothing is computed again" 0 'nothing is worse: 6 rows in 2 kernels' \
    'nothing was executed' '48 rows of unchanged kernels kept from the baseline' -- judge as_it_was "${mine[@]}"
expect "unless its host code is other, such as verify()" 5 'host code ' 'wrong      mine/scale' 'the last is 0, not 1' -- \
    judge verified_otherwise "${mine[@]}"
cp "$compiled/as_it_was/lib.so" "$work/old.so" && touch -d 2001-01-01 "$work/old.so"
expect "a library that is older than its sources is no pass, and they are named" 3 'STALE: ' 'as_it_was/kernels/mine.cu' \
    'unsure; nothing is worse' '(exit 3)' -- judge as_it_was --kernels "$work/old.so" "${mine[@]}"
touch -d 2003-01-01 "$work/old.so"
expect "or than a header of theirs" 3 'STALE: ' 'as_it_was/kernels/sizes.h' '!mine.cu' -- judge as_it_was --kernels "$work/old.so" "${mine[@]}"
expect "unless it is what is meant" 0 'nothing is worse' '!STALE' -- judge as_it_was --kernels "$work/old.so" "${mine[@]}" --stale
judge compressed "${mine[@]}" --all
expect "nor are the counts of compressed code others" 0 'nothing is worse: 54 rows in 2 kernels' 'executing 2 kernels'
expect "and is caught on its line" 1 'regressed  mine/scale' 'global_load_sectors' 'kernels/mine.cu:26' \
    'the line to blame' 'executing 1 kernel' '!host code' -- judge strided "${mine[@]}" --save "$work/strided.json"
expect_typed strided 0
cp -r "$work/mine" "$work/of_two" && cd "$work"/of_two/* && mkdir other && sed 's,mine/,other/,' mine/shift.json >other/shift.json && cd "$top" || exit 2
judge strided --baselines "$work/of_two" -k '*/s*'
expect "what the library of a baseline lacks is missing" 5 'missing    other/shift'
judge strided --baselines "$work/of_two" -k '*/s*' --against "$compiled/as_it_was/lib.so"
expect "but not where its base build lacks it too, as a kernel of another library" 1 'regressed  mine/scale' '!missing' \
    'not checked, because neither this build nor the base build has them: 1 kernel of the baseline'
judge strided "${mine[@]}" --out "$work/build/check"
# shellcheck disable=SC2016 # Markdown's quotes
ask env -C "$work" bash -c "$(awk '/^ *```$/ { n++; next } n == 1' ci/SKILL.md)"
expect "and what ci/SKILL.md reads of it has all to mend it" 0 '"regressed"' '"kernel": "mine/scale"' 'kernels/mine.cu"' '"line": 26' \
    'let neighbouring lanes read neighbouring'
expect "a fault in memory is no measurement" 5 'missing' 'mine/shift' 'mine.cu:32' \
    'this command runs it alone: cugate run --simulate=nvidia-h200 -k mine/shift --kernels lib.so' -- judge beyond "${mine[@]}"
expect_typed beyond 5
for ending in exits:mine.cu:32 'aborts:shift(float*, float const*)+0x'; do
    judge "${ending%%:*}" "${mine[@]}"
    expect "nor is its reason lost where the library then ${ending%%:*}; without lines it names the function" 5 \
        'missing' 'mine/shift' 'beyond the end of an allocation of 65536 bytes' "${ending#*:}" '!_Z5shift'
done
sums=(--baselines "$work/sums" -k mine/gather)
judge as_it_was "${sums[@]}" --save "$work/sums.json"
ask "$cugate" accept "$work/sums.json" --baselines "$work/sums" --reason first
judge as_it_was "${sums[@]}"
expect "what takes long is not computed again" 0 'kept from the baseline' 'nothing was executed'
expect "but it is when the host passes another argument to the same code" 3 'unsure     mine/gather' 'counts of the same' \
    'executing 1 kernel' '!kept from the baseline' -- judge told_otherwise "${sums[@]}"
sed -i '/"inputs": /d' "$work"/sums/*/mine/gather.json
judge told_otherwise "${sums[@]}"
expect "and where the baseline does not know its inputs" 3 'unsure     mine/gather' 'executing 1 kernel'
mkdir "$work/asked"
cat >"$work/asked/asked.ini" <<'END'
[loads_of_others]
title = Loads of others
counter = smsp__no_such_loads.sum
unit = count
class = exact
better = lower
doc = It has a name that the simulator does not know.

[others_shown]
title = Others shown
counter = smsp__no_such_stores.sum
unit = count
class = info
better = lower
doc = It is not judged.
END
judge as_it_was "${mine[@]}" --metrics "+$work/asked"
expect "a gated metric that was asked for and is not computed is no pass" 3 'unsure     (suite)' 'loads_of_others' \
    'requested, but only a GPU counts it' 'measure on a GPU' '!others_shown'
# ---- What cannot be computed
judge as_it_was --baselines "$work/mine" --save "$work/all.json"
expect "what cannot be simulated is unsure, with its reason" 3 'unsure' 'mine/handle' 'not simulated: cudaIpcGetMemHandle'
judge as_it_was --baselines "$work/none"
expect "and nothing that keeps a baseline from its beginning" 4 'no baseline' 'mine/handle'
ask "$cugate" run --simulate=nvidia-h200 --kernels "$compiled/as_it_was/lib.so" -k mine/handle
expect "and a run of it has measured nothing" 5 'not simulated: cudaIpcGetMemHandle'
expect "accept says what the baseline lacks, and how to declare it" 0 'not accepted: mine/handle' \
    '[mine/handle not_computed] to expected.ini' -- "$cugate" accept "$work/all.json" --baselines "$work/declared" --reason first
declare_not_computed() { # KERNEL DATE
    printf '[%s not_computed]\nissue = issue 27\nexpires = %s\n' "$1" "$2" >"$(echo "$work"/declared/*)/expected.ini"
}
lacking=(as_it_was --baselines "$work/declared")
declare_not_computed mine/handle 2999-12-31
judge "${lacking[@]}" --format json
expect "what is declared is counted" 0 '"not_simulated": 1, "declared": 1' '"expected": 1' 'declared as not computed until 2999-12-31, see issue 27'
judge "${lacking[@]}" -k mine/handle
expect "and where nothing else is judged, that is no pass" 5 'nothing was judged' '1 kernel declared as not computed'
for format in text markdown github; do
    judge "${lacking[@]}" --format $format
    expect "it is told in $format" 0 'expected' 'mine/handle' 'declared as not computed until 2999-12-31, see issue 27; not simulated: cudaIpcGetMemHandle' \
        'NOT JUDGED: 1 kernel declared as not computed'
done
judge "${lacking[@]}" --format junit
expect "and in JUnit's" 0 '1 kernel not simulated, 1 as declared' \
    '<skipped type="expected" message="expected: declared as not computed until 2999-12-31, see issue 27; not simulated: cudaIpcGetMemHandle"'
declare_not_computed mine/handle 2020-12-31
judge "${lacking[@]}"
expect "no longer than was said" 3 'unsure     mine/handle' 'it was declared as not computed only until 2020-12-31'
declare_not_computed mine/scale 2999-12-31
judge "${lacking[@]}"
expect "of what can be computed it fails" 1 'unexpected-pass' 'declared as not computed, but can be computed: remove [mine/scale not_computed]' \
    'unsure           mine/handle'
declare_not_computed mine/other 2999-12-31
judge "${lacking[@]}"
expect "and of what is not there it is said" 3 'mine/other is declared as not computed, but does not exist'
ask "$cugate" run --simulate=nvidia-h200 --kernels "$compiled/static.so" -k mine/scale
expect "a library with the runtime in it is refused" 2 '-cudart shared'
judge as_it_was "${mine[@]}" --baselines "$work/none" --against "$compiled/static.so"
expect "nothing is judged by a base build that cannot be used, and the last lines say so" 2 '-cudart shared' \
    'stopped by an error, so nothing was judged; ' 'next: fix the error' '!usage;'

ask "$cugate" run --simulate=nvidia-b200 --kernels "$compiled/as_it_was/lib.so" -k 'mine/s*'
expect "code for another GPU" 5 'mine/scale' 'mine/shift' 'CMAKE_CUDA_ARCHITECTURES=100'
expect "and one cause of all is told once" 0 -- test "$(grep -c 'there is no machine code' "$work/said")" = 1
# ---- What is missing
XDG_CACHE_HOME=$work/empty CUGATE_NVDISASM=/no/such ask "$cugate" run --simulate=nvidia-h200 --kernels "$compiled/as_it_was/lib.so" -k mine/scale
expect "without a disassembler nothing is computed, and it says how to get one" 5 '/no/such' \
    'pip install nvidia-cuda-nvdisasm=='
# One that hangs ends with its worker, and so does what it started: nothing keeps the output open, no file is left.
cat >"$work/hangs" <<'END'
#!/bin/sh
trap '' TERM INT
sleep 1000 &
echo $$ $! >"${0%/*}/hanging"
wait
END
chmod +x "$work/hangs" && mkdir "$work/tmp"
hanging=(env --default-signal=INT TMPDIR="$work/tmp" XDG_CACHE_HOME="$work/empty" CUGATE_NVDISASM="$work/hangs"
    "$cugate" run --simulate=nvidia-h200 --kernels "$compiled/as_it_was/lib.so" -k mine/scale)
expect_ended() { # LABEL
    local process processes state=''
    read -ra processes <"$work/hanging"
    for process in "${processes[@]}"; do
        for _ in $(seq 600); do # Z is one that nobody has waited for
            state=$(sed 's/.*) //; s/ .*//' "/proc/$process/stat" 2>/dev/null) || state=Z
            [ "$state" != Z ] || break
            sleep 0.1
        done
        [ "$state" = Z ] || kill -KILL "$process"
        expect "$1: process $process of the disassembler has ended" 0 -- test "$state" = Z
    done
    expect "$1: no file is left" 0 '!cugate' -- ls -A "$work/tmp"
}
lasting=("$cugate" run --simulate=nvidia-h200 --kernels "$compiled/lasting/lib.so" --timeout 3)
ask "${lasting[@]}" -k mine/scale
expect "what takes longer than its time limit is not hung while its blocks end" 0 'computed: 1 of 1 kernel' '!hung'
CUGATE_SIM_THREADS=1 ask "${lasting[@]}" -k mine/gather --timeout 2
expect "a block without an end is" 5 '1 hung' 'no block finished within 2 s (last seen: ' ' of 64 blocks); set a longer'
expect "a disassembler that hangs" 5 'no result within 1 s' -- "${hanging[@]}" --timeout 1
expect_ended "after its time"
rm "$work/hanging"
"${hanging[@]}" >"$work/said" 2>&1 </dev/null &
until [ -s "$work/hanging" ] || ! kill -0 $! 2>/dev/null; do
    sleep 0.05
done
kill -INT $!
code=0
# shellcheck disable=SC2034 # expect reads it
wait $! || code=$?
expect "Ctrl-C while it hangs" 130
expect_ended "after Ctrl-C"
expect "an unknown GPU" 2 "unknown GPU 'nvidia-h300'" 'nvidia-h200' -- "$cugate" check --simulate=nvidia-h300
summary
