import { Agent, memoryArtifacts, type RunEvent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as ai6 from 'ai6'
import * as ai7 from 'ai7'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { fromAiSdkTools } from '../../src/frameworks.js'
import { picture } from './picture.js'
import { runCalls } from './run-calls.js'

const versions = [
  ['6', ai6],
  ['7', ai7 as unknown as typeof ai6],
] as const

test.each(versions)(
  'tools of ai %s run with each kind of schema',
  async (_, { dynamicTool, jsonSchema, tool, zodSchema }) => {
    const execute = async ({ city }: { city: string }) => `${city}: snow`
    const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
    const tools = fromAiSdkTools({
      zod: tool({ description: 'Weather', inputSchema: z.object({ city: z.string().trim() }), execute }),
      zod3: tool({ inputSchema: z3.object({ city: z3.string() }), execute }),
      json: tool({ inputSchema: jsonSchema<{ city: string }>(json), execute }),
      lazy: tool({ inputSchema: () => jsonSchema<{ city: string }>(json), execute }),
      wrapped: tool({ inputSchema: zodSchema(z.object({ city: z.string().trim() })), execute }),
      dynamic: dynamicTool({ description: 'Any', inputSchema: z.object({}), execute: async () => 'dynamic' }),
    })
    const names = tools.map(({ name }) => name)
    const { results, toolCalls } = await runCalls(
      tools,
      names.map((name) => [name, { city: ' Oslo' }] as const),
    )
    expect(results).toEqual([
      'Oslo: snow',
      ' Oslo: snow',
      ' Oslo: snow',
      ' Oslo: snow',
      'Oslo: snow',
      'dynamic',
    ])
    expect(tools.map(({ definition }) => definition.function.description)[1]).toBe('zod3')
    const wrong = await runCalls(
      tools,
      names.slice(0, 5).map((name) => [name, { city: 1 }] as const),
    )
    expect(wrong.toolCalls.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
    expect(toolCalls.map(({ status }) => status)).toEqual(Array(6).fill('ok'))
  },
)

test.each(versions)(
  'a function of ai %s gets ids, messages, the signal and the context',
  async (_, { tool }) => {
    let seen: Record<string, unknown> = {}
    const tools = fromAiSdkTools({
      look: tool({
        inputSchema: z.object({ at: z.coerce.date() }),
        needsApproval: (input, options) => {
          seen.approval = [input.at.getUTCFullYear(), options.toolCallId, options.messages.length]
          return false
        },
        execute: async ({ at }, options) => {
          const { toolCallId, messages, abortSignal, experimental_context: context } = options
          seen = {
            ...seen,
            year: at.getUTCFullYear(),
            toolCallId,
            messages,
            isAborted: abortSignal?.aborted,
            context,
          }
          return { seen: true }
        },
      }),
    })
    await runCalls(tools, [['look', { at: '2026-11-30' }]], { context: { user: 'ann' } })
    expect(seen).toEqual({
      approval: [2026, 'call_1_1', 1],
      year: 2026,
      toolCallId: 'call_1_1',
      messages: [{ role: 'user', content: 'Go' }],
      isAborted: false,
      context: { user: 'ann' },
    })
  },
)

test.each(versions)(
  'what a function of ai %s yields is progress, the last is the result',
  async (_, { tool }) => {
    const tools = fromAiSdkTools({
      count: tool({
        inputSchema: z.object({}),
        async *execute() {
          yield { state: 'one' }
          yield { state: 'two' }
        },
      }),
    })
    const { results, events } = await runCalls(tools, [['count']])
    expect(results).toEqual([{ state: 'two' }])
    const progress = (events as RunEvent[]).flatMap((one) =>
      one.type === 'tool-progress' ? [one.value] : [],
    )
    expect(progress).toEqual([{ state: 'one' }, { state: 'two' }])
  },
)

test.each(versions)(
  'the model reads what toModelOutput of ai %s returns, images as artifacts',
  async (_, { tool }) => {
    const artifacts = memoryArtifacts()
    const tools = fromAiSdkTools({
      shoot: tool({
        inputSchema: z.object({}),
        execute: async () => ({ type: 'image' as const, data: picture.toString('base64') }),
        toModelOutput: ({ output, toolCallId }) => ({
          type: 'content',
          value: [
            { type: 'text', text: `taken by ${toolCallId}` },
            { type: 'image-data', data: output.data, mediaType: 'image/png' },
          ],
        }),
      }),
      size: tool({
        inputSchema: z.object({}),
        execute: async () => 7,
        toModelOutput: ({ output }) => ({ type: 'text', value: `${output} metres` }),
      }),
      bytes: tool({
        inputSchema: z.object({}),
        execute: async () => ({ file: new Uint8Array(picture), name: 'a' }),
      }),
    })
    const { toolCalls } = await runCalls(tools, [['shoot'], ['size'], ['bytes']], { artifacts })
    const [stored] = await artifacts.list()
    expect(stored).toMatchObject({ kind: 'image', mediaType: 'image/png' })
    const reference = { artifact: stored?.id, mediaType: 'image/png' }
    const [shoot, size, bytes] = toolCalls
    expect(shoot?.result).toMatchObject({ id: stored?.id })
    expect(JSON.parse(shoot?.content ?? '')).toEqual({ text: 'taken by call_1_1', artifacts: [reference] })
    expect([size?.result, size?.content]).toEqual([7, '7 metres'])
    expect(JSON.parse(bytes?.content ?? '')).toEqual({ file: reference, name: 'a' })
  },
)

test.each(versions)('approvals of ai %s are pending calls, in any process', async (_, { tool }) => {
  const paid: number[] = []
  const seen: unknown[] = []
  const tools = fromAiSdkTools({
    pay: tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount }) => amount > 10,
      execute: async ({ amount }, { toolCallId, messages }) => {
        paid.push(amount)
        seen.push([toolCallId, messages.length])
        return { amount }
      },
    }),
  })
  const { state, pending } = await runCalls(tools, [
    ['pay', { amount: 5 }],
    ['pay', { amount: 50 }],
  ])
  expect([paid, pending?.map(({ kind, arguments: args }) => [kind, args])]).toEqual([
    [5],
    [['approval', { amount: 50 }]],
  ])
  const later = new Agent({ model: scriptedModel([reply.text('Paid.')]), tools })
  const decisions = { call_1_2: { type: 'approve' as const } }
  expect((await later.run(JSON.parse(JSON.stringify(state)), { decisions })).text).toBe('Paid.')
  expect([paid, seen]).toEqual([
    [5, 50],
    [
      ['call_1_1', 1],
      ['call_1_2', 1],
    ],
  ])
})

