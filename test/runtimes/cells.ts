// Each runtime of the table runs these cells, against the local service. `scripts/check-runtimes.mjs` starts them, with
// the packed packages.
import { Agent, chatModel, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { mediaTools } from '@capstan/media'
import { recordRun, replayRun } from '@capstan/testing/recording'
import * as z from 'zod'

/** The address and the key of the local service. */
export interface Upstream {
  readonly baseURL: string
  readonly apiKey: string
}

const getWeather = tool({
  name: 'get_weather',
  description: 'Returns the current weather of a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, sky: 'light snow' }),
})
const question = 'What is the weather in Oslo?'

function weatherAgent(upstream: Upstream) {
  return new Agent({ name: 'forecaster', model: chatModel('planner', upstream), tools: [getWeather] })
}

/** The cells of the table, by the name of their column. */
export const cells: Readonly<Record<string, (upstream: Upstream) => Promise<void>>> = {
  async 'core with tools'(upstream) {
    const { text, toolCalls } = await weatherAgent(upstream).run(question)
    expectText(text, 'light snow')
    expectText(toolCalls.map(({ name, status }) => `${name} ${status}`).join(), 'get_weather ok')
  },

  async streaming(upstream) {
    const pieces: string[] = []
    for await (const piece of weatherAgent(upstream).stream(question).textStream) pieces.push(piece)
    expectText(pieces.join(''), 'light snow')
    if (pieces.length < 2) throw new Error('The text came in one piece.')
  },

  async 'media by fetch'(upstream) {
    // A page that has a key shows it to its user: here it is the one of the local service.
    const client = { ...upstream, fetch, dangerouslyAllowBrowser: true }
    const agent = new Agent({ model: chatModel('planner', upstream), tools: mediaTools({ client }) })
    const { artifacts, toolCalls } = await agent.run(
      'Draw a red sailboat in 256x192, then say "Good night" aloud.',
    )
    const found = artifacts.map(({ kind, mediaType, width }) => `${kind} ${mediaType} ${width ?? ''}`)
    const seen = [...found, ...toolCalls.map(({ content }) => content)].join()
    expectText(seen, 'image image/png 256')
    expectText(seen, 'audio audio/')
  },

  async recordings(upstream) {
    const file = `${globalThis.process?.getBuiltinModule('node:os').tmpdir()}/${crypto.randomUUID()}.jsonl`
    const agent = weatherAgent(upstream)
    await agent.run(question, recordRun(file))
    const [again] = await replayRun(file, { agent })
    expectText(again?.text ?? '', 'light snow')
    process.getBuiltinModule('node:fs').rmSync(file)
  },

  async 'handler of `@capstan/http`'(upstream) {
    const handler = agentHandler(weatherAgent(upstream), {
      authenticate: (request) => (request.headers.has('x-user') ? { id: 'ann' } : undefined),
    })
    const init = { method: 'POST', body: JSON.stringify({ input: question }) }
    const headers = { 'content-type': 'application/json', 'x-user': 'ann' }
    const refused = await handler(new Request('http://house.test/runs', init))
    if (refused.status !== 401) throw new Error(`Nobody got ${refused.status}.`)
    const response = await handler(new Request('http://house.test/runs', { ...init, headers }))
    expectText(await response.text(), 'event: result')
  },
}

/** Resolves to the outcome of each: `yes`, or the message of what did not work. */
export async function runCells(upstream: Upstream): Promise<readonly (readonly [string, string])[]> {
  const rows: [string, string][] = []
  for (const [name, run] of Object.entries(cells))
    rows.push([
      name,
      await run(upstream).then(
        () => 'yes',
        (error) => String(error?.message ?? error),
      ),
    ])
  return rows
}

function expectText(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`${JSON.stringify(part)} is not in ${JSON.stringify(text)}.`)
}
