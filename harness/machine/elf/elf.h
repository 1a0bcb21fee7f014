/* elf.h - reads an image of machine code, the ELF file for one kind of GPU: its kernels, what a launch of each has to
 * agree with, and source lines. */
#pragma once

#include "entry.h"
#include "line_table.h"
#include "source_path.h"
