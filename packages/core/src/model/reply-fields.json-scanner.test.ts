import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../test/any-character.js'
import { JsonScanner } from './reply-fields.js'

function follow(...pieces: string[]): JsonScanner {
  const edge = new JsonScanner()
  for (const piece of pieces) edge.add(piece)
  return edge
}

test.each(['{}', ' {"a":"}"} \n', '[{"a":"\\\\"}]', '{"a":"\\"]}"}', '{}{"a":1}', '{nonsense}'])(
  '%s is closed',
  (text) => {
    expect(follow(text).isClosed).toBe(true)
    expect(follow(...text).isClosed).toBe(true)
  },
)

test.each(['', ' ', '{', '{"a":"}', '{"a":"\\"}', '[{}', '{}}', '{} x', 'x {}', '7', '"{}"'])(
  '%j is not',
  (text) => {
    expect(follow(text).isClosed).toBe(false)
    expect(follow(text).isBegun).toBe(text.trim() !== '')
  },
)

test('an object is closed at its end and nowhere before, whatever is in it', () => {
  const property = fc.property(
    fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()),
    fc.nat(),
    (object, at) => {
      const text = JSON.stringify(object)
      const cut = 1 + (at % (text.length - 1))
      const edge = follow(text.slice(0, cut))
      expect(edge.isClosed).toBe(false)
      edge.add(text.slice(cut))
      expect(edge.isClosed).toBe(true)
    },
  )
  fc.assert(property)
})
