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

// The first bytes of the file, zeros where it ends before them, through the connection's own descriptor.
static inline int syncd_sqlite3_start(sqlite3 *db, void *bytes, int count) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  code = file->pMethods->xRead(file, bytes, count, 0);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

static inline int syncd_sqlite3_config_int(int option, int value) {
  return sqlite3_config(option, value);
}
