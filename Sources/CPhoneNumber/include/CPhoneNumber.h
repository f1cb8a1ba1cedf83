// A C interface to Google's libphonenumber: fixed-size results, no allocation that
// the caller must free, no C++ and no exception past this header.
//
// Every function may be called from several threads at once. libphonenumber's
// lookups are const; its one shared state, the cache of compiled regular
// expressions, is behind a mutex of its own.

#ifndef CPHONENUMBER_H
#define CPHONENUMBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The status of reading a text.
typedef enum {
  CPHONE_OK = 0,
  CPHONE_NOT_A_NUMBER = 1,
  CPHONE_TOO_SHORT = 2,
  CPHONE_TOO_LONG = 3,
  CPHONE_NOT_VALID = 4,
  CPHONE_SHORT_OR_EMERGENCY = 5,
  CPHONE_UNKNOWN_REGION = 6,
  CPHONE_NEEDS_REGION = 7,
  CPHONE_UNKNOWN_CALLING_CODE = 8,
  CPHONE_FAILED = 9,
} cphone_status;

/// The result of reading a text.
typedef struct {
  /// 1…999999999999999 with CPHONE_OK, else 0.
  int64_t digits;
  /// The region the status is about, two letters or "001", empty when unknown.
  char region[4];
  /// One of cphone_status.
  int32_t status;
} cphone_result;

/// Which of the two written forms cphone_format gives.
typedef enum {
  CPHONE_INTERNATIONAL = 0,
  CPHONE_NATIONAL = 1,
} cphone_style;

/// The kind of a number, in the order of libphonenumber's PhoneNumberType.
typedef enum {
  CPHONE_FIXED_LINE = 0,
  CPHONE_MOBILE = 1,
  CPHONE_FIXED_LINE_OR_MOBILE = 2,
  CPHONE_TOLL_FREE = 3,
  CPHONE_PREMIUM_RATE = 4,
  CPHONE_SHARED_COST = 5,
  CPHONE_VOIP = 6,
  CPHONE_PERSONAL_NUMBER = 7,
  CPHONE_PAGER = 8,
  CPHONE_UAN = 9,
  CPHONE_VOICEMAIL = 10,
  CPHONE_UNKNOWN = 11,
} cphone_kind;

/// The result of cphone_short_kind_of.
typedef enum {
  CPHONE_NOT_SHORT = 0,
  CPHONE_SHORT = 1,
  CPHONE_EMERGENCY = 2,
} cphone_short;

/// Reads `length` bytes of UTF-8, at most 250, dialed from `region`
/// (NUL-terminated, upper case; NULL for international forms only).
cphone_result cphone_parse(const char *text, size_t length, const char *region);

/// 1 when these E.164 digits are a valid number of some region, else 0.
int32_t cphone_is_valid(int64_t digits);

/// The same by the library's own regular expressions: what the table is tested against.
int32_t cphone_is_valid_by_library(int64_t digits);

/// 1 when these E.164 digits are a valid number of calling code 1, else 0.
int32_t cphone_is_north_american(int64_t digits);

/// Writes the region's code and a NUL, empty when libphonenumber knows none.
void cphone_region(int64_t digits, char code[4]);

/// One of cphone_kind.
int32_t cphone_kind_of(int64_t digits);

/// Writes a written form and a NUL into `buffer`; gives its length in bytes,
/// or 0 when there is none or it does not fit.
size_t cphone_format(int64_t digits, int32_t style, char *buffer, size_t capacity);

/// The calling code of a region (1…999), or 0 when it is not supported.
int32_t cphone_calling_code(const char *region);

/// 1 when national numbers of the region are dialed with a prefix, else 0.
int32_t cphone_has_national_prefix(const char *region);

/// The supported regions in ascending order, two letters each and nothing
/// between them; `count` is the number of regions. Lives as long as the process.
const char *cphone_regions(size_t *count);

/// The calling code (1…999) that these digits begin with, or 0 when they begin with none.
int32_t cphone_code_of(int64_t digits);

/// The lengths, calling code and all, of the valid numbers that begin with these
/// digits: bit n for n digits. 0 where there are none.
uint32_t cphone_lengths(int64_t digits);

/// The first number of an interval of one length that cphone_short_kind_of calls
/// short or an emergency number, or 0. Checks every number only where the
/// calling code has short numbers of that length.
int64_t cphone_first_short(int64_t first, int64_t last);

/// One of cphone_short: what these E.164 digits, calling code and all, would
/// reach in some region of their calling code. A valid subscriber's number is
/// none, unless it is an emergency number.
int32_t cphone_short_kind_of(int64_t digits);

#ifdef __cplusplus
}
#endif

#endif
