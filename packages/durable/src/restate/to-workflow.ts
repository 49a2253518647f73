import type { WorkflowContext, WorkflowSharedContext } from '@restatedev/restate-sdk'
import { decide } from './decide.js'
import { definitionOf } from './definition-of.js'
import { type ChildEnd, type ChildStart, type Given, type RunEnd, type RunStart, reasonKey } from './kept.js'
import type { Sdk } from './load-sdk.js'
import { outlast } from './outlast.js'
import type { Plan } from './plan.js'
import { type Die, type Place, type Site, toSite } from './site.js'
import { workOnChild } from './work-on-child.js'
import { checkDefinition, workOnRun } from './work-on-run.js'

/** What Restate is told of an agent: how its runs, and those within them, are worked on, and how they are decided on. */
export function toWorkflow(plan: Plan, sdk: Sdk, die?: Die) {
  const run = async (ctx: WorkflowContext, start: RunStart | ChildStart): Promise<RunEnd | ChildEnd> => {
    const controller = new AbortController()
    const cancelled = () => controller.abort()
    const place = 'path' in start ? start : await placeOf(start, { ctx, sdk, plan, cancelled })
    await checkDefinition(place.definition, { plan, place })
    const site = toSite({ sdk, ctx, plan, die, place, cancelled, signal: controller.signal })
    return Promise.race([site.death, 'path' in start ? workOnChild(start, site) : workOnRun(start, site)])
  }
  const { first, longest } = plan.retryMs
  return sdk.workflow({
    name: plan.service,
    handlers: {
      run: sdk.handlers.workflow.workflow(run),
      decide: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext, given: Given) =>
        decide(ctx, given, sdk),
      ),
      abort: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext, reason: string) =>
        keepReason(ctx, reason),
      ),
    },
    options: {
      workflowRetention: plan.retentionMs,
      journalRetention: plan.retentionMs,
      inactivityTimeout: plan.suspendAfterMs,
      abortTimeout: plan.stepTimeoutMs,
      retryPolicy: {
        maxAttempts: plan.maxAttempts,
        onMaxAttempts: 'pause',
        initialInterval: first,
        maxInterval: longest,
        exponentiationFactor: 2,
      },
    },
  })
}

/** Keeps why a run was ended; the first who says so stands. */
async function keepReason(ctx: WorkflowSharedContext, reason: string): Promise<void> {
  const kept = ctx.promise<string>(reasonKey)
  if ((await kept.peek()) === undefined) await kept.resolve(reason)
}

/** The place of a run that is in no other one: it stays with the tools that it was, or is here, begun with. */
async function placeOf(
  { settings, state }: RunStart,
  { ctx, sdk, plan, cancelled }: Pick<Site, 'ctx' | 'sdk' | 'plan' | 'cancelled'>,
): Promise<Place> {
  if (state.turn > 0 && !settings.allowChangedTools)
    return { runId: ctx.key, path: '', definition: state.definitionHash, settings }
  const begun = ctx.run('definition', () => definitionOf(plan.agent))
  const [end] = await outlast(sdk, [begun], cancelled)
  if (end?.status !== 'fulfilled') throw end?.reason
  return { runId: ctx.key, path: '', definition: end.value, settings }
}
