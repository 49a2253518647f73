import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Base64Filter } from './base64-files.js'

const pngOf = (length: number) => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 7919) % 251
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.from(bytes).toString('base64')
}

/** Streams a text in pieces. Returns what is shown, and whether the rest is held back. */
function show(text: string, sizes: readonly number[]) {
  const filter = new Base64Filter()
  let shown = ''
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    shown += filter.add(text.slice(at, at + size))
    at += size
  }
  return { shown, isHolding: filter.isHolding }
}

const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 })

test('text without files is shown as it is, in whatever pieces it comes', () => {
  const words = [
    'x'.repeat(2000),
    'ab12'.repeat(300),
    '/'.repeat(1500),
    'data',
    '(data:',
    '"data:image/png',
    `(data:${'x'.repeat(300)}`,
  ]
  const lines = [`${'ab12'.repeat(19)}\n`.repeat(40), 'word\n'.repeat(400)]
  const word = fc.oneof(fc.string(), fc.constantFrom(...words, ...lines))
  const text = fc.array(word, { maxLength: 8 }).map((all) => `${all.join(' ')} .`)
  fc.assert(
    fc.property(text, sizes, (given, pieces) => {
      expect(show(given, pieces)).toEqual({ shown: given, isHolding: false })
    }),
  )
})

test('of a data: URL nothing is shown, and nothing after it', () => {
  const before = fc.constantFrom('', 'Look:\n', 'Look: ![a cat](', '{"picture":"', '<img src="')
  const type = fc.constantFrom('image/png', 'image/png;name=my%20cat.png', 'image/svg+xml')
  const length = fc.integer({ min: 1000, max: 4000 })
  fc.assert(
    fc.property(before, type, length, sizes, (words, mediaType, bytes, pieces) => {
      const text = `${words}data:${mediaType};base64,${pngOf(bytes)}) and more`
      expect(show(text, pieces)).toEqual({ shown: words, isHolding: true })
    }),
  )
})

test('of a data: URL with escapes or the alphabet of URLs nothing is shown, and nothing after it', () => {
  const before = fc.constantFrom('', 'Look: ![a cat](', '{"picture":"', '<img src="')
  const encode = fc.constantFrom(
    (text: string) => encodeURIComponent(text),
    (text: string) => text.replaceAll('+', '-').replaceAll('/', '_'),
  )
  fc.assert(
    fc.property(
      before,
      encode,
      fc.integer({ min: 1000, max: 4000 }),
      sizes,
      (words, write, bytes, pieces) => {
        const text = `${words}data:image/png;base64,${write(pngOf(bytes))}) and more`
        expect(show(text, pieces)).toEqual({ shown: words, isHolding: true })
      },
    ),
  )
})

test('of a file in base64url less than 1 kB is shown, and nothing after it', () => {
  const encoded = Buffer.from(pngOf(2500), 'base64').toString('base64url')
  fc.assert(
    fc.property(fc.constantFrom('', 'Look: ', '{"data":"'), sizes, (words, pieces) => {
      const { shown, isHolding } = show(`${words}${encoded}" and more`, pieces)
      expect([isHolding, shown.length - words.length < 1024]).toEqual([true, true])
    }),
  )
})

test('of another file less than 1 kB is shown, and nothing after it', () => {
  const before = fc.constantFrom('', 'Look: ', 'Look:\n', `${'ab12'.repeat(16)}\n`)
  const length = fc.integer({ min: 1600, max: 2500 })
  const width = fc.constantFrom(60, 64, 76, 9999)
  fc.assert(
    fc.property(before, length, width, sizes, (words, bytes, most, pieces) => {
      const lines = pngOf(bytes).replace(new RegExp(`.{1,${most}}`, 'g'), (line) =>
        line.length === most ? `${line}\n` : line,
      )
      const { shown, isHolding } = show(`${words}${lines}) and more`, pieces)
      expect(isHolding).toBe(true)
      expect(shown.replace(/\n/g, '')).not.toMatch(/[A-Za-z0-9+/]{1024}/)
      expect(shown).not.toContain('and more')
      expect(words.startsWith(shown) || shown.startsWith(words)).toBe(true)
    }),
  )
})
