/* From nvdisasm's text to struct instruction. What is not understood becomes an instruction that is not simulated,
 * which matters only to a kernel that executes it.
 *
 * Peculiarities of the text, nvdisasm 13.5: .reuse says nothing; a float immediate is decimal (+INF and -QNAN with a
 * blank behind it, whatever bits that NaN has), of half precision two of them, the upper first; an immediate of 64 bits
 * is their upper word; CALL names a symbol. 13.2 leaves out the comma before [ of some loads. */
#include "decode.h"

#include "disassembly.h"
#include "encoding.h"
#include "machine.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode_constants.h"

enum { TOKENS = 16, DECIMAL = HALF_SINGLE + 1 /* place of an operand's half until place_decimals() */ };

struct decoder {
    const struct function *function;
    struct code *code;
    char *text; /* where words are kept */
    size_t text_used, text_size;
};

/* A copy that lives as long as the code. */
static const char *keep_text(struct decoder *decoder, const char *text, size_t length)
{
    if (length + 1 > decoder->text_size - decoder->text_used)
        BUG("the text of the machine code grew");
    char *kept = decoder->text + decoder->text_used;
    memcpy(kept, text, length);
    kept[length] = '\0';
    decoder->text_used += length + 1;
    return kept;
}

/* ---- Constants ---- */

static uint32_t constant_row(struct code *code, struct constant_row wanted)
{
    for (size_t i = 0; i < code->constant_count; i++) {
        const struct constant_row *row = &code->constants[i];
        if (row->immediate == wanted.immediate && row->bank == wanted.bank && row->value == wanted.value)
            return (uint32_t)(i * ROW_BYTES);
    }
    *ARRAY_GROW(code->constants, code->constant_count) = wanted;
    return (uint32_t)((code->constant_count - 1) * ROW_BYTES);
}

static uint32_t immediate_row(struct code *code, uint32_t value)
{
    return constant_row(code, (struct constant_row){.immediate = true, .value = value});
}

/* ---- Operands ---- */

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* R12, RZ, UR4, URZ; sets *end behind it. */
static bool read_register(const char *text, struct operand *operand, const char **end)
{
    const bool uniform = text[0] == 'U';
    const char *at = text + uniform;
    if (at[0] != 'R')
        return false;
    const unsigned count = uniform ? 63 : 255;
    unsigned number = count;
    if (at[1] == 'Z') {
        at += 2;
    } else if (at[1] >= '0' && at[1] <= '9') {
        char *rest;
        number = (unsigned)strtoul(at + 1, &rest, 10);
        at = rest;
        if (number >= count)
            return false;
    } else {
        return false;
    }
    operand->kind = OPERAND_ROW;
    operand->space = SPACE_WARP;
    operand->uniform = uniform;
    operand->index = (unsigned char)number;
    const unsigned row = (uniform ? ROW_UNIFORM : 0) + number;
    operand->row = row * ROW_BYTES;
    operand->high = number == count ? operand->row : operand->row + ROW_BYTES;
    *end = at;
    return true;
}

/* What may stand behind a register. False: something unknown. */
static bool read_suffixes(const char *at, struct operand *operand)
{
    static const struct {
        const char *name;
        unsigned char half, byte;
    } suffixes[] = {{".reuse", 0, 0},
                    {".H0_H0", HALF_LOW, 0},
                    {".H1_H1", HALF_HIGH, 0},
                    {".F32", HALF_SINGLE, 0},
                    {".H1_H0", 0, 0},
                    {".H0_NH1", 9, 0},
                    {".64", 0, 0},
                    {".B0", 0, 1},
                    {".B1", 0, 2},
                    {".B2", 0, 3},
                    {".B3", 0, 4},
                    {".H0", 0, 1},
                    {".H1", 0, 3},
                    {".ROW", 0, 0},
                    {".COL", 0, 0},
                    {".U32", 0, 0}};
    while (*at == '.' || *at == '|') {
        if (*at == '|') {
            at++;
            continue;
        }
        bool found = false;
        for (size_t i = 0; i < ARRAY_SIZE(suffixes) && !found; i++)
            if (starts(at, suffixes[i].name)) {
                const char next = at[strlen(suffixes[i].name)];
                if (next != '.' && next != '\0' && next != '|')
                    continue;
                found = true;
                if (suffixes[i].half == 9)
                    return false;
                operand->half = suffixes[i].half ? suffixes[i].half : operand->half;
                operand->byte = suffixes[i].byte ? suffixes[i].byte : operand->byte;
                operand->wide |= strcmp(suffixes[i].name, ".64") == 0;
                at += strlen(suffixes[i].name);
            }
        if (!found)
            return false;
    }
    return *at == '\0';
}

