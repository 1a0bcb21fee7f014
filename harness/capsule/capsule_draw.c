/* The same launch on inputs that nobody knew: what it reads is drawn anew, what it writes is filled with a pattern that
 * was drawn, and the capsule's own code says what is right then. */
#include "draw_parts.h"
#include "drawing.h"
#include "replay_parts.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Arrays ---- */

static unsigned argument_to(const struct capsule *capsule, uint64_t begin)
{
    const size_t i = FIRST(k, capsule->argument_count,
                           capsule->arguments[k].size == sizeof begin &&
                               memcmp(&begin, capsule->bytes + capsule->arguments[k].offset, sizeof begin) == 0);
    return i < capsule->argument_count ? (unsigned)i + 1 : 0;
}

/* Parts a range where arguments point into it, at a multiple of what an array is drawn in. */
static void list_arrays(struct drawing *drawing, size_t number)
{
    const struct capsule *capsule = drawing->capsule;
    const struct memory_range *range = &capsule->ranges[number];
    uint64_t *begins = x_calloc(capsule->argument_count + 2, sizeof *begins), address;
    size_t count = 1;
    for (size_t i = 0; i < capsule->argument_count; i++) {
        if (capsule->arguments[i].size != sizeof address)
            continue;
        memcpy(&address, capsule->bytes + capsule->arguments[i].offset, sizeof address);
        if (address > range->address && address - range->address < range->size)
            begins[count++] = (address - range->address) / WORD * WORD;
    }
    SORT(begins, count, compare_words);
    begins[count] = range->size;
    for (size_t i = 0; i < count; i++)
        if (begins[i + 1] > begins[i])
            *ARRAY_GROW(drawing->arrays, drawing->array_count) = (struct array){
                number, begins[i], begins[i + 1] - begins[i], argument_to(capsule, range->address + begins[i]),
                false,  false};
    free(begins);
}

/* Whether a number is that of the blocks of a launch: a size that it has as well, by which nothing may be guarded. */
static bool is_of_grid(const struct capsule *capsule, uint64_t number)
{
    bool is = false;
    for (size_t i = 0; i < capsule_launches(capsule); i++) {
        const struct capsule one = capsule_launch(capsule, i);
        is |= number == one.grid[0] || number == one.grid[1] || number == one.grid[2];
    }
    return number > 1 && is;
}

/* Lists the arguments that are not pointers. */
static void list_scalars(struct drawing *drawing)
{
    const struct capsule *capsule = drawing->capsule;
    drawing->arguments = x_calloc(capsule->byte_count + 1, 1);
    if (capsule->byte_count > 0)
        memcpy(drawing->arguments, capsule->bytes, capsule->byte_count);
    for (unsigned i = 0; i < capsule->argument_count; i++) {
        const struct argument *argument = &capsule->arguments[i];
        uint64_t word = 0;
        if (argument->size <= sizeof word)
            memcpy(&word, drawing->arguments + argument->offset, argument->size);
        if (!drawing_points(capsule, word))
            *ARRAY_GROW(drawing->arrays, drawing->array_count) = (struct array){
                (size_t)NO_RANGE, argument->offset, argument->size, i + 1, false, is_of_grid(capsule, word)};
    }
    drawing->scalar_count = drawing->array_count;
}

static void add_constant(struct drawing *drawing, uint32_t word)
{
    size_t i = FIRST(k, drawing->constant_count, drawing->constants[k] == word);
    if (i == drawing->constant_count)
        *ARRAY_GROW(drawing->constants, drawing->constant_count) = word;
}

