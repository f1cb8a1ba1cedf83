import Curation
import Publishing
import Storage
import Web

extension Workplace {
  /// What the pages beside the queue work with.
  /// - Parameters:
  ///   - publisher: makes what is ordered on a page.
  ///   - file: of recipes, where one was named.
  func beside(publisher: Publisher, recipes file: String?, stampKey: [UInt8]) -> BesideServices {
    let path = Recipe.file(named: file, data: folder.path, installation: installation)
    let leases = LeaseStore(pool: pool)
    return BesideServices(
      pool: pool, folder: publicationFolder, holding: HoldReview(store: holds),
      desk: PublicationDesk(store: DeskStore(pool: pool), logger: .server) { request in
        guard let lease = try await leases.take(LeaseStore.publishing) else { throw PublishingError.busy }
        _ = try await leases.holding(lease) { try await publisher.publish(request) }
      },
      recipes: {
        do throws(RecipeFileError) {
          return RecipeReading(file: path, outcome: .success(try RecipeFile.read(contentsOf: path)))
        } catch {
          return RecipeReading(file: path, outcome: .failure(error))
        }
      },
      stampKey: stampKey, logger: .server)
  }
}
