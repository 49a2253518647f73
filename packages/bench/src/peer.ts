import type * as z from 'zod'

/** One way to run a conversation with tools: a framework, or a loop written by hand. */
export interface Peer {
  /** Everything a program sets up once; what it gives is measured. */
  prepare(setup: Setup): RunOnce | Promise<RunOnce>
}

/** Holds one conversation to its end and gives the words of the last answer; streamed, joined from what came piece by piece. */
export type RunOnce = (prompt: string) => Promise<string>

export interface Setup {
  /** The server, `/v1` included. */
  readonly baseURL: string
  readonly model: string
  readonly instructions: string
  readonly tools: readonly BenchTool[]
  /** Whether answers are asked for as streams. */
  readonly stream: boolean
  /** Requests that a conversation takes at most. */
  readonly maxSteps: number
}

export interface BenchTool {
  readonly name: string
  readonly description: string
  readonly parameters: z.ZodObject
  /** Takes what the schema made of the model's arguments. */
  execute(args: Record<string, unknown>): Promise<object>
}
