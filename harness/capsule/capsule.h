/* capsule.h - a launch of a program, kept with all that it needs: machine code, arguments, and every range of memory
 * that it can reach, before and after. A file of capsules is a kernel library: each capsule is a kernel, which runs
 * again in any process, on a GPU or simulated.
 *
 * The file is a log, so that a process can write it while it runs, and it is whole or it is refused:
 *
 *   16 bytes   "cugate capsules\n"
 *   32 bits    the version
 *   records    each is its kind (32 bits), the size of its content (32 bits), a hash (128 bits) and the content
 *
 * A record is of one of these kinds:
 *
 *   page       1 to CAPSULE_PAGE bytes without the zeros at the end, as they are or compressed by zstd; pages are
 *              numbered in this order, and no two are the same
 *   about      a run file without results: the GPU, driver and date of the capture
 *   capsule    JSON (capsule_text.h); it names pages, which came before, by their number
 *   end        how many pages and capsules there were
 *
 * The hash is XXH3's, of the content and with the kind as its seed; that of a page is of the bytes as they are. All
 * numbers are little-endian. */
#pragma once

#include "base/base.h"
#include "model/model.h"

enum { CAPSULE_VERSION = 1, CAPSULE_PAGE = 1 << 16 };

/* Pages that the file does not hold. */
#define PAGE_ZERO UINT32_MAX       /* zeros */
#define PAGE_SAME (UINT32_MAX - 1) /* of `after`: as before the launch */

/* Bytes that are kept in pages. */
struct blob {
    uint64_t size;
    uint32_t *pages; /* the numbers of pages_of(size) pages; only the last page may be shorter than CAPSULE_PAGE */
};
void blob_release(struct blob *blob);
size_t pages_of(uint64_t size); /* how many pages hold so many bytes */

enum memory_kind {
    MEMORY_DEVICE,   /* of the GPU */
    MEMORY_HOST,     /* of the host, which the GPU can reach: pinned, registered */
    MEMORY_VARIABLE, /* a variable of the machine code, which has another address in each process */
    MEMORY_SCRATCH   /* of the GPU, without inputs or results: filled with a pattern, and not compared */
};
const char *memory_kind_name(enum memory_kind kind); /* "device", "host", "variable", "scratch" */

/* Memory that the launch can reach. before, after and varies have a page each for CAPSULE_PAGE bytes. */
struct memory_range {
    enum memory_kind kind;
    char *variable;   /* name of a MEMORY_VARIABLE; else NULL */
    uint64_t address; /* in the program */
    uint64_t size;
    uint32_t *before;
    uint32_t *after;  /* PAGE_SAME: the launch does not change it */
    uint32_t *varies; /* pages of bits that differ between two replays; PAGE_ZERO: none does. NULL: none in any page.
                       * Bytes that are neither 0 nor 0xff say how far a value may be off, as struct tolerance has it */
};

/* The place of an argument among the bytes of all. */
struct argument {
    unsigned offset, size;
    bool exact;  /* it points to results that have no tolerance, such as integers */
    unsigned of; /* of a step: the argument of the capsule, from 1, whose value it has; 0: it has its own */
};

/* One of several launches that together do the work of a capsule, in order. */
struct capsule_step {
    char *function;
    unsigned grid[3], block[3], shared;
    unsigned char *bytes; /* all arguments; those that the capsule gives are still 0 */
    size_t byte_count;
    struct argument *arguments;
    size_t argument_count;
};

enum proof {
    PROOF_NONE,      /* it was not replayed yet */
    PROOF_IDENTICAL, /* a replay in another process left in memory what the program's launch left, bit for bit or
                        within the tolerance */
    PROOF_VARIES     /* two replays differ, in the bits of `varies`; in all others they are the program's */
};
const char *proof_name(enum proof proof); /* "none", "identical", "varies" */

/* What the values of a result are read as, where they may differ. */
enum value_type { VALUE_F16, VALUE_BF16, VALUE_F32, VALUE_F64 };
const char *value_type_name(enum value_type type); /* "f16", "bf16", "f32", "f64" */
enum value_type value_type_of(const char *name);   /* VALUE_TYPES when no type has that name */
#define VALUE_TYPES (VALUE_F64 + 1)

