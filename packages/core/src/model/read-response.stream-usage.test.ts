import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { type Line, type ScriptedServer, startScriptedServer } from '../../test/scripted-server.js'
import { Agent, type ChatModel, type ChatModelOptions, chatModel, type RunEvent } from '../index.js'
import { openaiModel } from '../openai.js'

const price = { m: { inputTokens: 1, outputTokens: 2 } }
const refusal = (status: number, message: string): Line => ({ status, body: { error: { message } } })
const unknownField = 'Unrecognized request argument supplied: stream_options'

const ways: [string, (server: ScriptedServer, options?: ChatModelOptions) => ChatModel][] = [
  ['chatModel', (server, options) => chatModel('m', { ...server, ...options })],
  ['openaiModel', (server, options) => openaiModel(new OpenAI({ ...server }), 'm', options)],
]

/** The `stream_options` of each request; undefined where it has none. */
const optionsOf = ({ requests }: ScriptedServer) => requests.map(({ body }) => body.stream_options)

describe.each(ways)('%s', (_name, modelAt) => {
  test('a streamed run reports its tokens and what it cost', async () => {
    await using server = await startScriptedServer([{ text: 'Hi.' }])
    const agent = new Agent({ model: modelAt(server), price })
    const { usage } = await agent.stream('Hello').result
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15, cost: 20 })
    expect(optionsOf(server)).toEqual([{ include_usage: true }])
  })

  test('a request that is not streamed has no stream_options, though the settings give some', async () => {
    await using server = await startScriptedServer([{ text: 'Hi.' }])
    const settings = { stream_options: { include_usage: true, include_obfuscation: false } }
    await new Agent({ model: modelAt(server), settings }).run('Hello')
    expect(optionsOf(server)).toEqual([undefined])
  })

  test('the stream_options of the settings count more', async () => {
    await using server = await startScriptedServer([{ text: 'Hi.' }, { text: 'Hi.' }])
    const streamWith = (stream_options: object) =>
      new Agent({ model: modelAt(server), settings: { stream_options } }).stream('Hello').result
    await streamWith({ include_obfuscation: false })
    const { usage } = await streamWith({ include_usage: false })
    expect(optionsOf(server)).toEqual([
      { include_obfuscation: false, include_usage: true },
      { include_usage: false },
    ])
    expect(usage.totalTokens).toBe(0)
  })

  test.each([
    [400, refusal(400, unknownField)],
    [422, refusal(422, 'extra fields not permitted: include_usage')],
    [
      422,
      {
        status: 422,
        body: { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs' }] },
      },
    ],
    ['status 200 and error 400', { status: 200, body: { error: { code: 400, message: unknownField } } }],
  ])('a server that refuses it by name with %s is asked without it, and from then on', async (_, refused) => {
    await using server = await startScriptedServer([refused, { text: 'Hi.' }, { text: 'Hi again.' }])
    const model = modelAt(server, { maxRetries: 0 })
    const events: RunEvent[] = []
    const agent = new Agent({ model, observe: (event) => events.push(event) })
    expect((await agent.stream('Hello').result).text).toBe('Hi.')
    expect((await agent.stream('Hello').result).text).toBe('Hi again.')
    expect(optionsOf(server)).toEqual([{ include_usage: true }, undefined, undefined])
    expect(events.filter(({ type }) => type === 'retry-scheduled')).toEqual([])
    const [first, second] = server.requests.map(({ body }) => body)
    expect({ ...first, stream_options: undefined }).toEqual(second)
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(3)
  })

  test('what is refused for another reason is not asked again', async () => {
    await using server = await startScriptedServer([refusal(400, 'No such model.')])
    await expect(new Agent({ model: modelAt(server) }).stream('Hello').result).rejects.toThrow(
      'No such model.',
    )
    expect(server.requests).toHaveLength(1)
  })

  test('what the settings ask for is not taken back', async () => {
    await using server = await startScriptedServer([refusal(400, unknownField)])
    const settings = { stream_options: { include_usage: true } }
    const agent = new Agent({ model: modelAt(server), settings })
    await expect(agent.stream('Hello').result).rejects.toThrow(unknownField)
    expect(server.requests).toHaveLength(1)
  })

  test('a refusal is remembered only when it helped to ask without it', async () => {
    const script = [refusal(400, unknownField), refusal(400, 'No such model.'), { text: 'Hi.' }]
    await using server = await startScriptedServer(script)
    const agent = new Agent({ model: modelAt(server) })
    await expect(agent.stream('Hello').result).rejects.toThrow('No such model.')
    expect((await agent.stream('Hello').result).usage.totalTokens).toBe(15)
    expect(optionsOf(server)).toEqual([{ include_usage: true }, undefined, { include_usage: true }])
  })

  test('a request that was on its way when it was remembered is asked again as well', async () => {
    const held: (() => void)[] = []
    const refuse: Line = (_request, response) => {
      held.push(() => response.writeHead(400).end(JSON.stringify({ error: { message: unknownField } })))
    }
    await using server = await startScriptedServer([refuse, refuse, { text: 'Hi.' }, { text: 'Hi.' }])
    const model = modelAt(server)
    const [first, second] = [1, 2].map(() => new Agent({ model }).stream('Hello').result)
    while (held.length < 2) await new Promise(setImmediate)
    held[0]?.()
    expect((await first)?.text).toBe('Hi.')
    held[1]?.()
    expect((await second)?.text).toBe('Hi.')
    expect(server.requests).toHaveLength(4)
  })

  test('after a stream that was cut off the answer is asked for whole, without stream_options', async () => {
    const cut: Line = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const choice = '{"index":0,"delta":{"content":"Hi"}}'
      response.write(`data: {"choices":[${choice}]}\n\n`, () => response.destroy())
    }
    await using server = await startScriptedServer([cut, { text: 'Hi.' }])
    const { usage } = await new Agent({ model: modelAt(server), price }).stream('Hello').result
    expect(optionsOf(server)).toEqual([{ include_usage: true }, undefined])
    expect(usage).toMatchObject({ totalTokens: 15, cost: 20 })
  })
})
