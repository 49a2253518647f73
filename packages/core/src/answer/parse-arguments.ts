import { messageOf } from '../words/error.js'
import { isRecord } from '../words/record.js'
import { flawOf } from './flaw-of.js'
import { tidyJson } from './tidy-json.js'
import { mayHoldLoneSurrogate, toWellFormed } from './well-formed.js'

export type ParsedArguments =
  | {
      readonly ok: true
      readonly value: Record<string, unknown>
      /** The arguments as the history keeps them: the server's own text wherever that is an object. */
      readonly text: string
      /** What was mended, in words; nothing in most cases. */
      readonly repairs: readonly string[]
    }
  | { readonly ok: false; readonly reason: string }

export interface ParseOptions {
  /** Also read complete but sloppy text: a code fence, a trailing comma, Python's literals. Default false. */
  readonly repair?: boolean
}

/**
 * The arguments a server wrote, as one object. Empty text, white space and `null` mean `{}`. Unambiguous slips
 * are read: the same object twice, `{}` before the object, the object inside one JSON string.
 * Anything else is reported, not repaired: a cut text must not run, nor one that its value would not be true to.
 */
export function parseArguments(text: string, options: ParseOptions = {}): ParsedArguments {
  try {
    return parse(text, options)
  } catch (error) {
    // What can be parsed may still lie too deep to be written.
    return { ok: false, reason: `${messageOf(error)}. They began: ${excerpt(text)}` }
  }
}

function parse(text: string, { repair = false }: ParseOptions): ParsedArguments {
  if (text.trim() === '') return found({}, '{}')
  const whole = tryParse(text)
  if (whole.ok) return fromValue(whole.value, text)
  const slip = fromTwoObjects(text)
  if (slip) return found(slip, JSON.stringify(slip))
  const tidied = repair ? tidyJson(text) : undefined
  const object = tidied && onlyObject(tidied.text)
  if (object) return { ...found(object, tidied.text), repairs: tidied.repairs }
  return { ok: false, reason: `${whole.reason}. They began: ${excerpt(text)}` }
}

function found(value: Record<string, unknown>, text: string): ParsedArguments & { ok: true } {
  if (!mayHoldLoneSurrogate(text)) return { ok: true, value, text, repairs: [] }
  const mended = toWellFormed(value)
  return { ok: true, value: mended, text: JSON.stringify(mended), repairs: [] }
}

function fromValue(value: unknown, text: string): ParsedArguments {
  if (value === null) return found({}, '{}')
  if (isRecord(value)) return found(value, text)
  if (typeof value === 'string') {
    const inner = value.trim() === '' ? { ok: true as const, value: {} } : tryParse(value)
    if (inner.ok && (inner.value === null || isRecord(inner.value)))
      return found(inner.value ?? {}, JSON.stringify(inner.value ?? {}))
  }
  const what = Array.isArray(value) ? 'an array' : `a ${typeof value}`
  return { ok: false, reason: `the arguments are ${what}, not one JSON object: ${excerpt(text)}` }
}

/** `{..}{..}` with equal halves is one call said twice; `{}` in front is a gateway's placeholder. */
function fromTwoObjects(text: string): Record<string, unknown> | undefined {
  const rest = text.trim()
  const empty = /^\{\s*\}/.exec(rest)
  if (empty) return onlyObject(rest.slice(empty[0].length))
  const half = Math.floor(rest.length / 2)
  const first = rest.slice(0, half).trimEnd()
  return first === rest.slice(half).trimStart() ? onlyObject(first) : undefined
}

function onlyObject(text: string): Record<string, unknown> | undefined {
  const parsed = tryParse(text)
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined
}

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    const value: unknown = JSON.parse(text)
    const flaw = isItself(value, text) ? undefined : flawOf(text)
    return flaw === undefined ? { ok: true, value } : { ok: false, reason: flaw }
  } catch (error) {
    return { ok: false, reason: (error as SyntaxError).message }
  }
}

/** Whether a value says all that its text does: then nobody needs to look for what it may have lost. */
function isItself(value: unknown, text: string): boolean {
  // Longer ones may lie too deep, which is a flaw of its own.
  return text.length < 2000 && JSON.stringify(value) === text
}

function excerpt(text: string): string {
  return text.length <= 200
    ? text
    : `${text.slice(0, 150)} ... ${text.slice(-50)} (${text.length} characters)`
}
