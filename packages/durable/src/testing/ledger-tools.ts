import { jsonSchema, type Tool, tool } from '@capstan/core'
import { later } from './forgetful-model.js'
import type { Ledger } from './ledger.js'

/** Tools whose effects are in the ledger, by name. */
export function ledgerTools(ledger: Ledger) {
  const made = (name: string, answer: (input: string) => unknown, more: Further = {}): Tool =>
    tool({
      name,
      description: 'Takes effect outside, once for each key.',
      parameters: jsonSchema({
        type: 'object',
        properties: { input: { type: 'string' } },
        required: ['input'],
      }),
      ...(more.needsApproval ? { needsApproval: true } : {}),
      execute: async (args, { idempotencyKey }) => {
        const { input } = args as { readonly input: string }
        ledger.begin('tool', idempotencyKey, input)
        await (more.takes?.(idempotencyKey) ?? later())
        ledger.take(idempotencyKey)
        return answer(input)
      },
    })
  return {
    note: made('note', (input) => ({ noted: input })),
    /** The calls of one turn end in reverse order. */
    reverse: made('reverse', (input) => ({ noted: input }), {
      takes: (key) => later(60 - indexOf(key)),
    }),
    /** 25 ms. */
    slow: made('slow', (input) => ({ noted: input }), {
      takes: () => new Promise((resolve) => setTimeout(resolve, 25)),
    }),
    send: made('send', (input) => ({ sent: input }), { needsApproval: true }),
    silent: made('silent', () => undefined),
    dated: made('dated', () => new Date(0)),
    broken: made('broken', (input) => {
      throw new Error(`Broken (${input}).`)
    }),
  }
}

interface Further {
  readonly needsApproval?: boolean
  /** What is waited for before it takes effect. Default: one turn of the event loop. */
  readonly takes?: (idempotencyKey: string) => Promise<unknown>
}

function indexOf(idempotencyKey: string): number {
  return Number(/\d+$/.exec(idempotencyKey)?.[0])
}
