#!/usr/bin/env bash
# Builds projects of somebody else's against an installed cugate that was moved since: programs in C, C++ and Python on its
# executor of machine code, and two kernel libraries, by make and by CMake, which are gated: listed, computed by the simulator,
# accepted, checked, and caught when a kernel gets worse. Ends with "N passed, N failed". Needs nvcc, no GPU, and hides one
# that is there.
#
#   CUGATE=build/cugate [NVCC=nvcc] tests/outside/run.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
build=$(dirname "$cugate")
nvcc=$(command -v "${NVCC:-nvcc}") || { echo "run.sh: there is no ${NVCC:-nvcc}" >&2; exit 2; }

# What is installed is all that the projects know: not the tree, and not the folder that it was installed for. The
# disassembler is NVIDIA's, and no part of it.
make -C "$top" --no-print-directory install BUILD="${build#"$top/"}" DESTDIR="$work/stage" PREFIX=/opt/cugate \
    >"$work/install.log" 2>&1 || { cat "$work/install.log"; exit 2; }
mv "$work/stage/opt/cugate" "$work/moved"
rm -r "$work/stage"
cp -r "$top/tests/outside/make" "$top/tests/outside/cmake" "$work"
export CUDA_VISIBLE_DEVICES='' XDG_CACHE_HOME=$work/cache CUGATE_NVDISASM=$top/build/disasm/nvidia/cu13/bin/nvdisasm
export PATH=$work/moved/bin:$PATH PKG_CONFIG_PATH=$work/moved/lib/pkgconfig CMAKE_PREFIX_PATH=$work/moved
unset CUGATE NVCC CUDA_HOME MAKEFLAGS MFLAGS MAKEOVERRIDES BUILD
cd "$work" || exit 2

ask grep -rIl -e /opt/cugate -e "$top" moved
expect "what is installed as text names neither the tree nor the folder it was made for" 1
ask pkg-config --cflags cugate
expect "pkg-config knows where it is now" 0 "-I$work/moved/lib/pkgconfig/../../include"

# ---- Programs on the executor of machine code
cp -r "$top/tests/outside/machine" "$work" && cd "$work/machine" || exit 2
"$nvcc" -cubin -arch=sm_90 -lineinfo kernels.cu || exit 2
read -ra flags <<<"$(pkg-config --cflags --libs cugate_machine)"
read -ra static <<<"$(pkg-config --cflags cugate_machine) ../moved/lib/libcugate_machine.a $(pkg-config --static --libs cugate_machine)"
strict=(-Wall -Wextra -Wpedantic -Werror)
ask cc -std=c11 "${strict[@]}" counter.c "${flags[@]}" -o counter
expect "C: pkg-config links a counter" 0
for stride in 1 8; do
    ask ./counter kernels.cubin strided $stride
    expect "C: it counts sectors by line, at a stride of $stride" 0 "kernels.cu:15: 231 instructions, $((4 * stride)) sectors, 96 wavefronts"
done
ask ./counter kernels.cubin strided 1000000
expect "C: a fault has its place" 1 'fault: lane 1 reads 4 bytes' 'kernels.cu:15 (block 0,0,0)'
ask ./counter kernels.cu strided
expect "C: a source is not a cubin" 1 'bad file: '
ask ./counter kernels.cubin stride
expect "C: a kernel is missing" 1 'not found: ' 'checksum(unsigned char const*, unsigned int*)'
ask env CUGATE_NVDISASM=/nowhere PATH=/usr/bin:/bin XDG_CACHE_HOME="$work/empty" ./counter kernels.cubin strided 1
expect "C: without nvdisasm it says how to get it" 1 'not simulated: ' cugate-fetch
printf '%s\n' '#include <error.h>' '#include <cugate/machine.h>' 'int die(void), median(void), join(void);' 'int die(void) { return 0; }' \
    'int median(void) { return 0; }' 'int join(void) { return 0; }' \
    'int main(void) { return die() + median() + join() + cugate_open("h200", &(cugate_machine *){0}); }' >names.c
