import { dirname, join } from 'node:path'
import { CapstanError } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import type { Studio } from '../types.js'
import { AgentProcess, type Exit, toWords, type WorkerEntry } from './agent-process.js'
import type { AgentMethods, AgentNotices, FileToLoad, LoadedFile } from './protocol.js'
import { FileWatcher } from './watcher.js'

export interface SupervisorOptions {
  readonly worker: WorkerEntry
  /** The agent file, and options for the runs of its agents. */
  readonly load: Omit<FileToLoad, 'version'>
  /** Whether to reload the file when the file itself, or a file that it imports, changes. */
  readonly isWatching: boolean
  /** Called after each attempt to load the file, whether it succeeded or not. */
  onLoaded(): void
  onAppended(run: string): void
  /** Called when one of a run's rounds has ended. */
  onEnded(run: string): void
  /** Called for each run that was in progress when its process ended. */
  onLost(run: string, exit: Exit): Promise<void>
  /** Called with the output of the processes. */
  onOutput(text: string): void
}

/** A loaded version of the agent file. `at` is when it was loaded, and `ms` is how long that took. */
export interface Version extends LoadedFile {
  readonly version: number
  readonly at: string
  readonly ms: number
}

/**
 * Manages the processes that run an agent file: one for the current version, one for each older version that still has
 * runs in progress, and a spare one that has already been started. Each version needs a new process, because Node
 * cannot unload modules.
 */
