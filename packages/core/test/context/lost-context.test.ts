import { describe, expect, test } from 'vitest'
import {
  Agent,
  type AgentOptions,
  CapstanError,
  type ChatModel,
  type Message,
  memoryHost,
  type RunEvent,
  without,
} from '../../src/index.js'
import { named } from '../call-context.js'
import { type Journal, journalHost } from '../run-control/host-with.js'
import { countMessage, type Tokenizer } from './conversations.js'

const tokenizer: Tokenizer = {
  ratio: 1.1,
  frame: 4,
  wide: 1,
  letters: 1,
  data: 1,
  noise: 0,
  picture: 0,
  hidesTools: false,
}

/** A server with a window of 2,000 tokens that keeps the newest, and calls a tool until the last of its steps. */
function smallServer(steps: number, window = 2000) {
  const requests: (readonly Message[])[] = []
  const model: ChatModel = {
    name: 'small',
    async complete({ messages }) {
      requests.push([...messages])
      const count = messages.reduce((sum, message) => sum + countMessage(message, tokenizer), 0)
      const inputTokens = Math.min(count, window)
      const results = messages.filter(({ role }) => role === 'tool').length
      const done = results >= steps
      const tool_calls = [
        { id: `c${requests.length}`, type: 'function' as const, function: { name: 'look', arguments: '{}' } },
      ]
      const message = {
        role: 'assistant' as const,
        content: done ? 'Done.' : null,
        ...(done ? {} : { tool_calls }),
      }
      return { message, tokens: { inputTokens, outputTokens: 5, totalTokens: inputTokens + 5 } }
    },
  }
  return { model, requests }
}

const sentence =
  'The order was changed before the invoice had been written, and nobody has answered the letter. '
const look = named('look', () => sentence.repeat(10), { effects: 'read' })

async function runWith(options: Partial<AgentOptions<[]>>, server = smallServer(14)) {
  const events: RunEvent[] = []
  const agent = new Agent({
    model: server.model,
    tools: [look],
    middleware: [without('stuck-detection')],
    observe: (event) => events.push(event),
    ...options,
  } as AgentOptions<[]>)
  const result = await agent.run('Look again and again.')
  return { result, lost: events.filter(({ type }) => type === 'context-lost'), events, ...server }
}

