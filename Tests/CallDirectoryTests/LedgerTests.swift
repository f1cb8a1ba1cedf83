// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CallDirectory

@Suite struct LedgerTests {
  private let digest = String(repeating: "0a", count: 32)

  private var ledgers: [LoadLedger] {
    let lists = DirectorySnapshot(packs: [digest, digest], personal: nil)
    let other = DirectorySnapshot(packs: [], personal: digest)
    return [
      LoadLedger(),
      ledger(.feeding, nil), ledger(.feeding, lists),
      ledger(.sent(LoadedState(lists: lists, upTo: 17, before: nil)), nil),
      ledger(.settled(LoadedState(lists: other, upTo: .max, before: nil)), other),
      ledger(.settled(LoadedState(lists: lists, upTo: 99, before: other)), other),
      ledger(.ready(LoadedState(lists: lists, upTo: .max, before: nil)), lists),
    ]
  }

  private func ledger(_ phase: LoadLedger.Phase, _ lastGood: DirectorySnapshot?) -> LoadLedger {
    var ledger = LoadLedger()
    ledger.phase = phase
    ledger.lastGood = lastGood
    return ledger
  }

  @Test func `a written ledger reads back the same`() {
    for ledger in ledgers { #expect(LoadLedger(bytes: ledger.bytes) == ledger) }
  }

  @Test func `a ledger with a changed or missing byte is refused`() {
    for ledger in ledgers {
      let bytes = ledger.bytes
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        #expect(LoadLedger(bytes: changed) == nil)
        #expect(LoadLedger(bytes: Array(bytes[..<index])) == nil)
      }
      #expect(LoadLedger(bytes: bytes + bytes) == nil)
    }
  }
}
