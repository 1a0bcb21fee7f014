#!/usr/bin/env bash
# Tests the packages: builds `make deb` and `make wheel`, installs them into an empty root or environment, tries them there
# and removes them, which must leave nothing. Also tests bash completion. Needs no GPU, but the network, as cugate-fetch
# does. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/packages.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
export LC_ALL=C

cd "$top" || exit 2
unset BASE OUT HISTORY STRICT CUGATE CUGATE_NVDISASM GITHUB_ACTIONS GITHUB_STEP_SUMMARY
export XDG_CACHE_HOME=$work/cache
python=$top/build/python/bin/python
version=$(sed -n 's/^#define CUGATE_VERSION "\(.*\)"/\1/p' harness/base/version.h)

# check LABEL COMMAND...: that it succeeds.
check() {
    local label=$1
    shift
    expect "$label" 0 -- "$@"
}
without_words() { [ -z "$("$@" 2>&1 | tee /dev/stderr)" ]; } # that it succeeds and says nothing
made() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$@"; }

ask made deb wheel
expect "make deb wheel" 0 "cugate_${version}_" "cugate_reports-$version-py3-none-any.whl" "cugate-$version-py3-none-manylinux"
deb=$(echo build/package/cugate_"$version"_*.deb)
wheel=build/package/cugate_reports-$version-py3-none-any.whl
program_wheel=$(echo build/package/cugate-"$version"-py3-none-manylinux_*.whl)

# ---- What is in it: nothing of NVIDIA's, and no path of the machine that made it.
expect "deb: contents" 0 ./usr/bin/cugate ./usr/lib/cugate/libcugate_sim.so ./usr/lib/cugate/libcugate_cupti.so \
    ./usr/lib/cugate/libcugate_inject.so ./usr/share/man/man1/cugate.1.gz metrics/core.ini gpus/nvidia-h200.ini \
    templates/base.html schema/check.schema.json bash-completion/completions/cugate cugate/kernel.h 'simulated/libcudart.so.13 -> ../libcugate_sim.so' \
    '!nvdisasm' '!libcupti.so' '!libcudart.so.13.' '!libcudart_static' '!libnv' '!libkernels' -- dpkg-deb --contents "$deb"
[ -e LICENSE ] || licence='No licence has been chosen yet'
mkdir "$work/unpacked"
dpkg-deb -x "$deb" "$work/unpacked"
expect "deb: its licence, or that there is none" 0 "${licence-}" -- cat "$work/unpacked/usr/share/doc/cugate/copyright"
expect "a release of both packages" 0 "release: $work/release" -- ci/release.sh "$version" build/package "$work/release"
expect "and its files" 0 "${deb##*/}" "${wheel##*/}" SHA256SUMS NOTES.md -- ls "$work/release"
expect "deb: no path of the tree in it" 1 -- grep -rlF "$top" "$work/unpacked"
ask man --warnings=w -l "$work/unpacked/usr/share/man/man1/cugate.1.gz"
[ "$code" = 127 ] || expect "deb: the manual page" 0 'cugate check' '--simulate' 'EXIT CODES' '!warning'
for line in "Version: $version" 'libjansson4' 'libdw1' 'libxxhash0' 'libzstd1' 'liblz4-1' 'libinih1'; do
    expect "deb: control says $line" 0 "$line" -- dpkg-deb --field "$deb"
done

# ---- Installed by dpkg below a folder, with a database of its own, and run from there.
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates}
touch "$root"/var/lib/dpkg/{status,available}
dpkg_root() { dpkg --root="$root" --force-depends --force-not-root --force-script-chrootless --log=/dev/null "$@"; }
installed=$root/usr/bin
check "deb: installed" dpkg_root --install "$deb"
expect "deb: cugate --version" 0 "cugate $version" -- "$installed/cugate" --version
check "deb: judges a recording" "$installed/cugate" check --replay tests/data/recorded-nvidia-h200.json

