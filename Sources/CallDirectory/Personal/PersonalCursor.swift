// SPDX-License-Identifier: Apache-2.0

internal import CallerPack
internal import Foundation

#if canImport(Darwin)
  internal import Darwin
  private typealias CFile = UnsafeMutablePointer<FILE>
#elseif canImport(Musl)
  internal import Musl
  private typealias CFile = OpaquePointer
#else
  internal import Glibc
  private typealias CFile = UnsafeMutablePointer<FILE>
#endif

/// Reads a personal list's file one entry at a time; the memory is one buffer of the C library and one label.
final class PersonalCursor {
  private(set) var number: Int64 = 0
  /// True: the user blocks the number; false: the user has unblocked it; nil: no statement.
  private(set) var blocks: Bool?
  /// True: the user named the number; false: the user has removed the name; nil: no statement.
  private(set) var identifies: Bool?
  private(set) var blockedModified = Date(timeIntervalSinceReferenceDate: 0)
  private(set) var identifiedModified = Date(timeIntervalSinceReferenceDate: 0)
  private(set) var label: [UInt8] = []

  private let path: String
  private let file: CFile
  private var remaining: UInt64 = 0
  private var fixed = [UInt8](repeating: 0, count: 27)

  init(path: String) throws(CallDirectoryError) {
    self.path = path
    guard let file = fopen(path, "rb") else { throw .file(path: path, operation: "open", code: errno) }
    self.file = file
    try fill(&fixed, count: 16)
    guard Array(fixed[..<4]) == PersonalList.magic else { throw damaged("this is no personal list") }
    guard integer(at: 4, as: UInt32.self) == PersonalList.version else { throw damaged("the version is unknown") }
    remaining = integer(at: 8, as: UInt64.self)
  }

  deinit { fclose(file) }

  /// Moves to the next entry; false at the end.
  func next() throws(CallDirectoryError) -> Bool {
    guard remaining > 0 else {
      guard getc(file) == EOF else { throw damaged("bytes follow the last entry") }
      return false
    }
    remaining -= 1
    try fill(&fixed, count: 27)
    let previous = number
    number = integer(at: 0, as: Int64.self)
    guard number > previous, number <= PackLimits.maxNumber else { throw damaged("number \(number) is out of order") }
    let flags = fixed[8]
    guard flags & 0xF0 == 0, flags & 3 != 2, flags & 12 != 8 else { throw damaged("flags \(flags) are unknown") }
    blocks = flags & 1 == 0 ? nil : flags & 2 == 0
    identifies = flags & 4 == 0 ? nil : flags & 8 == 0
    blockedModified = time(at: 9)
    identifiedModified = time(at: 17)
    let length = Int(integer(at: 25, as: UInt16.self))
    guard length < CallDirectoryLimits.droppedLabelBytes, length > 0 || identifies != true else {
      throw damaged("a label of \(length) bytes")
    }
    label.removeAll(keepingCapacity: true)
    label.append(contentsOf: repeatElement(0, count: length))
    try fill(&label, count: length)
    guard label.withUnsafeBytes({ UTF8Rule.isValid($0) }) else { throw damaged("a label that is not UTF-8") }
    return true
  }

  private func fill(_ buffer: inout [UInt8], count: Int) throws(CallDirectoryError) {
    let got = buffer.withUnsafeMutableBytes { count == 0 ? 0 : fread($0.baseAddress, 1, count, file) }
    guard got == count else { throw damaged("the file ends early") }
  }

  private func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
    fixed.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self)) }
  }

  private func time(at offset: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(bitPattern: integer(at: offset, as: UInt64.self)))
  }

  private func damaged(_ rule: String) -> CallDirectoryError { .damaged(path: path, rule: rule) }
}
