// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Curation

/// The JSON of every code, as it is in databases and in answers of the API.
@Suite struct CodedDataTests {
  private let change = GateFinding.SizeChange(
    entries: 41_428, sizeBytes: 310_022, formerEntries: 23_200, formerBytes: 180_411)
  private let marks = HoldReason.Marks(
    reporters: 24, new: 12, sameNetwork: 3, sameText: 9, sameNumbers: 5, independent: 7, others: 2)
  private let share = BrigadeBaseline.Share(count: 40, numbers: 64)

  /// Compares samples with a line of JSON each, in both directions.
  private func check<Coded: CodedData>(_ samples: [Coded], _ text: String) throws {
    let lines = text.split(separator: "\n").map(String.init)
    #expect(samples.map(\.json) == lines)
    #expect(try lines.map { try Coded(json: $0) } == samples)
    #expect(Set(samples.map(\.code)) == Set(Coded.Code.allCases))
  }

  @Test func `gate findings have their JSON`() throws {
    let samples: [GateFinding] = [
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
    try check(
      samples,
      """
      {"code":"pack_readable"}
      {"code":"pack_unreadable","detail":"a checksum does not match"}
      {"code":"numbers_ascend"}
      {"code":"numbers_not_ascending","number":"+5","previous":"+7"}
      {"code":"entries_within_maximum","entries":9,"maximum":10}
      {"code":"rules_without_room","entries":9,"maximum":10,"numbers":1000100,"range":"+33199*","rules":2}
      {"code":"too_many_entries","entries":20,"maximum":10}
      {"code":"no_protected_numbers"}
      {"code":"protected_numbers","numbers":"+112, +33199000248"}
      {"code":"has_entries","entries":1}
      {"code":"empty_for_reason","explained":30}
      {"code":"no_entries"}
      {"code":"pack_empty","former_entries":2000}
      {"code":"pack_missing","former_entries":2000}
      {"code":"first_of_its_name"}
      {"code":"size_within_limits","entries":41428,"expected":0,"explained":0,"former_bytes":180411,\
      "former_entries":23200,"ruled":0,"size_bytes":310022}
      {"code":"size_outside_limits","entries":41428,"expected":0,"explained":0,"former_bytes":180411,"former_entries":23200,\
      "maximum_percent":150,"minimum_percent":50,"ruled":0,"size_bytes":310022}
      {"added":1,"code":"churn_within_limits","expected":0,"explained":0,"former_entries":3,"removed":2}
      {"added":18240,"code":"too_much_churn","expected":9,"explained":7,"former_entries":23200,"maximum_percent":30,\
      "removed":12}
      """)
  }

  @Test func `publication failures have their JSON`() throws {
    let samples: [PublicationFailure] = [
      .busy, .cancelled, .cannotWrite(path: "/data/manifest.json", detail: "No space left on device"), .cutTooHigh,
      .databaseError("The database could not be reached."), .damagedManifest(path: "/data/manifest.json"),
      .damagedRoot(path: "/data/root.json"), .gatesClosed, .internalError("Unknown"),
      .keyNotInRoot(key: "ab12", root: 2), .nameTooLong(number: 33_199_000_248),
      .numbersNotAscending(number: 5, previous: 7), .packError("number 5: the label is too long"), .processEnded,
      .refusedByReaders("the region is unknown"), .samePackName(pack: "toxic"),
      .serialsReserved(serial: 1_000), .serialUsed(serial: 1_000, minimum: 1_001), .superseded(serial: 1_000),
    ]
    try check(
      samples,
      """
      {"code":"busy"}
      {"code":"cancelled"}
      {"code":"cannot_write","detail":"No space left on device","path":"/data/manifest.json"}
      {"code":"cut_too_high"}
      {"code":"database_error","detail":"The database could not be reached."}
      {"code":"damaged_manifest","path":"/data/manifest.json"}
      {"code":"damaged_root","path":"/data/root.json"}
      {"code":"gates_closed"}
      {"code":"internal_error","detail":"Unknown"}
      {"code":"key_not_in_root","key":"ab12","root":"2"}
      {"code":"name_too_long","number":"+33199000248"}
      {"code":"numbers_not_ascending","number":"+5","previous":"+7"}
      {"code":"pack_error","detail":"number 5: the label is too long"}
      {"code":"process_ended"}
      {"code":"refused_by_readers","detail":"the region is unknown"}
      {"code":"same_pack_name","pack":"toxic"}
      {"code":"serials_reserved","serial":"1000"}
      {"code":"serial_used","minimum":"1001","serial":"1000"}
      {"code":"superseded","serial":"1000"}
      """)
  }

  @Test func `revocation failures have their JSON`() throws {
    let samples: [RevocationFailure] = [
      .gatesClosed(gates: "cap, order"), .nothingPublished, .numberProtected(number: 33_199_000_248),
    ]
    try check(
      samples,
      """
      {"code":"gates_closed","gates":"cap, order"}
      {"code":"nothing_published"}
      {"code":"number_protected","number":"+33199000248"}
      """)
  }

  @Test func `failed deliveries have their JSON`() throws {
    let samples: [DeliveryFailure] = [
      .answerTooLong(maximumBytes: 65_536), .connectionFailed("Connection refused"), .endedEarly, .invalidAddress,
      .mailFailed("Relaying denied"), .malformedAnswer, .noMailServer, .silent, .tookTooLong(seconds: 15),
      .unexpectedEncoding(encoding: "br"),
      .unexpectedStatus(status: 500), .untrustedCertificate,
    ]
    try check(
      samples,
      """
      {"code":"answer_too_long","maximum_bytes":65536}
      {"code":"connection_failed","detail":"Connection refused"}
      {"code":"ended_early"}
      {"code":"invalid_address"}
      {"code":"mail_failed","detail":"Relaying denied"}
      {"code":"malformed_answer"}
      {"code":"no_mail_server"}
      {"code":"silent"}
      {"code":"took_too_long","seconds":15}
      {"code":"unexpected_encoding","encoding":"br"}
      {"code":"unexpected_status","status":"500"}
      {"code":"untrusted_certificate"}
      """)
  }

  @Test func `failures of sources have their JSON`() throws {
    let samples: [SourceFailure] = [
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
    try check(
      samples,
      """
      {"code":"answer_too_long","maximum_bytes":67108864}
      {"code":"cannot_write","detail":"No space left on device"}
      {"code":"connection_failed","detail":"Connection refused"}
      {"code":"damaged_file"}
      {"code":"ended_early"}
      {"code":"expands_too_far","maximum_bytes":536870912}
      {"code":"expired"}
      {"code":"frees_too_many","listed":150,"maximum":101}
      {"code":"invalid_address"}
      {"code":"key_unreadable","path":"/etc/ringfence/list.key"}
      {"code":"key_without_https"}
      {"code":"malformed_answer"}
      {"code":"missing_column","column":"phone"}
      {"address":"https://localhost/v1/manifest.json","code":"missing_file"}
      {"code":"no_entries"}
      {"code":"no_evidence","pack":"blocklist"}
      {"code":"no_pack","pack":"blocklist"}
      {"code":"not_stored","detail":"The database could not be reached."}
      {"accepted":"1001","code":"older_publication","serial":"1000"}
      {"code":"other_origin"}
      {"code":"other_server","server":"ab12ab12ab12ab12"}
      {"code":"own_server"}
      {"code":"private_address"}
      {"code":"root_expired"}
      {"code":"same_server","server":"ab12ab12ab12ab12","source":"neighbours"}
      {"code":"silent"}
      {"code":"still_removing"}
      {"code":"superseded"}
      {"code":"not_read"}
      {"code":"stored_complaints"}
      {"added":40,"code":"too_many_changes","former":10000,"most_percent":50,"removed":9000}
      {"code":"too_many_entries","maximum":2000000}
      {"code":"too_many_rejects","rejected":9000,"rows":10000}
      {"code":"too_much_work","seconds":60}
      {"code":"took_too_long","seconds":300}
      {"code":"unexpected_encoding","encoding":"br"}
      {"code":"unexpected_status","status":"500"}
      {"code":"unreadable","detail":"the document ends early"}
      {"code":"unsupported_version","known":"1","version":"2"}
      {"code":"untrusted_certificate"}
      {"code":"untrusted_key","keys":"ab12ab12ab12ab12"}
      {"code":"wrong_digest","path":"formats/blocklist-7.evidence.jsonl.gz"}
      {"code":"wrong_signature"}
      {"code":"wrong_type","type":"text/html"}
      {"code":"xz_missing"}
      """)
  }

  @Test func `job steps have their JSON`() throws {
    let samples: [JobStep] = [
      .starting, .findingBrigades, .selectingNumbers, .readingNumbers(count: 12_000), .writingPacks,
      .writingPack(pack: "toxic"), .readingBack(pack: "toxic"), .changingPack(pack: "toxic"),
      .makingDeltas(pack: "toxic"), .signing, .revealing, .comparingThresholds(count: 12_000),
    ]
    try check(
      samples,
      """
      {"code":"starting"}
      {"code":"finding_brigades"}
      {"code":"selecting_numbers"}
      {"code":"reading_numbers","count":12000}
      {"code":"writing_packs"}
      {"code":"writing_pack","pack":"toxic"}
      {"code":"reading_back","pack":"toxic"}
      {"code":"changing_pack","pack":"toxic"}
      {"code":"making_deltas","pack":"toxic"}
      {"code":"signing"}
      {"code":"revealing"}
      {"code":"comparing_thresholds","count":12000}
      """)
  }

  @Test func `hold reasons have their JSON`() throws {
    let samples: [HoldReason] = [
      .newReporters(marks), .oneWeek(marks), .oneNetwork(marks), .oneText(marks), .sameNumbers(marks),
      .oneDay(peak: 14, reporters: 15, others: 1), .split(complaints: 8, legitimate: 6),
      .unassigned(version: "9.0.43"),
    ]
    try check(
      samples,
      """
      {"code":"new_reporters","independent":7,"new":12,"others":2,"reporters":24,"same_network":3,"same_numbers":5,\
      "same_text":9}
      {"code":"one_week","independent":7,"new":12,"others":2,"reporters":24,"same_network":3,"same_numbers":5,\
      "same_text":9}
      {"code":"one_network","independent":7,"new":12,"others":2,"reporters":24,"same_network":3,"same_numbers":5,\
      "same_text":9}
      {"code":"one_text","independent":7,"new":12,"others":2,"reporters":24,"same_network":3,"same_numbers":5,\
      "same_text":9}
      {"code":"same_numbers","independent":7,"new":12,"others":2,"reporters":24,"same_network":3,"same_numbers":5,\
      "same_text":9}
      {"code":"one_day","others":1,"peak":14,"reporters":15}
      {"code":"split","complaints":8,"legitimate":6}
      {"code":"unassigned","version":"9.0.43"}
      """)
  }

  @Test func `usual bursts have their JSON`() throws {
    let samples: [UsualBurst] = [
      UsualBurst(.oneDay, alike: 27, reporters: 28, share: share),
      UsualBurst(.oneNetwork, alike: 27, reporters: 28, share: share),
      UsualBurst(.oneText, alike: 27, reporters: 28, share: share),
    ]
    try check(
      samples,
      """
      {"alike":27,"code":"one_day","numbers":64,"reporters":28,"usual":40}
      {"alike":27,"code":"one_network","numbers":64,"reporters":28,"usual":40}
      {"alike":27,"code":"one_text","numbers":64,"reporters":28,"usual":40}
      """)
  }

  @Test func `protection reasons have their JSON`() throws {
    let samples: [ProtectionReason] = [
      .emergencyNumber, .shortNumber, .invalidNumber, .protectedNumber(reason: "A bank"),
      .protectedPattern(reason: "A bank", pattern: "+4930197*"),
    ]
    try check(
      samples,
      """
      {"code":"emergency_number"}
      {"code":"short_number"}
      {"code":"invalid_number"}
      {"code":"protected_number","reason":"A bank"}
      {"code":"protected_pattern","pattern":"+4930197*","reason":"A bank"}
      """)
  }
}
