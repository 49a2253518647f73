import { expect, test } from 'vitest'
import { PasteMarks, TerminalKeys } from './terminal-keys.js'

/** Returns the keys, pastes and replies that bytes turn into when they arrive in parts. */
function read(...parts: readonly (string | Buffer)[]) {
  const seen = { keys: '', pastes: [] as string[], replies: [] as string[] }
  const keys = new TerminalKeys(
    {},
    { paste: (text) => `<${seen.pastes.push(text)}>`, reply: (text) => void seen.replies.push(text) },
  )
  keys.on('data', (text) => {
    seen.keys += text
  })
  for (const part of parts) keys.write(part)
  return new Promise<typeof seen>((resolve) => keys.end(() => setImmediate(() => resolve(seen))))
}

test('passes keys through', async () => {
  const text = 'héllo\r\x03\x1b[A\x1bf\x1b\x1b[3~\x1bOP'
  expect(await read(text)).toEqual({ keys: text, pastes: [], replies: [] })
  const bytes = Buffer.from(text)
  for (let at = 1; at < bytes.length; at++)
    expect((await read(bytes.subarray(0, at), bytes.subarray(at))).keys, String(at)).toBe(text)
})

test('separates pasted texts and answers of the terminal, wherever the bytes are cut', async () => {
  const bytes = Buffer.from('a\x1b[200~onè\r\ntwo\x1b[201~b\x1b_Gi=31;OK\x1b\\c\x1b[?62;4cd')
  const expected = {
    keys: 'a<1>bcd',
    pastes: ['onè\ntwo'],
    replies: ['\x1b_Gi=31;OK\x1b\\', '\x1b[?62;4c'],
  }
  expect(await read(bytes)).toEqual(expected)
  for (let at = 1; at < bytes.length; at++) {
    // A lone escape is the Esc key, even though a sequence starts the same way.
    if (bytes[at - 1] === 0x1b && bytes[at] !== 0x5c) continue
    expect(await read(bytes.subarray(0, at), bytes.subarray(at)), String(at)).toEqual(expected)
  }
})

test('removes control characters from a pasted text', async () => {
  const { pastes } = await read('\x1b[200~a\x1b[31m\x03\x04\x9b\tb\rc\x1b[201~')
  expect(pastes).toEqual(['a[31m\tb\nc'])
})

const noFiles = () => []

test('shows a pasted text of several lines as a mark, and reads it back', () => {
  const marks = new PasteMarks(noFiles)
  expect(marks.toKeys('plain text\n')).toBe('plain text')
  expect(marks.toKeys('one\ntwo $& $1')).toBe('[paste 1: 2 lines]')
  expect(marks.toKeys('a\tb')).toBe('[paste 2: 1 line]')
  expect(marks.read('See [paste 1: 2 lines], [paste 3: 1 line]')).toEqual({
    text: 'See one\ntwo $& $1, [paste 3: 1 line]',
    files: [],
  })
})

test('shows dropped files as marks, and reads their names', () => {
  const file = { path: '/tmp/b.png', name: 'b.png' }
  const marks = new PasteMarks((text) => (text === '/tmp/b.png' ? [file] : []))
  expect(marks.toKeys('/tmp/b.png ')).toBe('[file 1: b.png]')
  expect(marks.toKeys('see /tmp/b.png')).toBe('see /tmp/b.png')
  expect(marks.read('Look at [file 1: b.png]')).toEqual({ text: 'Look at b.png', files: [file] })
  expect(marks.read('Look')).toEqual({ text: 'Look', files: [] })
})

test('a pasted text that looks like a mark is text', () => {
  const file = { path: '/tmp/b.png', name: 'b.png' }
  const marks = new PasteMarks((text) => (text === '/tmp/b.png' ? [file] : []))
  const mark = marks.toKeys('/tmp/b.png')
  const paste = marks.toKeys(`one\n${mark}`)
  expect(marks.read(paste)).toEqual({ text: `one\n${mark}`, files: [] })
})
