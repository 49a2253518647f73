import {
  Agent,
  type AnyTool,
  agentTool,
  type ChatModel,
  chatModel,
  handoff,
  hosted,
  jsonSchema,
  memorySessions,
  type RunEvent,
  type RunState,
  tool,
  without,
} from '@capstan/core'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { searchIndex } from '../../src/search/search-index.js'
import { type DeferredOptions, deferred } from '../../src/search.js'
import { type Call, calling, githubQuestions, githubTools, named, offeredIn } from './tools.js'

const listed = named('listed')
const lamp = named('set_lamp', 'Switches a lamp on or off')
const door = named('open_door', 'Opens a door of the house')
const mail = named('send_mail', 'Sends a mail')
const house = [lamp, door, mail] as const

/** Runs an agent with `listed` and three deferred tools. */
async function play(calls: readonly (readonly Call[])[], options: DeferredOptions = {}) {
  const model = calling(...calls)
  const events: RunEvent[] = []
  const tools = [listed, deferred(house, options)]
  const agent = new Agent({ model, tools, observe: (event) => void events.push(event) })
  const result = await agent.run('Go.')
  const offered = model.requests.map(offeredIn)
  const revealed = events.flatMap((event) => (event.type === 'tools-revealed' ? [event] : []))
  return { agent, model, result, offered, revealed }
}

test('requests offer found tools from then on, behind all others, in the order in which they were found', async () => {
  const { result, offered, revealed } = await play([
    [['find_tools', { query: 'send a mail' }]],
    [['find_tools', { query: 'lamp' }]],
    [['send_mail']],
  ])
  const before = ['listed', 'find_tools']
  expect(offered).toEqual([
    before,
    [...before, 'send_mail'],
    [...before, 'send_mail', 'set_lamp'],
    [...before, 'send_mail', 'set_lamp'],
  ])
  expect(revealed).toMatchObject([
    { step: 0, names: ['send_mail'], query: 'send a mail' },
    { step: 1, names: ['set_lamp'], query: 'lamp' },
  ])
  expect(result.toolCalls.map(({ content }) => content)).toEqual([
    'You can call these tools from now on:\n- send_mail: Sends a mail',
    'You can call these tools from now on:\n- set_lamp: Switches a lamp on or off',
    'send_mail',
  ])
  expect(result.state.kept['tool-search']).toEqual({ revealed: { agent: ['send_mail', 'set_lamp'] } })
})

test('requests with the same tools have the same list, in each run: it is written once', async () => {
  const given: (readonly unknown[])[] = []
  const { complete } = calling([['listed']], [['find_tools', { query: 'mail' }]], [['listed']])
  const again = calling([['find_tools', { query: 'mail' }]])
  const model = (next: typeof complete): ChatModel => ({
    name: 'm',
    complete(request, sink) {
      given.push(request.tools)
      return next(request, sink)
    },
  })
  const agent = new Agent({ model: model(complete), tools: [listed, deferred(house)] })
  await agent.run('Go.')
  await agent.run('Go.', { model: model(again.complete) })
  const [first, , third] = given
  expect(given.map((one) => [first, third].indexOf(one))).toEqual([0, 0, 1, 1, 0, 1])
})

test('searches of one reply reveal what each of them has found', async () => {
  const { offered } = await play([
    [
      ['find_tools', { query: 'mail' }],
      ['find_tools', { query: 'lamp' }],
    ],
  ])
  expect(offered[1]).toEqual(['listed', 'find_tools', 'send_mail', 'set_lamp'])
})

test('with call the model reads parameters, the list never changes, and calls are those of the tools', async () => {
  const { result, offered, model } = await play(
    [
      [['find_tools', { query: 'send mail' }]],
      [['call_tool', { name: 'send_mail', arguments: { to: 'Ann' } }]],
      [['set_lamp']],
    ],
    { by: 'call' },
  )
  expect(new Set(offered.map(String))).toEqual(new Set(['listed,find_tools,call_tool']))
  expect(result.toolCalls[0]?.content).toBe(
    'Call these with call_tool({ name, arguments }):\n- send_mail: Sends a mail\n  arguments: {"type":"object","properties":{},"required":[]}',
  )
  expect(result.toolCalls.slice(1)).toMatchObject([
    { name: 'send_mail', arguments: { to: 'Ann' }, content: 'send_mail' },
    { name: 'set_lamp', content: 'set_lamp' },
  ])
  // The server reads the real call back.
  expect(model.requests[2]?.messages).toContainEqual(
    expect.objectContaining({
      tool_calls: [expect.objectContaining({ function: { name: 'send_mail', arguments: '{"to":"Ann"}' } })],
    }),
  )
})

