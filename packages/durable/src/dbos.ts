export { type DbosAgent, durable } from './dbos/durable.js'
export type { DbosOptions } from './dbos/engine.js'
export { startWorker, type Worker, type WorkerOptions } from './dbos/worker.js'
