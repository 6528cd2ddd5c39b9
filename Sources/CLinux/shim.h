// What the kernel offers and the Glibc module leaves out.

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>

// The flags are members of an enumeration and macros of the same name: Swift sees neither.
static inline int syncd_timerfd_create(int clock) {
  return timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC);
}
static inline int syncd_timerfd_set_until_clock_is_set(int timer, const struct itimerspec *value) {
  return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, value, 0);
}
// EPOLL_* are such an enumeration as well, and its event holds a union.
static inline int syncd_epoll_open(int descriptor) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll >= 0) epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
  return epoll;
}
// SOCK_* are such an enumeration as well.
static inline int syncd_netlink_open(void) {
  return socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
}
// A family of sockaddr is a union for C, and needs a cast for everyone else.
static inline int syncd_netlink_bind(int socket, unsigned int groups) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  return bind(socket, (const struct sockaddr *)&address, sizeof address);
}

// What the linker calls libdispatch's own function once IdlePool.swift has wrapped it.
void __real_dispatch_source_set_timer(void *source, unsigned long long start,
                                      unsigned long long interval, unsigned long long leeway);
