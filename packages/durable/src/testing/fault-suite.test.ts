import { type Middleware, memoryHost } from '@capstan/core'
import { describe, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import type { Recorded } from '../recorded.js'
import { faultSuite } from './fault-suite.js'
import {
  type CreateWorkerHost,
  type HostUnderTest,
  hostInMemory,
  type Journal,
  journalHost,
} from './journal-host.js'

describe('a host that keeps a journal', () => {
  const host = hostInMemory()
  let deaths = 0
  const counted: HostUnderTest = {
    drive: (journal, agent, state, dies) =>
      host.drive(journal, agent, state, (point) => {
        const isDead = dies(point)
        if (isDead) deaths++
        return isDead
      }),
  }
  for (const { name, run } of faultSuite().checks(counted, { atOnce: 4 }))
    (name.startsWith('fifty calls') ? slowTest : test)(name, run)
  slowTest('more than 500 workers died', () => expect(deaths).toBeGreaterThan(500))
})

describe('finds a host that', () => {
  /**
   * Expects these errors from the checks for a host. Starts with the scenario that causes them, and stops when each
   * error has been found. Skips the checks with many runs.
   */
  const expectErrors = async (
    host: HostUnderTest,
    scenario: string,
    ...expected: readonly RegExp[]
  ): Promise<void> => {
    const checks = faultSuite()
      .checks(host, { atOnce: 4 })
      .filter(({ name }) => !name.startsWith('fifty'))
    const isOf = ({ name }: { readonly name: string }) => name.startsWith(`${scenario}: `)
    expect(checks.filter(isOf)).not.toEqual([])
    let errors = ''
    for (const { run } of [...checks.filter(isOf), ...checks.filter((one) => !isOf(one))]) {
      await run().catch((error: unknown) => {
        errors += `${error}\n`
      })
      if (expected.every((one) => one.test(errors))) return
    }
    for (const one of expected) expect(errors).toMatch(one)
  }
  /** Returns a Map journal in which some methods are changed. */
  const journal = (change: (map: Map<string, Recorded>) => Partial<Journal>) => (): Journal => {
    const map = new Map<string, Recorded>()
    return {
      get: (key) => map.get(key),
      set: (key, recorded) => map.set(key, recorded),
      ...change(map),
    }
  }
  const [steps, child] = ['three steps of three calls', 'a child agent']
  const usual: CreateWorkerHost = (kept, pass) => journalHost(kept, { pass })

  test('stores no journal: calls run with other arguments under the same key', async () => {
    const forgetful = journal(() => ({ get: () => undefined }))
    await expectErrors(
      hostInMemory(usual, forgetful),
      steps,
      /step0\/call0 had 2 different inputs under one key/,
      /step0\/request started again after its outcome was stored/,
    )
  })

  test('treats a started step as done', async () => {
    const soon = journal((map) => ({
      get: (key) => {
        const known = map.get(key)
        if (!known) map.set(key, { ok: true })
        return known
      },
    }))
    await expectErrors(hostInMemory(usual, soon), steps, /step\d\/call\d never started/)
  })

  test('loses the last outcome before a crash', async () => {
    const lazy: CreateWorkerHost = (kept, pass) => {
      let last: readonly [string, Recorded] | undefined
      const written: Journal = {
        get: (key) => (last?.[0] === key ? last[1] : kept.get(key)),
        set: (key, recorded) => {
          if (last) kept.set(...last)
          last = [key, recorded]
        },
      }
      return journalHost(written, { pass })
    }
    await expectErrors(
      hostInMemory(lazy),
      steps,
      /Dying before step0\/call1 .* different inputs under one key/,
    )
  })

  test('reads its journal by position instead of by key', async () => {
    const positional: CreateWorkerHost = (kept, pass) => {
      const entries = kept as Map<string, Recorded>
      const before = [...entries.values()]
      return journalHost(
        { get: () => before.shift(), set: (key, value) => entries.set(key, value) },
        { pass },
      )
    }
    await expectErrors(
      hostInMemory(positional),
      'a call that needs approval',
      /Dying kept step0\/call\d .* it failed: The decision for .*/,
    )
  })

  test('mixes the steps of a child agent with those of its parent', async () => {
    const tail = (key: string) => key.split('/').slice(-2).join('/')
    const mixed = journal((map) => ({
      get: (key) => map.get(tail(key)),
      set: (key, recorded) => map.set(tail(key), recorded),
    }))
    await expectErrors(
      hostInMemory(usual, mixed),
      child,
      /The run is wrong even without faults: step0\/child0.* never started/,
    )
  })

  test('leaves child agents out of the journal', async () => {
    const outer: CreateWorkerHost = (kept, pass) =>
      journalHost(kept, { pass, inner: (binding) => memoryHost({ ...binding, hostWithin: memoryHost }) })
    await expectErrors(hostInMemory(outer), child, /never called dies\(\) at the point "before step0\/child0/)
    const quiet: CreateWorkerHost = (kept, pass) =>
      journalHost(kept, {
        pass,
        inner: (binding) =>
          memoryHost({
            ...binding,
            hostWithin: journalHost({ get: () => undefined, set: () => {} }, { pass }),
          }),
      })
    await expectErrors(hostInMemory(quiet), child, /step0\/child0\S+ had 2 different inputs/)
  })

  test('repeats a failed model request', async () => {
    const hopeful = journal((map) => ({ set: (key, recorded) => recorded.ok && map.set(key, recorded) }))
    await expectErrors(
      hostInMemory(usual, hopeful),
      'a model that fails',
      /Dying kept step1\/request .* step1\/request started again after its outcome was stored/,
    )
  })

  test('gives each worker its own keys', async () => {
    const renamed: CreateWorkerHost = (kept, pass) => {
      const worker = crypto.randomUUID()
      return (binding) => {
        const inner = memoryHost({ ...binding, runId: `${binding.runId}/${worker}` })
        return journalHost(kept, { pass, inner: () => inner })(binding)
      }
    }
    await expectErrors(hostInMemory(renamed), steps, /step0\/request is not a key of this run/)
  })

  test('gives each worker its own time', async () => {
    const own: CreateWorkerHost = (kept, pass) => (binding) => ({
      ...journalHost(kept, { pass })(binding),
      now: async () => Date.now(),
    })
    await expectErrors(hostInMemory(own), 'a run with a time limit', /Dying .* usage\.seconds is \d/)
  })

  test('never calls dies()', async () => {
    const deaf: CreateWorkerHost = (kept) => journalHost(kept)
    await expectErrors(hostInMemory(deaf), steps, /never called dies\(\) at the point "before step0\/request/)
  })
})

describe('finds a middleware whose hook between steps', () => {
  /** Expects these errors from the checks for agents with this middleware. */
  const expectErrors = async (middleware: Middleware, ...expected: readonly RegExp[]): Promise<void> => {
    const checks = faultSuite({ middleware: [middleware] }).checks(hostInMemory(), { atOnce: 4 })
    const turns = checks.filter(({ name }) => name.startsWith('three steps of three calls'))
    let errors = ''
    for (const { run } of turns) {
      await run().catch((error: unknown) => {
        errors += `${error}\n`
      })
      if (errors && expected.every((one) => one.test(errors))) return
    }
    for (const one of expected) expect(errors).toMatch(one)
  }

  test('is pure: it passes', async () => {
    const pure: Middleware = {
      name: 'steps',
      afterStep: (results, { kept }) => ({
        state: Number(kept.steps ?? 0) + results.length,
        note: 'Done.',
      }),
      shouldStop: ({ kept }) => (Number(kept.steps ?? 0) > 9 ? { reason: 'condition' } : undefined),
    }
    await expectErrors(pure, /^\s*$/)
  })

  test('afterStep: reads a clock', async () => {
    const clock: Middleware = { name: 'clock', afterStep: () => ({ state: performance.now() }) }
    await expectErrors(clock, /differs from that of a run without faults, in kept\.clock: /)
  })

  test('afterStep: writes a random note', async () => {
    const dice: Middleware = { name: 'dice', afterStep: () => ({ note: `Note ${Math.random()}.` }) }
    await expectErrors(dice, /differs from that of a run without faults, in messages: /)
  })

  test('shouldStop: counts its own calls', async () => {
    const calls = new Map<string, number>()
    const counter: Middleware = {
      name: 'counter',
      shouldStop({ runId }) {
        const count = (calls.get(runId) ?? 0) + 1
        calls.set(runId, count)
        return count > 4 ? { reason: 'condition' } : undefined
      },
    }
    await expectErrors(counter, /it ended as condition/, /step3\/request never started/)
  })
})
