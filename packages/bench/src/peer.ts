import type * as z from 'zod'

/** One way to run a conversation with tools: a framework, or a loop written by hand. */
export interface Peer {
  /** Does the setup that a program does once. Only the returned function is measured. */
  prepare(setup: Setup): RunOnce | Promise<RunOnce>
}

/** Runs one conversation and returns the text of the last reply, joined from its deltas when streamed. */
export type RunOnce = (prompt: string) => Promise<string>

export interface Setup {
  /** Address of the server, including `/v1`. */
  readonly baseURL: string
  readonly model: string
  readonly instructions: string
  readonly tools: readonly BenchTool[]
  /** Whether replies are streamed. */
  readonly stream: boolean
  /** Maximum number of requests in a conversation. */
  readonly maxSteps: number
}

export interface BenchTool {
  readonly name: string
  readonly description: string
  readonly parameters: z.ZodObject
  /** Receives the arguments as parsed by the schema. */
  execute(args: Record<string, unknown>): Promise<object>
}

/** Cost of one repetition of a scenario in the process of one peer. */
export interface Measure {
  /** CPU time in milliseconds, over all threads of the process. */
  readonly cpuMs: number
  /** Number of tool calls that ran. */
  readonly ran: number
  /** Number of conversations that ended with the wrong text. */
  readonly wrong: number
  /** Text of one of them. */
  readonly example?: string
  /** Growth of the peak resident memory in MiB. */
  readonly grownMiB?: number
  /** 99th percentile of the event loop delay in milliseconds. */
  readonly delayMs?: number
  /** Cost of a step near the end of a long conversation, relative to one near its start. */
  readonly growth?: number
}
