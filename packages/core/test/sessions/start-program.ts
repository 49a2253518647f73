import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A program of this folder as a process of its own, from source. */
export interface Program {
  /** Writes to its standard input. */
  say(text: string): void
  /** The next line of its standard output; undefined after its end. */
  hear(): Promise<string | undefined>
  /** Ends it, in the middle of whatever it does. */
  kill(): Promise<void>
}

export function startProgram(name: string, args: readonly string[]): Program {
  const file = fileURLToPath(new URL(name, import.meta.url))
  const flags = ['--conditions=development', '--import=tsx']
  const child = spawn(process.execPath, [...flags, file, ...args])
  child.stderr.pipe(process.stderr)
  const lines = wholeLines(child)
  const closed = once(child, 'close')
  return {
    say: (text) => child.stdin.write(text),
    hear: async () => (await lines.next()).value,
    async kill() {
      child.kill('SIGKILL')
      await closed
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
