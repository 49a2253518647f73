import { expect, test } from 'vitest'
import { plain, toScreen } from './terminal.js'

function written(canChange: boolean) {
  let said = ''
  const stream = { columns: 40, rows: 10, write: (text: string) => (said += text) }
  return { screen: toScreen({ out: stream, err: stream }, plain, canChange), said: () => said }
}

test('what lives is taken away before anything else is written, and only as much as is there', () => {
  const { screen, said } = written(true)
  screen.live(['one', 'two'])
  screen.line('told')
  screen.line('more')
  expect(said()).toBe('one\ntwo\n\r\x1b[2A\x1b[Jtold\nmore\n')
})

test('what lives begins on a line of its own, and words after it where it stood', () => {
  const { screen, said } = written(true)
  screen.words('half')
  screen.live(['one'])
  screen.words('other')
  expect(said()).toBe('half\none\n\r\x1b[1A\x1b[Jother')
})

test('where lines cannot change, nothing lives', () => {
  const { screen, said } = written(false)
  screen.live(['one'])
  screen.live([])
  expect([said(), screen.terminal]).toEqual(['', undefined])
})

test('a terminal that does not know its size has a usual one', () => {
  const nowhere = { columns: 0, rows: 0, write: () => true }
  expect(toScreen({ out: nowhere, err: nowhere }, plain, true).terminal).toEqual({ columns: 80, rows: 24 })
})
