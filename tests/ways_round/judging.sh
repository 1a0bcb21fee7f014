# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the judging: what a baseline, a run file or an expectation can be made to say. Sourced by run.sh.

undated_expectation() {
    cp -r "$top/baselines" baselines
    printf '[transpose/padded shared_wavefronts]\nissue = x\nexpires = 2020-01-31\n' >baselines/nvidia-h200/expected.ini
    sed '/"transpose\/padded"/,/"status"/s/\("shared_wavefronts": .*\[\[\).*/\11048577]]},/; s/"date": "[^"]*", //' \
        "$recorded" >run.json
    ! grep -q '"date"' run.json && ! cmp -s run.json "$recorded"
}
way 'an expectation that is over excuses a run without a date' undated_expectation 1 \
    '"$cugate" check $H200 --baselines baselines --replay run.json' 'transpose/padded' 'has no date'
