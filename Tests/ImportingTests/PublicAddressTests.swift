// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import TestSupport
import Testing

@testable import Importing

/// Sources that were added on a page reach the public internet only.
@Suite(.database) struct PublicAddressTests {
  @Test(arguments: [
    "127.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "255.255.255.255", "198.18.0.1", "localhost", "2130706433", "0x7f.1", "::1", "::", "fe80::1",
    "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "ff02::1",
  ])
  func `private addresses are refused`(host: String) async throws {
    await #expect(throws: SourceFailure.privateAddress) { try await PublicAddress.resolve(host) }
  }

  @Test(arguments: ["1.1.1.1", "172.32.0.1", "192.169.0.1", "100.128.0.1", "2606:4700::1111"])
  func `public addresses are resolved to themselves`(host: String) async throws {
    #expect(try await PublicAddress.resolve(host) == host)
  }

  @Test func `the addresses of this machine are refused`() {
    #expect(PublicAddress.own().contains([127, 0, 0, 1]))
    let address: [UInt8] = [1, 1, 1, 1]
    #expect(PublicAddress.isPublic(address, besides: [[1, 1, 1, 2]]))
    let translated: [UInt8] = [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] + address
    for bytes in [address, translated] {
      #expect(PublicAddress.isPublic(bytes) && !PublicAddress.isPublic(bytes, besides: [address]))
    }
  }

  @Test func `a source of a page is not downloaded from this machine`() async throws {
    let settings = Source.Settings(
      name: "list", url: "http://127.0.0.1:9/list", format: .csv, every: 3_600, isPublic: true)
    let failure = await #expect(throws: SourceFailure.self) {
      try await SourcePreviewerTests.previewer(Stores(pool: TestDatabase.current.pool)).withClient { client in
        try await SourceDownload(client: client, folder: NSTemporaryDirectory(), limits: SourceReadLimits())
          .run(settings, Source.State(), since: nil, isConditional: false)
      }
    }
    #expect(failure == .privateAddress)
  }
}