struct capsule {
    char *id;         /* as `cugate run -- PROGRAM` names it: program/function@block,grid */
    char *function;   /* name in the machine code */
    struct blob code; /* an ELF image; empty in what a process of the program wrote, where the parent has the code */
    char *swapped;    /* where the code is from, if it is not the program's; else NULL */

    unsigned grid[3], block[3], shared; /* shared: dynamic shared memory in bytes */
    unsigned cluster[3];                /* 0: no cluster is asked for by the launch */
    unsigned shared_limit;              /* dynamic shared memory that the function may have, in bytes */
    unsigned carve_out;                 /* as struct launch has it */
    bool cooperative;
    bool overlaps;        /* the launch may begin before the one before has ended (programmatic dependent launch) */
    bool large_cluster;   /* the function allows clusters of non-portable size */
    unsigned char *bytes; /* all arguments */
    size_t byte_count;
    struct argument *arguments;
    size_t argument_count;
    struct memory_range *ranges;
    size_t range_count;
    struct capsule_step *steps; /* then `function` is only a name, and the arguments are those that steps may take */
    size_t step_count;          /* 0: it is one launch */

    double tolerance; /* of swapped code: how far its results may be off, by the rule of tolerate(); 0: not at all */
    enum value_type type; /* of these results; VALUE_F16 where there is no tolerance */

    enum proof proof;
    size_t launches;   /* how many launches of this kind the program made */
    size_t launch;     /* which of them this one is, from 1 */
    double time_ns;    /* median time of the program's launches, by activity records; NAN: not known */
    char *launched_by; /* who launches it, as `cugate run -- PROGRAM` says; may be NULL */
};

/* A capsule owns all it points to. `struct capsule capsule = {0}` is empty and may be released. */
void capsule_release(struct capsule *capsule);
void capsule_steps_release(struct capsule_step *steps, size_t count); /* frees the list too */

/* How many launches it is, and one of them as a capsule that borrows everything. */
size_t capsule_launches(const struct capsule *capsule);
struct capsule capsule_launch(const struct capsule *capsule, size_t number);

/* ---- Reading: capsule_read.c, capsule_find.c, capsule_compared.c ---- */

struct capsules {
    char *path;
    bool has_about;
    struct run about; /* GPU and session of the capture; it has no results */
    struct capsule *list;
    size_t count;
    struct page *pages; /* where each page is */
    size_t page_count;
    int file;
};

/* Whether that file says that it holds capsules. False for any other, and for none. */
bool capsules_is_file(const char *path);

/* Opens a file and checks it whole but for the content of pages, whose hashes are checked when they are read. A file
 * that a process did not end is refused; with `cut` the capsules that are whole are taken, and all pages checked. -1
 * with *problem, and then *capsules is empty. An empty one may be released. */
int capsules_open(struct capsules *capsules, const char *path, bool cut, struct problem *problem);
void capsules_release(struct capsules *capsules);

/* Writes the bytes of a page to bytes (CAPSULE_PAGE of them; what a page lacks is 0). It may be PAGE_ZERO. Any thread
 * may call. -1 with *problem. */
int capsules_page(const struct capsules *capsules, uint32_t page, unsigned char *bytes, struct problem *problem);

/* Returns the bytes of a blob, which may have 1 GiB (caller frees); NULL with *problem. */
unsigned char *capsules_blob(const struct capsules *capsules, const struct blob *blob, struct problem *problem);

/* Returns the number of the first capsule that has the code of capsule i, which may be i. In capsule_find.c. */
size_t capsules_same_code(const struct capsules *capsules, size_t i);
const struct capsule *capsules_find(const struct capsules *capsules, const char *id); /* NULL: there is none */

/* Words of 8 bytes that the launch changes, and how many of them are not compared, since they vary, or may be as far
 * off as rounding takes them. */
