import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { experimental_codeModeTool } from '@ai-sdk/code-mode'
import { createMCPClient } from '@ai-sdk/mcp'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  createAgentUIStreamResponse,
  detectToolDrift,
  fingerprintTools,
  type LanguageModel,
  type ModelMessage,
  Output,
  ToolLoopAgent,
  type ToolSet,
  tool,
  toolSearch,
} from 'ai'
import { answerSchema, type Input, type Opened, type Outcome, type Peer, type Setup } from '../peer.js'
import { call } from '../server.js'
import { toUIMessages } from '../ui-messages.js'

/** The AI SDK, with `ToolLoopAgent`. */
export const peer: Peer = {
  name: 'ai',
  features: ['approvals', 'approval function', 'chat', 'code mode', 'tool search', 'output', 'mcp'],
  mends: {
    'forged-approval': '`experimental_toolApprovalSecret`',
    'changed-state': '`experimental_toolApprovalSecret`',
    'code-mode': '`needsApproval`, deprecated',
    'many-calls': '`toolCallConcurrency: 8`',
    'mcp-restart': '`detectToolDrift`',
  },
  script: {
    search: (name) => call('search', JSON.stringify({ query: name })),
    program: (name, args) =>
      call('code_mode', JSON.stringify({ js: `return await tools.${name}(${JSON.stringify(args)})` })),
  },
  open(setup) {
    const { baseURL, apiKey } = setup
    const isCode = setup.feature === 'code mode'
    const model = createOpenAICompatible({ name: 'scripted', baseURL, apiKey }).chatModel('scripted')
    if (setup.feature === 'mcp') return withServer(setup, model)
    const agent = new ToolLoopAgent({
      model,
      tools: toolsOf(setup),
      ...(isCode && {
        experimental_toolCallers: Object.fromEntries(
          setup.tools.map(({ name }) => [name, ['code_mode']]),
        ) as object,
      }),
      ...(setup.feature === 'output' && { output: Output.object({ schema: answerSchema }) }),
      toolApproval: Object.fromEntries(
        setup.tools.flatMap(({ name, needsApproval }) =>
          needsApproval ? [[name, approval(needsApproval)]] : [],
        ),
      ),
      ...(setup.id === 'many-calls' && setup.isMended && { toolCallConcurrency: 8 }),
      ...(setup.isMended && !isCode && { experimental_toolApprovalSecret: 'a secret of the server' }),
    })
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const messages = toMessages(input)
        const options = { messages, ...(signal && { abortSignal: signal }) }
        if (!onText) {
          const result = await agent.generate(options)
          const outcome = toOutcome(messages, result)
          // Reading it throws where there is none.
          return setup.feature === 'output' ? { ...outcome, output: result.output } : outcome
        }
        const result = await agent.stream(options)
        let text = ''
        for await (const part of result.fullStream) {
          if (part.type === 'error') throw part.error
          if (part.type === 'abort') return { end: 'abort', text }
          if (part.type !== 'text-delta') continue
          text += part.text
          onText(part.text)
        }
        return { text, end: await result.finishReason }
      },
      async resume(kept, decisions) {
        const { messages, approvals } = JSON.parse(kept) as Kept
        const content = approvals
          .filter(({ call }) => decisions[call] !== undefined)
          .map(({ approvalId, call }) => ({
            type: 'tool-approval-response' as const,
            approvalId,
            approved: decisions[call] === true,
          }))
        const next: ModelMessage[] = [...messages, { role: 'tool', content }]
        return toOutcome(next, await agent.generate({ messages: next }))
      },
      async chat({ messages }) {
        const response = await createAgentUIStreamResponse({ agent, uiMessages: toUIMessages(messages) })
        return response.text()
      },
    }
    return opened
  },
}

/** An agent with the tools of an MCP server. */
async function withServer(
  { mcpURL: url = '', folder = '', isMended }: Setup,
  model: LanguageModel,
): Promise<Opened> {
  const client = await createMCPClient({ transport: { type: 'http', url } })
  const tools = await client.tools()
  const current = await fingerprintTools(tools)
  const file = join(folder, 'baseline.json')
  const baseline = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : current
  writeFileSync(file, JSON.stringify(baseline))
  // What to do with changed tools is left to the program.
  if (isMended) for (const name of detectToolDrift(current, baseline).changed) delete tools[name]
  const agent = new ToolLoopAgent({ model, tools: tools as ToolSet })
  return {
    async run(input) {
      const messages = toMessages(input)
      return toOutcome(messages, await agent.generate({ messages }))
    },
    close: () => client.close(),
  }
}

interface Kept {
  readonly messages: ModelMessage[]
  readonly approvals: readonly { readonly approvalId: string; readonly call: string }[]
}

function approval(needed: true | 'throws') {
  if (needed === true) return 'user-approval' as const
  return () => {
    throw new Error('the rules cannot be read')
  }
}

function toolsOf({ tools, feature, isMended }: Setup) {
  const isCode = feature === 'code mode'
  const own = tools.map(({ name, description, parameters, execute }) => [
    name,
    tool({
      description,
      inputSchema: parameters,
      ...(isCode && isMended && { needsApproval: true }),
      ...(feature === 'tool search' && { deferLoading: true }),
      execute: (args, options) => execute(args, options.abortSignal),
    }),
  ])
  const further = isCode
    ? { code_mode: experimental_codeModeTool() }
    : feature === 'tool search'
      ? { search: toolSearch() }
      : {}
  return { ...Object.fromEntries(own), ...further } as ToolSet
}

function toMessages(input: Input): ModelMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return input.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    const { id: toolCallId, name: toolName, arguments: given } = message.call
    return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: given }] }
  })
}

type Generated = Awaited<ReturnType<ToolLoopAgent['generate']>>

function toOutcome(before: readonly object[], result: Generated): Outcome {
  const asked = result.content.flatMap((part) => (part.type === 'tool-approval-request' ? [part] : []))
  if (asked.length === 0) return { text: result.text, end: result.finishReason }
  const kept = {
    messages: [...before, ...result.response.messages],
    approvals: asked.map(({ approvalId, toolCall }) => ({ approvalId, call: toolCall.toolCallId })),
  }
  return {
    text: result.text,
    end: result.finishReason,
    pending: asked.map(({ toolCall: { toolCallId: id, toolName: name, input } }) => ({
      id,
      name,
      arguments: input,
    })),
    kept: JSON.stringify(kept),
  }
}
