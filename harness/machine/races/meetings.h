/* meetings.h - knows where blocks of a launch meet in global memory. They meet where one writes a word that another
 * reads or writes, or where the answer of an atomic is used. Blocks that never meet do the same in any order. Where
 * they do meet, counts have to be compared between several orders. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct block;
struct instruction;

struct meetings *meetings_open(void);
void meetings_close(struct meetings *meetings);

/* Begins a workload, of which nothing is known yet. */
void meetings_begin(struct meetings *meetings);

/* Returns where blocks met for the first time, such as "ATOMG.E.ADD at kernels/a.cu:12 (block 0,0,0)"; NULL: nowhere.
 * The text is valid until the next call. */
const char *meetings_place(const struct meetings *meetings);

/* Returns whether blocks of the last launch were seen to meet, if only in what they leave behind. */
bool meetings_any(const struct meetings *meetings);

/* Returns whether the answer of an atomic was used since meetings_begin(). */
bool meetings_answered(const struct meetings *meetings);

/* Returns whether lanes that others of their warp wait for yielded since then. */
bool meetings_yielded(const struct meetings *meetings);

/* Begins or ends a launch: who accessed which word is forgotten. */
void meetings_launch(struct meetings *meetings);

/* Returns zeros, which take memory once they are accessed, to note who accesses an array. munmap() frees them. */
void *meetings_words(size_t bytes);

/* Notes an instruction whose outcome depends on which block comes first. */
void meetings_note(struct block *block, const struct instruction *code);
void meetings_note_yield(struct block *block, const struct instruction *code);
