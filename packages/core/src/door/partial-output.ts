import { Allow, parse } from 'partial-json'
import { outputToolName } from '../run/output.js'
import type { RunEvent } from '../words/event.js'

/** A value of which any part may not be there yet. */
export type Partially<T> = T extends readonly (infer One)[]
  ? readonly Partially<One>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T

/**
 * What is there of an answer in the asked form while it is written: unchecked, each time more of it. It is read again
 * only when a tenth more has come, so that long answers cost no more than short ones do.
 */
export async function* partialOutput(events: AsyncIterable<RunEvent>): AsyncGenerator<unknown, void> {
  let text = ''
  let readTo = 0
  for await (const event of events) {
    if (event.parentCallId !== undefined) continue
    if (event.type === 'step-start' || event.type === 'retry-scheduled') {
      text = ''
      readTo = 0
    }
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'call-delta' && event.name === outputToolName) text += event.arguments
    const isDue = text.length > readTo * 1.1 || event.type === 'step-end' || event.type === 'call-ready'
    if (!isDue || text.length === readTo) continue
    readTo = text.length
    const value = tryParse(text)
    if (value !== undefined) yield value
  }
}

/** An object as far as it goes; undefined for what is no beginning of one. */
function tryParse(text: string): object | undefined {
  try {
    const value: unknown = parse(text, Allow.ALL)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
