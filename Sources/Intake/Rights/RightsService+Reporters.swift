// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
public import Foundation
public import Storage
import Support

/// The rights of reporters. An app proves the name; the pseudonym includes the app, so that no app reaches the reporters of
/// another app.
extension RightsService {
  /// How old a signed request may be, in seconds.
  static let maxRequestAge: TimeInterval = 300

  /// Checks the proof of an app's server: a recent body, signed with its key, that was not used before.
  /// - Parameters:
  ///   - signature: `v1=` and the HMAC-SHA-256 of the text with the key, in hexadecimal digits.
  ///   - text: the path, a line feed, and the body.
  ///   - requestedAt: the time in the body.
  /// - Returns: false for a wrong signature, an old body, and a replay.
  public func accept(
    _ signature: String, of text: Data, key: String, requestedAt: Date, at time: Date
  ) async throws -> Bool {
    let code = HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: Data(key.utf8)))
    // Digests are compared in constant time.
    guard abs(requestedAt.timeIntervalSince(time)) <= Self.maxRequestAge,
      SHA256.hash(data: Data(signature.utf8)) == SHA256.hash(data: Data("v1=\(Hexadecimal.text(code))".utf8))
    else { return false }
    return try await stores.sessions.use(
      challenge: Array(SHA256.hash(data: Data(signature.utf8))), until: time + 2 * Self.maxRequestAge, at: time)
  }

  /// The pseudonyms of a person: of the app's own name with all installations that have sent reports of it, and of an
  /// installation by its token or identifier.
  private func pseudonyms(_ reporter: String?, _ installation: String?, of app: App) async throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    if let reporter {
      let own = pseudonymizer.pseudonym(of: reporter, appID: app.id)
      found += [own] + (try await stores.erasures.installations(of: own))
    }
    if let installation {
      let name = try await stores.installations.reporter(of: installation, app: app)
      let pseudonym = pseudonymizer.pseudonym(of: name, appID: app.id)
      if !found.contains(pseudonym) { found.append(pseudonym) }
    }
    return found
  }

  /// Everything that is stored about a reporter, as one JSON object with the number of reports; empty lists for an unknown
  /// one.
  /// - Parameters:
  ///   - reporter: the app's own name.
  ///   - installation: the token or the identifier of an installation.
  public func export(
    _ reporter: String?, installation: String? = nil, of app: App, at time: Date
  ) async throws -> Data {
    var data: [(table: String, rows: [String])] = []
    for pseudonym in try await pseudonyms(reporter, installation, of: app) {
      try await stores.auditLog.append(event(.rightExport, pseudonym, by: .app(app.name)), at: time)
      let part = try await stores.erasures.export(pseudonym)
      data = data.isEmpty ? part : zip(data, part).map { ($0.table, $0.rows + $1.rows) }
    }
    let tables = data.map { "\"\($0)\":[\($1.joined(separator: ","))]" }.joined(separator: ",")
    let found = data.first { $0.table == ErasureStore.reports }?.rows.count ?? 0
    return Data("{\"made_at\":\"\(Timestamp.format(time))\",\"found\":\(found),\"data\":{\(tables)}}\n".utf8)
  }

  /// Erases everything that is stored about a reporter. Sums are corrected at once, weights of other reporters with the next
  /// recount.
  /// - Parameters:
  ///   - reporter: the app's own name.
  ///   - installation: the token or the identifier of an installation.
  /// - Returns: the number of erased reports.
  @discardableResult
  public func erase(
    _ reporter: String?, installation: String? = nil, of app: App, at time: Date
  ) async throws -> Int {
    let pseudonyms = try await pseudonyms(reporter, installation, of: app)
    for pseudonym in pseudonyms {
      try journal?.append(.erase, hash(ofReporter: pseudonym), key: journalKeyName, at: time)
    }
    return try await stores.erasures.erase(
      pseudonyms.map { ($0, time) }, at: time, audit: pseudonyms.map { event(.rightErase, $0, by: .app(app.name)) })
  }

  /// Restricts the processing of a reporter's reports, or ends it: they are kept and have the weight 0.
  /// - Parameters:
  ///   - reporter: the app's own name.
  ///   - installation: the token or the identifier of an installation.
  public func restrict(
    _ reporter: String?, installation: String? = nil, to isRestricted: Bool, of app: App, at time: Date
  ) async throws {
    let pseudonyms = try await pseudonyms(reporter, installation, of: app)
    try checkJournal()
    let subjects = try pseudonyms.map { try Self.sealed(Data($0), restrictionKey) }
    if isRestricted {
      for subject in subjects { try journal?.append(.restrict, subject, key: journalKeyName, at: time) }
    }
    let events = pseudonyms.map {
      event(isRestricted ? AuditAction.rightRestrict : .rightRelease, $0, by: .app(app.name))
    }
    try await stores.erasures.restrict(pseudonyms, to: isRestricted, at: time, audit: events)
    // After the database: a line without a release would end the restriction in a restored backup.
    if !isRestricted {
      for subject in subjects { try journal?.append(.release, subject, key: journalKeyName, at: time) }
    }
  }

  /// Applies the lines about reporters to a restored database. A restriction also reaches a reporter whom the backup does
  /// not know, because the app may send reports of that reporter later.
  /// - Returns: the number of reporters for whom something changed.
  func applyToReporters(_ entries: [ErasureJournal.Entry], at time: Date) async throws -> Int {
    var (erased, restricted): ([String: Date], [[UInt8]: Bool]) = ([:], [:])
    for entry in entries {
      switch entry.action {
      // To the end of its second.
      case .erase: erased[entry.subject] = Timestamp.parse(entry.time).map { $0 + 1 }
      case .restrict, .release:
        restricted[Array(try Self.opened(entry.subject, restrictionKey))] = entry.action == .restrict
      case .suppress, .lift: continue
      }
    }
    guard !erased.isEmpty || !restricted.isEmpty else { return 0 }
    let erasures = try await stores.erasures.pending(
      stores.erasures.pseudonyms().compactMap { pseudonym in
        erased[hash(ofReporter: pseudonym)].map { (reporter: pseudonym, until: $0) }
      })
    @Sendable func restored(_ action: AuditAction, _ reporter: [UInt8]) -> AuditEvent {
      event(action, reporter, by: .ringfence, after: ["restored": "true"])
    }
    var changed = Set(erasures.map(\.reporter))
    if !erasures.isEmpty {
      _ = try await stores.erasures.erase(erasures, at: time, audit: changed.map { restored(.rightErase, $0) })
    }
    for isRestricted in [true, false] {
      let reporters = restricted.filter { $0.value == isRestricted }.map(\.key)
      let action = isRestricted ? AuditAction.rightRestrict : .rightRelease
      changed.formUnion(
        try await stores.erasures.restrict(reporters, to: isRestricted, at: time) { changed in
          changed.map { restored(action, $0) }
        })
    }
    return changed.count
  }

  /// The event of a right; its subject is a part of the keyed hash in the journal, and not the pseudonym.
  private func event(
    _ action: AuditAction, _ pseudonym: [UInt8], by actor: Actor, after: [String: String]? = nil
  ) -> AuditEvent {
    let subject = "reporter \(hash(ofReporter: pseudonym).prefix(16))"
    return actor.did(action, to: subject, after: after)
  }

  private func hash(ofReporter pseudonym: [UInt8]) -> String {
    Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: Data(pseudonym), using: reporterKey))
  }
}