/* P0, !P0, PT, UP0, UPT. */
static bool read_predicate(const char *text, struct operand *operand)
{
    const bool invert = text[0] == '!';
    const char *at = text + invert;
    const bool uniform = at[0] == 'U';
    at += uniform;
    if (at[0] != 'P' || at[1] == '\0' || at[2] != '\0' || (at[1] != 'T' && (at[1] < '0' || at[1] > '6')))
        return false;
    const unsigned number = at[1] == 'T' ? MASK_TRUE : (unsigned)(at[1] - '0');
    *operand = (struct operand){.kind = OPERAND_PREDICATE, .invert = invert, .uniform = uniform};
    operand->index = (unsigned char)number;
    operand->row = ((uniform ? 8 : 0) + number) * 4;
    return true;
}

static int64_t read_integer(const char *text, char **end)
{
    const bool minus = text[0] == '-';
    const uint64_t magnitude = strtoull(text + minus, end, 0);
    return minus ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* c[0x0][0x210], c[0x3][R13+0x20]. */
static bool read_constant(struct decoder *decoder, const char *text, struct operand *operand)
{
    char *at;
    if (!starts(text, "c["))
        return false;
    const unsigned long bank = strtoul(text + 2, &at, 0);
    if (bank > 4 || !starts(at, "]["))
        return false;
    at += 2;
    const char *end = at;
    struct operand index = {0};
    const bool indexed = read_register(at, &index, &end);
    if (indexed && *end == '+')
        end++;
    char *rest = (char *)end;
    const int64_t offset = *end == ']' ? 0 : read_integer(end, &rest);
    if (*rest != ']' || (!indexed && (offset < 0 || offset > 65535)) || offset < INT32_MIN)
        return false;
    operand->immediate = false;
    if (indexed && index.row != ROW_ZERO * ROW_BYTES && index.row != ROW_UNIFORM_ZERO * ROW_BYTES) {
        operand->kind = OPERAND_CONSTANT;
        operand->space = SPACE_WARP;
        operand->row = index.row;
        operand->uniform = index.uniform;
        operand->index = (unsigned char)bank;
        operand->value = offset;
        return rest[1] == '\0' || rest[1] == '|';
    }
    operand->kind = OPERAND_ROW;
    operand->space = SPACE_CONSTANTS;
    operand->index = (unsigned char)bank;
    operand->value = offset;
    operand->row =
        constant_row(decoder->code, (struct constant_row){.bank = (unsigned)bank, .value = (uint32_t)offset});
    operand->high =
        constant_row(decoder->code, (struct constant_row){.bank = (unsigned)bank, .value = (uint32_t)offset + 4});
    return rest[1] == '\0' ? true : read_suffixes(rest + 1, operand);
}

/* [R2.64+UR4+0x10], desc[UR4][R2.64+-0x4], [UR4], [0x10]. A descriptor says nothing that matters here. */
static bool read_address(const char *text, bool extended, struct operand *operand)
{
    if (starts(text, "desc[")) {
        text = strchr(text, ']');
        if (!text)
            return false;
        text++;
    }
    if (*text++ != '[')
        return false;
    *operand = (struct operand){
        .kind = OPERAND_ADDRESS, .scale = 1, .row = ROW_ZERO * ROW_BYTES, .high = ROW_ZERO * ROW_BYTES};
    bool narrow = false;
    while (*text != ']' && *text) {
        struct operand part = {0};
        const char *end;
        if (*text == '+')
            text++;
        if (read_register(text, &part, &end)) {
            if (part.uniform) {
                operand->based = true;
                operand->base = part.row;
                operand->base_high = part.high;
            } else {
                operand->row = part.row;
                operand->high = part.high;
            }
            while (*end == '.') {
                if (starts(end, ".64"))
                    operand->wide = true, end += 3;
                else if (starts(end, ".U32"))
                    narrow = true, end += 4;
                else if (starts(end, ".X4"))
                    operand->scale = 4, end += 3;
                else if (starts(end, ".X8"))
                    operand->scale = 8, end += 3;
                else if (starts(end, ".X16"))
                    operand->scale = 16, end += 4;
                else
                    return false;
            }
            text = end;
        } else {
            char *rest;
            operand->value = read_integer(text, &rest);
            if (rest == text)
                return false;
            text = rest;
        }
    }
    /* Two words make an address of global memory, also where .64 is left out; but a lone uniform register is one by
     * itself, and then the other is an offset of 32 bits. */
    operand->wide |= extended && !narrow;
    if (narrow)
        operand->high = ROW_ZERO * ROW_BYTES;
    operand->uniform = operand->based && extended;
    return strcmp(text, "]") == 0;
}

/* The type of an instruction's decimal immediates: of a conversion that of its source, which stands last. */
static char float_type(const struct instruction *code)
{
    const bool converts = starts(code->opcode, "FRND") || starts(code->opcode, "F2") || starts(code->opcode, "MUFU");
    const bool prefixed = code->opcode[0] == 'U' || code->opcode[0] == 'V';
    char type = has_modifier(code, "BF16_V2") ? 'B' : code->opcode[prefixed];
    for (unsigned i = 0; i < code->modifier_count && converts; i++) {
        const char *modifier = code->modifiers[i];
        type = strcmp(modifier, "F16") == 0    ? 'H'
               : strcmp(modifier, "BF16") == 0 ? 'B'
               : strcmp(modifier, "F64") == 0  ? 'D'
               : strcmp(modifier, "F32") == 0  ? 'F'
                                               : type;
    }
    if (has_modifier(code, "RCP64H") || has_modifier(code, "RSQ64H"))
        return 'W'; /* the upper word of a double */
    return type;
}

static bool read_float(const char *text, double *value)
{
    char *end;
    if (starts(text, "+INF") || starts(text, "-INF"))
        *value = text[0] == '-' ? -INFINITY : INFINITY;
    else if (strstr(text, "QNAN") || strstr(text, "SNAN"))
        *value = text[0] == '-' ? -NAN : NAN;
    else {
        *value = strtod(text, &end);
        return end != text && *end == '\0';
    }
    return true;
}

static void set_immediate(struct decoder *decoder, struct operand *operand, uint32_t low, uint32_t high)
{
    *operand =
        (struct operand){.kind = OPERAND_ROW, .space = SPACE_CONSTANTS, .immediate = true, .value = (int32_t)low};
    operand->row = immediate_row(decoder->code, low);
    operand->high = immediate_row(decoder->code, high);
}

static bool is_special(const char *text)
{
    return starts(text, "SR_") || strcmp(text, "SRZ") == 0 || starts(text, "SB") || text[1] == 'D' ||
           strcmp(text, "PR") == 0;
}

static bool read_operand(struct decoder *decoder, const struct instruction *code, const char *text,
                         struct operand *operand)
{
    *operand = (struct operand){.scale = 1};
    if (read_predicate(text, operand))
        return true;
    if (text[0] == '[' || starts(text, "desc["))
        return read_address(text, has_modifier(code, "E"), operand);
    if (text[0] == 'B' && text[1] >= '0' && text[1] <= '9') {
        operand->kind = OPERAND_BARRIER;
        operand->index = (unsigned char)strtoul(text + 1, NULL, 10);
        return operand->index < BARRIERS;
    }
    const char *at = text, *end;
    const bool sign = at[0] == '-' || at[0] == '~' || at[0] == '!';
    if (sign && (at[1] == 'R' || at[1] == 'U' || at[1] == '|' || at[1] == 'c')) {
        operand->negate = at[0] == '-';
        operand->invert = at[0] != '-';
        at++;
    }
    if (at[0] == '|') {
        operand->absolute = true;
        at++;
    }
    if (read_register(at, operand, &end))
        return read_suffixes(end, operand);
    if (at[0] == 'c')
        return read_constant(decoder, at, operand);
    if (starts(text, "0x") || starts(text, "-0x")) {
        char *rest;
        const int64_t value = read_integer(text, &rest);
        const bool upper = starts(code->opcode, "I2F") && (IS(S64) || has_modifier(code, "U64"));
        set_immediate(decoder, operand, upper ? 0 : (uint32_t)value, upper ? (uint32_t)value : 0);
        operand->value = value;
        return *rest == '\0';
    }
    double value;
    if (is_special(text) || !read_float(text, &value)) {
        operand->kind = is_special(text) ? OPERAND_SPECIAL : OPERAND_WORD;
        operand->word = keep_text(decoder, text, strlen(text));
        return true;
    }
    const char type = float_type(code);
    operand->half = DECIMAL;
    operand->value = type == 'D' || type == 'W' ? double_upper(value)
                     : type == 'H'              ? half_bits(value)
                     : type == 'B'              ? float_bits(value) >> 16
                                                : float_bits(value);
    return true;
}

/* The word with each NaN in it as a decimal makes it. */
static uint32_t with_plain_nan(char type, uint32_t word)
{
    if (type == 'H' || type == 'B') {
        const uint32_t infinity = type == 'H' ? 0x7c00 : 0x7f80;
        return word | ((word & 0x7fff) > infinity ? 0x7fffu : 0) | ((word >> 16 & 0x7fff) > infinity ? 0x7fff0000u : 0);
    }
    const bool upper = type == 'D' || type == 'W', is_nan = (word & 0x7fffffff) > (upper ? 0x7ff00000u : 0x7f800000u);
    return !is_nan ? word : (word & 0x80000000u) | (upper ? 0x7ff80000u : 0x7fffffffu);
}

/* Immediates of decimals. Of two halves that follow each other the upper one comes first. Which NaN it is only the
 * encoding says; where that has another number the text's stays, see encoding_check(). */
static void place_decimals(struct decoder *decoder, struct instruction *code)
{
    const char type = float_type(code);
    for (unsigned i = 0; i < code->operand_count; i++) {
        struct operand *one = &code->operands[i];
        if (one->half != DECIMAL)
            continue;
        uint32_t word = (uint32_t)one->value, encoded = 0;
        if ((type == 'H' || type == 'B') && i + 1 < code->operand_count && code->operands[i + 1].half == DECIMAL) {
            word = word << 16 | (uint32_t)code->operands[i + 1].value;
            code->operand_count--;
            for (unsigned k = i + 1; k < code->operand_count; k++)
                code->operands[k] = code->operands[k + 1];
        }
        if (encoding_word(decoder->function, code->index, &encoded) && with_plain_nan(type, encoded) == word)
            word = encoded;
        set_immediate(decoder, one, type == 'D' ? 0 : word, type == 'D' ? word : 0);
        one->value = word;
    }
}

/* ---- Outputs ---- */

static bool insert(struct instruction *code, unsigned at, struct operand operand)
{
    if (code->operand_count == OPERANDS)
        return false;
    for (unsigned i = code->operand_count; i > at; i--)
        code->operands[i] = code->operands[i - 1];
    code->operands[at] = operand;
    code->operand_count++;
    return true;
}

/* Puts outputs that the text leaves out into their places, and turns what goes to RZ or PT to where nobody reads. */
static bool place_outputs(struct instruction *code, const char *outputs)
{
    const struct operand no_row = {
        .kind = OPERAND_ROW, .row = ROW_SINK * ROW_BYTES, .high = (ROW_SINK + 1) * ROW_BYTES};
    const struct operand no_mask = {.kind = OPERAND_PREDICATE, .row = MASK_SINK * 4};
    for (unsigned i = 0; outputs[i]; i++) {
        struct operand *here = i < code->operand_count ? &code->operands[i] : NULL;
        const bool row = here && here->kind == OPERAND_ROW && here->space == SPACE_WARP;
        const bool mask = here && here->kind == OPERAND_PREDICATE && !here->invert;
        if (outputs[i] == 'p') {
            if (!mask && !insert(code, i, no_mask))
                return false;
            if (mask && here->index == MASK_TRUE)
                here->row = MASK_SINK * 4;
            code->uniform |= mask && here->uniform;
            continue;
        }
        if (outputs[i] == 'D' && !row && !insert(code, i, no_row))
            return false;
        if (outputs[i] == 'd' && !row)
            return false;
        if (row) {
            const bool zero = here->index == (here->uniform ? 63 : 255);
            code->uniform |= here->uniform;
            if (zero)
                *here = no_row;
        }
    }
    return true;
}

/* ---- Instructions ---- */

static size_t split_operands(char *text, char **tokens)
{
    size_t count = 0;
    int depth = 0;
    char *start = text;
    for (char *at = text;; at++) {
        /* R48[R76+0x1000]: a comma is missing. */
        const bool glued = *at == '[' && depth == 0 && at > start && at[-1] != 'c' && at[-1] != ']' && at[-1] != 'x' &&
                           !(at - start == 4 && starts(start, "desc"));
        if (glued && count < TOKENS) {
            /* The bracket's token begins here: the register's needs an end of its own. */
            memmove(at + 1, at, strlen(at) + 1);
            *at = ',';
        }
        depth += *at == '[';
        depth -= *at == ']';
        if (*at && (*at != ',' || depth > 0))
            continue;
        const bool last = !*at;
        *at = '\0';
        char *end = at;
        while (end > start && end[-1] == ' ')
            *--end = '\0';
        while (*start == ' ')
            start++;
        if (*start && count < TOKENS)
            tokens[count++] = start;
        if (last)
            return count;
        start = at + 1;
    }
}

static bool modifiers_allowed(const struct instruction *code, const struct opcode *row)
{
    if (!row->modifiers)
        return true;
    /* Behind those that are part of the name. */
    unsigned first = 0;
    for (const char *at = row->name; *at; at++)
        first += *at == '.';
    for (unsigned i = first; i < code->modifier_count; i++) {
        const char *at = row->modifiers;
        const size_t length = strlen(code->modifiers[i]);
        bool found = false;
        while (*at && !found) {
            const size_t word = strcspn(at, " ");
            found = word == length && strncmp(at, code->modifiers[i], length) == 0;
            at += word + (at[word] == ' ');
        }
        if (!found)
            return false;
    }
    return true;
}

/* False: it has more modifiers than there is room for. */
static bool read_opcode(struct decoder *decoder, struct instruction *code, const char *opcode)
{
    static const struct {
        const char *name;
        uint64_t bit;
    } known[] = {
#define MODIFIER_ROW(name) {#name, MODIFIER(name)},
        KNOWN_MODIFIERS(MODIFIER_ROW)
#undef MODIFIER_ROW
    };
    code->opcode = keep_text(decoder, opcode, strlen(opcode));
    for (const char *at = strchr(opcode, '.'); at;) {
        const size_t length = strcspn(at + 1, ".");
        if (code->modifier_count == MODIFIERS)
            return false;
        code->modifiers[code->modifier_count++] = keep_text(decoder, at + 1, length);
        at = at[1 + length] ? at + 1 + length : NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        code->known |= has_modifier(code, known[i].name) ? known[i].bit : 0;
    return true;
}

/* "" or "@!P0"; of P2R its first source, PR. False: something unknown. */
static bool read_guard(struct instruction *code, const char *predicate)
{
    struct operand guard;
    code->guard = MASK_TRUE * 4;
    if (predicate[0] == '\0' || strcmp(predicate, "PR") == 0)
        return true;
    if (predicate[0] != '@' || !read_predicate(predicate + 1, &guard))
        return false;
    code->guard = guard.row;
    code->guard_flip = guard.invert ? ALL_LANES : 0;
    code->guarded = guard.index != MASK_TRUE || guard.invert;
    return true;
}

/* CALL and RET name a place: the offset of a symbol, or a register. False: a word that means nothing. */
static bool resolve(const struct function *function, struct instruction *code)
{
    for (unsigned i = 0; i < code->operand_count; i++) {
        struct operand *operand = &code->operands[i];
        for (size_t s = 0; operand->kind == OPERAND_WORD && s < function->symbol_count; s++)
            if (strcmp(function->symbols[s].name, operand->word) == 0) {
                const int64_t value = (int64_t)function->symbols[s].offset;
                *operand = (struct operand){.kind = OPERAND_TARGET, .value = value};
            }
        if (operand->kind == OPERAND_WORD)
            return false;
    }
    return true;
}

/* The loop that executes a warp takes these operands for granted. */
static bool has_its_barrier(const struct instruction *code)
{
    bool found = code->control != CONTROL_OPEN && code->control != CONTROL_JOIN && code->control != CONTROL_BREAK;
    for (unsigned i = 0; i < code->operand_count; i++)
        found |= code->operands[i].kind == OPERAND_BARRIER;
    return found && (code->control != CONTROL_BRANCH_INDEXED || code->operand_count > 0);
}

static bool read_instruction(struct decoder *decoder, struct instruction *code, const char *opcode,
                             const char *predicate, const char *operands)
{
    const size_t length = strlen(operands);
    char *text = x_calloc(length + TOKENS + 1, 1), *tokens[TOKENS];
    memcpy(text, operands, length + 1);
    const bool named = read_opcode(decoder, code, opcode);
    const size_t count = split_operands(text, tokens);
    bool good = named && count <= OPERANDS && read_guard(code, predicate);
    for (size_t i = 0; i < count && good; i++) {
        good = read_operand(decoder, code, tokens[i], &code->operands[i]);
        code->operand_count++;
    }
    if (good) {
        place_decimals(decoder, code);
        good = resolve(decoder->function, code);
    }
    free(text);
    const struct opcode *row = opcode_find(code->opcode);
    if (!good || !row || !modifiers_allowed(code, row))
        return false;
    code->run = row->run;
    code->control = row->control;
    if (!has_its_barrier(code) || !place_outputs(code, row->outputs ? row->outputs : "d"))
        return false;
    return !row->prepare || row->prepare(code);
}

/* Jump tables: constant bank 2 of the function. */
static void read_tables(struct code *code, const struct function *function)
{
    const struct image *image = &function->module->image;
    char *name = x_sprintf(".nv.constant2.%s", function->name);
    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];
        if (strcmp(section->name, name) != 0 || !section->bytes)
            continue;
        code->bank2_size = section->header.sh_size;
        code->bank2 = x_calloc(code->bank2_size + 8, 1);
        memcpy(code->bank2, section->bytes, code->bank2_size);
    }
    free(name);
}

