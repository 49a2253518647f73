// Cloudflare Workers: runs and conversations in D1, which all workers share.
import type { AnyAgent } from '@capstan/core'
import { type AgentHandler, agentHandler } from '@capstan/http'
import { type D1Like, d1RunStore, d1Sessions } from '@capstan/stores/d1'
import { authenticate } from './authenticate.js'

// #region host
interface Env {
  readonly DB: D1Like
}

export function workerOf(agent: AnyAgent) {
  const newHandler = ({ DB }: Env) =>
    agentHandler(agent, {
      basePath: '/agent',
      authenticate,
      runs: d1RunStore(DB),
      sessions: d1Sessions(DB),
      sweepMs: 0,
    })
  let handler: AgentHandler | undefined
  return {
    fetch(request: Request, env: Env): Promise<Response> {
      handler ??= newHandler(env)
      return handler(request)
    },
    /** For a cron trigger: continues runs whose worker is gone, and denies calls that waited too long. */
    async scheduled(_event: unknown, env: Env): Promise<void> {
      const own = newHandler(env)
      await own.sweep()
      await own.close({ withinMs: 60_000 })
    },
  }
}
// #endregion
