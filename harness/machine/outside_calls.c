/* Calls of functions outside of the machine code: printf, malloc, free, and what a failing assertion calls. On a GPU
 * they are machine code of the driver's, of which no count is known. So a kernel that is counted is refused, or noted.
 */
#include "outside_calls.h"

#include "control_parts.h"

#include "machine/memory/memory.h"

/* Arguments and answers are in these registers, 64 bits each. */
enum { FIRST_ARGUMENT = 4, SECOND_ARGUMENT = 6 };

enum { MOST_PRINTED = 1 << 20 }; /* bytes of one call */

static uint64_t argument(const struct warp *warp, unsigned number, unsigned lane)
{
    return (uint64_t)warp->rows[number + 1][lane] << 32 | warp->rows[number][lane];
}

static void answer(struct warp *warp, unsigned lane, uint64_t value)
{
    warp->rows[FIRST_ARGUMENT][lane] = (uint32_t)value;
    warp->rows[FIRST_ARGUMENT + 1][lane] = (uint32_t)(value >> 32);
}

/* ---- Memory that printf reads ---- */

/* Copies from a generic address of a lane. Returns how many bytes of `size` there are. */
static size_t read_some(struct warp *warp, unsigned lane, uint64_t address, void *to, size_t size)
{
    const uint64_t window = address & ~(uint64_t)UINT32_MAX, offset = address & UINT32_MAX;
    struct block *block = warp->block;
    struct allocation place;
    if (window == LOCAL_WINDOW || window == SHARED_WINDOW) {
        const size_t most = window == LOCAL_WINDOW ? block->local_bytes : block->shared_size;
        const size_t there = offset >= most ? 0 : most - offset < size ? most - offset : size;
        if (window == LOCAL_WINDOW)
            local_move(warp, lane, (uint32_t)offset, to, (unsigned)there, false);
        else
            memcpy(to, block->shared + offset, there);
        return there;
    }
    if (!device_find(block->machine, address, &place))
        return 0;
    const size_t there = place.end - address < size ? place.end - address : size;
    memcpy(to, device_bytes(block->machine, address), there);
    return there;
}

static void read_all(struct warp *warp, unsigned lane, uint64_t address, void *to, size_t size)
{
    if (read_some(warp, lane, address, to, size) < size)
        block_fault_of(warp->block, FAULT_ADDRESS, "printf reads %zu bytes at 0x%llx, outside every allocation", size,
                       (unsigned long long)address);
}

/* Returns the text at an address. Caller frees. */
static char *read_text(struct warp *warp, unsigned lane, uint64_t address)
{
    char *text = NULL;
    size_t length = 0, had;
    do {
        enum { STEP = 64 };
        text = x_realloc(text, length + STEP + 1, 1);
        had = read_some(warp, lane, address + length, text + length, STEP);
        text[length + had] = '\0';
        if (strlen(text + length) < had)
            return text;
        length += had;
    } while (had > 0 && length < MOST_PRINTED);
    free(text);
    block_fault_of(warp->block, FAULT_ADDRESS,
                   "printf reads a string at 0x%llx that does not end within its allocation",
                   (unsigned long long)address);
}

/* ---- printf ---- */

struct printed {
    uint64_t block;
    size_t number; /* of this launch */
    char *text;
};

struct arguments {
    struct warp *warp;
    unsigned lane;
    uint64_t at;
    unsigned count;
};

static uint64_t next_argument(struct arguments *arguments, unsigned size)
{
    uint64_t value = 0;
    arguments->at = (arguments->at + size - 1) / size * size;
    read_all(arguments->warp, arguments->lane, arguments->at, &value, size);
    arguments->at += size;
    arguments->count++;
    return value;
}

/* Takes a number of a width or precision, and `*` from the arguments. Returns what is behind it. */
static const char *take_number(FILE *out, const char *format, struct arguments *arguments)
{
    if (*format == '*') {
        fprintf(out, "%d", (int)next_argument(arguments, 4));
        return format + 1;
    }
    while (*format >= '0' && *format <= '9')
        fputc(*format++, out);
    return format;
}

