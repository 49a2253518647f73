import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The arguments for Node that start the command from source. */
export const fromSource = [
  process.execPath,
  '--conditions=development',
  `--import=${import.meta.resolve('tsx')}`,
  main,
]

/** The folder that contains the agents for the tests. */
export const agents = fileURLToPath(new URL('./agents/', import.meta.url))

export interface Started {
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Returns the environment without API keys, base URLs, colour settings and the terminal's name. */
export function environment(set: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const {
    OPENAI_API_KEY: _key,
    OPENAI_BASE_URL: _url,
    NO_COLOR: _no,
    FORCE_COLOR: _yes,
    NODE_DISABLE_COLORS: _none,
    // With CI set, Node assumes that an unknown terminal has no colours.
    CI: _ci,
    TERM_PROGRAM: _program,
    LC_TERMINAL: _remote,
    KITTY_WINDOW_ID: _kitty,
    TMUX: _tmux,
    ...rest
  } = process.env
  return { ...rest, ...set }
}

/** Starts the command and returns its process. */
export function start(args: readonly string[], { cwd = agents, env }: Started = {}) {
  const [node = '', ...rest] = fromSource
  return spawn(node, [...rest, ...args], { cwd, env: environment(env) })
}

/** Runs the command and returns its exit code, stdout and stderr. */
export async function capstan(args: readonly string[], started: Started = {}) {
  const child = start(args, started)
  child.stdin.on('error', () => {}).end(started.input ?? '')
  const [out, err, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exit, out, err }
}

/** Returns the command line and its combined output, in which values that vary are replaced. */
export async function transcript(line: string, started: Started = {}): Promise<string> {
  const script = `{ ${line.replace(/\bcapstan\b/, '"$@"')}; } 2>&1`
  const child = spawn('sh', ['-c', script, 'sh', ...fromSource], {
    cwd: agents,
    ...started,
    env: environment(started.env),
  })
  child.stdin.on('error', () => {}).end(started.input ?? '')
  const [out, , [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return plain(`$ ${line}\n${out}${exit === 0 ? '' : `(exit code ${exit})\n`}`)
}

/** Replaces values that vary from run to run. */
export function plain(said: string): string {
  return said
    .replace(/\b\d+ ms|\b\d+\.\d s\b/g, '… ms')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '(run)')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:4100')
}
