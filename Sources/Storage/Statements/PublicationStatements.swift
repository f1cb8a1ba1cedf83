import Foundation
import PostgreSQL

/// The newest publication that became visible.
struct ReadLatestPublication: PostgresStatement {
  static let sql = """
    SELECT serial, published_at, as_of, manifest_sha256 FROM publications ORDER BY serial DESC LIMIT 1
    """

  static func decode(_ row: PostgresRow) throws -> Publication {
    Publication(
      serial: try row.decode(0), publishedAt: try row.decode(1), asOf: try row.decode(2),
      manifestSHA256: try row.decode(3))
  }
}

/// Remembers a publication. Recording the same serial again is harmless.
struct RecordPublication: PostgresStatement {
  typealias Row = Void
  let publication: Publication

  static let sql = """
    INSERT INTO publications (serial, published_at, as_of, manifest_sha256) VALUES ($1, $2, $3, $4)
    ON CONFLICT (serial) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(publication.serial)
    parameters.append(publication.publishedAt)
    parameters.append(publication.asOf)
    parameters.append(publication.manifestSHA256)
  }
}
