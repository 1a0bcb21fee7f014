#!/usr/bin/env bash
# Does the work of `cugate bisect --toolchain`, which parses its options and calls this script. The commit that is checked out is
# built in a worktree of its own with the variables of one file and with those of another. Where the second is worse, each
# variable that differs takes its value of the first, one at a time.
#
#   bisect_toolchain.sh GOOD.env BAD.env KERNEL METRIC LIBRARY BUILD computed|measured [OPTION OF cugate run]...
#
# A file has a line NAME=VALUE for each variable of the build's environment; empty lines and those that begin with # are left
# out. What else there is to say stands in bisect.sh.
set -uo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
good=$1 bad=$2 kernel=$3 metric=$4 named=$5 build=$6 how=$7
shift 7
options=("$@")
# shellcheck source=ci/bisect_steps.sh
. "$here/bisect_steps.sh"

# ---- The variables.
declare -A was is
names=()
read_variables() { # FILE TABLE
    local -n into=$2
    local line number=0
    [ -r "$1" ] || fail 2 "cannot read $1: it should have a line NAME=VALUE for each variable of the build"
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        [[ $line != '' && $line != \#* ]] || continue
        [[ $line =~ ^([A-Za-z_][A-Za-z_0-9]*)=(.*)$ ]] ||
            fail 2 "$1:$number: this is no variable: a line is NAME=VALUE, without quotes around the value"
        # shellcheck disable=SC2034,SC2004 # it is another name of the table, whose keys are no numbers
        into[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
    done <"$1"
}
read_variables "$good" was
read_variables "$bad" is
while IFS= read -r name; do
    [ "${was[$name]-unset}" = "${is[$name]-unset}" ] || names+=("$name")
done < <(printf '%s\n' "${!was[@]}" "${!is[@]}" | sort -u)
[ ${#names[@]} -gt 0 ] || fail 2 "$good and $bad have the same variables: name in them what makes the code, such as NVCC"

# take TABLE [NAME]: sets `variables` to those of a table, but of that name to its value of the good one.
take() {
    local -n from=$1
    local name set=()
    variables=()
    for name in "${!from[@]}"; do
        [ "$name" = "${2-}" ] || set+=("$name=${from[$name]}")
    done
    if [ -n "${2-}" ] && [ -n "${was[$2]+set}" ]; then
        set+=("$2=${was[$2]}")
    elif [ -n "${2-}" ]; then
        variables+=(-u "$2")
    fi
    variables+=("${set[@]}")
}
# Nothing that a build left may stand for what another toolchain makes.
sweep() {
    tidy
    git -C "$tree" clean -ffdqx
}

# ---- The ends.
commit=$(git rev-parse HEAD)
git -C "$top" worktree add --quiet --detach "$tree" "$commit" >/dev/null || cannot_check_out "$commit"
take was
run_build "$folder/good" || fail 5 "nothing can be compared: with $good: $why"
sweep
take is
run_build "$folder/bad" || fail 5 "nothing can be compared: with $bad: $why"
compare_ends "$folder"/{good,bad} "$(printf '%.12s with %s and with %s' "$commit" "$good" "$bad")"

# ---- One variable at a time.
causes=() skipped=0
for name in "${names[@]}"; do
    sweep
    take is "$name"
    verdict=skip words=''
    if run_build "$folder/one"; then
        read -r verdict words <<<"$(judge nearer "$folder"/{good,bad,one} 2>"$folder/errors" || echo skip)"
        why=$(last_error)
    fi
    rm -f "$folder/one"
    say '  %-4s  %12s  with %s=%s, not %s\n' "$verdict" "$words" "$name" "${was[$name]-}" "${is[$name]-}"
    case $verdict in
    good) causes+=("$name") ;;
    skip) skipped=$((skipped + 1)) && say '                left out: %s\n' "$why" ;;
    esac
done
if [ ${#causes[@]} -gt 0 ]; then
    list=$(printf ', or %s' "${causes[@]}")
    say '\nit is %s: with its value of %s the kernel is as good as there\n' "${list#, or }" "$good"
    exit 1
fi
if [ $skipped -gt 0 ]; then
    printf '\nnone that could be built or measured is it alone\n'
else
    printf '\nnone of them is it alone: it takes several together\n'
fi
exit 3
