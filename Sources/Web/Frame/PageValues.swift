import Mustache

/// A page's own values, and beside them the frame.
struct PageValues<Values>: MustacheParent {
  let values: Values
  let frame: Frame

  func child(named name: String) -> Any? {
    if name == "frame" { return frame }
    if let parent = values as? any MustacheParent { return parent.child(named: name) }
    var mirror: Mirror? = Mirror(reflecting: values)
    while let each = mirror {
      if let child = each.children.first(where: { $0.label == name }) { return Self.unwrapped(child.value) }
      mirror = each.superclassMirror
    }
    return nil
  }

  /// What an optional holds; Mustache would print `nil`.
  private static func unwrapped(_ value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first?.value : value
  }
}
