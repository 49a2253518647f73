import { isRecord } from '../words/record.js'
import { setOwn } from '../words/set-own.js'
import { getOwn, isFilled, isNothing, isShallow, type Loose, toText } from './loose.js'
import { unreadable } from './read-shapes.js'

/** What one entry of `tool_calls` says of a call: all of it, or a piece. */
export interface CallPiece {
  readonly id: string
  /** A label, whatever its type; `''` for none. */
  readonly index: string
  readonly name: string
  /** Arguments, or a piece of them. */
  readonly text: string
  /** Fields that nobody knows here: of the entry, and of its `function`. */
  readonly further: Loose
  readonly inner: Loose
}

/** Reads an entry, also one with name and arguments beside its `function`. @throws CapstanError `invalid_response` */
export function readCall(entry: Loose): CallPiece {
  const { id, index, type: _type, function: given, ...outer } = entry
  if (!isRecord(given) && !isNothing(given)) throw unreadable('tool_calls', entry)
  const inner = new Fields(isRecord(given) ? given : {})
  const beside = new Fields(outer)
  const name = inner.take(['name']) ?? beside.take(['name'])
  const text = inner.take(argumentFields) ?? beside.take(argumentFields)
  return {
    id: toText(id),
    index: toText(index),
    name: toText(name),
    text: toJsonText(text),
    further: beside.left(),
    inner: inner.left(),
  }
}

/** Where servers put arguments: what is called so counts first. */
const argumentFields = ['arguments', 'parameters', 'input', 'args']

/** A record of which what is known is taken out; nulls say nothing. */
class Fields {
  readonly #fields: Loose
  readonly #taken: string[] = []

  constructor(fields: Loose) {
    this.#fields = fields
  }

  /** Takes out the first of these that there is. */
  take(names: readonly string[]): unknown {
    const name = names.find((one) => isFilled(getOwn(this.#fields, one)))
    if (name === undefined) return undefined
    this.#taken.push(name)
    return this.#fields[name]
  }

  left(): Loose {
    const left: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(this.#fields))
      if (isFilled(value) && !this.#taken.includes(name)) setOwn(left, name, value)
    return left
  }
}

/** Arguments are text; an object is a server's slip, and is the text it stands for. */
function toJsonText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  return JSON.stringify(isShallow(value, mostLevels) ? value : cut(value, mostLevels))
}

/** Arguments of so many levels are rejected in any case, and `JSON.stringify` still takes them. */
const mostLevels = 1600

/** A JSON value with `null` in place of all that is below so many levels. */
function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {}
  for (const [name, one] of Object.entries(value))
    setOwn(copy as Record<string, unknown>, name, cut(one, levels - 1))
  return copy
}
