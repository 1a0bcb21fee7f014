#!/usr/bin/env bash
# Puts other machine code into captured kernels and judges it on the captured inputs, without a GPU: builds of nvcc that are
# good, slow for each of several reasons, and wrong; kernels of Triton, whose launches are others; and code that does not
# fit, which is refused. Ends with "N passed, N failed". Needs nvcc, no GPU, and no Triton: tests/capsule/triton has cubins.
#
#   CUGATE=build/cugate MADE_CAPSULES=build/tests/made_capsules [NVCC=nvcc] tests/scripts/swap.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
made_capsules=$(realpath "${MADE_CAPSULES:-$top/build/tests/made_capsules}")

# code NAME SOURCE [OPTION]...: NAME.cubin, in a folder below which the lines of all are.
code() {
    "$nvcc" -std=c++17 -arch="${arch-sm_90}" -lineinfo "${@:3}" -cubin "mine/$2.cu" -o "$1.cubin"
}

compile() {
    mkdir mine && cp "$top"/tests/capsule/{kernels,turn,product}.cu mine
    code as_it_was kernels
    code strided kernels -DSTRIDE=8
    code padded kernels -DPAD=1
    arch=sm_80 code older kernels
    sed 's/steps\[4\]/steps[8]/' mine/kernels.cu >mine/resized.cu && code resized resized
    sed 's/cursor/pointer/' mine/kernels.cu >mine/renamed.cu && code renamed renamed
    sed 's/steps/stride/' mine/kernels.cu >mine/constant.cu && code constant constant
    "$nvcc" -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -shared -Xcompiler -fPIC \
        --compress-mode=none -lineinfo mine/turn.cu -o libturn.so
    code turn turn
    code spilled turn -DBLOCKS=8
    code short turn -DTURNED=46
    code product product
    code shallow product -DDEPTH=8
    code single product -DSINGLE=1
    sed 's/V13[.]0[.]88/V13.0.77/' spilled.cubin >by_other.cubin # as if by another compiler
}
begin_compiled "$@"
cd "$compiled" || exit 2

# swap FROM TO CODE [OPTION]...: $work/TO.capsule
swap() {
    ask "$cugate" swap "$work/$1.capsule" --code "$3" -o "$work/$2.capsule" "${@:4}"
}
# judge NOW BASE [OPTION]...: by the other file alone
judge() {
    ask "$cugate" check --simulate --kernels "$work/$1.capsule" --against "$work/$2.capsule" --baselines "$work/none" "${@:3}"
}

# ---- Code of another build
"$made_capsules" "$work/first.capsule" as_it_was.cubin && "$made_capsules" "$work/padded.capsule" padded.cubin &&
    "$made_capsules" "$work/turn.capsule" turn.cubin turn &&
    "$made_capsules" "$work/product.capsule" product.cubin product &&
    "$made_capsules" "$work/strided.capsule" strided.cubin || exit 2
swap first some padded.cubin -k 'train/transpose*'
expect "code of another build" 0 'train/transpose@1,32x32,4224: code of padded.cubin, by ptxas 13.0.88' \
    '1 of 5 kernels with other code, not replayed yet; unchanged: train/saxpy@64,256, train/saxpy@64,256#2, train/tally'
ask "$cugate" list --kernels "$work/some.capsule"
expect "the file says what it is" 0 'not replayed, launched by train.py:31 in step, with code of padded.cubin' \
    'train/chain@1,32                       1        32  4.48 kB      12 of 23  12.3 us  identical, launched by train.py:31 in step'
swap strided good as_it_was.cubin
judge good strided -v
expect "good code is good" 0 'better by more than the limit' 'improved   train/saxpy@64,256' 'measured in this check: ' '!Worse'
swap first slow strided.cubin -k 'train/saxpy@64,256'
expect "lost coalescing is caught on its line" 1 'regressed  train/saxpy@64,256' 'global_load_sectors' 'mine/kernels.cu:15' \
    'the line to blame' 'lanes of one store touch more sectors' '!train/saxpy@64,256#2' -- judge slow first
