#!/usr/bin/env bash
# Tests baselines of two GPU models side by side: a recorded H200's, and the same under another name as the second model.
# Every command must judge by the right one, or ask which. Ends with "N passed, N failed". Needs no GPU.
#
#   CUGATE=build/cugate tests/scripts/two_models.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$work" || exit 2
export CUDA_VISIBLE_DEVICES=''

# ---- The second model
other='Made-up H100'
mkdir -p baselines/nvidia-h200 metrics/gpus
cp "$top"/metrics/*.ini metrics
cp -r "$top"/baselines/nvidia-h200/{dot,transpose} baselines/nvidia-h200
cp -r baselines/nvidia-h200 baselines/made-up-h100
find baselines/made-up-h100 -name '*.json' -exec sed -i "s/\"NVIDIA H200\"/\"$other\"/" {} +
cp "$top/metrics/gpus/nvidia-h200.ini" metrics/gpus
sed "s/NVIDIA H200/$other/" metrics/gpus/nvidia-h200.ini >metrics/gpus/made-up-h100.ini
cp "$top/tests/data/recorded-nvidia-h200.json" h200.json
sed "s/\"NVIDIA H200\"/\"$other\"/" h200.json >other.json
library=(--kernels "$(dirname "$cugate")/libkernels.so" --metrics metrics -k transpose/padded)

# ---- What was measured says on which model
for name in h200:nvidia-h200 other:made-up-h100; do
    ask "$cugate" check --replay "${name%:*}.json" -k 'dot/*'
    expect "a run of ${name%:*} is judged by its own baseline" 0 "baselines/${name#*:}, " 'nothing is worse'
done
mkdir -p lone && cp -r baselines/made-up-h100 lone
ask "$cugate" check --replay h200.json -k 'dot/*' --baselines lone
expect "another model's is none, and is named" 4 "no baseline for NVIDIA H200 in $PWD/lone/nvidia-h200; lone has made-up-h100"
expect "two models are not compared" 4 "NVIDIA H200" "$other" -- "$cugate" compare h200.json other.json
expect "nor accepted together" 4 'from different devices' 'Accept them separately' -- "$cugate" accept h200.json other.json --reason none
cp -r baselines before
expect "one is accepted" 0 'baselines/made-up-h100' -- "$cugate" accept other.json -k dot/fp32 --reason 'one more'
expect "and the other stays as it is" 0 -- diff -rq before/nvidia-h200 baselines/nvidia-h200

# ---- Of machine code somebody has to say which is meant
which='made-up-h100, nvidia-h200'
expect "two fit the machine code" 2 "2 baselines fit" "$which" '--static=NAME' 'cugate.ini' -- "$cugate" check --static "${library[@]}"
expect "one is named" 0 'baselines/made-up-h100, ' 'nothing is worse' -- "$cugate" check --static=made-up-h100 "${library[@]}"
expect "a name that there is not" 4 "it has $which" -- "$cugate" check --static=h100 "${library[@]}"
expect "two can be simulated" 2 "known GPUs: $which" '--simulate=NAME' 'cugate.ini' -- "$cugate" check --simulate "${library[@]}"
expect "one is named, to simulate" 0 'baselines/made-up-h100, ' 'COMPUTED' 'nothing is worse' -- "$cugate" check --simulate=made-up-h100 "${library[@]}"
expect "run asks as well" 2 "known GPUs: $which" 'Choose one with --simulate=NAME' -- "$cugate" run --simulate "${library[@]}" --save run.json
expect "and explain" 2 "known GPUs: $which" -- "$cugate" explain --simulate transpose/padded "${library[@]:0:4}"

# ---- cugate.ini says it once
echo 'gpu = made-up-h100' >cugate.ini
expect "static by cugate.ini" 0 'baselines/made-up-h100, ' 'cugate.ini: gpu' -- "$cugate" check --static "${library[@]}"
expect "simulate by cugate.ini" 0 'baselines/made-up-h100, ' 'cugate.ini: gpu' -- "$cugate" check --simulate "${library[@]}"
expect "the command line wins" 0 'baselines/nvidia-h200, ' '!cugate.ini:' -- "$cugate" check --simulate=nvidia-h200 "${library[@]}"
expect "run by cugate.ini" 0 "$other" -- "$cugate" run --simulate "${library[@]}" --save run.json
expect "what was measured is not asked" 0 'baselines/nvidia-h200, ' '!cugate.ini:' -- "$cugate" check --replay h200.json -k 'dot/*'
expect "the key is told" 0 'gpu = made-up-h100' -- "$cugate" list config
expect "and where it counts" 0 'skip, gpu' 'here: gpu = made-up-h100' -- "$cugate" check --help -v
expect "and where not" 0 '!here: gpu' -- "$cugate" import --help
ask "$cugate" check --static=sm_90 "$top/tests/fuzz/corpus/cubin/cuda12.cubin" --baselines none
expect "files are judged for a capability, whatever it says" 5 'sm_90' '!made-up-h100'
echo 'gpu = nosuch' >cugate.ini
expect "a name of cugate.ini that there is not" 2 "'nosuch', which cugate.ini names" "describes $which" -- "$cugate" check --simulate "${library[@]}"
rm cugate.ini

# ---- Sessions of the second model that are kept, and its own baseline
tar -xJf "$top/tests/data/sessions-nvidia-h100-80gb-hbm3.tar.xz"
expect "no session of an H100 is red by the others" 0 'no false alarm in 100 comparisons' -- "$cugate" aa --metrics "$top/metrics" sessions/2026*.json
for run in sessions/lines-0.json h200.json; do
    # those without a larger point, which the older recording lacks
    ask "$cugate" check --replay "$run" --baselines "$top/baselines" --metrics "$top/metrics" -k 'sgemm/[nrt]*'
    expect "${run##*/} is judged by what is shipped for its model" 0 'nothing is worse' '!too few sessions'
done

# ---- The scripts pass it on
cd "$top" || exit 2
CUGATE=$cugate KERNELS=transpose/padded ask ci/check_perf.sh --simulate=made-up-h100 --baselines "$work/baselines" \
    --metrics "$work/metrics"
expect "check-perf without a GPU" 0 'made-up-h100, ' 'NO KERNEL RAN ON A GPU'
summary
