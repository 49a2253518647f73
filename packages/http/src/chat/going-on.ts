import type { Decision, Decisions, Message } from '@capstan/core'
import { callsOf } from '@capstan/core/wire'
import type { ParkedRun, ParkedRuns } from '../parked-runs.js'
import { approvalTool } from './caller-tools.js'

/** A run that waits, and what the caller's messages say to the calls that it waits for. */
export interface GoingOn {
  readonly parked: ParkedRun
  readonly decisions: Decisions
}

/**
 * The run that a conversation goes on with: it ends in results of calls that were handed to this caller. Undefined
 * where no such run is known, or the conversation was changed: then it is one like any other.
 */
export function goingOn(messages: readonly Message[], owner: string, runs: ParkedRuns): GoingOn | undefined {
  const asked = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages.slice(asked + 1)
  const [first] = results
  if (first?.role !== 'tool' || results.some(({ role }) => role !== 'tool')) return undefined
  const parked = runs.find(owner, first.tool_call_id)
  if (!parked || !isSame(messages.slice(0, asked), parked)) return undefined
  const names = new Map(callsOf(messages[asked]).map(({ id, function: called }) => [id, called.name]))
  const decisions = results.flatMap((message) =>
    message.role === 'tool'
      ? [[message.tool_call_id, toDecision(message.content, names.get(message.tool_call_id))] as const]
      : [],
  )
  return { parked, decisions: Object.fromEntries(decisions) }
}

/** What users said is compared: the rest is what the agent said itself. */
function isSame(messages: readonly Message[], { state }: ParkedRun): boolean {
  const said = (all: readonly Message[]) => JSON.stringify(all.filter(({ role }) => role === 'user'))
  return said(messages) === said(state.messages)
}

/** `approve`, also with other arguments as JSON; anything else that is said to a question is a no, and its reason. */
function toDecision(content: string, name: string | undefined): Decision {
  if (name !== approvalTool) return { type: 'result', value: content }
  const said = content.trim()
  if (/^"?(approved?|yes|true|ok)"?\.?$/i.test(said)) return { type: 'approve' }
  return { type: 'deny', reason: said === '' ? 'no answer' : said.slice(0, 1000) }
}