/* Lists what the code of the launches compares with: its own words, and arguments that are not pointers. */
static int list_constants(struct drawing *drawing)
{
    static const uint32_t always[] = {0, 1, (UINT32_C(1) << 31) + 1}; /* INT_MAX would look like a NaN */
    const struct capsule *capsule = drawing->capsule;
    OWNED_MEMORY unsigned char *code = capsules_blob(drawing->capsules, &capsule->code, drawing->problem);
    if (!code)
        return -1;
    struct relocations *relocations = relocations_open(code, capsule->code.size);
    for (size_t i = 0; i < ARRAY_SIZE(always); i++)
        add_constant(drawing, always[i]);
    for (size_t i = 0; i < drawing->scalar_count; i++)
        if (drawing->arrays[i].size == 4 || drawing->arrays[i].size == 8)
            add_constant(drawing, word_at(drawing->arguments + drawing->arrays[i].at, drawing->arrays[i].size / 4 - 1));
    for (size_t i = 0; i < capsule_launches(capsule); i++) {
        OWNED_MEMORY uint32_t *words = NULL;
        const size_t count = compared_words(relocations, capsule_launch(capsule, i).function, &words);
        for (size_t k = 0; k < count; k++)
            add_constant(drawing, words[k]);
    }
    relocations_close(relocations);
    return 0;
}

/* ---- Launches ---- */

/* Whether two launches left the same, but for what varies. With `note` what differs varies from then on. */
static bool is_same(struct drawing *drawing, bool note)
{
    bool same = true;
    for (size_t i = 0; i < drawing->capsule->range_count; i++) {
        const unsigned char *a = drawing->left.ranges[i], *b = drawing->other.ranges[i];
        unsigned char *varies = drawing->varies.ranges[i];
        const uint64_t size = drawing->capsule->ranges[i].size;
        for (uint64_t at = 0; at < size; at++) {
            if (((a[at] ^ b[at]) & ~varies[at]) == 0)
                continue;
            same = false;
            if (note)
                memset(varies + at / WORD * WORD, 0xff, size - at / WORD * WORD < WORD ? (size_t)(size % WORD) : WORD);
        }
    }
    return same;
}

/* ---- What it writes ---- */

/* Whether outputs begin with what the launch left on the captured inputs, which code may take for an answer. */
static bool is_stale(const struct drawing *drawing)
{
    return drawing->request->inputs && !drawing->request->last;
}

/* Fills the words of an array that the launch changed with a pattern, or with what is stale; where it writes, also
 * zeros that stayed zeros, such as what a mask or a ReLU leaves. Again: not those that it left otherwise then, such as
 * what it writes in part. Returns how many they are. */
static size_t fill(struct drawing *drawing, const struct array *array, bool written, bool again, uint64_t *state)
{
    static const unsigned char zeros[WORD];
    const unsigned char *known = drawing->again.ranges[array->range];
    const unsigned char *found = drawing->found.ranges[array->range], *left = drawing->left.ranges[array->range];
    const bool stale = is_stale(drawing) && memcmp(known + array->at, left + array->at, (size_t)array->size) != 0;
    const bool exact = drawing->request->tolerance == 0 || has_integers(drawing, array);
    const bool writes = written || memcmp(found + array->at, left + array->at, (size_t)array->size) != 0;
    size_t count = 0;
    for (uint64_t at = array->at; at + WORD <= array->at + array->size; at += WORD) {
        uint64_t pattern = draw_next(state);
        if ((memcmp(found + at, left + at, WORD) == 0 &&
             (!writes || is_stale(drawing) || memcmp(left + at, zeros, WORD) != 0)) ||
            (again && memcmp(left + at, drawing->other.ranges[array->range] + at, WORD) != 0))
            continue;
        if (stale)
            memcpy(&pattern, known + at, WORD);
        const bool stays = stale && !exact && memcmp(known + at, left + at, WORD) == 0; /* that has no tolerance */
        for (size_t k = 0; k < WORD && stays; k += value_sizes[drawing->request->type])
            ((unsigned char *)&pattern)[k] ^= 1;
        memcpy(drawing->before.ranges[array->range] + at, &pattern, WORD);
        count++;
    }
    return count;
}

static void copy(const struct array *array, const struct memory *to, const struct memory *from)
{
    memcpy(to->ranges[array->range] + array->at, from->ranges[array->range] + array->at, (size_t)array->size);
}

