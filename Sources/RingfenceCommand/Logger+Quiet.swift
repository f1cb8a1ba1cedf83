import Logging

extension Logger {
  /// For commands that speak for themselves: warnings and errors only, on standard error.
  static let quiet = {
    var logger = Logger(label: "ringfence") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    return logger
  }()

  /// For the server.
  static let server = {
    var logger = Logger(label: "ringfence") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .info
    return logger
  }()
}
