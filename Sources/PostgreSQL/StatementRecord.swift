// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif
  import Synchronization

  /// The statements that this process has sent. Where `RINGFENCE_STATEMENTS` names a folder, each text is written once to
  /// a file there: the file and the function that made it, U+001F, the types of its parameters as their numbers, U+001F, the
  /// text, U+001E. Tests/Architecture/test_statements.py and Scripts/try-cluster read them.
  enum StatementRecord {
    private struct State {
      var makers: [String: String] = [:]
      var sent: Set<String> = []
    }

    private static let folder = getenv("RINGFENCE_STATEMENTS").map { String(cString: $0) }
    private static let state = Mutex(State())

    static func note(_ sql: String, _ types: [UInt32] = [], madeBy file: StaticString, _ function: StaticString) {
      guard folder != nil else { return }
      let maker = "\(file) \(function)\u{1F}\(types.map(String.init).joined(separator: ","))"
      state.withLock { $0.makers[sql] = maker }
    }

    static func noteSent(_ sql: String?) {
      guard let folder, let sql else { return }
      state.withLock { state in
        guard state.sent.insert(sql).inserted, let file = fopen("\(folder)/\(getpid())", "a") else { return }
        fputs("\(state.makers[sql] ?? "\u{1F}")\u{1F}\(sql)\u{1E}", file)
        fclose(file)
      }
    }
  }
#endif
