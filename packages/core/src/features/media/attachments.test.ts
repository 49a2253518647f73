import { expect, test } from 'vitest'
import { memoryArtifacts } from '../../artifacts/memory-artifacts.js'
import type { Attachment } from '../../run/feature.js'
import type { Message } from '../../types/message.js'
import { attach } from './attachments.js'

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

async function attached(messages: Message[], ...things: readonly Attachment[]) {
  const store = memoryArtifacts()
  const changed = await attach(messages.at(-1), things, store)
  if (changed) messages.splice(-1, 1, changed)
  return store.list()
}

test('bytes become an artifact, and a file of the message', async () => {
  const messages: Message[] = [{ role: 'user', content: 'Look.' }]
  const [picture, text] = await attached(messages, png, new Blob(['hello'], { type: 'text/plain' }))
  expect(picture).toMatchObject({ kind: 'image', mediaType: 'image/png', size: 8 })
  expect(text).toMatchObject({ kind: 'text', mediaType: 'text/plain', size: 5 })
  const media = [
    { artifact: picture?.id, mediaType: 'image/png', size: 8, show: true },
    { artifact: text?.id, mediaType: 'text/plain', size: 5 },
  ]
  expect(messages).toEqual([{ role: 'user', content: 'Look.', media }])
})

test('a message of parts stays as it is, and gets its files behind others', async () => {
  const parts = [{ type: 'text', text: 'Look.' }]
  const given = [{ url: 'https://a.org/b.png' }]
  const message = Object.freeze({ role: 'user' as const, content: parts, media: given })
  const messages: Message[] = [{ role: 'system', content: 'Be brief.' }, message]
  const [picture] = await attached(messages, png)
  expect(messages).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: parts, media: [{ url: 'https://a.org/b.png' }, { artifact: picture?.id }] },
  ])
  expect(message.media).toHaveLength(1)
})

test('an artifact that the store has is referred to as it is there', async () => {
  const store = memoryArtifacts()
  const stored = await store.put(png, { kind: 'image', mediaType: 'image/png', width: 3 })
  const messages: Message[] = [{ role: 'user', content: 'Look.' }]
  expect(await attach(messages[0], [{ ...stored, size: 999 }], store)).toMatchObject({
    role: 'user',
    content: 'Look.',
    media: [{ artifact: stored.id, size: 8 }],
  })
  expect(await store.list()).toEqual([stored])
})

test('an artifact of another store is refused, and the message left as it was', async () => {
  const stranger = await memoryArtifacts().put(png, { kind: 'image', mediaType: 'image/png' })
  const messages: Message[] = [{ role: 'user', content: 'Look.' }]
  await expect(attached(messages, stranger)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(`Unknown artifact "${stranger.id}". Attach its bytes`),
    evidence: { id: stranger.id },
  })
  expect(messages).toEqual([{ role: 'user', content: 'Look.' }])
})

test('attachments belong to a message of the user', async () => {
  const messages: Message[] = [{ role: 'assistant', content: 'Hi.' }]
  await expect(attached(messages, png)).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(attached([], png)).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await attached(messages)).toEqual([])
})

test.each([
  ['words', 'Grüße, 世界 😀\n\tend'],
  ['nothing', ''],
  ['words whose last character is cut', `${'a'.repeat(4095)}é`],
])('%s are text, also without a type', async (_name, text) => {
  const bytes = new TextEncoder().encode(text)
  const [file] = await attached([{ role: 'user', content: 'Look.' }], bytes)
  expect(file).toMatchObject({ kind: 'text', mediaType: 'text/plain', size: bytes.length })
})

test.each([
  ['a zero', [97, 0, 98]],
  ['a broken character', [97, 0xc3, 98]],
  ['UTF-16', [0xff, 0xfe, 97, 0]],
])('bytes with %s are no text', async (_name, bytes) => {
  const [file] = await attached([{ role: 'user', content: 'Look.' }], new Uint8Array(bytes))
  expect(file).toMatchObject({ kind: 'file', mediaType: 'application/octet-stream' })
})

test('bytes that say nothing of themselves are a file, whatever they are declared as', async () => {
  const messages: Message[] = [{ role: 'user', content: 'Look.' }]
  const files = await attached(messages, new Uint8Array([1, 2, 3]), new Blob([new Uint8Array([4, 5])]))
  expect(files.map(({ kind, mediaType }) => `${kind} ${mediaType}`)).toEqual([
    'file application/octet-stream',
    'file application/octet-stream',
  ])
})
