// SPDX-License-Identifier: Apache-2.0

@testable package import Curation

/// A value of every code.
package enum CodedSamples {
  private static let change = GateFinding.SizeChange(
    entries: 41_428, sizeBytes: 310_022, formerEntries: 23_200, formerBytes: 180_411)
  private static let marks = HoldReason.Marks(
    reporters: 24, new: 12, sameNetwork: 3, sameText: 9, sameNumbers: 5, independent: 7, others: 2)
  private static let share = BrigadeBaseline.Share(count: 40, numbers: 64)

  package static let gateFindings: [GateFinding] = [
    .packReadable, .packUnreadable("a checksum does not match"), .numbersAscend,
    .numbersNotAscending(number: 5, previous: 7), .entriesWithinMaximum(entries: 9, maximum: 10),
    .rulesWithoutRoom(entries: 9, maximum: 10, rules: 2, numbers: 1_000_100, range: "+33199*"),
    .tooManyEntries(entries: 20, maximum: 10), .noProtectedNumbers, .protectedNumbers([112, 33_199_000_248]),
    .hasEntries(entries: 1), .emptyForReason(explained: 30), .noEntries, .packEmpty(formerEntries: 2_000),
    .packMissing(formerEntries: 2_000),
    .firstOfItsName, .sizeWithinLimits(change),
    .sizeOutsideLimits(change, minimumPercent: 50, maximumPercent: 150),
    .churnWithinLimits(.init(added: 1, removed: 2, formerEntries: 3)),
    .tooMuchChurn(
      .init(added: 18_240, removed: 12, formerEntries: 23_200, explained: 7, expected: 9), maximumPercent: 30),
  ]
  package static let publicationFailures: [PublicationFailure] = [
    .busy, .cancelled, .cannotWrite(path: "/data/manifest.json", detail: "No space left on device"), .cutTooHigh,
    .databaseError("The database could not be reached."), .damagedManifest(path: "/data/manifest.json"),
    .damagedRoot(path: "/data/root.json"), .gatesClosed, .internalError("Unknown"),
    .keyNotInRoot(key: "ab12", root: 2), .nameTooLong(number: 33_199_000_248),
    .numbersNotAscending(number: 5, previous: 7), .packError("number 5: the label is too long"), .processEnded,
    .refusedByReaders("the region is unknown"), .samePackName(pack: "toxic"),
    .serialsReserved(serial: 1_000), .serialUsed(serial: 1_000, minimum: 1_001), .superseded(serial: 1_000),
  ]
  package static let revocationFailures: [RevocationFailure] = [
    .gatesClosed(gates: "cap, order"), .nothingPublished, .numberProtected(number: 33_199_000_248),
  ]
  package static let deliveryFailures: [DeliveryFailure] = [
    .answerTooLong(maximumBytes: 65_536), .connectionFailed("Connection refused"), .endedEarly, .invalidAddress,
    .mailFailed("Relaying denied"), .malformedAnswer, .noMailServer, .silent, .tookTooLong(seconds: 15),
    .unexpectedEncoding(encoding: "br"),
    .unexpectedStatus(status: 500), .untrustedCertificate,
  ]
  package static let sourceFailures: [SourceFailure] = [
    .answerTooLong(maximumBytes: 67_108_864), .cannotWrite("No space left on device"),
    .connectionFailed("Connection refused"), .damagedFile, .endedEarly, .expandsTooFar(maximumBytes: 536_870_912),
    .expired, .freesTooMany(listed: 150, maximum: 101), .invalidAddress,
    .keyUnreadable(path: "/etc/ringfence/list.key"), .keyWithoutHTTPS, .malformedAnswer,
    .missingColumn(column: "phone"), .missingFile(address: "https://localhost/v1/manifest.json"), .noEntries,
    .noEvidence(pack: "blocklist"), .noPack(pack: "blocklist"), .notStored("The database could not be reached."),
    .olderPublication(serial: 1_000, accepted: 1_001), .otherOrigin,
    .otherServer(server: "ab12ab12ab12ab12"), .ownServer, .privateAddress, .rootExpired,
    .sameServer(server: "ab12ab12ab12ab12", source: "neighbours"), .silent, .stillRemoving, .superseded, .notRead,
    .storedComplaints, .tooManyChanges(added: 40, removed: 9_000, former: 10_000, mostPercent: 50),
    .tooManyEntries(maximum: 2_000_000), .tooManyRejects(rejected: 9_000, rows: 10_000),
    .tooMuchWork(seconds: 60), .tookTooLong(seconds: 300), .unexpectedEncoding(encoding: "br"),
    .unexpectedStatus(status: 500),
    .unreadable("the document ends early"), .unsupportedVersion(version: 2, known: 1), .untrustedCertificate,
    .untrustedKey(keys: "ab12ab12ab12ab12"), .wrongDigest(path: "formats/blocklist-7.evidence.jsonl.gz"),
    .wrongSignature, .wrongType(type: "text/html"), .xzMissing,
  ]
  package static let jobSteps: [JobStep] = [
    .starting, .findingBrigades, .selectingNumbers, .readingNumbers(count: 12_000), .writingPacks,
    .writingPack(pack: "toxic"), .readingBack(pack: "toxic"), .changingPack(pack: "toxic"),
    .makingDeltas(pack: "toxic"), .signing, .revealing, .comparingThresholds(count: 12_000),
  ]
  package static let holdReasons: [HoldReason] = [
    .newReporters(marks), .oneWeek(marks), .oneNetwork(marks), .oneText(marks), .sameNumbers(marks),
    .oneDay(peak: 14, reporters: 15, others: 1), .split(complaints: 8, legitimate: 6),
    .unassigned(version: "9.0.43"),
  ]
  package static let usualBursts: [UsualBurst] = [
    UsualBurst(.oneDay, alike: 27, reporters: 28, share: share),
    UsualBurst(.oneNetwork, alike: 27, reporters: 28, share: share),
    UsualBurst(.oneText, alike: 27, reporters: 28, share: share),
  ]
  package static let protectionReasons: [ProtectionReason] = [
    .emergencyNumber, .shortNumber, .invalidNumber, .protectedNumber(reason: "A bank"),
    .protectedPattern(reason: "A bank", pattern: "+4930197*"),
  ]
  package static let emptyListReasons: [EmptyListReason] = [
    .sourceUnread(source: "ftc-rolling"), .sourceFailed(source: "ftc-rolling"), .noSource, .noApp, .noReport,
    .newReporters(count: 31), .held(count: 2),
    .waiting(count: 1), .belowThresholds,
  ]
}