swap padded slow as_it_was.cubin -k 'train/transpose*'
judge slow padded
expect "so is a bank conflict" 1 'regressed  train/transpose@1,32x32,4224' 'shared_wavefronts' 'mine/kernels.cu:23'
swap turn slow spilled.cubin
expect "so are spills" 1 'regressed  train/turn@1,256' 'local_memory' 'mine/turn.cu:17' 'registers are spilled here' \
    'registers 56 -> 32' -- judge slow turn
swap product worse shallow.cubin
judge worse product -v
expect "so are smaller tiles" 1 'regressed  train/product@16x8,256' 'mine/product.cu:48: excess load sectors'
swap product worse single.cubin
judge worse product -v
expect "so is single precision in place of pairs of bfloat16" 1 'regressed  train/product@16x8,256' '  instructions ' ' 3,281,920  7,264,256' \
    'mine/product.cu:20: instructions here 0 ->'
swap turn other by_other.cubin
expect "a base build is executed whatever the compiler, which is told" 1 'local_memory' \
    'compiler is ptxas 13.0.77, but ptxas 13.0.88 in the baseline' 'cugate swap' -- judge other turn
swap turn wrong short.cubin
expect "a wrong result comes before all else" 5 'wrong result  train/turn@1,256' \
    "argument 1 differs from the expected result: byte 0 of 49152" '1 wrong result (exit 5)' \
    '!improved' -- judge wrong turn
expect "of a library the image for that GPU is taken" 0 -- swap turn whole libturn.so -q
expect "and is the same" 0 'nothing is worse' -- judge whole turn

# ---- By a baseline
ask "$cugate" run --simulate=nvidia-h200 --kernels "$work/turn.capsule" --save "$work/turn.json"
expect "counts of a program's code" 0
expect "are kept" 0 -- "$cugate" accept "$work/turn.json" --baselines "$work/kept" --reason first
ask "$cugate" check --simulate=nvidia-h200 --kernels "$work/slow.capsule" --baselines "$work/kept"
expect "by which other code is judged" 1 'regressed  train/turn@1,256' 'mine/turn.cu:17'
ask "$cugate" check --simulate=nvidia-h200 --kernels "$work/other.capsule" --baselines "$work/kept"
expect "but not that of another compiler" 3 'built by ptxas 13.0.77, but the baseline by ptxas 13.0.88'

# ---- Triton. Its results are others in their last bits, and it launches each build in blocks of its own
triton=tests/capsule/triton
cd "$top" || exit 2
"$made_capsules" "$work/softmax.capsule" $triton/softmax.cubin softmax || exit 2
swap softmax good $triton/softmax_base_2.cubin --launch softmax_base_2 --tolerance 1e-5
expect "a kernel of Triton" 0 'function softmax_base_2 instead of softmax' 'a block of 128x1x1 instead of 256x1x1' \
    '16 bytes of dynamic shared memory instead of 32' 'results within 1e-05 as f32'
expect "that is faster" 0 'trade-off  train/softmax@64,256,32' 'trade-off  longest_warp' '!regressed' -- judge good softmax -v
ask "$cugate" list --kernels "$work/good.capsule"
expect "and how it was compared" 0 "with code of $triton/softmax_base_2.cubin by triton 3.6.0, within 1e-05 as f32"
swap softmax stated $triton/softmax_base_2.cubin --launch softmax_base_2
expect "a tolerance that the capsule states stays" 0 'results within 1e-05 as f32'
swap softmax strict $triton/softmax_base_2.cubin --launch softmax_base_2 --tolerance 1e-9
judge strict softmax
expect "which is another result by a smaller one" 5 'wrong result  train/softmax@64,256,32' 'beyond the tolerance of 1e-09'
swap softmax slow $triton/softmax_scattered.cubin --launch softmax_scattered --tolerance 1e-5
expect "that is slower, on its line" 1 'regressed  train/softmax@64,256,32' 'global_load_sectors' "$triton/softmax.py:38" \
    'the line to blame' -- judge slow softmax -v
