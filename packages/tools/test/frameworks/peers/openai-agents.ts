// Tools of the OpenAI Agents SDK in the forms of its docs, in a run of ours.
import assert from 'node:assert/strict'
import { Agent, memoryArtifacts } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { fromAgentsTools } from '@capstan/tools/frameworks'
import {
  codeInterpreterTool,
  defineToolInputGuardrail,
  defineToolOutputGuardrail,
  type RunContext,
  ToolGuardrailFunctionOutputFactory,
  tool,
  webSearchTool,
} from '@openai/agents'
import * as z from 'zod'
import { picture } from '../picture.js'
import { runCalls } from '../run-calls.js'

interface User {
  readonly user: string
}

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string(), unit: z.enum(['c', 'f']).nullable() }),
  execute: async ({ city, unit }) => `${city}: 3 ${unit ?? 'c'}`,
})
const json = tool({
  name: 'json',
  description: 'With JSON Schema',
  parameters: {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: true,
  },
  strict: false,
  execute: async (input) => ({ twice: Object(input).n * 2 }),
})
const who = tool({
  name: 'who',
  description: 'Who is it',
  parameters: z.object({}),
  execute: async (_input, run?: RunContext<User>, details?) => [
    run?.context.user,
    run?.usage.totalTokens,
    details?.toolCall?.callId,
    details?.signal?.aborted,
  ],
})
const fails = tool({
  name: 'fails',
  description: 'Fails',
  parameters: z.object({}),
  execute: async () => {
    throw new Error('out of order')
  },
})
const throws = tool({
  name: 'throws',
  description: 'Fails without a message of its own',
  parameters: z.object({}),
  errorFunction: null,
  execute: async () => {
    throw new Error('out of order')
  },
})
const photo = tool({
  name: 'photo',
  description: 'Takes a photo',
  parameters: z.object({}),
  execute: async () => [
    { type: 'text', text: 'a photo' },
    { type: 'image', image: { data: picture.toString('base64'), mediaType: 'image/png' }, detail: 'auto' },
    { type: 'image', image: `data:image/png;base64,${picture.toString('base64')}` },
    { type: 'image', image: { url: 'https://example.com/a.png' } },
  ],
})
const admin = tool({
  name: 'admin',
  description: 'For admins',
  parameters: z.object({}),
  isEnabled: ({ runContext }: { runContext: RunContext<unknown> }) =>
    Object(runContext.context).user === 'root',
  execute: async () => 'did it',
})
const guarded = tool({
  name: 'guarded',
  description: 'Has guardrails',
  parameters: z.object({ text: z.string() }),
  inputGuardrails: [
    defineToolInputGuardrail({
      name: 'no keys',
      run: async ({ toolCall }) =>
        toolCall.arguments.includes('sk-')
          ? ToolGuardrailFunctionOutputFactory.rejectContent('no keys, please')
          : ToolGuardrailFunctionOutputFactory.allow(),
    }),
  ],
  outputGuardrails: [
    defineToolOutputGuardrail({
      name: 'no numbers',
      run: async ({ output }) =>
        /\d/.test(String(output))
          ? ToolGuardrailFunctionOutputFactory.throwException()
          : ToolGuardrailFunctionOutputFactory.allow(),
    }),
  ],
  execute: async ({ text }) => text,
})
const tools = fromAgentsTools([weather, json, who, fails, throws, photo, admin, guarded])
const artifacts = memoryArtifacts()
const { toolCalls, model } = await runCalls(
  tools,
  [
    ['get_weather', { city: 'Oslo', unit: null }],
    ['json', { n: 2 }],
    ['who'],
    ['fails'],
    ['throws'],
    ['photo'],
    ['admin'],
    ['guarded', { text: 'plain' }],
    ['guarded', { text: 'sk-1' }],
    ['guarded', { text: 'a 1' }],
    ['get_weather', { city: 'Oslo' }],
  ],
  { artifacts, context: { user: 'ann' } },
)
const [stored] = await artifacts.list()
const reference = { artifact: stored?.id, mediaType: 'image/png' }
const contents = toolCalls.map(({ content }) => content)
assert.equal(contents[0], 'Oslo: 3 c')
assert.deepEqual(toolCalls[1]?.result, { twice: 4 })
assert.deepEqual(toolCalls[2]?.result, ['ann', 0, 'call_1_3', false])
assert.match(contents[3] ?? '', /An error occurred while running the tool/)
assert.match(contents[4] ?? '', /out of order/)
assert.deepEqual(JSON.parse(contents[5] ?? ''), {
  text: 'a photo',
  artifacts: [reference, reference],
  links: ['https://example.com/a.png'],
})
assert.match(contents[6] ?? '', /is not available in this step/)
assert.deepEqual(contents.slice(7, 9), ['plain', 'no keys, please'])
assert.match(contents[9] ?? '', /The guardrail "no numbers" stopped this call/)
assert.equal(toolCalls[10]?.status, 'rejected')
const offered = (requests: typeof model.requests) => requests[0]?.tools?.map(({ function: { name } }) => name)
assert.ok(!offered(model.requests)?.includes('admin'))
const asRoot = await runCalls(tools, [['admin']], { context: { user: 'root' } })
assert.ok(offered(asRoot.model.requests)?.includes('admin'))
assert.deepEqual(asRoot.results, ['did it'])
assert.equal(tools[0].definition.function.strict, true)

// Approvals.
const cancel = tool({
  name: 'cancel',
  description: 'Cancels an order',
  parameters: z.object({ order: z.number() }),
  needsApproval: async (run, { order }, callId) =>
    Object(run.context).user !== 'root' && order > 10 && callId !== undefined,
  execute: async ({ order }) => `cancelled ${order}`,
})
const asking = new Agent({
  model: scriptedModel([
    reply.calls(reply.call('cancel', { order: 1 }), reply.call('cancel', { order: 50 })),
    reply.text('Cancelled.'),
  ]),
  tools: fromAgentsTools([cancel]),
})
const {
  pending = [],
  state,
  toolCalls: done,
} = await asking.run('Cancel both', { context: { user: 'ann' } } as never)
assert.deepEqual(
  [done.map(({ result }) => result), pending.map(({ arguments: args }) => args)],
  [['cancelled 1'], [{ order: 50 }]],
)
const decisions = Object.fromEntries(pending.map(({ callId }) => [callId, { type: 'approve' as const }]))
assert.equal((await asking.run(state, { decisions } as never)).text, 'Cancelled.')

for (const one of [webSearchTool(), codeInterpreterTool()])
  assert.throws(() => fromAgentsTools([one]), { code: 'unsupported', message: /hosted\(/ })
console.log(`OpenAI Agents: ${tools.length} tools, ${toolCalls.length} calls`)
