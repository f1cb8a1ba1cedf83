import Foundation

extension ProgressMeter {
  /// Shows an import: bytes of the file done, rows and their rate behind it. For a meter in ``Unit/bytes``.
  public func update(_ progress: ImportProgress) {
    update(done: progress.bytesRead, detail: "\(Figures.grouped(progress.rows)) rows")
  }

  /// A meter for importing a file, whose length it looks up; for a pipe or `-` the total stays unknown.
  public convenience init(importing path: String, output: any ProgressOutput = StandardErrorOutput()) {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = path == "-" ? nil : try? FileManager.default.attributesOfItem(atPath: target)
    let isFile = attributes?[.type] as? FileAttributeType == .typeRegular
    let size = isFile ? (attributes?[.size] as? NSNumber)?.uint64Value : nil
    self.init(title: "Importing", total: size, unit: .bytes, output: output)
  }
}
