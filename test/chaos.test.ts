import { Agent, type ChatModel, type ChatModelOptions, chatModel, type Message, tool } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type QuirkName, quirks } from '../packages/service/src/chaos/quirks.js'
import { isLong } from '../scripts/cases.mjs'

let service: Service

beforeAll(async () => {
  service = await startService({ chaos: true })
})
afterAll(() => service.close())

type Options = Pick<ChatModelOptions, 'baseURL' | 'apiKey' | 'headers' | 'maxRetries'>
type CreateModel = (name: string, options: Options) => ChatModel

const protocols = [
  ['chat', chatModel],
  ['Responses', responsesModel],
  ['Messages', messagesModel],
] as const satisfies readonly (readonly [string, CreateModel])[]

/** Each protocol, streamed and not. */
const ways = protocols.flatMap(([name, create]) => [
  { way: `${name}, in a stream`, create, stream: true },
  { way: `${name}, whole`, create, stream: false },
])

/** What a run in trouble came to: its answer, and the calls that were run. */
async function runWith(chaos: string | undefined, create: CreateModel, stream: boolean) {
  const ran: string[] = []
  const weather = tool({
    name: 'get_weather',
    description: 'The weather in a city today.',
    parameters: z.object({ city: z.string().describe('The city') }),
    execute: ({ city }) => {
      ran.push(city)
      return `${city}: 21 degrees, süß`
    },
  })
  const model = create('planner', {
    ...service,
    maxRetries: 1,
    headers: chaos ? { 'x-capstan-chaos': chaos } : {},
  })
  const agent = new Agent({ model, tools: [weather] })
  const question = 'What is the weather in Paris, and what is the weather in Rome?'
  const outcome = stream ? await agent.stream(question).result : await agent.run(question)
  return { text: outcome.text, ran: ran.toSorted() }
}

const usual = {
  text: 'get_weather (city Paris): Paris: 21 degrees, süß.\nget_weather (city Rome): Rome: 21 degrees, süß.',
  ran: ['Paris', 'Rome'],
}

/** What nobody can make an answer of; everything else is read as it was meant. */
const failures: Partial<Record<QuirkName, string>> = {
  'rate-limit': 'rate_limit',
  'server-error': 'api',
  overloaded: 'api',
  'html-error': 'api',
  'html-page': 'invalid_response',
  'error-in-ok': 'api',
  'empty-body': 'invalid_response',
  reset: 'network',
  'cut-body': 'truncated',
}
const names = Object.keys(quirks) as QuirkName[]

// Each quirk in every way with CAPSTAN_LONG=1, else in two of the six: once in a stream and once whole.
const namesOf = (way: number) =>
  names.filter((_, at) => isLong || at % protocols.length === (Math.floor(way / 2) + (way % 2)) % 3)

test('each quirk is tried in a stream and whole', () => {
  const tried = (first: number) => [first, first + 2, first + 4].flatMap(namesOf)
  expect(new Set(tried(0)).size).toBe(names.length)
  expect(new Set(tried(1)).size).toBe(names.length)
})

describe.each(ways.map((one, at) => ({ ...one, names: namesOf(at) })))(
  'an agent whose answers come over $way',
  ({ way, create, stream, names }) => {
    const failing = stream ? { ...failures, 'error-in-stream': 'api' } : failures
    const fails = (name: QuirkName) => name in failing

    test('does its work without trouble', async () => {
      expect(await runWith(undefined, create, stream)).toEqual(usual)
    })

    test.concurrent.each(names.filter((name) => !fails(name)))(
      'does it under %s, all the time',
      async (name) => {
        expect(await runWith(name, create, stream)).toEqual(usual)
      },
    )

    test.concurrent.each(names.filter(fails))(
      'says what happened under %s, and runs nothing',
      async (name) => {
        await expect(runWith(name, create, stream)).rejects.toMatchObject({
          code: failing[name as keyof typeof failing],
        })
      },
    )

    // A page in place of an answer is a wrong address, which asking again does not mend.
    test.concurrent.each(names.filter((name) => fails(name) && name !== 'html-page'))(
      'asks again after %s, once',
      async (name) => {
        expect(await runWith(`${name};times=1;id=${way.replace(/\W+/g, '-')}`, create, stream)).toEqual(usual)
      },
    )
  },
)

describe.each(ways)('a conversation that grows, with replies over $way', ({ create, stream }) => {
  const report = tool({
    name: 'get_report',
    description: 'The report of a city.',
    parameters: z.object({ city: z.string() }),
    effects: 'read',
    execute: ({ city }) => `${city}: ${'Light wind from the west, a few clouds, no rain. '.repeat(20)}`,
  })

  /** Asks one question after another, and returns the warnings of each run. */
  async function warningsWith(quirk: QuirkName) {
    const model = create('planner', { ...service, headers: { 'x-capstan-chaos': quirk } })
    const agent = new Agent({ model, tools: [report] })
    let messages: readonly Message[] = []
    const all: (readonly string[])[] = []
    for (const city of ['Oslo', 'Rome', 'Paris', 'Lima', 'Cairo', 'Quito']) {
      const input = [...messages, { role: 'user' as const, content: `What is the report of ${city}?` }]
      const result = stream ? await agent.stream(input).result : await agent.run(input)
      all.push(result.warnings ?? [])
      messages = result.messages
    }
    return all
  }

  test('is warned when the server keeps the newest tokens only', async () => {
    const [first, ...others] = await warningsWith('lost-context')
    expect(first).toEqual([])
    expect(others.at(-1)).toEqual([
      expect.stringMatching(/^The server of "planner" read \d+ of about \d+ tokens/),
    ])
  })

  test('is not warned when the server reports nonsense, or all', async () => {
    expect((await warningsWith('odd-usage')).flat()).toEqual([])
    expect((await warningsWith('crlf')).flat()).toEqual([])
  })
})
