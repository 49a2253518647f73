import { Allow, parse } from 'partial-json'
import { isRecord } from '../../json.js'
import type { Run, StepOf } from '../../run/feature.js'
import { parseArguments } from '../../tools/parse-arguments.js'
import type { RunEvent } from '../../types/event.js'
import { textOf } from '../../types/message.js'
import type { OutputSchema } from '../../types/model.js'
import { extractJson, extractOpenJson, outputField, outputToolName } from './structured-output.js'

/** A value that may still be incomplete: any part can be missing. */
export type Partially<T> = T extends readonly (infer One)[]
  ? readonly Partially<One>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T

/** The output of a finished run, in which any part can be missing. */
type PartialOutputOf<Result> = Partially<
  Extract<Result, { readonly stopReason: 'done' }> extends { readonly output: infer Output } ? Output : never
>

/**
 * Yields the structured output as it is streamed. Values are unchecked, and each is more complete than the last;
 * numbers appear once they are complete. The text is parsed each time it has grown by a tenth, so that the cost stays
 * linear.
 */
export function partialOutput<Result>(
  run: Pick<Run<Result>, 'outputSchema' | 'result'> & AsyncIterable<RunEvent>,
): AsyncGenerator<PartialOutputOf<Result>, void> {
  return readOutputs(run, run.outputSchema) as AsyncGenerator<PartialOutputOf<Result>, void>
}

/** A call that is still being streamed. */
export interface PartialCall<Arguments> {
  readonly callId: string
  /** The arguments so far. Any part can be missing. */
  readonly partial: Partially<Arguments>
}

/** Calls to a run's own tools, whose types are known. */
type OwnCall<Result> = Exclude<
  Extract<StepOf<Result>['toolCalls'][number], { readonly status: 'ok' }>,
  { readonly dynamic: true }
>

type ToolNameOf<Result> = [OwnCall<Result>] extends [never] ? string : OwnCall<Result>['name']

type PartialCallOf<Result, Name> = [OwnCall<Result>] extends [never]
  ? PartialCall<unknown>
  : PartialCall<Extract<OwnCall<Result>, { readonly name: Name }>['arguments']>

/**
 * Yields the arguments of calls to a tool as they are streamed. Values are unchecked, and each is more complete than
 * the last; numbers appear once they are complete. A call's last value contains everything that the model wrote. If a
 * reply is retried, its calls get new ids. Calls of child runs are omitted.
 */
export async function* partialCalls<Result, Name extends ToolNameOf<Result>>(
  run: Pick<Run<Result>, 'result'> & AsyncIterable<RunEvent>,
  name: Name,
): AsyncGenerator<PartialCallOf<Result, Name>, void> {
  const open = new Map<string, GrowingText>()
  for await (const event of run) {
    if (event.parentCallId !== undefined || !('name' in event) || event.name !== name) continue
    let partial: unknown
    if (event.type === 'call-delta') {
      const text = open.get(event.callId) ?? new GrowingText()
      open.set(event.callId, text)
      text.value += event.arguments
      if (text.hasGrown()) partial = parseBegun(text.value)
    } else if (event.type === 'call-ready') {
      open.delete(event.callId)
      const parsed = parseArguments(event.arguments)
      if (parsed.ok) partial = parsed.value
    }
    if (isRecord(partial) && 'callId' in event) yield { callId: event.callId, partial } as never
  }
}

/** Yields a run's partial outputs, read from its events. Yields nothing for a run without an output schema. */
export async function* readOutputs(
  events: AsyncIterable<RunEvent>,
  form: OutputSchema | undefined,
): AsyncGenerator<unknown, void> {
  const reader = new TextReader()
  let draft = new Draft()
  for await (const event of events) {
    if (!form || event.parentCallId !== undefined) continue
    const pieces = reader.event(event)
    if (event.type === 'step-start') draft = new Draft()
    // After a retry, text that is repeated is kept, but a call that is repeated starts over.
    if (event.type === 'retry-scheduled' && draft.hasCall) draft = new Draft(reader.text)
    for (const piece of pieces) draft.add(piece)
    const value = draft.after(event, form)
    if (value !== undefined) yield value
  }
}

/** Growing text that is parsed repeatedly. */
class GrowingText {
  #readTo = 0

  constructor(public value = '') {}

  /** Whether the text has grown by a tenth since this last returned true. */
  hasGrown(): boolean {
    const hasGrown = this.value.length > this.#readTo * 1.1
    if (hasGrown) this.#readTo = this.value.length
    return hasGrown
  }
}

/** One reply from the model as it is being streamed. */
class Draft {
  #text: GrowingText
  /** The id of the first call with the final answer. Later text is ignored. */
  #call: string | undefined
  #isOver = false

  constructor(text = '') {
    this.#text = new GrowingText(text)
  }

  get hasCall(): boolean {
    return this.#call !== undefined
  }

  add({ kind, text, startsNew }: TextPiece): void {
    if (kind !== 'text' || this.hasCall) return
    if (startsNew) this.#text = new GrowingText(text)
    else this.#text.value += text
  }

