import type {
  ChatModel,
  Message,
  ModelReply,
  ModelRequest,
  ModelSink,
  RunState,
  ToolDefinition,
} from '@capstan/core'
import { isCapstanError } from '@capstan/core'
import { messageOf, Redactor } from '@capstan/core/internal'
import { chainOf } from './chain-of.js'
import { DeltaNotes } from './delta-notes.js'
import { LineFile } from './line-file.js'
import type { Ending, What, WrittenFailure, WrittenRequest } from './lines.js'
import { isSame, toWritten } from './message-lists.js'
import { placeOf } from './place.js'
import { withoutRunId } from './run-ids.js'
import { splitSystem } from './split-system.js'

export interface RecordOptions {
  /** Further secrets that must not be in the file, besides those of the models and of the environment. Default: none. */
  readonly secrets?: readonly string[]
}

/** What is remembered of a run, to write what comes next as what is new in it. */
interface RunNotes {
  readonly number: number
  /** The last request of the run, and of each within it. */
  readonly last: Map<string, Asked>
}

interface Asked {
  readonly at: string
  readonly system: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
}

/** Writes what happens in runs, one line for each thing that does. */
export class Recorder {
  readonly #file: LineFile
  readonly #redactor: Redactor
  readonly #runs = new Map<string, RunNotes>()
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

  note(runId: string, at: string, what: What): void {
    const plain = withoutRunId(this.#redactor.value(what), runId)
    this.#file.add({ run: this.#run(runId).number, at, ...plain })
  }

  end(state: RunState, stopReason: Ending['stopReason']): void {
    const { runId, limit, turn: steps, messages } = state
    const { seconds: _, ...usage } = state.usage
    const written = toWritten(messages, this.#run(runId).last.get(''))
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
    const { runId, at } = placeOf(request.idempotencyKey)
    const notes = new DeltaNotes()
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
        'reply' in came ? this.#reply(came.reply, notes, request) : toFailed(came.error, notes),
      )
    }
    if ('reply' in came) return came.reply
    throw came.error
  }

  #reply(reply: ModelReply, notes: DeltaNotes, { stream }: ModelRequest): What {
    const deltas = stream ? notes.deltas((pieces) => this.#redactor.pieces(pieces)) : []
    return { reply: { ...notes.retries, ...(deltas.length > 0 ? { deltas } : {}), ...reply } }
  }

  #request(
    { name }: ChatModel,
    { messages: all, tools, toolChoice, settings, stream, idempotencyKey }: ModelRequest,
  ): WrittenRequest {
    const { runId, at } = placeOf(idempotencyKey)
    const { last } = this.#run(runId)
    const chain = chainOf(at)
    const before = last.get(chain)
    const { system, messages } = splitSystem(all)
    last.set(chain, { at, system, messages, tools })
    const isChosen = toolChoice !== undefined && toolChoice !== 'auto'
    return {
      model: name,
      ...(system === before?.system ? {} : { system: system ?? null }),
      ...toWritten(messages, before),
      ...(isSame(tools, before?.tools) ? {} : { tools }),
      ...(isChosen ? { toolChoice } : {}),
      ...(Object.keys(settings ?? {}).length > 0 ? { settings } : {}),
      ...(stream ? { stream } : {}),
    }
  }

  #run(runId: string): RunNotes {
    const known = this.#runs.get(runId)
    if (known) return known
    this.#count += 1
    const notes = { number: this.#count, last: new Map() }
    this.#runs.set(runId, notes)
    return notes
  }
}

function toFailed(error: unknown, { retries }: DeltaNotes): What {
  return { failure: { ...toFailure(error), ...retries } }
}

function toFailure(error: unknown): WrittenFailure {
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
