/* short_name.h - the short name of a kernel, out of what a demangler says of it: of
 *
 *   void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(...)
 *
 * it is vectorized_elementwise_kernel<4,CUDAFunctor_add<float>~5f6a. What it returns, its parameters and all namespaces
 * are left out, but a function or an instance of a template that something is a member of, joined by a '.', as lambdas
 * are: direct_copy_kernel_cuda.lambda3.lambda7.lambda1. Of template arguments stay as many as fit into
 * SHORT_NAME_LENGTH; a name that was cut ends with ~ and four digits that are of the whole name. It holds none but
 * letters, digits and _ < > , . - ~. */
#ifndef SHORT_NAME_H
#define SHORT_NAME_H

#include <stddef.h>

#define SHORT_NAME_LENGTH 64      /* characters that template arguments may lead up to, the digits among them */
#define SHORT_NAME_LENGTH_MAX 128 /* and that a name has without any, such as those of cuBLAS */

/* The same whole name has always the same short one. In the whole name no file of an anonymous namespace, no version
 * or architecture in a namespace of CUB's and no space has a say. Caller frees. */
char *kernel_short_name(const char *demangled);

/* The short names of count kernels, into names[], each the caller's to free. Those whose short name is that of another
 * kernel as well have digits behind it, as many as tell them apart. What is there twice has one name. */
void kernel_unique_names(const char *const *demangled, size_t count, char **names);

/* What a program, a library or a file is called in ids: its name without folders, without ".so" and what follows that,
 * else without its last ending, and with a '_' for each character that no id has. Caller frees. */
char *file_short_name(const char *path);

#endif
