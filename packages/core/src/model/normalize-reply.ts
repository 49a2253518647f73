import { keepArguments, type ParsedArguments, parseArguments } from '../tools/parse-arguments.js'
import {
  customCall,
  cutOffCall,
  invalidArguments,
  notOffered,
  rejectedResult,
  unknownTool,
} from '../tools/rejections.js'
import type { Repair } from '../tools/repair.js'
import type { Toolset } from '../tools/tool.js'
import { isToolName } from '../tools/tool-options.js'
import type { AssistantMessage, ToolCall } from '../types/message.js'
import type { ModelReply } from '../types/model.js'
import type { CallResult } from '../types/state.js'
import { toToolName } from './reply-fields.js'

export interface NormalizeOptions {
  readonly toolset: Toolset
  /** The names of the offered tools. Other tools run only if the toolset allows it. */
  readonly offered: readonly string[]
  /** The call ids that are already in the history. */
  readonly taken: ReadonlySet<string>
  readonly turn: number
  /** Repairs complete but malformed arguments. If undefined, such arguments are rejected. */
  readonly repair: Repair | undefined
  /** Whether to remove the reply's calls, because this is the run's last reply and nothing would run them. */
  readonly isFinal: boolean
}

/** A reply for the history, and results for its calls that cannot run. */
export interface Normalized {
  readonly message: AssistantMessage
  readonly results: Record<number, CallResult>
  /** Descriptions of the repairs to arguments, by call index. */
  readonly repaired: Record<number, readonly string[]>
}

/**
 * Normalizes a reply so that servers accept it back: known tool names, valid JSON arguments, unique ids. Rejects
 * calls that cannot be kept intact, and every call of a reply that was cut off.
 */
export function normalizeReply(
  { message: given, finishReason, incomplete }: ModelReply,
  options: NormalizeOptions,
): Normalized {
  const { tool_calls = [] } = given
  const results: Record<number, CallResult> = {}
  const repaired: Record<number, readonly string[]> = {}
  if (options.isFinal || tool_calls.length === 0) return { message: withoutCalls(given), results, repaired }
  const ids = uniqueIds(options, tool_calls)
  const isCut = incomplete || finishReason === 'length'
  // Arguments that look complete may be cut off as well: a call may have no arguments because none have arrived yet.
  const cut = finishReason === 'content_filter' ? 'by a filter' : isCut ? 'at a limit' : undefined
  const { toolset } = options
  const isTool = (name: string) => toolset.get(name) !== undefined
  const calls: ToolCall[] = []
  for (const [index, call] of tool_calls.entries()) {
    const { function: called } = call
    const { name: received } = called
    const name = toolset.get(received) ? received : (toToolName(received, isTool) ?? toSafeName(received))
    const parsed = parseArguments(called.arguments, { repair: cut ? undefined : options.repair })
    const kept = parsed.ok ? parsed : noArguments
    const rejection = rejectionOf(call, { name, parsed, cut }, options)
    if (rejection !== undefined) results[index] = rejectedResult(rejection)
    if (kept.repairs.length > 0) repaired[index] = kept.repairs
    const normalized = {
      ...call,
      id: ids[index] as string,
      type: 'function' as const,
      function: { ...called, name, arguments: kept.text },
    }
    keepArguments(normalized, kept)
    calls.push(normalized)
  }
  // Not a spread: once frozen, each copy would have its own hidden class in Node 20, which makes reading messages slow.
  const { ...message } = given
  return { message: Object.assign(message, { tool_calls: calls }), results, repaired }
}

function withoutCalls(given: AssistantMessage): AssistantMessage {
  if (!('tool_calls' in given)) return given
  const { tool_calls: _, ...message } = given
  // A message with only calls may have no content. Without the calls, servers would reject such a message.
  return { ...message, content: message.content ?? '' }
}

/** Returns an id for each call. No id is empty, and each is unique in the history. */
function uniqueIds({ taken, turn }: NormalizeOptions, calls: readonly ToolCall[]): readonly string[] {
  const given = new Set<string>()
  for (const { id } of calls) given.add(id)
  const used = new Set<string>()
  /** The next suffix to try for an id, so that many equal ids take only linear time. */
  const nextSuffix = new Map<string, number>()
  /** Whether an id is already used, belongs to another call, or looks like the id of a nested call: `call/inner call`. */
  const isTaken = (id: string, own: string): boolean => {
    if (used.has(id) || taken.has(id) || (id !== own && given.has(id))) return true
    if (!id.includes('/')) return false
    const parts = id.split('/')
    // Each prefix is looked up. Ids that contain a base64 signature have a few prefixes.
    return (
      parts.length > 256 || parts.some((_, count) => count > 0 && given.has(parts.slice(0, count).join('/')))
    )
  }
  for (const [index, { id }] of calls.entries()) {
    const base = id.trim() === '' ? `call_${turn}_${index}` : id.toWellFormed()
    let unique = base
    if (isTaken(unique, id)) {
      const stem = base.replaceAll('/', '_')
      let n = nextSuffix.get(stem) ?? 2
      for (; isTaken(unique, id); n++) unique = `${stem}_${n}`
      nextSuffix.set(stem, n)
    }
    used.add(unique)
  }
  // The ids are in the order of the calls.
  return [...used]
}

interface CheckedParts {
  /** The name that the history will contain for the tool. */
  readonly name: string
  readonly parsed: ParsedArguments
  /** The reason why the reply was cut off, if it was. */
  readonly cut: string | undefined
}

/** Returns why a call cannot run, as text for the model. Undefined if it can. */
function rejectionOf(
  { type, function: called }: ToolCall,
  { name, parsed, cut }: CheckedParts,
  { toolset, offered }: NormalizeOptions,
): string | undefined {
  const tool = toolset.get(name)
  if ((type as string) === 'custom') return customCall(called.name, offered)
  if (cut) return cutOffCall(called.name, cut, parsed.ok ? '' : ` Its arguments: ${parsed.reason}`)
  // Rejected here, because the error in the call's step would list all tools.
  if (!tool && (name === invalidName || offered.length < toolset.names.length))
    return unknownTool(called.name, offered)
  if (tool && !offered.includes(name) && !toolset.mayCall?.(name, offered)) return notOffered(name, offered)
  return parsed.ok ? undefined : invalidArguments(tool, name, parsed.reason)
}

const noArguments = { ok: true, value: {}, text: '{}', repairs: [] } as const

/** Replaces a name that no server would accept back in the history. */
const invalidName = 'invalid_tool_name'

function toSafeName(name: string): string {
  return isToolName(name.trim()) ? name.trim() : invalidName
}
