#include "NumberValidity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "DigitPattern.h"

// The serialized metadata that libphonenumber reads at its start. No header declares it, so it may be gone one day.
namespace i18n {
namespace phonenumbers {
__attribute__((weak)) int metadata_size();
__attribute__((weak)) const void *metadata_get();
}  // namespace phonenumbers
}  // namespace i18n

namespace {

/// One of a region's descriptions: general, or of a type of number.
struct Description {
  std::string pattern;
  std::vector<int> lengths;
  bool isThere = false;
};

/// The descriptions that decide validity in a region; field numbers are defined in phonemetadata.proto.
struct Region {
  int code = 0;
  bool isMain = false;
  bool hasLeadingDigits = false;
  std::string leadingDigits;
  Description general;
  /// In no order: any of them makes a number valid.
  std::vector<Description> types;
};

/// A reader of protocol buffers, as far as it is needed.
struct Wire {
  const uint8_t *at;
  const uint8_t *end;
  bool failed = false;

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= end) break;
      const uint8_t byte = *at++;
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    failed = true;
    return 0;
  }

  /// The content of a field with a length.
  Wire inner() {
    const uint64_t length = varint();
    if (failed || length > static_cast<uint64_t>(end - at)) {
      failed = true;
      return Wire{end, end};
    }
    const Wire content{at, at + length};
    at += length;
    return content;
  }

  std::string text() const { return std::string(reinterpret_cast<const char *>(at), end - at); }

  void skip(int type) {
    switch (type) {
      case 0: varint(); return;
      case 1: advance(8); return;
      case 2: inner(); return;
      case 5: advance(4); return;
      default: failed = true;
    }
  }

  void advance(size_t count) {
    if (static_cast<size_t>(end - at) < count) failed = true;
    else at += count;
  }
};

Description description(Wire wire, bool &failed) {
  Description found;
  found.isThere = true;
  while (!wire.failed && wire.at < wire.end) {
    const uint64_t tag = wire.varint();
    if (tag == (2 << 3 | 2)) {
      found.pattern = wire.inner().text();
    } else if (tag == (9 << 3 | 0)) {
      found.lengths.push_back(static_cast<int>(static_cast<int64_t>(wire.varint())));
    } else if (tag == (9 << 3 | 2)) {
      Wire packed = wire.inner();
      while (!packed.failed && packed.at < packed.end) {
        found.lengths.push_back(static_cast<int>(static_cast<int64_t>(packed.varint())));
      }
      failed = failed || packed.failed;
    } else {
      wire.skip(tag & 7);
    }
  }
  failed = failed || wire.failed;
  return found;
}

Region region(Wire wire, bool &failed) {
  Region found;
  bool isSame = false;
  Description mobile;
  while (!wire.failed && wire.at < wire.end) {
    const uint64_t tag = wire.varint();
    switch (tag) {
      case 1 << 3 | 2: found.general = description(wire.inner(), failed); break;
      // fixed line, toll free, premium rate, shared cost, personal, voip, pager, uan, voicemail
      case 2 << 3 | 2: case 4 << 3 | 2: case 5 << 3 | 2: case 6 << 3 | 2: case 7 << 3 | 2: case 8 << 3 | 2:
      case 21 << 3 | 2: case 25 << 3 | 2: case 28 << 3 | 2:
        found.types.push_back(description(wire.inner(), failed));
        break;
      case 3 << 3 | 2: mobile = description(wire.inner(), failed); break;
      case 10 << 3 | 0: found.code = static_cast<int>(wire.varint()); break;
      case 18 << 3 | 0: isSame = wire.varint() != 0; break;
      case 22 << 3 | 0: found.isMain = wire.varint() != 0; break;
      case 23 << 3 | 2:
        found.hasLeadingDigits = true;
        found.leadingDigits = wire.inner().text();
        break;
      default: wire.skip(tag & 7);
    }
  }
  // Where mobile and fixed-line numbers have the same pattern, only the latter are checked.
  if (!isSame && mobile.isThere) found.types.push_back(std::move(mobile));
  failed = failed || wire.failed;
  return found;
}

