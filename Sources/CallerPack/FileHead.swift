/// How a pack and a delta begin alike: eight bytes that say which it is, the version, and at the head's end its checksum.
enum FileHead {
  /// Checks what is read of a file's head.
  /// - Parameters:
  ///   - bytes: the first of the file, as many as there are or more.
  ///   - count: bytes of a head.
  ///   - name: of the kind of file.
  /// - Returns: the head's integers.
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
