// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import Testing

@Suite struct UpdateTests {
  private func pack(_ path: String, serial: UInt64, numbers: some Sequence<Int64>) throws -> PackSummary {
    let writer = try PackWriter(path: path, options: .init(kind: .blocking, serial: serial))
    for number in numbers { try writer.append(number) }
    return try writer.finish()
  }

  private func described(_ path: String, serial: Int64, _ summary: PackSummary, deltas: [ManifestPack.Delta]) throws
    -> ManifestPack
  {
    ManifestPack(
      name: "block", kind: "blocking", serial: serial, entries: summary.entries, first: summary.first,
      last: summary.last, bytes: summary.bytes, sha256: summary.sha256.hex,
      contentSHA256: try PackReader.open(path: path).contentDigest().hex, path: "packs/block-\(serial).rfpack",
      deltas: deltas)
  }

  @Test func `a plan contains nothing, a delta or a complete pack and checks each`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let numbers = (1...20_000).map { Int64($0) * 7_919 }
    let old = try pack("\(folder)/1", serial: 1, numbers: numbers)
    let new = try pack("\(folder)/2", serial: 2, numbers: numbers.dropFirst(3))
    let delta = try DeltaBuilder.build(
      from: PackReader.open(path: "\(folder)/1"), to: PackReader.open(path: "\(folder)/2"), out: "\(folder)/d")
    let entry = try described(
      "\(folder)/2", serial: 2, new,
      deltas: [
        .init(fromSerial: 1, fromSHA256: old.sha256.hex, bytes: delta.bytes, sha256: delta.sha256.hex, path: "deltas/d")
      ])
    let manifest = Manifest(
      serial: 2, issued: .distantPast, asOf: .distantPast, expires: .distantFuture, previous: nil, packs: [entry])
    func step(_ held: PackDigest?) throws -> PackUpdate {
      let held = held.map { ["block": $0] } ?? [:]
      return try #require(UpdatePlanner.plan(manifest, wanted: ["block"], held: held).first)
    }
    #expect(try step(nil).step == .full)
    #expect(try step(new.sha256).step == .none)
    #expect(try step(PackDigest.of([1])).step == .full)
    let update = try step(old.sha256)
    #expect(update.step == .delta(entry.deltas[0]))
    #expect(update.bytes < new.bytes / 10)
    try update.apply(deltaAt: "\(folder)/d", base: "\(folder)/1", to: "\(folder)/result")
    #expect(try PackDigest.ofFile("\(folder)/result") == new.sha256)

    #expect(throws: UpdateError.self) { try update.check(packAt: "\(folder)/1") }
    #expect(throws: UpdateError.self) {
      try update.apply(deltaAt: "\(folder)/2", base: "\(folder)/1", to: "\(folder)/none")
    }
    #expect(throws: UpdateError.self) {
      try update.apply(deltaAt: "\(folder)/d", base: "\(folder)/2", to: "\(folder)/none")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/none"))
    #expect(throws: UpdateError.noSuchPack("toxic")) {
      try UpdatePlanner.plan(manifest, wanted: ["block", "toxic"], held: [:])
    }
  }

  @Test func `the content digest depends on the entries and not on their encoding`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try pack("\(folder)/1", serial: 1, numbers: [12_015_550_123])
    _ = try pack("\(folder)/2", serial: 2, numbers: [12_015_550_123])
    _ = try pack("\(folder)/3", serial: 2, numbers: [12_015_550_124])
    let digests = try (1...3).map { try PackReader.open(path: "\(folder)/\($0)").contentDigest() }
    #expect(digests[0] == digests[1])
    #expect(digests[0] != digests[2])
    let number = withUnsafeBytes(of: Int64(12_015_550_123).littleEndian) { Array($0) }
    #expect(digests[0] == .of(number + [1, 0, 0]))
  }
}