test('a call of a hidden tool by its name reveals it and runs', async () => {
  const { result, offered, revealed } = await play([[['open_door']]])
  expect(result.toolCalls).toMatchObject([{ name: 'open_door', status: 'ok', content: 'open_door' }])
  expect(offered[1]).toEqual(['listed', 'find_tools', 'open_door'])
  expect(revealed).toMatchObject([{ names: ['open_door'] }])
  expect(revealed[0]).not.toHaveProperty('query')
})

test('an exact name comes first', async () => {
  const { result } = await play([[['find_tools', { query: 'switch a lamp: open_door' }]]])
  expect(result.toolCalls[0]?.result).toMatchObject({ names: ['open_door', 'set_lamp'] })
})

test('words that fit nothing find the groups, without an error', async () => {
  const { result, offered } = await play([[['find_tools', { query: 'xylophone' }]]], { group: 'house' })
  expect(result.toolCalls).toMatchObject([
    {
      status: 'ok',
      content:
        'No tool matches this query. Try another. Available:\n- house: 3 tools (set, lamp, open, door, send, mail)',
    },
  ])
  expect(offered[1]).toEqual(['listed', 'find_tools'])
})

test.each(['list', 'call'] as const)(
  'an unknown name is answered with offered tools only: %s',
  async (by) => {
    const wrong: Call = by === 'list' ? ['nothing'] : ['call_tool', { name: 'nothing', arguments: {} }]
    const { result } = await play([[wrong]], { by })
    const offered = by === 'list' ? 'listed, find_tools' : 'listed, find_tools, call_tool'
    expect(result.toolCalls).toMatchObject([
      {
        status: 'rejected',
        name: 'nothing',
        content: `Error: unknown tool "nothing". Available tools: ${offered}.`,
      },
    ])
  },
)

test('calls of call_tool that name nothing run nothing', async () => {
  const wrong = [{}, { name: '' }, { name: 'call_tool', arguments: {} }, { name: 7, arguments: {} }]
  const { result } = await play([wrong.map((args): Call => ['call_tool', args])], { by: 'call' })
  expect(result.toolCalls.map(({ name, status }) => [name, status])).toEqual([
    ['call_tool', 'rejected'],
    ['call_tool', 'rejected'],
    ['call_tool', 'rejected'],
    ['call_tool', 'rejected'],
  ])
})

test('arguments of call_tool may be a text, or absent', async () => {
  const { result } = await play(
    [
      [
        ['call_tool', { name: 'set_lamp', arguments: '{"on":true}' }],
        ['call_tool', { name: 'set_lamp' }],
      ],
    ],
    { by: 'call' },
  )
  expect(result.toolCalls).toMatchObject([
    { name: 'set_lamp', status: 'ok', arguments: { on: true } },
    { name: 'set_lamp', status: 'ok', arguments: {} },
  ])
})

test('groups share one search: of each its own most, in all the largest', async () => {
  const many = (group: string, max: number) =>
    deferred(
      Array.from({ length: 9 }, (_, at) => named(`${group}_lamp_${at}`, 'A lamp')),
      { group, max, by: group === 'b' ? 'call' : 'list' },
    )
  const model = calling([['find_tools', { query: 'lamp' }]])
  const agent = new Agent({ model, tools: [many('a', 2), many('b', 4)] })
  const { toolCalls } = await agent.run('Go.')
  const { names } = Object(toolCalls[0]?.result) as { readonly names: readonly string[] }
  expect(names).toHaveLength(4)
  expect(names.filter((name) => name.startsWith('a_')).length).toBeLessThanOrEqual(2)
  expect(offeredIn(model.requests[0])).toEqual(['find_tools', 'call_tool'])
  expect(model.requests[0]?.tools[0]?.function.description).toContain('- a: 9 tools (lamp')
})

