// SPDX-License-Identifier: Apache-2.0

/// The scopes of a key.
public struct AppScopes: OptionSet, Sendable, Hashable {
  /// Bits, as they are stored.
  public let rawValue: Int16

  /// - Parameter rawValue: bits.
  public init(rawValue: Int16) { self.rawValue = rawValue }

  /// Send and withdraw reports.
  public static let report = AppScopes(rawValue: 1)
  /// Send counts of calls.
  public static let identify = AppScopes(rawValue: 2)
  /// Look up numbers.
  public static let lookup = AppScopes(rawValue: 4)
  /// Fetch publications, where the operator requires a key.
  public static let fetch = AppScopes(rawValue: 8)
  /// All scopes.
  public static let all: AppScopes = [.report, .identify, .lookup, .fetch]

  /// Each scope with its name, in display order.
  public static let named: [(name: String, scope: AppScopes)] = [
    ("report", .report), ("identify", .identify), ("lookup", .lookup), ("fetch", .fetch),
  ]

  /// The names of the contained scopes.
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
