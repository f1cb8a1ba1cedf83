import CallDirectory
import CallerPack
import Foundation
import TestData
import Testing

/// The three real lists, thinned out, on one phone.
@Suite struct RealListTests {
  /// Every `step`th line of a list from line `offset` on.
  private static func sample(_ name: String, step: Int, offset: Int) throws -> Callers {
    let file = try #require(Checkout.shared("data/packs/\(name)"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = """
      import lzma, sys
      for index, line in enumerate(lzma.open(sys.argv[1], 'rt', encoding='utf-8', newline='\\n')):
        if index % int(sys.argv[2]) == int(sys.argv[3]): sys.stdout.write(line)
      """
    process.arguments = ["python3", "-c", script, file, "\(step)", "\(offset)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    var callers: Callers = [:]
    for line in text.split(separator: "\n") {
      let columns = line.split(separator: "\t", maxSplits: 1)
      let label = columns.count > 1 ? String(columns[1]) : nil
      let isToxic = name.hasPrefix("toxic")
      callers[try #require(Int64(columns[0]))] = Caller(blocks: label == nil || isToxic, label: label)
    }
    return callers
  }

  @Test func threeListsLiveOnOnePhone() throws {
    guard Checkout.shared("data/packs") != nil else { return }
    let phone = try PhoneFixture()
    try phone.publish(Self.sample("directory-2m.tsv.xz", step: 400, offset: 0), at: 0)
    try phone.publish(Self.sample("toxic-100k.tsv.xz", step: 20, offset: 0), at: 1)
    try phone.publish(Self.sample("block-2m.txt.xz", step: 400, offset: 0), at: 2)
    #expect(phone.expected.count > 12_000)
    #expect(try phone.reload().isClean && phone.held == phone.expected)
    // The next night: other lines of one list, the others unchanged, and a page that is too small for it.
    phone.pageOperations = 4_000
    try phone.publish(Self.sample("toxic-100k.tsv.xz", step: 20, offset: 3), at: 1)
    var requests = 0
    repeat {
      #expect(try phone.reload().isClean)
      requests += 1
    } while !phone.feeder().isWhole()
    #expect(phone.held == phone.expected && requests > 2)
  }
}
