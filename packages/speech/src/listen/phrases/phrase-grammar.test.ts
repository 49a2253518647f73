import { expect, test } from 'vitest'
import { type PhraseLanguage, phraseBook } from './phrase-book.js'
import { italian, spanish, toPhraseGrammar, toSounds } from './phrase-grammar.js'

test.each([
  ['buenos', 'B W EH N OW S'],
  ['mañana', 'M AA N Y AA N AA'],
  ['quiero', 'K Y EH R OW'],
  ['gente', 'HH EH N T EH'],
  ['noches', 'N OW CH EH S'],
  ['calle', 'K AA Y EH'],
  ['habla', 'AA B L AA'],
  ['seis', 'S EY S'],
  ['muy', 'M UW IY'],
])('Spanish "%s" is read %s', (word, sounds) => {
  expect(toSounds(word, spanish)).toBe(sounds)
})

test.each([
  ['grazie', 'G R AA T S Y EH'],
  ['chiamo', 'K Y AA M OW'],
  ['buongiorno', 'B W OW N JH OW R N OW'],
  ['bagno', 'B AA N Y OW'],
  ['capisco', 'K AA P IY S K OW'],
  ['piacere', 'P Y AA CH EH R EH'],
  ['bisogno', 'B IY Z OW N Y OW'],
  ['acqua', 'AA K W AA'],
])('Italian "%s" is read %s', (word, sounds) => {
  expect(toSounds(word, italian)).toBe(sounds)
})

test('names a letter without a rule', () => {
  expect(() => toSounds('web', italian)).toThrow('No pronunciation rule matches "web" at "web"')
})

test.each(['es', 'it'] as PhraseLanguage[])('every phrase in %s can be found by its tokens', (language) => {
  const { rules, phraseOf } = toPhraseGrammar(language)
  const [, list = ''] = /= (.*);\n$/.exec(rules) ?? []
  const found = list.split(' | ').map((tokens) => phraseOf(tokens.split(' ')))
  expect(found).toEqual(phraseBook[language])
  expect(found.length).toBeGreaterThanOrEqual(20)
})
