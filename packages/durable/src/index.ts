export type { DurableAgent, DurableRun, DurableRunOptions, ResultOf, RunStatus } from './durable-agent.js'
