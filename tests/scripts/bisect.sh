#!/usr/bin/env bash
# Lets `cugate bisect` find commits in a scratch repository whose kernels get worse. Some commits do not build. Checks that
# nothing is left of it. Counts are computed, so it needs nvcc but no GPU, and hides a GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/bisect.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"

# Kernels of each commit: which one it is says a file of the commit.
compile() {
    local kind name source stride
    sed 's/"scale"/"other"/' "$top/tests/data/own_kernels.cu" >renamed.cu
    cp "$top/tests/data/own_kernels.cu" own.cu
    for kind in plain:own:1 twice:own:2 strided:own:8 renamed:renamed:1; do
        IFS=: read -r name source stride <<<"$kind"
        "$nvcc" -std=c++17 -lineinfo -arch=sm_90 -Xcompiler -fPIC -I"$top/harness" "${includes[@]/#/-I}" -cudart shared \
            -shared "${libraries[@]/#/-L}" "${libraries[@]/#/-Xlinker=-rpath=}" "-DSTRIDE=$stride" -o "$name.so" "$source.cu"
    done
}
begin_compiled "$@"

export CUDA_VISIBLE_DEVICES='' XDG_CACHE_HOME=$work/cache TMPDIR=$work/tmp VARIANTS=$compiled
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
# shellcheck disable=SC2046 # one word each
unset $(git rev-parse --local-env-vars) CUGATE MAKEFLAGS MFLAGS MAKELEVEL
mkdir "$TMPDIR"

echo 'gpu = nvidia-h200' >"$work/cugate.ini" # of the descriptions there may be several
mkdir "$work/repository" && cd "$work/repository" && git init -q -b main . || exit 2
commit() { # SUBJECT KIND
    echo "$2" >kernels
    echo "$1" >>changes
    git add kernels changes Makefile .gitignore
    git -c user.name=x -c user.email=x@example.com commit -q -m "$1"
    git tag "${1%% *}"
}
# The build leaves files behind, one of them where the next commit has one of its own.
cat >Makefile <<'END'
out/libmine.so: kernels
	mkdir -p out && echo left >left && echo changed >>changes
	cp $(VARIANTS)/`cat kernels`.so $@
END
echo out/ >.gitignore
commit 'one as it was' plain
commit 'two renames' plain
commit 'three does not build' broken
commit 'four reads far apart' strided
commit 'five loses the kernel' renamed
echo own >left && git add left
commit 'six renames again' strided
echo 'not committed' >>changes
echo unknown >untracked
mkdir below
# Somebody's worktree on a disk that is not there now, with work that is staged and nowhere else.
git worktree add -q --detach "$work/away"
echo staged >"$work/away/staged" && git -C "$work/away" add staged
mv "$work/away" "$work/elsewhere"
git status --porcelain >"$work/before"
refs() {
    git for-each-ref
    git worktree list
    git stash list
    find .git -maxdepth 1 -name '*BISECT*'
    cat .git/HEAD changes
}
refs >"$work/refs"

untouched() { # LABEL
    expect "$1: the checkout is as it was" 0 -- diff "$work/before" <(git status --porcelain)
    expect "$1: so are its commits and worktrees" 0 -- diff "$work/refs" <(refs)
    expect "$1: no file is left" 0 '!cugate' -- ls -A "$TMPDIR"
    [ ! -e .git/worktrees ] || ask ls -A .git/worktrees
    expect "$1: nor a worktree" 0 '!tree'
}
bisect() {
    ask "$cugate" bisect --kernels out/libmine.so "$@"
}

bisect one..two -k mine/scale
expect "nothing worse" 3 'not worse at' '-m time'
mv "$work/cugate.ini" "$work/kept.ini"
bisect one..two -k mine/scale -m global_load_sectors --simulate=nvidia-h200
expect "a metric that is no worse, on a GPU that is named" 0 "not worse at $(git rev-parse two | cut -c 1-12) than at "
mv "$work/kept.ini" "$work/cugate.ini"
bisect two..four -k mine/scale -m global_load_sectors
expect "a commit that does not build may be the one" 3 'left out: ' 'three does not build' 'could not be built or measured' \
    'four reads far apart' '!first bad commit'
bisect two..six -k mine/scale -m global_load_sectors
expect "what a build left is not in the way of the next commit" 3 'four reads far apart'
untouched "without an answer"

# A longer line, where what cannot be judged is not next to it.
git checkout -q -f -b whole two
commit 'seven does not build' broken
commit 'eight is harmless' plain
commit 'nine reads twice as far' twice
commit 'ten is harmless' twice
commit 'eleven reads far apart' strided
commit 'twelve is harmless' strided
commit 'thirteen loses the kernel' renamed
commit 'fourteen has it again' strided
git checkout -q -f main && echo 'not committed' >>changes
refs >"$work/refs"
bisect one..fourteen -k mine/scale -m global_load_sectors
expect "the commit is found" 1 "building $(git rev-parse --short one) one as it was ..." '... built after ' 'mine/scale, computed, 9 commits' 'global_load_sectors: 2,048 -> 16,384 (+700 %)' \
    'eleven reads far apart' 'first bad commit: ' 'global_load_sectors: 4,096 -> 16,384 (+300 %)' \
    'this commit explains only part of the change'
