import type { AnyAgent, Json, Message, RunState } from '@capstan/core'
import { AgentCore, hasUntrustedTool } from '@capstan/core/internal'
import type { StreamedReplyWriter } from '@capstan/protocols/reply'
import { storeFilesOfClient } from './artifacts.js'
import { type ChatReply, taintOf } from './chat/known-replies.js'
import { readMessages, resumeFromMessages } from './chat/messages.js'
import { approvalTool, asksForApprovals, clientTools, toToolChoice } from './client-tools.js'
import { findAgent, type RequestContext } from './context.js'
import { methodNotAllowed } from './http-error.js'
import { readJson } from './read-json.js'
import { ReplyEncoder } from './reply-encoder.js'
import { decide } from './runs/decide.js'
import { messagesOf, type StartOptions } from './start-run.js'
import { checkReferences } from './stored-references.js'
import { endOfRun, type StreamRunOptions, streamRun } from './stream-run.js'

type Body = StartOptions['sent']

/**
 * Reads the body of a request to a model.
 * @throws HttpError for a method other than POST, an invalid body, or fields that refer to data stored on a server
 */
export async function readModelRequest(ctx: RequestContext): Promise<Body> {
  if (ctx.request.method !== 'POST') throw methodNotAllowed('POST')
  const body = await readJson(ctx)
  checkReferences(body)
  return body
}

/** The fields of a chat request that affect a run. Requests in other protocols are converted to them. */
export interface ChatFields {
  readonly model?: unknown
  readonly messages?: unknown
  readonly tools?: unknown
  readonly tool_choice?: unknown
}

interface ModelOptions<Part extends object> extends Pick<StreamRunOptions<Part>, 'endMark' | 'toText'> {
  /** Creates the writer for the reply. `model` is the agent's name. */
  writer(model: string): StreamedReplyWriter<Part>
}

/** Serves an agent as a model: runs it with a request's fields, and replies in the request's protocol. */
export async function replyAsModel<Part extends object>(
  fields: ChatFields,
  body: Body,
  ctx: RequestContext,
  { writer, ...stream }: ModelOptions<Part>,
): Promise<Response> {
  const { handler, user } = ctx
  const { following, model, before } = await startOrGoOn(fields, body, ctx)
  const keep = (reply: ChatReply, state: RunState) => handler.replies.add(user.id, reply, taintOf(state))
  const names = judgesCalls(findAgent(handler, model), ctx) ? [] : namesOf(fields)
  const isStreamed = (name: string) => names.includes(name)
  const encoder = new ReplyEncoder(writer(model), { isStreamed, onReply: keep })
  if (body.stream !== true) return Response.json(encoder.whole(await endOfRun(following, ctx), before))
  // A client that has disconnected may already have the start of the reply, so that start is stored.
  following.live?.over
    .then((outcome) => 'result' in outcome && keep({ content: encoder.text }, outcome.result.state))
    .catch(() => {})
  return streamRun({ following, encoder }, ctx, stream)
}

/**
 * Starts a run for a conversation, or continues the run that is waiting for the results at the end of the conversation.
 * @throws HttpError 400 for invalid fields, 404 for an unknown agent
 */
async function startOrGoOn(body: ChatFields, sent: Body, ctx: RequestContext) {
  const { handler, user } = ctx
  const { runs } = handler
  const messages = readMessages(body.messages)
  const tools = body.tool_choice === 'none' ? [] : toolsOf(body.tools)
  // If the client has no approval tool, calls that need approval are denied, and the model is told why.
  const unattended = !asksForApprovals(body.tools)
  const how = { sent, tools, unattended, isStreamed: sent.stream === true }
  const storedFor = (name: unknown) => storeFilesOfClient(messages, findAgent(handler, name), ctx)
  const find = (callId: string) => runs.newest(user.id, { callId })
  const known = await resumeFromMessages(messages, find, ({ entry }) => storedFor(entry.agent))
  if (known) {
    const { found, decisions } = known
    const following = await decide(runs, found, { decisions, how, ctx })
    return { following, model: found.entry.agent, before: following.before.messages }
  }
  const start: StartOptions = {
    ...how,
    agent: findAgent(handler, body.model),
    input: await storedFor(body.model),
    toolChoice: toToolChoice(body.tool_choice),
    taintedBy: sourceOf(messages, ctx),
  }
  return {
    following: await runs.start(start, ctx),
    model: start.agent.name,
    before: messagesOf(start).length,
  }
}

/** Validates the client's tools and returns them unchanged, without the approval tool. */
function toolsOf(given: unknown): readonly Json[] {
  clientTools(given)
  return Array.isArray(given) ? given.filter(({ function: called }) => called?.name !== approvalTool) : []
}

/** Returns the names of the client's tools. Empty if `tool_choice` is `none`. */
function namesOf({ tools, tool_choice: choice }: ChatFields): readonly string[] {
  return choice === 'none' ? [] : clientTools(tools).map(({ name }) => name)
}

/**
 * Whether a call may still be denied after the model has written it. If so, calls are not streamed, because parts that
 * a client has received cannot be taken back.
 */
function judgesCalls(agent: AnyAgent, { handler }: RequestContext): boolean {
  if (!(agent instanceof AgentCore)) return true
  // An earlier reply can taint the run only if an agent has an untrusted tool.
  if ([...handler.agents.values()].some(hasUntrustedTool)) return true
  return [agent, ...agent.agents.values()].some(
    (one) =>
      !(one instanceof AgentCore) || one.hooks.beforeTool.some(({ name }) => name !== 'taint-tracking'),
  )
}

/**
 * Returns the untrusted source of a client's conversation. The conversation contains only calls to the client's own
 * tools, but a reply that this server does not know may contain output from an agent's untrusted tool. If the source is
 * `false`, the run only looks for results of the agent's own untrusted tools.
 */
function sourceOf(messages: readonly Message[], { handler, user }: RequestContext): string | false {
  const source = handler.replies.sourceOf(user.id, messages)
  if (source !== undefined) return source
  return [...handler.agents.values()].some(hasUntrustedTool) ? 'an unknown earlier reply' : false
}
