// What the loop does without any feature. Run with the agents of a bundle, so it imports nothing of it.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import type * as Core from '../../src/index.js'

/** An entry of core, or what is left of it without a feature. */
export type Entry = Pick<typeof Core, 'Agent' | 'tool' | 'jsonSchema' | 'isCapstanError' | 'memorySessions'>

type Reply = string | readonly (readonly [name: string, text: string])[]

/** A model that gives these replies, one after the other. It keeps its requests. */
export function modelOf(replies: readonly Reply[]) {
  const requests: Core.ModelRequest[] = []
  const model: Core.ChatModel = {
    name: 'm',
    async complete(request) {
      requests.push(request)
      const reply = replies[requests.length - 1] ?? 'No more replies.'
      if (typeof reply === 'string') return { message: { role: 'assistant', content: reply } }
      const tool_calls = reply.map(([name, text], index) => ({
        id: `call_${requests.length}_${index}`,
        type: 'function' as const,
        function: { name, arguments: text },
      }))
      return { message: { role: 'assistant', content: null, tool_calls }, finishReason: 'tool_calls' }
    },
  }
  return Object.assign(model, { requests })
}

/** A tool that adds two numbers. */
export function adderOf({ tool, jsonSchema }: Entry, settings: object = {}) {
  const number = { type: 'number' } as const
  return tool({
    name: 'add',
    description: 'Adds',
    parameters: jsonSchema<{ a: number; b: number }>({
      type: 'object',
      properties: { a: number, b: number },
      required: ['a', 'b'],
    }),
    execute: ({ a, b }) => a + b,
    ...settings,
  })
}

const sum: Reply = [['add', '{"a":1,"b":2}']]

type Check = (entry: Entry) => Promise<void>

/** The checks of the loop, by what they show. */
export const loopSuite: Readonly<Record<string, Check>> = {
  async 'a text ends the run'({ Agent }) {
    const { text, stopReason, stepCount } = await new Agent({ model: modelOf(['Hello.']) }).run('Hi.')
    deepEqual({ text, stopReason, stepCount }, { text: 'Hello.', stopReason: 'done', stepCount: 1 })
  },
  async 'a session is continued: its store brings the code'({ Agent, memorySessions }) {
    const agent = new Agent({ model: modelOf(['One.', 'Two.']) })
    const session = { store: memorySessions(), id: 'a' }
    await agent.run('Go.', { session })
    equal((await agent.run('Go on.', { session })).messages.length, 4)
  },
  async 'a call runs, and the model reads its result'(entry) {
    const model = modelOf([sum, 'Three.'])
    const agent = new entry.Agent({ model, tools: [adderOf(entry)], instructions: 'Count.' })
    const { text, toolCalls, messages } = await agent.run('1 + 2?')
    equal(text, 'Three.')
    deepEqual(
      toolCalls.map(({ name, status, result }) => [name, status, result]),
      [['add', 'ok', 3]],
    )
    deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'assistant'],
    )
    equal(model.requests[1]?.messages[0]?.content, 'Count.')
    equal(model.requests[0]?.tools[0]?.function.name, 'add')
  },
  async 'a call with wrong arguments, or of no tool, does not run'(entry) {
    let ran = 0
    const tools = [adderOf(entry, { execute: () => ++ran })]
    const replies = [[['add', '{"a":"x"}'] as const, ['sub', '{}'] as const, ['add', '{'] as const], 'Sorry.']
    const { toolCalls } = await new entry.Agent({ model: modelOf(replies), tools }).run('Go.')
    deepEqual([ran, toolCalls.map(({ status }) => status)], [0, ['rejected', 'rejected', 'rejected']])
  },
  async 'a tool that fails is a result'(entry) {
    const tools = [adderOf(entry, { execute: () => Promise.reject(new Error('Broken.')) })]
    const { toolCalls, text } = await new entry.Agent({ model: modelOf([sum, 'Sorry.']), tools }).run('Go.')
    deepEqual([toolCalls[0]?.status, text], ['error', 'Sorry.'])
  },
  async 'a limit ends the run'(entry) {
    const agent = new entry.Agent({ model: modelOf([sum, sum, sum]), tools: [adderOf(entry)] })
    const { stopReason, limit } = await agent.run('Go.', { limits: { steps: 2 } })
    deepEqual([stopReason, limit], ['limit', 'steps'])
  },
  async 'an abort ends the run, and closes its calls'(entry) {
    const controller = new AbortController()
    const execute = () => {
      controller.abort()
      return new Promise(() => {})
    }
    const agent = new entry.Agent({ model: modelOf([sum]), tools: [adderOf(entry, { execute })] })
    const { stopReason, messages } = await agent.run('Go.', { signal: controller.signal })
    deepEqual([stopReason, messages.at(-1)?.role], ['aborted', 'tool'])
  },
  async 'an error has the state so far'(entry) {
    const model = modelOf([sum])
    const complete: Core.ChatModel['complete'] = async (request) =>
      model.requests.length === 0 ? model.complete(request) : Promise.reject(new Error('Down.'))
    const agent = new entry.Agent({ model: { name: 'm', complete }, tools: [adderOf(entry)] })
    await rejects(agent.run('Go.'), (error) => {
      ok(entry.isCapstanError(error))
      equal(error.state?.messages.length, 3)
      return true
    })
  },
  async 'a call that needs an approval waits'(entry) {
    const tools = [adderOf(entry, { needsApproval: true })]
    const { stopReason, pending } = await new entry.Agent({ model: modelOf([sum]), tools }).run('Go.')
    deepEqual([stopReason, pending?.map(({ name }) => name)], ['pending', ['add']])
  },
  async 'observers read the events in order'(entry) {
    const seen: string[] = []
    const agent = new entry.Agent({ model: modelOf([sum, 'Three.']), tools: [adderOf(entry)] })
    await agent.run('Go.', { observe: ({ type }) => seen.push(type) })
    deepEqual([seen[0], seen.at(-1)], ['run-start', 'run-end'])
    ok(seen.indexOf('tool-start') < seen.indexOf('tool-end'))
  },
}
