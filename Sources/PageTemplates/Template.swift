/// What is done to render a template.
indirect enum TemplateStep: Sendable, Equatable {
  case text([UInt8])
  case variable(TemplateName)
  case section(TemplateName, isInverted: Bool, [TemplateStep])

  /// The same with neighbouring texts made one.
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

/// A template that can be rendered, any number of times at once.
public struct Template: Sendable {
  let steps: [TemplateStep]

  /// UTF-8 of the template with the value's names filled in, each escaped for HTML.
  public func render(_ value: TemplateValue) -> [UInt8] {
    var rendering = TemplateRendering(value)
    rendering.run(steps)
    return rendering.output
  }
}
