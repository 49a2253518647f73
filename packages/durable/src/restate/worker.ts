import { createServer, type Http2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { CapstanError } from '@capstan/core'
import type { WorkflowContext, WorkflowSharedContext } from '@restatedev/restate-sdk'
import { toolsHash } from '../settings.js'
import { storeDecision } from './decisions.js'
import { checkTools, executeChild, executeRun } from './execute.js'
import { createWorkerContext, type RunLocation, type ShouldCrash, type WorkerContext } from './host.js'
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
import { OpenWaits } from './waits.js'

export interface WorkerOptions {
  /** The port to listen on. Default 9080; 0 selects a free port. */
  readonly port?: number
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /**
   * The URL at which Restate reaches this worker or, if several workers have the same version, their load balancer. A
   * run always uses the URL at which it started. Default: `http://HOST:PORT`, from `host` and `port`.
   */
  readonly url?: string
  /**
   * Whether to register the worker with Restate. Default true. Set it to `false` if your deployment registers the
   * worker.
   */
  readonly register?: boolean
  /**
   * Public keys (`publickeyv1_...`) of the Restate servers that may call this worker. Default: none, so any client that
   * can reach the port may call it.
   */
  readonly identityKeys?: readonly string[]
}

/** A running worker. Call `close` to stop it. */
export interface Worker {
  readonly url: string
  /** Stops executing runs immediately. Other workers, or this one after a restart, continue the runs. */
  close(): Promise<void>
}

/**
 * Starts a server that receives requests from Restate.
 * @throws CapstanError `unsupported` without the SDK, or on Node older than 22; `network` if it cannot register
 */
export async function startRestateWorker(
  configs: readonly RestateConfig[],
  { port = 9080, host = '127.0.0.1', register = true, ...options }: WorkerOptions,
  shouldCrash?: ShouldCrash,
): Promise<Worker> {
  const [first] = configs
  if (!first)
    throw new CapstanError(
      'invalid_request',
      'startWorker needs at least one agent: startWorker([durable(agent)]).',
    )
  const duplicate = configs.find(
    ({ service }, at) => configs.findIndex((other) => other.service === service) < at,
  )
  if (duplicate)
    throw new TypeError(
      `Duplicate agent name "${duplicate.service}". Agent names must be unique within a worker.`,
    )
  const sdk = await loadSdk()
  const services = configs.map((config) => createWorkflow(config, sdk, shouldCrash))
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

/**
 * Creates an agent's Restate workflow. It has handlers that execute runs and child runs, store decisions, and store the
 * reasons for aborts.
 */
function createWorkflow(config: RestateConfig, sdk: Sdk, shouldCrash?: ShouldCrash) {
  const run = async (ctx: WorkflowContext, start: RunStart | ChildStart): Promise<RunEnd | ChildEnd> => {
    const controller = new AbortController()
    const cancelled = () => controller.abort()
    const location = 'path' in start ? start : await locate(start, { ctx, sdk, config, cancelled })
    await checkTools(location.definition, { config, location })
    const worker = createWorkerContext({
      sdk,
      ctx,
      config,
      shouldCrash,
      location,
      cancelled,
      signal: controller.signal,
    })
    return Promise.race([
      worker.crash,
      'path' in start ? executeChild(start, worker) : executeRun(start, worker),
    ])
  }
  const { first, longest } = config.retryMs
  return sdk.workflow({
    name: config.service,
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
      workflowRetention: config.retentionMs,
      journalRetention: config.retentionMs,
      inactivityTimeout: config.suspendAfterMs,
      abortTimeout: config.stepTimeoutMs,
      retryPolicy: {
        maxAttempts: config.maxAttempts,
        onMaxAttempts: 'pause',
        initialInterval: first,
        maxInterval: longest,
        exponentiationFactor: 2,
      },
    },
  })
}

/** Stores the reason for an abort, unless there is one already. */
async function storeReason(ctx: WorkflowSharedContext, reason: string): Promise<void> {
  const stored = ctx.promise<string>(reasonKey)
  if ((await stored.peek()) === undefined) await stored.resolve(reason)
}

/** Returns a top-level run's location, with the hash of the tools that the run was started with. */
async function locate(
  { settings, state }: RunStart,
  { ctx, sdk, config, cancelled }: Pick<WorkerContext, 'ctx' | 'sdk' | 'config' | 'cancelled'>,
): Promise<RunLocation> {
  if (state.stepCount > 0 && !settings.allowChangedTools)
    return { runId: ctx.key, path: '', definition: state.definitionHash, settings }
  const started = ctx.run('definition', () => toolsHash(config.agent))
  const [end] = await new OpenWaits(sdk, cancelled).all([started])
  if (end?.status !== 'fulfilled') throw end?.reason
  return { runId: ctx.key, path: '', definition: end.value, settings }
}
