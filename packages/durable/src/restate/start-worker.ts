import { createServer, type Http2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { CapstanError } from '@capstan/core'
import { loadSdk } from './load-sdk.js'
import type { Plan } from './plan.js'
import { RestateServer } from './restate-server.js'
import type { Die } from './site.js'
import { toWorkflow } from './to-workflow.js'

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
export async function startWorkerOf(
  plans: readonly Plan[],
  { port = 9080, host = '127.0.0.1', register = true, ...options }: WorkerOptions,
  die?: Die,
): Promise<Worker> {
  const [first] = plans
  if (!first) throw new CapstanError('invalid_request', 'A worker needs at least one agent.')
  const twin = plans.find(({ service }, at) => plans.findIndex((other) => other.service === service) < at)
  if (twin)
    throw new TypeError(`Two agents of this worker are named "${twin.service}": give one another name.`)
  const sdk = await loadSdk()
  const services = plans.map((plan) => toWorkflow(plan, sdk, die))
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
