import { Agent, agentTool, CapstanError, tool } from '@capstan/core'
import { durable, type RestateOptions } from '@capstan/durable/restate'
import * as z from 'zod'
import { plannedModel } from '../planned-model.js'

/** Side effects of the tools. */
export interface World {
  /** Receives a line for each call that starts: the tool and the idempotency key. */
  note(line: string): void
  /** Delays calls of `slow`. Default: no delay. */
  hold?(signal: AbortSignal): Promise<unknown>
}

type MakeContext = (runId: string, data: unknown) => { readonly user: string }

/** The agents of these tests. They are equal in each process. */
export function agentsIn(world: World, given: RestateOptions & { readonly context?: MakeContext }) {
  const { context = () => ({ user: 'nobody' }), ...options } = given
  const { add, send, slow, poison, long, whose } = toolsIn(world)
  const sum = (a: number, b: number) => ({ name: 'add', arguments: { a, b } })
  const mail = { name: 'send', arguments: { to: 'Ada' } }
  const ask = (name: string) => ({ name, arguments: { input: 'Do it.' } })
  const model = plannedModel
  const adder = new Agent({
    name: 'adder',
    model: model([[sum(1, 2), sum(3, 4)], [sum(5, 6)]]),
    tools: [add],
  })
  const sender = new Agent({ name: 'sender', model: model([[sum(1, 2), mail]]), tools: [add, send] })
  const waiter = new Agent({
    name: 'waiter',
    model: model([[sum(1, 2)], [{ name: 'slow' }, sum(3, 4)], [sum(5, 6)]]),
    tools: [add, slow],
  })
  const known = new Agent({ name: 'known', model: model([[{ name: 'whose' }]]), tools: [whose] })
  const outer = new Agent({
    name: 'outer',
    model: model([[ask('sender'), ask('known'), sum(1, 2)]]),
    tools: [agentTool(sender), agentTool(known), add],
  })
  const chief = new Agent({
    name: 'chief',
    model: model([[ask('waiter')]]),
    tools: [agentTool(waiter)],
    price: { planned: { inputTokens: 1, outputTokens: 1 } },
  })
  const fatal = new Agent({ name: 'fatal', model: model([[{ name: 'poison' }]]), tools: [poison] })
  const deadly = new Agent({ name: 'deadly', model: model([[ask('fatal')]]), tools: [agentTool(fatal)] })
  const wordy = new Agent({ name: 'wordy', model: model([[{ name: 'long' }]]), tools: [long] })
  const failing = new Agent({
    name: 'failing',
    model: {
      name: 'broke',
      complete: () => Promise.reject(new CapstanError('quota', 'No money is left.', { status: 429 })),
    },
  })
  // With pauses this short, the default number of attempts would be used up before a worker is back on a busy machine.
  const maxAttempts = 100_000
  const on = { suspendAfterMs: 300, retryMs: { first: 30, longest: 200 }, maxAttempts, ...options }
  return {
    adder: durable(adder, on),
    sender: durable(sender, on),
    waiter: durable(waiter, on),
    outer: durable(outer, { ...on, context }),
    chief: durable(chief, on),
    fatal: durable(fatal, { ...on, maxAttempts: 3 }),
    deadly: durable(deadly, { ...on, maxAttempts: 3 }),
    wordy: durable(wordy, on),
    known: durable(known, { ...on, context }),
    failing: durable(failing, on),
  }
}

function toolsIn(world: World) {
  const none = z.object({})
  return {
    add: tool({
      name: 'add',
      description: 'Adds.',
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }, { idempotencyKey }) => {
        world.note(`add ${idempotencyKey}`)
        return a + b
      },
    }),
    send: tool({
      name: 'send',
      description: 'Sends.',
      parameters: z.object({ to: z.string() }),
      needsApproval: true,
      execute: ({ to }, { idempotencyKey }) => {
        world.note(`send ${idempotencyKey}`)
        return `Sent to ${to}.`
      },
    }),
    slow: tool({
      name: 'slow',
      description: 'Takes its time.',
      parameters: none,
      execute: async (_, { signal, idempotencyKey }) => {
        world.note(`slow ${idempotencyKey}`)
        await world.hold?.(signal)
        return 'done'
      },
    }),
    poison: tool({
      name: 'poison',
      description: 'Ends its process.',
      parameters: none,
      execute: (): string => process.exit(1),
    }),
    long: tool({
      name: 'long',
      description: 'Says much.',
      parameters: none,
      execute: () => 'x'.repeat(400_000),
    }),
    whose: tool({
      name: 'whose',
      description: 'Says who asks.',
      parameters: none,
      execute: (_, { context }: { readonly context: { readonly user: string } }) => context.user,
    }),
  }
}
