// Keeps a run while it is in progress: writes all its files, from start to end.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  ArtifactStore,
  ChatModel,
  CreateHost,
  HostContext,
  ModelRequest,
  RunEvent,
  RunHost,
  RunState,
} from '@capstan/core'
import { memoryHost } from '@capstan/core'
import { currentStep, openCalls, Redactor, readBytes, sharedRedactors, tryJson } from '@capstan/core/internal'
import type { FolderArtifacts } from '@capstan/core/node'
import { type RecordedRun, recordRun } from '@capstan/testing/recording'
import { compareStates } from '../store/checkpoints.js'
import {
  createFolder,
  originsOf,
  recordingFile,
  replaceFile,
  runFiles,
  runFolder,
} from '../store/run-folder.js'
import type { EntryContent, RunSummary } from '../types.js'
import { captureConsole, withCallScopes } from './call-console.js'
import { EntryWriter } from './entry-writer.js'
import { countLines, type KeptFile, KeptFiles } from './kept-file.js'
import { type RunFacts, SummaryDraft } from './run-summary.js'
import { WireRecorder } from './wire-recorder.js'

export interface KeeperOptions {
  /** The studio's folder, which contains a folder for each run. */
  readonly folder: string
  readonly artifacts: FolderArtifacts
  readonly runId: string
  readonly secrets: readonly string[]
  readonly facts: RunFacts
  /** Called after each write, with the id under which the studio lists the run. */
  onAppended?(id: string): void
}

/** Keeps one round of a run. Never throws: at the first failure, warns once and stops writing. */
export class RunKeeper {
  readonly #options: KeeperOptions
  readonly #redactor: Redactor
  readonly #models = new Map<ChatModel, ChatModel>()
  /** The artifact copies that are in progress. */
  readonly #copies = new Set<Promise<void>>()
  readonly #mirrored = new Set<string>()
  #store: ArtifactStore | undefined
  #open: OpenRound | undefined
  #plain: RunHost | undefined
  #release: (() => void) | undefined
  #hasFailed = false

