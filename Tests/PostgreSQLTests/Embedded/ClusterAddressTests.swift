// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PostgreSQL

@Suite struct ClusterAddressTests {
  @Test func `a connection string quotes special characters`() {
    let address = ClusterAddress(socketFolder: "/srv/it's here\\x")
    #expect(
      address.dsn(user: "ringfence", database: "a b")
        == #"host='/srv/it\'s here\\x' port=5432 user=ringfence dbname='a b'"#)
    #expect(
      ClusterAddress(socketFolder: "/srv/s").dsn(user: "ringfence", database: "")
        == "host=/srv/s port=5432 user=ringfence dbname=''")
  }

  @Test func `a socket path has at most 107 bytes`() {
    let suffix = "/.s.PGSQL.5432".utf8.count
    #expect(ClusterAddress.isUsable(socketFolder: "/" + String(repeating: "a", count: 107 - suffix - 1)))
    #expect(!ClusterAddress.isUsable(socketFolder: "/" + String(repeating: "a", count: 107 - suffix)))
    #expect(!ClusterAddress.isUsable(socketFolder: "/a,b"))
  }
}
