# shellcheck shell=bash disable=SC2154,SC2016,SC2086
# Ways around runs that were measured in parts. Sourced by run.sh.

# The recording in four parts, by family.
divided() { # FOLDER
    local number
    mkdir "$1"
    for number in 1 2 3 4; do
        jq --argjson number $number '(.kernels | keys) as $all | ([$all[] | split("/")[0]] | unique) as $families
            | .kernels |= with_entries(select((.key | split("/")[0]) as $family | ($families | index($family)) % 4 == $number - 1))
            | .shard = {code: "9f86", kernels: $all, measures: (.kernels | length), number: $number, of: 4}' "$recorded" >"$1/$number.json"
    done
}
parts() { # the same for each row
    echo "metrics = $top/metrics" >cugate.ini
    [ -d "$work/divided" ] || divided "$work/divided" || return
    cp "$work"/divided/* .
}
# spoil FILE PROGRAM: changes it, by jq; a program that changes nothing is no way.
spoil() {
    jq "$2" "$1" >spoilt && ! cmp -s "$1" spoilt && mv spoilt "$1"
}
# Ends with the code of the command before it.
no_run() {
    local code=$?
    [ ! -e run.json ] || say 'a run was written'
    return $code
}
merge='"$cugate" merge -q [1-4]*.json --save run.json; no_run'
check='"$cugate" merge -q [1-4]*.json --save run.json && "$cugate" check $H200 --replay run.json'

way 'parts that are all there' parts 0 "$check" 'nothing is worse'
no_third() { parts && rm 3.json; }
way 'a part is missing' no_third 5 "$merge" 'missing: shard 3 of 4' 'missing in all parts: ' '!a run was written'
way 'a part stands in for the one that is missing' 'parts && cp 4.json 3.json' 5 "$merge" 'missing: shard 3 of 4' '!a run was written'
way 'and says that it was that one' "no_third && spoil 4.json '.shard.number = 3'" 5 "$merge" 'missing: shard 4 of 4' '!a run was written'
of_three() { parts && rm 4.json && for number in 1 2 3; do spoil $number.json '.shard.of = 3' || return; done; }
way 'what is left says that there were no more parts' of_three 5 "$merge" 'missing in all parts: ' '!missing: shard' '!a run was written'
twice() { parts && cp 2.json 2b.json && spoil 2b.json '(.kernels[].metrics.time.sessions[0] | select(.)) |= map(. + 1)'; }
way 'the same part twice, one of them better' twice 2 "$merge" 'are both shard 2 of 4, and differ' '!a run was written'
empty() { parts && spoil 3.json '.kernels = {} | .shard.measures = 0'; }
way 'a part is empty, and says that it was to be' empty 5 "$merge" 'missing in all parts: ' '!a run was written'
interrupted() { parts && spoil 3.json 'del(.kernels[.kernels | keys | last])'; }
way 'a part was interrupted' interrupted 5 "$merge" '3.json, shard 3 of 4, was interrupted' '!a run was written'
counted() { interrupted && spoil 3.json '.shard.measures -= 1'; }
way 'and its count is doctored' counted 5 "$merge" 'missing in all parts: ' '!was interrupted' '!a run was written'
listed() { counted && spoil 3.json '.shard.kernels -= ["transpose/padded"]'; }
way 'and its list' listed 4 "$merge" 'is only in the kernels of' '!a run was written'
forgotten() {
    parts && for number in 1 2 3 4; do
        jq 'del(.kernels["transpose/padded"]) | .shard.kernels -= ["transpose/padded"] | .shard.measures = (.kernels | length)' \
            $number.json >spoilt && mv spoilt $number.json || return
    done
}
way 'all parts agree that a kernel is none' forgotten 5 "$check" 'transpose/padded' missing
too_few() { parts && spoil 3.json '.shard.measures = 0'; }
way 'a part holds more than it was to measure' too_few 2 "$merge" 'should have measured 0 kernels' '!a run was written'
stranger() { parts && spoil 3.json '.shard.kernels -= [.kernels | keys[0]]'; }
way 'a part holds what its list lacks' stranger 2 "$merge" 'which the file has' '!a run was written'
of_other_code() { parts && spoil 3.json '.shard.code = "ffff"'; }
way 'a part of another library' of_other_code 4 "$merge" 'the machine code of their libraries differs' '!a run was written'
of_other_commit() { parts && spoil 3.json '.sessions[0].commit = "0123"'; }
way 'a part of another commit' of_other_commit 4 "$merge" 'commit 0123' '!a run was written'
way 'a part of another GPU' "parts && spoil 3.json '.device.sm_count = 114'" 4 "$merge" 'from different devices' '!a run was written'
other_counter() { parts && spoil 3.json '.metrics.time.counter = "sm__cycles_active.sum"'; }
way 'a part that counted something else' other_counter 4 "$merge" 'they define the metric time differently' '!a run was written'
crashed() { parts && spoil 3.json '.kernels[] |= (.status = "crashed" | .reason = "died" | .metrics = {})'; }
way 'a part whose kernels crashed' crashed 5 '"$cugate" merge -q [1-4].json --save run.json' 'crashed' '(exit 5)'
way 'a part is judged by itself' parts 2 '"$cugate" check $H200 --replay 2.json' 'is only shard 2 of 4: merge all'
way 'and says that it is the whole' "parts && spoil 2.json 'del(.shard)'" 5 '"$cugate" check $H200 --replay 2.json' missing

# ---- The scripts
gated() { ln -s "$top"/{baselines,ci,metrics} . && mkdir -p build/gate/parts && parts; }
judge='CUGATE=$cugate HISTORY= ci/shards.sh judge $H200'
way 'a gate without a part' gated 5 "$judge" 'nothing was measured'
some() { gated && cp [124].json build/gate/parts; }
way 'a gate that lacks a part' some 5 "$judge" 'missing: shard 3 of 4'
stale() { some && cp "$recorded" build/gate/merged.json; }
way 'a gate that finds the run of before' stale 5 "$judge; [ ! -e build/gate/merged.json ] && exit 5" 'missing: shard 3 of 4'
shown() { some && touch build/gate/{check.json,comment.md} && mkdir build/gate/page; }
way 'and what was judged before' shown 5 "$judge; ls build/gate; [ ! -e build/gate/check.json ] && exit 5" '!comment.md' '!page'
every() { gated && cp [1-4].json build/gate/parts; }
way 'a gate whose parts become nothing, which is called good' every 5 'CUGATE=true HISTORY= ci/shards.sh judge $H200'
way 'a part of before, where measuring fails' 'gated && cp 3.json build/gate/parts' 5 \
    'CUGATE=$cugate ci/shards.sh measure 3/4 --kernels nosuch.so; [ ! -e build/gate/parts/3.json ] && exit 5' 'nosuch.so'
