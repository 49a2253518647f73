import { expect, test } from 'vitest'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { type ArtifactPart, readArtifact } from './long-results.js'

const artifacts = memoryArtifacts()
const put = (text: string) =>
  artifacts.put(new TextEncoder().encode(text), { kind: 'text', mediaType: 'text/plain' })
const read = (args: Record<string, unknown>) =>
  readArtifact.call(args, { artifacts }) as Promise<ArtifactPart>

test('a text is read in parts, which say where they are', async () => {
  const { id } = await put('abc'.repeat(4000))
  expect(await read({ artifact: id })).toEqual({
    artifact: id,
    from: 0,
    to: 8000,
    of: 12_000,
    text: 'abc'.repeat(2667).slice(0, 8000),
  })
  expect(await read({ artifact: id, from: 11_998, length: 5 })).toEqual({
    artifact: id,
    from: 11_998,
    to: 12_000,
    of: 12_000,
    text: 'bc',
  })
})

test('beyond the end there is nothing', async () => {
  const { id } = await put('short')
  expect(await read({ artifact: id, from: 5 })).toMatchObject({ from: 5, to: 5, of: 5, text: '' })
  expect(await read({ artifact: id, from: 99 })).toMatchObject({ from: 5, to: 5, of: 5, text: '' })
  const { id: empty } = await put('')
  expect(await read({ artifact: empty })).toMatchObject({ to: 0, of: 0, text: '' })
})

test('pages that follow one another are the text, no character cut in two', async () => {
  const text = `a${'😀'.repeat(20)}b`
  const { id } = await put(text)
  let pages = ''
  for (let from = 0; from < text.length; ) {
    const part = await read({ artifact: id, from, length: 4 })
    expect(part.text.isWellFormed()).toBe(true)
    expect(part.to).toBeGreaterThan(from)
    pages += part.text
    from = part.to
  }
  expect(pages).toBe(text)
  expect(await read({ artifact: id, from: 2, length: 1 })).toMatchObject({ from: 3, text: '😀' })
})

test.each([{ from: -1 }, { length: 0 }, { length: 8001 }, { from: 1.5 }, { artifact: 7 }])(
  '%j is refused',
  async (args) => {
    const { id } = await put('text')
    await expect(read({ artifact: id, ...args })).rejects.toMatchObject({ code: 'invalid_arguments' })
  },
)

test('what is no text, or not there, is refused with the reason', async () => {
  const { id } = await artifacts.put(Uint8Array.of(1), { kind: 'image', mediaType: 'image/png' })
  await expect(read({ artifact: id })).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('has the kind image'),
  })
  await expect(read({ artifact: 'txt_aaaaaaaa' })).rejects.toMatchObject({ code: 'not_found' })
})
