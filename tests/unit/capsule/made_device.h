/* made_device.h - a device that is made up: its memory is a table, and its machine code three functions in C. And a
 * file of capsules of these. */
#pragma once

#include "capsule/capsule.h"

/* What is wrong with the device, beside that it refuses a call. */
enum made_fault {
    MADE_FINE,
    MADE_WRONG,      /* its results are not right */
    MADE_NO_LAUNCH,  /* it refuses launches */
    MADE_NO_VARIABLE /* its machine code has no variables */
};
extern enum made_fault made_device_fault;

/* The call that is refused, counted from 0; and how many there were. Set both before use. */
extern size_t made_refused, made_calls;

/* What the device has been asked for. */
extern size_t made_reserved, made_backed, made_regions;
extern size_t made_loaded;   /* modules, each of which is a region until the player is closed */
extern uint64_t made_copied; /* bytes */

extern const struct capsule_device made_device;

/* Returns the memory at an address, which must be there. */
unsigned char *made_memory(uint64_t address, size_t size);

/* Where variables are, of the module that was loaded last. */
uint64_t made_table(void), made_cell(void);
#define MADE_FUNCTION 0xf00d0000 /* what the loader writes to where the table has the address of a function */

/* ---- The file ---- */

enum {
    MADE_ADD,    /* adds 1 to each of ADD_COUNT words, in DEVICE memory */
    MADE_FOLLOW, /* follows pointers into variables, and writes such pointers */
    MADE_NOISY,  /* leaves other bits each time, which are masked */
    MADE_AGAIN,  /* adds to what MADE_ADD has made, partly at its addresses and partly in HOST memory */
    MADE_COUNT
};
enum { ADD_COUNT = 40000 };

#define MADE_OUT 0x7d0000000200 /* memory of MADE_ADD */
#define MADE_IN 0x7d0000200000
#define MADE_SLOT 0x7d0010000000 /* a pointer of MADE_FOLLOW */
#define MADE_HOST 0x7d0000400000 /* memory of MADE_AGAIN */

struct made_file {
    char *folder, *path;
    struct capsules capsules;
    struct player player;
};

/* Writes and opens the file, and has the device take its addresses. */
void made_file_open(struct made_file *made);
void made_file_close(struct made_file *made);

/* Returns an image with the variables, of which words are relocated. Caller frees. */
unsigned char *made_image(size_t *size);
