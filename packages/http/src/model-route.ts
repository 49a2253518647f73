import type { Message, RunState } from '@capstan/core'
import { hasUntrustedTool } from '@capstan/core/internal'
import type { ReplyWriter } from '@capstan/protocols/reply'
import { storeFilesOfClient } from './artifacts.js'
import { type ChatReply, taintOf } from './chat/known-replies.js'
import { readMessages, resumeFromMessages } from './chat/messages.js'
import { asksForApprovals, clientTools, toToolChoice } from './client-tools.js'
import { findAgent, type RequestContext } from './context.js'
import { methodNotAllowed } from './http-error.js'
import { readJson } from './read-json.js'
import { ReplyEncoder } from './reply-encoder.js'
import { messagesOf, runToEnd, type StartOptions, startRun } from './start-run.js'
import { checkReferences } from './stored-references.js'
import { type StreamRunOptions, streamRun } from './stream-run.js'

type Body = StartOptions['sent']

/** Reads a request to a model. @throws HttpError for one that no agent can answer */
export async function readModelRequest(ctx: RequestContext): Promise<Body> {
  if (ctx.request.method !== 'POST') throw methodNotAllowed('POST')
  const body = await readJson(ctx)
  checkReferences(body)
  return body
}

/** The fields of a chat request that a run depends on. Requests in other protocols are converted to them. */
export interface ChatFields {
  readonly model?: unknown
  readonly messages?: unknown
  readonly tools?: unknown
  readonly tool_choice?: unknown
}

interface ModelOptions<Part extends object> extends Pick<StreamRunOptions<Part>, 'endMark' | 'toText'> {
  /** Makes the writer of the reply, by the name of the agent. */
  writer(model: string): ReplyWriter<Part>
}

/** Serves an agent as a model: runs it with the fields of a request, and replies in the protocol of the request. */
export async function replyAsModel<Part extends object>(
  fields: ChatFields,
  body: Body,
  ctx: RequestContext,
  { writer, ...stream }: ModelOptions<Part>,
): Promise<Response> {
  const { handler, user } = ctx
  const start = await toStart(fields, body, ctx)
  const keep = (reply: ChatReply, state: RunState) => handler.replies.add(user.id, reply, taintOf(state))
  const encoder = new ReplyEncoder(writer(start.agent.name), keep)
  if (body.stream !== true) {
    const result = await runToEnd(start, ctx)
    return Response.json(encoder.whole(result, messagesOf(start).length))
  }
  const run = await startRun(start, ctx)
  // A client that disconnected has the beginning of the reply.
  run
    .whenEnded()
    .then((state) => state && keep({ content: encoder.text }, state))
    .catch(() => {})
  return streamRun({ run, encoder }, ctx, stream)
}

/**
 * Returns the options of the run that a conversation starts, or resumes. `sent` is the request's own JSON.
 * @throws HttpError 400 for fields that are not valid, 404 for an unknown agent
 */
async function toStart(body: ChatFields, sent: Body, ctx: RequestContext): Promise<StartOptions> {
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
