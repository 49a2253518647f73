import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLong } from '../../../scripts/cases.mjs'
import { agents, transcript } from './capstan.js'

let service: Service
let cwd: string

// The command writes its files into a folder that contains links to the agents.
beforeAll(async () => {
  service = await startService()
  const output = join(agents, '../output')
  mkdirSync(output, { recursive: true })
  cwd = mkdtempSync(join(output, 'golden-'))
  for (const name of readdirSync(agents)) symlinkSync(join(agents, name), join(cwd, name))
})
afterAll(async () => {
  await service.close()
  rmSync(cwd, { recursive: true, force: true })
})

/** Cases that are similar to others, or that other tests cover too. Only `.ci/long` runs them. */
const slow = [
  'help-run',
  'help-chat',
  'run-team',
  'run-prompt',
  'run-words',
  'run-json',
  'run-none',
  'run-deny',
  'run-limit',
  'run-retry',
  'run-error',
  'run-several',
  'chat',
  'tools',
  'tool',
  'tool-piped',
  'tool-invalid',
  'tool-artifact',
  'check',
  'check-skills',
  'record',
  'explain',
  'record-booking',
  'fork',
  'compare',
  'bisect',
  'explain-none',
  'unknown-command',
  'unknown-option',
]

// The output in a pipe, in files that the documentation quotes.
const lines = [
  ['help', 'capstan --help'],
  ['help-run', 'capstan help run'],
  ['run', 'capstan run weather.ts "What is the weather in Oslo and in Rome?"'],
  ['run-team', 'capstan run team.ts "What do these words mean?" --out made'],
  ['run-prompt', 'echo "What is the weather in Oslo?" | capstan run weather.ts'],
  ['run-words', 'capstan run weather.ts "What is the weather in Oslo?" 2>/dev/null'],
  ['run-json', 'capstan run troubled.ts "Hi." --agent plain --json'],
  ['run-pending', 'capstan run approval.ts --agent payer "Pay." --state run.json'],
  ['run-resume', 'capstan run approval.ts --agent payer --resume run.json --approve call_1'],
  ['run-deny', 'capstan run approval.ts --agent payer --resume run.json --deny call_1="too much"'],
  ['run-limit', 'capstan run careful.ts "Knock at both doors."'],
  ['run-retry', 'capstan run troubled.ts "Tell me." --agent cut'],
  ['run-error', 'OPENAI_API_KEY=sk-secret-secret capstan run troubled.ts "Hi." --agent wrongKey'],
  ['run-none', 'capstan run asks-then-answers.ts "Hi."'],
  ['run-several', 'capstan run approval.ts "Hi."'],
  ['help-chat', 'capstan help chat'],
  [
    'chat',
    "printf 'What is the weather in Oslo?\\nAnd in Rome?\\n' | capstan chat weather.ts --session talk 2>/dev/null",
  ],
  ['tools', 'capstan tool weather.ts'],
  ['tool', `capstan tool weather.ts get_weather '{"city":"Oslo"}'`],
  ['tool-piped', `echo '{"city":"Rome","unit":"fahrenheit"}' | capstan tool weather.ts get_weather`],
  ['tool-invalid', `capstan tool weather.ts get_weather '{"town":"Oslo"}'`],
  ['tool-unknown', `capstan tool weather.ts get_wether '{"city":"Oslo"}'`],
  ['tool-artifact', `capstan tool team.ts write_note '{"text":"Ahoy"}' --out made`],
  ['check', 'capstan check weather.ts'],
  ['check-faults', 'capstan check hasty.ts'],
  ['check-skills', 'capstan check clerk.ts'],
  ['record', 'capstan run careful.ts "Knock at both doors." --record knock.jsonl'],
  ['explain', 'capstan explain knock.jsonl'],
  ['record-booking', 'capstan run planted.ts "How is it in Oslo?" --record oslo.jsonl'],
  [
    'fork',
    `capstan fork oslo.jsonl --at 1 --file planted.ts --result 'step0/call0={"city":"Oslo","degrees":31}' --record warm.jsonl`,
  ],
  ['compare', 'capstan compare oslo.jsonl warm.jsonl'],
  [
    'bisect',
    'capstan bisect oslo.jsonl --file planted.ts --instructions polite-1.md polite-2.md polite-3.md polite-4.md',
  ],
  ['explain-none', 'capstan explain weather.ts'],
  ['unknown-command', 'capstan rum weather.ts'],
  ['unknown-option', 'capstan run weather.ts --jsn'],
] as const

const compared = lines.filter(([name]) => isLong || !slow.includes(name))
test.each(compared)('%s', async (name, line) => {
  const env = { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey }
  await expect(await transcript(line, { cwd, env })).toMatchFileSnapshot(`./golden/${name}.txt`)
})
