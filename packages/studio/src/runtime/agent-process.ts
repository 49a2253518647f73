import { type ChildProcess, fork } from 'node:child_process'
import type { AgentMethods, AgentNotices } from './protocol.js'
import { RpcClient } from './rpc.js'

/** The program that runs agents in a separate process. */
export interface WorkerEntry {
  /** The path of a file that calls `serveAgents` from `@capstan/studio/worker`. */
  readonly file: string
  /** Options for Node. Default: the options that this process was started with. */
  readonly execArgv?: readonly string[]
}

/** How a process ended: with an exit code, or by a signal. Has neither if the process could not be started. */
export interface Exit {
  readonly exitCode?: number
  readonly signal?: string
  /** The last 4096 characters that the process wrote to stderr. */
  readonly stderr?: string
}

/** Callbacks for the messages and the output of a process. */
interface Listeners {
  onNotice<Name extends keyof AgentNotices>(name: Name, value: AgentNotices[Name]): void
  onOutput(text: string): void
}

/** A process that loads an agent file and runs its agents. */
export class AgentProcess {
  readonly ended: Promise<Exit>
  /** The runs in progress in this process. */
  readonly runs = new Set<string>()
  readonly #child: ChildProcess
  readonly #rpc: RpcClient<AgentMethods>
  #stderr = ''

  constructor({ file, execArgv = process.execArgv }: WorkerEntry, listeners: Listeners) {
    this.#child = fork(file, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [...execArgv],
    })
    const child = this.#child
    this.#rpc = new RpcClient((message) => {
      if (child.connected) child.send(message as never, () => {})
    })
    child.on('message', (message: unknown) => {
      const { notice, value } = Object(message) as { notice?: keyof AgentNotices; value: never }
      if (notice === undefined) this.#rpc.receive(message)
      else listeners.onNotice(notice, value)
    })
    for (const output of [child.stdout, child.stderr])
      output?.setEncoding('utf8').on('data', (text: string) => {
        if (output === child.stderr) this.#stderr = (this.#stderr + text).slice(-mostStderr)
        listeners.onOutput(text)
      })
    this.ended = new Promise((resolve) => {
      const settle = (exit: Exit) => {
        this.#rpc.close(new Error(`The agents' process ended${toWords(exit)}.`))
        resolve({ ...exit, ...(this.#stderr === '' ? {} : { stderr: this.#stderr }) })
      }
      // Uses `close`, because some output may not have been read yet when `exit` is emitted.
      child.once('close', (code, signal) =>
        settle({ ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) }),
      )
      child.once('error', () => settle({}))
    })
  }

  get call(): RpcClient<AgentMethods>['call'] {
    return this.#rpc.call.bind(this.#rpc)
  }

  /** Whether the process can still receive calls. */
  get isConnected(): boolean {
    return this.#child.connected
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

const mostStderr = 4096

/** Describes how a process ended, to append to a sentence, such as ` with exit code 3`. Empty if that is unknown. */
export function toWords({ exitCode, signal }: Exit): string {
  if (exitCode !== undefined) return ` with exit code ${exitCode}`
  return signal === undefined ? '' : ` with signal ${signal}`
}