struct compared {
    uint64_t changed, masked, loose;
};
/* Counts them. -1 with *problem. In capsule_compared.c. */
int capsules_compared(const struct capsules *capsules, const struct capsule *capsule, struct compared *compared,
                      struct problem *problem);

/* Counts the words of 8 bytes that are masked, if only in part, in each of `count` capsules of one launch from `first`
 * on. *argument is told the number, from 1, of the one that points right before the first of them; 0: none does. */
int capsules_masked(const struct capsules *capsules, size_t first, size_t count, uint64_t *words, unsigned *argument,
                    struct problem *problem);

/* Returns the number, from 1, of the argument that points into the range closest before the address; 0: none does. */
unsigned capsule_argument_before(const struct capsule *capsule, const struct memory_range *range, uint64_t address);

/* Whether two launches find the same in memory and in their arguments. Pointers are the same where they point to the
 * same place of the same range, wherever that is. In capsule_compared.c. */
bool capsules_same_inputs(const struct capsules *capsules, const struct capsule *capsule, const struct capsules *others,
                          const struct capsule *other);

/* ---- Writing: capsule_write.c, capsule_copy.c ---- */

/* Compresses a page of size bytes into room (`most` bytes). Returns the size; 0: it does not become smaller. */
typedef size_t page_compress(void *room, size_t most, const void *bytes, size_t size);
page_compress page_compress_zstd; /* capsule_zstd.c: the library that is loaded into programs goes without zstd */

/* A file that is being written. After an error every further call does nothing and returns it again, so callers may
 * check at the end alone. A process that is killed leaves what it wrote in PATH.cugate-N.tmp, where N is 0 but for
 * several writers of one PATH. The next writer of PATH removes it. */
struct capsule_writer {
    struct atomic_file file;
    page_compress *compress;  /* NULL: pages are written as they are */
    unsigned char *room;      /* a page of it, for what was compressed */
    struct known_page *known; /* a table by hash */
    size_t known_room;
    uint32_t page_count, capsule_count;
    uint64_t bytes; /* written so far */
    struct problem problem;
};

/* Begins a file that gets its name when it is whole. -1 with writer->problem. */
int capsule_writer_open(struct capsule_writer *writer, const char *path, page_compress *compress);
/* Returns the number of a page of size bytes (CAPSULE_PAGE at most), which is written unless there is one like it.
 * PAGE_ZERO for zeros alone, and after an error. */
uint32_t capsule_writer_page(struct capsule_writer *writer, const void *bytes, size_t size);
struct blob capsule_writer_blob(struct capsule_writer *writer, const void *bytes, uint64_t size);
/* Says of which GPU and session the capsules are, once in a file. */
int capsule_writer_about(struct capsule_writer *writer, const struct run *about);
int capsule_writer_add(struct capsule_writer *writer, const struct capsule *capsule);
/* Copies a capsule of another file with the pages that it uses: capsule_copy.c. code, from capsule_writer_blob() of
 * this writer, takes the place of its machine code; NULL: it keeps its own. A file whose capsules are copied in
 * their order, after its about, by the same compression, is copied byte by byte if it holds no page that no capsule
 * uses. */
int capsule_writer_copy(struct capsule_writer *writer, const struct capsules *from, const struct capsule *capsule,
                        const struct blob *code);
/* Ends the file: whole, on the disk, under its name. -1 with writer->problem, and then there is no file. */
int capsule_writer_end(struct capsule_writer *writer);
int capsule_writer_finish(struct capsule_writer *writer, int failed); /* ends it, or abandons it if failed; error() */
void capsule_writer_abandon(struct capsule_writer *writer); /* removes what was written; after an end it does nothing */

/* ---- What executes a launch: a GPU by its driver, or the simulator ---- */

