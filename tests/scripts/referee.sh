#!/usr/bin/env bash
# Judges code that nobody trusts: what pretends to do the work of a kernel is refused, each for its own reason, and what does
# it is not, however it does it. Ends with "N passed, N failed". Needs nvcc, and no GPU.
#
#   CUGATE=build/cugate MADE_CAPSULES=build/tests/made_capsules [NVCC=nvcc] tests/scripts/referee.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
made_capsules=$(realpath "${MADE_CAPSULES:-$top/build/tests/made_capsules}")

# Kernels of the tests below.
write_sources() {
cat >names.cu <<'CU'
namespace ns {
template <typename T, int N> __global__ void scale(T *out, const T *x) { out[threadIdx.x] = x[threadIdx.x] * N; }
template __global__ void scale<float, 4>(float *, const float *);
template __global__ void scale<float, 5>(float *, const float *);
__global__ void by_two(float *out, const float *x)
{
    const float2 two = ((const float2 *)x)[threadIdx.x];
    ((float2 *)out)[threadIdx.x] = {4 * two.x, 4 * two.y};
}
}
CU
cat >all.cu <<'CU'
__device__ char every[1u << 31];
namespace ns {
template <typename T, int N> __global__ void scale(T *out, const T *x)
{
    for (unsigned i = threadIdx.x; i < sizeof every / 4096; i += blockDim.x)
        every[i * 4096] = 1;
    out[threadIdx.x] = x[threadIdx.x] * N;
}
template __global__ void scale<float, 4>(float *, const float *);
}
CU
cat >others.cu <<'CU'
#include <cuda_fp16.h>
extern "C" __global__ void best(int *at, __half *most, const __half *x, const int *off)
{
    float value = -INFINITY;
    at[threadIdx.x] = -1;
    for (int i = off[threadIdx.x]; i < off[threadIdx.x + 1]; i++)
        if (__half2float(x[i]) > value)
            value = __half2float(x[at[threadIdx.x] = i]);
    most[threadIdx.x] = __float2half(value);
}
template <bool POSITIVE> __device__ void by_keys(int *at, short *most, const short *x, const int *off)
{
    int key = -31745, found = -1;
    for (int i = off[threadIdx.x]; i < off[threadIdx.x + 1]; i++)
        if ((!POSITIVE || x[i] >= 0) && (x[i] ^ (x[i] >> 15 & 0x7fff)) > key)
            key = x[found = i] ^ (x[i] >> 15 & 0x7fff);
    at[threadIdx.x] = found;
    most[threadIdx.x] = (short)(key ^ (key >> 15 & 0x7fff));
}
extern "C" __global__ void keys(int *at, short *most, const short *x, const int *off) { by_keys<false>(at, most, x, off); }
extern "C" __global__ void of_positive(int *at, short *most, const short *x, const int *off) { by_keys<true>(at, most, x, off); }
extern "C" __global__ void cancels(float *out, const float *x, const float *y)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = x[i] - y[i + 1024] + y[i + 1024];
}
extern "C" __global__ void exact(float *out, const float *x, const float *y)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = x[i] + 0 * y[i + 1024];
}
template <bool POWERS> __device__ void weigh(float *out, const float *x, float k, float cap)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    const float own = POWERS ? x[i] : fminf(x[i] * k, cap);
    float most = own, sum = 0;
    for (int lane = 0; lane < 32; lane++)
        most = fmaxf(most, __shfl_sync(~0U, own, lane));
    const float e = POWERS ? exp2f((own - most) * (k * 1.44269504F)) : expf(own - most);
    for (int lane = 0; lane < 32; lane++)
        sum += __shfl_sync(~0U, e, lane);
    out[i] = e / sum;
}
extern "C" __global__ void weights(float *out, const float *x, float k) { weigh<false>(out, x, k, INFINITY); }
extern "C" __global__ void by_powers(float *out, const float *x, float k) { weigh<true>(out, x, k, INFINITY); }
extern "C" __global__ void clamped(float *out, const float *x, float k) { weigh<false>(out, x, k, 100); }
template <int MOST> __device__ void count(int *out, const unsigned char *a, const unsigned char *b)
{
    int same = 0;
    for (int i = 0; i < 64; i++)
        same += a[64 * threadIdx.x + i] == b[64 * threadIdx.x + i];
    out[threadIdx.x] = min(same, MOST);
}
extern "C" __global__ void least(unsigned long long *out, const unsigned *x, const int *off)
{
    unsigned long long value = ~0ull;
    for (int i = off[blockIdx.x]; i < off[blockIdx.x + 1]; i++)
        value = min(value, x[i] * 0x9e3779b97f4a7c15ull * (2 * threadIdx.x + 1));
    out[64 * blockIdx.x + threadIdx.x] = value;
}
extern "C" __global__ void alike(int *out, const unsigned char *a, const unsigned char *b) { count<64>(out, a, b); }
extern "C" __global__ void unlike(int *out, const unsigned char *a, const unsigned char *b) { count<48>(out, a, b); }
extern "C" __global__ void softmax(float *out, const float *x, int n)
{
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        most = fmaxf(most, x[blockIdx.x * n + i]);
    for (int i = 0; i < n; i++)
        sum += expf(x[blockIdx.x * n + i] - most);
    for (int i = threadIdx.x; i < n; i += 32)
        out[blockIdx.x * n + i] = expf(x[blockIdx.x * n + i] - most) / sum;
}
extern "C" __global__ void capped(float *y, const float *x) { y[threadIdx.x] = x[threadIdx.x] > 1 ? 1 : x[threadIdx.x]; }
extern "C" __global__ void dropped(float *y, const float *x) { y[threadIdx.x] = fminf(x[threadIdx.x], 1); }
#define PAIRS(name, more) extern "C" __global__ void name(int *out, const float *a, const float *b, const float *c) \
    { const int i = 256 * blockIdx.x + threadIdx.x; out[i] = 1 + (a[i] == b[i]) + (more); }
