import { expect, test } from 'vitest'
import { ContentBuilder } from './message-builder.js'

function draft() {
  const told: string[] = []
  return { told, content: new ContentBuilder((text) => told.push(text)) }
}
const text = (text: string) => ({ type: 'text', text })
const thought = { type: 'thinking', thinking: 'Hm.' }

test('texts and parts stay in the order in which they came', () => {
  const { told, content } = draft()
  for (const piece of ['A', [thought, text('B')], 'C', '', 'D']) content.add(piece)
  expect(content.toContent()).toEqual([text('A'), thought, text('B'), text('CD')])
  expect(told).toEqual(['A', 'B', 'C', 'D'])
})

test('texts alone are one text', () => {
  const { content } = draft()
  for (const piece of ['Hel', '', 'lo']) content.add(piece)
  expect(content.toContent()).toBe('Hello')
  expect(draft().content.toContent()).toBe('')
})

test('a message that says again what came adds what it says more', () => {
  const { told, content } = draft()
  content.add([thought])
  content.add('Hel')
  content.addWhole([thought, text('Hello'), { type: 'x' }])
  content.addWhole('Hello')
  expect(content.toContent()).toEqual([thought, text('Hello'), { type: 'x' }])
  expect(told).toEqual(['Hel', 'lo'])
})

test('a message that comes first is kept as it is, the next ones are its pieces', () => {
  const { content } = draft()
  for (const piece of [[text('Hel')], 'lo', ' l']) content.addWhole(piece)
  expect(content.toContent()).toEqual([text('Hel'), text('lo l')])
})
