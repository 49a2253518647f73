import { join } from 'node:path'
import { handleChatStream } from '@mastra/ai-sdk'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createDurableAgent } from '@mastra/core/agent/durable'
import { TokenCostControl, ToolSearchProcessor } from '@mastra/core/processors'
import { MASTRA_RESOURCE_ID_KEY, RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { createCodeMode, createTool } from '@mastra/core/tools'
import { LocalSandbox } from '@mastra/core/workspace'
import { LibSQLStore } from '@mastra/libsql'
import { MCPClient } from '@mastra/mcp'
import { MastraStorageExporter, Observability } from '@mastra/observability'
import { createUIMessageStreamResponse } from 'ai'
import {
  answerSchema,
  type Input,
  type Opened,
  type Outcome,
  type Peer,
  type Setup,
  sharedTokens,
} from '../peer.js'
import { call } from '../server.js'
import { toUIMessages } from '../ui-messages.js'

/** An agent of Mastra, with a storage. */
export const peer: Peer = {
  name: 'mastra',
  features: [
    'approvals',
    'approval function',
    'chat',
    'code mode',
    'tool search',
    'agents',
    'output',
    'recovery',
    'mcp',
    'shared budget',
  ],
  mends: {
    '500-once': '`maxRetries: 2`',
    '429-retry-after': '`maxRetries: 2`',
    'reset-once': '`maxRetries: 2`',
  },
  script: {
    search: (name) => call('search_tools', JSON.stringify({ query: name })),
    program: (name, args) =>
      call(
        'execute_typescript',
        JSON.stringify({ code: `return await external_${name}(${JSON.stringify(args)})` }),
      ),
    ask: (task) => call('agent-clerk', JSON.stringify({ prompt: task })),
  },
  open(setup) {
    const { baseURL, apiKey, feature } = setup
    const model = { id: 'scripted/scripted' as const, url: baseURL, apiKey }
    if (feature === 'mcp') return withServer(setup, model)
    if (feature === 'recovery') return durable(setup, model)
    if (feature === 'shared budget') return withBudget(setup)
    const tools = toolsOf(setup)
    const clerk = new Agent({
      id: 'clerk',
      name: 'clerk',
      description: 'A clerk',
      instructions: '',
      model,
      tools,
    })
    const common = { id: 'scripted', name: 'scripted', instructions: '', model }
    const code = feature === 'code mode' ? createCodeMode({ tools, sandbox: new LocalSandbox() }) : undefined
    const own = new Agent({
      ...common,
      ...(code
        ? { instructions: code.instructions, tools: { execute_typescript: code.tool } }
        : feature === 'tool search'
          ? { inputProcessors: [new ToolSearchProcessor({ tools, search: { autoLoad: true } })] }
          : feature === 'agents'
            ? { agents: { clerk } }
            : { tools }),
    })
    const mastra = new Mastra({ agents: { scripted: own }, storage: storeOf(setup) })
    const agent = mastra.getAgent('scripted')
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = {
          ...(signal && { abortSignal: signal }),
          ...(setup.isMended && { modelSettings: { maxRetries: 2 } }),
          ...(feature === 'output' && { structuredOutput: { schema: answerSchema } }),
        } as object
        if (!onText) return toOutcome(await agent.generate(toMessages(input), options))
        const result = await agent.stream(toMessages(input), options)
        let text = ''
        for await (const part of result.textStream) {
          text += part
          onText(part)
        }
        if (result.error) throw result.error
        return { text, end: await result.finishReason }
      },
      async resume(kept, decisions) {
        const { runId } = JSON.parse(kept) as { runId: string }
        let outcome: Outcome = {}
        for (const [toolCallId, yes] of Object.entries(decisions))
          outcome = toOutcome(
            await (yes
              ? agent.approveToolCallGenerate({ runId, toolCallId })
              : agent.declineToolCallGenerate({ runId, toolCallId })),
          )
        return outcome
      },
    }
    return {
      ...opened,
      async chat({ messages }) {
        const params = { messages: toUIMessages(messages) as never }
        const stream = await handleChatStream({ mastra, agentId: 'scripted', params, version: 'v7' })
        return createUIMessageStreamResponse({ stream: stream as never }).text()
      },
    }
  },
}

interface Model {
  readonly id: 'scripted/scripted'
  readonly url: string
  readonly apiKey: string
}

