import { expect, test, vi } from 'vitest'
import { answerOf, callContextOf, callOf, named, stepOf } from '../../test/call-context.js'
import { CapstanError } from '../errors.js'
import { limitExceeded, SpendLimiter } from '../limits.js'
import type { EventBody } from '../types/event.js'
import { noUsage } from '../usage.js'

const limited = (images: number) => {
  const limiter = new SpendLimiter({ usage: noUsage, limits: { images }, results: {} }, undefined)
  return { limiter }
}
const turns = () => new Promise(setImmediate)

test('records the spending of a call with any outcome', async () => {
  const spending = { images: 2, model: 'painter' }
  const draw = named('draw', (_args, ctx) => {
    ctx.spend(spending)
    ctx.spend({ characters: 3 })
    spending.images = 99
    throw new Error('broken')
  })
  expect(await answerOf(callOf('draw'), callContextOf([draw]), stepOf())).toMatchObject({
    status: 'error',
    spent: [{ images: 2, model: 'painter' }, { characters: 3 }],
  })
})

test('records nothing for a call without spending', async () => {
  const answer = await answerOf(callOf('f'), callContextOf([named('f', () => 1)]), stepOf())
  expect(answer).not.toHaveProperty('spent')
  expect(answer).not.toHaveProperty('limit')
})

test('records the limit that a call would have passed, even if its function succeeded', async () => {
  const draw = named('draw', (_args, ctx) => {
    ctx.spend({ images: 1 })
    try {
      ctx.spend({ images: 2 })
    } catch {
      return 'one will do'
    }
    return 'three'
  })
  expect(await answerOf(callOf('draw'), { ...callContextOf([draw]), ...limited(2) }, stepOf())).toMatchObject(
    {
      status: 'ok',
      content: 'one will do',
      spent: [{ images: 1 }],
      limit: 'images',
    },
  )
})

test('calls of one step share the remaining budget', async () => {
  const callContext = {
    ...callContextOf([named('draw', (_args, ctx) => ctx.spend({ images: 2 }))]),
    ...limited(3),
  }
  const draw = () => answerOf(callOf('draw'), callContext, stepOf())
  expect((await Promise.all([draw(), draw()])).map(({ status }) => status)).toEqual(['ok', 'error'])
})

test('an invalid amount is an error of the call, not a limit', async () => {
  const draw = named('draw', (_args, ctx) => ctx.spend({ images: Number.NaN }))
  const answer = await answerOf(callOf('draw'), callContextOf([draw]), stepOf())
  expect(answer).toMatchObject({ status: 'error', content: expect.stringContaining('NaN images') })
  expect(answer).not.toHaveProperty('limit')
})

test('a call cut off by the time limit records that limit', async () => {
  const controller = new AbortController()
  const endless = named('endless', (_args, ctx) => {
    ctx.spend({ images: 1 })
    controller.abort(limitExceeded('seconds', 3))
    return new Promise(() => {})
  })
  expect(
    await answerOf(callOf('endless'), callContextOf([endless]), stepOf(controller.signal)),
  ).toMatchObject({
    status: 'cut_off',
    limit: 'seconds',
    spent: [{ images: 1 }],
  })
})

test('a call that the time limit keeps from starting records that limit', async () => {
  const controller = new AbortController()
  const single = named('single', () => expect.unreachable(), { concurrency: 1 })
  const callContext = callContextOf([single])
  let end = () => {}
  const settled = new Promise<void>((resolve) => {
    end = resolve
  })
  const other = callContext.scheduler.take({ tool: single }, new AbortController().signal, () => ({
    result: settled,
    settled,
  }))
  const waiting = answerOf(callOf('single'), callContext, stepOf(controller.signal))
  await turns()
  controller.abort(limitExceeded('seconds', 3))
  expect(await waiting).toMatchObject({ status: 'not_run', limit: 'seconds', ms: 0 })
  end()
  await other
})

test('an error of a function keeps its message and is not a limit', async () => {
  const broken = named('broken', () => {
    throw new CapstanError('api', 'The service is down.')
  })
  const answer = await answerOf(callOf('broken'), callContextOf([broken]), stepOf())
  expect(answer).toMatchObject({ status: 'error', content: 'Error: The service is down.' })
  expect(answer.ms).toBeGreaterThanOrEqual(0)
})

test('reports the duration of the function in whole ms, without its wait', async () => {
  vi.useFakeTimers()
  const slow = named('slow', () => new Promise((resolve) => setTimeout(resolve, 25.4)), { concurrency: 1 })
  const callContext = callContextOf([slow])
  const answers = Promise.all([1, 2].map(() => answerOf(callOf('slow'), callContext, stepOf())))
  await vi.advanceTimersByTimeAsync(100)
  expect((await answers).map(({ ms }) => ms)).toEqual([25, 25])
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('emits tool-start with the validated arguments, and progress during the call', async () => {
  const events: EventBody[] = []
  const f = named('f', (_args, ctx) => ctx.progress('half'))
  await answerOf(
    callOf('f', '{"a":1}'),
    callContextOf([f], (event) => events.push(event)),
    stepOf(),
  )
  const ref = { step: 3, callId: 'call_1', name: 'f' }
  expect(events).toEqual([
    { type: 'tool-start', ...ref, arguments: { a: 1 } },
    { type: 'tool-progress', ...ref, value: 'half' },
  ])
})

test('emits text in place of progress that JSON cannot hold', async () => {
  const circle: unknown[] = []
  circle.push(circle)
  const events: EventBody[] = []
  const count = named('count', async function* () {
    yield { at: 1 }
    yield 10n
    yield circle
    yield new Uint8Array(2)
    yield {
      toJSON() {
        throw new Error('not me')
      },
    }
    return 'counted'
  })
  const callContext = callContextOf([count], (event) => events.push(event))
  expect((await answerOf(callOf('count'), callContext, stepOf())).status).toBe('ok')
  const values = events.flatMap((event) => (event.type === 'tool-progress' ? [event.value] : []))
  expect(values).toEqual([
    { at: 1 },
    '10',
    ['["0" is circular]'],
    '[it holds bytes]',
    '[it cannot be read (not me)]',
  ])
})
