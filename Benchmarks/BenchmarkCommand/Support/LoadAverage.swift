// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The load of the machine, which is printed beside a measurement.
enum LoadAverage {
  /// The mean number of running and runnable processes over the last minute.
  static var now: Double {
    var values = [0.0]
    return getloadavg(&values, 1) == 1 ? values[0] : 0
  }
}
