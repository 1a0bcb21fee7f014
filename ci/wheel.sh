#!/usr/bin/env bash
# Makes a Python wheel of what `make install` has put below ROOT/usr. `make wheel` calls it.
#
#   ci/wheel.sh ROOT VERSION FOLDER         makes FOLDER/cugate-VERSION-py3-none-PLATFORM.whl
#
# pip copies that tree into the environment as it is: bin/cugate, lib/cugate, include/cugate and so on. So everything finds
# everything else as where cugate is installed. `import cugate` is there too. Beside the plugins are the libraries that the program here is linked with,
# since a machine with Python alone has none of them. Their names are changed, so that a program may load others of the same
# names. glibc, the driver's library and CUPTI are not in it.
set -euo pipefail

root=$1 version=$2 folder=$3
top=$(dirname "$(dirname "$(realpath "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/wheel
info=$tree/cugate-$version.dist-info
data=$tree/cugate-$version.data/data
mkdir -p "$info/licenses" "${data%/*}"
cp -a "$root/usr" "$data"

# A wheel has no links.
for link in "$data"/bin/cugate-*; do
    script=$(readlink "$link")
    rm "$link"
    # shellcheck disable=SC2016 # for the shell that runs it
    printf '#!/bin/sh\nexec "$(dirname "$(realpath "$0")")/%s" "$@"\n' "$script" >"$link"
    chmod 755 "$link"
done

# Nor is there a second copy of what programs are linked with: the linker reads this. The archive needs packages.
echo 'INPUT(libcugate_machine.so.0)' >"$work/machine" && mv "$work/machine" "$data/lib/libcugate_machine.so"
rm "$data/lib/libcugate_machine.a"

# ---- `import cugate`, and its plug-in, which pytest finds by this entry.
mkdir "$tree/cugate"
cp "$top"/reports/cugate/{*.py,py.typed} "$tree/cugate"
printf '[pytest11]\ncugate = cugate.pytest_plugin\n' >"$info/entry_points.txt"

# ---- The libraries, each with the terms under which its package says that it may be passed on. The simulator needs all that
# the other plugins need; CUPTI's own needs are none of the package's.
programs=("$data"/bin/cugate "$data"/lib/cugate/*.so "$data"/lib/libcugate_machine.so.*)
everywhere='(ld-linux[-a-z0-9]*|lib(c|m|cuda|cupti))\.so[.0-9]*'
strip --strip-unneeded "${programs[@]}"
mapfile -t libraries < <(ldd "$data"/{bin/cugate,lib/cugate/libcugate_sim.so} | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' |
    sort -u | grep -vE "/$everywhere$")
renamed=() copies=()
for library in "${libraries[@]}"; do
    name=${library##*/}
    hash=$(sha256sum "$library" | head -c 8)
    copies+=("$data/lib/cugate/${name%%.so*}-$hash.so${name#*.so}")
    renamed+=(--replace-needed "$name" "${copies[-1]##*/}")
    install "$library" "${copies[-1]}"
    patchelf --set-soname "${copies[-1]##*/}" "${copies[-1]}"
    package=$({ dpkg-query --search "$library" "$(realpath "$library")" 2>/dev/null || true; } | head -1 | cut -d : -f 1)
    mkdir -p "$info/licenses/$package"
    cp "/usr/share/doc/$package/copyright" "$info/licenses/$package"
done
for file in "${programs[@]}" "${copies[@]}"; do
    patchelf "${renamed[@]}" "$file"
done
# The simulated runtime is a copy in a folder of its own.
for file in "$data"/lib/cugate/*.so "${copies[@]}"; do
    patchelf --force-rpath --add-rpath "\$ORIGIN:\$ORIGIN/.." "$file"
done
patchelf --force-rpath --add-rpath "\$ORIGIN/cugate" "$data"/lib/libcugate_machine.so.*

mapfile -t needed < <(patchelf --print-needed "${programs[@]}" "${copies[@]}" | sort -u | grep -vxE "$everywhere")
for name in "${needed[@]}"; do
    [ -e "$data/lib/cugate/$name" ] || { echo "wheel: $name is needed, and not in the package" >&2 && exit 1; }
done

# ---- The platform: the newest version of glibc that any of it asks for.
glibc=$(objdump -T "${programs[@]}" "${copies[@]}" | grep -oE 'GLIBC_[0-9]+\.[0-9]+' | sort -Vu | tail -1)
platform=manylinux_$(tr . _ <<<"${glibc#GLIBC_}")_$(uname -m)

cat >"$info/WHEEL" <<END
Wheel-Version: 1.0
Generator: cugate ($version)
Root-Is-Purelib: false
Tag: py3-none-$platform
END
cat >"$info/METADATA" <<END
Metadata-Version: 2.4
Name: cugate
Version: $version
Summary: Performance gate for CUDA kernels
Requires-Python: >=3.10
$(cd "$info/licenses" && printf 'License-File: %s\n' */copyright)
Description-Content-Type: text/plain

Runs the kernels of a program or of a library under CUPTI, or computes without a GPU what they count, compares with the
baseline kept in git, and fails where a kernel got worse, with the line that is to blame.

NVIDIA's disassembler (to compute) and CUPTI (to measure, where there is no CUDA toolkit) are fetched by cugate-fetch.

cugate itself comes without a licence: its owner has chosen none yet. The libraries in this package have theirs, which are in
it. The GNU Scientific Library is among them, whose licence (GPL 3) makes demands on all of a work that is passed on with it.
END

rm -f "$folder/cugate-$version"-*.whl
"$top/build/python/bin/python" -I -m wheel pack --dest-dir "$folder" "$tree" >"$work/said" || { cat "$work/said" >&2 && exit 1; }
echo "package: $(ls "$folder/cugate-$version"-*.whl)"
