# shellcheck shell=bash
# Where the scripts are: sourced by those that are installed too (Makefile), which work in whatever folder they are called
# from. Sets `here`, their folder; `in_tree`, 1 where they lie in cugate's sources, else empty; `own_tree`, 1 where they are
# also called from there, so that cugate's own kernels are judged; and CUGATE, the program that goes with them, where it is
# not set: the one built here, installed with them, or (ci/action.yml) on the PATH.
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

# tell_help "$@": prints the comment at the head of the script, and ends it, when its first argument asks for help.
tell_help() {
    case ${1-} in
    -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    esac
}