  constructor(options: KeeperOptions) {
    const secrets = [...options.secrets]
    this.#options = { ...options, secrets }
    this.#redactor = new Redactor(secrets)
    // The recording contains the same text, so it uses this redactor and its cache.
    sharedRedactors.set(secrets, this.#redactor)
  }

  /**
   * Returns the run's host. The host records the run's steps, and reports console lines with the call that printed
   * them.
   */
  host(create: CreateHost): CreateHost {
    const listener = { printed: (entry: EntryContent) => this.#guarded((round) => round.printed(entry)) }
    const scoped = withCallScopes(create, listener)
    return (binding) => {
      this.#store = binding.artifacts
      this.#release = captureConsole(listener)
      return this.#delayedHost(scoped, binding)
    }
  }

  /**
   * Returns a host that waits for the recording's host. The recording starts with the run's first event, but the run
   * needs a host before that.
   */
  #delayedHost(create: CreateHost, binding: HostContext): RunHost {
    const plain = create(binding)
    this.#plain = plain
    let recorded: RunHost | undefined
    const host = () => {
      recorded ??= this.#open?.recording.host(binding)
      return recorded ?? plain
    }
    return {
      step: (step) => host().step(step),
      all: (steps) => host().all(steps),
      waitFor: (key, options) => host().waitFor(key, options),
      now: () => host().now(),
      id: (key) => host().id(key),
      sleep: (key, ms) => host().sleep(key, ms),
      retries: plain.retries,
    }
  }

  /** Returns a model whose requests and responses are kept. `placeOf` returns a request's step key. */
  model(own: ChatModel, agent: string, placeOf: (request: ModelRequest) => string): ChatModel {
    const known = this.#models.get(own)
    if (known) return known
    const made = this.#guarded(({ wire, recording, summary }) => {
      this.#redactor.learn(own)
      summary.model(own)
      // The recording collects the model's secrets itself.
      return wire.model(recording.model(own, agent), placeOf)
    })
    this.#models.set(own, made ?? own)
    return made ?? own
  }

  observe(event: RunEvent): void {
    if (event.type === 'run-start' && event.parentCallId === undefined) this.#begin(event)
    this.#guarded((round) => {
      round.recording.observe(event)
      round.summary.event(event)
      round.entries.event(event)
      // The tool's function might never return, or might end the process.
      if (event.type === 'tool-start') round.flush()
      if (event.type === 'artifact-stored') this.#mirror(event.artifact.id)
      const isOwn = event.parentCallId === undefined
      if (isOwn && event.type === 'step-end') round.writeSummarySoon()
      // For any other end, one more state follows. It must be kept before the summary reports the end.
      if (isOwn && event.type === 'run-end' && event.stopReason === 'error') this.#close()
    })
  }

  async onCheckpoint(state: RunState): Promise<void> {
    this.#guarded((round) => {
      void round.recording.onCheckpoint(state)
      const isFirst = round.checkpoint(state)
      if (isFirst) for (const id of namedArtifacts(state)) this.#mirror(id)
      if (isFirst) round.writeSummary()
    })
    if (!state.stopReason) return
    // The program may exit as soon as its run has ended.
    await Promise.allSettled(this.#copies)
    this.#close()
  }

  #begin({ agent, step, runId }: Extract<RunEvent, { type: 'run-start' }>): void {
    if (this.#open || this.#hasFailed) return
    try {
      const onError = (error: unknown) => this.#fail(error)
      const host: CreateHost = (binding) => this.#plain ?? memoryHost(binding)
      this.#open = new OpenRound({ ...this.#options, agent, step, runId, host, onError }, this.#redactor)
    } catch (error) {
      this.#fail(error)
    }
  }

  #mirror(id: string): void {
    const from = this.#store
    if (!from || this.#mirrored.has(id)) return
    this.#mirrored.add(id)
    const copy = this.#copy(id, from).catch((error: unknown) => this.#fail(error))
    this.#copies.add(copy)
    void copy.finally(() => this.#copies.delete(copy))
  }

  /**
   * Copies an artifact to the studio's store, and again if it has been marked as untrusted since. Does nothing if the
   * run's store does not contain the artifact.
   */
  async #copy(id: string, from: ArtifactStore): Promise<void> {
    const { artifacts: to } = this.#options
    const artifact = await from.stat(id)
    if (!artifact) return
    this.#open?.summary.artifact(id)
    const known = await to.stat(id)
    if (known && (known.origin?.taintedBy ?? artifact.origin?.taintedBy) === known.origin?.taintedBy) return
    const { id: _, size: __, sha256: ___, ...info } = artifact
    await to.put(await readBytes(await from.open(id)), info)
  }

  #guarded<T>(work: (round: OpenRound) => T): T | undefined {
    const round = this.#open
    if (!round || this.#hasFailed) return undefined
    try {
      return work(round)
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  #close(): void {
    this.#release?.()
    this.#release = undefined
    try {
      this.#open?.close()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#release?.()
    const { folder, runId } = this.#options
    const why = error instanceof Error ? error.message : String(error)
    process.emitWarning(`Run "${runId}" could not be kept completely in "${folder}": ${why}`, 'StudioWarning')
    this.#open?.markLost()
  }
}

const summaryMs = 250

interface RoundOptions extends KeeperOptions {
  readonly agent: string
  /** The number of the round's first step. */
  readonly step: number
  /** Creates the host whose steps are recorded. */
  readonly host: CreateHost
  onError(error: unknown): void
}

/** A round in progress and its open files. */
class OpenRound {
  readonly entries: EntryWriter
  readonly wire: WireRecorder
  readonly summary: SummaryDraft
  readonly recording: RecordedRun
  readonly #folder: string
  readonly #files: KeptFiles
  readonly #checkpoints: KeptFile
  readonly #onAppended: () => void
  #checkpoint: number
  #state: RunState | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #onError: (error: unknown) => void

  constructor(options: RoundOptions, redactor: Redactor) {
    const { id, before } = placeOf(options)
    const { facts, agent, secrets, host, onError } = options
    this.#folder = runFolder(options.folder, id)
    createFolder(this.#folder)
    this.#onError = onError
    this.#onAppended = () => options.onAppended?.(id)
    const origin = originsOf(options.folder)(this.#folder)
    this.summary = new SummaryDraft({ id, agent, facts, origin }, redactor, before)
    const { startedAt, rounds } = this.summary.summary
    const began = Date.parse(startedAt)
    const now = () => Math.max(0, Math.round((performance.timeOrigin + performance.now() - began) * 10) / 10)
    const path = (name: string) => join(this.#folder, name)
    this.#files = new KeptFiles({ onFlushed: this.#onAppended, onError })
    const open = (name: string) => this.#files.open(path(name))
    const [bytes, lines] = [open(runFiles.bytes), open(runFiles.exchanges)]
    this.#checkpoints = open(runFiles.checkpoints)
    const events = open(runFiles.entries)
    this.#checkpoint = countLines(path(runFiles.checkpoints))
    const seq = countLines(path(runFiles.entries))
    this.entries = new EntryWriter({ file: events, redactor, seq, now, onError })
    const number = nextExchange(path(runFiles.exchanges))
    const onEntry = (entry: EntryContent) => this.entries.add(entry)
    this.wire = new WireRecorder({ lines, bytes, redactor, number, now, onEntry, onError })
    this.recording = recordRun(path(recordingFile(rounds)), { secrets, host, onWriteError: onError })
    this.writeSummary()
  }

  printed(entry: EntryContent): void {
    this.entries.add(entry)
    this.flush()
  }

  flush(): void {
    this.#files.flush()
  }

  /**
   * Writes the summary after a short delay. Steps that end close together then share one write, because replacing a
   * file can take longer than a step.
   */
  writeSummarySoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      try {
        this.writeSummary()
      } catch (error) {
        this.#onError(error)
      }
    }, summaryMs).unref()
  }

  writeSummary(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    replaceFile(join(this.#folder, runFiles.summary), JSON.stringify(this.summary.summary))
    this.#onAppended()
  }

  /** Writes the difference between a state and the previous one. Returns true for the round's first state. */
  checkpoint(state: RunState): boolean {
    const before = this.#state
    this.summary.state(state)
    const difference = compareStates(before, state)
    const { decisions } = state
    if (!before)
      this.entries.begin({ round: this.summary.summary.rounds, ...(decisions ? { decisions } : {}) })
    if (!difference) return false
    this.#state = state
    const checkpoint = this.#checkpoint
    this.#checkpoint += 1
    this.#checkpoints.appendLine({ checkpoint, ...(before ? {} : { isWhole: true }), ...difference })
    const open = openCalls(state).length
    const step = open > 0 ? currentStep(state) : state.stepCount
    this.entries.add({ checkpoint, step, ...(open > 0 ? { openCalls: open } : {}) })
    this.flush()
    return !before
  }

  close(): void {
    // If the run failed before its first step, no checkpoint has started the round.
    this.entries.begin({ round: this.summary.summary.rounds })
    this.entries.flush()
    this.flush()
    this.writeSummary()
    this.recording[Symbol.dispose]()
    this.#files.close()
  }

  markLost(): void {
    clearTimeout(this.#timer)
    try {
      const text = JSON.stringify({ ...this.summary.summary, status: 'lost' })
      replaceFile(join(this.#folder, runFiles.summary), text)
      this.recording[Symbol.dispose]()
      this.#files.close()
    } catch {
      // The warning has already reported the failure.
    }
  }
}

/**
 * Returns the id of a round's folder. If the round continues a kept run, also returns that run's summary. If another
 * run already uses the id, appends a number.
 */
function placeOf({ folder, runId, step }: RoundOptions): {
  readonly id: string
  readonly before?: RunSummary
} {
  let last: RunSummary | undefined
  for (let number = 1; ; number++) {
    const id = number === 1 ? runId : `${runId}.${number}`
    const known = summaryAt(runFolder(folder, id))
    if (known) {
      last = known
      continue
    }
    const isContinued = last && (step > 0 || last.steps === 0) && last.stopReason !== 'done'
    return last && isContinued ? { id: last.id, before: last } : { id }
  }
}

function summaryAt(folder: string): RunSummary | undefined {
  const path = join(folder, runFiles.summary)
  if (!existsSync(path)) return undefined
  const found = tryJson(readFileSync(path, 'utf8')) as RunSummary | undefined
  return found?.schema === 1 ? found : undefined
}

function nextExchange(path: string): number {
  if (countLines(path) === 0) return 0
  const numbers = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => Object(tryJson(line)).number)
  return 1 + Math.max(-1, ...numbers.filter((number) => typeof number === 'number'))
}

/** Returns the ids of all artifacts in a state: in user messages, and in the state's list of artifacts. */
function namedArtifacts({ messages, artifacts = [] }: RunState): readonly string[] {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => JSON.stringify(message))
  const named = texts.flatMap((text) => text.match(/\b(?:img|aud|txt|file)_[a-z2-7]{8,52}\b/g) ?? [])
  return [...new Set([...named, ...artifacts.map(({ id }) => id)])]
}
