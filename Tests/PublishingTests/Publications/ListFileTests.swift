// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import PackFormats
import TestSupport
import Testing

@testable import Publishing

/// Files for other programs that are made of a pack, and how long their copies may be kept.
@Suite struct ListFileTests {
  /// Writes a pack with a label for each number, and reveals a manifest of it.
  private func publish(
    _ serial: Int64, newest: Int64? = nil, labels: Int = 1, in folder: PublicationFolder
  ) throws -> Manifest {
    try FileManager.default.createDirectory(atPath: folder.filePath("packs"), withIntermediateDirectories: true)
    let path = PublicationFolder.packFile(name: "toxic", serial: serial)
    let writer = try PackWriter(
      path: folder.filePath(path), options: .init(kind: .both, serial: UInt64(serial), createdAt: 1_795_132_800))
    for number in 0..<labels {
      try writer.append(33_199_000_100 + Int64(number), label: "L\(number)", roles: [.blocks, .identifies])
    }
    let summary = try writer.finish()
    let reader = try PackReader.open(path: folder.filePath(path))
    let pack = ManifestPack(
      name: "toxic", kind: "both", region: nil, serial: serial, entries: summary.entries, first: summary.first,
      last: summary.last, bytes: summary.bytes, sha256: summary.sha256.hex,
      contentSHA256: try reader.contentDigest().hex, path: path)
    let time = Date(timeIntervalSince1970: 1_795_132_800)
    return Manifest(
      serial: newest ?? serial, issued: time, asOf: time, expires: time + 86_400, previous: nil, packs: [pack])
  }

  /// The names of files end with the serial from which they have the changes.
  @Test func `changes start from a pack that is kept, and PhoneBlock's from that version alone`() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      _ = try publish(3, in: folder)
      // The pack stayed the same in the publications 6 and 7.
      let manifest = try publish(5, newest: 7, in: folder)
      let (lists, pack) = (ListFiles(folder: folder), manifest.packs[0])
      func base(_ path: String) -> String? { path.firstMatch(of: /-since-(\d+)/).map { String($0.1) } }
      for (since, changes, version) in [
        (nil, nil, nil), (-1, nil, nil), (0, nil, nil), (2, nil, nil), (3, "3", "3"), (4, nil, nil), (5, "5", "5"),
        (6, "5", nil), (7, "5", nil), (8, nil, nil),
      ] as [(Int64?, String?, String?)] {
        let file = try await lists.file(
          .init(pack: pack, format: .spamblockerXML, since: since), of: manifest, hottest: { [] })
        #expect(base(file) == changes, "\(since ?? -9)")
        let list = try await lists.phoneBlockList(
          of: pack, isXML: false, since: since, isCompressed: false, in: manifest
        ) { numbers in
          Dictionary(
            uniqueKeysWithValues: numbers.map { ($0, PhoneBlockFigures(votes: 9, rating: "G_FRAUD", lastActivity: 0)) })
        }
        #expect(base(list) == version, "\(since ?? -9)")
      }
    }
  }

  @Test(arguments: [(1, 1), (32, 32), (33, 0)])
  func `more than 32 labels are names of callers`(labels: Int, categories: Int) async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let manifest = try publish(1, labels: labels, in: folder)
      let offer = try #require(try await ListFiles(folder: folder).offers(of: manifest).first)
      #expect(offer.categories.count == categories && offer.entries == labels)
    }
  }

  @Test func `each interface has the greatest age of its copies`() throws {
    let time = Date(timeIntervalSince1970: 1_795_132_800)
    let manifest = Manifest(serial: 1, issued: time, asOf: time, expires: time + 86_400, previous: nil, packs: [])
    func copies(_ interfaces: PublicationInterfaces) -> [String] {
      PublicationCopy.all(of: manifest, interfaces: interfaces).map { "\($0.interface) \($0.seconds ?? -1)" }
    }
    let always = ["lookup 60", "lookup_by_hash 3600", "packs 86400"]
    #expect(copies([]) == always)
    #expect(copies(.phoneBlock) == ["phoneblock_lookup 0"] + always + ["phoneblock_list -1"])
    #expect(copies(.telephoneSystems) == ["lookup 60", "pbx 60", "lookup_by_hash 3600", "packs 86400"])
    #expect(copies(.addressBooks) == ["lookup 60", "lookup_by_hash 3600", "carddav 86400", "packs 86400"])
    let lists = copies(.lists).dropFirst(3)
    #expect(lists.count == ListFormat.allCases.count)
    #expect(lists.filter { !$0.hasSuffix(" -1") } == ["lists/spamblocker.csv 259200", "lists/spamblocker.xml 259200"])
  }

  @Test func `lists of a folder that cannot be written are in the temporary folder`() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let manifest = try publish(3, in: folder)
      // As on a file system that is read-only.
      try Data().write(to: URL(filePath: folder.filePath(".lists")))
      let file = try await ListFiles(folder: folder).file(.init(pack: manifest.packs[0], format: .csv), of: manifest) {
        []
      }
      #expect(file.hasPrefix(FileManager.default.temporaryDirectory.path) && !file.hasPrefix(path))
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("33199000100"))
      try FileManager.default.removeItem(atPath: (file as NSString).deletingLastPathComponent)
    }
  }
}
