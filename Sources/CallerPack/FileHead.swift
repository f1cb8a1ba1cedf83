// SPDX-License-Identifier: Apache-2.0

/// The common start of packs and deltas: eight bytes that identify the kind of file, the version, and the header's
/// checksum at its end.
enum FileHead {
  /// Checks the common fields of a file's header.
  /// - Parameters:
  ///   - bytes: the start of the file: at least a header, or the complete file when it is shorter.
  ///   - count: size of a header in bytes.
  ///   - name: the kind of file, for errors.
  /// - Returns: the header's integers.
  /// - Throws: ``PackError``: `notAPack`, `unsupported`, `wrongLength`, `corrupt`.
  static func open(
    _ bytes: [UInt8], magic: [UInt8], count: Int, name: String
  ) throws(PackError) -> LittleEndian {
    guard bytes.count >= 8, Array(bytes[..<8]) == magic else {
      let letters = String(decoding: magic[..<6], as: UTF8.self)
      throw PackError(
        .notAPack, "this is no \(name): the first 8 bytes are not \(letters)", remedy: "check the file's name")
    }
    guard bytes.count >= count else {
      throw PackError(
        .wrongLength, "a \(name) starts with a header", expected: "\(count) bytes", got: "\(bytes.count)",
        remedy: "fetch it again")
    }
    let input = LittleEndian(bytes)
    guard input.u16(8) == 1 else {
      throw PackError(
        .unsupported, "the version of the format is unknown", expected: "1", got: "\(input.u16(8))",
        remedy: "use a newer reader")
    }
    let sum = checksum(Array(bytes[..<(count - 4)]))
    guard input.u32(count - 4) == sum else {
      throw PackError(
        .corrupt, "the header's checksum does not match", expected: "\(input.u32(count - 4))", got: "\(sum)",
        remedy: "fetch it again")
    }
    return input
  }
}
