extension Manifest {
  /// The same manifest with as many deltas of each pack as a reader takes: the newest stay, an equal number of each.
  ///
  /// A reader who is further behind then fetches the whole pack, where a manifest that is too long would be read by nobody.
  /// Without any delta it may still be too long; ``init(decoding:)`` says so.
  /// - Parameter limit: the most bytes of ``encoded()``; what readers take unless given.
  public func fitting(limit: Int? = nil) throws -> Manifest {
    let limit = limit ?? CanonicalJSON.limit
    guard try encoded().count > limit else { return self }
    var (fits, tooMany) = (0, packs.map(\.deltas.count).max() ?? 0)
    while fits + 1 < tooMany {
      let middle = (fits + tooMany) / 2
      if try keeping(middle).encoded().count <= limit { fits = middle } else { tooMany = middle }
    }
    return keeping(fits)
  }

  private func keeping(_ deltas: Int) -> Manifest {
    var manifest = self
    for index in manifest.packs.indices {
      let newest = manifest.packs[index].deltas.map(\.fromSerial).sorted(by: >).prefix(deltas)
      manifest.packs[index].deltas.removeAll { !newest.contains($0.fromSerial) }
    }
    return manifest
  }
}
