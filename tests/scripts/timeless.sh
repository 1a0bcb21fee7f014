#!/usr/bin/env bash
# Lets `cugate check --simulate` judge faults that only time shows on a GPU (tests/data/timeless.cu): ten planted ones, three
# of the grid, three of atomics, three of loads and one of constants, each red by a count and on its line; edits that are none are not. Kernels of
# other compute capabilities than 9.0, whose counts were never compared with a GPU's, are judged by a base build and by a
# baseline that was computed, never by one that was measured. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...'] tests/scripts/timeless.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
includes=("-I$top/harness" "${includes[@]/#/-I}")

# made NAME CAPABILITIES [DEFINITION]...: NAME/lib.so, of $source.
source=timeless
made() (
    mkdir -p "$1/kernels" && cp "$top/tests/data/$source.cu" "$1/kernels/mine.cu" && cd "$1" || exit
    local capability images=()
    for capability in $2; do
        images+=(-gencode "arch=compute_${capability/86/80},code=sm_$capability")
    done
    "$nvcc" -std=c++17 -O1 -lineinfo "${images[@]}" -Xcompiler -fPIC "${includes[@]}" "${@:3}" -cudart shared -shared -o lib.so kernels/mine.cu
)

compile() {
    made right '80 86 90 100 120'
    made planted '80 86 90 100 120' -DPLANTED
    made harmless 90 -DHARMLESS
    made tensor_memory 100a -DTENSOR_MEMORY
    source=warp_specialised
    made waits 90
    made waits_planted 90 -DPLANTED
}
begin_compiled "$@"
cd "$top" || exit 2

judge() { # NAME [OPTION]...
    in_compiled "$1" "$cugate" check "--simulate=$gpu" --baselines "$work/none" --kernels lib.so "${@:2}"
}
gpu=nvidia-h200
against=(--against "$compiled/right/lib.so")

# red KERNEL METRIC [WORDS]...: the planted kernel, judged by the right one.
red() {
    expect "planted: $1" 1 "regressed  $1" "regressed  $2" "${@:3}" -- judge planted -k "$1" "${against[@]}"
}
red grid/filled grid_balance
red grid/whole_rounds grid_balance
judge planted -k grid/this_gpu "${against[@]}" # 3.9 and 4.3 us on an H200
expect "planted: grid/this_gpu" 1 "regressed  grid/this_gpu" "grid_balance" "estimated to be about 9 % slower"
red histogram/shared global_atomics 'hottest_address' '// every sample'
red total/shuffled atomic_meetings 'hottest_address' '// every thread'
red largest/reduced atomic_meetings 'hottest_address' '// every lane'
red loads/in_flight load_waits '// one at a time'
red pointer/hoisted load_waits '// asks where it is each time'

red decode/table constant_replays 'out[i] = table[v & 255]' 'keep a table with data-dependent indices in shared memory'

# Less work, and more of what sums hide: the estimated time tells, or says why it does not.
judge planted -k 'work/*' "${against[@]}"
for hidden in one_warp one_block sleeps bulk_copies; do
    expect "planted: work/$hidden" 1 "regressed  work/$hidden" '% slower ('
done
expect "planted: work/fences" 1 "unsure     work/fences" # how long a fence takes is not known well
for hidden in barriers past_l1 logarithms; do # eight of them take less than 90 additions one after the other
    expect "planted: work/$hidden" 1 "trade-off  work/$hidden"
done
judge planted -v -k work/logarithms -k work/fences "${against[@]}"
expect 'cycles of slow pipes have a line, and fences' 3 'slow_instructions' 'cycles of slow pipes here 524,288 (100 %' 'special functions, conversions' \
    'barriers and fences here 4,194,304 (100 %' 'synchronize less often'
judge planted -k list/indexed "${against[@]}"
expect 'a chain of four in the L1 is hardly slower, so nothing pays for it' 3 'unsure     load_waits' '% slower ('

# Launches are weighed, both ways. No file has their number: a baseline that a GPU measured judges them too.
red joined/launches kernel_launches
judge right -k joined/launches --against "$compiled/planted/lib.so"
expect "and one launch in place of eight pays" 0 'trade-off  joined/launches' 'improved   kernel_launches'
jq '.kernels |= {"transpose/padded"} | .kernels[].launches[0].times = 9' tests/data/recorded-nvidia-h200.json >"$work/nine.json"
ask "$cugate" check --replay "$work/nine.json" -k transpose/padded
expect "nine launches that were recorded" 1 'regressed  kernel_launches     1    9'

