// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import Testing

@Suite struct SimulatorTests {
  let system = CallDirectorySimulator()

  /// Runs calls as one request that reads `isIncremental` first.
  @discardableResult
  private func request(reads: Bool = true, _ calls: (CallDirectorySimulator.Request) -> Void)
    -> CallDirectorySimulator.Outcome
  {
    let request = system.beginRequest()
    if reads { _ = request.isIncremental }
    calls(request)
    request.completeRequest { _ in }
    return request.end()
  }

  @Test func `numbers ascend separately for each kind of entry`() {
    let fine = request {
      $0.addBlockingEntry(withNextSequentialPhoneNumber: 5)
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 2, label: "A")
      $0.addBlockingEntry(withNextSequentialPhoneNumber: 6)
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 5, label: "B")
    }
    #expect(fine.isClean && system.blocking == [5, 6] && system.identification == [2: "A", 5: "B"])
    let disorder = request {
      $0.addBlockingEntry(withNextSequentialPhoneNumber: 5)
      $0.addBlockingEntry(withNextSequentialPhoneNumber: 4)
    }
    #expect(disorder.fault == .outOfOrder(number: 4, after: 5))
    #expect(system.blocking.isEmpty && system.identification.isEmpty, "a failure deletes everything")
    let duplicate = request {
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 5, label: "A")
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 5, label: "B")
    }
    #expect(duplicate.fault == .duplicate(number: 5))
    #expect(request { $0.addBlockingEntry(withNextSequentialPhoneNumber: 0) }.fault == .impossibleNumber(0))
  }

  @Test func `additions of both kinds count towards one limit`() {
    system.requestAdditions = 3
    let full = request {
      $0.addBlockingEntry(withNextSequentialPhoneNumber: 1)
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 1, label: "A")
      $0.addBlockingEntry(withNextSequentialPhoneNumber: 2)
    }
    #expect(full.isClean)
    let over = request {
      for number in 1...4 { $0.addBlockingEntry(withNextSequentialPhoneNumber: Int64(number)) }
    }
    #expect(over.fault == .tooMany(number: 4))
    #expect(CallDirectorySimulator().requestAdditions == 1_999_999)
  }

  @Test func `removals need an incremental request`() {
    #expect(request { $0.removeBlockingEntry(withPhoneNumber: 1) }.fault == .unexpectedRemoval)
    request { $0.addBlockingEntry(withNextSequentialPhoneNumber: 1) }
    #expect(request(reads: false) { $0.removeAllBlockingEntries() }.fault == .unexpectedRemoval)
    request { $0.addBlockingEntry(withNextSequentialPhoneNumber: 1) }
    request(reads: false) { $0.addBlockingEntry(withNextSequentialPhoneNumber: 2) }
    #expect(system.blocking == [2], "a request that never asked is a complete set")
    request { $0.addBlockingEntry(withNextSequentialPhoneNumber: 1) }
    #expect(system.blocking == [1, 2])
    system.disableAndEnable()
    request { $0.addBlockingEntry(withNextSequentialPhoneNumber: 3) }
    #expect(system.blocking == [3])
  }

  @Test func `adding a number again does not change its label`() {
    request { $0.addIdentificationEntry(withNextSequentialPhoneNumber: 1, label: "Old") }
    let again = request { $0.addIdentificationEntry(withNextSequentialPhoneNumber: 1, label: "New") }
    #expect(again.ignoredAdditions == 1 && system.identification == [1: "Old"])
    let relabel = request {
      $0.removeIdentificationEntry(withPhoneNumber: 1)
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 1, label: "New")
    }
    #expect(relabel.isClean && system.identification == [1: "New"])
  }

  @Test func `a label of invalid length is dropped`() {
    let outcome = request {
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 1, label: "")
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 2, label: String(repeating: "x", count: 65_535))
      $0.addIdentificationEntry(withNextSequentialPhoneNumber: 3, label: String(repeating: "x", count: 65_534))
    }
    #expect(outcome.droppedLabels == 2 && Set(system.identification.keys) == [3])
  }

  @Test func `a process that ends early leaves no entries`() {
    request { $0.addBlockingEntry(withNextSequentialPhoneNumber: 1) }
    let unfinished = system.beginRequest()
    unfinished.addBlockingEntry(withNextSequentialPhoneNumber: 2)
    #expect(unfinished.end().fault == .interrupted && system.blocking.isEmpty)
    #expect(system.nextIsIncremental, "the system may still ask for changes")
    let killed = system.beginRequest(killSwitch: KillSwitch(at: 1))
    killed.addBlockingEntry(withNextSequentialPhoneNumber: 2)
    killed.completeRequest { _ in }
    #expect(killed.end().fault == .interrupted && system.blocking.isEmpty)
  }
}