test.each(versions)(
  'the caller answers a tool of ai %s without execute, checked by its outputSchema',
  async (_, { tool }) => {
    const tools = fromAiSdkTools({
      ask: tool({ inputSchema: z.object({}), outputSchema: z.object({ answer: z.string() }) }),
    })
    const { state, pending } = await runCalls(tools, [['ask']])
    expect(pending).toMatchObject([{ kind: 'result' }])
    const agent = new Agent({ model: scriptedModel([reply.text('Thanks.')]), tools })
    const answer = (value: unknown) =>
      agent.run(state, { decisions: { call_1_1: { type: 'result', value } } } as never)
    await expect(answer({ reply: 'yes' })).rejects.toThrow(/answer/)
    expect((await answer({ answer: 'yes' })).text).toBe('Thanks.')
  },
)

test.each(versions)('the signal of ai %s aborts with the run, and iteration ends', async (_, { tool }) => {
  const controller = new AbortController()
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const tools = fromAiSdkTools({
    count: tool({
      inputSchema: z.object({}),
      async *execute(_input, { abortSignal }) {
        try {
          for (let at = 0; ; at++) {
            if (at === 3) controller.abort(new Error('enough'))
            yield abortSignal?.aborted
            await new Promise((resolve) => setImmediate(resolve))
          }
        } finally {
          end()
        }
      },
    }),
  })
  const model = scriptedModel([reply.call('count')])
  const result = await new Agent({ model, tools }).run('Go', { signal: controller.signal })
  expect(result.stopReason).toBe('aborted')
  await ended
})

test('a contextSchema of ai 7 is checked, and its error names no value', async () => {
  const look = ai7.tool({
    inputSchema: z.object({}),
    contextSchema: z.object({ key: z.string().min(5) }),
    execute: (_input, { context }) => context,
  })
  const tools = fromAiSdkTools({ look })
  const { results } = await runCalls(tools, [['look']], { context: { key: 'right', other: 1 } })
  expect(results).toEqual([{ key: 'right' }])
  const { toolCalls } = await runCalls(tools, [['look']], { context: { key: 'sk-1' } })
  expect(toolCalls[0]?.content).toContain('contextSchema of "look" (key)')
  expect(toolCalls[0]?.content).not.toContain('sk-1')
})

test('a direct call returns the result itself', async () => {
  const day = new Date(0)
  const [look] = fromAiSdkTools({ look: ai7.tool({ inputSchema: z.object({}), execute: async () => day }) })
  expect(await look?.call({})).toBe(day)
})
