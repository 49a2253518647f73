// The thread of local-service.ts: it loads TypeScript, as the examples do, and reports the address of the service.
import { parentPort } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

register()
const { startService } = await import('@capstan/service')
const { baseURL, apiKey } = await startService()
parentPort.postMessage({ baseURL, apiKey })
