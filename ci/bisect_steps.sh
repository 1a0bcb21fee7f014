# shellcheck shell=bash disable=SC2034,SC2154 # those who source it read what is set here, and set what is read
# What bisect.sh and bisect_toolchain.sh do alike. Both source it, behind where.sh, with these variables set by `cugate bisect`:
# kernel, metric (empty: the one that got worse most), named (the library; empty: that of cugate's own tree), build (empty: `make
# LIBRARY`), how (computed or measured), and options of `cugate run`.

say() { # FORMAT WORD...: prints text of commits and builds without control characters or marks that reverse text
    # shellcheck disable=SC2059 # the format
    printf "$@" | LC_ALL=C sed 's/[\x01-\x08\x0b-\x1f\x7f]\|\xe2\x80[\xaa-\xae]\|\xe2\x81[\xa6-\xa9]/?/g'
}
fail() { # CODE WORDS
    say 'cugate: error: %s\n' "$2" >&2
    exit "$1"
}

# ---- Cleaning up, which is done in any case.
folder=$(mktemp -d "${TMPDIR:-/tmp}/cugate-bisect-XXXXXX") || exit 2
folder=$(realpath "$folder")
tree=$folder/tree top='' process=''
# shellcheck disable=SC2317 # a trap calls them
put_away() {
    rm -rf "$folder"
    # Only this worktree is removed. `git worktree prune` would also remove one whose folder is away for a while.
    [ -z "$top" ] || git -C "$top" worktree remove --force --force "$tree" 2>/dev/null
}
# shellcheck disable=SC2317
stop() { # gives a build five seconds to end itself
    trap '' INT TERM HUP
    if [ -n "$process" ]; then
        kill -TERM -- "-$process"
        for _ in {1..50}; do
            kill -0 "$process" || break
            sleep 0.1
        done
        kill -KILL -- "-$process" # also ends what the build left behind
        wait "$process"
    fi 2>/dev/null
    exit 130
}
trap put_away EXIT
trap stop INT TERM HUP

# apart COMMAND...: runs it in a process group of its own. Ctrl-C of the terminal then reaches this script alone, which ends
# the group.
apart() {
    local ended=0
    setsid "$@" </dev/null &
    process=$!
    wait "$process" || ended=$?
    process=''
    return $ended
}

# ---- Commits. A hook runs with variables that name its repository, and a make that called this has variables for its own
# rules. The build gets neither.
# shellcheck disable=SC2046 # one word each
unset $(git rev-parse --local-env-vars 2>/dev/null) MAKEFLAGS MFLAGS MAKELEVEL
git() { command git -c core.hooksPath=/dev/null -c advice.detachedHead=false "$@" 2>/dev/null; }
top=$(git rev-parse --show-toplevel) ||
    fail 2 'there is no git checkout here: bisect builds and compares what is committed in one'
# ---- The library is looked for where a build of this checkout puts it.
case $named in
'') library=$top/build/libkernels.so ;;
/*) library=$named ;;
*) library=$top/$(git rev-parse --show-prefix)$named ;;
esac
library=$(realpath -sm -- "$library")
[[ $library == "$top"/* ]] || fail 2 "--kernels $named is not below $top: name the library where a build of this checkout puts it"
library=${library#"$top"/}
# Where there is no toolkit, a commit of cugate's own takes CUDA from build/cuda, as in ci/build_base.sh. Other makefiles do
# not know the variable CUDA_READY.
hint=''
[ -n "$build" ] || hint="; --build COMMAND, or \`build = COMMAND\` in cugate.ini, says how a commit is built"
# shellcheck disable=SC2016 # for the inner shell
[ -n "$build" ] || build='if [ -e ci/install_cuda_wheels.sh ] && [ -d "$CUGATE_TOP/build/cuda" ]; then mkdir -p build &&
    ln -sfn "$CUGATE_TOP/build/cuda" build/cuda; fi; exec make "$0" CUDA_READY='

# ---- One build.

# Removes what a build changed or left, since it would disturb the next commit. What .gitignore names stays, so that the next
# build is shorter.
tidy() {
    git -C "$tree" reset --quiet --hard
    git -C "$tree" clean -ffdq
}
last_error() { sed -n 's/^cugate: error: //p' "$folder/errors" | tail -n 1; }

# Says on standard error what is done now, since a build may take minutes; not with -q.
tell() {
    [ -n "${CUGATE_QUIET-}" ] || say "$@" >&2
}

# run_build RUN: builds what the worktree holds and runs it, with `variables`, words for env. When it fails, the reason is in
# `why`.
variables=()
run_build() {
    local ended=0
    why=''
    rm -f "$tree/$library" # one of an earlier commit never stands for it
    local began=$SECONDS
    tell 'building %s%s ...\n' "$(git -C "$tree" log -1 --format='%h %s')" "${variables[*]:+ with ${variables[*]}}"
    apart env -C "$tree" "${variables[@]}" CUGATE_TOP="$top" sh -c "$build" "$library" >"$folder/log" 2>&1 || ended=$?
    if [ $ended -ne 0 ]; then # "make: *** [Makefile:3: x.so] Error 1" only says that the line before it was an error
        why=$(LC_ALL=C awk 'NF && !(said && /make.*: \*\*\* .*\] Error /) { said = $0 } END { print said }' "$folder/log")
        why=${why:-"the build ended with $ended"}$hint
    elif [ ! -r "$tree/$library" ]; then
        why="the build succeeded, but there is no $library"
    fi
    tell '... %s after %d s\n' "$([ -z "$why" ] && echo "built" || echo failed)" $((SECONDS - began))
    [ -z "$why" ] || return 1
    apart env "${variables[@]}" "$CUGATE" run -q -k "$kernel" --kernels "$tree/$library" "${options[@]}" --save "$1" >/dev/null 2>"$folder/errors" || ended=$?
    if [ -s "$1" ]; then
        cat "$folder/errors" >&2
        "$CUGATE" bisect --judge ran "$1" -k "$kernel" 2>"$folder/errors" && return
    elif [ $ended -eq 2 ] && "$CUGATE" list --kernels "$tree/$library" >/dev/null 2>&1; then
        why="it has no kernel $kernel"
    fi
    why=${why:-$(last_error)}
    why=${why:-"it ended with $ended"}
    return 1
}
cannot_check_out() { fail 2 "git cannot check out ${1::12} into $tree"; }
judge() { # QUESTION RUN...
    "$CUGATE" bisect --judge "$@" -k "$kernel" ${metric:+-m "$metric"}
}

# compare_ends GOOD_RUN BAD_RUN WORDS: says what got worse, and sets `metric` and `id`. Exits where nothing did.
compare_ends() {
    local ended=0 by=()
    [ "$how" = computed ] || by=(--measure)
    worse=$(judge worse "$1" "$2" "${by[@]}") || ended=$?
    if [ $ended -ne 1 ]; then
        [ -z "$worse" ] || printf '%s\n' "$worse"
        exit $ended
    fi
    read -r metric id <<<"$worse"
    say '%s, %s, %s\n%s\n' "$id" "$how" "$3" "${worse#*$'\n'}"
}
