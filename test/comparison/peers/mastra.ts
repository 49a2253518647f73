import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import type { Input, Opened, Outcome, Peer, Setup } from '../peer.js'

/** An agent of Mastra, with a storage. */
export const peer: Peer = {
  features: ['approvals', 'chat', 'code mode', 'tool search', 'agents'],
  open(setup) {
    const own = new Agent({
      id: 'scripted',
      name: 'scripted',
      instructions: '',
      model: createOpenAICompatible({
        name: 'scripted',
        baseURL: setup.baseURL,
        apiKey: setup.apiKey,
      }).chatModel('scripted'),
      tools: toolsOf(setup),
    })
    const mastra = new Mastra({ agents: { scripted: own }, storage: storeOf(setup), logger: false })
    const agent = mastra.getAgent('scripted')
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = signal ? { abortSignal: signal } : {}
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
    return opened
  },
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
        requireApproval: needsApproval,
        execute: async (args, context) => execute(args as Record<string, unknown>, context?.abortSignal),
      }),
    ]),
  )
}

function toMessages(input: Input) {
  return input as string
}

interface Result {
  readonly text: string
  readonly finishReason?: string | undefined
  readonly runId?: string
  readonly error?: unknown
  readonly suspendPayload?: unknown
}

function toOutcome({ text, finishReason, runId, suspendPayload, error }: Result): Outcome {
  if (error) throw error
  if (finishReason !== 'suspended') return { text, end: finishReason }
  const { toolCallId: id, toolName: name, args } = suspendPayload as Record<string, string>
  return {
    text,
    end: finishReason,
    pending: [{ id: id ?? '', name: name ?? '', arguments: args }],
    kept: JSON.stringify({ runId }),
  }
}
