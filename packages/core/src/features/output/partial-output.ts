import { Allow, parse } from 'partial-json'
import { isRecord } from '../../json.js'
import type { Run } from '../../run/feature.js'
import { parseArguments } from '../../tools/parse-arguments.js'
import type { RunEvent } from '../../types/event.js'
import type { OutputSchema } from '../../types/model.js'
import { extractJson, extractOpenJson, outputField, outputToolName } from './structured-output.js'
import { type TextPiece, TextReader } from './text-reader.js'

/** A value any part of which may be missing yet. */
export type Partially<T> = T extends readonly (infer One)[]
  ? readonly Partially<One>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T

/** The output of a finished run, any part of which may be missing yet. */
type PartialOutputOf<Result> = Partially<
  Extract<Result, { readonly stopReason: 'done' }> extends { readonly output: infer Output } ? Output : never
>

/**
 * Yields the structured output while it is streamed: unchecked, each value more complete, numbers once they are
 * complete. The text is parsed again only when it has grown by a tenth, so that the cost stays linear.
 */
export function partialOutput<Result>(
  run: Pick<Run<Result>, 'outputSchema' | 'result'> & AsyncIterable<RunEvent>,
): AsyncGenerator<PartialOutputOf<Result>, void> {
  return readOutputs(run, run.outputSchema) as AsyncGenerator<PartialOutputOf<Result>, void>
}

/** Reads the events of a run with this output schema. */
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
    // Text that the reply repeats is there; a call that it makes again starts over.
    if (event.type === 'retry-scheduled' && draft.hasCall) draft = new Draft(reader.text)
    for (const piece of pieces) draft.add(piece)
    const value = draft.after(event, form)
    if (value !== undefined) yield value
  }
}

/** One reply of the model while it is streamed. */
class Draft {
  #text: string
  /** The first call with the final answer. After it, text does not count. */
  #call: number | undefined
  #readTo = 0
  #isOver = false

  constructor(text = '') {
    this.#text = text
  }

  get hasCall(): boolean {
    return this.#call !== undefined
  }

  add({ kind, text, startsNew }: TextPiece): void {
    if (kind !== 'text' || this.hasCall) return
    if (startsNew) this.#startAt(text)
    else this.#text += text
  }

  /** Returns the value so far, when enough has changed. */
  after(event: RunEvent, form: OutputSchema): unknown {
    if (this.#isOver) return undefined
    this.#take(event)
    if (this.#isOver) return this.#whole(form)
    if (this.#text.length <= this.#readTo * 1.1) return undefined
    this.#readTo = this.#text.length
    return this.#begun(form)
  }

  #take(event: RunEvent): void {
    const isAnswer = 'name' in event && event.name === outputToolName
    this.#isOver = event.type === 'step-end' || (event.type === 'call-ready' && isAnswer)
    if (event.type === 'call-delta' && isAnswer) this.#addCall(event.index, event.arguments)
    if (event.type !== 'call-ready' || this.hasCall) return
    // A call that came in one chunk. Text beside calls of other tools does not count.
    if (isAnswer) this.#addCall(0, event.arguments)
    else this.#text = ''
  }

  #addCall(index: number, text: string): void {
    if (this.#call === undefined) this.#startAt('')
    this.#call ??= index
    if (index === this.#call) this.#text += text
  }

  #startAt(text: string): void {
    this.#text = text
    this.#readTo = 0
  }

  #whole(form: OutputSchema): unknown {
    if (this.#call === undefined) return whole(extractJson(this.#text, form.opening), form)
    const parsed = parseArguments(this.#text)
    return whole(parsed.ok ? parsed : undefined, form)
  }

  #begun(form: OutputSchema): unknown {
    const json = extractOpenJson(this.#text, form.opening)
    try {
      return json === undefined ? undefined : unwrapBegun(parse(json, beginnings), form)
    } catch {
      return undefined
    }
  }
}

/** Returns the value of a partial reply; undefined while it is ambiguous. */
function unwrapBegun(value: unknown, { opening, unwrap }: OutputSchema): unknown {
  if (opening === '{') return isRecord(value) ? value : undefined
  return !isRecord(value) || Object.keys(value)[0] === outputField ? unwrap(value) : undefined
}

/** Everything but numbers: half a number is another number. */
const beginnings = Allow.STR | Allow.ARR | Allow.OBJ | Allow.NULL | Allow.BOOL

function whole(read: { readonly value: unknown } | undefined, { opening, unwrap }: OutputSchema): unknown {
  const isFit = read && (opening !== '{' || isRecord(read.value))
  return isFit ? unwrap(read.value) : undefined
}
