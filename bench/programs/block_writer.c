/* Writes TOTAL bytes of 80-column lines in blocks of BLOCK bytes, as fast as the other side takes them.
 *
 * usage: block_writer BLOCK TOTAL */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    size_t block = strtoull(argv[1], NULL, 10), left = strtoull(argv[2], NULL, 10);
    char *text = malloc(block);
    if (!text) return 1;
    memset(text, 'x', block);
    for (size_t i = 79; i < block; i += 80) text[i] = '\n';
    while (left > 0) {
        ssize_t n = write(1, text, left < block ? left : block);
        if (n <= 0) return 1;
        left -= (size_t)n;
    }
    return 0;
}
