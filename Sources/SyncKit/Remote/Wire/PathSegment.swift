extension ProjectID {
  /// The id as one segment of a URL's path.
  var pathSegment: String { PercentEncoding.encoded(string) }
}
