import { Agent, type Artifact, agentTool, memoryArtifacts, type ToolContext, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as ai6 from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import * as ai7 from 'ai7'
import { MockLanguageModelV4 } from 'ai7/test'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { fromAiSdkTools, toAiSdkTools } from '../../src/frameworks.js'
import { picture } from './picture.js'

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

/** A model of the AI SDK that makes these calls in its first reply, and then ends. */
function calling(Model: typeof MockLanguageModelV3, ...calls: readonly [name: string, args: object][]) {
  const content = calls.map(([toolName, args], at) => ({
    type: 'tool-call' as const,
    toolCallId: `c${at + 1}`,
    toolName,
    input: JSON.stringify(args),
  }))
  let requests = 0
  return new Model({
    doGenerate: async () =>
      (requests++ === 0
        ? { content, finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
        : {
            content: [{ type: 'text', text: 'Done.' }],
            finishReason: { unified: 'stop' },
            usage,
            warnings: [],
          }) as never,
  })
}

/** What the model got in answer to its calls. */
function outputsOf(model: {
  readonly doGenerateCalls: readonly { readonly prompt: readonly unknown[] }[]
}): unknown[] {
  const last = model.doGenerateCalls.at(-1)?.prompt.at(-1) as {
    readonly content: readonly { output: unknown }[]
  }
  return last.content.map(({ output }) => output)
}

const versions = [
  ['6', ai6, MockLanguageModelV3],
  ['7', ai7 as unknown as typeof ai6, MockLanguageModelV4 as unknown as typeof MockLanguageModelV3],
] as const

const weather = tool({
  name: 'weather',
  description: 'The weather of a day',
  parameters: z.object({ city: z.string(), day: z.coerce.date() }),
  execute: ({ city, day }, { callId, idempotencyKey, context }: ToolContext<{ unit: string }>) => ({
    city,
    year: day.getUTCFullYear(),
    ids: [callId, idempotencyKey],
    unit: context.unit,
  }),
})

test.each(versions)(
  'tools of ours run in generateText of ai %s',
  async (_, { generateText, stepCountIs }, Model) => {
    const model = calling(Model, ['weather', { city: 'Oslo', day: '2026-11-30' }])
    const tools = toAiSdkTools([weather], { context: { unit: 'c' } })
    const { steps, text } = await generateText({ model, tools, prompt: 'Go', stopWhen: stepCountIs(2) })
    expect(text).toBe('Done.')
    const value = { city: 'Oslo', year: 2026, ids: ['c1', 'c1'], unit: 'c' }
    expect(steps[0]?.toolResults[0]?.output).toEqual(value)
    expect(outputsOf(model)).toEqual([{ type: 'json', value }])
    const [given] = model.doGenerateCalls[0]?.tools ?? []
    expect(given).toMatchObject({
      name: 'weather',
      description: 'The weather of a day',
      inputSchema: weather.definition.function.parameters,
    })
  },
)

test.each(versions)(
  'context comes from ai %s when none is given',
  async (version, { generateText }, Model) => {
    const model = calling(Model, ['weather', { city: 'Oslo', day: '2026-11-30' }])
    const context = { unit: 'f' }
    const options =
      version === '6' ? { experimental_context: context } : { toolsContext: { weather: context } }
    const tools = toAiSdkTools([weather])
    const { steps } = await generateText({ model, tools, prompt: 'Go', ...(options as object) })
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ unit: 'f' })
  },
)

test.each(versions)(
  'ai %s rejects arguments that our schema does not take',
  async (_, { generateText }, Model) => {
    const model = calling(Model, ['weather', { city: 7, day: '2026-11-30' }])
    const { content } = await generateText({ model, tools: toAiSdkTools([weather]), prompt: 'Go' })
    expect(content.find(({ type }) => type === 'tool-error')).toMatchObject({
      toolName: 'weather',
      input: { city: 7 },
    })
  },
)

test.each(versions)('approvals are those of ai %s', async (_, { generateText, stepCountIs }, Model) => {
  const paid: number[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    parameters: z.object({ amount: z.number(), day: z.coerce.date().default(new Date(0)) }),
    needsApproval: ({ amount, day }) => amount > 10 && day.getTime() === 0,
    execute: ({ amount }) => {
      paid.push(amount)
      return { amount }
    },
  })
  const tools = toAiSdkTools([pay])
  const model = calling(Model, ['pay', { amount: 5 }], ['pay', { amount: 50 }])
  const messages: ai6.ModelMessage[] = [{ role: 'user', content: 'Pay both' }]
  const asked = await generateText({ model, tools, messages, stopWhen: stepCountIs(2) })
  expect(paid).toEqual([5])
  const [request] = asked.content.filter((part) => part.type === 'tool-approval-request')
  expect(request).toMatchObject({ toolCall: { input: { amount: 50 } } })
  const approval = {
    type: 'tool-approval-response' as const,
    approvalId: request?.approvalId ?? '',
    approved: true,
  }
  const answered: ai6.ModelMessage[] = [
    ...messages,
    ...asked.response.messages,
    { role: 'tool', content: [approval] },
  ]
  await generateText({
    model,
    tools,
    messages: JSON.parse(JSON.stringify(answered)),
    stopWhen: stepCountIs(2),
  })
  expect(paid).toEqual([5, 50])
})

