# shellcheck shell=bash disable=SC2154,SC2016,SC2086
# Ways around the files: hostile machine code, line tables, names, descriptors and signals. Sourced by run.sh.

# Ends with the code of the command before it.
look_at_report() {
    local code=$?
    jq -e '.exit_code == 0' report.json || say 'the report is spoilt'
    return $code
}

# ---- Descriptors that are closed

stale_expectation() {
    cp -r "$top/baselines" baselines
    printf '[no/such time]\nissue = x\nexpires = 2999-01-01\n' >baselines/nvidia-h200/expected.ini
}
replayed='"$cugate" check $H200 --baselines baselines --replay "$recorded" --report json=report.json'
way 'a closed standard output: the report goes into another file' stale_expectation 2 \
    "$replayed >&-; look_at_report" 'cannot write' '!spoilt'
way 'a closed standard error: warnings go into a report' stale_expectation 0 \
    "$replayed 2>&-; look_at_report" '!spoilt'

# ---- Names of functions

# cubin_with NAME: a cubin for the H200 that has a kernel of that name, which is Python.
cubin_with() {
    python3 - "$top/tests/fuzz/corpus/cubin/cuda12.cubin" "$1" <<'END' >made.cubin
import struct, sys

digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def part(i):
    return "S_" if i == 0 else f"S{digits[(i - 1) // 36] if i > 36 else ''}{digits[(i - 1) % 36]}_"


def nested(i):
    return f"PFv{nested(i - 1)}{part(2 * i - 1)}E" if i else "PFviE"


data = bytearray(open(sys.argv[1], "rb").read())
name = eval(sys.argv[2]).encode() + b"\0"
(table,) = struct.unpack_from("<Q", data, 40)
strings, symbols = table + 2 * 64 + 24, table + 3 * 64 + 24
begin, size = struct.unpack_from("<QQ", data, strings)
data[48] = 90
struct.pack_into("<QQ", data, strings, len(data), size + len(name))
struct.pack_into("<I", data, struct.unpack_from("<Q", data, symbols)[0] + 15 * 24, size)
sys.stdout.buffer.write(data + data[begin:begin + size] + name)
END
}
# Each part stands twice for the one before: 2^60 in the end, one after the other and within each other.
gigabytes() { cubin_with '"_Z1fPFviE" + "".join("PFv" + 2 * part(2 * i + 1) + "E" for i in range(60))'; }
ages() { cubin_with '"_Z1fIiEvDp" + nested(60)'; }

# Of a processor, not by the clock. AddressSanitizer asks for terabytes of addresses, and uses none of them.
within_limits() {
    ulimit -t 5
    grep -q __asan_init "$cugate" || ulimit -v 1000000
    "$cugate" check $H200 -k transpose/padded --static=nvidia-h200 --kernels made.cubin
}
way 'a name of 600 letters that stands for gigabytes' gigabytes 5 within_limits 'transpose/padded'
way 'a name of 500 letters that takes ages to read' ages 5 within_limits 'transpose/padded'

# ---- Source files that a line table names

prober() {
    local sanitizer=()
    mkdir -p inside/.git inside/kernels
    for file in outside.cu inside/.git/config inside/kernels/open.cu; do
        echo "text of $file" >"$file"
    done
    ln -s ../outside.cu inside/link.cu
    cat >probe.c <<'END'
#include "cubin/source_text.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    struct profile profile = {0};
    for (int i = 1; i < argc; i++)
        profile_add(&profile, "f()", argv[i], 1, 16);
    source_resolve(&profile, NULL);
    for (size_t i = 0; i < profile.count; i++)
        printf("%s: %s\n", profile.list[i].file, profile.list[i].text ? profile.list[i].text : "no text");
    profile_release(&profile);
}
END
    ! grep -q __asan_init "$cugate" || sanitizer=("-fsanitize=address,undefined")
    "$CC" -D_GNU_SOURCE "${sanitizer[@]}" -I"$top/harness" -o probe probe.c "$(dirname "$cugate")/libcugate.a" \
        -ljansson -ldw -lelf -lxxhash -lzstd -llz4 -lstdc++ -lm
}
way 'a line table names files outside the folder, and reports publish their text' prober 0 \
    'cd inside && ../probe ../outside.cu "$PWD/../outside.cu" link.cu .git/config "$PWD/kernels/open.cu" /etc/passwd' \
    'kernels/open.cu: text of inside/kernels/open.cu' '/etc/passwd: no text' 'link.cu: no text' '!text of outside.cu' \
    '!config: text'

