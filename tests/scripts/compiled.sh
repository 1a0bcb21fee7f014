# shellcheck shell=bash
# Sourced by scripts whose kernels nvcc compiles once for all builds and runs, into the folder $compiled of the script's own.
# `make compiled` calls such a script with --compile: its function compile() leaves there what the script then tests.
#
#   begin_compiled "$@"            compiles and ends, or finds that `make compiled` did
#   in_compiled NAME COMMAND...    asks a command (expect.sh) in the folder NAME, below which the texts of source lines are

begin_compiled() {
    if [ "${1-}" = --compile ]; then
        set -e
        cd "${compiled:?}" || exit 2
        compile
        exit
    fi
    [ -e "$compiled/ready" ] || { echo "there is no $compiled/ready: make compiled" >&2; exit 2; }
}

in_compiled() {
    cd "$compiled/$1" || exit 2
    ask "${@:2}"
    cd "${top:?}" || exit 2
}