test.each(versions)(
  'ai %s gets progress first, references for artifacts and the text of toModel',
  async (_, { generateText, stepCountIs }, Model) => {
    const artifacts = memoryArtifacts()
    const draw = tool({
      name: 'draw',
      description: 'Draws',
      parameters: z.object({}),
      execute: (_args, ctx) =>
        ctx.artifacts.put(new Uint8Array(picture), { kind: 'image', mediaType: 'image/png' }),
    })
    const count = tool({
      name: 'count',
      description: 'Counts',
      parameters: z.object({}),
      async *execute(_args, ctx) {
        yield 'one'
        ctx.progress('two')
        return { total: 3 }
      },
      toModel: ({ total }) => `${total} in all`,
    })
    const none = tool({ name: 'none', description: 'Nothing', parameters: z.object({}), execute: () => {} })
    const tools = toAiSdkTools([draw, count, none], { artifacts })
    const model = calling(Model, ['draw', {}], ['count', {}], ['none', {}])
    const { steps } = await generateText({ model, tools, prompt: 'Go', stopWhen: stepCountIs(2) })
    const [stored] = await artifacts.list()
    expect(steps[0]?.toolResults.map(({ output }) => output)).toMatchObject([
      { id: stored?.id } as Artifact,
      { total: 3 },
      undefined,
    ])
    expect(outputsOf(model)).toEqual([
      { type: 'json', value: { artifact: stored?.id, mediaType: 'image/png' } },
      { type: 'text', value: '3 in all' },
      { type: 'text', value: 'Done. The tool returned no value.' },
    ])
    const values: unknown[] = []
    for await (const value of tools.count.execute({}, { toolCallId: 'c9' })) values.push(value)
    expect(values).toEqual(['one', 'two', { total: 3 }])
  },
)

test.each(versions)(
  'an error is one of ai %s, and an abort ends a call',
  async (_, { generateText }, Model) => {
    const fail = tool({
      name: 'fail',
      description: 'Fails',
      parameters: z.object({}),
      execute: () => {
        throw new Error('no luck')
      },
    })
    const { content } = await generateText({
      model: calling(Model, ['fail', {}]),
      tools: toAiSdkTools([fail]),
      prompt: 'Go',
    })
    expect(content.find(({ type }) => type === 'tool-error')).toMatchObject({ error: { message: 'no luck' } })

    const controller = new AbortController()
    const hang = tool({
      name: 'hang',
      description: 'Hangs',
      parameters: z.object({}),
      execute: () => {
        queueMicrotask(() => controller.abort(new Error('enough')))
        return new Promise<string>(() => {})
      },
    })
    const { abort } = { abort: { toolCallId: 'c1', abortSignal: controller.signal } }
    await expect(toAiSdkTools([hang]).hang.execute({}, abort)[Symbol.asyncIterator]().next()).rejects.toThrow(
      'enough',
    )
  },
)

test('a tool without function has no execute: the caller of the AI SDK answers', () => {
  const ask = tool({ name: 'ask', description: 'Asks', parameters: z.object({}) })
  expect(toAiSdkTools([ask]).ask).not.toHaveProperty('execute')
})

test('an agent behind a tool runs in the AI SDK', async () => {
  const helper = new Agent({ name: 'helper', model: scriptedModel([reply.text('It snows.')]) })
  const model = calling(MockLanguageModelV3, ['helper', { input: 'The weather?' }])
  await ai6.generateText({
    model,
    tools: toAiSdkTools([agentTool(helper)]),
    prompt: 'Go',
    stopWhen: ai6.stepCountIs(2),
  })
  expect(outputsOf(model)).toEqual([{ type: 'text', value: 'It snows.' }])
})

test('tools of the AI SDK come back as they went', async () => {
  const given = {
    look: ai7.tool({
      inputSchema: z.object({ at: z.coerce.date() }),
      execute: ({ at }) => ({ year: at.getUTCFullYear() }),
    }),
  }
  const { look } = toAiSdkTools(fromAiSdkTools(given))
  const values: unknown[] = []
  for await (const value of look.execute({ at: '2026-11-30' } as never, { toolCallId: 'c1' }))
    values.push(value)
  expect(values).toEqual([{ year: 2026 }])
})

test('a consumer that stops ends the generator of a tool', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const count = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({}),
    async *execute() {
      try {
        for (let at = 0; ; at++) {
          yield at
          await new Promise((resolve) => setImmediate(resolve))
        }
      } finally {
        end()
      }
    },
  })
  for await (const value of toAiSdkTools([count]).count.execute({}, { toolCallId: 'c1' }))
    if (Number(value) > 2) break
  await ended
})
