/* Kernels in C: one formula in several ways, and those that fail. -DPROGRAM makes it a program. */
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

float sigmoid_number(float x) { return x / (1 + expf(-1.702f * x)); }
void sigmoid(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = sigmoid_number(x[i]);
}

/* ReLU(gate)·up, as two arrays, one array of halves, numbers */
float reglu_number(float gate, float up) { return (gate > 0 ? gate : 0) * up; }
void reglu(const float *gate, const float *up, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = reglu_number(gate[i], up[i]);
}
void reglu_halves(const float *x, float *y, size_t n) { reglu(x, x + n, y, n); }
void reglu_tail(const float *gate, const float *up, float *y, size_t n) {
    reglu(gate, up, y, n);
    for (size_t i = n - n % 4; i < n; i++) /* the last ones are wrong */
        y[i] *= 2;
}

/* ReLU, on numbers and on bit patterns */
double relu64(double x) { return x > 0 ? x : 0; }
float relu32(float x) { return x > 0 ? x : 0; }
uint16_t relu16(uint16_t x) { return x >> 15 ? 0 : x; }
uint8_t relu8(uint8_t x) { return x >> 7 ? 0 : x; }
#define ARRAYS(width, T) \
    void relus##width(const T *x, T *y, size_t n) { \
        for (size_t i = 0; i < n; i++) \
            y[i] = relu##width(x[i]); \
    }
ARRAYS(64, double)
ARRAYS(32, float)
ARRAYS(16, uint16_t)
ARRAYS(8, uint8_t)

/* bfloat16 to float32 */
float widen(uint16_t x) {
    union { uint32_t bits; float number; } wide = {(uint32_t)x << 16};
    return wide.number;
}
void widens(const uint16_t *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = widen(x[i]);
}

/* Backward passes of ReLU */
float backward_number(float upstream, float x) { return x > 0 ? upstream : 0; }
void backward(const float *upstream, const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = backward_number(upstream[i], x[i]);
}

/* Writing where it must not */
void past_the_end(const float *x, float *y, size_t n) { relus32(x, y, n); y[n] = 0; }
void before_the_start(const float *x, float *y, size_t n) { relus32(x, y, n); y[-2] = 0; }
void past_its_inputs(const float *x, float *y, size_t n) { relus32(x, y, n); ((float *)x)[n] = 0; }
void a_vector_too_much(const float *x, float *y, size_t n) { relus32(x, y, (n + 7) / 8 * 8); }
void into_its_inputs(const float *x, float *y, size_t n) { relus32(x, y, n); ((float *)x)[n / 2] += 1; }
void far_after(const float *x, float *y, size_t n) { relus32(x, y, n); y[n + 1000000] = 0; }
void far_before(const float *x, float *y, size_t n) { relus32(x, y, n); y[-1000000] = 0; }
void far_after_x(const float *x, float *y, size_t n) { relus32(x, y, n); ((float *)x)[n + 1000000] = 0; }
void far_before_x(const float *x, float *y, size_t n) { relus32(x, y, n); ((float *)x)[-1000000] = 0; }
void nowhere(const float *x, float *y, size_t n) { (void)x, (void)y, (void)n; }
void not_its_tail(const float *x, float *y, size_t n) { relus32(x, y, n / 8 * 8); }
void addresses(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = i ? (uintptr_t)y % 4096 : (uintptr_t)x % 4096;
}

/* Depending on where arrays are */
void doubles_if_unaligned(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = relu32(x[i]) * ((uintptr_t)y % 16 ? 2 : 1);
}
void forgets_in_place(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        y[i] += relu32(x[i]);
    }
}
void crashes_if_unaligned(const float *x, float *y, size_t n) {
    if ((uintptr_t)x % 16) abort();
    relus32(x, y, n);
}

/* Ends of the process */
void crashes(const float *x, float *y, size_t n) { *(volatile float *)0 = *x; }
void exits(const float *x, float *y, size_t n) { exit(3); }
void hangs(const float *x, float *y, size_t n) {
    for (;;)
        pause();
}
void forks(const float *x, float *y, size_t n) { fork(); relus32(x, y, n); }
float hands_on(float x) { return x; }
int a_table[4] = {0};

#ifdef PROGRAM
int main(void) {
    static float numbers[1000];
    size_t n;
    while ((n = fread(numbers, sizeof *numbers, 1000, stdin))) {
        sigmoid(numbers, numbers, n);
        fwrite(numbers, sizeof *numbers, n, stdout);
    }
}
#endif
