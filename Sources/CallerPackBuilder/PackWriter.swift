public import CallerPack

/// Writes a pack from entries in ascending order, in bounded memory.
///
/// The file appears under its name only when ``finish()`` has made it whole; a writer that is dropped before leaves
/// nothing behind. The same header fields and entries give the same bytes. Not for two threads at once.
public final class PackWriter {
  /// What a new pack's header says.
  public struct Options: Sendable {
    /// What the entries do.
    public var kind: PackKind
    /// The region's name: at most 23 of `A-Z a-z 0-9 . _ -`; may be empty.
    public var region: String
    /// The serial number of this pack.
    public var serial: UInt64
    /// The serial of the pack that this one is derived from; 0 when there is none.
    public var baseSerial: UInt64
    /// Seconds since 1970-01-01 00:00 UTC; 0 says nothing.
    public var createdAt: Int64
    /// How much memory a reader may need.
    public var profile: PackProfile
    /// The most additions (blocking plus identification), 1 to ``PackLimits/entries``.
    public var maximumEntries: Int
    /// A pack whose dictionary is taken over, so that a delta from it need not carry a new one; `nil` trains one.
    ///
    /// Labels change with time: a dictionary that is taken over for months fits them less and less. A lean pack takes
    /// only a lean pack's.
    public var dictionary: PackReader?

    /// Makes options; by default what one Call Directory extension takes, with a dictionary of its own.
    public init(
      kind: PackKind, region: String = "", serial: UInt64 = 0, baseSerial: UInt64 = 0, createdAt: Int64 = 0,
      profile: PackProfile = .standard, maximumEntries: Int = PackLimits.callDirectoryEntries,
      dictionary: PackReader? = nil
    ) {
      self.kind = kind
      self.region = region
      self.serial = serial
      self.baseSerial = baseSerial
      self.createdAt = createdAt
      self.profile = profile
      self.maximumEntries = maximumEntries
      self.dictionary = dictionary
    }
  }

  let options: Options
  let sink: PackSink
  private var rules: EntryRules
  /// A pack without labels is written as it comes; one with labels waits in a spool for its dictionary.
  private var encoder: PackEncoder?
  private(set) var spool: EntrySpool?
  private(set) var sample = LabelSample()
  private(set) var identifies = false

  /// Creates a temporary file beside `path`.
  /// - Throws: ``PackError``: `inputOutput`, or `badEntry` for a field that breaks a rule.
  public init(path: String, options: Options) throws(PackError) {
    try EntryRules.check(options)
    self.options = options
    rules = EntryRules(options)
    sink = try PackSink(path: path)
    if options.kind == .blocking {
      encoder = try PackEncoder(header(shift: Self.bareShift), nil, into: sink)
    } else {
      spool = try EntrySpool(beside: path)
    }
  }

  /// Appends an entry that blocks.
  /// - Throws: ``PackError``: `badEntry` names the entry and the rule; `inputOutput`.
  public func append(_ number: Int64) throws(PackError) {
    try append(number, roles: .blocks, labelUTF8: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Appends an entry that identifies and, in a `.both` pack, may block too.
  /// - Throws: the same as ``append(_:)``.
  public func append(_ number: Int64, label: String, roles: PackRoles = .identifies) throws(PackError) {
    var label = label
    var failure: PackError?
    label.withUTF8 { bytes in
      do throws(PackError) {
        try append(number, roles: roles, labelUTF8: UnsafeRawBufferPointer(bytes))
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Appends an entry.
  /// - Throws: the same as ``append(_:)``.
  public func append(_ entry: PackEntry) throws(PackError) {
    try append(entry.number, label: entry.label ?? "", roles: entry.roles)
  }

  /// Appends an entry whose label is given as UTF-8 bytes; empty for an entry that only blocks.
  /// - Throws: the same as ``append(_:)``.
  public func append(_ number: Int64, roles: PackRoles, labelUTF8: UnsafeRawBufferPointer) throws(PackError) {
    try rules.accept(number, roles: roles, label: labelUTF8)
    if roles.contains(.identifies) { identifies = true }
    if let encoder {
      try encoder.append(number, roles: roles, label: labelUTF8)
    } else {
      if options.dictionary == nil, roles.contains(.identifies) { sample.add(labelUTF8) }
      try spool?.append(number, roles: roles, label: labelUTF8)
    }
  }

  /// Completes the file and gives it its name.
  /// - Throws: ``PackError``: `inputOutput`, or `misuse` when called twice.
  @discardableResult
  public func finish() throws(PackError) -> PackSummary {
    try rules.end()
    let (encoder, written) = if let encoder { (encoder, try encoder.finish()) } else { try encodeSpool() }
    self.encoder = nil
    let digest = try sink.digest()
    try sink.publish()
    spool?.cancel()
    return PackSummary(
      entries: written.entryCount, bytes: written.fileBytes, sha256: digest, first: encoder.firstNumber,
      last: written.entryCount > 0 ? written.lastNumber : nil)
  }

  /// Throws away what was written.
  public func cancel() {
    sink.cancel()
    spool?.cancel()
    rules.close()
  }
}
