#include "session.h"

#include "run_file.h"

#define FACT(fact) (offsetof(struct session, facts) + (fact) * sizeof(char *))

/* clang-format off */
static const struct json_field session_fields[] = {
    {"caches",     FIELD_TEXT, .offset = FACT(SESSION_CACHES), .optional = true},
    {"collector",  FIELD_TEXT, .offset = FACT(SESSION_COLLECTOR), .optional = true},
    {"commit",     FIELD_TEXT, .offset = FACT(SESSION_COMMIT), .optional = true},
    {"compiler",   FIELD_TEXT, .offset = FACT(SESSION_COMPILER), .optional = true},
    {"cuda",       FIELD_TEXT, .offset = FACT(SESSION_CUDA), .optional = true},
    {"cugate",     FIELD_TEXT, .offset = FACT(SESSION_CUGATE), .optional = true},
    {"cupti",      FIELD_TEXT, .offset = FACT(SESSION_CUPTI), .optional = true},
    {"cut",        FIELD_TEXT, .offset = FACT(SESSION_CUT), .optional = true},
    {"date",       FIELD_TEXT, .offset = FACT(SESSION_DATE), .optional = true},
    {"driver",     FIELD_TEXT, .offset = FACT(SESSION_DRIVER), .optional = true},
    {"flags",      FIELD_TEXT, .offset = FACT(SESSION_FLAGS), .optional = true},
    {"gpu_uuid",   FIELD_TEXT, .offset = FACT(SESSION_GPU_UUID), .optional = true},
    {"host",       FIELD_TEXT, .offset = FACT(SESSION_HOST), .optional = true},
    {"host_code",  FIELD_TEXT, .offset = FACT(SESSION_HOST_CODE), .optional = true},
    {"left_out",   FIELD_TEXT, .offset = FACT(SESSION_LEFT_OUT), .optional = true},
    {"libraries",  FIELD_TEXT, .offset = FACT(SESSION_LIBRARIES), .optional = true},
    {"neighbours", FIELD_TEXT, .offset = FACT(SESSION_GPU_PROCESSES), .optional = true},
    {"part",       FIELD_TEXT, .offset = FACT(SESSION_PART), .optional = true},
    {"program",    FIELD_TEXT, .offset = FACT(SESSION_PROGRAM), .optional = true},
    {"ranks",      FIELD_TEXT, .offset = FACT(SESSION_RANKS), .optional = true},
    {"reason",     FIELD_TEXT, .offset = FACT(SESSION_REASON), .optional = true},
    {"silicon",    FIELD_TEXT, .offset = FACT(SESSION_SILICON), .optional = true},
    {"roofs",      FIELD_NAMED, .offset = offsetof(struct session, roofs), .optional = true, .name = roof_name, .names = ROOFS},
};

static const struct json_field device_fields[] = {
    {"compute_capability", FIELD_TEXT, .offset = offsetof(struct device, compute_capability), .optional = true},
    {"ecc",          FIELD_FLAG, .offset = offsetof(struct device, ecc), .unless = offsetof(struct device, ecc_unknown)},
    {"memory_bytes", FIELD_SIZE, .offset = offsetof(struct device, memory_bytes)},
    {"mig",          FIELD_FLAG, .offset = offsetof(struct device, mig), .unless = offsetof(struct device, mig_unknown)},
    {"name",         FIELD_TEXT, .offset = offsetof(struct device, name), .optional = true},
    {"sm_count",     FIELD_SIZE, .offset = offsetof(struct device, sm_count)},
};

static const char *const roof_names[ROOFS] = {
    [ROOF_DRAM] = "dram",   [ROOF_SHARED] = "shared", [ROOF_FP64] = "fp64",
    [ROOF_FP32] = "fp32",   [ROOF_FP16] = "fp16",
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(session_fields) == SESSION_FACTS + 1, "one row per fact, plus the roofs");

const struct json_table session_table = {session_fields, ARRAY_SIZE(session_fields), .size = sizeof(struct session)};
const struct json_table device_table = {device_fields, ARRAY_SIZE(device_fields), .size = sizeof(struct device)};

const char *session_fact_name(enum session_fact fact)
{
    size_t row = 0;
    while (session_fields[row].offset != FACT(fact))
        row++;
    return session_fields[row].key;
}

const char *roof_name(enum roof roof)
{
    return roof_names[roof];
}

/* Appends formatted text, with "; " between the parts. What does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    if (used > 0 && used + 2 < size) {
        memcpy(text + used, "; ", 3);
        used += 2;
    }
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static void text_difference(const char *what, const char *have, const char *want, char *text, size_t size)
{
    have = have ? have : "unknown";
    want = want ? want : "unknown";
    if (strcmp(have, want) != 0)
        append(text, size, "%s %s, not %s", what, have, want);
}

static void number_difference(const char *what, const char *unit, long long have, long long want, char *text,
                              size_t size)
{
    char numbers[2][48] = {"unknown", "unknown"};
    const long long of[2] = {have, want};
    for (size_t i = 0; i < 2; i++)
        if (of[i] != 0)
            snprintf(numbers[i], sizeof numbers[i], "%lld%s", of[i], unit);
    text_difference(what, numbers[0], numbers[1], text, size);
}

static const char *flag_words(bool flag, bool unknown)
{
    return unknown ? NULL : flag ? "on" : "off";
}

void device_difference(const struct device *have, const struct device *want, char *text, size_t size)
{
    text[0] = '\0';
    text_difference("GPU", have->name, want->name, text, size);
    text_difference("compute capability", have->compute_capability, want->compute_capability, text, size);
    number_difference("SM count", "", have->sm_count, want->sm_count, text, size);
    number_difference("memory", " bytes", have->memory_bytes, want->memory_bytes, text, size);
    text_difference("ECC", flag_words(have->ecc, have->ecc_unknown), flag_words(want->ecc, want->ecc_unknown), text,
                    size);
    text_difference("MIG", flag_words(have->mig, have->mig_unknown), flag_words(want->mig, want->mig_unknown), text,
                    size);
}

void sessions_release(struct session *sessions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t fact = 0; fact < SESSION_FACTS; fact++)
            free(sessions[i].facts[fact]);
    free(sessions);
}

void session_copy(struct session *to, const struct session *from)
{
    for (size_t fact = 0; fact < SESSION_FACTS; fact++)
        to->facts[fact] = x_strdup(from->facts[fact]);
    memcpy(to->roofs, from->roofs, sizeof to->roofs);
    to->ordinal = from->ordinal;
}

static int order_of_facts(const struct session *a, const struct session *b, enum session_fact end)
{
    int order = 0;
    for (enum session_fact fact = SESSION_DATE; fact < end && order == 0; fact++)
        order = order_of_texts(a->facts[fact], b->facts[fact]);
    return order;
}

int by_session(const void *left, const void *right)
{
    return order_of_facts(left, right, SESSION_REASON);
}

int by_session_and_reason(const void *left, const void *right)
{
    return order_of_facts(left, right, SESSION_FACTS);
}

bool session_is_equal(const struct session *a, const struct session *b)
{
    return by_session_and_reason(a, b) == 0;
}
