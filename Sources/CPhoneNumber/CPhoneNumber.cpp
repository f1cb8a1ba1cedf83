#include "CPhoneNumber.h"

#include <cstdio>
#include <cstring>
#include <list>
#include <set>
#include <string>

#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>
#include <phonenumbers/shortnumberinfo.h>

#include "NumberValidity.h"

namespace {

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;
using i18n::phonenumbers::ShortNumberInfo;

constexpr size_t kMaxTextBytes = 250;  // libphonenumber's kMaxInputStringLength
constexpr int64_t kMaxDigits = 999999999999999;
// No emergency number has more digits; longer texts skip that question.
constexpr size_t kMaxEmergencyDigits = 6;
// No short number of the metadata has more digits without its calling code.
constexpr int kMaxShortDigits = 8;
const char kNoRegion[] = "ZZ";

const PhoneNumberUtil &util() {
  static const PhoneNumberUtil &instance = *PhoneNumberUtil::GetInstance();
  return instance;
}

const ShortNumberInfo &shortNumbers() {
  static const ShortNumberInfo &instance = *new ShortNumberInfo();  // never freed
  return instance;
}

/// Calling codes are prefix-free: at most one of a number's prefixes is one.
struct CallingCodes {
  bool known[1000] = {};
  CallingCodes() {
    std::set<int> codes;
    util().GetSupportedCallingCodes(&codes);
    for (int code : codes) {
      if (code > 0 && code < 1000) known[code] = true;
    }
  }
};

/// Builds the library's number from E.164 digits without parsing: calling
/// code, leading zeros of the national part, the rest.
bool fromDigits(int64_t digits, PhoneNumber *number) {
  static const CallingCodes codes;
  if (digits < 1 || digits > kMaxDigits) return false;
  const std::string text = std::to_string(digits);
  for (size_t length = 1; length <= 3 && length < text.size(); ++length) {
    const int code = std::stoi(text.substr(0, length));
    if (!codes.known[code]) continue;
    const std::string national = text.substr(length);
    size_t zeros = 0;
    while (zeros + 1 < national.size() && national[zeros] == '0') ++zeros;
    number->set_country_code(code);
    number->set_national_number(std::stoull(national));
    if (zeros > 0) {
      number->set_italian_leading_zero(true);
      if (zeros > 1) number->set_number_of_leading_zeros(static_cast<int32_t>(zeros));
    }
    return true;
  }
  return false;
}

/// `PhoneNumberUtil::IsValidNumber`, by a table where there is one.
bool isValid(const PhoneNumber &number) {
  std::string national;
  util().GetNationalSignificantNumber(number, &national);
  switch (validity(number.country_code(), national.data(), national.size())) {
    case Validity::kValid: return true;
    case Validity::kInvalid: return false;
    case Validity::kUnknown: break;
  }
  return util().IsValidNumber(number);
}

/// The E.164 digits of a parsed number, or 0 when there are more than 15.
int64_t toDigits(const PhoneNumber &number) {
  std::string national;
  util().GetNationalSignificantNumber(number, &national);
  const std::string text = std::to_string(number.country_code()) + national;
  return text.size() > 15 ? 0 : std::stoll(text);
}

void copyRegion(const std::string &code, char out[4]) {
  std::memset(out, 0, 4);
  if (code.size() <= 3 && code != kNoRegion) std::memcpy(out, code.data(), code.size());
}

cphone_result ended(cphone_status status, const std::string &region = std::string()) {
  cphone_result result = {};
  result.status = status;
  copyRegion(region, result.region);
  return result;
}

bool isSupported(const char *region) {
  return region != nullptr && std::strcmp(region, "001") != 0 && util().GetCountryCodeForRegion(region) != 0;
}

size_t digitCount(const std::string &text) {
  std::string digits = text;
  util().NormalizeDigitsOnly(&digits);
  return digits.size();
}

/// The region that a refused number would belong to.
std::string regionOfRefused(const PhoneNumber &number) {
  std::string region;
  util().GetRegionCodeForNumber(number, &region);
  if (region.empty() || region == kNoRegion) {
    util().GetRegionCodeForCountryCode(number.country_code(), &region);
  }
  return region;
}

cphone_result unparsed(PhoneNumberUtil::ErrorType error, const std::string &text, const char *region) {
  switch (error) {
    case PhoneNumberUtil::TOO_SHORT_AFTER_IDD:
    case PhoneNumberUtil::TOO_SHORT_NSN:
      return ended(CPHONE_TOO_SHORT);
    case PhoneNumberUtil::TOO_LONG_NSN:
      return ended(CPHONE_TOO_LONG);
    case PhoneNumberUtil::INVALID_COUNTRY_CODE_ERROR: {
      if (region != nullptr) return ended(CPHONE_UNKNOWN_CALLING_CODE);
      // Any region settles whether it was the region that was missing.
      PhoneNumber ignored;
      const auto again = util().Parse(text, "US", &ignored);
      return ended(again == error ? CPHONE_UNKNOWN_CALLING_CODE : CPHONE_NEEDS_REGION);
    }
    default:
      return ended(text.size() == 1 && digitCount(text) == 1 ? CPHONE_TOO_SHORT : CPHONE_NOT_A_NUMBER);
  }
}

cphone_result parse(const std::string &text, const char *region) {
  if (text.size() > kMaxTextBytes) return ended(CPHONE_TOO_LONG);
  if (region != nullptr && !isSupported(region)) return ended(CPHONE_UNKNOWN_REGION);
  if (text.find('\0') != std::string::npos) return ended(CPHONE_NOT_A_NUMBER);

  const std::string from = region != nullptr ? region : kNoRegion;
  PhoneNumber number;
  const auto error = util().Parse(text, from, &number);
  if (error != PhoneNumberUtil::NO_PARSING_ERROR) {
    if (region != nullptr && shortNumbers().IsEmergencyNumber(text, from)) {
      return ended(CPHONE_SHORT_OR_EMERGENCY, from);
    }
    return unparsed(error, text, region);
  }

  // The extension, where there is one, stays out of everything below.
  // An emergency number wins over a subscriber's number written the same way.
  if (region != nullptr && number.national_number() < 1000000 && digitCount(text) <= kMaxEmergencyDigits &&
      shortNumbers().IsEmergencyNumber(text, from)) {
    return ended(CPHONE_SHORT_OR_EMERGENCY, from);
  }
  const int64_t digits = toDigits(number);
  if (digits == 0) return ended(CPHONE_TOO_LONG);
  if (isValid(number)) {
    cphone_result result = ended(CPHONE_OK);
    result.digits = digits;
    return result;
  }
  if (region != nullptr && shortNumbers().IsValidShortNumberForRegion(number, from)) {
    return ended(CPHONE_SHORT_OR_EMERGENCY, from);
  }
  if (shortNumbers().IsValidShortNumber(number)) {
    return ended(CPHONE_SHORT_OR_EMERGENCY, regionOfRefused(number));
  }
  switch (util().IsPossibleNumberWithReason(number)) {
    case PhoneNumberUtil::TOO_SHORT:
    case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY:
      return ended(CPHONE_TOO_SHORT);
    case PhoneNumberUtil::TOO_LONG:
      return ended(CPHONE_TOO_LONG);
    case PhoneNumberUtil::INVALID_COUNTRY_CODE:
      return ended(CPHONE_UNKNOWN_CALLING_CODE);
    default:
      return ended(CPHONE_NOT_VALID, regionOfRefused(number));
  }
}

}  // namespace