simulate() { (cd "$top" && "$installed/cugate" check --simulate=nvidia-h200 --all --kernels build/libkernels.so -k hierarchy/thread_index); }
computed() { # exit code 3, a compiler that the baseline does not know, is as good here
    simulate
    local ended=$?
    [ $ended -eq 0 ] || [ $ended -eq 3 ]
}
expect "deb: without nvdisasm nothing is simulated, and it says what to do" 5 cugate-fetch -- simulate
expect "cugate-fetch: an unknown part" 2 "unknown part 'nonsense'" -- "$installed/cugate-fetch" nonsense
expect "cugate-fetch --help" 0 'disasm' '!set -euo' -- "$installed/cugate-fetch" --help
wheels=$root/usr/share/cugate/ci/install_cuda_wheels.sh
cp "$wheels" "$work/kept"
sed -i '/^disasm/s/ [0-9a-f]\{64\}/ 0000000000000000000000000000000000000000000000000000000000000000/g' "$wheels"
ask "$installed/cugate-fetch" disasm
expect "cugate-fetch: another file than the pinned one is refused" 1 'DO NOT MATCH THE HASHES' 'cannot install'
cp "$work/kept" "$wheels"
fetch_privately() (umask 077 && "$installed/cugate-fetch")
check "cugate-fetch" fetch_privately
closed() { find "$root/usr/lib/cugate/disasm" ! -type l \( ! -perm -o=r -o -type d ! -perm -o=x \) | grep .; }
expect "cugate-fetch: whatever the umask, what it fetches is for everybody" 1 '!disasm' -- closed
check "cugate-fetch: a second time there is nothing to do" without_words "$installed/cugate-fetch"
fetch_again() { PIP_INDEX_URL=http://127.0.0.1:9/simple PIP_RETRIES=0 "$wheels" "$root/usr/lib/cugate/disasm" '' disasm; }
ask fetch_again
expect "cugate-fetch: what cannot be fetched again is said" 1 'cannot install' # and what was fetched stays:
expect "deb: computes without a GPU" 0 'computed' -- computed

# ---- The reports, with the Python packages of the tree, of two kernels: a page each is soon drawn.
recorded=$work/recorded.json
jq '.kernels |= with_entries(select(.key | startswith("hierarchy/")))' tests/data/recorded-nvidia-h200.json >"$recorded"
mkdir -p "$work/repository" && cd "$work/repository" || exit 2
mkdir -p "$XDG_CACHE_HOME/cugate"
ln -s "$top/build/python" "$XDG_CACHE_HOME/cugate/python"
expect "cugate-report ingest" 0 -- "$installed/cugate-report" ingest "$recorded"
expect "cugate-report page" 0 'page: page/index.html' -- "$installed/cugate-report" page -o page
check "cugate-report: the page has plots of the metrics that are installed" grep -q 'achieved_occupancy\|Achieved occupancy' page/index.html
cp -r "$top/baselines" .
ask "$installed/cugate-gate" --replay "$recorded" -k 'hierarchy/*'
expect "cugate-gate in another repository" 0 'page: build/gate/page/index.html'
ask "$installed/cugate" bisect --simulate=nvidia-h200 -k hierarchy/thread_index one..two
expect "cugate bisect finds its script" 2 'not a git checkout'
expect "cugate-shards" 0 'measure 2/8' '!set -euo' -- "$installed/cugate-shards" --help
expect "cugate-slurm-shards" 0 CPUS=8 '!set -euo' -- "$installed/cugate-slurm-shards" --help
expect "cugate-nightly without a GPU is no pass" 5 'no GPU' -- "$installed/cugate-nightly"
cd "$top" || exit 2

# ---- Moved as a whole: nothing in it knows where it was.
cp -a "$root/usr" "$work/moved"
expect "moved: finds its metrics" 0 achieved_occupancy -- "$work/moved/bin/cugate" list --metrics
expect "moved: finds its reports" 0 'usage: cugate-report' -- env XDG_CACHE_HOME="$work/nothing" "$work/moved/bin/cugate-report" --help
expect "moved: help installs nothing" 2 -- ls "$work/nothing"
ask env PKG_CONFIG_PATH="$work/moved/lib/pkgconfig" pkg-config --define-prefix --cflags cugate
expect "moved: pkg-config" 0 "-I$work/moved/include"

# ---- Removed, with all that came after.
printf '#!/bin/sh\n# by cugate-fetch\n' >"$installed/nvcc"
check "deb: removed" dpkg_root --purge cugate
ask find "$root" -path "$root/var" -prune -o -type f -print -o -type l -print -o -type d -name cugate -print
expect "deb: nothing is left" 0 '!/'

# ---- In a root that has only what the package depends on.
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
mapfile -t sources < <(ls /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null)
depends=$(dpkg-deb --field "$deb" Depends | sed 's/ *([^)]*)//g; s/ //g')
bare() { mmdebstrap --quiet --variant=extract --include="$depends" "$codename" "$work/bare" "${sources[@]}"; }
in_bare() { # a process there has /proc
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount bash -c 'mount -t proc proc "$1/proc" && cd / && exec chroot "$@"' bash "$work/bare" "$@"
}
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
    check "bare root: made of the package's dependencies" bare
    mkdir -p "$work/bare"/{proc,dev,tmp,judged}
    check "bare root: unpacked" dpkg-deb -x "$deb" "$work/bare"
    cp -r tests/data/recorded-nvidia-h200.json baselines build/libkernels.so build/tests/compiled/exec_simulated/program "$work/bare/judged"
    cp -r build/disasm "$work/bare/usr/lib/cugate"
    expect "bare root: cugate --version" 0 "cugate $version" -- in_bare /usr/bin/cugate --version
    ask in_bare /usr/bin/cugate check --replay /judged/recorded-nvidia-h200.json --baselines /judged/baselines
    expect "bare root: judges a recording" 0 'nothing is worse'
    # A kernel library is C++, and has its own needs.
    cpp() { cp "$(gcc -print-file-name=libstdc++.so.6)" "$(gcc -print-file-name=libgcc_s.so.1)" "$work/bare/judged"; }
    check "bare root: what the kernel library needs" cpp
    in_bare_computed() { # CUGATE
        LD_LIBRARY_PATH=/judged in_bare "$1" check --simulate=nvidia-h200 --all --kernels /judged/libkernels.so \
            --baselines /judged/baselines -k hierarchy/thread_index
        local ended=$?
        [ $ended -eq 0 ] || [ $ended -eq 3 ]
    }
    expect "bare root: computes without a GPU" 0 computed -- in_bare_computed /usr/bin/cugate
    in_bare_program() { LD_LIBRARY_PATH=/judged in_bare "$1" run --simulate=nvidia-h200 -- /judged/program "$2"; }
    expect "bare root: runs a program without a GPU" 0 'sum 80000' 'computed: 2 of 2 kernels' -- in_bare_program /usr/bin/cugate right
    expect "bare root: and finds what it does wrong" 5 'program.cu:' -- in_bare_program /usr/bin/cugate stray
    ask in_bare /usr/bin/cugate list gpus
    expect "bare root: without a GPU nothing is measured, and it says so" 5 'no GPU: no NVIDIA driver here'

    # The same with Python alone.
    rm -rf "$work/bare" && depends=python3-venv
    check "root with Python alone: made" bare
    mkdir -p "$work/bare"/{proc,tmp,judged}
    cp -r "$program_wheel" tests/data/recorded-nvidia-h200.json baselines build/libkernels.so build/tests/compiled/exec_simulated/program "$work/bare/judged"
    expect "root with Python alone: an environment" 0 -- in_bare /usr/bin/python3 -I -m venv /judged/venv
    ask in_bare /judged/venv/bin/pip install --quiet --disable-pip-version-check --no-index "/judged/${program_wheel##*/}"
    expect "root with Python alone: installed" 0
    cp -r build/disasm "$work/bare/judged/venv/lib/cugate"
    alone=/judged/venv/bin/cugate
    expect "root with Python alone: cugate --version" 0 "cugate $version" -- in_bare $alone --version
    ask in_bare $alone check --replay /judged/recorded-nvidia-h200.json --baselines /judged/baselines
    expect "root with Python alone: judges a recording" 0 'nothing is worse'
    ask in_bare $alone check --static=sm_90 -- /judged/libkernels.so
    expect "root with Python alone: reads machine code" 4 'STATIC: NO KERNEL WAS RUN'
    expect "root with Python alone: cugate doctor" 5 'FAIL  GPU' -- in_bare $alone doctor
    cpp
    expect "root with Python alone: computes without a GPU" 0 computed -- in_bare_computed $alone
    expect "root with Python alone: runs a program without a GPU" 0 'sum 80000' 'computed: 2 of 2 kernels' -- in_bare_program $alone right
else
    echo "bare root: left out, since only root may mount /proc in it"
fi

# ---- The wheel of the program: what is in it, and that its platform is what it needs.
ask "$python" -I -m zipfile -l "$program_wheel"
expect "wheel: contents" 0 data/bin/cugate data/bin/cugate-fetch lib/cugate/libcugate_sim.so lib/cugate/libcugate_cupti.so \
    lib/cugate/libcugate_inject.so lib/cugate/libdw- metrics/core.ini gpus/nvidia-h200.ini cugate/kernel.h \
    lib/cmake/cugate/cugateConfig.cmake lib/pkgconfig/cugate.pc man/man1/cugate.1 cugate_reports/site.py schema/check.schema.json licenses/libdw \
    licenses/libdw1 simulated/libcudart.so.13 '!nvdisasm' '!libcupti.so' '!libcudart.so.13.' '!libcudart_static' '!libnv' '!libkernels' '!libstdc' '!libc.so'
"$python" -I -m zipfile -e "$program_wheel" "$work/unpacked_wheel"
expect "wheel: no path of the tree in it" 1 -- grep -rlF "$top" "$work/unpacked_wheel"
platform=${program_wheel##*-none-}
ask "$python" -I -m auditwheel show "$program_wheel"
expect "wheel: auditwheel finds the same platform" 0 "constrains the platform tag to \"${platform%.whl}\""

# ---- Installed by pip into an environment that has nothing else, and run with nothing else on the PATH.
alone=$work/alone
python3 -I -m venv "$alone"
find "$alone" -type f -o -type l | grep -v '\.pyc$' | sort >"$work/before"
in_alone() { (cd "$work/repository" && env -i PATH="$alone/bin:/usr/bin:/bin" HOME="$work/home" XDG_CACHE_HOME="$XDG_CACHE_HOME" "$@"); }
mkdir -p "$work/home"
check "wheel: installed" in_alone pip install --quiet --disable-pip-version-check --no-index "$top/$program_wheel"
expect "wheel: cugate --version" 0 "cugate $version" -- in_alone cugate --version
check "wheel: judges a recording" in_alone cugate check --replay "$top/tests/data/recorded-nvidia-h200.json"
expect "wheel: cugate doctor finds CUPTI's absence or presence, and no GPU" 5 'FAIL  GPU' 'CUPTI' -- in_alone cugate doctor
expect "wheel: reads machine code" 4 'STATIC: NO KERNEL WAS RUN' -- in_alone cugate check --static=sm_90 -- "$top/build/libkernels.so"
expect "wheel: cugate-gate" 0 'page: build/gate/page/index.html' -- in_alone cugate-gate --replay "$recorded" -k 'hierarchy/*'
expect "wheel: cugate-report page" 0 'page: page/index.html' -- in_alone cugate-report page -o page
ask in_alone python -I -c 'import cugate; print(cugate.find_program(), cugate.check(replay="'"$top"'/tests/data/recorded-nvidia-h200.json").verdict)'
expect "wheel: import cugate" 0 "$alone/bin/cugate same"
expect "wheel: where CMake's files are" 0 "$alone/lib/cmake/cugate" -- in_alone python -I -m cugate --cmake-dir
tree_packages=$("$python" -I -c 'import site; print(site.getsitepackages()[0])')
ask in_alone env PYTHONPATH="$tree_packages" python -m pytest -q --fixtures
expect "wheel: pytest finds its plug-in" 0 'cugate_check -- '
expect "wheel: cugate-fetch --help" 0 'disasm' '!set -euo' -- in_alone cugate-fetch --help
cp -r build/disasm "$alone/lib/cugate"
in_alone_computed() {
    in_alone cugate check --simulate=nvidia-h200 --all --kernels "$top/build/libkernels.so" -k hierarchy/thread_index
    local ended=$?
    [ $ended -eq 0 ] || [ $ended -eq 3 ]
}
expect "wheel: computes without a GPU" 0 computed -- in_alone_computed
ask in_alone cugate task "$top/build/libkernels.so" --gpu H200 -o made.capsule \
    --launch 'copy_coalesced<<<64, 256>>>(f32:16384, out:f32:16384)'
expect "wheel: makes a task for the referee" 0 'made.capsule: 1 launch'
ask in_alone cugate referee made.capsule --code "$top/build/libkernels.so" --simulate
expect "wheel: and judges by it, for the GPU that it names" 0 'passed: 1 of 1 kernel'
"${NVCC:-nvcc}" -cubin -arch=sm_90 -lineinfo -o "$work/kernels.cubin" "$top/tests/outside/machine/kernels.cu" || exit 2
ask in_alone python "$top/tests/outside/machine/saxpy.py" "$work/kernels.cubin"
expect "wheel: cugate.Machine executes a cubin" 0 'STG.E stores 13.0' 'address: ' 'kernels.cu:6'
ask cc "$top/tests/outside/machine/counter.c" -I"$alone/include" -L"$alone/lib" -Wl,-rpath,"$alone/lib" -lcugate_machine -o "$work/counter"
expect "wheel: a program is linked with its library" 0
expect "wheel: and runs" 0 'kernels.cu:15: 231 instructions, 32 sectors' -- "$work/counter" "$work/kernels.cubin" strided 8
rm -r "$alone/lib/cugate/disasm"
if command -v cmake >/dev/null; then
    mkdir -p "$work/repository/cmake"
    # shellcheck disable=SC2016 # CMake's
    printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(mine LANGUAGES NONE)' "find_package(cugate $version REQUIRED)" \
        'message("found ${cugate_TEST_SCRIPT}")' >"$work/repository/cmake/CMakeLists.txt"
    expect "wheel: find_package(cugate)" 0 "found $alone/lib/cmake/cugate/cugateTest.cmake" -- in_alone cmake -S cmake -B cmake/build
fi
ask in_alone env PKG_CONFIG_PATH="$alone/lib/pkgconfig" pkg-config --define-prefix --cflags cugate
expect "wheel: pkg-config" 0 "-I$alone/include"
check "wheel: removed" in_alone pip uninstall --quiet --yes cugate
find "$alone" -type f -o -type l | grep -v '\.pyc$' | sort >"$work/after"
check "wheel: nothing is left" diff "$work/before" "$work/after"

# ---- The wheel of the reports, in an environment of its own, beside the packages of the tree.
environment=$work/environment
"$python" -m venv --without-pip "$environment"
site=$("$environment/bin/python" -c 'import site; print(site.getsitepackages()[0])')
"$python" -c 'import site; print(site.getsitepackages()[0])' >"$site/tree.pth"
find "$environment" -not -name '*.pyc' -not -name __pycache__ | sort >"$work/before"
pip() { "$python" -m pip --disable-pip-version-check --python "$environment/bin/python" "$@"; }
check "reports alone: installed, and its dependencies are those that are pinned" pip install --quiet --no-index "$wheel"
cd "$work" || exit 2
expect "reports alone: cugate-report ingest" 0 -- "$environment/bin/cugate-report" ingest --history w.db "$recorded"
ask "$environment/bin/python" -m cugate_reports page --history w.db -o wheel_page
expect "reports alone: python -m cugate_reports page" 0 'page: wheel_page/index.html'
cd "$top" || exit 2
check "reports alone: removed" pip uninstall --quiet --yes cugate-reports
find "$environment" -not -name '*.pyc' -not -name __pycache__ | sort >"$work/after"
check "reports alone: nothing is left" diff "$work/before" "$work/after"
expect "reports alone: of the program's version" 0 -- grep -F "version = \"$version\"" reports/pyproject.toml

# ---- What bash completes.
complete_word() { # WORD...: what the last one becomes
    bash -c '. "$0"; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cugate; printf "%s " "${COMPREPLY[@]}"' \
        "$work/unpacked/usr/share/bash-completion/completions/cugate" "$@"
}
completes() { # EXPECTED WORD...
    local wanted=$1
    shift
    ask complete_word "$@"
    [ "$(sed 's/ $//' "$work/said")" = "$wanted" ] || code=1
    expect "completion: $* -> $wanted" 0
}
check "completion: shellcheck" shellcheck -s bash "$work/unpacked/usr/share/bash-completion/completions/cugate"
completes check cugate che
completes explain cugate help ex
completes --static cugate check --stati
completes 'json junit' cugate check --format j
completes 'json junit' cugate check --format = j
completes 'json= junit=' cugate check --report j
completes harness cugate check --metrics harn
completes '' cugate check --simulate = x
completes '' cugate check -k x
completes README.md cugate explain --replay READM
completes README.md cugate run -- cat READM
completes 'dram_throughput dram_bytes_read dram_bytes_write' "$top/build/cugate" run -m dram
every_option() { # of every command, in one go
    # shellcheck disable=SC2016 # for the inner shell
    for command in $(build/cugate --help | sed -n '/^commands$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        build/cugate "$command" --help -v | sed -n "/^options/,/^exit codes/s/^  *\(-[a-zA-Z], \)\{0,1\}\(--[a-z][a-z-]*\).*/$command \2/p"
    done | bash -c '. "$0"; compopt() { :; }; COMP_CWORD=2; while read -r command option; do
        COMP_WORDS=(cugate "$command" "$option"); _cugate
        [[ " ${COMPREPLY[*]} " == *" $option "* ]] || echo "not completed: $command $option"
        count=$((count + 1)); done; echo "$count options"' "$work/unpacked/usr/share/bash-completion/completions/cugate"
}
expect "completion: every option of every command" 0 ' options' '!not completed' -- every_option

summary
