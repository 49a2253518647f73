import { askServer } from '../ask-server.js'
import { type CheckedServer, demand, type ServerCheck, skip } from '../server-check.js'
import { piecesOf, type ReadStream, readStream, textOfStream } from '../server-reading.js'
import { getWeather } from '../tool-shapes.js'
import { demandText, demandUsage } from './plain.js'
import { askWeather, demandArguments, forced, greeting } from './weather.js'

/** Answers to `stream: true`. */
export const streamedChecks: readonly ServerCheck[] = [
  {
    id: 'stream-text',
    title: 'a streamed answer is pieces of text, and then a finish reason',
    async run(server) {
      const stream = await streamGreeting(server)
      demandText(textOfStream(stream))
      demand(stream.finishReason === 'stop', `the finish reason is ${JSON.stringify(stream.finishReason)}`)
    },
  },
  {
    id: 'stream-type',
    title: 'a streamed answer is text/event-stream',
    async run(server) {
      const { contentType } = await askServer(server, { messages: [greeting], stream: true })
      demand(/^text\/event-stream\b/i.test(contentType), `the content type is "${contentType}"`)
    },
  },
  {
    id: 'stream-done',
    title: 'a stream ends with [DONE]',
    async run(server) {
      const { isDone } = await streamGreeting(server)
      demand(isDone, 'the last event is another')
    },
  },
  {
    id: 'stream-head',
    title: 'the first delta of a streamed call has its index, id, type and name; no other has another id',
    async run(server) {
      for (const [head, ...tail] of await streamedCalls(server, 'auto')) {
        const { index, id, type, function: called } = head ?? {}
        demand(Number.isInteger(index), `the index is ${JSON.stringify(index)}`)
        demand(typeof id === 'string' && id !== '', `the id is ${JSON.stringify(id)}`)
        demand(type === 'function', `the type is ${JSON.stringify(type)}`)
        demand(called?.name === getWeather.name, `the name is ${JSON.stringify(called?.name)}`)
        const other = tail.find((piece) => piece.id !== undefined && piece.id !== id)
        demand(other === undefined, `a later delta has the id ${JSON.stringify(other?.id)}`)
      }
    },
  },
  {
    id: 'stream-arguments',
    title: 'the fragments of a streamed call join to a JSON object',
    async run(server) {
      for (const pieces of await streamedCalls(server, 'auto')) demandArguments(joined(pieces))
    },
  },
  {
    id: 'stream-forced',
    title: 'a forced tool is called in a stream',
    async run(server) {
      const [pieces] = await streamedCalls(server, forced)
      demand(pieces !== undefined, 'the stream has no call')
      demandArguments(joined(pieces))
    },
  },
  {
    id: 'stream-reason',
    title: 'the finish reason of a stream with calls is tool_calls',
    async run(server) {
      const stream = readStream(await askWeather(server, { stream: true }))
      if (piecesOf(stream).length === 0) skip('the model answered in words')
      demand(
        stream.finishReason === 'tool_calls',
        `the finish reason is ${JSON.stringify(stream.finishReason)}`,
      )
    },
  },
  {
    id: 'stream-usage',
    title: 'include_usage: the last chunk counts the tokens and has no choice',
    async run(server) {
      const options = { stream: true, stream_options: { include_usage: true } }
      const { chunks } = readStream(await askServer(server, { messages: [greeting], ...options }))
      const { choices, usage } = (chunks.at(-1) ?? {}) as { choices?: unknown; usage?: unknown }
      demand(Array.isArray(choices) && choices.length === 0, `the choices are ${JSON.stringify(choices)}`)
      demandUsage(usage)
    },
  },
]

async function streamGreeting(server: CheckedServer): Promise<ReadStream> {
  return readStream(await askServer(server, { messages: [greeting], stream: true }))
}

async function streamedCalls(server: CheckedServer, choice: unknown): Promise<ReturnType<typeof piecesOf>> {
  const calls = piecesOf(readStream(await askWeather(server, { stream: true, tool_choice: choice })))
  if (calls.length === 0 && choice === 'auto') skip('the model answered in words')
  return calls
}

function joined(pieces: ReturnType<typeof piecesOf>[number]): string {
  return pieces.map((piece) => piece.function?.arguments ?? '').join('')
}
