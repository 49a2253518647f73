import {
  CapstanError,
  type ChatModel,
  isCapstanError,
  type Message,
  type ModelDelta,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
  type RunState,
  type ToolDefinition,
} from '@capstan/core'
import { messageOf, Redactor } from '@capstan/core/internal'
import {
  compareKeys,
  compressMessages,
  head,
  isSameJson,
  isTopLevelKey,
  type Line,
  type LineContent,
  type RecordedDelta,
  type RecordedEnd,
  type RecordedFailure,
  type RecordedReply,
  type RecordedRequest,
  type RecordedRetry,
  requestChain,
  splitIdempotencyKey,
  withoutRunId,
} from './format.js'

export interface RecordOptions {
  /** Further secrets that must not be in the file, besides those of the models and of the environment. Default: none. */
  readonly secrets?: readonly string[]
}

/** What is remembered of a run, to write what comes next as what is new in it. */
interface RunProgress {
  readonly number: number
  /** The last request of the run, and of each within it. */
  readonly last: Map<string, LastRequest>
}

interface LastRequest {
  readonly at: string
  readonly system: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
}

/** Writes what happens in runs, one line for each thing that does. */
export class Recorder {
  readonly #file: LineFile
  readonly #redactor: Redactor
  readonly #runs = new Map<string, RunProgress>()
  #count = 0

  constructor(path: string, { secrets }: RecordOptions = {}) {
    this.#file = new LineFile(path)
    this.#redactor = new Redactor(secrets)
  }

