// SPDX-License-Identifier: Apache-2.0

/// The numbering plans of all regions, in one version, read from a file of Scripts/make-numbering-plans. They never change.
public final class NumberingPlans: Sendable {
  /// Why bytes are no numbering plans.
  public enum Failure: Error, Hashable, Sendable {
    /// More than ``maxBytes``.
    case tooLarge
    /// Another file, or another version of the form.
    case otherForm
    /// The end is missing.
    case cut
    /// A pattern that is longer than any real one, or fits longer numbers or more of them than any real one.
    case patternTooLong(line: Int)
    /// A text that is no pattern of digits.
    case badPattern(line: Int)
    /// Any other line that has a mistake.
    case badLine(Int)
    /// The patterns of a calling code do not fit into a table.
    case tooComplex(callingCode: Int)
  }

  /// A version such as 9.0.43; versions are compared part by part.
  public struct Version: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The version's text.
    public let description: String
    private let parts: [Int]

    /// Takes numbers of at most 9 digits, divided by dots.
    public init?(_ text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).map {
        $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } && $0.utf8.count < 10 ? Int($0) : nil
      }
      guard parts.count <= 4, !parts.contains(nil) else { return nil }
      (description, self.parts) = (text, parts.compactMap { $0 })
    }

    /// Compares the parts as numbers.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.parts.lexicographicallyPrecedes(rhs.parts) }
  }

  /// The most bytes of a file, about thirty times as many as a real one has.
  public static let maxBytes = 4 << 20

  /// The version of the data from which the plans are made.
  public let version: Version
  /// The date of that version, such as 2026-11-06.
  public let date: String

  /// Of the calling codes and regions.
  private let memory: PlanMemory
  /// The calling codes, by number.
  private let codes: [CallingCode?]
  /// The regions by their two letters, see ``place(_:)``.
  private let places: [RegionPlan?]
  /// The regions of digits, made at the first use.
  private let countries = SharedReference<RegionMap.Boxed>()

  /// The plans of the program itself.
  public static let builtIn: NumberingPlans = {
    let bytes = UnsafeBufferPointer(start: builtInPlans.utf8Start, count: builtInPlans.utf8CodeUnitCount)
    do throws(Failure) {
      return try NumberingPlans(PlanReader(bytes, isChecked: true))
    } catch {
      preconditionFailure("BuiltInPlans.swift: \(error)")
    }
  }()

  private static let replacement = SharedReference<NumberingPlans>()

  /// The plans by which this process reads numbers: the built-in ones, until others are set. Cheap to read from any thread.
  public static var current: NumberingPlans {
    get { replacement.value ?? replacement.set(builtIn) }
    set { replacement.replace(by: newValue) }
  }

  /// Whether these are the current plans; cheaper than a comparison with them.
  static func isCurrent(_ plans: ObjectIdentifier) -> Bool {
    replacement.withValue { ObjectIdentifier($0) == plans } ?? false
  }

  /// Reads a file and checks all of it, which takes some tenths of a second. Plans that replace others stay in memory, and so
  /// does a copy of the bytes.
  public convenience init(bytes: some Collection<UInt8>) throws(Failure) {
    guard bytes.count <= Self.maxBytes else { throw .tooLarge }
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    do throws(Failure) {
      try self.init(PlanReader(UnsafeBufferPointer(copy)))
      for case let code? in codes where !code.hasTable { throw .tooComplex(callingCode: code.number) }
    } catch {
      copy.deallocate()
      throw error
    }
  }

  private init(_ plan: PlanReader) throws(Failure) {
    guard let version = plan.version else { throw .otherForm }
    (self.version, date, memory, codes) = (version, plan.date, plan.memory, plan.codes)
    var places = [RegionPlan?](repeating: nil, count: 26 * 26)
    for case let code? in codes {
      for region in code.regions where region.isCountry { places[Self.place(region.packed)] = region }
    }
    self.places = places
  }

  private static func place(_ packed: UInt16) -> Int { (Int(packed >> 8) - 65) * 26 + Int(packed & 0xFF) - 65 }

  /// All regions, ascending.
  var regions: [RegionPlan] { places.compactMap { $0 } }

  /// The region of two letters in upper case, high byte first.
  func region(_ packed: UInt16) -> RegionPlan? {
    guard 65...90 ~= packed >> 8, 65...90 ~= packed & 0xFF else { return nil }
    return places[Self.place(packed)]
  }

  /// The calling code that digits begin with, and the number of its digits; no calling code begins with another.
  func callingCode(_ digits: UnsafeBufferPointer<UInt8>) -> (code: CallingCode, count: Int)? {
    var number = 0
    for place in 0..<min(3, digits.count) {
      number = number * 10 + Int(digits[place])
      if number == 0 { return nil }
      if let code = codes[number] { return (code, place + 1) }
    }
    return nil
  }

  /// A region's calling code.
  func callingCode(of region: RegionPlan) -> CallingCode? { codes[region.callingCode] }

  /// The regions of digits, see ``RegionMap/countries``.
  var regionMap: RegionMap {
    if let known = countries.value { return known.map }
    do {
      let prefixes = codes.compactMap { $0 }.flatMap(\.prefixes)
      return countries.set(RegionMap.Boxed(try RegionMap(prefixes: prefixes), prefixes)).map
    } catch {
      preconditionFailure("prefixes of tables are different: \(error)")
    }
  }

  var regionPrefixes: [(prefix: Int64, region: String)] {
    _ = regionMap
    return countries.value?.prefixes ?? []
  }
}

