import { Allow, parse } from 'partial-json'
import { isRecord } from '../json.js'
import { parseArguments } from '../tools/parse-arguments.js'
import type { RunEvent } from '../types/event.js'
import { extractJson, extractOpenJson, type OutputSchema, outputToolName } from './structured-output.js'

/** A value of which any part may not be there yet. */
export type Partially<T> = T extends readonly (infer One)[]
  ? readonly Partially<One>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T

/**
 * What is there of an answer in the asked form while it is written: unchecked, each time more of it, numbers once they
 * are whole. It is read again only when a tenth more has come, so that long answers cost no more than short ones do.
 */
export async function* partialOutput(
  events: AsyncIterable<RunEvent>,
  form: OutputSchema | undefined,
): AsyncGenerator<unknown, void> {
  let draft = new Draft()
  for await (const event of events) {
    if (!form || event.parentCallId !== undefined) continue
    if (event.type === 'step-start' || event.type === 'retry-scheduled') draft = new Draft()
    const value = draft.after(event, form)
    if (value !== undefined) yield value
  }
}

/** One answer of the model while it is written. */
class Draft {
  #text = ''
  /** The first call that gives the final answer: then words are none. */
  #call: number | undefined
  #readTo = 0
  #isOver = false

  /** What is there of it now, when enough is new. */
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
    const hasCall = this.#call !== undefined
    if (event.type === 'text-delta' && !hasCall) this.#text += event.text
    if (event.type === 'call-delta' && isAnswer) this.#add(event.index, event.arguments)
    if (event.type !== 'call-ready' || hasCall) return
    // A call that came in one piece; words beside calls of other tools are no answer.
    if (isAnswer) this.#add(0, event.arguments)
    else this.#text = ''
  }

  #add(index: number, text: string): void {
    if (this.#call === undefined) {
      this.#text = ''
      this.#readTo = 0
    }
    this.#call ??= index
    if (index === this.#call) this.#text += text
  }

  #whole(form: OutputSchema): unknown {
    if (this.#call === undefined) return whole(extractJson(this.#text, form.opening), form)
    const parsed = parseArguments(this.#text)
    return whole(parsed.ok ? parsed : undefined, form)
  }

  #begun({ opening, unwrapBegun }: OutputSchema): unknown {
    const json = extractOpenJson(this.#text, opening)
    try {
      return json === undefined ? undefined : unwrapBegun(parse(json, beginnings))
    } catch {
      return undefined
    }
  }
}

/** Half a number is another number. */
const beginnings = Allow.STR | Allow.ARR | Allow.OBJ | Allow.NULL | Allow.BOOL

function whole(read: { readonly value: unknown } | undefined, { opening, unwrap }: OutputSchema): unknown {
  const isFit = read && (opening !== '{' || isRecord(read.value))
  return isFit ? unwrap(read.value) : undefined
}
