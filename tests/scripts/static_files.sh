#!/usr/bin/env bash
# Tests `cugate check --static FILE...`: a baseline of functions is started without a GPU. Then it judges files whose
# functions got worse, came or went, a cache as Triton makes it, and files that cannot be judged. Ends with "N passed, N
# failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc] tests/scripts/static_files.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"

# build FOLDER SED FLAG...: FOLDER/app.o, of small.cu edited. Few have code of the host, which takes longer to compile.
build() {
    mkdir "$1"
    sed "$2" "$top/tests/data/small.cu" >"$1/small.cu"
    "$nvcc" -std=c++17 "${@:3}" "${kind--fatbin}" "$1/small.cu" -o "$1/app.o"
}

compile() {
    kind=-c build base '' -arch=sm_90
    build larger 's/local\[24\]/local[48]/; s/< 24/< 48/; s/% 24/% 48/g' -arch=sm_90
    build shared_grown 's/tile\[256\]/tile[10240]/' -arch=sm_90
    build shared_more 's/tile\[256\]/tile[300]/' -arch=sm_90
    build registers 's/local\[24\]/local[64]/; s/< 24/< 64/; s/i \* step % 24/i/
        s/out\[threadIdx.x\] = local.*/__syncthreads(); for (int i = 0; i < 64; i++) out[i] = local[63 - i];/' -arch=sm_90
    local stated='s/__launch_bounds__(256)/__block_size__((256, 1, 1))/'
    build stated "$stated" -arch=sm_90
    build stated_grown "$stated; s/tile\[256\]/tile[10240]/" -arch=sm_90
    build accesses 's/= local\[threadIdx.x % 24\]/= local[threadIdx.x % 24] + local[step % 24]/' -arch=sm_90
    build gone '' -arch=sm_90 -DOTHER
    build overload "\$a __global__ void plain(double *out) { *out = 1; }" -arch=sm_90
    build both '' -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
    kind=-c build compressed '' -arch=sm_90 --compress-mode=size
    "$nvcc" -std=c++17 -arch=sm_90 -cubin base/small.cu -o kernel.cubin
}
begin_compiled "$@"
cd "$work" || exit 2
cp -r "$compiled"/{base,larger,shared_grown,shared_more,registers,stated,stated_grown,accesses,gone,overload,both,compressed} .

ask "$cugate" check --static --save run.json base/app.o
expect "no baseline yet" 4 'STATIC: NO KERNEL WAS RUN' "no baseline for sm_90 in $PWD/baselines/sm-90" \
    'cugate accept run.json --reason "first baseline"' 'kernel       local_memory  local_accesses  registers  shared_memory'
expect "the first baseline without a GPU" 0 'accepted 18 rows of 3 kernels' -- "$cugate" accept run.json --reason "first baseline"
grep -q '"device": {"compute_capability": "9.0", "memory_bytes": 0, "name": "sm_90", "sm_count": 0}' baselines/sm-90/app/bounded.json
expect "it knows of no GPU" $?
expect "the same files" 0 'baselines/sm-90' 'nothing is worse: 9 rows in 3 kernels' -- "$cugate" check --static base/app.o
expect "code for another GPU beside it" 0 'nothing is worse: 9 rows in 3 kernels' -- "$cugate" check --static both/app.o
expect "more local memory" 1 'regressed  app/stacked' '  regressed  local_memory' '96 B  192 B' 'accept RUN.json -k app/stacked' \
    '!app/bounded' -- "$cugate" check --static larger/app.o
ask "$cugate" check --static shared_grown/app.o
expect "40 times the shared memory, by its launch bounds" 1 '  regressed  theoretical_occupancy' '100 %  62.5 %' \
    'for blocks of 256 threads' '!app/plain'
expect "a little more shared memory, and as many warps" 0 -- "$cugate" check --static shared_more/app.o
ask "$cugate" check --static registers/app.o
expect "more registers, which hold what was spilled" 3 'launch: registers 32 -> ' '  unsure     theoretical_occupancy' 'less is spilled'
ask "$cugate" check --static=sm_90 stated_grown/app.o --against stated/app.o
expect "40 times the shared memory, and the code states its block" 1 '  regressed  theoretical_occupancy' '100 %  62.5 %' \
    'machine code changed in 1 of 3 functions: app/bounded'