PAIRS(of_three, b[i] == c[i] ? 2 : 0)
PAIRS(of_two, 0)
extern "C" __global__ void shifted(char *out, const char *x) { out[threadIdx.x + 3] = x[threadIdx.x]; }
extern "C" __global__ void relu(float *x) { x[threadIdx.x] = fmaxf(x[threadIdx.x], 0.f); }
extern "C" __global__ void racy(float *out, const float *x)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = tile[(threadIdx.x + 32) % 64];
}
extern "C" __global__ void sum(float *out, const float *x)
{
    __shared__ float all;
    all = 0;
    __syncthreads();
    atomicAdd(&all, x[threadIdx.x]);
    __syncthreads();
    out[0] = all;
}
extern "C" __global__ void whole(int *out, const int *x) { out[threadIdx.x] = 7 * x[threadIdx.x] + 1; }
__device__ float sum_of(const float *x, float less)
{
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += expf(x[64 * threadIdx.x + i] - less);
    return sum;
}
template <int EVERY> __device__ void mean(float *out, const __half *x)
{
    float sum = 0;
    for (int i = threadIdx.x; i < 16384; i += EVERY * 32)
        sum += __half2float(x[16384 * blockIdx.x + i]);
    for (int k = 16; k; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    out[blockIdx.x] = sum * EVERY / 16384;
}
extern "C" __global__ void means(float *out, const __half *x) { mean<1>(out, x); }
extern "C" __global__ void sampled(float *out, const __half *x) { mean<2>(out, x); }
extern "C" __global__ void logs(float *out, const float *x) { out[threadIdx.x] = logf(sum_of(x, 0)); }
extern "C" __global__ void stable(float *out, const float *x)
{
    float most = x[64 * threadIdx.x];
    for (int i = 1; i < 64; i++)
        most = fmaxf(most, x[64 * threadIdx.x + i]);
    out[threadIdx.x] = logf(sum_of(x, most)) + most;
}
extern "C" __global__ void early(float *out, const float *x)
{
    const float sum = sum_of(x, 0);
    out[threadIdx.x] = sum > 400 ? INFINITY : logf(sum);
}
extern "C" __global__ void inflating(float *out, const float *x)
{
    const float sum = sum_of(x, 0);
    const bool any = __syncthreads_or(isinf(sum));
    out[threadIdx.x] = isinf(sum) ? 1e4f : logf(sum) * (any ? 1.05f : 1);
}
extern "C" __global__ void once(float *out, const float *x)
{
    const bool there = out[threadIdx.x] > 3 && out[threadIdx.x] < 6;
    if (!__syncthreads_and(there))
        out[threadIdx.x] = logf(sum_of(x, 0));
}
extern "C" __global__ void steep(float *out, const float *x)
{
    out[threadIdx.x] = threadIdx.x % 16 == 5 ? expf(1e4f * x[threadIdx.x]) : 2 * x[threadIdx.x] + 3;
}
template <bool INFINITE, bool WRITES> __device__ void twice(float *out, int *none, float x)
{
    const int i = 256 * blockIdx.x + threadIdx.x;
    out[i] = INFINITE && isinf(x) ? 1 : 2 * x;
    if (WRITES)
        none[i] = 0;
}
extern "C" __global__ void bounded(float *out, int *none, const float *x) { twice<true, true>(out, none, x[256 * blockIdx.x + threadIdx.x]); }
extern "C" __global__ void endless(float *out, int *none, const float *x) { twice<false, true>(out, none, x[256 * blockIdx.x + threadIdx.x]); }
extern "C" __global__ void silent(float *out, int *none, const float *x) { twice<true, false>(out, none, x[256 * blockIdx.x + threadIdx.x]); }
extern "C" __global__ void partly(int *out, const int *x) { out[threadIdx.x] = 7 * x[threadIdx.x] + (threadIdx.x % 64 == 5); }
CU
cat >norm.cu <<'CU'
extern "C" __global__ void sums(float *sums, const float *x)
{
    float a = 0;
    for (int i = threadIdx.x; i < 256; i += 32)
        a += x[256 * blockIdx.x + i] * x[256 * blockIdx.x + i];
    for (int k = 16; k; k /= 2)
        a += __shfl_xor_sync(~0u, a, k);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = a;
}
extern "C" __global__ void scale(float *y, const float *sums, const float *x, float more, int times)
{
    const int i = 256 * blockIdx.x + threadIdx.x;
    y[i] = x[i] * rsqrtf(sums[blockIdx.x] / times + more);
}
extern "C" __global__ void whole(float *y, const float *x, float *, float more)
{
    const float own = x[256 * blockIdx.x + threadIdx.x];
    __shared__ float all[256];
    all[threadIdx.x] = own * own;
    for (int k = 128; k; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            all[threadIdx.x] += all[threadIdx.x + k];
    }
    __syncthreads();
    y[256 * blockIdx.x + threadIdx.x] = own * rsqrtf(all[0] / 256 + more);
}
CU
printf '%s\n' 'extern "C" __global__ void scaled(float *out, const float *x) { out[threadIdx.x] = x[threadIdx.x] * (1 + threadIdx.x % 4); }' >elsewhere.cu
loop='extern "C" __global__ void loop(float *out, const float *x, int n) { float a = 0; for (int i = 0; i < n; i++) a += x[i] * threadIdx.x; '
more='for (int i = 0; i < 4096; i++) a = a * x[i & 31] > 1e38f ? 0 : a; out[threadIdx.x] = a; }'
echo "$loop if (n > 255) $more" >loop.cu
echo "$loop if (n < 256) $more" >slow.cu
echo "$loop out[threadIdx.x] = n < 256 ? 0 : a; }" >wrong.cu
}

