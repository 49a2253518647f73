import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { abortable } from './async.js'

const never = new Promise<never>(() => {})

test('returns the outcome of work and removes its listener', async () => {
  const { signal } = new AbortController()
  expect(await abortable(signal, Promise.resolve(1))).toBe(1)
  expect(await abortable(signal, 2)).toBe(2)
  await expect(abortable(signal, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('rejects with the abort reason while the work continues', async () => {
  const controller = new AbortController()
  const waiting = abortable(controller.signal, never)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('rejects for an aborted signal even if the work is done', async () => {
  await expect(abortable(AbortSignal.abort(new Error('enough')), Promise.resolve(1))).rejects.toThrow(
    'enough',
  )
})

test('causes no unhandled rejection for late failures', async () => {
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
