// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceClient

// client-probe FOLDER SERVER KEY: reads one command a line and answers when it is done.
//
//     report NUMBER ID   accepts a report
//     flush              sends everything that waits, and prints the number of items that still wait
let arguments = CommandLine.arguments
guard arguments.count == 4, let server = URL(string: arguments[2]) else { exit(2) }
let client = try RingfenceClient(
  ClientConfiguration(server: server, key: arguments[3], folder: URL(filePath: arguments[1])),
  transport: URLSessionTransport(idle: 10))
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  switch words.first {
  case "report":
    guard words.count == 3, let id = UUID(uuidString: words[2]) else { exit(2) }
    try await client.report(ClientReport(number: words[1], category: "fraud", reporter: "probe", reportID: id))
    print("accepted \(words[2])")
  case "flush":
    print("waiting \(await client.flush(isUrgent: true).waiting)")
  default: exit(2)
  }
  fflush(nil)
}