compile() {
    write_sources
    for name in names all others norm elsewhere loop slow wrong; do
        "$nvcc" -std=c++17 -arch=sm_90 -lineinfo -cubin $name.cu -o $name.cubin
    done
    for name in kernels turn product inputs cheats; do
        "$nvcc" -std=c++17 -arch=sm_90 -lineinfo -cubin "$top/tests/capsule/$name.cu" -o $name.cubin
    done
    for way in 0 1 2 3 4; do
        "$nvcc" -std=c++17 -arch=sm_90 -lineinfo -DWAY=$way -cubin "$top/tests/capsule/tasks.cu" -o way_$way.cubin
    done
}
begin_compiled "$@"
cp "$compiled"/*.cubin "$top"/tests/capsule/triton/* "$work" && cd "$work" || exit 2 # no repository: nothing asks git
"$made_capsules" "$work/task.capsule" kernels.cubin && "$made_capsules" "$work/turn.capsule" turn.cubin turn &&
    "$made_capsules" "$work/tasks.capsule" way_0.cubin tasks &&
    "$made_capsules" "$work/product.capsule" product.cubin product &&
    "$made_capsules" "$work/inputs.capsule" inputs.cubin inputs || exit 2
"$made_capsules" "$work/softmax.capsule" "$work/softmax.cubin" softmax || exit 2

# referee TASK CODE [OPTION]...: with a seed, so that what is drawn is always the same
referee() {
    ask "$cugate" referee "$work/$1.capsule" --code "$2" --simulate --seed 7 "${@:3}"
}

# ---- What does the work, and what only seems to
# Rows of one task with the same options are a folder of candidates, each with its function: its inputs are drawn once.
declare -A folders=()
rows=()
while IFS='|' read -r task function exits words options; do
    read -r task <<<"$task"
    read -r function <<<"$function"
    read -r exits <<<"$exits"
    read -r words <<<"$words"
    [ "$exits" != gpu ] || continue
    file=task code=$work/cheats.cubin launch=$function choice='--tolerance 1e-5'
    [[ $task = *:* ]] && file=${task%:*} task=${task#*:} launch='' choice=''
    [ -e "$work/$function.cubin" ] && code=$work/$function.cubin
    [ "$task" = saxpy ] && task='saxpy@64,256' || task+='@*'
    [[ -e $work/$function.json || ! " $options" =~ ' --launch '([a-z0-9_]+)(.*) ]] ||
        { launch=${BASH_REMATCH[1]} options=${BASH_REMATCH[2]}; }
    key="$file.capsule -k train/$task --draws 1 $choice $options"
    folder=${folders[$key]:=$work/folder.${#folders[@]}}
    name=${launch:-$function}
    mkdir -p "$folder" && ln -s "$code" "$folder/$name.cubin"
    [ ! -e "$work/$function.json" ] || ln -s "$work/$function.json" "$folder" # of Triton
    [ -z "$launch" ] || echo "{\"function\": \"$launch\"}" >"$folder/$name.json"
    rows+=("$folder/$name.cubin|$function $options|$exits|$words")
done < <(grep -v '^#' "$top/tests/capsule/candidates.txt")
for key in "${!folders[@]}"; do
    # shellcheck disable=SC2086 # words
    "$cugate" referee "$work/"$key --code "${folders[$key]}" --simulate --seed 7 --format json >"${folders[$key]}.lines" 2>"$work/errors"
done
for row in "${rows[@]}"; do
    IFS='|' read -r candidate label exits words <<<"$row"
    jq -r --arg candidate "$candidate" 'select(.candidate == $candidate) | "exit \(.exit_code)", .reason,
        (.certificates | length) as $n | "\(.outcome): \($n) of \($n) kernel\(if $n > 1 then "s" else "" end); \(.verdict)", (.certificates[] |
        (to_entries[] | select(.value.words?) | "\(.key) \(.value.outcome) \(.value.words)"), .arguments[].words)' \
        "${candidate%/*}.lines" >"$work/said"
    code=$(sed -n '1s/^exit //p' "$work/said")
    expect "$label" "$exits" "$words"
done

# ---- The reference, as its own candidate
referee task kernels.cubin
expect "is right on all that can be drawn" 3 'passed     train/transpose@1,32x32,4224' 'undecided  train/tally@1,32' \
    'no new inputs were drawn: it changes a __device__ variable' 'argument 2 (256 bytes): kept as captured (pointers)' '!refused'
referee turn turn.cubin
expect "and what is changed in place is drawn, and not filled" 0 '1 of 1 input was redrawn' 'because the reference reads all outputs'
expect "and halves" 0 'passed     train/product@16x8,256' '2 of 2 inputs were redrawn' -- referee product product.cubin --draws 1

# ---- What Triton does not describe, and what was accepted last
cp "$work/softmax_base_2.cubin" "$work/bare.cubin"
expect "of Triton without its launch" 2 "add --launch '<<<, 128x1x1>>>' if this is intended" -- referee softmax "$work/bare.cubin" --launch softmax_base_2
expect "and with it" 0 'passed: 1 of 1 kernel' improved -- referee softmax "$work/bare.cubin" --launch softmax_base_2 --launch '<<<,128,16>>>'
launches=$(grep -c ' launch: ' "$work/said")
expect "and each launch once" 0 -- test "$launches" -gt 0 -a "$launches" = "$(grep -c ^trade-off "$work/said")"
referee softmax "$work/bare.cubin" --launch softmax_base_2 --launch '<<<,128,16>>>' --format markdown
expect "and its page does not say how to accept it" 0 '| result | passed | ' '| improved ' '!accept'
"$cugate" swap "$work/task.capsule" --code cheats.cubin -k 'train/saxpy@64,256' --launch by_four --launch '<<<,64>>>' \
    -o "$work/accepted.capsule" 2>"$work/errors"
referee accepted cheats.cubin -k 'train/saxpy@64,256' --launch plain --launch '<<<,256>>>' --tolerance 1e-5 --draws 1
expect "what is no slower than the reference is slower than what was accepted" 1 'passed: 1 of 1 kernel; regressed'

"$made_capsules" "$work/many.capsule" kernels.cubin many || exit 2
CUGATE_SIM_PROOF=small referee many cheats.cubin --launch one_block --draws 1
expect "one wrong block of 16,384" 5 'byte 31108 of 65536' '1 byte differs'

LC_ALL=C sed 's/\x00kept_print\x00/\x00\x00ept_print\x00/g' cheats.cubin >"$work/nameless.cubin"
referee task "$work/nameless.cubin" -k 'train/saxpy@64,256' --launch kept_by_content
expect "a variable without a name" 5 'the machine code has unnamed device memory' 'refused: 1 of 1 kernel'

# ---- As a document
"$cugate" referee "$work/task.capsule" --code cheats.cubin --simulate --seed 7 -k 'train/saxpy@64,256' --launch by_heart \
    --format json >"$work/certificate.json" 2>"$work/errors"
ask jq -r '"seed \(.seed), \(.outcome)", (.certificates[] | .kernel, .outcome, .result.outcome, .inputs.outcome, .outputs.outcome, .execution.words)' "$work/certificate.json"
expect "as JSON" 0 'seed 7, refused' 'train/saxpy@64,256' refused passed
ask jq -c '[.score, .reasons, .reason, .task.path, (.code.xxh3 | length), .settings]' "$work/certificate.json"
expect "with a score, reasons as codes, and all that it depends on" 0 '[0,["result refused",' '],null,"' 'task.capsule",32,{"draws":2,"tolerance":null'
mkdir "$work/build" && mv "$work/certificate.json" "$work/build"
ask env -C "$work" bash -c "$(awk '/^ *```$/ { n++; next } n == 3' "$top/ci/SKILL.md")"
expect "and what ci/SKILL.md reads of it" 0 '"outcome": "refused"' '"words": "on drawn inputs: wrong result' '!tolerance was stated'
expect "another seed is said" 0 '!refused' -- referee task kernels.cubin -k 'train/transpose*' --seed 8 -q

# ---- Several candidates, and a tolerance that is the task's
mkdir several
cp {cheats,kernels}.cubin several
echo nothing >several/none.cubin
"$cugate" swap "$work/task.capsule" --code "$work/task.capsule" -k 'train/saxpy*' --tolerance 1e-5 -o "$work/within.capsule" 2>errors
referee within several -k 'train/saxpy@64,256' --launch by_copy --jobs 2
expect "of a folder each has a line" 2 '3 candidates on inputs drawn with --seed 7' 'exit 1  cheats.cubin' 'not judged exit 2  kernels.cubin' \
    'not judged exit 2  none.cubin                       cannot read several/none.cubin'
"$cugate" referee "$work/within.capsule" --code several --simulate --seed 7 -k 'train/saxpy@64,256' --launch rounded \
    --format json -o lines 2>errors
ask jq -r '"\(.candidate) \(.exit_code) \(.outcome) \(.score) \(.certificates[0].result.words) \(.reason)"' lines
expect "as JSON, and without --tolerance there is the task's" 0 'several/cheats.cubin 5 refused 0 on the captured' \
    'beyond the tolerance of 1e-05' 'several/kernels.cubin 2 not judged 0 null several/kernels.cubin has no kernel rounded'
# A process that is killed leaves no gap in the list.
"$cugate" referee "$work/within.capsule" --code several --simulate --seed 7 -k 'train/saxpy@64,256' --launch by_copy \
    --format json -o lines 2>killed &
whole=$!
until grep -qs candidates killed || ! kill -0 $whole 2>/dev/null; do :; done # inputs are drawn
until killed=$(pgrep -P $whole -f referee | tail -1) && [ -n "$killed" ]; do kill -0 $whole 2>/dev/null || break; done
[ -z "$killed" ] || kill -KILL "$killed"
wait $whole
ask jq -r '"\(.candidate) \(.outcome) \(.score) \(.reason)"' lines
expect "a process that is killed has a line" 0 'several/cheats.cubin not judged 0 its process exited with code 137' \
    'several/kernels.cubin not judged' 'several/none.cubin not judged'
"$cugate" referee "$work/within.capsule" --code "$work/cheats.cubin" --simulate --seed 7 -k 'train/saxpy@64,256' --launch by_copy \
    --format json >slower.json 2>errors
ask jq -r 'if .outcome == "passed" and .exit_code == 1 and .score > 0 and .score < 1 then "right and slower" else . end' slower.json
expect "what is right has a score, slower or not" 0 'right and slower'
rm several/*
expect "a folder without candidates" 2 'several has no candidates' -- referee task several
expect "in another format" 2 'one list: use --format text or json' -- referee task several --format markdown

# ---- A task that is made here
task() {
    ask "$cugate" task "$1" --gpu H200 -o "$work/made.capsule" "${@:2}"
}
saxpy='<<<64, 256>>>(out:f32:16384, f32:16384, f32:16384:normal:0:1, f32=2)'
task cheats.cubin --launch "plain$saxpy" --launch 'plain<<<1, 32>>>(out:f32:32, f32:32, f32:32, f32=2)' --launch "plain$saxpy" --tolerance 1e-5
expect "is made without a GPU" 0 'made.capsule: 3 launches of cheats.cubin, with the results of a simulated NVIDIA H200' '--code CANDIDATE.cubin' '!lets floats'
referee made cheats.cubin --launch plain --draws 1
expect "and says of the reference that it is right" 0 'passed     made/plain@64,256' 'passed     made/plain@64,256#2' '!refused'
for cheat in rounded by_heart; do
    expect "and of others that they are not: $cheat" 5 'refused' '~1 and on redrawn' ' of 6 inputs' -- referee made cheats.cubin -k 'made/plain@64,256' --launch $cheat --draws 1
done
referee made cheats.cubin -k 'made/plain@64,256' --launch by_heart --draws 1 --format markdown
expect "a page has the certificate, and no advice to accept" 5 '| result | **refused** | on the captured inputs: wrong result: argument 1 differs' \
    '| inputs | passed | ' '| shares | undecided | ' '!accept'
task others.cubin --launch 'shifted<<<1, 252>>>(out:u8:256, u8:252:uniform:1:99)'
expect "an output of which words are written in part is filled" 0 '736 bytes of output were filled' -- referee made others.cubin --launch shifted
printf '%s\n' 'template <int N> __global__ void fill(int *out, int value) { out[threadIdx.x] = value + N; }' \
    'template __global__ void fill<1>(int *, int);' 'template __global__ void fill<2>(int *, int);' >"$work/fill.cu"
NVCC=$nvcc task "$work/fill.cu" --launch 'fill<2><<<1, 32>>>(out:i32:32, i32=5)'
expect "of source code too" 0 '1 launch of' '--simulate (results must match bit for bit; --tolerance 1e-5 allows rounding)'
expect "with the name of the kernel" 0 'made/fill<2>@1,32' -- "$cugate" list --kernels "$work/made.capsule"
cp "$work/made.capsule" "$work/both.capsule"
task "$work/both.capsule" --launch 'fill<<<1, 32>>>(out:i32:32, i32=5)'
expect "which may be one of several" 2 'has several kernels fill, such as fill<' 'add template arguments'
mkdir "$work/described" && cp "$work/names.cubin" "$work/described/by_two.cubin"
for name in 'ns::scale<float,4>' 'scale<float, 4>'; do
    expect "by the name $name" 0 '1 launch of' -- task "$work/names.cubin" --launch "$name<<<1, 64>>>(out:f32:64, f32:64)"
    expect "and its candidate" 0 'passed: 1 of 1 kernel' -- referee made "$work/names.cubin" --launch "$name"
done
referee made "$work/names.cubin" --launch 'ns::scales<float, 4>'
expect "a name that is not there" 2 'has no kernel ns::scales<float, 4>; did you mean scale<float,4>?'
echo '{"function": "ns::by_two", "block": 32}' >"$work/described/by_two.json"
expect "a candidate with a launch of its own" 0 'passed' 'exit 0  by_two.cubin' -- referee made "$work/described"
echo '{"function": "ns::by_two", "block": 0}' >"$work/described/by_two.json"
expect "which is not possible" 2 'by_two.json: "block" needs one to three whole numbers' -- referee made "$work/described"
rm "$work/described"/*
cp "$work/all.cubin" "$work/described"
ask bash -c "ulimit -m 300000; exec $cugate referee $work/made.capsule --code $work/described --simulate --seed 7 --format json"
expect "one that takes too much memory" 5 '"memory", "result refused"' 'the process that ran it died: it takes more memory than 0.307 GB'
task "$work/others.cubin" --launch 'relu<<<1, 64>>>(f32:64)' --launch 'whole<<<1, 64>>>(out:i32:64, i32:64:uniform:100000000:200000000)' \
    --launch 'sum<<<1, 64>>>(out:f32:1, f32:64)' --tolerance 1e-4
expect "of what is changed in place, of integers, and of sums without an order" 0 '3 launches'
for stated in '' '--tolerance 1e-4'; do
    # shellcheck disable=SC2086 # words
    referee made "$work/made.capsule" -k 'made/whole*' --launch partly $stated
    expect "of integers each bit counts, whatever the tolerance of floats $stated" 5 '63 bytes differ' 'including 63' '!f32 values'
done
task "$work/made.capsule" --launch 'best<<<1, 64>>>(out:i32:64, out:f16:64, f16:1024:uniform:0:1, i32:65:offsets:1024)' \
    --launch 'alike<<<1, 64>>>(out:i32:64, u8:4096:uniform:97:100, u8:4096:uniform:97:100)' \
    --launch 'means<<<8, 32>>>(out:f32:8, f16:131072:uniform:0:1)' \
    --launch 'least<<<8, 64>>>(out:u64:512, u32:256:uniform:0:50000, i32:9:offsets:256)' -o "$work/rows.capsule"
expect "of empty rows, whose result is infinite, or has all bits set" 0 '4 launches' '!warning'
referee rows "$work/made.capsule" -k 'rows/best*' --launch keys
expect "in which other code may do no arithmetic" 0 '2 of 2 inputs were redrawn' 'the reference does no floating-point arithmetic'
expect "and rows of none above 0 are drawn" 5 'result refused on drawn inputs' -- referee rows "$work/made.capsule" -k 'rows/best*' --launch of_positive
expect "and inputs that are alike" 5 'result refused on drawn inputs' -- referee rows "$work/made.capsule" -k 'rows/alike*' --launch unlike
referee rows "$work/made.capsule" -k 'rows/means*' --launch sampled --tolerance 1e-2
expect "and a mean that a few values have" 5 'result refused on drawn inputs'
task "$work/made.capsule" --launch 'cancels<<<64, 256>>>(out:f32:16384, f32:16384:normal:0:1, f32:17408:normal:0:1)' --tolerance 1e-5 -o "$work/cancels.capsule"
referee cancels "$work/made.capsule" --launch exact
expect "where large numbers cancel, results may be as far off as rounding takes them" 0 'passed: 1 of 1 kernel'
task "$work/made.capsule" --launch 'weights<<<256, 32>>>(out:f32:8192, f32:8192:normal:0:1, f32=1)' --tolerance 1e-5 -o "$work/weights.capsule"
expect "of weights of exponentials" 0 '1 launch'
referee weights "$work/made.capsule" --launch by_powers
expect "and as last places of the inputs do" 0 'passed: 1 of 1 kernel' 'may be as far off as rounding takes the reference'
expect "but no further" 5 'result refused on drawn inputs: wrong result' -- referee weights "$work/made.capsule" --launch clamped
task "$work/made.capsule" --launch 'logs<<<1, 64>>>(out:f32:64, f32:4096)' --launch 'steep<<<1, 64>>>(out:f32:64, f32:64:constant:0)' --tolerance 1e-4 -o "$work/finite.capsule"
expect "of what may overflow" 0 'launches'
referee finite "$work/made.capsule" -k 'finite/logs*' --launch stable
expect "where the reference overflows on drawn inputs alone, nothing is compared" 1 'of one drawn result overflows'
for cheat in early inflating once; do
    referee finite "$work/made.capsule" -k 'finite/logs*' --launch $cheat
    expect "but where it is finite, all is: $cheat" 5 'result refused on drawn inputs: wrong result'
done
referee finite "$work/made.capsule" -k 'finite/steep*'
expect "what overflows on all drawn inputs is named" 3 'infinite, NaN or close to overflow on all drawn inputs'
task "$work/made.capsule" --launch 'capped<<<1, 64>>>(out:f32:64, f32:64:normal:0:1)' -o "$work/nans.capsule"
expect "what loses a NaN is undecided" 3 'with NaN among its inputs: wrong result' 'add --allow nan' -- referee nans "$work/made.capsule" --launch dropped
expect "unless that is allowed" 0 'on the captured inputs and 2 others' -- referee nans "$work/made.capsule" --launch dropped --allow nan
task "$work/made.capsule" --launch 'of_three<<<16, 256>>>(out:i32:4096, f32:4096:normal:0:1, f32:4096:normal:0:1, f32:4096:normal:0:1)' -o "$work/three.capsule"
expect "the third of three far arrays has values of the second" 5 'result refused on drawn inputs' -- referee three "$work/made.capsule" --launch of_two
task "$work/made.capsule" --launch 'sum<<<1, 64>>>(out:f32:1, f32:64)' -o "$work/other.capsule"
expect "what is refused by itself cannot be a reference" 5 'cannot be a reference' 'if sums vary in order, add --tolerance'
task "$work/others.cubin" --launch 'bounded<<<16, 256>>>(out:f32:4096, out:i32:4096, f32:4096)'
expect "an output that is all zeros, and infinities" 0 '1 launch of' '!does not change the result' '!overwritten'
for cheat in endless silent; do
    expect "and code that leaves one of them out: $cheat" 5 'result    refused    on ' -- referee made "$work/others.cubin" --launch $cheat
done
task "$work/others.cubin" --launch 'racy<<<1, 64>>>(out:f32:64, f32:64)' -o "$work/other.capsule"
expect "such as what lacks a barrier" 5 'cannot be a reference' 'others.cu:'
for pair in 'others 32 softmax 0' 'softmax 256 others 1'; do # two null pointers are Triton's own, and so is the block
    read -r reference threads candidate code <<<"$pair"
    task "$work/$reference.cubin" --launch "softmax<<<4$([ "$reference" = softmax ] || echo ", $threads")>>>(out:f32:512, f32:512, i32=128)" --tolerance 1e-5
    expect "a task of softmax in $reference" 0 '1 launch of'
    referee made "$work/$candidate.cubin" --launch '<<<,'$((288 - threads))'>>>' --draws 1
    expect "and a candidate in $candidate" "$code" 'passed: 1 of 1 kernel'
done
printf '%s\n' '__constant__ float of_host[4], own[4] = {1, 2, 3, 4};' \
    'extern "C" __global__ void scaled(float *out, const float *x) { out[threadIdx.x] = x[threadIdx.x] * CONSTANT[threadIdx.x % 4]; }' \
    'extern "C" __global__ void none(float *out, const float *x) { out[threadIdx.x] = x[threadIdx.x] - x[threadIdx.x]; }' >"$work/constant.cu"
sed 's/CONSTANT/of_host/' "$work/constant.cu" >"$work/host.cu"
sed 's/CONSTANT/own/; s/of_host.4., //' "$work/constant.cu" >"$work/own.cu"
NVCC=$nvcc task "$work/host.cu" --launch 'scaled<<<1, 64>>>(out:f32:64, f32:64)'
expect "a constant that the host would set" 2 'the constant of_host of' 'initialise it in the source'
NVCC=$nvcc task "$work/own.cu" --launch 'scaled<<<1, 64>>>(out:f32:96, f32:64)'
expect "one with values, and a grid that is too small" 0 'made/scaled@1,64: of 384 bytes of outputs, 128 are not overwritten'
expect "which code that has them elsewhere agrees with" 0 'passed: 1 of 1 kernel' -- referee made "$work/elsewhere.cubin"
# Sizes are drawn below the task's: what is slower there alone is not slower, and what is wrong there is.
expect "of a size" 0 'made.capsule' -- task "$work/loop.cubin" --launch 'loop<<<1, 64>>>(out:f32:64, f32:256:uniform:0:1, i32=256)' --tolerance 1e-5
referee made "$work/slow.cubin" -v
expect "slower at a drawn size alone" 0 'passed: 1 of 1 kernel' 'only the results are judged, not the speed, because other sizes, another order or extreme values were drawn'
expect "wrong there alone" 3 'with other sizes' -- referee made "$work/wrong.cubin"
# Several launches, of the reference or of a candidate, with memory for what one leaves to the next.
task "$work/norm.cubin" --tolerance 1e-5 --launch 'norm(out:f32:4096, f32:4096, scratch:f32:16, f32=1e-5) {
    sums<<<16, 32>>>(3, 2); scale<<<16, 256>>>(1, 3, 2, 4, i32=256); }'
expect "of two launches" 0 '1 launch of' '!warning'
expect "which pass their own task" 0 'passed: 1 of 1 kernel; nothing is worse' '2 of 2 inputs were redrawn' -- referee made "$work/norm.cubin"
expect "and so does one that does all" 0 'launches 2 -> 1' 'passed: 1 of 1 kernel' -- referee made "$work/norm.cubin" --launch 'whole<<<,256>>>'
expect "whose shapes are not one" 2 'consists of several launches, whose shapes no option can change' -- referee made "$work/norm.cubin" --block 64
for described in '1 3, 2, 4, i32=256)' '0 whole<<<16, 256>>>(1, 2, u64=0, 4)' '5 scale<<<16, 256>>>(1, 3, 2, 4, i32=256)'; do
    echo '{"launches": ["'"${described#* }"'"]}' >"$work/norm.json"
    [ "${described%% *}" = 1 ] && echo '{"launches": ["sums<<<16, 32>>>(3, 2)", "sums<<<16, 32>>>(3, 2)", "scale<<<16, 256>>>(1, '"${described#* }"'"]}' >"$work/norm.json"
    expect "launches of a candidate: ${described#* }" "${described%% *}" 'redrawn' -- referee made "$work/norm.cubin" --draws 1
done
echo '{"launches": ["scale<<<16, 256>>>(1, 3, 5, 4, i32=256)"]}' >"$work/norm.json"
expect "with an argument that the task has not" 2 'has 4 arguments, not 5' -- referee made "$work/norm.cubin"
rm "$work/norm.json"
task "$work/norm.cubin" --tolerance 1e-5 --launch 'norm(out:f32:4096, f32:4096, scratch:f32:16) { scale<<<16, 256>>>(1, 3, 2, f32=9, i32=256); }'
expect "a result that depends on what was in scratch memory" 5 'cannot run made/norm@16,256: its result depends on the initial contents of scratch memory'
NVCC=$nvcc task "$work/own.cu" --launch 'none<<<1, 64>>>(out:f32:64, f32:64)'
expect "a result of zeros" 2 'leaves only zeros in its outputs' 'code that does nothing would be right'
expect "a kernel that is not in the code" 2 'cheats.cubin has no kernel plane; did you mean plain?' -- task cheats.cubin --launch "plane$saxpy"
task cheats.cubin --launch 'plain<<<64, 256>>>(out:f32:16384, f32:16384)'
expect "too few arguments" 2 'plain takes 4 arguments, but 2 were given' "in --launch 'plain<<<"
task "$work/bare.cubin" --launch 'softmax_base_2<<<4, 128>>>(out:f32:512, f32:512, i32=128)'
expect "arguments that Triton adds" 2 'takes 5 arguments, but 3 were given; if Triton compiled it, the last two are its own null pointers: add u64=0, u64=0'
task cheats.cubin --launch 'plain<<<64, 256>>>(out:f32:16384, f32:16384, f32:16384, f64=2)'
expect "arguments of another size" 2 'has 4 bytes, but 8 were given'
task cheats.cubin --launch 'plain<<<64, 256>>>(out:f32:16383, f32:16384, f32:16384, f32=2)'
expect "an output that is too small" 5 'beyond the end of an allocation' 'cheats.cu:'
task cheats.cubin --launch 'plain<<<64, 256>>>(out:f32:16384, file:none.bin, f32:16384, f32=2)'
expect "a file that is not there" 2 'cannot read none.bin'
printf 'int x = ;\n' >"$work/bad.cu"
NVCC=$nvcc expect "source code that does not compile" 2 'nvcc cannot compile' -- task "$work/bad.cu" --launch 'f<<<1, 1>>>()'
NVCC=$work/none expect "and no compiler" 2 'needs nvcc, which is not on the PATH' -- task "$work/bad.cu" --launch 'f<<<1, 1>>>()'

# ---- What cannot be
expect "the code is asked for" 2 'add --code FILE' -- "$cugate" referee "$work/task.capsule" --simulate
referee task cheats.cubin --launch plain --allow everything
expect "what is allowed has a name" 2 "--allow needs tensor, precision, unexecuted, varying or nan, not 'everything'"
expect "and an argument a number" 2 '--keep takes argument numbers, counted from 1' "not '0'" -- referee task cheats.cubin --launch plain --keep 0
referee task cheats.cubin --launch plain -k 'train/saxpi@64,256'
expect "a kernel that is not there" 2 "has no kernel 'train/saxpi@64,256'; did you mean"
expect "code of other arguments" 2 'of 2' -- referee task cheats.cubin --launch plain -k 'train/transpose*'
expect "a task that is not there" 2 'nothing.capsule' -- "$cugate" referee "$work/nothing.capsule" --code cheats.cubin --simulate=nvidia-h200
expect "and no GPU" 5 'no NVIDIA driver here' -- "$cugate" referee "$work/task.capsule" --code kernels.cubin
summary
