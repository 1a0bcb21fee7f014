# shellcheck shell=bash disable=SC2034,SC2154 # scripts read what is set here, and begin.sh set what is read
# Sourced, behind begin.sh, by scripts that run programs on the stand-in (tests/standin), whose own words may choose cases:
# $only. It goes to $work, and sets $standin, its folder; $program, made_program.c's; $standing_in, a command that runs
# others on it; and $metrics. What these leave is in the folders counters and tmp.
standin=$(dirname "$cugate")/tests/standin
program=$standin/program
metrics=$top/metrics
standing_in=(env "LD_LIBRARY_PATH=$standin" "LD_PRELOAD=$standin/libcupti.so.13")
cd "$work" || exit 2

# Sanitizers would take crashes for theirs, and do not like to be loaded second.
ulimit -c 0
export ASAN_OPTIONS=handle_segv=0:handle_abort=0:verify_asan_link_order=0
mkdir counters tmp
export STANDIN_DIR=$work/counters XDG_RUNTIME_DIR=$work/counters TMPDIR=$work/tmp LC_ALL=C
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH CUDA_VISIBLE_DEVICES CUGATE

# chosen LABEL: whether it has the word that was asked for.
chosen() {
    case $1 in *"$only"*) ;; *) return 1 ;; esac
}

# child PID: of that process.
child() {
    local pid
    read -r pid <"/proc/$1/task/$1/children"
    echo "$pid"
}

# Prints what a program said alone (in alone, alone.errors) and otherwise with cugate (with, with.errors).
differs() {
    cmp -s <(sort alone) <(sort with) || diff alone with | sed 's/^/DIFFERS: /'
    comm -23 <(sort alone.errors) <(sort with.errors) | sed 's/^/DIFFERS: without /'
}
