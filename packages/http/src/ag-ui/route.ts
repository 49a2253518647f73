import type { Message } from '@capstan/core'
import { artifactUrl } from '../artifacts.js'
import { clientTools } from '../client-tools.js'
import { decodePathPart, findAgent, type RequestContext } from '../context.js'
import { invalidRequest, methodNotAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { clientState, notWaiting, resumeRun } from '../resume-run.js'
import { type StartOptions, startRun } from '../start-run.js'
import { streamRun } from '../stream-run.js'
import { agUiDecisions, type RunInput, readRunInput, toMessages } from './messages.js'
import { AgUiStream } from './stream.js'

/**
 * `POST ag-ui`, or `ag-ui/AGENT` for one of several: runs an agent for an AG-UI client and streams its
 * events.
 */
export async function agUiRoute(ctx: RequestContext): Promise<Response> {
  const { request, handler } = ctx
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  const body = await readJson(ctx)
  const input = readRunInput(body)
  const start = { ...(resumeStart(input, ctx) ?? (await freshStart(input, ctx))), sent: body }
  const run = await startRun(start, ctx)
  const encoder = new AgUiStream({
    threadId: input.threadId,
    runId: input.runId,
    ownId: run.id,
    before: clientState(start),
    artifactUrl: (id) => artifactUrl(handler.options, id),
  })
  return streamRun({ run, encoder }, ctx)
}

type RunStart = Omit<StartOptions, 'sent'>

/** Returns the pending run that the client has decided on. */
function resumeStart(input: RunInput, ctx: RequestContext): RunStart | undefined {
  const resumed = resumeRun(agUiDecisions(input), ctx)
  if (!resumed) return undefined
  const { pendingRun } = resumed
  const agent = findAgent(ctx.handler, pendingRun.agent)
  const reported = new Set(input.messages.map(({ toolCallId }) => toolCallId))
  const unreported = resumed.unreported?.filter((callId) => !reported.has(callId))
  return { ...resumed, unreported, agent, input: pendingRun.state, ...commonOptions(input, ctx) }
}

async function freshStart(input: RunInput, ctx: RequestContext): Promise<RunStart> {
  // Checked before files are stored.
  ctx.handler.runs.check(ctx.user.id)
  const { messages, pageContext, resume } = input
  const common = commonOptions(input, ctx)
  const isKept = common.session !== undefined
  const [newest] = messages.slice(-1)
  if (resume.length > 0 || (isKept && newest?.role !== 'user')) throw notWaiting()
  const [name] = ctx.rest
  const agent = findAgent(ctx.handler, name === undefined ? undefined : decodePathPart(name))
  const all = await toMessages(isKept ? messages.slice(-1) : messages, agent, ctx)
  const taintedBy = ctx.handler.replies.taintOfTexts(ctx.user.id, all)
  const last = all.at(-1)
  if (last?.role === 'user')
    return { agent, input: [...all.slice(0, -1), withPageContext(last, pageContext)], ...common, taintedBy }
  if (last?.role === 'tool') return { agent, input: all, ...common, taintedBy }
  throw invalidRequest('The last message must be a user message or a result.')
}

function commonOptions(
  { threadId, tools }: RunInput,
  { handler }: RequestContext,
): Pick<StartOptions, 'session' | 'tools'> {
  return {
    session: handler.options.sessions ? threadId : undefined,
    tools: clientTools(tools.map((one) => ({ function: one }))),
  }
}

/** Appends the page's context to the user's message. It is trusted as much as that message. */
function withPageContext(message: Message & { role: 'user' }, pageContext: readonly string[]): Message {
  if (pageContext.length === 0) return message
  return { ...message, content: `${message.content}\n\nFrom the page:\n${pageContext.join('\n')}` }
}
