import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One step of a conversation, the same for each protocol. */
interface Turn {
  readonly role: string
  readonly text: string
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Starts a server of chat completions, Responses and Messages. It refuses a conversation in which a call has no result, or
 * a result no call. It calls the tool `note` for a user message, and then replies to it.
 */
export async function startProtocolServer() {
  let calls = 0
  const refusals: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const body = JSON.parse(text) as Fields
    const path = String(request.url)
    const turns = path.endsWith('/messages')
      ? messagesTurns(body.messages as readonly Fields[])
      : path.endsWith('/responses')
        ? responsesTurns(body.input as readonly Fields[])
        : chatTurns(body.messages as readonly Fields[])
    const fault = faultIn(turns, path)
    if (fault) refusals.push(`${path}: ${fault}`)
    const last = turns.at(-1)
    const said = turns.findLast(({ role, text: spoken }) => role === 'user' && spoken !== '')?.text ?? ''
    const call = last?.results.length === 0 ? `call_${calls++}` : undefined
    response.writeHead(fault ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(fault ? { error: { message: fault } } : replyOf(path, said, call)))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    refusals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Returns the first place in which a conversation is not one. */
function faultIn(turns: readonly Turn[], path: string): string | undefined {
  const seen = new Set<string>()
  let open: readonly string[] = []
  let before = ''
  for (const [index, { role, calls, results }] of turns.entries()) {
    if (results.length > 0 && [...results].sort().join() !== [...open].sort().join())
      return `turn ${index} has results of ${results.join()} for calls ${open.join()}`
    if (results.length === 0 && open.length > 0) return `turn ${index} leaves calls ${open.join()} open`
    const again = calls.find((id) => seen.has(id))
    if (again !== undefined) return `the call ${again} comes twice`
    for (const id of calls) seen.add(id)
    open = calls
    if (path.endsWith('/messages') && role === before) return `turn ${index} is of ${role}, as the one before`
    before = role
  }
  return open.length > 0 ? `calls ${open.join()} are open at the end` : undefined
}

const listOf = (value: unknown) => (Array.isArray(value) ? (value as readonly Fields[]) : [])
const textIn = (content: unknown) =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .flatMap(({ text }) => (typeof text === 'string' ? text : []))
        .join('')

/** Joins what one side says without a pause: calls of one reply, and results of one step. */
function joined(turns: readonly Turn[]): readonly Turn[] {
  const all: Turn[] = []
  for (const turn of turns) {
    const last = all.at(-1)
    const isSame = last?.role === turn.role && turn.results.length > 0 && last.results.length > 0
    if (last && isSame) all.splice(-1, 1, { ...last, results: [...last.results, ...turn.results] })
    else all.push(turn)
  }
  return all
}

function chatTurns(messages: readonly Fields[]): readonly Turn[] {
  const turns = messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content, tool_calls, tool_call_id: id }) => ({
      role: String(role),
      text: textIn(content),
      calls: listOf(tool_calls).map((one) => String(one.id)),
      results: id === undefined ? [] : [String(id)],
    }))
  return joined(turns)
}

function responsesTurns(items: readonly Fields[]): readonly Turn[] {
  return joined(
    items.map(({ type, role, content, call_id: id }) => ({
      role: type === 'function_call' ? 'assistant' : type === 'function_call_output' ? 'tool' : String(role),
      text: textIn(content),
      calls: type === 'function_call' ? [String(id)] : [],
      results: type === 'function_call_output' ? [String(id)] : [],
    })),
  )
}

function messagesTurns(messages: readonly Fields[]): readonly Turn[] {
  return messages.map(({ role, content }) => {
    const idsOf = (kind: string, field: string) =>
      listOf(content).flatMap((block) => (block.type === kind ? String(block[field]) : []))
    const results = idsOf('tool_result', 'tool_use_id')
    return { role: String(role), text: textIn(content), calls: idsOf('tool_use', 'id'), results }
  })
}

function replyOf(path: string, said: string, call: string | undefined): object {
  const text = `Reply to ${said}`
  const args = { text: said }
  if (path.endsWith('/messages')) {
    const content = call
      ? [{ type: 'tool_use', id: call, name: 'note', input: args }]
      : [{ type: 'text', text }]
    const usage = { input_tokens: 1, output_tokens: 1 }
    const rest = { id: 'm', type: 'message', role: 'assistant', model: 'm', usage }
    return { ...rest, content, stop_reason: call ? 'tool_use' : 'end_turn' }
  }
  if (path.endsWith('/responses')) {
    const fields = { type: 'function_call', id: `fc_${call}`, call_id: call, name: 'note' }
    const output = call
      ? { ...fields, arguments: JSON.stringify(args), status: 'completed' }
      : { type: 'message', id: 'msg', role: 'assistant', content: [{ type: 'output_text', text }] }
    return { id: 'r', object: 'response', status: 'completed', model: 'm', output: [output] }
  }
  const called = { id: call, type: 'function', function: { name: 'note', arguments: JSON.stringify(args) } }
  const message = call
    ? { role: 'assistant', content: null, tool_calls: [called] }
    : { role: 'assistant', content: text }
  const finish_reason = call ? 'tool_calls' : 'stop'
  return { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }
}
