#include "made_code.h"

#include <criterion/criterion.h>

void made_listing_add(json_t *list, char *text)
{
    const bool has_guard = *text == '@' || strncmp(text, "PR ", 3) == 0;
    char *rest = text, *const guard = has_guard ? strsep(&rest, " ") : "", *const opcode = strsep(&rest, " ");
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s}", "predicate", guard, "opcode", opcode, "operands", rest ? rest : ""));
}

struct code *made_code(const char *text)
{
    static struct function_text function;
    json_t *list = json_array();
    OWNED_TEXT copy = x_strdup(text);
    for (char *rest = copy; rest;)
        made_listing_add(list, strsep(&rest, ";"));
    function = (struct function_text){.name = "kernel", .size = json_array_size(list) * INSTRUCTION_BYTES};
    struct code *code = code_read(&function, list, opcode_find);
    json_decref(list);
    return code;
}

bool made_is_simulated(const char *text)
{
    struct code *code = made_code(text);
    const bool is_simulated = code->list->control != CONTROL_UNKNOWN;
    code_free(code);
    return is_simulated;
}

void made_execute(struct warp *warp, const struct code *code, uint32_t lanes)
{
    static _Alignas(64) uint32_t constants[8][LANES];
    cr_assert_leq(code->constant_count, ARRAY_SIZE(constants));
    for (size_t i = 0; i < code->constant_count; i++)
        for (unsigned l = 0; l < LANES; l++)
            constants[i][l] = code->constants[i].value;
    warp->spaces[SPACE_CONSTANTS] = (void *)constants;
    warp->active = warp->guarded = lanes;
    code->list->run(warp, code->list, lanes);
}
