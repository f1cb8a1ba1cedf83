// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Everything that waits for the server: in a file, and in memory.
///
/// Removals are not flushed to the disk: after a crash, the server receives again what it already has.
final class Outbox {
  private let file: JournalFile
  /// The greatest size of waiting records in bytes.
  private let limit: Int
  /// The damage that was found when the file was opened.
  let damage: OutboxDamage?

  private(set) var reports: [PendingReport] = []
  private(set) var withdrawals: [UUID] = []
  private(set) var batches: [CallBatch] = []
  private(set) var counts = CallCounts()
  private(set) var remediations = RemediationCounts()

  private static let compactFrom = 64 << 10
  /// The approximate size of a counted number's record.
  private static let itemBytes = 100

  /// Opens the outbox.
  /// - Parameter path: the file.
  init(path: String, limit: Int) throws(ClientError) {
    self.limit = limit
    let opened = try JournalFile.open(path)
    file = opened.file
    damage = opened.damage
    for record in opened.records { replay(record) }
  }

  /// Whether nothing waits.
  var isEmpty: Bool {
    reports.isEmpty && withdrawals.isEmpty && batches.isEmpty && counts.isEmpty && remediations.items.isEmpty
  }

  // MARK: Accepting: on the disk when it returns

  func accept(_ report: ClientReport) throws(ClientError) {
    let payload = Self.json(report)
    // The same report again, after an error whose outcome the app did not know.
    if let known = reports.first(where: { $0.id == report.reportID }) {
      guard known.payload == payload else { throw .invalid(field: "report_id", rule: "It is used already.") }
      return
    }
    let record = JournalRecord(.report, payload)
    try keep(record)
    reports.append(PendingReport(report, payload: payload))
  }

  func accept(_ calls: CallItem) throws(ClientError) {
    try keep(JournalRecord(.calls, Self.json(calls)))
    counts.add(calls)
  }

  /// Counts a call, unless the limit of the day is reached.
  func accept(_ item: RemediationItem) throws(ClientError) {
    guard remediations.allows(item) else { return }
    try keep(JournalRecord(.remediation, Self.json(item)))
    remediations.add(item)
  }

  /// Withdraws a report: deletes it in the outbox if it was never sent, otherwise asks the server.
  func withdraw(_ id: UUID) throws(ClientError) {
    guard !withdrawals.contains(id) else { return }
    let waiting = reports.first { $0.id == id }
    if waiting?.mayBeSent == false {
      try file.append([JournalRecord(.settled, ids: [id])], isDurable: true)
      reports.removeAll { $0.id == id }
      return
    }
    // Without a limit: withdrawals are short and must never be refused.
    try file.append([JournalRecord(.withdrawal, ids: [id])], isDurable: true)
    withdrawals.append(id)
  }

  private func keep(_ record: JournalRecord) throws(ClientError) {
    try compactIfWorthIt()
    guard liveBytes + record.size <= limit else { throw .full }
    try file.append([record], isDurable: true)
  }

  // MARK: Sending

  /// Marks reports that may have reached the server.
  func markSent(_ ids: Set<UUID>) {
    for index in reports.indices where ids.contains(reports[index].id) { reports[index].mayBeSent = true }
  }

  /// Postpones reports.
  func postpone(_ ids: Set<UUID>, until time: Date) {
    for index in reports.indices where ids.contains(reports[index].id) { reports[index].notBefore = time }
  }

  /// Turns counts of days before `today` into batches, at least one a day.
  func seal(before today: String, makeID: () -> UUID) throws(ClientError) {
    let ripe = Dictionary(grouping: counts.items.filter { $0.day < today }, by: \.day)
    for day in ripe.keys.sorted() {
      var rest = (ripe[day] ?? [])[...]
      while !rest.isEmpty {
        let batch = CallBatch(batchID: makeID(), items: Array(rest.prefix(CallBatch.longest)))
        rest = rest.dropFirst(CallBatch.longest)
        try file.append([JournalRecord(.sealed, Self.json(batch))], isDurable: true)
        take(batch)
      }
    }
  }

  func settle(reports ids: [UUID]) throws(ClientError) {
    let gone = Set(ids)
    reports.removeAll { gone.contains($0.id) }
    try forget(JournalRecord(.settled, ids: ids))
  }

  func settle(withdrawal id: UUID) throws(ClientError) {
    withdrawals.removeAll { $0 == id }
    try forget(JournalRecord(.withdrawalSettled, ids: [id]))
  }

  func settle(batch id: UUID) throws(ClientError) {
    let day = batches.first { $0.batchID == id }?.items.first?.day ?? ""
    batches.removeAll { $0.batchID == id }
    try forget(JournalRecord(settledBatch: id, day: day))
  }

