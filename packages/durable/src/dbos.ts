export type { DbosOptions } from './dbos/engine.js'
export { type DbosAgent, durable } from './dbos/runs.js'
export { startWorker, type Worker, type WorkerOptions } from './dbos/worker.js'
