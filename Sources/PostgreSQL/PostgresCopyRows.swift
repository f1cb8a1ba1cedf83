// SPDX-License-Identifier: Apache-2.0

/// Rows of a binary COPY that are encoded already, so that the sender only sends.
public struct PostgresCopyRows: Sendable {
  private var encoder: BinaryCopyEncoder

  /// No rows.
  /// - Parameter capacity: expected number of bytes.
  public init(capacity: Int = 0) {
    encoder = BinaryCopyEncoder(capacity: capacity)
  }

  var bytes: [UInt8] { encoder.bytes }

  /// Appends a row.
  /// - Parameter encode: appends every column of the COPY, in its order and with its exact type.
  /// - Throws: `PostgresError` for a value that cannot be sent.
  public mutating func append(encode: (inout PostgresCopyTuple) -> Void) throws {
    try encoder.append(encode: encode)
  }
}
