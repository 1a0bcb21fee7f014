#include "task_launch.h"

#include "base/base.h"

#include <ctype.h>

#define ELEMENTS_MOST (UINT64_C(1) << 36)
#define SHARED_MOST (1 << 20)
#define ARGUMENTS_MOST 64

/* ---- Types ---- */

struct task_type {
    const char *name;
    unsigned size;
    bool is_integer;
    double least, most; /* of an integer */
    void (*put)(unsigned char *bytes, double value);
};

#define PUT(name, type)                                                                                                \
    static void put_##name(unsigned char *bytes, double value)                                                         \
    {                                                                                                                  \
        const type number = (type)value;                                                                               \
        memcpy(bytes, &number, sizeof number);                                                                         \
    }
PUT(f64, double)
PUT(f32, float)
PUT(i64, int64_t)
PUT(i32, int32_t)
PUT(i16, int16_t)
PUT(i8, int8_t)
PUT(u64, uint64_t)
PUT(u32, uint32_t)
PUT(u16, uint16_t)
PUT(u8, uint8_t)

/* The nearest half or bf16, of two as near the even one: the upper bits of a float whose exponent has its bias. */
static void put_bf16(unsigned char *bytes, double value)
{
    const float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint16_t upper = (uint16_t)(isnan(value) ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    memcpy(bytes, &upper, sizeof upper);
}

static void put_f16(unsigned char *bytes, double value)
{
    const double size = fabs(value), least = 0x1p-14, last = size < least ? 0x1p-24 : ldexp(1, ilogb(size) - 10);
    const double near = isfinite(size) ? nearbyint(size / last) * last : size;
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const uint16_t rest = isnan(value)   ? 0x7e00
                          : near > 65504 ? 0x7c00
                          : near < least
                              ? (uint16_t)(near * 0x1p24)
                              : (uint16_t)(((ilogb(near) + 15) << 10) + (ldexp(near, 10 - ilogb(near)) - 1024));
    const uint16_t half = sign | rest;
    memcpy(bytes, &half, sizeof half);
}

/* clang-format off */
static const struct task_type types[] = {
    {"f64", 8, .put = put_f64}, {"f32", 4, .put = put_f32}, {"f16", 2, .put = put_f16}, {"bf16", 2, .put = put_bf16},
    {"i64", 8, true, -0x1p63, 0x1.fffffffffffffp62, put_i64}, {"u64", 8, true, 0, 0x1.fffffffffffffp63, put_u64},
    {"i32", 4, true, INT32_MIN, INT32_MAX, put_i32}, {"u32", 4, true, 0, UINT32_MAX, put_u32},
    {"i16", 2, true, INT16_MIN, INT16_MAX, put_i16}, {"u16", 2, true, 0, UINT16_MAX, put_u16},
    {"i8", 1, true, INT8_MIN, INT8_MAX, put_i8}, {"u8", 1, true, 0, UINT8_MAX, put_u8},
};
/* clang-format on */
static const char task_types_doc[] = "f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8";

/* ---- Values ---- */

/* A sequence of random numbers (splitmix64, Steele and others). */
static uint64_t next_word(uint64_t *state)
{
    uint64_t word = *state += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

/* At least 0 and less than 1. */
static double next_part(uint64_t *state)
{
    return (double)(next_word(state) >> 11) * 0x1p-53;
}

static double uniform(const struct task_argument *argument, uint64_t *state)
{
    const double part = next_part(state);
    if (argument->a == argument->b) /* a minus zero too */
        return argument->a;
    return argument->type->is_integer ? argument->a + floor(part * (argument->b - argument->a + 1))
                                      : argument->a + part * (argument->b - argument->a);
}

/* Box and Muller's. */
static double normal(const struct task_argument *argument, uint64_t *state)
{
    const double radius = sqrt(-2 * log(1 - next_part(state))), angle = 2 * M_PI * next_part(state);
    return argument->a + argument->b * radius * cos(angle);
}

enum { IN_ORDER = 1, SHUFFLED = 2, FROM_ZERO = 4, ALL_SAME = 8 };

struct task_values {
    const char *name;
    unsigned numbers; /* how many it takes, or none where */
    bool optional;    /* floats have numbers of their own: a = -1, b = 1 */
    unsigned order;   /* what becomes of the elements that were drawn */
    double (*next)(const struct task_argument *argument, uint64_t *state);
};

static const struct task_values kinds[] = {
    {"uniform", 2, true, .next = uniform},
    {"normal", 2, .next = normal},
    {"constant", 1, .order = ALL_SAME, .next = uniform},
    {"permutation", 0, .order = SHUFFLED},
    {"sorted", 2, .order = IN_ORDER, .next = uniform},
    {"offsets", 1, .order = IN_ORDER | FROM_ZERO, .next = uniform},
};
static const char task_values_doc[] =
    "uniform:LEAST:MOST (for floats -1 and 1 by default), normal:MEAN:DEVIATION, constant:VALUE, "
    "permutation (0 to COUNT - 1), sorted:LEAST:MOST, offsets:LAST (from 0 to LAST, in order)";

ORDER_OF(compare_numbers, double)

void task_fill(const struct task_argument *argument, unsigned char *bytes, uint64_t seed)
{
    const struct task_values *values = argument->values;
    const size_t count = (size_t)argument->count;
    OWNED_MEMORY double *numbers = x_calloc(count + 1, sizeof *numbers);
    uint64_t state = seed;
    for (size_t i = 0; i < count; i++)
        numbers[i] = values->next ? values->next(argument, &state) : (double)i;
    if (values->order & FROM_ZERO) {
        numbers[count - 1] = argument->b;
        numbers[0] = 0;
    }
    if (values->order & IN_ORDER)
        SORT(numbers, count, compare_numbers);
    for (size_t i = values->order & SHUFFLED ? count : 1; i > 1; i--) {
        const size_t other = (size_t)(next_word(&state) % i);
        const double held = numbers[other];
        numbers[other] = numbers[i - 1];
        numbers[i - 1] = held;
    }
    for (size_t i = 0; i < count; i++) {
        const double number = argument->type->is_integer ? nearbyint(numbers[i]) : numbers[i];
        argument->type->put(bytes + i * argument->type->size,
                            argument->type->is_integer ? fmin(fmax(number, argument->type->least), argument->type->most)
                                                       : number);
    }
}

/* ---- Reading ---- */

/* Text between marks, which is cut as it is read. */
struct words {
    char *next; /* NULL: there is nothing more */
};

/* Returns the text up to the next mark outside parentheses, without spaces around it. NULL: there is none. */
static char *take(struct words *words, char mark)
{
    char *word = words->next, *end = word;
    if (!word)
        return NULL;
    for (int depth = 0; *end && (depth > 0 || *end != mark); end++)
        depth += (*end == '(') - (*end == ')');
    end = *end ? end : NULL;
    words->next = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    word += strspn(word, " \t\n");
    for (size_t length = strlen(word); length > 0 && isspace((unsigned char)word[length - 1]); length--)
        word[length - 1] = '\0';
    return word;
}

static int read_whole(const char *word, uint64_t most, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long read = word && isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
    const bool good = end && !*end && !errno && read <= most;
    *number = good ? read : 0;
    return good ? 0 : -1;
}

static int read_number(const char *word, double *number)
{
    char *end = NULL;
    *number = word ? strtod(word, &end) : 0;
    return end && end != word && !*end && isfinite(*number) ? 0 : -1;
}

/* Reads X, XxY or XxYxZ, or as in CUDA dim3(X, Y, Z). */
static int read_extents(const char *what, char *text, unsigned extents[3])
{
    const size_t length = strlen(text), name = strncmp(text, "dim3(", 5) == 0 ? 4 : 0;
    const bool is_dim3 = text[name] == '(' && text[length - 1] == ')';
    struct words words = {.next = is_dim3 ? text + name + 1 : text};
    if (is_dim3)
        text[length - 1] = '\0';
    for (size_t i = 0; i < 3; i++) {
        uint64_t number = 1;
        if ((i == 0 || words.next) &&
            (read_whole(take(&words, is_dim3 ? ',' : 'x'), INT32_MAX, &number) < 0 || number == 0))
            return error("the %s must be X, XxY or XxYxZ, such as 256 or 32x4", what);
        extents[i] = (unsigned)number;
    }
    return words.next ? error("a %s has at most three dimensions", what) : 0;
}

static const struct task_type *type_named(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_SIZE(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return FAIL(NULL, "unknown type '%s'; use %s", name ? name : "", task_types_doc);
}

static int check_range(const struct task_argument *argument, double number)
{
    if (!argument->type->is_integer ||
        (number >= argument->type->least && number <= argument->type->most && number == floor(number)))
        return 0;
    return error("%g is not a value of %s", number, argument->type->name);
}

static int read_scalar(struct task_argument *argument, const char *value)
{
    const bool is_wide = argument->type->is_integer && argument->type->size == 8;
    double number = 0;
    char *end = NULL;
    argument->kind = TASK_SCALAR;
    errno = 0;
    if (is_wide) { /* a double has not all of them */
        const uint64_t bits = *value == '-' ? (uint64_t)strtoll(value, &end, 0) : strtoull(value, &end, 0);
        memcpy(argument->scalar, &bits, sizeof bits);
    } else {
        number = strtod(value, &end);
        argument->type->put(argument->scalar, number);
    }
    if (end == value || *end || errno == ERANGE)
        return error("'%s' is not a number", value);
    return is_wide ? 0 : check_range(argument, number);
}

static int read_values(struct task_argument *argument, struct words *words)
{
    const char *name = words->next ? take(words, ':') : "uniform";
    double *const numbers[] = {&argument->a, &argument->b};
    for (size_t i = 0; i < ARRAY_SIZE(kinds) && !argument->values; i++)
        if (strcmp(kinds[i].name, name) == 0)
            argument->values = &kinds[i];
    if (!argument->values)
        return error("unknown kind of values '%s'; use %s", name, task_values_doc);
    if (argument->values->optional && !argument->type->is_integer && !words->next) {
        argument->a = -1;
        argument->b = 1;
        return 0;
    }
    if (argument->values->optional && !words->next)
        return error(
            "no values are given: write for example %s:COUNT:uniform:0:99, because only floats have a default range",
            argument->type->name);
    for (unsigned i = 0; i < argument->values->numbers && i < ARRAY_SIZE(numbers); i++)
        if (read_number(words->next ? take(words, ':') : NULL, numbers[i]) < 0)
            return error("%s takes %u number%s", argument->values->name, argument->values->numbers,
                         plural(argument->values->numbers));
    if (argument->values->order & FROM_ZERO) {
        argument->b = argument->a;
        argument->a = 0;
    }
    if (argument->values->order & ALL_SAME)
        argument->b = argument->a;
    if (argument->values->next == uniform && argument->b < argument->a)
        return error("%s goes from %g to %g: put the smaller value first", argument->values->name, argument->a,
                     argument->b);
    if (words->next)
        return error("'%s' is too much: %s takes %u number%s", words->next, argument->values->name,
                     argument->values->numbers, plural(argument->values->numbers));
    return argument->values->next == normal ? 0
                                            : check_range(argument, argument->a) | check_range(argument, argument->b);
}

static int read_argument(struct task_argument *argument, char *text, bool of_step)
{
    struct words words = {.next = text};
    char *equals = strchr(text, '=');
    if (of_step && !equals) {
        argument->kind = TASK_NUMBER;
        return read_whole(text, ARGUMENTS_MOST, &argument->count) == 0 && argument->count > 0
                   ? 0
                   : error(
                         "each argument of these launches must be a task argument's number, from 1 on, or TYPE=VALUE");
    }
    if (strncmp(text, "file:", 5) == 0) {
        argument->kind = TASK_FILE;
        argument->path = x_strdup(text + 5);
        return 0;
    }
    if (equals) {
        *equals = '\0';
        argument->type = type_named(text);
        return argument->type ? read_scalar(argument, equals + 1) : -1;
    }
    const char *word = take(&words, ':');
    argument->kind = strcmp(word, "out") == 0 ? TASK_OUTPUT : strcmp(word, "scratch") == 0 ? TASK_SCRATCH : TASK_INPUT;
    argument->type = type_named(argument->kind == TASK_INPUT ? word : take(&words, ':'));
    if (!argument->type)
        return -1;
    if (read_whole(take(&words, ':'), ELEMENTS_MOST, &argument->count) < 0 || argument->count == 0)
        return error("the number of elements is missing: write %s%s%s:COUNT, a whole number up to 2^36",
                     argument->kind == TASK_INPUT ? "" : word, argument->kind == TASK_INPUT ? "" : ":",
                     argument->type->name);
    if (argument->kind == TASK_INPUT)
        return read_values(argument, &words);
    return words.next ? error("'%s' is not allowed for memory that cugate fills", words.next) : 0;
}

/* Reads what is between the brackets. */
static int read_arguments(struct task_launch *launch, struct words words, bool of_step)
{
    if (!words.next[strspn(words.next, " \t\n")])
        return 0;
    while (words.next) {
        char *word = take(&words, ',');
        OWNED_TEXT typed = x_strdup(word);
        struct task_argument *argument = ARRAY_GROW(launch->arguments, launch->count);
        *argument = (struct task_argument){0};
        const int failed = read_argument(argument, word, of_step);
        if (failed < 0)
            error("in argument %zu, '%s'", launch->count, typed);
        TRY(failed);
    }
    return 0;
}

int launch_shape_read(char *text, unsigned grid[3], unsigned block[3], unsigned *shared, bool *has_shared)
{
    struct words words = {0};
    words.next = text;
    char *grid_text = take(&words, ','), *block_text = take(&words, ','), *bytes_text = take(&words, ',');
    const bool has_bytes = bytes_text && *bytes_text;
    uint64_t bytes = *shared;
    if (words.next || (has_bytes && read_whole(bytes_text, SHARED_MOST, &bytes) < 0))
        return error("write the grid, the block and optionally the bytes of dynamic shared memory between <<< and >>>");
    *shared = (unsigned)bytes;
    *has_shared |= has_bytes;
    return (*grid_text && read_extents("grid", grid_text, grid) < 0) ||
                   (block_text && *block_text && read_extents("block", block_text, block) < 0)
               ? -1
               : 0;
}

static int read_launch(struct task_launch *launch, const char *text, bool is_step)
{
    char *copy = x_strdup(text), *shape = strstr(copy, "<<<"), *arguments = shape ? strstr(shape, ">>>") : NULL;
    char *open = arguments ? strchr(arguments, '(') : NULL, *end = open ? strrchr(open, ')') : NULL;
    int result = -1;
    bool has_shared = false;
    *launch = (struct task_launch){0};
    if (end && end[1 + strspn(end + 1, " ;\n")] == '\0' && shape != copy) {
        *shape = *arguments = *end = '\0';
        struct words words = {.next = copy};
        launch->function = x_strdup(take(&words, '\0'));
        result = launch_shape_read(shape + 3, launch->grid, launch->block, &launch->shared, &has_shared) < 0 ||
                         (!(launch->grid[0] && (launch->block[0] || !is_step)) &&
                          error("write the grid and the block between <<< and >>>")) ||
                         read_arguments(launch, (struct words){open + 1}, is_step) < 0
                     ? -1
                     : 0;
    } else {
        error("a launch is written as in CUDA: 'scale<<<64, 256>>>(out:f32:16384, f32:16384, f32=2)', not '%s'", text);
    }
    free(copy);
    return result;
}

/* Reads what is between the braces. */
static int read_steps(struct task_launch *launch, struct words words)
{
    while (words.next && words.next[strspn(words.next, " \t\n")])
        TRY(task_step_parse(ARRAY_GROW(launch->steps, launch->step_count), take(&words, ';')));
    if (launch->step_count == 0)
        return error("there is no launch between { and }");
    memcpy(launch->grid, launch->steps[0].grid, sizeof launch->grid);
    memcpy(launch->block, launch->steps[0].block, sizeof launch->block);
    launch->shared = launch->steps[0].shared;
    return 0;
}

int task_step_parse(struct task_launch *step, const char *text)
{
    return read_launch(step, text, true);
}

int task_launch_parse(struct task_launch *launch, const char *text)
{
    char *copy = x_strdup(text), *body = strchr(copy, '{'), *end = body ? strrchr(body, '}') : NULL;
    int result = -1;
    *launch = (struct task_launch){0};
    if (end)
        *body = *end = '\0';
    char *open = strchr(copy, '('), *close = open ? strrchr(open, ')') : NULL;
    if (!body)
        result = read_launch(launch, text, false);
    else if (!end || end[1 + strspn(end + 1, " ;\n")] || !close || close[1 + strspn(close + 1, " \n")] || open == copy)
        error("a task of several launches is written 'norm(out:f32:64, f32:4096, scratch:f32:64) { sums<<<64, "
              "64>>>(3, 2); scale<<<1, 64>>>(1, 3); }', not '%s'",
              text);
    else {
        *open = *close = '\0';
        launch->function = x_strdup(take(&(struct words){.next = copy}, '\0'));
        result = read_arguments(launch, (struct words){open + 1}, false) < 0 ||
                         read_steps(launch, (struct words){body + 1}) < 0
                     ? -1
                     : 0;
    }
    free(copy);
    return result;
}

void task_launch_add_pointers(struct task_launch *launch)
{
    for (unsigned i = 0; i < TRITON_POINTERS; i++)
        *ARRAY_GROW(launch->arguments, launch->count) =
            (struct task_argument){.kind = TASK_SCALAR, .type = type_named("u64")};
}

void task_launch_release(struct task_launch *launch)
{
    for (size_t i = 0; i < launch->step_count; i++)
        task_launch_release(&launch->steps[i]);
    free(launch->steps);
    for (size_t i = 0; i < launch->count; i++)
        free(launch->arguments[i].path);
    free(launch->arguments);
    free(launch->function);
}

unsigned task_argument_size(const struct task_argument *argument)
{
    return argument->kind == TASK_SCALAR ? argument->type->size : (unsigned)sizeof(uint64_t);
}

uint64_t task_array_size(const struct task_argument *argument)
{
    return argument->kind == TASK_SCALAR || argument->kind >= TASK_FILE ? 0 : argument->count * argument->type->size;
}

bool task_is_exact(const struct task_argument *argument)
{
    return argument->type && argument->type->is_integer;
}