ask cc -std=c11 "${strict[@]}" names.c "${static[@]}" -o names
expect "C: its archive takes no names of the program" 0
ask ./names
expect "C: and runs" 0
exported() { nm "$@" | awk 'NF == 3 { print $3 }' | sort; }
declared=$(sed '/^ \*/d; /^typedef/d' ../moved/include/cugate/machine.h | grep -oE '\bcugate_[a-z_]+\(' | tr -d '(' | sort -u)
for library in -D:../moved/lib/libcugate_machine.so.0 -g:../moved/lib/libcugate_machine.a; do
    ask diff <(exported "${library%%:*}" --defined-only "${library#*:}") <(echo "$declared")
    expect "${library##*/} has the functions of the header and nothing else" 0
done
ask c++ -std=c++11 -Wall -Wextra -Werror stores.cpp "${flags[@]}" -o stores
expect "C++: builds a tracer" 0
ask ./stores kernels.cubin
expect "C++: it traces stores" 0 'kernels.cu:6 block 0 warp 0 lane 31: STG.E 0x' ' = 62' 'block 1 warp 0 lane 7' ' = 78'
[ "$(wc -l <"$work/said")" = 40 ]
code=$?
expect "C++: each once" 0
ask env PYTHONPATH="$top/reports" python3 saxpy.py kernels.cubin
expect "Python: counts, stores and a fault" 0 'kernels.cu:6: 320 instructions, 375 sectors' 'STG.E stores 13.0' 'block (3, 0, 0)'
if command -v clang >/dev/null && ask clang -fsanitize=fuzzer fuzz.c "${flags[@]}" -o fuzz && [ "$code" = 0 ]; then
    CUBIN=kernels.cubin ask ./fuzz -max_len=64 -runs=100000
    expect "a fuzzer finds an input of which the kernel reads too much" 77 'reads 1 byte' 'kernels.cu:26'
else
    echo "a fuzzer: left out, since there is no clang with libFuzzer"
fi

# ---- make
cd "$work/make" || exit 2
project=(make --no-print-directory CUDA="$(dirname "$(dirname "$nvcc")")")
ask "${project[@]}" libsaxpy.so
expect "make: builds" 0
ask cugate list
expect "make: the kernel is listed, of the library that cugate.ini names" 0 'saxpy/simple' 'an element a thread'
ask "${project[@]}" check ARGS='--simulate=nvidia-h200 --save first.json'
expect "make: without a baseline nothing is judged" 2 'no baseline' 'exit 4' '!nothing is worse'
ask cugate accept first.json --reason first
expect "make: what was computed becomes the baseline" 0
ask "${project[@]}" check ARGS='--simulate=nvidia-h200 --all'
expect "make: and it is kept" 0 'executing 1 kernel' 'nothing is worse'
sed -i 's/2 \* x\[i\]/2 * x[i % 32 * 512 + i \/ 32]/' saxpy.cu
ask "${project[@]}" check ARGS=--simulate=nvidia-h200
expect "make: a wrong result is no measurement" 2 'exit 5' '!nothing is worse'
sed -i 's/2 \* x\[.*\] + y/2 * x[i] + (threadIdx.x % 2 ? y[i] * 0 : 0) + y/' saxpy.cu
ask "${project[@]}" check ARGS=--simulate=nvidia-h200
expect "make: a slower kernel is caught on its line" 2 'regressed  saxpy/simple' 'instructions' 'saxpy.cu:6' 'exit 1'
sed -i 's| out\[i\] = .*| out[i] = 2 * x[i] + 1.000000001 * y[i];|' saxpy.cu
ask "${project[@]}" check ARGS=--simulate=nvidia-h200
expect "make: a double literal is told" 2 'regressed  saxpy/simple' 'appeared: fp64_arithmetic 0 -> 16,384 (is there a double literal'

# ---- CMake
cd "$work/cmake" || exit 2
ask cmake -S . -B build -DCMAKE_CUDA_COMPILER="$nvcc"
expect "CMake: finds cugate" 0 '!Error'
ask cmake --build build
expect "CMake: builds" 0
tests() {
    ask ctest --test-dir build --output-on-failure
}
tests
expect "CMake: without a baseline the test fails" 8 'no GPU here' 'no baseline' 'cugate.turns' '***Failed' '!skipped' \
    'check ended with 4'
