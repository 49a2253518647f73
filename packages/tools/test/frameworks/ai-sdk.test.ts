import { memoryArtifacts, type RunEvent } from '@capstan/core'
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
