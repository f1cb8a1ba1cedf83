// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

/// The fast paths must give the results of libphonenumber's own parser for every text, on the first and on later calls.
@Suite struct PhoneNumberParserTests {
  static func differing(_ texts: [(String, String?)], capacity: Int) -> [String] {
    var parser = PhoneNumberParser(capacity: capacity)
    var found: [String] = []
    for (text, region) in texts + texts.prefix(2_000) {
      let expected = libraryReading(text, region)
      guard reading(text, region) == expected, reading(text, region, by: &parser) == expected else {
        found.append("\(text) in \(region ?? "no region")")
        continue
      }
    }
    return found
  }

  @Test(.enabled(if: SharedData.has(RawSample.path)), arguments: [0, 1_000])
  func `agrees with libphonenumber on the raw sample`(capacity: Int) throws {
    let texts = try RawSample.rows().map { ($0.raw, "US" as String?) }
    #expect(Self.differing(texts, capacity: capacity) == [])
  }

  @Test(.enabled(if: SharedData.has(RawSample.path)), arguments: ["+", "+1", "1", "0", "011", "(", "\u{FF0B}"])
  func `agrees with libphonenumber on texts with a prefix`(prefix: String) throws {
    let texts = try RawSample.rows().enumerated().filter { $0.offset % 5 == 0 }.map {
      (prefix + $0.element.raw, "US" as String?)
    }
    #expect(Self.differing(texts, capacity: 4_096) == [])
  }

  @Test(.enabled(if: SharedData.has(RawSample.path)))
  func `agrees with libphonenumber in North American and other regions`() throws {
    let regions = PhoneRegion.all.filter { $0.callingCode == 1 }.map(\.code) + ["FR", "IT", "MX", "CN"]
    #expect(regions.count > 24)
    let sample = try RawSample.rows().enumerated().filter { $0.offset % 50 == 0 }.map(\.element.raw)
    let texts = sample.flatMap { raw in regions.map { (raw, $0 as String?) } + [(raw, nil), (raw, "XX")] }
    #expect(Self.differing(texts, capacity: 4_096) == [])
  }

  @Test(.enabled(if: SharedData.has(ExampleNumber.path)))
  func `agrees with libphonenumber on the example numbers`() throws {
    let texts = try ExampleNumber.rows().flatMap { row in
      [
        (row.national, row.region as String?), (row.international, nil), ("+\(row.digits)", "US"),
        ("\(row.digits)", "US"),
      ]
    }
    #expect(Self.differing(texts, capacity: 4_096) == [])
  }

  @Test func `agrees with libphonenumber in every area code`() {
    var generator = Steps(state: 1)
    let texts = (200...999).flatMap { area in
      (0..<12).map { index in
        let line = String(generator.next() % 10_000_000 + 10_000_000).dropFirst()
        return (["", "1", "+1"][index % 3] + "\(area)\(line)", ["US", "CA", "JM"][index % 3] as String?)
      }
    }
    #expect(Self.differing(texts, capacity: 1_024) == [])
  }

  /// Usual spellings; in every third one character is changed, removed or doubled.
  @Test func `agrees with libphonenumber on varied and damaged spellings`() {
    var generator = Steps(state: 3)
    let separators = ["", " ", "-", ".", "--", "/", "x", ")"]
    let texts = (0..<20_000).map { index in
      let number = String(2_000_000_000 + generator.next() * 2 % 8_000_000_000)
      let parts = [number.prefix(3), number.dropFirst(3).prefix(3), number.suffix(4)]
      var separator: String { separators[Int(generator.next() % (index % 2 == 0 ? 4 : 8))] }
      let area = index % 5 < 3 ? "\(parts[0])" : "(\(parts[0]))"
      let prefix = ["", "", "1", "+1"][index % 4]
      let national = "\(area)\(separator)\(parts[1])\(separator)\(parts[2])"
      var text = Array("\(prefix)\(prefix.isEmpty ? "" : separator)\(national)")
      let place = Int(generator.next() % UInt64(text.count))
      switch index % 9 {
      case 0: text[place] = Array("0123456789 -.()+x#")[Int(generator.next() % 18)]
      case 3: text.remove(at: place)
      case 6: text.insert(text[place], at: place)
      default: break
      }
      return (String(text), ["US", "CA", "FR", nil][index % 7 % 4] as String?)
    }
    #expect(Self.differing(texts, capacity: 1_024) == [])
  }

  /// Random texts of bytes used in numbers, and of any bytes.
  @Test func `agrees with libphonenumber on random texts`() {
    var generator = Steps(state: 2)
    let alphabet = Array("0123456789012345678901+-() .#x;=/ext\u{0}\n".utf8)
    let texts = (0..<6_000).map { index in
      let bytes = (0..<(generator.next() % 40)).map { _ in
        let random = generator.next()
        return index % 3 == 0 ? UInt8(truncatingIfNeeded: random) : alphabet[Int(random % UInt64(alphabet.count))]
      }
      return (String(decoding: bytes, as: UTF8.self), index % 2 == 0 ? "US" : nil as String?)
    }
    #expect(Self.differing(texts, capacity: 1_024) == [])
  }

  /// Swift treats these strings as equal; libphonenumber reads them differently.
  @Test func `canonically equivalent texts are cached separately`() {
    let texts = [";", "\u{37E}"].map { ("tel:6502530000\($0)ext=3", "US" as String?) }
    #expect(texts[0].0 == texts[1].0)
    #expect(Self.differing(texts + texts.reversed(), capacity: 64) == [])
  }

  @Test func `a wrong region leaves the parser usable`() {
    var parser = PhoneNumberParser()
    #expect(reading("6502530000", "US", by: &parser) == reading("6502530000", "US"))
    #expect(reading("6502530000", "XX", by: &parser) == .failure(.unknownRegion("XX")))
    #expect(reading("6502530000", nil, by: &parser) == .failure(.needsRegion))
    #expect(reading("6502530000", "US", by: &parser) == reading("6502530000", "US"))
    #expect(parser.statistics.texts == 3)
    #expect(parser.statistics.remembered == 1)
  }
}

/// The same numbers in every run (Knuth's 64-bit linear congruential generator, its high half).
private struct Steps {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 32
  }
}