extension NumberingPlans.Failure: CustomStringConvertible {
  /// The cause and the remedy.
  public var description: String {
    switch self {
    case .tooLarge: "The file has more than \(NumberingPlans.maxBytes) bytes. Use a file of make-numbering-plans."
    case .otherForm:
      "The file has no numbering plans, or another form of them. Use a file for this version of the program."
    case .cut: "The end of the file is missing. Fetch it again."
    case .patternTooLong(let line): "The pattern in line \(line) is longer than any plan needs. Fetch the file again."
    case .badPattern(let line): "Line \(line) is not a pattern of digits. Fetch the file again."
    case .badLine(let line): "Line \(line) has a mistake. Fetch the file again."
    case .tooComplex(let code): "The patterns of +\(code) do not fit into a table. Use a file of make-numbering-plans."
    }
  }
}

/// A calling code with its regions, of which the first one is the main one, and formats. It is valid as long as its plans: a
/// reference would be counted several times for each number, and threads that read numbers at once would contend for the count.
struct CallingCode: @unchecked Sendable {
  // Unchecked: what it points to never changes, and the table is shared safely.

  // Unchecked: the text of the pattern never changes.
  struct Format: @unchecked Sendable {
    /// The digits of each group.
    var sizes: [ClosedRange<Int>]
    /// The pattern that its numbers begin with.
    var leading: Slice<UnsafeBufferPointer<UInt8>>?
    /// UTF-8, with $1 in the place of a group; nil for a format of the other style.
    var (national, international): ([UInt8]?, [UInt8]?)

    /// The groups of digits, each as long as possible; nil if they do not fit.
    func groups(_ count: Int) -> [Range<Int>]? {
      var (start, left, groups) = (0, sizes.reduce(0) { $0 + $1.lowerBound }, [Range<Int>]())
      for size in sizes {
        left -= size.lowerBound
        let end = min(start + size.upperBound, count - left)
        guard end >= start + size.lowerBound else { return nil }
        groups.append(start..<end)
        start = end
      }
      return start == count ? groups : nil
    }
  }

  let number: Int
  /// Each 0…9.
  let digits: UnsafeBufferPointer<UInt8>
  let regions: UnsafeBufferPointer<RegionPlan>
  private let formats: UnsafeBufferPointer<Format>
  private let tables: UnsafePointer<SharedReference<NumberTable>>

  init(number: Int, regions: [RegionPlan], formats: [Format], in memory: PlanMemory) {
    self.number = number
    digits = memory.keep("\(number)".utf8.map { $0 - 0x30 })
    self.regions = memory.keep(regions)
    self.formats = memory.keep(formats)
    tables = memory.keep(SharedReference())
  }

  /// The table of its numbers, made at its first use.
  private var table: NumberTable {
    tables.pointee.value ?? tables.pointee.set(NumberTableBuilder.table(regions) ?? .empty)
  }

