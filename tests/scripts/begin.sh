# shellcheck shell=bash disable=SC2034 # scripts read what is set here
# The head of scripts that test commands, which they source first, from any folder. It sets $top, the repository; $cugate, the
# program; $nvcc, and CUDA's folders as `includes` and `libraries`; $work, a folder of the script's own, which goes when the
# script ends; and $compiled, where compiled.sh has what nvcc compiled for it. The functions of expect.sh and compiled.sh
# are there, too.
set -uo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
"$cugate" --version 2>&1 | grep -q '^cugate [0-9]' || {
    echo "error: $cugate is not cugate, or does not start: nothing can pass" >&2
    exit 2
}
nvcc=${NVCC:-nvcc}
read -ra includes <<<"${CUDA_INCLUDES:-/usr/local/cuda/include}"
read -ra libraries <<<"${CUDA_LIBS:-/usr/local/cuda/lib64}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiled=$top/build/tests/compiled/$(basename "$0" .sh)
# shellcheck source=tests/scripts/expect.sh
. "$top/tests/scripts/expect.sh"
# shellcheck source=tests/scripts/compiled.sh
. "$top/tests/scripts/compiled.sh"
