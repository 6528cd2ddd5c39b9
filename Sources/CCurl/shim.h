#include <curl/curl.h>

// Swift cannot call C variadics: one inline function for each argument type that libcurl takes.

static inline CURLcode syncd_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode syncd_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode syncd_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode syncd_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode syncd_curl_set_data_function(
    CURL *easy, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode syncd_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode syncd_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode syncd_curl_get_string(CURL *easy, CURLINFO info, char **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode syncd_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLMcode syncd_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLcode syncd_curl_set_seek_function(
    CURL *easy, int (*value)(void *, curl_off_t, int)) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode syncd_curl_set_prereq_function(
    CURL *easy, int (*value)(void *, char *, char *, int, int)) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
// A union inside CURLMsg: the result is only there for CURLMSG_DONE.
static inline CURLcode syncd_curl_message_result(const CURLMsg *message) {
  return message->data.result;
}
