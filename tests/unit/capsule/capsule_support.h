/* capsule_support.h - small files of capsules for tests. */
#pragma once

#include "capsule/capsule.h"

/* Writes folder/name, which holds made_about() and two capsules with everything that a file can hold: they have all
 * kinds of memory, a whole page and small ones, some of which they share, zeros, and pages that stay. Returns the path;
 * caller frees. */
char *made_capsules(const char *folder, const char *name, page_compress *compress);

struct run made_about(void);

/* Puts the capsules' pages into a file that is being written, and adds number 1 or 2. */
void made_add(struct capsule_writer *writer, int number);

/* Opens a file, which must succeed. */
struct capsules opened_capsules(const char *path, bool cut);

/* Expects the files to be equal in all but the numbers of pages. */
void expect_equal_capsules(const struct capsules *a, const struct capsules *b);

/* Reads all pages. -1 with *problem when one is damaged. */
int read_all_pages(const struct capsules *capsules, struct problem *problem);
