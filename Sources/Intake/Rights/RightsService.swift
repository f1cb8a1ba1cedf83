// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Support
public import Foundation
public import Storage

/// The rights of owners of numbers and of reporters.
public struct RightsService: Sendable {
  let stores: Stores
  package let journal: ErasureJournal?
  private let gateways: [String]
  private let codesPerDay: Int
  let pseudonymizer: Pseudonymizer
  let reporterKey: SymmetricKey
  private let codeKey: SymmetricKey
  private let numberKey: SymmetricKey
  let restrictionKey: SymmetricKey
  /// The name of the pseudonym key in the journal, which reveals nothing about the key.
  let journalKeyName: String

  /// - Parameters:
  ///   - journal: keeps erasures and suppressions for restored backups; nil for none.
  ///   - gateways: the addresses that get the codes of owners.
  ///   - codesPerDay: the most codes that they get in a UTC day, because each costs the operator money; 0 for no limit.
  public init(
    stores: Stores, pseudonymizer: Pseudonymizer, journal: ErasureJournal?, gateways: [String] = [],
    codesPerDay: Int = 0
  ) {
    (self.stores, self.journal, self.gateways) = (stores, journal, gateways)
    self.codesPerDay = codesPerDay
    self.pseudonymizer = pseudonymizer
    codeKey = SymmetricKey(data: pseudonymizer.secret(for: "owner codes"))
    numberKey = SymmetricKey(data: pseudonymizer.secret(for: "suppressed numbers"))
    restrictionKey = SymmetricKey(data: pseudonymizer.secret(for: "restricted reporters"))
    reporterKey = SymmetricKey(data: pseudonymizer.secret(for: "erased reporters"))
    journalKeyName = Hexadecimal.text(pseudonymizer.secret(for: "name in the erasure journal").prefix(8))
  }

  public var sendsCodes: Bool { !gateways.isEmpty }

  /// Sends a code to a number by the gateway. Where the number has had three codes today, or the form was used, nothing is
  /// sent, and the caller does not learn it.
  /// - Parameter form: 16 unique bytes of the form, and the time until which it can be sent.
  /// - Returns: false where the gateway has had its codes of the day, whatever the number; the form can be sent again.
  ///   Simultaneous forms may exceed the limit by their number.
  public func sendCode(to number: Int64, form: (id: [UInt8], expiresAt: Date), at time: Date) async throws -> Bool {
    let digest = Array(SHA256.hash(data: Data("owner form ".utf8) + form.id))
    guard sendsCodes else { return true }
    if codesPerDay > 0, try await stores.ownerProofs.sentCodes(at: time) >= codesPerDay { return false }
    guard try await stores.sessions.use(challenge: digest, until: form.expiresAt, at: time) else { return true }
    let code = Self.randomCode()
    let event = Event(
      .ownerCode, at: time,
      [
        "number": .text("+\(number)"), "code": .text(code),
        "expires_at": .text(Timestamp.format(time + OwnerProofStore.codeLifetime)),
      ])
    _ = try await stores.ownerProofs.add(
      hash(code, of: number), for: number, at: time,
      event: try OwnerCodeMessage(pseudonymizer: pseudonymizer).sealing(event), to: gateways)
    return true
  }

  /// Makes a code that a person delivers.
  /// - Returns: nil where the number has had three codes today.
  public func makeCode(for number: Int64, by actor: Actor, at time: Date) async throws -> String? {
    let code = Self.randomCode()
    let isStored = try await stores.ownerProofs.add(
      hash(code, of: number), for: number, at: time, by: actor)
    return isStored ? code : nil
  }

  /// Exchanges a code for a pass.
  /// - Parameter code: as typed; spaces are ignored.
  /// - Returns: nil for a wrong, expired or used code, and after five attempts.
  public func enter(_ code: String, for number: Int64, at time: Date) async throws -> AppealTicket? {
    let code = code.filter { $0 != " " }
    guard code.utf8.count == 8, code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let pass = AppealTicket()
    let isOpen = try await stores.ownerProofs.enter(
      hash(code, of: number), for: number, pass: pass.hash, at: time)
    return isOpen ? pass : nil
  }

  /// Nil for an unknown or expired pass.
  public func pass(_ pass: AppealTicket, at time: Date) async throws -> OwnerPass? {
    try await stores.ownerProofs.pass(pass.hash, at: time)
  }

  private static func randomCode() -> String { String(format: "%08d", Int.random(in: 0..<100_000_000)) }

