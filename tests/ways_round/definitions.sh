# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the definitions: what a change of metric files, baselines and expectations can take away. Sourced by run.sh.

# own_metrics SED: a copy of the metric files, changed.
own_metrics() {
    cp -r "$top/metrics" metrics
    sed -i "$1" metrics/*.ini
    ! diff -rq "$top/metrics" metrics >/dev/null
}

everything_passes() { own_metrics '/^\[time\]/,/^doc/s/^floor = .*/floor = 100 %/'; }
way 'a floor of 100 %' everything_passes 2 '"$cugate" check --baselines "$top/baselines" --metrics metrics --replay "$recorded"' \
    'core.ini' 'the floor "100 %" lets everything pass'

all_points_pass() { own_metrics '/^\[achieved_occupancy\]/,/^doc/s/^floor = .*/floor = 100 points/'; }
way 'a floor of 100 points' all_points_pass 2 \
    '"$cugate" check --baselines "$top/baselines" --metrics metrics --replay "$recorded"' 'the floor "100 points" lets everything pass'

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
    'accepted_under /^\[shared_wavefronts\]/,/^doc/s/^better.*/better=higher/' 0 \
    '"$cugate" check --baselines accepted --metrics metrics --replay worse.json -k "transpose/*" --format json' \
    'WEAKENED' 'shared_wavefronts (better lower -> higher)'
way 'a floor widened beside the baseline' 'accepted_under /^\[time\]/,/^doc/s/^floor.*/floor=60%/' 0 \
    '"$cugate" check --baselines accepted --metrics metrics --replay "$recorded" -k "transpose/*" --format comment' \
    'WEAKENED' 'floor 2 % and 250 ns'