static size_t text_needed(const json_t *list)
{
    size_t size = 1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        size += 2 * json_string_length(json_object_get(one, "opcode")) +
                json_string_length(json_object_get(one, "operands")) + (size_t)2 * (MODIFIERS + TOKENS);
    }
    return size;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* By a flag in shared memory, say, or a barrier that not all come to: then reading what another warp wrote is no race.
 */
static bool tells_others(const struct instruction *code)
{
    static const char *const signs[] = {"BAR.ARV",       "SYNCS",     "MEMBAR.ALL.CTA",
                                        "MEMBAR.SC.CTA", "ATOMS.CAS", "ATOMS.EXCH"};
    for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
        if (starts(code->opcode, signs[i]))
            return true;
    return starts(code->opcode, "BAR.SYNC") && (code->operand_count > 1 || !code->operands[0].immediate);
}

struct code *code_read(const struct function *function, const json_t *list)
{
    struct decoder decoder = {.function = function, .code = x_calloc(1, sizeof *decoder.code)};
    struct code *code = decoder.code;
    code->count = json_array_size(list);
    code->list = x_calloc(code->count, sizeof *code->list);
    decoder.text_size = text_needed(list);
    decoder.text = code->texts = x_calloc(decoder.text_size, 1);
    for (size_t i = 0; i < code->count; i++) {
        const json_t *one = json_array_get(list, i);
        struct instruction *instruction = &code->list[i];
        instruction->index = (unsigned)i;
        if (!read_instruction(&decoder, instruction, text_of(one, "opcode"), text_of(one, "predicate"),
                              text_of(one, "operands")))
            instruction->control = CONTROL_UNKNOWN;
    }
    for (size_t i = 0; i < code->count; i++)
        code->tells_others |= tells_others(&code->list[i]);
    read_tables(code, function);
    return code;
}

void code_free(struct code *code)
{
    free(code->list);
    free(code->constants);
    free(code->bank2);
    free(code->texts);
    free(code);
}

int code_of(struct function *function, struct problem *problem)
{
    if (function->code)
        return 0;
    json_t *whole;
    const json_t *list = disassemble(&whole, function->module->bytes, function->module->size, function->name, problem);
    if (!list)
        return -1;
    const size_t count = json_array_size(list), wanted = function->size / INSTRUCTION_BYTES;
    struct code *code = count == wanted ? code_read(function, list) : NULL;
    if (!code)
        problem_set(problem, "nvdisasm tells of %zu instructions in %s, which has %zu", count, function->name, wanted);
    json_decref(whole);
    if (code && encoding_check(function, code, problem) < 0) {
        code_free(code);
        return -1;
    }
    function->code = code;
    return code ? 0 : -1;
}

const char *code_opcode(const struct function *function, size_t index)
{
    return function->code->list[index].opcode;
}
