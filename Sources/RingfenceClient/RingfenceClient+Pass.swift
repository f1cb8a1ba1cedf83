// SPDX-License-Identifier: Apache-2.0

import Foundation

extension RingfenceClient {
  /// The outcome of one request.
  enum RequestOutcome {
    /// The server accepted the request.
    case answered(Data)
    /// The request may succeed later; contains the seconds that the server requests.
    case later(asked: Double?)
    /// The server refused the key.
    case keyRefused(KeyRefusal)
    /// The server will never accept the content.
    case refused(DropReason)
    /// The request is too large.
    case tooLarge
  }

  /// Sends everything that waits, up to the first failure.
  func pass(isUrgent: Bool) async -> FlushResult {
    var result = FlushResult()
    let now = environment.now()
    if now >= forbiddenUntil, isUrgent || now >= pausedUntil {
      do {
        if try await sendReports(&result), try await sendWithdrawals(), try await sendCounts(&result) {
          try await sendRemediations(&result)
        }
      } catch {
        // The disk is full or broken; requests that were answered are repeated later.
        pause(asked: nil)
      }
    }
    result.waiting = waiting
    result.nextAttempt = nextAttempt
    return result
  }

  private var nextAttempt: Date? {
    let now = environment.now()
    let gate = max(pausedUntil, forbiddenUntil)
    // A withdrawal follows its report, which may wait for another day.
    let reports = Set(outbox.reports.map(\.id))
    if !outbox.batches.isEmpty || outbox.withdrawals.contains(where: { !reports.contains($0) }) {
      return max(gate, now)
    }
    return outbox.reports.map(\.notBefore).min().map { max($0, gate, now) }
  }

  private func pause(asked: Double?) {
    let now = environment.now()
    let seconds = backoff.fail(asked: asked, chance: environment.chance())
    pausedUntil = now + seconds
    if let asked, asked > 0 { forbiddenUntil = now + seconds }
  }

  private func succeed() {
    backoff.succeed()
    pausedUntil = .distantPast
  }

  /// Sends a request to the API.
  /// - Parameter needsInstallation: whether the request is sent only with a token of the installation.
  private func sendRequest(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, needsInstallation: Bool = false
  ) async -> RequestOutcome {
    var request = ClientRequest(
      method, configuration.server.appendingPathComponent(path),
      fields: ["Authorization": "Bearer \(configuration.key)"], body: body.map { Data($0) })
    if body != nil {
      request.fields["Content-Type"] = "application/json"
      request.fields.merge(await installationFields(orPlain: needsInstallation)) { $1 }
    }
    if needsInstallation, request.fields[Self.installationField] == nil { return .later(asked: nil) }
    guard let (head, data) = try? await transport.send(request, limit: 1 << 20) else { return .later(asked: nil) }
    noteInstallation(head)
    // Content is dropped only on a response of the server itself: a proxy in front of it, or another server at its
    // address, may return the same statuses.
    let isOurs = head.isProblem
    if let refusal = head.keyRefusal() { return .keyRefused(refusal) }
    switch head.status {
    case 200...299: return .answered(data)
    // The next attempt has another token.
    case 422 where isOurs && needsInstallation && !(head[Self.attestationField] ?? "ok").elementsEqual("ok"):
      return .later(asked: nil)
    case 409 where isOurs: return .refused(.conflict)
    case 410 where isOurs: return .refused(.withdrawn)
    case 413 where isOurs: return .tooLarge
    case 400 where isOurs, 422 where isOurs: return .refused(.invalid("status \(head.status)"))
    case 404 where isOurs && method == "DELETE": return .refused(.withdrawn)
    case 413:
      batchSize = max(1, batchSize / 2)
      return .later(asked: nil)
    default: return .later(asked: head.retryAfter(at: environment.now()))
    }
  }

  /// Records the outcome of a request for the backoff.
  /// - Returns: whether to continue with the next request.
  private func continues(after outcome: RequestOutcome) -> Bool {
    switch outcome {
    case .later(let asked): pause(asked: asked)
    case .keyRefused(let refusal):
      onEvent(.keyRefused(refusal))
      pause(asked: nil)
    case .answered, .refused, .tooLarge:
      succeed()
      return true
    }
    return false
  }

  // MARK: Reports

  private func sendReports(_ result: inout FlushResult) async throws(ClientError) -> Bool {
    while true {
      let now = environment.now()
      let batch = Array(outbox.reports.lazy.filter { $0.notBefore <= now }.prefix(batchSize))
      if batch.isEmpty { return true }
      outbox.markSent(Set(batch.map(\.id)))
      let body = [UInt8(ascii: "[")] + batch.map(\.payload).joined(separator: [UInt8(ascii: ",")])
      let outcome = await sendRequest("POST", "reports", body + [UInt8(ascii: "]")])
      guard continues(after: outcome) else { return false }
      switch outcome {
      case .answered(let data):
        guard try settle(batch, data, &result) else { return false }
        batchSize = min(Self.largestBatch, batchSize * 2)
      case .refused(let reason):
        try splitOrDrop(batch, reason, &result)
      default:
        try splitOrDrop(batch, .invalid("status 413"), &result)
      }
    }
  }

