#ifndef GELU_MADE_$name
#define GELU_MADE_$name
$text#endif
