import Foundation

/// What an order is for, or what came of it, as the database keeps it: JSON.
protocol JobMessage: Codable {}

extension JobMessage {
  init(_ text: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }

  var text: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }
}
