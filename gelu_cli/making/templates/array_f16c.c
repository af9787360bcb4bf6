#ifdef __F16C__
#include <immintrin.h>
GELU_KERNEL void $name(const uint16_t *__restrict x, uint16_t *__restrict y, size_t n) {
    float b[64];
    uint16_t h[64];
    for (size_t i = 0; i < n; i += 64) {
        size_t k = n - i < 64 ? n - i : 64;
        const uint16_t *from = x + i;
        uint16_t *to = k < 64 ? h : y + i;
        if (k < 64) {
            memset(h, 0, sizeof h);
            memcpy(h, from, 2 * k);
            from = h;
        }
        for (int j = 0; j < 64; j += 8)
            _mm256_storeu_ps(b + j, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + j))));
        for (int j = 0; j < 64; j++) b[j] = ${name}_float(b[j]);
        for (int j = 0; j < 64; j += 8)
            _mm_storeu_si128((__m128i *)(to + j), _mm256_cvtps_ph(_mm256_loadu_ps(b + j), 0));
        if (k < 64) memcpy(y + i, h, 2 * k);
    }
}
#else
${array}#endif
