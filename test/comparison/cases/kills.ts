// Processes that are killed in the middle of a run, which another process continues.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bank, type Killed, type KillPoint, payments, runId } from '../bank.js'
import { type Body, call, calling, saying } from '../server.js'
import type { Case } from '../stage.js'

const program = fileURLToPath(new URL('../run-killed.ts', import.meta.url))

/** Two payments, then a text: by the results that a request has. Each reply has new ids, as those of servers. */
class Model {
  #replies = 0
  /** What waits for the request with this number. */
  killAt = 0
  killed: ChildProcess | undefined

  choose = ({ messages }: Body) => {
    this.#replies++
    if (this.#replies === this.killAt) {
      this.killed?.kill('SIGKILL')
      return undefined
    }
    // As servers refuse it: every call needs its result.
    const results = new Set(messages.map(({ tool_call_id }) => tool_call_id))
    if (messages.some(({ tool_calls = [] }) => tool_calls.some(({ id }) => !results.has(id))))
      return { status: 400, body: { error: { message: 'A tool call has no result.' } } }
    const paid = messages.filter(({ role }) => role === 'tool').length
    if (paid >= 2) return saying('Done.')
    return calling([call('pay', JSON.stringify({ amount: paid + 1 }), `call_of_reply_${this.#replies}`)])
  }
}

function killed(id: string, row: string, at: { request: number } | KillPoint | undefined): Case {
  let model = new Model()
  return {
    id,
    row,
    feature: 'recovery',
    kind: 'slow',
    seconds: 100,
    answers() {
      model = new Model()
      return [model]
    },
    async play(stage) {
      const folder = mkdtempSync(join(tmpdir(), 'killed-'))
      const kill = at && 'side' in at ? at : undefined
      try {
        const setup = { ...stage.setup, folder }
        const killed: Killed = { peer: stage.peer.name, setup, folder, ...(kill && { kill }) }
        const child = fork(program, [JSON.stringify(killed)], {
          execArgv: ['--conditions=development', '--import=tsx'],
          stdio: 'ignore',
        })
        model.killed = child
        if (at && 'request' in at) model.killAt = at.request
        const [, signal] = await once(child, 'exit')
        if (signal !== 'SIGKILL') throw new Error('it was not killed')
        const opened = await stage.open({ folder, tools: [bank(folder, stage.isMended)] })
        stage.outcomes.push((await opened.recover?.(runId)) ?? {})
      } finally {
        stage.notes.amounts = payments(folder).map(({ amount }) => amount)
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
      }
    },
    cell(stage) {
      const amounts = stage.notes.amounts as number[]
      const times = [1, 2].map((amount) => amounts.filter((one) => one === amount).length)
      const isTwice = times.some((count) => count > 1)
      const isMissing = times.includes(0)
      const effects = times.every((count) => count > 1)
        ? '**both effects twice**'
        : isTwice && isMissing
          ? 'one effect twice, one missing'
          : isTwice
            ? 'an effect twice'
            : isMissing
              ? 'an effect is missing'
              : 'each effect once'
      if (stage.error) return `an error, ${effects}`
      return stage.last.text === 'Done.' ? effects : `no end, ${effects}`
    },
  }
}

export const kills: readonly Case[] = [
  killed('kill-reply-1', 'while it waits for the first reply', { request: 1 }),
  killed('kill-before-1', 'in the first call, before its effect', { amount: 1, side: 'before' }),
  killed('kill-after-1', 'in the first call, after its effect', { amount: 1, side: 'after' }),
  killed('kill-reply-2', 'while it waits for the second reply', { request: 2 }),
  killed('kill-before-2', 'in the second call, before its effect', { amount: 2, side: 'before' }),
  killed('kill-after-2', 'in the second call, after its effect', { amount: 2, side: 'after' }),
  killed('kill-reply-3', 'while it waits for the last reply', { request: 3 }),
  killed('kill-end', 'after its end, before anybody knows of it', undefined),
]
