#if os(Linux)
  import CLinux

  /// Keeps libdispatch from waking an idle process once a second.
  ///
  /// On Linux, libdispatch looks every second whether threads of its pool are blocked, and adds some if
  /// so; nothing turns that off. Nothing of ours blocks a thread of the pool (what blocks has a thread of
  /// its own), so there is nothing to find, and a service that waits for months would wake for it every
  /// second. The linker puts this function in front of libdispatch's (`--wrap`, in the package's manifest),
  /// in binaries that it is linked into statically; that one timer, which is the only one every second
  /// without leeway, is never due. Others are as they were.
  @_cdecl("__wrap_dispatch_source_set_timer")
  func setTimer(_ source: UnsafeMutableRawPointer, start: UInt64, interval: UInt64, leeway: UInt64)
  {
    let isMonitor = interval == 1_000_000_000 && leeway == 0
    __real_dispatch_source_set_timer(source, isMonitor ? .max : start, interval, leeway)
  }
#endif
