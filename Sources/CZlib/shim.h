#include <zlib.h>

// A macro in zlib.h, which Swift does not see: 15 bits of window, and 16 for "gzip and nothing else".
static inline int syncd_zlib_begin_gunzip(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}
