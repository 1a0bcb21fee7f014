#!/usr/bin/env bash
# Lets files of capsules stand for kernel libraries, without a GPU: they are listed, executed, judged by a baseline of theirs
# and by other code, and refused where they are not whole or their addresses are taken. Ends with "N passed, N failed".
# Needs nvcc, no GPU.
#
#   CUGATE=build/cugate MADE_CAPSULES=build/tests/made_capsules [NVCC=nvcc] tests/scripts/capsule.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
made_capsules=$(realpath "${MADE_CAPSULES:-$top/build/tests/made_capsules}")

# code NAME [DEFINITION]...: NAME/code.cubin, with lines of NAME/mine/kernels.cu.
code() (
    mkdir -p "$1/mine" && cp "$top/tests/capsule/kernels.cu" "$1/mine" && cd "$1" &&
        "$nvcc" -std=c++17 -arch="${arch-sm_90}" -lineinfo "${@:2}" -cubin mine/kernels.cu -o code.cubin
)

compile() {
    code as_it_was
    code strided -DSTRIDE=8
    code padded -DPAD=1
    arch=sm_80 code older
    mkdir adds && sed 's/out.i. = \(a.*\);/atomicAdd(out + i, \1);/' as_it_was/mine/kernels.cu >adds/kernels.cu
    "$nvcc" -std=c++17 -arch=sm_90 -cubin adds/kernels.cu -o adds/code.cubin
    "${CC:-cc}" -shared -fPIC -o taken.so "$top/tests/capsule/taken.c"
}
begin_compiled "$@"
cd "$top" || exit 2

# made NAME CODE [WORD]...: $work/NAME.capsule with that code.
made() {
    "$made_capsules" "$work/$1.capsule" "$compiled/$2/code.cubin" "${@:3}" || exit 2
}
made first as_it_was

# In the folder of the code, below which the texts of its lines are: a capsule lies beside it.
run_in() { # COMMAND NAME [OPTION]...
    in_compiled as_it_was "$cugate" "$1" --simulate=nvidia-h200 --kernels "$work/$2.capsule" "${@:3}"
}
judge() { # NAME [OPTION]...
    run_in check "$1" --baselines "$work/kept" "${@:2}"
}

# ---- What is in it
ask "$cugate" list "$work/first.capsule"
expect "a table of what is in it" 0 'captured on NVIDIA H200, 2026-11-21T08:00:00Z' \
    'train/saxpy@64,256                    64       256   197 kB      12 of 23  12.3 us  identical, launched by train.py:31' \
    'train/transpose@1,32x32,4224           1     32x32  8.19 kB' 'train/saxpy@64,256#2' 'except varying bits'
ask "$cugate" list --kernels "$work/first.capsule" -k 'train/[ct]*@1,32'
expect "of those that are asked for" 0 train/chain train/tally '!train/saxpy' '!train/transpose'
ask "$cugate" list --kernels "$work/first.capsule" -k train/saxpi@64,256
expect "and no other" 2 "no kernel 'train/saxpi@64,256'; did you mean train/saxpy@64,256?"
ask "$cugate" run -- "$work/first.capsule"
expect "run says how it is named" 2 "to measure a file of capsules: " "--kernels $work/first.capsule"
expect "run takes it" 0 'train/saxpy@64,256#2' -- "$cugate" run --simulate=nvidia-h200 "$work/first.capsule"
ask "$cugate" check --simulate=nvidia-h200 "$work/first.capsule"
expect "check, too; the baselines are of another library" 5 'train/chain@1,32, ' "pass their baseline folder, or a new one, with --baselines"
expect "so does the help" 0 'FILE.capsule' -- "$cugate" check --help

# ---- It is executed, and its output is compared with the program's
expect "all of it is executed" 0 'computed: 5 of 5 kernels (exit 0)' -- run_in run first --save "$work/run.json"
made other_data as_it_was seed=5
expect "with other data as well" 0 'computed: 5 of 5 kernels (exit 0)' -- run_in run other_data
made wrong as_it_was wrong
expect "an output that is not the program's" 5 'wrong result  train/saxpy@64,256' '3 of 5 kernels; 2 wrong results' \
    "differs from the expected result: byte 4936 of 65536 is 0x448fc000 instead of" \
    ' (as f32 1150 instead of ' '1 byte differs' -- run_in run wrong
made short as_it_was short
run_in run short -k train/saxpy@64,256
expect "an access beyond an array of the program" 5 'failed        train/saxpy@64,256' \
    'reads 4 bytes at 0x7d000030fe70, 4 bytes beyond the end of an allocation of 65136 bytes at' 'mine/kernels.cu:15'
