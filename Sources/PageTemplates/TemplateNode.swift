// SPDX-License-Identifier: Apache-2.0

/// A parsed template, in which partials and parents are still names.
indirect enum TemplateNode: Sendable, Equatable {
  case text(Substring)
  /// `{{name}}`
  case variable(TemplateName)
  /// `{{#name}}…{{/name}}`, or with `^` instead of `#` if it is inverted.
  case section(TemplateName, isInverted: Bool, [TemplateNode])
  /// `{{>name}}`
  case partial(String)
  /// `{{<name}}…{{/name}}`; only its blocks are used.
  case parent(String, blocks: [String: [TemplateNode]])
  /// `{{$name}}…{{/name}}`: the default content of a block, which inheriting templates may replace.
  case block(String, [TemplateNode])
}
