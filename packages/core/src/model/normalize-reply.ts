import { type ArgumentsValue, parseArguments, rememberArguments } from '../tools/parse-arguments.js'
import { invalidArguments, notOffered, rejectedResult, unknownTool } from '../tools/rejections.js'
import type { Toolset } from '../tools/tool.js'
import type { AssistantMessage, ToolCall } from '../types/message.js'
import type { ModelReply } from '../types/model.js'
import type { CallResult } from '../types/state.js'
import { toToolName } from './tool-call-builder.js'

/** A reply fit for the history, and the answers of the calls in it that cannot be run. */
export interface NormalizedReply {
  readonly message: AssistantMessage
  readonly answered: Record<number, CallResult>
  /** What was repaired in a call's text, by its index. */
  readonly repaired: Record<number, readonly string[]>
}

export interface NormalizeOptions {
  readonly toolset: Toolset
  /** Names of the tools that the request offered: others do not run. */
  readonly offered: readonly string[]
  /** Ids that the history holds already. */
  readonly taken: ReadonlySet<string>
  readonly turn: number
  /** Whether complete but sloppy arguments are mended. */
  readonly repair: boolean
}

/**
 * Makes of what a server sent what every server accepts back: names as the tools are called, arguments that
 * parse, ids that are there and unlike all others. A call that loses something by that is answered here.
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
    // Calls that are sent side by side are cut side by side: one that has not begun may stand before the last.
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

/** Ids that are there, and each once. */
class UniqueIds {
  readonly #admission: NormalizeOptions
  readonly #ids: readonly string[]
  #said: ReadonlySet<string> | undefined
  readonly #given = new Set<string>()
  /** The number to try next behind an id, so that many equal ones take no longer than many others. */
  readonly #next = new Map<string, number>()

  constructor(admission: NormalizeOptions, said: readonly string[]) {
    this.#admission = admission
    this.#ids = said
  }

  /** Whether it reads as a call within another one: `call/inner call`. */
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
  /** Its arguments, read. */
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
  // Cut off before its arguments began, a call looks like one without any.
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

/** Stands in the history for a name that no server would take back. */
const nameless = 'invalid_tool_name'

function toHarmlessName(said: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(said.trim()) ? said.trim() : nameless
}