/* Fills what the launch changed, as far as it then leaves the same: what it reads before it writes stays. */
static int fill_outputs(struct drawing *drawing, uint64_t *state, struct drawn *drawn)
{
    enum { TIMES = 2 };
    struct memory kept, found;
    int failed = 0;
    memory_make(&kept, drawing->capsule);
    memory_make(&found, drawing->capsule);
    for (size_t i = drawing->scalar_count; i < drawing->array_count && failed == 0; i++) {
        struct array *array = &drawing->arrays[i];
        bool same = false;
        size_t words = 1;
        copy(array, &kept, &drawing->before);
        copy(array, &found, &drawing->found);
        for (unsigned time = 0; time < TIMES && words > 0 && !same && failed == 0; time++) {
            copy(array, &drawing->before, &kept);
            copy(array, &drawing->found, &found);
            words = fill(drawing, array, i < drawn->count && drawn->arrays[i].written, time > 0, state);
            failed = words > 0 ? drawing_launch(drawing, &drawing->other) : 0;
            same = words > 0 && failed == 0 && is_same(drawing, false);
        }
        drawn->filled += same ? words * WORD : 0;
        array->filled = same && memcmp(bytes_of(drawing, array, &drawing->before),
                                       bytes_of(drawing, array, &drawing->left), array->size) != 0;
        if (!same)
            copy(array, &drawing->before, &kept);
    }
    memory_release(&kept, drawing->capsule);
    memory_release(&found, drawing->capsule);
    return failed;
}

/* ---- The capsule ---- */

/* Makes the pages of a range: bytes where they are not those of `unless`, which may be NULL. */
static uint32_t *pages(struct capsule_writer *writer, const unsigned char *bytes, const unsigned char *unless,
                       uint64_t size)
{
    uint32_t *list = x_calloc(pages_of(size) + 1, sizeof *list);
    for (size_t page = 0; page < pages_of(size); page++) {
        const uint64_t at = (uint64_t)page * CAPSULE_PAGE;
        const size_t length = size - at < CAPSULE_PAGE ? (size_t)(size - at) : CAPSULE_PAGE;
        list[page] = unless && memcmp(bytes + at, unless + at, length) == 0
                         ? PAGE_SAME
                         : capsule_writer_page(writer, bytes + at, length);
    }
    return list;
}

/* Makes what the launch left such as the program would have it: what it did not change is as before, since a pointer
 * may be another here. */
static void take_unchanged(struct drawing *drawing, size_t number)
{
    const unsigned char *before = drawing->before.ranges[number], *found = drawing->found.ranges[number];
    unsigned char *left = drawing->left.ranges[number];
    for (uint64_t at = 0; at < drawing->capsule->ranges[number].size; at++)
        if (left[at] == found[at])
            left[at] = before[at];
}

static int write_capsule(struct drawing *drawing, struct capsule_writer *writer)
{
    const struct capsule *capsule = drawing->capsule;
    struct capsule drawn = *capsule;
    OWNED_MEMORY unsigned char *code = capsules_blob(drawing->capsules, &capsule->code, drawing->problem);
    if (!code)
        return -1;
    drawn.id = (char *)drawing->request->id;
    drawn.bytes = drawing->arguments;
    /* PROOF_NONE: what is masked does not vary, but is not compared here */
    drawn.proof = drawing->has_varied ? PROOF_VARIES : drawing->has_masked ? PROOF_NONE : PROOF_IDENTICAL;
    drawn.code = capsule_writer_blob(writer, code, capsule->code.size);
    drawn.ranges = x_calloc(capsule->range_count + 1, sizeof *drawn.ranges);
    for (size_t i = 0; i < capsule->range_count; i++) {
        struct memory_range *range = &drawn.ranges[i];
        *range = capsule->ranges[i];
        take_unchanged(drawing, i);
        range->before = pages(writer, drawing->before.ranges[i], NULL, range->size);
        range->after = pages(writer, drawing->left.ranges[i], drawing->before.ranges[i], range->size);
        range->varies = drawing->has_varied || drawing->has_masked
                            ? pages(writer, drawing->varies.ranges[i], NULL, range->size)
                            : NULL;
    }
    int failed = capsule_writer_add(writer, &drawn);
    if (failed < 0)
        problem_set(drawing->problem, "%s", writer->problem.text);
    ranges_release(drawn.ranges, capsule->range_count);
    blob_release(&drawn.code);
    return failed;
}

