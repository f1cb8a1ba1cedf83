// SPDX-License-Identifier: Apache-2.0

/// A step of rendering a template.
indirect enum TemplateStep: Sendable, Equatable {
  case text([UInt8])
  case variable(TemplateName)
  case section(TemplateName, isInverted: Bool, [TemplateStep])

  /// The same steps with adjacent texts joined.
  static func joined(_ steps: [TemplateStep]) -> [TemplateStep] {
    steps.reduce(into: []) { all, step in
      if case .text(let text) = step, case .text(let before) = all.last {
        all[all.count - 1] = .text(before + text)
      } else {
        all.append(step)
      }
    }
  }
}

/// A compiled template, which may be rendered concurrently.
public struct Template: Sendable {
  let steps: [TemplateStep]

  /// Renders the template as UTF-8; each value is escaped for HTML.
  public func render(_ value: TemplateValue) -> [UInt8] {
    var rendering = TemplateRendering(value)
    rendering.run(steps)
    return rendering.output
  }
}
