import type { AnyAgent, Message } from '@capstan/core'
import { artifactUrl } from '../artifacts.js'
import { clientTools } from '../client-tools.js'
import { decodePathPart, findAgent, type RequestContext } from '../context.js'
import { invalidRequest, methodNotAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { chatKey, chatRunsOf } from '../runs/chat-runs.js'
import { decide, findDecided } from '../runs/decide.js'
import { decisionsFor, notWaiting } from '../runs/decisions.js'
import type { Following } from '../runs/runs.js'
import { supersede } from '../runs/supersede.js'
import type { StartOptions } from '../start-run.js'
import { streamRun } from '../stream-run.js'
import { type ChatPlace, effectsOf, noPlace, placeOf, startIn } from '../ui/branches.js'
import { agUiDecisions, type RunInput, readRunInput, toMessages } from './messages.js'
import { storedAgUiRoute } from './stored.js'
import { AgUiStream } from './stream.js'

/** `POST ag-ui`, or `ag-ui/AGENT` if there are several agents: runs an agent for an AG-UI client and streams its events. */
export async function agUiRoute(ctx: RequestContext): Promise<Response> {
  const { request, handler } = ctx
  const stored = await storedAgUiRoute(ctx, chatRunsOf(ctx.handler, 'ag-ui'))
  if (stored) return stored
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  const body = await readJson(ctx)
  const input = readRunInput(body)
  const following = (await goOn(input, body, ctx)) ?? (await startFresh(input, body, ctx))
  const encoder = new AgUiStream({
    threadId: input.threadId,
    runId: input.runId,
    ownId: following.runId,
    before: following.before,
    decisions: following.decisions,
    effects: effectsOf(following),
    known: new Set(input.messages.map(({ toolCallId }) => toolCallId)),
    artifactUrl: (id) => artifactUrl(handler.options, id),
  })
  return streamRun({ following, encoder }, ctx)
}

type Sent = StartOptions['sent']

/** Continues the run whose calls the client has decided on. Undefined if there is no such run. */
async function goOn(input: RunInput, sent: Sent, ctx: RequestContext): Promise<Following | undefined> {
  const given = agUiDecisions(input)
  const found = await findDecided(given, ctx)
  const decisions = found && decisionsFor(given, found)
  if (!decisions) return undefined
  const { tools } = commonOptions(input, ctx)
  return decide(ctx.handler.runs, found, { decisions, how: { sent, tools }, ctx })
}

async function startFresh(input: RunInput, sent: Sent, ctx: RequestContext): Promise<Following> {
  const { runs, replies } = ctx.handler
  // Check the limits before any files are stored.
  runs.check(ctx.user.id)
  const { messages, pageContext, resume } = input
  const common = { ...commonOptions(input, ctx), sent }
  const isKept = common.session !== undefined
  const [newest] = messages.slice(-1)
  if (resume.length > 0 || (isKept && newest?.role !== 'user')) throw notWaiting()
  const [name] = ctx.rest
  const agent = findAgent(ctx.handler, name === undefined ? undefined : decodePathPart(name))
  const all = await toMessages(isKept ? messages.slice(-1) : messages, agent, ctx)
  const last = all.at(-1)
  const place = isKept ? await placeIn(input, newest, { agent, ctx }) : noPlace
  const before =
    last?.role === 'user' ? await supersede(runs, ctx.user.id, chatKey('ag-ui', input.threadId)) : undefined
  const taintedBy = before?.taintedBy ?? replies.taintOfTexts(ctx.user.id, all)
  if (last?.role === 'user') {
    // If the server keeps no session, the client's messages already contain the pending calls. If the conversation was
    // cut, those calls were removed with the part after the cut.
    const closed = isKept && !place.undo ? (before?.messages ?? []) : []
    const whole = [...closed, ...all.slice(0, -1), withPageContext(last, pageContext)]
    const userIds = isKept && typeof newest?.id === 'string' ? [newest.id] : []
    return startIn(place, { agent, input: whole, ...common, taintedBy, userIds }, ctx)
  }
  if (last?.role === 'tool') return runs.start({ agent, input: all, ...common, taintedBy }, ctx)
  throw invalidRequest('The last message must be a user message or a result.')
}

/**
 * Returns where a stored thread continues: at its end or, if the new message has a stored message's id, in a new
 * branch, where it replaces that message.
 */
function placeIn(
  { threadId }: RunInput,
  newest: RunInput['messages'][number] | undefined,
  { agent, ctx }: { readonly agent: AnyAgent; readonly ctx: RequestContext },
): Promise<ChatPlace> {
  const messageId = newest?.id
  const change =
    typeof messageId === 'string' && messageId !== ''
      ? ({ kind: 'edit-or-new', messageId } as const)
      : undefined
  const branch = new URL(ctx.request.url).searchParams.get('branch') ?? undefined
  return placeOf({ protocol: 'ag-ui', id: threadId, change, branch }, agent, ctx)
}

function commonOptions(
  { threadId, tools }: RunInput,
  { handler }: RequestContext,
): Required<Pick<StartOptions, 'session' | 'tools' | 'chat'>> {
  const all = tools.map((one) => ({ type: 'function', function: one }))
  clientTools(all)
  return {
    session: handler.options.sessions ? threadId : undefined,
    chat: chatKey('ag-ui', threadId),
    tools: JSON.parse(JSON.stringify(all)),
  }
}

/** Appends the page's context to the user's message. The context is trusted as much as that message. */
function withPageContext(message: Message & { role: 'user' }, pageContext: readonly string[]): Message {
  if (pageContext.length === 0) return message
  return { ...message, content: `${message.content}\n\nFrom the page:\n${pageContext.join('\n')}` }
}
