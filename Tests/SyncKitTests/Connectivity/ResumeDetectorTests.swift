import Synchronization
import Testing

@testable import SyncKit

@Suite("Whether the machine slept", .timeLimit(.minutes(1)))
struct ResumeDetectorTests {
  private func reading(_ sinceBoot: Double, _ awake: Double) -> ClockReading {
    ClockReading(sinceBoot: .seconds(sinceBoot), awake: .seconds(awake))
  }

  @Test("it slept by as much as the clock that sleep stops fell behind the other, told once")
  func gauge() {
    var gauge = SleepGauge(reading(1000, 900))
    #expect(gauge.slept(until: reading(1010, 910)) == nil)
    #expect(gauge.slept(until: reading(1075, 915)) == .seconds(60))
    #expect(gauge.slept(until: reading(1080, 920)) == nil)
    #expect(gauge.slept(until: reading(90_000, 921)) == .seconds(88_919))
  }

  @Test("time that passes awake is no sleep, nor is a delay between the two readings")
  func awake() {
    var gauge = SleepGauge(reading(1000, 900))
    #expect(gauge.slept(until: reading(100_000, 99_900)) == nil)
    #expect(gauge.slept(until: reading(100_001, 99_900.5)) == nil)
    #expect(gauge.slept(until: reading(100_001, 99_901)) == nil)
  }

  @Test("the machine's own clocks: no sleep between two looks")
  func systemClocks() {
    let first = ClockReading.now()
    let second = ClockReading.now()
    #expect(second.awake >= first.awake && second.sinceBoot >= first.sinceBoot)
    #expect(first.awake > .zero && first.sinceBoot + .seconds(1) > first.awake)
    #expect(ResumeDetector().look() == nil)
  }

  @Test("everyone who follows hears of a sleep, whoever looks")
  func followers() async {
    let clock = Mutex(reading(10, 10))
    let detector = ResumeDetector { clock.withLock { $0 } }
    var one = detector.resumes().makeAsyncIterator()
    var other = detector.resumes().makeAsyncIterator()
    // The clock was set: neither of the two moves by it.
    #expect(detector.look() == nil)
    clock.withLock { $0 = reading(110, 20) }
    #expect(detector.look() == .seconds(90))
    #expect(detector.look() == nil)
    #expect(await one.next() == .seconds(90))
    #expect(await other.next() == .seconds(90))
  }

  @Test("once nobody follows, nothing is held; the streams end with the detector")
  func released() async {
    let detector = ResumeDetector()
    let task = Task { for await _ in detector.resumes() {} }
    #if os(Linux)
      while !detector.isWatching { await Task.yield() }
    #endif
    task.cancel()
    await task.value
    while detector.isWatching { await Task.yield() }
    var gone: ResumeDetector? = ResumeDetector()
    let stream = gone?.resumes()
    gone = nil
    if let stream { for await _ in stream {} }
  }

  #if os(Linux)
    @Test("the kernel's timer wakes the one who watches it, and can be wound up again")
    func timer() async throws {
      let timer = try #require(ClockSetTimer(seconds: 1))
      let (stream, continuation) = AsyncStream<Bool>.makeStream()
      let watch = DescriptorWatch(timer.descriptor, label: "test") {
        continuation.yield(timer.rearm())
        return true
      }
      var wakes = stream.makeAsyncIterator()
      #expect(await wakes.next() == true)
      #expect(await wakes.next() == true)
      watch.cancel()
    }
  #endif
}
