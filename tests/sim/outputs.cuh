/* outputs.cuh - keeps what a kernel wrote, so that a run on a GPU and one on a CPU can be compared bit by bit. */
#ifndef OUTPUTS_CUH
#define OUTPUTS_CUH

#include "cugate/kernel.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace outputs {

/* For the end of verify: where CUGATE_OUTPUTS names a folder, the bytes go to FOLDER/FAMILY-VARIANT.bin. Otherwise
 * nothing is written. A file that cannot be written whole is an error: half an output would look like a wrong one. */
inline int keep(const char *family, const char *variant, const void *bytes, size_t size, char *why, size_t why_size)
{
    const char *const folder = std::getenv("CUGATE_OUTPUTS");
    if (!folder || !folder[0])
        return 0;
    const std::string path = std::string(folder) + "/" + family + "-" + variant + ".bin";
    std::FILE *const file = std::fopen(path.c_str(), "wb");
    bool written = file && std::fwrite(bytes, 1, size, file) == size;
    if (file && std::fclose(file) != 0)
        written = false;
    if (written)
        return 0;
    std::snprintf(why, why_size, "CUGATE_OUTPUTS: %s could not be written: %s", path.c_str(), std::strerror(errno));
    return CUGATE_WRONG;
}

} // namespace outputs

#endif
