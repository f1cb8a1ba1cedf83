// SPDX-License-Identifier: Apache-2.0

/// The prefixes of a country from which mostly valid numbers, according to libphonenumber, are drawn.
struct SimulatedCountry: Sendable {
  /// ISO 3166.
  var region: String
  var callingCode: String
  /// Prefixes of national numbers, and the count of digits after each.
  var prefixes: [(digits: String, rest: Int)]

  /// The countries that can be simulated, by region.
  static let all: [String: SimulatedCountry] = Dictionary(
    uniqueKeysWithValues: list.map { ($0.region, $0) })

  private static let list: [SimulatedCountry] = [
    country("US", "1", 7, ["202", "212", "213", "305", "312", "404", "415", "469", "512", "602", "702", "713", "800"]),
    country("CA", "1", 7, ["416", "514", "604", "403", "613", "902"]),
    country("GB", "44", 7, ["203", "207", "121", "161", "131", "740", "791", "800"]),
    country("DE", "49", 7, ["301", "894", "402", "221", "1512", "1764", "1577"]),
    country("FR", "33", 6, ["162", "140", "424", "556", "644", "678", "948"]),
    country("RU", "7", 7, ["495", "499", "812", "343", "916", "925", "963"]),
    country("NZ", "64", 6, ["93", "96", "44", "48", "33", "212", "274"]),
    country("AU", "61", 7, ["28", "29", "38", "73", "412", "433"]),
    country("ES", "34", 6, ["910", "912", "932", "954", "612", "655"]),
    country("IT", "39", 6, ["0266", "0687", "0810", "3401", "3482"]),
    country("IN", "91", 7, ["112", "222", "981", "990", "740"]),
    country("BR", "55", 7, ["1132", "2135", "1198", "2199"]),
    country("PL", "48", 6, ["221", "226", "126", "512", "601", "791"]),
    country("NL", "31", 6, ["205", "103", "702", "612", "634"]),
    country("SG", "65", 6, ["61", "65", "81", "91"]),
  ]

  private static func country(
    _ region: String, _ callingCode: String, _ rest: Int, _ prefixes: [String]
  ) -> SimulatedCountry {
    SimulatedCountry(region: region, callingCode: callingCode, prefixes: prefixes.map { ($0, rest) })
  }
}