test.each([1, 3, 12, 100])('the description of %i groups has at most 1 kB', async (count) => {
  const model = calling()
  const groups = Array.from({ length: count }, (_, at) =>
    deferred(
      ['create', 'delete', 'list'].map((verb) => named(`${verb}_thing_${at}`)),
      { group: `グループ${at}`.padEnd(40, 'プ'), by: at % 2 ? 'call' : 'list' },
    ),
  )
  await new Agent({ model, tools: groups }).run('Go.')
  const { description = '' } = model.requests[0]?.tools[0]?.function ?? {}
  expect(new TextEncoder().encode(description).byteLength).toBeLessThanOrEqual(1024)
  expect(description).toContain('グループ0')
  expect(description.includes('more groups')).toBe(count > 3)
})

test('an agent with an output finds tools, and answers with its tool', async () => {
  const model = calling([['find_tools', { query: 'mail' }]], [['send_mail']], [['final_answer', { sent: 1 }]])
  const output = z.object({ sent: z.number() })
  const agent = new Agent({ model, tools: [listed, deferred(house)], output })
  const result = await agent.run('Go.')
  expect(result.output).toEqual({ sent: 1 })
  const [first, second] = model.requests.map(offeredIn)
  expect(first?.toSorted()).toEqual(['final_answer', 'find_tools', 'listed'])
  expect(second).toEqual([...(first ?? []), 'send_mail'])
})

test('an agent behind a tool finds its own', async () => {
  const inner = calling([['find_tools', { query: 'mail' }]], [['send_mail']])
  const child = new Agent({ name: 'child', model: inner, tools: [deferred(house)] })
  const model = calling([['child', { input: 'Go.' }]])
  const { state, toolCalls } = await new Agent({ model, tools: [agentTool(child)] }).run('Go.')
  expect(inner.requests.map(offeredIn)).toEqual([
    ['find_tools'],
    ['find_tools', 'send_mail'],
    ['find_tools', 'send_mail'],
  ])
  expect(toolCalls).toMatchObject([{ name: 'child', status: 'ok' }])
  expect(state.kept).not.toHaveProperty('tool-search')
})

test('tools that prepareStep names are offered and count as revealed', async () => {
  const model = calling([['listed']], [['send_mail']])
  const events: RunEvent[] = []
  const agent = new Agent({
    model,
    tools: [listed, deferred(house)],
    prepareStep: ({ step }) => (step === 0 ? { tools: ['listed', 'send_mail'] } : undefined),
    observe: (event) => void events.push(event),
  })
  await agent.run('Go.')
  expect(model.requests.map(offeredIn)).toEqual([
    ['listed', 'send_mail'],
    ['listed', 'find_tools', 'send_mail'],
    ['listed', 'find_tools', 'send_mail'],
  ])
  expect(events.filter(({ type }) => type === 'tools-revealed')).toMatchObject([
    { step: 0, names: ['send_mail'] },
  ])
})

test.each([{ tools: ['listed'] }, { toolChoice: 'none' }])(
  'a hidden tool cannot be called where %j leaves find_tools out',
  async (changes) => {
    const model = calling([['open_door']])
    const agent = new Agent({
      model,
      tools: [listed, deferred(house)],
      prepareStep: ({ step }) => (step === 0 ? changes : undefined),
    })
    const { toolCalls } = await agent.run('Go.')
    expect(toolCalls).toMatchObject([
      { status: 'rejected', content: expect.stringContaining('is not available in this step') },
    ])
  },
)

test('a forced deferred tool is offered', async () => {
  const model = calling([['send_mail']])
  const agent = new Agent({ model, tools: [listed, deferred(house)], toolChoice: 'send_mail' })
  await agent.run('Go.')
  expect(offeredIn(model.requests[0])).toEqual(['listed', 'find_tools', 'send_mail'])
  expect(model.requests[0]?.toolChoice).toMatchObject({ function: { name: 'send_mail' } })
})

test('descriptions that the context computes are those of the run', async () => {
  const greet = tool({
    name: 'greet',
    description: ({ user }: { user: string }) => `Greets ${user}`,
    parameters: z.object({}),
    execute: () => 'Hello.',
  })
  for (const by of ['list', 'call'] as const) {
    const model = calling([['find_tools', { query: 'greet' }]])
    const agent = new Agent({ model, tools: [listed, deferred([greet, lamp], { by })] })
    const { toolCalls } = await agent.run('Go.', { context: { user: 'Ann' } })
    if (by === 'call') expect(toolCalls[0]?.content).toContain('- greet: Greets Ann')
    else
      expect(model.requests[1]?.tools.at(-1)?.function).toMatchObject({
        name: 'greet',
        description: 'Greets Ann',
      })
  }
})

