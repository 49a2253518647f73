import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { abortable } from './async.js'

const never = new Promise<never>(() => {})

test('work that ends before an abort gives its outcome, and leaves no listener', async () => {
  const { signal } = new AbortController()
  expect(await abortable(signal, Promise.resolve(1))).toBe(1)
  expect(await abortable(signal, 2)).toBe(2)
  await expect(abortable(signal, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort ends the wait with its reason, though the work goes on', async () => {
  const controller = new AbortController()
  const waiting = abortable(controller.signal, never)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('a signal that has aborted comes before work that is done', async () => {
  await expect(abortable(AbortSignal.abort(new Error('enough')), Promise.resolve(1))).rejects.toThrow(
    'enough',
  )
})

test('work that fails after the abort is no unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  let fail = (_error: Error) => {}
  const work = new Promise<never>((_, reject) => {
    fail = reject
  })
  await expect(abortable(AbortSignal.abort(new Error('enough')), work)).rejects.toThrow('enough')
  fail(new Error('too late'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
