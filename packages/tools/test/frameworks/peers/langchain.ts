// Tools of LangChain in the forms of its docs, in a run of ours.
import assert from 'node:assert/strict'
import { memoryArtifacts } from '@capstan/core'
import { fromLangchainTools } from '@capstan/tools/frameworks'
import { tool as coreTool, DynamicStructuredTool, DynamicTool, StructuredTool } from '@langchain/core/tools'
import { Command } from '@langchain/langgraph'
import { ToolMessage, type ToolRuntime, tool } from 'langchain'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { picture } from '../picture.js'
import { runCalls } from '../run-calls.js'

class Reverse extends StructuredTool {
  name = 'reverse'
  description = 'Reverses a text'
  schema = z.object({ text: z.string() })

  protected async _call({ text }: { text: string }): Promise<string> {
    return [...text].reverse().join('')
  }
}

const add = tool(({ a, b }) => a + b, {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number().default(1) }),
})
const year = coreTool(async ({ at }) => ({ year: at.getUTCFullYear() }), {
  name: 'year',
  description: 'The year of a day',
  schema: z.object({ at: z.coerce.date() }),
})
const old = tool(({ word }) => `old ${word}`, {
  name: 'old',
  description: 'With zod 3',
  // Its types do not take zod 3 with exactOptionalPropertyTypes.
  schema: z3.object({ word: z3.string() }) as unknown as z.ZodObject<{ word: z.ZodString }>,
})
const json = tool(async (input) => `json ${(input as { word: string }).word}`, {
  name: 'json',
  description: 'With JSON Schema',
  schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
})
const multiply = new DynamicStructuredTool({
  name: 'multiply',
  description: 'Multiplies',
  schema: z.object({ a: z.number(), b: z.number() }),
  func: async ({ a, b }) => `${a * b}`,
})
const search = new DynamicTool({
  name: 'search',
  description: 'Searches',
  func: async (input) => `found ${input}`,
})
const plain = tool(async (input: string) => `said ${input}`, {
  name: 'plain',
  description: 'One text',
  schema: z.string(),
})
const pair = tool(async ({ size }) => [`made ${size} numbers`, Array.from({ length: size }, (_, at) => at)], {
  name: 'pair',
  description: 'Makes numbers',
  schema: z.object({ size: z.number() }),
  responseFormat: 'content_and_artifact',
})
const photo = tool(
  async () => [
    { type: 'text', text: 'a photo' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.toString('base64')}` } },
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data: picture.toString('base64') },
  ],
  { name: 'photo', description: 'Takes a photo', schema: z.object({}) },
)
const whoami = tool(
  (_input, runtime: ToolRuntime<unknown, { user: string }>) => {
    const { context, toolCallId, state, configurable, writer } = runtime
    writer?.('looking')
    return { user: context.user, toolCallId, messages: Object(state).messages.length, of: configurable?.user }
  },
  { name: 'whoami', description: 'Who is it', schema: z.object({}) },
)
const steps = tool(
  async function* () {
    yield { at: 1 }
    yield { at: 2 }
    return { at: 3 }
  },
  { name: 'steps', description: 'Works in steps', schema: z.object({}) },
)
const message = tool(() => new ToolMessage({ content: 'as a message', tool_call_id: 'x', artifact: [1] }), {
  name: 'message',
  description: 'A message',
  schema: z.object({}),
})
const fails = tool(
  () => {
    throw new Error('out of order')
  },
  { name: 'fails', description: 'Fails', schema: z.object({}) },
)
const command = tool(() => new Command({ update: { a: 1 } }), {
  name: 'command',
  description: 'A command',
  schema: z.object({}),
})

const tools = fromLangchainTools([
  add,
  year,
  old,
  json,
  multiply,
  search,
  plain,
  new Reverse(),
  pair,
  photo,
  whoami,
  steps,
  message,
  fails,
  command,
])
const sum: number = await tools[0].call({ a: 1 })
assert.equal(sum, 2)

const artifacts = memoryArtifacts()
const { toolCalls, events } = await runCalls(
  tools,
  [
    ['add', { a: 2, b: 3 }],
    ['year', { at: '2026-11-30' }],
    ['old', { word: 'w' }],
    ['json', { word: 'w' }],
    ['multiply', { a: 6, b: 7 }],
    ['search', { input: 'this' }],
    ['plain', { input: 'hi' }],
    ['reverse', { text: 'abc' }],
    ['pair', { size: 3 }],
    ['photo'],
    ['whoami'],
    ['steps'],
    ['message'],
    ['fails'],
    ['command'],
    ['add', { a: 'one' }],
    ['old', {}],
  ],
  { artifacts, context: { user: 'ann' } },
)
const [stored] = await artifacts.list()
const reference = { artifact: stored?.id, mediaType: 'image/png' }
assert.deepEqual(
  toolCalls.slice(0, 13).map(({ content }) => (/^[{[]/.test(content) ? JSON.parse(content) : content)),
  [
    '5',
    { year: 2026 },
    'old w',
    'json w',
    '42',
    'found this',
    'said hi',
    'cba',
    'made 3 numbers',
    { text: 'a photo', artifacts: [reference, reference] },
    { user: 'ann', toolCallId: 'call_1_11', messages: 1, of: 'ann' },
    { at: 3 },
    'as a message',
  ],
)
assert.deepEqual(toolCalls[8]?.result, { content: 'made 3 numbers', artifact: [0, 1, 2] })
assert.deepEqual(toolCalls[12]?.result, { content: 'as a message', artifact: [1] })
assert.match(toolCalls[13]?.content ?? '', /out of order/)
assert.match(toolCalls[14]?.content ?? '', /Command, which changes the state of a graph/)
assert.deepEqual(
  toolCalls.slice(13).map(({ status }) => status),
  ['error', 'error', 'rejected', 'rejected'],
)
const progress = events.flatMap((event) =>
  Object(event).type === 'tool-progress' ? [Object(event).value] : [],
)
assert.deepEqual(
  new Set(progress.map((value) => JSON.stringify(value))),
  new Set(['"looking"', '{"at":1}', '{"at":2}']),
)
assert.equal(
  fromLangchainTools([tool(() => 'x', { name: 'end', schema: z.object({}), returnDirect: true })])[0].settings
    .returnDirect,
  true,
)
assert.throws(() => fromLangchainTools([{ type: 'web_search_20250305', name: 'web_search' } as never]), {
  code: 'unsupported',
})
console.log(`LangChain: ${tools.length} tools, ${toolCalls.length} calls`)
