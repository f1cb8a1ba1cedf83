// SPDX-License-Identifier: Apache-2.0

import Curation

/// PhoneBlock's ratings. Clients know no other names.
enum PhoneBlockRating: String, Codable, CaseIterable, Sendable {
  case legitimate = "A_LEGITIMATE"
  case missed = "B_MISSED"
  case ping = "C_PING"
  case poll = "D_POLL"
  case advertising = "E_ADVERTISING"
  case gamble = "F_GAMBLE"
  case fraud = "G_FRAUD"

  init(_ category: ReportCategory) {
    self =
      switch category {
      case .legitimate: .legitimate
      case .other, .harassment, .robocall, .debtCollection: .missed
      case .oneRing, .silent: .ping
      case .survey: .poll
      case .telemarketing, .political: .advertising
      case .gambling: .gamble
      case .fraud, .pyramid: .fraud
      }
  }

  /// The category of a report with this rating.
  var category: ReportCategory {
    switch self {
    case .legitimate: .legitimate
    case .missed: .other
    case .ping: .oneRing
    case .poll: .survey
    case .advertising: .telemarketing
    case .gamble: .gambling
    case .fraud: .fraud
    }
  }
}
