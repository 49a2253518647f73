import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { joinSignals } from './async.js'

test('aborts with the first signal and its reason', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal } = joinSignals([one.signal, undefined, other.signal])
  expect(signal.aborted).toBe(false)
  other.abort('second')
  one.abort('first')
  expect(signal.reason).toBe('second')
})

test('aborts at once for an aborted signal', () => {
  const { signal } = joinSignals([new AbortController().signal, AbortSignal.abort('early')])
  expect(signal.reason).toBe('early')
})

test('never aborts without signals', () => {
  expect(joinSignals([]).signal.aborted).toBe(false)
  expect(joinSignals([undefined]).signal.aborted).toBe(false)
})

test('emits no leak warning for many listeners', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const lasting = new AbortController()
  for (let run = 0; run < 20; run++) {
    const { signal } = joinSignals([lasting.signal])
    for (let call = 0; call < 20; call++) signal.addEventListener('abort', () => {})
  }
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

test('shares one listener of a signal, and removes it on release', () => {
  const lasting = new AbortController()
  const joined = Array.from({ length: 100 }, () => joinSignals([lasting.signal, lasting.signal]))
  expect(getEventListeners(lasting.signal, 'abort')).toHaveLength(1)
  for (const { release } of joined) release()
  expect(getEventListeners(lasting.signal, 'abort')).toHaveLength(0)
  lasting.abort()
  expect(joined.map(({ signal }) => signal.aborted)).not.toContain(true)
})