/* Functions return 0, or -1 with *problem. Addresses are those of the program. */
struct capsule_device {
    /* Makes the device ready for all that follows but reserve(). May be called again. */
    int (*begin)(struct problem *problem);
    /* Keeps other allocations of this process away from these addresses: whole blocks of 32 MiB. Called for all of a
     * file before anything else is allocated. -1 when something is there already. */
    int (*reserve)(uint64_t address, uint64_t size, struct problem *problem);
    /* Backs a part of what was reserved by memory, in multiples of 2 MiB, and takes that away again. */
    int (*back)(uint64_t address, uint64_t size, enum memory_kind kind, struct problem *problem);
    int (*unback)(uint64_t address, uint64_t size, struct problem *problem);
    /* Allocates memory for cugate's own use, anywhere. */
    int (*allocate)(uint64_t size, uint64_t *address, struct problem *problem);
    int (*free)(uint64_t address, struct problem *problem);

    int (*load)(const void *image, size_t size, void **module, struct problem *problem);
    int (*unload)(void *module, struct problem *problem);
    int (*variable)(void *module, const char *name, uint64_t *address, uint64_t *size, struct problem *problem);

    /* In the order of calls, as in the default stream. copy: within the device. */
    int (*write)(uint64_t address, const void *bytes, size_t size, struct problem *problem);
    int (*read)(void *bytes, uint64_t address, size_t size, struct problem *problem);
    int (*copy)(uint64_t to, uint64_t from, size_t size, struct problem *problem);
    /* The same as read, for a comparison: where blocks of the last launch were left out, since it is proved that they
     * do as others, what they alone change stays in `bytes`. NULL: none ever are. */
    int (*read_known)(void *bytes, uint64_t address, size_t size, struct problem *problem);
    int (*fill)(uint64_t address, int byte, size_t size, struct problem *problem);
    /* bytes: the arguments, capsule->byte_count of them. May return before it is done. */
    int (*launch)(void *module, const struct capsule *capsule, const unsigned char *bytes, struct problem *problem);
    int (*wait)(struct problem *problem);
    /* Has later launches execute their blocks in another order, or in the usual one. NULL: nobody can say. */
    void (*turn)(bool backwards);
};

/* ---- Replaying: capsule_replay.c, capsule_player.c ---- */

enum { PLAYER_PAGES = 512 };

/* All capsules of a file in one process. */
struct player {
    const struct capsules *capsules;
    const struct capsule_device *device;
    struct stretch *blocks; /* all addresses of the capsules, sorted, in blocks of 32 MiB */
    size_t block_count;
    bool is_given;          /* they are the device's; before, they are held, and so is */
    struct stretch *behind; /* what follows them */
    size_t behind_count;
    struct backing *backings;
    size_t backing_count;
    const struct replay *last; /* whose memory was restored last */
    bool ran;                  /* something was: scratch memory stays as it was left, as between a program's launches */
    unsigned char *room[4];    /* for PLAYER_PAGES pages each; replays use it in turn */
    void **modules;            /* the machine code of each capsule, if it is loaded */
    struct kept *kept;         /* of code that was swapped: its variables, as they were before a launch */
    size_t kept_count;
};

/* Holds the addresses of all capsules, so that nothing else of this process gets them. It comes first in a process. -1
 * with *problem when something is there already: then a new process image may have other addresses. */
int player_hold(struct player *player, const struct capsules *capsules, struct problem *problem);

/* Has the device reserve the addresses that are held, and nothing more. It comes before the GPU's context is made. */
int player_open(struct player *player, const struct capsule_device *device, struct problem *problem);
void player_close(struct player *player); /* after all replays; what the device reserved stays so */

/* A capsule that is ready to run. Several may be open at once, also with the same addresses: restore comes before each
 * launch. */
struct replay;
int replay_open(struct replay **opened, struct player *player, const struct capsule *capsule, struct problem *problem);
int replay_restore(struct replay *replay, struct problem *problem); /* memory is as before the launch */
/* Clears the memory beside that of the capsule, so that a launch which reaches it by chance does not find what it left
 * there itself. For proving: a launch that was proved does not reach it. */
