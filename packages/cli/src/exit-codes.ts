/** The exit codes of the process. */
export const exitCodes = {
  done: 0,
  error: 1,
  /** The command line is invalid. */
  usage: 2,
  /** Calls are pending. */
  pending: 3,
  /** The run ended early: because of a limit, no progress or a refusal. */
  stopped: 4,
  /** 128 plus the number of the signal, as in shells: SIGINT, SIGPIPE, SIGTERM. */
  interrupted: 130,
  unread: 141,
  terminated: 143,
} as const

/** An invalid command line. The message names the expected form. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Stops a command on a signal. */
interface InterruptListener {
  readonly signal: AbortSignal
  /** The exit code for the signal that stopped the work. */
  readonly exitCode: number | undefined
  release(): void
}

/** Aborts the work on the first Ctrl-C, SIGTERM or closed stdout. A second signal kills the process immediately. */
export function listenForInterrupt(): InterruptListener {
  const controller = new AbortController()
  let exit: number | undefined
  const end = (code: number) => () => {
    release()
    exit = code
    controller.abort(new Error('The command was interrupted.'))
  }
  const interrupted = end(exitCodes.interrupted)
  const terminated = end(exitCodes.terminated)
  const unread = end(exitCodes.unread)
  const release = () => {
    process.off('SIGINT', interrupted).off('SIGTERM', terminated)
    process.stdout.off('error', unread)
  }
  process.on('SIGINT', interrupted).on('SIGTERM', terminated)
  process.stdout.on('error', unread)
  return {
    signal: controller.signal,
    get exitCode() {
      return exit
    },
    release,
  }
}
