public import Logging
public import PostgreSQL
public import Publishing
public import Storage

/// What the pages beside the queue work with.
public struct BesideServices: Sendable {
  /// What is asked of numbers.
  public var thresholds: ThresholdStore
  /// What changes of thresholds would do.
  public var previews: ThresholdPreviews
  /// What owners say of their numbers.
  public var appeals: AppealStore
  /// Finds numbers.
  public var search: SearchStore
  /// Who reports.
  public var reporters: ReporterStore
  /// Blocks that attack together.
  public var ranges: RangeStore
  /// What may never be published.
  public var protection: ProtectionStore
  /// What is drawn of each day.
  public var figures: FigureStore
  /// Why numbers come and go.
  public var nights: NightStore
  /// Which numbers come and go.
  public var diff: NightDiff
  /// Takes orders to publish; nil where this server cannot.
  public var desk: PublicationDesk?
  /// Reads the file of recipes anew.
  public var recipes: @Sendable () -> RecipeReading
  /// Signs the form of appeals: 32 bytes that all servers share.
  public var stampKey: [UInt8]

  /// - Parameters:
  ///   - pool: where everything is kept.
  ///   - folder: where publications lie.
  ///   - stampKey: see the property.
  public init(
    pool: PostgresPool, folder: PublicationFolder, holding: HoldReview?, desk: PublicationDesk? = nil,
    recipes: @escaping @Sendable () -> RecipeReading = { RecipeReading(file: "", outcome: .success([])) },
    stampKey: [UInt8], logger: Logger
  ) {
    thresholds = ThresholdStore(pool: pool)
    previews = ThresholdPreviews(
      store: PublicationStore(pool: pool), thresholds: thresholds, desk: DeskStore(pool: pool), holding: holding,
      logger: logger)
    appeals = AppealStore(pool: pool)
    search = SearchStore(pool: pool)
    reporters = ReporterStore(pool: pool)
    ranges = RangeStore(pool: pool)
    protection = ProtectionStore(pool: pool)
    figures = FigureStore(pool: pool)
    nights = NightStore(pool: pool)
    diff = NightDiff(folder: folder)
    self.desk = desk
    self.recipes = recipes
    self.stampKey = stampKey
  }

  /// Makes previews and what is ordered on pages until ``close()`` is called.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [previews] in await previews.run() }
      if let desk { group.addTask { await desk.run() } }
    }
  }

  /// Ends ``run()``.
  public func close() {
    previews.close()
    desk?.close()
  }
}