made cluster as_it_was cluster
expect "in clusters of blocks" 0 'computed: 3 of 3 kernels' -- run_in run cluster -k 'train/saxpy*' -k train/chain@1,32
made older older
expect "machine code for another GPU" 5 "the machine code is for compute capability 8.0, but the GPU has 9.0" -- run_in run older

# ---- Blocks are left out that are proved to count as others
made many as_it_was many
export CUGATE_SIM_PROOF
counts() { jq -Sc '.kernels | map_values(del(.seconds, .blocks, .blocks_executed, .not_proved))' "$work/$1.json"; }
for CUGATE_SIM_PROOF in small every; do
    run_in run many --lines --save "$work/$CUGATE_SIM_PROOF.json"
    run_in run many --lines --save "$work/whole.json" --whole
    ask jq -r '.kernels[] | "\(.blocks) \(.blocks_executed < 200)"' "$work/$CUGATE_SIM_PROOF.json" "$work/whole.json"
    expect "most are left out" 0 '16384 true' 'null true'
    expect "and the same is counted" 0 -- diff <(counts $CUGATE_SIM_PROOF) <(counts whole)
done
CUGATE_SIM_PROOF=small
made many_wrong as_it_was many wrong
expect "what was executed is compared" 0 'computed: 1 of 1 kernel' -- run_in run many_wrong
expect "with --whole all is" 5 'byte 4936 of 65536' -- run_in run many_wrong --whole
made many_swapped as_it_was many wrong swapped=other.cubin
expect "and of code that is not the program's" 5 'byte 4936 of 65536' -- run_in run many_swapped
made many_added adds many wrong
expect "and what blocks add to" 5 'byte 4936 of 65536' -- run_in run many_added --save "$work/added.json"
unset CUGATE_SIM_PROOF

ask "$cugate" run --collector host --kernels "$work/first.capsule"
expect "by the host's clock nothing is replayed" 2 'the collector host cannot measure capsules' '--simulate'

# ---- It is judged
judge first --save "$work/first.json"
expect "without a baseline" 4 'no baseline' "cugate accept $work/first.json --baselines"
ask "$cugate" accept "$work/first.json" --baselines "$work/kept" --reason first
expect "begins with one that was computed" 0 'of 5 kernels'
judge first
expect "which it keeps to, and nothing is computed again" 0 'nothing is worse: 15 rows in 5 kernels' \
    'nothing was executed' '120 rows of unchanged kernels kept from the baseline'
judge other_data
expect "with other data it is computed again" 0 'executing 4 kernels' \
    '24 rows of 1 kernel with unchanged code, launches and inputs, not executed or verified again'
made strided strided swapped=strided.cubin
judge strided
expect "other code is caught on its line" 1 'regressed  train/saxpy@64,256' 'launched by train.py:31 in step' \
    'global_load_sectors' 'mine/kernels.cu:15' 'the line to blame' '!train/transpose'
judge strided -k 'train/*@1,*'
expect "in what was chosen nothing is" 0 'nothing is worse'
judge wrong
expect "a wrong output is no measurement" 0 'kept from the baseline' # its inputs and its code are those of the baseline
judge wrong --all
expect "where it is computed" 5 'wrong result' 'train/saxpy@64,256'
judge strided --baselines "$work/none" --against "$work/first.capsule"
expect "without a baseline by another file" 1 'regressed  train/saxpy@64,256' 'measured in this check:' '!train/transpose' '!captured with'
made moved as_it_was at=7c0000000000
judge moved --baselines "$work/none" --against "$work/first.capsule"
expect "the same elsewhere is the same, but for pointers in memory" 0 'base file; that alone can change counts: train/tally@1,32, train/chain@1,32'
judge other_data --baselines "$work/none" --against "$work/first.capsule"
expect "other memory is said" 0 'kernels captured with different arguments or memory than in the base file; that alone can change counts: train/'
made padded padded swapped=padded.cubin
judge first --baselines "$work/none" --against "$work/padded.capsule" -k 'train/*se@*'
expect "of which it has other code" 1 'regressed  train/transpose@1,32x32,4224' 'shared_wavefronts' 'mine/kernels.cu:23'
in_compiled as_it_was "$cugate" check --static=nvidia-h200 --kernels "$work/first.capsule" --baselines "$work/kept"
expect "its machine code alone" 0 'STATIC: NO KERNEL WAS RUN' 'nothing is worse: 15 rows in 5 kernels'
in_compiled as_it_was "$cugate" check --static --kernels "$work/older.capsule" --baselines "$work/kept"
expect "of another GPU" 5 'older.capsule has no machine code for NVIDIA H200'
ask "$cugate" check --static --baselines "$work/none" "$work/first.capsule"
expect "or the functions in it" 4 'built by ptxas' 'read: 4 of 4 kernels'

