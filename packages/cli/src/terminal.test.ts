import { expect, test } from 'vitest'
import { createTerminal, noPaint } from './terminal.js'

function written(canChange: boolean) {
  let said = ''
  const stream = { columns: 40, rows: 10, write: (text: string) => (said += text) }
  return { screen: createTerminal({ out: stream, err: stream }, noPaint, canChange), said: () => said }
}

test('clears exactly the changing lines before any other output', () => {
  const { screen: terminal, said } = written(true)
  terminal.setLiveLines(['one', 'two'])
  terminal.writeLine('told')
  terminal.writeLine('more')
  expect(said()).toBe('one\ntwo\n\r\x1b[2A\x1b[Jtold\nmore\n')
})

test('puts changing lines on lines of their own, and continues text where it ended', () => {
  const { screen: terminal, said } = written(true)
  terminal.writeText('half')
  terminal.setLiveLines(['one'])
  terminal.writeText('other')
  expect(said()).toBe('half\none\n\r\x1b[1A\x1b[Jother')
})

test('shows no changing lines where lines cannot change', () => {
  const { screen: terminal, said } = written(false)
  terminal.setLiveLines(['one'])
  terminal.setLiveLines([])
  expect([said(), terminal.size]).toEqual(['', undefined])
})

test('assumes 80 by 24 for a terminal of unknown size', () => {
  const nowhere = { columns: 0, rows: 0, write: () => true }
  expect(createTerminal({ out: nowhere, err: nowhere }, noPaint, true).size).toEqual({
    columns: 80,
    rows: 24,
  })
})