/* ---- Drawing ---- */

/* Whether an argument is 0, 1 or -1: a flag, or a step. In the last draw alone it is another. */
static bool is_flag(const struct drawn_array *array)
{
    return array->is_scalar && array->kind == DRAWN_SCALAR &&
           ((array->value + 1) & UINT64_MAX >> (64 - 8 * array->size)) <= 2;
}

bool drawn_has_form(const struct drawn_array *array, enum draw_form form)
{
    if (form == FORM_ORDERS || array->way >= DRAW_KEPT)
        return form == FORM_ORDERS && array->reorders;
    if (form >= FORM_ZEROS)
        return array->is_scalar && array->kind != DRAWN_SIZE && array->effect == EFFECT_SEEN;
    return form == FORM_SIZES ? array->kind == DRAWN_SIZE
                              : array->kind == DRAWN_FLOATS && !array->is_scalar && array->effect == EFFECT_SEEN;
}

static void draw_all(struct drawing *drawing, uint64_t *state, struct drawn *drawn)
{
    const enum draw_form form = drawing->request->form;
    const bool sizes = form == FORM_SIZES;
    unsigned turn = form - FORM_ZEROS;
    for (size_t i = 0; i < drawing->array_count && i < drawn->count; i++) {
        struct drawn_array *array = &drawn->arrays[i];
        const uint64_t seed = draw_next(state);
        const enum draw_way way = array->reorders && form == FORM_ORDERS  ? DRAW_CALMLY
                                  : array->far && !drawing->request->last ? array->far
                                  : array->less && drawing->request->last ? DRAW_NARROWLY
                                                                          : array->way;
        const bool has = drawn_has_form(array, form);
        drawing->special = has && form >= FORM_ZEROS ? 1 + turn++ % 3 : 0;
        const bool again = /* of two equal sizes one stays */
            ANY(k, i, drawn->arrays[k].kind == DRAWN_SIZE && drawn->arrays[k].value == array->value);
        if (form >= FORM_NANS
                ? has
                : (array->kind != DRAWN_SIZE || (sizes && !again)) && (drawing->request->last || !is_flag(array)))
            drawing_draw(drawing, i, way, drawing->request->last, seed, NULL);
        if (sizes && array->kind == DRAWN_SIZE)
            memcpy(&array->drawn, bytes_of(drawing, &drawing->arrays[i], &drawing->before), (size_t)array->size);
    }
}

/* Makes as many floats NaN as leave half of the result or more a number. Returns 1 where none does, or none is passed
 * on, as where code compares: then they decide nothing. */
static int try_nans(struct drawing *drawing, uint64_t *state, struct drawn *drawn)
{
    enum { MOST = 8 };
    for (drawing->nans = MOST; drawing->nans > 0; drawing->nans /= 2) {
        for (size_t i = drawing->scalar_count; i < drawing->array_count; i++)
            copy(&drawing->arrays[i], &drawing->before, &drawing->base);
        draw_all(drawing, state, drawn);
        TRY(drawing_launch(drawing, &drawing->left));
        const struct numbers numbers = drawing_count(drawing, &drawing->found, &drawing->left);
        if (numbers.special[SPECIAL_NAN] <= numbers.words / 2)
            return numbers.special[SPECIAL_NAN] <= drawn->special[SPECIAL_NAN];
    }
    return 1;
}

/* Half of an array of floats or bytes, in the last draw a quarter, becomes that of another of its size, or that some
 * words later: values that code compares may be equal. */
