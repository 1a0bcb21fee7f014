#!/usr/bin/env bash
# Does the work of `cugate bisect`, which parses its options and calls this script. git chooses commits, in a worktree of its
# own. Each commit is built and run there, and `cugate compare` compares the runs. A commit is bad when its value is nearer to
# that of BAD.
#
#   bisect.sh GOOD..BAD KERNEL METRIC LIBRARY BUILD computed|measured [OPTION OF cugate run]...
#
# An empty METRIC stands for the metric that got worse most, an empty LIBRARY for that of cugate's own tree, and an empty
# BUILD for `make LIBRARY`. The checkout is not touched, nor is a bisection that is under way there. `cugate bisect --help`
# lists the exit codes.
set -uo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
range=$1 kernel=$2 metric=$3 named=$4 build=$5 how=$6
shift 6
options=("$@") sets=()
for option; do
    [[ $option != --metrics=* ]] || sets+=("$option")
done
command -v jq >/dev/null || {
    echo 'cugate: error: bisect reads JSON by jq: apt-get install jq' >&2
    exit 2
}

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

# A hook runs with variables that name its repository, and a make that called this has variables for its own
# rules. The build gets neither.
# shellcheck disable=SC2046 # one word each
unset $(git rev-parse --local-env-vars 2>/dev/null) MAKEFLAGS MFLAGS MAKELEVEL
git() { command git -c core.hooksPath=/dev/null -c advice.detachedHead=false "$@" 2>/dev/null; }
top=$(git rev-parse --show-toplevel) ||
    fail 2 'not a git checkout: bisect builds and compares the commits of one'
