GELU_INLINE float $core(float x) {
    $body
    return $result;
}
