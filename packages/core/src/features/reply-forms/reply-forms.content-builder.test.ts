import { expect, test } from 'vitest'
import { ContentBuilder } from './reply-forms.js'

function draft() {
  const told: string[] = []
  return { told, content: new ContentBuilder((text, thought) => told.push(text || `(${thought})`)) }
}
const text = (text: string) => ({ type: 'text', text })
const thought = { type: 'thinking', thinking: 'Hm.' }

test('keeps texts and parts in order of arrival', () => {
  const { told, content } = draft()
  for (const piece of ['A', [thought, text('B')], 'C', '', 'D']) content.add(piece)
  expect(content.toContent()).toEqual([text('A'), thought, text('BCD')])
  expect(told).toEqual(['A', 'B', 'C', 'D'])
})

test('joins texts into one', () => {
  const { content } = draft()
  for (const piece of ['Hel', '', 'lo']) content.add(piece)
  expect(content.toContent()).toBe('Hello')
  expect(draft().content.toContent()).toBe('')
})

test('adds only new text of a repeating message', () => {
  const { told, content } = draft()
  content.add([thought])
  content.add('Hel')
  content.addWhole([thought, text('Hello'), { type: 'x' }])
  content.addWhole('Hello')
  expect(content.toContent()).toEqual([thought, text('Hello'), { type: 'x' }])
  expect(told).toEqual(['(Hm.)', 'Hel', 'lo'])
})

test('keeps a first message and treats later ones as pieces', () => {
  const { content } = draft()
  for (const piece of [[text('Hel')], 'lo', ' l']) content.addWhole(piece)
  expect(content.toContent()).toEqual([text('Hello l')])
})
