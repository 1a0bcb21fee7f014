# shellcheck shell=bash disable=SC2154,SC2016
# Ways around the scripts of ci/. Sourced by run.sh.

# A tree whose scripts are the real ones, and a cugate in build/ that ends with 0 and does what else is said here.
liar() {
    ln -s "$top"/{baselines,ci,metrics} . && mkdir build
    printf '#!/usr/bin/env bash\n[ "$2" != --dry-run ] || exit 0\n%s\nexit 0\n' "$1" >build/cugate
    chmod +x build/cugate
}
NO_VERDICT='nothing shows what was judged'
way 'a gate whose cugate passes and reports nothing' 'liar :' 5 'CUGATE=build/cugate ci/gate.sh' "$NO_VERDICT"
way 'check_perf.sh with a cugate that passes and reports nothing' 'liar :' 5 'CUGATE=build/cugate ci/check_perf.sh' "$NO_VERDICT"
way 'a night whose cugate passes and reports nothing' 'liar :' 5 'CUGATE=build/cugate ci/nightly.sh' "$NO_VERDICT"

half_a_report() { liar 'mkdir -p "$3"; printf "{\"schema\": 1,\n \"exit_code\": 0,\n" >"$3/check.json"'; } # of --out
way 'a gate whose report is cut off' half_a_report 5 'CUGATE=build/cugate ci/gate.sh' "$NO_VERDICT"

other_verdict() {
    liar "'$cugate' \"\$@\" --baselines '$top/baselines' --metrics '$top/metrics'"
    sed '/"transpose\/padded"/,/"status"/s/\("shared_wavefronts": .*\[\[\).*/\11048577]]},/' "$recorded" >run.json
}
way 'a gate that ends with 0 and reports a regression' other_verdict 5 'CUGATE=build/cugate ci/gate.sh --replay run.json' \
    'cugate ended with 0, but build/gate/check.json says 1'
helpful() { liar "exec '$cugate' \"\$@\""; }
way 'check_perf.sh that is asked for help' helpful 5 'CUGATE=build/cugate ci/check_perf.sh --help' "$NO_VERDICT"

# The same tree and the real cugate, which looks for no GPU.
no_gpu() {
    liar "exec '$cugate' \"\$@\""
    sed -i "s/^\(.*--dry-run \] ||\) .*/\1 { echo '{\"way\": \"measure\", \"no_gpu\": \"none\"}'; exit; }/" build/cugate
    mkdir -p tests/data && ln -s "$recorded" tests/data/ && ln -s "$top/build/libkernels.so" build/
    cp "$top/cugate.ini" . # says which GPU is simulated
}
way 'a CI server without a GPU judges the code at hand, and no recording' no_gpu 0 \
    'CI=true CUGATE=build/cugate ci/check_perf.sh -k "transpose/*"' 'COMPUTED: NO KERNEL RAN ON A GPU' '!REPLAY'
way 'a CI server without a GPU that is to be strict' no_gpu 5 'CI=true STRICT=1 CUGATE=build/cugate ci/check_perf.sh' \
    'STRICT is set' '!COMPUTED'
way 'a CI server without a GPU makes a night of recordings' no_gpu 5 'CI=true CUGATE=build/cugate ci/nightly.sh' 'CI is set' \
    '!judging'

# A repository of three kernels, whose last change takes one out of the baseline.
weakened() {
    mkdir -p baselines/nvidia-h200 build && ln -s "$top/ci" . && cp -r "$top/metrics" . &&
        cp -r "$top/baselines/nvidia-h200/transpose" baselines/nvidia-h200 &&
        git init -q && git add baselines metrics && git -c user.name=test -c user.email=test@localhost commit -qm first &&
        rm baselines/nvidia-h200/transpose/padded.json
}
way 'a pull request drops a baseline' weakened 0 \
    'BASE=HEAD CUGATE="$cugate" ci/gate.sh --static --kernels "$top/build/libkernels.so" --metrics metrics -k "transpose/*" ||
     [ $? = 3 ]; cat build/gate/comment.md' \
    'WEAKENED: kernels are gone from the baseline: transpose/padded' '**STATIC' '- note: WEAKENED'
