/* fuzz_cubin - any bytes as a library, cubin or fatbin: no crash, no read outside, and a list that keeps its promises.
 */
#include "cubin/cubin.h"
#include "fuzz.h"

static void check_function(const struct cubin *cubin, size_t i)
{
    const struct cubin_function *function = &cubin->list[i];
    const struct cubin_function *before = i > 0 ? function - 1 : NULL;
    const int order = before ? strcmp(before->name, function->name) : -1;
    require(order < 0 || (order == 0 && before->capability <= function->capability), "functions are not in order");
    require(strlen(function->code) == 32 && strspn(function->code, "0123456789abcdef") == 32, "a hash is none");

    enum cubin_status status;
    const struct cubin_function *found = cubin_find(cubin, function->name, function->capability, &status);
    require((found != NULL) == (status == CUBIN_FOUND), "a reason contradicts the answer");
    require(status == CUBIN_FOUND || status == CUBIN_SEVERAL, "a function that is there is not found");
    require(!found || strcmp(found->code, function->code) == 0, "another function is found");
}

/* The same bytes as one image with line information. */
static void read_lines_of(const uint8_t *data, size_t size)
{
    OWNED(line_table) table;
    struct line_place places[4];
    line_table_open(&table, data, size);
    require(line_table_find(&table, "f", 16, places, ARRAY_SIZE(places)) <= ARRAY_SIZE(places), "more places than fit");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cubin cubin;
    read_lines_of(data, size);
    if (cubin_parse(&cubin, "fuzz", data, size) < 0) {
        require(cubin.count == 0 && !cubin.list, "something is left of a file that was refused");
        return 0;
    }
    for (size_t i = 0; i < cubin.count; i++)
        check_function(&cubin, i);
    cubin_release(&cubin);
    return 0;
}