  private func hash(_ code: String, of number: Int64) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Data("\(number) \(code)".utf8), using: codeKey))
  }

  /// Everything that is stored about a number.
  /// - Parameter actor: who reads it for the owner.
  public func data(of number: Int64, by actor: Actor, at time: Date) async throws -> [NumberDataStore.Rows] {
    try await stores.auditLog.append(actor.did(.rightAccess, to: number), at: time)
    return try await stores.numberData.data(of: number)
  }

  /// Everything that is stored about the number of a pass.
  ///
  /// All views with a pass are one use of the right: one event, with the time of the pass.
  public func data(of pass: OwnerPass) async throws -> [NumberDataStore.Rows] {
    let id = UUID(naming: "right.access \(Hexadecimal.text(pass.hash))")
    try await stores.auditLog.append(Actor.owner.did(.rightAccess, to: pass.number, id: id), at: pass.openedAt)
    return try await stores.numberData.data(of: pass.number)
  }

  public static func json(_ data: [NumberDataStore.Rows], of number: Int64, at time: Date) -> Data {
    let tables = data.map { "\"\($0.table)\":[\n\($0.rows.joined(separator: ",\n"))\n]" }
    return Data(
      """
      {"number":"+\(number)","made_at":"\(Timestamp.format(time))","data":{
      \(tables.joined(separator: ",\n"))
      }}

      """.utf8)
  }

  /// Suppresses a number: no publication contains it, whatever reports, lists and restored backups say.
  /// - Parameter actor: the owner, or who acts for the owner.
  public func suppress(
    _ number: Int64, by actor: Actor = .owner, because reason: String? = nil, at time: Date
  ) async throws {
    try journal?.append(.suppress, try sealed(number), key: journalKeyName, at: time)
    try await stores.protection.suppress(number, by: actor, because: reason, at: time)
  }

  /// - Throws: ``ErasureJournalUnavailable`` where no line can be added to the journal.
  package func checkJournal() throws {
    do throws(FileFailure) {
      try journal?.check()
    } catch {
      throw ErasureJournalUnavailable(description: error.description)
    }
  }

  public func isSuppressed(_ number: Int64) async throws -> Bool {
    try await stores.protection.isSuppressed(number)
  }

  /// Ends a suppression.
  /// - Returns: whether there was one.
  public func lift(_ number: Int64, by actor: Actor, because reason: String, at time: Date) async throws -> Bool {
    try checkJournal()
    guard try await stores.protection.lift(number, by: actor, because: reason, at: time) else { return false }
    // After the database: a line without a lift would end the suppression in a restored backup.
    try journal?.append(.lift, try sealed(number), key: journalKeyName, at: time)
    return true
  }

  private func sealed(_ number: Int64) throws -> String { try Self.sealed(Data("\(number)".utf8), numberKey) }

  /// - Throws: ``ErasureJournalError/otherKey``.
  private func opened(_ subject: String) throws -> Int64 {
    guard let number = Int64(String(decoding: try Self.opened(subject, numberKey), as: UTF8.self)) else {
      throw ErasureJournalError.otherKey
    }
    return number
  }

  /// The ciphertext in base64.
  static func sealed(_ data: Data, _ key: SymmetricKey) throws -> String {
    (try AES.GCM.seal(data, using: key).combined ?? Data()).base64EncodedString()
  }

  /// - Throws: ``ErasureJournalError/otherKey``.
  static func opened(_ subject: String, _ key: SymmetricKey) throws -> Data {
    guard let data = Data(base64Encoded: subject), let box = try? AES.GCM.SealedBox(combined: data),
      let opened = try? AES.GCM.open(box, using: key)
    else { throw ErasureJournalError.otherKey }
    return opened
  }

  /// Applies journals to a restored database, with its own journal, which may have later lines, and continues them there.
  /// - Throws: ``ErasureJournalError``; the errors of the database.
  public func apply(_ journals: [ErasureJournal], at time: Date) async throws -> AppliedErasures {
    var known = Set<ErasureJournal.Entry>()
    // The sort is stable: of one second, the later line counts.
    let lines = try ([journal].compactMap { $0 } + journals).flatMap { try $0.entries() }
      .filter { known.insert($0).inserted }.sorted { $0.time < $1.time }
    let entries = lines.filter { $0.key == journalKeyName }
    var last: [Int64: ErasureJournal.Entry.Action] = [:]
    for entry in entries where [.suppress, .lift].contains(entry.action) {
      last[try opened(entry.subject)] = entry.action
    }
    for other in journals { try journal?.merge(other) }
    for (number, action) in last.sorted(by: { $0.key < $1.key }) {
      if action == .suppress {
        try await stores.protection.suppress(number, by: .ringfence, isRestored: true, at: time)
      } else {
        _ = try await stores.protection.lift(number, by: .ringfence, isRestored: true, at: time)
      }
    }
    return AppliedErasures(
      numbers: last.values.count { $0 == .suppress }, reporters: try await applyToReporters(entries, at: time),
      foreign: lines.filter { $0.key != journalKeyName }.compactMap { line in
        Timestamp.parse(line.time).map { AppliedErasures.Line(right: line.action.rawValue, time: $0) }
      })
  }
}
