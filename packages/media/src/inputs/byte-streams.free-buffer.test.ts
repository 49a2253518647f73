import { expect, onTestFinished, test, vi } from 'vitest'
import { freeBuffer } from './byte-streams.js'

test('frees bytes with memory of their own, and keeps shared ones', () => {
  const own = new Uint8Array(100)
  freeBuffer(own)
  expect(own.length).toBe(0)
  const all = Uint8Array.from([1, 2, 3])
  freeBuffer(all.subarray(1))
  expect([...all]).toEqual([1, 2, 3])
})

test('keeps bytes where memory cannot be transferred, as in workerd', () => {
  const refused = vi.spyOn(MessagePort.prototype, 'postMessage').mockImplementation(() => {
    throw new Error('Transfer list is not supported')
  })
  onTestFinished(() => refused.mockRestore())
  const own = new Uint8Array(100)
  freeBuffer(own)
  expect(own.length).toBe(100)
  expect(refused).toHaveBeenCalledOnce()
})
