import type { Message } from '@capstan/core'
import { artifactUrl } from '../artifacts.js'
import { callerTools } from '../client-tools.js'
import { agentOf, toPathText, type Visit } from '../context.js'
import { invalidRequest, notAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { goOn, knownBefore, nothingWaits } from '../resume-run.js'
import { type Start, startRun } from '../start-run.js'
import { toPartStream } from '../stream-run.js'
import { agUiAnswers, type RunInput, readRunInput, toMessages } from './messages.js'
import { AgUiEvents } from './stream.js'

/** `POST ag-ui`, or `ag-ui/AGENT` where there are several: a run as a client of AG-UI starts it, told in its events. */
export async function agUiRoute(visit: Visit): Promise<Response> {
  const { request, site } = visit
  if (request.method !== 'POST') throw notAllowed('POST')
  const body = await readJson(visit)
  const input = readRunInput(body)
  const start = { ...(goneOn(input, visit) ?? (await anew(input, visit))), sent: body }
  const run = await startRun(start, visit)
  const encoder = new AgUiEvents({
    threadId: input.threadId,
    runId: input.runId,
    ownId: run.id,
    before: knownBefore(start),
    artifactUrl: (id) => artifactUrl(site.options, id),
  })
  return toPartStream({ run, encoder }, visit)
}

type Begun = Omit<Start, 'sent'>

/** The run that waits for what the client has answered. */
function goneOn(input: RunInput, visit: Visit): Begun | undefined {
  const going = goOn(agUiAnswers(input), visit)
  if (!going) return undefined
  const { parked } = going
  const agent = agentOf(visit.site, parked.agent)
  const heard = new Set(input.messages.map(({ toolCallId }) => toolCallId))
  const unheard = going.unheard?.filter((callId) => !heard.has(callId))
  return { ...going, unheard, agent, input: parked.state, ...furtherOf(input, visit) }
}

async function anew(input: RunInput, visit: Visit): Promise<Begun> {
  // Before files are taken in that nobody would look at.
  visit.site.runs.check(visit.user.id)
  const { messages, beside, resume } = input
  const further = furtherOf(input, visit)
  const isKept = further.session !== undefined
  const [newest] = messages.slice(-1)
  if (resume.length > 0 || (isKept && newest?.role !== 'user')) throw nothingWaits()
  const [name] = visit.rest
  const agent = agentOf(visit.site, name === undefined ? undefined : toPathText(name))
  const all = await toMessages(isKept ? messages.slice(-1) : messages, agent, visit)
  const last = all.at(-1)
  if (last?.role === 'user')
    return { agent, input: [...all.slice(0, -1), withBeside(last, beside)], ...further }
  if (last?.role === 'tool') return { agent, input: all, ...further }
  throw invalidRequest("The last message must be the user's, or a result.")
}

function furtherOf({ threadId, tools }: RunInput, { site }: Visit): Pick<Start, 'session' | 'tools'> {
  return {
    session: site.options.sessions ? threadId : undefined,
    tools: callerTools(tools.map((one) => ({ function: one }))),
  }
}

/** What the page says besides is as much the user's word as the message that it came with. */
function withBeside(message: Message & { role: 'user' }, beside: readonly string[]): Message {
  if (beside.length === 0) return message
  return { ...message, content: `${message.content}\n\nFrom the page:\n${beside.join('\n')}` }
}
