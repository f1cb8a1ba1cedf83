// SPDX-License-Identifier: Apache-2.0

/// A value that provides its own template value, for frequent values of a page. The containers of generated encodings
/// take five times as long.
public protocol TemplateValueConvertible: Encodable {
  /// Equal to the result of ``TemplateValue/init(encoding:)``.
  var templateValue: TemplateValue { get }
}

extension Array: TemplateValueConvertible where Element: TemplateValueConvertible {
  /// A list.
  public var templateValue: TemplateValue { .list(map { $0.templateValue }) }
}
