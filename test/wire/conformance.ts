// Checks a client against the wire cases, or a server against the checks of the service side:
//   node scripts/run.mjs conformance [--client chat | openai | FILE] [--only TEXT]
//   node scripts/run.mjs conformance --url URL [--key KEY] [--model NAME]
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { allCases } from './cases/all-cases.js'
import { examineAll, type Verdict } from './client-side.js'
import { lostThroughOpenai } from './lost-through-openai.js'
import { otherProtocols } from './other-protocols.js'
import { checkServer, toReport } from './server-side.js'
import { negativeCases } from './text-calls/negative-cases.js'
import { positiveCases } from './text-calls/positive-cases.js'
import { runTextCases } from './text-calls/run-text-case.js'
import { toTextTable } from './text-calls/text-table.js'
import { toComparison, toComplaint, toVerdictTable } from './verdict-table.js'
import type { WireCase } from './wire-case.js'
import type { WireClient } from './wire-client.js'

const { values } = parseArgs({
  options: {
    client: { type: 'string', default: 'chat' },
    only: { type: 'string', default: '' },
    url: { type: 'string' },
    key: { type: 'string' },
    model: { type: 'string', default: 'planner' },
  },
})

const checked = values.url === undefined ? clientSide() : serverSide(values.url)
// A client may leave a timer behind, of a day even: the verdict does not wait for it.
checked.then(
  (passed) => process.exit(passed ? 0 : 1),
  (error: unknown) => {
    console.error(error)
    process.exit(2)
  },
)

async function clientSide(): Promise<boolean> {
  const stray: string[] = []
  process.on('unhandledRejection', (reason) => stray.push(`unhandled rejection: ${String(reason)}`))
  process.on('uncaughtException', (error) => stray.push(`uncaught exception: ${error.message}`))
  const client = await load(values.client)
  const cases = allCases.filter((one) => isWanted(one) && !isLost(one))
  const textCases = [...positiveCases, ...negativeCases].filter(({ id, family }) =>
    isNamed(`${id} ${family} calls as text`),
  )
  const others = values.client === 'chat' ? otherProtocols : []
  const isNone = others.every((one) => !one.cases.some(isWanted))
  if (cases.length + textCases.length === 0 && isNone)
    throw new Error(`No case has "${values.only}" in its id, area or title.`)
  console.log(`${client.name}, ${cases.length} cases, ${textCases.length} texts\n`)
  const verdicts: readonly Verdict[] = await Promise.all(examineAll(cases, client))
  if (cases.length > 0) console.log([toVerdictTable(verdicts), ...lost(), ''].join('\n'))
  const textVerdicts = await runTextCases(textCases, client)
  if (textCases.length > 0) console.log(toTextTable(textVerdicts))
  const otherVerdicts: Verdict[] = []
  for (const other of others) otherVerdicts.push(...(await compare(other, stray)))
  console.log(stray.join('\n'))
  const all = [...verdicts, ...textVerdicts, ...otherVerdicts]
  return stray.length === 0 && all.every(({ faults }) => faults.length === 0)
}

/** Runs the cases of another protocol. What the official client gets wrong is shown, and no failure. */
async function compare(
  { name, cases, own, official }: (typeof otherProtocols)[number],
  stray: string[],
): Promise<readonly Verdict[]> {
  const wanted = cases.filter(isWanted)
  if (wanted.length === 0) return []
  const verdicts = await Promise.all(examineAll(wanted, own))
  const known = stray.length
  const theirs = await Promise.all(examineAll(wanted, official))
  stray.length = known
  const clients = [
    { name: own.name, verdicts },
    { name: official.name, verdicts: theirs },
  ]
  const failed = verdicts.filter(({ faults }) => faults.length > 0)
  console.log(
    [`\n${name}, ${wanted.length} cases\n`, toComparison(clients), ...failed.map(toComplaint)].join('\n'),
  )
  return verdicts
}

async function load(name: string): Promise<WireClient> {
  if (name === 'chat') return (await import('./chat-client.js')).chatClient
  if (name === 'openai') return (await import('./openai-client.js')).openaiClient
  const { client } = (await import(pathToFileURL(resolve(name)).href)) as { client?: WireClient }
  if (typeof client?.run !== 'function') throw new Error(`${name} exports no client { name, run(question) }.`)
  return client
}

function isWanted({ id, area, title }: WireCase): boolean {
  return isNamed(`${id} ${area} ${title}`)
}

function isNamed(names: string): boolean {
  return names.toLowerCase().includes(values.only.toLowerCase())
}

function isLost({ id }: WireCase): boolean {
  return values.client === 'openai' && Object.hasOwn(lostThroughOpenai, id)
}

function lost(): readonly string[] {
  if (values.client !== 'openai') return []
  return Object.entries(lostThroughOpenai).map(
    ([id, why]) => `\n${id} is lost through the openai client: ${why}`,
  )
}

async function serverSide(url: string): Promise<boolean> {
  const { key, model } = values
  console.log(`${url}, model ${model}\n`)
  const findings = await checkServer({ url, key, model }, (finding) => console.log(toReport(finding)))
  const count = (kind: string) => findings.filter((finding) => finding.kind === kind).length
  console.log(`\n${count('ok')} ok, ${count('failed')} failed, ${count('skipped')} skipped`)
  return count('failed') === 0
}