describe('a server that drops the front of a prompt and says nothing', () => {
  test('is an event and a warning, once a run, and the run goes on', async () => {
    const { result, lost, requests } = await runWith({})
    expect(result).toMatchObject({ stopReason: 'done', text: 'Done.' })
    expect(requests).toHaveLength(15)
    expect(lost).toMatchObject([{ reported: 2000, window: 2000 }])
    expect(result.warnings).toEqual([
      expect.stringMatching(/^The server of "small" read 2000 of about \d+ tokens/),
    ])
    expect(result.warnings?.[0]).toContain('OLLAMA_CONTEXT_LENGTH')
  })

  test('stops the run before its next request', async () => {
    const { result, requests, lost } = await runWith({ onContextLost: 'stop' })
    expect(result.stopReason).toBe('condition')
    expect(result.warnings).toHaveLength(1)
    expect(lost[0]).toMatchObject({ step: requests.length - 1 })
    expect(result.messages.at(-1)).toMatchObject({ role: 'tool' })
  })

  test('a run that was stopped resumes, since the server may have a larger window now', async () => {
    const { result } = await runWith({ onContextLost: 'stop' })
    const server = smallServer(14, 100_000)
    const agent = new Agent({
      model: server.model,
      tools: [look],
      middleware: [without('stuck-detection')],
      onContextLost: 'stop',
    })
    expect((await agent.run(result.state)).stopReason).toBe('done')
  })

  test('a reply that ended the run stays done, with the warning', async () => {
    const found = await runWith({ onContextLost: 'stop' })
    const steps = found.requests.length - 1
    const { result } = await runWith({ onContextLost: 'stop' }, smallServer(steps))
    expect(result).toMatchObject({ stopReason: 'done', text: 'Done.' })
    expect(result.warnings).toHaveLength(1)
  })

  test('compact: the model is asked again with what fits, and later requests fit as well', async () => {
    const { requests, lost, events, result } = await runWith({
      onContextLost: 'compact',
      limits: { steps: 15 },
    })
    const sizeOf = (messages: readonly Message[]) =>
      messages.reduce((sum, message) => sum + countMessage(message, tokenizer), 0)
    const first = requests.findIndex((messages) => sizeOf(messages) > 2000)
    expect(lost).toHaveLength(1)
    expect(result.warnings).toHaveLength(1)
    expect(
      requests
        .slice(first + 2)
        .map(sizeOf)
        .filter((size) => size > 2000),
    ).toEqual([])
    // The task stays, also in what is to be summarised.
    const asked = requests.map((messages) => JSON.stringify(messages))
    expect(asked.filter((text) => !text.includes('Look again and again.'))).toEqual([])
    expect(events.some(({ type }) => type === 'context-trimmed')).toBe(true)
  })

  test.each([
    ['fails', () => Promise.reject(new CapstanError('api', 'Out of order.'))],
    [
      'would pass a limit',
      () => Promise.reject(new CapstanError('stopped', 'No.', { evidence: { limit: 'tokens' } })),
    ],
  ])('compact: when the second request %s, the first reply stays', async (_name, fail) => {
    const server = smallServer(14)
    let longest = 0
    let failures = 0
    const model: ChatModel = {
      ...server.model,
      complete(request) {
        const isShorter = request.messages.length < longest
        longest = Math.max(longest, request.messages.length)
        if (!isShorter || failures > 0) return server.model.complete(request)
        failures += 1
        return fail()
      },
    }
    const { result, lost } = await runWith(
      { onContextLost: 'compact', limits: { steps: 12 } },
      { ...server, model },
    )
    expect(failures).toBe(1)
    // A trimmed history never has the results that end the run.
    expect(result).toMatchObject({ stopReason: 'limit', limit: 'steps', stepCount: 13 })
    expect(result.warnings).toHaveLength(1)
    expect(lost).toHaveLength(1)
  })

  test('is seen where all questions have one length, and all replies', async () => {
    const events: RunEvent[] = []
    const model: ChatModel = {
      name: 'small',
      async complete({ messages }) {
        const count = messages.reduce((sum, message) => sum + countMessage(message, tokenizer), 0)
        const inputTokens = Math.min(count, 800)
        const last = messages.at(-1)
        const call = { id: `c${messages.length}`, type: 'function' as const }
        const message =
          last?.role === 'tool'
            ? { role: 'assistant' as const, content: `The result: ${last.content}` }
            : {
                role: 'assistant' as const,
                content: null,
                tool_calls: [{ ...call, function: { name: 'look', arguments: '{}' } }],
              }
        return { message, tokens: { inputTokens, outputTokens: 5, totalTokens: inputTokens + 5 } }
      },
    }
    const agent = new Agent({ model, tools: [look], observe: (event) => events.push(event) })
    let messages: readonly Message[] = []
    for (const city of ['Oslo', 'Rome', 'Paris', 'Lima', 'Cairo'])
      ({ messages } = await agent.run([...messages, { role: 'user', content: `How is it in ${city}?` }]))
    expect(events.filter(({ type }) => type === 'context-lost')).not.toEqual([])
  })

  test('is seen after short runs whose prompts are mostly the template of the server', async () => {
    const events: RunEvent[] = []
    const server = smallServer(14)
    const model: ChatModel = {
      ...server.model,
      async complete(request, options) {
        const { message, tokens } = await server.model.complete(request, options)
        const inputTokens = Math.min(500 + (tokens?.inputTokens ?? 0), 2000)
        const isShort = request.messages.some(({ content }) => content === 'Hello.')
        return {
          message: isShort ? { role: 'assistant', content: 'Hello.' } : message,
          tokens: { inputTokens, outputTokens: 5, totalTokens: inputTokens + 5 },
        }
      },
    }
    const middleware = [without('stuck-detection')]
    const agent = new Agent({ model, tools: [look], middleware, observe: (event) => events.push(event) })
    for (let count = 0; count < 5; count++) await agent.run('Hello.')
    await agent.run('Look again and again.')
    expect(events.filter(({ type }) => type === 'context-lost')).toMatchObject([{ window: 2000 }])
  })

  test('without(lost-context) says nothing', async () => {
    const { result, lost } = await runWith({
      middleware: [without('stuck-detection'), without('lost-context')],
    })
    expect(lost).toEqual([])
    expect(result.warnings).toBeUndefined()
  })
})

test.each(['warn', 'compact', 'stop'] as const)(
  'a durable run finds the same again: %s',
  async (onContextLost) => {
    const journal: Journal = new Map()
    const states = []
    for (const _ of ['run', 'replay']) {
      const { model } = smallServer(14)
      const middleware = [without('stuck-detection')]
      const agent = new Agent({ model, tools: [look], middleware, onContextLost })
      const host = journalHost(journal, memoryHost)
      const { state } = await agent.run('Look again and again.', { runId: 'r', host })
      states.push(state)
    }
    expect(states[1]).toEqual(states[0])
    expect(states[0]?.warnings).toHaveLength(1)
  },
)

test('nothing is computed for a server that reports no tokens', async () => {
  const { model } = smallServer(14)
  const silent: ChatModel = {
    ...model,
    complete: async (request) => ({ message: (await model.complete(request)).message }),
  }
  const { result, lost } = await runWith({ model: silent })
  expect(lost).toEqual([])
  expect(result.state.flags).not.toHaveProperty('lost-context')
})

test('another value is an error that names the four', () => {
  const options = { model: 'm', onContextLost: 'trim' } as unknown as AgentOptions<[]>
  expect(() => new Agent(options)).toThrow(
    'onContextLost is a string. Use "recover", "compact", "warn" or "stop".',
  )
})