test('each agent of a run has its own', async () => {
  const model = calling(
    [['find_tools', { query: 'lamp' }]],
    [['transfer_to_other']],
    [['find_tools', { query: 'lamp' }]],
  )
  const other = new Agent({ name: 'other', model, tools: [deferred([named('other_lamp', 'A lamp')])] })
  const agent = new Agent({ name: 'first', model, tools: [handoff(other), deferred(house)] })
  const { state } = await agent.run('Go.')
  expect(model.requests.map(offeredIn)).toEqual([
    ['transfer_to_other', 'find_tools'],
    ['transfer_to_other', 'find_tools', 'set_lamp'],
    ['find_tools'],
    ['find_tools', 'other_lamp'],
  ])
  expect(state.kept['tool-search']).toEqual({ revealed: { first: ['set_lamp'], other: ['other_lamp'] } })
})

test('an agent without deferred tools in a run with them offers its own alone', async () => {
  const model = calling([['transfer_to_plain']])
  const plain = new Agent({ name: 'plain', model, tools: [listed] })
  await new Agent({ model, tools: [handoff(plain), deferred(house)] }).run('Go.')
  expect(offeredIn(model.requests[1])).toEqual(['listed'])
})

test('a state as JSON has what was found', async () => {
  const model = calling([['find_tools', { query: 'mail' }]], [['send_mail']])
  const tools = [listed, deferred(house)]
  const agent = new Agent({ model, tools, middleware: [without('final-answer')] })
  const { state } = await agent.run('Go.', { limits: { steps: 1 } })
  const stored: RunState = JSON.parse(JSON.stringify(state))
  const result = await agent.run(stored, { limits: { steps: 9 } })
  expect(offeredIn(model.requests.at(-1))).toEqual(['listed', 'find_tools', 'send_mail'])
  expect(result.stopReason).toBe('done')
})

test.each([
  7,
  null,
  { revealed: 7 },
  { revealed: { agent: 7 } },
  { revealed: { agent: [7, 'listed', 'nothing'] } },
])('a state with %j in its place reveals nothing', async (kept) => {
  const model = calling()
  const agent = new Agent({ model, tools: [listed, deferred(house)] })
  const state = await agent.prepare('Go.')
  await agent.run({ ...state, kept: { 'tool-search': kept } as RunState['kept'] })
  expect(offeredIn(model.requests[0])).toEqual(['listed', 'find_tools'])
})

test('a later run of a session, and its branch, have what was found and called', async () => {
  const store = memorySessions()
  const model = calling([['find_tools', { query: 'mail' }]], [['open_door']])
  const agent = new Agent({ model, tools: [listed, deferred(house)] })
  await agent.run('Go.', { session: { store, id: 's' } })
  const { version } = await store.load('s')
  for (const at of [undefined, version]) {
    const later = calling([['send_mail']])
    const next = agent.with({ model: later })
    const { state } = await next.run('Again.', { session: { store, id: 's', ...(at && { at }) } })
    expect(offeredIn(later.requests[0])).toEqual(['listed', 'find_tools', 'send_mail', 'open_door'])
    // What was read by searches of trusted tools is trusted.
    expect(state.taintedBy).toBeUndefined()
  }
})

test('call_tool with the arguments beside the name runs nothing, and says where they belong', async () => {
  const flat = { name: 'send_mail', to: 'Ann' }
  const { result } = await play([[['call_tool', flat]], [['call_tool', { name: 'send_mail' }]]], {
    by: 'call',
  })
  expect(result.toolCalls).toMatchObject([
    {
      name: 'call_tool',
      status: 'rejected',
      content: expect.stringMatching(/property "arguments"[\s\S]*arguments: object/),
    },
    { name: 'send_mail', status: 'ok' },
  ])
})

test('streamed pieces of call_tool are told as those of the tool', async () => {
  const model = calling([['call_tool', { name: 'send_mail', arguments: { to: 'Ann' } }]])
  const run = new Agent({ model, tools: [deferred(house, { by: 'call' })] }).stream('Go.')
  const told: unknown[] = []
  for await (const event of run)
    if (event.type === 'call-delta' || event.type === 'call-ready')
      told.push([event.type, event.name, event.arguments])
  expect(told).toEqual([
    ['call-delta', 'send_mail', '{"to":"Ann"}'],
    ['call-ready', 'send_mail', '{"to":"Ann"}'],
  ])
})

