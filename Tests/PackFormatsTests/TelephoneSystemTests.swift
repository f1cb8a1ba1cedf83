// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackFormats
import PackDatabases
import Testing

@Suite struct TelephoneSystemTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  struct Contact: Codable, Equatable {
    var name: String
    var numbers: [String]
  }

  private func contacts(_ file: URL) throws -> [Contact] {
    let script = """
      import json, sys, xml.etree.ElementTree as et
      root = et.parse(sys.argv[1]).getroot()
      books = root.findall('phonebook')
      assert root.tag == 'phonebooks' and len(books) == 1
      out = []
      for c in books[0].findall('contact'):
        assert c.findtext('category') == '0'
        numbers = c.find('telephony').findall('number')
        assert 1 <= len(numbers) <= 9
        assert [n.get('id') for n in numbers] == [str(i) for i in range(len(numbers))]
        assert [n.get('prio') for n in numbers] == ['1'] + ['0'] * (len(numbers) - 1)
        out.append(dict(name=c.findtext('person/realName'), numbers=[n.text for n in numbers]))
      json.dump(out, sys.stdout)
      """
    return try Python.run(script, file.path, as: [Contact].self)
  }

  @Test func `a phonebook contains every blocked number once`() throws {
    let list = SampleLists.printable(1_000, seed: 6)
    let file = scratch["book.xml"]
    let summary = try ListFormat.fritzbox.writer(to: .file(file)).write(list)
    let contacts = try contacts(file)
    let blocking = list.filter(\.blocks)
    #expect(summary.written == UInt64(blocking.count))
    #expect(summary.notBlocking == UInt64(list.count - blocking.count))
    let expected = Dictionary(grouping: blocking) { $0.label ?? "Nuisance call" }
    let found = Dictionary(grouping: contacts, by: \.name).mapValues { $0.flatMap(\.numbers) }
    #expect(found == expected.mapValues { $0.map { "+\($0.number)" } })
    #expect(contacts.count == expected.values.reduce(0) { $0 + ($1.count + 8) / 9 })
  }

  @Test func `a phonebook over the limit fails or is cut`() throws {
    let list = (1...20).map { ListEntry(number: $0, blocks: true) }
    var options = ExportOptions()
    options.phonebookLimit = 10
    let failing = try ListFormat.fritzbox.writer(to: .file(scratch["a.xml"]), options: options)
    #expect(throws: PackFormatError.entry(number: 11, rule: "a phonebook holds at most 10 numbers")) {
      try failing.write(list)
    }
    options.overLimit = .truncate
    let cut = try ListFormat.fritzbox.writer(to: .file(scratch["b.xml"]), options: options).write(list)
    #expect(cut.written == 10 && cut.overLimit == 10)
    #expect(try contacts(scratch["b.xml"]).map(\.numbers.count) == [9, 1])
  }

  @Test func `characters that XML cannot contain are replaced`() throws {
    let list = [ListEntry(number: 1, label: "a\u{0}b\u{FFFF}c<&>\"'", blocks: true)]
    var options = ExportOptions()
    options.phonebookName = "<\"&\u{7}>"
    _ = try ListFormat.fritzbox.writer(to: .file(scratch["a.xml"]), options: options).write(list)
    #expect(try contacts(scratch["a.xml"]) == [Contact(name: "a bc<&>\"'", numbers: ["+1"])])
  }

  @Test func `a line for Asterisk has five words regardless of the label`() throws {
    let list = SampleLists.mixed(1_000, seed: 7)
    let file = scratch["lines"]
    var options = ExportOptions()
    options.includesIdentified = true
    options.numberPrefix = .zeros
    _ = try ListFormat.asterisk.writer(to: .file(file), options: options).write(list)
    let script = """
      import json, shlex, sys
      out = []
      for line in open(sys.argv[1], encoding='utf-8', newline='\\n'):
        words = shlex.split(line)
        assert words[:3] == ['database', 'put', 'blacklist'] and len(words) == 5, line
        assert not set(words[4]) & set('$`!;|<>\\\\"\\''), line
        out.append(words[3])
      json.dump(out, sys.stdout)
      """
    #expect(try Python.run(script, file.path, as: [String].self) == list.map { "00\($0.number)" })
    #expect(try String(contentsOf: file, encoding: .utf8).contains("\"日本語のラベル\""))
  }

  @Test func `a row for FreePBX is one line`() throws {
    let list = SampleLists.mixed(1_000, seed: 8)
    let file = scratch["rows.csv"]
    let summary = try ListFormat.freepbx.writer(to: .file(file)).write(list)
    let script = """
      import csv, json, sys
      lines = open(sys.argv[1], encoding='utf-8', newline='').read().split('\\r\\n')
      rows = [next(csv.reader([line], strict=True)) for line in lines[:-1]]
      assert rows[0] == ['number', 'description'] and all(len(r) == 2 for r in rows) and lines[-1] == ''
      assert not any(r[1][:1] in ('=', '+', '-', '@') for r in rows if r[1])
      json.dump([int(r[0]) for r in rows[1:]], sys.stdout)
      """
    let blocking = list.filter(\.blocks).map(\.number)
    #expect(try Python.run(script, file.path, as: [Int64].self) == blocking)
    #expect(summary.written == UInt64(blocking.count))
  }
}