# ---- It is explained
in_compiled as_it_was "$cugate" explain train/transpose@1,32x32,4224 --simulate=nvidia-h200 --kernels "$work/first.capsule"
expect "why a kernel is as fast as it is" 0 'theoretical   100.0 %' '0 + 4,224 B' 'Excess shared wavefronts  992, 93.9 %' \
    'mine/kernels.cu:23' 'out[threadIdx.y * side + threadIdx.x] = tile'
expect "lines are kept" 0 -- run_in run first -k train/chain@1,32 --lines --save "$work/lines.json"
expect "in the file" 0 -- grep -c 'mine/kernels.cu' "$work/lines.json"

# ---- A file that is not whole
head -c 20000 "$work/first.capsule" >"$work/cut.capsule"
sed 's/train.chain@1,32/train_chain@1,32/' "$work/first.capsule" >"$work/edited.capsule"
printf 'cugate capsules\n\1\0\0\0' >"$work/begun.capsule"
for name in cut:'is incomplete' edited:'not match its hash' begun:'is incomplete'; do
    ask "$cugate" run --simulate=nvidia-h200 --kernels "$work/${name%%:*}.capsule"
    expect "a file that is ${name%%:*} is refused" 2 "$work/${name%%:*}.capsule" "${name#*:}"
    expect "and is not listed" 2 "${name#*:}" -- "$cugate" list --kernels "$work/${name%%:*}.capsule"
done
cp "$work/first.capsule" "$work/page.capsule"
printf x | dd of="$work/page.capsule" bs=1 seek=2000 conv=notrunc status=none
run_in run page -k train/chain@1,32
expect "where memory is damaged the kernel is not measured" 5 'failed        train/chain@1,32' 'is damaged: page 0'

# ---- Captured in a program on a GPU: two kernels of Triton, of tests/gpu/programs/triton_add.py --count 40000
captured=tests/data/captured-nvidia-h200
ask "$cugate" list --kernels $captured.capsule
expect "a file of a GPU" 0 'captured on NVIDIA H200, 2026-11-26T03:31:10.952Z' \
    'triton_add/sum_kernel@264,128,16 264 128 2.1 MB 6 of 10 1.32 us identical, launched by triton_add.py:43 (main)'
ask "$cugate" accept $captured.json --baselines "$work/captured" --reason captured
expect "what the GPU counted of it" 0 'of 2 kernels from 1 session'
ask "$cugate" check --simulate=nvidia-h200 --kernels $captured.capsule --baselines "$work/captured" -v
expect "is computed to the digit" 0 'same instructions 54,504 54,504 0 0' 'same shared_wavefronts 1,848 1,848 0 0' \
    'same global_load_sectors 10,000 10,000 0 0' 'nothing is worse' '28 rows in 2 kernels' '!unsure'

# ---- Addresses that are taken
taken=(env ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" LD_PRELOAD="$compiled/taken.so" TAKEN=7d0000201000)
ask "${taken[@]}" "$cugate" run --simulate=nvidia-h200 --kernels "$work/first.capsule"
expect "a process that has other memory there begins anew" 0 'computed: 5 of 5 kernels (exit 0)'
expect "but not for ever" 5 'first.capsule needs the addresses 0x7d0000000000 to 0x7d0002000000, but this process has' \
    'run the command again' -- "${taken[@]}" TAKEN_TIMES=1000 "$cugate" run --simulate=nvidia-h200 --kernels "$work/first.capsule"
ask "${taken[@]}" TAKEN_TIMES=1000 "$cugate" check --simulate=nvidia-h200 --kernels "$work/strided.capsule" \
    --against "$work/first.capsule" --baselines "$work/none"
expect "nor for a base build" 5 'needs the addresses'
ask "${taken[@]}" TAKEN_TIMES=1000 "$cugate" list --kernels "$work/first.capsule"
expect "to list it no address is needed" 0 'train/chain@1,32'
made elsewhere as_it_was at=7c0000000000
expect "memory may be anywhere" 0 'computed: 5 of 5 kernels (exit 0)' -- run_in run elsewhere
summary
