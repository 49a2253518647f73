import { ServiceError } from '../src/http/service-error.js'
import { answerJobs } from '../src/work/jobs.js'

// Tasks that fail in every way a worker can.
const tasks = {
  echo: async (input: unknown) => input,
  refuse: async (param: string) => {
    throw new ServiceError(400, `invalid_${param}`, 'No.', param, { 'x-why': 'test' })
  },
  fail: async () => {
    throw new Error('out of paint')
  },
  crash: async () => {
    setImmediate(() => {
      throw new Error('crash')
    })
    await new Promise(() => {})
  },
  exit: async () => process.exit(3),
  overflow: async () => {
    const kept: number[][] = []
    for (;;) kept.push(new Array(1_000_000).fill(kept.length))
  },
  spin: async () => {
    for (;;);
  },
  count: async function* (to: number) {
    for (let length = 0; length < to; length++) yield new Uint8Array(length)
  },
  breakOff: async function* () {
    yield new Uint8Array(1)
    throw new Error('no more bytes')
  },
}

/** The type of these tasks. */
export type TroubleTasks = {
  [Name in keyof typeof tasks]: (input: Parameters<(typeof tasks)[Name]>[0]) => Promise<unknown>
}

export default answerJobs(tasks)
