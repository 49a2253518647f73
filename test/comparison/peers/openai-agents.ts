import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Agent,
  type AgentInputItem,
  MCPServerStreamableHttp,
  OpenAIChatCompletionsModel,
  Runner,
  RunState,
  type Session,
  tool,
} from '@openai/agents'
import OpenAI from 'openai'
import { answerSchema, type Input, type Opened, type Outcome, type Peer, type Setup } from '../peer.js'
import { call } from '../server.js'

/** The agents SDK of OpenAI, on chat completions. */
export const peer: Peer = {
  name: 'openai-agents',
  features: ['approvals', 'approval function', 'agents', 'output', 'recovery', 'mcp'],
  mends: {
    hosts: '`tracingDisabled`',
    'unknown-tool': '`toolNotFoundBehavior`',
    'prototype-tool': '`toolNotFoundBehavior`',
  },
  script: { ask: (task) => call('clerk', JSON.stringify({ input: task })) },
  open(setup) {
    const { baseURL, apiKey, feature } = setup
    const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL, apiKey }), 'scripted')
    const own = toolsOf(setup)
    const clerk = new Agent({ name: 'clerk', model, tools: own })
    const agent = new Agent({
      name: 'scripted',
      model,
      ...((feature === 'output' && { outputType: answerSchema }) as object),
      tools: feature === 'agents' ? [clerk.asTool({ toolName: 'clerk', toolDescription: 'A clerk' })] : own,
    })
    const runner = new Runner({
      ...(setup.isMended && {
        tracingDisabled: true,
        toolNotFoundBehavior: 'return_error_to_model' as const,
      }),
    })
    if (feature === 'mcp') return withServer(setup, model, runner)
    if (feature === 'recovery') {
      const continued = async () =>
        toOutcome(await runner.run(agent, 'Go.', { session: new FileSession(setup.folder ?? '') }))
      return {
        run: async (input) => toOutcome(await runner.run(agent, toItems(input))),
        start: continued,
        recover: continued,
      }
    }
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = signal ? { signal } : {}
        const given = toItems(input)
        if (!onText) return toOutcome(await runner.run(agent, given, options))
        const result = await runner.run(agent, given, { ...options, stream: true })
        for await (const text of result.toTextStream()) onText(text)
        await result.completed
        return { text: result.finalOutput, ...(result.cancelled && { end: 'cancelled' }) }
      },
      async resume(kept, decisions) {
        const state = await RunState.fromString(agent, kept)
        for (const item of state.getInterruptions()) {
          const id = 'callId' in item.rawItem ? item.rawItem.callId : ''
          if (decisions[id] === true) state.approve(item)
          if (decisions[id] === false) state.reject(item)
        }
        return toOutcome(await runner.run(agent, state))
      },
    }
    return opened
  },
}

/** An agent with the tools of an MCP server. */
async function withServer(
  { mcpURL: url = '' }: Setup,
  model: OpenAIChatCompletionsModel,
  runner: Runner,
): Promise<Opened> {
  const server = new MCPServerStreamableHttp({ url, name: 'notes' })
  await server.connect()
  const agent = new Agent({ name: 'scripted', model, mcpServers: [server] })
  return {
    run: async (input) => toOutcome(await runner.run(agent, toItems(input))),
    close: () => server.close(),
  }
}

/** Items in a file, as its docs have sessions of one's own. */
class FileSession implements Session {
  readonly #file: string

  constructor(folder: string) {
    this.#file = join(folder, 'session.json')
  }

  async getSessionId(): Promise<string> {
    return this.#file
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const items = existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : []
    return limit === undefined ? items : items.slice(-limit)
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    this.#write([...(await this.getItems()), ...items])
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const items = await this.getItems()
    const last = items.pop()
    this.#write(items)
    return last
  }

  async clearSession(): Promise<void> {
    this.#write([])
  }

  #write(items: readonly AgentInputItem[]): void {
    writeFileSync(this.#file, JSON.stringify(items))
  }
}

function toolsOf({ tools }: Setup) {
  return tools.map(({ name, description, parameters, execute, needsApproval = false }) =>
    tool({
      name,
      description,
      parameters,
      needsApproval: needsApproval === 'throws' ? throwing : needsApproval,
      execute: (args, _context, details) =>
        execute(args as Record<string, unknown>, details?.signal, details?.toolCall?.callId),
    }),
  )
}

async function throwing(): Promise<boolean> {
  throw new Error('the rules cannot be read')
}

function toItems(input: Input): string | AgentInputItem[] {
  if (typeof input === 'string') return input
  return input.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    const { id: callId, name, arguments: given } = message.call
    return { type: 'function_call', callId, name, arguments: JSON.stringify(given), status: 'completed' }
  })
}

interface Result {
  readonly finalOutput?: unknown
  readonly interruptions: readonly { readonly rawItem: object }[]
  readonly state: { toString(): string }
}

function toOutcome({ finalOutput, interruptions, state }: Result): Outcome {
  if (interruptions.length === 0) return { text: finalOutput, output: finalOutput }
  return {
    text: finalOutput,
    pending: interruptions.map(({ rawItem }) => {
      const { callId: id, name, arguments: given } = rawItem as Record<string, string>
      return { id: id ?? '', name: name ?? '', arguments: JSON.parse(given ?? '{}') }
    }),
    kept: state.toString(),
  }
}
