// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BenchmarkCommand

@Suite struct PgbenchResultTests {
  @Test func `parses the figures of pgbench`() throws {
    let figures = try #require(
      PgbenchResult(
        output: """
          pgbench (15.14 (Debian 15.14-0+deb12u1))
          transaction type: one.sql
          scaling factor: 1
          query mode: prepared
          number of clients: 64
          number of threads: 2
          maximum number of tries: 1
          duration: 15 s
          number of transactions actually processed: 51234
          number of failed transactions: 3 (0.006%)
          latency average = 18.731 ms
          initial connection time = 154.123 ms
          tps = 3416.250000 (without initial connection time)
          """))
    #expect(figures.transactions == 51_234)
    #expect(figures.failed == 3)
    #expect(figures.rate == 3_416.25)
    #expect(figures.averageLatency == 18.731)
  }

  @Test func `returns no figures when pgbench is aborted`() {
    #expect(PgbenchResult(output: "pgbench: error: client 0 aborted in command 5\nRun was aborted") == nil)
  }
}