/* Prints one argument by a conversion of the host's, `%-8.3` without its letter. */
static void print_one(FILE *out, const char *how, char letter, bool is_long, struct arguments *arguments)
{
    OWNED_TEXT format = x_sprintf("%s%s%c", how, strchr("diouxX", letter) ? "ll" : "", letter);
    if (strchr("diouxX", letter)) {
        const uint64_t value = next_argument(arguments, is_long ? 8 : 4);
        const bool is_signed = letter == 'd' || letter == 'i';
        fprintf(out, format, is_long || !is_signed ? (long long)value : (long long)(int32_t)value);
    } else if (letter == 's') {
        const uint64_t address = next_argument(arguments, 8);
        OWNED_TEXT text = address ? read_text(arguments->warp, arguments->lane, address) : x_strdup("(null)");
        fprintf(out, format, text);
    } else if (letter == 'c') {
        fprintf(out, format, (int)next_argument(arguments, 4));
    } else if (letter == 'p') {
        fprintf(out, format, (void *)(uintptr_t)next_argument(arguments, 8)); /* NOLINT(performance-no-int-to-ptr) */
    } else {
        const uint64_t bits = next_argument(arguments, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        fprintf(out, format, value);
    }
}

/* Prints the conversion at `format`, which begins with %. Returns what is behind it. */
static const char *print_conversion(FILE *out, const char *format, struct arguments *arguments)
{
    const char *begin = format++;
    char *how;
    size_t length;
    FILE *made = x_memstream(&how, &length);
    fputc('%', made);
    while (*format && strchr("#0- +", *format))
        fputc(*format++, made);
    format = take_number(made, format, arguments);
    if (*format == '.') {
        fputc('.', made);
        format = take_number(made, format + 1, arguments);
    }
    unsigned longs = 0;
    for (; *format && strchr("hlzjt", *format); format++)
        longs += *format != 'h';
    fclose(made);
    if (*format && strchr("diouxXeEfFgGaAcsp", *format)) {
        print_one(out, how, *format++, longs > 0, arguments);
    } else if (format[0] == '%' && format == begin + 1) {
        fputc(*format++, out);
    } else {
        free(how);
        block_not_simulated(arguments->warp->block, "printf with a format like %.*s", (int)(format - begin + 1), begin);
    }
    free(how);
    return format;
}

static void print(struct warp *warp, unsigned lane)
{
    char *format = read_text(warp, lane, argument(warp, FIRST_ARGUMENT, lane));
    struct arguments arguments = {warp, lane, argument(warp, SECOND_ARGUMENT, lane), 0};
    char *text;
    size_t length;
    FILE *out = x_memstream(&text, &length);
    for (const char *at = format; *at;)
        if (*at == '%')
            at = print_conversion(out, at, &arguments);
        else
            fputc(*at++, out);
    fclose(out);
    free(format);
    struct machine *machine = warp->block->machine;
    pthread_mutex_lock(&machine->lock);
    const size_t number = machine->printed_count;
    *ARRAY_GROW(machine->printed, machine->printed_count) = (struct printed){warp->block->number, number, text};
    pthread_mutex_unlock(&machine->lock);
    answer(warp, lane, arguments.count);
}

static int by_block(const void *a, const void *b)
{
    const struct printed *one = a, *other = b;
    if (one->block != other->block)
        return one->block < other->block ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

void outside_print(struct machine *machine)
{
    pthread_mutex_lock(&machine->lock);
    SORT(machine->printed, machine->printed_count, by_block);
    for (size_t i = 0; i < machine->printed_count; i++)
        fputs(machine->printed[i].text, stdout);
    outside_forget(machine);
    pthread_mutex_unlock(&machine->lock);
}

void outside_forget(struct machine *machine)
{
    for (size_t i = 0; i < machine->printed_count; i++)
        free(machine->printed[i].text);
    free(machine->printed);
    machine->printed = NULL;
    machine->printed_count = 0;
}

/* ---- malloc and free ---- */

static void allocate(struct warp *warp, unsigned lane)
{
    answer(warp, lane, heap_allocate(warp->block->machine, argument(warp, FIRST_ARGUMENT, lane)));
}

static void release(struct warp *warp, unsigned lane)
{
    const uint64_t address = argument(warp, FIRST_ARGUMENT, lane);
    if (address && !heap_free(warp->block->machine, address))
        block_fault_of(warp->block, FAULT_ADDRESS, "lane %u frees 0x%llx, which is not allocated by malloc", lane,
                       (unsigned long long)address);
}

/* ---- Calls ---- */

static void fail(struct warp *warp, unsigned lane)
{
    (void)lane;
    block_fault_of(warp->block, FAULT_ASSERT, "an assertion failed");
}

/* To add a function: a row, with what it does for one lane. */
static const struct outside {
    const char *name;
    const char *said; /* as a message has it */
    void (*call)(struct warp *warp, unsigned lane);
    const char *note; /* of a kernel that is counted; NULL: it is counted wholly */
} functions[] = {
    {"__assertfail", "assert", fail, NULL},
    {"vprintf", "printf", print, "counts exclude printf"},
    {"malloc", "malloc or new", allocate, "counts exclude malloc and new"},
    {"free", "free or delete", release, "counts exclude free and delete"},
};

void outside_allow(struct machine *machine)
{
    machine->allows_outside = true;
}

char *outside_noted(struct machine *machine)
{
    char *text = NULL;
    SORT(machine->noted, machine->noted_count, by_text);
    for (size_t i = 0; i < machine->noted_count; i++) {
        OWNED_TEXT before = text;
        text = x_sprintf("%s%s%s", before ? before : "", before ? "; " : "", machine->noted[i]);
    }
    machine->noted_count = 0;
    return text;
}

static const struct outside *find(const char *name)
{
    return FIND(function, functions, ARRAY_SIZE(functions), strcmp(function->name, name) == 0);
}

uint64_t call_address(const struct warp *warp, const struct instruction *code, unsigned lane)
{
    const struct operand *named = operand_of(code, OPERAND_TARGET), *operand = operand_of(code, OPERAND_ROW);
    if (named)
        return (uint64_t)named->value;
    if (!operand || operand->immediate)
        return 0;
    return (uint64_t)row_at(warp, operand->space, operand->high)[lane] << 32 |
           row_at(warp, operand->space, operand->row)[lane];
}

bool do_call_outside(struct warp *warp, const struct instruction *code, unsigned index, uint32_t lanes)
{
    const char *name = NULL;
    struct block *block = warp->block;
    EACH_BIT(l, lanes) {
        const char *own = module_outside(block->grid->function->module, call_address(warp, code, l));
        if (!own || (name && strcmp(own, name) != 0))
            block_not_simulated(block, "%s of code outside the kernel's machine code", code->opcode);
        name = own;
    }
    const struct outside *function = name ? find(name) : NULL;
    if (!function)
        block_not_simulated(block, "%s of %s", code->opcode, name ? name : "code outside the kernel's machine code");
    if (block->counts && function->note && !outside_note(block->machine, function->note))
        block_not_simulated(block, "%s in a counted kernel, which would execute code of the driver", function->said);
    EACH_BIT(l, lanes)
        function->call(warp, l);
    warp->splits[index].pc++;
    return true;
}

bool outside_begin(const struct function *function)
{
    return !module_calls(function->module, "malloc") || heap_open(function->module->machine);
}
