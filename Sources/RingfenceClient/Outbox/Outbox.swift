import Foundation

/// Everything that waits for the server: in memory, and in a file that has it first.
///
/// Removing is not flushed to the disk: a crash between an answer and the removal only repeats what the server knows.
final class Outbox {
  private let file: JournalFile
  /// The most bytes of records that wait.
  private let limit: Int
  /// What was wrong with the file.
  let damage: OutboxDamage?

  private(set) var reports: [PendingReport] = []
  private(set) var withdrawals: [UUID] = []
  private(set) var batches: [CallBatch] = []
  private(set) var counts = CallCounts()

  private static let compactFrom = 64 << 10
  /// Of a counted number's record, about.
  private static let itemBytes = 100

  /// - Parameter path: of the file.
  init(path: String, limit: Int) throws(ClientError) {
    self.limit = limit
    let opened = try JournalFile.open(path)
    file = opened.file
    damage = opened.damage
    for record in opened.records { replay(record) }
  }

  /// Nothing waits.
  var isEmpty: Bool { reports.isEmpty && withdrawals.isEmpty && batches.isEmpty && counts.isEmpty }

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

  /// Takes a report back: out of the outbox when it cannot be on the server, else by asking the server.
  func withdraw(_ id: UUID) throws(ClientError) {
    guard !withdrawals.contains(id) else { return }
    let waiting = reports.first { $0.id == id }
    if waiting?.mayBeSent == false {
      try file.append([JournalRecord(.settled, ids: [id])], isDurable: true)
      reports.removeAll { $0.id == id }
      return
    }
    // No bound: withdrawals are short, and what somebody takes back must be taken back.
    try file.append([JournalRecord(.withdrawal, ids: [id])], isDurable: true)
    withdrawals.append(id)
  }

  private func keep(_ record: JournalRecord) throws(ClientError) {
    try compactIfWorthIt()
    guard liveBytes + record.size <= limit else { throw .full }
    try file.append([record], isDurable: true)
  }

  // MARK: Sending

  /// Says that these may be on the server from now on.
  func markSent(_ ids: Set<UUID>) {
    for index in reports.indices where ids.contains(reports[index].id) { reports[index].mayBeSent = true }
  }

  /// Puts reports off.
  func postpone(_ ids: Set<UUID>, until time: Date) {
    for index in reports.indices where ids.contains(reports[index].id) { reports[index].notBefore = time }
  }

  /// Turns counts of days before `today` into batches, one a day; counts of today stay, unless all are wanted.
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
      // The record that sealed it was damaged. The server has its counts: sent again under another id they would count
      // twice.
      if batches.count == waiting, let day = record.day { counts.remove(day: day) }
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

  /// What a file of only that which waits would hold.
  private var live: [JournalRecord] {
    reports.map { JournalRecord(.report, $0.payload) }
      // A batch takes its counts out again, so they come before it.
      + batches.flatMap { batch in
        batch.items.map { JournalRecord(.calls, Self.json($0)) } + [JournalRecord(.sealed, Self.json(batch))]
      }
      + counts.items.map { JournalRecord(.calls, Self.json($0)) }
      + withdrawals.map { JournalRecord(.withdrawal, ids: [$0]) }
  }

  /// About its length; without writing it.
  private var liveBytes: Int {
    reports.reduce(0) { $0 + JournalRecord.overhead + $1.payload.count }
      + (counts.count + batches.reduce(0) { $0 + 2 * $1.items.count }) * Self.itemBytes
      + withdrawals.count * (JournalRecord.overhead + 16)
  }

  private func compactIfWorthIt() throws(ClientError) {
    guard file.length > Self.compactFrom, file.length > 2 * liveBytes + Self.compactFrom else { return }
    try file.rewrite(live)
  }

  static func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and integers alone: nothing of it can fail.
    return [UInt8]((try? encoder.encode(value)) ?? Data())
  }
}
