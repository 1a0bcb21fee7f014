#!/usr/bin/env bash
# Builds the kernel library of another revision, for `cugate check --against`, and prints its path.
#
#   [CUDA_HOME=...] [CUDA_ARCHS=...] [CUBLAS=...] [NVCC_FLAGS=...] [NVCC=...] ci/build_base.sh REVISION [LIBRARY COMMAND]
#
# The variables are those of the Makefile, so that both builds are made by the same compiler. COMMAND, for the shell, builds
# LIBRARY, both at the top of the repository; without them `make` builds cugate's own. The revision is checked out into a
# worktree below build/base. What was built stays there for the next time, since a library may need what is beside it, and
# git knows nothing of it; what tells it from one that a change brought along is kept outside of the checkout, in
# ~/.cache/cugate/base. The exit code is 2 when there is no library.
set -euo pipefail

# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"

fail() {
    printf 'build_base: %s\n' "$1" >&2
    exit 2
}

revision=${1:?usage: ci/build_base.sh REVISION [LIBRARY COMMAND]}
named=${2:-build/libkernels.so}
# Without CUDA_READY the other revision installs nothing: this tree's build/cuda is used. The build is parallel by itself, as
# it is no part of the make that called.
# shellcheck disable=SC2016 # for the inner shell
command=${3:-'[ ! -d "$CUGATE_TOP/build/cuda" ] || { mkdir -p build && ln -sfn "$CUGATE_TOP/build/cuda" build/cuda; }
exec make --no-print-directory build/libkernels.so CUDA_READY= CUDA_HOME="${CUDA_HOME-}" ${CUDA_ARCHS:+CUDA_ARCHS="$CUDA_ARCHS"} \
    ${CUBLAS:+CUBLAS="$CUBLAS"} NVCC_FLAGS="${NVCC_FLAGS-}"'}

# A hook runs with variables that name the repository. They would name it for the worktree as well, so they are unset.
# shellcheck disable=SC2046 # one word each
unset $(git rev-parse --local-env-vars 2>/dev/null)
if ! top=$(git rev-parse --show-toplevel 2>&1); then
    fail "BASE=$revision needs a git checkout, to build that revision from: $top"
elif [ "$top" != "$(pwd -P)" ]; then
    fail "BASE=$revision needs a git checkout of its own, but this folder is part of $top"
elif [[ $revision == -* ]] || ! commit=$(git rev-parse --verify --quiet "$revision^{commit}"); then
    fail "'$revision' is not a revision of this repository: check its spelling, or fetch it (a shallow clone lacks old commits)"
fi

folder=build/base/$commit
tree=$folder/tree library=$folder/tree/$named
settings=$(
    echo "$command"
    echo "CUDA_HOME=${CUDA_HOME-} CUDA_ARCHS=${CUDA_ARCHS-} CUBLAS=${CUBLAS-} NVCC_FLAGS=${NVCC_FLAGS-}"
    "${NVCC:-nvcc}" --version 2>/dev/null || true
)

vouched=${XDG_CACHE_HOME:-${HOME-}/.cache}/cugate/base/$(sha256sum <<<"$top/$library" | cut -d ' ' -f 1)
vouch() { echo "$settings" && sha256sum <"$library"; }
keep_vouched() { { mkdir -p "${vouched%/*}" && vouch >"$vouched"; } 2>/dev/null || true; } # else it is built each time

own_folders "$folder"
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
if [ -e "$library" ] && [ "$(vouch)" = "$(cat "$vouched" 2>/dev/null)" ]; then
    echo "$library"
    exit
fi

# Only this worktree is removed, by its whole path. `git worktree prune` would also remove one whose folder is away for a
# while.
remove_tree() {
    rm -rf "$tree"
    git worktree remove --force --force "$top/$tree" 2>/dev/null || true
}
trap remove_tree EXIT
trap 'exit 130' INT TERM HUP

printf 'building the kernels of %s (%s)\n' "$revision" "$(git log -1 --format='%h %s' "$commit")" >&2
remove_tree # one that a killed build left
git -c core.hooksPath=/dev/null worktree add --quiet --detach "$tree" "$commit" 9>&- ||
    fail "cannot check out $revision into $tree"
if ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -C "$tree" CUGATE_TOP="$top" sh -c "$command" >"$folder/log" 2>&1 </dev/null 9>&-; then
    tail -n 20 "$folder/log" >&2
    fail "the kernels of $revision do not build; all that was said is in $folder/log"
fi
[ -e "$library" ] || fail "$revision was built, but there is no $named"
trap - EXIT
rm -rf "$(git -C "$tree" rev-parse --absolute-git-dir)" "$tree/.git"
keep_vouched
echo "$library"
