// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// An app that may send reports, or an imported list.
public struct App: Sendable, Equatable {
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  /// The key of the request; nil for a list, and where no key was asked for.
  public var keyID: Int32?
  /// The scopes of that key.
  public var scopes: AppScopes = []
  /// The action of telephone systems for calls that failed verification.
  public var failedCalls = FailedCalls.nothing

  /// Whether an app or a list may have this name: one line of 1 to 80 visible characters.
  public static func isName(_ name: String) -> Bool {
    (try? RuleViolation.line(name, "name", atMost: TextLimit.author)) != nil
  }
}

extension Sequence<App> {
  public func name(of id: Int32) -> String? { first { $0.id == id }?.name }
}

/// The scopes of a key.
public struct AppScopes: OptionSet, Sendable, Hashable {
  /// Bits, as they are stored.
  public let rawValue: Int16

  public init(rawValue: Int16) { self.rawValue = rawValue }

  /// Send and withdraw reports.
  public static let report = AppScopes(rawValue: 1)
  /// Send counts of calls.
  public static let identify = AppScopes(rawValue: 2)
  /// Look up numbers.
  public static let lookup = AppScopes(rawValue: 4)
  /// Fetch publications, where the operator requires a key.
  public static let fetch = AppScopes(rawValue: 8)
  /// Send what an app's server knows of its users with their reports. Only for a server that the operator trusts.
  public static let vouch = AppScopes(rawValue: 16)
  /// Moderate: read the queue, decide, undo. A key with it or with ``administer`` is a service account.
  public static let moderate = AppScopes(rawValue: 32)
  /// Change protected numbers and read the audit log.
  public static let administer = AppScopes(rawValue: 64)
  /// Attest installations of the app, which then report under pseudonyms of their own.
  public static let install = AppScopes(rawValue: 128)
  /// Send reports of earlier days, which count on those days: an app's own past. Only for a server that the operator trusts.
  public static let history = AppScopes(rawValue: 256)
  /// The scopes of a new key: all that need no trust.
  public static let standard: AppScopes = [.report, .identify, .lookup, .fetch]

  /// Each scope with its name, in display order.
  public static let named: [(name: String, scope: AppScopes)] = [
    ("report", .report), ("identify", .identify), ("lookup", .lookup), ("fetch", .fetch), ("vouch", .vouch),
    ("moderate", .moderate), ("administer", .administer), ("install", .install),
    ("history", .history),
  ]

  public var names: [String] { Self.named.filter { contains($0.scope) }.map(\.name) }

  /// - Parameter names: such as `report`, in any order.
  /// - Returns: nil for an empty list, and for an unknown name.
  public init?(names: some Sequence<some StringProtocol>) {
    var scopes: AppScopes = []
    for name in names {
      guard let known = Self.named.first(where: { $0.name == name }) else { return nil }
      scopes.insert(known.scope)
    }
    guard !scopes.isEmpty else { return nil }
    self = scopes
  }
}

/// Where the newest reports of an app come from.
public struct AppOrigins: Sendable, Equatable {
  public let appID: Int32
  public let reporters: Int
  public let networks: Int
  /// Reporters whose phone has attested.
  public let attested: Int
  /// Reports that say `passed` or `failed` of a call, and the part that says `failed`.
  public let verified: Int
  public let failed: Int

  /// How many reports of all apps are read.
  static let maxReports = 20_000

  /// Whether the reports seem to be sent through the app's own server: so many people do not share a network.
  public var isOneNetwork: Bool { networks == 1 && reporters >= 10 }

  /// Whether nearly all reporters attest; nil for too few to say.
  public var isAttested: Bool? { reporters >= 20 ? attested * 20 >= reporters * 19 : nil }
}

extension [Int32: AppOrigins] {
  /// The least verified reports of an app, and of all others, to compare them.
  private static var minVerified: Int { 20 }

  /// Whether an app says `failed` of far more calls than the others: half of all verified calls more. It may want to hide
  /// numbers, or its users' network signs wrongly.
  public func failsUnusually(_ appID: Int32) -> Bool {
    guard let app = self[appID], app.verified >= Self.minVerified else { return false }
    let others = values.filter { $0.appID != appID }
    let verified = others.reduce(0) { $0 + $1.verified }
    guard verified >= Self.minVerified else { return false }
    let share = Double(others.reduce(0) { $0 + $1.failed }) / Double(verified)
    return Double(app.failed) / Double(app.verified) - share >= 0.5
  }
}

/// The key itself is not stored.
public struct AppKey: Sendable, Equatable {
  /// Whether requests with the key are accepted.
  public enum State: String, Sendable {
    case valid
    case expired
    case revoked
  }

  public let id: Int32
  public let appID: Int32
  public let appName: String
  /// The first characters of the key.
  public let hint: String
  public let scopes: AppScopes
  public let createdAt: Date
  public let createdBy: String
  public let expiresAt: Date?
  public let revokedAt: Date?
  /// To about a minute.
  public let lastUsedAt: Date?

  /// The most days of a key's life, and of the grace period of a replaced key.
  public static let maxDays = 3_650
  /// How long a server caches a valid key, in seconds.
  public static let belief: TimeInterval = 10
  /// Longest time between accepting a request and storing it, in seconds; it also covers small clock differences.
  private static let slack: TimeInterval = 60

  /// The time before which every report of the key is stored: some time after its end for an expired or revoked key,
  /// `time` for a valid one.
  func lastArrival(at time: Date) -> Date {
    // Tokens of installations outlive an expired key until it is revoked.
    guard state(at: time) != .valid, let end = revokedAt ?? expiresAt else { return time }
    return Self.lastArrival(after: end)
  }

  /// The time before which every report is stored that was accepted until `end`.
  static func lastArrival(after end: Date) -> Date { end + belief + slack }

  public func state(at time: Date) -> State {
    if revokedAt != nil { return .revoked }
    if let expiresAt, expiresAt <= time { return .expired }
    return .valid
  }
}

/// The reason why an operation on an app or a key failed.
public enum AppError: Error, Equatable, CustomStringConvertible {
  /// There is an app or a list of this name.
  case nameTaken(String)
  case noApp(String)
  case noKey(Int32)
  /// The key is revoked or expired.
  case notValid(Int32)
  /// Somebody else has changed the key's scopes meanwhile.
  case changed(Int32)
  /// A time in the future: reports that arrive until then cannot be withdrawn yet.
  case inFuture
  case endsBeforeBegin
  /// The name belongs to an app with keys, not to a list.
  case notList(String)

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .nameTaken(let name):
      "An app or list named “\(name)” already exists. Choose another name, or create a new key with: ringfence app rotate \"\(name)\""
    case .noApp(let name): "There is no app named “\(name)”. List apps with: ringfence app list"
    case .noKey(let id): "There is no key \(id). List keys with: ringfence app keys"
    case .notValid(let id): "The key \(id) is revoked or expired. Create a new key with: ringfence app rotate"
    case .changed(let id): "The scopes of key \(id) have been changed meanwhile. Repeat the command."
    case .inFuture:
      "--until is in the future. Use a time until now, or leave it out."
    case .endsBeforeBegin: "--since is after --until. Swap them."
    case .notList(let name):
      "“\(name)” is the name of an app. Pass another name for the list with --source."
    }
  }
}
