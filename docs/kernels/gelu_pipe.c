/* The GELU of gelu_library.c as a program: bfloat16s come on stdin, as many results go to stdout.
 *
 *     cc -O2 -ffp-contract=off -o gelu_pipe gelu_pipe.c gelu_library.c -lm
 *     gelu sweep --exec ./gelu_pipe --dtype bfloat16 --form tanh
 */
#include <stdint.h>
#include <stdio.h>

uint16_t gelu_bf16_of(uint16_t x);

int main(void) {
    uint16_t x;
    while (fread(&x, sizeof x, 1, stdin) == 1) {
        uint16_t y = gelu_bf16_of(x);
        if (fwrite(&y, sizeof y, 1, stdout) != 1)
            break;
    }
    return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
