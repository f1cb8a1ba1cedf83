// SPDX-License-Identifier: Apache-2.0

public import CallerPack

/// Creates deltas.
///
/// ```swift
/// let base = try PackReader.open(path: "toxic-41.rfpack")
/// let result = try PackReader.open(path: "toxic-42.rfpack")
/// try DeltaBuilder.build(from: base, to: result, out: "toxic-41-42.rfdelta")
/// ```
public enum DeltaBuilder {
  /// Writes the delta that turns `base` into `result`.
  ///
  /// Both packs must have the same kind. The delta is much smaller when `result` was written with the dictionary of
  /// `base` (``PackWriter/Options/dictionary``). The positions and numbers of the changes are kept in memory, 8 bytes
  /// each.
  /// - Parameters:
  ///   - base: the older pack.
  ///   - result: the newer pack.
  ///   - path: the file to write; an existing file is replaced.
  ///   - checks: whether the delta is applied once, in an unnamed file in the same folder, to prove that it gives
  ///     `result`.
  /// - Returns: the changes, size and SHA-256 of the delta.
  /// - Throws: ``PackError``: `malformed` when the kinds differ; errors of reading either pack; `inputOutput`.
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
