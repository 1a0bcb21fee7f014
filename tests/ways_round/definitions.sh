# shellcheck shell=bash disable=SC2154,SC2016
# Ways around the definitions: what a change of metric files, baselines and expectations can take away. Sourced by run.sh.

# own_metrics SED: a copy of the metric files, changed.
own_metrics() {
    cp -r "$top/metrics" metrics
    sed -i "$1" metrics/*.ini
    ! diff -rq "$top/metrics" metrics >/dev/null
}

everything_passes() { own_metrics '/^\[time\]/,/^doc/s/^floor = .*/floor = 100 %/'; }
way 'a floor of 100 %' everything_passes 2 '"$cugate" check --baselines "$top/baselines" --metrics metrics --replay "$recorded"' \
    'core.ini' 'with the floor "100 %" every value passes'

all_points_pass() { own_metrics '/^\[achieved_occupancy\]/,/^doc/s/^floor = .*/floor = 100 points/'; }
way 'a floor of 100 points' all_points_pass 2 \
    '"$cugate" check --baselines "$top/baselines" --metrics metrics --replay "$recorded"' 'with the floor "100 points" every value passes'

# accepted_under SED: a baseline that was accepted under the metric files of the tree, changed ones, and a worse run.
accepted_under() {
    sed '/"transpose\/padded"/,/"status"/s/\("shared_wavefronts": .*\[\[\).*/\11048577]]},/' "$recorded" >worse.json
    ! cmp -s worse.json "$recorded" &&
        "$cugate" accept "$recorded" --metrics "$top/metrics" --baselines accepted --reason first -k 'transpose/*' &&
        own_metrics "$1"
}
weaker_class() { accepted_under '/^\[shared_wavefronts\]/,/^doc/s/^class = .*/class = info/'; }
way 'a class weakened beside the baseline' weaker_class 0 \
    '"$cugate" check --baselines accepted --metrics metrics --replay worse.json -k "transpose/*"' \
    'WEAKENED' 'shared_wavefronts (class exact ->'
way 'a direction turned round beside the baseline' \
    "accepted_under '/^\[shared_wavefronts\]/,/^doc/s/^better.*/better=higher/'" 3 \
    '"$cugate" check --baselines accepted --metrics metrics --replay worse.json -k "transpose/*" --format json' \
    'WEAKENED' 'shared_wavefronts (better lower -> higher)'
way 'a floor widened beside the baseline' "accepted_under '/^\[time\]/,/^doc/s/^floor.*/floor=60%/'" 0 \
    '"$cugate" check --baselines accepted --metrics metrics --replay "$recorded" -k "transpose/*" --format comment' \
    'WEAKENED' 'floor 2 % and 250 ns'

# The revision before is this tree's, in before/; the change is to baselines and metrics beside it.
before() {
    mkdir before
    cp -r "$top/baselines" "$top/metrics" before
    cp -r "$top/baselines" "$top/metrics" .
}
CHECK='--baselines baselines --metrics metrics --before before --replay "$recorded"'

dropped_kernel() { before && rm baselines/nvidia-h200/transpose/padded.json && sed 's/"transpose\/padded"/"transpose\/other"/' "$recorded" >run.json; }
way 'the baseline of a kernel deleted' dropped_kernel 0 \
    '"$cugate" check --baselines baselines --metrics metrics --before before --replay run.json' \
    'WEAKENED: kernels are gone from the baseline: transpose/padded'

dropped_row() { before && sed -i '/^ *"shared_wavefronts": {.*sessions/d' baselines/nvidia-h200/transpose/padded.json; }
way 'a row deleted from the baseline' dropped_row 3 "\"\$cugate\" check $CHECK --format json" \
    'WEAKENED: values are gone from the baseline: transpose/padded shared_wavefronts'

raised_row() {
    before && sed -i '/^ *"shared_wavefronts": {.*sessions/s/1048576/2097152/g' baselines/nvidia-h200/transpose/padded.json
}
way 'a row of the baseline made worse by hand' raised_row 3 "\"\$cugate\" check $CHECK --format comment" \
    'WEAKENED: values were made worse in the baseline without a reason: transpose/padded shared_wavefronts: 1,048,576 -&gt; 2,097,152'

laxer_metric() { before && sed -i '/^\[time\]/,/^doc/s/^floor = .*/floor = 60 %/' metrics/core.ini; }
way 'a floor widened, and the baseline says nothing of floors' laxer_metric 0 "\"\$cugate\" check $CHECK --format junit" \
    'WEAKENED: metrics are defined less strictly: time (floor'

deleted_metric() { before && sed -i '/^\[l1_hit_rate\]/,/^\[/{/^\[l1_hit_rate\]/d;/^\[/!d}' metrics/*.ini; }
way 'a metric deleted' deleted_metric 3 "\"\$cugate\" check $CHECK --format markdown" \
    'WEAKENED: metrics are gone from the metric files: l1_hit_rate'

excused() {
    before && printf '[transpose/padded time]\nissue = x\nexpires = 2030-01-31\n' >before/baselines/nvidia-h200/expected.ini &&
        printf '[transpose/padded time]\nissue = x\nexpires = 2039-01-31\n' >baselines/nvidia-h200/expected.ini &&
        sed '/"transpose\/padded"/,/"status"/s/\("time": .*\[\[\).*/\160000]]},/' "$recorded" >run.json &&
        ! cmp -s run.json "$recorded"
}
way 'an expectation that lasts longer' excused 0 \
    '"$cugate" check --baselines baselines --metrics metrics --before before --replay run.json -k "transpose/*"' \
    'expected.ini excuses more: transpose/padded time (extended from 2030-01-31 to'

way 'the baseline of a kernel deleted, where only machine code is judged' 'before && rm baselines/nvidia-h200/reduce/cub.json' 0 \
    '"$cugate" check --static=nvidia-h200 --kernels "$top/build/libkernels.so" --baselines baselines --metrics metrics --before before ||
     [ $? = 3 ] # another compiler' \
    'WEAKENED: kernels are gone from the baseline: reduce/cub'

way 'a revision before that is not there' : 2 '"$cugate" check $H200 --before nowhere --replay "$recorded"' 'cannot read nowhere'
way 'a revision before that holds nothing' 'mkdir before' 0 '"$cugate" check $H200 --before before --replay "$recorded"' \
    'before has no folder metrics' 'before has no folder baselines'
way 'one without metrics, where all are cugate'"'"'s own' 'mkdir -p before/baselines' 0 \
    '"$cugate" check --baselines "$top/baselines" --before before --replay "$recorded"' 'nothing is worse' '!has no metrics'
way 'a revision before that cannot be read' "before && echo '[time' >before/metrics/core.ini" 2 "\"\$cugate\" check $CHECK" 'before/metrics/core.ini'
way 'expectations before that cannot be read' "before && echo '[x' >before/baselines/nvidia-h200/expected.ini" 2 \
    "\"\$cugate\" check $CHECK" 'before/baselines/nvidia-h200/expected.ini:1'
elsewhere() { before && sed -i 's/"sm_count": 132/"sm_count": 114/' before/baselines/nvidia-h200/*/*.json; }
way 'a baseline before of another GPU' elsewhere 0 "\"\$cugate\" check $CHECK" 'has no baseline that fits this GPU'
way 'no baseline before of this GPU' 'before && rm -r before/baselines/nvidia-h200' 0 "\"\$cugate\" check $CHECK" '!WEAKENED'
