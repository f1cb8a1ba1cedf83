import Foundation

/// How busy the machine is: a measurement on a busy one says little.
enum LoadAverage {
  /// Processes that ran or wanted to, averaged over the last minute.
  static var now: Double {
    var values = [0.0]
    return getloadavg(&values, 1) == 1 ? values[0] : 0
  }
}