cphone_result cphone_parse(const char *text, size_t length, const char *region) {
  try {
    return parse(std::string(text, length), region);
  } catch (...) {
    cphone_result result = {};
    result.status = CPHONE_FAILED;
    return result;
  }
}

int32_t cphone_is_north_american(int64_t digits) {
  try {
    char text[24];
    const int length = std::snprintf(text, sizeof text, "%lld", static_cast<long long>(digits));
    if (digits < 1 || digits > kMaxDigits || text[0] != '1') return 0;
    const Validity known = validity(1, text + 1, static_cast<size_t>(length) - 1);
    if (known != Validity::kUnknown) return known == Validity::kValid ? 1 : 0;
    PhoneNumber number;
    if (!fromDigits(digits, &number) || number.country_code() != 1) return 0;
    // The main region of calling code 1 is asked first by IsValidNumber too, which then asks it twice more.
    return util().IsValidNumberForRegion(number, "US") || util().IsValidNumber(number) ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

int32_t cphone_is_valid(int64_t digits) {
  try {
    PhoneNumber number;
    return fromDigits(digits, &number) && isValid(number) ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

int32_t cphone_is_valid_by_library(int64_t digits) {
  try {
    PhoneNumber number;
    return fromDigits(digits, &number) && util().IsValidNumber(number) ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

void cphone_region(int64_t digits, char code[4]) {
  std::memset(code, 0, 4);
  try {
    PhoneNumber number;
    if (!fromDigits(digits, &number)) return;
    std::string region;
    util().GetRegionCodeForNumber(number, &region);
    copyRegion(region, code);
  } catch (...) {
    std::memset(code, 0, 4);
  }
}

int32_t cphone_kind_of(int64_t digits) {
  try {
    PhoneNumber number;
    if (!fromDigits(digits, &number)) return CPHONE_UNKNOWN;
    return static_cast<int32_t>(util().GetNumberType(number));
  } catch (...) {
    return CPHONE_UNKNOWN;
  }
}

size_t cphone_format(int64_t digits, int32_t style, char *buffer, size_t capacity) {
  try {
    PhoneNumber number;
    if (!fromDigits(digits, &number)) return 0;
    std::string text;
    util().Format(number, style == CPHONE_NATIONAL ? PhoneNumberUtil::NATIONAL : PhoneNumberUtil::INTERNATIONAL, &text);
    if (text.empty() || text.size() >= capacity) return 0;
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return text.size();
  } catch (...) {
    return 0;
  }
}

int32_t cphone_calling_code(const char *region) {
  try {
    return isSupported(region) ? util().GetCountryCodeForRegion(region) : 0;
  } catch (...) {
    return 0;
  }
}

int32_t cphone_has_national_prefix(const char *region) {
  try {
    std::string prefix;
    util().GetNddPrefixForRegion(region, true, &prefix);
    return prefix.empty() ? 0 : 1;
  } catch (...) {
    return 0;
  }
}

const char *cphone_regions(size_t *count) {
  try {
    static const std::string &all = *[] {
      std::set<std::string> regions;
      util().GetSupportedRegions(&regions);
      auto *joined = new std::string();
      for (const auto &region : regions) {
        if (region.size() == 2) *joined += region;
      }
      return joined;
    }();
    *count = all.size() / 2;
    return all.c_str();
  } catch (...) {
    *count = 0;
    return "";
  }
}

int32_t cphone_short_kind_of(int64_t digits) {
  try {
    static const CallingCodes codes;
    if (digits < 1 || digits > kMaxDigits) return CPHONE_NOT_SHORT;
    // By arithmetic first: nearly every number is too long to be a short one.
    int length = 0;
    int64_t head = digits;
    for (int64_t rest = digits; rest > 0; rest /= 10) ++length;
    while (head >= 1000) head /= 10;
    int codeLength = 3;
    if (head >= 100 && codes.known[head / 100]) {
      codeLength = 1;
    } else if (head >= 10 && codes.known[head >= 100 ? head / 10 : head]) {
      codeLength = 2;
    }
    if (length - codeLength > kMaxShortDigits) return CPHONE_NOT_SHORT;
    PhoneNumber number;
    if (!fromDigits(digits, &number)) return CPHONE_NOT_SHORT;
    std::string national;
    util().GetNationalSignificantNumber(number, &national);
    if (national.size() <= kMaxEmergencyDigits) {
      std::list<std::string> regions;
      util().GetRegionCodesForCountryCallingCode(number.country_code(), &regions);
      for (const auto &region : regions) {
        if (shortNumbers().IsEmergencyNumber(national, region)) return CPHONE_EMERGENCY;
      }
    }
    // A subscriber's number of a small country may look like a short one.
    return shortNumbers().IsValidShortNumber(number) && !util().IsValidNumber(number) ? CPHONE_SHORT : CPHONE_NOT_SHORT;
  } catch (...) {
    return CPHONE_NOT_SHORT;
  }
}

int32_t cphone_code_of(int64_t digits) {
  try {
    static const CallingCodes codes;
    if (digits < 1 || digits > kMaxDigits) return 0;
    const std::string text = std::to_string(digits);
    for (size_t length = 1; length <= 3 && length <= text.size(); ++length) {
      const int code = std::stoi(text.substr(0, length));
      if (codes.known[code]) return code;
    }
    return 0;
  } catch (...) {
    return 0;
  }
}

uint32_t cphone_lengths(int64_t digits) {
  try {
    const int code = cphone_code_of(digits);
    if (code == 0) return 0;
    const std::string text = std::to_string(digits);
    const size_t codeLength = std::to_string(code).size();
    uint32_t lengths = 0;
    if (!validLengths(code, text.data() + codeLength, text.size() - codeLength, &lengths)) {
      // Without the table every possible length counts.
      std::string padded = text;
      for (; padded.size() <= 15; padded += '0') {
        PhoneNumber number;
        if (fromDigits(std::stoll(padded), &number) && util().IsPossibleNumber(number)) {
          lengths |= 1u << (padded.size() - codeLength);
        }
      }
    }
    return (lengths << codeLength) & 0xFFFF;
  } catch (...) {
    return 0;
  }
}

int64_t cphone_first_short(int64_t first, int64_t last) {
  try {
    PhoneNumber number;
    if (!fromDigits(first, &number) || !shortNumbers().IsPossibleShortNumber(number)) return 0;
    for (int64_t digits = first; digits <= last; ++digits) {
      if (cphone_short_kind_of(digits) != CPHONE_NOT_SHORT) return digits;
    }
    return 0;
  } catch (...) {
    return 0;
  }
}
