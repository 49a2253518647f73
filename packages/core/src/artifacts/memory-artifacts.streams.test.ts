import { expect, test } from 'vitest'
import { eachPart } from './memory-artifacts.js'

test('all bytes of a stream come in order, of one that fills a buffer and of one that brings its own', async () => {
  let text = ''
  const words = ['cc', 'bb', 'aa']
  const bytes = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const word = words.shift()
      if (word !== undefined) return controller.enqueue(new TextEncoder().encode(word))
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
  for await (const part of eachPart(bytes)) text += new TextDecoder().decode(part)
  expect(text).toBe('ccbbaa')
  const plain = new Blob(['hello']).stream().pipeThrough(new TransformStream<Uint8Array, Uint8Array>())
  for await (const part of eachPart(plain)) text += new TextDecoder().decode(part)
  expect(text).toBe('ccbbaahello')
})

test('who stops reading ends the stream', async () => {
  let cancelled = false
  const endless = new ReadableStream({
    type: 'bytes',
    pull: (controller) => controller.enqueue(Uint8Array.of(1)),
    cancel: () => {
      cancelled = true
    },
  })
  for await (const _ of eachPart(endless)) break
  expect(cancelled).toBe(true)
})
