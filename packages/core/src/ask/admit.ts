import { rejection } from '../answer/dispatch.js'
import { parseArguments } from '../answer/parse-arguments.js'
import type { Toolset } from '../tool/toolset.js'
import type { AssistantMessage, ToolCall } from '../words/message.js'
import type { Answer } from '../words/state.js'
import type { ModelReply } from './model.js'

/** A reply fit for the history, and the answers of the calls in it that cannot be run. */
export interface Admitted {
  readonly message: AssistantMessage
  readonly answered: Record<number, Answer>
}

/**
 * Makes of what a server sent what every server accepts back: names as the tools are called, arguments that
 * parse, ids that are there and unlike all in `taken`. A call that loses something by that is answered here.
 */
export function admit(
  reply: ModelReply,
  toolset: Toolset,
  taken: ReadonlySet<string>,
  turn: number,
): Admitted {
  const { tool_calls, ...message } = reply.message
  if (!tool_calls || tool_calls.length === 0) return { message: message as AssistantMessage, answered: {} }
  const ids = new Set(taken)
  const answered: Record<number, Answer> = {}
  const calls = tool_calls.map((call, index) => {
    const id = toFreeId(call.id, `call_${turn}_${index}`, ids)
    const { admitted, refusal } = admitCall(call, toolset, reply.finishReason)
    if (refusal !== undefined) answered[index] = rejection(refusal)
    return { ...admitted, id }
  })
  return { message: { ...message, role: 'assistant', tool_calls: calls } as AssistantMessage, answered }
}

function toFreeId(given: string, substitute: string, ids: Set<string>): string {
  const base = given.trim() === '' ? substitute : given
  let id = base
  for (let n = 2; ids.has(id); n++) id = `${base}_${n}`
  ids.add(id)
  return id
}

function admitCall(
  call: ToolCall,
  toolset: Toolset,
  finishReason: string | undefined,
): { admitted: ToolCall; refusal?: string } {
  const { name: said, arguments: text } = call.function
  const name = toToolName(said, toolset)
  const parsed = parseArguments(text)
  const kept = {
    ...call,
    function: { ...call.function, name, arguments: parsed.ok ? asObject(text, parsed.value) : '{}' },
  }
  if (name === 'invalid_tool_name' && !toolset.get(name)) {
    const list = toolset.names.join(', ')
    return {
      admitted: kept,
      refusal: `${said.trim() === '' ? 'a call without a tool name' : `"${said}" is no tool name`}. The tools are: ${list}.`,
    }
  }
  if (parsed.ok) return { admitted: kept }
  const cut =
    finishReason === 'length' ? 'the answer was cut off at the length limit inside these arguments; ' : ''
  return {
    admitted: kept,
    refusal: `invalid arguments for "${name}", nothing was run: ${cut}${parsed.reason}`,
  }
}

/** A registered name as it is; else without white space, a namespace or template tokens, if that makes it one. */
function toToolName(said: string, toolset: Toolset): string {
  if (toolset.get(said)) return said
  const bare = said.replace(/<\|.*$/s, '').trim()
  const candidates = [said.trim(), bare, bare.replace(/^functions?[.:/]/, '')]
  const known = candidates.find((candidate) => toolset.get(candidate))
  if (known !== undefined) return known
  return /^[a-zA-Z0-9_-]{1,64}$/.test(said.trim()) ? said.trim() : 'invalid_tool_name'
}

/** What parses is kept to the letter; a slip that was read is written as what it was read as. */
function asObject(text: string, value: Record<string, unknown>): string {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return text
  } catch {
    // A slip such as the same object twice.
  }
  return JSON.stringify(value)
}