int replay_clear_around(struct replay *replay, struct problem *problem);
/* Has it launched with other arguments from now on: capsule->byte_count bytes, as the program would have them. */
void replay_arguments(struct replay *replay, const unsigned char *bytes);
int replay_launch(struct replay *replay, struct problem *problem);
int replay_wait(struct replay *replay, struct problem *problem);
/* Compares memory with what the program's launch left, but for the bits of `varies`, bit for bit or within the
 * capsule's tolerance. Swapped code must leave its own variables as they were: else a launch keeps something for the
 * next. Returns 0; 1 when it differs, and why (why_size bytes) says where; -1 with *problem. */
int replay_compare(struct replay *replay, char *why, size_t why_size, struct problem *problem);
/* Says how far values were off that the last replay_compare() took for equal by a tolerance, "48 f32 values, by ...",
 * and sets *off to the most, as a part of the largest beside it; NULL and 0: none was. */
const char *replay_near(const struct replay *replay, double *off);
/* Read and write a range's memory as it is now; at and size are in bytes. */
int replay_read(struct replay *replay, size_t range, uint64_t at, void *bytes, size_t size, struct problem *problem);
int replay_write(struct replay *replay, size_t range, uint64_t at, const void *bytes, size_t size,
                 struct problem *problem);
int replay_fill(struct replay *replay, size_t range, uint64_t at, int byte, uint64_t size, struct problem *problem);
/* Has replay_compare() pass over these bits too, for each range as many bytes as it has; NULL: none. They are borrowed.
 */
void replay_mask(struct replay *replay, unsigned char *const *varies);
void replay_close(struct replay *replay);

/* ---- Results that may differ: capsule_tolerance.c ---- */

/* The results of other compilers differ in their last bits. So of TOLERANCE_SPAN bytes, which allocators give to one
 * array alone, a value may differ from the expected one by
 *
 *   |actual - expected| <= tolerance x the largest |expected| of the values there that the launch changes
 *
 * or, but for halves, by less than the least normal number. Values of more than TOLERANCE_FAR times the median there,
 * such as the -1e30 of a mask, count for themselves alone. A NaN as arithmetic makes them equals any other, and an
 * infinity itself alone. Where the launch changes nothing, or all that it changes is as it was before, nothing may
 * differ.
 *
 * Integers have no tolerance: where the 32-bit words that the launch changes are all less than INTEGER_MOST in
 * magnitude, and not all 0, nothing may differ. As single precision that is less than 1e-37. Of halves it takes
 * INTEGER_WORDS such words, since the second of a pair may be 0 by chance. Larger integers among values are told by
 * what points to them (struct argument). */
enum { TOLERANCE_SPAN = 512, TOLERANCE_FAR = 10000, INTEGER_MOST = 1 << 25, INTEGER_WORDS = 8 };

extern const size_t value_sizes[];
/* Whether all that the launch changes in a span are integers, as far as their bits tell. What floats leave by the way,
 * infinities and NaNs as arithmetic makes them, is no evidence. */
bool holds_integers(enum value_type type, const unsigned char *before, const unsigned char *expected, size_t size);

/* What a value is where code that sums in another order may have another one: not a number, infinite, or more than a
 * quarter of the largest number of its type. */
enum overflow { OVERFLOW_NONE = 0, OVERFLOW_NAN = 1, OVERFLOW_ABOVE = 2, OVERFLOW_BELOW = 4 };
enum overflow value_overflow(enum value_type type, const unsigned char *bytes);

struct tolerance {
    double most; /* of the rule */
    enum value_type type;
    bool exact;                   /* they are integers, whatever they look like */
    const unsigned char *allowed; /* for the values of one span; NULL: nothing */
    uint64_t integers;            /* counted: 32-bit words that differ where there are integers */
    uint64_t beyond;              /* counted: values that differ by more */
    double largest;               /* counted: the largest difference of these; INFINITY where a value is not a number */
    uint64_t within;              /* counted: values that differ by less, and */
    double off;                   /* the largest of these, as a part of what the rule takes it of; */
    uint64_t counted;             /* those of them whose expected value is not 0 */
    double ulps, squares;         /* of these the largest, and the sum of squares, in units of the value's last place */
};

/* Notes how far a value may be off, as a power of 2 that has no byte 0xff: `near` and `far` are the value where
 * inputs moved by less and by more. False: it is moved no further than was noted before, or jumps. */
