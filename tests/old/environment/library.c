/* Sets what a library that is built with -ffast-math sets, and the rounding mode. */
#include <stdlib.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
/* In MXCSR. */
enum { RESULTS = 1u << 15, INPUTS = 1u << 6, DOWNWARD = 1u << 13, UPWARD = 2u << 13,
       TOWARD_ZERO = 3u << 13 };
static unsigned long read_register(void) { return _mm_getcsr(); }
static void write_register(unsigned long bits) { _mm_setcsr((unsigned)bits); }
#elif defined(__aarch64__)
/* In FPCR, where one bit is for both results and inputs. */
enum { RESULTS = 1u << 24, INPUTS = 1u << 24, UPWARD = 1u << 22, DOWNWARD = 2u << 22,
       TOWARD_ZERO = 3u << 22 };
static unsigned long read_register(void) {
    unsigned long bits;
    __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
}
static void write_register(unsigned long bits) {
    __asm__ volatile("msr fpcr, %0" : : "r"(bits));
}
#else
#error "no such registers are known here"
#endif

enum { ALL = RESULTS | INPUTS | TOWARD_ZERO };

/* A letter for each bit: r(esults), i(nputs), u(pward), d(ownward), z(ero). */
void set_mode(const char *letters) {
    unsigned long bits = 0;
    for (; *letters; letters++)
        bits |= *letters == 'r' ? RESULTS : *letters == 'i' ? INPUTS : *letters == 'u' ? UPWARD
              : *letters == 'd' ? DOWNWARD : TOWARD_ZERO;
    write_register((read_register() & ~(unsigned long)ALL) | bits);
}

unsigned long mode(void) { return read_register() & ALL; }

__attribute__((constructor)) static void loaded(void) {
    const char *letters = getenv("MODE_WHEN_LOADED");
    if (letters)
        set_mode(letters);
}
