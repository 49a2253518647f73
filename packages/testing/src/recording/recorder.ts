import {
  type AssistantMessage,
  CapstanError,
  type ChatModel,
  type ExchangeTap,
  isCapstanError,
  type Message,
  type ModelDelta,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
  type RunState,
  type ToolDefinition,
  type WireNote,
  wireTap,
} from '@capstan/core'
import {
  compareStepKeys,
  messageOf,
  Redactor,
  sharedRedactors,
  splitIdempotencyKey,
} from '@capstan/core/internal'
import {
  compressMessages,
  head,
  isSameJson,
  isTopLevelKey,
  jsonWithoutRunId,
  type LineContent,
  type RecordedDelta,
  type RecordedEnd,
  type RecordedFailure,
  type RecordedReply,
  type RecordedRequest,
  type RecordedRetry,
  requestChain,
} from './format.js'

/** Options for a recording: which secrets to redact, and what happens if the file cannot be written. */
export interface RecordOptions {
  /** Secrets to redact in addition to those from models and the environment. Default: none. */
  readonly secrets?: readonly string[]
  /** Called once if the file cannot be written. Recording then stops, but the run continues. Default: the run fails. */
  onWriteError?(error: CapstanError): void
}

/** What has already been recorded for a run, so that each line contains only what is new. */
interface RunProgress {
  readonly number: number
  /** The last request in each request chain. */
  readonly last: Map<string, LastRequest>
}

interface LastRequest {
  readonly at: string
  readonly system: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
}

/** Writes recorded runs to a file, one JSON object per line. */
export class Recorder {
  readonly #file: LineFile
  readonly #redactor: Redactor
  readonly #runs = new Map<string, RunProgress>()
  #count = 0

  constructor(path: string, { secrets, onWriteError }: RecordOptions = {}) {
    this.#file = new LineFile(path, onWriteError)
    this.#redactor = (secrets && sharedRedactors.get(secrets)) ?? new Redactor(secrets)
  }