  func settle(remediationsOf day: String) throws(ClientError) {
    remediations.remove(day: day)
    try forget(JournalRecord(.remediationsSettled, Array(day.utf8)))
  }

  private func forget(_ record: JournalRecord) throws(ClientError) {
    if isEmpty { return try file.rewrite([]) }
    try file.append([record], isDurable: false)
    try compactIfWorthIt()
  }

  // MARK: The file

  private func replay(_ record: JournalRecord) {
    switch record.kind {
    case .report:
      if let report = PendingReport(stored: record.payload) { reports.append(report) }
    case .settled:
      let gone = Set(record.ids)
      reports.removeAll { gone.contains($0.id) }
    case .calls:
      if let item = try? JSONDecoder().decode(CallItem.self, from: Data(record.payload)) { counts.add(item) }
    case .sealed:
      if let batch = try? JSONDecoder().decode(CallBatch.self, from: Data(record.payload)) { take(batch) }
    case .batchSettled:
      let gone = record.ids
      let waiting = batches.count
      batches.removeAll { gone.contains($0.batchID) }
      // The record of the batch was damaged. The server has its counts; sent again under another id, they would count
      // twice.
      if batches.count == waiting, let day = record.day { counts.remove(day: day) }
    case .remediation:
      let item = try? JSONDecoder().decode(RemediationItem.self, from: Data(record.payload))
      if let item { remediations.add(item) }
    case .remediationsSettled: remediations.remove(day: String(decoding: record.payload, as: UTF8.self))
    case .withdrawal: withdrawals += record.ids
    case .withdrawalSettled:
      let gone = record.ids
      withdrawals.removeAll { gone.contains($0) }
    }
  }

  private func take(_ batch: CallBatch) {
    for item in batch.items { counts.remove(item) }
    batches.append(batch)
  }

  /// The records of everything that waits.
  private var live: [JournalRecord] {
    reports.map { JournalRecord(.report, $0.payload) }
      // A batch subtracts its counts when it is read, so the counts come first.
      + batches.flatMap { batch in
        batch.items.map { JournalRecord(.calls, Self.json($0)) } + [JournalRecord(.sealed, Self.json(batch))]
      }
      + counts.items.map { JournalRecord(.calls, Self.json($0)) }
      + remediations.items.map { JournalRecord(.remediation, Self.json($0)) }
      + withdrawals.map { JournalRecord(.withdrawal, ids: [$0]) }
  }

  /// The approximate size of these records, without encoding them.
  private var liveBytes: Int {
    reports.reduce(0) { $0 + JournalRecord.overhead + $1.payload.count }
      + (counts.count + batches.reduce(0) { $0 + 2 * $1.items.count }) * Self.itemBytes
      + remediations.items.count * 2 * Self.itemBytes + withdrawals.count * (JournalRecord.overhead + 16)
  }

  private func compactIfWorthIt() throws(ClientError) {
    guard file.length > Self.compactFrom, file.length > 2 * liveBytes + Self.compactFrom else { return }
    try file.rewrite(live)
  }

  static func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only strings and integers, whose encoding cannot fail.
    return [UInt8]((try? encoder.encode(value)) ?? Data())
  }
}

/// A report that waits.
struct PendingReport: Equatable {
  /// The fields of the JSON that the outbox reads.
  private struct Names: Decodable {
    let report_id: UUID
    let reporter: String
  }

  let id: UUID
  let reporter: String
  /// The JSON that is sent, the same each time.
  let payload: [UInt8]
  /// Whether the server may have the report already.
  var mayBeSent: Bool
  /// The time before which the report is not sent.
  var notBefore = Date.distantPast

  init(_ report: ClientReport, payload: [UInt8]) {
    id = report.reportID
    reporter = report.reporter
    self.payload = payload
    mayBeSent = false
  }

  /// Reads a report from the outbox's file.
  /// - Parameter payload: the JSON.
  init?(stored payload: [UInt8]) {
    guard let names = try? JSONDecoder().decode(Names.self, from: Data(payload)) else { return nil }
    id = names.report_id
    reporter = names.reporter
    self.payload = payload
    mayBeSent = true
  }
}

/// Damage that was found when the outbox's file was opened.
public struct OutboxDamage: Sendable, Equatable {
  /// The number of bytes that belong to no complete record and were skipped.
  public let bytes: Int
  /// A copy of the damaged file, which the next damage replaces. It contains users' reports: delete it when nobody will
  /// examine it. Nil when only an incomplete record was cut off the end. In that case the app died while the record was
  /// being written, and its acceptance was never reported.
  public let copy: URL?
}
