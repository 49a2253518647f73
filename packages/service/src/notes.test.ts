import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type ChatMessage, toTurn } from './plan/conversation.js'

// The page has every text that Capstan writes to models; a test of the repository holds it to the source.
const page = readFileSync(new URL('../../../docs/reference/model-texts.md', import.meta.url), 'utf8')
const [, core = ''] = /\n## @capstan\/core\n([\s\S]*?)\n## /.exec(page) ?? []

/** The texts of core, by source file. */
const texts = new Map(
  core
    .split('\n### ')
    .slice(1)
    .map((part) => {
      const [file = '', ...lines] = part.split('\n')
      const quoted = lines.flatMap((line) => /^- `+ ?(.*?) ?`+$/.exec(line)?.[1] ?? [])
      return [file, quoted.map((text) => text.replaceAll(' ⏎ ', '\n'))] as const
    }),
)

/** The files that write user messages, with their texts that go elsewhere: into results, tools and system messages. */
const asUser: Readonly<Record<string, readonly RegExp[]>> = {
  'features/background-calls.ts': [/^Started in the background/],
  'features/context/shorten-history.ts': [/^\d+ of \d+ characters$/, /^\d+ bytes of get_weather$/],
  'features/context/summarize-history.ts': [/^Summarize the conversation/],
  'features/final-answer.ts': [],
  'features/guard/guard.ts': [/^the call ran/],
  'features/media/message-media.ts': [],
  'features/output/structured-output.ts': [
    /^it is a tool call$/,
    /^the reply is empty$/,
    /^Call this tool to give your final answer/,
    /^not valid JSON$/,
    /^required: put the answer here$/,
  ],
  'features/resume/resume.ts': [],
  'features/text-calls/recover-calls.ts': [],
  'types/message.ts': [],
}

/** The files whose texts are in results, tools and replies only. */
const elsewhere = [
  'async.ts',
  'features/agents/agent-tool.ts',
  'features/agents/handoff.ts',
  'features/context/long-results.ts',
  'features/effect-keys.ts',
  'features/ledger/ledger.ts',
  'features/policies.ts',
  'features/stuck-detection.ts',
  'features/taint-tracking.ts',
  'limits.ts',
  'run/run-tools.ts',
  'tools/concurrency.ts',
  'tools/parse-arguments.ts',
  'tools/prepare-call.ts',
  'tools/rejections.ts',
  'tools/render-result.ts',
  'tools/validate.ts',
]

test('the texts of each file of core are known as user messages or as other ones', () => {
  // A new file belongs into one of the lists. If it writes user messages, notes.ts must know them.
  expect([...texts.keys()].sort()).toEqual([...Object.keys(asUser), ...elsewhere].sort())
})

test('no further file of core makes a user message', () => {
  const src = new URL('../../core/src/', import.meta.url)
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  const making = files
    .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file))
    .filter((file) => /role: 'user'(?! \| | ?[;}>])/.test(readFileSync(new URL(file, src), 'utf8')))
  // Those of the user: the input, and what the user sends later.
  const ofUser = ['features/streaming.ts', 'model/ai-sdk-prompt.ts', 'run/input.ts']
  expect(making.filter((file) => !ofUser.includes(file) && !Object.hasOwn(asUser, file))).toEqual([])
})

const request = 'What is the weather in Oslo?'
const written = Object.entries(asUser).flatMap(([file, others]) =>
  (texts.get(file) ?? []).filter((text) => !others.some((one) => one.test(text))),
)

test('there are texts to check', () => {
  expect(written.length).toBeGreaterThan(14)
})

test.each(written)('is no request, and hides none: %s', (text) => {
  const asked: ChatMessage[] = [
    { role: 'user', text: request },
    { role: 'assistant', text: 'Hm.', calls: [] },
  ]
  const note = text.startsWith('[Summary') ? `${text}\nOslo was mentioned.` : text
  const { request: read } = toTurn([...asked, { role: 'user', text: note }])
  // It takes the place of the user's message.
  expect(read).toBe(/^\[|^Attached:/.test(note) ? '' : request)
  const isAdded = /^(?:\[Summary|\[\d|Attached:|Limit reached|No progress|Your last reply was empty)/
  if (isAdded.test(note))
    expect(toTurn([{ role: 'user', text: `${request}\n\n${note}` }]).request).toBe(request)
})

test('the result of a background call takes the place of the news that it has started', () => {
  const calls = [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' }]
  const started = 'Started in the background as call_1. Continue; the result will arrive in a later message.'
  const turn = toTurn([
    { role: 'user', text: request },
    { role: 'assistant', text: '', calls },
    { role: 'tool', callId: 'call_1', text: started },
    { role: 'assistant', text: 'Started.', calls: [] },
    { role: 'user', text: 'Result of background call call_1 (get_weather): {"degrees":-2}' },
  ])
  expect(turn).toMatchObject({ request, calls: [{ name: 'get_weather', result: { degrees: -2 } }] })
})

test.each(['Result of the match?', 'Continue with order 7.', 'Images from Oslo', 'No progress on order 7'])(
  'is a request: %s',
  (text) => {
    expect(toTurn([{ role: 'user', text }]).request).toBe(text)
  },
)
