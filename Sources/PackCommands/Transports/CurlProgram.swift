// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import Dispatch
  import FoundationEssentials
  import Glibc
  import OutboundHTTP
  import Support
  import Synchronization

  typealias PlatformTransport = CurlProgram

  /// Requests by the program curl, which uses the proxies and the certificates of its environment.
  ///
  /// On Linux, Foundation's own client has a libcurl and 30 MB of tables in the program.
  struct CurlProgram: OutboundTransport {
    /// The longest time without data from the server.
    var idle = Duration.seconds(30)
    var program = "curl"

    /// The most bytes of all heads of a response.
    private static let maxHead = 300 << 10

    func exchange(
      _ request: OutboundRequest, limit: Int, total: Duration,
      head: @escaping @Sendable (OutboundResponse) throws -> Void, body: @escaping @Sendable (Data) throws -> Void
    ) async throws -> OutboundResponse {
      let process = ChildProcess()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<OutboundResponse, any Error>) in
          DispatchQueue.global().async {
            continuation.resume(
              with: Result { try run(request, process, limit: limit, total: total, head: head, body: body) })
          }
        }
      } onCancel: {
        process.cancel()
      }
    }

    private func run(
      _ request: OutboundRequest, _ process: ChildProcess, limit: Int, total: Duration,
      head: (OutboundResponse) throws -> Void, body: (Data) throws -> Void
    ) throws -> OutboundResponse {
      let deadline = ContinuousClock.now + total
      try process.start(program, ["--disable", "--config", "-"], input: try options(of: request))
      defer { process.end() }
      var (lines, answer, heads, content) = (ResponseLines(), OutboundResponse?.none, 0, 0)
      while true {
        let rest = deadline - .now
        guard rest > .zero else { throw HTTPClientError.tookTooLong(total) }
        guard var piece = try process.read(within: min(rest, idle)) else {
          throw rest < idle ? HTTPClientError.tookTooLong(total) : .silent
        }
        if piece.isEmpty { break }
        if answer == nil {
          heads += piece.count
          guard let found = try lines.take(&piece) else {
            guard heads <= Self.maxHead else { throw HTTPClientError.malformed }
            continue
          }
          guard found.isSuccess else { return found }
          try found.checkBody(limit: limit)
          try head(found)
          answer = found
        }
        content += piece.count
        guard content <= limit else { throw HTTPClientError.tooLong(limit: limit) }
        if !piece.isEmpty { try body(Data(piece)) }
      }
      let (code, reason) = process.wait()
      guard code == 0 else {
        throw HTTPClientError(curl: code, reason, hasSystemError: false, at: request.url)
      }
      guard let answer else { throw HTTPClientError.endedEarly }
      // Without a length, nothing here shows that nobody has cut off the end.
      if request.url.scheme?.lowercased() == "https", !answer.hasLength { throw HTTPClientError.endedEarly }
      return answer
    }

    /// The options in the form of curl's file: a list of processes shows arguments, and a field may have a key.
    private func options(of request: OutboundRequest) throws -> String {
      var lines = [
        "url", request.url.absoluteString, "request", request.method, "proto", "=http,https", "connect-timeout", "10",
        "user-agent", "ringfence-packs", "header", "Accept-Encoding: identity",
      ]
      for (name, value) in request.fields { lines += ["header", "\(name): \(value)"] }
      guard lines.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
        throw HTTPClientError.malformed
      }
      let quoted = stride(from: 0, to: lines.count, by: 2).map { index in
        let value = lines[index + 1].flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        return "\(lines[index]) = \"\(String(value))\"\n"
      }
      let flags = [
        "silent", "show-error", "include", "http1.1", "tlsv1.2", "globoff", "no-buffer", "suppress-connect-headers",
      ]
      return quoted.joined() + flags.map { "\($0)\n" }.joined()
    }
  }

  /// Finds the head of the final response at the beginning of curl's output.
  private struct ResponseLines {
    private var pending: [UInt8] = []
    private var status: Int?
    private var fields: [(name: String, value: String)] = []

    /// - Parameter piece: what follows the head is left in it.
    mutating func take(_ piece: inout ArraySlice<UInt8>) throws(HTTPClientError) -> OutboundResponse? {
      while let end = piece.firstIndex(of: 0x0A) {
        pending += piece[..<end]
        piece = piece[(end + 1)...]
        if pending.last == 0x0D { pending.removeLast() }
        let line = pending
        pending = []
        if let status, line.isEmpty {
          // Otherwise an interim response: the final one follows.
          if status >= 200 { return OutboundResponse(status: status, fields: fields) }
          (self.status, fields) = (nil, [])
        } else if status == nil {
          let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 2)
          guard line.starts(with: "HTTP/".utf8), parts.count >= 2, let found = Int(parts[1]), found >= 100 else {
            throw .malformed
          }
          status = found
        } else {
          fields.append(try OutboundResponse.field(of: line))
        }
      }
      pending += piece
      piece = []
      return nil
    }
  }

  /// A child process with pipes for its input, output and errors. One thread uses it; any may cancel it.
  private final class ChildProcess: @unchecked Sendable {
    // Unchecked: the pipes belong to one thread.
    private struct State {
      var pid: pid_t = 0
      var isCancelled = false
    }

    private let state = Mutex(State())
    private var (output, errors): (Int32, Int32) = (-1, -1)

    func start(_ program: String, _ arguments: [String], input: String) throws {
      var pipes: [Int32] = []
      for _ in 0..<3 {
        var pair: [Int32] = [-1, -1]
        guard pipe(&pair) == 0 else { throw HTTPClientError.connectionFailed(String(cString: strerror(errno))) }
        for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        pipes += pair
      }
      (output, errors) = (pipes[2], pipes[4])
      defer { for descriptor in [pipes[0], pipes[1], pipes[3], pipes[5]] { close(descriptor) } }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for (descriptor, target) in [(pipes[0], 0), (pipes[3], 1), (pipes[5], 2)] {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
      }
      var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
      defer { words.forEach { free($0) } }
      let code: Int32 = try state.withLock { state in
        if state.isCancelled { throw CancellationError() }
        return posix_spawnp(&state.pid, program, &actions, nil, &words, environ)
      }
      guard code == 0 else {
        state.withLock { $0.pid = 0 }
        throw PackFailure(
          "Cannot start the program \(program): \(String(cString: strerror(code))). Install it.", exitCode: 3)
      }
      // Less than a pipe holds.
      guard writeAll(input.utf8, to: pipes[1]) else {
        throw HTTPClientError.connectionFailed(String(cString: strerror(errno)))
      }
    }

    /// - Returns: the next bytes, none at the end; nil if there were none in time.
    func read(within limit: Duration) throws -> ArraySlice<UInt8>? {
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let milliseconds = Int32(min(limit / .milliseconds(1), 1e9).rounded(.up))
      let ready = uninterrupted { Int(poll(&waiting, 1, milliseconds)) }
      if state.withLock(\.isCancelled) { throw CancellationError() }
      guard ready > 0 else { return nil }
      let output = output
      return [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, used in
        used = max(0, uninterrupted { Glibc.read(output, room.baseAddress, room.count) })
      }[...]
    }

    /// - Returns: the exit code, 0 for success, and the last line of its errors.
    func wait() -> (code: Int, reason: String) {
      var text: [UInt8] = []
      while text.count < 1 << 16 {
        let errors = errors
        let piece = [UInt8](unsafeUninitializedCapacity: 4_096) { room, used in
          used = max(0, uninterrupted { Glibc.read(errors, room.baseAddress, room.count) })
        }
        if piece.isEmpty { break }
        text += piece
      }
      let last = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).last
      // Without "curl: (7) ".
      let reason = last.map { line in line.firstIndex(of: ")").map { line[$0...].dropFirst(2) } ?? line }
      let status = reap()
      // The low seven bits are the signal that has ended it.
      return (
        status & 0x7F == 0 ? Int(status >> 8) & 0xFF : -1,
        reason.map { String($0) } ?? "curl ended with status \(status)"
      )
    }

    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        if state.pid > 0 { kill(state.pid, SIGKILL) }
      }
    }

    /// Ends the process if it still runs, and closes the pipes.
    func end() {
      state.withLock { if $0.pid > 0 { kill($0.pid, SIGKILL) } }
      _ = reap()
      close(output)
      close(errors)
    }

    private func reap() -> Int32 {
      // Before it is gone: another process may get its number.
      let pid = state.withLock { state in
        defer { state.pid = 0 }
        return state.pid
      }
      var status: Int32 = 0
      if pid > 0 { _ = uninterrupted { Int(waitpid(pid, &status, 0)) } }
      return status
    }
  }
#endif
