// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RingfenceCommand

@Suite struct ListeningTests {
  @Test(
    arguments: [
      (nil, "127.0.0.1", "Listening on http://127.0.0.1:8080"),
      (
        nil, "0.0.0.0",
        """
        Listening on http://0.0.0.0:8080
        0.0.0.0 means all addresses of this machine. On this machine, open http://127.0.0.1:8080
        """
      ),
      (
        "https://ringfence.example/", "::",
        """
        Listening on http://[::]:8080
        :: means all addresses of this machine. On this machine, open http://[::1]:8080
        Its address for others is https://ringfence.example
        """
      ),
    ] as [(String?, String, String)])
  func `the server says where it listens`(url: String?, host: String, text: String) {
    #expect(ServeCommand.listening(url: url, host: host, port: 8_080) == text)
  }
}
