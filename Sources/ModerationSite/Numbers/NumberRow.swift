// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import PageTemplates
import Storage

/// A row of a list of numbers.
struct NumberRow: Encodable {
  /// A short mark of the number's state.
  struct Badge: Encodable {
    let text: String
    let tone: String
  }

  let digits: Int64
  let number: String
  let country: String
  let reports: String
  let last: [PageTime]
  let badges: [Badge]
  let label: String
  /// The name in a directory; empty for none.
  let name: String

  init(_ line: SearchHit, _ texts: Localizer) {
    digits = line.number
    number = NumberText.text(line.number)
    country = NumberText.country(line.number, texts)
    reports = texts.number(line.reports)
    last = line.lastReportedAt.map { [PageTime($0, texts)] } ?? []
    label = line.label ?? ""
    name = line.directoryName ?? ""
    var badges: [Badge] = []
    if let category = line.listedAs {
      badges.append(
        Badge(
          text: texts(line.isBlocked ? "search.blocked" : "search.named", ["category": texts.category(category)]),
          tone: line.isBlocked ? "alarm" : "warn"))
    }
    if let decision = line.decision {
      badges.append(Badge(text: texts("search.decided-\(decision.rawValue)"), tone: ""))
    }
    if line.isHeld { badges.append(Badge(text: texts("search.held"), tone: "warn")) }
    if line.hasAppeal { badges.append(Badge(text: texts("search.appeal"), tone: "warn")) }
    self.badges = badges
  }
}

extension NumberRow: TemplateValueConvertible {
  var templateValue: TemplateValue {
    [
      "digits": .text("\(digits)"), "number": .text(number), "country": .text(country), "reports": .text(reports),
      "last": last.templateValue, "badges": badges.templateValue, "label": .text(label), "name": .text(name),
    ]
  }
}

extension NumberRow.Badge: TemplateValueConvertible {
  var templateValue: TemplateValue { ["text": .text(text), "tone": .text(tone)] }
}
