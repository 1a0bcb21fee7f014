#!/usr/bin/env bash
# Prints the comments of several jobs as one comment of limited size, which is what a host takes.
#
#   ci/join_comments.sh BYTES FILE...           FILE is ARTIFACT/comment.md, as --report comment=FILE wrote it
#
# What short comments leave goes to the others. A comment that is too long keeps its first line, the verdict, and as
# many whole lines as fit. An open fence or <details> is closed there. Then it says how much is left out, and which artifact
# has it. Jobs whose verdicts do not fit either are only counted. Where a comment says how to accept build/gate/run.json, the
# command follows that fetches this file from the artifact (GITHUB_RUN_ID names the run).
set -euo pipefail

# Sizes are in bytes, not characters. A line is printed when what closes its blocks still fits after it.
# shellcheck disable=SC2016 # awk's words
LC_ALL=C exec awk '
    function artifact_of(path) {
        sub(/\/[^\/]*$/, "", path)
        sub(/.*\//, "", path)
        gsub(/[^A-Za-z0-9._-]/, "?", path)
        return substr(path, 1, 64)
    }
    function read(job, path,    line, status) {
        lines[job] = size[job] = 0
        while ((status = (getline line <path)) > 0) {
            text[job, ++lines[job]] = line
            size[job] += length(line) + 1
        }
        close(path)
        artifact[job] = artifact_of(path)
        if (status == 0 && lines[job] && text[job, 1] != "")
            return
        text[job, 1] = "## :x: cugate: the comment of " artifact[job] " is empty; its log says why"
        size[job] = length(text[job, 1]) + 1
        lines[job] = 1
    }
    # Of the jobs that need more than their share, each gets the same.
    function share(bytes, jobs,    left, job, least) {
        for (left = jobs; left > 0; left--) {
            least = 0
            for (job = 1; job <= jobs; job++)
                if (!(job in given) && (!least || size[job] < size[least]))
                    least = job
            given[least] = size[least] * left <= bytes ? size[least] : int(bytes / left)
            bytes -= given[least]
        }
    }
    function follow(line) {
        if (fence != "")
            fence = line ~ /^``+$/ && length(line) >= length(fence) ? "" : fence
        else if (match(line, /^```+/))
            fence = substr(line, 1, RLENGTH)
        else if (line ~ /^<details>/)
            details++
        else if (line ~ /^<\/details>/ && details)
            details--
    }
    function closing() {
        return (fence == "" ? 0 : length(fence) + 1) + 11 * details
    }
    function put(job, bytes,    i, open_fence, open_details) {
        print text[job, 1]
        bytes -= length(text[job, 1]) + 1
        accepts = 0
        fence = ""
        details = 0
        for (i = 2; i <= lines[job]; i++) {
            open_fence = fence
            open_details = details
            follow(text[job, i])
            bytes -= length(text[job, i]) + 1
            if (bytes < closing()) {
                fence = open_fence
                details = open_details
                break
            }
            print text[job, i]
            accepts = accepts || text[job, i] ~ /^cugate accept build\/gate\//
        }
        if (fence != "")
            print fence
        while (details-- > 0)
            print "</details>"
        if (i <= lines[job])
            print "\nLeft out here, for want of space: " lines[job] - i + 1 " more line" (i < lines[job] ? "s" : "") "; comment.md in the artifact " artifact[job] " has all."
        if (accepts)
            print "\nbuild/gate/ is in the artifact " artifact[job] ": `gh run download " ENVIRON["GITHUB_RUN_ID"] " --name " artifact[job] " --dir build/gate`"
        print ""
    }
    BEGIN {
        said = 448 # bytes that what is said of one that is cut takes, where its files are, and an empty line
        bytes = ARGV[1] - said
        for (i = 2; i < ARGC; i++) {
            read(jobs + 1, ARGV[i])
            least = length(text[jobs + 1, 1]) + 1
            if (least + said > bytes) {
                lost++
                continue
            }
            size[++jobs] -= least
            bytes -= least + said
        }
        share(bytes, jobs)
        for (job = 1; job <= jobs; job++)
            put(job, given[job] + length(text[job, 1]) + 1)
        if (lost)
            print "Left out here, for want of space: " lost " more of the jobs; the log has their verdicts."
    }' "$@"
