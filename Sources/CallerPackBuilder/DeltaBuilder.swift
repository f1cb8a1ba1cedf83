public import CallerPack

/// Makes deltas.
public enum DeltaBuilder {
  /// Writes the delta that turns `base` into `result`.
  ///
  /// Both must have the same kind. The delta is much smaller when `result` was written with the dictionary of `base`
  /// (``PackWriter/Options/dictionary``). The positions and numbers of what changes are held in memory, 8 bytes each.
  /// - Parameter checks: whether the delta is applied once, in a nameless file beside `path`, to prove that it gives
  ///   `result`.
  /// - Throws: ``PackError``: `malformed` when the kinds differ; what reading either pack throws; `inputOutput`.
  @discardableResult
  public static func build(
    from base: PackReader, to result: PackReader, out path: String, checks: Bool = true
  ) throws(PackError) -> PackSummary {
    guard base.header.kind == result.header.kind else {
      throw PackError(
        .malformed, "a delta joins two packs of one kind", expected: "\(base.header.kind)",
        got: "\(result.header.kind)")
    }
    var changes = try DeltaChanges(base, result)
    let sink = try PackSink(path: path)
    defer { sink.cancel() }
    try changes.write(to: sink)
    if checks { try PackDelta(source: try sink.source()).prove(base: base, beside: path) }
    let summary = PackSummary(
      entries: changes.count, bytes: sink.count, sha256: try sink.digest(), first: nil, last: nil)
    try sink.publish()
    return summary
  }
}
