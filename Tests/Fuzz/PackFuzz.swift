// SPDX-License-Identifier: Apache-2.0

// A libFuzzer target for the readers of packs and deltas; Scripts/fuzz-pack.sh builds and runs it.
// It is compiled together with the sources of CallerPack, with FuzzDigest.swift in place of PackDigest.swift.

/// A pack that deltas are read against.
private let base: PackReader? = try? PackReader.open(path: "Tests/CallerPackTests/Golden/labels.rfpack")

/// The results of deltas.
private let result = ".build/fuzz/result.rfpack"

/// One input: even first bytes are read as a pack, odd ones as a delta, with their checksums made right.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  guard bytes.count > 8 else { return 0 }
  if Array(bytes[..<8]) == DeltaLayout.magic {
    readDelta(bytes)
  } else {
    readPack(bytes)
  }
  return 0
}

private func readPack(_ bytes: [UInt8]) {
  do {
    let reader = try PackReader(bytes: repairedPack(bytes))
    try reader.verify()
    let cursor = try reader.makeCursor()
    var last: Int64 = 0
    while try cursor.next() {
      precondition(cursor.number > last)
      last = cursor.number
    }
    let found = try reader.lookup(last)?.number ?? 0
    precondition(found == last)
  } catch {
    precondition(!"\(error)".isEmpty)
  }
}

private func readDelta(_ bytes: [UInt8]) {
  guard let base else { return }
  do {
    let delta = try PackDelta(bytes: repairedDelta(bytes))
    let changes = try delta.makeChanges(base: base)
    while try changes.next() != nil {}
    try delta.apply(base: base, to: result)
  } catch {
    precondition(!"\(error)".isEmpty)
    return
  }
  // Only a pack that keeps every rule is the result of a delta.
  do { try PackReader.open(path: result).verify() } catch { preconditionFailure("\(error)") }
}

private func put(_ value: UInt32, _ at: Int, _ bytes: inout [UInt8]) {
  for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
}

private func repairedDelta(_ input: [UInt8]) -> [UInt8] {
  var bytes = input
  guard bytes.count >= 264 else { return bytes }
  put(UInt32(bytes.count), 124, &bytes)
  put(checksum(Array(bytes[132..<256])), 256, &bytes)
  put(checksum(Array(bytes[264...])), 120, &bytes)
  put(checksum(Array(bytes[..<260])), 260, &bytes)
  return bytes
}

private func repairedPack(_ input: [UInt8]) -> [UInt8] {
  var bytes = input
  guard bytes.count >= 128 else { return bytes }
  func u32(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
  put(UInt32(bytes.count), 120, &bytes)
  let blocks = u32(52), stored = u32(56), index = bytes.count - 16 * blocks
  if index >= 128, 128 + stored <= index {
    for block in 0..<blocks {
      let from = u32(index + 16 * block + 8), to = block + 1 < blocks ? u32(index + 16 * block + 24) : index
      if from <= to, to <= bytes.count { put(checksum(Array(bytes[from..<to])), index + 16 * block + 12, &bytes) }
    }
    put(checksum(Array(bytes[index...])), 76, &bytes)
    put(checksum(Array(bytes[128..<128 + stored])), 112, &bytes)
  }
  put(checksum(Array(bytes[..<124])), 124, &bytes)
  return bytes
}
