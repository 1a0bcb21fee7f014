# shellcheck shell=bash
# Says where the scripts are. All scripts source it, also those that are installed (Makefile) and are called from any folder.
# It sets `here`, their folder. `in_tree` is 1 if that is in cugate's sources, otherwise empty. `own_tree` is 1 if they are
# also called from there, so that cugate's own kernels are judged. If CUGATE is not set, it becomes the program that belongs
# to them: the one built here, installed with them, or (ci/action.yml) on the PATH.
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
in_tree='' own_tree=''
[ ! -d "$here/../harness" ] || in_tree=1
[ -z "$in_tree" ] || [ ! ci/where.sh -ef "$here/where.sh" ] || own_tree=1
if [ -n "$own_tree" ]; then
    export CUGATE=${CUGATE:-build/cugate}
elif [ -n "$in_tree" ]; then
    export CUGATE=${CUGATE:-cugate}
else
    export CUGATE=${CUGATE:-$(realpath -m "$here/../../../bin/cugate")}
fi

# plan [OPTION OF cugate check]...: asks the program what these options amount to, since only the program parses them. It
# fails as the program does.
# planned KEY: prints one answer to that, which `cugate check --help -v` names under --dry-run. It is empty where the answer is
# null.
plan() {
    the_plan=''
    if ! command -v jq >/dev/null; then
        echo "${0##*/}: this reads JSON by jq: apt-get install jq" >&2
        return 2
    fi
    local answers code=0
    answers=$("$CUGATE" check --dry-run "$@") || code=$?
    the_plan=$(jq -r 'to_entries[] | select(.value) | @sh "[\(.key)]=\(.value)"' <<<"$answers" 2>/dev/null) || true
    return $code
}
planned() {
    local -A answers="($the_plan)"
    printf '%s\n' "${answers[$1]-}"
}

# options_of_base WAY [OPTION OF cugate check]...: sets the array `base_options` to the options that BASE, a revision, adds.
# They say what was weakened since. If WAY executes cugate's own kernels, or measures those of others, they also name a build
# of that revision to run in turn.
options_of_base() {
    local before library way=$1
    shift
    base_options=()
    [ -n "${BASE-}" ] || return 0
    before=$("$here/before.sh" "$BASE" "$@")
    base_options=(--before "$before")
    if [ -n "$own_tree" ]; then
        [[ $way == measure || $way == simulate ]] || return 0
        library=$("$here/build_base.sh" "$BASE")
    else # counts that are computed are those of the baseline, if the same compiler made it
        [ "$way" = measure ] && library=$(library_of_base) || return 0
    fi
    base_options+=(--against "$library")
}

# library_of_base: builds the library of others at BASE, and prints its path. It fails where nobody says how it is built: by
# CUGATE_BUILD, or `build` of cugate.ini.
library_of_base() {
    local command
    command=${CUGATE_BUILD:-$(configured build)}
    [[ -n $command && -n $(planned kernels) && -z $(planned against) ]] || return 1
    "$here/build_base.sh" "$BASE" "$(realpath -sm --relative-to=. "$(planned kernels)")" "$command" && return
    echo "${0##*/}: the base is not built, so nothing is compared with it, and the baseline alone decides" >&2
    return 1
}

# configured KEY: prints the value that cugate.ini has for it; nothing where it has none. A library that it names may be
# missing yet.
configured() {
    "$CUGATE" list config | sed -n "s/^$1 = //p"
}

# is_set VALUE: whether a variable says yes.
is_set() {
    [ -n "$1" ] && [ "$1" != 0 ] && [ "$1" != false ]
}

# forget_reports DIR [FILE]: removes what an earlier `cugate check --out DIR` left there, which must not pass for a result of
# this one. FILE stays.
forget_reports() {
    local name
    for name in run.json check.json report.txt junit.xml summary.md comment.md annotations.txt report.sarif bmf.json benchmarks.json; do
        [ "$1/$name" -ef "${2-}" ] || rm -f "$1/$name"
    done
}

# own_folders FOLDER...: fails where a change may have brought such a folder of the scripts': git tracks something in it, it
# is a link, or it is reached by a link that git tracks. What is behind a link would be removed or replaced.
own_folders() {
    local top folder at brought
    top=$(git rev-parse --show-toplevel 2>/dev/null) || top=$(pwd -P)
    for folder; do
        at=$(realpath -sm -- "$folder") brought=''
        [[ $at == "$top"/* ]] || continue
        read -r brought < <(git -C "$top" ls-files -- "$at" 2>/dev/null) || true
        [ ! -L "$at" ] || brought=$at
        while [ -z "$brought" ] && at=${at%/*} && [ "$at" != "$top" ]; do
            [ ! -L "$at" ] || brought=$(git -C "$top" ls-files -- "$at" 2>/dev/null) || true
        done
        [ -n "$brought" ] || continue
        echo "${0##*/}: $folder is made here, but $brought is a link, or git tracks it: remove it" >&2
        return 2
    done
}

# tell_help "$@": if the first argument asks for help, prints the comment at the head of the script, and ends it.
tell_help() {
    case ${1-} in
    -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    esac
}
