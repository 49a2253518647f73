import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { recordRun } from '@capstan/testing/recording'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { environment, leakyMessages } from '../test/error-messages.js'
import { Agent, type AgentOptions, agentTool, type RunEvent, ToolError, tool, verdict } from './index.js'
import type { AnyTool } from './tools/tool.js'

beforeEach(() => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

type ToolEnd = Extract<RunEvent, { type: 'tool-end' }>

/** A tool that fails with this error. */
const failing = (thrown: () => unknown, name = 'fail') =>
  tool({
    name,
    description: 'Fails',
    parameters: z.object({ n: z.number().optional() }),
    execute: () => {
      throw thrown()
    },
  })

/** A run whose model calls the tools of an agent, and what its caller, its observer and its model got. */
async function ran(
  options: Partial<AgentOptions<readonly AnyTool[], undefined>>,
  steps: readonly ScriptStep[] = [reply.call('fail', {}, { id: 'c1' }), reply.text('Done.')],
) {
  const model = scriptedModel(steps)
  const events: RunEvent[] = []
  const observe = (event: RunEvent) => events.push(event)
  const result = await new Agent({ model, observe, ...options }).run('Go.')
  const ends = events.filter((event): event is ToolEnd => event.type === 'tool-end')
  return { result, events, ends, requests: JSON.stringify(model.requests), content: ends[0]?.content }
}

test('credentials in errors of tools reach no model, event, state or recording', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-errors-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'run.jsonl')
  const errors = leakyMessages.map(([message]) => new Error(message))
  const fail = tool({
    name: 'fail',
    description: 'Fails',
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => {
      throw errors[n]
    },
  })
  const model = scriptedModel([
    reply.calls(...errors.map((_, n) => reply.call('fail', { n }))),
    reply.text('Done.'),
  ])
  const events: RunEvent[] = []
  const agent = new Agent({ model, tools: [fail], observe: (event) => events.push(event) })
  const result = await agent.run('Go.', recordRun(file))
  const places = {
    model: JSON.stringify(model.requests),
    events: JSON.stringify(events),
    result: JSON.stringify(result),
    recording: readFileSync(file, 'utf8'),
  }
  const ends = events.filter((event): event is ToolEnd => event.type === 'tool-end')
  expect(ends).toHaveLength(60)
  for (const [n, [, secret, ...remains]] of leakyMessages.entries()) {
    for (const [place, said] of Object.entries(places)) {
      expect(said, place).not.toContain(secret)
      expect(said, place).not.toContain(JSON.stringify(secret).slice(1, -1))
    }
    const end = ends.find(({ error }) => error === errors[n])
    for (const part of remains) expect(end?.content).toContain(part)
  }
})

test('the message of a ToolError is told as it is, whatever the agent says of errors', async () => {
  const message = 'Use password=letmein for the demo, as sk-demo-0123456789abcdef says.'
  for (const toolErrors of ['all', 'expected'] as const) {
    const { content, requests } = await ran({ tools: [failing(() => new ToolError(message))], toolErrors })
    expect(content).toBe(`Error: ${message}`)
    expect(requests).toContain(message)
  }
})

test.each(['all', 'expected'] as const)(
  'the error of an agent that answers a call is on its event: %s',
  async (toolErrors) => {
    const error = new Error('no such host')
    const lost = async () => {
      throw error
    }
    const inner = new Agent({ name: 'inner', model: { name: 'lost', complete: lost } })
    const ask = agentTool(inner, { name: 'ask', description: 'Asks' })
    const { ends, content } = await ran({ tools: [ask], toolErrors }, [
      reply.call('ask', { input: 'Go.' }),
      reply.text('Done.'),
    ])
    expect(ends[0]?.error).toMatchObject({ cause: error })
    expect(content?.includes('no such host')).toBe(toolErrors === 'all')
    expect(JSON.stringify(ends)).not.toContain('stack')
  },
)

test('a thrown value that cannot be read is the result of its call', async () => {
  const unreadable = () => {
    throw new Error('do not look')
  }
  const thrown = new Proxy({}, { get: unreadable, getPrototypeOf: unreadable, has: unreadable })
  const { content, result } = await ran({ tools: [failing(() => thrown)] })
  expect(content).toBe('Error: An unreadable value was thrown.')
  expect(result.stopReason).toBe('done')
})

test('the error itself is on the event of the call, and nowhere in JSON', async () => {
  const error = new Error('broken')
  const { ends, result } = await ran({ tools: [failing(() => error)] })
  expect(ends).toHaveLength(1)
  expect(ends[0]?.error).toBe(error)
  expect(ends[0]).toMatchObject({ status: 'error', content: 'Error: broken' })
  expect(Object.keys(ends[0] ?? {})).not.toContain('error')
  expect(JSON.stringify(ends)).not.toMatch(/"error":\{|stack/)
  expect(ends[0]).not.toHaveProperty('errorId')
  expect(result.toolCalls[0]).not.toHaveProperty('error')
})

test('the error of a call of an agent within is on the events of both', async () => {
  const error = new Error('deep')
  const own: RunEvent[] = []
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('fail'), reply.text('Sorry.')]),
    tools: [failing(() => error)],
    observe: (event) => own.push(event),
  })
  const ask = agentTool(inner, { name: 'ask', description: 'Asks' })
  const { ends } = await ran({ tools: [ask] }, [reply.call('ask', { input: 'Go.' }), reply.text('Done.')])
  expect(ends.find(({ parentCallId }) => parentCallId !== undefined)?.error).toBe(error)
  expect(own.find(({ type }) => type === 'tool-end')).toMatchObject({ name: 'fail', error })
})

