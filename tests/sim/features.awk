# What each recorded kernel has that a sample of them must have, as lines "LIBRARY KERNEL COST FEATURE":
#
#   build/tests/opcodes LIBRARY.so | awk -v library=NAME -f features.awk - compared simulated.counts
#
# These are opcodes with their modifiers, kinds of access, and rows of metrics, exact or by bounds. `compared` is what
# compare.awk printed: a kernel that is not as on the GPU has none. With -v lines=0, for a recording without counts of
# instructions, opcodes are those of the functions that it launches; else they are those that it executes. The cost is in
# instructions of warps; what nvdisasm takes for a function is in it.

function have(feature)
{
    if (!((kernel, feature) in has))
        list[kernel, ++count[kernel]] = feature
    has[kernel, feature]
}

# Returns an opcode with its modifiers, which is a feature. Products of warpgroups come in 32 widths and 24 types: each of both is a feature.
function have_opcode(opcode)
{
    if (match(opcode, /64x[0-9]+x/)) {
        have("width " substr(opcode, RSTART, RLENGTH - 1))
        sub(/64x[0-9]+x/, "64xNx", opcode)
    }
    have("opcode " opcode)
    return opcode
}

# What an access to memory costs, beside the least that it can: COUNT of REQUESTS.
function access(space, count, least, requests)
{
    if (count > 0)
        have(space " " opcode " " (count > least ? "scattered" : count > requests ? "in order" : "together"))
}

FILENAME == "-" && $1 == "f" { place = substr($0, 3) }
FILENAME == "-" && $1 == "o" {
    form[place, $2] = $3
    offsets[place] = offsets[place] " " $2
}
FILENAME == "-" { next }

FILENAME == ARGV[2] {
    if ($1 == "difference")
        wrong[$2]
    next
}

$1 == "k" {
    kernel = $2
    order[++kernels] = kernel
    if ($3 == "-")
        wrong[kernel]
    else if (NF > 3)
        have("several launches")
    open = 0
}
$1 == "m" && $3 == "-" {
    have("row " $2 " " $4 " " $5)
    open = open || $5 == "counted:"
}
$1 == "m" && $3 != "-" && $4 > 0 {
    have("row " $2 ($3 == $4 ? "" : " bounds"))
}
$1 == "f" {
    place = substr($0, 3)
    n = split(offsets[place], offset, " ")
    cost[kernel] += 2000000
    for (i = 1; i <= n && !lines; i++)
        have_opcode(form[place, offset[i]])
}
$1 == "i" { cost[kernel] += $3 }
$1 == "i" && lines {
    opcode = form[place, $2]
    if (opcode == "") {
        print "features.awk: " library ": " place " has no instruction at " $2 >"/dev/stderr"
        exit 1
    }
    opcode = have_opcode(opcode)
}
$1 == "i" && lines && !open {
    base = opcode
    sub(/\..*/, "", base)
    if ($4 < 32 * $3)
        have("fewer lanes " base)
    if ($5 < $4)
        have("guarded " base)
    if ($6 > 0)
        have("divergent " base)
    if ($7 > 0)
        have("uniform " base)
    if ($14 > 0)
        have("local " opcode)
    access("shared", $8, $9, $3)
    access("load", $10, $11, $15)
    access("store", $12, $13, $16)
}

END {
    for (k = 1; k <= kernels; k++) {
        kernel = order[k]
        for (i = 1; i <= count[kernel] && !(kernel in wrong); i++)
            print library, kernel, cost[kernel], list[kernel, i]
    }
}