  /** Returns the value so far if the text has grown enough, and the complete value at the end. Undefined otherwise. */
  after(event: RunEvent, form: OutputSchema): unknown {
    if (this.#isOver) return undefined
    this.#take(event)
    if (this.#isOver) return this.#whole(form)
    return this.#text.hasGrown() ? this.#begun(form) : undefined
  }

  #take(event: RunEvent): void {
    const isAnswer = 'name' in event && event.name === outputToolName
    this.#isOver = event.type === 'step-end' || (event.type === 'call-ready' && isAnswer)
    if (event.type === 'call-delta' && isAnswer) this.#addCall(event.callId, event.arguments)
    if (event.type !== 'call-ready' || this.hasCall) return
    // The call arrived in one chunk. Text next to calls to other tools is not the answer.
    if (isAnswer) this.#addCall(event.callId, event.arguments)
    else this.#text.value = ''
  }

  #addCall(callId: string, text: string): void {
    if (this.#call === undefined) this.#text = new GrowingText()
    this.#call ??= callId
    if (callId === this.#call) this.#text.value += text
  }

  #whole(form: OutputSchema): unknown {
    if (this.#call === undefined) return whole(extractJson(this.#text.value, form.opening), form)
    const parsed = parseArguments(this.#text.value)
    return whole(parsed.ok ? parsed : undefined, form)
  }

  #begun(form: OutputSchema): unknown {
    const json = extractOpenJson(this.#text.value, form.opening)
    const value = json === undefined ? undefined : parseBegun(json)
    return value === undefined ? undefined : unwrapBegun(value, form)
  }
}

/**
 * Returns the value of a partial reply, without its wrapper object. Undefined until it is clear whether there is one.
 */
function unwrapBegun(value: unknown, { opening, unwrap }: OutputSchema): unknown {
  if (opening === '{') return isRecord(value) ? value : undefined
  return !isRecord(value) || Object.keys(value)[0] === outputField ? unwrap(value) : undefined
}

/** Parses JSON that may be incomplete. Undefined while there is no value. */
function parseBegun(json: string): unknown {
  try {
    return parse(json, beginnings)
  } catch {
    return undefined
  }
}

/** The kinds of values that may be incomplete: all except numbers, because half a number is a different number. */
const beginnings = Allow.STR | Allow.ARR | Allow.OBJ | Allow.NULL | Allow.BOOL

function whole(read: { readonly value: unknown } | undefined, { opening, unwrap }: OutputSchema): unknown {
  const isFit = read && (opening !== '{' || isRecord(read.value))
  return isFit ? unwrap(read.value) : undefined
}

/** A piece of a reply's text or reasoning. */
export interface TextPiece {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
  /** The step of the reply, starting at 0. */
  readonly step: number
  /** Whether the text is new: the reply has just started, or a retry has replaced the previous text. */
  readonly startsNew: boolean
}

/**
 * Reads a run's text from its events, without child runs. Text that a retried reply repeats appears once. Without
 * streaming, the text comes with the message.
 */
export class TextReader {
  readonly #text = new KindReader('text')
  readonly #reasoning = new KindReader('reasoning')

  /** The text of the current reply so far. */
  get text(): string {
    return this.#text.received
  }

  /** Returns the pieces that an event adds. */
  event(event: RunEvent): readonly TextPiece[] {
    if (event.parentCallId !== undefined) return []
    switch (event.type) {
      case 'step-start':
        this.#text.start(event.step)
        this.#reasoning.start(event.step)
        return []
      case 'retry-scheduled':
      case 'run-recovered':
        this.#text.retry()
        this.#reasoning.retry()
        return []
      case 'text-delta':
        return this.#text.add(event.text)
      case 'reasoning-delta':
        return this.#reasoning.add(event.text)
      case 'message-added': {
        const { message } = event
        return message.role === 'assistant' ? this.#text.addWhole(textOf(message.content)) : []
      }
      default:
        return []
    }
  }
}

/** Reads either a reply's text or its reasoning. */
class KindReader {
  readonly #kind: TextPiece['kind']
  #step = 0
  #startsNew = true
  /** All text of the reply so far. */
  received = ''
  /** How much of the earlier text a retry has repeated so far. Undefined without a retry, or once the text differs. */
  #repeated: number | undefined

  constructor(kind: TextPiece['kind']) {
    this.#kind = kind
  }

  /** Starts a new reply. */
  start(step: number): void {
    this.#step = step
    this.#begin('')
  }

  /** Restarts the reply. Text that the new reply repeats is not returned again. */
  retry(): void {
    this.#repeated = 0
  }

  add(delta: string): readonly TextPiece[] {
    if (this.#repeated === undefined) return this.#pieces(delta)
    const expected = this.received.slice(this.#repeated, this.#repeated + delta.length)
    if (!delta.startsWith(expected)) return this.#begin(this.received.slice(0, this.#repeated) + delta)
    this.#repeated += expected.length
    if (expected.length === delta.length) return []
    this.#repeated = undefined
    return this.#pieces(delta.slice(expected.length))
  }

  /**
   * Adds the new parts of a complete reply. The complete text may differ from the streamed text, or arrive without a
   * stream.
   */
  addWhole(whole: string): readonly TextPiece[] {
    const before = this.received.slice(0, this.#repeated)
    if (whole.startsWith(before)) return this.add(whole.slice(before.length))
    return before.startsWith(whole) ? [] : this.#begin(whole)
  }

  #begin(text: string): readonly TextPiece[] {
    this.#startsNew = true
    this.#repeated = undefined
    this.received = ''
    return this.#pieces(text)
  }

  #pieces(text: string): readonly TextPiece[] {
    this.received += text
    if (text === '') return []
    const startsNew = this.#startsNew
    this.#startsNew = false
    return [{ kind: this.#kind, text, step: this.#step, startsNew }]
  }
}
