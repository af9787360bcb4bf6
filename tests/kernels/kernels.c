/* Kernels in C: one formula in several ways, and those that fail. */
#include <fenv.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

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

/* ReLU(gate)·up, as two arrays, one array of halves, numbers */
float reglu_number(float gate, float up) { return relu32(gate) * up; }
void reglu(const float *gate, const float *up, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = reglu_number(gate[i], up[i]);
}
void reglu_halves(const float *x, float *y, size_t n) { reglu(x, x + n, y, n); }

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
void copies_too_much(const float *x, float *y, size_t n) { for (size_t i = 0; i <= n; i++) y[i] = x[i]; }
void into_its_inputs(const float *x, float *y, size_t n) { relus32(x, y, n); ((float *)x)[n / 2] += 1; }
void nowhere(const float *x, float *y, size_t n) { (void)x, (void)y, (void)n; }
void not_its_tail(const float *x, float *y, size_t n) { relus32(x, y, n / 8 * 8); }
void misaligned(const float *x, float *y, size_t n) {
    relus32(x, y, n);
    y[0] = (uintptr_t)x % 64 + (uintptr_t)y % 64;
}

/* Ends of the process */
void crashes(const float *x, float *y, size_t n) { *(volatile float *)0 = *x; }
void aborts(const float *x, float *y, size_t n) { abort(); }
void exits(const float *x, float *y, size_t n) { exit(3); }
void exits_at_once(const float *x, float *y, size_t n) { _exit(0); }
void hangs(const float *x, float *y, size_t n) {
    for (;;)
        pause();
}
void spins(const float *x, float *y, size_t n) {
    for (volatile int i = 0;; i++)
        ;
}
void forks(const float *x, float *y, size_t n) { fork(); relus32(x, y, n); }
void overflows_the_stack(const float *x, float *y, size_t n) {
    volatile char room[1 << 20];
    room[0] = 1;
    overflows_the_stack(x, y, n + room[0]);
    room[1] = room[0];
}
int a_table[4] = {0};

/* The floating-point environment: x + x/2³⁰ shows the direction, x/2 flushing */
void rounds_up(const float *x, float *y, size_t n) {
    fesetround(FE_UPWARD);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + x[i] * 0x1p-30f;
}
void flushes(const float *x, float *y, size_t n) {
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] / 2;
}
float hands_on(float x) {
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    return x;
}
