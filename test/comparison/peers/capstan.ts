import { join } from 'node:path'
import { codeMode } from '@capstan/code'
import {
  Agent,
  agentTool,
  type ChatModel,
  chatModel,
  ledger,
  type Message,
  memoryLedger,
  memorySessions,
  type RunState,
  tool,
} from '@capstan/core'
import { folderRuns, persistent } from '@capstan/durable'
import { agentHandler } from '@capstan/http'
import { type McpTools, mcpTools } from '@capstan/mcp'
import { deferred } from '@capstan/tools/search'
import {
  answerSchema,
  type Input,
  mostTokens,
  type Opened,
  type Outcome,
  type Peer,
  type Setup,
  sharedTokens,
} from '../peer.js'
import { call } from '../server.js'
import { toUIMessages } from '../ui-messages.js'

export const peer: Peer = {
  name: 'capstan',
  features: [
    'approvals',
    'approval function',
    'chat',
    'code mode',
    'tool search',
    'agents',
    'token limit',
    'output',
    'recovery',
    'mcp',
    'shared budget',
  ],
  mends: {
    'changed-state': '`agentHandler`',
    'approved-twice': '`agentHandler`',
    'two-deciders': '`agentHandler`',
    'mcp-restart': '`pins`',
    'budget-race': '`maxTokens: 90`',
    'kill-after-1': '`idempotencyKey`',
    'kill-after-2': '`idempotencyKey`',
  },
  script: {
    search: (name) => call('find_tools', JSON.stringify({ query: name })),
    program: (name, args) =>
      call('run_program', JSON.stringify({ code: `return await tools.${name}(${JSON.stringify(args)})` })),
    ask: (task) => call('clerk', JSON.stringify({ input: task })),
  },
  open(setup) {
    const model = chatModel('scripted', { baseURL: setup.baseURL, apiKey: setup.apiKey })
    const own = toolsOf(setup)
    const { feature } = setup
    const budget = ledger({
      store: memoryLedger(),
      key: () => 'ann',
      limits: { tokens: sharedTokens },
      per: 'day',
    })
    const agent = new Agent({
      name: 'scripted',
      model,
      tools:
        feature === 'tool search'
          ? [deferred(own)]
          : feature === 'agents'
            ? [agentTool(new Agent({ name: 'clerk', model, tools: own }))]
            : own,
      ...(feature === 'output' && { output: answerSchema }),
      ...(feature === 'token limit' && { limits: { tokens: mostTokens } }),
      ...(feature === 'code mode' && { middleware: [codeMode()] }),
      ...(feature === 'shared budget' && { middleware: [budget] }),
      ...(feature === 'shared budget' && setup.isMended && { settings: { maxTokens: 90 } }),
    })
    if (feature === 'mcp') return withServer(setup, model)
    if (feature === 'recovery') return persisted(agent, setup)
    if (setup.isMended && feature !== 'shared budget') return behindHandler(agent)
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = signal ? { signal } : {}
        const given = toInput(input)
        if (!onText) return toOutcome(await agent.run(given, options))
        const run = agent.stream(given, options)
        for await (const text of run.textStream) onText(text)
        return toOutcome(await run.result)
      },
      async resume(kept, decisions) {
        const given = Object.entries(decisions).map(([id, yes]) => [
          id,
          yes ? { type: 'approve' as const } : { type: 'deny' as const, reason: 'No.' },
        ])
        return toOutcome(
          await agent.run(JSON.parse(kept) as RunState, { decisions: Object.fromEntries(given) }),
        )
      },
      async chat({ messages }) {
        const handler = handlerOf(agent)
        try {
          const chat = { id: 'chat', trigger: 'submit-message', messages: toUIMessages(messages) }
          return await send(handler, '/ui', chat)
        } finally {
          await handler.close()
        }
      },
    }
    return opened
  },
}

/** Runs that a folder keeps. */
function persisted(agent: Agent, { folder = '' }: Setup): Opened {
  const runs = persistent(agent, { store: folderRuns(join(folder, 'runs')) })
  return {
    run: async (input) => toOutcome(await agent.run(toInput(input))),
    start: async (runId) => toOutcome(await runs.run('Go.', { runId })),
    async recover(runId) {
      await runs.recover(runId)
      return toOutcome(await runs.result(runId))
    },
  }
}

/** An agent with the tools of an MCP server. */
async function withServer(
  { mcpURL: url = '', folder = '', isMended }: Setup,
  model: ChatModel,
): Promise<Opened> {
  const server: McpTools = await mcpTools({ url, ...(isMended && { pins: join(folder, 'pins.json') }) })
  const agent = new Agent({ name: 'scripted', model, tools: [...server.tools] })
  return {
    run: async (input) => toOutcome(await agent.run(toInput(input))),
    close: () => server.close(),
  }
}

/** A server, which keeps its runs. */
function behindHandler(agent: Agent): Opened {
  const handler = handlerOf(agent)
  return {
    async run(input) {
      const result = JSON.parse(await send(handler, '/runs', { input, session: 'chat', stream: false }))
      const { text, stopReason, pending, runId } = result
      const kept = JSON.stringify({ runId })
      return { text, end: stopReason, ...(pending && { pending: pending.map(toPending), kept }) }
    },
    async resume(kept, decisions) {
      const { runId } = JSON.parse(kept)
      for (const [callId, yes] of Object.entries(decisions)) {
        const decision = yes ? { type: 'approve' } : { type: 'deny', reason: 'No.' }
        await send(handler, `/runs/${runId}/decisions`, { callId, decision })
      }
      await send(handler, `/runs/${runId}/events`)
      return {}
    },
  }
}

function toInput(input: Input): string | Message[] {
  if (typeof input === 'string') return input
  return input.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    const { id, name, arguments: given } = message.call
    const called = { name, arguments: JSON.stringify(given) }
    return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] }
  })
}

function toPending(call: { callId: string; name: string; arguments: unknown }) {
  return { id: call.callId, name: call.name, arguments: call.arguments }
}

function handlerOf(agent: Agent) {
  return agentHandler(agent, { authenticate: () => ({ id: 'ann' }), sessions: memorySessions() })
}

async function send(handler: ReturnType<typeof handlerOf>, path: string, body?: object): Promise<string> {
  const response = await handler(
    new Request(`http://127.0.0.1${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    }),
  )
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

function toolsOf({ tools }: Setup) {
  return tools.map(({ name, description, parameters, execute, needsApproval, untrusted }) =>
    tool({
      name,
      description,
      parameters,
      ...(needsApproval && { needsApproval: needsApproval === true ? true : throwing }),
      ...(untrusted && { untrusted, effects: 'read' as const }),
      execute: (args, { signal, idempotencyKey }) => execute(args, signal, idempotencyKey),
    }),
  )
}

function throwing(): boolean {
  throw new Error('the rules cannot be read')
}

function toOutcome(result: Awaited<ReturnType<Agent['run']>>): Outcome {
  const { text, stopReason, pending } = result
  return {
    text,
    end: stopReason,
    ...('output' in result && { output: result.output }),
    ...(pending && {
      pending: pending.map((call) => ({ id: call.callId, name: call.name, arguments: call.arguments })),
      kept: JSON.stringify(result.state),
    }),
  }
}
