import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process of its own. */
export interface Program {
  /** Writes to its standard input. */
  say(text: string): void
  /** The next line of its standard output; undefined after its end. */
  hear(): Promise<string | undefined>
  /** Ends it, in the middle of whatever it does. */
  kill(): Promise<void>
}

/** Starts Node with these arguments. */
export function startProgram(args: readonly string[]): Program {
  const child = spawn(process.execPath, args)
  child.stderr.pipe(process.stderr)
  const lines = wholeLines(child)
  const ended = once(child, 'exit')
  return {
    say: (text) => child.stdin.write(text),
    hear: async () => (await lines.next()).value,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Lines that were cut off are none. */
async function* wholeLines(child: ChildProcessWithoutNullStreams): AsyncGenerator<string, undefined> {
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    const [...lines] = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
  return undefined
}
