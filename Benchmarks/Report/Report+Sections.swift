extension Report {
  /// A table of the report.
  struct Section {
    var title: String
    var words: String?
    /// The names of charts that belong to it.
    var charts: [String] = []
    var table: Table
  }

  var sections: [Section] {
    var sections: [Section] = []
    if !targets.isEmpty { sections.append(Section(title: "Limits", table: limits)) }
    for network in measurements.map(\.network).unique {
      for dialect in ["syncd", "rest"] {
        let chosen = measurements.filter { $0.network == network && $0.dialect == dialect }
        guard !chosen.isEmpty else { continue }
        let delay = network == "loopback" ? "" : " of latency by \(link ?? "")"
        sections.append(
          Section(title: "Dialect `\(dialect)`, \(network)\(delay)", table: figures(chosen)))
      }
    }
    if !growth.isEmpty {
      sections.append(
        Section(
          title: "Growth",
          words:
            "How many times the wall time at ten times the records, dialect and network alike.",
          charts: ["first-sync", "delta"], table: growthTable))
    }
    if !crowds.isEmpty {
      sections.append(
        Section(title: "`serve` under many clients", charts: ["clients"], table: crowdTable))
    }
    if !services.isEmpty {
      sections.append(Section(title: "The service while nothing happens", table: serviceTable))
    }
    if !decoders.isEmpty {
      sections.append(Section(title: "Reading the entries of a listing", table: decoderTable))
    }
    return sections
  }

  private func figures(_ chosen: [Measurement]) -> Table {
    var table = Table([
      "work", "records", "wall ms", "from-to", "floor ms", "× floor", "CPU ms", "× floor",
      "server CPU ms", "floor's", "peak MiB", "server's", "requests", "kB sent", "kB received",
    ])
    for measurement in chosen {
      let (ours, least) = (measurement.syncd.median, measurement.floor.median)
      let range = measurement.syncd.wallRange
      table.add([
        measurement.work.name, String(Double(measurement.records), decimals: 0), ms(ours.wall),
        "\(ms(range.lowerBound, 0))-\(ms(range.upperBound, 0))", ms(least.wall),
        ratio(ours.wall, least.wall) + (measurement.isNoisy ? " (noisy)" : ""), ms(ours.cpu),
        ratio(ours.cpu, least.cpu), ms(ours.serverCPU), ms(least.serverCPU), mib(ours.peak),
        mib(ours.serverPeak), String(ours.requests, decimals: 0),
        String(ours.sent / 1000, decimals: 1), String(ours.received / 1000, decimals: 1),
      ])
    }
    return table
  }

  private var limits: Table {
    var table = Table(["work", "what", "measured", "limit", ""])
    table.leftAligned = 2
    for target in targets {
      table.add([
        target.name, target.figure, target.text(target.value), target.text(target.limit),
        (target.isMet ? "pass" : "MISS") + (target.isNoisy ? ", noisy" : ""),
      ])
    }
    return table
  }

  /// Measurements of one work, from the least records to the most.
  private var growth: [[Measurement]] {
    let kinds = measurements.map { [$0.work.name, $0.dialect, $0.network] }.unique
    return kinds.map { kind in
      measurements.filter { [$0.work.name, $0.dialect, $0.network] == kind }
        .sorted { $0.records < $1.records }
    }.filter { $0.count > 1 }
  }

  private var growthTable: Table {
    let sizes = growth.flatMap { $0.map(\.records) }.unique.sorted()
    let steps = Array(zip(sizes, sizes.dropFirst()))
    var table = Table(
      ["work", "dialect", "network"]
        + steps.map { String(Double($0), decimals: 0) + " to " + String(Double($1), decimals: 0) })
    table.leftAligned = 3
    for measured in growth {
      let cells = steps.map { from, to -> String in
        guard let small = measured.first(where: { $0.records == from }),
          let large = measured.first(where: { $0.records == to })
        else { return "" }
        return ratio(large.syncd.median.wall, small.syncd.median.wall)
      }
      table.add([measured[0].work.name, measured[0].dialect, measured[0].network] + cells)
    }
    return table
  }

  private var crowdTable: Table {
    var table = Table([
      "clients", "edits a second", "p50 ms", "p99 ms", "longest ms", "server CPU %",
      "server's peak MiB", "closed unanswered", "not answered", "lost",
    ])
    table.leftAligned = 0
    for crowd in crowds {
      table.add([
        String(Double(crowd.clients), decimals: 0), String(crowd.rate, decimals: 0), ms(crowd.p50),
        ms(crowd.p99), ms(crowd.most), String(crowd.cpu * 100, decimals: 1), mib(crowd.peak),
        String(Double(crowd.refused), decimals: 0), String(Double(crowd.unanswered), decimals: 0),
        String(Double(crowd.lost), decimals: 0),
      ])
    }
    return table
  }

  private var serviceTable: Table {
    var table = Table([
      "records", "watched s", "CPU ms", "CPU s a day", "wake-ups", "memory MiB", "a run ms",
    ])
    table.leftAligned = 0
    for service in services {
      table.add([
        String(Double(service.records), decimals: 0), String(service.seconds, decimals: 0),
        ms(service.cpu), String(service.cpu / service.seconds * 86_400, decimals: 1),
        String(service.wakeUps, decimals: 0), mib(service.resident), ms(service.run),
      ])
    }
    return table
  }

  private var decoderTable: Table {
    var table = Table(["by", "digests", "wall ms", "CPU ms"])
    for decoder in decoders {
      table.add([
        "`\(decoder.how)`", String(Double(decoder.records), decimals: 0), ms(decoder.took.wall),
        ms(decoder.took.cpu),
      ])
    }
    return table
  }

  private func ms(_ seconds: Double, _ decimals: Int = 1) -> String {
    String(seconds * 1000, decimals: decimals)
  }

  private func mib(_ bytes: Double) -> String { String(bytes / 1_048_576, decimals: 1) }

  private func ratio(_ ours: Double, _ least: Double) -> String {
    least > 0 ? String(ours / least, decimals: 2) : "-"
  }
}

extension Array where Element: Hashable {
  /// Each element once, in the order in which they are first seen.
  var unique: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
