#include <sqlite3.h>

// Swift cannot call C variadics, and SQLITE_TRANSIENT is a cast that it cannot import.
// An empty Swift string may have no address, and a null pointer would bind NULL.

static inline int syncd_sqlite3_db_config_int(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}

static inline int syncd_sqlite3_bind_text(sqlite3_stmt *s, int i, const char *text, int bytes) {
  return sqlite3_bind_text(s, i, text ? text : "", bytes, SQLITE_TRANSIENT);
}

static inline int syncd_sqlite3_bind_blob(sqlite3_stmt *s, int i, const void *bytes, int count) {
  return sqlite3_bind_blob(s, i, bytes, count, SQLITE_TRANSIENT);
}

static inline int syncd_sqlite3_config_int(int option, int value) {
  return sqlite3_config(option, value);
}
