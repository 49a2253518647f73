import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readOptions } from './cli-options.js'

const noJson = fileURLToPath(import.meta.url)

test('parses the options of the service', () => {
  process.env.CAPSTAN_TEST_UPSTREAM_KEY = 'their-key'
  const args = ['--port', '0', '--no-key', '--workers', '2', '--upstream', 'http://127.0.0.1:1/v1']
  const more = ['--upstream-for', 'chat,speech', '--upstream-key-env', 'CAPSTAN_TEST_UPSTREAM_KEY']
  expect(readOptions([...args, ...more])).toMatchObject({
    port: 0,
    apiKey: false,
    workers: 2,
    queue: undefined,
    upstream: { url: 'http://127.0.0.1:1/v1', apiKey: 'their-key', endpoints: ['chat', 'speech'] },
  })
  delete process.env.CAPSTAN_TEST_UPSTREAM_KEY
})

test('parses models, checks and pace', () => {
  const args = ['--models', 'gpt-4o,tts-1', '--strict', '--testing', '--context-tokens', '8192']
  const pace = ['--first-token-ms', '300', '--tokens-per-second', '50']
  expect(readOptions([...args, ...pace])).toMatchObject({
    models: ['gpt-4o', 'tts-1'],
    strict: true,
    testing: true,
    contextTokens: 8192,
    pace: { firstTokenMs: 300, tokensPerSecond: 50 },
  })
  expect(readOptions(['--models', 'any'])).toMatchObject({
    models: 'any',
    strict: undefined,
    pace: undefined,
  })
})

test.each([
  [['--prot', '1'], "Unknown option '--prot'."],
  [['--port', 'abc'], '--port must be a number, not "abc".'],
  [['--port'], "Option '--port <value>' argument missing."],
  [['extra'], "Unexpected argument 'extra'."],
  [['--no-key', '--key', 'k'], 'Use --key or --no-key, not both.'],
  [['--tokens-per-second', 'fast'], '--tokens-per-second must be a number, not "fast".'],
  [['--queue', '-'], '--queue must be a number, not "-".'],
  [
    ['--upstream-for', 'chat'],
    '--upstream-for and --upstream-key-env require --upstream, the URL of the other server.',
  ],
  [
    ['--upstream', 'http://a.example', '--upstream-key-env', 'NO_SUCH_VARIABLE'],
    'The environment variable NO_SUCH_VARIABLE is not set.',
  ],
  [['--chaos', 'no-such-file.json'], expect.stringContaining('no-such-file.json')],
  [['--chaos', noJson], expect.stringContaining(`The chaos rules in ${noJson} cannot be used: `)],
])('rejects %j with its reason', (args, message) => {
  expect(readOptions(args)).toMatchObject({ message })
})

test('parses the folders of models', () => {
  expect(readOptions(['--voice', 'models/amy', '--recognizer', 'models/tiny'])).toMatchObject({
    voice: 'models/amy',
    recognizer: 'models/tiny',
  })
})