test.each<[what: string, make: () => unknown, message: RegExp]>([
  ['no tool', () => deferred([]), /got no tools/],
  [
    'a tool in place of a list',
    () => deferred(lamp as never),
    /^deferred needs an array of tools\. Pass an array/,
  ],
  ['two of one name', () => deferred([lamp, named('set_lamp')]), /Duplicate tool name "set_lamp"/],
  ['the name of its own tool', () => deferred([named('find_tools')]), /Duplicate tool name "find_tools"/],
  ['a hosted tool', () => deferred([hosted({ type: 'web_search' })]), /hosted tool/],
  ['deferred tools', () => deferred([deferred(house)]), /list of deferred tools/],
  ['something else', () => deferred([{} as AnyTool]), /tools contains an object/],
  [
    'one that is listed too',
    () => new Agent({ model: 'm', tools: [lamp, deferred(house)] }),
    /Duplicate tool name/,
  ],
  [
    'one of two groups',
    () => new Agent({ model: 'm', tools: [deferred([lamp]), deferred(house)] }),
    /Duplicate/,
  ],
])('%s is an invalid tool', (_what, make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ code: 'invalid_tool', message: expect.stringMatching(message) }),
  )
})

test('the words of a group are no numbers', async () => {
  const tools = Array.from({ length: 30 }, (_, at) => named(`paint_${at}`))
  const model = calling()
  await new Agent({ model, tools: [deferred(tools)] }).run('Go.')
  expect(model.requests[0]?.tools[0]?.function.description).toMatch(/\n- tools: 30 tools \(paint\)$/)
})

test('a found tool is shown with its first sentence, at most 300 characters of it', async () => {
  const greet = tool({
    name: 'greet',
    description: ({ user }: { user: string }) => `Greets ${user}. Politely.`,
    parameters: jsonSchema({ type: 'object', properties: {} }),
    execute: () => 'Hello.',
  })
  const model = calling([['find_tools', { query: 'greet' }]], [['find_tools', { query: 'talk' }]])
  const agent = new Agent({ model, tools: [deferred([greet, named('talk', 'word '.repeat(800))])] })
  const { toolCalls } = await agent.run('Go.', { context: { user: 'Ann' } })
  expect(toolCalls.map(({ content }) => content.split('\n- ')[1])).toEqual([
    'greet: Greets Ann.',
    `talk: ${'word '.repeat(60)}...`,
  ])
})

test('a listed tool with the name of the search is an invalid tool', async () => {
  const agent = new Agent({ model: calling(), tools: [named('find_tools'), deferred(house)] })
  await expect(agent.run('Go.')).rejects.toMatchObject({ code: 'invalid_tool' })
})

test.each<[options: object, message: RegExp]>([
  [{ by: 'search' }, /by is a string\. Use "list" or "call"/],
  [{ max: 0 }, /max is 0\. Use a whole number from 1 to 20/],
  [{ max: 2.5 }, /max is 2\.5/],
  [{ max: 21 }, /max is 21/],
  [{ group: '' }, /group is a string/],
  [{ group: 'a\nb' }, /group is a string/],
  [{ groups: 'a' }, /Did you mean "group"\?/],
])('%j is an invalid request', (options, message) => {
  expect(() => deferred(house, options)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) }),
  )
})

test('of 60 questions about 300 tools, at least 54 find the right one among five', () => {
  const index = searchIndex(githubTools)
  const found = githubQuestions.filter(([question, names]) =>
    index
      .find(question)
      .slice(0, 5)
      .some((name) => names.includes(name)),
  )
  expect(githubQuestions).toHaveLength(60)
  expect(found.length).toBeGreaterThanOrEqual(54)
})

test.each(['list', 'call'] as const)(
  '300 tools: the first request stays below 3,000 bytes (%s)',
  async (by) => {
    expect(githubTools).toHaveLength(300)
    const sent: number[] = []
    const model = chatModel('m', {
      baseURL: 'http://localhost:1/v1',
      apiKey: '',
      fetch: async (_url, init) => {
        sent.push((await new Response(init?.body).arrayBuffer()).byteLength)
        return new Response('', { status: 400 })
      },
    })
    await new Agent({ model, tools: [deferred(githubTools, { by, group: 'github' })] })
      .run('Go.')
      .catch(() => {})
    expect(sent[0]).toBeLessThan(3000)
  },
)
