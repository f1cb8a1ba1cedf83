// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An installed app with a token of its own. The token itself is not stored.
public struct Installation: Sendable, Equatable {
  /// The SHA-256 of the token, 32 bytes: the identifier, which grants no access.
  public let digest: [UInt8]
  /// The app, with the key that created the token.
  public let app: App
  /// The day of the last report, or of the creation, in days since 1970-01-01.
  public let lastDay: Int32

  /// The app's name for the reporter: each installation is one.
  public var reporter: String { "installation \(Data(digest).base64EncodedString())" }

  /// The days since 1970-01-01 of a time.
  static func day(of time: Date) -> Int32 { Int32((time.timeIntervalSince1970 / 86_400).rounded(.down)) }
}
