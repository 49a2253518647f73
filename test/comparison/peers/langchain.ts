import { join } from 'node:path'
import { type BaseCheckpointSaver, Command, MemorySaver } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { ChatOpenAI } from '@langchain/openai'
import { AIMessageChunk, createAgent, humanInTheLoopMiddleware, tool } from 'langchain'
import Database from 'libsql'
import { answerSchema, type Input, type Opened, type Outcome, type Peer, type Setup } from '../peer.js'
import { call } from '../server.js'

/** The agent of LangChain, with a checkpointer. */
export const peer: Peer = {
  name: 'langchain',
  features: ['approvals', 'approval function', 'output', 'recovery', 'mcp'],
  // Each request of a process has another name for it.
  script: { answer: (value, at) => call(`extract-${at + 1}`, JSON.stringify(value)) },
  mends: {
    'many-calls': '`maxConcurrency: 8`',
    'kill-after-1': '`toolCall.id`',
    'kill-after-2': '`toolCall.id`',
  },
  open(setup) {
    const interruptOn = Object.fromEntries(
      setup.tools
        .filter(({ needsApproval }) => needsApproval)
        .map(({ name, needsApproval }) => [
          name,
          {
            allowedDecisions: ['approve' as const, 'reject' as const],
            ...(needsApproval === 'throws' && { when: throwing }),
          },
        ]),
    )
    const model = new ChatOpenAI({
      model: 'scripted',
      apiKey: setup.apiKey,
      configuration: { baseURL: setup.baseURL },
    })
    if (setup.feature === 'mcp') return withServer(setup, model)
    const agent = createAgent({
      model,
      tools: toolsOf(setup),
      checkpointer: saver(setup),
      ...((setup.feature === 'output' && { responseFormat: answerSchema }) as object),
      // Its types do not allow settings that may be missing (`exactOptionalPropertyTypes`).
      ...((Object.keys(interruptOn).length > 0 && {
        middleware: [humanInTheLoopMiddleware({ interruptOn } as never)],
      }) as object),
    })
    const threadOf = (thread_id: string) => ({ configurable: { thread_id } })
    const opened: Opened = {
      start: async (runId) =>
        toOutcome(await agent.invoke({ messages: toMessages('Go.') }, threadOf(runId)), runId),
      recover: async (runId) => toOutcome(await agent.invoke(null, threadOf(runId)), runId),
      async run(input, { signal, onText } = {}) {
        const thread_id = crypto.randomUUID()
        const config = {
          configurable: { thread_id },
          ...(signal && { signal }),
          ...(setup.id === 'many-calls' && setup.isMended && { maxConcurrency: 8 }),
        }
        const state = { messages: toMessages(input) }
        if (!onText) return toOutcome(await agent.invoke(state, config), thread_id)
        let text = ''
        for await (const [message] of await agent.stream(state, { ...config, streamMode: 'messages' })) {
          if (!AIMessageChunk.isInstance(message)) continue
          text += message.text
          onText(message.text)
        }
        return { text }
      },
      async resume(kept, decisions) {
        const { thread_id, calls } = JSON.parse(kept) as { thread_id: string; calls: string[] }
        const resume = {
          decisions: calls
            .filter((id) => decisions[id] !== undefined)
            .map((id) => (decisions[id] ? { type: 'approve' } : { type: 'reject', message: 'No.' })),
        }
        const command = new Command({ resume }) as never
        return toOutcome(await agent.invoke(command, { configurable: { thread_id } }), thread_id)
      },
    }
    return opened
  },
}

function throwing(): boolean {
  throw new Error('the rules cannot be read')
}

/** An agent with the tools of an MCP server. */
async function withServer({ mcpURL: url = '' }: Setup, model: ChatOpenAI): Promise<Opened> {
  const client = new MultiServerMCPClient({ notes: { transport: 'http', url } })
  const agent = createAgent({ model, tools: await client.getTools() })
  return {
    run: async (input) => toOutcome(await agent.invoke({ messages: toMessages(input) }), ''),
    close: () => client.close(),
  }
}

const savers = new Map<string, MemorySaver>()

/** One for each folder: agents of one application share it. A run that outlives its process has a file. */
function saver({ folder = crypto.randomUUID(), feature }: Setup): BaseCheckpointSaver {
  // Its own database is compiled at its installation; this one has the same interface, and comes as it is.
  if (feature === 'recovery') return new SqliteSaver(new Database(join(folder, 'checkpoints.db')) as never)
  const known = savers.get(folder) ?? new MemorySaver()
  savers.set(folder, known)
  return known
}

function toMessages(input: Input) {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return input.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    const { id, name, arguments: args } = message.call
    return { role: 'assistant', content: '', tool_calls: [{ id, name, args, type: 'tool_call' }] }
  })
}

function toolsOf({ tools }: Setup) {
  return tools.map(({ name, description, parameters, execute }) =>
    tool((args: Record<string, unknown>, config) => execute(args, config?.signal, config?.toolCall?.id), {
      name,
      description,
      schema: parameters,
    }),
  )
}

interface State {
  readonly structuredResponse?: unknown
  readonly messages: readonly { readonly text: string; readonly content: unknown }[]
  readonly __interrupt__?: readonly { readonly value?: unknown }[]
}

interface Asked {
  readonly actionRequests: readonly { readonly name: string; readonly args: unknown }[]
}

function toOutcome(result: unknown, thread_id: string): Outcome {
  const { messages, structuredResponse, __interrupt__: interrupts = [] } = result as State
  const last = messages.at(-1) as { content: unknown; tool_calls?: { id: string; name: string }[] }
  const asked = interrupts.flatMap(({ value }) => (value as Asked).actionRequests)
  if (asked.length === 0) return { text: last?.content, output: structuredResponse }
  const ids = last.tool_calls ?? []
  const pending = asked.map(({ name, args }, index) => ({
    id: ids.filter((one) => one.name === name)[index]?.id ?? ids[index]?.id ?? '',
    name,
    arguments: args,
  }))
  return {
    text: last.content,
    pending,
    kept: JSON.stringify({ thread_id, calls: pending.map(({ id }) => id) }),
  }
}
