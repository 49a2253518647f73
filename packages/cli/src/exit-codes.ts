/** The exit codes that scripts can rely on. */
export const exitCodes = {
  done: 0,
  error: 1,
  /** The command line is invalid, or a file that it names cannot be read. */
  usage: 2,
  /** Calls are pending and need a decision. */
  pending: 3,
  /** The run ended early, for example at a limit, without progress or after a refusal. */
  stopped: 4,
  /** 128 plus the signal's number, as in shells: SIGINT here, SIGPIPE for `unread` and SIGTERM for `terminated`. */
  interrupted: 130,
  unread: 141,
  terminated: 143,
} as const

/** The user's input to the command is invalid. The error is printed without a stack, and the exit code is `usage`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Aborts a command when the user or the system stops it. */
interface InterruptListener {
  readonly signal: AbortSignal
  /** The exit code that corresponds to what stopped the command. Undefined if nothing has. */
  readonly exitCode: number | undefined
  release(): void
}

/** Aborts `signal` on Ctrl-C, on SIGTERM, or when stdout is closed. A second Ctrl-C or SIGTERM kills the process. */
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
