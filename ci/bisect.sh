#!/usr/bin/env bash
# Does the work of `cugate bisect`, which parses its options and calls this script. git chooses commits, in a worktree of its
# own. Each commit is built and run there, and the program says which end its value is nearer to.
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
options=("$@")
# shellcheck source=ci/bisect_steps.sh
. "$here/bisect_steps.sh"

# ---- Commits.
commit_of() {
    if [[ $1 == -* ]] || ! git rev-parse --verify --quiet "$1^{commit}"; then
        fail 2 "'$1' is no revision of this repository; is it spelt right, and fetched? A shallow clone lacks old ones"
    fi
}
subject_of() { git -C "$top" log -1 --format=%s "$1"; }

good=${range%%..*} bad=${range#*..}
if [[ $range != ?*..?* || -z $good || $bad == .* ]]; then
    fail 2 "'$range' is no range of revisions: write GOOD..BAD, for example v1.0..HEAD"
fi
good=$(commit_of "$good") && bad=$(commit_of "$bad") || exit
git merge-base --is-ancestor "$good" "$bad" ||
    fail 2 "${good::12} is no ancestor of ${bad::12}: GOOD is where BAD came from"
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
        read -r verdict words <<<"$(judge nearer "$folder"/{"$good","$bad","$commit"} 2>"$folder/errors" || echo skip)"
        why=$(last_error)
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
    judge found "$folder"/{"$good","$bad","$first"} ${before:+"$before"}
    exit 1
fi
printf '\nonly commits are left that could not be built or measured; the first bad one is among\n'
sed -n 's/^# possible first bad commit: \[\([0-9a-f]*\)\].*/\1/p' <<<"$log" | while read -r commit; do
    say '  %.12s  %s\n' "$commit" "$(subject_of "$commit")"
done
exit 3
