import type { RunSettings } from '../run/run-context.js'
import { parseArguments } from '../tools/parse-arguments.js'
import { callsOf, type Message, type ToolCall, textOf } from '../types/message.js'
import type { RunState } from '../types/state.js'
import { readArtifact } from './long-results.js'

/**
 * Returns the first untrusted source of text in the conversation that a run starts with, since the model reads it
 * again. Undefined when there is none, and for a resumed run, whose state has it.
 */
export async function taintOfHistory(state: RunState, plan: RunSettings): Promise<string | undefined> {
  const { messages, usage, flags } = state
  if (flags.taintedBy !== undefined) return undefined
  if (typeof plan.taintedBy === 'string') return plan.taintedBy
  if (usage.requests > 0 || usage.toolCalls > 0) return undefined
  const attached = messages.flatMap(attachedIn).find(({ isUntrusted }) => isUntrusted)
  if (attached) return attached.id
  const answered = new Set(messages.map((message) => message.role === 'tool' && message.tool_call_id))
  const calls = messages.flatMap((message) => callsOf(message)).filter(({ id }) => answered.has(id))
  for (const call of calls) {
    const source = await sourceOf(call, state, plan)
    if (source !== undefined && (plan.taintedBy !== false || plan.trustOf(source) === 'untrusted'))
      return source
  }
  return undefined
}

function sourceOf(call: ToolCall, state: RunState, plan: RunSettings) {
  const { name } = call.function
  if (name === readArtifact.name) return untrustedSourceOf(artifactOf(call), state, plan)
  return plan.trustOf(name) === 'trusted' ? undefined : name
}

function artifactOf({ function: { arguments: text } }: ToolCall): unknown {
  const parsed = parseArguments(text)
  return parsed.ok ? parsed.value.artifact : undefined
}

/**
 * Returns the untrusted source of an artifact's text: the tool that made it, or `read_artifact` if its origin is
 * unknown. Undefined for text of a trusted tool and for attachments of the user.
 */
export async function untrustedSourceOf(
  id: unknown,
  { messages }: RunState,
  { artifacts, trustOf }: Pick<RunSettings, 'artifacts' | 'trustOf'>,
): Promise<string | undefined> {
  if (typeof id !== 'string') return readArtifact.name
  const known = await artifacts.stat(id).catch(() => undefined)
  const maker = known?.origin?.tool
  if (maker !== undefined) return trustOf(maker) === 'trusted' ? undefined : maker
  const isAttached = messages.some((message) => attachedIn(message).some((one) => one.id === id))
  return isAttached ? undefined : readArtifact.name
}

/** An artifact that the user attached. */
interface Attached {
  readonly id: string
  readonly isUntrusted: boolean
}

/** Returns the artifacts that a user message names as attached. */
function attachedIn({ role, content }: Message): readonly Attached[] {
  if (role !== 'user') return []
  const lines = textOf(content).split('\n')
  const references = lines.filter((line) => line.startsWith(attachedMark)).join(' ')
  return [...references.matchAll(reference)].map(([, id = '', mark]) => ({
    id,
    isUntrusted: mark !== undefined,
  }))
}

/** The start of the line that names the attachments of a message. */
export const attachedMark = 'Attached: '

/** Marks an artifact with untrusted text in that line. */
export const untrustedMark = 'untrusted, '

const reference = new RegExp(`(\\w+) \\((${untrustedMark})?`, 'g')