# ---- Words that command a terminal or a CI server

planted=$'\n::error::planted\e[31m\n ::error::planted ##vso[task.complete]\xe2\x80\xae'

# Ends with the code of the command before it, whose output is in `out`.
look_for_commands() {
    local code=$?
    cat out
    ! grep -q $'^ *::\|\e\|\xe2\x80\xae\|[^?]##vso' out || say 'a command was planted'
    return $code
}
talking_library() {
    printf '#define WORDS "%s"\n' "${planted//$'\n'/\\n}" >talking.c
    cat >>talking.c <<'END'
#include "cugate/kernel.h"
#include <stddef.h>
static int nothing(void *state) { return state != NULL; }
static int open_it(const struct cugate_family *self, void **state) { return self == NULL || *state != NULL; }
static void close_it(void *state) { (void)state; }
static int verify(void *state, const struct cugate_variant *variant, char *why, size_t size)
{
    return state != NULL && variant != NULL && why != NULL && size > 0;
}
static int synchronize(void) { return 0; }
static const char *error_text(int code) { return code ? WORDS : ""; }
static const struct cugate_variant variants[] = {{.name = "said", .doc = WORDS, .launch = nothing},
                                                 {.name = "absent", .doc = WORDS, .not_built = WORDS}};
static const struct cugate_family family = {
    "words", WORDS, CUGATE_KERNELS, open_it, nothing, verify, close_it, variants, 2, NULL, NULL};
static const struct cugate_family *const families[] = {&family};
static const struct cugate_library library = {CUGATE_KERNEL_ABI, WORDS, WORDS, families, 1, synchronize, error_text};
const struct cugate_library *cugate_library(void) { return &library; }
END
    library talking talking.c
}
way 'what a library says of a kernel commands the terminal or the CI server' talking_library 0 \
    '"$cugate" list --kernels ./talking.so >out 2>&1; look_for_commands' words/said words/absent '!was planted'
talking_metric() {
    mkdir talking
    sed $'s/^doc = .*/doc = shown ##vso[task.complete]\xe2\x80\xae/' "$made_up"/host_metrics/*.ini >talking/m.ini
}
way 'what a metric file says commands the terminal or the CI server' talking_metric 0 \
    '"$cugate" list --metrics -v --metrics=talking >out 2>&1; look_for_commands' shown '!was planted'
talking_run() {
    python3 - "$recorded" "$planted" <<'END' >talking.json
import json, sys

kept = {"name", "compute_capability", "collector", "status", "state", "counted", "date", "code", "class", "better"}


def talk(value, key):
    if isinstance(value, dict):
        return {name: talk(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [talk(member, key) for member in value]
    return value + sys.argv[2] if isinstance(value, str) and key not in kept else value


json.dump(talk(json.load(open(sys.argv[1])), ""), sys.stdout)
END
}
way 'what a run file says commands the terminal or the CI server' talking_run 3 \
    '"$cugate" check $H200 --replay talking.json -v >out 2>&1; look_for_commands' '!was planted'

# ---- Processes that are killed

# What is in the folder, when a writer was killed twenty times and then one was not. The kernel of the last one that was
# killed may take a moment to die as well.
killed_writers() {
    local pid code
    for _ in {1..20}; do
        rm -f hanging
        "$cugate" run $HOST --kernels ./made_up.so -k faults/hang --save run.json &
        pid=$!
        until [ -e hanging ] || ! kill -0 $pid; do sleep 0.02; done
        kill -KILL $pid
        wait $pid
    done 2>/dev/null
    for _ in {1..100}; do
        "$cugate" run $HOST --kernels ./made_up.so -k fine/one --save another.json
        code=$?
        ls ./*.tmp || break
        sleep 0.1
    done >/dev/null 2>&1
    say "left: $(ls run.json* another.json*)"
    return $code
}
way 'writers that are killed leave files behind' 'library made_up "$here/../cli/made_up/kernels.c"' 0 killed_writers 'left: another.json' '!.tmp'