ask cugate check --simulate=nvidia-h200 --kernels build/libturns.so --save build/first.json
expect "CMake: a first run" 4
ask cugate accept build/first.json --reason first
expect "CMake: becomes the baseline" 0
tests
expect "CMake: and the test passes" 0 '100% tests passed' '!skipped'
sed -i 's/tile\[32\]\[33\]/tile[32][32]/' turns.cu
tests
expect "CMake: it builds first: a bank conflict fails it, on its line" 8 'regressed  turns/tiled' 'wavefronts' 'turns.cu:8' '***Failed' \
    'check ended with 1'

# ---- The compiler that cugate-fetch got, where there is no other. Nothing is fetched: the one here stands for it.
fetched=$work/moved/lib/cugate/cuda
mkdir -p "$fetched/nvidia"
ln -s "$(dirname "$(dirname "$nvcc")")" "$fetched/nvidia/cu13"
echo 'cccl nvcc' >"$fetched/parts"
without=$(for folder in ${PATH//:/ }; do [ -e "$folder/nvcc" ] || echo "$folder"; done | paste -sd :)
configured() { # FOLDER: by CMake, and built
    PATH=$without cmake -S . -B "$1" && PATH=$without cmake --build "$1"
}
ask configured build_none
expect "CMake: without nvcc it has no compiler" 1 'CUDA'
sed 's/^project/find_package(cugate REQUIRED)\n&/' CMakeLists.txt >before_project && cp CMakeLists.txt kept && mv before_project CMakeLists.txt
ask configured build_package
expect "CMake: find_package(cugate) before project() finds the one that was fetched" 0 'Built target turns'
mv kept CMakeLists.txt
ask env PATH="$without" "$work/moved/bin/cugate-fetch" nvcc
if [ -e /usr/local/cuda/bin/nvcc ]; then
    expect "cugate-fetch nvcc, beside a toolkit: says what to type" 0 'for CMake and make, type: export PATH=' "CUDACXX=$fetched/nvidia/cu13/bin/nvcc"
    ask test -e "$work/moved/bin/nvcc"
    expect "cugate-fetch nvcc, beside a toolkit: puts none on the PATH" 1
fi
ask bash -c "$(PATH=$without "$work/moved/bin/cugate-fetch" nvcc | sed -n 's/.* type: //p'); cmake -S . -B build_typed && cmake --build build_typed"
expect "CMake: what was to be typed works" 0 'Built target turns'
ask env PATH="$without" CUDA_HOME=none "$work/moved/bin/cugate-fetch" nvcc
expect "cugate-fetch nvcc, without a toolkit" 0 "CUDA's compiler: $fetched/nvidia/cu13/bin/nvcc" "find it by $work/moved/bin/nvcc"
ask configured build_fetched
expect "CMake: finds the one that was fetched" 0 'Built target turns'
rm -r "$work/moved/bin/nvcc" "$fetched"

# ---- What is asked of CMake wrongly
slip() { # LABEL WORDS LINE...: of the CMakeLists.txt
    local label=$1 words=$2
    rm -rf slip && mkdir slip && cp turns.cu slip && printf '%s\n' "${@:3}" >slip/CMakeLists.txt
    ask cmake -S slip -B slip/build
    tr -s ' \n' ' ' <"$work/said" >"$work/joined" && mv "$work/joined" "$work/said" # CMake breaks lines
    expect "CMake: $label" 1 "$words"
}
begin=('cmake_minimum_required(VERSION 3.18)' 'project(slip LANGUAGES NONE)' 'find_package(cugate REQUIRED)')
slip "a project without CUDA" "CUDA is no language of this project" "${begin[@]}" 'cugate_add_library(turns SOURCES turns.cu)'
slip "a library without sources" "write cugate_add_library(turns SOURCES FILE...)" "${begin[@]}" 'cugate_add_library(turns turns.cu)'
slip "a test of nothing" "there is no target nothing" "${begin[@]}" 'enable_testing()' 'cugate_add_test(nothing)'
slip "a test that would not run" "enable_testing() comes first" "${begin[@]}" 'add_custom_target(turns)' 'cugate_add_test(turns)'
slip "options without ARGS" "Options of \`cugate check\` stand behind ARGS" "${begin[@]}" 'enable_testing()' \
    'add_custom_target(turns)' 'cugate_add_test(turns --samples 3)'
slip "a version to come" "version: 0.1.0" "${begin[@]:0:2}" 'find_package(cugate 0.2 REQUIRED)'

summary
