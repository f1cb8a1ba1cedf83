// SPDX-License-Identifier: Apache-2.0

import Localization
import Foundation
import Storage

/// Values of the template `key`.
struct KeyPage: Encodable {
  struct Trace: Encodable {
    let text: String
    let isEmpty: Bool
    let since: String
    let until: String
  }

  let app: String
  let row: KeyRow
  let isValid: Bool
  let isRevoked: Bool
  let error: String
  let scopes: [AppsPage.Scope]
  let since: String
  let until: String
  /// At most one element.
  let trace: [Trace]

  init(
    _ key: AppKey, trace: KeyReportCounts?, since: String, until: String, error: String, texts: Localizer, now: Date
  ) {
    app = key.appName
    row = KeyRow(key, texts: texts, now: now)
    isValid = key.state(at: now) == .valid
    // Tokens of installations outlive an expired key.
    isRevoked = key.state(at: now) == .revoked
    self.error = error
    scopes = AppsPage.Scope.all(key.scopes, texts)
    self.since = since
    self.until = until
    self.trace =
      trace.map { trace in
        let figures = [
          "numbers": texts.number(trace.numbers), "reporters": texts.number(trace.reporters),
          "first": trace.first.map { PageTime($0, texts).text } ?? "",
          "last": trace.last.map { PageTime($0, texts).text } ?? "",
        ]
        return [
          Trace(
            text: trace.reports == 0 ? texts("apps.trace-none") : texts.count("apps.trace", trace.reports, figures),
            isEmpty: trace.reports == 0, since: since, until: until)
        ]
      } ?? []
  }
}
