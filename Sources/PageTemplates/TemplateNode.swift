/// A template as it was written: partials and parents are names still.
indirect enum TemplateNode: Sendable, Equatable {
  case text(Substring)
  /// `{{name}}`
  case variable(TemplateName)
  /// `{{#name}}…{{/name}}`, or with `^` in place of `#` when it is inverted.
  case section(TemplateName, isInverted: Bool, [TemplateNode])
  /// `{{>name}}`
  case partial(String)
  /// `{{<name}}…{{/name}}`; of what stands in it only the blocks matter.
  case parent(String, blocks: [String: [TemplateNode]])
  /// `{{$name}}…{{/name}}`: what stands there unless who inherits says otherwise.
  case block(String, [TemplateNode])
}
