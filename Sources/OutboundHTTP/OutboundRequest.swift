// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request to another server.
public struct OutboundRequest: Sendable {
  /// The method, such as `POST`.
  public var method: String
  /// The URL, with http or https.
  public var url: URL
  /// Fields by name.
  public var fields: [String: String]
  /// The body; nil for none.
  public var body: Data?
  /// The most redirects within the origin that are followed; each repeats the request with all its fields.
  public var redirects = 0

  /// - Parameters: see the properties.
  public init(_ method: String = "GET", _ url: URL, fields: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}
