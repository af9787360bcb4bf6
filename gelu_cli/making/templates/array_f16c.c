#ifdef __F16C__
#include <immintrin.h>
GELU_KERNEL void $name(const uint16_t *__restrict x, uint16_t *__restrict y, size_t n) {
    float b[64];
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        for (int j = 0; j < 64; j += 8)
            _mm256_storeu_ps(b + j, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i + j))));
        for (int j = 0; j < 64; j++) b[j] = ${name}_float(b[j]);
        for (int j = 0; j < 64; j += 8)
            _mm_storeu_si128((__m128i *)(y + i + j), _mm256_cvtps_ph(_mm256_loadu_ps(b + j), 0));
    }
    for (; i < n; i++) y[i] = ${name}_one(x[i]);
}
#else
${array}#endif
