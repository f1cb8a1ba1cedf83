package import Logging
import Telemetry

extension Logger {
  /// For commands that speak for themselves: warnings and errors only, on standard error.
  package static let quiet = {
    var logger = Logger(label: "ringfence") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    return logger
  }()

  /// For the server, in the format that ``LogFormat/current`` names.
  static let server = {
    var logger = Logger(label: "ringfence") { ServerLogHandler(label: $0) }
    logger.logLevel = .info
    return logger
  }()
}
