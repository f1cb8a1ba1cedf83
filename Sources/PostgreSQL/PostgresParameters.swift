// SPDX-License-Identifier: Apache-2.0

/// The parameters of a statement, in the order of its placeholders.
public struct PostgresParameters: Sendable {
  /// Values one after another; the first byte is unused, so that no offset is that of an empty buffer.
  var buffer = PostgresByteBuffer()
  var offsets: [Int] = []
  var lengths: [Int32] = []
  var types: [UInt32] = []
  private(set) var failure: (parameter: Int, reason: String)?

  /// No parameters.
  public init() { buffer.bytes = [0] }

  /// Number of parameters.
  public var count: Int { types.count }

  /// Binds the next placeholder.
  public mutating func append<T: PostgresEncodable>(_ value: T) {
    let start = buffer.bytes.count
    value.encode(into: &buffer)
    note(type: T.postgresType, offset: start, length: Int32(truncatingIfNeeded: buffer.bytes.count - start))
  }

  /// Binds the next placeholder, to NULL when there is no value.
  public mutating func append<T: PostgresEncodable>(_ value: T?) {
    if let value {
      append(value)
    } else {
      note(type: T.postgresType, offset: 0, length: -1)
    }
  }

  private mutating func note(type: PostgresType, offset: Int, length: Int32) {
    types.append(type.rawValue)
    offsets.append(offset)
    lengths.append(length)
    if let reason = buffer.failure {
      if failure == nil { failure = (types.count, reason) }
    }
  }

  func check() throws {
    if let failure {
      throw PostgresError(.encoding(parameter: failure.parameter, reason: failure.reason))
    }
  }
}