test('with expected errors alone the model reads that the tool failed, by a reference that the event has', async () => {
  const error = new Error('table orders has no column vip')
  const fail = failing(() => error)
  const { content, ends, result, requests } = await ran({ tools: [fail], toolErrors: 'expected' })
  const [end] = ends
  expect(end?.errorId).toMatch(/^err_[a-z\d]{6,20}$/)
  expect(content).toBe(`Error: "fail" failed (reference ${end?.errorId}).`)
  expect(end?.error).toBe(error)
  expect(result.toolCalls).toMatchObject([{ status: 'error', errorId: end?.errorId }])
  expect(requests + JSON.stringify(result)).not.toContain('vip')
})

test('with expected errors alone the model still reads of deadlines and limits', async () => {
  const slow = tool({
    name: 'fail',
    description: 'Is slow',
    parameters: z.object({}),
    timeoutMs: 1,
    execute: () => new Promise(() => {}),
  })
  expect((await ran({ tools: [slow], toolErrors: 'expected' })).content).toContain('timed out after 1 ms')
  const draw = tool({
    name: 'fail',
    description: 'Draws',
    parameters: z.object({}),
    execute: (_, ctx) => ctx.spend({ images: 2 }),
  })
  const limited = await ran({ tools: [draw], toolErrors: 'expected', limits: { images: 1 } })
  expect(limited.content).toContain('(images: 1)')
})

test('with expected errors alone the failure of an agent within is told by a reference', async () => {
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.text('x')]),
    instructions: () => {
      throw new Error('no tenant in vip')
    },
  })
  const tools = [agentTool(inner, { name: 'ask', description: 'Asks' })]
  const steps = [reply.call('ask', { input: 'Go.' }), reply.text('Done.')]
  const hidden = await ran({ tools, toolErrors: 'expected' }, steps)
  const { errorId, content } = hidden.ends.at(-1) ?? {}
  expect(content).toBe(`Error: agent "inner" failed (reference ${errorId}).`)
  expect((await ran({ tools }, steps)).ends.at(-1)?.content).toContain('no tenant in vip')
})

test('an error of a policy is told as one of a tool', async () => {
  const policy = () => {
    throw new Error('policy store at redis://:r3d1spass@cache is away')
  }
  const tools = [failing(() => 'never')]
  const all = await ran({ tools, policy })
  expect(all.content).toBe('Error: policy store at redis://:[redacted]@cache is away')
  expect(all.ends[0]?.error).toBeInstanceOf(Error)
  expect((await ran({ tools, policy, toolErrors: 'expected' })).content).toMatch(
    /^Error: "fail" failed \(ref/,
  )
  expect((await ran({ tools, policy: () => verdict.deny('not today') })).content).toContain('not today')
})

test('an error that a tool returns is told as one that it throws', async () => {
  const give = (result: unknown) =>
    tool({ name: 'fail', description: 'Fails', parameters: z.object({}), execute: () => result })
  const error = new Error('password=hunter2 is wrong')
  expect((await ran({ tools: [give(error)] })).content).toBe('Error: password=[redacted] is wrong')
  expect((await ran({ tools: [give([{ error }])] })).content).not.toContain('hunter2')
})

test('onToolError gives the text for the model, at once or later, without credentials', async () => {
  const seen: unknown[] = []
  const error = new Error('E42')
  const { content, ends } = await ran(
    {
      tools: [failing(() => error)],
      onToolError: async (given, failed) => {
        seen.push(given, failed)
        return 'The shop is closed (token=abc123def). Try again tomorrow.'
      },
    },
    [reply.call('fail', { n: 1 }, { id: 'c1' }), reply.text('Done.')],
  )
  expect(content).toBe('Error: The shop is closed (token=[redacted]). Try again tomorrow.')
  expect(seen).toEqual([error, { callId: 'c1', name: 'fail', arguments: { n: 1 } }])
  expect(ends[0]?.error).toBe(error)
})

test('where onToolError gives nothing, the usual text counts', async () => {
  const tools = [failing(() => new Error('E42'))]
  expect((await ran({ tools, onToolError: () => undefined })).content).toBe('Error: E42')
  const hidden = await ran({ tools, onToolError: () => undefined, toolErrors: 'expected' })
  expect(hidden.content).toMatch(/^Error: "fail" failed \(reference err_/)
})

test.each([
  ['throws', () => Promise.reject(new Error('the writer broke')), 'the writer broke'],
  ['gives no text', () => 42 as never, 'onToolError returned a number'],
])('an onToolError that %s leaves the usual text, and a warning', async (_what, onToolError, warning) => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  const { content, result } = await ran({ tools: [failing(() => new Error('E42'))], onToolError })
  expect([content, result.stopReason]).toEqual(['Error: E42', 'done'])
  expect((await warned).message).toContain(warning)
})

test('an onToolError that never ends is left when the run is aborted', async () => {
  const controller = new AbortController()
  const agent = new Agent({
    model: scriptedModel([reply.call('fail'), reply.text('Done.')]),
    tools: [failing(() => new Error('E42'))],
    onToolError: () => {
      controller.abort()
      return new Promise(() => {})
    },
  })
  expect((await agent.run('Go.', { signal: controller.signal })).stopReason).toBe('aborted')
})

test('refuses a way to show errors that it does not know', () => {
  const toolErrors = 'some' as never
  expect(() => new Agent({ model: scriptedModel([]), toolErrors })).toThrow(/toolErrors is a string/)
})
