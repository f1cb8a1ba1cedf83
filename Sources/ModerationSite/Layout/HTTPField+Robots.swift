// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPField.Name {
  /// Instructions for search engines.
  static let robots = HTTPField.Name("X-Robots-Tag")!
}
