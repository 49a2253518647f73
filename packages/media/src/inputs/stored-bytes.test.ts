import { expect, test } from 'vitest'
import { fromBlob, readBytes } from './stored-bytes.js'

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).text()
}

test('reads bytes repeatedly', async () => {
  const stored = fromBlob(new Blob(['hello']))
  for (let i = 0; i < 2; i++) expect(await textOf(stored.stream())).toBe('hello')
  expect(String(Buffer.from(await readBytes(stored)))).toBe('hello')
})

test('keeps the bytes of a blob that hands out its own', async () => {
  const own = Uint8Array.from([104, 105])
  class Handing extends Blob {
    override stream() {
      return new ReadableStream({
        start(controller) {
          controller.enqueue(own)
          controller.close()
        },
      })
    }
  }
  const stored = fromBlob(new Handing([own]))
  for (let i = 0; i < 2; i++) expect(await textOf(stored.stream())).toBe('hi')
})
