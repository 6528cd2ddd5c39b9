internal import CMicrohttpd
import Synchronization

/// An HTTP daemon: libmicrohttpd's threads, which call the service for every request.
package final class Daemon: Sendable {
  private struct Handle: @unchecked Sendable {
    // The pointer is only handed to MHD_stop_daemon, once, under the mutex.
    let pointer: OpaquePointer
  }

  private let handle: Mutex<Handle?>
  private let socket: ListenSocket
  /// MHD's threads hold it unretained until `stop()` returns.
  private let context: DaemonContext

  /// Starts to answer. The socket is the daemon's from now on, also where this throws.
  ///
  /// - Throws: `ListenError`.
  package init(
    socket: ListenSocket, service: any HTTPService, limits: DaemonLimits, tls: TLSFiles? = nil
  ) throws(ListenError) {
    self.socket = socket
    context = DaemonContext(service)
    var settings = syncd_mhd_settings()
    settings.listen_socket = socket.descriptor
    settings.is_ipv6 = socket.isIPv6 ? 1 : 0
    settings.threads = UInt32(clamping: max(2, limits.threads))
    settings.connections = UInt32(clamping: max(8, limits.connections))
    settings.timeout_seconds = UInt32(clamping: limits.idleSeconds)
    settings.connection_memory = 128 << 10
    settings.context = Unmanaged.passUnretained(context).toOpaque()
    settings.target = beginExchange
    settings.access = continueExchange
    settings.completed = endExchange
    let pointer = Self.start(&settings, tls: tls)
    guard let pointer else {
      socket.close()
      let subject = tls == nil ? "the HTTP daemon" : "TLS with this certificate and key"
      throw ListenError(.configuration, "cannot start \(subject)")
    }
    handle = Mutex(Handle(pointer: pointer))
  }

  private static func start(
    _ settings: inout syncd_mhd_settings, tls: TLSFiles?
  ) -> OpaquePointer? {
    guard let tls else { return syncd_mhd_start(&settings) }
    return tls.certificate.withCString { certificate in
      tls.key.withCString { key in
        settings.certificate = certificate
        settings.key = key
        return syncd_mhd_start(&settings)
      }
    }
  }

  /// Closes the socket, removes its file and closes every connection; returns when no request is
  /// under way any more. Stopping twice is stopping once.
  package func stop() {
    let handle = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    guard let handle else { return }
    // While it still answers, so that no other service takes the file for a stale one.
    socket.removeFile()
    context.suspensions.close()
    MHD_stop_daemon(handle.pointer)
  }

  deinit {
    stop()
  }
}
