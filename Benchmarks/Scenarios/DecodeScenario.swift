/// What it takes to read the entries of a listing, by each way there is.
struct DecodeScenario {
  let workspace: Workspace
  private static let pageSize = 10_000

  func run(records: Int, repeats: Int, into report: inout Report) throws {
    let path = "\(try workspace.makeFolder("decode"))/pages"
    try Files.write(Self.pages(records), to: path)
    var answers: Set<String> = []
    for how in Decode.How.allCases {
      var samples = Samples()
      for _ in 0..<repeats {
        let (output, sample) = try workspace.measure(
          [workspace.bench, "decode", how.rawValue, path], name: "decode")
        answers.insert(output)
        samples.add(sample)
      }
      report.decoders.append(
        DecodeFigures(how: how.rawValue, records: records, took: samples.median))
    }
    guard answers.count == 1 else { throw BenchError("the decoders disagree: \(answers)") }
  }

  /// Pages as `GET {collection}?fields=id,updatedAt,etag` answers them, one a line.
  private static func pages(_ records: Int) -> String {
    stride(from: 0, to: records, by: pageSize).map { start in
      let entries = (start..<min(start + pageSize, records)).map { n in
        "{\"id\":\"\(Workload.id(n))\",\"updatedAt\":\"2025-01-01T00:00:00.\(100_000 + n % 900_000)Z\","
          + "\"etag\":\"\\\"\(n)-5f3a\\\"\"}"
      }
      return "[\(entries.joined(separator: ","))]\n"
    }.joined()
  }
}

/// What one decoder took.
struct DecodeFigures {
  var how: String
  var records: Int
  var took: Sample
}