bool tolerance_allow(enum value_type type, unsigned char *allowed, const unsigned char *expected,
                     const unsigned char *near, const unsigned char *far);

/* Replaces the values of `expected` by those of `actual` that are near enough, and counts the others. before: as the
 * launch found them. All three have size bytes, and begin at a multiple of TOLERANCE_SPAN. */
void tolerate(struct tolerance *tolerance, const unsigned char *before, unsigned char *expected,
              const unsigned char *actual, size_t size);

/* ---- Proving: capsule_prove.c ---- */

/* Replays a capsule several times, to see whether it is whole. Then writes it with what varies between replays masked,
 * and without pages that its result does not need. Returns 0; 1 when it is refused, and *why (why_size bytes) says why;
 * -1 with *problem. Unless it is careful, it also launches with parts of the memory zeroed, on which a kernel may fail.
 * *in_part is told whether the time was over before all was looked through that the launch may write without changing
 * it: such a word of the result is not compared. */
int capsule_prove(struct player *player, const struct capsule *capsule, bool careful, struct capsule_writer *writer,
                  bool *in_part, char *why, size_t why_size, struct problem *problem);

/* ---- Other inputs: capsule_draw.c, draw.c, draw_scalar.c ---- */

/* What 512 bytes of memory are taken for: allocators give them to one array alone. */
enum drawn_kind {
    DRAWN_ZEROS,    /* of no known type; among others they stay */
    DRAWN_POINTERS, /* kept: a word points to memory of the launch */
    DRAWN_SCALAR,   /* no memory, but an argument's own value; one of more than 8 bytes is kept */
    DRAWN_SIZE,     /* an integer of these that may not become more, or has no effect then */
    DRAWN_LENGTHS,  /* fewer integers than an array has: as scalars */
    DRAWN_OFFSETS, /* integers that never fall, such as the rows of a sparse matrix: so are the new ones, but for groups
                    */
    DRAWN_UNKNOWN, /* no number that is known here, such as 8 bits each: bytes change places, and get parts */
    DRAWN_ALIKE,   /* integers that are all the same, such as a mask of ones: some become 0 */
    DRAWN_INTEGERS, /* others of these, and parts; carefully they change places, so that a permutation stays one */
    DRAWN_FEW,      /* floats of few different values, such as a mask of 0 and -inf: change places */
    DRAWN_FLOATS,   /* each becomes a value between two of the array's, and parts get what is rare (draw_rough.c) */
    DRAWN_KINDS
};
const char *drawn_kind_name(enum drawn_kind kind); /* "zeros", "pointers", ... */
/* Writes the value of a scalar of `size` bytes as a number. */
void drawn_value_text(char text[32], uint64_t value, uint64_t size);

/* How an array is drawn: as boldly as the reference bears it, alone: it must not fail, nor vary more, nor leave more
 * infinities and NaNs, or numbers that are next to nothing. */
enum draw_way {
    DRAW_BOLDLY,
    DRAW_NARROWLY, /* no float is much larger than those that were there, and no row of them 0 */
    DRAW_CALMLY,   /* as those that were there: no two are the same, none is a 0, no part has another mean */
    DRAW_IN_BYTES, /* bytes change places */
    DRAW_KEPT,
    DRAW_FAR,    /* few values, some of them those that the code compares with, or next to them */
    DRAW_FINITE, /* the same without infinities */
    DRAW_WHOLE = 16,
    DRAW_NEAR = 32
};

