#!/usr/bin/env bash
# Gets the baselines and the metric files of another revision for `cugate check --before`, and prints the folder.
#
#   [CUGATE=build/cugate] ci/before.sh REVISION [OPTION OF cugate check]...
#
# The options and cugate.ini say by --baselines and --metrics which folders these are. (Metrics beside them, by --metrics
# +DIR, are compared with the definitions under which the baseline was accepted.) A folder that this repository or that
# revision lacks is left out, and the check says so. The folder is build/before, made anew each time. The exit code is 2 when
# no such revision.
set -euo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"

fail() {
    printf 'before: %s\n' "$1" >&2
    exit 2
}

revision=${1:?usage: ci/before.sh REVISION [OPTION OF cugate check]...}
shift
plan "$@"

# A hook runs with variables that name the repository; they are unset here.
# shellcheck disable=SC2046 # one word each
unset $(git rev-parse --local-env-vars 2>/dev/null)
if ! top=$(git rev-parse --show-toplevel 2>&1); then
    fail "BASE=$revision needs a git checkout, to know what was weakened since: $top"
elif [[ $revision == -* ]] || ! commit=$(git rev-parse --verify --quiet "$revision^{commit}"); then
    fail "'$revision' is not a revision of this repository: check its spelling, or fetch it (a shallow clone lacks old commits)"
fi

folder=build/before
own_folders "$folder"
mkdir -p "$folder"
rm -rf "$folder"/{baselines,metrics}

lay_out() { # NAME PATH
    local name=$1 path tree place
    [ -n "$2" ] || return 0
    path=$(realpath -sm --relative-to="$top" -- "$2")
    [[ $path != .. && $path != ../* ]] || return 0 # in no revision of this repository
    [ "$path" != . ] || path=''
    tree=$commit:$path
    case $(git cat-file -t "$tree" 2>/dev/null || true) in
    tree) ;;
    '') return 0 ;;
    *) fail "$path is not a folder in $revision" ;;
    esac
    mkdir "$folder/$name"
    place=$(realpath "$folder")
    (
        cd "$top" # below it, git would look at that folder alone
        export GIT_INDEX_FILE=$place/index
        rm -f "$GIT_INDEX_FILE"
        git read-tree "$tree" && git checkout-index --all --prefix="$place/$name/" && rm -f "$GIT_INDEX_FILE"
    ) || fail "cannot lay out $path of $revision in $folder/$name"
}
lay_out baselines "$(planned baselines)"
lay_out metrics "$(planned metrics)"
echo "$folder"
