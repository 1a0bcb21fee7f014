#!/usr/bin/env bash
# Installs parts of the CUDA toolkit from NVIDIA's wheels on PyPI. The Makefile calls it when a part is missing.
#
#   ci/install_cuda_wheels.sh FOLDER TOOLKIT PART...
#
# PART is nvcc (compiler and runtime), cccl, profiler (cudaProfiler.h), cupti, nvtx (which headers of CUPTI include) or
# cublas; or disasm, alone: the disassembler is of one release, because what it prints differs between releases, whatever
# the toolkit is of. TOOLKIT is the folder of the toolkit that lacks them, or empty when there is none. The parts are found
# in FOLDER/nvidia/cu13 afterwards; when it fails, FOLDER is as it was.
set -euo pipefail

folder=$1
toolkit=$2
shift 2

# These versions were tried together. The hashes are those of the wheels for x86_64 and aarch64.
release=13.0
wheels="
nvcc     nvidia-cuda-nvcc==13.0.88         56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03 c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f
nvcc     nvidia-nvvm==13.0.88              c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0 c4376a291d72d22a315d9d2f69bdae8f8cd83a627f75bad395cee49a0fe65dc1
nvcc     nvidia-cuda-crt==13.0.88          2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4 ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003
nvcc     nvidia-cuda-runtime==13.0.96      7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548 ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55
cccl     nvidia-cuda-cccl==13.0.85         e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649 6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c
profiler nvidia-cuda-profiler-api==13.0.85 73d2671deac833db6686d6fbde4753fa3a3a497d87540fc246f081f375243f66 b307d61f574ab60666d0b2cb204738338dbd0e05a9fa609eaab198222f0a13c2
cupti    nvidia-cuda-cupti==13.0.85        4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8 796bd679890ee55fb14a94629b698b6db54bcfd833d391d5e94017dd9d7d3151
nvtx     nvidia-nvtx==13.0.85              4936d1d6780fbe68db454f5e72a42ff64d1fd6397df9f363ae786930fd5c1cd4 cb7780edb6b14107373c835bf8b72e7a178bac7367e23da7acb108f973f157a6
cublas   nvidia-cublas==13.1.0.3           ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171 c86fc7f7ae36d7528288c5d88098edcb7b02c633d262e7ddbb86b0ad91be5df2
disasm   nvidia-cuda-nvdisasm==13.5.37     d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605
"

# A part of a release works only with the other parts of that release.
if [ -n "$toolkit" ]; then
    found=$("$toolkit/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    if [ "$found" != "$release" ]; then
        echo "error: the CUDA toolkit $found in $toolkit lacks: $*" >&2
        echo "  install these parts of version $found (CUPTI's range profiler came with 12.6)," >&2
        echo "  or build with a toolkit $release in build/cuda instead: make CUDA_HOME=none" >&2
        exit 1
    fi
    echo "the CUDA toolkit in $toolkit lacks $*: installing from PyPI into $folder"
elif [ "$*" = disasm ]; then
    echo "installing NVIDIA's disassembler from PyPI into $folder"
else
    echo "no CUDA toolkit found: installing $* of CUDA $release from PyPI into $folder"
fi
if ! python3 -I -m pip --version >/dev/null 2>&1; then
    echo "error: this needs Python's pip: ci/install_deps.sh wheels" >&2
    exit 1
fi

requirements=$(mktemp)
new=$folder.$$
trap 'rm -rf "$requirements" "$new"' EXIT
while read -r part wheel x86_64 aarch64; do
    [[ -z $part || " $* " != *" $part "* ]] || echo "$wheel --hash=sha256:$x86_64 --hash=sha256:$aarch64"
done <<<"$wheels" >"$requirements"

if ! PIP_ROOT_USER_ACTION=ignore python3 -I -m pip install --quiet --timeout 60 --disable-pip-version-check \
    --no-deps --no-compile --only-binary=:all: --require-hashes \
    --target "$new" --requirement "$requirements"; then
    if [ "$*" = disasm ]; then
        echo "error: cannot install NVIDIA's disassembler from PyPI; try again, or build without: make DISASM=no" >&2
        exit 1
    fi
    echo "error: cannot install $* from PyPI; install a CUDA toolkit and set CUDA_HOME to it, or try again" >&2
    [[ " $* " != *" cublas "* ]] || echo "  (without cuBLAS, the largest part: make CUBLAS=no)" >&2
    exit 1
fi

# The linker looks for libX.so and nvcc for lib64. The wheels have neither.
tree=$new/nvidia/cu13
if [ -d "$tree/lib" ]; then
    for library in "$tree"/lib/lib*.so.*; do
        ln -sfn "$(basename "$library")" "${library%.so.*}.so"
    done
    ln -sfn lib "$tree/lib64"
fi
rm -rf "$folder"
mv "$new" "$folder"
