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

/** The command line is wrong; the sentence says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What ends a command before its end. */
interface Interruption {
  readonly signal: AbortSignal
  /** What the process then ends with. */
  readonly exit: number | undefined
  release(): void
}

/** The first Ctrl-C, SIGTERM, or a reader that left ends work cleanly; after that signals kill, whatever goes on. */
export function interruption(): Interruption {
  const controller = new AbortController()
  let exit: number | undefined
  const end = (code: number) => () => {
    release()
    exit = code
    controller.abort(new Error('The work was interrupted.'))
  }
  const interrupted = end(exits.interrupted)
  const terminated = end(exits.terminated)
  const unread = end(exits.unread)
  const release = () => {
    process.off('SIGINT', interrupted).off('SIGTERM', terminated)
    process.stdout.off('error', unread)
  }
  process.on('SIGINT', interrupted).on('SIGTERM', terminated)
  process.stdout.on('error', unread)
  return {
    signal: controller.signal,
    get exit() {
      return exit
    },
    release,
  }
}
