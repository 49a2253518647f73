// What a program with `declaration: true` may export: the types are as TypeScript infers them.
import {
  Agent,
  agentTool,
  handoff,
  type KeyValueStorage,
  memorySessions,
  type ToolContext,
  tool,
} from '@capstan/core'
import { responsesModel } from '@capstan/core/responses'
import { memoryRuns, persistent } from '@capstan/durable'
import { agentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'
import { mcpServer, mcpTools } from '@capstan/mcp'
import { generateImage, mediaTools } from '@capstan/media'
import { startService } from '@capstan/service'
import { memoryRunStore, unstorageRunStore } from '@capstan/stores'
import { folderRunStore } from '@capstan/stores/node'
import { telemetry } from '@capstan/telemetry'
import { reply, scriptedModel } from '@capstan/testing'
import { recordRun } from '@capstan/testing/recording'
import * as z from 'zod'

interface Context {
  readonly db: Map<string, number>
}

export const count = tool({
  name: 'count',
  description: 'Count',
  parameters: z.object({ word: z.string() }),
  execute: ({ word }, { context }: ToolContext<Context>) => ({ word, count: context.db.get(word) }),
})
export const agent = new Agent({
  model: responsesModel('m'),
  tools: [count],
  output: z.object({ total: z.number() }),
})
export const team = new Agent({ model: 'm', tools: [agentTool(agent), handoff(agent), ...mediaTools()] })

const context: Context = { db: new Map() }
export const run = () => agent.run('x', { context })
export const stream = () => agent.stream('x', { ...telemetry(), context })
export const traced = () => ({ ...telemetry() })
export const sure = async () => (await run()).orThrow()
export const copied = async () => ({ ...(await run()) })
export const calls = async () => (await run()).toolCalls.map((call) => ({ ...call }))
export const steps = async () => (await run()).steps.map((step) => ({ ...step }))
export const states = async () => ({ ...(await run()).state })
export const some = async () => {
  const { state, usage, pending, messages, artifacts, output, text } = await run()
  return { state, usage, pending, messages, artifacts, output, text }
}
export async function* events() {
  for await (const event of stream()) yield event
}

export const sessions = memorySessions()
export const runStores = { memory: memoryRunStore(), folder: folderRunStore('runs') }
export const runStoreIn = (storage: KeyValueStorage) => unstorageRunStore(storage)
export const found = async () => ({ ...(await runStores.folder.get('run-1')) })
export const page = async () => ({ ...(await runStores.memory.list({ limit: 1 })) })
export const handler = agentHandler(team, { authenticate: () => ({ id: 'x' }), context: () => context })
export const listener = toNodeListener(handler)
export const server = mcpServer([generateImage()], { authenticate: () => true })
export const connect = () => mcpTools({ url: 'http://localhost' })
export const durable = persistent(team, { store: memoryRuns(), context: () => context })
export const started = async () => ({ ...(await startService()) })
export const recorded = (file: string) => ({ ...recordRun(file), signal: AbortSignal.timeout(1) })
export const model = scriptedModel([reply.text('x')])
export const answers = { ...reply }
