import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { RunSettings } from '../run-settings.js'
import type { FaultPoint } from '../testing/host-under-test.js'
import type { Sdk } from './load-sdk.js'
import type { Plan } from './plan.js'

/** Where a run is worked on. */
export interface Site {
  readonly sdk: Sdk
  readonly ctx: WorkflowContext
  readonly plan: Plan
  readonly place: Place
  /** Aborted when the run is ended from outside. */
  readonly signal: AbortSignal
  cancelled(): void
  /** Where tests let workers die: then it never comes back. */
  pass(point: FaultPoint): Promise<void>
  /** Never comes, unless the worker dies. */
  readonly death: Promise<never>
}

/** Where a run stands in another one. */
export interface Place {
  /** The run that is at the top. */
  readonly runId: string
  /** The call that it answers there; empty for the one at the top. */
  readonly path: string
  /** The tools that the run at the top is worked on with. */
  readonly definition: string
  readonly settings: RunSettings
}

/** Whether the worker of a run dies at a point. */
export type Die = (key: string, point: FaultPoint) => boolean

export function toSite({
  die,
  ...rest
}: Pick<Site, 'sdk' | 'ctx' | 'plan' | 'place' | 'signal' | 'cancelled'> & {
  readonly die?: Die | undefined
}): Site {
  let dead: (error: unknown) => void = () => undefined
  const death = new Promise<never>((_, reject) => {
    dead = reject
  })
  death.catch(() => undefined)
  return {
    ...rest,
    async pass(point) {
      if (!die?.(rest.ctx.key, point)) return
      dead(new Error(`The worker dies ${point.when} ${point.key}.`))
      await new Promise(() => undefined)
    },
    death,
  }
}
