import { expect, test, vi } from 'vitest'
import * as z from 'zod'
import { callContextOf, callOf, named, stepOf } from '../../test/call-context.js'
import { createKeyScheduler } from '../features/effect-keys.js'
import type { EventBody } from '../types/event.js'
import { dispatch } from './execute-call.js'
import { type Tool, type ToolSettings, tool } from './tool.js'

const turns = () => new Promise(setImmediate)

function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

interface Write {
  readonly path: string
  readonly label: string
}
const keyOf = ((args: Write) => args.path) as ToolSettings['effects'] & {}

/** A tool that writes paths. The test ends the validation and the function of each call. */
function callContext(settings: ToolSettings = {}, further: readonly Tool[] = []) {
  const log: string[] = []
  const gates = new Map<string, ReturnType<typeof gate>>()
  const gateOf = (label: string) => {
    const one = gates.get(label) ?? gate()
    gates.set(label, one)
    return one
  }
  const parameters = z
    .object({ path: z.string(), label: z.string(), slow: z.boolean().default(false) })
    .refine(async ({ label, slow }) => {
      if (slow) await gateOf(`check ${label}`).passed
      return label !== 'unfit'
    })
  const write = tool({
    name: 'write',
    description: 'D',
    parameters,
    effects: keyOf,
    ...settings,
    execute: async ({ label }) => {
      log.push(label)
      await gateOf(label).passed
      return label
    },
  })
  const events: EventBody[] = []
  const made = callContextOf([write as unknown as Tool, ...further], (event) => events.push(event))
  const call = (path: string, label: string, slow = false) =>
    dispatch(callOf('write', JSON.stringify({ path, label, slow })), made, stepOf())
  const open = async (label: string) => {
    gateOf(label).open()
    await turns()
  }
  return { made, log, events, call, open }
}

test('calls with the same key run sequentially, in call order', async () => {
  const { log, call, open } = callContext()
  const all = ['a', 'b', 'c'].map((label) => call('x', label))
  await turns()
  expect(log).toEqual(['a'])
  await open('a')
  expect(log).toEqual(['a', 'b'])
  await open('b')
  await open('c')
  expect(await Promise.all(all)).toMatchObject([{ content: 'a' }, { content: 'b' }, { content: 'c' }])
})

test('keeps call order when validation of the earlier call takes longer', async () => {
  const { log, call, open } = callContext()
  const all = [call('x', 'first', true), call('x', 'second')]
  await turns()
  expect(log).toEqual([])
  await open('check first')
  expect(log).toEqual(['first'])
  await open('first')
  expect(log).toEqual(['first', 'second'])
  await open('second')
  await Promise.all(all)
})

test('an earlier call that does not run releases later ones', async () => {
  const { log, call, open } = callContext()
  const all = [call('x', 'unfit', true), call('x', 'second')]
  await turns()
  expect(log).toEqual([])
  await open('check unfit')
  expect(log).toEqual(['second'])
  await open('second')
  expect(await Promise.all(all)).toMatchObject([{ status: 'rejected' }, { status: 'ok' }])
})

test('calls with other keys run in parallel', async () => {
  const { log, call, open } = callContext()
  const all = [call('x', 'a'), call('y', 'b')]
  await turns()
  expect(log).toEqual(['a', 'b'])
  await open('a')
  await open('b')
  await Promise.all(all)
})

test('calls without a key do not wait for validation of earlier ones', async () => {
  const free = named('free', () => 'free')
  const { made, log, call, open } = callContext({}, [free])
  const slow = call('x', 'slow', true)
  expect(await dispatch(callOf('free'), made, stepOf())).toMatchObject({ content: 'free' })
  expect(log).toEqual([])
  await open('check slow')
  await open('slow')
  await slow
})

test('a waiting call has not started, and an abort ends its wait', async () => {
  const { made, events, call, open } = callContext()
  const first = call('x', 'first')
  const controller = new AbortController()
  const second = dispatch(callOf('write', '{"path":"x","label":"second"}'), made, stepOf(controller.signal))
  await turns()
  expect(events).toMatchObject([{ type: 'tool-start', arguments: { label: 'first' } }])
  controller.abort()
  expect(await second).toMatchObject({ status: 'not_run', ms: 0 })
  await open('first')
  await first
})

test('a function that outlives its deadline keeps its key; waiting calls fail after a second', async () => {
  vi.useFakeTimers()
  const { log, call, open } = callContext({ timeoutMs: 50 })
  const hung = call('x', 'hung')
  await vi.advanceTimersByTimeAsync(0)
  const waiting = call('x', 'waiting')
  await vi.advanceTimersByTimeAsync(50)
  expect(await hung).toMatchObject({ status: 'error', content: expect.stringContaining('after 50 ms') })
  await vi.advanceTimersByTimeAsync(1000)
  expect(await waiting).toMatchObject({
    status: 'error',
    content: expect.stringContaining('Did not run: earlier calls timed out and still occupy the key "x" (1)'),
    ms: 0,
  })
  expect(log).toEqual(['hung'])
  vi.useRealTimers()
  await open('hung')
  const after = call('x', 'after')
  await open('after')
  expect(await after).toMatchObject({ status: 'ok', content: 'after' })
})

test('a deadline starts with the function, not with the wait', async () => {
  vi.useFakeTimers()
  const late = named('late', () => new Promise((resolve) => setTimeout(resolve, 40, 'done')), {
    timeoutMs: 50,
    concurrency: 1,
  })
  const made = callContextOf([late])
  const all = [1, 2, 3].map(() => dispatch(callOf('late'), made, stepOf()))
  await vi.advanceTimersByTimeAsync(200)
  expect(await Promise.all(all)).toMatchObject([
    { content: 'done' },
    { content: 'done' },
    { content: 'done' },
  ])
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('takes the key before a slot: calls of one key leave slots to others', async () => {
  const free = named('free', () => 'free')
  const { made, log, open } = callContext({}, [free])
  const narrow = { ...made, slots: createKeyScheduler(2) }
  const writes = ['a', 'b', 'c'].map((label) =>
    dispatch(callOf('write', JSON.stringify({ path: 'x', label })), narrow, stepOf()),
  )
  await turns()
  expect(await dispatch(callOf('free'), narrow, stepOf())).toMatchObject({ content: 'free' })
  expect(log).toEqual(['a'])
  for (const label of ['a', 'b', 'c']) await open(label)
  await Promise.all(writes)
})

test.each([undefined, 3, null, { path: 'x' }])('effects must return a string, not %j', async (key) => {
  const wrong = named('wrong', () => expect.unreachable(), {
    effects: (() => key) as unknown as () => string,
  })
  expect(await dispatch(callOf('wrong'), callContextOf([wrong]), stepOf())).toMatchObject({
    status: 'error',
    content: 'Error: effects of "wrong" must return a string that names what the call writes.',
    ms: 0,
  })
})

test('an effects function that throws is an error of its call and blocks no other', async () => {
  const broken = named('broken', () => expect.unreachable(), {
    effects: () => {
      throw new Error('no idea')
    },
  })
  const { made, call, open } = callContext({}, [broken])
  const first = dispatch(callOf('broken'), made, stepOf())
  const second = call('x', 'second')
  expect(await first).toMatchObject({ status: 'error', content: 'Error: no idea' })
  await open('second')
  expect(await second).toMatchObject({ status: 'ok' })
})
