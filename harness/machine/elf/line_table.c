/* libdw reads .debug_line, including NVIDIA's extension: a row may name the row of the call that inlined it. libdw
 * lacks two things. Addresses in the file are not relocated yet, and libdw sorts by them, so each function gets an
 * address range of its own. And the extension counts rows from the function's first one, libdw from the first one of
 * the unit. */
#include "line_table.h"

#include "base/base.h"

#include "cubin_image.h"

#include <elfutils/libdw.h>
#include <endian.h>
#include <limits.h>

#define RANGE_BITS 32

struct line_function {
    const char *symbol; /* the function's mangled name, which the image owns */
    uint64_t base;      /* first address of the function: its position in .debug_line, shifted by RANGE_BITS */
    Dwarf_Lines *rows;  /* rows of the function's unit, sorted by address; NULL where .debug_line has none */
    size_t first, count;
};

struct sections {
    Elf_Data *lines, *relocations, *symbols;
    size_t relocation_size; /* size of one relocation */
    size_t symbol_names;    /* number of the section with the symbols' names */
};

/* Finds the sections; false when a needed one is missing. Hides all sections from libdw but .debug_line and those with
 * names. */
static bool find_sections(Elf *elf, struct sections *found)
{
    size_t names;
    *found = (struct sections){0};
    if (!elf || elf_getshdrstrndx(elf, &names) < 0)
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header; /* a copy: in libraries of NVIDIA's it begins at any byte */
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || header.sh_type == SHT_STRTAB)
            continue;
        if (strcmp(name, ".debug_line") == 0 && !found->lines) {
            found->lines = elf_rawdata(section, NULL);
            header.sh_flags = 0; /* a cubin's sections are never compressed */
            gelf_update_shdr(section, &header);
            continue;
        }
        if (strcmp(name, ".rela.debug_line") == 0 || strcmp(name, ".rel.debug_line") == 0) {
            found->relocations = elf_getdata(section, NULL);
            found->relocation_size = header.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        } else if (header.sh_type == SHT_SYMTAB) {
            found->symbols = elf_getdata(section, NULL);
            found->symbol_names = header.sh_link;
        }
        header.sh_type = SHT_NOBITS;
        gelf_update_shdr(section, &header);
    }
    return found->lines && found->lines->d_buf && found->relocations && found->relocations->d_buf && found->symbols;
}

/* Lists the functions and relocates their addresses. */
static void relocate(struct line_table *table, const struct sections *sections)
{
    const size_t count = sections->relocations->d_size / sections->relocation_size;
    for (size_t i = 0; i < count; i++) {
        Elf64_Rel relocation; /* has the layout of the first members of an Elf64_Rela */
        GElf_Sym symbol;
        memcpy(&relocation, (char *)sections->relocations->d_buf + i * sections->relocation_size, sizeof relocation);
        const uint64_t base = relocation.r_offset << RANGE_BITS, bytes = htole64(base);
        const uint64_t number = ELF64_R_SYM(relocation.r_info);
        if (sections->lines->d_size < sizeof bytes || relocation.r_offset > sections->lines->d_size - sizeof bytes ||
            number > INT_MAX || !gelf_getsym(sections->symbols, (int)number, &symbol))
            continue;
        const char *name = elf_strptr(table->elf, sections->symbol_names, symbol.st_name);
        if (!name)
            continue;
        memcpy((char *)sections->lines->d_buf + relocation.r_offset, &bytes, sizeof bytes);
        *ARRAY_GROW(table->functions, table->function_count) = (struct line_function){.symbol = name, .base = base};
    }
}

static uint64_t address_of(Dwarf_Lines *rows, size_t row)
{
    Dwarf_Addr address = 0;
    dwarf_lineaddr(dwarf_onesrcline(rows, row), &address);
    return address;
}

/* Gives a function its rows. The last row only marks the end. */
static void take_rows(struct line_table *table, Dwarf_Lines *rows, size_t first, size_t count)
{
    const uint64_t range = address_of(rows, first) >> RANGE_BITS;
    EACH(struct line_function, function, table->functions, table->function_count) {
        if (function->base >> RANGE_BITS != range || function->rows)
            continue;
        function->rows = rows;
        function->first = first;
        function->count = count;
        return;
    }
}

static void read_units(struct line_table *table)
{
    Dwarf_Off next = 0;
    Dwarf_CU *unit = NULL;
    Dwarf_Files *files;
    Dwarf_Lines *rows;
    size_t file_count, count;
    while (dwarf_next_lines(table->dwarf, next, &next, &unit, &files, &file_count, &rows, &count) == 0) {
        size_t first = 0;
        for (size_t i = 0; i < count; i++) {
            bool ends;
            if (dwarf_lineendsequence(dwarf_onesrcline(rows, i), &ends) != 0 || !ends)
                continue;
            take_rows(table, rows, first, i + 1 - first);
            first = i + 1;
        }
    }
}

void line_table_each_file(const struct line_table *table, void (*take)(void *data, const char *path), void *data)
{
    Dwarf_Off next = 0;
    Dwarf_CU *unit = NULL;
    Dwarf_Files *files;
    Dwarf_Lines *rows;
    size_t file_count, count;
    while (dwarf_next_lines(table->dwarf, next, &next, &unit, &files, &file_count, &rows, &count) == 0)
        for (size_t i = 0; i < file_count; i++) {
            const char *path = dwarf_filesrc(files, i, NULL, NULL);
            if (path)
                take(data, path);
        }
}

