import { HttpAgent } from '@ag-ui/client'
import { Agent, agentTool, dataParts, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as ai6 from 'ai6'
import { Chat as Chat6 } from 'ai6-react'
import * as ai7 from 'ai7'
import { Chat as Chat7 } from 'ai7-react'
import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { UiDataParts, UiMetadata } from '../../src/index.js'
import { handlerOf } from '../requests.js'

const parts = dataParts({ weather: z.object({ city: z.string(), degrees: z.number().optional() }) })

const look = tool({
  name: 'look',
  description: 'Looks at the weather',
  parameters: z.object({}),
  async execute(_, ctx) {
    await parts.send(ctx, 'weather', { city: 'Oslo' }, { id: 'oslo' })
    await parts.send(ctx, 'weather', { city: 'Oslo', degrees: -2 }, { id: 'oslo' })
    await parts.send(ctx, 'weather', { city: 'Rome' }, { transient: true })
    return 'cold'
  },
})

const script = () => scriptedModel([reply.calls(reply.call('look', {})), reply.text('Cold.')])
const looking = () => new Agent({ name: 'looker', model: script(), tools: [look] })
/** An agent whose tool is called by an agent within it. */
const asking = () =>
  new Agent({
    model: scriptedModel([reply.calls(reply.call('looker', { input: 'Look.' })), reply.text('Done.')]),
    tools: [agentTool(looking(), { description: 'Looks' })],
  })

const headers = { authorization: 'Bearer user-ann' }

type Message6 = ai6.UIMessage<UiMetadata, UiDataParts<typeof parts>>
type Message7 = ai7.UIMessage<UiMetadata, UiDataParts<typeof parts>>

interface Heard {
  readonly type: string
  readonly data?: unknown
}

function fetchOf(agent: Agent): typeof globalThis.fetch {
  const handler = handlerOf(agent)
  return async (url, init) => handler(new Request(url, init))
}

const chats: readonly (readonly [
  string,
  (
    agent: Agent,
    heard: Heard[],
  ) => {
    sendMessage(given: { text: string }): Promise<void>
    readonly messages: readonly { parts: readonly Heard[] }[]
  },
])[] = [
  [
    'ai 6',
    (agent, heard) => {
      const fetch = fetchOf(agent)
      const transport = new ai6.DefaultChatTransport<Message6>({
        api: 'http://house.test/ui',
        headers,
        fetch,
      })
      return new Chat6<Message6>({ transport, onData: (part) => void heard.push({ ...part }) })
    },
  ],
  [
    'ai 7',
    (agent, heard) => {
      const fetch = fetchOf(agent)
      const transport = new ai7.DefaultChatTransport<Message7>({
        api: 'http://house.test/ui',
        headers,
        fetch,
      })
      return new Chat7<Message7>({ transport, onData: (part) => void heard.push({ ...part }) })
    },
  ],
]

const weather = ({ type }: Heard) => type === 'data-weather'

for (const [name, chatOf] of chats)
  test.each([
    ['of the agent', looking],
    ['of an agent within it', asking],
  ])(
    `${name} has the parts of a tool %s: one with an id is replaced, a transient one is not kept`,
    async (_, agentOf) => {
      const heard: Heard[] = []
      const chat = chatOf(agentOf() as Agent, heard)
      await chat.sendMessage({ text: 'Look.' })
      expect(chat.messages.at(-1)?.parts.filter(weather)).toEqual([
        { type: 'data-weather', id: 'oslo', data: { city: 'Oslo', degrees: -2 } },
      ])
      expect(heard.filter(weather).map(({ data }) => data)).toEqual([
        { city: 'Oslo' },
        { city: 'Oslo', degrees: -2 },
        { city: 'Rome' },
      ])
    },
  )

test('AG-UI has them as events of their names', async () => {
  const handler = handlerOf(looking())
  const agent = new HttpAgent({
    url: 'http://house.test/ag-ui',
    headers,
    fetch: (url, init) => handler(new Request(url, init)),
  })
  agent.addMessage({ id: '1', role: 'user', content: 'Look.' })
  const heard: unknown[] = []
  await agent.runAgent({}, { onCustomEvent: ({ event }) => void heard.push([event.name, event.value]) })
  expect(heard).toEqual([
    ['weather', { city: 'Oslo' }],
    ['weather', { city: 'Oslo', degrees: -2 }],
    ['weather', { city: 'Rome' }],
  ])
})

test('messages of both versions of the AI SDK have the types of the parts', () => {
  type Part<Message> = Message extends { parts: (infer One)[] }
    ? Extract<One, { type: 'data-weather' }>
    : never
  type Data = { city: string; degrees?: number | undefined }
  expectTypeOf<Part<Message6>['data']>().toEqualTypeOf<Data>()
  expectTypeOf<Part<Message7>['data']>().toEqualTypeOf<Data>()
  type Time = Extract<Message7['parts'][number], { type: 'data-time' }>['data']
  expectTypeOf<Time['ms']>().toEqualTypeOf<number>()
  expectTypeOf<NonNullable<Message7['metadata']>['runId']>().toEqualTypeOf<string | undefined>()
})
