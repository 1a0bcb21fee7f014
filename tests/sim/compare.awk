# Compares counts of the simulator with a GPU's, both as tests/sim/counts.sh writes them.
#
#   awk -v library=NAME -f compare.awk recorded.counts simulated.counts
#
# What the simulator says is a number, which has to be the GPU's, or two bounds, which have to hold it. A count of an
# instruction may differ only where the kernel's own count of that kind is known within bounds only. A count that is known
# not to be, since it depends on what comes first, is not compared, nor are the kernel's instructions. Prints
#
#   difference KERNEL COUNTER WORDS    one line for each counter of a kernel that is neither
#   total KERNELS EXACT BOUNDED INSTRUCTIONS LOOSE    kernels compared, their rows, counts of instructions equal and not

function number(text) { return text + 0 }
function equal(a, b) { return a == b || (a - b <= 1e-8 * b && b - a <= 1e-8 * b) }
function difference(counter, words) {
    if (!((kernel, counter) in told))
        print "difference", kernel, counter, words
    told[kernel, counter]
}

BEGIN {
    # The kernel's counter that says whether a count of an instruction is known to the digit. Where branches are not,
    # waits may look again.
    split("instructions branch_targets branch_targets - branch_targets shared_wavefronts shared_wavefronts global_load_sectors global_load_sectors - - - - -", of, " ")
    split("instructions active_threads working_threads divergent_branches uniform_branches shared_wavefronts shared_ideal " \
          "load_sectors load_ideal store_sectors store_ideal local_sectors global_loads global_stores", counters, " ")
}

$1 == "k" { kernel = $2 }
$1 == "f" { place = substr($0, 3) }

# The recording.
FILENAME == ARGV[1] {
    if ($1 == "k") {
        code[kernel] = $0
        order[++count] = kernel
    } else if ($1 == "m")
        row[kernel, $2] = substr($0, length($2) + 4)
    else if ($1 == "i") {
        instruction[kernel, place, $2] = $0
        by_instruction[kernel]
    }
    next
}

$1 == "k" {
    seen[kernel]
    skip = 0
    if (!(kernel in code)) {
        difference("-", "is not in the recording")
        skip = 1
    } else if ($3 == "-") {
        if ($4 " " $5 != "not simulated:")
            difference("-", substr($0, length($1 $2) + 5))
        skip = 1
    } else if (code[kernel] ~ /^k [^ ]+ - /) {
        difference("-", "was not recorded: " code[kernel])
        skip = 1
    } else if ($0 != code[kernel]) {
        difference("code", "is not the recorded machine code")
        skip = 1
    } else {
        compared[kernel]
        kernels++
    }
}

$1 == "m" && !skip {
    bounded = $3 != "-" && !equal(number($3), number($4))
    if (bounded)
        loose[kernel, $2]
    rows_seen[kernel, $2]
    if ($2 == "excess_wavefronts" && !(kernel in by_instruction))
        next # it is made of counts by instruction
    if ($2 == "constant_replays" && !((kernel, $2) in row))
        next # a GPU counts it in a pass of its own, which few libraries were recorded with
    if (!((kernel, $2) in row)) {
        difference($2, "the GPU has no such row")
        next
    }
    split(row[kernel, $2], gpu, " ")
    if ($4 " " $5 " " $6 == "not counted: depends") {
        open[kernel]
        next
    }
    if ($3 == "-" || gpu[1] == "-") {
        if (substr($0, length($2) + 4) == row[kernel, $2])
            exact++
        else
            difference($2, substr($0, length($2) + 4) " and not " row[kernel, $2])
    } else if (!bounded && equal(number($3), number(gpu[1])) && equal(number(gpu[1]), number(gpu[2])))
        exact++
    else if (number($3) <= gpu[2] * (1 + 1e-8) && number($4) >= gpu[1] * (1 - 1e-8))
        within++
    else
        difference($2, $3 (bounded ? " to " $4 : "") " and not " gpu[1])
}

$1 == "i" && !skip && !(kernel in by_instruction) { next } # they were not recorded

$1 == "i" && !skip && (kernel in open) {
    delete instruction[kernel, place, $2]
    next
}

$1 == "i" && !skip {
    if (((kernel, place, $2) in instruction) && instruction[kernel, place, $2] == $0) {
        equal_counts += 14
        delete instruction[kernel, place, $2]
        next
    }
    n = split(((kernel, place, $2) in instruction) ? instruction[kernel, place, $2] : "", gpu, " ")
    delete instruction[kernel, place, $2]
    for (c = 1; c <= 14; c++) {
        mine = c + 2 <= NF ? number($(c + 2)) : 0
        its = c + 2 <= n ? number(gpu[c + 2]) : 0
        if (mine == its)
            equal_counts++
        else if ((of[c] != "-" && ((kernel, of[c]) in loose)) || (c == 1 && ((kernel, "branch_targets") in loose)))
            loose_counts++
        else
            difference("line:" counters[c], sprintf("at 0x%x: %d and not %d", $2, mine, its))
    }
}

END {
    for (i = 1; i <= count; i++)
        if (!(order[i] in seen) && code[order[i]] !~ /^k [^ ]+ - /) {
            kernel = order[i]
            difference("-", "is in the recording only")
        }
    for (key in row) {
        split(key, part, SUBSEP)
        kernel = part[1]
        if ((kernel in compared) && !(kernel in open) && !((kernel, part[2]) in rows_seen))
            difference(part[2], "is not computed")
    }
    for (key in instruction) {
        split(key, part, SUBSEP)
        kernel = part[1]
        if ((kernel in compared) && !((kernel, "branch_targets") in loose) && !(kernel in open))
            difference("line:" "instructions", sprintf("at 0x%x: is not executed", part[3]))
    }
    print "total", kernels + 0, exact + 0, within + 0, equal_counts + 0, loose_counts + 0
}