expect "the same stack, read at more places" 1 '  regressed  local_accesses' 'changed in 1 of 3 functions: app/stacked' \
    '!local_memory' -- "$cugate" check --static accesses/app.o
expect "functions gone" 5 'missing    app/bounded, app/stacked' 'remove its baseline file' -- "$cugate" check --static gone/app.o
expect "one more of a name leaves the name of the other" 0 'new        app/plain~' '!missing' -- "$cugate" check --static overload/app.o
expect "a capability is not a GPU that a library is judged for" 4 '!sm-90' -- "$cugate" check --static --kernels base/app.o
expect "no code for that GPU" 5 'base/app.o has no machine code for sm_80, only for sm_90' -- "$cugate" check --static=sm_80 base/app.o
expect "code for two GPUs and no baseline" 2 'sm_80, sm_90: choose one with --static=sm_NN' -- "$cugate" check --static --baselines none both/app.o
expect "the same, compressed" 0 'nothing is worse: 9 rows in 3 kernels' -- "$cugate" check --static compressed/app.o
mkdir empty
expect "an empty folder" 2 'no .cubin file in empty' -- "$cugate" check --static empty
expect "a file without code" 2 'larger/small.cu: not an ELF library, executable, cubin or fatbin' -- "$cugate" check --static base/app.o larger/small.cu

# A cache: a folder a function, and beside its code how it is launched.
describe() {
    printf '{"hash": "0f", "target": {"backend": "cuda", "arch": 90}, "num_warps": %s, "shared": %s, "name": "bounded"}' \
        "$1" "$2" >"cache/$3/kernel.json"
}
mkdir -p cache/ONE cache/TWO cache/tmp.pid_1
cp "$compiled/kernel.cubin" cache/ONE
cp "$compiled/kernel.cubin" cache/TWO
head -c 100 cache/ONE/kernel.cubin >cache/tmp.pid_1/kernel.cubin # being written
describe 8 2048 ONE
describe 4 2048 TWO
expect "a cache" 4 'read: 3 of 3 kernels' -- "$cugate" check --static --baselines triton --save triton.json cache
expect "its baseline" 0 'accepted 18 rows of 3 kernels' -- "$cugate" accept triton.json --baselines triton --reason "first baseline"
expect "the same cache" 0 'nothing is worse: 9 rows in 3 kernels' -- "$cugate" check --static --baselines triton cache
describe 8 115712 ONE
expect "more shared memory, fewer warps" 1 'regressed  triton/bounded' '  regressed  theoretical_occupancy' \
    'dynamic shared memory 2,048 -> 115,712 B' -- "$cugate" check --static --baselines triton cache -k triton/bounded
cp -r cache older
sed -i 's/}$/, "triton_version": "3.6.0"}/' older/*/kernel.json
cp -r older newer
sed -i 's/3\.6\.0/3.7.1/' newer/*/kernel.json
expect "another Triton is told, though the same ptxas made the code" 0 'triton 3.7.1 (was 3.6.0)' -- "$cugate" check --static=sm_90 newer --against older
rm cache/TWO/kernel.json
expect "a description that is lost" 1 'new        kernel/bounded' -- "$cugate" check --static --baselines triton cache -k 'triton/*' -k 'kernel/*'
printf '{' >cache/TWO/kernel.json
expect "a damaged description" 2 'cache/TWO/kernel.json:1:1:' -- "$cugate" check --static --baselines triton cache

# The commit is a hash, whatever tag it has, and says whether the tree has changes on top.
me=(-c user.name=me -c user.email=me@example.org)
touch changed && git init -q && git add changed && git "${me[@]}" commit -q -m first && git "${me[@]}" tag -a v1 -m v1 || exit 2
for dirty in '' -dirty; do
    [ -z "$dirty" ] || echo "$dirty" >changed
    "$cugate" check --static --save tagged.json base/app.o >said 2>&1
    expect "the commit of a run: a hash$dirty" 0 "\"$(git rev-parse --short=12 HEAD)$dirty\"" -- grep -o '"commit": "[^"]*"' tagged.json
done

summary