  /// Makes the table; false where it is too large.
  var hasTable: Bool { table !== NumberTable.empty }

  func meaning(of national: UnsafeBufferPointer<UInt8>) -> NumberTable.Meaning {
    tables.pointee.withValue { $0.meaning(of: national) } ?? table.meaning(of: national)
  }

  /// Bit n if n more digits behind these make a valid number.
  func lengths(after national: UnsafeBufferPointer<UInt8>) -> UInt16 {
    tables.pointee.withValue { $0.lengths(after: national) } ?? table.lengths(after: national)
  }

  /// The prefixes of its countries.
  var prefixes: [(prefix: Int64, region: String)] {
    guard regions[0].isCountry else { return [] }
    // The main region has all that the others do not have.
    let main = [(prefix: Int64(number), region: regions[0].name)]
    guard regions.count > 1 else { return main }
    // Numbers of other lengths are few, and the first digits of others: Canada's 310-xxxx.
    return main
      + table.prefixes(lengths: regions[0].fields.pointee.lengths).filter { $0.region > 0 }.map { prefix in
        (Int64("\(number)\(prefix.digits)") ?? 0, regions[Int(prefix.region)].name)
      }
  }

  /// National digits in the form of the plan.
  func formatted(_ national: UnsafeBufferPointer<UInt8>, isInternational: Bool) -> [UInt8] {
    for format in formats {
      guard let template = isInternational ? format.international : format.national,
        let groups = format.groups(national.count),
        format.leading.map({ DigitPattern(checked: $0).match(national) != nil }) ?? true
      else { continue }
      return filled(template, groups, national)
    }
    return national.map { $0 + 0x30 }
  }
}

/// The plan of a region. It is valid as long as its plans, like ``CallingCode``.
struct RegionPlan: @unchecked Sendable, Equatable {
  // Unchecked: what it points to never changes.
  struct Fields: Sendable {
    /// The lengths of its numbers, and those that can be dialed only within it: bit n for n digits.
    var (lengths, localLengths): (UInt32, UInt32) = (0, 0)
    /// Whether national numbers are dialed with a prefix, such as 0.
    var hasNationalPrefix = false
    /// Prefixes in front of international and of national numbers.
    var (international, national): (PrefixPattern?, PrefixPattern?)
    /// The text of a national number, with $1 in the place of a group; empty where only the prefix goes.
    var transform: [UInt8] = []
    var descriptions: [NumberDescription] = []
  }

  /// The two letters, high byte first; 0 for 001.
  let packed: UInt16
  let callingCode: Int
  /// Its place among the regions of the calling code.
  let place: Int
  let fields: UnsafePointer<Fields>

  var isCountry: Bool { packed != 0 }

  /// Two letters, or 001 for a calling code of no region.
  var name: String {
    isCountry ? String(decoding: [UInt8(packed >> 8), UInt8(packed & 0xFF)], as: UTF8.self) : "001"
  }

  /// Takes the region's name.
  init(_ name: String, callingCode: Int, place: Int, _ fields: Fields, in memory: PlanMemory) {
    (self.callingCode, self.place, self.fields) = (callingCode, place, memory.keep(fields))
    packed = name == "001" ? 0 : name.utf8.reduce(0) { $0 << 8 | UInt16($1) }
  }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.fields == rhs.fields }

  /// The meaning of a number of digits.
  enum Length { case possible, local, tooShort, tooLong, between }

  func length(_ count: Int) -> Length {
    let bit = count < 32 ? UInt32(1) << UInt32(count) : 0
    let lengths = fields.pointee.lengths
    if fields.pointee.localLengths & bit != 0 { return .local }
    if lengths & bit != 0 { return .possible }
    if count < lengths.trailingZeroBitCount { return .tooShort }
    return count > 31 - lengths.leadingZeroBitCount ? .tooLong : .between
  }
}

extension DigitPattern {
  /// A pattern that a reader of plans has checked.
  init(checked text: Slice<UnsafeBufferPointer<UInt8>>) {
    do throws(Failure) {
      try self.init(text)
    } catch {
      preconditionFailure("a pattern was not checked")
    }
  }
}
