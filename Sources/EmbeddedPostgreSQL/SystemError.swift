import Foundation

/// The words for an error of the operating system.
enum SystemError {
  /// What errno says now, as in "Permission denied".
  static var current: String { String(cString: strerror(errno)) }
}
