#include "cl/icd_files.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void explain_file(text *say, const char *directory, const char *file) {
    char path[4096], library[512] = "";
    snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *stream = fopen(path, "r");
    if (stream) {
        if (!fgets(library, sizeof library, stream)) {
            library[0] = '\0';
        }
        fclose(stream);
    }
    library[strcspn(library, "\r\n")] = '\0';
    void *handle = *library ? dlopen(library, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (handle) {
        text_printf(say, "; %s names %s, which loads but offers no platform", file, library);
        dlclose(handle);
    } else {
        text_printf(say, "; %s names %s, which does not load (%s)", file, *library ? library : "nothing",
                    *library ? dlerror() : "empty or unreadable file");
    }
}

void icd_files_explain(text *say) {
    const char *variable = getenv("OCL_ICD_VENDORS");
    const char *directory = variable && *variable ? variable : "/etc/OpenCL/vendors";
    text_printf(say, " (drivers are registered in %s%s)", directory, variable && *variable ? ", set by OCL_ICD_VENDORS" : "");
    DIR *listing = opendir(directory);
    size_t files = 0;
    for (struct dirent *item; listing && (item = readdir(listing));) {
        size_t length = strlen(item->d_name);
        if (length > 4 && strcmp(item->d_name + length - 4, ".icd") == 0) {
            explain_file(say, directory, item->d_name);
            files++;
        }
    }
    if (listing) {
        closedir(listing);
    }
    if (files == 0) {
        text_puts(say, listing ? "; it holds no .icd file" : "; it is not a directory that can be read");
    }
    text_puts(say, "; install an OpenCL driver, such as the package pocl-opencl-icd for CPUs");
}