export class Supervisor {
  /** The version for new runs. Undefined until the file has been loaded for the first time. */
  current: Version | undefined
  /** Why the newest content of the file cannot be loaded. Undefined if it has been loaded. */
  error: Studio['loadError']
  readonly #options: SupervisorOptions
  readonly #watcher: FileWatcher
  readonly #processes = new Set<AgentProcess>()
  #serving: AgentProcess | undefined
  #spare: AgentProcess
  #versions = 0
  #loading: Promise<void> | undefined
  #isStale = false
  #isClosed = false
  #crashes: number[] = []

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#watcher = new FileWatcher(() => void this.reload())
    this.#spare = this.#fork()
    const { file } = options.load
    if (options.isWatching) this.#watcher.add([file, join(dirname(file), '.env')])
  }

  /** Loads the file in a new process. Resolves when the newest content has been loaded or has failed to load. */
  reload(): Promise<void> {
    this.#isStale = true
    this.#loading ??= this.#loadUntilFresh().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Starts a run or a round in the current version. @throws CapstanError `invalid_state` if no version is loaded */
  async begin<Name extends 'start' | 'decide' | 'resume' | 'callTool'>(
    method: Name,
    params: Parameters<AgentMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<AgentMethods[Name]>>> {
    const process = await this.#serve()
    const { run } = params
    process.runs.add(run)
    try {
      return (await withTime(process.call(method, params as never))) as never
    } catch (error) {
      process.runs.delete(run)
      throw error
    }
  }

  /** Calls a method in the current version's process. @throws CapstanError `invalid_state` if no version is loaded */
  async ask<Name extends 'check' | 'outcome' | 'durableCalls' | 'decideDurable'>(
    method: Name,
    params: Parameters<AgentMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<AgentMethods[Name]>>> {
    const process = await this.#serve()
    return (await process.call(method, params as never)) as never
  }

  /** Whether one of the processes is executing the run. */
  isRunning(run: string): boolean {
    return this.#processOf(run) !== undefined
  }

  async send(run: string, text: string): Promise<void> {
    const process = this.#processOf(run)
    if (!process) throw new CapstanError('conflict', `The run "${run}" is not running.`)
    await withTime(process.call('send', { run, text }))
  }

  /** Stops a run. If its process does not respond, kills the process. */
  async stop(run: string): Promise<void> {
    const process = this.#processOf(run)
    if (!process) return
    await withTime(process.call('stop', { run }), stopMs).catch(async () => {
      process.kill()
      await process.ended
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#watcher.close()
    const all = [...this.#processes]
    await Promise.all(all.flatMap(({ runs }) => [...runs].map((run) => this.stop(run))))
    for (const process of all) process.kill()
    await Promise.all(all.map(({ ended }) => ended))
  }

  /** Returns the current version's process. If that process has just crashed, waits until it has been replaced. */
  async #serve(): Promise<AgentProcess> {
    if (this.#serving?.isConnected === false) await this.#serving.ended
    if (!this.#serving) await this.#loading
    if (this.#serving) return this.#serving
    const message = 'No version of the file could be loaded. Fix the file and save it.'
    throw new CapstanError('invalid_state', message)
  }

  #processOf(run: string): AgentProcess | undefined {
    return [...this.#processes].find(({ runs }) => runs.has(run))
  }

  async #loadUntilFresh(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false
      await this.#load()
      if (!this.#isClosed) this.#options.onLoaded()
    }
  }

  async #load(): Promise<void> {
    const process = this.#spare
    const started = performance.now()
    const version = this.#versions + 1
    try {
      const loaded = await process.call('load', { ...this.#options.load, version })
      this.#versions = version
      const ms = Math.round(performance.now() - started)
      this.current = { ...loaded, version, at: new Date().toISOString(), ms }
      this.error = undefined
      const before = this.#serving
      this.#serving = process
      if (before) this.#retire(before)
    } catch (error) {
      this.error = toLoadError(error)
      process.kill()
    }
    if (!this.#isClosed) this.#spare = this.#fork()
  }

  #fork(): AgentProcess {
    const process: AgentProcess = new AgentProcess(this.#options.worker, {
      onNotice: (name, value) => this.#hear(process, name, value),
      onOutput: (text) => this.#options.onOutput(text),
    })
    this.#processes.add(process)
    void process.ended.then((exit) => this.#bury(process, exit))
    return process
  }

  #hear<Name extends keyof AgentNotices>(process: AgentProcess, name: Name, value: AgentNotices[Name]): void {
    if (name === 'files') {
      if (this.#options.isWatching) this.#watcher.add(value as AgentNotices['files'])
      return
    }
    const { run } = value as AgentNotices['ended']
    if (name === 'appended') {
      this.#options.onAppended(run)
      return
    }
    process.runs.delete(run)
    this.#options.onEnded(run)
    if (process.runs.size === 0 && this.#isOld(process)) process.kill()
  }

  #isOld(process: AgentProcess): boolean {
    return process !== this.#serving && process !== this.#spare
  }

  /** Ends the process of an old version when the version's runs have ended, or after ten minutes. */
  #retire(process: AgentProcess): void {
    if (process.runs.size === 0) {
      process.kill()
      return
    }
    const timer = setTimeout(async () => {
      await Promise.all([...process.runs].map((run) => this.stop(run)))
      process.kill()
    }, retiredMs)
    void process.ended.then(() => clearTimeout(timer))
  }

  async #bury(process: AgentProcess, exit: Exit): Promise<void> {
    this.#processes.delete(process)
    if (process === this.#serving && !this.#isClosed) this.#replace(exit)
    await Promise.all([...process.runs].map((run) => this.#options.onLost(run, exit)))
  }

  /** Reloads the file after its process has crashed. After too many crashes, reports an error instead. */
  #replace(exit: Exit): void {
    this.#serving = undefined
    this.#crashes = [...this.#crashes, performance.now()].filter((at) => performance.now() - at < crashMs)
    if (this.#crashes.length <= mostCrashes) {
      void this.reload()
      return
    }
    this.error = { message: `The agent file keeps crashing${toWords(exit)}. Fix it and save to retry.` }
    this.#options.onLoaded()
  }
}

const stopMs = 3000
const answerMs = 15_000
const retiredMs = 600_000
/** The number of crashes within `crashMs` after which the file is no longer reloaded. */
const mostCrashes = 5
const crashMs = 10_000

/** Waits for a response from a process that may be blocked. @throws CapstanError `timeout` after `ms` */
async function withTime<T>(answer: Promise<T>, ms = answerMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message =
      "The agents' process is not responding because a tool is blocking it. Stop the run that called the tool."
    timer = setTimeout(() => reject(new CapstanError('timeout', message)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

function toLoadError(error: unknown): NonNullable<Studio['loadError']> {
  const { evidence } = Object(error) as { readonly evidence?: { place?: unknown; frame?: unknown } }
  const { place, frame } = evidence ?? {}
  return {
    message: messageOf(error),
    ...(typeof place === 'string' ? { place } : {}),
    ...(typeof frame === 'string' ? { frame } : {}),
  }
}
