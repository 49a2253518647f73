import { expect, test } from 'vitest'
import { answerOf, callContextOf, callOf, named, stepOf } from '../../test/call-context.js'
import type { EventBody } from '../types/event.js'

test('a call is not_run when its run stops before it starts', async () => {
  const never = named('t', () => expect.unreachable())
  expect(await answerOf(callOf('t'), callContextOf([never]), stepOf(AbortSignal.abort()))).toEqual({
    status: 'not_run',
    content: 'Error: the run stopped; this call did not run.',
    ms: 0,
  })
})

test('a call is cut_off when its run stops while it runs', async () => {
  const controller = new AbortController()
  let signal: AbortSignal | undefined
  const endless = named('t', (_args, ctx) => {
    signal = ctx.signal
    controller.abort('stop')
    return new Promise(() => {})
  })
  const answer = await answerOf(callOf('t'), callContextOf([endless]), stepOf(controller.signal))
  expect(answer).toMatchObject({
    status: 'cut_off',
    content: expect.stringContaining('may have taken effect'),
  })
  expect(signal?.reason).toBe('stop')
})

test('a call past its deadline is an error, and its later progress is dropped', async () => {
  const events: EventBody[] = []
  const { promise: released, release } = gate()
  const over = gate()
  const slow = named(
    't',
    async (_args, ctx) => {
      ctx.progress('in time')
      await released
      ctx.progress('too late')
      over.release()
    },
    { timeoutMs: 5 },
  )
  const answer = await answerOf(
    callOf('t'),
    callContextOf([slow], (event) => events.push(event)),
    stepOf(),
  )
  expect(answer.status).toBe('error')
  expect(answer.content).toBe(
    'Error: "t" timed out after 5 ms. It may have taken effect; check before you repeat it.',
  )
  release()
  await over.promise
  expect(events).toEqual([
    { type: 'tool-start', step: 3, callId: 'call_1', name: 't', arguments: {} },
    { type: 'tool-progress', step: 3, callId: 'call_1', name: 't', value: 'in time' },
  ])
})

function gate() {
  let release = () => {}
  const promise = new Promise<void>((resolve) => {
    release = resolve
  })
  return { promise, release }
}
