/** What the process ends with. */
export const exits = {
  done: 0,
  error: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** Calls wait for a decision. */
  pending: 3,
  /** The run ended before it was done: a limit, a standstill, a refusal. */
  stopped: 4,
  /** As shells count signals: SIGINT, SIGPIPE, SIGTERM. */
  interrupted: 130,
  unread: 141,
  terminated: 143,
} as const
