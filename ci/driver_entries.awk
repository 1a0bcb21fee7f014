# Makes the table of the driver's entry points (harness/driver/driver.h) of CUDA's headers: cuda.h, cudaTypedefs.h and
# cudaProfilerTypedefs.h. A type PFN_NAME_vVERSION says since which version of CUDA a name has which arguments. The first of
# them is exported as NAME, the next ones as NAME_v2 and so on, and those for a default stream of each thread with _ptds or
# _ptsz behind it, which are the same here.
#
#   awk -v aliases=FILE.ld -f ci/driver_entries.awk HEADERS... >FILE.c
function symbol(name, version, i, count) {
    for (i = 1; i <= row_count; i++)
        count += rows[i] == name && since[i] <= version
    return name (count > 1 ? "_v" count : "")
}
/^ *CUDA_(ERROR_[A-Z0-9_]+|SUCCESS) += [0-9]+/ { errors[++error_count] = "    {" $3 + 0 ", \"" $1 "\"}," }
match($0, /PFN_cu[A-Za-z0-9]+_v[0-9]+(_pt[sd][zs])?\)/) {
    split(substr($0, RSTART + 4, RLENGTH - 5), part, "_")
    version = substr(part[2], 2) + 0
    if (part[3])
        of_thread[part[1], version] = part[3]
    else if (!((part[1], version) in known)) {
        known[part[1], version]
        rows[++row_count] = part[1]
        since[row_count] = version
    }
}
END {
    print "/* Made by ci/driver_entries.awk. */\n#include \"driver/driver.h\"\n"
    print "/* What no file of the room does. The arguments do not matter, as in cudart_not_simulated.c. */"
    print "#define ENTRY(symbol) __attribute__((weak)) int symbol(void); int symbol(void) { return driver_not_simulated(#symbol); }"
    for (i = 1; i <= row_count; i++)
        print "ENTRY(" symbol(rows[i], since[i]) ")"
    print "\nconst struct driver_entry driver_entries[] = {"
    for (i = 1; i <= row_count; i++)
        print "    {\"" rows[i] "\", " since[i] ", (void (*)(void))" symbol(rows[i], since[i]) "},"
    print "    {0},\n};\n\nconst struct driver_error driver_errors[] = {"
    for (i = 1; i <= error_count; i++)
        print errors[i]
    print "    {0},\n};"
    for (key in of_thread) {
        split(key, part, SUBSEP)
        print symbol(part[1], part[2]) "_" of_thread[key] " = " symbol(part[1], part[2]) ";" >aliases
    }
}
