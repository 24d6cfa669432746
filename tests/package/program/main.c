/* A program outside weft's tree: prints the version of the library it runs with. */
#include <stdio.h>
#include <weft/weft.h>

int main(void) {
    puts(weft_version());
    return 0;
}
