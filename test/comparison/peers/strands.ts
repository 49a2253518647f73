import { Agent, type MessageData, type Snapshot, tool } from '@strands-agents/sdk'
import { OpenAIModel } from '@strands-agents/sdk/models/openai'
import { HumanInTheLoop } from '@strands-agents/sdk/vended-interventions/hitl'
import type { Opened, Outcome, Peer, Setup } from '../peer.js'

export const peer: Peer = {
  features: ['approvals', 'agents', 'token limit'],
  open(setup) {
    const open = (messages: readonly object[] = []) =>
      new Agent({
        model: new OpenAIModel({
          api: 'chat',
          modelId: 'scripted',
          apiKey: setup.apiKey,
          clientConfig: { baseURL: setup.baseURL },
        }),
        tools: toolsOf(setup),
        messages: messages as MessageData[],
        printer: false,
        interventions: interventionsOf(setup),
      })
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = {
          ...(signal && { cancelSignal: signal }),
          ...(setup.tokens && { limits: { totalTokens: setup.tokens } }),
        }
        const agent = open(typeof input === 'string' ? [] : input.slice(0, -1))
        const last = typeof input === 'string' ? input : (input.at(-1) as { content: string }).content
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

interface Kept {
  readonly snapshot: Snapshot
  readonly calls: readonly { readonly id: string; readonly interruptId: string }[]
}

function interventionsOf({ tools }: Setup) {
  const asked = tools.filter(({ needsApproval }) => needsApproval).map(({ name }) => `!${name}`)
  return asked.length > 0 ? [new HumanInTheLoop({ allowedTools: ['*', ...asked] })] : []
}

function toolsOf({ tools }: Setup) {
  return tools.map(({ name, description, parameters, execute }) =>
    tool({
      name,
      description,
      inputSchema: parameters,
      callback: async (args, context) =>
        (await execute(args, context?.cancelSignal)) as never,
    }),
  )
}

function toOutcome(agent: Agent, result: Awaited<ReturnType<Agent['invoke']>>): Outcome {
  const { interrupts = [], stopReason: end } = result
  const text = result.toString()
  if (interrupts.length === 0) return { text, end }
  const uses = agent.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'toolUseBlock' ? [block] : [])),
  )
  const calls = interrupts.map((one, index) => ({ id: uses[index]?.toolUseId ?? one.id, interruptId: one.id }))
  return {
    text,
    end,
    pending: interrupts.map((one, index) => ({
      id: calls[index]?.id ?? '',
      name: uses[index]?.name ?? one.name,
      arguments: uses[index]?.input ?? one.reason,
    })),
    kept: JSON.stringify({ snapshot: agent.takeSnapshot({ preset: 'session' }), calls }),
  }
}
