#include <getopt.h>

// getopt keeps its state in globals, which Swift does not let in; whoever calls holds a lock.

/// Starts over with a new argument vector. Returns nothing to the user by itself: no messages.
static inline void syncd_getopt_start(void) {
#ifdef __APPLE__
  optreset = 1;
  optind = 1;
#else
  optind = 0;
#endif
  opterr = 0;
}

static inline const char *syncd_getopt_argument(void) { return optarg; }
static inline int syncd_getopt_position(void) { return optind; }
static inline int syncd_getopt_refused(void) { return optopt; }
