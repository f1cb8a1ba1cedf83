/// A value that says by itself what a template sees. For what stands on a page many times: going through the containers
/// that the compiler's encoding asks for takes five times as long.
public protocol TemplateValueConvertible: Encodable {
  /// The same as ``TemplateValue/init(encoding:)`` makes of it.
  var templateValue: TemplateValue { get }
}

extension Array: TemplateValueConvertible where Element: TemplateValueConvertible {
  /// A list.
  public var templateValue: TemplateValue { .list(map { $0.templateValue }) }
}