# Another version of Triton, by the same ptxas.
cp $triton/softmax_scattered.cubin "$work/newer.cubin" && sed 's/"3.6.0"/"3.7.1"/' $triton/softmax_scattered.json >"$work/newer.json"
swap softmax newer "$work/newer.cubin" --launch softmax_scattered --tolerance 1e-5
expect "another Triton is told, and how to judge the change alone" 1 'built by another compiler than the base file' \
    "cugate swap $work/good.capsule --code BASE.cubin -o base.capsule" 'train/softmax@64,256,32' -- judge newer good
expect "but not where it is the same" 1 '!built by another compiler' -- judge slow good
swap softmax wrong $triton/softmax_wrong.cubin --launch softmax_wrong --tolerance 1e-5
expect "that is faster but wrong" 5 'wrong result  train/softmax@64,256,32' \
    'f32 values beyond the tolerance of 1e-05 (the worst is off by 0.0008' '!improved' -- judge wrong softmax
swap softmax x $triton/softmax_base_2.cubin
expect "a name that is not there" 2 'has no function softmax, only softmax_base_2: name its replacement with --launch'
swap softmax x $triton/softmax_base_2.cubin --launch softmax_base_2 --launch '<<<,256>>>'
expect "options come before the description" 2 'runs only in blocks of 128x1x1' 'train/softmax@64,256,32 has 256x1x1'
cp $triton/softmax_base_2.cubin "$work/alone.cubin"
swap softmax x "$work/alone.cubin" --launch softmax_base_2
expect "without a description the launch is as it was" 2 "add --launch '<<<, 128x1x1>>>' if this is intended"
swap softmax bare "$work/alone.cubin" --launch softmax_base_2 --launch '<<<,128,16>>>' --tolerance 1e-5 --type f32
expect "unless options say it" 0 'a block of 128x1x1'
expect "with the same counts" 0 'trade-off  train/softmax@64,256,32' -- judge bare softmax -v
sed 's/"num_ctas": 1/"num_ctas": 2/' $triton/softmax_base_2.json >"$work/alone.json"
swap softmax x "$work/alone.cubin" --launch softmax_base_2
expect "clusters are not made" 2 'is for clusters of 2 blocks, but the launch of train/softmax@64,256,32 has 1' 'num_ctas=1'
sed 's/"num_warps": 4/"num_warps": 0/' $triton/softmax_base_2.json >"$work/alone.json"
swap softmax x "$work/alone.cubin" --launch softmax_base_2
expect "nor is a launch that cannot be" 2 'describes an impossible launch'
cd "$compiled" || exit 2

# ---- What does not fit
swap first x older.cubin -k 'train/saxpy*'
expect "code for another GPU" 2 "older.cubin has saxpy for compute capability 8.0, but the capsule's GPU has 9.0" sm_90
expect "and nothing else" 2 'older.cubin has no machine code for compute capability 9.0' -- swap turn x older.cubin
swap first x turn.cubin -k 'train/chain*'
expect "a function that is not there" 2 'turn.cubin has no function chain, only turn' --launch
swap first x as_it_was.cubin -k 'train/saxpy*' --launch chain
expect "other arguments" 2 'chain of as_it_was.cubin takes 2 arguments of 16 bytes in all' 'train/saxpy@64,256 has 4 of 28'
swap first x as_it_was.cubin -k 'train/chain*' --launch saxpy
expect "fewer" 2 'saxpy of as_it_was.cubin takes 4 arguments'
swap turn x "$top/$triton/softmax.cubin" --launch softmax
expect "a block that it has not" 2 'takes 5 arguments'
swap first x resized.cubin -k 'train/tally*'
expect "a variable of another size" 2 'variable steps has 32 bytes in resized.cubin, but 16 in train/tally@1,32'
swap first x renamed.cubin -k 'train/tally*'
expect "a variable that is part of the result" 2 'renamed.cubin has no variable cursor, which the launch of train/tally@1,32 changes'
swap first constant constant.cubin -k 'train/tally*'
expect "another variable is told" 0 'constant.cubin has no variable steps' 'the program had no variable stride'
expect "since the result will say it" 5 'Wrong: the result is wrong' 'wrong      train/tally@1,32' \
    'wrong result: variable totals differs from' -- judge constant first
