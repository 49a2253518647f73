import type { AssistantMessage, Content, ContentPart, ToolCall } from '../words/message.js'
import { isShallow, type Loose } from './loose.js'

export interface BoundedMessage {
  readonly message: AssistantMessage
  /** Paths of the fields that were left out, such as `tool_calls.extra_content`. At most 20. */
  readonly omitted: readonly string[]
}

/**
 * Leaves out of a message the unknown fields that have more than 100 levels, which `JSON.stringify` may not take, or
 * that are more than 8 MiB of JSON together. Fields of calls are kept first, then parts of the content, then the rest.
 */
export function boundUnknownFields(given: AssistantMessage): BoundedMessage {
  const allowance = new Allowance()
  const { tool_calls: calls, content } = given
  const bounded = {
    ...given,
    ...(calls ? { tool_calls: calls.map((call) => boundCall(call, allowance)) } : {}),
    content: boundContent(content, allowance),
  }
  const message = allowance.bound(bounded, ['role', 'content', 'tool_calls'])
  return { message, omitted: [...allowance.omitted] }
}

const mostLevels = 100
const mostCharacters = 8 * 2 ** 20
const mostOmitted = 20

/** The length that the unknown fields of a message may still have. */
class Allowance {
  readonly omitted = new Set<string>()
  #left = mostCharacters

  /** The record without the unknown fields that do not fit. `path` stands before the names of those. */
  bound<Fields extends Loose>(record: Fields, known: readonly string[], path = ''): Fields {
    const tooMuch = new Set<string>()
    for (const [name, value] of Object.entries(record))
      if (!known.includes(name) && !this.#takes(name, value)) tooMuch.add(name)
    if (tooMuch.size === 0) return record
    for (const name of tooMuch) this.#note(path + name)
    return Object.fromEntries(Object.entries(record).filter(([name]) => !tooMuch.has(name))) as Fields
  }

  #takes(name: string, value: unknown): boolean {
    if (value === undefined) return true
    if (!isShallow(value, mostLevels)) return false
    // Escapes of a text are not counted: for most texts there are none.
    const length = name.length + (typeof value === 'string' ? value : JSON.stringify(value)).length
    if (length > this.#left) return false
    this.#left -= length
    return true
  }

  #note(path: string): void {
    if (this.omitted.size < mostOmitted) this.omitted.add(path.slice(0, 100))
  }
}

function boundCall(given: ToolCall, allowance: Allowance): ToolCall {
  const call = allowance.bound(given, ['id', 'type', 'function'], 'tool_calls.')
  const inner = allowance.bound(given.function, ['name', 'arguments'], 'tool_calls.function.')
  return inner === given.function ? call : { ...call, function: inner }
}

function boundContent(content: Content, allowance: Allowance): Content {
  if (!Array.isArray(content)) return content
  const parts = content.map((part) => boundPart(part, allowance)).filter((part) => part !== undefined)
  return parts.length > 0 ? parts : ''
}

/** Half of a part may be one that no server takes back: all that is kept of it is its text. */
function boundPart(given: ContentPart, allowance: Allowance): ContentPart | undefined {
  if (allowance.bound(given, ['type', 'text'], 'content.') === given) return given
  return given.text ? { type: given.type, text: given.text } : undefined
}
