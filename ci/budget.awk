# Holds CPU seconds to their budget. Prints a table of them, the most expensive last, and a line "over: ..." for each part that
# has no figure or no row, or takes more than 1.5 times its row and 2 seconds more than it, and for a sum beyond the limit: of
# the rows, or 1.15 times as much of what was taken, since the same work takes more on cores that others use too. Exits 1 if
# there is any.
#
#   awk -v limit=420 -v slow=1.2 -f ci/budget.awk ROWS SECONDS
#
# Both files have lines "SECONDS<TAB>PART". slow says how many times as long this machine takes as the one where the rows
# were measured.

BEGIN { FS = "\t"; ROOM = 1.5; LEAST_ROOM = 2; ROOM_OF_ALL = 1.15 }
FILENAME == ARGV[1] {
    row[$2] = $1
    rows += $1
    next
}
{
    taken[$2] += $1
    sum += $1
    part[++count] = $2
}
function allowed(of) { return ROOM * of > of + LEAST_ROOM ? ROOM * of : of + LEAST_ROOM }
function over(text) { complaints = complaints "over: " text "\n" }
END {
    for (i = 1; i <= count; i++) {
        name = part[i]
        lines[i] = sprintf("%8.1f %8s  %s", taken[name], name in row ? sprintf("%.1f", row[name] * slow) : "none", name)
        if (!(name in row))
            over(sprintf("%s has no row", name))
        else if (taken[name] > allowed(row[name]) * slow)
            over(sprintf("%s took %.1f CPU seconds, and %.1f are allowed here", name, taken[name], allowed(row[name]) * slow))
    }
    for (name in row)
        if (!(name in taken))
            over(sprintf("%s has no figure", name))
    if (sum > ROOM_OF_ALL * limit * slow)
        over(sprintf("all took %.1f CPU seconds, and %.1f are allowed here", sum, ROOM_OF_ALL * limit * slow))
    if (rows > limit)
        over(sprintf("the rows add up to %.1f CPU seconds, and %.1f are allowed: lower others to raise one", rows, limit))
    printf "%8s %8s  %s\n", "CPU s", "budget", "part"
    sort = "sort -n"
    for (i = 1; i <= count; i++)
        print lines[i] | sort
    close(sort)
    printf "%8.1f %8.1f  all, on a machine that takes %.2f times as long as the one of the rows\n%s", sum, limit * slow, slow, complaints
    exit complaints != ""
}
