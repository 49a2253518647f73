import { Agent, type ChatModel, tool } from '@capstan/core'
import { pcmFmt, wavHeader } from '@capstan/formats/wav'
import { writePng } from '@capstan/formats/write-png'
import * as z from 'zod'
import { asksThenAnswers } from './asks-then-answers.js'
import { hang } from './endless.js'

/** An image of 16 x 12 pixels: red at the top, blue at the bottom. */
export function flag(): Uint8Array {
  const rows = Array.from({ length: 12 }, (_, row) => [
    0,
    ...Array(16)
      .fill(row < 6 ? [255, 0, 0] : [0, 0, 255])
      .flat(),
  ])
  return writePng({ width: 16, height: 12, rows: Buffer.from(rows.flat()) })
}

/** A tenth of a second of silence. */
function silence(): Buffer {
  return Buffer.concat([wavHeader(pcmFmt(8000, 8), 800), Buffer.alloc(800, 128)])
}

const drawFlag = tool({
  name: 'draw_flag',
  description: 'Draws a flag',
  parameters: z.object({}),
  execute: (_args, { artifacts }) =>
    artifacts.put(flag(), { kind: 'image', mediaType: 'image/png', width: 16, height: 12 }),
})

const ringBell = tool({
  name: 'ring_bell',
  description: 'Rings a bell: the sound of it',
  parameters: z.object({}),
  execute: (_args, { artifacts }) =>
    artifacts.put(silence(), { kind: 'audio', mediaType: 'audio/wav', durationMs: 100 }),
})

const payBill = tool({
  name: 'pay_bill',
  description: 'Pays a bill',
  parameters: z.object({ amount: z.number().describe('The amount in euros') }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

/** The local service replies. */
export default new Agent({ name: 'clerk', model: 'planner', tools: [drawFlag, ringBell, payBill] })

/** Replies with the number of user messages, followed by the last one. */
const counting: ChatModel = {
  name: 'counting',
  async complete({ messages }, sink) {
    const said = messages.filter(({ role }) => role === 'user')
    const content = `${said.length}: ${said.at(-1)?.content}`
    sink?.({ type: 'text', text: content })
    return { message: { role: 'assistant', content }, finishReason: 'stop' }
  },
}
export const counter = new Agent({ name: 'counter', model: counting })

/** Writes text until it is stopped. */
const endless: ChatModel = {
  name: 'endless',
  async complete({ messages, signal }, sink) {
    if (messages.at(-1)?.content === 'Stop.')
      return { message: { role: 'assistant', content: 'I have stopped.' }, finishReason: 'stop' }
    sink?.({ type: 'text', text: 'On and on' })
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    throw new Error('unreachable')
  },
}
export const talker = new Agent({ name: 'talker', model: endless })

/** Sends sequences that would set the terminal's title and clipboard, add a link and hide text. */
const escapes =
  '\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\\x1b[8mhidden\x9b2J\u202e'
const harmful: ChatModel = {
  name: 'harmful',
  async complete({ messages }, sink) {
    if (messages.at(-1)?.role === 'tool') {
      for (const sign of escapes) sink?.({ type: 'text', text: sign })
      return { message: { role: 'assistant', content: escapes }, finishReason: 'stop' }
    }
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'echo', arguments: JSON.stringify({ text: escapes }) },
    } as const
    return { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' }
  },
}
const echo = tool({
  name: 'echo',
  description: 'Stores a text and fails with it',
  parameters: z.object({ text: z.string() }),
  needsApproval: true,
  async execute({ text }, { artifacts }) {
    await artifacts.put(new TextEncoder().encode(text), { kind: 'text', mediaType: `text/${text}` })
    throw new Error(text)
  },
})
export const hostile = new Agent({ name: 'hostile', model: harmful, tools: [echo] })

/** Waits for a key, so that the user can send a message during the run. The next request then contains it. */
const work = tool({
  name: 'work',
  description: 'Works',
  parameters: z.object({}),
  async *execute(_args, { signal }) {
    console.log('working')
    yield 'waiting for a word'
    if (process.env.DONE === undefined)
      await new Promise((resolve) => {
        process.stdin.on('data', () => setImmediate(resolve))
        signal.addEventListener('abort', resolve)
      })
    return 'worked'
  },
})
const working: ChatModel = {
  name: 'working',
  async complete({ messages }) {
    const last = messages.at(-1)
    const call = { id: 'call_1', type: 'function', function: { name: 'work', arguments: '{}' } } as const
    if (messages.length === 1)
      return { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' }
    const content = last?.role === 'user' ? `Read: ${last.content}` : 'I have worked.'
    return { message: { role: 'assistant', content }, finishReason: 'stop' }
  },
}
export const worker = new Agent({ name: 'worker', model: working, tools: [work] })

/** Like `counter`, but replies to its first message only after a key has been pressed. */
const late: ChatModel = {
  name: 'late',
  async complete(request, sink) {
    if (request.messages.length > 1) return counting.complete(request, sink)
    sink?.({ type: 'text', text: 'Wait' })
    await new Promise((resolve) => process.stdin.once('data', () => setImmediate(resolve)))
    return { message: { role: 'assistant', content: 'Wait' }, finishReason: 'stop' }
  },
}
export const talkative = new Agent({ name: 'talkative', model: late })

export const busy = new Agent({
  name: 'busy',
  model: asksThenAnswers([['hang', {}]], 'Done.'),
  tools: [hang],
})

/** Repeats each message, except one at which it fails. */
const breaking: ChatModel = {
  name: 'breaking',
  async complete({ messages }) {
    const content = String(messages.at(-1)?.content)
    if (content === 'Fail') throw new Error('It broke.')
    return { message: { role: 'assistant', content }, finishReason: 'stop' }
  },
}
export const failing = new Agent({ name: 'failing', model: breaking })
