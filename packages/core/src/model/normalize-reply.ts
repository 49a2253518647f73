import { type ArgumentsValue, parseArguments, rememberArguments } from '../tools/parse-arguments.js'
import { invalidArguments, notOffered, rejectedResult, unknownTool } from '../tools/rejections.js'
import type { Toolset } from '../tools/tool.js'
import type { AssistantMessage, ToolCall } from '../types/message.js'
import type { ModelReply } from '../types/model.js'
import type { CallResult } from '../types/state.js'
import { toToolName } from './tool-call-builder.js'

/** A reply for the history, and results for calls in it that cannot run. */
export interface NormalizedReply {
  readonly message: AssistantMessage
  readonly answered: Record<number, CallResult>
  /** Descriptions of repaired arguments by call index. */
  readonly repaired: Record<number, readonly string[]>
}

export interface NormalizeOptions {
  readonly toolset: Toolset
  /** Names of the offered tools. Other tools do not run. */
  readonly offered: readonly string[]
  /** Ids that are already in the history. */
  readonly taken: ReadonlySet<string>
  readonly turn: number
  /** Whether complete but malformed arguments are repaired. */
  readonly repair: boolean
}

/**
 * Normalizes a reply so that any server accepts it back: known tool names, valid JSON arguments, unique ids. Rejects
 * calls that cannot be kept intact.
 */
export function normalizeReply(
  { message: given, finishReason }: ModelReply,
  admission: NormalizeOptions,
): NormalizedReply {
  const { tool_calls = [] } = given
  const outcome: NormalizedReply = { message: given, answered: {}, repaired: {} }
  if (tool_calls.length === 0) return { ...outcome, message: withoutCalls(given) }
  const ids = new UniqueIds(
    admission,
    tool_calls.map(({ id }) => id),
  )
  const isCut = finishReason === 'length' || finishReason === 'content_filter'
  const values: ArgumentsValue[] = []
  const calls = tool_calls.map((call, index) => {
    const isLast = index === tool_calls.length - 1
    // Parallel calls may be cut off together: a call without arguments may be before the last one.
    const isCutHere = isCut && (isLast || call.function.arguments.trim() === '')
    const { kept, value, refusal, repairs } = normalizeCall(call, admission, isCutHere)
    if (refusal !== undefined) outcome.answered[index] = rejectedResult(refusal)
    if (repairs.length > 0) outcome.repaired[index] = repairs
    const admitted = { ...call, id: ids.take(call.id, index), function: { ...call.function, ...kept } }
    values.push(value)
    return admitted
  })
  rememberArguments(calls, values)
  return { ...outcome, message: { ...given, tool_calls: calls } }
}

function withoutCalls(given: AssistantMessage): AssistantMessage {
  if (!('tool_calls' in given)) return given
  const { tool_calls: _, ...message } = given
  return message
}

/** Creates unique, non-empty ids. */
class UniqueIds {
  readonly #admission: NormalizeOptions
  readonly #ids: readonly string[]
  #said: ReadonlySet<string> | undefined
  readonly #given = new Set<string>()
  /** The next suffix for an id, so that many equal ids take linear time. */
  readonly #next = new Map<string, number>()

  constructor(admission: NormalizeOptions, said: readonly string[]) {
    this.#admission = admission
    this.#ids = said
  }

  /** Whether an id looks like a nested call: `call/inner call`. */
  #isWithin(id: string): boolean {
    if (!id.includes('/')) return false
    this.#said ??= new Set(this.#ids)
    const said = this.#said
    const parts = id.split('/')
    return parts.some((_, count) => count > 0 && said.has(parts.slice(0, count).join('/')))
  }

  #isTaken(id: string): boolean {
    return this.#given.has(id) || this.#admission.taken.has(id) || this.#isWithin(id)
  }

  take(said: string, index: number): string {
    const { turn } = this.#admission
    const base = said.trim() === '' ? `call_${turn}_${index}` : said.toWellFormed()
    let id = base
    if (this.#isTaken(id)) {
      let n = this.#next.get(base) ?? 2
      for (; this.#isTaken(id); n++) id = `${base}_${n}`.replaceAll('/', '_')
      this.#next.set(base, n)
    }
    this.#given.add(id)
    return id
  }
}

interface NormalizedCall {
  readonly kept: { readonly name: string; readonly arguments: string }
  /** The parsed arguments. */
  readonly value: Record<string, unknown>
  readonly refusal?: string
  readonly repairs: readonly string[]
}

function normalizeCall(
  { function: said }: ToolCall,
  { toolset, offered, repair }: NormalizeOptions,
  isCut: boolean,
): NormalizedCall {
  const isTool = (name: string) => toolset.get(name) !== undefined
  const name = toToolName(said.name, isTool) ?? toHarmlessName(said.name)
  // A call that was cut off before its arguments looks like a call without any.
  const isEmpty = isCut && /^\s*(\{\s*\})?\s*$/.test(said.arguments)
  const parsed = parseArguments(said.arguments, { repair: repair && !isCut })
  const usable = parsed.ok && !isEmpty
  const kept = { name, arguments: usable ? parsed.text : '{}' }
  const value = usable ? parsed.value : {}
  const repairs = parsed.ok ? parsed.repairs : []
  const admitted = { kept, value, repairs }
  if (!isTool(name) && name === nameless) return { ...admitted, refusal: unknownTool(said.name, offered) }
  if (isTool(name) && !offered.includes(name)) return { ...admitted, refusal: notOffered(name, offered) }
  if (usable) return admitted
  const why = parsed.ok ? 'there are none' : parsed.reason
  const cut = isCut ? 'the answer was cut off at a limit inside these arguments, make them shorter; ' : ''
  return { kept, value, refusal: invalidArguments(toolset.get(name), name, cut + why), repairs: [] }
}

/** Replaces a name in the history that no server would accept back. */
const nameless = 'invalid_tool_name'

function toHarmlessName(said: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(said.trim()) ? said.trim() : nameless
}