judge right -k decode/table --against "$compiled/planted/lib.so"
expect "and a table that comes back to shared memory pays" 0 'trade-off  decode/table' 'improved   constant_replays' '% faster ('
expect "the right ones are not" 0 'nothing is worse' '!unsure' '!missing' -- judge right "${against[@]}" --all
judge harmless "${against[@]}"
# Twice as many blocks of half the size: an H200 takes 2.8 and 3.4 us for list/indexed, and as long as before for the others.
expect "nor is an edit that does no harm" 1 'regressed: 1 of' 'regressed  list/indexed' '% slower (' '!unsure' '!missing'

# How often warps look while they wait is chance, and their instructions besides are not. Of a measured baseline the lines
# tell: one is made here, in which they look a thousand times more.
judge waits_planted --against "$compiled/waits/lib.so"
expect "16 instructions more a tile, among warps that wait" 1 'regressed  instructions_outside_waits' '// planted' 'more instructions outside waits:'
judge waits --against "$compiled/waits/lib.so" --all --save "$work/waits.json"
expect "and none" 0 'nothing is worse' '!unsure' 'is identical to the base build: there is no change to judge'
judge waits --against "$compiled/waits_planted/lib.so"
expect "taken away they are a gain" 3 'its time could not be estimated (its warps wait' '1 improved' '!identical to the base' '!regressed'
jq '.sessions[].collector = "cupti" | .metrics |= del(.instructions_outside_waits) | .kernels[] |= (
    del(.estimated) | .metrics |= (del(.instructions_outside_waits) | map_values(select(.sessions)) | .instructions.sessions = [[900000]]) |
    .lines |= (.counted = ["instructions"] | .list |= map(.counts = {instructions:
        ((.counts.instructions_outside_waits // 0) + (if .counts.phase_waits then 1000 else 0 end))})))' \
    "$work/waits.json" >"$work/measured.json"
ask "$cugate" accept "$work/measured.json" --baselines "$work/measured" --reason "made up"
expect "a baseline that is made to be measured" 0
judge waits_planted --baselines "$work/measured" --all
expect "tells by its lines" 1 'regressed  instructions_outside_waits' '+13,824 (+1.7 %)'
judge waits --baselines "$work/measured" --all -v
expect "and the right one, too" 0 'same       instructions_outside_waits' 'nothing is worse'

# A baseline that was computed has these counts.
expect "a first run" 4 -- judge right --save "$work/run.json"
expect "is a baseline" 0 -- "$cugate" accept "$work/run.json" --baselines "$work/computed" --reason first
judge planted --baselines "$work/computed"
expect "which tells them as well" 1 'regressed  load_waits' 'regressed  global_atomics' 'regressed  grid_balance'

judge right --baselines "$work/computed" -k list/indexed --all
expect "and the right one by what it had" 0 'nothing is worse' '!no GPU counts'

# One that a GPU measured has not, and that is said: neither good nor red. Its launches tell of the grid.
expect "a measured baseline has no judge for them" 0 '15 rows that no GPU counts' 'compare with a base build: --against' \
    'info       load_waits' 'same       grid_balance' -- "$cugate" check --simulate=nvidia-h200 -k hierarchy/thread_index --all -v

# ---- Other compute capabilities

# Of the images for 8.0 and 8.6 an RTX 4090, which has 8.9, takes the latter. What 10.0 has of its own for matrices is not
# simulated, and refused by its name.
for gpu in nvidia-a100-sxm4-80gb nvidia-geforce-rtx-3090 nvidia-geforce-rtx-4090 nvidia-b200 nvidia-geforce-rtx-5090; do
    chosen=(-k 'grid/*' -k '[hptl]*')
    judge right "${against[@]}" "${chosen[@]}" --all
    expect "$gpu: the same code is the same" 0 'not verified on silicon' 'nothing is worse' '!unsure' '!missing'
    expect "$gpu: faults are red" 1 'not verified on silicon' 'regressed  load_waits' '// follows the list' \
        'regressed  atomic_meetings' -- judge planted "${against[@]}" "${chosen[@]}"
done
gpu=nvidia-b200 judge tensor_memory -k largest/reduced
expect "an instruction that is not known is said" 5 'not simulated: UTCATOMSWS'

# A baseline: computed it judges, measured it does not.
gpu=nvidia-a100-sxm4-80gb
expect "a first run" 4 -- judge right -k 'l[io]*' --save "$work/run.json"
expect "is a baseline" 0 -- "$cugate" accept "$work/run.json" --baselines "$work/computed_80" --reason first
judge planted -k 'l[io]*' --baselines "$work/computed_80"
expect "that judges" 1 'regressed  load_waits' 'not verified on silicon'
sed -i 's/"collector": "sim"/"collector": "cupti"/' "$work"/computed_80/*/*/*.json
judge right -k 'l[io]*' --baselines "$work/computed_80"
expect "a measured one does not" 4 'never validated on a GPU' '--against'
expect "where a base build does" 0 'nothing is worse' -- judge right -k 'l[io]*' --baselines "$work/computed_80" "${against[@]}"
summary
