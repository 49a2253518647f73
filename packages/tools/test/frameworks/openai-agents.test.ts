import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { fromAgentsTools } from '../../src/frameworks.js'
import { picture } from './picture.js'
import { runCalls } from './run-calls.js'

/** A tool as `tool()` of `@openai/agents` makes it; `prove-peers.ts` has theirs. */
function functionTool<Result>(
  name: string,
  execute: (input: unknown, ...rest: unknown[]) => Result,
  others = {},
) {
  return {
    type: 'function' as const,
    name,
    description: name,
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: [],
      additionalProperties: false,
    },
    strict: true,
    needsApproval: async () => false,
    isEnabled: async () => true,
    invoke: async (runContext: unknown, input: string, details?: unknown) =>
      execute(JSON.parse(input), runContext, details),
    ...others,
  }
}

const context = { user: 'ann' }

test('invoke gets the arguments as text, the context and the call', async () => {
  const seen: unknown[] = []
  const who = functionTool('who', (...given) => void seen.push(given))
  await runCalls(fromAgentsTools([who]), [['who', { text: 'hi' }]], { context })
  expect(seen).toMatchObject([
    [
      { text: 'hi' },
      { context, usage: { totalTokens: 0 } },
      { toolCall: { type: 'function_call', callId: 'call_1_1', name: 'who', arguments: '{"text":"hi"}' } },
    ],
  ])
})

test('a tool that is not enabled is not offered, and its calls do not run', async () => {
  const isEnabled = async ({ context: of }: { context: typeof context }, agent: unknown) =>
    of.user === 'root' && agent !== undefined
  let ran = 0
  const tools = fromAgentsTools([
    functionTool('admin', () => ++ran, { isEnabled }),
    functionTool('other', () => 1),
  ])
  const asAnn = await runCalls(tools, [['admin'], ['other']], { context })
  const namesOf = ({ model }: typeof asAnn) => model.requests[0]?.tools?.map((one) => one.function.name)
  expect([namesOf(asAnn), ran, asAnn.toolCalls[0]?.status]).toEqual([['other'], 0, 'rejected'])
  const asRoot = await runCalls(tools, [['admin']], { context: { user: 'root' } })
  expect([namesOf(asRoot), ran]).toEqual([['admin', 'other'], 1])
})

test('needsApproval decides by context, arguments and call', async () => {
  const seen: unknown[] = []
  const needsApproval = async (run: { context: unknown }, input: unknown, callId: unknown) => {
    seen.push([run.context, input, callId])
    return true
  }
  const { pending } = await runCalls(
    fromAgentsTools([functionTool('pay', () => 1, { needsApproval })]),
    [['pay', { text: 'a' }]],
    {
      context,
    },
  )
  expect([pending?.map(({ name }) => name), seen]).toEqual([['pay'], [[context, { text: 'a' }, 'call_1_1']]])
})

test('guardrails run before and after a call', async () => {
  let ran = 0
  const judge = (type: string, when: RegExp) => ({
    name: `no ${when.source}`,
    run: async (data: { toolCall: { arguments: string }; output?: unknown }) => ({
      behavior: when.test(String(data.output ?? data.toolCall.arguments))
        ? { type, message: 'no keys' }
        : { type: 'allow' },
    }),
  })
  const guarded = functionTool(
    'guarded',
    (input) => {
      ran++
      return Object(input).text
    },
    { inputGuardrails: [judge('rejectContent', /sk-/)], outputGuardrails: [judge('throwException', /\d/)] },
  )
  const { toolCalls } = await runCalls(fromAgentsTools([guarded]), [
    ['guarded', { text: 'plain' }],
    ['guarded', { text: 'sk-a' }],
    ['guarded', { text: 'a 1' }],
  ])
  expect([ran, toolCalls.map(({ content }) => content)]).toEqual([
    2,
    ['plain', 'no keys', 'Error: The guardrail "no \\d" stopped this call.'],
  ])
})

test('content with images is text and artifacts for the model', async () => {
  const artifacts = memoryArtifacts()
  const image = { data: picture.toString('base64'), mediaType: 'image/png' }
  const photo = functionTool('photo', () => [
    { type: 'text', text: 'a photo' },
    { type: 'image', image },
    { type: 'image', image: { url: 'https://example.com/a.png' } },
  ])
  const { toolCalls } = await runCalls(fromAgentsTools([photo]), [['photo']], { artifacts })
  const [stored] = await artifacts.list()
  expect(JSON.parse(toolCalls[0]?.content ?? '')).toEqual({
    text: 'a photo',
    artifacts: [{ artifact: stored?.id, mediaType: 'image/png' }],
    links: ['https://example.com/a.png'],
  })
})
