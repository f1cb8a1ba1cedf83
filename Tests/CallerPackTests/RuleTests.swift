// SPDX-License-Identifier: Apache-2.0

import CallerPackBuilder
import Testing

@testable import CallerPack

/// The rules of the format one at a time: a file that breaks only one rule is refused for it.
@Suite struct RuleTests {
  private func refusal(_ bytes: [UInt8]) -> String? {
    do {
      try PackReader(bytes: HostileTests.repaired(bytes)).verify()
      return nil
    } catch {
      return error.rule
    }
  }

  private func example(_ changes: [Int: UInt8] = [:]) throws -> [UInt8] {
    var bytes = try contents(testFolder + "/Golden/example.rfpack")
    for (at, value) in changes { bytes[at] = value }
    return bytes
  }

  @Test func `a header with a wrong declaration is refused`() throws {
    #expect(try refusal(example()) == nil)
    #expect(try refusal(example([44: 3])) == "the header declares blocking entries wrongly")
    #expect(try refusal(example([48: 2])) == "the header declares identifying entries wrongly")
    #expect(try refusal(example([68: 11])) == "the header declares bytes of the largest block wrongly")
    #expect(try refusal(example([72: 5])) == "the header declares bytes of the longest label wrongly")
    #expect(try refusal(example([72: 3])) == "a label is empty or longer than the declared maximum")
  }

  @Test func `the last block has room for its entries up to the declared last number`() throws {
    for (numbers, last, isRefused) in [
      ([7], 7, false), ([7], 8, true), ([7, 9, 12], 8, true), ([7, 9, 12], 9, false),
    ]
      as [([Int64], UInt8, Bool)]
    {
      var bytes = try packBytes(numbers.map { .init(number: $0) }, .init(kind: .blocking))
      #expect(refusal(bytes) == nil)
      bytes[80] = last
      #expect((refusal(bytes) == "the last number does not fit the last block") == isRefused)
    }
  }

  @Test func `a document has eight levels at most`() {
    for levels in 1...9 {
      for (start, end) in [("{\"a\":", "}"), ("[", "]")] {
        let inner = String(repeating: start, count: levels - 1) + "1" + String(repeating: end, count: levels - 1)
        #expect(CanonicalForm.isKept(by: Array("{\"a\":\(inner)}\n".utf8)) == (levels <= 8))
      }
    }
  }

  @Test func `UTF-8 validation accepts valid sequences only`() {
    func isValid(_ bytes: UInt8...) -> Bool { bytes.withUnsafeBytes { UTF8Rule.isValid($0) } }
    #expect(isValid(0x7F) && isValid(0xC2, 0x80) && isValid(0xE0, 0xA0, 0x80) && isValid(0xED, 0x9F, 0xBF))
    #expect(isValid(0xEE, 0x80, 0x80) && isValid(0xF0, 0x90, 0x80, 0x80) && isValid(0xF4, 0x8F, 0xBF, 0xBF))
    #expect(!isValid(0x80) && !isValid(0xC1, 0xBF) && !isValid(0xE0, 0x9F, 0xBF) && !isValid(0xED, 0xA0, 0x80))
    #expect(!isValid(0xF0, 0x8F, 0xBF, 0xBF) && !isValid(0xF4, 0x90, 0x80, 0x80) && !isValid(0xF5, 0x80, 0x80, 0x80))
    #expect(!isValid(0xC2) && !isValid(0xE1, 0x80) && !isValid(0xF1, 0x80, 0x80) && !isValid(0xE1, 0x80, 0x41))
  }

  /// A dictionary that is stored without compression.
  private static func stored(_ expanded: [UInt8]) -> [UInt8] { [0, UInt8(expanded.count), 0, 0, 0] + expanded }

  private func refusal(dictionary: [UInt8], text: Int, tokens: Int) -> String? {
    do {
      _ = try PackDictionary.load(Self.stored(dictionary), text: text, tokens: tokens)
      return nil
    } catch {
      return error.rule
    }
  }

  @Test func `a malformed dictionary is refused`() {
    // No special symbols; code 0 has two ending tokens of one bit; code 1 is empty.
    let good: [UInt8] = [0, 0, 1, 0, 2, 0, 0, 1, 0x61, 0, 1, 0x62]
    #expect(refusal(dictionary: good, text: 2, tokens: 2) == nil)
    #expect(refusal(dictionary: good + [0], text: 2, tokens: 2) == "the dictionary goes on after its tokens")
    #expect(refusal(dictionary: good, text: 2, tokens: 3) == "the dictionary has other tokens than declared")
    #expect(
      refusal(dictionary: good, text: 3, tokens: 2) == "the dictionary's text has another size than declared")
    #expect(
      refusal(dictionary: [0, 0, 1, 0, 2, 0, 0, 1, 0x62, 0, 1, 0x61], text: 2, tokens: 2)
        == "the dictionary is broken: tokens do not ascend")
    #expect(
      refusal(dictionary: [0, 1, 1, 0, 2, 0, 0, 1, 0x61, 0, 1, 0x62], text: 2, tokens: 2)
        == "the dictionary is broken: too many short codes")
    #expect(
      refusal(dictionary: [0, 0, 1, 0, 2, 0, 0, 1, 0x61, 2, 1, 0x62], text: 4, tokens: 2)
        == "the dictionary is broken: a token has an impossible length")
  }

  /// AGAIN as a block's first label, and bits that are no code.
  @Test func `label bits that no code matches are refused`() {
    // AGAIN and "a" have one bit each.
    let again = Self.stored([1, 0, 1, 0, 1, 0, 0, 1, 0x61])
    #expect(refusal(Self.pack(again, label: 0b1000_0000)) == nil)
    #expect(refusal(Self.pack(again, label: 0)) == "a label repeats one that does not exist")
    let half = Self.stored([0, 0, 1, 0, 1, 0, 0, 1, 0x61])
    #expect(refusal(Self.pack(half, label: 0)) == nil)
    #expect(refusal(Self.pack(half, label: 0b1000_0000)) == "a label has bits that are no code")
  }

  /// One entry that identifies, with a label column of one byte; the caller corrects the checksums.
  private static func pack(_ dictionary: [UInt8], label: UInt8) -> [UInt8] {
    var header = PackHeader.draft(
      kind: .identification, profile: .lean, region: "", serial: 0, baseSerial: 0, createdAt: 0, blockEntries: 4)
    (header.entryCount, header.identificationCount, header.blockCount, header.lastNumber) = (1, 1, 1, 7)
    (header.maximumBlockBytes, header.maximumLabelBytes) = (5, 1)
    (header.dictionaryStoredBytes, header.dictionaryTextBytes, header.dictionaryTokens) = (dictionary.count, 1, 1)
    header.fileBytes = 128 + dictionary.count + 5 + 16
    var bytes = header.encoded(indexChecksum: 0, dictionaryChecksum: 0) + dictionary + [0, 0, 0, 0, label]
    bytes.appendLittleEndian(7, 8)
    bytes.appendLittleEndian(UInt64(128 + dictionary.count), 4)
    bytes.appendLittleEndian(0, 4)
    return bytes
  }
}
