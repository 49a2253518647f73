import { createServer, type Http2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { CapstanError } from '@capstan/core'
import type { WorkflowContext, WorkflowSharedContext } from '@restatedev/restate-sdk'
import { storeDecision } from './decisions.js'
import { checkTools, executeChild, executeRun, toolsHash } from './execute.js'
import {
  createWorkerContext,
  type RunLocation,
  type ShouldCrash,
  type WorkerContext,
  waitUninterrupted,
} from './host.js'
import { loadSdk, type RestateConfig, type Sdk } from './options.js'
import { RestateServer } from './server.js'
import {
  type ChildEnd,
  type ChildStart,
  type RunEnd,
  type RunStart,
  reasonKey,
  type StoredDecision,
} from './stored.js'

export interface WorkerOptions {
  /** Default 9080; 0 for any that is free. */
  readonly port?: number
  /** The interface that is listened on. Default `127.0.0.1`. */
  readonly host?: string
  /**
   * The URL that Restate reaches this worker by, or what stands before several that are alike: workers of one version have
   * one. Runs stay with the URL that they were begun at. Default: that of the interface and the port.
   */
  readonly url?: string
  /** Whether it is made known to Restate. Default true; `false` where that is done at deployment. */
  readonly register?: boolean
  /** Keys of the Restate servers that may call, `publickeyv1_...`. Default: whoever can reach the port. */
  readonly identityKeys?: readonly string[]
}

/** A worker: runs are worked on while it is there. */
export interface Worker {
  readonly url: string
  /** Lets go of all runs at once: other workers, or this one when it is back, go on with them. */
  close(): Promise<void>
}

/** Listens for Restate. @throws CapstanError `unsupported` where the packages are missing, or Node is older than 22 */
export async function startRestateWorker(
  plans: readonly RestateConfig[],
  { port = 9080, host = '127.0.0.1', register = true, ...options }: WorkerOptions,
  die?: ShouldCrash,
): Promise<Worker> {
  const [first] = plans
  if (!first) throw new CapstanError('invalid_request', 'A worker needs at least one agent.')
  const twin = plans.find(({ service }, at) => plans.findIndex((other) => other.service === service) < at)
  if (twin)
    throw new TypeError(`Two agents of this worker are named "${twin.service}": give one another name.`)
  const sdk = await loadSdk()
  const services = plans.map((plan) => createWorkflow(plan, sdk, die))
  const identityKeys = [...(options.identityKeys ?? [])]
  const server = createServer(sdk.createEndpointHandler({ services, identityKeys }))
  const sessions = new Set<Http2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const url = options.url ?? `http://${host}:${(server.address() as AddressInfo).port}`
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const session of sessions) session.destroy()
    })
  try {
    if (register) await new RestateServer(first).register(url)
  } catch (error) {
    await close()
    throw error
  }
  return { url, close }
}

/** What Restate is told of an agent: how its runs, and those within them, are worked on, and how they are decided on. */
function createWorkflow(plan: RestateConfig, sdk: Sdk, die?: ShouldCrash) {
  const run = async (ctx: WorkflowContext, start: RunStart | ChildStart): Promise<RunEnd | ChildEnd> => {
    const controller = new AbortController()
    const cancelled = () => controller.abort()
    const place = 'path' in start ? start : await locate(start, { ctx, sdk, plan, cancelled })
    await checkTools(place.definition, { plan, location: place })
    const site = createWorkerContext({
      sdk,
      ctx,
      plan,
      die,
      location: place,
      cancelled,
      signal: controller.signal,
    })
    return Promise.race([site.death, 'path' in start ? executeChild(start, site) : executeRun(start, site)])
  }
  const { first, longest } = plan.retryMs
  return sdk.workflow({
    name: plan.service,
    handlers: {
      run: sdk.handlers.workflow.workflow(run),
      decide: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext, given: StoredDecision) =>
        storeDecision(ctx, given, sdk),
      ),
      abort: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext, reason: string) =>
        storeReason(ctx, reason),
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
async function storeReason(ctx: WorkflowSharedContext, reason: string): Promise<void> {
  const kept = ctx.promise<string>(reasonKey)
  if ((await kept.peek()) === undefined) await kept.resolve(reason)
}

/** The place of a run that is in no other one: it stays with the tools that it was, or is here, begun with. */
async function locate(
  { settings, state }: RunStart,
  { ctx, sdk, plan, cancelled }: Pick<WorkerContext, 'ctx' | 'sdk' | 'plan' | 'cancelled'>,
): Promise<RunLocation> {
  if (state.turn > 0 && !settings.allowChangedTools)
    return { runId: ctx.key, path: '', definition: state.definitionHash, settings }
  const begun = ctx.run('definition', () => toolsHash(plan.agent))
  const [end] = await waitUninterrupted(sdk, [begun], cancelled)
  if (end?.status !== 'fulfilled') throw end?.reason
  return { runId: ctx.key, path: '', definition: end.value, settings }
}