bisect one..ten -k mine/scale
expect "also where it is the smaller one that is asked for, and no metric" 1 'first bad commit: ' 'nine reads twice as far' \
    'global_load_sectors: 2,048 -> 4,096 (+100 %)' '!explains only part'
(cd below && bisect one..ten -k mine/scale --kernels ../out/libmine.so --build 'exec make out/libmine.so')
expect "from a folder below, with a command" 1 'nine reads twice as far'
printf 'kernels = out/libmine.so\ngpu = nvidia-h200\n' >cugate.ini
ask "$cugate" bisect ten..twelve -k mine/scale
rm cugate.ini
expect "with the library of cugate.ini" 1 'first bad commit: ' 'eleven reads far apart'
printf '%s\n' 'kernels = made/libmine.so' 'gpu = nvidia-h200' 'build = make out/libmine.so && mkdir -p made && cp out/libmine.so made' >cugate.ini
ask "$cugate" bisect ten..twelve -k mine/scale
expect "with the build of cugate.ini" 1 'first bad commit: ' 'eleven reads far apart'
ask "$cugate" bisect -q ten..twelve -k mine/scale --build false
expect "--build wins over it" 5 'the build ended with 1' '!--build COMMAND' '!building'
sed -i '/^build/d' cugate.ini
ask "$cugate" bisect ten..twelve -k mine/scale
rm cugate.ini
expect "no rule makes the library, and it says what to do" 5 'No rule to make target' \
    'says how a commit is built' 'build = COMMAND'
untouched "with an answer"

# ---- Ends that cannot be judged
bisect one..three -k mine/scale
expect "BAD does not build" 5 'nothing can be compared: BAD' 'No such file' '!first bad commit'
bisect five..six -k mine/scale
expect "GOOD has no such kernel" 5 'nothing can be compared: GOOD' 'it has no kernel mine/scale'
bisect one..four -k 'mine/s*'
expect "two kernels" 5 "-k mine/s* matches 2 kernels: choose one"
bisect one..four -k mine/scale --build true
expect "a build that makes nothing" 5 'the build succeeded, but there is no out/libmine.so'
bisect one..four -k mine/scale -m time
expect "a time is measured, and here is no GPU" 5 'nothing can be compared: GOOD'
untouched "without ends"

# ---- What is asked wrongly
while IFS='|' read -r arguments words; do
    read -ra list <<<"$arguments"
    bisect "${list[@]}"
    expect "$arguments" 2 "$words"
done <<'END'
one...four -k mine/scale|'one...four' is not a range of revisions: write GOOD..BAD
four -k mine/scale|'four' is not a range of revisions
one..none -k mine/scale|'none' is not a revision of this repository
four..one -k mine/scale|is not an ancestor of
one..one -k mine/scale|one..one has no commit
one..four|choose the one kernel that got worse
one..four -k a -k b|choose the one kernel that got worse
one..four -k mine/scale -m nothing|unknown metric 'nothing'
one..four -k mine/scale -m time --simulate|time can only be measured, not computed
one..four -k mine/scale --simulate --measure|--simulate and --device cannot be used together
one..four -k mine/scale --kernels ../libmine.so|is not below
one..four -k mine/scale --kernels /libmine.so|is not below
END

cd "$work" || exit 2
expect "no repository" 2 'not a git checkout' -- "$cugate" bisect one..four -k mine/scale --kernels libmine.so
cd "$work/repository" || exit 2

# ---- Ctrl-C, while a commit is built by something that does not mind SIGTERM
setsid env --default-signal=INT "$cugate" bisect one..four -k mine/scale --kernels out/libmine.so \
    --build "touch '$work/building'; trap '' TERM; sleep 60 & echo \$! >'$work/sleeper'; wait" >"$work/said" 2>&1 &
until [ -s "$work/sleeper" ] || ! kill -0 $! 2>/dev/null; do
    sleep 0.05
done
kill -INT $!
wait $!
# shellcheck disable=SC2034 # expect reads it
code=$?
expect "Ctrl-C ends it" 130
ask sed 's/.*) //; s/ .*//' "/proc/$(cat "$work/sleeper")/stat" # Z of one that nobody has reaped
[ "$(cat "$work/said")" = Z ] || expect "and what it had started" 2 'No such file'
untouched "after Ctrl-C"

mv "$work/elsewhere" "$work/away"
expect "what was staged in another worktree is still there" 0 staged -- git -C "$work/away" diff --cached --name-only

summary
