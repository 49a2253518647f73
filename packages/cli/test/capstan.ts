import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The command as it is started from source. */
export const fromSource = [
  process.execPath,
  '--conditions=development',
  `--import=${import.meta.resolve('tsx')}`,
  main,
]

/** Where the files of agents are. */
export const agents = fileURLToPath(new URL('./agents/', import.meta.url))

export interface Started {
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The environment of the command: no key, no address, no colours that somebody asked for. */
export function environment(set: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const {
    OPENAI_API_KEY: _key,
    OPENAI_BASE_URL: _url,
    NO_COLOR: _no,
    FORCE_COLOR: _yes,
    NODE_DISABLE_COLORS: _none,
    // Where it is set, Node holds a terminal of a kind that it does not know for one without colours.
    CI: _ci,
    ...rest
  } = process.env
  return { ...rest, ...set }
}

/** Starts the command. */
export function start(args: readonly string[], { cwd = agents, env }: Started = {}) {
  const [node = '', ...rest] = fromSource
  return spawn(node, [...rest, ...args], { cwd, env: environment(env) })
}

/** Runs the command to its end, its streams apart. */
export async function capstan(args: readonly string[], started: Started = {}) {
  const child = start(args, started)
  child.stdin.on('error', () => {}).end(started.input ?? '')
  const [out, err, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exit, out, err }
}

/** What it says as a reader of one pipe sees it, under its command line, but for times. */
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

/** What differs from one time to the next. */
export function plain(said: string): string {
  return said.replace(/\b\d+ ms|\b\d+\.\d s\b/g, '… ms').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '(run)')
}
