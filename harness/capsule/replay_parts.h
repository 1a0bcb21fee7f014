/* replay_parts.h - shared by the files that replay capsules. */
#pragma once

#include "capsule.h"

/* ---- Memory at the addresses of the program: capsule_player.c ---- */

/* Addresses from begin to end. */
struct stretch {
    uint64_t begin, end;
};

/* Memory that was backed in one call. Several replays may use it. */
struct backing {
    struct stretch place;
    size_t users;
};

/* Where the backings begin that a replay uses. */
struct backed {
    uint64_t *list;
    size_t count;
};

/* Backs all ranges of a capsule, as far as no other replay has done so. -1 with *problem; player_unback releases what
 * was backed in any case. */
int player_back(struct player *player, const struct capsule *capsule, struct backed *backed, struct problem *problem);
void player_unback(struct player *player, struct backed *backed);

/* Clears what was backed beside the capsule's ranges, since memory comes in pieces of 2 MiB. */
int player_clear_around(struct player *player, const struct capsule *capsule, const struct backed *backed,
                        struct problem *problem);

/* Loads the machine code of a capsule, once for all that have the same. It stays as long as the player: CUPTI keeps
 * what it knows of instrumented code, and a launch after that is gone can be its death (inject/ranges.c). -1 with
 * *problem. */
int player_load(struct player *player, const struct capsule *capsule, const unsigned char *code, void **module,
                struct problem *problem);

/* ---- Pointers into variables: capsule_moves.c ---- */

/* A variable of the machine code: where it was in the program, and where it is here. */
struct move {
    uint64_t from, size, to;
};

struct moves {
    struct move *list; /* sorted once moves_sort() was called */
    size_t count;
    uint64_t least, most; /* no other word is a pointer into a variable */
};

void moves_sort(struct moves *moves);

/* Sets *here to what a pointer of the program is here. False: it points into no variable, or right behind one. */
bool moves_find(const struct moves *moves, uint64_t pointer, uint64_t *here);

/* Moves the pointers among the words at multiples of 8 bytes; the first byte is at that address. */
void moves_apply(const struct moves *moves, uint64_t address, unsigned char *bytes, size_t size);

/* ---- Variables of other code than the program's: capsule_kept.c ---- */

/* Notes what the variables hold that kernels of a module can write to, before any of them ran. -1 with *problem. */
int player_keep(struct player *player, const unsigned char *code, size_t size, void *module, struct problem *problem);
void player_forget(struct player *player);

/* Sets the variables of a module back, but for those that are the capsule's. -1 with *problem. */
int player_set_back(const struct player *player, const struct capsule *capsule, const void *module,
                    struct problem *problem);
/* Returns 1 when a launch left something else in them, and why (why_size bytes) says where; 0; -1 with *problem. */
int player_compare_kept(const struct player *player, const struct capsule *capsule, const void *module, char *why,
                        size_t why_size, struct problem *problem);

/* Whether the bytes at an address have no tolerance: the argument that points right before them says so. */
bool capsule_is_exact(const struct capsule *capsule, const struct memory_range *range, uint64_t address);

/* ---- What the loader writes into variables: capsule_relocated.c ---- */

/* Places of 8-byte words, as bytes from the beginning of a variable. */
struct places {
    uint64_t *list;
    size_t count;
};

/* The relocations of an image, which has to stay; one that is no ELF image has none. */
struct relocations *relocations_open(const unsigned char *image, size_t size);
void relocations_close(struct relocations *relocations);

/* Finds the words of a variable that the loader relocates: addresses of functions, of other variables. None where the
 * image has no such variable. */
void relocated_words(struct places *places, const struct relocations *relocations, const char *variable);

/* Lists the 32-bit words by which instructions of a function compare, clamp, select or mask. Caller frees. */
size_t compared_words(const struct relocations *relocations, const char *function, uint32_t **words);

/* Adds the names of variables that kernels can write to. The caller frees the names and the list. False: there is such
 * memory that is no variable's. */
bool writable_variables(const struct relocations *relocations, char ***names, size_t *count);