/** An agent with the tools of an MCP server. */
async function withServer({ mcpURL: url = '' }: Setup, model: Model): Promise<Opened> {
  const client = new MCPClient({ id: crypto.randomUUID(), servers: { notes: { url: new URL(url) } } })
  const tools = await client.listTools()
  const agent = new Agent({ id: 'scripted', name: 'scripted', instructions: '', model, tools })
  return {
    run: async (input) => toOutcome(await agent.generate(toMessages(input))),
    close: () => client.disconnect(),
  }
}

/** A durable agent, with a database that keeps its runs. */
function durable(setup: Setup, model: Model): Opened {
  const own = new Agent({ id: 'scripted', name: 'scripted', instructions: '', model, tools: toolsOf(setup) })
  const agent = createDurableAgent({ agent: own })
  const storage = new LibSQLStore({ id: 'runs', url: `file:${join(setup.folder ?? '', 'runs.db')}` })
  new Mastra({ agents: { scripted: agent }, storage, recovery: { durableAgents: 'auto' } })
  const follow = async ({ output, cleanup }: Awaited<ReturnType<typeof agent.stream>>) => {
    const text = await output.text
    cleanup()
    if (output.error) throw output.error
    return { text }
  }
  return {
    run: async (input) => follow(await agent.stream(toMessages(input))),
    start: async (runId) => follow(await agent.stream('Go.', { runId })),
    recover: async (runId) => follow(await agent.recover(runId)),
  }
}

/** An agent whose runs share a budget. It is one of money, by the list of prices that Mastra has. */
function withBudget({ baseURL: url, apiKey }: Setup): Opened {
  const cost = (sharedTokens / 100) * (10 * 0.05e-6 + 90 * 0.4e-6)
  const own = new Agent({
    id: 'scripted',
    name: 'scripted',
    instructions: '',
    model: { id: 'openai/gpt-5-nano', url, apiKey },
    inputProcessors: [new TokenCostControl({ maxCost: cost, window: '24h' })],
  })
  const exporters = [new MastraStorageExporter()]
  const observability = new Observability({ configs: { default: { serviceName: 'scripted', exporters } } })
  const mastra = new Mastra({ agents: { scripted: own }, storage: new InMemoryStore(), observability })
  const agent = mastra.getAgent('scripted')
  return {
    async run(input) {
      const memory = { resource: 'ann', thread: crypto.randomUUID() }
      const requestContext = new RequestContext([[MASTRA_RESOURCE_ID_KEY, memory.resource]])
      return toOutcome(await agent.generate(toMessages(input), { memory, requestContext }))
    },
    close: () => mastra.observability.shutdown(),
  }
}

function throwing(): boolean {
  throw new Error('the rules cannot be read')
}

const stores = new Map<string, InMemoryStore>()

/** One for each folder: agents of one application share it. */
function storeOf({ folder = crypto.randomUUID() }: Setup): InMemoryStore {
  const known = stores.get(folder) ?? new InMemoryStore()
  stores.set(folder, known)
  return known
}

function toolsOf({ tools }: Setup) {
  return Object.fromEntries(
    tools.map(({ name, description, parameters, execute, needsApproval = false }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: parameters,
        requireApproval: needsApproval === 'throws' ? throwing : needsApproval,
        execute: async (args, context) =>
          execute(args as Record<string, unknown>, context?.abortSignal, context?.agent?.toolCallId),
      }),
    ]),
  )
}

function toMessages(input: Input) {
  if (typeof input === 'string') return input
  const messages = input.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    const { id: toolCallId, name: toolName, arguments: given } = message.call
    return {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId, toolName, input: given, args: given }],
    }
  })
  return messages as never
}

interface Result {
  readonly text: string
  readonly finishReason?: string | undefined
  readonly runId?: string | undefined
  readonly error?: unknown
  readonly suspendPayload?: unknown
  readonly object?: unknown
}

function toOutcome({ text, finishReason, runId, suspendPayload, error, object: output }: Result): Outcome {
  if (error) throw error
  if (finishReason !== 'suspended') return { text, end: finishReason, output }
  const { toolCallId: id, toolName: name, args } = suspendPayload as Record<string, string>
  return {
    text,
    end: finishReason,
    pending: [{ id: id ?? '', name: name ?? '', arguments: args }],
    kept: JSON.stringify({ runId }),
  }
}
