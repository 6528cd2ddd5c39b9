/// The word of `candidates` that was most likely meant by `word`; nil when none is near.
///
/// Near is a third of the longer word's letters changed, added, left out or swapped with the next,
/// or a beginning of at least three letters.
func nearest(to word: String, among candidates: [String]) -> String? {
  let wanted = Array(word.lowercased())
  let scored = candidates.map { candidate in
    let letters = Array(candidate.lowercased())
    let shared = zip(wanted, letters).prefix { $0 == $1 }.count
    return (candidate, distance: editDistance(wanted, letters), shared: shared)
  }
  // Of two as near, the one that begins alike.
  let best = scored.min { ($0.distance, -$0.shared) < ($1.distance, -$1.shared) }
  if let best, best.distance <= max(1, max(wanted.count, best.0.count) / 3) { return best.0 }
  return candidates.first { wanted.count >= 3 && $0.lowercased().hasPrefix(word.lowercased()) }
}

/// Edits that turn one word into the other; swapping two neighbours counts as one.
func editDistance(_ from: [Character], _ to: [Character]) -> Int {
  var previous: [Int] = []
  var row = Array(0...to.count)
  for i in 0..<from.count {
    var next = [i + 1]
    for j in 0..<to.count {
      var best = min(row[j + 1] + 1, next[j] + 1, row[j] + (from[i] == to[j] ? 0 : 1))
      if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] {
        best = min(best, previous[j - 1] + 1)
      }
      next.append(best)
    }
    (previous, row) = (row, next)
  }
  return row[to.count]
}
