// SPDX-License-Identifier: Apache-2.0

import Foundation
import Localization
import PageTemplates
import Timestamps

/// A time on a page, for the partial `time`: `{{#since}}{{>time}}{{/since}}`. A script shows it in the reader's time
/// zone.
struct PageTime: TemplateValueConvertible {
  /// RFC 3339.
  let datetime: String
  /// `21 November 2026, 09:00 UTC`.
  let text: String

  init(_ date: Date, _ texts: Localizer) {
    datetime = Timestamp.format(date)
    text = texts.time(datetime)
  }

  var templateValue: TemplateValue { ["datetime": .text(datetime), "text": .text(text)] }
}
