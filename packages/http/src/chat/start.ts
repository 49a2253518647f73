import type { Message } from '@capstan/core'
import { hasUntrustedTool } from '@capstan/core/internal'
import { storeFilesOfClient } from '../artifacts.js'
import { asksForApprovals, clientTools, toToolChoice } from '../client-tools.js'
import { findAgent, type RequestContext } from '../context.js'
import type { StartOptions } from '../start-run.js'
import { readMessages, resumeFromMessages } from './messages.js'

/** The fields of a chat request that a run depends on. Requests in other protocols are converted to them. */
export interface ChatFields {
  readonly model?: unknown
  readonly messages?: unknown
  readonly tools?: unknown
  readonly tool_choice?: unknown
}

/**
 * Returns the options of the run that a conversation starts, or resumes. `sent` is the request's own JSON.
 * @throws HttpError 400 for fields that are not valid, 404 for an unknown agent
 */
export async function toStart(
  body: ChatFields,
  sent: StartOptions['sent'],
  ctx: RequestContext,
): Promise<StartOptions> {
  const { handler, user } = ctx
  const messages = readMessages(body.messages)
  const tools = body.tool_choice === 'none' ? [] : clientTools(body.tools)
  // Without it calls that need approval are denied, and the model is told so.
  const unattended = !asksForApprovals(body.tools)
  const runs = { find: (callId: string) => handler.pendingRuns.find(user.id, callId) }
  const storedFor = (name: unknown) => storeFilesOfClient(messages, findAgent(handler, name), ctx)
  const known = await resumeFromMessages(messages, runs, ({ agent }) => storedFor(agent))
  if (known) {
    const { agent, state } = known.pendingRun
    return { ...known, agent: findAgent(handler, agent), input: state, tools, unattended, sent }
  }
  return {
    sent,
    agent: findAgent(handler, body.model),
    input: await storedFor(body.model),
    tools,
    toolChoice: toToolChoice(body.tool_choice),
    unattended,
    taintedBy: sourceOf(messages, ctx),
  }
}

/**
 * Returns the untrusted source of a client's conversation. Its calls are of the client's own tools, but an
 * unknown reply may contain output of an agent's untrusted tool. `false` lets the run look for results of the
 * agent's own untrusted tools.
 */
function sourceOf(messages: readonly Message[], { handler, user }: RequestContext): string | false {
  const source = handler.replies.sourceOf(user.id, messages)
  if (source !== undefined) return source
  return [...handler.agents.values()].some(hasUntrustedTool) ? 'an unknown earlier reply' : false
}
