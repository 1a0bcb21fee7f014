/* The operands of nvdisasm's text.
 *
 * Peculiarities of the text, nvdisasm 13.5: .reuse says nothing; a float immediate is decimal (+INF and -QNAN with a
 * blank behind it, whatever bits that NaN has), of half precision two of them, the upper first; an immediate of 64 bits
 * is their upper word; CALL names a symbol. 13.2 leaves out the comma before [ of some loads. */
#include "decode_parts.h"

#include "encoding.h"

#include "decode_constants.h"

enum { DECIMAL = HALF_CROSSED + 1 /* place of an operand's half until place_decimals() */ };

/* A copy that lives as long as the code. */
const char *keep_text(struct decoder *decoder, const char *text, size_t length)
{
    if (length + 1 > decoder->text_size - decoder->text_used)
        BUG("the disassembly grew");
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
                    {".H0_NH1", HALF_CROSSED, 0},
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

/* R2.SIGN, which only PLOP3 has. */
static bool is_sign(const struct instruction *code, const char *suffixes)
{
    return code->traits & TRAIT_SIGNS && (strcmp(suffixes, ".SIGN") == 0 || strcmp(suffixes, ".reuse.SIGN") == 0);
}

/* Complex products cross halves; other instructions were not seen to. */
static bool may_cross(const struct instruction *code)
{
    return code->traits & TRAIT_FP16;
}

/* P0, !P0, PT, UP0, UPT. */
bool read_predicate(const char *text, struct operand *operand)
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
        if (*text == '\0') { /* it stands by itself, and says how the L2 keeps what is copied */
            operand->kind = OPERAND_SPECIAL;
            operand->word = "desc";
            return true;
        }
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

/* gdesc[UR8].negA.tnspB: the descriptor of A, and behind it that of B. */
static bool read_descriptor(const char *text, struct operand *operand)
{
    static const struct {
        const char *name;
        unsigned bit;
    } ways[] = {{".negA", DESCRIPTOR_NEGATES_A},
                {".negB", DESCRIPTOR_NEGATES_B},
                {".tnspA", DESCRIPTOR_TURNS_A},
                {".tnspB", DESCRIPTOR_TURNS_B}};
    const char *at = text + strlen("gdesc[");
    if (!read_register(at, operand, &at) || !operand->uniform || (operand->index > 59 && operand->index != 63) ||
        *at++ != ']')
        return false;
    operand->kind = OPERAND_DESCRIPTOR;
    operand->value = 0;
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
        if (starts(at, ways[i].name)) {
            operand->value |= ways[i].bit;
            at += strlen(ways[i].name);
        }
    return *at == '\0';
}

/* The type of an instruction's decimal immediates: of a conversion that of its source, which stands last. */
static char float_type(const struct instruction *code)
{
    const bool prefixed = code->opcode[0] == 'U' || code->opcode[0] == 'V';
    const char *name = code->opcode + prefixed;
    const bool converts = starts(name, "FRND") || starts(name, "F2") || starts(name, "MUFU");
    char type = has_modifier(code, "BF16_V2") ? 'B' : name[0];
    if (starts(name, "F2FP") && code->modifier_count < 3) /* of 8.x: BF16.PACK_AB, whose source has no name */
        return 'F';
    for (unsigned i = 0; i < code->modifier_count && converts; i++) {
        const char *modifier = code->modifiers[i];
        type = strcmp(modifier, "F16") == 0    ? 'H'
               : strcmp(modifier, "BF16") == 0 ? 'B'
               : strcmp(modifier, "F64") == 0  ? 'D'
               : strcmp(modifier, "F32") == 0  ? 'F'
                                               : type;
    }
    if (has_modifier(code, "UNPACK_B"))
        return 'F'; /* bytes are printed as the float that has these bits */
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
    return starts(text, "SR_") || starts(text, "gsb") || strcmp(text, "SRZ") == 0 || starts(text, "SB") ||
           text[0] == '{' || text[1] == 'D' || strcmp(text, "PR") == 0 || strcmp(text, "UPR") == 0 ||
           strcmp(text, "CUBE") == 0 || starts(text, "ARRAY_");
}

bool read_operand(struct decoder *decoder, const struct instruction *code, const char *text, struct operand *operand)
{
    *operand = (struct operand){.scale = 1};
    if (read_predicate(text, operand))
        return true;
    if (text[0] == '[' || starts(text, "desc["))
        return read_address(text, has_modifier(code, "E"), operand);
    if (starts(text, "gdesc["))
        return read_descriptor(text, operand);
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
    if (read_register(at, operand, &end)) {
        if (!is_sign(code, end))
            return read_suffixes(end, operand) && (operand->half != HALF_CROSSED || may_cross(code));
        operand->kind = OPERAND_SIGN;
        return !operand->uniform;
    }
    if (starts(at, "c["))
        return read_constant(decoder, at, operand);
    if (starts(text, "0x") || starts(text, "-0x")) {
        char *rest;
        const int64_t value = read_integer(text, &rest);
        const bool upper = starts(code->opcode, "I2F") && (IS(S64) || has_modifier(code, "U64"));
        /* Of a number of 64 bits the text has both words, or the sign of the lower one. */
        set_immediate(decoder, operand, upper ? 0 : (uint32_t)value,
                      upper ? (uint32_t)value : (uint32_t)((uint64_t)value >> 32));
        operand->value = value;
        return *rest == '\0';
    }
    uint32_t word;
    if (starts(text, "32@") && decoder->function->linked && encoding_word(decoder->function, code->index, &word)) {
        set_immediate(decoder, operand, word, 0);
        operand->value = word;
        return true;
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
void place_decimals(struct decoder *decoder, struct instruction *code)
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