swap constant both strided.cubin -k 'train/saxpy@64,256'
judge both first -v
expect "before what is slower" 5 'wrong result: variable totals differs from' 'regressed  train/saxpy@64,256' 'mine/kernels.cu:15'
cp "$work/said" "$work/report"
expect "it is the first that is said" 0 'wrong result' -- grep -m 1 -oE 'wrong result|regressed  train' "$work/report"
expect "also of the base" 3 'Wrong: ' 'result was "wrong result": variable totals differs from' -- judge first constant
swap first x spilled.cubin --launch turn
expect "of each capsule" 2 'the launch of train/saxpy@64,256 has 4 of 28'
swap turn x spilled.cubin --launch '<<<,1024>>>'
expect "a block beyond its bounds" 2 'turn of spilled.cubin runs in blocks of at most 256 threads' 'train/turn@1,256 has 1024'
swap turn x turn.cubin --launch '<<<,,240000>>>'
expect "shared memory that no GPU has" 2 '0 + 240000 bytes of shared memory' 'do not fit on a GPU of compute capability 9.0'
swap first x as_it_was.cubin -k train/saxpi@64,256
expect "kernels that are not there" 2 "first.capsule has no kernel 'train/saxpi@64,256'; did you mean train/saxpy@64,256?"
for words in '--launch <<<,0>>>' '--launch <<<,1x2x3x4>>>' '--launch <<<dim3(5,)>>>' '--launch <<<,,-1>>>' '--launch <<<,,1e3>>>' \
    '--launch <<<1,2' '--launch f<<<1,2>>>()' '--tolerance 0' '--tolerance 1' '--tolerance 1e-5x' '--tolerance nan'; do
    # shellcheck disable=SC2086 # words
    expect "$words" 2 "${words% *} takes" "not '${words#* }'" -- swap turn x turn.cubin $words
done
for words in '--exact 0' '--exact 2,' '--exact 65' '--exact x'; do
    # shellcheck disable=SC2086 # words
    swap turn x turn.cubin --tolerance 1e-5 $words
    expect "$words" 2 "--exact takes argument numbers, counted from 1" "not '${words#* }'"
done
expect "of what has a tolerance" 2 '--exact needs --tolerance: add it' -- swap turn x turn.cubin --exact 1
swap first x as_it_was.cubin -k 'train/saxpy@64,256' --tolerance 1e-5 --exact 1,4
expect "of pointers" 2 '--exact: argument 4 of train/saxpy@64,256 is not a pointer'
swap first exact padded.cubin -k 'train/saxpy@64,256' --tolerance 1e-5 --exact 1
expect "what is exact is said" 0 'results within 1e-05 as f32, but those of argument 1 exact'
expect "a type that is none" 2 '--type needs f16, bf16, f32 or f64' -- swap turn x turn.cubin --tolerance 1e-5 --type i32
expect "a type alone" 2 'add it' -- swap turn x turn.cubin --type f32
# shellcheck disable=SC2016 # cugate's words
expect "by the options of an earlier release" 2 '`cugate swap --block` is now `cugate swap --launch=<<<,(1024,1)>>>`' '`cugate swap --grid`' \
    'has 1024' -- swap turn x spilled.cubin --grid 2,1 --block=1024,1 --shared 0
expect "a file of capsules has code, too" 2 'first.capsule has no function turn' -- swap turn x "$work/first.capsule"
expect "a file that is not there" 2 'nothing.cubin' -- swap turn x "$work/nothing.cubin"
expect "its own file is not written over" 2 'would overwrite' -- swap turn turn turn.cubin
expect "and where something is wrong nothing is written" 0 -- test ! -e "$work/x.capsule"
expect "a place is asked for" 2 'no output file: add -o FILE.capsule' -- "$cugate" swap "$work/turn.capsule" --code turn.cubin
expect "and the code" 2 'add --code FILE' -- "$cugate" swap "$work/turn.capsule" -o "$work/x.capsule"
expect "of a file of capsules" 2 'turn.cubin' -- "$cugate" swap turn.cubin --code turn.cubin -o "$work/x.capsule"
summary
