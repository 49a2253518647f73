// Replies that are reloaded at each piece of the model, at two processes in turn: each page shows the same messages in the
// end.
//
//   node --conditions=development --import=tsx packages/http/test/clients/prove-reloads.ts 10

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Agent, type AssistantMessage, type ChatModel, type ModelDelta, tool } from '@capstan/core'
import { folderSessions } from '@capstan/core/node'
import { folderRunStore } from '@capstan/stores/node'
import { DefaultChatTransport, type UIMessage } from 'ai7'
import { Chat } from 'ai7-react'
import * as z from 'zod'
import { agentHandler } from '../../src/index.js'

const [replies = 10] = process.argv.slice(2).map(Number)
const folder = await mkdtemp(join(tmpdir(), 'capstan-reloads-'))
const faults: string[] = []
let reloads = 0

/** Called before each piece that the model writes. */
let atPiece = async () => {}

const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ what: z.string() }),
  effects: 'read',
  execute({ what }) {
    if (what === 'nothing') throw new Error('There is nothing.')
    return { seen: what }
  },
})

/** What the model writes at each step: words, and the calls of the tool. */
const steps: readonly (readonly [words: string, looks: readonly string[]])[] = [
  ['I look twice.', ['the sea', 'nothing']],
  ['And once more.', ['the sky']],
  ['That is all there is.', []],
]

const model: ChatModel = {
  name: 'm',
  async complete({ messages }, sink) {
    const since = messages.findLastIndex(({ role }) => role === 'user')
    const step = messages.slice(since).filter(({ role }) => role === 'assistant').length
    const [words, looks] = steps[step] ?? ['', []]
    const tell = async (delta: ModelDelta) => {
      await atPiece()
      sink?.(delta)
    }
    for (const text of words.split(/(?<= )/)) await tell({ type: 'text', text })
    const calls = looks.map((what, index) => ({
      id: `call_${since}_${step}_${index}`,
      type: 'function' as const,
      function: { name: 'look', arguments: JSON.stringify({ what }) },
    }))
    for (const [index, { id, function: called }] of calls.entries())
      for (const piece of [called.arguments.slice(0, 8), called.arguments.slice(8)])
        await tell({ type: 'call', index, id, name: called.name, arguments: piece })
    const message: AssistantMessage = {
      role: 'assistant',
      content: words,
      ...(calls[0] && { tool_calls: calls }),
    }
    return { message }
  },
}

const nodes = [0, 1].map(() =>
  agentHandler(new Agent({ name: 'clerk', model, tools: [look] }), {
    authenticate: () => ({ id: 'ann' }),
    runs: folderRunStore(join(folder, 'runs')),
    sessions: folderSessions(join(folder, 'sessions')),
    onDisconnect: 'finish',
    sweepMs: 0,
  }),
)
type Handler = (typeof nodes)[number]

function chatAt(handler: Handler, messages: UIMessage[] = []) {
  const fetch = async (url: RequestInfo | URL, init?: RequestInit) => handler(new Request(url, init))
  const transport = new DefaultChatTransport({ api: 'http://house.test/ui', fetch })
  return new Chat({ id: 'chat', transport, messages })
}

/** Returns what a page shows. A session does not keep data parts, nor when a message came. */
function shown(messages: readonly UIMessage[]): unknown {
  const texts = messages.map(({ id, role, parts }) => ({
    id,
    role,
    parts: parts.filter(({ type }) => !type.startsWith('data-')),
  }))
  return JSON.parse(JSON.stringify(texts))
}

const page = chatAt(nodes[0] as Handler)
for (let reply = 0; reply < replies; reply++) {
  const reading: [Chat<UIMessage>, Promise<void>][] = []
  atPiece = async () => {
    const handler = nodes[reloads++ % 2] as Handler
    const { messages, runId } = await (await handler(new Request('http://house.test/ui/chat'))).json()
    if (runId === undefined) return
    const chat = chatAt(handler, messages)
    reading.push([chat, chat.resumeStream()])
    // It reads from here on.
    await sleep(20)
  }
  await page.sendMessage({ text: `Look around, time ${reply}.` })
  if (page.error) faults.push(`reply ${reply}: ${page.error.message}`)
  await Promise.all(reading.map(([, read]) => read))
  const wanted = shown(page.messages)
  for (const [index, [chat]] of reading.entries()) {
    const found = shown(chat.messages)
    if (chat.error) faults.push(`reply ${reply}, reload ${index}: ${chat.error.message}`)
    if (!isDeepStrictEqual(found, wanted))
      faults.push(
        `reply ${reply}, reload ${index}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`,
      )
  }
  atPiece = async () => {}
  const stored = await (await (nodes[1] as Handler)(new Request('http://house.test/ui/chat'))).json()
  if (!isDeepStrictEqual(shown(stored.messages), wanted))
    faults.push(
      `reply ${reply}, stored: ${JSON.stringify(shown(stored.messages))} instead of ${JSON.stringify(wanted)}`,
    )
}
await Promise.all(nodes.map((node) => node.close()))
await rm(folder, { recursive: true })
console.log(JSON.stringify({ replies, reloads, faults: faults.length }))
for (const fault of faults.slice(0, 5)) console.error(fault)
if (faults.length > 0) process.exitCode = 1
