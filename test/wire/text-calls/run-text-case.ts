import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { WireClient, WireReport } from '../wire-client.js'
import type { TextCase, ToolCallData } from './text-case.js'

/** What a client does with calls that are text. */
export type Mode = 'run' | 'report'

/** A case, and what the client got wrong in it. */
export interface TextVerdict {
  readonly textCase: TextCase
  readonly mode: Mode
  readonly streamed: boolean
  readonly faults: readonly string[]
}

/** A server that replies with the text of the case whose id is the name of the model. */
interface TextServer {
  readonly baseURL: string
  close(): Promise<void>
}

async function startTextServer(cases: readonly TextCase[]): Promise<TextServer> {
  const byId = new Map(cases.map((one) => [one.id, one]))
  const server = createServer((request, response) => {
    answer(request, response, byId).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { baseURL: `http://127.0.0.1:${port}/v1`, close: () => closed(server) }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

interface ChatRequest {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string }[]
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  cases: ReadonlyMap<string, TextCase>,
): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const { model, stream = false, messages } = JSON.parse(String(Buffer.concat(pieces))) as ChatRequest
  const textCase = cases.get(decodeURIComponent(model))
  if (!textCase) throw new Error(`No case "${model}".`)
  const message = nextMessage(textCase, messages)
  if (stream) sendStream(response, message, textCase.pieceLength)
  else sendWhole(response, message)
}

interface Reply {
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly object[]
}

function nextMessage(textCase: TextCase, messages: ChatRequest['messages']): Reply {
  const { text, reasoning, toolResult } = textCase
  const results = messages.filter(({ role }) => role === 'tool').length
  const asksTool = toolResult !== undefined && results === 0
  if (asksTool) return { content: null, tool_calls: [nativeCall] }
  if (results > (toolResult === undefined ? 0 : 1)) return { content: 'Done.' }
  return { content: text, ...(reasoning === undefined ? {} : { reasoning_content: reasoning }) }
}

const nativeCall = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
}

function sendWhole(response: ServerResponse, message: Reply): void {
  const finish_reason = message.tool_calls ? 'tool_calls' : 'stop'
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }]
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }))
}

function sendStream(response: ServerResponse, message: Reply, pieceLength: number): void {
  response.setHeader('content-type', 'text/event-stream')
  const send = (delta: object, finish_reason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason }]
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const { content, reasoning_content, tool_calls } = message
  send({ role: 'assistant', content: content === null ? null : '' })
  for (const piece of cut(reasoning_content ?? '', pieceLength)) send({ reasoning_content: piece })
  for (const piece of cut(content ?? '', pieceLength)) send({ content: piece })
  if (tool_calls) send({ tool_calls })
  send({}, tool_calls ? 'tool_calls' : 'stop')
  response.end('data: [DONE]\n\n')
}

/** Cuts between characters: a server sends each of them whole. */
function cut(text: string, length: number): string[] {
  const characters = [...text]
  const count = Math.ceil(characters.length / length)
  return Array.from({ length: count }, (_, n) => characters.slice(n * length, (n + 1) * length).join(''))
}

/** How one case is put to a client. */
interface Setting {
  readonly baseURL: string
  readonly mode: Mode
  readonly streamed: boolean
}

/** Puts one case to a client. */
async function runTextCase(
  textCase: TextCase,
  client: WireClient,
  { baseURL, mode, streamed }: Setting,
): Promise<TextVerdict> {
  const ran: ToolCallData[] = []
  const tools = textCase.tools.map((shape) => ({
    ...shape,
    execute(args: unknown) {
      ran.push({ name: shape.name, arguments: args as ToolCallData['arguments'] })
      return textCase.toolResult ?? 'It is 4 degrees.'
    },
  }))
  const where = { baseURL, apiKey: 'test-key', model: encodeURIComponent(textCase.id), maxRetries: 0 }
  const stop = new AbortController()
  const faults = await client
    .run({ ...where, text: textCase.question, tools, stream: streamed, textCalls: mode, signal: stop.signal })
    .then(
      (report) => judge(textCase, { mode, streamed, ran, report }),
      (error: unknown) => [`it threw: ${String(error)}`],
    )
  return { textCase, mode, streamed, faults }
}

interface Outcome {
  readonly mode: Mode
  readonly streamed: boolean
  readonly ran: readonly ToolCallData[]
  readonly report: WireReport
}

function judge(textCase: TextCase, outcome: Outcome): string[] {
  const { mode, streamed, ran, report } = outcome
  const native =
    textCase.toolResult === undefined ? [] : [{ name: 'get_weather', arguments: { city: 'Paris' } }]
  const expected = [...native, ...(mode === 'run' ? textCase.calls : [])]
  const faults: string[] = []
  if (!isDeepStrictEqual(ran, expected))
    faults.push(`ran ${JSON.stringify(ran)} in place of ${JSON.stringify(expected)}`)
  const isCall = textCase.calls.length > 0
  const shown = streamed ? report.streamed : undefined
  if (isCall && shown !== undefined && !isHidden(textCase, shown))
    faults.push(`showed ${JSON.stringify(shown)} in the stream`)
  if (shown?.includes(textCase.words?.trim() ?? '') === false)
    faults.push(`lost the words: ${JSON.stringify(shown)}`)
  if (isCall && mode === 'report' && report.textCalls !== undefined) {
    if (report.textCalls === 0) faults.push('did not report the calls')
    if (!report.incomplete) faults.push('ended as if the text were the answer')
  }
  if (isCall && mode === 'run' && report.text !== 'Done.')
    faults.push(`ended with ${JSON.stringify(report.text)}`)
  if (!isCall && report.text !== textCase.text) faults.push(`ended with ${JSON.stringify(report.text)}`)
  if (!isCall && shown !== undefined && shown !== textCase.text)
    faults.push(`streamed ${JSON.stringify(shown)}`)
  if (!isCall && report.incomplete) faults.push('ended as incomplete')
  return faults
}

/** Whether no word of a call was shown: only space, the answer, and reasoning or words, which a second request repeats. */
function isHidden({ shown, words: beside }: TextCase, streamed: string): boolean {
  const words = streamed.replace(/Done\.$/, '').replaceAll((shown ?? beside ?? '').trim() || ' ', '')
  return words.trim() === ''
}

/** Runs cases one after the other, in every way that is asked for. */
export async function runTextCases(
  cases: readonly TextCase[],
  client: WireClient,
  settings: readonly Omit<Setting, 'baseURL'>[] = everyWay,
): Promise<readonly TextVerdict[]> {
  const { baseURL, close } = await startTextServer(cases)
  const verdicts: TextVerdict[] = []
  for (const textCase of cases)
    for (const setting of settings)
      verdicts.push(await runTextCase(textCase, client, { baseURL, ...setting }))
  await close()
  return verdicts
}

const everyWay = (['run', 'report'] as const).flatMap((mode) =>
  [true, false].map((streamed) => ({ mode, streamed })),
)
