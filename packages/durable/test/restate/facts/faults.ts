import { faultSuite } from '@capstan/durable/testing'
import type { Facts } from '../facts.js'
import { faultHost } from '../fault-host.js'

const suite = faultSuite()
let hosted: ReturnType<typeof faultHost> | undefined

export const facts: Facts = Object.fromEntries(
  suite
    .checks(
      { drive: async (...run) => (await (hosted as NonNullable<typeof hosted>)).drive(...run) },
      { atOnce: 8 },
    )
    .map(({ name, run }) => [
      name,
      async ({ ingress, admin }) => {
        hosted ??= faultHost(suite.agents, { ingress, admin, retryMs: { first: 10, longest: 50 } })
        await run()
      },
    ]),
)
