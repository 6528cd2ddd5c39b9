#include <microhttpd.h>
#include <string.h>

// Swift cannot call C variadics, and cannot import MHD's callback options as they are passed there.

struct syncd_mhd_settings {
  int listen_socket;
  int is_ipv6;
  unsigned int threads;
  unsigned int connections;
  unsigned int timeout_seconds;
  size_t connection_memory;
  /// PEM text; both null without TLS.
  const char *certificate;
  const char *key;
  void *context;
  void *(*target)(void *context, const char *uri, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
};

// Leaves `%` escapes as they stand: an encoded slash in an id is no separator.
static inline size_t syncd_mhd_keep_escapes(
    void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

static inline struct MHD_Daemon *syncd_mhd_start(const struct syncd_mhd_settings *s) {
  // Not epoll: MHD 0.9.75 overlooks there that a client is gone whose last bytes came together with
  // its FIN, and holds the connection and its half body until the timeout.
  unsigned int flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (s->is_ipv6) flags |= MHD_USE_IPv6;
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)s->certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)s->key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
  if (s->certificate) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, s->access, s->context,
      MHD_OPTION_LISTEN_SOCKET, s->listen_socket,
      MHD_OPTION_THREAD_POOL_SIZE, s->threads,
      MHD_OPTION_CONNECTION_LIMIT, s->connections,
      MHD_OPTION_CONNECTION_TIMEOUT, s->timeout_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->connection_memory,
      MHD_OPTION_UNESCAPE_CALLBACK, &syncd_mhd_keep_escapes, (void *)0,
      MHD_OPTION_URI_LOG_CALLBACK, s->target, s->context,
      MHD_OPTION_NOTIFY_COMPLETED, s->completed, s->context,
      MHD_OPTION_ARRAY, s->certificate ? tls : plain,
      MHD_OPTION_END);
}
