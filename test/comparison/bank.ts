// A tool whose effects outlive the process that has them.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Setup, ToolSpec } from './peer.js'

/** Beside the effect of which payment the process ends. */
export interface KillPoint {
  readonly amount: number
  readonly side: 'before' | 'after'
}

/** A process that starts a run, and dies. Without `kill` its parent kills it, or it dies at the end of the run. */
export interface Killed {
  readonly peer: string
  readonly setup: Omit<Setup, 'tools'>
  readonly folder: string
  readonly kill?: KillPoint
}

/** The name of the run in its folder. */
export const runId = 'payments'

/** Pays. `knowsKeys`: as a bank that pays once for a key. */
export function bank(folder: string, knowsKeys: boolean, kill?: KillPoint): ToolSpec {
  const end = (amount: unknown, side: KillPoint['side']) => {
    if (kill?.amount === amount && kill?.side === side) process.kill(process.pid, 'SIGKILL')
  }
  return {
    name: 'pay',
    description: 'Pays an amount',
    parameters: z.object({ amount: z.number() }),
    execute({ amount }, _signal, key) {
      end(amount, 'before')
      const isKnown = knowsKeys && key !== undefined && payments(folder).some((one) => one.key === key)
      if (!isKnown) appendFileSync(file(folder), `${JSON.stringify({ amount, key })}\n`)
      end(amount, 'after')
      return { paid: amount }
    },
  }
}

/** What was paid, in order. */
export function payments(folder: string): { amount: number; key?: string }[] {
  if (!existsSync(file(folder))) return []
  const lines = readFileSync(file(folder), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

function file(folder: string): string {
  return join(folder, 'payments.jsonl')
}