# ---- The library is looked for where a build of this checkout puts it.
case $named in
'') library=$top/build/libkernels.so ;;
/*) library=$named ;;
*) library=$top/$(git rev-parse --show-prefix)$named ;;
esac
library=$(realpath -sm -- "$library")
[[ $library == "$top"/* ]] || fail 2 "--kernels $named is not below $top: pass the path where the build of this checkout writes the library"
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

# run_build RUN: builds what the worktree holds and runs it. When it fails, the reason is in `why`.
run_build() {
    local ended=0
    why=''
    rm -f "$tree/$library" # one of an earlier commit never stands for it
    local began=$SECONDS
    tell 'building %s ...\n' "$(git -C "$tree" log -1 --format='%h %s')"
    apart env -C "$tree" CUGATE_TOP="$top" sh -c "$build" "$library" >"$folder/log" 2>&1 || ended=$?
    if [ $ended -ne 0 ]; then # "make: *** [Makefile:3: x.so] Error 1" only says that the line before it was an error
        why=$(LC_ALL=C awk 'NF && !(said && /make.*: \*\*\* .*\] Error /) { said = $0 } END { print said }' "$folder/log")
        why=${why:-"the build ended with $ended"}$hint
    elif [ ! -r "$tree/$library" ]; then
        why="the build succeeded, but there is no $library"
    fi
    tell '... %s after %d s\n' "$([ -z "$why" ] && echo "built" || echo failed)" $((SECONDS - began))
    [ -z "$why" ] || return 1
    apart "$CUGATE" run -q -k "$kernel" --kernels "$tree/$library" "${options[@]}" --save "$1" >/dev/null 2>"$folder/errors" || ended=$?
    if [ -s "$1" ]; then
        cat "$folder/errors" >&2
        why=$(jq -r --arg kernel "$kernel" '.kernels | if length == 1 then .[] | select(.status != "ok") | "\(.status): \(.reason)"
            elif length == 0 then "it has no kernel \($kernel)" else "-k \($kernel) matches \(length) kernels: choose one" end' "$1")
        [ -n "$why" ] || return 0
    elif [ $ended -eq 2 ] && "$CUGATE" list --kernels "$tree/$library" >/dev/null 2>&1; then
        why="it has no kernel $kernel"
    fi
    why=${why:-$(last_error)}
    why=${why:-"it ended with $ended"}
    return 1
}
cannot_check_out() { fail 2 "git cannot check out ${1::12} into $tree"; }

# rows BASE RUN JQ [--arg NAME VALUE]...: what the jq program says of the rows of the second run beside the first one's; the exit
# code is that of the comparison. `clear` are rows with a number on both sides.
rows() {
    local code=0 base=$1 run=$2 program=$3
    shift 3
    "$CUGATE" compare --format json -o "$folder/compared" --trades no "${sets[@]}" "$base" "$run" >/dev/null 2>"$folder/errors" || code=$?
    case $code in 2 | 4) return $code ;; esac
    jq -r --arg metric "$metric" "$@" '
        def number: if fabs < 1e15 and floor == . then tostring | until(test("[0-9]{4}") | not;
            sub("(?<a>[0-9])(?<b>[0-9]{3})(?![0-9])"; "\(.a),\(.b)")) else tostring end;
        def share: if .base == 0 then "" else (.now / .base * 1000 | round / 10 - 100) as $p
            | " (\(if $p < 0 then "" else "+" end)\($p * 10 | round / 10) %)" end;
        def change: "  \(.metric): \(.base | number) -> \(.now | number)\(share)";
        [.judgements[] | select(.metric and .class != "info" and ($metric == "" or .metric == $metric))] as $all
        | [$all[] | select(.change != null)] as $clear | '"$program" "$folder/compared"
    return $code
}

# compare_ends GOOD_RUN BAD_RUN WORDS: says what got worse. Sets `metric`, `worst` (its value at BAD) and `whole` (its change).
# Exits where nothing got worse.
compare_ends() {
    local code=0 worse
    # shellcheck disable=SC2016 # of jq
    worse=$(rows "$1" "$2" '($clear | map(select(.verdict == "regressed" or (.verdict == "unsure" and .agree > 0)))[0] // empty) | .metric, .kernel, change, .now, (.now - .base | fabs)') || code=$?
    case $code in 2 | 4) fail $code "$(last_error)" ;; esac
    if [ -n "$worse" ]; then
        { read -r metric && read -r kernel && read -r change && read -r worst && read -r whole; } <<<"$worse"
        say '%s, %s, %s\n  %s\n' "$kernel" "$how" "$3" "$change"
        return
    fi
    # shellcheck disable=SC2016
    why=$(rows "$1" "$2" '($all | map(select(.verdict == "unsure" or .verdict == "missing"))[0] // empty)
        | "\(.metric) of \(.kernel) cannot be compared: \(.reason // .verdict)"')
    [ -z "$why" ] || fail 3 "$why"
    # shellcheck disable=SC2016
    [ "$(rows "$1" "$2" '$clear | length')" != 0 ] || fail 5 "${metric:-nothing} of $kernel has no number at both ends"
    say '%s: not worse at %.12s than at %.12s, by %s\n' "$kernel" "$bad" "$good" "${metric:-any ${how/measured/} metric}"
    [ -z "$metric" ] && [ "$how" = computed ] || exit 0
    echo 'to bisect by time, on a GPU: -m time'
    exit 3
}

# ---- Commits.
commit_of() {
    if [[ $1 == -* ]] || ! git rev-parse --verify --quiet "$1^{commit}"; then
        fail 2 "'$1' is not a revision of this repository: check its spelling, or fetch it (a shallow clone lacks old commits)"
    fi
}
subject_of() { git -C "$top" log -1 --format=%s "$1"; }

good=${range%%..*} bad=${range#*..}
if [[ $range != ?*..?* || -z $good || $bad == .* ]]; then
    fail 2 "'$range' is not a range of revisions: write GOOD..BAD, for example v1.0..HEAD"
fi
good=$(commit_of "$good") && bad=$(commit_of "$bad") || exit
git merge-base --is-ancestor "$good" "$bad" ||
    fail 2 "${good::12} is not an ancestor of ${bad::12}: name an ancestor of BAD as GOOD"
count=$(git rev-list --count "$good..$bad")
[ "$count" != 0 ] || fail 2 "$range has no commit: both are ${bad::12}"

run_end() { # WORD COMMIT RUN
    run_build "$3" || fail 5 "nothing can be compared: $1 (${2::12}): $why"
}

# ---- The ends.
git -C "$top" worktree add --quiet --detach "$tree" "$good" >/dev/null || cannot_check_out "$good"
run_end GOOD "$good" "$folder/$good"
tidy
git -C "$tree" checkout --quiet --detach "$bad" || cannot_check_out "$bad"
run_end BAD "$bad" "$folder/$bad"
compare_ends "$folder"/{"$good","$bad"} "$(printf '%d commits from %.12s on to %.12s' "$count" "$good" "$bad")"

# ---- Between them. The exit status of git does not help: `git bisect skip` fails when only skipped commits are left.
tidy
git -C "$tree" bisect start "$bad" "$good" >/dev/null
while log=$(git -C "$tree" bisect log) && ! grep -q '^# first bad commit: \[\|^# only skipped commits left' <<<"$log"; do
    commit=$(git -C "$tree" rev-parse HEAD)
    verdict=skip words=''
    if run_build "$folder/$commit"; then
        # shellcheck disable=SC2016
        read -r verdict words <<<"$(rows "$folder/$good" "$folder/$commit" '$clear[0] | if . then
            "\(if (.now - $worst | fabs) < (.now - .base | fabs) then "bad" else "good" end) \(.now | number)" else
            "skip \($all[0].reason // "not measured")" end' --argjson worst "$worst")"
        [ -n "$verdict" ] || verdict=skip words=$(last_error)
        [ "$verdict" != skip ] || why="$metric: $words" words=''
    fi
    [ "$verdict" != skip ] || rm -f "$folder/$commit"
    say '  %.12s  %-4s  %12s  %s\n' "$commit" "$verdict" "$words" "$(subject_of "$commit")"
    [ "$verdict" != skip ] || say '                left out: %s\n' "$why"
    tidy
    git -C "$tree" bisect "$verdict" >/dev/null
done
[ -n "$log" ] || fail 2 "git bisect failed in $tree"

first=$(sed -n 's/^# first bad commit: \[\([0-9a-f]*\)\].*/\1/p' <<<"$log")
if [ -n "$first" ]; then
    say '\nfirst bad commit: %.12s %s\n' "$first" "$(subject_of "$first")"
    before=$folder/$(git -C "$top" rev-parse --verify --quiet "$first^")
    [ -f "$before" ] || before=''
    # shellcheck disable=SC2016
    rows "${before:-"$folder/$good"}" "$folder/$first" '$clear[0] | change'
    # shellcheck disable=SC2016
    [ -z "$before" ] || [ "$(rows "$before" "$folder/$first" '$clear[0] | (.now - .base | fabs) < $whole' --argjson whole "$whole")" != true ] ||
        echo '  this commit explains only part of the change; another commit in the range explains the rest'
    exit 1
fi
printf '\nthe remaining commits could not be built or measured; the first bad one is among\n'
sed -n 's/^# possible first bad commit: \[\([0-9a-f]*\)\].*/\1/p' <<<"$log" | while read -r commit; do
    say '  %.12s  %s\n' "$commit" "$(subject_of "$commit")"
done
exit 3