/// Regions by calling code, the main one first, else in the order of the metadata: the order in which they are asked.
const std::map<int, std::vector<Region>> &regions() {
  static const std::map<int, std::vector<Region>> &all = *[] {
    auto *found = new std::map<int, std::vector<Region>>();
    if (i18n::phonenumbers::metadata_size == nullptr || i18n::phonenumbers::metadata_get == nullptr) return found;
    const auto *bytes = static_cast<const uint8_t *>(i18n::phonenumbers::metadata_get());
    Wire wire{bytes, bytes + i18n::phonenumbers::metadata_size()};
    bool failed = false;
    while (!wire.failed && wire.at < wire.end) {
      const uint64_t tag = wire.varint();
      if (tag != (1 << 3 | 2)) {
        wire.skip(tag & 7);
        continue;
      }
      Region next = region(wire.inner(), failed);
      auto &some = (*found)[next.code];
      const auto place = next.isMain ? some.begin() : some.end();
      some.insert(place, std::move(next));
    }
    if (failed || wire.failed) found->clear();
    return found;
  }();
  return all;
}

/// All that decides about a calling code's numbers, as one automaton without choices.
class Table {
 public:
  explicit Table(const std::vector<Region> &regions) : regions_(regions) { isWhole_ = build(); }

  Validity look(const char *national, size_t length) const {
    if (!isWhole_ || length > kMostDigits) return Validity::kUnknown;
    int state = 0;
    for (size_t i = 0; i < length; ++i) {
      const int digit = national[i] - '0';
      if (digit < 0 || digit > 9) return Validity::kUnknown;
      state = next_[state][digit];
      if (state < 0) return Validity::kInvalid;
    }
    return isValid_[state] ? Validity::kValid : Validity::kInvalid;
  }

  /// The lengths of valid numbers that begin with some digits: bit n for n digits. 0 without a table.
  uint32_t lengths(const char *national, size_t length) const {
    int state = 0;
    for (size_t i = 0; isWhole_ && i < length && state >= 0; ++i) state = next_[state][national[i] - '0'];
    return isWhole_ && state >= 0 ? reach_[state] : 0;
  }

  bool isWhole() const { return isWhole_; }

 private:
  static constexpr size_t kMostDigits = 17;
  static constexpr size_t kMostStates = 400000;
  // An expression's index: region * kSlots + slot; 0 leading digits, 1 general, then types.
  static constexpr int kSlots = 16;

  bool build() {
    for (size_t index = 0; index < regions_.size(); ++index) {
      const Region &region = regions_[index];
      const int base = static_cast<int>(index) * kSlots;
      if (region.types.size() + 2 > kSlots) return false;
      if (region.hasLeadingDigits && !add(region.leadingDigits, base, true)) return false;
      if (!addDescription(region.general, base + 1)) return false;
      for (size_t type = 0; type < region.types.size(); ++type) {
        if (!addDescription(region.types[type], base + 2 + static_cast<int>(type))) return false;
      }
    }
    return determine();
  }

  bool addDescription(const Description &description, int index) {
    // No expression matches nothing.
    return description.pattern.empty() || add(description.pattern, index, false);
  }

  bool add(const std::string &pattern, int index, bool isPrefix) {
    const auto node = digits::parse(pattern);
    if (!node) return false;
    automaton_.add(*node, index, isPrefix);
    return true;
  }

  /// Goes through all sets of states that some digits lead to. Lengths decide too, so a set belongs to one length.
  bool determine() {
    std::map<std::pair<size_t, std::vector<int>>, int> known;
    std::vector<const std::pair<const std::pair<size_t, std::vector<int>>, int> *> order;
    const auto place = [&](size_t length, std::vector<int> set) -> int {
      if (set.empty()) return -1;
      const auto found = known.emplace(std::make_pair(length, std::move(set)), static_cast<int>(next_.size()));
      if (found.second) {
        next_.push_back({});
        next_.back().fill(-1);
        isValid_.push_back(decide(found.first->first.second, length));
        order.push_back(&*found.first);
      }
      return found.first->second;
    };
    place(0, closed(automaton_.starts));
    for (size_t index = 0; index < order.size(); ++index) {
      if (order.size() > kMostStates) return false;
      const size_t length = order[index]->first.first;
      if (length == kMostDigits) continue;
      const std::vector<int> &set = order[index]->first.second;
      for (int digit = 0; digit < 10; ++digit) {
        std::vector<int> after;
        for (const int state : set) {
          if (automaton_.states[state].mask >> digit & 1) after.push_back(automaton_.states[state].next);
        }
        next_[index][digit] = place(length + 1, closed(std::move(after)));
      }
    }
    automaton_ = digits::Automaton();
    // A longer set comes after the shorter ones that lead to it.
    reach_.resize(next_.size());
    for (size_t index = next_.size(); index-- > 0;) {
      if (isValid_[index]) reach_[index] |= 1u << order[index]->first.first;
      for (const int state : next_[index]) {
        if (state >= 0) reach_[index] |= reach_[state];
      }
    }
    return !next_.empty();
  }