  /// Halves a refused batch until the report at fault is alone, and drops that one.
  private func splitOrDrop(
    _ batch: [PendingReport], _ reason: DropReason, _ result: inout FlushResult
  ) throws(ClientError) {
    if batch.count > 1 {
      batchSize = batch.count / 2
      return
    }
    for report in batch { try drop(report, reason, &result) }
    batchSize = Self.largestBatch
  }

  /// Applies the server's results for each report of a batch.
  /// - Returns: whether the response was complete.
  private func settle(
    _ batch: [PendingReport], _ data: Data, _ result: inout FlushResult
  ) throws(ClientError) -> Bool {
    guard let answer = try? JSONDecoder().decode(ReportResults.self, from: data), answer.results.count == batch.count
    else {
      pause(asked: nil)
      return false
    }
    let now = environment.now()
    var taken: [PendingReport] = []
    var failed: Set<UUID> = []
    var limited: Set<UUID> = []
    for (report, item) in zip(batch, answer.results) {
      switch item.status {
      case "created", "duplicate": taken.append(report)
      case "conflict": try drop(report, .conflict, &result)
      case "withdrawn": try drop(report, .withdrawn, &result)
      case "invalid": try drop(report, .invalid(item.rules), &result)
      case "limited": limited.insert(report.id)
      default: failed.insert(report.id)
      }
    }
    if !taken.isEmpty { try outbox.settle(reports: taken.map(\.id)) }
    result.delivered += taken.count
    for report in taken { onEvent(.delivered(report: report.id)) }
    // The server's limit of a reporter is reset at the end of the day.
    outbox.postpone(limited, until: now + UTCDay.secondsLeft(at: now) + 600 * environment.chance())
    if !failed.isEmpty {
      pause(asked: nil)
      return false
    }
    return true
  }

  private func drop(
    _ report: PendingReport, _ reason: DropReason, _ result: inout FlushResult
  ) throws(ClientError) {
    try outbox.settle(reports: [report.id])
    // Under this id the server has another report, or none.
    if reason != .withdrawn, outbox.withdrawals.contains(report.id) { try outbox.settle(withdrawal: report.id) }
    result.dropped += 1
    onEvent(.dropped(report: report.id, reason: reason))
  }

  // MARK: Withdrawals and counts

  private func sendWithdrawals() async throws(ClientError) -> Bool {
    for id in outbox.withdrawals where !outbox.reports.contains(where: { $0.id == id }) {
      guard continues(after: await sendRequest("DELETE", "reports/\(id.uuidString.lowercased())")) else { return false }
      try outbox.settle(withdrawal: id)
      onEvent(.withdrawn(report: id))
    }
    return true
  }

  private func sendCounts(_ result: inout FlushResult) async throws(ClientError) -> Bool {
    try outbox.seal(before: UTCDay.text(of: environment.now()), makeID: { UUID() })
    for batch in outbox.batches {
      let outcome = await sendRequest("POST", "identifications", Outbox.json(batch))
      guard continues(after: outcome) else { return false }
      try outbox.settle(batch: batch.batchID)
      switch outcome {
      case .answered: onEvent(.counted(batch: batch.batchID))
      case .refused(let reason):
        result.dropped += 1
        onEvent(.batchDropped(batch: batch.batchID, reason: reason))
      default:
        result.dropped += 1
        onEvent(.batchDropped(batch: batch.batchID, reason: .invalid("status 413")))
      }
    }
    return true
  }
}

extension RingfenceClient {
  /// Sends the counts of days that have ended. The server counts the first of a day and installation. After a failure they
  /// wait for the next pass without delaying reports: a server may have no such counts.
  private func sendRemediations(_ result: inout FlushResult) async throws(ClientError) {
    let now = environment.now()
    let oldest = UTCDay.text(of: now - Double(RemediationCounts.maxAgeInDays) * 86_400)
    for day in outbox.remediations.days(before: UTCDay.text(of: now)) {
      if day >= oldest {
        switch await sendRequest("POST", "remediations", outbox.remediations.body(of: day), needsInstallation: true) {
        case .answered: break
        case .refused, .tooLarge: result.dropped += 1
        case .later(let asked):
          if asked != nil { pause(asked: asked) }
          return
        case .keyRefused: return
        }
      }
      try outbox.settle(remediationsOf: day)
    }
  }
}

/// The server's results for each report of a batch.
private struct ReportResults: Decodable {
  struct Item: Decodable {
    struct Field: Decodable {
      let pointer: String
      let code: String
    }

    let status: String
    let errors: [Field]?

    /// The names of fields and rules, without values.
    var rules: String {
      (errors ?? []).map { "\($0.pointer.drop { $0 == "/" }): \($0.code)" }.joined(separator: ", ")
    }
  }

  let results: [Item]
}
