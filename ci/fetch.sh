#!/usr/bin/env bash
# Fetches what cugate uses of NVIDIA's and may not bring along, from NVIDIA's wheels on PyPI: pinned, and checked by hash.
#
#   cugate-fetch [PART]...
#
#   disasm    nvdisasm, which says what machine code means: for `cugate check --simulate` (6 MB)
#   cupti     CUPTI, to measure with: where there is no CUDA toolkit 13 in /usr/local/cuda (44 MB)
#   nvcc      compiler, runtime and CUB, to build kernels where there is no toolkit (270 MB); where no nvcc is, one that calls
#             it is put beside cugate, else it is printed what to type so that CMake and make find it
#
# Without a PART it is disasm. The parts lie beside cugate's plugins, in lib/cugate; that may take root (sudo). In cugate's
# own tree `make` does this. Removing the package removes them; so does: rm -r PREFIX/lib/cugate/{disasm,cuda} PREFIX/bin/nvcc
set -euo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
tell_help "$@"

if [ -n "$in_tree" ]; then
    echo "fetch: this is cugate's own tree, where \`make\` fetches what is missing" >&2
    exit 2
fi
folder=$(realpath "$here/../../../lib/cugate")
disasm='' wanted=$(cat "$folder/cuda/parts" 2>/dev/null || true) had=$wanted
for part in "${@:-disasm}"; do
    case $part in
    disasm) disasm=1 ;;
    cupti) wanted+=" cupti" ;;
    nvcc) wanted+=" nvcc cccl" ;;
    *)
        echo "fetch: unknown part '$part': use disasm, cupti or nvcc; see cugate-fetch --help" >&2
        exit 2
        ;;
    esac
done
if [ ! -w "$folder" ]; then
    echo "fetch: $folder cannot be written: sudo cugate-fetch $*" >&2
    exit 2
fi
umask 022 # what root fetches is for everybody
if ! python3 -I -m pip --version >/dev/null 2>&1; then
    echo "fetch: this needs Python's pip: apt-get install python3-pip" >&2
    exit 2
fi
if [ -n "$disasm" ] && [ ! -x "$folder/disasm/nvidia/cu13/bin/nvdisasm" ]; then
    "$here/install_cuda_wheels.sh" "$folder/disasm" '' disasm
fi
wanted=$(tr -s ' ' '\n' <<<"$wanted" | sed '/^$/d' | sort -u | paste -sd ' ')
if [ "$wanted" != "$had" ]; then
    # shellcheck disable=SC2086 # words
    "$here/install_cuda_wheels.sh" "$folder/cuda" '' $wanted
    echo "$wanted" >"$folder/cuda/parts"
fi

# offer_nvcc: where there is no nvcc, nor one in CUDA_HOME (/usr/local/cuda), puts one beside cugate that calls what was fetched, so that CMake finds it. A link
# would not do, since CMake takes the compiler's folders to be around it. Says what is left to type.
offer_nvcc() {
    local nvcc=$folder/cuda/nvidia/cu13/bin/nvcc bin found
    bin=$(realpath "$here/../../../bin") # where where.sh finds cugate
    echo "CUDA's compiler: $nvcc"
    if [ ! -e "$bin/nvcc" ] && [ -w "$bin" ] && ! command -v nvcc "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" >/dev/null; then
        printf '#!/bin/sh\n# by cugate-fetch\nexec "%s" "$@"\n' "$nvcc" >"$bin/nvcc"
        chmod 755 "$bin/nvcc"
    fi
    found=$(command -v nvcc || true)
    if [ -n "$found" ] && [ "$found" -ef "$bin/nvcc" ] && grep -q 'by cugate-fetch' "$found"; then
        echo "CMake and make find it by $found"
    else # no variable is enough for all: make asks the PATH, CMake a variable first
        echo "for CMake and make, type: export PATH=${nvcc%/nvcc}:\$PATH CUDACXX=$nvcc"
    fi
}
[[ " $wanted " != *" nvcc "* ]] || offer_nvcc