  /** The model, with what it is asked and what it answers written down. */
  model(own: ChatModel): ChatModel {
    this.#redactor.learn(own)
    return { ...own, complete: (request, sink) => this.#complete(own, request, sink) }
  }

  note(runId: string, at: string, what: LineContent): void {
    const plain = withoutRunId(this.#redactor.value(what), runId)
    this.#file.add({ run: this.#run(runId).number, at, ...plain })
  }

  end(state: RunState, stopReason: RecordedEnd['stopReason']): void {
    const { runId, limit, turn: steps, messages } = state
    const { seconds: _, ...usage } = state.usage
    const written = compressMessages(messages, this.#run(runId).last.get(''))
    this.note(runId, 'end', { end: { stopReason, ...(limit ? { limit } : {}), steps, usage, ...written } })
    // What goes on with its state is another run here.
    this.#runs.delete(runId)
  }

  /** Writes what waits for what comes after it. */
  flush(): void {
    this.#file.flush()
  }

  /** The same, and nothing more. */
  close(): void {
    this.#file.close()
  }

  async #complete(own: ChatModel, request: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
    const { runId, at } = splitIdempotencyKey(request.idempotencyKey)
    const notes = new DeltaRecorder()
    // The run goes on with the same list.
    const asked = { ...request, messages: [...request.messages] }
    const take: ModelSink = (delta) => {
      notes.take(delta)
      sink?.(delta)
    }
    // What cannot be written is no failure of the model's.
    const came = await own.complete(request, take).then(
      (reply) => ({ reply }),
      (error: unknown) => ({ error }),
    )
    // What was given up has no answer.
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
    return { reply: { ...notes.retries, ...(deltas.length > 0 ? { deltas } : {}), ...reply } }
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

/** What an answer streamed, and the failures before it. What was streamed of a failed answer is void. */
export class DeltaRecorder {
  #pieces: ReplyDelta[] = []
  readonly #retries: RecordedRetry[] = []

  take(delta: ModelDelta): void {
    if (delta.type !== 'retry') this.#pieces.push(delta)
    else {
      const { type: _, ...retry } = delta
      this.#retries.push(retry)
      this.#pieces = []
    }
  }

  get retries(): Pick<RecordedReply, 'retries'> {
    return this.#retries.length > 0 ? { retries: this.#retries } : {}
  }

  /**
   * The pieces, those of one text looked through together by `hide`: a secret may be cut between two, with others in
   * between. Where it hid something the text comes as `hide` gave it, at its first piece.
   */
  deltas(hide: (pieces: readonly string[]) => readonly string[]): readonly RecordedDelta[] {
    const mended = this.#mended(hide)
    return this.#pieces.flatMap((piece) => {
      const kind = deltaKind(piece)
      const shown = mended.get(kind) ?? [deltaText(piece)]
      if (mended.has(kind)) mended.set(kind, [])
      return shown.map((text) => toRecordedDelta(piece, text))
    })
  }

  /** The texts in which something was hidden, by kind. */
  #mended(hide: (pieces: readonly string[]) => readonly string[]): Map<string, readonly string[]> {
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
  return { call: piece.index, name: piece.name, arguments: text }
}

/** The files that are written at this time. Two who begin the same one anew would lose what each other wrote. */
const openFiles = new Set<string>()

/**
 * A file of lines in the order of their places. What happens side by side waits until all of it has happened: then it
 * is written in call order, whichever was first. The file begins anew with the first line.
 * @throws CapstanError `conflict` for a file that somebody in this process writes already
 */
class LineFile {
  readonly #path: string
  readonly #waiting = new Map<number, Line[]>()
  #hasBegun = false
  #isClosed = false

  constructor(path: string) {
    this.#path = absolutePath(path)
    if (openFiles.has(this.#path)) throw fileInUseError(path)
    openFiles.add(this.#path)
  }

  add(line: Line): void {
    if (this.#isClosed) throw recorderClosedError(this.#path)
    const waiting = this.#waiting.get(line.run) ?? []
    waiting.push(line)
    this.#waiting.set(line.run, waiting)
    // Nothing that belongs before an answer to the run itself can still come.
    if ('end' in line || (('reply' in line || 'failure' in line) && isTopLevelKey(line.at)))
      this.flush(line.run)
  }

  /** Writes what waits. */
  flush(run?: number): void {
    const runs = run === undefined ? [...this.#waiting.keys()] : [run]
    for (const one of runs) {
      const lines = this.#waiting.get(one) ?? []
      this.#write(lines.toSorted((a, b) => compareKeys(a.at, b.at)))
      this.#waiting.delete(one)
    }
  }

  /** Writes what waits, and lets others write the file. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    openFiles.delete(this.#path)
    this.flush()
  }

  #write(lines: readonly Line[]): void {
    const text = [...(this.#hasBegun ? [] : [head]), ...lines].map((line) => `${JSON.stringify(line)}\n`)
    const { appendFileSync, mkdirSync, writeFileSync } = fileSystem()
    try {
      if (this.#hasBegun) appendFileSync(this.#path, text.join(''))
      else {
        mkdirSync(folderOf(this.#path), { recursive: true, mode: 0o700 })
        writeFileSync(this.#path, text.join(''), { mode: 0o600 })
      }
    } catch (error) {
      throw new CapstanError('invalid_request', `Cannot record into "${this.#path}": ${messageOf(error)}`, {
        cause: error,
      })
    }
    this.#hasBegun = true
  }
}

function fileInUseError(file: string): CapstanError {
  const message = `"${file}" is recorded into already. Record several runs by the same options (const recording = recordRun(file)), or dispose of those options first: then the file begins anew.`
  return new CapstanError('conflict', message, { evidence: { file } })
}

function recorderClosedError(file: string): CapstanError {
  const message = `The recorder of "${file}" was disposed of, and what happens now is not in the file. Dispose of it after its runs.`
  return new CapstanError('invalid_state', message, { evidence: { file } })
}

/** The same path, however it is written. @throws CapstanError `unsupported` where there are no files */
function absolutePath(path: string): string {
  fileSystem()
  return globalThis.process.getBuiltinModule('node:path').resolve(path)
}

/** Asked for by name, so that bundles for places without files need no `node:` import. @throws CapstanError `unsupported` */
export function fileSystem(): typeof import('node:fs') {
  const found = globalThis.process?.getBuiltinModule?.('node:fs')
  if (found) return found
  throw new CapstanError('unsupported', 'There is no file system here: recordings need one.')
}

/** The folder that a file is in. */
function folderOf(path: string): string {
  return globalThis.process.getBuiltinModule('node:path').dirname(path)
}

/** The instructions in front of a conversation, and the rest. */
export function splitSystemMessage(messages: readonly Message[]): {
  readonly system: string | undefined
  readonly messages: readonly Message[]
} {
  const [first, ...rest] = messages
  const isPlain = first?.role === 'system' && Object.keys(first).length === 2
  if (!isPlain || typeof first.content !== 'string') return { system: undefined, messages }
  return { system: first.content, messages: rest }
}
