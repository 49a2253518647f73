import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type ChatModel,
  type Middleware,
  type RunState,
  type ToolContext,
  tool,
} from '../../src/index.js'
import { scriptedModel } from '../scripted-model.js'

/** What background calls do, of this package or written outside of it. */
export function testBackgroundCalls(backgroundCalls: () => Middleware): void {
  const middleware = [backgroundCalls()]
  const parameters = z.object({ of: z.string() })

  /** A tool that ends when it is told to. */
  function drawing(settings: object = {}) {
    let finish = () => {}
    const promise = new Promise<void>((resolve) => {
      finish = resolve
    })
    const keys: string[] = []
    const draw = tool({
      name: 'draw',
      description: 'D',
      parameters,
      background: true,
      ...settings,
      async execute({ of }, { artifacts, idempotencyKey, spend }: ToolContext) {
        keys.push(idempotencyKey)
        await promise
        spend({ images: 1, model: 'painter' })
        const bytes = new TextEncoder().encode(of)
        return { of, picture: await artifacts.put(bytes, { kind: 'text', mediaType: 'text/plain' }) }
      },
    })
    return { draw, keys, finish }
  }

  const look = (act: () => unknown = () => 1) =>
    tool({ name: 'look', description: 'D', parameters: z.object({}), execute: async () => act() })

  const contents = (state: RunState) => state.messages.map(({ content }) => content)

  /** Resolves when what was started by now has ended. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  test('a call is answered at once, and its outcome is a message before a later request', async () => {
    const { draw, finish, keys } = drawing()
    let stored: Promise<unknown> | undefined
    const finishing = async () => {
      finish()
      await stored
      await settled()
      return 1
    }
    const model = scriptedModel([[['draw', { of: 'cat' }, 'c1']], [['look']], 'Here it is.'])
    const run = new Agent({ model, tools: [draw, look(finishing)], middleware }).stream('go', { runId: 'r' })
    stored = new Promise((resolve) => run.on('artifact-stored', resolve))
    const delivered: string[] = []
    run.on('message-delivered', ({ text }) => delivered.push(text))
    const { state, text, toolCalls, usage, artifacts, undelivered } = await run.result
    const words = expect.stringMatching(/^Result of background call c1 \(draw\): \{"of":"cat","picture":/)
    expect(contents(state)).toEqual([
      'go',
      null,
      'Started in the background as c1. Continue; the result will arrive in a later message.',
      null,
      '1',
      words,
      'Here it is.',
    ])
    expect({ text, undelivered, delivered }).toEqual({
      text: 'Here it is.',
      undelivered: undefined,
      delivered: [words],
    })
    expect(keys).toEqual(['r/step0/call0'])
    expect(toolCalls[0]).toMatchObject({ callId: 'c1', status: 'ok', result: { of: 'cat' } })
    expect(usage).toMatchObject({ images: 1, toolCalls: 2, perTool: { draw: 1, look: 1 } })
    expect(await artifacts[0]?.text()).toBe('cat')
    expect(state.flags).not.toHaveProperty('background-calls')
  })

  test('a run that is over first waits, and its outcome is undelivered', async () => {
    const { draw, finish } = drawing()
    const model = scriptedModel([[['draw', { of: 'cat' }, 'c1']], 'It will come.'])
    const run = new Agent({ model, tools: [draw], middleware }).stream('go')
    run.on('step-end', ({ step }) => step === 1 && finish())
    const { state, text, undelivered, toolCalls, artifacts } = await run.result
    expect(text).toBe('It will come.')
    expect(undelivered).toEqual([expect.stringContaining('call c1 (draw): {"of":"cat"')])
    expect(toolCalls).toMatchObject([{ status: 'ok', result: { of: 'cat' } }])
    expect(artifacts).toHaveLength(1)
    expect(contents(state)).toHaveLength(4)
  })

  test('an error is delivered, and counts as one of the call', async () => {
    const fail = tool({
      name: 'fail',
      description: 'D',
      parameters,
      background: true,
      execute: () => Promise.reject(new Error('no paint')),
    })
    const model = scriptedModel([[['fail', { of: 'cat' }, 'c1']], [['look']], 'Sorry.'])
    const { state, toolCalls } = await new Agent({ model, tools: [fail, look(settled)], middleware }).run(
      'go',
    )
    expect(contents(state)).toContain('Result of background call c1 (fail): Error: no paint')
    expect(toolCalls[0]).toMatchObject({ status: 'error', content: 'Error: no paint' })
  })

  test('invalid and denied calls are answered as others, and one that needs approval is asked before', async () => {
    const { draw, finish } = drawing({ needsApproval: true })
    finish()
    const model = scriptedModel([
      [
        ['draw', {}],
        ['draw', { of: 'cat' }, 'c2'],
        ['draw', { of: 'dog' }, 'c3'],
      ],
      'ok',
    ])
    const agent = new Agent({ model, tools: [draw], middleware })
    const { state, pending } = await agent.run('go')
    expect(pending?.map(({ callId }) => callId)).toEqual(['c2', 'c3'])
    const decisions = {
      c2: { type: 'approve', arguments: { of: 'owl' } },
      c3: { type: 'deny', reason: 'no dogs' },
    } as const
    const { toolCalls } = await agent.run(state, { decisions })
    expect(toolCalls.map(({ status, result }) => [status, (result as { of?: string })?.of])).toEqual([
      ['rejected', undefined],
      ['ok', 'owl'],
      ['denied', undefined],
    ])
  })

  test('an abort ends the work as cut off', async () => {
    const { draw } = drawing()
    const model = scriptedModel([[['draw', { of: 'cat' }, 'c1']], [['look']]])
    const controller = new AbortController()
    const tools = [draw, look(() => controller.abort('enough'))]
    const result = await new Agent({ model, tools, middleware }).run('go', { signal: controller.signal })
    expect(result).toMatchObject({ stopReason: 'aborted', abortReason: 'enough' })
    expect(result.toolCalls[0]).toMatchObject({ callId: 'c1', status: 'cut_off' })
    expect(result.undelivered).toEqual([expect.stringContaining('call c1 (draw): ')])
  })

  test('a run that waits for a decision keeps outcomes for the run that follows', async () => {
    const { draw, finish, keys } = drawing()
    finish()
    const send = tool({
      name: 'send',
      description: 'D',
      parameters: z.object({}),
      needsApproval: true,
      execute: () => 1,
    })
    const model = scriptedModel([
      [
        ['draw', { of: 'cat' }, 'c1'],
        ['send', {}, 'c2'],
      ],
      'Sent.',
    ])
    const agent = new Agent({ model, tools: [draw, send], middleware })
    const first = await agent.run('go')
    expect([first.stopReason, first.undelivered]).toEqual(['pending', undefined])
    // The step is not finished: its work starts with it.
    const later = await agent.run(JSON.parse(JSON.stringify(first.state)), {
      decisions: { c2: { type: 'approve' } },
    })
    expect(later.toolCalls[0]).toMatchObject({ status: 'ok', result: { of: 'cat' } })
    expect(keys).toHaveLength(1)
  })

  test('a resumed state starts open work again under the same key', async () => {
    const { draw, finish, keys } = drawing()
    const states: string[] = []
    const model = scriptedModel([[['draw', { of: 'cat' }, 'c1']], [['look']], 'ok', 'again'])
    const agent = new Agent({ model, tools: [draw, look()], middleware })
    const onCheckpoint = (state: RunState) => {
      states.push(JSON.stringify(state))
      if (state.stepCount === 2) finish()
    }
    await agent.run('go', { runId: 'r', onCheckpoint })
    const open = states.find((text) => text.includes('background-calls')) ?? ''
    const { toolCalls, undelivered = [], state } = await agent.run(JSON.parse(open))
    expect(keys).toEqual(['r/step0/call0', 'r/step0/call0'])
    expect(
      [...contents(state), ...undelivered].filter((text) => String(text).startsWith('Result of')),
    ).toHaveLength(1)
    expect(toolCalls.every(({ status }) => status === 'ok')).toBe(true)
  })

  test('an untrusted tool taints the run', async () => {
    const { draw, finish } = drawing({ untrusted: true })
    finish()
    const model: ChatModel = scriptedModel([[['draw', { of: 'cat' }]], 'ok'])
    const { state } = await new Agent({ model, tools: [draw], middleware }).run('go')
    expect(state.taintedBy).toBe('draw')
  })

  test('an agent without the middleware is an error that names it', () => {
    const { draw } = drawing()
    expect(() => new Agent({ model: 'm', tools: [draw] })).toThrow(
      'Tool "draw" sets background. Add backgroundCalls() to middleware.',
    )
  })
}
