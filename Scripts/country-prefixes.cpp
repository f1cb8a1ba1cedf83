// Writes Sources/PhoneNumbers/CountryPrefixes.swift: the country of each prefix of E.164 digits.
//
//   g++ -std=c++17 -O2 Scripts/country-prefixes.cpp -lphonenumber -lprotobuf-lite -o /tmp/country-prefixes
//   /tmp/country-prefixes > Sources/PhoneNumbers/CountryPrefixes.swift
//
// A calling code of one country is a prefix by itself. If countries share one, numbers are drawn from the patterns of all
// of them, rare blocks as often as common ones, and libphonenumber determines the country of each number. The prefixes
// are the shortest that separate these countries. The same library gives the same file.

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <phonenumbers/phonemetadata.pb.h>
#include <phonenumbers/phonenumberutil.h>

namespace i18n::phonenumbers {
int metadata_size();
const void *metadata_get();
}  // namespace i18n::phonenumbers

using namespace i18n::phonenumbers;

// Draws a random text that matches a pattern: digits, \d, classes, groups, alternatives, ?, {n}, {n,m}.
struct Draw {
  const std::string &pattern;
  std::mt19937_64 &random;
  size_t at = 0;

  size_t below(size_t bound) { return random() % bound; }

  // Draws one of the alternatives up to the end or a closing bracket.
  std::string alternatives() {
    std::vector<std::string> all{sequence()};
    while (at < pattern.size() && pattern[at] == '|') {
      ++at;
      all.push_back(sequence());
    }
    return all[below(all.size())];
  }

  std::string sequence() {
    std::string text;
    while (at < pattern.size() && pattern[at] != '|' && pattern[at] != ')') text += repeated();
    return text;
  }

  std::string repeated() {
    const size_t start = at;
    std::string text = atom();
    int least = 1, most = 1;
    if (at < pattern.size() && pattern[at] == '?') {
      least = 0;
      ++at;
    } else if (at < pattern.size() && pattern[at] == '{') {
      least = most = std::stoi(pattern.substr(++at));
      while (pattern[at] != ',' && pattern[at] != '}') ++at;
      if (pattern[at] == ',') {
        most = std::stoi(pattern.substr(++at));
        while (pattern[at] != '}') ++at;
      }
      ++at;
    }
    const size_t end = at;
    const size_t count = least + below(most - least + 1);
    if (count == 0) text.clear();
    for (size_t i = 1; i < count; ++i) {
      at = start;
      text += atom();
    }
    at = end;
    return text;
  }

  std::string atom() {
    const char byte = pattern[at++];
    if (byte == '(') {
      if (pattern.compare(at, 2, "?:") == 0) at += 2;
      std::string text = alternatives();
      ++at;
      return text;
    }
    if (byte == '\\') {
      ++at;
      return std::string(1, '0' + below(10));
    }
    if (byte != '[') return std::string(1, byte);
    std::string members;
    for (; pattern[at] != ']'; ++at) {
      if (pattern[at] == '-') {
        for (char next = members.back() + 1; next <= pattern[at + 1]; ++next) members += next;
        ++at;
      } else {
        members += pattern[at];
      }
    }
    ++at;
    return std::string(1, members[below(members.size())]);
  }
};

struct Node {
  std::map<char, std::unique_ptr<Node>> next;
  std::map<std::string, int> regions;

  void add(const std::string &digits, const std::string &region) {
    Node *node = this;
    ++node->regions[region];
    for (char digit : digits) {
      auto &child = node->next[digit];
      if (!child) child = std::make_unique<Node>();
      node = child.get();
      ++node->regions[region];
    }
  }

  void collapse(const std::string &prefix, const std::string &inherited, std::map<std::string, std::string> &out) {
    if (regions.size() > 1) {
      for (auto &[digit, child] : next) child->collapse(prefix + digit, inherited, out);
    } else if (regions.begin()->first != inherited) {
      out[prefix] = regions.begin()->first;
    }
  }
};

int main() {
  PhoneMetadataCollection all;
  if (!all.ParseFromArray(metadata_get(), metadata_size())) return 1;
  const PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
  std::map<int, std::vector<const PhoneMetadata *>> codes;
  for (const PhoneMetadata &region : all.metadata()) {
    if (region.id() != "001") codes[region.country_code()].push_back(&region);
  }
  std::map<std::string, std::string> prefixes;
  std::mt19937_64 random(1);
  for (auto &[code, regions] : codes) {
    std::string main;
    util.GetRegionCodeForCountryCode(code, &main);
    const std::string digits = std::to_string(code);
    prefixes[digits] = main;
    if (regions.size() == 1) continue;
    Node root;
    for (const PhoneMetadata *region : regions) {
      const PhoneNumberDesc *kinds[] = {
          &region->fixed_line(),    &region->mobile(),          &region->toll_free(), &region->premium_rate(),
          &region->shared_cost(),   &region->personal_number(), &region->voip(),      &region->pager(),
          &region->uan(),           &region->voicemail()};
      for (const PhoneNumberDesc *kind : kinds) {
        const std::string &pattern = kind->national_number_pattern();
        if (pattern.empty() || pattern == "NA") continue;
        for (int i = 0; i < 40000; ++i) {
          const std::string text = Draw{pattern, random}.alternatives();
          // Canada's 310-xxxx, seven digits, are listed under an area code of California.
          if (code == 1 && text.size() != 10) continue;
          PhoneNumber number;
          number.set_country_code(code);
          number.set_national_number(std::stoull(text));
          const size_t zeros = text.find_first_not_of('0');
          if (zeros > 0) {
            number.set_italian_leading_zero(true);
            number.set_number_of_leading_zeros(static_cast<int>(zeros));
          }
          std::string owner;
          util.GetRegionCodeForNumber(number, &owner);
          if (owner.size() == 2 && owner != "ZZ") root.add(text, owner);
        }
      }
    }
    root.collapse(digits, main, prefixes);
  }
  std::map<std::string, std::vector<std::string>> byRegion;
  for (auto &[prefix, region] : prefixes) byRegion[region].push_back(prefix);
  std::printf(
      "// Made by Scripts/country-prefixes.cpp from libphonenumber's data: do not edit.\n\n"
      "/// Each country's prefixes of E.164 digits, a line a country; the longest prefix that fits counts.\n"
      "let countryPrefixes = \"\"\"\n");
  for (auto &[region, list] : byRegion) {
    std::string line = "  " + region;
    for (auto &prefix : list) {
      if (line.size() + prefix.size() > 110) {
        std::printf("%s\n", line.c_str());
        line = "  " + region;
      }
      line += " " + prefix;
    }
    std::printf("%s\n", line.c_str());
  }
  std::printf("  \"\"\"\n");
}
