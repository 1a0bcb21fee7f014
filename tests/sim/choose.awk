# Chooses kernels that together have every feature of features.awk, whose lines it reads. One after the other it takes the
# kernel that costs least for each feature that none before it has; then it leaves out those that later ones made needless.
# The first kernel of a library costs what nvdisasm takes to read an image as well. Prints rows of sample.txt without floors.

{
    key = $1 " " $2
    feature = substr($0, length($1 $2 $3) + 4)
    if (!(key in cost)) {
        name[++kernels] = key
        library[key] = $1
        cost[key] = $3
    }
    own[key, ++count[key]] = feature
    missing[feature] = 1
}

function gain(key, i, sum)
{
    for (i = 1; i <= count[key]; i++)
        sum += missing[own[key, i]]
    return sum + 0
}

END {
    image = 60000000
    while (1) {
        best = ""
        for (k = 1; k <= kernels; k++) {
            key = name[k]
            if ((key in taken) || (news = gain(key)) == 0)
                continue
            ratio = (cost[key] + (library[key] in used ? 0 : image)) / news
            if (best == "" || ratio < least) {
                best = key
                least = ratio
            }
        }
        if (best == "")
            break
        taken[best]
        used[library[best]]
        order[++steps] = best
        for (i = 1; i <= count[best]; i++)
            missing[own[best, i]] = 0
    }
    for (s = 1; s <= steps; s++)
        for (i = 1; i <= count[order[s]]; i++)
            times[own[order[s], i]]++
    for (s = steps; s > 0; s--) {
        key = order[s]
        needed = 0
        for (i = 1; i <= count[key] && !needed; i++)
            needed = times[own[key, i]] == 1
        for (i = 1; i <= count[key] && !needed; i++)
            times[own[key, i]]--
        if (needed)
            rows[library[key]] = rows[library[key]] " " substr(key, length(library[key]) + 2)
    }
    for (key in rows)
        print "floor -", key, "0 0 0 0" rows[key]
}
