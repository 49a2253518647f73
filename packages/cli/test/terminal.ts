import { spawn } from 'node:child_process'
import { once } from 'node:events'
import headless from '@xterm/headless'
import { agents, environment, fromSource } from './capstan.js'

/** The command on a pseudo-terminal, and what the screen shows. */
export interface TerminalRun {
  /** Returns the text on the screen, without empty lines at the end. */
  screen(): string
  /** Waits until the text on the screen matches. */
  until(shown: RegExp): Promise<string>
  type(keys: string): void
  /** Returns the raw output. */
  bytes(): string
  /** Waits until the process has ended. */
  end(): Promise<{ readonly exit: number; readonly screen: string }>
}

const size = { cols: 72, rows: 16 }

/**
 * Runs the command on a pseudo-terminal with `script`, which every Debian has, and reads the screen through an
 * emulator.
 */
export function onTerminal(args: readonly string[], set: Readonly<Record<string, string>> = {}): TerminalRun {
  const words = [...fromSource, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const line = `stty rows ${size.rows} cols ${size.cols}; exec ${words}`
  const env = environment({ TERM: 'xterm-256color', ...set })
  const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd: agents, env })
  const terminal = new headless.Terminal({ ...size, scrollback: 1000, allowProposedApi: true })
  let changed = () => {}
  const written: Buffer[] = []
  child.stdout.on('data', (bytes: Buffer) => {
    written.push(bytes)
    terminal.write(bytes, () => changed())
  })
  const closed = once(child, 'close')
  const screen = () => textOf(terminal)
  return {
    screen,
    bytes: () => Buffer.concat(written).toString(),
    type: (keys) => void child.stdin.write(keys),
    until: (shown) =>
      new Promise((resolve, reject) => {
        const look = () => shown.test(screen()) && resolve(screen())
        changed = look
        void closed.then(() => reject(new Error(`The command ended before ${shown} appeared:\n${screen()}`)))
        look()
      }),
    async end() {
      const [exit] = await closed
      await new Promise<void>((resolve) => terminal.write('', resolve))
      return { exit, screen: screen() }
    },
  }
}

function textOf({ buffer: { active } }: InstanceType<typeof headless.Terminal>): string {
  const lines = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true) ?? '',
  )
  return lines.join('\n').trimEnd()
}
