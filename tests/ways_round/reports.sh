# shellcheck shell=bash disable=SC2154,SC2016
# Ways around the pages and the history. Sourced by run.sh.

reports() { PYTHONPATH=$top/reports "$top/build/python/bin/python" -m cugate_reports "$@"; }
program() { PYTHONPATH=$top/reports "$top/build/python/bin/python" -c "$@"; } # one that may change what it imports

# night FILE DATE KERNEL METRIC VALUE [UNIT]: a run.
night() {
    cat >"$1" <<END
{"schema": 1, "sessions": [{"date": "$2", "gpu_uuid": "GPU-0"}], "device": {"name": "NVIDIA H200", "sm_count": 132,
 "compute_capability": "9.0", "memory_bytes": 1, "ecc": true, "mig": false}, "metrics": {"$4": {"unit": "${6-ns}"}},
 "kernels": {"a/b": {"metrics": {"time": {"sessions": [[5]]}}}, "$3": {"metrics": {"$4": {"sessions": [[$5]]}}}}}
END
}

# What most rows begin with, made once.
one_night() {
    if [ ! -e "$work/one_night/h.db" ]; then
        mkdir -p "$work/one_night"
        (cd "$work/one_night" && night run.json 2026-01-01T00:00:00Z c/d time 7 && reports ingest --history h.db run.json) || return
    fi
    cp "$work/one_night"/* .
}
an_earlier_page() {
    one_night
    mkdir page
    touch page/.cugate-report
    echo earlier >page/index.html
}

# ---- Stopped, killed

# With one page that takes an hour, when every other one is there. In the end only what was there before is left.
cancelled() {
    local pid
    setsid "$top/build/python/bin/python" -c 'import sys, time; sys.path.insert(0, sys.argv.pop(1))
from cugate_reports import site
draw = site._Writer.kernel
site._Writer.kernel = lambda self, name, *more: time.sleep(3600) if name == "a/b" else draw(self, name, *more)
from cugate_reports.__main__ import main
sys.exit(main())' "$top/reports" page --history h.db -o page &
    pid=$!
    while kill -0 "$pid" && [ "$(find . -path '*/kernels/c-d.html' -o -path '*/gate.html' | wc -l)" != 2 ]; do sleep 0.1; done
    sleep 0.2 # the process that drew the last one waits for another
    kill -TERM -- "-$pid"
    for _ in $(seq 300); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -KILL -- "-$pid" 2>/dev/null || say "it had to be killed"
    wait "$pid"
    say "exit code $?; left: $(find . -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' ')page: $(cat page/index.html)"
}
way 'a job that is cancelled, of which every process is told' an_earlier_page 0 cancelled \
    'exit code 130; left: h.db page run.json page: earlier' '!had to be killed'

way 'a process that draws is killed, as when memory runs out' an_earlier_page 2 'timeout -s KILL 60 \
    "$top/build/python/bin/python" -c "import os, sys; sys.path.insert(0, sys.argv.pop(1))
from cugate_reports import site
site._Writer.kernel = lambda *_: os.kill(os.getpid(), 9)
from cugate_reports.__main__ import main
sys.exit(main())" "$top/reports" page --history h.db -o page; code=$?; cat page/index.html; (exit $code)' \
    'one of the processes that share this work ended before it was done' 'earlier'

way 'killed while the new page takes the place of the old one' an_earlier_page 0 'program "import os, sys
rename = os.rename
os.rename = lambda *names, **more: (rename(*names, **more), os.kill(os.getpid(), 9))
from cugate_reports.__main__ import main
sys.exit(main())" page --history h.db -o page; ls page/index.html' 'page/index.html' '!No such file'

# ---- Numbers and dates that cannot be

a_huge_number() {
    one_night
    night huge.json 2026-01-02T00:00:00Z a/c achieved_occupancy 1.7e308 %
    reports ingest --history h.db huge.json
}
way 'one number that no axis holds stops every page, or a page lets run whatever gets into it' a_huge_number 0 \
    'reports page --history h.db -o page && ls page/index.html page/kernels/{a-b,a-c}.html && grep -c "<svg" \
    page/kernels/a-b.html && grep -o "[^>]*fit no axis" page/kernels/a-c.html; code=$?; for page in page/{,kernels/}*.html; do
        grep -o "Content-Security-Policy. content=.default-src .none" $page || echo "none: $page"; done; (exit $code)' \
    'a/c over 2 nights' 'numbers fit no axis' 'Content-Security-Policy' '!none: '

the_future() {
    one_night
    night future.json 2099-01-01T00:00:00Z c/d time 9
}
way 'a run of 2099 is tonight for good' the_future 2 'reports ingest --history h.db future.json' \
    'future.json has a session that is dated after today: 2099-01-01T00:00:00Z' '1 refused'

# As an earlier version took it in.
the_future_is_here() {
    one_night
    night later.json 2026-01-02T00:00:00Z c/d time 9
    reports ingest --history h.db later.json
    program 'import sqlite3; c = sqlite3.connect("h.db"); c.execute("update cugate_documents set date = ? where date like ?",
        ("2099-01-01T00:00:00Z", "2026-01-02%")); c.commit()'
}
way 'a history that has a run of 2099, which is the one that prune keeps' the_future_is_here 0 \
    'reports prune --history h.db --keep 1 && reports page --history h.db -o page &&
        grep -o "1 run dated after today[^<]*" page/index.html' '0 runs removed' \
    '1 night to 2026-01-01T00:00:00Z' '1 run dated after today, up to 2099-01-01 00:00 UTC, is left out' '!night to 2099'

# ---- What others read

a_formula() {
    night run.json 2026-01-01T00:00:00Z '=HYPERLINK(1)' '@SUM(1)' 7
    reports ingest --history h.db run.json
}
way 'a kernel whose name is a formula' a_formula 0 'reports export --history h.db --csv -' \
    ",'=HYPERLINK(1),'@SUM(1),ns,7.0" '!,=HYPERLINK' '!,@SUM'

planted_links() {
    one_night
    echo "years of work" >mine
    mkdir out
    ln -s ../mine "out/.v.csv.part"
    reports export --history h.db names
    ln -s ../mine "out/.$(ls names).part"
}
way 'a link where a table or a run file is written until it is whole' planted_links 0 \
    'reports export --history h.db --csv out/v.csv && reports export --history h.db out && cat mine' 'years of work'