void line_table_open(struct line_table *table, const void *bytes, size_t size)
{
    struct sections sections;
    *table = (struct line_table){0};
    if (!image_is_whole(bytes, size))
        return;
    table->bytes = x_calloc(size + 1, 1); /* a 0 at the end, in case relocation overwrote the one of a name */
    memcpy(table->bytes, bytes, size);
    elf_version(EV_CURRENT);
    table->elf = elf_memory(table->bytes, size);
    if (!find_sections(table->elf, &sections))
        return;
    relocate(table, &sections);
    table->dwarf = dwarf_begin_elf(table->elf, DWARF_C_READ, NULL);
    read_units(table);
}

void line_table_release(struct line_table *table)
{
    dwarf_end(table->dwarf);
    elf_end(table->elf);
    free(table->functions);
    free(table->bytes);
    *table = (struct line_table){0};
}

/* Returns the last row at or before an offset, from 1; 0 when there is none. Of several at one address it is the
 * innermost. */
static size_t row_at(const struct line_function *function, uint64_t offset)
{
    size_t row = FIRST(k, function->count, address_of(function->rows, function->first + k) - function->base > offset);
    return row < function->count ? row : 0;
}

/* Returns the row of the call that inlined a row, from 1; 0 when there is none. It always precedes the row. */
static size_t call_of(const struct line_function *function, size_t row)
{
    const Dwarf_Line *call =
        dwarf_linecontext(function->rows, dwarf_onesrcline(function->rows, function->first + row - 1));
    for (size_t i = 1; call && i < row; i++)
        if (dwarf_onesrcline(function->rows, i - 1) == call)
            return i;
    return 0;
}

/* Reads file and line of a row; false where it has none. */
static bool read_place(Dwarf_Line *row, struct line_place *place)
{
    Dwarf_Files *files;
    size_t file; /* number of the file, from 1 */
    int number = 0;
    if (dwarf_line_file(row, &files, &file) != 0 || file == 0 || dwarf_lineno(row, &number) != 0 || number <= 0)
        return false;
    *place = (struct line_place){dwarf_filesrc(files, file, NULL, NULL), (unsigned)number};
    return place->file != NULL;
}

size_t line_table_find(const struct line_table *table, const char *symbol, uint64_t offset, struct line_place *places,
                       size_t capacity)
{
    const struct line_function *function = NULL;
    for (size_t i = 0; i < table->function_count && !function; i++)
        if (table->functions[i].rows && strcmp(table->functions[i].symbol, symbol) == 0)
            function = &table->functions[i];
    size_t count = 0;
    for (size_t row = function ? row_at(function, offset) : 0; row > 0 && count < capacity;
         row = call_of(function, row)) {
        if (!read_place(dwarf_onesrcline(function->rows, function->first + row - 1), &places[count]))
            break;
        count++;
    }
    return count;
}

/* ---- Whose code a line is ---- */

/* Folders in which libraries are installed; then those of CCCL, whose kernels call what others write. */
static const char *const installed[] = {"include", "site-packages", "dist-packages"};
static const char *const cccl[] = {"cccl", "cub", "thrust"};

/* Returns how many bytes of the path precede its last folder with one of the names; SIZE_MAX where none has. */
static size_t find_folder(const char *path, const char *const *names, size_t count)
{
    size_t found = SIZE_MAX;
    for (const char *at = path, *end; (end = strchr(at, '/')); at = end + 1)
        for (size_t i = 0; i < count; i++)
            if (strlen(names[i]) == (size_t)(end - at) && strncmp(at, names[i], (size_t)(end - at)) == 0)
                found = (size_t)(at - path);
    return found;
}

/* Removes "x/.." and "." from a path; compilers leave them in. */
static void make_plain(char *path)
{
    char *to = path + (*path == '/'), *const first = to;
    for (const char *at = first, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "/");
        const size_t length = (size_t)(end - at);
        char *last = to;
        while (last > first && (last == to || last[-1] != '/'))
            last--;
        const bool is_above = length == 2 && strncmp(at, "..", 2) == 0;
        const bool has_folder = to > first && strncmp(last, "../", 3) != 0;
        if (is_above && has_folder) {
            to = last;
        } else if (length > 0 && !(length == 1 && *at == '.') && !(is_above && *path == '/')) {
            memmove(to, at, length);
            to += length;
            if (*end)
                *to++ = '/';
        }
    }
    *to = '\0';
}

static size_t find_installed(const char *path)
{
    return find_folder(path, installed, ARRAY_SIZE(installed));
}

static bool is_of_cccl(const char *path)
{
    const size_t before = find_installed(path);
    return before != SIZE_MAX && find_folder(path + before, cccl, ARRAY_SIZE(cccl)) != SIZE_MAX;
}

/* Chooses the innermost place that is the kernel's own code. The outermost place says whose code that is. A file below
 * a folder of installed libraries counts as the kernel's own only if the kernel lies beside that folder. */
static size_t choose_place(char *const *paths, size_t count)
{
    size_t outermost = count - 1, chosen = 0;
    while (outermost > 0 && is_of_cccl(paths[outermost]))
        outermost--;
    for (; chosen < outermost; chosen++) {
        const size_t before = find_installed(paths[chosen]);
        if (before == SIZE_MAX || strncmp(paths[chosen], paths[outermost], before) == 0)
            break;
    }
    return chosen;
}

char *line_table_line(const struct line_table *table, const char *symbol, uint64_t offset, unsigned *number)
{
    struct line_place places[64];
    char *paths[ARRAY_SIZE(places)], *path = NULL;
    const size_t count = line_table_find(table, symbol, offset, places, ARRAY_SIZE(places));
    for (size_t i = 0; i < count; i++) {
        paths[i] = x_strdup(places[i].file);
        make_plain(paths[i]);
    }
    if (count > 0) {
        const size_t chosen = choose_place(paths, count);
        *number = places[chosen].number;
        path = x_strdup(paths[chosen]);
    }
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    return path;
}
