import { expect, test } from 'vitest'
import { command, parseCommandLine } from './args.js'
import { UsageError } from './exit-codes.js'

const sail = command({
  name: 'sail',
  usage: 'SHIP [PORT]',
  summary: 'sails a ship',
  positionals: { least: 1, most: 2 },
  flags: {
    speed: { type: 'string', valueName: 'N', description: 'speed' },
    flag: { type: 'string', valueName: 'NAME', multiple: true, description: 'items to show' },
    night: { type: 'boolean', description: 'also at night' },
  },
  run: async () => 0,
})

test('separates positionals from options, in any order', () => {
  expect(
    parseCommandLine(sail, ['--night', 'Argo', '--flag', 'red', '--speed=5', 'Iolcus', '--flag', 'blue']),
  ).toEqual({
    positionals: ['Argo', 'Iolcus'],
    flags: { night: true, speed: '5', flag: ['red', 'blue'] },
  })
})

test('takes everything after two dashes as positionals', () => {
  expect(parseCommandLine(sail, ['Argo', '--', '--night']).positionals).toEqual(['Argo', '--night'])
})

test.each([
  [['Argo', '--nigt'], 'Unknown option --nigt for sail. Did you mean --night?'],
  [['Argo', '-x'], 'Unknown option -x for sail. Put an argument that starts with a dash after --.'],
  [
    ['Argo', '--constructor'],
    'Unknown option --constructor for sail. Put an argument that starts with a dash after --.',
  ],
  [['Argo', '--speed'], "Option '--speed <value>' argument missing."],
  [['Argo', '--night=yes'], "Option '--night' does not take an argument."],
  [[], 'Missing argument. Usage: capstan sail SHIP [PORT]'],
  [
    ['a', 'b', 'c'],
    'Unexpected argument "c"; quote text that contains spaces. Usage: capstan sail SHIP [PORT]',
  ],
])('rejects %j with one sentence', (args, sentence) => {
  expect(() => parseCommandLine(sail, args)).toThrow(new UsageError(sentence))
})

test('accepts --help without arguments', () => {
  expect(parseCommandLine(sail, ['-h'])).toEqual({ positionals: [], flags: { help: true } })
})
