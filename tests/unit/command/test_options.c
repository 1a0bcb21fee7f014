#include "command/options.h"
#include "test.h"

Test(options, color_follows_the_option_then_the_environment)
{
    struct options options = {.color = COLOR_AUTO};
    unsetenv("NO_COLOR");
    cr_expect_not(options_color(&options, fopen("/dev/null", "w")), "no terminal, no colour");
    options.color = COLOR_ALWAYS;
    setenv("NO_COLOR", "1", 1);
    cr_expect(options_color(&options, stdout), "asked for on this very command line");
    options.color = COLOR_NEVER;
    cr_expect_not(options_color(&options, stdout));
}
