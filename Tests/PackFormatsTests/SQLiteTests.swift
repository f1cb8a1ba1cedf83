// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackFormats
import PackDatabases
import Testing

@Suite struct SQLiteTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test func `an independent reader reads the SQLite rows`() throws {
    let list = SampleLists.mixed(20_000, seed: 5)
    let file = scratch["list.sqlite"]
    #expect(try ListFormat.sqlite.writer(to: .file(file)).write(list).written == 20_000)
    let script = """
      import json, sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      assert db.execute('PRAGMA integrity_check').fetchone() == ('ok',)
      assert db.execute('PRAGMA user_version').fetchone() == (1,)
      plan = db.execute('EXPLAIN QUERY PLAN SELECT label FROM numbers WHERE number = 1').fetchone()[3]
      assert 'INTEGER PRIMARY KEY' in plan, plan
      rows = db.execute('SELECT number, label, block FROM numbers ORDER BY number')
      json.dump([dict(number=n, label=l, block=b == 1) for n, l, b in rows], sys.stdout)
      """
    #expect(try Python.run(script, file.path, as: [Row].self) == list.map(Row.init))
    #expect(scratch.names == ["list.sqlite"])
  }

  @Test func `standard output is refused`() {
    #expect(throws: PackFormatError.self) { try ListFormat.sqlite.writer(to: .standardOutput) }
  }

  @Test func `an unfinished database leaves no file`() throws {
    do {
      let writer = try ListFormat.sqlite.writer(to: .file(scratch["list.sqlite"]))
      try writer.append(ListEntry(number: 1, blocks: true))
    }
    #expect(scratch.names.isEmpty)
  }
}