  /** Wraps a model so that its requests and replies are recorded. */
  model(own: ChatModel): ChatModel {
    this.#redactor.learn(own)
    return { ...own, complete: (request, sink) => this.#complete(own, request, sink) }
  }

  note(runId: string, at: string, what: LineContent): void {
    const text = jsonWithoutRunId({ at, ...this.#redactor.value(what) }, runId)
    // After a top-level reply, no more lines can arrive that belong before it.
    const isLast = 'end' in what || (('reply' in what || 'failure' in what) && isTopLevelKey(at))
    this.#file.add({ run: this.#run(runId).number, at, text, isLast })
  }

  end(state: RunState, stopReason: RecordedEnd['stopReason']): void {
    const { runId, limit, stepCount: steps, messages } = state
    const { seconds: _, ...usage } = state.usage
    const written = compressMessages(messages, this.#run(runId).last.get(''))
    this.note(runId, 'end', { end: { stopReason, ...(limit ? { limit } : {}), steps, usage, ...written } })
    // If a run resumes this state, the run gets a new number in the file.
    this.#runs.delete(runId)
  }

  /** Writes all pending lines. */
  flush(): void {
    this.#file.flush()
  }

  /** Writes all pending lines, and stops recording. */
  close(): void {
    this.#file.close()
  }

  async #complete(own: ChatModel, request: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
    const { runId, at } = splitIdempotencyKey(request.idempotencyKey)
    const names = new Set(request.stream && sink ? request.tools.map(({ function: { name } }) => name) : [])
    const notes = new DeltaRecorder((name) => names.has(name))
    // Copy the array, because the run appends to it.
    const asked = { ...request, messages: [...request.messages] }
    const take: ModelSink = (delta) => {
      notes.take(delta)
      sink?.(delta)
    }
    // If a write fails, the error must not count as a failure of the model.
    const tap = wireTap({ sent: () => notes.exchange() }, request.tap)
    const came = await own.complete({ ...request, tap }, take).then(
      (reply) => ({ reply }),
      (error: unknown) => ({ error }),
    )
    // An aborted request has no reply.
    if (!request.signal.aborted) {
      this.note(runId, at, { request: this.#request(own, asked) })
      this.note(
        runId,
        at,
        'reply' in came ? this.#reply(came.reply, notes, request) : failureLine(came.error, notes),
      )
    }
    if ('reply' in came) return came.reply
    throw came.error
  }

  #reply(reply: ModelReply, notes: DeltaRecorder, { stream }: ModelRequest): LineContent {
    const deltas = stream ? notes.deltas((pieces) => this.#redactor.pieces(pieces)) : []
    // Omit the response's id and rate limits, which differ each time.
    const { response: _, message, ...said } = reply
    const told = { ...notes.retries, ...(deltas.length > 0 ? { deltas } : {}) }
    return { reply: { ...told, message: notes.withIds(message), ...said, ...notes.notes } }
  }

  #request(
    { name }: ChatModel,
    { messages: all, tools, toolChoice, settings, stream, idempotencyKey }: ModelRequest,
  ): RecordedRequest {
    const { runId, at } = splitIdempotencyKey(idempotencyKey)
    const { last } = this.#run(runId)
    const chain = requestChain(at)
    const before = last.get(chain)
    const { system, messages } = splitSystemMessage(all)
    last.set(chain, { at, system, messages, tools })
    const isChosen = toolChoice !== undefined && toolChoice !== 'auto'
    return {
      model: name,
      ...(system === before?.system ? {} : { system: system ?? null }),
      ...compressMessages(messages, before),
      ...(isSameJson(tools, before?.tools) ? {} : { tools }),
      ...(isChosen ? { toolChoice } : {}),
      ...(Object.keys(settings ?? {}).length > 0 ? { settings } : {}),
      ...(stream ? { stream } : {}),
    }
  }

  #run(runId: string): RunProgress {
    const known = this.#runs.get(runId)
    if (known) return known
    this.#count += 1
    const notes = { number: this.#count, last: new Map() }
    this.#runs.set(runId, notes)
    return notes
  }
}

function failureLine(error: unknown, { retries }: DeltaRecorder): LineContent {
  return { failure: { ...toRecordedFailure(error), ...retries } }
}

function toRecordedFailure(error: unknown): RecordedFailure {
  if (!isCapstanError(error)) return { code: 'api', message: messageOf(error) }
  const { code, message, retryable, retryAfterMs, status } = error
  return {
    code,
    message,
    ...(retryable ? { retryable } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  }
}

type ReplyDelta = Exclude<ModelDelta, { type: 'retry' }>

/**
 * Collects what belongs to a reply: its deltas, its notes, and the failed attempts before it. Discards the deltas and
 * notes of failed attempts.
 */
export class DeltaRecorder {
  #pieces: ReplyDelta[] = []
  readonly #retries: RecordedRetry[] = []
  readonly #notes: WireNote[] = []
  /** The ids of calls that a failed attempt had started. If a later attempt uses these ids, the run changes them. */
  readonly #begun = new Set<string>()
  readonly #isTool: (name: string) => boolean

  /** `isTool` returns whether listeners receive calls to a tool as deltas, before the reply is complete. */
  constructor(isTool: (name: string) => boolean = () => false) {
    this.#isTool = isTool
  }

  /** Returns a message with the call ids that the run uses, so that a replay without deltas uses the same ids. */
  withIds(message: AssistantMessage): AssistantMessage {
    const calls = message.tool_calls
    if (!calls?.some(({ id }) => this.#begun.has(id))) return message
    return { ...message, tool_calls: calls.map((call) => ({ ...call, id: this.#idOf(call.id) })) }
  }

  #idOf(id: string): string {
    return this.#begun.has(id) ? `${id}_2` : id
  }

  take(delta: ModelDelta): void {
    if (delta.type !== 'retry') this.#pieces.push(delta)
    else {
      const { type: _, ...retry } = delta
      this.#retries.push(retry)
      for (const piece of this.#pieces)
        if (piece.type === 'call' && piece.id && piece.arguments && this.#isTool(piece.name))
          this.#begun.add(piece.id)
      this.#pieces = []
    }
  }

  /** Returns a tap for one attempt. If the attempt fails, its notes are discarded. */
  exchange(): ExchangeTap {
    const own: WireNote[] = []
    return {
      noted: (note) => own.push(note),
      ended: (outcome) => {
        if ('reply' in outcome) this.#notes.push(...own)
      },
    }
  }

  get notes(): Pick<RecordedReply, 'notes'> {
    return this.#notes.length > 0 ? { notes: this.#notes } : {}
  }

  get retries(): Pick<RecordedReply, 'retries'> {
    return this.#retries.length > 0 ? { retries: this.#retries } : {}
  }

  /**
   * Returns the deltas, redacted by `hide`. All text of the same kind is redacted together, because a secret may be
   * split across deltas that are not adjacent. If any of it was redacted, all of its deltas are moved to the position
   * of the first one.
   */
  deltas(hide: (pieces: readonly string[]) => readonly string[]): readonly RecordedDelta[] {
    const redactedTexts = this.#redacted(hide)
    return this.#pieces.flatMap((piece) => {
      const kind = deltaKind(piece)
      const shown = redactedTexts.get(kind)
      if (!shown) return toRecordedDelta(this.#named(piece), deltaText(piece))
      redactedTexts.set(kind, [])
      return shown.map((text) => toRecordedDelta(withoutId(piece), text))
    })
  }

  #named(piece: ReplyDelta): ReplyDelta {
    return piece.type === 'call' && piece.id ? { ...piece, id: this.#idOf(piece.id) } : piece
  }

  #redacted(hide: (pieces: readonly string[]) => readonly string[]): Map<string, readonly string[]> {
    const texts = new Map<string, string[]>()
    for (const piece of this.#pieces) {
      const pieces = texts.get(deltaKind(piece))
      if (pieces) pieces.push(deltaText(piece))
      else texts.set(deltaKind(piece), [deltaText(piece)])
    }
    const shown = [...texts].map(([kind, pieces]) => [kind, hide(pieces)] as const)
    return new Map(shown.filter(([kind, pieces]) => pieces.join('') !== texts.get(kind)?.join('')))
  }
}

function deltaKind(piece: ReplyDelta): string {
  return piece.type === 'call' ? `call ${piece.index} ${piece.name}` : piece.type
}

function deltaText(piece: ReplyDelta): string {
  return piece.type === 'call' ? piece.arguments : piece.text
}

function toRecordedDelta(piece: ReplyDelta, text: string): RecordedDelta {
  if (piece.type === 'text') return text
  if (piece.type === 'reasoning') return { reasoning: text }
  const { index: call, id, name } = piece
  return { call, ...(id ? { id } : {}), name, arguments: text }
}

function withoutId(piece: ReplyDelta): ReplyDelta {
  return piece.type === 'call' ? { ...piece, id: '' } : piece
}

/**
 * The files that this process is recording. Each file can have only one writer, because two would overwrite each
 * other's lines.
 */
const openFiles = new Set<string>()

/** A line that has not been written yet, because lines that belong before it may still arrive. */
interface WaitingLine {
  readonly run: number
  readonly at: string
  /** The line's JSON, without the run's number. */
  readonly text: string
  /** Whether the line completes a part of the run, so no more lines can arrive that belong before it. */
  readonly isLast: boolean
}

/**
 * Writes lines to a file in the order of their keys. Lines from concurrent work are held back until all of that work is
 * done, and are then written in call order. The first write replaces the file.
 * @throws CapstanError `conflict` for a file that this process is already recording
 */
class LineFile {
  readonly #path: string
  readonly #waiting = new Map<number, WaitingLine[]>()
  readonly #onWriteError: RecordOptions['onWriteError']
  #hasBegun = false
  #isClosed = false
  #isBroken = false

  constructor(path: string, onWriteError: RecordOptions['onWriteError']) {
    this.#path = absolutePath(path)
    this.#onWriteError = onWriteError
    if (openFiles.has(this.#path)) throw fileInUseError(path)
    openFiles.add(this.#path)
  }

  add(line: WaitingLine): void {
    if (this.#isClosed) throw recorderClosedError(this.#path)
    const waiting = this.#waiting.get(line.run) ?? []
    waiting.push(line)
    this.#waiting.set(line.run, waiting)
    if (line.isLast) this.flush(line.run)
  }

  /** Writes the pending lines of a run, or of all runs. */
  flush(run?: number): void {
    const runs = run === undefined ? [...this.#waiting.keys()] : [run]
    for (const one of runs) {
      const lines = this.#waiting.get(one) ?? []
      this.#write(lines.toSorted((a, b) => compareStepKeys(a.at, b.at)))
      this.#waiting.delete(one)
    }
  }

  /** Writes all pending lines. After that, the file can be recorded again. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    openFiles.delete(this.#path)
    this.flush()
  }

  #write(lines: readonly WaitingLine[]): void {
    if (this.#isBroken) return
    try {
      this.#append(lines)
    } catch (error) {
      const message = `Cannot record into "${this.#path}": ${messageOf(error)}`
      const failure = new CapstanError('invalid_request', message, { cause: error })
      if (!this.#onWriteError) throw failure
      this.#isBroken = true
      this.#onWriteError(failure)
    }
  }

  #append(lines: readonly WaitingLine[]): void {
    const text = lines.map((line) => `{"run":${line.run},${line.text.slice(1)}\n`)
    if (!this.#hasBegun) text.unshift(`${JSON.stringify(head)}\n`)
    const { appendFileSync, mkdirSync, writeFileSync } = fileSystem()
    if (this.#hasBegun) appendFileSync(this.#path, text.join(''))
    else {
      mkdirSync(folderOf(this.#path), { recursive: true, mode: 0o700 })
      writeFileSync(this.#path, text.join(''), { mode: 0o600 })
    }
    this.#hasBegun = true
  }
}

function fileInUseError(file: string): CapstanError {
  const message = `"${file}" is already being recorded. Use one recordRun(file) for several runs, or dispose of it before starting a new recording.`
  return new CapstanError('conflict', message, { evidence: { file } })
}

function recorderClosedError(file: string): CapstanError {
  const message = `The recorder of "${file}" was disposed of before its run ended. Dispose of it after the run.`
  return new CapstanError('invalid_state', message, { evidence: { file } })
}

/** Returns a file's absolute path. @throws CapstanError `unsupported` without a file system */
function absolutePath(path: string): string {
  fileSystem()
  return globalThis.process.getBuiltinModule('node:path').resolve(path)
}

/**
 * Returns `node:fs`. Loads it at run time, so that bundles that do not use files do not need to import from `node:`.
 * @throws CapstanError `unsupported` without a file system
 */
export function fileSystem(): typeof import('node:fs') {
  const found = globalThis.process?.getBuiltinModule?.('node:fs')
  if (found) return found
  throw new CapstanError(
    'unsupported',
    'Recordings need a file system, but this platform has none. Use Node, Bun or Deno.',
  )
}

function folderOf(path: string): string {
  return globalThis.process.getBuiltinModule('node:path').dirname(path)
}

/**
 * Separates the instructions from the other messages. There are instructions only if the first message is a plain
 * system message.
 */
export function splitSystemMessage(messages: readonly Message[]): {
  readonly system: string | undefined
  readonly messages: readonly Message[]
} {
  const [first, ...rest] = messages
  const isPlain = first?.role === 'system' && Object.keys(first).length === 2
  if (!isPlain || typeof first.content !== 'string') return { system: undefined, messages }
  return { system: first.content, messages: rest }
}