  /// The states reachable without a digit; only states that read or accept are kept.
  std::vector<int> closed(std::vector<int> waiting) const {
    std::vector<bool> seen(automaton_.states.size());
    std::vector<int> set;
    while (!waiting.empty()) {
      const int state = waiting.back();
      waiting.pop_back();
      if (seen[state]) continue;
      seen[state] = true;
      const auto &here = automaton_.states[state];
      if (here.mask != 0 || here.accepts >= 0) set.push_back(state);
      waiting.insert(waiting.end(), here.free.begin(), here.free.end());
    }
    std::sort(set.begin(), set.end());
    return set;
  }

  /// As `PhoneNumberUtil::IsValidNumber` does: the first region whose leading digits or numbers fit is the number's, and it
  /// is valid if that region has numbers like it.
  bool decide(const std::vector<int> &set, size_t length) const {
    std::vector<bool> matches(regions_.size() * kSlots);
    for (const int state : set) {
      const int index = automaton_.states[state].accepts;
      if (index >= 0) matches[index] = true;
    }
    for (size_t index = 0; index < regions_.size(); ++index) {
      const bool isOne = isOf(index, matches, length);
      // A calling code of one region asks no further whose number it is.
      if (regions_.size() > 1 && regions_[index].hasLeadingDigits) {
        if (matches[index * kSlots]) return isOne;
      } else if (isOne) {
        return true;
      }
    }
    return false;
  }

  bool isOf(size_t index, const std::vector<bool> &matches, size_t length) const {
    const Region &region = regions_[index];
    const size_t base = index * kSlots;
    if (!matches[base + 1] || !fits(region.general, length)) return false;
    for (size_t type = 0; type < region.types.size(); ++type) {
      if (matches[base + 2 + type] && fits(region.types[type], length)) return true;
    }
    return false;
  }

  static bool fits(const Description &description, size_t length) {
    const auto &lengths = description.lengths;
    return lengths.empty() || std::find(lengths.begin(), lengths.end(), static_cast<int>(length)) != lengths.end();
  }

  const std::vector<Region> &regions_;
  digits::Automaton automaton_;
  bool isWhole_ = false;
  std::vector<std::array<int32_t, 10>> next_;
  std::vector<bool> isValid_;
  /// For each state the lengths of the valid numbers that its digits begin.
  std::vector<uint32_t> reach_;
};

std::array<std::atomic<const Table *>, 1000> tables;
std::mutex building;

}  // namespace

namespace {

/// The table of a calling code; null where no region has it.
const Table *tableOf(int code) {
  if (code < 1 || code > 999) return nullptr;
  const Table *table = tables[code].load(std::memory_order_acquire);
  if (table == nullptr) {
    const std::lock_guard<std::mutex> lock(building);
    table = tables[code].load(std::memory_order_relaxed);
    if (table == nullptr) {
      const auto found = regions().find(code);
      if (found == regions().end()) return nullptr;
      table = new Table(found->second);  // never freed
      tables[code].store(table, std::memory_order_release);
    }
  }
  return table;
}

}  // namespace

Validity validity(int code, const char *national, size_t length) {
  const Table *table = tableOf(code);
  return table == nullptr ? Validity::kUnknown : table->look(national, length);
}

bool validLengths(int code, const char *national, size_t length, uint32_t *lengths) {
  const Table *table = tableOf(code);
  if (table == nullptr || !table->isWhole()) return false;
  *lengths = table->lengths(national, length);
  return true;
}
