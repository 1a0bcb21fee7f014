/* fuzz_config - any text as a cugate.ini. What is understood must survive writing and reading. */
#include "command/config.h"
#include "fuzz.h"

static char *write_all(const struct config *config)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    for (size_t i = 0; i < config->count; i++)
        fprintf(stream, "%s=%s\n", config->keys[i].name, config->keys[i].value);
    fclose(stream);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(config) config = {0};
    OWNED_TEXT text = x_calloc(size + 1, 1);
    memcpy(text, data, size);
    if (config_read_text(&config, "fuzz", text) == 0) {
        OWNED(config) back = {0};
        OWNED_TEXT copy = write_all(&config);
        if (config_read_text(&back, "fuzz", copy) < 0 || back.count != config.count)
            BUG("what was written is not what is read");
        for (size_t i = 0; i < back.count; i++)
            if (strcmp(back.keys[i].name, config.keys[i].name) != 0 ||
                strcmp(back.keys[i].value, config.keys[i].value) != 0)
                BUG("%s changed", config.keys[i].name);
    }
    return 0;
}
