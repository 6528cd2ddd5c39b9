@preconcurrency internal import Dispatch
internal import Synchronization

#if os(Linux)
  internal import CLinux
#endif
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A descriptor that is read when the kernel says that there is something to read. It takes no
/// thread meanwhile, and wakes nobody.
final class DescriptorWatch: Sendable {
  private let source: Mutex<any DispatchSourceRead>

  /// Takes over `descriptor`, which is closed once the watch has ended.
  ///
  /// - Parameter read: called on a queue of the watch's own, never twice at a time; the descriptor
  ///   is open then. The watch ends when it answers false.
  init(_ descriptor: Int32, label: String, read: @escaping @Sendable () -> Bool) {
    let watched = Self.wrapped(descriptor)
    let source = DispatchSource.makeReadSource(
      fileDescriptor: watched, queue: DispatchQueue(label: label))
    // Dispatch lets go of the handler, and so of the source that it holds, once that is cancelled.
    source.setEventHandler {
      if !read() { source.cancel() }
    }
    source.setCancelHandler {
      if watched != descriptor { close(watched) }
      close(descriptor)
    }
    source.activate()
    self.source = Mutex(source)
  }

  /// Dispatch on Linux does not hear of a descriptor that has an error to tell and nothing else,
  /// as a socket has that lost messages, and turns in circles instead. The epoll descriptor around
  /// it can be read in either case.
  private static func wrapped(_ descriptor: Int32) -> Int32 {
    #if os(Linux)
      let epoll = syncd_epoll_open(descriptor)
      return epoll >= 0 ? epoll : descriptor
    #else
      return descriptor
    #endif
  }

  deinit { cancel() }

  /// Ends the watch. A reading under way is left to finish.
  func cancel() {
    source.withLock { $0.cancel() }
  }
}