static void relate(struct drawing *drawing, uint64_t *state, const struct drawn *drawn)
{
    enum { SHIFTS = 3, STEP = DRAW_SPAN / 2 };
    for (size_t i = drawing->scalar_count; i < drawing->array_count && i < drawn->count; i++) {
        const struct drawn_array *one = &drawn->arrays[i], *other = one + 1;
        const struct drawn_array *const end = &drawn->arrays[drawn->count];
        while (other < end && (other->kind != one->kind || other->size != one->size || other->way == DRAW_KEPT))
            other++;
        const size_t size = (size_t)one->size, half = size / 2 / WORD * WORD;
        if (other == end || one->way == DRAW_KEPT || half < (size_t)SHIFTS * WORD ||
            (one->kind != DRAWN_FLOATS && one->kind != DRAWN_UNKNOWN))
            continue;
        unsigned char *from = bytes_of(drawing, &drawing->arrays[i], &drawing->before);
        unsigned char *to = bytes_of(drawing, &drawing->arrays[other - drawn->arrays], &drawing->before);
        uint64_t pattern = draw_next(state);
        for (size_t at = drawing->request->last ? half + half / 2 / WORD * WORD : half; at < size;
             at += STEP, pattern++)
            draw_related(one->kind, to + at, from + at - draw_next(state) % 4 % SHIFTS * WORD,
                         size - at < STEP ? size - at : STEP, other->way == DRAW_BOLDLY ? &pattern : NULL);
    }
}

/* Takes what the launch found and left on the captured inputs to `base` and `again`. */
static int take_captured(struct drawing *drawing)
{
    const struct capsule *capsule = drawing->capsule;
    for (size_t i = 0; i < capsule->range_count; i++) {
        const struct memory_range *range = &capsule->ranges[i];
        uint32_t *after = x_calloc(pages_of(range->size) + 1, sizeof *after);
        for (size_t page = 0; page < pages_of(range->size); page++)
            after[page] = range->after[page] == PAGE_SAME ? range->before[page] : range->after[page];
        const int failed = drawing_take(drawing, i, range->before, &drawing->base) < 0 ||
                           drawing_take(drawing, i, after, &drawing->again) < 0;
        free(after);
        if (failed)
            return -1;
    }
    return 0;
}

/* A variable has another address in each process, so what the launch leaves there is not known in the program's. */
static bool changes_variable(const struct drawing *drawing)
{
    return ANY(
        i, drawing->capsule->range_count,
        drawing->capsule->ranges[i].kind == MEMORY_VARIABLE &&
            memcmp(drawing->found.ranges[i], drawing->left.ranges[i], (size_t)drawing->capsule->ranges[i].size) != 0);
}

/* A form that decides nothing is left out; other inputs have to be drawn with more care. */
static int decides_nothing(const struct drawing *drawing, const char *why)
{
    return drawing->request->form >= FORM_NANS ? 0 : problem_set(drawing->problem, "%s", why);
}

