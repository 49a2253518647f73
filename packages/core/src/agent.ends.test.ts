import { expect, test } from 'vitest'
import * as z from 'zod'
import { named } from '../test/call-context.js'
import { wireCall } from '../test/chunks.js'
import { type Said, scriptedModel } from '../test/scripted-model.js'
import { Agent, agentTool, type ChatModel, handoff, type Middleware, without } from './index.js'
import type { AssistantMessage } from './types/message.js'
import type { ModelReply } from './types/model.js'

const f = named('f', () => 'done')
const run = (...script: Said[]) => new Agent({ model: scriptedModel(script), tools: [f] }).run('Go.')
const reply = (message: Partial<AssistantMessage>, further: Partial<ModelReply> = {}): ModelReply => ({
  message: { role: 'assistant', content: 'Half an ans', ...message },
  ...further,
})

test.each<[string, ModelReply]>([
  ['done', reply({}, { finishReason: 'stop' })],
  ['done', reply({})],
  ['length', reply({}, { finishReason: 'length' })],
  ['content_filter', reply({}, { finishReason: 'content_filter' })],
])('an answer in words ends a run as %s, its words kept (%#)', async (stopReason, said) => {
  const result = await run(said)
  expect(result).toMatchObject({ stopReason, text: 'Half an ans', stepCount: 1 })
  expect(result.state.stopReason).toBe(stopReason)
  expect(result).not.toHaveProperty('refusal')
  expect(result).not.toHaveProperty('incomplete')
  expect(result).not.toHaveProperty('limit')
  expect(result).not.toHaveProperty('pending')
})

test.each([
  ['nothing', undefined],
  ['an empty object', {}],
  ['the message itself', { role: 'assistant', content: 'Hi.' }],
  ['a text as the message', { message: 'Hi.' }],
])(
  'a model whose complete returns %s is an invalid_response error that names the form',
  async (_what, given) => {
    for (const complete of [async () => given, () => given]) {
      const model = { name: 'own', complete } as unknown as ChatModel
      const expected = {
        code: 'invalid_response',
        message:
          'Model "own" returned no valid reply. complete must return { message: { role: \'assistant\', content } }.',
      }
      await expect(new Agent({ model }).run('Go.')).rejects.toMatchObject(expected)
      const aside: Middleware = {
        name: 'aside',
        beforeModel: async ({ ask }) => void (await ask([{ role: 'user', content: 'Aside.' }], model)),
      }
      const agent = new Agent({ model: scriptedModel(['Fine.']), middleware: [aside] })
      await expect(agent.run('Go.')).rejects.toMatchObject(expected)
    }
  },
)

test('a refusal is a reason to end, and what was said in place of an answer is told', async () => {
  const result = await run(
    [['f']],
    reply({ content: null, refusal: 'I cannot do that.' }, { finishReason: 'stop' }),
  )
  expect(result).toMatchObject({
    stopReason: 'refusal',
    refusal: 'I cannot do that.',
    text: '',
    stepCount: 2,
  })
})

test('an empty refusal is none, and one of an earlier answer is not the last', async () => {
  expect(await run(reply({ refusal: null }))).not.toHaveProperty('refusal')
  const calls = { tool_calls: [wireCall('c', 'f', '{}')] }
  const result = await run(reply({ ...calls, refusal: 'No.' }), 'Yes.')
  expect(result).toMatchObject({ stopReason: 'done', text: 'Yes.' })
  expect(result).not.toHaveProperty('refusal')
})

test('text whose end never came is told to be that', async () => {
  expect(await run(reply({}, { incomplete: true }))).toMatchObject({ incomplete: true, text: 'Half an ans' })
})

test.each(['length', 'content_filter'])(
  'no call of an answer that was cut off by %s runs, complete or not, and the model is asked again',
  async (finishReason) => {
    const cut = reply(
      { content: null, tool_calls: [wireCall('a', 'f', '{"y":1}'), wireCall('b', 'f', '{"x": ')] },
      { finishReason },
    )
    const result = await run(cut, 'Done.')
    expect(result).toMatchObject({
      stopReason: 'done',
      toolCalls: [{ status: 'rejected' }, { status: 'rejected' }],
    })
    for (const { content } of result.toolCalls) expect(content).toContain('cut off')
  },
)

test('no handoff, agent or final answer of an answer that was cut off runs', async () => {
  const unused = scriptedModel([])
  const inner = new Agent({ name: 'inner', model: unused })
  const other = new Agent({ name: 'other', model: unused })
  const cut = reply(
    {
      content: null,
      tool_calls: [
        wireCall('a', 'inner', '{"input":"Go."}'),
        wireCall('b', 'transfer_to_other', '{}'),
        wireCall('c', 'final_answer', '{"n":1}'),
      ],
    },
    { finishReason: 'length' },
  )
  const agent = new Agent({
    model: scriptedModel([cut, [['final_answer', { n: 2 }]]]),
    tools: [agentTool(inner), handoff(other)],
    output: z.object({ n: z.number() }),
  })
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'done', output: { n: 2 } })
  expect(unused.requests).toEqual([])
})

test('calls of cut-off answers count as rejections, so that a run of them ends', async () => {
  const cut = reply({ content: null, tool_calls: [wireCall('a', 'f', '{}')] }, { finishReason: 'length' })
  expect(await run(cut, cut, cut, 'Sorry.')).toMatchObject({ stopReason: 'stuck', text: 'Sorry.' })
})

test('the last words before another end are not lost', async () => {
  const speaking = reply({ content: 'Let me see.', tool_calls: [wireCall('c', 'f', '{}')] })
  const agent = new Agent({
    model: scriptedModel([speaking]),
    tools: [f],
    middleware: [without('final-answer')],
    limits: { steps: 1 },
  })
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'limit', limit: 'steps', text: 'Let me see.' })
})

test('orThrow gives a result that is done back, and throws any other with its state', async () => {
  const done = await run('Done.')
  expect(done.orThrow()).toBe(done)
  const cut = await run(reply({}, { finishReason: 'length' }))
  expect(() => cut.orThrow()).toThrow(
    expect.objectContaining({
      code: 'stopped',
      message: 'The run ended early: length. Its state is in error.state.',
      evidence: { stopReason: 'length' },
      state: cut.state,
    }),
  )
  const refused = await run(reply({ content: null, refusal: 'I cannot.' }))
  expect(() => refused.orThrow()).toThrow('The run ended early: refusal (I cannot.). Its state is in')
})

test.each<[string, ModelReply]>([
  ['length', reply({}, { finishReason: 'length' })],
  ['content_filter', reply({}, { finishReason: 'content_filter' })],
  ['refusal', reply({ refusal: 'No.' })],
])('a run that ended by %s can be gone on with', async (_reason, said) => {
  const { state } = await run(said)
  const model = scriptedModel(['The rest.'])
  const result = await new Agent({ model, tools: [f] }).run(JSON.parse(JSON.stringify(state)))
  expect(result).toMatchObject({ stopReason: 'done', text: 'The rest.', stepCount: 2 })
  expect(model.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Continue.' })
})
