# The table of bench_measuring.sh: $old and $new are lists of run files, a session each.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def places($n): . * pow(10; $n) | round | . / pow(10; $n);
def padded($width): tostring | . + " " * ([$width - length, 0] | max);
def left($width): tostring | " " * ([$width - length, 0] | max) + .;
def bar($good): if $good then "ok" else "OUT" end;
# Of one metric of a kernel: the samples of each session that has it.
def sessions($runs; $id; $metric): [$runs[].kernels[$id].metrics[$metric].sessions[0]? | select(. != null and length > 0)];
def time_of($runs): [sessions($runs; .; "time")[] | median] | if length > 0 then median else null end;
def spread_of($runs): [sessions($runs; .; "time")[] | (max - min) / median] | if length > 0 then median else null end;

([$old[0].kernels | to_entries[] | select(.value.status == "ok") | .key]) as $ids
| [$ids[] | {id: ., old: time_of($old), new: time_of($new), old_spread: spread_of($old), new_spread: spread_of($new)}
    | select(.old and .new) | .shift = (.new / .old - 1) * 100] as $times
# Exact counts that were the same number in every sample of every old session.
| [$ids[] as $id | ($exact | split("\n"))[] | . as $metric
    | {$id, $metric, old: (sessions($old; $id; $metric) | add // [] | unique),
       new: (sessions($new; $id; $metric) | add // [] | unique)}
    | select(.old | length == 1)] as $repeating
| [$repeating[] | select(.old != .new)] as $differ
| ([$times[].shift] | median) as $shift
| ($old_seconds | median) as $before | ($new_seconds | median) as $after
| ([$new[0].kernels[] | select(.status == "ok" and (.launches | length) > 0)] | length) as $kernels
| "\("kernel" | padded(40)) \("old us" | left(10)) \("new us" | left(10)) \("shift %" | left(9)) \("spread old, new %" | left(18))",
  ($times[] | "\(.id | padded(40)) \(.old / 1000 | places(2) | left(10)) \(.new / 1000 | places(2) | left(10)) \(.shift | places(2) | left(9)) \("\(.old_spread * 100 | places(2)), \(.new_spread * 100 | places(2))" | left(18))"),
  "",
  ($differ[] | "\(.id)  \(.metric): \(.old | tojson) before, \(.new | tojson) now"),
  "seconds of a session       old \($old_seconds | map(places(2)) | tojson), median \($before | places(2)); new \($new_seconds | map(places(2)) | tojson), median \($after | places(2)); new / old \($after / $before | places(3))",
  "ms a kernel and sample     old \($before * 1000 / $kernels / $samples | places(1)), new \($after * 1000 / $kernels / $samples | places(1)), of \($kernels) kernels that launch",
  (if $ncu > 0 then "Nsight Compute             \($ncu * 1000 / $kernels | places(1)) ms a kernel and sample; new / its \($after / $samples / $ncu | places(4))" else empty end),
  "spread within a session    median over kernels: old \([$times[].old_spread] | median * 100 | places(3)) %, new \([$times[].new_spread] | median * 100 | places(3)) %",
  "shift of time              median over kernels \($shift | places(3)) %, of its size \([$times[].shift | fabs] | median | places(3)) %, largest \([$times[].shift | fabs] | max | places(2)) %; bar 0.3 %  \(bar($shift | fabs <= 0.3))",
  "what repeated to the digit \($repeating | length) exact rows of the old sessions, of which \($differ | length) are otherwise in the new ones  \(bar($differ | length == 0))"
