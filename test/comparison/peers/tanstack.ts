import {
  chat,
  type StreamChunk,
  toolDefinition,
  toServerSentEventsResponse,
  type UIMessage,
} from '@tanstack/ai'
import { StreamProcessor } from '@tanstack/ai/client'
import { createMCPClient } from '@tanstack/ai-mcp'
import { openaiCompatibleText } from '@tanstack/ai-openai/compatible'
import {
  answerSchema,
  type ClientCall,
  type ClientMessage,
  type Input,
  type Opened,
  type Outcome,
  type Peer,
  type Setup,
} from '../peer.js'
import { call } from '../server.js'

/** TanStack AI: `chat`, and the messages that a page keeps. */
export const peer: Peer = {
  name: 'tanstack',
  features: ['approvals', 'chat', 'tool search', 'output', 'mcp'],
  script: { search: (name) => call('__lazy__tool__discovery__', JSON.stringify({ toolNames: [name] })) },
  async open(setup) {
    const client =
      setup.mcpURL === undefined
        ? undefined
        : await createMCPClient({ transport: { type: 'http', url: setup.mcpURL } })
    const tools = client ? await client.tools() : toolsOf(setup)
    const adapter = openaiCompatibleText('scripted', { baseURL: setup.baseURL, apiKey: setup.apiKey })
    const follow = async (
      given: Given,
      { signal, onText }: { signal?: AbortSignal; onText?(text: string): void },
    ) => {
      const abortController = new AbortController()
      signal?.addEventListener('abort', () => abortController.abort())
      const chunks: StreamChunk[] = []
      const outcome: { text: string; end?: string } = { text: '' }
      let pending: Pending[] = []
      const stream = chat({ adapter, tools, abortController, ...given } as never)
      for await (const chunk of stream as AsyncIterable<StreamChunk>) {
        chunks.push(chunk)
        const { type, delta = '', outcome: finished, message, finishReason } = chunk as Chunk
        if (type === 'RUN_ERROR') throw new Error(message)
        if (type === 'TEXT_MESSAGE_START') outcome.text = ''
        if (type === 'TEXT_MESSAGE_CONTENT') {
          outcome.text += delta
          onText?.(delta)
        }
        if (type !== 'RUN_FINISHED') continue
        if (finishReason) outcome.end = finishReason
        pending = finished?.type === 'interrupt' ? (finished.interrupts ?? []) : []
      }
      return pending.length > 0 ? { ...outcome, ...keep(chunks, pending, given) } : outcome
    }
    const opened: Opened = {
      async run(input, options = {}) {
        const messages = toMessages(input)
        if (setup.feature === 'output') {
          const output = await chat({ adapter, messages, outputSchema: answerSchema } as never)
          return { output }
        }
        return follow({ messages, threadId: crypto.randomUUID(), runId: crypto.randomUUID() }, options)
      },
      resume(kept, decisions) {
        const { messages, threadId, runId, interrupts } = JSON.parse(kept) as Kept
        const resume = interrupts
          .filter(({ toolCallId }) => decisions[toolCallId] !== undefined)
          .map(({ id, toolCallId }) => ({
            interruptId: id,
            status: 'resolved',
            payload: { approved: decisions[toolCallId] === true },
          }))
        return follow({ messages, threadId, runId: crypto.randomUUID(), parentRunId: runId, resume }, {})
      },
    }
    return {
      ...opened,
      ...(client && { close: () => client.close() }),
      async chat({ messages }) {
        const stream = chat({ adapter, tools, messages: toUIMessages(messages) } as never)
        return toServerSentEventsResponse(stream as never).text()
      },
    }
  },
}

interface Given {
  readonly messages: readonly object[]
  readonly threadId: string
  readonly runId: string
  readonly parentRunId?: string
  readonly resume?: readonly object[]
}

interface Pending {
  readonly id: string
  readonly toolCallId: string
}

interface Chunk {
  readonly type: string
  readonly delta?: string
  readonly message?: string
  readonly finishReason?: string
  readonly outcome?: { readonly type: string; readonly interrupts?: Pending[] }
}

interface Kept extends Given {
  readonly interrupts: readonly Pending[]
}

function toolsOf({ tools, feature }: Setup) {
  return tools.map(({ name, description, parameters, execute, needsApproval = false }) =>
    toolDefinition({
      name,
      description,
      inputSchema: parameters,
      needsApproval: needsApproval !== false,
      lazy: feature === 'tool search',
    }).server(async (args, context) => execute(args as Record<string, unknown>, context?.abortSignal)),
  )
}

function toMessages(input: Input): object[] {
  if (typeof input === 'string')
    return [{ id: 'message_0', role: 'user', parts: [{ type: 'text', content: input }] }]
  return input.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    const { id, name, arguments: given } = message.call
    const called = { name, arguments: JSON.stringify(given) }
    return { role: 'assistant', content: null, toolCalls: [{ id, type: 'function', function: called }] }
  })
}

/** The messages of its `useChat`. */
function toUIMessages(messages: readonly ClientMessage[]): object[] {
  return messages.map((message, index) => {
    const id = `message_${index}`
    if (message.role === 'call') {
      const { id: callId, name, arguments: given, ...rest } = message.call
      const head = { type: 'tool-call', id: callId, name, arguments: JSON.stringify(given), input: given }
      return { id, role: 'assistant', parts: [{ ...head, ...stateOf(rest) }, ...resultOf(callId, rest)] }
    }
    if (message.role === 'system' && message.isPlain) return { id, role: 'system', content: message.text }
    const text = { type: 'text', content: message.text }
    if (!('url' in message)) return { id, role: message.role, parts: [text] }
    const { url: value, mediaType: mimeType } = message
    return {
      id,
      role: 'user',
      parts: [
        text,
        {
          type: mimeType.startsWith('image/') ? 'image' : 'document',
          source: { type: 'url', value, mimeType },
        },
      ],
    }
  })
}

function resultOf(toolCallId: string, { result }: Partial<ClientCall>): object[] {
  if (result === undefined) return []
  return [{ type: 'tool-result', toolCallId, content: JSON.stringify(result), state: 'complete' }]
}

/** What a page says about a call. */
function stateOf({ open, result }: Partial<ClientCall>): object {
  if (open) return { state: 'input-complete' }
  if (result !== undefined) return { state: 'complete', output: result }
  return {
    state: 'approval-responded',
    approval: { id: 'approval_call_1', needsApproval: true, approved: true },
  }
}

/** What a page keeps of a run that waits: its messages, made of the stream. */
function keep(chunks: readonly StreamChunk[], pending: readonly Pending[], given: Given): Outcome {
  const processor = new StreamProcessor()
  processor.setMessages(given.messages as UIMessage[])
  for (const chunk of chunks) processor.processChunk(chunk)
  const messages = processor.getMessages()
  const parts = messages.at(-1)?.parts ?? []
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  return {
    pending: pending.map(({ toolCallId }) => {
      const call = calls.find(({ id }) => id === toolCallId)
      return { id: toolCallId, name: call?.name ?? '', arguments: call?.arguments }
    }),
    kept: JSON.stringify({ ...given, messages, interrupts: pending }),
  }
}
