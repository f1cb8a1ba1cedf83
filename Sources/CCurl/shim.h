#pragma once
#include <curl/curl.h>

/* Swift cannot call functions with variable arguments. The parentheses leave out the macros that check types. */

/* An enumeration up to curl 8.12, numbers later. */
static const long ccurl_http_1_1 = CURL_HTTP_VERSION_1_1;
static const long ccurl_tls_1_2 = CURL_SSLVERSION_TLSv1_2;

static inline void ccurl_set_number(CURL *easy, CURLoption option, long value) {
  (curl_easy_setopt)(easy, option, value);
}

static inline void ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  (curl_easy_setopt)(easy, option, value);
}

static inline void ccurl_set_body(CURL *easy, const void *bytes, curl_off_t count) {
  (curl_easy_setopt)(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
  (curl_easy_setopt)(easy, CURLOPT_COPYPOSTFIELDS, count > 0 ? bytes : "");
}

static inline void ccurl_set_callbacks(
    CURL *easy, void *context, curl_write_callback head, curl_write_callback body, curl_debug_callback observer) {
  (curl_easy_setopt)(easy, CURLOPT_HEADERDATA, context);
  (curl_easy_setopt)(easy, CURLOPT_HEADERFUNCTION, head);
  (curl_easy_setopt)(easy, CURLOPT_WRITEDATA, context);
  (curl_easy_setopt)(easy, CURLOPT_WRITEFUNCTION, body);
  (curl_easy_setopt)(easy, CURLOPT_DEBUGDATA, context);
  (curl_easy_setopt)(easy, CURLOPT_DEBUGFUNCTION, observer);
}

static inline long ccurl_number(CURL *easy, CURLINFO info) {
  long value = 0;
  (curl_easy_getinfo)(easy, info, &value);
  return value;
}
