/* bisection.h - git bisect in a worktree of its own, in a temporary folder: neither the user's checkout nor a bisection
 * that goes on there is touched. */
#ifndef BISECTION_H
#define BISECTION_H

#include "base/base.h"

struct bisection {
    const struct interrupts *interrupts;
    char *top;    /* of the repository */
    char *prefix; /* the current directory below it: "sub/" or "" */
    char *folder; /* temporary */
    char *tree;   /* in it: the worktree */
    char *log;    /* in it: what the last build said */
    bool has_tree;
    bool interrupted;
};

/* Finds the repository of the current directory and makes the folder. -1 after error(). bisection_close it either way,
 * which removes whatever was made. */
int bisection_open(struct bisection *bisection, const struct interrupts *interrupts);
void bisection_close(struct bisection *bisection);

/* The two revisions of "GOOD..BAD", the caller's to free. -1 after error(). */
int bisection_split(const char *range, char **good, char **bad);

/* The whole name of the commit that a revision names; NULL after error(). Caller frees. */
char *bisection_commit(struct bisection *bisection, const char *revision);

/* How many commits `good..bad` has; -1 after error(), also when good is no ancestor of bad. */
long bisection_count(struct bisection *bisection, const char *good, const char *bad);

/* The subject of a commit, and its first parent ("" of a first commit). NULL when git does not say. Caller frees. */
char *bisection_subject(struct bisection *bisection, const char *commit);
char *bisection_parent(struct bisection *bisection, const char *commit);

/* Puts a commit into the worktree. -1 after error(). */
int bisection_checkout(struct bisection *bisection, const char *commit);

/* Begins, and goes on with the verdict of the commit that is in the worktree, "good", "bad" or "skip". Each puts the
 * next one there: *next, the caller's to free, or NULL when it is done. -1 after error(). */
int bisection_begin(struct bisection *bisection, const char *good, const char *bad, char **next);
int bisection_go_on(struct bisection *bisection, const char *verdict, char **next);

/* What is found once it is done: one commit, or those that it may be; `*sure` says which. Ends in NULL; the caller
 * frees each and the list. */
char **bisection_found(struct bisection *bisection, bool *sure);

/* Runs a command for the shell at the top of the worktree; its words go to the log. Before it the library is removed,
 * so that one of an earlier commit never stands for it. 0 when the library is there afterwards; else -1 with a line of
 * what was said in *why. */
int bisection_build(struct bisection *bisection, const char *command, const char *library, struct problem *why);

#endif
