import { expect, test } from 'vitest'
import { command, nearest, readLine } from './args.js'
import { UsageError } from './exit-codes.js'

const sail = command({
  name: 'sail',
  form: 'SHIP [PORT]',
  says: 'sails a ship',
  words: { least: 1, most: 2 },
  flags: {
    speed: { type: 'string', value: 'N', says: 'how fast' },
    flag: { type: 'string', value: 'NAME', multiple: true, says: 'what to show' },
    night: { type: 'boolean', says: 'also at night' },
  },
  run: async () => 0,
})

test('words and options are told apart, wherever they stand', () => {
  expect(
    readLine(sail, ['--night', 'Argo', '--flag', 'red', '--speed=5', 'Iolcus', '--flag', 'blue']),
  ).toEqual({
    words: ['Argo', 'Iolcus'],
    flags: { night: true, speed: '5', flag: ['red', 'blue'] },
  })
})

test('what follows two dashes is no option', () => {
  expect(readLine(sail, ['Argo', '--', '--night']).words).toEqual(['Argo', '--night'])
})

test.each([
  [['Argo', '--nigt'], 'sail has no option --nigt. Did you mean --night?'],
  [['Argo', '-x'], 'sail has no option -x. What begins with a dash and is no option stands after --.'],
  [
    ['Argo', '--constructor'],
    'sail has no option --constructor. What begins with a dash and is no option stands after --.',
  ],
  [['Argo', '--speed'], "Option '--speed <value>' argument missing."],
  [['Argo', '--night=yes'], "Option '--night' does not take an argument."],
  [[], 'Something is missing: capstan sail SHIP [PORT]'],
  [['a', 'b', 'c'], '"c" is one word too many; texts with blanks need quotes: capstan sail SHIP [PORT]'],
])('%j is refused in a sentence', (args, sentence) => {
  expect(() => readLine(sail, args)).toThrow(new UsageError(sentence))
})

test('who asks for help is asked for nothing', () => {
  expect(readLine(sail, ['-h'])).toEqual({ words: [], flags: { help: true } })
})

test.each([
  ['rum', 'run'],
  ['sevrice', 'service'],
  ['serv', 'service'],
  ['x', undefined],
  ['', undefined],
  ['bicycle', undefined],
])('of "%s", what was meant is %s', (said, meant) => {
  expect(nearest(said, ['run', 'tool', 'service'])).toBe(meant)
})
