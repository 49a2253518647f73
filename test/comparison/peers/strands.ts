import { join } from 'node:path'
import {
  Agent,
  FileStorage,
  McpClient,
  type MessageData,
  SessionManager,
  type Snapshot,
  tool,
} from '@strands-agents/sdk'
import { OpenAIModel } from '@strands-agents/sdk/models/openai'
import { HumanInTheLoop } from '@strands-agents/sdk/vended-interventions/hitl'
import {
  answerSchema,
  type HistoryMessage,
  mostTokens,
  type Opened,
  type Outcome,
  type Peer,
  type Setup,
} from '../peer.js'
import { call } from '../server.js'

export const peer: Peer = {
  name: 'strands',
  features: ['approvals', 'approval function', 'agents', 'token limit', 'output', 'recovery', 'mcp'],
  mends: {
    forever: '`limits.turns`',
    different: '`limits.turns`',
    alternating: '`limits.turns`',
    huge: "`contextManager: 'auto'`",
    bytes: "`contextManager: 'auto'`",
    'kill-reply-2': "`saveLatestOn: 'message'`",
    'kill-before-2': "`saveLatestOn: 'message'`",
    'kill-after-2': "`saveLatestOn: 'message'`",
    'kill-reply-3': "`saveLatestOn: 'message'`",
  },
  script: {
    ask: (task) => call('clerk', JSON.stringify({ input: task })),
    answer: (value) => call('strands_structured_output', JSON.stringify(value)),
  },
  open(setup) {
    const { baseURL, apiKey } = setup
    const model = new OpenAIModel({ api: 'chat', modelId: 'scripted', apiKey, clientConfig: { baseURL } })
    if (setup.feature === 'mcp') return withServer(setup, model)
    if (setup.feature === 'recovery') return inSession(setup, model)
    const common = { model, interventions: interventionsOf(setup) }
    const open = (messages: MessageData[] = []) =>
      new Agent({
        ...common,
        tools:
          setup.feature === 'agents'
            ? [
                new Agent({
                  ...common,
                  id: 'clerk',
                  name: 'clerk',
                  description: 'A clerk',
                  tools: toolsOf(setup),
                }),
              ]
            : toolsOf(setup),
        messages,
        ...(setup.isMended && { contextManager: 'auto' as const }),
      })
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = {
          ...(signal && { cancelSignal: signal }),
          ...(setup.feature === 'output' && { structuredOutputSchema: answerSchema as never }),
          ...(setup.isMended && { limits: { turns: 10 } }),
          ...(setup.feature === 'token limit' && { limits: { totalTokens: mostTokens } }),
        }
        const agent = open(typeof input === 'string' ? [] : toMessages(input.slice(0, -1)))
        const last = typeof input === 'string' ? input : (input.at(-1) as { text: string }).text
        if (!onText) return toOutcome(agent, await agent.invoke(last, options))
        const stream = agent.stream(last, options)
        for (;;) {
          const { value, done } = await stream.next()
          if (done) return toOutcome(agent, value)
          const { event } = value as { event?: { type?: string; delta?: { type?: string; text?: string } } }
          if (event?.delta?.type === 'textDelta') onText(event.delta.text ?? '')
        }
      },
      async resume(kept, decisions) {
        const { snapshot, calls } = JSON.parse(kept) as Kept
        const agent = open()
        agent.loadSnapshot(snapshot)
        const given = calls
          .filter(({ id }) => decisions[id] !== undefined)
          .map(({ id, interruptId }) => ({
            interruptResponse: { interruptId, response: decisions[id] === true },
          }))
        return toOutcome(agent, await agent.invoke(given))
      },
    }
    return opened
  },
}

/** An agent with the tools of an MCP server. */
function withServer({ mcpURL: url = '' }: Setup, model: OpenAIModel): Opened {
  const client = new McpClient({ url })
  const agent = new Agent({ model, tools: [client] })
  return {
    async run(input) {
      return toOutcome(agent, await agent.invoke(input as string))
    },
    close: () => client.disconnect(),
  }
}

/** An agent whose session is in a folder. */
function inSession(setup: Setup, model: OpenAIModel): Opened {
  const open = (sessionId: string) => {
    const snapshot = new FileStorage(join(setup.folder ?? '', 'sessions'))
    const sessionManager = new SessionManager({
      sessionId,
      storage: { snapshot },
      ...(setup.isMended && { saveLatestOn: 'message' as const }),
    })
    return new Agent({ model, tools: toolsOf(setup), sessionManager })
  }
  const run = async (agent: Agent, input: string | []) => toOutcome(agent, await agent.invoke(input))
  return {
    run: (input) => run(open(crypto.randomUUID()), input as string),
    start: (runId) => run(open(runId), 'Go.'),
    async recover(runId) {
      const agent = open(runId)
      await agent.initialize()
      return run(agent, agent.messages.length > 0 ? [] : 'Go.')
    },
  }
}

interface Kept {
  readonly snapshot: Snapshot
  readonly calls: readonly { readonly id: string; readonly interruptId: string }[]
}

function toMessages(history: readonly HistoryMessage[]): MessageData[] {
  return history.map((message) => {
    if (message.role === 'user') return { role: 'user', content: [{ text: message.text }] }
    const { id: toolUseId, name, arguments: input } = message.call
    return { role: 'assistant', content: [{ toolUse: { name, toolUseId, input: input as never } }] }
  })
}

function interventionsOf({ tools }: Setup) {
  const asked = tools.filter(({ needsApproval }) => needsApproval)
  if (asked.length === 0) return []
  if (asked.some(({ needsApproval }) => needsApproval === 'throws'))
    return [new HumanInTheLoop({ classifier: throwing })]
  return [new HumanInTheLoop({ allowedTools: ['*', ...asked.map(({ name }) => `!${name}`)] })]
}

function throwing(): never {
  throw new Error('the rules cannot be read')
}

function toolsOf({ tools }: Setup) {
  return tools.map(({ name, description, parameters, execute }) =>
    tool({
      name,
      description,
      inputSchema: parameters,
      callback: async (args, context) =>
        (await execute(args, context?.cancelSignal, context?.toolUse.toolUseId)) as never,
    }),
  )
}

function toOutcome(agent: Agent, result: Awaited<ReturnType<Agent['invoke']>>): Outcome {
  const { interrupts = [], stopReason: end } = result
  const text = result.toString()
  if (interrupts.length === 0) return { text, end, output: result.structuredOutput }
  const calls = interrupts.map(({ id }) => ({ id: id.split(':')[2] ?? id, interruptId: id }))
  return {
    text,
    end,
    pending: interrupts.map(({ name, reason }, index) => ({
      id: calls[index]?.id ?? '',
      name,
      arguments: reason,
    })),
    kept: JSON.stringify({ snapshot: agent.takeSnapshot({ preset: 'session' }), calls }),
  }
}
