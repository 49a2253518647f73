import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { CapstanError } from '@capstan/core'
import { shownPath } from '../folder/path.js'

/** The result of `run_command`. */
export interface Command {
  /** The exit code, or `null` if a signal ended the program. */
  readonly exitCode: number | null
  readonly signal?: string
  /** Present if the program was stopped because it exceeded the time limit. */
  readonly timedOut?: true
  /** The standard output. Output of more than 40,000 bytes is cut to its first and last 20,000 bytes. */
  readonly stdout: string
  readonly stderr: string
}

/** @throws CapstanError `invalid_arguments` if the program's name is empty, or an argument contains a null byte */
export function checkCommand([program = '', ...words]: readonly string[]): void {
  const problem = program.trim() === '' ? 'the name of the program is missing' : undefined
  const reason = [program, ...words].some((word) => word.includes('\0'))
    ? 'an argument contains a null byte'
    : problem
  if (reason === undefined) return
  const message = `The command cannot be run: ${reason}. Pass a program and its arguments: ["git", "status"].`
  throw new CapstanError('invalid_arguments', message)
}

interface ProcessOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Runs a program in its own process group. Kills any processes still in the group when the program ends.
 * @throws CapstanError `not_found` if the program or the working folder does not exist, `invalid_arguments` if the
 * program cannot be run
 */
export async function runProcess(command: readonly string[], options: ProcessOptions): Promise<Command> {
  const { cwd, env, timeoutMs, signal } = options
  signal.throwIfAborted()
  const child = start(command, cwd, env)
  const outputs = [new Output(), new Output()] as const
  child.stdout.on('data', (chunk: Buffer) => outputs[0].add(chunk))
  child.stderr.on('data', (chunk: Buffer) => outputs[1].add(chunk))
  using group = new ProcessGroup(child)
  const state = { timedOut: false }
  const stop = () => group.end()
  const timer = setTimeout(() => {
    state.timedOut = true
    stop()
  }, timeoutMs)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [exitCode, endedBy] = await ended(child, group)
    signal.throwIfAborted()
    const [stdout, stderr] = [outputs[0].text(), outputs[1].text()]
    return {
      exitCode,
      ...(endedBy && { signal: endedBy }),
      ...(state.timedOut && { timedOut: true }),
      stdout,
      stderr,
    }
  } catch (error) {
    throw startError(command, cwd, error)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

function start([program = '', ...words]: readonly string[], cwd: string, env: ProcessOptions['env']) {
  try {
    return spawn(program, words, {
      cwd,
      env,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
  } catch (error) {
    throw startError([program], cwd, error)
  }
}

/**
 * Resolves when the program has ended and its output has been read. Kills child processes that are still running,
 * because they would keep the output open.
 */
function ended(
  child: ReturnType<typeof start>,
  group: ProcessGroup,
): Promise<readonly [number | null, NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    let timer: NodeJS.Timeout | undefined
    child.once('exit', () => {
      group.kill()
      timer = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, graceMs)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve([code, signal])
    })
  })
}

function startError([program = '']: readonly string[], cwd: string, error: unknown): unknown {
  const { code } = Object(error) as { readonly code?: unknown }
  if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return error
  const isMissing = code === 'ENOENT'
  const what = isMissing && !existsSync(cwd) ? 'The working folder' : `The program ${shownPath(program)}`
  const why = isMissing ? 'does not exist' : `cannot be run (${code})`
  return new CapstanError(
    isMissing ? 'not_found' : 'invalid_arguments',
    `${what} ${why}. Use a different one.`,
  )
}

/** How long a process may take to exit by itself before it is killed, in milliseconds. */
const graceMs = 2000

/** The process groups to kill when this process ends. */
const running = new Set<ProcessGroup>()

/** A process and the processes that it starts, except those that leave its group. */
class ProcessGroup implements Disposable {
  readonly #child: ChildProcess
  #timer: NodeJS.Timeout | undefined

  constructor(child: ChildProcess) {
    this.#child = child
    if (running.size === 0) for (const event of endings) process.on(event, endAll)
    running.add(this)
  }

  /** Sends SIGTERM to all processes. Kills those that are still running two seconds later. */
  end(): void {
    this.#send('SIGTERM')
    this.#timer ??= setTimeout(() => this.kill(), graceMs)
  }

  kill(): void {
    this.#send('SIGKILL')
  }

  #send(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child
    if (pid === undefined) return
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
      return
    }
    try {
      process.kill(-pid, signal)
    } catch {
      // The group has ended.
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    running.delete(this)
    if (running.size === 0) for (const event of endings) process.off(event, endAll)
  }
}

const endings = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Kills all groups when this process ends, because signals from the terminal do not reach them. */
function endAll(event: unknown): void {
  for (const group of running) group.kill()
  if (typeof event !== 'string' || process.listenerCount(event) > 1) return
  // Ends this process, as the signal would have done without this listener.
  process.off(event, endAll)
  process.kill(process.pid, event)
}

const mostBytes = 20_000

/** Collects output. Keeps only its first and last 20,000 bytes. */
class Output {
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #omitted = 0

  add(chunk: Buffer): void {
    const room = mostBytes - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)])
    const rest = Buffer.concat([this.#tail, chunk.subarray(Math.max(0, room))])
    this.#tail = rest.subarray(Math.max(0, rest.length - mostBytes))
    this.#omitted += rest.length - this.#tail.length
  }

  text(): string {
    if (this.#omitted === 0) return Buffer.concat([this.#head, this.#tail]).toString('utf8')
    // The output may have been cut in the middle of a character.
    const head = this.#head.toString('utf8').replace(/\ufffd+$/, '')
    const tail = this.#tail.toString('utf8').replace(/^\ufffd+/, '')
    return `${head}\n[${this.#omitted} bytes omitted]\n${tail}`
  }
}