/* An array that the launch may read: memory from where an argument points to, up to where another one does. */
struct drawn_array {
    unsigned argument; /* its number, from 1; 0: no argument points there */
    uint64_t size;
    enum drawn_kind kind;
    enum draw_way way;
    enum drawn_effect {
        EFFECT_NONE,
        EFFECT_WITHIN, /* what changes is within the tolerance */
        EFFECT_SEEN
    } effect;          /* on the result, of drawing it alone */
    bool asked;        /* to be kept */
    bool of_grid;      /* a scalar that is as many as there are blocks: it stays */
    bool written;      /* zeros that the launch writes */
    enum draw_way far; /* DRAW_FAR or DRAW_FINITE: in all draws but the last it is drawn so; 0: it is not */
    bool less;         /* a scalar that may become less too */
    bool reorders;     /* they rise, mostly by repeating: in another form they do not */
    unsigned parts;    /* of an array: a bit each of DRAWN_PARTS that, drawn alone, changes the result, */
    bool in_parts;     /* it was drawn in parts */
    bool is_scalar;    /* of 8 bytes at most; then its value, and what a size became: */
    uint64_t value, drawn;
};

/* What came of the arrays of a launch, and of bytes that are filled with a pattern before it, since it only writes
 * them. Of an array that is tried, the way from which on. */
enum { DRAWN_MOST = 256, DRAWN_PARTS = 4 };
/* What is no number, as the upper half of a word. */
enum special { SPECIAL_BELOW, SPECIAL_ABOVE, SPECIAL_NAN, SPECIALS };

struct drawn {
    struct drawn_array arrays[DRAWN_MOST]; /* those beyond are kept */
    size_t count;
    uint64_t filled;
    uint64_t special[SPECIALS], tiny, zeros, words; /* of the captured result: by kind; less than 2^-100; 0; all */
};

struct draw_request {
    const char *id; /* of the new capsule; borrowed */
    uint64_t seed;  /* the same one gives the same inputs */
    uint64_t place; /* where arrays get what is rare: the same in all draws */
    bool inputs;    /* draw inputs; else they are tried, and what is only written is filled */
    bool last;      /* of several: boldest */
    enum draw_form {
        FORM_CAPTURED,
        FORM_SIZES,  /* sizes are drawn too */
        FORM_ORDERS, /* groups are in another order too */
        FORM_NANS,   /* a few floats are NaN, all else is as captured */
        FORM_ZEROS,  /* of three scalars one is 0, one 1, one of another parity or sign; all else is as captured */
        FORM_ONES,   /* the first of them is 1, */
        FORM_OTHERS, /* or of another parity or sign */
        DRAW_FORMS
    } form;
    bool narrow;      /* no float is much larger than those that were there: types of fewer bits are allowed */
    uint64_t keep;    /* arguments whose arrays stay, a bit each */
    double tolerance; /* within which results will be compared, and */
    enum value_type type;
    enum draw_care {
        DRAW_ALL,
        DRAW_ANEW,     /* the launch fails, or races, on all that it bears alone: by chance, perhaps */
        DRAW_FEW_FAR,  /* it does so again: only scalars are drawn far */
        DRAW_CLOSE,    /* and again: nothing is */
        DRAW_MILDLY,   /* and again: no float is drawn boldly */
        DRAW_ONCE,     /* and again: none is drawn boldly */
        DRAW_FLOATS,   /* integers stay */
        DRAW_UNFILLED, /* nothing is filled with a pattern */
        DRAW_CARES
    } care;
    const unsigned char *ways; /* from which on arrays are tried, by their number: DRAWN_MOST of enum draw_way, with */
                               /* DRAW_WHOLE where neither parts nor another order is tried, DRAW_NEAR: nor far */
    /* Says that an array is tried, on which the launch may fail. */
    void (*tries)(void *self, size_t array, enum draw_way way);
    void *self;
};

/* Whether a form changes the array: a form that changes none is not drawn. */
bool drawn_has_form(const struct drawn_array *array, enum draw_form form);

/* Writes a capsule of the same launch on other inputs, with what the capsule's code makes of them as its result. So
 * the code is launched several times. Without `inputs` it finds *drawn, which further calls take as it is. Returns 0,
 * also where a form decides nothing and writes no capsule; 1 when there can be none, and *why (why_size bytes) says
 * why; -1 with *problem. */
int capsule_draw(struct player *player, const struct capsule *capsule, const struct draw_request *request,
                 struct capsule_writer *writer, struct drawn *drawn, char *why, size_t why_size,
                 struct problem *problem);
