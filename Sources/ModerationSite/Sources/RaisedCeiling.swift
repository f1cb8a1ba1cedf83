// SPDX-License-Identifier: Apache-2.0

import Curation
import Localization
import Storage

/// The question whether to raise the ceiling of a source.
struct RaisedCeiling: Encodable {
  let name: String
  /// The source whose effect is shown.
  let version: String
  let value: String
  /// The name of the ceiling.
  let ceiling: String
  /// The effect; empty where ``problem`` is given.
  let figures: [PreviewFigure]
  /// The reason why there are no figures; empty for none.
  let problem: String

  init(_ ceiling: SourceCeiling, of source: Source, figures: [PreviewFigure], problem: String, _ texts: Localizer) {
    (name, version, value) = (source.name, source.version, ceiling.rawValue)
    self.ceiling = texts("sources.ceiling-\(ceiling.rawValue)")
    (self.figures, self.problem) = (figures, problem)
  }
}