static int draw(struct drawing *drawing, struct capsule_writer *writer, struct drawn *drawn, char *why, size_t why_size)
{
    uint64_t state = drawing->scratch = drawing->request->seed;
    list_scalars(drawing);
    TRY(list_constants(drawing));
    for (size_t i = 0; i < drawing->capsule->range_count; i++) {
        const struct memory_range *range = &drawing->capsule->ranges[i];
        if (range->kind == MEMORY_SCRATCH)
            continue;
        if (drawing_take(drawing, i, range->before, &drawing->before) < 0 ||
            (range->varies && drawing_take(drawing, i, range->varies, &drawing->varies) < 0))
            return -1;
        drawing->has_varied |= range->varies != NULL;
        if (is_drawn(range))
            list_arrays(drawing, i);
    }
    if (drawing->request->inputs && take_captured(drawing) < 0)
        return -1;
    const enum draw_form form = drawing->request->form;
    const int none = form == FORM_NANS ? try_nans(drawing, &state, drawn) : 0;
    if (none != 0)
        return none < 0 ? -1 : 0;
    if (drawing->request->inputs && form != FORM_NANS)
        draw_all(drawing, &state, drawn);
    if (drawing->request->inputs && form < FORM_NANS &&
        drawing->request->care < (drawing->request->last ? DRAW_ANEW : DRAW_MILDLY))
        relate(drawing, &state, drawn);
    TRY(drawing_launch(drawing, &drawing->left));
    if (changes_variable(drawing)) {
        snprintf(why, why_size, "it changes a __device__ variable");
        return 1;
    }
    if ((drawing->request->care < DRAW_UNFILLED && fill_outputs(drawing, &state, drawn) < 0) ||
        (!drawing->request->inputs && drawing_try(drawing, &state, drawn) < 0))
        return -1;
    if (ANY(i, drawn->count, drawn->arrays[i].written) && !drawing->request->inputs && drawn->filled > 0) {
        drawn->filled = 0; /* all-zero outputs: only drawing_try() knows that they are written */
        if (drawing_launch(drawing, &drawing->left) < 0 || fill_outputs(drawing, &state, drawn) < 0)
            return -1;
    }
    const uint64_t scratch = drawing->scratch;
    if (drawing_launch(drawing, &drawing->left) < 0 || drawing_launch(drawing, &drawing->other) < 0)
        return -1;
    if (!is_same(drawing, false) && drawing->scratch != scratch) {
        drawing->scratch = scratch;
        TRY(drawing_launch(drawing, &drawing->other));
        if (is_same(drawing, false)) {
            snprintf(why, why_size,
                     "its result depends on the initial contents of scratch memory: write to it before reading");
            return 1;
        }
    }
    if (form >= FORM_NANS && !is_same(drawing, false))
        return 0;
    if (form == FORM_NANS)
        return write_capsule(drawing, writer);
    const struct numbers numbers = drawing_count(drawing, &drawing->found, &drawing->left);
    if (drawing->request->inputs && numbers.words == 0)
        return decides_nothing(drawing, "it leaves all as it was");
    const uint64_t infinite = numbers.special[SPECIAL_BELOW] + numbers.special[SPECIAL_ABOVE];
    if (!drawing->request->inputs && infinite + numbers.special[SPECIAL_NAN] > numbers.words / 2) {
        snprintf(why, why_size, "most of its results are infinite or NaN");
        return 1;
    }
    if (drawing_says_less(&numbers, drawn))
        return decides_nothing(drawing, "more of its results become infinite, subnormal or NaN");
    if (!is_same(drawing, true)) {
        if (drawing->request->last && drawing->request->care < DRAW_ONCE)
            return problem_set(drawing->problem, "its results vary from launch to launch when an integer occurs twice");
        drawing->has_varied = true;
    }
    const bool may_round = drawing->request->inputs && drawing->request->tolerance > 0;
    const int unsure = may_round ? drawing_allow_rounding(drawing, drawn, &state) : 0;
    TRY(unsure);
    if (unsure > 0 && drawing->request->care + 1 < DRAW_CARES)
        return decides_nothing(drawing, "most of its results hang on rounding");
    /* Of what overflows only on inputs that are drawn, code that sums in another order may leave something else. */
    if (drawing->request->inputs && drawing_overflows(drawing, &drawing->base, &drawing->again, &drawing->left, true) &&
        drawing->request->care + 1 < DRAW_CARES)
        return decides_nothing(drawing, "most of its results overflow");
    return write_capsule(drawing, writer);
}

int capsule_draw(struct player *player, const struct capsule *capsule, const struct draw_request *request,
                 struct capsule_writer *writer, struct drawn *drawn, char *why, size_t why_size,
                 struct problem *problem)
{
    struct drawing drawing = {.request = request,
                              .capsules = player->capsules,
                              .capsule = capsule,
                              .device = player->device,
                              .problem = problem};
    struct memory *const memories[] = {&drawing.before, &drawing.found, &drawing.left,  &drawing.other,
                                       &drawing.base,   &drawing.again, &drawing.varies};
    TRY(replay_open(&drawing.replay, player, capsule, problem));
    for (size_t i = 0; i < ARRAY_SIZE(memories); i++)
        memory_make(memories[i], capsule);
    const int result = draw(&drawing, writer, drawn, why, why_size);
    for (size_t i = 0; i < ARRAY_SIZE(memories); i++)
        memory_release(memories[i], capsule);
    replay_close(drawing.replay);
    free(drawing.constants);
    free(drawing.arguments);
    free(drawing.arrays);
    return result;
}
